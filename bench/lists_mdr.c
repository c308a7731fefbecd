/*
 * lists_mdr.c: MDR's regions of real pages, in the form that scorers read.
 *
 * usage: lists_mdr [--paper] [--with SWITCH]... [--without SWITCH]... [--time] [--show] INPUT...
 *
 * Prints a line a page, {"page":, "regions": [{"engine": "mdr", "score":, "records": [[text, ...],
 * ...]}, ...]}. A record's cells are its text runs but for signs. Regions are ranked
 * as th__mdr_find ranks them; `thresh regions --engine mdr` gives the same ones in columns.
 *
 * --paper starts from the published form, else from all switches; --with and --without turn one on
 * or off (see th__mdr_options). --show prints the regions in the paper's notation instead, --time
 * how long the pages took, --switches
 * the names of the switches.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <thresh.h>

#include "bench.h"
#include "base/json_out.h"
#include "base/str.h"
#include "engine/papers/mdr/mdr.h"
#include "../tests/papers/mdr_notation.h"

static struct totals {
    size_t pages, bytes, regions;
    double parse, find;
} totals;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A text of signs alone ("|" between two links) is not data. */
static void write_text(void *context, th_str text)
{
    size_t i = 0;
    while (i < text.len && (unsigned char)text.ptr[i] < 0x80 &&
           !th__is_alpha((unsigned char)text.ptr[i]) && !th__is_digit((unsigned char)text.ptr[i]))
        i++;
    if (i == text.len)
        return;
    th__json_str(context, th__str_trim(text));
}

static void write_region(const th_page *page, const th__mdr_record *records, uint32_t count,
                         double score, th__json *json)
{
    th__json_begin_object(json);
    th__json_key(json, TH_STR("engine"));
    th__json_str(json, TH_STR("mdr"));
    th__json_key(json, TH_STR("score"));
    th__json_double(json, score);
    th__json_key(json, TH_STR("records"));
    th__json_begin_array(json);
    for (uint32_t r = 0; r < count; r++) {
        th__json_begin_array(json);
        th__mdr_each_text(page, &records[r], write_text, json);
        th__json_end_array(json);
    }
    th__json_end_array(json);
    th__json_end_object(json);
}

static void write_regions(const th_page *page, th__mdr_result *result, th__json *json)
{
    const th__mdr_ranked *ranked = result->ranked;
    for (uint32_t i = 0; i < result->region_count && ranked[i].score; i++) {
        const th__mdr_region *region = &result->regions[ranked[i].region];
        write_region(page, region->records, region->record_count, ranked[i].score, json);
    }
}

static void begin_page(th_str name, th__json *json)
{
    th__json_begin_object(json);
    th__json_key(json, TH_STR("page"));
    th__json_str(json, name);
    th__json_key(json, TH_STR("regions"));
    th__json_begin_array(json);
}

static void end_page(th__json *json)
{
    th__json_end_array(json);
    th__json_end_object(json);
    th__buf_add_byte(json->buf, '\n');
    json->comma = false;
    if (json->buf->failed)
        bench_fail("out of memory");
    fwrite(json->buf->data, 1, json->buf->len, stdout);
    th__buf_clear(json->buf);
}

static void print_page(th_str name, const th_page *page, th__mdr_result *result, bool show)
{
    th__buf buf = {0};
    if (show) {
        printf("%.*s\n", (int)name.len, name.ptr);
        print_regions(page, result, &buf);
        fwrite(buf.data ? buf.data : "", 1, buf.len, stdout);
    } else {
        th__json json = {.buf = &buf};
        begin_page(name, &json);
        write_regions(page, result, &json);
        end_page(&json);
    }
    th__buf_release(&buf);
}

static void run(th_parser *parser, const th_input *input, const th__mdr_options *options, bool show,
                bool timed)
{
    th_error err;
    th_page *page;
    th__mdr_result *result;
    double start = seconds();
    if (th_parser_parse(parser, th_input_bytes(input), NULL, &page, &err))
        bench_fail(err.message);
    double parsed = seconds();
    if (th__mdr_find(page, options, &result, &err))
        bench_fail(err.message);
    totals.find += seconds() - parsed;
    totals.parse += parsed - start;
    totals.pages++;
    totals.bytes += th_input_bytes(input).len;
    totals.regions += result->region_count;
    if (!timed)
        print_page(th_input_name(input), page, result, show);
    th__mdr_result_free(result);
    th_page_free(page);
}

/* Turns the switch of that name on or off; false if there is none. */
static bool set_switch(th__mdr_options *options, const char *name, bool value)
{
    size_t i = 0;
    while (i < th__mdr_switch_count && strcmp(name, th__mdr_switches[i].name))
        i++;
    if (i < th__mdr_switch_count)
        *(bool *)((char *)options + th__mdr_switches[i].offset) = value;
    return i < th__mdr_switch_count;
}

int main(int argc, char **argv)
{
    th__mdr_options options;
    bool show = false, timed = false;
    options = th__mdr_ours;
    int i = 1;
    for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
        bool with = !strcmp(argv[i], "--with");
        if (!strcmp(argv[i], "--paper"))
            options = th__mdr_paper;
        else if (!strcmp(argv[i], "--show"))
            show = true;
        else if (!strcmp(argv[i], "--time"))
            timed = true;
        else if (!strcmp(argv[i], "--switches"))
            for (size_t k = 0; k < th__mdr_switch_count; k++)
                puts(th__mdr_switches[k].name);
        else if ((!with && strcmp(argv[i], "--without")) || ++i == argc ||
                 !set_switch(&options, argv[i], with))
            bench_fail("no such option or switch; see the head of lists_mdr.c");
    }
    th_feed *feed;
    th_parser *parser;
    th_input *input;
    th_error err;
    if (th_feed_new((const char *const *)argv + i, (size_t)(argc - i), NULL, &feed, &err) ||
        th_parser_new(NULL, &parser, &err))
        bench_fail(err.message);
    th_status status;
    while ((status = th_feed_next(feed, &input, &err)) != TH_DONE) {
        if (status)
            bench_fail(err.message);
        run(parser, input, &options, show, timed);
        th_input_free(input);
    }
    if (timed)
        printf("%zu pages, %.1f MB: reading %.3f s, mdr %.3f s, %zu regions\n", totals.pages,
               (double)totals.bytes / 1e6, totals.parse, totals.find, totals.regions);
    th_parser_free(parser);
    th_feed_free(feed);
    return 0;
}
