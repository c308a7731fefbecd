/*
 * cmd_extract.c: `thresh extract`: runs a wrapper on pages.
 *
 * All workers share the wrapper, which does not change.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "wrapper_file.h"

typedef struct extract_settings {
    const char *wrapper, *columns, *join;
    double alpha;
    bool stream, verify, anyway;
} extract_settings;

#define FIELD(name) offsetof(extract_settings, name)

static const cli_option extract_options[] = {
    {"wrapper", 'w', CLI_FILE, "FILE", "the wrapper to run, as `thresh learn` wrote it",
     FIELD(wrapper), .required = "a wrapper"},
    {"columns", 0, CLI_TEXT, "LIST", CLI_COLUMNS_HELP, FIELD(columns)},
    {"join", 0, CLI_TEXT, "TEXT", CLI_JOIN_HELP, FIELD(join), .needs = "columns"},
    {"stream", 0, CLI_FLAG, NULL,
     "softmealy: read pages piece by piece, as UTF-8, and write\n"
     "records as they come (always done for files larger than\n"
     "--max-bytes)",
     FIELD(stream)},
    {"verify", 0, CLI_FLAG, NULL,
     "verify first: if the site has changed, write no records\n"
     "and exit with status 3",
     FIELD(verify)},
    {"anyway", 0, CLI_FLAG, NULL, "with --verify: write them anyway", FIELD(anyway),
     .needs = "verify"},
    {"alpha", 0, CLI_CHANCE, "P", "with --verify: see `thresh verify`", FIELD(alpha),
     .needs = "verify"},
};

static const cli_group extract_group = CLI_GROUP("What to run", extract_options, true);
static const cli_group *const groups[] = {&extract_group,   &cli_records_group, &cli_project_group,
                                          &cli_long_group,  &cli_page_group,    &cli_follow_group,
                                          &cli_fetch_group, &cli_common_group,  NULL};

typedef struct extraction {
    th_wrapper *wrapper;
    th_writer *writer;
    th_check *check; /* NULL without --verify */
    FILE *spool;     /* output that waits for the verdict */
} extraction;

static th_status take(cli_run *run, const th_page *page, const th_input *input, th_records *records,
                      void *context, th_error *err)
{
    extraction *e = context;
    double explained = th_records_explained(records);
    if (th_records_count(records) == 0)
        cli_note_empty(run, page, th_input_name(input),
                       explained >= 0 ? "no records: the page does not match this wrapper"
                                      : "no records: this wrapper finds none on this page");
    else if (run->set.verbose && explained >= 0)
        cli_note(run, th_input_name(input), "%.0f%% explained", 100 * explained);
    th_status status = e->check ? th_check_add(e->check, page, records, err) : TH_OK;
    if (!status)
        status = cli_add_records(run, e->writer, records, err);
    th_records_free(records);
    return status;
}

/* ---- a page that is read piece by piece ---- */

enum { PIECE = 256 << 10, LARGEST = 256 << 20 /* a page, unless --max-bytes says otherwise */ };

/* Archives are recognised by their first bytes; their pages are never that large. */
static bool is_archive(const char *path)
{
    static const char *const begins[] = {"\x1F\x8B", "WARC/", "filedesc:"};
    char head[16];
    FILE *file = fopen(path, "rb");
    size_t len = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (len >= strlen(begins[i]) && !memcmp(head, begins[i], strlen(begins[i])))
            return true;
    return false;
}

/* Returns true if an input is better streamed: a plain file, not an archive, larger than a page may
 * be. */
static bool wants_stream(const cli_run *run, const char *path)
{
    struct stat status;
    uint64_t most = run->set.max_bytes ? run->set.max_bytes : LARGEST;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && (uint64_t)status.st_size > most &&
           !is_archive(path);
}

static th_status write_out(cli_run *run, th_writer *writer, th_records *records, uint64_t *count,
                           th_error *err)
{
    if (!records)
        return TH_OK;
    *count += th_records_count(records);
    th_status status = cli_add_records(run, writer, records, err);
    th_records_free(records);
    return status;
}

/* Reads to the end. *read_err is about the page, err about the output. */
static th_status pump(cli_run *run, FILE *file, th_stream *stream, th_writer *writer,
                      uint64_t *count, th_status *read_status, th_error *read_err, th_error *err)
{
    th_status status = TH_OK;
    char *piece = malloc(PIECE);
    bool last = piece == NULL;
    if (!piece)
        *read_status = cli_no_memory(read_err);
    while (!status && !*read_status && !last && !cli_stopped()) {
        th_records *records = NULL;
        size_t len = fread(piece, 1, PIECE, file);
        last = len < PIECE;
        if (ferror(file)) {
            *read_status = cli_fail(read_err, TH_ERR_IO, "cannot be read: %s", strerror(errno));
            break;
        }
        *read_status = th_stream_feed(stream, (th_str){piece, len}, &records, read_err);
        status = write_out(run, writer, records, count, err);
        if (!status && !*read_status && last) {
            *read_status = th_stream_finish(stream, &records, read_err);
            status = write_out(run, writer, records, count, err);
        }
    }
    free(piece);
    return cli_stopped() ? TH_ERR_CANCELLED : status;
}

/* Streams a file, - for standard input, through the wrapper to the writer. An input that cannot be
 * read is reported, and is not an error here; only output that cannot be written is. */
static th_status stream_file(cli_run *run, const th_wrapper *wrapper, const char *path,
                             th_writer *writer, th_error *err)
{
    th_str name = th_str_from(path);
    th_records_source source = {name, th_str_from(run->set.url)};
    th_stream *stream = NULL;
    th_error problem = {0};
    uint64_t count = 0;
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    if (!file) {
        cli_error(run, name, "cannot be read: %s", strerror(errno));
        return TH_OK;
    }
    cli_catch_signals(run);
    th_status failed = th_stream_new(wrapper, &source, &stream, &problem), status = TH_OK;
    if (!failed)
        status = pump(run, file, stream, writer, &count, &failed, &problem, err);
    if (failed)
        cli_error(run, name, "%s", problem.message);
    else if (!status && !count)
        cli_note_empty(run, NULL, name, "no records: this wrapper finds none on this page");
    run->pages += !failed;
    th_stream_free(stream);
    if (file != stdin)
        fclose(file);
    return status;
}

/* ---- --verify ---- */

static th_status spool_write(void *context, const char *bytes, size_t len, th_error *err)
{
    extraction *e = context;
    if (fwrite(bytes, 1, len, e->spool) == len)
        return TH_OK;
    return cli_fail(err, TH_ERR_IO, "cannot write the temporary file");
}

/* A writer with a file of its own does not replace it before it is finished. */
static th_status open_spool(cli_run *run, extraction *e, th_error *err)
{
    if (!e->check || run->set.output)
        return TH_OK;
    e->spool = tmpfile();
    return e->spool ? TH_OK : cli_fail(err, TH_ERR_IO, "cannot make a temporary file");
}

static th_status release_spool(cli_run *run, extraction *e, th_error *err)
{
    char bytes[1 << 16];
    size_t len;
    th_sink sink = cli_sink_out(&run->sink);
    th_status status = TH_OK;
    rewind(e->spool);
    while (!status && (len = fread(bytes, 1, sizeof bytes, e->spool)) > 0)
        status = sink.write(sink.context, bytes, len, err);
    return status;
}

/* Sets run->drift, and prints what has changed. */
static th_status judge(cli_run *run, extraction *e, th_error *err)
{
    const extract_settings *own = run->own;
    th_verdict *verdict;
    th_status status = th_check_verdict(e->check, own->alpha, &verdict, err);
    if (status)
        return status;
    run->drift = th_verdict_drift(verdict);
    for (size_t i = 0; i < th_verdict_count(verdict); i++) {
        const th_evidence *ev = th_verdict_get(verdict, i);
        th_str name = ev->path.ptr ? ev->path : th_str_from("records");
        if (ev->drift || ev->changed)
            cli_note(run, (th_str){0}, "%s: %.*s: %.*s",
                     ev->drift && run->drift ? "drift" : "changed", (int)name.len, name.ptr,
                     (int)ev->words.len, ev->words.ptr);
    }
    /* Records that are held back are not part of the run; the verdict is. */
    if (run->drift && !own->anyway)
        status = cli_project_drop(run, err);
    if (!status)
        status = cli_project_verdict(run, verdict, th_verdict_word(verdict), err);
    th_verdict_free(verdict);
    return status;
}

/* ---- the run ---- */

/* Runs the inputs in order: each streamed one by itself, those between them together. */
static th_status run_inputs(cli_run *run, extraction *e, th_error *err)
{
    const extract_settings *own = run->own;
    bool can = th_wrapper_streams(e->wrapper) && !run->set.split && !run->journal;
    th_status status = TH_OK;
    if (run->set.project) /* which keeps pages whole */
        return cli_run_wrapper(run, run->operands, run->operand_count, e->wrapper, take, e);
    for (size_t i = 0, next; !status && i < run->operand_count; i = next) {
        next = i + 1;
        if (own->stream || (can && wants_stream(run, run->operands[i]))) {
            status = stream_file(run, e->wrapper, run->operands[i], e->writer, err);
            continue;
        }
        while (next < run->operand_count && !(can && wants_stream(run, run->operands[next])))
            next++;
        status = cli_run_wrapper(run, run->operands + i, next - i, e->wrapper, take, e);
    }
    return status;
}

static th_status finish(cli_run *run, extraction *e, th_error *err)
{
    const extract_settings *own = run->own;
    th_status status = e->check && run->pages ? judge(run, e, err) : TH_OK;
    cli_tell_empty(run);
    if (!status && run->drift && !own->anyway) {
        cli_note(run, (th_str){0},
                 "the site has changed: no records were written; --anyway writes them");
        return TH_OK;
    }
    bool answer = run->records || cli_format(run) == TH_FORMAT_PAGES;
    if (status || cli_leave_output(run, run->set.output, answer) || (e->check && !run->pages))
        return status;
    if (!e->spool)
        return cli_finish_records(run, e->writer, err);
    status = th_writer_finish(e->writer, err);
    if (!status)
        status = release_spool(run, e, err);
    return status ? status : cli_sink_finish(&run->sink, err);
}

/* The journal names the wrapper by a hash: another wrapper would give other records. */
static bool open_journal(cli_run *run, const extraction *e)
{
    th_text text = {0};
    cli_text about = {0};
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    bool ok = !th_wrapper_write(e->wrapper, &text, NULL);
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.ptr[i]) * 1099511628211u;
    cli_printf(&about, "extract wrapper %016llx ", (unsigned long long)hash);
    ok = ok && cli_open_journal(run, &about);
    th_text_release(&text);
    return ok;
}

/* The writer has a file of its own for -o: the sink is standard output. */
static th_status write_records(cli_run *run, extraction *e, th_error *err)
{
    const extract_settings *own = run->own;
    if (own->verify && !cli_needs_profile(run, e->wrapper, own->wrapper))
        return TH_OK;
    if (run->set.resume && !open_journal(run, e))
        return TH_OK;
    th_status status = own->verify ? th_check_new(e->wrapper, false, &e->check, err) : TH_OK;
    if (!status)
        status = open_spool(run, e, err);
    if (!status)
        status = cli_sink_open(&run->sink, NULL, err);
    if (!status)
        status = cli_writer_to(run, th_wrapper_schema(e->wrapper),
                               e->spool ? (th_sink){spool_write, e} : cli_sink_out(&run->sink),
                               &e->writer, err);
    if (status)
        return status;
    status = run_inputs(run, e, err);
    return status ? status : finish(run, e, err);
}

static int run_extract(cli_run *run)
{
    const extract_settings *own = run->own;
    extraction e = {0};
    th_error err;
    th_status status = TH_OK;
    if (own->stream && run->set.project)
        return cli_usage_error(
            run->command, "--stream cannot be used with --project: a project stores whole pages");
    if (own->stream && cli_format(run) == TH_FORMAT_PAGES)
        return cli_usage_error(run->command, "-f pages cannot be used with --stream, which writes "
                                             "records as they come: choose another format");
    if ((own->stream || own->verify) && (run->set.resume || run->set.split))
        return cli_usage_error(run->command, "--%s cannot be used with --%s",
                               own->stream ? "stream" : "verify",
                               run->set.resume ? "resume" : "split");
    if (own->stream && own->verify)
        return cli_usage_error(run->command, "--verify needs whole pages: leave --stream out");
    if (own->columns && (own->stream || own->verify))
        return cli_usage_error(run->command, "--columns cannot be used with --%s",
                               own->stream ? "stream" : "verify");
    bool read = cli_read_wrapper(run, own->wrapper, &e.wrapper);
    if (read && own->columns)
        status = th_wrapper_set_columns(e.wrapper, own->columns, own->join, &err);
    if (read && !status)
        status = write_records(run, &e, &err);
    th_writer_free(e.writer);
    th_check_free(e.check);
    th_wrapper_free(e.wrapper);
    if (e.spool)
        fclose(e.spool);
    return cli_run_end(run, status, &err);
}

static const char *const examples[] = {
    "thresh extract -w books.json shop/", "thresh extract -w books.json -f csv -o books.csv shop/",
    "thresh extract --verify -w books.json -o books.csv shop/",
    "thresh extract -w books.json --split 3/20 --resume 3.journal -o 3.ndjson crawl/", NULL};

const cli_command cli_extract = {
    .name = "extract",
    .operands = "INPUT...",
    .summary = "run a wrapper on pages and print their records",
    .about = "Applies the rules of a wrapper to pages and prints their records. Every page has the "
             "wrapper's\n"
             "columns; a note reports each page without records.\n",
    .examples = examples,
    .options = groups,
    .own_size = sizeof(extract_settings),
    .least = 1,
    .run = run_extract,
};
