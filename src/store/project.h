/*
 * project.h: the project file from inside: one SQLite connection, and short ways to ask it things.
 *
 *     site ──< page >── body        a page is a name at a time; a body is a content, kept once
 *     site ──< asset >── body       what its pages look with, by address
 *     site ──< label                by the name of the page
 *     site ──< wrapper              versions by name
 *     site ──< run ──< record, verdict
 *     site ──< visit >── page       what became of each address that a crawl has asked for
 *
 * A statement takes its values by a pattern, a letter each:
 *     t  th_str as text (absent: null)     b  th_str as blob     i  int64_t
 * and a row gives its columns in the same way, into variables:
 *     t  th_str, borrowed until the next row     i  int64_t     u  uint64_t     n  uint32_t     f
 * bool
 */
#ifndef TH_PROJECT_H
#define TH_PROJECT_H

#include <sqlite3.h>
#include <stdarg.h>
#include <thresh.h>

#include "base/str.h"
#include "base/vec.h"

/* The time of day in SQL. */
#define TH__NOW "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"

/* A page that waits to be added. */
typedef struct th__queued_page {
    char *site;
    th_input *input;
} th__queued_page;

struct th_project {
    sqlite3 *db;
    char *path;
    bool in_transaction; /* th_project_begin's */
    unsigned depth;      /* of functions with changes of their own */
    TH__VEC(th__queued_page) queue;
    uint64_t queue_bytes, queue_since; /* of its pages; when the first came, in seconds */
    uint64_t queue_added, queue_known; /* written since th_project_add_queued was called */
};

/* The changes that make a file of version N one of N + 1; NULL at the end. */
extern const char *const th__project_steps[];

/* Runs SQL without values. */
th_status th__project_exec(th_project *project, const char *sql, th_error *err);
/* A statement with its values. Finalize it. */
th_status th__project_prepare(th_project *project, sqlite3_stmt **out, th_error *err,
                              const char *sql, const char *pattern, ...);
/* Runs a statement that gives nothing. */
th_status th__project_do(th_project *project, th_error *err, const char *sql, const char *pattern,
                         ...);
/* The same as a change of its own; *changed (which may be NULL) is set if it changed a row. */
th_status th__project_change(th_project *project, bool *changed, th_error *err, const char *sql,
                             const char *pattern, ...);
/* The number that a statement gives; TH_DONE when it gives no row. */
th_status th__project_number(th_project *project, int64_t *out, th_error *err, const char *sql,
                             const char *pattern, ...);
/* The next row: TH_OK, or TH_DONE after the last. The pattern names its first columns. */
th_status th__project_row(th_project *project, sqlite3_stmt *statement, th_error *err,
                          const char *pattern, ...);
/* Frees a statement and passes on how it went: TH_DONE is the end of its rows, and so TH_OK. */
th_status th__project_close(sqlite3_stmt *statement, th_status status);

/* A change of one function's own: a transaction, or a part of the one that is open. */
th_status th__project_enter(th_project *project, th_error *err);
th_status th__project_leave(th_project *project, th_status status, th_error *err);

/* The id of a site, made when it is not there. */
th_status th__project_site(th_project *project, th_str site, int64_t *id, th_error *err);

/* Runs, the newest or the oldest first. */
th_status th__project_runs(th_project *project, th_str site, bool newest,
                           th_status (*each)(void *context, const th_project_run *run,
                                             th_error *err),
                           void *context, th_error *err);

#endif
