/*
 * bench_lists.c: how fast the lists of pages are found and written, against gumbo's parse.
 *
 * usage: bench_lists FOLDER...
 *
 * Each stage begins with the bytes of the pages and ends with the records as text: parsing,
 * finding, aligning, naming and writing are all in it. Only the first folder is used: the list
 * pages.
 */
#include <gumbo.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

static struct bench_pages pages;

static void run_gumbo(void)
{
    for (size_t i = 0; i < pages.count; i++) {
        GumboOutput *output =
            gumbo_parse_with_options(&kGumboDefaultOptions, pages.data[i].ptr, pages.data[i].len);
        gumbo_destroy_output(&kGumboDefaultOptions, output);
    }
}

static size_t written;

static th_status count_bytes(void *context, const char *bytes, size_t len, th_error *err)
{
    written += len;
    return TH_OK;
}

/* Finds at most `most` lists on each page and writes them, one line a page. */
static void run_regions(uint32_t most)
{
    th_parser *parser;
    th_writer *writer;
    th_writer_options writing;
    th_regions_options finding;
    th_error err;
    th_writer_options_init(&writing);
    th_regions_options_init(&finding);
    writing.sink.write = count_bytes;
    finding.most = most;
    if (th_parser_new(NULL, &parser, &err) ||
        th_writer_new(TH_FORMAT_PAGES, &writing, &writer, &err))
        bench_fail(err.message);
    for (size_t i = 0; i < pages.count; i++) {
        th_page *page;
        th_regions *regions;
        if (th_parser_parse(parser, pages.data[i], NULL, &page, &err) ||
            th_regions_find(page, NULL, &finding, &regions, &err))
            bench_fail(err.message);
        size_t count = th_regions_count(regions);
        if (th_writer_add_regions(writer, th_str_from("page"),
                                  count ? th_regions_get(regions, 0) : NULL, count, &err))
            bench_fail(err.message);
        th_regions_free(regions);
        th_page_free(page);
    }
    if (th_writer_finish(writer, &err))
        bench_fail(err.message);
    th_writer_free(writer);
    th_parser_free(parser);
}

static void run_best(void)
{
    run_regions(1);
}

static void run_all(void)
{
    run_regions(10);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        bench_fail("no pages: give a folder of .htm or .html files");
    bench_load(&pages, argv[1]);
    double mb = (double)pages.bytes / 1e6;
    double gumbo = bench_best(run_gumbo, 1), best = bench_best(run_best, 5),
           all = bench_best(run_all, 5);
    const char *name = strrchr(argv[1], '/');
    printf("%s: %zu pages, %.1f MB\n", name ? name + 1 : argv[1], pages.count, mb);
    printf("  %-24s %8s %12s\n", "", "MB/s", "times gumbo");
    printf("  %-24s %8.1f %12.1f\n", "gumbo parse", mb / gumbo, 1.0);
    printf("  %-24s %8.1f %12.1f\n", "records of the best list", mb / best, gumbo / best);
    printf("  %-24s %8.1f %12.1f\n", "all lists", mb / all, gumbo / all);
    return 0;
}
