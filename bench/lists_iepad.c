/*
 * lists_iepad.c: IEPAD on real pages: its patterns, and the time it takes.
 *
 *     lists_iepad [--paper] [--with SWITCH]... [--without SWITCH]... [-n PATTERNS] [-t | -q]
 * PAGE... lists_iepad --switches
 *
 * Prints one JSON line a page, the regions best first, as `thresh regions -f pages` does. --paper:
 * as published; --with and --without: a switch of ours more or less, to see what it is worth
 * (switches.py); -n: at most so many patterns; -t: prints the patterns as text instead; -q: prints
 * only the time. --switches lists the switches.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json_out.h"
#include "data/record.h"
#include "engine/papers/iepad/iepad.h"

static bool as_text, quiet;
static uint32_t most = 10;
static double find_seconds, run_seconds;

static char *read_file(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        *len = (size_t)ftell(file);
        rewind(file);
        bytes = malloc(*len + 1);
        if (bytes && fread(bytes, 1, *len, file) != *len)
            *len = 0;
    }
    if (file)
        fclose(file);
    return bytes;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const th_error *err)
{
    fprintf(stderr, "lists_iepad: %s\n", err->message);
    exit(1);
}

/* Texts first, links and images behind them: who reads the texts of a record as one has them whole.
 */
static void print_cells(const th_value *record, th__json *json)
{
    th__json_begin_array(json);
    for (int links = 0; links < 2; links++)
        for (size_t i = 0; i < th_value_count(record); i++) {
            const th_value *value = th_value_item(record, i);
            if ((th_type_note(th_value_type(value)) != TH_NOTE_TEXT) == links)
                th__value_write(value, false, json);
        }
    th__json_end_array(json);
}

static void print_region(const th__iepad_pattern *p, const th_records *records, th__json *json)
{
    th__json_begin_object(json);
    th__json_key(json, TH_STR("engine"));
    th__json_str(json, TH_STR("iepad"));
    th__json_key(json, TH_STR("score"));
    th__json_double(json, p->score);
    const struct {
        const char *name;
        double value;
    } facts[] = {{"count", p->count}, {"length", p->pattern.len}, {"coverage", p->coverage},
                 {"loose", p->loose}, {"variance", p->variance},  {"density", p->density}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        th__json_key(json, th_str_from(facts[i].name));
        th__json_double(json, facts[i].value);
    }
    th__json_key(json, TH_STR("pattern"));
    th__json_str(json, p->text);
    th__json_key(json, TH_STR("records"));
    th__json_begin_array(json);
    for (size_t i = 0; i < th_records_count(records); i++)
        print_cells(th_records_get(records, i), json);
    th__json_end_array(json);
    th__json_end_object(json);
}

static void print_text(const th__iepad_pattern *p, const th_records *records)
{
    printf("  %.3f  %u records (variance %.2f, density %.2f)\n        %s\n", p->score, p->count,
           p->variance, p->density, p->text.ptr);
    for (size_t i = 0; i < th_records_count(records) && i < 4; i++) {
        printf("        -");
        for (size_t k = 0; k < th_value_count(th_records_get(records, i)); k++) {
            th_str text = th_value_text(th_value_item(th_records_get(records, i), k));
            printf(" | %.*s", text.len > 40 ? 40 : (int)text.len, text.ptr ? text.ptr : "");
        }
        printf("\n");
    }
}

static void run_page(const char *path, th_parser *parser, const th__iepad_options *options)
{
    th_error err;
    th_page *page;
    size_t len = 0;
    char *bytes = read_file(path, &len);
    if (!bytes || th_parser_parse(parser, (th_str){bytes, len}, NULL, &page, &err)) {
        fprintf(stderr, "lists_iepad: %s cannot be read\n", path);
        free(bytes);
        return;
    }
    th__iepad_result result;
    double begin = now();
    if (th__iepad_find(page, options, &result, &err))
        die(&err);
    find_seconds += now() - begin;
    th__buf line = {0};
    th__json json = {.buf = &line};
    th__json_begin_object(&json);
    th__json_key(&json, TH_STR("page"));
    th__json_str(&json, th_str_from(path));
    th__json_key(&json, TH_STR("regions"));
    th__json_begin_array(&json);
    if (as_text && !quiet)
        printf("%s: %u patterns\n", path, result.count);
    for (uint32_t i = 0; i < result.count && i < most; i++) {
        th__iepad_rule rule;
        th_records *records;
        th__arena arena;
        th_records_source source = {th_str_from(path), {NULL, 0}};
        begin = now();
        th__arena_init(&arena);
        if (th__iepad_learn(page, &result, i, &arena, &rule, &err) ||
            th__iepad_records(&rule, page, NULL, &source, &records, &err))
            die(&err);
        run_seconds += now() - begin;
        if (as_text && !quiet)
            print_text(&result.patterns[i], records);
        else if (!quiet)
            print_region(&result.patterns[i], records, &json);
        th_records_free(records);
        th__arena_release(&arena);
    }
    th__json_end_array(&json);
    th__json_end_object(&json);
    if (!as_text && !quiet)
        printf("%.*s\n", (int)line.len, line.data);
    th__buf_release(&line);
    th__iepad_result_release(&result);
    th_page_free(page);
    free(bytes);
}

/* Turns the switch of that name on or off. */
static void set_switch(th__iepad_options *options, const char *name, bool value)
{
    for (size_t i = 0; i < th__iepad_switch_count; i++)
        if (!strcmp(name, th__iepad_switches[i].name)) {
            *(bool *)((char *)options + th__iepad_switches[i].offset) = value;
            return;
        }
    fprintf(stderr, "lists_iepad: no switch is called %s\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    static const struct option names[] = {{"paper", no_argument, NULL, 'p'},
                                          {"with", required_argument, NULL, 'w'},
                                          {"without", required_argument, NULL, 'x'},
                                          {"switches", no_argument, NULL, 's'},
                                          {NULL, 0, NULL, 0}};
    th__iepad_options options;
    th_parser *parser;
    th_error err;
    int option;
    th__iepad_options_init(&options, false);
    while ((option = getopt_long(argc, argv, "tqn:", names, NULL)) != -1) {
        if (option == 'p')
            th__iepad_options_init(&options, true);
        else if (option == 'n')
            most = (uint32_t)atoi(optarg);
        else if (option == 'w' || option == 'x')
            set_switch(&options, optarg, option == 'w');
        else if (option == 't')
            as_text = true;
        else if (option == 'q')
            quiet = true;
        else if (option == 's')
            for (size_t i = 0; i < th__iepad_switch_count; i++)
                printf("%s\n", th__iepad_switches[i].name);
        else
            return 2;
    }
    if (th_parser_new(NULL, &parser, &err))
        die(&err);
    for (int i = optind; i < argc; i++)
        run_page(argv[i], parser, &options);
    th_parser_free(parser);
    fprintf(stderr, "%d pages: finding %.3f s, learning and extracting %.3f s\n", argc - optind,
            find_seconds, run_seconds);
    return 0;
}
