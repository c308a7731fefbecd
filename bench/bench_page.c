/*
 * bench_page.c: how fast pages are scanned and built, against gumbo on the same bytes.
 *
 * usage: bench_page FOLDER...
 *
 * Every figure is a ratio of times in this run on this machine; absolute rates are shown for
 * orientation only. A stage is timed over all pages, the best of several rounds counts.
 */
#include <dirent.h>
#include <gumbo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <thresh.h>

#include "bench.h"
#include "base/str.h"
#include "page/scan.h"

static struct bench_pages pages;

static void run_gumbo(void)
{
    for (size_t i = 0; i < pages.count; i++) {
        GumboOutput *output =
            gumbo_parse_with_options(&kGumboDefaultOptions, pages.data[i].ptr, pages.data[i].len);
        gumbo_destroy_output(&kGumboDefaultOptions, output);
    }
}

static void run_scan(void)
{
    static th__scan scan;
    for (size_t i = 0; i < pages.count; i++)
        if (!th__scan_text(&scan, pages.data[i], TH__SCAN_DATA, (th_str){0}))
            bench_fail("out of memory");
}

static size_t page_memory, page_bytes, tokens, nodes;
static double memory_share;

static void run_parse(void)
{
    static th_parser *parser;
    th_error err;
    if (!parser && th_parser_new(NULL, &parser, &err))
        bench_fail(err.message);
    page_memory = page_bytes = tokens = nodes = 0;
    memory_share = 0;
    for (size_t i = 0; i < pages.count; i++) {
        th_page *page;
        if (th_parser_parse(parser, pages.data[i], NULL, &page, &err))
            bench_fail(err.message);
        page_memory += th_page_memory(page);
        page_bytes += pages.data[i].len;
        memory_share += (double)th_page_memory(page) / (double)pages.data[i].len;
        tokens += th_page_token_count(page);
        nodes += th_page_node_count(page);
        th_page_free(page);
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        bench_load(&pages, argv[i]);
    if (!pages.count)
        bench_fail("no pages: give a folder of .htm or .html files");
    double mb = (double)pages.bytes / 1e6;
    printf("%zu pages, %.1f MB\n", pages.count, mb);
    double gumbo = bench_best(run_gumbo, 1);
    double scan = bench_best(run_scan, 9);
    double parse = bench_best(run_parse, 9);
    printf("%-24s %10s %14s\n", "stage", "MB/s", "times gumbo");
    printf("%-24s %10.1f %14.1f\n", "gumbo parse", mb / gumbo, 1.0);
    printf("%-24s %10.1f %14.1f\n", "scan", mb / scan, gumbo / scan);
    printf("%-24s %10.1f %14.1f\n", "decode + scan + tree", mb / parse, gumbo / parse);
    printf(
        "page memory: %.3f times the bytes (mean of pages %.3f); %.1f bytes a token, %.1f a node\n",
        (double)page_memory / (double)page_bytes, memory_share / (double)pages.count,
        (double)page_bytes / (double)tokens, (double)page_bytes / (double)nodes);
    return 0;
}
