/*
 * archive.h: the pages of a file: the one page that it is, or those of a WARC or ARC archive.
 *
 *     archive   record header | block | blank lines | record header | block | ...
 *     block     HTTP header | body           (response)      or      body (resource)
 *
 * What damage does: a record is given when its end is known, from its length, from the start of the
 * next record or from HTTP's own length; one that the file's end or broken gzip cuts off is not.
 * Each damage is one error with its byte offset, after which reading goes on at the next record
 * that can be found.
 */
#ifndef TH_ARCHIVE_H
#define TH_ARCHIVE_H

#include <stdatomic.h>
#include <thresh.h>

#include "base/str.h"

typedef struct th__archive_file {
    const char *name;             /* a path; for messages and origins in any case */
    bool is_pipe;                 /* standard input is read */
    const th_reader *reader;      /* is read in place of the path, or NULL */
    th_str memory;                /* the same, or absent */
    uint64_t start, end;          /* the part of the file; end is 0 for all of it */
    _Atomic uint64_t *bytes_read; /* counts, or NULL */
    _Atomic uint64_t *skipped;    /* counts records that are not pages */
} th__archive_file;

/* Opens a file and gives its page or, with *out NULL, pages as a source of a feed: TH_OK with a
 * page, TH_DONE (also when no archive is open), or an error after which the next call goes on. A
 * source that is all zero is made; one that was opened before keeps its buffers for this file. It
 * borrows the options and what the file names until it is read to its end. The caller releases it,
 * also after a failure. */
th_status th__archive_open(th_feed_source *source, const th__archive_file *file,
                           const th_feed_options *options, th_input **out, th_error *err);

/* Finds the end of the last whole record of a gzip WARC archive. What is not one, or is damaged
 * elsewhere than at its end, is refused: cutting it would lose records. Reads the whole file. */
th_status th__archive_find_end(const char *path, uint64_t *end, th_error *err);

typedef enum th__file_kind { TH__FILE_OTHER, TH__FILE_PAGE, TH__FILE_ARCHIVE } th__file_kind;

/* What a file is by its name or, if that says nothing, with `inside` by its first bytes. */
th_status th__file_look(const char *path, bool inside, bool files_only, th__file_kind *kind,
                        th_error *err);
/* Appends all of a small file; one of more than `limit` bytes is refused. With options, "-" is
 * standard input, and files_only and cancel hold. */
th_status th__read_file(const char *path, size_t limit, const th_feed_options *options,
                        th__buf *out, th_error *err);

#endif
