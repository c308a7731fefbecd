/*
 * cmd_crawl.c: `thresh crawl`: from lists to detail pages, one record for both.
 *
 * th_crawl decides everything. This file reads the options, gives the records to a writer and
 * prints the remarks of th_crawl.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "wrapper_file.h"

typedef struct crawl_settings {
    const char *list, *detail, *link, *save, *date;
    uint64_t max_pages; /* 0 when not given */
    bool other_hosts, again;
} crawl_settings;

#define FIELD(name) offsetof(crawl_settings, name)

static const cli_option crawl_options[] = {
    {"list", 0, CLI_FILE, "FILE",
     "wrapper for the list pages (default: learnt from the\n"
     "first of them)",
     FIELD(list)},
    {"detail", 0, CLI_FILE, "FILE",
     "wrapper for the detail pages (default: learnt from the\n"
     "first of them)",
     FIELD(detail)},
    {"link", 0, CLI_TEXT, "COLUMN",
     "column of the list whose links lead to the detail pages\n"
     "(default: chosen from the links)",
     FIELD(link)},
    {"save", 0, CLI_FILE, "FOLDER",
     "write the wrappers to FOLDER/list.json and\n"
     "FOLDER/detail.json",
     FIELD(save)},
    {"max-pages", 0, CLI_COUNT, "N", "read at most N pages in all (default 10000)",
     FIELD(max_pages), .least = 1, .most = UINT32_MAX - 1},
    {"other-hosts", 0, CLI_FLAG, NULL, "follow links to other hosts too", FIELD(other_hosts)},
    {"again", 0, CLI_FLAG, NULL,
     "with --project: fetch all pages anew instead of going on\n"
     "with those that an earlier crawl has fetched",
     FIELD(again), .needs = "project"},
    {"date", 0, CLI_DATE, "DATE", "date written into learnt wrappers (default: now)", FIELD(date)},
};

static const cli_group crawl_group = CLI_GROUP("What to crawl", crawl_options, true);
static const cli_group *const groups[] = {&crawl_group,
                                          &cli_records_group,
                                          &cli_project_group,
                                          &cli_page_group,
                                          &cli_fetch_group,
                                          &cli_common_group,
                                          NULL};

static void tell(void *context, const th_remark *remark, bool failure)
{
    cli_run *run = context;
    if (failure)
        cli_error(run, remark->page, "%.*s", (int)remark->text.len, remark->text.ptr);
    else if (!remark->detail || run->set.verbose)
        cli_note(run, remark->page, "%.*s", (int)remark->text.len, remark->text.ptr);
}

static void counted(void *context, const th_crawl_counts *counts)
{
    const cli_run *run = context;
    cli_progress_count(run->sink.progress, counts->lists + counts->details, counts->fetched,
                       counts->waiting);
}

static bool asked_to_stop(void *context)
{
    return cli_stopped();
}

/* The records of all pages, to the writer, which is made with the first of them. */
static th_status write_records(cli_run *run, th_crawl *crawl, th_writer **writer, th_error *err)
{
    th_records *records;
    th_status status;
    while (!(status = th_crawl_next(crawl, &records, err))) {
        if (!*writer)
            status = cli_writer_new(run, th_records_schema(records), writer, err);
        if (!status)
            status = cli_add_records(run, *writer, records, err);
        /* Pages come slowly: records are shown at once. */
        if (!status && !run->set.output && cli_format(run) != TH_FORMAT_TABLE)
            status = th_writer_flush(*writer, err);
        th_records_free(records);
        if (status)
            break;
    }
    return status == TH_DONE ? TH_OK : status;
}

static th_status save(cli_run *run, const th_crawl *crawl, th_error *err)
{
    const crawl_settings *own = run->own;
    const th_wrapper *wrappers[] = {th_crawl_list_wrapper(crawl), th_crawl_detail_wrapper(crawl)};
    static const char *const names[] = {"list.json", "detail.json"};
    th_status status = TH_OK;
    if (!own->save)
        return TH_OK;
    if (mkdir(own->save, 0777) && errno != EEXIST)
        return cli_fail(err, TH_ERR_IO, "%.300s: cannot be made: %s", own->save, strerror(errno));
    for (size_t i = 0; !status && i < 2; i++) {
        cli_text path = {0};
        cli_printf(&path, "%s/%s", own->save, names[i]);
        cli_put(&path, "", 1);
        if (wrappers[i] && path.ptr && !path.status)
            status = cli_write_wrapper(run, wrappers[i], path.ptr, err);
        cli_text_release(&path);
    }
    return status;
}

static void put_count(cli_text *line, uint64_t count, const char *what)
{
    cli_printf(line, "%s%llu %s%s", line->len ? ", " : "", (unsigned long long)count, what,
               count == 1 ? "" : "s");
}

static void tell_end(cli_run *run, const th_crawl *crawl)
{
    th_crawl_counts counts;
    th_str reason;
    uint64_t pages;
    cli_text line = {0};
    th_crawl_count(crawl, &counts);
    run->pages = counts.lists + counts.details;
    put_count(&line, counts.lists, "list page");
    put_count(&line, counts.details, "detail page");
    put_count(&line, counts.records, "record");
    if (counts.fetched != run->pages)
        cli_printf(&line, "; %llu fetched now", (unsigned long long)counts.fetched);
    if (counts.waiting)
        cli_printf(&line, "; %llu known and not read", (unsigned long long)counts.waiting);
    if (counts.failed)
        put_count(&line, counts.failed, "failure");
    cli_note(run, (th_str){0}, "%.*s", (int)line.len, line.ptr ? line.ptr : "");
    for (size_t i = 0; th_crawl_failure(crawl, i, &reason, &pages); i++)
        cli_note(run, (th_str){0}, "%llu page%s: %.*s", (unsigned long long)pages,
                 pages == 1 ? "" : "s", (int)reason.len, reason.ptr);
    cli_text_release(&line);
}

static th_status crawl_pages(cli_run *run, th_crawl *crawl, th_error *err)
{
    th_writer *writer = NULL;
    cli_catch_signals(run);
    if (!run->set.quiet)
        run->sink.progress = cli_progress_start(NULL);
    th_status status = write_records(run, crawl, &writer, err);
    cli_progress_stop(run->sink.progress);
    run->sink.progress = NULL;
    if (!status || status == TH_ERR_CANCELLED)
        tell_end(run, crawl);
    if (!status)
        status = save(run, crawl, err);
    if (!status && !cli_leave_output(run, run->set.output, run->records) && writer)
        status = cli_finish_records(run, writer, err);
    th_writer_free(writer);
    return status;
}

static int run_crawl(cli_run *run)
{
    const crawl_settings *own = run->own;
    th_wrapper *list = NULL, *detail = NULL;
    th_crawl *crawl = NULL;
    th_feed_options feeding;
    th_parser_options parsing;
    th_crawl_options options;
    char now[32];
    th_error err;
    th_status status = TH_OK;
    if (!run->operand_count)
        return cli_usage_error(run->command, "crawl needs the URL of a list page");
    if (own->list && !cli_read_wrapper(run, own->list, &list))
        return cli_run_end(run, TH_OK, NULL);
    if (own->detail && !cli_read_wrapper(run, own->detail, &detail)) {
        th_wrapper_free(list);
        return cli_run_end(run, TH_OK, NULL);
    }
    cli_feed_options(run, &feeding);
    cli_parser_options(run, &parsing);
    feeding.cancel.asked = asked_to_stop;
    th_crawl_options_init(&options);
    options.list = list;
    options.detail = detail;
    options.link = own->link;
    if (own->max_pages)
        options.max_pages = own->max_pages;
    options.other_hosts = own->other_hosts;
    options.again = own->again;
    options.project = run->project.file;
    options.site = run->set.site;
    options.date = own->date ? own->date : cli_now(now, sizeof now);
    options.fetch = &feeding;
    options.parse = &parsing;
    options.tell = tell;
    options.counted = counted;
    options.context = run;
    options.charset = run->set.charset;
    status = cli_sink_open(&run->sink, NULL, &err);
    if (!status)
        status = th_crawl_new(run->operands, run->operand_count, &options, &crawl, &err);
    if (!status)
        status = crawl_pages(run, crawl, &err);
    th_crawl_free(crawl);
    th_wrapper_free(list);
    th_wrapper_free(detail);
    return cli_run_end(run, status, status == TH_ERR_CANCELLED ? NULL : &err);
}

static const char *const examples[] = {
    "thresh crawl -o books.csv https://example.org/books/",
    "thresh crawl --project books.thresh -o books.csv https://example.org/books/",
    "thresh crawl --list list.json --detail book.json --link title_url https://example.org/books/",
    NULL};

const cli_command cli_crawl = {
    .name = "crawl",
    .operands = "URL...",
    .summary = "follow lists to their detail pages: one record for both",
    .about =
        "Reads list pages from the URLs on, page after page, follows the links of one column, and "
        "writes\n"
        "a record for each: the columns of the list, then those of the detail page. Without "
        "wrappers it\n"
        "learns both from the first pages and reports what it did.\n"
        "\n"
        "With --project (the file is made if it does not exist) every page is stored as soon as it "
        "is\n"
        "fetched: if the crawl is stopped, the same command goes on and fetches nothing twice. The "
        "output\n"
        "always has all records, each once. Robots.txt, delays and retries are those of all "
        "fetches.\n",
    .examples = examples,
    .options = groups,
    .own_size = sizeof(crawl_settings),
    .least = 1,
    .makes_project = true,
    .run = run_crawl,
};
