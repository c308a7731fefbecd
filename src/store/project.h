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
 *     t  th_str, borrowed until the next row     i  int64_t     u  uint64_t     n  uint32_t
 *     f  bool
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

/* The rows of a statement:
 *
 *     th__rows rows = th__project_rows(project, err, "SELECT name, url FROM ...", "i", id);
 *     while (th__rows_next(&rows, "tt", &name, &url))
 *         rows.status = ...
 *     return th__rows_end(&rows);
 */
typedef struct th__rows {
    th_project *project;
    sqlite3_stmt *statement;
    th_error *err;
    th_status status; /* so far; what a caller sets ends the rows: TH_DONE without an error */
    bool any;         /* there was one */
} th__rows;

/* Runs SQL without values. */
th_status th__project_exec(th_project *project, const char *sql, th_error *err);
/* A statement with its values. End it. */
th__rows th__project_rows(th_project *project, th_error *err, const char *sql, const char *pattern,
                          ...);
/* Reads the next row, whose first columns the pattern names. False after the last, or a failure. */
bool th__rows_next(th__rows *rows, const char *pattern, ...);
/* Frees the statement and gives how it went. */
th_status th__rows_end(th__rows *rows);
/* The same of a statement for one thing: TH_DONE if there was no row. */
th_status th__rows_found(th__rows *rows);
/* Runs a statement that gives nothing. */
th_status th__project_do(th_project *project, th_error *err, const char *sql, const char *pattern,
                         ...);
/* The same as a change of its own; *changed (which may be NULL) is set if it changed a row. */
th_status th__project_change(th_project *project, bool *changed, th_error *err, const char *sql,
                             const char *pattern, ...);
/* The number that a statement gives; TH_DONE when it gives no row. */
th_status th__project_number(th_project *project, int64_t *out, th_error *err, const char *sql,
                             const char *pattern, ...);

/* A change of one function's own: a transaction, or a part of the one that is open. */
th_status th__project_enter(th_project *project, th_error *err);
th_status th__project_leave(th_project *project, th_status status, th_error *err);

/* The id of a site, made when it is not there. */
th_status th__project_site(th_project *project, th_str site, int64_t *id, th_error *err);
/* A change of its own by a statement whose first value is the id of a site, made when it is not
 * there; the pattern is that of the others. */
th_status th__project_change_site(th_project *project, th_str site, th_error *err, const char *sql,
                                  const char *pattern, ...);

/* A statement that adds records to the run that is its first value; and adds one. Failures stay in
 * the statement. */
#define TH__INSERT_RECORD "INSERT INTO record (run, position, page, value) VALUES (?, ?, ?, ?)"
void th__project_insert_record(th__rows *insert, uint64_t position, th_str page, th_str value);

/* Runs, the newest or the oldest first. */
th_status th__project_runs(th_project *project, th_str site, bool newest,
                           th_status (*each)(void *context, const th_project_run *run,
                                             th_error *err),
                           void *context, th_error *err);

#endif
