/*
 * bench_labels.c: how long learning from labels takes and how fast what was learnt runs, against
 * gumbo's parse of the same pages.
 *
 * usage: bench_labels ENGINE K LABELS FOLDER
 *
 * LABELS has a line for each page below FOLDER; the pages of one folder are a site. A wrapper is
 * learnt from the first K pages of each site and run on all of them. A stage is timed over all
 * pages, in seconds of the processor, and the best of several rounds counts. Learning is timed with
 * its pages already parsed, and includes finding the labels on them.
 */
#include <gumbo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thresh.h>

#include "bench.h"

struct site {
    char folder[512];
    th_labels *labels;
    char *text; /* their lines */
    size_t len;
    th_str pages[64];
    char *names[64];
    th_page *parsed[64]; /* of those that are learnt from */
    size_t count, learnt, bytes, learnt_bytes;
    th_wrapper *wrapper;
};

static struct site *sites;
static size_t site_count, learn_count;
static const char *engine;
static th_parser *parser;
static size_t records_found;

/* The site of a page: a line is {"page": "folder/name", ...}. */
static struct site *site_of(const char *name, size_t len)
{
    size_t folder = len;
    while (folder && name[folder - 1] != '/')
        folder--;
    for (size_t i = 0; i < site_count; i++)
        if (strlen(sites[i].folder) == folder && !memcmp(sites[i].folder, name, folder))
            return &sites[i];
    sites = realloc(sites, (site_count + 1) * sizeof *sites);
    if (!sites || folder >= sizeof sites->folder)
        bench_fail("out of memory");
    sites[site_count] = (struct site){0};
    memcpy(sites[site_count].folder, name, folder);
    return &sites[site_count++];
}

static void add_line(const char *root, const char *line, size_t len)
{
    const char *key = strstr(line, "\"page\"");
    const char *name = key ? strchr(key + 6, '"') : NULL;
    const char *end = name ? strchr(name + 1, '"') : NULL;
    char path[4096];
    if (!end || end > line + len)
        return;
    name++;
    struct site *site = site_of(name, (size_t)(end - name));
    if (site->count == sizeof site->pages / sizeof *site->pages)
        return;
    snprintf(path, sizeof path, "%s/%.*s", root, (int)(end - name), name);
    th_str *page = &site->pages[site->count];
    *page = bench_read(path);
    site->names[site->count] = strndup(name, (size_t)(end - name));
    site->bytes += page->len;
    if (site->count++ >= learn_count)
        return;
    site->learnt++;
    site->learnt_bytes += page->len;
    site->text = realloc(site->text, site->len + len + 2);
    memcpy(site->text + site->len, line, len);
    site->len += len;
    site->text[site->len++] = '\n';
}

static void gumbo_one(th_str page)
{
    GumboOutput *output = gumbo_parse_with_options(&kGumboDefaultOptions, page.ptr, page.len);
    gumbo_destroy_output(&kGumboDefaultOptions, output);
}

static void gumbo_site(size_t s)
{
    for (size_t i = 0; i < sites[s].count; i++)
        gumbo_one(sites[s].pages[i]);
}

static void gumbo_learnt(size_t s)
{
    for (size_t i = 0; i < sites[s].learnt; i++)
        gumbo_one(sites[s].pages[i]);
}

static void learn_site(size_t s)
{
    struct site *site = &sites[s];
    th_learner *learner;
    th_error err;
    th_learn_options options;
    th_learn_options_init(&options);
    options.engine = engine;
    options.labels = site->labels;
    th_wrapper_free(site->wrapper);
    site->wrapper = NULL;
    if (th_learner_new(&options, &learner, &err))
        bench_fail(err.message);
    for (size_t i = 0; i < site->learnt; i++) {
        th_records_source source = {th_str_from(site->names[i]), {0}};
        if (th_learner_add(learner, site->parsed[i], &source, NULL, &err))
            bench_fail(err.message);
    }
    if (th_learner_finish(learner, &site->wrapper, &err))
        fprintf(stderr, "%s: %s\n", site->folder, err.message);
    th_learner_free(learner);
}

static void extract_site(size_t s)
{
    for (size_t i = 0; sites[s].wrapper && i < sites[s].count; i++) {
        th_page *page;
        th_records *records = NULL;
        th_error err;
        if (th_parser_parse(parser, sites[s].pages[i], NULL, &page, &err) ||
            th_wrapper_extract(sites[s].wrapper, page, NULL, &records, &err))
            bench_fail(err.message);
        records_found += th_records_count(records);
        th_records_free(records);
        th_page_free(page);
    }
}

int main(int argc, char **argv)
{
    size_t pages = 0, bytes = 0, learnt_bytes = 0;
    th_error err;
    if (argc != 5)
        bench_fail("usage: bench_labels ENGINE K LABELS FOLDER");
    engine = argv[1];
    learn_count = (size_t)atoi(argv[2]);
    if (th_parser_new(NULL, &parser, &err))
        bench_fail(err.message);
    char *text = (char *)bench_read(argv[3]).ptr; /* ours: lines are cut in it */
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        add_line(argv[4], line, (size_t)(end - line));
    }
    for (size_t s = 0; s < site_count; s++) {
        struct site *site = &sites[s];
        if (th_labels_read((th_str){site->text, site->len}, argv[3], &site->labels, &err))
            bench_fail(err.message);
        for (size_t i = 0; i < site->learnt; i++)
            if (th_parser_parse(parser, site->pages[i], NULL, &site->parsed[i], &err))
                bench_fail(err.message);
        pages += site->count;
        bytes += site->bytes;
        learnt_bytes += site->learnt_bytes;
    }
    double gumbo = bench_best_each(gumbo_site, site_count, 1);
    double gumbo_small = bench_best_each(gumbo_learnt, site_count, 2);
    double learn = bench_best_each(learn_site, site_count, 5);
    double extract = bench_best_each(extract_site, site_count, 5);
    double mb = (double)bytes / 1e6, learnt_mb = (double)learnt_bytes / 1e6;
    printf("%s: %zu sites, %zu pages, %.1f MB; learnt from %.1f MB\n", engine, site_count, pages,
           mb, learnt_mb);
    printf("%-24s %10s %14s\n", "stage", "MB/s", "times gumbo");
    printf("%-24s %10.1f %14.2f\n", "gumbo parse", mb / gumbo, 1.0);
    printf("%-24s %10.1f %14.2f\n", "learn", learnt_mb / learn, gumbo_small / learn);
    printf("%-24s %10.1f %14.2f\n", "parse + extract", mb / extract, gumbo / extract);
    return 0;
}
