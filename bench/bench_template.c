/*
 * bench_template.c: how fast templates are learnt and run, against gumbo's parse of the same pages.
 *
 * usage: bench_template SITE...
 *        bench_template --growth SITE
 *
 * Each SITE is a folder of pages of one template, or a folder of such folders. A template is learnt
 * from all pages of it (reading them included) and run on them. Figures are ratios of processor
 * times in this run; the best of several rounds counts for each site.
 *
 * --growth learns from the first 10, 30, 100, 300 and 1,000 pages of a site, and tells time and
 * memory a page: both must not grow. Memory is the most that the library held at any moment, the
 * pages that it keeps included.
 */
#include <dirent.h>
#include <gumbo.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thresh.h>

#include "bench.h"

static struct site {
    struct bench_pages pages;
    th_wrapper *wrapper;
} * sites;
static size_t site_count;
static th_parser *parser;
static size_t most; /* pages to learn from; 0: all */

/* ---- memory ---- */

static size_t held, peak;

static void *count_memory(void *context, void *memory, size_t size)
{
    held -= memory ? malloc_usable_size(memory) : 0;
    if (!size) {
        free(memory);
        return NULL;
    }
    void *grown = realloc(memory, size);
    held += grown || memory ? malloc_usable_size(grown ? grown : memory) : 0;
    peak = held > peak ? held : peak;
    return grown;
}

/* ---- what is timed ---- */

static void run_gumbo(size_t s)
{
    for (size_t i = 0; i < sites[s].pages.count; i++) {
        th_str page = sites[s].pages.data[i];
        gumbo_destroy_output(&kGumboDefaultOptions,
                             gumbo_parse_with_options(&kGumboDefaultOptions, page.ptr, page.len));
    }
}

static void run_parse(size_t s)
{
    th_error err;
    for (size_t i = 0; i < sites[s].pages.count; i++) {
        th_page *page;
        if (th_parser_parse(parser, sites[s].pages.data[i], NULL, &page, &err))
            bench_fail(err.message);
        th_page_free(page);
    }
}

static void run_learn(size_t s)
{
    th_learn_options options;
    th_corpus *corpus;
    th_error err;
    size_t count = most && most < sites[s].pages.count ? most : sites[s].pages.count;
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = "template";
    options.pick = 1; /* not in clusters */
    th_wrapper_free(sites[s].wrapper);
    if (th_corpus_new(&corpus, &err))
        bench_fail(err.message);
    for (size_t i = 0; i < count; i++) {
        th_page *page;
        if (th_parser_parse(parser, sites[s].pages.data[i], NULL, &page, &err) ||
            th_corpus_add(corpus, page, NULL, &err))
            bench_fail(err.message);
        th_page_free(page);
    }
    if (th_learn(corpus, &options, &sites[s].wrapper, NULL, &err))
        bench_fail(err.message);
    th_corpus_free(corpus);
}

static void run_extract(size_t s)
{
    th_error err;
    for (size_t i = 0; i < sites[s].pages.count; i++) {
        th_page *page;
        th_records *records;
        if (th_parser_parse(parser, sites[s].pages.data[i], NULL, &page, &err) ||
            th_wrapper_extract(sites[s].wrapper, page, NULL, &records, &err))
            bench_fail(err.message);
        th_records_free(records);
        th_page_free(page);
    }
}

/* ---- sites ---- */

/* Adds every folder that holds no folders. */
static void add_sites(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort), folders = 0;
    if (count < 0)
        bench_fail(folder);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_type == DT_DIR && entries[i]->d_name[0] != '.') {
            folders++;
            add_sites(path);
        }
        free(entries[i]);
    }
    free(entries);
    if (folders)
        return;
    sites = realloc(sites, (site_count + 1) * sizeof *sites);
    if (!sites)
        bench_fail("out of memory");
    sites[site_count] = (struct site){0};
    bench_load(&sites[site_count++].pages, folder);
}

/* ---- growth ---- */

static void show_growth(void)
{
    static const size_t counts[] = {10, 30, 100, 300, 1000};
    printf("%8s %14s %14s %16s\n", "pages", "us a page", "KB a page", "times the text");
    for (size_t i = 0; i < sizeof counts / sizeof *counts && counts[i] <= sites[0].pages.count;
         i++) {
        size_t bytes = 0, before = held;
        most = counts[i];
        for (size_t p = 0; p < most; p++)
            bytes += sites[0].pages.data[p].len;
        double seconds = bench_best_each(run_learn, 1, most > 100 ? 3 : 7);
        peak = held;
        run_learn(0);
        double used = (double)(peak - before);
        printf("%8zu %14.1f %14.1f %16.2f\n", most, seconds / (double)most * 1e6,
               used / (double)most / 1e3, used / (double)bytes);
    }
}

int main(int argc, char **argv)
{
    bool growth = argc > 1 && !strcmp(argv[1], "--growth");
    size_t pages = 0, bytes = 0;
    th_error err;
    if (growth)
        th_set_allocator(count_memory, NULL);
    if (th_parser_new(NULL, &parser, &err))
        bench_fail(err.message);
    for (int i = 1 + growth; i < argc; i++)
        add_sites(argv[i]);
    for (size_t s = 0; s < site_count; s++) {
        pages += sites[s].pages.count;
        bytes += sites[s].pages.bytes;
    }
    if (!pages)
        bench_fail("no pages: give folders of .htm or .html files");
    if (growth) {
        show_growth();
        return 0;
    }
    double mb = (double)bytes / 1e6, gumbo = bench_best_each(run_gumbo, site_count, 2);
    double parse = bench_best_each(run_parse, site_count, 5);
    double learn = bench_best_each(run_learn, site_count, 3);
    double extract = bench_best_each(run_extract, site_count, 5);
    printf("%zu sites, %zu pages, %.1f MB\n", site_count, pages, mb);
    printf("%-24s %10s %14s\n", "stage", "MB/s", "times gumbo");
    printf("%-24s %10.1f %14.1f\n", "gumbo parse", mb / gumbo, 1.0);
    printf("%-24s %10.1f %14.1f\n", "parse", mb / parse, gumbo / parse);
    printf("%-24s %10.1f %14.1f\n", "parse + learn", mb / learn, gumbo / learn);
    printf("%-24s %10.1f %14.1f\n", "parse + extract", mb / extract, gumbo / extract);
    return 0;
}
