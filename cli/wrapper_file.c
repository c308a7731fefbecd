/* wrapper_file.c: writes wrapper files and reports what they hold. */
#include "wrapper_file.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static th_status write_file(const char *path, th_str text, th_error *err)
{
    th_file *file;
    th_status status = th_file_new(path, &file, err);
    if (status)
        return status;
    th_sink sink = th_file_sink(file);
    status = sink.write(sink.context, text.ptr, text.len, err);
    if (!status)
        status = th_file_finish(file, err);
    th_file_free(file);
    return status;
}

static th_status write_sink(cli_run *run, th_str text, th_error *err)
{
    th_status status = cli_sink_open(&run->sink, run->set.output, err);
    if (!status) {
        th_sink sink = cli_sink_out(&run->sink);
        status = sink.write(sink.context, text.ptr, text.len, err);
    }
    return status ? status : cli_sink_finish(&run->sink, err);
}

th_status cli_write_wrapper(cli_run *run, const th_wrapper *wrapper, const char *path,
                            th_error *err)
{
    th_text text = {0};
    th_status status = th_wrapper_write(wrapper, &text, err);
    th_str bytes = {text.ptr, text.len};
    if (!status)
        status = path ? write_file(path, bytes, err) : write_sink(run, bytes, err);
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

static void put_lines(cli_text *out, th_str text)
{
    for (const char *at = text.ptr, *end = at + text.len; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        cli_put_safe(out, (th_str){at, (size_t)(newline - at)}, 0);
        cli_puts(out, "\n");
        at = newline + 1;
    }
}

th_status cli_print_report(cli_run *run, th_str text, bool json, th_error *err)
{
    cli_text out = {0};
    if (json) {
        cli_put(&out, text.ptr, text.len);
        cli_puts(&out, "\n");
    } else {
        put_lines(&out, text);
    }
    th_status status = out.status;
    if (status)
        *err = out.error;
    else
        status = write_sink(run, (th_str){out.ptr, out.len}, err);
    cli_text_release(&out);
    return status;
}

const char *cli_now(char *out, size_t size)
{
    time_t now = time(NULL);
    struct tm parts;
    return gmtime_r(&now, &parts) && strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &parts) ? out : NULL;
}
