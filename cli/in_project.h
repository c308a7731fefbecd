/*
 * in_project.h: --project: a run that reads from a project file and writes to it.
 *
 * Pages come from the project when no input is given, and go into it when some are; records that a
 * command writes are stored there too, as a run, if it succeeds; wrappers have names there.
 */
#ifndef CLI_IN_PROJECT_H
#define CLI_IN_PROJECT_H

#include <thresh.h>

typedef struct cli_run cli_run;

typedef struct cli_project {
    th_project *file; /* NULL without --project */
    const char *path; /* its name */
    th_str site;
    th_run *run;         /* of the records; NULL until the first */
    char wrapper[256];   /* the name of the wrapper in use, or empty */
    uint32_t version;    /* its version in the project, or 0 */
    const char *verdict; /* of the run, or NULL. Static */
} cli_project;

/* Opens the project that the settings name, if they do. Failures are reported. */
bool cli_project_open(cli_run *run);
/* Completes the run in the project if status is TH_OK, else undoes it. Gives the status. */
th_status cli_project_close(cli_run *run, th_status status, th_error *err);

/* The pages of the run: of the inputs, or of the project when there are none. */
th_status cli_project_feed(cli_run *run, const char *const *inputs, size_t count,
                           const th_feed_options *options, th_feed **out, th_error *err);
/* Stores a page that was read, unless it came from the project. */
th_status cli_project_keep(cli_run *run, const th_input *input, th_error *err);

/* Writes records, if there is a writer, and stores them in the project. */
th_status cli_add_records(cli_run *run, th_writer *writer, const th_records *records,
                          th_error *err);
/* Drops the records of the run so far. TH_OK. */
th_status cli_project_drop(cli_run *run, th_error *err);
/* Stores a verdict in the project, field by field: in a run of its own, or in the one that has
 * begun. The word is the verdict of the run: static. */
th_status cli_project_verdict(cli_run *run, const th_verdict *verdict, const char *word,
                              th_error *err);
/* Reads the wrapper of -w: a file, or with --project a name, NAME or NAME@VERSION. Failures are
 * reported. */
bool cli_read_wrapper(cli_run *run, const char *name, th_wrapper **out);
/* Returns true if the wrapper that was read is one of the project. */
bool cli_is_stored(const cli_run *run);
/* Keeps a wrapper as the next version of the one that was read from the project; a note says so. */
th_status cli_store_wrapper(cli_run *run, const th_wrapper *wrapper, th_error *err);

#endif
