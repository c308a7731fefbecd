/* wrapper_file.h: writes wrapper files, runs wrappers and prints reports. */
#ifndef CLI_WRAPPER_FILE_H
#define CLI_WRAPPER_FILE_H

#include "run.h"

/* The options that `repair` and `monitor` share. */
#define CLI_NEW_FIELDS_HELP "add new columns to a repaired wrapper, after the old ones"
#define CLI_ALLOW_LOST_HELP                                                                        \
    "accept a repaired wrapper that does not find all\n"                                           \
    "fields again (default: a lost field is drift)"

/* The options that `learn` and `extract` share. */
#define CLI_COLUMNS_HELP                                                                           \
    "columns in this order, separated by commas:\n"                                                \
    "OLD=NEW renames, A+B=NEW merges, NAME:TYPE says what it\n"                                    \
    "is (number, price, date, text), * is all others"
#define CLI_JOIN_HELP "with --columns: text between merged values (default: a blank)"

/* Writes a wrapper to a path (NULL: the run's output), whole or not at all. */
th_status cli_write_wrapper(cli_run *run, const th_wrapper *wrapper, const char *path,
                            th_error *err);

/* Returns true if the wrapper has a profile; says what to do when it has none. */
bool cli_needs_profile(cli_run *run, const th_wrapper *wrapper, const char *name);
/* Prints a report to the run's output: text made safe for a terminal, or JSON as it is, on a line.
 */
th_status cli_print_report(cli_run *run, th_str text, bool json, th_error *err);
/* Now, in universal time, as ISO 8601. */
const char *cli_now(char *out, size_t size);

/* cmd_learn.c: prints the remarks of a report; details with -v. */
void cli_tell_remarks(cli_run *run, const th_report *report);

/* Takes the records of a page, in the main thread and in the order of the inputs, and frees them.
 * An error stops the run. */
typedef th_status (*cli_take_records)(cli_run *run, const th_page *page, const th_input *input,
                                      th_records *records, void *context, th_error *err);

/* Runs a wrapper on the pages of the inputs, in many threads; all else as cli_run_pages. */
th_status cli_run_wrapper(cli_run *run, const char *const *inputs, size_t count,
                          const th_wrapper *wrapper, cli_take_records take, void *context);

#endif
