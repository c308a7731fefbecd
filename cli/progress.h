/*
 * progress.h: a line on standard error that shows the progress of long work.
 *
 * It is drawn by a thread of its own, so that it moves while one page takes long; only when
 * standard error is a terminal, only after a second, and it is removed when the work is done. Code
 * that writes to the terminal meanwhile hides it first.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <thresh.h>

typedef struct cli_progress cli_progress;

/* NULL if there is no terminal, memory or thread: all functions take NULL. Without a feed,
 * cli_progress_count sets the progress. */
cli_progress *cli_progress_start(const th_feed *feed);
/* One more page is done. */
void cli_progress_page(cli_progress *progress);
/* So many pages are done, of which so many were fetched, and so many more are known. */
void cli_progress_count(cli_progress *progress, uint64_t pages, uint64_t fetched, uint64_t waiting);
/* Takes the line away; it comes back with the next drawing. */
void cli_progress_hide(cli_progress *progress);
/* Ends the drawing and frees. Call it before the feed is freed. */
void cli_progress_stop(cli_progress *progress);

#endif
