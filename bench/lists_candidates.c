/*
 * lists_candidates.c: all that may be lists on real pages, with the evidence that ranks them.
 *
 * usage: lists_candidates [--evidence FILE] [--model FILE] [--most N] INPUT...
 *
 * Prints a line per page in the form that scorers read, as `thresh regions -f pages` does. With
 * --evidence it prints every candidate, unranked, and writes a line per page to FILE:
 * {"page":, "names": [...], "evidence": [[number, ...], ...]}, in the same order. With --model the
 * candidates are ranked by the numbers in FILE instead of the built-in ones: bench/fit_lists.py
 * writes such files for folds of sites that were held out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thresh.h>

#include "bench.h"
#include "base/arena.h"
#include "engine/lists/lists_model.h"
#include "wrapper/fields.h"

#define NAME(name) #name,
static const char *const names[] = {TH__LISTS_EVIDENCE(NAME)};

static FILE *evidence_file;
static uint32_t most = TH__LISTS_SHOWN;
static const th__lists_evidence *weights; /* NULL: the built-in ones */

/* Reads weights, a line "NAME NUMBER" each. */
static void read_model(const char *path)
{
    static float numbers[TH__LISTS_FEATURES];
    static th__lists_evidence model;
    FILE *file = fopen(path, "r");
    char name[64];
    float number;
    if (!file)
        bench_fail("cannot read the model");
    while (fscanf(file, "%63s %f", name, &number) == 2)
        for (size_t i = 0; i < TH__LISTS_FEATURES; i++)
            if (!strcmp(name, names[i]))
                numbers[i] = number;
    fclose(file);
    memcpy(&model, numbers, sizeof model);
    weights = &model;
}

static void write_evidence(th_str page, const th__lists_evidence *evidence, uint32_t count)
{
    fprintf(evidence_file, "{\"page\": \"%.*s\", \"names\": [", (int)page.len, page.ptr);
    for (size_t i = 0; i < TH__LISTS_FEATURES; i++)
        fprintf(evidence_file, "%s\"%s\"", i ? ", " : "", names[i]);
    fprintf(evidence_file, "], \"evidence\": [");
    for (uint32_t i = 0; i < count; i++) {
        const float *row = (const float *)&evidence[i];
        for (size_t k = 0; k < TH__LISTS_FEATURES; k++)
            fprintf(evidence_file, "%s%.6g", k ? ", " : i ? "], [" : "[", (double)row[k]);
    }
    fprintf(evidence_file, "%s]}\n", count ? "]" : "");
}

static void run(const th_page *page, const th_input *input, th_writer *writer)
{
    th__arena arena;
    th__view view;
    th__lists_region *regions;
    uint32_t count;
    size_t kept = 0;
    th_error err;
    th_records_source source = {.page = th_input_name(input), .url = page->url};
    th__arena_init(&arena);
    if (!th__view_make(&arena, page, &view) ||
        !th__lists_candidates_find(&arena, &view, &regions, &count))
        bench_fail("out of memory");
    th__lists_evidence *evidence = th__arena_zero(&arena, count + 1, sizeof *evidence);
    th_region *out = th__arena_zero(&arena, count + 1, sizeof *out);
    if (!evidence || !out || !th__lists_score(&view, weights, regions, count, evidence))
        bench_fail("out of memory");
    if (!evidence_file)
        th__lists_regions_rank(regions, most, &count);
    for (uint32_t i = 0; i < count; i++) {
        th_records *records;
        if (th__list_records(&view, &regions[i].list, true, &source, &records, &err))
            bench_fail(err.message);
        if (records) {
            evidence[kept] = evidence[i];
            out[kept++] =
                (th_region){.engine = "lists", .score = regions[i].score, .records = records};
        }
    }
    if (evidence_file)
        write_evidence(th_input_name(input), evidence, (uint32_t)kept);
    if (th_writer_add_regions(writer, th_input_name(input), out, kept, &err))
        bench_fail(err.message);
    for (size_t i = 0; i < kept; i++)
        th_records_free((th_records *)out[i].records);
    th__arena_release(&arena);
}

static th_status to_stdout(void *context, const char *bytes, size_t len, th_error *err)
{
    return fwrite(bytes, 1, len, stdout) == len ? TH_OK : TH_ERR_IO;
}

int main(int argc, char **argv)
{
    int i = 1;
    for (; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2) {
        if (!strcmp(argv[i], "--evidence"))
            evidence_file = fopen(argv[i + 1], "w");
        else if (!strcmp(argv[i], "--model"))
            read_model(argv[i + 1]);
        else if (!strcmp(argv[i], "--most"))
            most = (uint32_t)atoi(argv[i + 1]);
        else
            bench_fail("no such option; see the head of lists_candidates.c");
    }
    th_feed *feed;
    th_parser *parser;
    th_input *input;
    th_writer *writer;
    th_writer_options options;
    th_error err;
    th_writer_options_init(&options);
    options.sink = (th_sink){to_stdout, NULL};
    if (th_feed_new((const char *const *)argv + i, (size_t)(argc - i), NULL, &feed, &err) ||
        th_parser_new(NULL, &parser, &err) ||
        th_writer_new(TH_FORMAT_PAGES, &options, &writer, &err))
        bench_fail(err.message);
    th_status status;
    while ((status = th_feed_next(feed, &input, &err)) != TH_DONE) {
        th_page *page;
        if (status || th_parser_parse(parser, th_input_bytes(input), NULL, &page, &err))
            bench_fail(err.message);
        run(page, input, writer);
        th_page_free(page);
        th_input_free(input);
    }
    if (th_writer_finish(writer, &err))
        bench_fail(err.message);
    th_writer_free(writer);
    th_parser_free(parser);
    th_feed_free(feed);
    return evidence_file && fclose(evidence_file);
}
