/*
 * lists_auto.c: the regions of the engine auto on real pages, in the form that scorers read.
 *
 * usage: lists_auto [--paper] [--with SWITCH]... [--without SWITCH]... [--switches] INPUT...
 *
 * Prints a line a page, {"page":, "regions": [...]}, as `thresh regions -f pages` does. All
 * switches of auto_options.h are on; --paper turns all off (there is no paper: elements of one
 * kind, scored),
 * --with and --without turn one on or off, --switches prints their names.
 */
#include <stdio.h>
#include <string.h>

#include <thresh.h>

#include "bench.h"
#include "engine/lists/auto_regions.h"
#include "wrapper/lists.h"

enum { MOST = 10 };

/* The records of one region; NULL when nothing is in them. */
static th_records *make_records(const th__view *view, const th__auto_region *region)
{
    th_records *records = NULL;
    th_error err;
    if (th__list_records(view, &region->list, &(th_records_source){0}, &records, &err))
        bench_fail(err.message);
    return records;
}

static void run(th_parser *parser, const th_input *input, const th__auto_options *options,
                th_writer *writer)
{
    th__arena arena;
    th__view view;
    th__auto_region *found;
    th_region regions[MOST];
    uint32_t count, used = 0;
    th_page *page;
    th_error err;
    if (th_parser_parse(parser, th_input_bytes(input), NULL, &page, &err))
        bench_fail(err.message);
    th__arena_init(&arena);
    if (!th__view_make(&arena, page, &view) ||
        !th__auto_regions_find(&arena, &view, options, MOST, &found, &count))
        bench_fail("out of memory");
    for (uint32_t i = 0; i < count; i++) {
        th_records *records = make_records(&view, &found[i]);
        if (records)
            regions[used++] =
                (th_region){.engine = "auto", .score = found[i].score, .records = records};
    }
    if (th_writer_add_regions(writer, th_input_name(input), regions, used, &err))
        bench_fail(err.message);
    for (uint32_t i = 0; i < used; i++)
        th_records_free((th_records *)regions[i].records);
    th__arena_release(&arena);
    th_page_free(page);
}

static th_status print(void *context, const char *bytes, size_t len, th_error *err)
{
    (void)context, (void)err;
    return fwrite(bytes, 1, len, stdout) == len ? TH_OK : TH_ERR_IO;
}

int main(int argc, char **argv)
{
    th__auto_options options;
    th_writer_options writing;
    th_feed *feed;
    th_parser *parser;
    th_writer *writer;
    th_input *input;
    th_status status;
    th_error err;
    int i = 1;
    th__auto_options_init(&options, true);
    for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
        bool with = !strcmp(argv[i], "--with");
        if (!strcmp(argv[i], "--paper"))
            th__auto_options_init(&options, false);
        else if (!strcmp(argv[i], "--switches"))
            for (size_t k = 0; k < th__auto_switch_count; k++)
                puts(th__auto_switches[k].name);
        else if ((!with && strcmp(argv[i], "--without")) || ++i == argc ||
                 !th__auto_options_set(&options, th_str_from(argv[i]), with))
            bench_fail("no such option or switch; see the head of lists_auto.c");
    }
    if (i == argc)
        return 0;
    th_writer_options_init(&writing);
    writing.sink.write = print;
    if (th_feed_new((const char *const *)argv + i, (size_t)(argc - i), NULL, &feed, &err) ||
        th_parser_new(NULL, &parser, &err) ||
        th_writer_new(TH_FORMAT_PAGES, &writing, &writer, &err))
        bench_fail(err.message);
    while ((status = th_feed_next(feed, &input, &err)) != TH_DONE) {
        if (status)
            bench_fail(err.message);
        run(parser, input, &options, writer);
        th_input_free(input);
    }
    if (th_writer_finish(writer, &err))
        bench_fail(err.message);
    th_writer_free(writer);
    th_parser_free(parser);
    th_feed_free(feed);
    return 0;
}
