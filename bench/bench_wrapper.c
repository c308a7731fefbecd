/*
 * bench_wrapper.c: how fast wrappers run, against gumbo's parse of the same pages, and what memory
 * that takes.
 *
 * usage: bench_wrapper FOLDER...
 *
 * Only the first folder is used. Each folder in it that has pages is a site: for each engine a
 * wrapper is learnt from the first of its pages that has a list, and run on all of them. A stage
 * begins with the bytes of a page. Times are the sum over pages of the best of several rounds;
 * memory is as in bench_lists.c.
 */
#include <gumbo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thresh.h>

#include "bench.h"
#include "bench_memory.h"

static struct bench_pages pages;
static th_wrapper **wrappers; /* by page: that of its site, or NULL when no page has a list */
static size_t records_found;
static bool extracting;

static void gumbo_page(size_t i)
{
    GumboOutput *output =
        gumbo_parse_with_options(&kGumboDefaultOptions, pages.data[i].ptr, pages.data[i].len);
    gumbo_destroy_output(&kGumboDefaultOptions, output);
}

static void run_page(size_t i)
{
    th_error err;
    th_parser *parser;
    th_page *page;
    th_records *records = NULL;
    if (th_parser_new(NULL, &parser, &err) ||
        th_parser_parse(parser, pages.data[i], NULL, &page, &err) ||
        (extracting && wrappers[i] && th_wrapper_extract(wrappers[i], page, NULL, &records, &err)))
        bench_fail(err.message);
    records_found += records ? th_records_count(records) : 0;
    th_records_free(records);
    th_page_free(page);
    th_parser_free(parser);
}

/* Learns the wrapper of the pages first .. end. */
static th_wrapper *learn(const char *engine, size_t first, size_t end)
{
    th_parser *parser;
    th_corpus *corpus;
    th_learn_options options;
    th_wrapper *wrapper = NULL;
    th_error err;
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = engine;
    if (th_parser_new(NULL, &parser, &err) || th_corpus_new(&corpus, &err))
        bench_fail(err.message);
    for (size_t i = first; i < end && !wrapper; i++) {
        th_page *page;
        if (th_parser_parse(parser, pages.data[i], NULL, &page, &err) ||
            th_corpus_add(corpus, page, NULL, &err))
            bench_fail(err.message);
        th_page_free(page);
        if (th_learn(corpus, &options, &wrapper, NULL, &err) && err.status != TH_ERR_ARGUMENT)
            bench_fail(err.message);
    }
    th_corpus_free(corpus);
    th_parser_free(parser);
    return wrapper;
}

/* Learns the wrappers of all sites by an engine; gives how many sites there are. */
static size_t learn_all(const char *engine)
{
    size_t sites = 0;
    for (size_t first = 0, end; first < pages.count; first = end, sites++) {
        for (end = first + 1; end < pages.count && pages.folder[end] == pages.folder[first];)
            end++;
        th_wrapper_free(wrappers[first]);
        th_wrapper *wrapper = learn(engine, first, end);
        for (size_t i = first; i < end; i++)
            wrappers[i] = wrapper;
    }
    return sites;
}

static void show(const char *stage, double seconds, double gumbo, void (*run)(size_t page))
{
    struct bench_memory memory = bench_memory_each(run, &pages);
    double mb = (double)pages.bytes / 1e6;
    printf("  %-26s %8.1f %12.1f %16.2f %16.2f\n", stage, mb / seconds, gumbo / seconds,
           memory.per_byte, memory.worst);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const char *const engines[] = {"auto", "mdr", "iepad"};
    if (argc > 1)
        bench_load(&pages, argv[1]);
    if (!pages.count)
        bench_fail("no pages: give a folder of folders of .htm or .html files");
    wrappers = calloc(pages.count, sizeof *wrappers);
    if (!wrappers)
        bench_fail("out of memory");
    size_t sites = learn_all("auto");
    const char *name = strrchr(argv[1], '/');
    printf("%s: %zu sites, %zu pages, %.1f MB\n", name ? name + 1 : argv[1], sites, pages.count,
           (double)pages.bytes / 1e6);
    printf("  %-26s %8s %12s %16s %16s\n", "", "MB/s", "times gumbo", "memory/byte",
           "of the worst");
    double gumbo = bench_best_each(gumbo_page, pages.count, 2);
    show("gumbo parse", gumbo, gumbo, gumbo_page);
    show("parse", bench_best_each(run_page, pages.count, 7), gumbo, run_page);
    extracting = true;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        char stage[64];
        if (i)
            learn_all(engines[i]);
        snprintf(stage, sizeof stage, "parse + extract, %s", engines[i]);
        show(stage, bench_best_each(run_page, pages.count, 7), gumbo, run_page);
        records_found = 0;
        for (size_t page = 0; page < pages.count; page++)
            run_page(page);
        printf("  %-26s %8zu\n", "  records", records_found);
    }
    return 0;
}
