/*
 * cmd_extract.c: `thresh extract`: runs a wrapper on pages.
 *
 * All workers share the wrapper, which does not change.
 */
#include "stream_file.h"

typedef struct extract_settings {
    const char *wrapper;
    bool stream;
} extract_settings;

static const cli_option extract_options[] = {
    {"wrapper", 'w', CLI_FILE, "FILE", "the wrapper to run, as `thresh learn` wrote it",
     offsetof(extract_settings, wrapper)},
    {"stream", 0, CLI_FLAG, NULL,
     "softmealy: read pages piece by piece, as UTF-8, and write\n"
     "records as they come; files larger than --max-bytes are\n"
     "read so in any case",
     offsetof(extract_settings, stream)},
};

static const cli_group extract_group = CLI_GROUP("What to run", extract_options, true);
static const cli_group *const groups[] = {&extract_group,
                                          &cli_records_group,
                                          &cli_project_group,
                                          &cli_page_group,
                                          &cli_fetch_group,
                                          &cli_common_group,
                                          NULL};

typedef struct extraction {
    th_wrapper *wrapper;
    th_writer *writer;
} extraction;

static th_status work(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void **result, th_error *err)
{
    const extraction *e = context;
    th_records_source source = {th_input_name(input), th_page_url(page)};
    th_records *records = NULL;
    th_status status = th_wrapper_extract(e->wrapper, page, &source, &records, err);
    *result = records;
    return status;
}

static void discard(void *result)
{
    th_records_free(result);
}

static th_status done(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void *result, th_error *err)
{
    extraction *e = context;
    double explained = th_records_explained(result);
    if (th_records_count(result) == 0 && explained >= 0)
        cli_note(run, th_input_name(input),
                 "is of another template: %.0f%% of it is explained, and no record is given",
                 100 * explained);
    else if (th_records_count(result) == 0)
        cli_note(run, th_input_name(input), "no records of this wrapper on this page");
    else if (run->set.verbose && explained >= 0)
        cli_note(run, th_input_name(input), "%.0f%% explained", 100 * explained);
    th_status status = cli_add_records(run, e->writer, result, err);
    th_records_free(result);
    return status;
}

/* The inputs in order: those that are streamed one by one, what stands between them together. */
static th_status run_inputs(cli_run *run, extraction *e, th_error *err, bool *told)
{
    const extract_settings *own = run->own;
    cli_job job = {work, done, discard, e};
    bool can = th_wrapper_streams(e->wrapper);
    th_status status = TH_OK;
    if (run->set.project) { /* which keeps pages whole */
        status = cli_run_pages(run, run->operands, run->operand_count, &job);
        *told = status != TH_OK;
        return status;
    }
    for (size_t i = 0, next; !status && i < run->operand_count; i = next) {
        next = i + 1;
        if (own->stream || (can && cli_wants_stream(run, run->operands[i]))) {
            status = cli_stream_file(run, e->wrapper, run->operands[i], e->writer, err);
            continue;
        }
        while (next < run->operand_count && !(can && cli_wants_stream(run, run->operands[next])))
            next++;
        status = cli_run_pages(run, run->operands + i, next - i, &job);
        *told = status != TH_OK;
    }
    return status;
}

/* The writer has a file of its own for -o: the sink is standard output. */
static th_status write_records(cli_run *run, extraction *e, th_error *err, bool *told)
{
    th_status status = cli_sink_open(&run->sink, NULL, err);
    if (!status)
        status = cli_writer_new(run, th_wrapper_schema(e->wrapper), &e->writer, err);
    if (status)
        return status;
    status = run_inputs(run, e, err, told);
    if (status || cli_leave_output(run))
        return status;
    status = th_writer_finish(e->writer, err);
    if (!status && !run->set.output)
        status = cli_sink_finish(&run->sink, err);
    return status;
}

static int run_extract(cli_run *run)
{
    const extract_settings *own = run->own;
    extraction e = {0};
    th_error err;
    bool told = false;
    th_status status = TH_OK;
    if (!own->wrapper)
        return cli_usage_error(run->command, "extract needs a wrapper: -w FILE");
    if (own->stream && run->set.project)
        return cli_usage_error(run->command, "a project keeps pages whole: --stream is without it");
    if (own->stream && cli_format(run) == TH_FORMAT_PAGES)
        return cli_usage_error(run->command,
                               "-f pages holds the records of a page together, and --stream writes "
                               "them as they come: take another format");
    if (cli_read_wrapper(run, own->wrapper, &e.wrapper))
        status = write_records(run, &e, &err, &told);
    th_writer_free(e.writer);
    th_wrapper_free(e.wrapper);
    return cli_run_end(run, status, told ? NULL : &err);
}

static const char *const examples[] = {"thresh extract -w books.json shop/",
                                       "thresh extract -w books.json -f csv -o books.csv shop/",
                                       NULL};

const cli_command cli_extract = {
    .name = "extract",
    .operands = "INPUT...",
    .summary = "run a wrapper on pages and print their records",
    .about = "Prints the records of pages by the rules of a wrapper, without searching anew. Every "
             "page has\n"
             "the wrapper's columns; one without any record gives none, and a note says so.\n",
    .examples = examples,
    .options = groups,
    .own_size = sizeof(extract_settings),
    .least = 1,
    .run = run_extract,
};
