/* steps.c: see steps.h. */
#include "steps.h"

#include <stdio.h>

static th_status add_lines(void *context, const char *bytes, size_t len, th_error *err)
{
    serve_steps *steps = context;
    if (steps->text.len + len > SERVE_MOST_STEPS) {
        *err = (th_error){.status = TH_ERR_LIMIT, .offset = TH_NO_OFFSET};
        snprintf(err->message, sizeof err->message,
                 "the page has too many steps to show: `thresh regions --trace` writes them all");
        return TH_ERR_LIMIT;
    }
    if (steps->text.len)
        serve_puts(&steps->text, ",");
    serve_put(&steps->text, bytes, len);
    return TH_OK;
}

void serve_steps_init(serve_steps *steps)
{
    *steps = (serve_steps){.trace = {.sink = {add_lines, steps}, .json = true}};
}

void serve_steps_put(const serve_steps *steps, serve_text *out)
{
    serve_puts(out, "{\"steps\":[");
    serve_put(out, steps->text.ptr ? steps->text.ptr : "", steps->text.len);
    serve_puts(out, "]}");
    out->failed = out->failed || steps->text.failed;
}
