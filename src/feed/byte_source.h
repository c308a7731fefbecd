/*
 * byte_source.h: raw bytes in order, from a file, a pipe, memory or a reader.
 *
 * Files are read, never mapped: a mapped file that somebody truncates kills the process.
 */
#ifndef TH_BYTE_SOURCE_H
#define TH_BYTE_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <thresh.h>

#include "base/str.h"

typedef struct th__source {
    const char *name;          /* for messages; borrowed */
    int fd;                    /* -1 for memory and readers */
    bool close_fd;             /* whether release closes it */
    bool seekable;             /* all but pipes */
    th_str memory;             /* when fd is -1; borrowed */
    const th_reader *reader;   /* when fd is -1, or NULL; borrowed */
    uint64_t want_end;         /* a reader is not asked for much behind this */
    uint64_t at;               /* offset of the next byte */
    uint64_t size;             /* when seekable */
    _Atomic uint64_t *counter; /* progress, or NULL; borrowed */
    uint64_t counted;          /* bytes already added to the counter: rewinding counts once */
    const th_cancel *cancel;   /* ends reading, or NULL; borrowed */
} th__source;

/* Returns true if a file is a database of SQLite's that somebody works with, or its log or index:
 * such a one must not be opened, not even to look at it. It may be the project that this process
 * has open, and closing a descriptor of a file drops all locks that the process holds on it. */
bool th__is_open_database(const char *path);

/* With files_only anything but a regular file is refused, and opening never waits. */
th_status th__source_open_file(th__source *source, const char *path, bool files_only,
                               th_error *err);
void th__source_open_stdin(th__source *source, const char *name);
void th__source_open_memory(th__source *source, const char *name, th_str bytes);
void th__source_open_reader(th__source *source, const char *name, const th_reader *reader,
                            uint64_t want_end);
void th__source_release(th__source *source);

/* Reads up to len bytes, as many as are there at once; *got is 0 only at the end. */
th_status th__source_read(th__source *source, void *into, size_t len, size_t *got, th_error *err);
/* Appends all of a small file; one of more than `limit` bytes is refused. */
th_status th__read_file(const char *path, size_t limit, th__buf *out, th_error *err);
/* Goes to a byte; only when seekable. */
th_status th__source_seek(th__source *source, uint64_t offset, th_error *err);

#endif
