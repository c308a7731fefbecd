/* sink.c: where a command's output goes. */
#include "sink.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "growing_text.h"

static th_status failed(cli_sink *sink, int number, th_error *err)
{
    sink->closed = number == EPIPE;
    return cli_fail(err, TH_ERR_IO, "standard output: cannot be written: %s", strerror(number));
}

static th_status write_all(void *context, const char *bytes, size_t len, th_error *err)
{
    cli_sink *sink = context;
    if (sink->terminal)
        cli_progress_hide(sink->progress);
    while (len) {
        ssize_t wrote = write(STDOUT_FILENO, bytes, len);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return failed(sink, errno, err);
        bytes += wrote;
        len -= (size_t)wrote;
    }
    return TH_OK;
}

th_status cli_sink_open(cli_sink *sink, const char *path, th_error *err)
{
    *sink = (cli_sink){.terminal = !path && isatty(STDOUT_FILENO)};
    return path ? th_file_new(path, &sink->file, err) : TH_OK;
}

th_sink cli_sink_out(cli_sink *sink)
{
    return sink->file ? th_file_sink(sink->file) : (th_sink){write_all, sink};
}

th_status cli_sink_finish(cli_sink *sink, th_error *err)
{
    if (sink->file)
        return th_file_finish(sink->file, err);
    /* Some file systems report a full disk only here. */
    return close(STDOUT_FILENO) == 0 || errno == EBADF ? TH_OK : failed(sink, errno, err);
}

void cli_sink_release(cli_sink *sink)
{
    th_file_free(sink->file);
    sink->file = NULL;
}

int cli_print_and_exit_code(const char *bytes, size_t len)
{
    cli_sink sink;
    th_error err;
    if (cli_sink_open(&sink, NULL, &err) == TH_OK && write_all(&sink, bytes, len, &err) == TH_OK &&
        cli_sink_finish(&sink, &err) == TH_OK)
        return 0;
    if (sink.closed)
        return cli_die_of_closed_pipe();
    fprintf(stderr, "thresh: %s\n", err.message);
    return 1;
}

int cli_die_of_closed_pipe(void)
{
    struct sigaction normal = {.sa_handler = SIG_DFL};
    sigaction(SIGPIPE, &normal, NULL);
    raise(SIGPIPE);
    return 1;
}
