/* show_export.c: see show_export.h. */
#include "show_export.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "in_project.h"

const char *const show_targets[] = {"css", "xpath", "scrapy", "parsel", "python", NULL};
static const th_export_target targets[] = {TH_EXPORT_CSS, TH_EXPORT_XPATH, TH_EXPORT_SCRAPY,
                                           TH_EXPORT_PARSEL, TH_EXPORT_PYTHON};

typedef struct exporting {
    th_wrapper *wrapper;
    th_export *export;
    bool learnt; /* the pages are those that it was learnt from */
} exporting;

static th_status take_page(cli_run *run, const th_page *page, const th_input *input, void *context,
                           void *result, th_error *err)
{
    exporting *e = context;
    th_records_source source = {th_input_name(input), th_input_url(input)};
    if (e->learnt && !th_wrapper_knows_page(e->wrapper, page)) {
        cli_error(run, source.page,
                  "has changed since the wrapper was learnt from it: name the pages that the "
                  "export is to be checked on");
        return TH_OK;
    }
    return th_export_add(e->export, page, &source, err);
}

/* The pages that the wrapper was learnt from, as inputs. NULL, after a message, if they are not all
 * here. Caller frees the array and its texts. */
static char **learnt_pages(cli_run *run, const th_wrapper *wrapper, size_t *count)
{
    size_t pages = th_wrapper_page_count(wrapper);
    char **names = calloc(pages + 1, sizeof *names);
    *count = 0;
    if (!pages)
        cli_error(run, th_str_from(run->operands[0]),
                  "does not say which pages it was learnt from: name pages that the export is to "
                  "be checked on");
    for (size_t i = 0; names && i < pages; i++) {
        th_str name = th_wrapper_page_name(wrapper, i);
        names[i] = strndup(name.ptr, name.len);
        if (names[i] && !access(names[i], R_OK)) {
            ++*count;
            continue;
        }
        cli_error(run, name,
                  "is not here: an export is checked on the pages that the wrapper was learnt "
                  "from, or on others that are named after it");
        break;
    }
    if (*count == pages && pages)
        return names;
    for (size_t i = 0; names && i < pages; i++)
        free(names[i]);
    free(names);
    return NULL;
}

static void tell_refusals(cli_run *run, const exporting *e, bool partial)
{
    th_str name = th_str_from(run->operands[0]);
    for (size_t i = 0; i < th_export_refused_count(e->export); i++) {
        const th_refusal *refusal = th_export_refused(e->export, i);
        const char *what = refusal->field.ptr ? "field \"" : "the records";
        const char *end = refusal->field.ptr ? "\"" : "";
        (partial ? cli_note : cli_error)(run, name, "%s%.*s%s cannot be exported: %.*s", what,
                                         (int)refusal->field.len,
                                         refusal->field.ptr ? refusal->field.ptr : "", end,
                                         (int)refusal->reason.len, refusal->reason.ptr);
    }
}

static th_status write_export(cli_run *run, const exporting *e, size_t target, th_error *err)
{
    th_text text = {0};
    th_status status = th_export_write(e->export, targets[target], &text, err);
    bool refused = status == TH_ERR_FORMAT;
    tell_refusals(run, e, !refused);
    if (status == TH_ERR_ARGUMENT)
        cli_error(run, th_str_from(run->operands[0]), "%s", err->message);
    if (!status)
        status = cli_sink_open(&run->sink, run->set.output, err);
    else if (refused || status == TH_ERR_ARGUMENT)
        goto out;
    if (!status) {
        th_sink sink = cli_sink_out(&run->sink);
        status = sink.write(sink.context, text.ptr, text.len, err);
    }
    if (!status)
        status = cli_sink_finish(&run->sink, err);
out:
    th_text_release(&text);
    return refused || status == TH_ERR_ARGUMENT ? TH_OK : status;
}

int show_export(cli_run *run, size_t target, bool partial)
{
    exporting e = {.learnt = run->operand_count == 1};
    char **names = NULL;
    size_t count = run->operand_count - 1;
    th_error err;
    th_status status = TH_OK;
    bool told = false;
    th_export_options options;
    th_export_options_init(&options);
    options.name = run->operands[0];
    options.partial = partial;
    if (cli_read_wrapper(run, run->operands[0], &e.wrapper) &&
        (!e.learnt || (names = learnt_pages(run, e.wrapper, &count)))) {
        cli_job job = {.done = take_page, .context = &e};
        status = th_export_new(e.wrapper, &options, &e.export, &err);
        if (!status) {
            status = cli_run_pages(run, e.learnt ? (const char *const *)names : run->operands + 1,
                                   count, &job);
            told = status != TH_OK;
        }
        if (!status && !run->failed)
            status = write_export(run, &e, target, &err);
    }
    for (size_t i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
    th_export_free(e.export);
    th_wrapper_free(e.wrapper);
    return cli_run_end(run, status, told ? NULL : &err);
}
