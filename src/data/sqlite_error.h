/* sqlite_error.h: what SQLite says, in words for people. */
#ifndef TH_SQLITE_ERROR_H
#define TH_SQLITE_ERROR_H

#include <sqlite3.h>
#include <thresh.h>

/* The status and the message for the last error of a database: "cannot write PATH: ...; nothing was
 * changed". */
th_status th__sqlite_fail(sqlite3 *db, const char *path, th_error *err);

#endif
