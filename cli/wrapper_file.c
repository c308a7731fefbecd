/* wrapper_file.c: writes wrapper files, runs wrappers and prints reports. */
#include "wrapper_file.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

th_status cli_write_wrapper(cli_run *run, const th_wrapper *wrapper, const char *path,
                            th_error *err)
{
    th_text text = {0};
    th_status status = th_wrapper_write(wrapper, &text, err);
    th_str bytes = {text.ptr, text.len};
    if (!status)
        status = path ? cli_write_file(path, bytes, err) : cli_write_text(run, bytes, err);
    th_text_release(&text);
    return status;
}

bool cli_needs_profile(cli_run *run, const th_wrapper *wrapper, const char *name)
{
    if (th_wrapper_has_profile(wrapper))
        return true;
    cli_error(run, th_str_from(name),
              "has no profile: learn it again, or add one from pages that it reads correctly with "
              "`thresh verify --profile FILE -w %s PAGES`",
              name);
    return false;
}

th_status cli_print_report(cli_run *run, th_str text, bool json, th_error *err)
{
    cli_text out = {0};
    if (json) {
        cli_put(&out, text.ptr, text.len);
        cli_puts(&out, "\n");
    } else {
        cli_put_safe_lines(&out, text);
    }
    th_status status = out.status;
    if (status)
        *err = out.error;
    else
        status = cli_write_text(run, (th_str){out.ptr, out.len}, err);
    cli_text_release(&out);
    return status;
}

const char *cli_now(char *out, size_t size)
{
    time_t now = time(NULL);
    struct tm parts;
    return gmtime_r(&now, &parts) && strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &parts) ? out : NULL;
}

/* ---- running a wrapper ---- */

typedef struct wrapper_run {
    const th_wrapper *wrapper;
    cli_take_records take;
    void *context;
} wrapper_run;

static th_status work(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void **result, th_error *err)
{
    const wrapper_run *w = context;
    th_records_source source = {th_input_name(input), th_page_url(page)};
    th_records *records = NULL;
    th_status status = th_wrapper_extract(w->wrapper, page, &source, &records, err);
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
    const wrapper_run *w = context;
    return w->take(run, page, input, result, w->context, err);
}

th_status cli_run_wrapper(cli_run *run, const char *const *inputs, size_t count,
                          const th_wrapper *wrapper, cli_take_records take, void *context)
{
    wrapper_run w = {wrapper, take, context};
    cli_job job = {work, done, discard, &w};
    run->follow_by = wrapper;
    return cli_run_pages(run, inputs, count, &job);
}
