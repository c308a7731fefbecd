/*
 * bench_wrapper.c: how fast wrappers run, against gumbo's parse of the same pages.
 *
 * usage: bench_wrapper SITE...
 *
 * Each SITE is a folder of pages of one kind. A wrapper is learnt from the first page that has a
 * list and run on all of them. Figures are ratios of times in this run; a stage is timed over all
 * pages, and the best of several rounds counts.
 */
#include <gumbo.h>
#include <stdio.h>
#include <stdlib.h>

#include <thresh.h>

#include "bench.h"

struct site {
    struct bench_pages pages;
    th_wrapper *wrapper; /* NULL when no page has a list */
};

static struct site *sites;
static size_t site_count;
static th_parser *parser;
static size_t records_found;
static bool extracting;

static void run_gumbo(void)
{
    for (size_t s = 0; s < site_count; s++)
        for (size_t i = 0; i < sites[s].pages.count; i++) {
            th_str page = sites[s].pages.data[i];
            GumboOutput *output =
                gumbo_parse_with_options(&kGumboDefaultOptions, page.ptr, page.len);
            gumbo_destroy_output(&kGumboDefaultOptions, output);
        }
}

static void run_pages(void)
{
    th_error err;
    records_found = 0;
    for (size_t s = 0; s < site_count; s++)
        for (size_t i = 0; i < sites[s].pages.count; i++) {
            th_page *page;
            th_records *records = NULL;
            if (th_parser_parse(parser, sites[s].pages.data[i], NULL, &page, &err) ||
                (extracting && sites[s].wrapper &&
                 th_wrapper_extract(sites[s].wrapper, page, NULL, &records, &err)))
                bench_fail(err.message);
            records_found += records ? th_records_count(records) : 0;
            th_records_free(records);
            th_page_free(page);
        }
}

static void learn(struct site *site)
{
    th_learner *learner;
    th_error err;
    size_t records = 0;
    if (th_learner_new(NULL, &learner, &err))
        bench_fail(err.message);
    for (size_t i = 0; i < site->pages.count && !records; i++) {
        th_page *page;
        if (th_parser_parse(parser, site->pages.data[i], NULL, &page, &err) ||
            th_learner_add(learner, page, NULL, &records, &err))
            bench_fail(err.message);
        th_page_free(page);
    }
    if (records && th_learner_finish(learner, &site->wrapper, &err))
        bench_fail(err.message);
    th_learner_free(learner);
}

int main(int argc, char **argv)
{
    size_t pages = 0, bytes = 0;
    th_error err;
    site_count = (size_t)argc - 1;
    sites = calloc(site_count + 1, sizeof *sites);
    if (!sites || th_parser_new(NULL, &parser, &err))
        bench_fail("out of memory");
    for (size_t s = 0; s < site_count; s++) {
        bench_load(&sites[s].pages, argv[s + 1]);
        learn(&sites[s]);
        pages += sites[s].pages.count;
        bytes += sites[s].pages.bytes;
    }
    if (!pages)
        bench_fail("no pages: give folders of .htm or .html files");
    double mb = (double)bytes / 1e6, gumbo = bench_best(run_gumbo, 1);
    double parse = bench_best(run_pages, 7);
    extracting = true;
    double extract = bench_best(run_pages, 7);
    printf("%zu sites, %zu pages, %.1f MB, %zu records\n", site_count, pages, mb, records_found);
    printf("%-24s %10s %14s\n", "stage", "MB/s", "times gumbo");
    printf("%-24s %10.1f %14.1f\n", "gumbo parse", mb / gumbo, 1.0);
    printf("%-24s %10.1f %14.1f\n", "parse", mb / parse, gumbo / parse);
    printf("%-24s %10.1f %14.1f\n", "parse + extract", mb / extract, gumbo / extract);
    return 0;
}
