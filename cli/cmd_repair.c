/*
 * cmd_repair.c: `thresh repair`: a wrapper for pages that have changed.
 *
 * The new wrapper goes to the file of -o, or into the project of the old one, and only if it
 * passes; the report goes to standard output.
 */
#include <string.h>
#include <unistd.h>

#include "wrapper_file.h"

typedef struct repair_settings {
    const char *wrapper, *date, *save;
    double alpha;
    bool new_fields, allow_lost, paper;
    int format; /* which of formats, counted from 1 */
} repair_settings;

#define FIELD(name) offsetof(repair_settings, name)

static const char *const formats[] = {"text", "json", NULL};
enum { FORMAT_JSON = 2 };

static const cli_option repair_options[] = {
    {"wrapper", 'w', CLI_FILE, "FILE", "the wrapper to repair, as `thresh learn` wrote it",
     FIELD(wrapper), .required = "a wrapper"},
    {"output", 'o', CLI_FILE, "FILE",
     "file for the new wrapper, if one passes; may be the old\n"
     "one. Without it a wrapper of the project gets its next\n"
     "version",
     FIELD(save)},
    {"new-fields", 0, CLI_FLAG, NULL, CLI_NEW_FIELDS_HELP, FIELD(new_fields)},
    {"allow-lost", 0, CLI_FLAG, NULL, CLI_ALLOW_LOST_HELP, FIELD(allow_lost)},
    {"paper", 0, CLI_FLAG, NULL,
     "as published: find texts that begin and end as the values\n"
     "did, group them, rank the groups, and learn from the best;\n"
     "for wrappers from labels, of pages with one record",
     FIELD(paper)},
    {"alpha", 0, CLI_CHANCE, "P",
     "significance level: report a change if its p-value is at\nmost P (default 0.01)",
     FIELD(alpha)},
    {"date", 0, CLI_DATE, "DATE", "date written into the wrapper's history (default: now)",
     FIELD(date)},
    {"format", 'f', CLI_WORD, "FORMAT", "format of the report: text or json", FIELD(format),
     .words = formats},
};

static const cli_group repair_group = CLI_GROUP("What to repair", repair_options, true);
static const cli_group *const groups[] = {&repair_group,    &cli_project_group, &cli_page_group,
                                          &cli_fetch_group, &cli_common_group,  NULL};

typedef struct repairing {
    th_wrapper *wrapper, *mended;
    th_repair *repair;
} repairing;

static th_status done(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void *result, th_error *err)
{
    repairing *r = context;
    th_records_source source = {th_input_name(input), th_page_url(page)};
    return th_repair_add(r->repair, page, &source, err);
}

static th_status conclude(cli_run *run, repairing *r, th_error *err)
{
    const repair_settings *own = run->own;
    th_text text = {0};
    bool json = own->format == FORMAT_JSON;
    th_status status = th_repair_finish(r->repair, &r->mended, err);
    if (!status && r->mended)
        status = own->save ? cli_write_wrapper(run, r->mended, own->save, err)
                           : cli_store_wrapper(run, r->mended, err);
    if (!status)
        status = json ? th_repair_to_json(r->repair, &text, err)
                      : th_repair_explain(r->repair, &text, err);
    if (!status)
        status = cli_print_report(run, (th_str){text.ptr, text.len}, json, err);
    th_text_release(&text);
    return status;
}

static th_status repair(cli_run *run, repairing *r, const th_repair_options *options, th_error *err)
{
    cli_job job = {.done = done, .context = r};
    const repair_settings *own = run->own;
    if (!cli_needs_profile(run, r->wrapper, own->wrapper))
        return TH_OK;
    th_status status = th_repair_new(r->wrapper, options, &r->repair, err);
    if (status)
        return status;
    status = cli_run_pages(run, run->operands, run->operand_count, &job);
    return status || !run->pages ? status : conclude(run, r, err);
}

static int run_repair(cli_run *run)
{
    const repair_settings *own = run->own;
    repairing r = {0};
    char now[32];
    th_error err;
    th_status status = TH_OK;
    th_repair_options options = {.date = own->date ? own->date : cli_now(now, sizeof now),
                                 .alpha = own->alpha,
                                 .new_fields = own->new_fields,
                                 .allow_lost = own->allow_lost,
                                 .published = own->paper};
    if (!own->save && (!run->set.project || !access(own->wrapper, F_OK)))
        return cli_usage_error(run->command, "repair needs a file for the new wrapper: -o FILE");
    if (cli_check_not_input(run, own->save))
        return CLI_USAGE;
    if (cli_read_wrapper(run, own->wrapper, &r.wrapper))
        status = repair(run, &r, &options, &err);
    run->drift = r.repair && th_repair_outcome(r.repair) == TH_OUTCOME_BROKEN;
    th_repair_free(r.repair);
    th_wrapper_free(r.mended);
    th_wrapper_free(r.wrapper);
    return cli_run_end(run, status, &err);
}

static const char *const examples[] = {"thresh repair -w books.json -o books-2.json shop/", NULL};

const cli_command cli_repair = {
    .name = "repair",
    .operands = "INPUT...",
    .summary = "find a wrapper's fields again on pages that have changed",
    .about = "Searches the pages for values like those that the wrapper was learnt with, learns it "
             "again with\n"
             "its own engine, and writes the result if it passes verification, finds all fields "
             "again and\n"
             "breaks nothing that still worked: with the old columns, the next version number, and "
             "the change\n"
             "in its history. Otherwise it writes nothing, reports what it found and exits with\n"
             "status 3.\n",
    .examples = examples,
    .options = groups,
    .own_size = sizeof(repair_settings),
    .least = 1,
    .by_name = true,
    .run = run_repair,
};
