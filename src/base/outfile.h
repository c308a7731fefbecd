/*
 * outfile.h: output that is there whole or not at all.
 *
 * A replacement is a temporary file in the folder of its target, which takes the target's place
 * with a rename once it is complete and on disk. A target that is not a plain file (a device, a
 * pipe) cannot be replaced and is written to directly.
 *
 * The temporary file is locked (flock) while its process lives. One that is left over from a
 * process that was killed is not: the next replacement of the same target removes it.
 */
#ifndef TH_OUTFILE_H
#define TH_OUTFILE_H

#include <thresh.h>

#include "base/str.h"

typedef struct th__replacement {
    char *name;   /* as the user wrote it, for messages */
    char *target; /* as resolved; symbolic links followed */
    char *temp;   /* NULL when written to directly */
    int fd;       /* of temp, or of the target; -1 when closed */
} th__replacement;

th_status th__replacement_open(th__replacement *file, const char *path, th_error *err);

/* Flushes to disk and puts the file in its target's place. After a failure the target is as before.
 */
th_status th__replacement_commit(th__replacement *file, th_error *err);

/* Removes what was not committed. Also after a failed open; safe on a zeroed struct. */
void th__replacement_release(th__replacement *file);

/* Writes a file, whole or not at all. */
th_status th__file_write(const char *path, th_str bytes, th_error *err);

/* "no space left on device" for ENOSPC. */
const char *th__errno_text(int number, char *space, size_t size);

#if THRESH_STORE
/* The status and the message for the last error of an SQLite database: "cannot write PATH: ...;
 * nothing was changed". */
struct sqlite3;
th_status th__sqlite_fail(struct sqlite3 *db, const char *path, th_error *err);
#endif

#endif
