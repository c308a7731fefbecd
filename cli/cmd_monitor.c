/*
 * cmd_monitor.c: `thresh monitor`: extract, verify, and repair when needed: one line of JSON per
 * run, made for cron.
 *
 * Records go to a file of their own, and into the project, and only if the wrapper still
 * reads the pages correctly. A wrapper that was repaired takes the place of the old one,
 * in the project as its next version, and the pages are read again with it.
 */
#include <stdlib.h>
#include <string.h>

#include "wrapper_file.h"

typedef struct monitor_settings {
    const char *wrapper, *records, *date, *webhook;
    double alpha;
    bool repair, new_fields, allow_lost;
} monitor_settings;

#define FIELD(name) offsetof(monitor_settings, name)

static const cli_option monitor_options[] = {
    {"wrapper", 'w', CLI_FILE, "FILE", "the wrapper to run, as `thresh learn` wrote it",
     FIELD(wrapper), .required = "a wrapper"},
    {"repair", 0, CLI_FLAG, NULL,
     "if the site has changed, repair the wrapper and replace\n"
     "it with the new one",
     FIELD(repair)},
    {"new-fields", 0, CLI_FLAG, NULL, CLI_NEW_FIELDS_HELP, FIELD(new_fields), .needs = "repair"},
    {"allow-lost", 0, CLI_FLAG, NULL, CLI_ALLOW_LOST_HELP, FIELD(allow_lost), .needs = "repair"},
    {"records", 0, CLI_FILE, "FILE",
     "write the records to FILE, in the format of its\n"
     "extension; unchanged if the site has changed",
     FIELD(records)},
    {"alpha", 0, CLI_CHANCE, "P",
     "significance level: report a change if its p-value is at\nmost P (default 0.01)",
     FIELD(alpha)},
    {"date", 0, CLI_DATE, "DATE", "date of the run (default: now)", FIELD(date)},
    {"webhook", 0, CLI_TEXT, "URL",
     "if the site has changed and the wrapper is not repaired,\npost the line of JSON to URL",
     FIELD(webhook)},
};

static const cli_group monitor_group = CLI_GROUP("What to watch", monitor_options, true);
static const cli_group *const groups[] = {
    &monitor_group,    &cli_file_group,  &cli_project_group, &cli_page_group,
    &cli_follow_group, &cli_fetch_group, &cli_common_group,  NULL};

enum { KEPT_PAGES = 64, KEPT_BYTES = 64 << 20 };

typedef struct monitoring {
    th_wrapper *wrapper, *mended;
    th_check *check;
    th_repair *repair; /* NULL without --repair */
    th_verdict *verdict;
    th_writer *writer; /* of the records; NULL without --records */
    th_corpus *kept;   /* pages for a second reading: of very many the first */
    size_t kept_bytes;
    const char *date;
    uint64_t records;
} monitoring;

static th_status take(cli_run *run, const th_page *page, const th_input *input, th_records *records,
                      void *context, th_error *err)
{
    monitoring *m = context;
    th_records_source source = {th_input_name(input), th_page_url(page)};
    m->records += th_records_count(records);
    th_status status = th_check_add(m->check, page, records, err);
    if (!status)
        status = cli_add_records(run, m->writer, records, err);
    if (!status && m->repair) {
        size_t at = th_corpus_count(m->kept), bytes = th_page_text(page).len;
        bool room = at < KEPT_PAGES && bytes <= KEPT_BYTES - m->kept_bytes;
        if (room)
            status = th_corpus_add(m->kept, page, &source, err);
        if (!status) /* the same copy, where there is one */
            status =
                th_repair_add(m->repair, room ? th_corpus_page(m->kept, at) : page, &source, err);
        m->kept_bytes += room ? bytes : 0;
    }
    th_records_free(records);
    return status;
}

/* ---- records ---- */

static th_status new_writer(cli_run *run, monitoring *m, const th_wrapper *wrapper, th_error *err)
{
    const monitor_settings *own = run->own;
    const char *output = run->set.output;
    if (!own->records)
        return TH_OK;
    run->set.output = own->records; /* the format is that of the name of its file */
    th_writer_free(m->writer);
    m->writer = NULL;
    th_status status = cli_writer_new(run, th_wrapper_schema(wrapper), &m->writer, err);
    run->set.output = output;
    return status;
}

/* Reads the kept pages once more, with the repaired wrapper. */
static th_status read_again(cli_run *run, monitoring *m, th_error *err)
{
    th_status status = new_writer(run, m, m->mended, err);
    if (!status)
        status = cli_project_drop(run, err);
    m->records = 0;
    for (size_t i = 0; !status && i < th_corpus_count(m->kept); i++) {
        const th_page *page = th_corpus_page(m->kept, i);
        th_records *records = NULL;
        th_records_source source = {th_corpus_name(m->kept, i), th_page_url(page)};
        status = th_wrapper_extract(m->mended, page, &source, &records, err);
        if (!status)
            status = cli_add_records(run, m->writer, records, err);
        m->records += records ? th_records_count(records) : 0;
        th_records_free(records);
    }
    return status;
}

/* ---- the line ---- */

/* The evidence of drift, or of other changes. */
static void put_evidence(cli_text *out, const th_verdict *verdict, bool drift)
{
    bool first = true;
    cli_puts(out, drift ? ",\"drifting\":[" : ",\"changed\":[");
    for (size_t i = 0; i < th_verdict_count(verdict); i++) {
        const th_evidence *e = th_verdict_get(verdict, i);
        if (drift ? !e->drift : !e->changed)
            continue;
        cli_puts(out, first ? "{\"field\":" : ",{\"field\":");
        cli_put_json(out, e->path.ptr ? e->path : th_str_from("records"));
        cli_printf(out, ",\"test\":\"%s\",\"words\":", e->test);
        cli_put_json(out, e->words);
        cli_puts(out, "}");
        first = false;
    }
    cli_puts(out, "]");
}

/* A webhook that fails is an error; the verdict stays. */
static void post(cli_run *run, th_str line)
{
    const monitor_settings *own = run->own;
    th_feed_options options;
    th_error err;
    cli_feed_options(run, &options);
    if (th_post_json(own->webhook, line, &options, &err))
        cli_error(run, (th_str){0}, "webhook: %s", err.message);
}

static th_status write_line(cli_run *run, const monitoring *m, const char *verdict, th_error *err)
{
    const monitor_settings *own = run->own;
    cli_text out = {0};
    th_text repair = {0};
    const th_wrapper *wrapper = m->mended ? m->mended : m->wrapper;
    th_status status = TH_OK;
    cli_puts(&out, "{\"date\":");
    cli_put_json(&out, th_str_from(m->date ? m->date : ""));
    cli_puts(&out, ",\"wrapper\":");
    cli_put_json(&out, th_str_from(own->wrapper));
    cli_printf(&out, ",\"version\":%u,\"pages\":%llu,\"failed\":%llu,\"records\":%llu",
               th_wrapper_version(wrapper), (unsigned long long)run->pages,
               (unsigned long long)run->failed, (unsigned long long)m->records);
    cli_printf(&out, ",\"verdict\":\"%s\"", verdict);
    put_evidence(&out, m->verdict, true);
    put_evidence(&out, m->verdict, false);
    if (m->repair && th_verdict_drift(m->verdict)) {
        status = th_repair_to_json(m->repair, &repair, err);
        cli_puts(&out, ",\"repair\":");
        cli_put(&out, repair.ptr ? repair.ptr : "null", repair.ptr ? repair.len : 4);
    }
    cli_puts(&out, "}");
    if (!status && out.status) {
        status = out.status;
        *err = out.error;
    }
    if (!status)
        status = cli_print_report(run, (th_str){out.ptr, out.len}, true, err);
    if (!status && own->webhook && !strcmp(verdict, "drift"))
        post(run, (th_str){out.ptr, out.len});
    th_text_release(&repair);
    cli_text_release(&out);
    return status;
}

/* ---- the run ---- */

/* The repaired wrapper replaces the old one last, after everything else was written. */
static th_status mend(cli_run *run, monitoring *m, th_error *err)
{
    const monitor_settings *own = run->own;
    th_status status = th_repair_finish(m->repair, &m->mended, err);
    if (status || !m->mended)
        return status;
    status = read_again(run, m, err);
    if (!status)
        status = cli_is_stored(run) ? cli_store_wrapper(run, m->mended, err)
                                    : cli_write_wrapper(run, m->mended, own->wrapper, err);
    return status;
}

static th_status conclude(cli_run *run, monitoring *m, th_error *err)
{
    const monitor_settings *own = run->own;
    th_status status = th_check_verdict(m->check, own->alpha, &m->verdict, err);
    if (status)
        return status;
    run->drift = th_verdict_drift(m->verdict);
    if (run->drift && m->repair)
        status = mend(run, m, err);
    /* Of very many pages only the first are kept and can be read again. */
    bool fine = !run->drift || m->mended,
         all = !m->mended || th_corpus_count(m->kept) == run->pages;
    const char *verdict = m->mended ? "repaired" : th_verdict_word(m->verdict);
    run->drift = !fine;
    if (!status && m->writer && fine && all && !cli_leave_output(run, own->records, m->records))
        status = th_writer_finish(m->writer, err);
    if (!status && !(fine && all))
        status = cli_project_drop(run, err);
    if (!status && m->writer && !fine)
        cli_note(run, (th_str){0}, "the site has changed: no records were written");
    if (!status && fine && !all)
        cli_note(run, (th_str){0},
                 "the wrapper is repaired; records are written by the next run, which reads all "
                 "%llu pages with it",
                 (unsigned long long)run->pages);
    if (!status)
        status = cli_project_verdict(run, m->verdict, verdict, err);
    return status ? status : write_line(run, m, verdict, err);
}

static th_status monitor(cli_run *run, monitoring *m, th_error *err)
{
    const monitor_settings *own = run->own;
    th_repair_options options = {.alpha = own->alpha,
                                 .date = m->date,
                                 .new_fields = own->new_fields,
                                 .allow_lost = own->allow_lost};
    if (!cli_needs_profile(run, m->wrapper, own->wrapper))
        return TH_OK;
    th_status status = th_check_new(m->wrapper, false, &m->check, err);
    if (!status && own->repair)
        status = th_repair_new(m->wrapper, &options, &m->repair, err);
    if (!status && own->repair)
        status = th_corpus_new(&m->kept, err);
    if (!status)
        status = new_writer(run, m, m->wrapper, err);
    if (status)
        return status;
    status = cli_run_wrapper(run, run->operands, run->operand_count, m->wrapper, take, m);
    return status || !run->pages ? status : conclude(run, m, err);
}

static int run_monitor(cli_run *run)
{
    const monitor_settings *own = run->own;
    monitoring m = {0};
    char now[32];
    th_error err;
    th_status status = TH_OK;
    m.date = run->date = own->date ? own->date : cli_now(now, sizeof now);
    if (own->webhook && strncmp(own->webhook, "http://", 7) && strncmp(own->webhook, "https://", 8))
        return cli_usage_error(run->command, "--webhook must begin with http:// or https://");
    if (cli_check_ending(run, own->records) || cli_check_not_input(run, own->records))
        return CLI_USAGE;
    if (cli_read_wrapper(run, own->wrapper, &m.wrapper))
        status = monitor(run, &m, &err);
    th_writer_free(m.writer);
    th_verdict_free(m.verdict);
    th_repair_free(m.repair);
    th_check_free(m.check);
    th_wrapper_free(m.mended);
    th_wrapper_free(m.wrapper);
    th_corpus_free(m.kept);
    return cli_run_end(run, status, &err);
}

static const char *const examples[] = {
    "thresh monitor -w books.json https://example.org/books >> books.log",
    "thresh monitor --repair --records books.csv -w books.json shop/ >> books.log", NULL};

const cli_command cli_monitor = {
    .name = "monitor",
    .operands = "INPUT...",
    .summary = "extract, verify and repair: one line of JSON per run",
    .about = "Runs a wrapper on pages, verifies the records and, with --repair, repairs the "
             "wrapper if needed.\n"
             "Prints one line of JSON: date, pages, records, verdict and evidence. Exit status 3 "
             "means that\n"
             "the site has changed and the wrapper is not repaired, or that a repair would lose a "
             "field: the\n"
             "wrapper and the records stay unchanged.\n",
    .examples = examples,
    .options = groups,
    .own_size = sizeof(monitor_settings),
    .least = 1,
    .run = run_monitor,
};
