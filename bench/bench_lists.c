/*
 * bench_lists.c: how fast the lists of pages are found and written, against gumbo's parse, and what
 * memory that takes.
 *
 * usage: bench_lists FOLDER...
 *
 * Each stage begins with the bytes of the pages and ends with the records as text: parsing,
 * finding, aligning, naming and writing are all in it. Only the first folder is used: the list
 * pages. Memory is the most heap in use at once, for each page by itself, the page's own bytes not
 * counted: the sum over all pages for each of their bytes, and the page that is worst.
 */
#include <gumbo.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "bench_memory.h"

static struct bench_pages pages;

static void gumbo_page(size_t i)
{
    GumboOutput *output =
        gumbo_parse_with_options(&kGumboDefaultOptions, pages.data[i].ptr, pages.data[i].len);
    gumbo_destroy_output(&kGumboDefaultOptions, output);
}

static th_status count_bytes(void *context, const char *bytes, size_t len, th_error *err)
{
    *(size_t *)context += len;
    return TH_OK;
}

/* Finds at most `most` lists on a page by an engine and writes them. */
static void lists_of_page(size_t i, const char *engine, uint32_t most)
{
    size_t written = 0;
    th_parser *parser;
    th_writer *writer;
    th_page *page;
    th_regions *regions;
    th_writer_options writing;
    th_regions_options finding;
    th_error err;
    th_writer_options_init(&writing);
    th_regions_options_init(&finding);
    writing.sink = (th_sink){count_bytes, &written};
    finding.most = most;
    finding.engine = engine;
    if (th_parser_new(NULL, &parser, &err) ||
        th_writer_new(TH_FORMAT_PAGES, &writing, &writer, &err) ||
        th_parser_parse(parser, pages.data[i], NULL, &page, &err) ||
        th_regions_find(page, NULL, &finding, &regions, &err))
        bench_fail(err.message);
    size_t count = th_regions_count(regions);
    if (th_writer_add_regions(writer, th_str_from("page"),
                              count ? th_regions_get(regions, 0) : NULL, count, &err) ||
        th_writer_finish(writer, &err))
        bench_fail(err.message);
    th_regions_free(regions);
    th_page_free(page);
    th_writer_free(writer);
    th_parser_free(parser);
}

static void best_list(size_t i)
{
    lists_of_page(i, "auto", 1);
}

static void all_lists(size_t i)
{
    lists_of_page(i, "auto", 10);
}

static void all_by_mdr(size_t i)
{
    lists_of_page(i, "mdr", 10);
}

static void all_by_iepad(size_t i)
{
    lists_of_page(i, "iepad", 10);
}

int main(int argc, char **argv)
{
    static const struct stage {
        const char *name;
        void (*run)(size_t page);
        int rounds;
    } stages[] = {
        {"gumbo parse", gumbo_page, 2},        {"records of the best list", best_list, 5},
        {"all lists", all_lists, 5},           {"all lists, mdr", all_by_mdr, 3},
        {"all lists, iepad", all_by_iepad, 3},
    };
    if (argc < 2)
        bench_fail("no pages: give a folder of .htm or .html files");
    bench_load(&pages, argv[1]);
    double mb = (double)pages.bytes / 1e6, gumbo = 0;
    const char *name = strrchr(argv[1], '/');
    printf("%s: %zu pages, %.1f MB\n", name ? name + 1 : argv[1], pages.count, mb);
    printf("  %-26s %8s %12s %16s %16s\n", "", "MB/s", "times gumbo", "memory/byte",
           "of the worst");
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        double seconds = bench_best_each(stages[i].run, pages.count, stages[i].rounds);
        struct bench_memory memory = bench_memory_each(stages[i].run, &pages);
        gumbo = i ? gumbo : seconds;
        printf("  %-26s %8.1f %12.1f %16.2f %16.2f\n", stages[i].name, mb / seconds,
               gumbo / seconds, memory.per_byte, memory.worst);
        fflush(stdout);
    }
    return 0;
}
