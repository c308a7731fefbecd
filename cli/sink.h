/*
 * sink.h: where a command's output goes.
 *
 * Standard output is written without stdio, and every write is checked. A reader that has gone away
 * (`| head`) is not an error: it ends the run quietly, as the signal would have done. A full
 * disk is one, with a message.
 */
#ifndef CLI_SINK_H
#define CLI_SINK_H

#include <thresh.h>

#include "progress.h"

typedef struct cli_sink {
    th_file *file;          /* the file of -o, or NULL: standard output */
    cli_progress *progress; /* hidden before something goes to a terminal */
    bool terminal;
    bool closed; /* the reader has gone away */
} cli_sink;

/* path NULL: standard output. */
th_status cli_sink_open(cli_sink *sink, const char *path, th_error *err);
/* The library's view of it; the cli_sink must stay where it is. */
th_sink cli_sink_out(cli_sink *sink);
/* Completes the output. */
th_status cli_sink_finish(cli_sink *sink, th_error *err);
/* Frees; what was not finished is undone. */
void cli_sink_release(cli_sink *sink);

/* Writes to standard output and closes it: for help and the like. The exit code. */
int cli_print_and_exit_code(const char *bytes, size_t len);
/* Ends the process as SIGPIPE does, or with code 1 where that is ignored. */
int cli_die_of_closed_pipe(void);

#endif
