/* growth.c: what a byte costs in each stage of the page model, over inputs of any size. */
#include "growth.h"

#include <stdlib.h>
#include <time.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "page/parse.h"

struct growth {
    th__buf bytes;
    th_page *page;
    th_parser *parser;
    th__scan scan;
    th_text text;
    size_t seen; /* keeps the loops from being left out */
};

const char *const growth_stages[GROWTH_STAGES] = {"scan", "parse", "attributes", "text", "fine"};

struct growth *growth_new(void)
{
    struct growth *growth = calloc(1, sizeof *growth);
    if (growth && th_parser_new(NULL, &growth->parser, NULL)) {
        free(growth);
        return NULL;
    }
    return growth;
}

void growth_free(struct growth *growth)
{
    th__buf_release(&growth->bytes);
    th_parser_free(growth->parser);
    th__scan_release(&growth->scan);
    th_text_release(&growth->text);
    free(growth);
}

static bool run_scan(struct growth *g)
{
    return th__scan_text(&g->scan, th__buf_str(&g->bytes), TH__SCAN_DATA, (th_str){0});
}

static bool run_parse(struct growth *g)
{
    th_page *page;
    if (th_parser_parse(g->parser, th__buf_str(&g->bytes), NULL, &page, NULL))
        return false;
    th_page_free(page);
    return true;
}

static bool run_attributes(struct growth *g)
{
    th_attr attr;
    th_str value;
    for (uint32_t i = 0; i < th_page_token_count(g->page); i++) {
        for (th_attr_iter it = th_attrs(g->page, i); th_attr_next(&it, &attr);)
            g->seen++;
        g->seen += th_attr_get(g->page, i, "none", &value);
    }
    return true;
}

static bool run_text(struct growth *g)
{
    return th_page_node_text(g->page, 0, &g->text, NULL) == TH_OK;
}

static bool run_fine(struct growth *g)
{
    th_lex lex;
    th_fine fine;
    th_lex_init(&lex, g->page, (th_span){0, (uint32_t)th_page_text(g->page).len});
    while (th_lex_next(&lex, &fine))
        g->seen++;
    return true;
}

/* How fast memory can be read at all. */
static bool run_read(struct growth *g)
{
    g->seen += memchr(g->bytes.data, '\2', g->bytes.len) != NULL;
    return true;
}

static bool (*const run[GROWTH_STAGES + 1])(struct growth *) = {run_scan, run_parse, run_attributes,
                                                                run_text, run_fine,  run_read};

enum { REPEATED = 16000000 }; /* bytes that the runs repeated for precision see at most */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Puts the input out of the caches, where the processor can. */
static void make_cold(th_str bytes)
{
#ifdef __SSE2__
    for (size_t i = 0; i < bytes.len; i += 64)
        _mm_clflush(bytes.ptr + i);
    _mm_mfence();
#endif
}

/* Nanoseconds a byte of the fastest of `runs`, or 0 without memory. */
static double fastest(struct growth *g, int stage, int runs, double least)
{
    double best = 0;
    for (int i = 0; i < runs; i++) {
        double passed = 0;
        int count = 0;
        int most = g->bytes.len < REPEATED ? (int)(REPEATED / g->bytes.len) : 1;
        for (; passed < least && count < most; count++) {
            make_cold(th__buf_str(&g->bytes));
            double start = now();
            if (!run[stage](g))
                return 0;
            passed += now() - start;
        }
        if (best == 0 || passed / count < best)
            best = passed / count;
    }
    return best * 1e9 / (double)g->bytes.len;
}

bool growth_measure(struct growth *g, const struct hostile *input, size_t size, int only, int runs,
                    double least, double best[GROWTH_STAGES])
{
    bool ok = hostile_make(input, size, &g->bytes) &&
              th_parser_parse(g->parser, th__buf_str(&g->bytes), NULL, &g->page, NULL) == TH_OK;
    if (!ok)
        return false;
    for (int stage = 0; stage < GROWTH_STAGES && ok; stage++) {
        if (only != GROWTH_ALL && only != stage)
            continue;
        double cost = fastest(g, stage, runs, least);
        ok = cost > 0;
        if (best[stage] == 0 || cost < best[stage])
            best[stage] = cost;
    }
    th_page_free(g->page);
    return ok;
}

double growth_read_cost(struct growth *g, size_t size)
{
    static const struct hostile letters = {.first = "", .unit = "x"};
    return hostile_make(&letters, size, &g->bytes) ? fastest(g, GROWTH_STAGES, 5, 0.01) : 0;
}
