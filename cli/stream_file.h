/* stream_file.h: records of a page that is too large to be held, read piece by piece. */
#ifndef CLI_STREAM_FILE_H
#define CLI_STREAM_FILE_H

#include "run.h"

/* Returns true if an input is better streamed: a plain file, no archive, larger than a page may be.
 */
bool cli_wants_stream(const cli_run *run, const char *path);

/* Streams a file, - for standard input, through the wrapper to the writer. An input that cannot be
 * read is reported, and is no failure here; only output that cannot be written is. */
th_status cli_stream_file(cli_run *run, const th_wrapper *wrapper, const char *path,
                          th_writer *writer, th_error *err);

#endif
