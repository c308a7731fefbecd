/*
 * bench_page.c: how fast pages are scanned and built, against gumbo on the same bytes.
 *
 * usage: bench_page FOLDER...
 *
 * Every figure is a ratio of times in this run on this machine; absolute rates are shown for
 * orientation only. Each stage goes over all pages of a folder several times, and the best time of
 * each page counts, for gumbo as for us; "together" adds up the times of the folders.
 */
#include <gumbo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thresh.h>

#include "bench.h"
#include "page/parse.h"

enum { GUMBO_ROUNDS = 3, ROUNDS = 9 };

/* What a folder of pages took and gave; or several folders, added up. */
struct result {
    size_t pages, bytes, memory, tokens, nodes;
    double memory_share; /* sum over the pages of memory by bytes */
    double gumbo, scan, tree, parse;
};

static struct bench_pages pages;
static struct result result;
static th__scan scan;
static th_parser *parser;
static th__tree *tree;

static void run_gumbo(size_t page)
{
    GumboOutput *output =
        gumbo_parse_with_options(&kGumboDefaultOptions, pages.data[page].ptr, pages.data[page].len);
    gumbo_destroy_output(&kGumboDefaultOptions, output);
}

static void run_scan(size_t page)
{
    if (!th__scan_text(&scan, pages.data[page], TH__SCAN_DATA, (th_str){0}))
        bench_fail("out of memory");
}

/* Tokens and tree where they are made: no decoding, and no copy into a page of its own. */
static void run_tree(size_t page)
{
    static th_page made;
    static size_t room;
    run_scan(page);
    if (room < scan.start_tags + 1) {
        room = scan.start_tags + 1;
        made.nodes = realloc(made.nodes, room * sizeof *made.nodes);
        made.tags = realloc(made.tags, room * sizeof *made.tags);
    }
    made.text = pages.data[page];
    made.tokens = scan.tokens;
    made.token_count = scan.count - 1;
    if (!made.nodes || !made.tags || !th__tree_build(tree, &made, scan.other_tags))
        bench_fail("out of memory");
}

static void run_parse(size_t page)
{
    th_error err;
    th_page *made;
    if (th_parser_parse(parser, pages.data[page], NULL, &made, &err))
        bench_fail(err.message);
    th_page_free(made);
}

/* Sizes, not timed. */
static void count(void)
{
    th_error err;
    for (size_t i = 0; i < pages.count; i++) {
        th_page *page;
        if (th_parser_parse(parser, pages.data[i], NULL, &page, &err))
            bench_fail(err.message);
        result.memory += th_page_memory(page);
        result.memory_share += (double)th_page_memory(page) / (double)pages.data[i].len;
        result.tokens += th_page_token_count(page);
        result.nodes += th_page_node_count(page);
        th_page_free(page);
    }
}

static void measure(const char *folder)
{
    pages = (struct bench_pages){0};
    bench_load(&pages, folder);
    result = (struct result){.pages = pages.count, .bytes = pages.bytes};
    result.gumbo = bench_best_each(run_gumbo, pages.count, GUMBO_ROUNDS);
    result.scan = bench_best_each(run_scan, pages.count, ROUNDS);
    result.tree = bench_best_each(run_tree, pages.count, ROUNDS);
    result.parse = bench_best_each(run_parse, pages.count, ROUNDS);
    count();
    for (size_t i = 0; i < pages.count; i++)
        free((void *)pages.data[i].ptr);
    free(pages.data);
}

static void print(const char *name, const struct result *r)
{
    double mb = (double)r->bytes / 1e6;
    printf("%s: %zu pages, %.1f MB\n", name, r->pages, mb);
    printf("  %-22s %8s %12s\n", "", "MB/s", "times gumbo");
    printf("  %-22s %8.1f %12.1f\n", "gumbo parse", mb / r->gumbo, 1.0);
    printf("  %-22s %8.1f %12.1f\n", "scan", mb / r->scan, r->gumbo / r->scan);
    printf("  %-22s %8.1f %12.1f\n", "scan + tree", mb / r->tree, r->gumbo / r->tree);
    printf("  %-22s %8.1f %12.1f\n", "page from bytes", mb / r->parse, r->gumbo / r->parse);
    printf("  %.1f bytes a token, %.1f a node; %.1f ns a token to scan, %.1f to parse\n",
           (double)r->bytes / (double)r->tokens, (double)r->bytes / (double)r->nodes,
           r->scan * 1e9 / (double)r->tokens, r->parse * 1e9 / (double)r->tokens);
    printf("  page memory %.3f times the bytes (mean of pages %.3f)\n",
           (double)r->memory / (double)r->bytes, r->memory_share / (double)r->pages);
}

static void add(struct result *sum, const struct result *r)
{
    sum->pages += r->pages;
    sum->bytes += r->bytes;
    sum->memory += r->memory;
    sum->tokens += r->tokens;
    sum->nodes += r->nodes;
    sum->memory_share += r->memory_share;
    sum->gumbo += r->gumbo;
    sum->scan += r->scan;
    sum->tree += r->tree;
    sum->parse += r->parse;
}

int main(int argc, char **argv)
{
    struct result together = {0};
    th_error err;
    th_parser_options options;
    th_parser_options_init(&options);
    tree = th__tree_new(options.max_depth);
    if (!tree || th_parser_new(&options, &parser, &err))
        bench_fail("out of memory");
    for (int i = 1; i < argc; i++) {
        measure(argv[i]);
        if (!result.pages)
            continue;
        const char *name = strrchr(argv[i], '/');
        print(name && name[1] ? name + 1 : argv[i], &result);
        add(&together, &result);
    }
    if (!together.pages)
        bench_fail("no pages: give a folder of .htm or .html files");
    print("together", &together);
    th_parser_free(parser);
    th__scan_release(&scan);
    th__tree_free(tree);
    return 0;
}
