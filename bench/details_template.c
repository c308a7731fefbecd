/*
 * details_template.c: folders of pages of one template, in the form that scorers read.
 *
 * usage: details_template [--engine template|exalg] [--support SHARE] [--size TOKENS] N FOLDER...
 *
 * From the first N pages of each folder a template is learnt (0: from all), and run on the others
 * (on all). Prints a line a page, {"page":, "record":}. --support and --size are SUPTHRES of
 * EXALG's paper, as a share of the pages, and SIZETHRES.
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
#include "engine/template/template_roles.h"

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

static void run(folder *f, size_t learnt, const th__engine *engine, const th_learn_options *options)
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
    if (engine->learn_corpus(options, &corpus, &arena, &schema, &rules, &err))
        bench_fail(err.message);
    for (size_t i = first; i < f->pages.len; i++) {
        th_records *records;
        if (engine->run(rules, schema, f->pages.data[i].page, &f->pages.data[i].source, &records,
                        &err))
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
    th_learn_options options;
    const th__engine *engine = &th__template_engine;
    th_parser *parser;
    th_error err;
    th_learn_options_init(&options);
    int i = 1;
    for (; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2) {
        if (!strcmp(argv[i], "--engine") && !strcmp(argv[i + 1], "exalg"))
            engine = &th__exalg_engine;
        else if (!strcmp(argv[i], "--support"))
            options.paper.support_threshold = atof(argv[i + 1]);
        else if (!strcmp(argv[i], "--size"))
            options.paper.size_threshold = (uint32_t)atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--engine") || strcmp(argv[i + 1], "template"))
            bench_fail("no such option or engine; see the head of details_template.c");
    }
    if (th_parser_new(NULL, &parser, &err))
        bench_fail(err.message);
    size_t learnt = i < argc ? (size_t)atol(argv[i++]) : 0;
    for (; i < argc; i++) {
        folder f = {0};
        load(&f, parser, argv[i]);
        if (f.pages.len)
            run(&f, learnt, engine, &options);
        release(&f);
    }
    th_parser_free(parser);
    return 0;
}
