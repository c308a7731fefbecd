/*
 * bench_verify.c: what verification costs, against reading and extracting the same pages.
 *
 * usage: bench_verify FOLDER...
 *
 * Only the first folder is used. Each folder in it that has pages is a site: a wrapper is learnt
 * from the first of its pages that has a list, with its profile, and each page of the site is one
 * run: parsed and extracted, and then held against the profile. The verdict is made anew for every
 * page, which is the dearest case: a run of many pages has one for all of them. Times are the sum
 * over pages of the best of several rounds.
 */
#include <stdio.h>
#include <stdlib.h>

#include <thresh.h>

#include "bench.h"

static struct bench_pages pages;
static th_wrapper **wrappers; /* by page: that of its site, or NULL when it has none */
static enum { EXTRACT, TAKE_IN, VERIFY } stage;

static void verify(const th_wrapper *wrapper, const th_page *page, const th_records *records)
{
    th_error err;
    th_check *check;
    th_verdict *verdict = NULL;
    if (th_check_new(wrapper, false, &check, &err) || th_check_add(check, page, records, &err) ||
        (stage == VERIFY && th_check_verdict(check, 0, &verdict, &err)))
        bench_fail(err.message);
    th_verdict_free(verdict);
    th_check_free(check);
}

static void run_page(size_t i)
{
    th_error err;
    th_parser *parser;
    th_page *page;
    th_records *records;
    if (!wrappers[i])
        return;
    if (th_parser_new(NULL, &parser, &err) ||
        th_parser_parse(parser, pages.data[i], NULL, &page, &err) ||
        th_wrapper_extract(wrappers[i], page, NULL, &records, &err))
        bench_fail(err.message);
    if (stage != EXTRACT)
        verify(wrappers[i], page, records);
    th_records_free(records);
    th_page_free(page);
    th_parser_free(parser);
}

/* Learns from a page, with a profile; NULL when the page has no list, or nothing to profile. */
static th_wrapper *learn(th_str html)
{
    th_error err;
    th_parser *parser;
    th_page *page;
    th_learner *learner;
    th_wrapper *wrapper = NULL;
    th_records *records = NULL;
    size_t count;
    if (th_parser_new(NULL, &parser, &err) || th_parser_parse(parser, html, NULL, &page, &err) ||
        th_learner_new(NULL, &learner, &err) || th_learner_add(learner, page, NULL, &count, &err) ||
        (count && th_learner_finish(learner, &wrapper, &err)) ||
        (wrapper && th_wrapper_extract(wrapper, page, NULL, &records, &err)))
        bench_fail(err.message);
    const th_page *const seen = page;
    const th_records *const given = records;
    if (wrapper && th_wrapper_profile(wrapper, &seen, &given, 1, &err)) {
        th_wrapper_free(wrapper);
        wrapper = NULL;
    }
    th_records_free(records);
    th_learner_free(learner);
    th_page_free(page);
    th_parser_free(parser);
    return wrapper;
}

static size_t learn_all(void)
{
    size_t sites = 0;
    for (size_t first = 0, end; first < pages.count; first = end) {
        th_wrapper *wrapper = NULL;
        for (end = first + 1; end < pages.count && pages.folder[end] == pages.folder[first];)
            end++;
        for (size_t i = first; i < end && !wrapper; i++)
            wrapper = learn(pages.data[i]);
        for (size_t i = first; i < end; i++)
            wrappers[i] = wrapper;
        sites += wrapper != NULL;
    }
    return sites;
}

static double time_of(int which, int rounds)
{
    stage = which;
    return bench_best_each(run_page, pages.count, rounds);
}

int main(int argc, char **argv)
{
    enum { ROUNDS = 9 };
    if (argc > 1)
        bench_load(&pages, argv[1]);
    if (!pages.count)
        bench_fail("no pages: give a folder of folders of .htm or .html files");
    wrappers = calloc(pages.count, sizeof *wrappers);
    if (!wrappers)
        bench_fail("out of memory");
    size_t sites = learn_all();
    double extract = time_of(EXTRACT, ROUNDS), take_in = time_of(TAKE_IN, ROUNDS);
    double verify = time_of(VERIFY, ROUNDS);
    printf("%zu sites, %zu pages, %.1f MB\n", sites, pages.count, (double)pages.bytes / 1e6);
    printf("parse and extract        %8.1f us a page\n", extract / (double)pages.count * 1e6);
    printf("taking values in         %8.1f%% of it\n", 100 * (take_in - extract) / extract);
    printf("and a verdict a page     %8.1f%% of it\n", 100 * (verify - extract) / extract);
    return 0;
}
