/* archive.c: walks the records of an archive and gives those that are pages. */
#include "feed/archive.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"
#include "feed/feed.h"
#include "feed/http_message.h"
#include "feed/sniff.h"

enum { TH__MAX_URI_SHOWN = 200 };

/* A URI for "%.*s" in a message. */
#define TH__SHOWN_URI(uri)                                                                         \
    ((uri).len < TH__MAX_URI_SHOWN ? (int)(uri).len : TH__MAX_URI_SHOWN), (uri).ptr

/* What a record's header says about its block. */
typedef struct th__archive_block {
    th_str uri;
    uint64_t length;
    uint64_t start; /* the stream's pos there */
} th__archive_block;

/*
 * Damage. A record's length, the start of the next record and the end of a gzip member all tell
 * where a block ends. When they do not agree, the record is settled by what can be checked, the
 * damage is told once with its place, and reading goes on at the next start of a record. Each byte
 * is looked through once more at most, after a length that was wrong.
 */

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

/* Tells in *yes if a record starts where reading stands. */
static th_status archive_at_start(th__archive *archive, bool *yes, th_error *err)
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
            status = archive_at_start(archive, found, err);
        if (status == TH_DONE) {
            archive->ended = true;
            return TH_OK;
        }
        if (status || *found)
            return status;
    }
}

static th__archive_place archive_place_now(const th__stream *stream)
{
    return (th__archive_place){th__stream_offset(stream), stream->packed ? stream->pos : 0};
}

/* Fills err with a damage and what follows it. */
static th_status name_damage(th__archive *archive, th_error *err, th__archive_place where,
                             bool found, const char *format, va_list args)
{
    char what[700], in[32] = "", next[100] = "no readable record follows";
    if (archive->end != UINT64_MAX)
        strcat(next, " in this part");
    th__archive_place now = archive_place_now(archive->stream);
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

/* Moves to the next record that can be found and fills err with the damage at a place: what it is,
 * and where reading goes on. TH_ERR_FORMAT, or the status of what failed on the way. */
TH_PRINTF(4, 5)
static th_status report_damage(th__archive *archive, th_error *err, th__archive_place at,
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

static th_status archive_skip_blanks(th__archive *archive, th_error *err)
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
            status = archive_at_start(archive, &next, err);
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
    th__archive_place here = archive_place_now(archive->stream);
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
                    "the record %.*s declares %llu bytes, but the next record starts after %llu",
                    TH__SHOWN_URI(block->uri), (unsigned long long)block->length,
                    (unsigned long long)*got);
    } else if (how == BLOCK_CUT) {
        *complete = false;
        pend_damage(archive, here, found,
                    "the file ends in the middle of the record %.*s: it has %llu of %llu bytes",
                    TH__SHOWN_URI(block->uri), (unsigned long long)*got,
                    (unsigned long long)block->length);
    } else {
        pend_damage(archive, here, found, "the data after the record %.*s is not a record",
                    TH__SHOWN_URI(block->uri));
    }
    return TH_OK;
}

static th_status settle_packed(th__archive *archive, const th__archive_block *block, block_end how,
                               uint64_t got, bool *complete, th_error *err)
{
    th__stream *stream = archive->stream;
    th__archive_place at =
        stream->broken ? (th__archive_place){stream->broken_at, 0} : archive_place_now(stream);
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
                    "the record %.*s declares %llu bytes, but the next record starts after %llu",
                    TH__SHOWN_URI(block->uri), (unsigned long long)block->length,
                    (unsigned long long)got);
    else if (how == BLOCK_CUT)
        pend_damage(archive, at, found,
                    "%s, in the record %.*s that starts at byte %llu: it has %llu of %llu bytes",
                    why, TH__SHOWN_URI(block->uri), (unsigned long long)archive->record_at,
                    (unsigned long long)got, (unsigned long long)block->length);
    else
        pend_damage(archive, at, found, "the data after the record %.*s is not a record",
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
        th_status status = archive_skip_blanks(archive, err);
        if (status || th__stream_view(archive->stream).len == 0)
            return status;
        status = archive_at_start(archive, &fine, err);
        if (status || fine)
            return status;
    }
    return archive->stream->packed ? settle_packed(archive, block, how, *got, complete, err)
                                   : settle_plain(archive, block, how, got, complete, err);
}

/* Moves over a block of which `passed` bytes are behind already, to out or nowhere (NULL), and to
 * where the next record should start. When none does, an error is pended in the archive, *got is
 * where the block really ends, from its start, and *complete whether it can be used. */
static th_status archive_pass(th__archive *archive, const th__archive_block *block, uint64_t passed,
                              th__buf *out, uint64_t *got, bool *complete, th_error *err)
{
    block_end how;
    th_status status = pass_block(archive, block->length - passed, out, &how, got, err);
    *got += passed;
    return status ? status : settle(archive, block, how, got, complete, err);
}

enum {
    FIRST_LOOK = 4 << 10,  /* most headers end within this */
    MAX_HEADER = 64 << 10, /* of a record, and of HTTP */
    MAX_BOUNDARY = 4,      /* bytes of the blank lines after a block */
};

/* What is to be done with a record. */
typedef struct record_plan {
    bool page;
    bool sniff;        /* the type was not said: the bytes decide */
    bool chunked;      /* as in the HTTP header */
    size_t header_len; /* of HTTP */
    th__archive_block block;
    th_str charset, encoding; /* in the archive's arena, as the block's uri */
    uint64_t body_len;        /* as the HTTP header says, or TH_NO_OFFSET */
} record_plan;

const th__archive_format *th__archive_sniff(th_str bytes)
{
    if (th__warc_format.starts(bytes))
        return &th__warc_format;
    /* The first record of an ARC is its file description. */
    if (th__str_starts_nocase(bytes, TH_STR("filedesc:")) || th__arc_format.starts(bytes))
        return &th__arc_format;
    return NULL;
}

void th__archive_init(th__archive *archive, th__stream *stream, const th__archive_format *format,
                      const char *name, uint64_t max_bytes)
{
    *archive = (th__archive){.stream = stream,
                             .format = format,
                             .name = name,
                             .max_bytes = max_bytes,
                             .end = UINT64_MAX,
                             .begun = true};
    th__arena_init(&archive->arena);
}

void th__archive_release(th__archive *archive)
{
    th__arena_release(&archive->arena);
    *archive = (th__archive){0};
}

static bool keep(th__archive *archive, th_str *text)
{
    if (text->ptr)
        *text = th__arena_copy(&archive->arena, *text);
    else
        return true;
    return text->ptr != NULL;
}

/* Looks at the HTTP header to see whether the record is a page. */
static th_status plan_response(th__archive *archive, const th__record *record, record_plan *plan,
                               th_error *err)
{
    th__http_header header;
    bool incomplete = true, ok = false;
    for (size_t look = FIRST_LOOK; incomplete && look <= MAX_HEADER; look *= 4) {
        th_status status = th__stream_need(archive->stream, look, err);
        if (status)
            return status;
        th_str view = th__stream_view(archive->stream);
        view.len = view.len < look ? view.len : look;
        if (view.len > record->length)
            view.len = (size_t)record->length;
        ok = th__http_parse(view, &header, &incomplete);
    }
    if (!ok) {
        /* Not HTTP, as in very old archives: a page if it looks like one. */
        plan->page = plan->sniff = !incomplete && record->length > 0;
        return TH_OK;
    }
    bool body = record->length > header.len;
    plan->header_len = header.len;
    plan->page = header.status >= 200 && header.status < 300 &&
                 (archive->any_type || !header.has_type || th__type_is_html(header.type)) &&
                 (body || record->kind == TH__RECORD_RESPONSE);
    plan->sniff = !header.has_type && !archive->any_type;
    plan->chunked = header.chunked;
    plan->body_len = header.chunked ? TH_NO_OFFSET : header.body_len;
    plan->encoding = header.encoding;
    plan->charset = th__type_charset(header.type);
    return TH_OK;
}

static th_status make_plan(th__archive *archive, const th__record *record, record_plan *plan,
                           th_error *err)
{
    th_status status = TH_OK;
    if (record->kind == TH__RECORD_RESOURCE) {
        plan->page = archive->any_type || !record->type.len || th__type_is_html(record->type);
        plan->sniff = !record->type.len && !archive->any_type;
        plan->charset = th__type_charset(record->type);
    } else if (record->kind != TH__RECORD_SKIP) {
        status = plan_response(archive, record, plan, err);
    }
    if (status == TH_OK && (!keep(archive, &plan->charset) || !keep(archive, &plan->encoding)))
        status = th__fail_memory(err);
    return status;
}

/* Origin and name of a record, and the page that it makes. Takes the body. */
static th_status make_input(th__archive *archive, const record_plan *plan, th__buf *body,
                            size_t start, th_input **out, th_error *err)
{
    th__buf origin = {0};
    th__buf_printf(&origin, "%s@%llu", archive->name, (unsigned long long)archive->record_at);
    if (archive->record_in)
        th__buf_printf(&origin, "+%llu", (unsigned long long)archive->record_in);
    th_str where = th__buf_str(&origin), none = {0};
    th_status status =
        origin.failed
            ? th__fail_memory(err)
            : th__input_new(plan->block.uri.len ? plan->block.uri : where, where,
                            plan->block.uri.len ? plan->block.uri : none, plan->charset, out, err);
    if (status == TH_OK) {
        th__input_give(*out, body, start);
        (*out)->file_len = strlen(archive->name);
        (*out)->offset = archive->record_at;
        (*out)->offset_inside = archive->record_in;
    }
    th__buf_release(&origin);
    return status;
}

/* Takes chunks and encodings off and makes the page. TH_DONE when it turns out to be none. */
static th_status finish_page(th__archive *archive, const record_plan *plan, th__buf *body,
                             th_input **out, th_error *err)
{
    size_t start = 0, broken_at = 0;
    bool partial = false;
    th_error why = {0};
    if (plan->chunked && !th__http_unchunk(body, 0, &broken_at))
        th__fail(&why, TH_ERR_FORMAT, "has a chunked body that breaks at its byte %zu", broken_at);
    th_status status =
        th__http_decode(body, &start, plan->encoding, archive->max_bytes, &partial, &why);
    if (status == TH_ERR_MEMORY)
        return th__fail_memory(err);
    if (status && !partial)
        return th__fail_at(err, status, archive->record_at, "%s@%llu: %.*s %s", archive->name,
                           (unsigned long long)archive->record_at, TH__SHOWN_URI(plan->block.uri),
                           why.message);
    if (why.status && !archive->has_pending) {
        th__fail_at(&archive->pending, TH_ERR_FORMAT, archive->record_at,
                    "%s@%llu: %.*s %s; the part that could be read is used", archive->name,
                    (unsigned long long)archive->record_at, TH__SHOWN_URI(plan->block.uri),
                    why.message);
        archive->has_pending = true;
    }
    th_str bytes = {th__buf_str(body).ptr + start, body->len - start};
    if (plan->sniff && !th__sniff_html(bytes))
        return TH_DONE;
    return make_input(archive, plan, body, start, out, err);
}

/* Reads the block of a page. */
static th_status read_page(th__archive *archive, const record_plan *plan, th_input **out,
                           th_error *err)
{
    th__buf body = {0};
    uint64_t got;
    bool complete;
    th__stream_take(archive->stream, plan->header_len);
    th_status status =
        archive_pass(archive, &plan->block, plan->header_len, &body, &got, &complete, err);
    if (status == TH_OK && !complete && !archive->stream->packed && body.len >= plan->body_len) {
        /* The record is cut off, but only behind the page. */
        body.len = (size_t)plan->body_len;
        complete = true;
        got = plan->block.length;
    }
    if (status == TH_OK && complete) {
        if (got < plan->block.length) {
            /* Cut where the next record starts, without the blank lines between. */
            body.len = got > plan->header_len ? (size_t)(got - plan->header_len) : 0;
            for (int i = 0; i < MAX_BOUNDARY && body.len &&
                            (body.data[body.len - 1] == '\n' || body.data[body.len - 1] == '\r');
                 i++)
                body.len--;
        }
        status = finish_page(archive, plan, &body, out, err);
    } else if (status == TH_OK) {
        status = TH_DONE;
    }
    th__buf_release(&body);
    return status;
}

static th_status skip_record(th__archive *archive, const record_plan *plan, th_error *err)
{
    uint64_t got;
    bool complete;
    th_status status = archive_pass(archive, &plan->block, 0, NULL, &got, &complete, err);
    archive->skipped += archive->begun;
    return status ? status : TH_DONE;
}

static th_status skip_large(th__archive *archive, const record_plan *plan, th_error *err)
{
    th_status status = skip_record(archive, plan, err);
    if (status != TH_DONE)
        return status;
    return th__fail_at(
        err, TH_ERR_LIMIT, archive->record_at,
        "%s@%llu: the record %.*s has %llu bytes, more than max_bytes allows (%llu); "
        "raise it with --max-bytes",
        archive->name, (unsigned long long)archive->record_at, TH__SHOWN_URI(plan->block.uri),
        (unsigned long long)plan->block.length, (unsigned long long)archive->max_bytes);
}

/* The record header at the stream's place; damage where it is none. */
static th_status read_header(th__archive *archive, th__record *record, record_plan *plan,
                             th_error *err)
{
    th__stream *stream = archive->stream;
    archive->record_at = th__stream_offset(stream);
    archive->record_in = stream->packed ? stream->pos : 0;
    th__arena_clear(&archive->arena);
    size_t len = 0;
    bool all = false;
    for (size_t look = FIRST_LOOK; !len && !all && look <= MAX_HEADER; look *= 4) {
        th_status status = th__stream_need(stream, look, err);
        if (status)
            return status;
        th_str view = th__stream_view(stream);
        all = stream->ended && view.len <= look;
        view.len = view.len < look ? view.len : look;
        len = archive->format->parse(view, record);
    }
    if (!len) {
        bool broken = all && stream->broken;
        th__archive_place at =
            broken ? (th__archive_place){stream->broken_at, 0} : archive_place_now(stream);
        const char *why = broken ? stream->broken_why
                          : all  ? "the archive ends in the middle of a record header"
                                 : "a record header is longer than 64 KiB";
        /* All that was looked at is given up, so that a flood of headers costs no more than its
         * bytes: no other record starts a line in it. */
        size_t looked = th__stream_view(stream).len;
        th__stream_take(stream, looked < MAX_HEADER ? looked : MAX_HEADER);
        return report_damage(archive, err, at, "%s", why);
    }
    archive->records++;
    plan->block.uri = record->uri.ptr ? record->uri : TH_STR("");
    if (!keep(archive, &plan->block.uri))
        return th__fail_memory(err);
    if (!record->has_length) {
        th__archive_place at = archive_place_now(stream);
        th__stream_take(stream, len - 1); /* the next record may start right behind the line end */
        return report_damage(archive, err, at, "the record %.*s has no valid length",
                             TH__SHOWN_URI(plan->block.uri));
    }
    plan->block.length = record->length;
    plan->block.start = stream->pos + len;
    if (!keep(archive, &record->type))
        return th__fail_memory(err);
    th__stream_take(stream, len);
    return TH_OK;
}

/* Moves to the next record: TH_DONE at the end, an error for damage before it. */
static th_status reach_record(th__archive *archive, th_error *err)
{
    th__stream *stream = archive->stream;
    for (;;) {
        th_status status = archive_skip_blanks(archive, err);
        if (status)
            return status;
        if (th__stream_view(stream).len)
            break;
        if (stream->broken)
            return report_damage(archive, err, (th__archive_place){stream->broken_at, 0}, "%s",
                                 stream->broken_why);
        status = th__stream_next_member(stream, err);
        if (status == TH_DONE) {
            archive->ended = true;
            if (archive->records == 0 && archive->start == 0)
                return th__fail(err, TH_ERR_FORMAT, "%s: the archive is empty: it has no records",
                                archive->name);
        }
        if (status)
            return status;
    }
    bool fine;
    th_status status = archive_at_start(archive, &fine, err);
    if (!status && fine && th__stream_offset(stream) >= archive->end &&
        (!stream->packed || th__stream_at_found(stream, archive->format->starts))) {
        archive->ended = true;
        return TH_DONE;
    }
    if (status || fine)
        return status;
    th__archive_place at = archive_place_now(stream);
    th__stream_take(stream, 1);
    return report_damage(archive, err, at, "no %s record starts here", archive->format->name);
}

/* Returns true if a page is larger than allowed. What the file does not hold does not count: a
 * record whose length lies may be small. */
static bool is_large(const th__archive *archive, const record_plan *plan)
{
    const th__stream *stream = archive->stream;
    uint64_t length = plan->block.length;
    if (!stream->packed && stream->source->seekable) {
        uint64_t left =
            stream->source->size > plan->block.start ? stream->source->size - plan->block.start : 0;
        length = length < left ? length : left;
    }
    return plan->page && length > plan->header_len &&
           length - plan->header_len > archive->max_bytes;
}

static th_status step(th__archive *archive, th_input **out, th_error *err)
{
    th__record record;
    record_plan plan = {.body_len = TH_NO_OFFSET};
    th_status status = reach_record(archive, err);
    if (status)
        return status;
    status = read_header(archive, &record, &plan, err);
    archive->begun |= archive->record_at >= archive->start;
    if (status == TH_OK && archive->begun)
        status = make_plan(archive, &record, &plan, err);
    if (status)
        return status;
    if (is_large(archive, &plan))
        return skip_large(archive, &plan, err);
    if (!plan.page)
        return skip_record(archive, &plan, err);
    status = read_page(archive, &plan, out, err);
    if (status == TH_DONE)
        archive->skipped++;
    return status;
}

/* --------------------------------------------------------------------------------------- parts */

/* Plain files. Tells in *yes if reading is at a record whose length leads to another record or to
 * the end of the file. Text inside a page may look like a header, but hardly does that. */
static th_status leads_on(th__archive *archive, bool *yes, th_error *err)
{
    th__stream *stream = archive->stream;
    uint64_t at = stream->pos;
    th__record record = {0};
    th_status status = th__stream_need(stream, MAX_HEADER, err);
    th_str view = th__stream_view(stream);
    view.len = view.len < MAX_HEADER ? view.len : MAX_HEADER;
    size_t len = status ? 0 : archive->format->parse(view, &record);
    uint64_t size = stream->source->size, block = at + len;
    *yes = false;
    if (!len || !record.has_length || block > size || record.length > size - block)
        return status;
    status = th__stream_seek(stream, block + record.length, err);
    if (status == TH_OK)
        status = archive_skip_blanks(archive, err);
    if (status == TH_OK && !(*yes = th__stream_view(stream).len == 0))
        status = archive_at_start(archive, yes, err);
    return status ? status : th__stream_seek(stream, at, err);
}

/* Plain files: goes to the first record at `from` or later that leads on; no more than MAX_CHECKS
 * are tried, since each costs a look elsewhere. *first is false where one before it did not. */
static th_status find_leading(th__archive *archive, uint64_t from, bool *found, bool *first,
                              th_error *err)
{
    enum { MAX_CHECKS = 8 };
    th_status status = th__stream_seek(archive->stream, from, err);
    *first = true;
    for (int i = 0; i < MAX_CHECKS && status == TH_OK; i++, *first = false) {
        status = find_start(archive, found, err);
        if (status || !*found)
            return status;
        status = leads_on(archive, found, err);
        if (status || *found)
            return status;
        /* The look elsewhere has left nothing to take from. */
        status = th__stream_seek(archive->stream, archive->stream->pos + 1, err);
    }
    *found = false;
    return status;
}

/*
 * Plain files. The first record of the part is that which the walk from the file's start meets
 * first. As a rule it is the first that can be found. Where that one does not lead on, it may be
 * damaged, or be text in a page of the part before: then reading begins at a record before the
 * part, and passes over what is before it. That takes as long as the part is away from such a
 * record: in the worst case the file up to there is passed over once.
 */
static th_status seek_plain(th__archive *archive, th_error *err)
{
    uint64_t from = archive->start;
    bool found, first;
    /* One byte before: a record follows a line end. */
    th_status status = find_leading(archive, from - 1, &found, &first, err);
    if (status == TH_OK && !found && first) /* none at all */
        return TH_DONE;
    for (uint64_t back = 1 << 20; status == TH_OK && from && !(found && first); back *= 2) {
        from = from > back ? from - back : 0;
        first = true;
        if (from)
            status = find_leading(archive, from - 1, &found, &first, err);
        else
            status = th__stream_seek(archive->stream, 0, err);
        first |= found && archive->stream->pos < archive->start;
    }
    return status;
}

th_status th__archive_seek_part(th__archive *archive, uint64_t start, uint64_t end, th_error *err)
{
    th__stream *stream = archive->stream;
    archive->start = start;
    archive->end = stream->stop = end;
    archive->begun = start == 0;
    if (start == 0)
        return TH_OK;
    if (!stream->packed)
        return seek_plain(archive, err);
    if (stream->member == start && th__stream_at_found(stream, archive->format->starts))
        return TH_OK;
    bool found;
    th_status status = th__stream_seek(stream, start, err);
    if (status == TH_OK)
        status = th__stream_find_member(stream, archive->format->starts, &found, err);
    if (status)
        return status;
    return found ? th__stream_next_member(stream, err) : TH_DONE;
}

th_status th__archive_next(th__archive *archive, th_input **out, th_error *err)
{
    for (;;) {
        if (archive->has_pending && !archive->begun) {
            archive->has_pending = false;
        } else if (archive->has_pending) {
            archive->has_pending = false;
            if (err)
                *err = archive->pending;
            return archive->pending.status;
        }
        if (archive->ended)
            return TH_DONE;
        th_status status = step(archive, out, err);
        if (!archive->begun && (status == TH_ERR_FORMAT || status == TH_ERR_LIMIT))
            continue; /* the part before tells of it */
        if (status == TH_ERR_IO || status == TH_ERR_MEMORY)
            archive->ended = true; /* where reading stands is not known any more */
        if (status != TH_DONE)
            return status;
    }
}
