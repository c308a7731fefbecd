/*
 * archive_damage.c: where the next record starts, when an archive is not as it should be.
 *
 * A record's length, the start of the next record and the end of a gzip member all tell where a
 * block ends. When they do not agree, the record is settled by what can be checked, the damage is
 * told once with its place, and reading goes on at the next start of a record. Each byte is looked
 * through once more at most, after a length that was wrong.
 */
#include "feed/archive_damage.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

enum {
    START_LOOK = 16 << 10, /* the longest first line of a record */
    SCAN_STEP = 256 << 10, /* looked through at once for the next record */
    SCAN_KEEP = 8,         /* kept in case a record's first word is cut */
};

/* How a block ended. */
typedef enum block_end {
    BLOCK_WHOLE, /* with the length that its header gave */
    BLOCK_NEXT,  /* where the next record starts */
    BLOCK_CUT    /* the file or the readable part of a member ended first */
} block_end;

/* Moves to the next record start within the member; consumes the member where there is none. */
static th_status find_start(th__archive *archive, bool *found, th_error *err)
{
    th__stream *stream = archive->stream;
    *found = false;
    for (;;) {
        th_status status = th__stream_need(stream, SCAN_STEP, err);
        if (status)
            return status;
        th_str view = th__stream_view(stream);
        size_t hit = SIZE_MAX;
        for (size_t from = 0; from < view.len; from = hit + 1) {
            hit = archive->format->seek(view, from);
            if (hit == SIZE_MAX || (view.len - hit < START_LOOK && !stream->ended))
                break;
            if (archive->format->starts((th_str){view.ptr + hit, view.len - hit})) {
                th__stream_take(stream, hit);
                *found = true;
                return TH_OK;
            }
        }
        if (stream->ended) {
            th__stream_take(stream, view.len);
            return TH_OK;
        }
        /* The byte before a hit is kept with it: a record starts after a line end. */
        th__stream_take(stream, hit != SIZE_MAX ? (hit ? hit - 1 : 0) : view.len - SCAN_KEEP);
    }
}

th_status th__archive_at_start(th__archive *archive, bool *yes, th_error *err)
{
    th_status status = th__stream_need(archive->stream, START_LOOK, err);
    *yes = status == TH_OK && archive->format->starts(th__stream_view(archive->stream));
    return status;
}

/* Moves to the next record start in this member or any later one. */
static th_status resync(th__archive *archive, bool *found, th_error *err)
{
    th__stream *stream = archive->stream;
    for (;;) {
        th_status status = find_start(archive, found, err);
        if (status || *found)
            return status;
        bool more = true;
        if (stream->broken)
            status = th__stream_find_member(stream, archive->format->starts, &more, err);
        if (status == TH_OK)
            status = more ? th__stream_next_member(stream, err) : TH_DONE;
        if (status == TH_OK)
            status = th__archive_at_start(archive, found, err);
        if (status == TH_DONE) {
            archive->ended = true;
            return TH_OK;
        }
        if (status || *found)
            return status;
    }
}

th__archive_place th__archive_place_now(const th__stream *stream)
{
    return (th__archive_place){th__stream_offset(stream), stream->gzip ? stream->pos : 0};
}

/* Fills err with a damage and what follows it. */
static th_status name_damage(th__archive *archive, th_error *err, th__archive_place where,
                             bool found, const char *format, va_list args)
{
    char what[700], in[32] = "", next[100] = "no readable record follows";
    th__archive_place now = th__archive_place_now(archive->stream);
    vsnprintf(what, sizeof what, format, args);
    if (found) {
        int len =
            snprintf(next, sizeof next, "reading goes on at byte %llu", (unsigned long long)now.at);
        if (now.in)
            snprintf(next + len, sizeof next - (size_t)len, "+%llu", (unsigned long long)now.in);
    }
    if (where.in)
        snprintf(in, sizeof in, "+%llu", (unsigned long long)where.in);
    return th__fail_at(err, TH_ERR_FORMAT, where.at, "%s: damaged at byte %llu%s: %s; %s",
                       archive->name, (unsigned long long)where.at, in, what, next);
}

th_status th__archive_damage(th__archive *archive, th_error *err, th__archive_place at,
                             const char *format, ...)
{
    bool found;
    th_status status = resync(archive, &found, err);
    if (status)
        return status;
    va_list args;
    va_start(args, format);
    status = name_damage(archive, err, at, found, format, args);
    va_end(args);
    return status;
}

/* As damage, but reading already stands where it goes on, and the error waits its turn. */
TH_PRINTF(4, 5)
static void pend_damage(th__archive *archive, th__archive_place at, bool found, const char *format,
                        ...)
{
    va_list args;
    va_start(args, format);
    name_damage(archive, &archive->pending, at, found, format, args);
    va_end(args);
    archive->has_pending = true;
}

th_status th__archive_skip_blanks(th__archive *archive, th_error *err)
{
    for (;;) {
        th_status status = th__stream_need(archive->stream, 1, err);
        th_str view = th__stream_view(archive->stream);
        size_t n = 0;
        while (n < view.len && th__is_blank((unsigned char)view.ptr[n]))
            n++;
        th__stream_take(archive->stream, n);
        if (status || n < view.len || view.len == 0)
            return status;
    }
}

/* Moves over n bytes of a block, to out or nowhere, into further members if need be. */
static th_status pass_block(th__archive *archive, uint64_t n, th__buf *out, block_end *how,
                            uint64_t *got, th_error *err)
{
    th__stream *stream = archive->stream;
    *got = 0;
    *how = BLOCK_CUT;
    for (bool next = false;;) {
        uint64_t took;
        th_status status = out ? th__stream_read(stream, n - *got, out, &took, err)
                               : th__stream_skip(stream, n - *got, &took, err);
        if (status)
            return status;
        *got += took;
        if (*got == n) {
            *how = BLOCK_WHOLE;
            return TH_OK;
        }
        if (stream->broken)
            return TH_OK;
        status = th__stream_next_member(stream, err);
        if (status == TH_OK)
            status = th__archive_at_start(archive, &next, err);
        if (status || next) {
            *how = next ? BLOCK_NEXT : BLOCK_CUT;
            return status == TH_DONE ? TH_OK : status;
        }
    }
}

/* A plain file whose record is not followed by another: its length was wrong. The block is looked
 * through again for the place where the next record starts. */
static th_status settle_plain(th__archive *archive, const th__archive_block *block, block_end how,
                              uint64_t *got, bool *complete, th_error *err)
{
    th__archive_place here = th__archive_place_now(archive->stream);
    uint64_t block_stop = block->start + block->length;
    bool rewound = th__stream_rewind(archive->stream, block->start - 1), found;
    th_status status = find_start(archive, &found, err);
    if (status)
        return status;
    archive->ended = !found;
    uint64_t at = archive->stream->pos;
    if (found && rewound && at < block_stop) {
        *got = at - block->start;
        *complete = true;
        pend_damage(archive, (th__archive_place){block->start, 0}, true,
                    "the record %.*s says that it has %llu bytes, but the next record starts after "
                    "%llu",
                    TH__SHOWN_URI(block->uri), (unsigned long long)block->length,
                    (unsigned long long)*got);
    } else if (how == BLOCK_CUT) {
        *complete = false;
        pend_damage(archive, here, found,
                    "the file ends in the middle of the record %.*s: it has %llu of %llu bytes",
                    TH__SHOWN_URI(block->uri), (unsigned long long)*got,
                    (unsigned long long)block->length);
    } else {
        pend_damage(archive, here, found, "what follows the record %.*s is no record",
                    TH__SHOWN_URI(block->uri));
    }
    return TH_OK;
}

static th_status settle_gzip(th__archive *archive, const th__archive_block *block, block_end how,
                             uint64_t got, bool *complete, th_error *err)
{
    th__stream *stream = archive->stream;
    th__archive_place at =
        stream->broken ? (th__archive_place){stream->broken_at, 0} : th__archive_place_now(stream);
    th__archive_place record = {archive->record_at, archive->record_in};
    const char *why = stream->broken ? stream->broken_why : "the file ends";
    bool found = how == BLOCK_NEXT;
    if (how == BLOCK_WHOLE && stream->broken)
        how = BLOCK_CUT; /* broken data often inflates to garbage for a while */
    if (!found) {
        th_status status = resync(archive, &found, err);
        if (status)
            return status;
    }
    *complete = how != BLOCK_CUT;
    if (how == BLOCK_NEXT)
        pend_damage(archive, record, true,
                    "the record %.*s says that it has %llu bytes, but the next record starts after "
                    "%llu",
                    TH__SHOWN_URI(block->uri), (unsigned long long)block->length,
                    (unsigned long long)got);
    else if (how == BLOCK_CUT)
        pend_damage(archive, at, found,
                    "%s, in the record %.*s that starts at byte %llu: it has %llu of %llu bytes",
                    why, TH__SHOWN_URI(block->uri), (unsigned long long)archive->record_at,
                    (unsigned long long)got, (unsigned long long)block->length);
    else
        pend_damage(archive, at, found, "what follows the record %.*s is no record",
                    TH__SHOWN_URI(block->uri));
    return TH_OK;
}

/* The block was passed: does a record, or the end, follow as it should? If not, an error is pended,
 * *got is where the block really ends, and *complete whether it can be used. */
static th_status settle(th__archive *archive, const th__archive_block *block, block_end how,
                        uint64_t *got, bool *complete, th_error *err)
{
    *complete = true;
    if (how == BLOCK_WHOLE) {
        bool fine;
        th_status status = th__archive_skip_blanks(archive, err);
        if (status || th__stream_view(archive->stream).len == 0)
            return status;
        status = th__archive_at_start(archive, &fine, err);
        if (status || fine)
            return status;
    }
    return archive->stream->gzip ? settle_gzip(archive, block, how, *got, complete, err)
                                 : settle_plain(archive, block, how, got, complete, err);
}

th_status th__archive_pass(th__archive *archive, const th__archive_block *block, uint64_t passed,
                           th__buf *out, uint64_t *got, bool *complete, th_error *err)
{
    block_end how;
    th_status status = pass_block(archive, block->length - passed, out, &how, got, err);
    *got += passed;
    return status ? status : settle(archive, block, how, got, complete, err);
}
