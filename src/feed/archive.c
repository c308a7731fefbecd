/* archive.c: walks the records of an archive and gives those that are pages; archive_damage.h tells
 * what happens where the walk meets damage. */
#include "feed/archive.h"

#include "base/error.h"
#include "base/mem.h"
#include "feed/archive_damage.h"
#include "feed/feed_input.h"
#include "feed/http_message.h"
#include "feed/sniff.h"

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
    *archive =
        (th__archive){.stream = stream, .format = format, .name = name, .max_bytes = max_bytes};
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
                 (!header.has_type || th__type_is_html(header.type)) &&
                 (body || record->kind == TH__RECORD_RESPONSE);
    plan->sniff = !header.has_type;
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
        plan->page = !record->type.len || th__type_is_html(record->type);
        plan->sniff = !record->type.len;
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
    if (status == TH_OK)
        th__input_give(*out, body, start);
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
                    "%s@%llu: %.*s %s; what could be read is given", archive->name,
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
        th__archive_pass(archive, &plan->block, plan->header_len, &body, &got, &complete, err);
    if (status == TH_OK && !complete && !archive->stream->gzip && body.len >= plan->body_len) {
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
    th_status status = th__archive_pass(archive, &plan->block, 0, NULL, &got, &complete, err);
    archive->skipped++;
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
    archive->record_in = stream->gzip ? stream->pos : 0;
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
            broken ? (th__archive_place){stream->broken_at, 0} : th__archive_place_now(stream);
        const char *why = broken ? stream->broken_why
                          : all  ? "the archive ends in the middle of a record header"
                                 : "a record header is longer than 64 KiB";
        /* All that was looked at is given up, so that a flood of headers costs no more than its
         * bytes: no other record starts a line in it. */
        size_t looked = th__stream_view(stream).len;
        th__stream_take(stream, looked < MAX_HEADER ? looked : MAX_HEADER);
        return th__archive_damage(archive, err, at, "%s", why);
    }
    archive->records++;
    plan->block.uri = record->uri.ptr ? record->uri : TH_STR("");
    if (!keep(archive, &plan->block.uri))
        return th__fail_memory(err);
    if (!record->has_length) {
        th__archive_place at = th__archive_place_now(stream);
        th__stream_take(stream, len - 1); /* the next record may start right behind the line end */
        return th__archive_damage(archive, err, at,
                                  "the record %.*s has no length that can be used",
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
        th_status status = th__archive_skip_blanks(archive, err);
        if (status)
            return status;
        if (th__stream_view(stream).len)
            break;
        if (stream->broken)
            return th__archive_damage(archive, err, (th__archive_place){stream->broken_at, 0}, "%s",
                                      stream->broken_why);
        status = th__stream_next_member(stream, err);
        if (status == TH_DONE) {
            archive->ended = true;
            if (archive->records == 0)
                return th__fail(err, TH_ERR_FORMAT, "%s: the archive is empty: it has no records",
                                archive->name);
        }
        if (status)
            return status;
    }
    bool fine;
    th_status status = th__archive_at_start(archive, &fine, err);
    if (status || fine)
        return status;
    th__archive_place at = th__archive_place_now(stream);
    th__stream_take(stream, 1);
    return th__archive_damage(archive, err, at, "no %s record starts here", archive->format->name);
}

/* Whether a page is larger than allowed. What the file does not hold does not count: a record whose
 * length lies may be small. */
static bool is_large(const th__archive *archive, const record_plan *plan)
{
    const th__stream *stream = archive->stream;
    uint64_t length = plan->block.length;
    if (!stream->gzip && stream->source->seekable) {
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
    if (status == TH_OK)
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

th_status th__archive_next(th__archive *archive, th_input **out, th_error *err)
{
    for (;;) {
        if (archive->has_pending) {
            archive->has_pending = false;
            if (err)
                *err = archive->pending;
            return archive->pending.status;
        }
        if (archive->ended)
            return TH_DONE;
        th_status status = step(archive, out, err);
        if (status == TH_ERR_IO || status == TH_ERR_MEMORY)
            archive->ended = true; /* where reading stands is not known any more */
        if (status != TH_DONE)
            return status;
    }
}
