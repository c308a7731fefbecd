/*
 * details_exalg.c: EXALG on folders of pages of one template, with switches, in the form that
 * scorers read.
 *
 * usage: details_exalg [--paper] [--without SWITCH]... [--support SHARE] [--size TOKENS]
 * [--switches] N FOLDER...
 *
 * From the first N pages of each folder a template is learnt (0: from all), and run on the others
 * (on all). Prints a line a page, {"page":, "record":}. --support and --size are the paper's
 * SUPTHRES, as a share of the pages, and SIZETHRES; --switches prints the names of the switches.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thresh.h>

#include "bench.h"
#include "base/mem.h"
#include "base/vec.h"
#include "data/record.h"
#include "engine/papers/exalg/exalg.h"

typedef struct folder {
    TH__VEC(th_input *) inputs;
    TH__VEC(th__corpus_page) pages;
} folder;

static void load(folder *f, th_parser *parser, const char *path)
{
    th_feed *feed;
    th_input *input;
    th_page *page;
    th_error err;
    th_status status;
    if (th_feed_new(&path, 1, NULL, &feed, &err))
        bench_fail(err.message);
    while ((status = th_feed_next(feed, &input, &err)) != TH_DONE) {
        if (status || th_parser_parse(parser, th_input_bytes(input), NULL, &page, &err))
            bench_fail(err.message);
        th__corpus_page one = {.page = page, .source.page = th_input_name(input)};
        if (!th__vec_push(&f->inputs, input) || !th__vec_push(&f->pages, one))
            bench_fail("out of memory");
    }
    th_feed_free(feed);
}

static void release(folder *f)
{
    for (size_t i = 0; i < f->pages.len; i++) {
        th_page_free((th_page *)f->pages.data[i].page);
        th_input_free(f->inputs.data[i]);
    }
    th__vec_release(&f->pages);
    th__vec_release(&f->inputs);
}

static void print_record(const th__corpus_page *page, const th_records *records)
{
    th__buf buf = {0};
    th__json json = {.buf = &buf};
    th__json_begin_object(&json);
    th__json_key(&json, TH_STR("page"));
    th__json_str(&json, page->source.page);
    th__json_key(&json, TH_STR("record"));
    if (th_records_count(records))
        th__value_write(th_records_get(records, 0), false, &json);
    else
        th__json_null(&json);
    th__json_end_object(&json);
    printf("%.*s\n", (int)buf.len, buf.data);
    th__buf_release(&buf);
}

static void run(folder *f, size_t learnt, const th__exalg_options *options)
{
    th__arena arena;
    th__notes notes;
    th_schema *schema = NULL;
    void *rules;
    th_error err;
    size_t first = learnt < f->pages.len ? learnt : 0;
    th__corpus corpus = {.pages = f->pages.data,
                         .count = learnt && learnt < f->pages.len ? learnt : f->pages.len,
                         .notes = &notes};
    th__arena_init(&arena);
    th__notes_init(&notes);
    if (th__exalg_learn(options, &corpus, &arena, &schema, &rules, &err))
        bench_fail(err.message);
    for (size_t i = first; i < f->pages.len; i++) {
        th_records *records;
        if (th__exalg_engine.run(rules, schema, f->pages.data[i].page, &f->pages.data[i].source,
                                 &records, &err))
            bench_fail(err.message);
        print_record(&f->pages.data[i], records);
        th_records_free(records);
    }
    th_schema_free(schema);
    th__notes_release(&notes);
    th__arena_release(&arena);
}

int main(int argc, char **argv)
{
    th__exalg_options options;
    th_parser *parser;
    th_error err;
    th__exalg_options_init(&options);
    int i = 1;
    for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
        bool more = i + 1 < argc;
        if (!strcmp(argv[i], "--paper"))
            th__exalg_options_paper(&options);
        else if (!strcmp(argv[i], "--support") && more)
            options.support = atof(argv[++i]);
        else if (!strcmp(argv[i], "--size") && more)
            options.size_threshold = (uint32_t)atoi(argv[++i]);
        else if (!strcmp(argv[i], "--switches"))
            for (size_t k = 0; k < th__exalg_switch_count; k++)
                puts(th__exalg_switches[k].name);
        else if (strcmp(argv[i], "--without") || !more ||
                 !th__exalg_options_set(&options, th_str_from(argv[++i]), false))
            bench_fail("no such option or switch; see the head of details_exalg.c");
    }
    if (th_parser_new(NULL, &parser, &err))
        bench_fail(err.message);
    size_t learnt = i < argc ? (size_t)atol(argv[i++]) : 0;
    for (; i < argc; i++) {
        folder f = {0};
        load(&f, parser, argv[i]);
        if (f.pages.len)
            run(&f, learnt, &options);
        release(&f);
    }
    th_parser_free(parser);
    return 0;
}
