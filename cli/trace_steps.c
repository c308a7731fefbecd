/* trace_steps.c: see trace_steps.h. */
#include "trace_steps.h"

typedef struct steps {
    const th_regions_options *regions;
    show_format format;
    bool begun; /* something was written */
    cli_text out;
    th_sink to; /* the run's output */
    th_trace trace;
    th_corpus *corpus; /* of learning */
} steps;

/* Gets whole lines: JSON as it is, text made safe for a terminal. */
static th_status write_lines(void *context, const char *bytes, size_t len, th_error *err)
{
    steps *s = context;
    if (s->format == SHOW_JSON) {
        cli_puts(&s->out, s->begun ? ",\n" : "[\n");
        len--;
    }
    s->begun = true;
    if (s->format == SHOW_READABLE)
        cli_put_safe_lines(&s->out, (th_str){bytes, len});
    else
        cli_put(&s->out, bytes, len);
    if (s->out.status)
        *err = s->out.error;
    return s->out.status;
}

static th_status begin(cli_run *run, steps *s, show_format format, th_error *err)
{
    s->format = format;
    s->trace = (th_trace){.sink = {write_lines, s}, .json = format != SHOW_READABLE};
    th_status status = cli_sink_open(&run->sink, run->set.output, err);
    s->to = cli_sink_out(&run->sink);
    s->out.sink = &s->to;
    return status;
}

static int end(cli_run *run, steps *s, th_status status, th_error *err)
{
    if (!status && s->format == SHOW_JSON)
        cli_puts(&s->out, s->begun ? "\n]\n" : "[]\n");
    if (!status && (status = cli_text_flush(&s->out)))
        *err = s->out.error;
    if (!status && !cli_leave_output(run, run->set.output, run->pages))
        status = cli_sink_finish(&run->sink, err);
    cli_text_release(&s->out);
    return cli_run_end(run, status, err);
}

/* ---- regions --------------------------------------------------------------------------------- */

static th_status find_lists(cli_run *run, const th_page *page, const th_input *input, void *context,
                            void *result, th_error *err)
{
    steps *s = context;
    th_regions *regions = NULL;
    th_records_source source = {th_input_name(input), th_page_url(page)};
    th_regions_options options = *s->regions;
    options.trace = &s->trace;
    th_status status = th_regions_find(page, &source, &options, &regions, err);
    th_regions_free(regions);
    return status;
}

int trace_regions(cli_run *run, const th_regions_options *options)
{
    th_format format = cli_format(run);
    steps s = {.regions = options};
    th_error err;
    if (format != TH_FORMAT_TABLE && format != TH_FORMAT_NDJSON && format != TH_FORMAT_JSON)
        return cli_usage_error(run->command, "--trace shows steps, not records: -f table, json or "
                                             "ndjson");
    th_status status = begin(run, &s,
                             format == TH_FORMAT_TABLE    ? SHOW_READABLE
                             : format == TH_FORMAT_NDJSON ? SHOW_NDJSON
                                                          : SHOW_JSON,
                             &err);
    cli_job job = {.done = find_lists, .context = &s};
    if (!status)
        status = cli_run_pages(run, run->operands, run->operand_count, &job);
    return end(run, &s, status, &err);
}

/* ---- learning -------------------------------------------------------------------------------- */

static th_status add_page(cli_run *run, const th_page *page, const th_input *input, void *context,
                          void *result, th_error *err)
{
    th_records_source source = {th_input_name(input), th_page_url(page)};
    return th_corpus_add(((steps *)context)->corpus, page, &source, err);
}

int trace_learning(cli_run *run, const th_learn_options *given, const char *labels_path,
                   show_format format)
{
    steps s = {0};
    th_labels *labels = NULL;
    th_wrapper *wrapper = NULL;
    th_learn_options options = *given;
    th_error err;
    th_status status = th_corpus_new(&s.corpus, &err);
    if (!status && labels_path)
        status = cli_read_labels(labels_path, &labels, &err);
    if (!status)
        th_corpus_set_labels(s.corpus, labels);
    if (!status)
        status = begin(run, &s, format, &err);
    cli_job job = {.done = add_page, .context = &s};
    if (!status) {
        status = cli_run_pages(run, run->operands, run->operand_count, &job);
    }
    options.trace = &s.trace;
    options.no_profile = true;
    if (!status && run->pages)
        status = th_learn(s.corpus, &options, &wrapper, NULL, &err);
    if (!status && run->pages && !s.begun)
        cli_note(run, (th_str){0}, "engine %s has no steps to show", options.engine);
    th_wrapper_free(wrapper);
    th_corpus_free(s.corpus);
    th_labels_free(labels);
    return end(run, &s, status, &err);
}
