/*
 * archive.h: the pages of a WARC or ARC archive.
 *
 *     archive   record header | block | blank lines | record header | block | ...
 *     block     HTTP header | body           (response)      or      body (resource)
 *
 * archive.c walks records and finds the next one after damage; warc.c knows how a record header of
 * WARC and of ARC reads.
 *
 * What damage does: a record is given when its end is known, from its length, from the start of the
 * next record or from HTTP's own length; one that the file's end or broken gzip cuts off is not.
 * Each damage is one error with its byte offset, after which reading goes on at the next record
 * that can be found.
 */
#ifndef TH_ARCHIVE_H
#define TH_ARCHIVE_H

#include "base/arena.h"
#include "feed/archive_stream.h"

/* A byte of the file and, in gzip, how far inside the member's inflated bytes. */
typedef struct th__archive_place {
    uint64_t at, in;
} th__archive_place;

typedef enum th__record_kind {
    TH__RECORD_SKIP,     /* no page: a request, metadata, ... */
    TH__RECORD_RESPONSE, /* the block is an HTTP response */
    TH__RECORD_RESOURCE, /* the block is the page itself */
    TH__RECORD_REVISIT   /* an HTTP header without its body, as a rule */
} th__record_kind;

typedef struct th__record {
    th__record_kind kind;
    th_str uri;      /* target; absent if not said */
    th_str type;     /* content type of the block; absent if not said */
    uint64_t length; /* of the block */
    bool has_length;
} th__record;

typedef struct th__archive_format {
    const char *name;
    /* Returns true if bytes begin like a record header. */
    bool (*starts)(th_str bytes);
    /* Where a record may begin at the earliest after `from` in bytes, or SIZE_MAX: a fast filter
     * whose hits `starts` confirms. */
    size_t (*seek)(th_str bytes, size_t from);
    /* Reads a header; 0 when it does not end in bytes, else its length (up to the next record for a
     * header that was cut off, then without a block's length). Views borrow bytes. */
    size_t (*parse)(th_str bytes, th__record *out);
} th__archive_format;

extern const th__archive_format th__warc_format;

extern const th__archive_format th__arc_format;

/* The format that bytes begin with, or NULL. */
const th__archive_format *th__archive_sniff(th_str bytes);

typedef struct th__archive {
    th__stream *stream; /* borrowed, open */
    const th__archive_format *format;
    const char *name; /* for messages and origins; borrowed */
    uint64_t max_bytes;
    bool any_type;    /* gives what is no page too */
    uint64_t skipped; /* records that are no pages */
    uint64_t records; /* all that were framed */
    bool has_pending; /* an error to report before going on */
    bool ended;
    uint64_t start, end; /* the part of the file whose records are given */
    bool begun;          /* a record of the part was met: what was before it is of another part */
    th_error pending;
    th__arena arena;    /* the record's strings, kept while the window moves on */
    uint64_t record_at; /* file offset of the record or its member */
    uint64_t record_in; /* offset in the member's inflated bytes; 0 in plain files */
} th__archive;

void th__archive_init(th__archive *archive, th__stream *stream, const th__archive_format *format,
                      const char *name, uint64_t max_bytes);

/*
 * Reads a part of the file alone: records that start in it. In packed data the place of a record is
 * that of its member, so that a member belongs to the part that it starts in. A part begins at the
 * first member that begins with a record, and ends before the first such one behind it. Damage is
 * told by the part that reading comes from. To be called once, after init, for a seekable source.
 *
 * TH_DONE when the part has no record.
 */
th_status th__archive_seek_part(th__archive *archive, uint64_t start, uint64_t end, th_error *err);

void th__archive_release(th__archive *archive);

/* TH_OK with a page, TH_DONE, or an error after which the next call goes on. */
th_status th__archive_next(th__archive *archive, th_input **out, th_error *err);

#endif
