/* wrapper_run.c: see wrapper_run.h. */
#include "wrapper_run.h"

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
