/*
 * bench_stalker.c: how fast engines learn from labels and run, against gumbo's parse of the same
 * pages.
 *
 * usage: bench_stalker LABELS.jsonl ENGINE
 *
 * LABELS names pages relative to the folder it is in, by site: pages of one folder are one site
 * (the truth of a set of detail pages will do). A wrapper is learnt from the first five pages of a
 * site and run on all of them. Learning is timed from parsed pages to the wrapper, with labels
 * located and places settled. Figures are ratios of times in this run.
 */
#include <gumbo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thresh.h>

#include "bench.h"

enum { LEARNT_FROM = 5 };

struct file {
    char *name; /* as in the labels */
    th_str bytes;
    th_page *page; /* of those learnt from */
};

struct site {
    size_t first, count; /* of files */
    th_wrapper *wrapper;
};

static struct file *files;
static size_t file_count;
static struct site *sites;
static size_t site_count;
static th_labels *labels;
static th_parser *parser;
static const char *engine;
static bool extracting;
static size_t found;

static th_str load(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        bench_fail(path);
    fseek(file, 0, SEEK_END);
    size_t len = (size_t)ftell(file);
    char *bytes = malloc(len + 1);
    rewind(file);
    if (!bytes || fread(bytes, 1, len, file) != len)
        bench_fail(path);
    fclose(file);
    return (th_str){bytes, len};
}

static size_t folder_len(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash - name) : 0;
}

static void load_all(const char *path)
{
    th_error err;
    char full[4096];
    th_str text = load(path);
    if (th_labels_read(text, path, &labels, &err))
        bench_fail(err.message);
    file_count = th_labels_count(labels);
    files = calloc(file_count + 1, sizeof *files);
    sites = calloc(file_count + 1, sizeof *sites);
    for (size_t i = 0; i < file_count; i++) {
        th_str page = th_labels_page(labels, i);
        struct file *file = &files[i];
        file->name = strndup(page.ptr, page.len);
        snprintf(full, sizeof full, "%.*s/%s", (int)folder_len(path), path, file->name);
        file->bytes = load(full);
        struct site *site = site_count ? &sites[site_count - 1] : NULL;
        size_t len = folder_len(file->name);
        if (!site || folder_len(files[site->first].name) != len ||
            memcmp(files[site->first].name, file->name, len)) {
            site = &sites[site_count++];
            site->first = i;
        }
        if (site->count++ < LEARNT_FROM && th_parser_parse(parser, file->bytes, NULL, &file->page, &err))
            bench_fail(err.message);
    }
}

static size_t learnt_from(const struct site *site)
{
    return site->count < LEARNT_FROM ? site->count : LEARNT_FROM;
}

static void parse_by_gumbo(th_str bytes)
{
    GumboOutput *output = gumbo_parse_with_options(&kGumboDefaultOptions, bytes.ptr, bytes.len);
    gumbo_destroy_output(&kGumboDefaultOptions, output);
}

static void gumbo_learnt(void)
{
    for (size_t s = 0; s < site_count; s++)
        for (size_t i = 0; i < learnt_from(&sites[s]); i++)
            parse_by_gumbo(files[sites[s].first + i].bytes);
}

static void gumbo_all(void)
{
    for (size_t i = 0; i < file_count; i++)
        parse_by_gumbo(files[i].bytes);
}

static void learn_all(void)
{
    th_error err;
    th_learn_options options;
    th_learn_options_init(&options);
    options.engine = engine;
    options.labels = labels;
    for (size_t s = 0; s < site_count; s++) {
        th_learner *learner;
        struct site *site = &sites[s];
        th_wrapper_free(site->wrapper);
        site->wrapper = NULL;
        if (th_learner_new(&options, &learner, &err))
            bench_fail(err.message);
        bool usable = true;
        for (size_t i = 0; i < learnt_from(site) && usable; i++) {
            th_records_source source = {.page = th_str_from(files[site->first + i].name)};
            usable = !th_learner_add(learner, files[site->first + i].page, &source, NULL, &err);
        }
        if (!usable || th_learner_finish(learner, &site->wrapper, &err))
            fprintf(stderr, "%s: %s\n", files[site->first].name, err.message);
        th_learner_free(learner);
    }
}

static void run_all(void)
{
    th_error err;
    found = 0;
    for (size_t s = 0; s < site_count; s++)
        for (size_t i = 0; i < sites[s].count; i++) {
            th_page *page;
            th_records *records = NULL;
            if (th_parser_parse(parser, files[sites[s].first + i].bytes, NULL, &page, &err) ||
                (extracting && sites[s].wrapper &&
                 th_wrapper_extract(sites[s].wrapper, page, NULL, &records, &err)))
                bench_fail(err.message);
            found += records ? th_records_count(records) : 0;
            th_records_free(records);
            th_page_free(page);
        }
}

int main(int argc, char **argv)
{
    th_error err;
    size_t bytes = 0, learnt = 0;
    if (argc != 3)
        bench_fail("usage: bench_stalker LABELS.jsonl ENGINE");
    engine = argv[2];
    if (th_parser_new(NULL, &parser, &err))
        bench_fail(err.message);
    load_all(argv[1]);
    for (size_t i = 0; i < file_count; i++) {
        bytes += files[i].bytes.len;
        learnt += files[i].page ? files[i].bytes.len : 0;
    }
    double few = bench_best(gumbo_learnt, 3), learning = bench_best(learn_all, 3);
    double all = bench_best(gumbo_all, 1), parsing = bench_best(run_all, 5);
    extracting = true;
    double running = bench_best(run_all, 5);
    printf("engine %s: %zu sites, %zu pages, %.1f MB; %zu records\n", engine, site_count, file_count,
           (double)bytes / 1e6, found);
    printf("learn from %d labelled pages: %.2f times gumbo's parse of them (%.0f KB a page)\n",
           LEARNT_FROM, learning / few,
           (double)learnt / 1e3 / (double)(site_count * LEARNT_FROM));
    printf("parse: %.1f times gumbo's rate; parse and extract: %.1f times (%.0f MB/s)\n",
           all / parsing, all / running, (double)bytes / 1e6 / running);
    return 0;
}
