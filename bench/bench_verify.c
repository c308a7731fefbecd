/*
 * bench_verify.c: what verification costs, against reading and extracting the same pages.
 *
 * usage: bench_verify [-r ROUNDS] FOLDER...
 *        bench_verify [-r ROUNDS] -s SITES
 *
 * Only the first folder is used. Each folder in it that has pages is a site: a wrapper is learnt
 * from the first of its pages that has a list, with its profile. SITES is a file with a line for
 * each site: the path of its wrapper, which has a profile, and those of its pages, with tabs
 * between (verify_cost.py makes such files for every engine).
 *
 * Each page of the site is one run: parsed and extracted, and then held against the profile. The
 * verdict is made anew for every page, which is the dearest case. The last line is for all pages of
 * a site in one run, with one verdict. Times are the sum over pages, or over sites, of the best of
 * several rounds.
 */
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thresh.h>

#include "bench.h"

static struct bench_pages pages;
static th_wrapper **wrappers; /* by page: that of its site, or NULL when it has none */

/* What is timed. A page: without verification, with its values taken in, and with a verdict. A
 * site: the same without the second. */
enum { EXTRACT, TAKE_IN, VERIFY, SITE_EXTRACT, SITE_VERIFY, STAGES };

static void extract(size_t i, th_page **page, th_records **records)
{
    th_error err;
    th_parser *parser;
    if (th_parser_new(NULL, &parser, &err) ||
        th_parser_parse(parser, pages.data[i], NULL, page, &err) ||
        th_wrapper_extract(wrappers[i], *page, NULL, records, &err))
        bench_fail(err.message);
    th_parser_free(parser);
}

static void verdict_of(th_check *check)
{
    th_error err;
    th_verdict *verdict;
    if (th_check_verdict(check, 0, &verdict, &err))
        bench_fail(err.message);
    th_verdict_free(verdict);
}

/* Pages from `first` to `end`, of one site, as one run. */
static void run(size_t first, size_t end, int stage)
{
    bool checked = stage != EXTRACT && stage != SITE_EXTRACT;
    th_error err;
    th_check *check = NULL;
    if (checked && th_check_new(wrappers[first], false, &check, &err))
        bench_fail(err.message);
    for (size_t i = first; i < end; i++) {
        th_page *page;
        th_records *records;
        extract(i, &page, &records);
        if (checked && th_check_add(check, page, records, &err))
            bench_fail(err.message);
        th_records_free(records);
        th_page_free(page);
    }
    if (checked && stage != TAKE_IN)
        verdict_of(check);
    th_check_free(check);
}

static size_t site_end(size_t first)
{
    size_t end = first + 1;
    while (end < pages.count && pages.folder[end] == pages.folder[first])
        end++;
    return end;
}

/* Learns from a page, with a profile; NULL when the page has no list, or nothing to profile. */
static th_wrapper *learn(th_str html)
{
    th_error err;
    th_parser *parser;
    th_page *page;
    th_corpus *corpus;
    th_wrapper *wrapper = NULL;
    th_records *records = NULL;
    th_learn_options options;
    th_learn_options_init(&options);
    options.engine = "auto";
    options.no_profile = true;
    if (th_parser_new(NULL, &parser, &err) || th_parser_parse(parser, html, NULL, &page, &err) ||
        th_corpus_new(&corpus, &err) || th_corpus_add(corpus, page, NULL, &err) ||
        (th_learn(corpus, &options, &wrapper, NULL, &err) && err.status != TH_ERR_ARGUMENT) ||
        (wrapper && th_wrapper_extract(wrapper, page, NULL, &records, &err)))
        bench_fail(err.message);
    const th_page *const seen = page;
    const th_records *const given = records;
    if (wrapper && th_wrapper_profile(wrapper, &seen, &given, 1, &err)) {
        th_wrapper_free(wrapper);
        wrapper = NULL;
    }
    th_records_free(records);
    th_corpus_free(corpus);
    th_page_free(page);
    th_parser_free(parser);
    return wrapper;
}

static void make_room(void)
{
    wrappers = calloc(pages.count ? pages.count : 1, sizeof *wrappers);
    if (!wrappers)
        bench_fail("out of memory");
}

/* Loads a folder and learns a wrapper for each site in it; gives how many it could. */
static size_t learn_all(const char *folder)
{
    size_t sites = 0;
    bench_load(&pages, folder);
    make_room();
    for (size_t first = 0, end; first < pages.count; first = end) {
        th_wrapper *wrapper = NULL;
        end = site_end(first);
        for (size_t i = first; i < end && !wrapper; i++)
            wrapper = learn(pages.data[i]);
        for (size_t i = first; i < end; i++)
            wrappers[i] = wrapper;
        sites += wrapper != NULL;
    }
    return sites;
}

static th_wrapper *read_wrapper(const char *path)
{
    struct bench_pages file = {0};
    th_wrapper *wrapper;
    th_error err;
    bench_load_file(&file, path);
    if (th_wrapper_read(file.data[0], path, &wrapper, &err))
        bench_fail(err.message);
    return wrapper;
}

/* Loads what a file of sites lists; gives how many they are. */
static size_t load_sites(const char *path)
{
    enum { MOST = 1024 };
    struct bench_pages list = {0};
    static th_wrapper *read[MOST];
    bench_load_file(&list, path);
    char *text = strndup(list.data[0].ptr, list.data[0].len), *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) && pages.folders < MOST;) {
        const char *name = strsep(&line, "\t");
        if (!line)
            continue;
        read[pages.folders] = read_wrapper(name);
        while ((name = strsep(&line, "\t")))
            bench_load_file(&pages, name);
        pages.folders++;
    }
    free(text);
    make_room();
    for (size_t i = 0; i < pages.count; i++)
        wrappers[i] = read[pages.folder[i]];
    return pages.folders;
}

/* One round of a stage: best[i] becomes the least time that page i, or the site that begins with
 * it, took so far. */
static void time_stage(int stage, double *best)
{
    for (size_t i = 0, end; i < pages.count; i = end) {
        end = stage < SITE_EXTRACT ? i + 1 : site_end(i);
        if (!wrappers[i])
            continue;
        double start = bench_processor_time();
        run(i, end, stage);
        double taken = bench_processor_time() - start;
        best[i] = best[i] > 0 && best[i] < taken ? best[i] : taken;
    }
}

/* Stages take turns, so that a machine that slows down for a while slows down all of them; and all
 * pages are run before one is run again. */
static void time_stages(int rounds, double *sums)
{
    double *best = calloc(STAGES * pages.count, sizeof *best);
    if (!best)
        bench_fail("out of memory");
    for (int i = 0; i < rounds * STAGES; i++)
        time_stage(i % STAGES, best + (size_t)(i % STAGES) * pages.count);
    for (size_t stage = 0; stage < STAGES; stage++)
        for (size_t i = 0; i < pages.count; i++)
            sums[stage] += best[stage * pages.count + i];
    free(best);
}

static double percent_more(double with, double without)
{
    return without > 0 ? 100 * (with - without) / without : 0;
}

int main(int argc, char **argv)
{
    int rounds = 9, at = 1;
    double sums[STAGES] = {0};
    if (at + 1 < argc && !strcmp(argv[at], "-r")) {
        rounds = atoi(argv[at + 1]);
        at += 2;
    }
    bool listed = at + 1 < argc && !strcmp(argv[at], "-s");
    size_t sites = listed ? load_sites(argv[at + 1]) : at < argc ? learn_all(argv[at]) : 0;
    if (!pages.count || rounds < 1)
        bench_fail("no pages: give a folder of folders of .htm or .html files, or -s SITES");
    /* Memory that is given back to the system with one page and taken again with the next costs
     * more than what is measured here, and comes and goes with the size of a page. */
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_MMAP_THRESHOLD, INT_MAX);
    time_stages(rounds, sums);
    printf("%zu sites, %zu pages, %.1f MB\n", sites, pages.count, (double)pages.bytes / 1e6);
    printf("parse and extract        %8.1f us a page\n", sums[EXTRACT] / (double)pages.count * 1e6);
    printf("taking values in         %8.1f%% of it\n", percent_more(sums[TAKE_IN], sums[EXTRACT]));
    printf("and a verdict a page     %8.1f%% of it\n", percent_more(sums[VERIFY], sums[EXTRACT]));
    printf("with a verdict a site    %8.1f%%\n",
           percent_more(sums[SITE_VERIFY], sums[SITE_EXTRACT]));
    return 0;
}
