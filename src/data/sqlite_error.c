/* sqlite_error.c: what SQLite says, in words for people. */
#include "data/sqlite_error.h"

#include "base/error.h"
#include "data/outfile.h"

th_status th__sqlite_fail(sqlite3 *db, const char *path, th_error *err)
{
    int code = sqlite3_errcode(db) & 0xFF, number = sqlite3_system_errno(db);
    const char *unchanged = "; nothing was changed";
    char space[128];
    switch (code) {
    case SQLITE_NOMEM:
        return th__fail_memory(err);
    case SQLITE_FULL:
        return th__fail(err, TH_ERR_IO, "cannot write %s: no space left on device%s", path,
                        unchanged);
    case SQLITE_NOTADB:
        return th__fail(err, TH_ERR_FORMAT,
                        "%s exists and is not an SQLite file: choose another name, or replace it",
                        path);
    case SQLITE_CORRUPT:
        return th__fail(err, TH_ERR_FORMAT, "%s is damaged (%s)%s: take it from a backup", path,
                        sqlite3_errmsg(db), unchanged);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return th__fail(err, TH_ERR_IO, "cannot write %s: another program is writing to it%s", path,
                        unchanged);
    case SQLITE_TOOBIG:
        return th__fail(err, TH_ERR_LIMIT, "cannot write %s: a text is too long for SQLite%s", path,
                        unchanged);
    case SQLITE_READONLY:
        return th__fail(err, TH_ERR_IO, "cannot write %s: it is read-only", path);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        if (number)
            return th__fail(err, TH_ERR_IO, "cannot write %s: %s%s", path,
                            th__errno_text(number, space, sizeof space), unchanged);
    }
    return th__fail(err, TH_ERR_IO, "cannot write %s: %s%s", path, sqlite3_errmsg(db), unchanged);
}
