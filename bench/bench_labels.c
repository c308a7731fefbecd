/*
 * bench_labels.c: how fast engines learn from labels and run, against gumbo's parse of the same
 * pages.
 *
 * usage: bench_labels FOLDER [ENGINE]...
 *
 * FOLDER holds labels.jsonl or truth.jsonl, labels with the names of pages below it; pages of one
 * folder are one site. For each engine (stalker, softmealy, and "front": none named) a wrapper is
 * learnt from the first five pages of a site and run on all of them. Learning is timed from parsed
 * pages to the wrapper, with labels located and places settled; running from bytes to records.
 * Figures are ratios of processor times in this run, the sum over sites of the best of several
 * rounds.
 */
#include <gumbo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <thresh.h>

#include "bench.h"

enum { LEARNT_FROM = 5, ROUNDS = 5, GUMBO_ROUNDS = 2 };

struct file {
    char *name; /* as in the labels */
    th_str bytes;
    th_page *page; /* of those learnt from */
};

struct site {
    size_t first, count; /* of files */
    th_str lines;        /* its part of the labels' file */
    th_labels *labels;
    th_wrapper *wrapper;
};

static struct file *files;
static size_t file_count;
static struct site *sites;
static size_t site_count;
static th_parser *parser;
static const char *engine; /* NULL: the front */

/* ---- pages and labels ---- */

static size_t folder_len(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash - name) : 0;
}

/* The site that a file belongs to: the one before it, or a new one. */
static struct site *site_of(size_t i)
{
    struct site *last = site_count ? &sites[site_count - 1] : NULL;
    size_t len = folder_len(files[i].name);
    if (last && folder_len(files[last->first].name) == len &&
        !memcmp(files[last->first].name, files[i].name, len))
        return last;
    sites[site_count].first = i;
    return &sites[site_count++];
}

/* The line at `at`, with its end. */
static th_str line_at(th_str text, size_t at)
{
    const char *end = memchr(text.ptr + at, '\n', text.len - at);
    return (th_str){text.ptr + at, end ? (size_t)(end - text.ptr) + 1 - at : text.len - at};
}

/* One line a page, and none is blank. */
static void load_all(const char *folder, const char *truth)
{
    th_error err;
    char path[4096];
    th_str text = bench_read(truth);
    th_labels *labels;
    if (th_labels_read(text, truth, &labels, &err))
        bench_fail(err.message);
    file_count = th_labels_count(labels);
    files = calloc(file_count + 1, sizeof *files);
    sites = calloc(file_count + 1, sizeof *sites);
    for (size_t i = 0, at = 0; i < file_count; i++) {
        th_str page = th_labels_page(labels, i), line = line_at(text, at);
        files[i].name = strndup(page.ptr, page.len);
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        files[i].bytes = bench_read(path);
        struct site *site = site_of(i);
        if (!site->count)
            site->lines.ptr = line.ptr;
        site->lines.len += line.len;
        at += line.len;
        if (site->count++ < LEARNT_FROM &&
            th_parser_parse(parser, files[i].bytes, NULL, &files[i].page, &err))
            bench_fail(err.message);
    }
    th_labels_free(labels);
    for (size_t s = 0; s < site_count; s++)
        if (th_labels_read(sites[s].lines, truth, &sites[s].labels, &err))
            bench_fail(err.message);
}

/* ---- stages, by site ---- */

static size_t learnt_from(const struct site *site)
{
    return site->count < LEARNT_FROM ? site->count : LEARNT_FROM;
}

static void gumbo_some(size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        th_str bytes = files[i].bytes;
        GumboOutput *output = gumbo_parse_with_options(&kGumboDefaultOptions, bytes.ptr, bytes.len);
        gumbo_destroy_output(&kGumboDefaultOptions, output);
    }
}

static void gumbo_learnt(size_t s)
{
    gumbo_some(sites[s].first, learnt_from(&sites[s]));
}

static void gumbo_site(size_t s)
{
    gumbo_some(sites[s].first, sites[s].count);
}

static void learn_site(size_t s)
{
    th_error err;
    th_corpus *corpus;
    struct site *site = &sites[s];
    th_learn_options options;
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = engine;
    th_wrapper_free(site->wrapper);
    site->wrapper = NULL;
    if (th_corpus_new(&corpus, &err))
        bench_fail(err.message);
    th_corpus_set_labels(corpus, site->labels);
    bool usable = true;
    for (size_t i = 0; i < learnt_from(site) && usable; i++) {
        th_records_source source = {.page = th_str_from(files[site->first + i].name)};
        usable = !th_corpus_add(corpus, files[site->first + i].page, &source, &err);
    }
    if (!usable || th_learn(corpus, &options, &site->wrapper, NULL, &err))
        site->wrapper = NULL;
    th_corpus_free(corpus);
}

static void extract_site(size_t s)
{
    th_error err;
    for (size_t i = 0; i < sites[s].count; i++) {
        th_page *page;
        th_records *records = NULL;
        if (th_parser_parse(parser, files[sites[s].first + i].bytes, NULL, &page, &err) ||
            (sites[s].wrapper && th_wrapper_extract(sites[s].wrapper, page, NULL, &records, &err)))
            bench_fail(err.message);
        th_records_free(records);
        th_page_free(page);
    }
}

/* ---- figures ---- */

static void measure(const char *name, double gumbo_few, double gumbo_all, double mb)
{
    size_t learnt = 0;
    engine = strcmp(name, "front") ? name : NULL;
    double learning = bench_best_each(learn_site, site_count, 3);
    double running = bench_best_each(extract_site, site_count, ROUNDS);
    for (size_t s = 0; s < site_count; s++)
        learnt += sites[s].wrapper != NULL;
    printf("  %-12s %8zu %26.2f %22.1f %8.0f\n", name, learnt, learning / gumbo_few,
           gumbo_all / running, mb / running);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {"stalker", "softmealy", "front"};
    char truth[4096];
    th_error err;
    size_t bytes = 0;
    if (argc < 2)
        bench_fail("usage: bench_labels FOLDER [ENGINE]...");
    snprintf(truth, sizeof truth, "%s/labels.jsonl", argv[1]);
    if (access(truth, R_OK))
        snprintf(truth, sizeof truth, "%s/truth.jsonl", argv[1]);
    if (access(truth, R_OK)) {
        printf("  %s has neither labels.jsonl nor truth.jsonl: there is nothing to learn from\n",
               argv[1]);
        return 0;
    }
    if (th_parser_new(NULL, &parser, &err))
        bench_fail(err.message);
    load_all(argv[1], truth);
    for (size_t i = 0; i < file_count; i++)
        bytes += files[i].bytes.len;
    double mb = (double)bytes / 1e6;
    double few = bench_best_each(gumbo_learnt, site_count, GUMBO_ROUNDS + 1);
    double all = bench_best_each(gumbo_site, site_count, GUMBO_ROUNDS);
    printf("%zu sites, %zu pages, %.1f MB; learnt from %d pages a site\n", site_count, file_count,
           mb, LEARNT_FROM);
    printf("  %-12s %8s %26s %22s %8s\n", "engine", "sites", "learn: part of gumbo's",
           "extract: times gumbo", "MB/s");
    const char *const *names = argc > 2 ? (const char *const *)argv + 2 : usual;
    size_t count = argc > 2 ? (size_t)argc - 2 : sizeof usual / sizeof *usual;
    for (size_t i = 0; i < count; i++)
        measure(names[i], few, all, mb);
    return 0;
}
