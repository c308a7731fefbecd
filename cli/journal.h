/*
 * journal.h: --resume: a long run that was stopped, even by kill -9, goes on where it was.
 *
 * The output is appended to, and the journal says how much of it is good:
 *
 *     thresh journal 1
 *     extract ndjson ...        what is run: another run cannot go on with it
 *     + shop/1.html             this file (or URL) is finished
 *     @ 12345 crawl.warc.gz     of this archive, all members up to the one at that byte
 *     = 9876                    a mark: the output has so many bytes, for all lines before
 *
 * At a mark the output is on disk first, and then the journal. What is behind the last mark, in
 * either file, does not count: the next run cuts it off and does it again. So each page's records
 * are in the output once. Inputs that could not be read are not finished: the next run tries them
 * again.
 */
#ifndef CLI_JOURNAL_H
#define CLI_JOURNAL_H

#include <thresh.h>

typedef struct cli_run cli_run;
typedef struct cli_journal cli_journal;

/* Returns true if output of a format can be continued. `columns`: the columns are known before the
 * first record. */
bool cli_journal_can(th_format format, bool columns);

/* Opens or makes the journal of the settings, and the output. `about` says what is run, on one
 * line. Reports errors. */
bool cli_journal_open(cli_run *run, const char *about);
/* Where records go; and true if there are some already. */
th_sink cli_journal_sink(cli_journal *journal);
bool cli_journal_has_output(const cli_journal *journal);
/* Says what writes the records. */
void cli_journal_writer(cli_journal *journal, th_writer *writer);

/* For th_feed_options.skip: leaves out what is finished. */
bool cli_journal_skip(void *context, const char *name, uint64_t *start);
/* Returns true if something was left out. */
bool cli_journal_skipped(const cli_journal *journal);
/* A page is about to be written: what was before it may be finished, and a mark due. */
th_status cli_journal_page(cli_journal *journal, const th_input *input, th_error *err);
/* Reading failed: the current file may have more pages, which the next run reads. */
void cli_journal_failed(cli_journal *journal);
/* All is finished, and the writer too. */
th_status cli_journal_end(cli_journal *journal, th_error *err);
void cli_journal_free(cli_journal *journal);

#endif
