/*
 * wrapper_file.h: writing wrapper files, and the profile that goes with a new one.
 *
 * A profile is of the values that the wrapper itself gives for the pages it was learnt from. These
 * pages have gone by when the wrapper is ready, and standard input cannot be read twice: so the
 * first of them are kept.
 */
#ifndef CLI_WRAPPER_FILE_H
#define CLI_WRAPPER_FILE_H

#include "run.h"

/* The options that `repair` and `monitor` share. */
#define CLI_NEW_FIELDS_HELP                                                                        \
    "add new columns to a repaired wrapper, after the old ones"
#define CLI_ALLOW_LOST_HELP                                                                        \
    "accept a repaired wrapper that does not find all\n"                                           \
    "fields again (default: a lost field is drift)"

/* Writes a wrapper to a path (NULL: the run's output), whole or not at all. */
th_status cli_write_wrapper(cli_run *run, const th_wrapper *wrapper, const char *path,
                            th_error *err);

/* Reads a level of significance; NULL gives 0, which means the default. False for what is none. */
bool cli_read_alpha(const char *text, double *out);

/* Whether the wrapper has a profile; says what to do when it has none. */
bool cli_needs_profile(cli_run *run, const th_wrapper *wrapper, const char *name);
/* Prints what there is to tell to the run's output: text made safe for a terminal, or JSON as it
 * is, on a line. */
th_status cli_print_report(cli_run *run, th_str text, bool json, th_error *err);
/* Now, in universal time, as ISO 8601. */
const char *cli_now(char *out, size_t size);

/* Pages kept for later, up to a number and a size. */
typedef struct cli_kept_page {
    char *text, *name, *url;
    size_t len;
} cli_kept_page;

typedef struct cli_kept {
    cli_kept_page *pages;
    size_t count, bytes;
} cli_kept;

/* Keeps a page where there is still room; without memory it is not kept. */
void cli_keep_page(cli_kept *kept, const th_page *page, th_str name);
void cli_kept_release(cli_kept *kept);
/* The page again. Borrows the kept text; caller frees. */
th_status cli_kept_parse(th_parser *parser, const cli_kept_page *kept, th_page **out,
                         th_error *err);
/* Gives the wrapper the profile of the kept pages. A wrapper that finds nothing on them gets none,
 * and a note says so. */
th_status cli_profile(cli_run *run, const cli_kept *kept, th_wrapper *wrapper, th_error *err);

#endif
