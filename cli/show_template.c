/* show_template.c: see show_template.h. */
#include "show_template.h"

#include <string.h>

#include "growing_text.h"
#include "in_project.h"
#include "wrapper_run.h"

enum { MOST = 100 }; /* pages whose values are shown: nobody reads more side by side */

typedef struct templates {
    th_wrapper *wrapper;
    th_records *pages[MOST];
    size_t count;
} templates;

static th_status take(cli_run *run, const th_page *page, const th_input *input, th_records *records,
                      void *context, th_error *err)
{
    templates *t = context;
    if (t->count < MOST)
        t->pages[t->count++] = records;
    else
        th_records_free(records);
    return TH_OK;
}

static th_status print(cli_run *run, const templates *t, th_error *err)
{
    th_text text = {0};
    cli_text out = {0};
    th_status status =
        th_wrapper_template(t->wrapper, (const th_records *const *)t->pages, t->count, &text, err);
    th_sink sink = cli_sink_out(&run->sink);
    out.sink = &sink;
    for (const char *at = text.ptr, *end = at + text.len; !status && at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        cli_put_safe(&out, (th_str){at, (size_t)(newline - at)}, 0);
        cli_puts(&out, "\n");
        at = newline + 1;
    }
    if (!status && cli_text_flush(&out)) {
        status = out.status;
        *err = out.error;
    }
    cli_text_release(&out);
    th_text_release(&text);
    return status ? status : cli_sink_finish(&run->sink, err);
}

int show_template(cli_run *run)
{
    templates t = {0};
    th_error err;
    bool told = false;
    th_status status = TH_OK;
    if (cli_read_wrapper(run, run->operands[0], &t.wrapper)) {
        status = cli_sink_open(&run->sink, run->set.output, &err);
        if (!status && run->operand_count > 1) {
            status = cli_run_wrapper(run, run->operands + 1, run->operand_count - 1, t.wrapper,
                                     take, &t);
            told = status != TH_OK;
        }
        if (!status && (status = print(run, &t, &err)) == TH_ERR_ARGUMENT) {
            cli_error(run, th_str_from(run->operands[0]), "%s", err.message);
            status = TH_OK;
        }
    }
    for (size_t i = 0; i < t.count; i++)
        th_records_free(t.pages[i]);
    th_wrapper_free(t.wrapper);
    return cli_run_end(run, status, told ? NULL : &err);
}
