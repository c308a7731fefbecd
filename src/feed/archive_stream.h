/*
 * archive_stream.h: the bytes inside a plain, gzip or zstd file, with a window to look ahead.
 *
 *     source ──▶ raw (packed only) ──inflate──▶ window [consumed | at .. len | room] ──▶ reader
 *
 * A gzip file is a row of members, and an archive should have one member for each record. A member
 * is inflated whole by libdeflate, which is twice as fast as zlib but wants all input and output in
 * memory; a member too large for that, or broken, flows through zlib instead. The frames of a zstd
 * file are its members; frames without data are passed over, but for the dictionary that a
 * .warc.zst may begin with. A plain file counts as one member.
 *
 * Invariants
 *  1. The window holds bytes of one member only. Reading stops at the member's end (`ended`) until
 *     th__stream_next_member is called.
 *  2. `pos` is the offset of window[at] in the member's inflated bytes.
 *  3. Broken data sets `broken` and `ended`; the bytes before the break can still be read.
 *  4. Going back costs from a budget, so that a hostile file takes linear time.
 */
#ifndef TH_ARCHIVE_STREAM_H
#define TH_ARCHIVE_STREAM_H

#include <zlib.h>

#include "base/str.h"
#include "feed/byte_source.h"

struct libdeflate_decompressor;
struct ZSTD_DCtx_s;

typedef struct th__stream {
    th__source *source; /* borrowed */
    bool packed;        /* gzip or zstd: a row of members */
    bool zstd;
    bool ended; /* the member has no more bytes than the window's */

    unsigned char *raw; /* compressed bytes: raw_at .. raw_len are not yet inflated */
    size_t raw_at, raw_len;
    uint64_t raw_base; /* the file offset of raw[0] */
    bool raw_ended;

    char *window;
    size_t at, len, cap;
    uint64_t pos;

    uint64_t member; /* the file offset of the member */
    bool findable;   /* th__stream_find_member would find it if a record starts it */
    uint64_t stop;   /* members from this offset on are not looked for */
    bool broken;
    uint64_t broken_at; /* file offset */
    const char *broken_why;

    uint64_t furthest, rewound; /* the budget */
    z_stream z;
    bool z_ready;
    struct libdeflate_decompressor *fast;
    struct ZSTD_DCtx_s *frames; /* of zstd, with the dictionary of the file */
    uint64_t frame_out;         /* bytes that the frame has given so far */
} th__stream;

/* Opens the stream on a source, where that stands, and begins its first member. A zeroed stream may
 * be opened, and an open one opened again: it keeps its buffers. */
th_status th__stream_open(th__stream *stream, th__source *source, th_error *err);
void th__stream_release(th__stream *stream);

/* Brings at least n bytes into the window where the member has so many. */
th_status th__stream_need(th__stream *stream, size_t n, th_error *err);
/* The bytes of the window. Borrowed until the next call. */
th_str th__stream_view(const th__stream *stream);
/* Consumes n bytes of the view. */
void th__stream_take(th__stream *stream, size_t n);
/* Appends the next n bytes to out, or those that the member has. */
th_status th__stream_read(th__stream *stream, uint64_t n, th__buf *out, uint64_t *got,
                          th_error *err);
/* Consumes the next n bytes, or those that the member has. */
th_status th__stream_skip(th__stream *stream, uint64_t n, uint64_t *got, th_error *err);

/* Begins the next member: the present one must have ended and its bytes be consumed. TH_DONE at the
 * end of the file. */
th_status th__stream_next_member(th__stream *stream, th_error *err);
/* After broken data: finds the next member whose first bytes satisfy `starts`, for
 * th__stream_next_member to begin. */
th_status th__stream_find_member(th__stream *stream, bool (*starts)(th_str bytes), bool *found,
                                 th_error *err);
/* Returns true if reading is at the start of a member that th__stream_find_member would find. */
bool th__stream_at_found(const th__stream *stream, bool (*starts)(th_str bytes));
/* Goes to any byte of a seekable file: in packed data between members, for th__stream_find_member
 * to look from there on. */
th_status th__stream_seek(th__stream *stream, uint64_t offset, th_error *err);
/* Plain files: goes back to an offset. False where it cannot be done. */
bool th__stream_rewind(th__stream *stream, uint64_t offset);
/* Where reading stands in the file: the byte, or in packed data the member. */
uint64_t th__stream_offset(const th__stream *stream);

#endif
