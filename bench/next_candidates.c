/*
 * next_candidates.c: the URLs of real pages that may be the next page, with the evidence that
 * weighs them.
 *
 * usage: next_candidates < PAGES
 *
 * PAGES has a line per page: its file, a blank, its URL. Prints a line per page:
 * {"names": [...], "targets": [{"hrefs": [...], "evidence": [number, ...]}, ...]}, where hrefs are
 * those of its links as written, the one that would be given first. bench/fit_next.py and
 * bench/next_pages.py read it.
 */
#include <stdio.h>
#include <string.h>

#include "base/json_out.h"
#include "base/str.h"
#include "bench.h"
#include "site/next.h"

#define NAME(name, weight) #name,
static const char *const names[] = {TH__NEXT_WEIGHTS(NAME)};

static void print_target(th__json *json, const th_page *page, const th__next_page *found,
                         uint32_t target)
{
    const th__next_link *best = th__next_best_link(page, found, target);
    th__json_begin_object(json);
    th__json_key(json, TH_STR("hrefs"));
    th__json_begin_array(json);
    th__json_str(json, best->href);
    for (uint32_t i = 0; i < found->link_count; i++)
        if (found->links[i].target == target && &found->links[i] != best)
            th__json_str(json, found->links[i].href);
    th__json_end_array(json);
    th__json_key(json, TH_STR("evidence"));
    th__json_begin_array(json);
    for (size_t e = 0; e < TH__NEXT_EVIDENCE; e++)
        th__json_double(json, (double)found->targets[target].evidence[e]);
    th__json_end_array(json);
    th__json_end_object(json);
}

static void print_page(th_parser *parser, const char *path, const char *url)
{
    th__arena arena;
    th__next_page found;
    th_page *page;
    th_error err;
    th__buf out = {0};
    th__json json = {.buf = &out};
    th_str bytes = bench_read(path);
    th__arena_init(&arena);
    if (th_parser_parse(parser, bytes, &(th_page_source){.url = th_str_from(url)}, &page, &err) ||
        th__next_look(page, &arena, &found, &err))
        bench_fail(err.message);
    th__json_begin_object(&json);
    th__json_key(&json, TH_STR("names"));
    th__json_begin_array(&json);
    for (size_t e = 0; e < TH__NEXT_EVIDENCE; e++)
        th__json_str(&json, th_str_from(names[e]));
    th__json_end_array(&json);
    th__json_key(&json, TH_STR("targets"));
    th__json_begin_array(&json);
    for (uint32_t t = 0; t < found.target_count; t++)
        if (found.targets[t].weighed)
            print_target(&json, page, &found, t);
    th__json_end_array(&json);
    th__json_end_object(&json);
    puts(th__buf_add_byte(&out, '\0') ? out.data : "");
    th__buf_release(&out);
    th__arena_release(&arena);
    th_page_free(page);
}

int main(void)
{
    char line[8192];
    th_parser *parser;
    th_error err;
    if (th_parser_new(NULL, &parser, &err))
        bench_fail(err.message);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        char *blank = strchr(line, ' ');
        if (!blank)
            bench_fail("a line needs a file and a URL");
        *blank = '\0';
        print_page(parser, line, blank + 1);
    }
    th_parser_free(parser);
    return 0;
}
