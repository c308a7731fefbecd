/*
 * bench_list_growth.c: what finding lists costs as lists grow.
 *
 * usage: bench_list_growth
 *
 * Two kinds of pages are made: lists of 10 to 100,000 records of a usual kind, and 50 to 50,000
 * siblings of forty tags that are all slightly different, which provokes a comparison of each with
 * each. Finding and writing the best list, by each engine, and extracting by a wrapper learnt from
 * the smallest page are timed, parsing included. Printed are the nanoseconds of the processor for
 * each byte of the page; the largest over the one of a hundredth of its size, which is 1 where
 * growth is linear; and the most heap in use, for each byte of the largest page. Memory is kept in
 * the process (mallopt): the system takes longer to hand out new pages than most stages to fill
 * them, which says nothing of the algorithm.
 *
 * Fails where the hostile pages are above 1.5 times linear.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "bench_memory.h"

#define LIMIT 1.5
#define LEAST 0.02 /* seconds that are worth measuring */
enum { SIZES = 5, TRIES = 3 };

/* ---- pages ---- */

typedef struct text {
    char *data;
    size_t len, cap;
} text;

static void add(text *out, const char *more)
{
    size_t len = strlen(more);
    if (out->len + len >= out->cap) {
        out->cap = 2 * (out->len + len) + 4096;
        out->data = realloc(out->data, out->cap);
        if (!out->data)
            bench_fail("out of memory");
    }
    memcpy(out->data + out->len, more, len);
    out->len += len;
}

static unsigned draw(unsigned *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

static void usual_record(text *out, unsigned i, unsigned *state)
{
    char record[512];
    snprintf(record, sizeof record,
             "<li class=hit><h3><a href=\"/item/%u\">Item number %u of the list</a></h3><p "
             "class=by>by maker %u</p><span class=price>%u.%02u</span>%s</li>\n",
             i, i, draw(state) % 1000, draw(state) % 500, draw(state) % 100,
             draw(state) % 4 ? "" : "<em class=note>only a few left</em>");
    add(out, record);
}

/* Forty tags, one in ten of them by chance. */
static void odd_sibling(text *out, unsigned i, unsigned *state)
{
    static const char *const tags[] = {"b", "i", "u", "s", "q", "em", "dfn", "kbd"};
    char piece[64];
    add(out, "<li>");
    for (unsigned k = 0; k < 40; k++) {
        const char *tag = tags[draw(state) % 10 ? k % 8 : draw(state) % 8];
        snprintf(piece, sizeof piece, "<%s>%u</%s>", tag, k ? k : i, tag);
        add(out, piece);
    }
    add(out, "</li>\n");
}

static const struct kind {
    const char *name;
    void (*record)(text *out, unsigned i, unsigned *state);
    unsigned largest;
    bool judged;
} kinds[] = {{"usual records", usual_record, 100000, false},
             {"slightly different", odd_sibling, 50000, true}};

static th_str make(const struct kind *kind, unsigned count)
{
    text out = {0};
    unsigned state = 1;
    add(&out, "<html><body><ul class=hits>");
    for (unsigned i = 0; i < count; i++)
        kind->record(&out, i, &state);
    add(&out, "</ul></body></html>");
    return (th_str){out.data, out.len};
}

/* ---- stages ---- */

static const char *const engines[] = {"auto", "mdr", "iepad"};
static const char *engine;
static th_wrapper *wrapper; /* or NULL: look for lists */
static th_str bytes;

static th_status drop(void *context, const char *some, size_t len, th_error *err)
{
    return TH_OK;
}

static void write_records(const th_records *records)
{
    th_writer *writer;
    th_writer_options options;
    th_error err;
    th_writer_options_init(&options);
    options.sink.write = drop;
    if (th_writer_new(TH_FORMAT_NDJSON, &options, &writer, &err) ||
        th_writer_add(writer, records, &err) || th_writer_finish(writer, &err))
        bench_fail(err.message);
    th_writer_free(writer);
}

static void run(void)
{
    th_parser *parser;
    th_page *page;
    th_regions *regions = NULL;
    th_records *records = NULL;
    th_regions_options options;
    th_error err;
    th_regions_options_init(&options);
    options.most = 1;
    options.engine = engine;
    if (th_parser_new(NULL, &parser, &err) || th_parser_parse(parser, bytes, NULL, &page, &err) ||
        (wrapper ? th_wrapper_extract(wrapper, page, NULL, &records, &err)
                 : th_regions_find(page, NULL, &options, &regions, &err)))
        bench_fail(err.message);
    if (records)
        write_records(records);
    else if (th_regions_count(regions))
        write_records(th_regions_get(regions, 0)->records);
    th_records_free(records);
    th_regions_free(regions);
    th_page_free(page);
    th_parser_free(parser);
}

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Nanoseconds a byte: the best of several runs, each long enough to measure. */
static double cost(void)
{
    double best = 0;
    for (int i = 0; i < TRIES; i++) {
        unsigned runs = 0;
        double start = processor_time(), taken;
        do {
            run();
            runs++;
        } while ((taken = processor_time() - start) < LEAST);
        taken /= runs;
        best = !i || taken < best ? taken : best;
    }
    return best * 1e9 / (double)bytes.len;
}

static th_wrapper *learn(th_str from)
{
    th_parser *parser;
    th_page *page;
    th_corpus *corpus;
    th_learn_options options;
    th_wrapper *out = NULL;
    th_error err;
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = engine;
    if (th_parser_new(NULL, &parser, &err) || th_parser_parse(parser, from, NULL, &page, &err) ||
        th_corpus_new(&corpus, &err) || th_corpus_add(corpus, page, NULL, &err) ||
        (th_learn(corpus, &options, &out, NULL, &err) && err.status != TH_ERR_ARGUMENT))
        bench_fail(err.message);
    th_corpus_free(corpus);
    th_page_free(page);
    th_parser_free(parser);
    return out;
}

static bool row(const struct kind *kind, const th_str pages[SIZES])
{
    double costs[SIZES];
    char name[64];
    snprintf(name, sizeof name, "%s, %s", engine, wrapper ? "extract" : "regions");
    printf("  %-18s", name);
    for (int i = 0; i < SIZES; i++) {
        bytes = pages[i];
        costs[i] = cost();
        printf(" %8.1f", costs[i]);
        fflush(stdout);
    }
    bench_memory_begin();
    run();
    double memory = (double)bench_memory_end() / (double)bytes.len;
    double growth = costs[SIZES - 1] / costs[SIZES - 3];
    bool fine = !kind->judged || growth <= LIMIT;
    printf(" %8.2f %8.1f%s\n", growth, memory, fine ? "" : "  TOO MUCH");
    return fine;
}

int main(void)
{
    bool fine = true;
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT32_MAX);
    mallopt(M_TOP_PAD, 64 << 20);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        th_str pages[SIZES];
        unsigned count = kinds[k].largest;
        for (int i = SIZES - 1; i >= 0; i--, count /= 10)
            pages[i] = make(&kinds[k], count);
        printf("%s, %u to %u: ns a byte; the largest over a hundredth of it; memory a byte\n",
               kinds[k].name, kinds[k].largest / 10000, kinds[k].largest);
        for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
            engine = engines[e];
            fine &= row(&kinds[k], pages);
            wrapper = learn(pages[0]);
            if (wrapper)
                fine &= row(&kinds[k], pages);
            else
                printf("  %s: no list on the smallest page to learn from\n", engine);
            th_wrapper_free(wrapper);
            wrapper = NULL;
        }
        for (int i = 0; i < SIZES; i++)
            free((char *)pages[i].ptr);
    }
    return fine ? 0 : 1;
}
