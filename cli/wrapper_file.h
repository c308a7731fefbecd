/* wrapper_file.h: writes wrapper files and reports what they hold. */
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
/* Prints what there is to tell to the run's output: text made safe for a terminal, or JSON as it
 * is, on a line. */
th_status cli_print_report(cli_run *run, th_str text, bool json, th_error *err);
/* Now, in universal time, as ISO 8601. */
const char *cli_now(char *out, size_t size);

/* cmd_learn.c: what a report has to tell; details with -v. */
void cli_tell_remarks(cli_run *run, const th_report *report);

#endif
