/*
 * run.h: one run of a command: its settings, its errors, and how pages go through it.
 *
 * A command that works on pages hands cli_run_pages a `work` that runs in many threads and a `done`
 * that is called in the order of the inputs; run.c does the reading, errors,
 * progress, signals and the exit code.
 */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "command.h"
#include "progress.h"
#include "in_project.h"
#include "journal.h"
#include "sink.h"

struct cli_run {
    const cli_command *command;
    cli_settings set;
    const void *own; /* the command's own settings */
    const char **operands;
    size_t operand_count;
    bool color;       /* of standard output, or of the file of -o */
    bool color_error; /* of standard error */
    cli_sink sink;
    cli_project project;
    cli_journal *journal;        /* of --resume, or NULL */
    const th_wrapper *follow_by; /* finds the next pages of --follow; NULL: lists do */
    const char *date;            /* of the run, for rows of sqlite; NULL: they have none */
    uint64_t pages, failed;
    uint64_t records, empty; /* records written, pages without any */
    bool left;               /* a file was left unchanged: the exit code is 1 */
    bool reported;           /* the error that stopped the pages has been printed */
    bool drift;              /* the site has changed: the exit code is 3 unless something failed */
};

/* "thresh: NAME: message", on standard error. The name may be absent: the message then has it. An
 * error counts as a failed input; a note does not, and -q suppresses it. */
void cli_error(cli_run *run, th_str name, const char *format, ...) TH_PRINTF(3, 4);
void cli_note(cli_run *run, th_str name, const char *format, ...) TH_PRINTF(3, 4);

typedef struct cli_job {
    /* In any thread. *result goes to done or discard. NULL: the page is only parsed. */
    th_status (*work)(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void **result, th_error *err);
    /* In the main thread, in order, for pages that went well; frees the result. An error stops the
     * run: the output cannot be written. */
    th_status (*done)(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void *result, th_error *err);
    void (*discard)(void *result);
    void *context;
} cli_job;

/* Takes the pages of the inputs through the job. TH_OK even where inputs failed (run->failed counts
 * them); an error, already printed, when the run was stopped. */
th_status cli_run_pages(cli_run *run, const char *const *inputs, size_t count, const cli_job *job);

/* How pages are read, as the settings say. */
void cli_feed_options(const cli_run *run, th_feed_options *options);
void cli_parser_options(const cli_run *run, th_parser_options *options);

/* With -o, a first signal stops the run in good order, so that nothing half done is left behind;
 * cli_stopped returns true if there was one. cli_run_pages does this itself. */
void cli_catch_signals(const cli_run *run);
bool cli_stopped(void);

/* Returns true, and says so, if the output file `path` (NULL: standard output) is to stay as it
 * was, since no page could be read or none of them has records. */
bool cli_leave_output(cli_run *run, const char *path, uint64_t records);
/* Notes on how many pages nothing was found, if there are several. */
void cli_tell_empty(cli_run *run);
/* Notes that a page has no records, and where its data may be instead. */
void cli_note_empty(cli_run *run, const th_page *page, th_str name, const char *what);

/* Prints what stopped the output, unless cli_run_pages has, and gives the exit code of the run. A
 * status of TH_OK means that all was written. `err` may be NULL. */
int cli_run_end(cli_run *run, th_status status, const th_error *err);

/* The whole of a file, - for standard input, with a NUL behind it; the caller frees. NULL with
 * errno set. */
char *cli_read_file(const char *path, size_t *len);
/* The labels of a file. Caller frees. */
th_status cli_read_labels(const char *path, th_labels **out, th_error *err);

/* The format of records: that of -f, that of the file's name, or the default of the output. */
th_format cli_format(const cli_run *run);
/* Returns true if the command has -f. */
bool cli_writes_records(const cli_command *command);
/* CLI_DONE, or CLI_USAGE with a message if `path` has an extension that we cannot write. */
int cli_check_ending(const cli_run *run, const char *path);
/* CLI_DONE, or CLI_USAGE with a message if `path`, an output, is one of the files to be read. */
int cli_check_not_input(const cli_run *run, const char *path);
/* A writer for records as the settings say. `schema` may be NULL. Call cli_sink_open before. */
th_status cli_writer_new(cli_run *run, const th_schema *schema, th_writer **out, th_error *err);
/* The same for another sink than the run's. */
th_status cli_writer_to(cli_run *run, const th_schema *schema, th_sink sink, th_writer **out,
                        th_error *err);
/* Opens the journal of --resume; `about` says what is run, and is freed here. Reports errors. */
bool cli_open_journal(cli_run *run, cli_text *about);
/* Completes what a writer of the run has written. */
th_status cli_finish_records(cli_run *run, th_writer *writer, th_error *err);
/* Writes text to the run's output, whole or not at all. */
th_status cli_write_text(cli_run *run, th_str text, th_error *err);
/* Writes records to the run's sink, as a whole. */
th_status cli_write_records(cli_run *run, const th_records *records, th_error *err);

/* paper_options.c: what papers leave to their users, as the settings say. Gives CLI_USAGE, after a
 * message, for one that does not go with the engine. */
int cli_paper_options(const cli_run *run, const char *engine, th_paper_options *out);

#endif
