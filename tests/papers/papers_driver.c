/*
 * papers_driver.c: the engines of the papers, step by step, for test_references.py.
 *
 *     papers_driver <inputs >answers       a JSON object per line, {"task": NAME, ...}; an answer
 * per line
 *
 * The tasks are the functions below that begin with task_; each says what it reads and writes. A
 * line that the driver does not understand ends it with a message.
 */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "base/vec.h"
#include "check/check.h"
#include "data/schema.h"
#include "engine/papers/exalg/exalg.h"
#include "engine/papers/iepad/iepad.h"
#include "engine/papers/mdr/mdr.h"
#include "engine/papers/softmealy/softmealy.h"
#include "engine/papers/stalker/stalker.h"

typedef struct driver {
    th_parser *parser;
    th__arena arena; /* of one line */
    th__json out;
} driver;

/* ---- help ------------------------------------------------------------------------------------ */

static void stop(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("papers_driver: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

static void must(bool ok, const char *what)
{
    if (!ok)
        stop("%s failed", what);
}

static json_t *member(json_t *in, const char *name)
{
    json_t *value = json_object_get(in, name);
    if (!value)
        stop("no \"%s\"", name);
    return value;
}

static uint32_t number(json_t *in, const char *name)
{
    return (uint32_t)json_integer_value(member(in, name));
}

static double real(json_t *in, const char *name)
{
    return json_number_value(member(in, name));
}

static bool flag(json_t *in, const char *name)
{
    return json_is_true(member(in, name));
}

static th_str text_of(json_t *value)
{
    if (!json_is_string(value))
        stop("not a string");
    return (th_str){json_string_value(value), json_string_length(value)};
}

static uint32_t *numbers(driver *d, json_t *array, uint32_t *count)
{
    *count = (uint32_t)json_array_size(array);
    uint32_t *out = th__arena_alloc(&d->arena, (*count + (size_t)1) * sizeof *out);
    must(out, "memory");
    for (uint32_t i = 0; i < *count; i++)
        out[i] = (uint32_t)json_integer_value(json_array_get(array, i));
    return out;
}

static th_page *page_of(driver *d, json_t *html)
{
    th_page *page;
    th_error err;
    if (th_parser_parse(d->parser, text_of(html), NULL, &page, &err))
        stop("%s", err.message);
    return page;
}

static void key(driver *d, const char *name)
{
    th__json_key(&d->out, th_str_from(name));
}

static void put_numbers(driver *d, const uint32_t *values, uint32_t count)
{
    th__json_begin_array(&d->out);
    for (uint32_t i = 0; i < count; i++)
        if (values[i] == UINT32_MAX)
            th__json_null(&d->out);
        else
            th__json_uint(&d->out, values[i]);
    th__json_end_array(&d->out);
}

static void put_buffer(driver *d, th__buf *text)
{
    th__json_str(&d->out, th__buf_str(text));
    th__buf_release(text);
}

/* ---- IEPAD ----------------------------------------------------------------------------------- */

/* {"symbols", "min_length", "min_count", "max_variance", "min_density", "cluster_variance"}: the
 * candidates. */
static void task_repeats(driver *d, json_t *in)
{
    th__iepad_options options;
    th__iepad_repeats found = {0};
    uint32_t len;
    uint32_t *symbols = numbers(d, member(in, "symbols"), &len);
    th__iepad_options_init(&options, true);
    options.paper.min_length = number(in, "min_length");
    options.paper.min_count = number(in, "min_count");
    options.paper.max_variance = real(in, "max_variance");
    options.paper.min_density = real(in, "min_density");
    options.paper.cluster_variance = real(in, "cluster_variance");
    must(!th__iepad_discover(symbols, len, &options, &d->arena, &found, NULL), "discover");
    key(d, "repeats");
    th__json_begin_array(&d->out);
    for (size_t i = 0; i < found.len; i++) {
        th__json_begin_object(&d->out);
        key(d, "len");
        th__json_uint(&d->out, found.data[i].len);
        key(d, "at");
        put_numbers(d, found.data[i].at, found.data[i].count);
        key(d, "variance");
        th__json_double(&d->out, found.data[i].variance);
        key(d, "density");
        th__json_double(&d->out, found.data[i].density);
        th__json_end_object(&d->out);
    }
    th__json_end_array(&d->out);
    th__vec_release(&found);
}

static void put_pattern(driver *d, const th__pattern *pattern)
{
    th__json_begin_array(&d->out);
    for (uint32_t c = 0; c < pattern->len; c++) {
        const th__pattern_column *column = &pattern->columns[c];
        th__json_begin_array(&d->out);
        put_numbers(d, pattern->symbols + column->first, column->count);
        th__json_bool(&d->out, column->optional);
        th__json_end_array(&d->out);
    }
    th__json_end_array(&d->out);
}

/* {"strings"}: their center, the columns of each string, and the pattern. */
static void task_star(driver *d, json_t *in)
{
    json_t *strings = member(in, "strings");
    uint32_t count = (uint32_t)json_array_size(strings), len;
    th__symbols *symbols = th__arena_alloc(&d->arena, (count + (size_t)1) * sizeof *symbols);
    th__star star;
    th__pattern pattern = th__pattern_in(&d->arena);
    must(symbols, "memory");
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *string = numbers(d, json_array_get(strings, i), &len);
        symbols[i] = (th__symbols){string, len};
    }
    must(!th__star_align(&star, symbols, count, &(th__star_options){0}, &d->arena, NULL), "align");
    must(!th__star_pattern(&star, symbols, &pattern, NULL), "pattern");
    key(d, "center");
    th__json_uint(&d->out, star.string_of[star.center]);
    key(d, "cells");
    th__json_begin_array(&d->out);
    for (uint32_t i = 0; i < count; i++)
        put_numbers(d, star.cells + (size_t)star.row_of[i] * star.width, star.width);
    th__json_end_array(&d->out);
    key(d, "pattern");
    put_pattern(d, &pattern);
}

/* {"pattern": [[symbols, optional], ...], "symbols", "start", "end"}: all matches from left to
 * right, the columns of each, and how far the pattern is rotated along the strings before `start`
 * and behind `end`. */
static void task_match(driver *d, json_t *in)
{
    json_t *columns = member(in, "pattern");
    th__pattern pattern = th__pattern_in(&d->arena);
    th__matcher matcher;
    uint32_t len, match, count;
    uint32_t *symbols = numbers(d, member(in, "symbols"), &len);
    for (size_t c = 0; c < json_array_size(columns); c++) {
        json_t *column = json_array_get(columns, c);
        uint32_t *of = numbers(d, json_array_get(column, 0), &count);
        must(!th__pattern_add(&pattern, of, count, json_is_true(json_array_get(column, 1)), NULL),
             "column");
    }
    must(th__matcher_init(&matcher, &pattern, &d->arena), "matcher");
    key(d, "matches");
    th__json_begin_array(&d->out);
    for (uint32_t at = 0; at < len; at += match ? match : 1) {
        match = th__matcher_longest(&matcher, symbols, len, at);
        if (!match)
            continue;
        uint32_t *which = th__arena_alloc(&d->arena, match * sizeof *which);
        must(which && !th__pattern_align(&pattern, symbols + at, match, which, NULL), "columns");
        th__json_begin_array(&d->out);
        th__json_uint(&d->out, at);
        th__json_uint(&d->out, match);
        put_numbers(d, which, match);
        th__json_end_array(&d->out);
    }
    th__json_end_array(&d->out);
    key(d, "right");
    th__json_uint(&d->out, th__iepad_turn_right(&pattern, symbols, number(in, "start")));
    key(d, "left");
    th__json_uint(&d->out, th__iepad_turn_left(&pattern, symbols, len, number(in, "end")));
}

/* {"html"}: the number of tokens by encoding scheme. */
static void task_encode(driver *d, json_t *in)
{
    th_page *page = page_of(d, member(in, "html"));
    key(d, "tokens");
    th__json_begin_object(&d->out);
    for (int scheme = 0; scheme < TH__IEPAD_SCHEME_COUNT; scheme++) {
        th__iepad_string string;
        must(th__iepad_encode(page, &(th__iepad_encoding){.scheme = (th__iepad_scheme)scheme}, 0,
                              th_page_token_count(page), &d->arena, &string),
             "encode");
        key(d, th__iepad_scheme_names[scheme]);
        th__json_uint(&d->out, string.len);
    }
    th__json_end_object(&d->out);
    th_page_free(page);
}

/* ---- MDR ------------------------------------------------------------------------------------- */

/* {"html", "every_tag", "join", "orphans", "k", "t"}: the regions and their records, nodes counted
 * in preorder from the document, which is 0. */
static void task_mdr(driver *d, json_t *in)
{
    th_page *page = page_of(d, member(in, "html"));
    th__mdr_options options;
    th__mdr_result *result;
    options = th__mdr_paper;
    options.every_tag = flag(in, "every_tag");
    options.join_adjacent = flag(in, "join");
    options.orphans = flag(in, "orphans");
    options.combination = number(in, "k");
    options.threshold = real(in, "t");
    must(!th__mdr_find(page, &options, &result, NULL), "mdr");
    key(d, "regions");
    th__json_begin_array(&d->out);
    for (uint32_t i = 0; i < result->region_count; i++) {
        const th__mdr_region *region = &result->regions[i];
        th__json_begin_object(&d->out);
        key(d, "parts");
        th__json_begin_array(&d->out);
        for (uint32_t p = 0; p < region->part_count; p++) {
            const th__mdr_part *part = &region->parts[p];
            put_numbers(
                d, (const uint32_t[]){part->parent, part->combination, part->start, part->count},
                4);
        }
        th__json_end_array(&d->out);
        key(d, "records");
        th__json_begin_array(&d->out);
        for (uint32_t r = 0; r < region->record_count; r++) {
            th__json_begin_array(&d->out);
            for (uint32_t n = 0; n < region->records[r].range_count; n++)
                put_numbers(d,
                            (const uint32_t[]){region->records[r].ranges[n].first,
                                               region->records[r].ranges[n].end},
                            2);
            th__json_end_array(&d->out);
        }
        th__json_end_array(&d->out);
        th__json_end_object(&d->out);
    }
    th__json_end_array(&d->out);
    th__mdr_result_free(result);
    th_page_free(page);
}

/* ---- SoftMealy ------------------------------------------------------------------------------- */

/* {"left", "rows": contexts in the paper's notation}: what Algorithm 1 makes of them. */
static void task_generalize(driver *d, json_t *in)
{
    json_t *texts = member(in, "rows");
    bool left = flag(in, "left");
    uint32_t count = (uint32_t)json_array_size(texts);
    th__sm_context *rows = th__arena_alloc(&d->arena, (count + (size_t)1) * sizeof *rows);
    must(rows, "memory");
    for (uint32_t i = 0; i < count; i++) {
        const char *fault = NULL;
        size_t where;
        if (!th__sm_context_parse(text_of(json_array_get(texts, i)), left, &d->arena, &rows[i],
                                  &fault, &where))
            stop("context: %s", fault ? fault : "no memory");
    }
    must(th__sm_generalize(rows, &count, &th__sm_paper, &d->arena), "generalize");
    key(d, "rows");
    th__json_begin_array(&d->out);
    for (uint32_t i = 0; i < count; i++) {
        th__buf text = {0};
        th__sm_context_print(&rows[i], left, &text);
        put_buffer(d, &text);
    }
    th__json_end_array(&d->out);
}

/* ---- STALKER --------------------------------------------------------------------------------- */

static th__stalker_seq seq_of(driver *d, const th_page *page)
{
    th__stalker_seq seq;
    must(th__stalker_seq_make(&d->arena, page, (th_span){0, (uint32_t)page->text.len}, &seq),
         "tokens");
    return seq;
}

/* {"html", "rules": [{"backward", "first", "last", "disjuncts"}]}: the number of tokens, and where
 * each rule leads; null: it does not match. */
static void task_landmarks(driver *d, json_t *in)
{
    th_page *page = page_of(d, member(in, "html"));
    th__stalker_seq seq = seq_of(d, page);
    json_t *rules = member(in, "rules");
    key(d, "tokens");
    th__json_uint(&d->out, seq.count);
    key(d, "at");
    th__json_begin_array(&d->out);
    for (size_t r = 0; r < json_array_size(rules); r++) {
        json_t *given = json_array_get(rules, r), *texts = member(given, "disjuncts");
        th__landmark_rule rule = {.backward = flag(given, "backward")};
        rule.disjuncts =
            th__arena_zero(&d->arena, json_array_size(texts) + 1, sizeof *rule.disjuncts);
        must(rule.disjuncts, "memory");
        for (; rule.count < json_array_size(texts); rule.count++) {
            const char *problem = NULL;
            if (!th__disjunct_read(text_of(json_array_get(texts, rule.count)), &d->arena,
                                   rule.backward, &rule.disjuncts[rule.count], &problem))
                stop("disjunct: %s", problem ? problem : "no memory");
        }
        uint32_t at =
            th__rule_run(&rule, &seq, number(given, "first"), number(given, "last"), NULL);
        put_numbers(d, &at, 1);
    }
    th__json_end_array(&d->out);
    th_page_free(page);
}

/* {"pages", "at": the token that each item begins with, "end": one past its last, "backward"}: the
 * start rule that is learnt, on how many examples it is right, and how many of its disjuncts are
 * imperfect. */
static void task_induce(driver *d, json_t *in)
{
    json_t *pages = member(in, "pages");
    uint32_t count = (uint32_t)json_array_size(pages), unused;
    uint32_t *at = numbers(d, member(in, "at"), &unused),
             *end = numbers(d, member(in, "end"), &unused);
    th_page **parsed = th__arena_zero(&d->arena, count + (size_t)1, sizeof *parsed);
    th__stalker_seq *seqs = th__arena_zero(&d->arena, count + (size_t)1, sizeof *seqs);
    th__stalker_example *examples = th__arena_zero(&d->arena, count + (size_t)1, sizeof *examples);
    must(parsed && seqs && examples, "memory");
    for (uint32_t i = 0; i < count; i++) {
        parsed[i] = page_of(d, json_array_get(pages, i));
        seqs[i] = seq_of(d, parsed[i]);
        examples[i] = (th__stalker_example){.seq = &seqs[i],
                                            .last = seqs[i].count,
                                            .low = at[i],
                                            .high = at[i],
                                            .item_first = at[i],
                                            .item_last = end[i]};
    }
    th__stalker_task task = {
        .examples = examples, .count = count, .backward = flag(in, "backward")};
    th__stalker_learnt learnt;
    must(th__stalker_induce(&task, &d->arena, &learnt), "induce");
    key(d, "disjuncts");
    th__json_begin_array(&d->out);
    for (uint32_t i = 0; i < learnt.rule.count; i++) {
        th__buf text = {0};
        th__disjunct_write(&learnt.rule.disjuncts[i], learnt.rule.backward, &text);
        put_buffer(d, &text);
    }
    th__json_end_array(&d->out);
    key(d, "right");
    th__json_uint(&d->out, learnt.right);
    key(d, "imperfect");
    th__json_uint(&d->out, learnt.imperfect);
    for (uint32_t i = 0; i < count; i++)
        th_page_free(parsed[i]);
}

/* ---- DataPro --------------------------------------------------------------------------------- */

/* {"values", "endings"}: pairs of a pattern and its count. */
static void task_datapro(driver *d, json_t *in)
{
    json_t *texts = member(in, "values");
    uint32_t count = (uint32_t)json_array_size(texts);
    bool endings = flag(in, "endings");
    th__dp_value *values = th__arena_zero(&d->arena, count + (size_t)1, sizeof *values);
    th__forms patterns = {0};
    must(values, "memory");
    for (uint32_t i = 0; i < count; i++)
        th__dp_split(text_of(json_array_get(texts, i)), &values[i]);
    must(th__datapro(values, count, endings, &d->arena, &patterns), "datapro");
    key(d, "patterns");
    th__json_begin_array(&d->out);
    for (uint32_t i = 0; i < patterns.count; i++) {
        th__buf text = {0};
        th__form_print(&patterns.data[i], endings, &text);
        th__json_begin_array(&d->out);
        put_buffer(d, &text);
        th__json_uint(&d->out, patterns.data[i].count);
        th__json_end_array(&d->out);
    }
    th__json_end_array(&d->out);
}

/* ---- EXALG ----------------------------------------------------------------------------------- */

static void put_class(driver *d, const th__exalg_ecgm *e, const th__exalg_class *cls)
{
    th__json_begin_object(&d->out);
    key(d, "vector");
    th__json_begin_array(&d->out);
    for (uint32_t p = 0; p < e->page_count; p++) {
        uint32_t count = 0;
        for (uint32_t t = 0; t < e->strings[p].tokens.len; t++)
            count += e->pages[p][t] == cls->tokens[0];
        th__json_uint(&d->out, count);
    }
    th__json_end_array(&d->out);
    key(d, "tokens");
    th__json_begin_array(&d->out);
    for (uint32_t r = 0; r < cls->size; r++) {
        th__exalg_place place = e->dtokens[cls->tokens[r]].place;
        th__buf text = {0};
        if (e->strings[place.page].tokens.data[place.token].kind == TH__EXALG_DUMMY)
            continue;
        th__exalg_token_write(&e->strings[place.page], place.token, &text);
        put_buffer(d, &text);
    }
    th__json_end_array(&d->out);
    th__json_end_object(&d->out);
}

/* {"pages", "size", "support"}: the classes at the fixed point, the rounds that it took, the schema
 * and the template, with blanks for line ends. */
static void task_exalg(driver *d, json_t *in)
{
    json_t *pages = member(in, "pages");
    uint32_t count = (uint32_t)json_array_size(pages);
    th_page **parsed = th__arena_zero(&d->arena, count + (size_t)1, sizeof *parsed);
    th__exalg_ecgm e;
    th__exalg_template t;
    th_schema *schema;
    th_text text = {0};
    th__buf out = {0};
    must(parsed, "memory");
    for (uint32_t i = 0; i < count; i++)
        parsed[i] = page_of(d, json_array_get(pages, i));
    must(th__exalg_ecgm_init(&e, (const th_page *const *)parsed, count, true, number(in, "size"),
                             number(in, "support")),
         "init");
    must(th__exalg_ecgm_run(&e), "classes");
    key(d, "classes");
    th__json_begin_array(&d->out);
    for (uint32_t c = 0; c < e.class_count; c++)
        put_class(d, &e, &e.classes[c]);
    th__json_end_array(&d->out);
    key(d, "rounds");
    th__json_uint(&d->out, e.rounds);
    must(th__exalg_construct(&e, true, &d->arena, &t), "template");
    must(!th__exalg_template_schema(&t, &schema, NULL), "schema");
    must(!th_schema_print(schema, false, &text, NULL), "schema");
    key(d, "schema");
    th__json_str(&d->out, (th_str){text.ptr, text.len});
    th__exalg_template_print(&t, NULL, 0, &out);
    key(d, "template");
    put_buffer(d, &out);
    th_text_release(&text);
    th_schema_free(schema);
    th__exalg_ecgm_release(&e);
    for (uint32_t i = 0; i < count; i++)
        th_page_free(parsed[i]);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(driver *d, json_t *in);
} tasks[] = {
    {"encode", task_encode},       {"repeats", task_repeats}, {"star", task_star},
    {"match", task_match},         {"mdr", task_mdr},         {"generalize", task_generalize},
    {"landmarks", task_landmarks}, {"induce", task_induce},   {"datapro", task_datapro},
    {"exalg", task_exalg},
};
enum { TASKS = sizeof tasks / sizeof *tasks };

int main(void)
{
    driver d = {0};
    char *line = NULL;
    size_t room = 0;
    must(!th_parser_new(NULL, &d.parser, NULL), "parser");
    for (ssize_t len; (len = getline(&line, &room, stdin)) > 0;) {
        json_error_t fault;
        json_t *in = json_loadb(line, (size_t)len, 0, &fault);
        if (!in)
            stop("%s", fault.text);
        const char *name = json_string_value(member(in, "task"));
        size_t i = 0;
        while (i < TASKS && strcmp(name ? name : "", tasks[i].name) != 0)
            i++;
        if (i == TASKS)
            stop("unknown task \"%s\"", name ? name : "");
        th__buf text = {0};
        d.out = (th__json){.buf = &text};
        th__arena_init(&d.arena);
        th__json_begin_object(&d.out);
        tasks[i].run(&d, in);
        th__json_end_object(&d.out);
        th__buf_add_byte(&text, '\n');
        must(!text.failed, "memory");
        fwrite(text.data, 1, text.len, stdout);
        fflush(stdout);
        th__buf_release(&text);
        th__arena_release(&d.arena);
        json_decref(in);
    }
    free(line);
    th_parser_free(d.parser);
    return 0;
}
