/* archive_stream.c: the bytes inside a plain, gzip or zstd file. */
#include "feed/archive_stream.h"

#include <libdeflate.h>
#if THRESH_ZSTD
#include <zstd.h>
#endif

#include "base/cancel.h"
#include "feed/zlib_memory.h"

enum {
    CHUNK = 256 << 10, /* of plain and zlib reading */
    RAW_CAP = 1 << 20, /* compressed bytes held */
    RAW_LOW =
        RAW_CAP / 2,      /* refilled when fewer are left: a member up to this size is read whole */
    WHOLE_ROOM = 4 << 20, /* a member that inflates to more flows through zlib */
    MEMBER_HEAD = 18,     /* the smallest gzip member */
    PEEK_OUT = 1024,      /* inflated to see what a member starts with */
    PEEK_IN = 2048,       /* looked at for that, after a header of no more */
    USUAL_RATIO = 8,      /* pages do not inflate to more times their size */
    FREE_REWIND = 16 << 20,  /* bytes of going back on top of those gone forward */
    LARGE_WINDOW = 16 << 20, /* a window grown past this is given back */
    PEEK_FRAME = 132 << 10,  /* as PEEK_IN for zstd, which gives whole blocks of up to 128 KiB */
    MAX_DICTIONARY = 16 << 20,
};

/* Room for `want` bytes after the window's last. */
static bool make_room(th__stream *stream, size_t want)
{
    if (stream->at == stream->len)
        stream->at = stream->len = 0;
    if (stream->cap - stream->len >= want)
        return true;
    size_t kept = stream->len - stream->at;
    if (stream->at) {
        memmove(stream->window, stream->window + stream->at, kept);
        stream->at = 0;
        stream->len = kept;
    }
    if (stream->cap - kept >= want)
        return true;
    if (want > SIZE_MAX / 2 - kept)
        return false;
    size_t cap = kept + want > stream->cap * 2 ? kept + want : stream->cap * 2;
    char *window = th__mem_resize(stream->window, cap, 1);
    if (!window)
        return false;
    stream->window = window;
    stream->cap = cap;
    return true;
}

/* Raw bytes until `want` of them stand unread, or the file ends. */
static th_status fill_raw(th__stream *stream, size_t want, th_error *err)
{
    size_t left = stream->raw_len - stream->raw_at;
    if (left >= want || stream->raw_ended)
        return TH_OK;
    memmove(stream->raw, stream->raw + stream->raw_at, left);
    stream->raw_base += stream->raw_at;
    stream->raw_at = 0;
    stream->raw_len = left;
    while (stream->raw_len < want) {
        size_t got;
        th_status status = th__source_read(stream->source, stream->raw + stream->raw_len,
                                           RAW_CAP - stream->raw_len, &got, err);
        if (status)
            return status;
        if (got == 0) {
            stream->raw_ended = true;
            break;
        }
        stream->raw_len += got;
    }
    return TH_OK;
}

static uint64_t raw_offset(const th__stream *stream)
{
    return stream->raw_base + stream->raw_at;
}

static void mark_broken(th__stream *stream, const char *why)
{
    stream->ended = true;
    stream->broken = true;
    stream->broken_at = raw_offset(stream);
    stream->broken_why = why;
}

static bool starts_gzip(const unsigned char *raw, size_t len)
{
    return len >= 4 && raw[0] == 0x1F && raw[1] == 0x8B && raw[2] == 8 && !(raw[3] & 0xE0);
}

static bool starts_zstd(const unsigned char *raw, size_t len)
{
    return THRESH_ZSTD && len >= 4 && !memcmp(raw, "\x28\xB5\x2F\xFD", 4);
}

/* A frame that holds no data of the file. */
static bool starts_skippable(const unsigned char *raw, size_t len)
{
    return THRESH_ZSTD && len >= 4 && raw[0] >> 4 == 5 && !memcmp(raw + 1, "\x2A\x4D\x18", 3);
}

static bool starts_member(const th__stream *stream)
{
    const unsigned char *raw = stream->raw + stream->raw_at;
    size_t len = stream->raw_len - stream->raw_at;
    return stream->zstd ? starts_zstd(raw, len) : starts_gzip(raw, len);
}

static th_status reset_inflate(th__stream *stream, th_error *err)
{
#if THRESH_ZSTD
    if (stream->zstd) {
        stream->frame_out = 0;
        ZSTD_DCtx_reset(stream->frames, ZSTD_reset_session_only);
        return TH_OK;
    }
#endif
    if (stream->z_ready)
        return inflateReset(&stream->z) == Z_OK ? TH_OK : th__fail_memory(err);
    stream->z = TH__ZLIB_INIT;
    if (inflateInit2(&stream->z, 15 + 16) != Z_OK)
        return th__fail_memory(err);
    stream->z_ready = true;
    return TH_OK;
}

/* One call of inflate has ended with `code`: is the member done, or broken? */
static th_status judge_inflate(th__stream *stream, int code, bool produced, th_error *err)
{
    if (code == Z_STREAM_END) {
        stream->ended = true;
    } else if (code == Z_MEM_ERROR) {
        return th__fail_memory(err);
    } else if (code == Z_OK || code == Z_BUF_ERROR) {
        if (!produced && stream->raw_at == stream->raw_len && stream->raw_ended)
            mark_broken(stream, "the file ends in the middle of compressed data");
    } else {
        /* The next member is looked for from the start of this one: it may have been swallowed.
         * Even a checksum that fails may stand in the middle of another member. */
        const char *why = stream->z.msg ? stream->z.msg : "";
        bool check = !strcmp(why, "incorrect data check") || !strcmp(why, "incorrect length check");
        mark_broken(stream, check ? "the checksum of the compressed data is wrong"
                                  : "the compressed data is broken");
    }
    return TH_OK;
}

#if THRESH_ZSTD
/* Gives raw bytes to zstd, and notes what came of it. */
static void flow_frame(th__stream *stream, void *into, size_t len, size_t *got)
{
    ZSTD_inBuffer in = {stream->raw, stream->raw_len, stream->raw_at};
    ZSTD_outBuffer out = {into, len, 0};
    size_t code = ZSTD_decompressStream(stream->frames, &out, &in);
    stream->raw_at = in.pos;
    *got = out.pos;
    stream->frame_out += out.pos;
    if (ZSTD_isError(code))
        mark_broken(stream, "the compressed data is broken");
    else if (code == 0)
        stream->ended = true;
    else if (out.pos == 0 && in.pos == in.size && stream->raw_ended)
        mark_broken(stream, "the file ends in the middle of compressed data");
}
#endif

/* Inflates into a buffer of the caller; *got is 0 only when the member has ended. */
static th_status flow(th__stream *stream, void *into, size_t len, size_t *got, th_error *err)
{
    *got = 0;
    while (*got == 0 && !stream->ended) {
        th_status status = th__cancel_check(stream->source->cancel, err);
        if (!status)
            status = fill_raw(stream, 1, err);
        if (status)
            return status;
#if THRESH_ZSTD
        if (stream->zstd) {
            flow_frame(stream, into, len, got);
            continue;
        }
#endif
        stream->z.next_in = stream->raw + stream->raw_at;
        stream->z.avail_in = (uInt)(stream->raw_len - stream->raw_at);
        stream->z.next_out = into;
        stream->z.avail_out = len < CHUNK * 16 ? (uInt)len : CHUNK * 16;
        uInt asked = stream->z.avail_out;
        int code = inflate(&stream->z, Z_NO_FLUSH);
        stream->raw_at = stream->raw_len - stream->z.avail_in;
        *got = asked - stream->z.avail_out;
        status = judge_inflate(stream, code, *got > 0, err);
        if (status)
            return status;
    }
    return TH_OK;
}

/* More bytes of the member to a place outside or inside the window. */
static th_status pull(th__stream *stream, void *into, size_t len, size_t *got, th_error *err)
{
    if (stream->packed)
        return flow(stream, into, len, got, err);
    th_status status = th__source_read(stream->source, into, len, got, err);
    if (status == TH_OK && *got == 0)
        stream->ended = true;
    return status;
}

th_status th__stream_need(th__stream *stream, size_t n, th_error *err)
{
    while (stream->len - stream->at < n && !stream->ended) {
        size_t step = n > CHUNK ? n : CHUNK, got;
        if (!make_room(stream, step))
            return th__fail_memory(err);
        th_status status = pull(stream, stream->window + stream->len, step, &got, err);
        if (status)
            return status;
        stream->len += got;
    }
    return TH_OK;
}

th_str th__stream_view(const th__stream *stream)
{
    return (th_str){stream->window + stream->at, stream->len - stream->at};
}

void th__stream_take(th__stream *stream, size_t n)
{
    stream->at += n;
    stream->pos += n;
}

th_status th__stream_read(th__stream *stream, uint64_t n, th__buf *out, uint64_t *got,
                          th_error *err)
{
    *got = 0;
    while (*got < n) {
        /* What a header promises is not taken at its word: room grows with what arrives. */
        uint64_t left = n - *got;
        size_t step = left < (1 << 20) ? (size_t)left : 1 << 20;
        if (!th__buf_reserve(out, step))
            return th__fail_memory(err);
        size_t room = out->cap - out->len, took = stream->len - stream->at;
        if (room > left)
            room = (size_t)left;
        if (took) {
            took = took < room ? took : room;
            memcpy(out->data + out->len, stream->window + stream->at, took);
            stream->at += took;
        } else if (stream->ended) {
            break;
        } else if (room < CHUNK) {
            /* A small rest comes with what follows it. */
            th_status status = th__stream_need(stream, 1, err);
            if (status)
                return status;
        } else {
            th_status status = pull(stream, out->data + out->len, room, &took, err);
            if (status)
                return status;
        }
        out->len += took;
        stream->pos += took;
        *got += took;
    }
    return TH_OK;
}

/* Jumps over bytes of a plain file that are not in the window. */
static th_status jump(th__stream *stream, uint64_t n, uint64_t *got, th_error *err)
{
    uint64_t end = stream->source->size, here = stream->source->at;
    *got = here < end ? (end - here < n ? end - here : n) : 0;
    stream->pos += *got;
    return th__source_seek(stream->source, here + *got, err);
}

th_status th__stream_skip(th__stream *stream, uint64_t n, uint64_t *got, th_error *err)
{
    *got = 0;
    while (*got < n) {
        uint64_t left = n - *got, took = stream->len - stream->at;
        th_status status = TH_OK;
        if (took) {
            took = took < left ? took : left;
            th__stream_take(stream, (size_t)took);
        } else if (stream->ended) {
            break;
        } else if (!stream->packed && stream->source->seekable && left > CHUNK) {
            /* Up to the last byte, which is read: a file may be shorter than it was. */
            status = jump(stream, left - 1, &took, err);
            if (took == 0)
                stream->ended = true;
        } else {
            status = th__stream_need(stream, 1, err);
        }
        if (status)
            return status;
        *got += took;
    }
    return TH_OK;
}

/* Inflates the member at raw_at in one go. False where it does not fit or is broken. */
static bool inflate_whole(th__stream *stream)
{
    if (stream->zstd || !stream->fast || !make_room(stream, WHOLE_ROOM))
        return false;
    size_t used, made;
    if (libdeflate_gzip_decompress_ex(stream->fast, stream->raw + stream->raw_at,
                                      stream->raw_len - stream->raw_at, stream->window, stream->cap,
                                      &used, &made) != LIBDEFLATE_SUCCESS)
        return false;
    stream->raw_at += used;
    stream->len = made;
    stream->ended = true;
    return true;
}

#if THRESH_ZSTD
/* A dictionary, itself packed or not, is used for all frames of the file. */
static th_status take_dictionary(th__stream *stream, th_str bytes, th_error *err)
{
    char *unpacked = NULL;
    if (starts_zstd((const unsigned char *)bytes.ptr, bytes.len)) {
        unsigned long long size = ZSTD_getFrameContentSize(bytes.ptr, bytes.len);
        size = size < MAX_DICTIONARY ? size : MAX_DICTIONARY; /* also when it is not said */
        unpacked = th__mem_alloc((size_t)size);
        if (!unpacked)
            return th__fail_memory(err);
        size_t made = ZSTD_decompress(unpacked, (size_t)size, bytes.ptr, bytes.len);
        bytes = (th_str){unpacked, ZSTD_isError(made) ? 0 : made};
    }
    /* A bad dictionary shows in the frames that need it. */
    ZSTD_DCtx_loadDictionary(stream->frames, bytes.ptr, bytes.len);
    th__mem_free(unpacked);
    return TH_OK;
}

/* Passes over frames without data; keeps the dictionary at the start of the file. */
static th_status skip_frames(th__stream *stream, th_error *err)
{
    th_status status = fill_raw(stream, 8, err);
    while (status == TH_OK && stream->raw_len - stream->raw_at >= 8 &&
           starts_skippable(stream->raw + stream->raw_at, 4)) {
        const unsigned char *head = stream->raw + stream->raw_at;
        bool dictionary = raw_offset(stream) == 0 && head[0] == 0x5D;
        uint64_t left = head[4] | head[5] << 8 | head[6] << 16 | (uint64_t)head[7] << 24;
        dictionary = dictionary && left <= MAX_DICTIONARY;
        th__buf kept = {0};
        for (stream->raw_at += 8; status == TH_OK && left;) {
            size_t have = stream->raw_len - stream->raw_at, n = left < have ? (size_t)left : have;
            if (dictionary && !th__buf_add(&kept, stream->raw + stream->raw_at, n))
                status = th__fail_memory(err);
            stream->raw_at += n;
            left -= n;
            if (have == 0 && stream->raw_ended)
                break;
            if (left && status == TH_OK)
                status = fill_raw(stream, 1, err);
        }
        if (dictionary && status == TH_OK)
            status = take_dictionary(stream, th__buf_str(&kept), err);
        th__buf_release(&kept);
        if (status == TH_OK)
            status = fill_raw(stream, 8, err);
    }
    return status;
}
#endif

/* Passes over the zero bytes that tape and block devices leave at the end of a file. */
static th_status skip_padding(th__stream *stream, th_error *err)
{
    for (;;) {
        th_status status = fill_raw(stream, RAW_LOW, err);
        if (status)
            return status;
        while (stream->raw_at < stream->raw_len && stream->raw[stream->raw_at] == 0)
            stream->raw_at++;
        if (stream->raw_at < stream->raw_len || stream->raw_ended)
            return TH_OK;
    }
}

/* The length of a member's header; 0 where it does not end within PEEK_IN bytes. */
static size_t header_length(const th__stream *stream)
{
    enum { HEADER_CRC = 2, EXTRA = 4, NAME = 8, COMMENT = 16, ZSTD_HEADER = 18 };
    const unsigned char *raw = stream->raw + stream->raw_at;
    size_t len = stream->raw_len - stream->raw_at;
    if (stream->zstd)
        return ZSTD_HEADER; /* at most */
    size_t at = 10, most = len < PEEK_IN ? len : PEEK_IN;
    if (most < at + 2)
        return 0;
    if (raw[3] & EXTRA)
        at += 2 + (size_t)(raw[10] | raw[11] << 8);
    for (int flag = NAME; flag <= COMMENT; flag *= 2) {
        const unsigned char *end = raw[3] & flag && at < most ? memchr(raw + at, 0, most - at) : 0;
        if (raw[3] & flag && !end)
            return 0;
        at = end ? (size_t)(end - raw) + 1 : at;
    }
    at += raw[3] & HEADER_CRC ? 2 : 0;
    return at < most ? at : 0;
}

th_status th__stream_next_member(th__stream *stream, th_error *err)
{
    if (!stream->packed)
        return TH_DONE;
    th_status status = th__cancel_check(stream->source->cancel, err);
    if (!status)
        status = skip_padding(stream, err);
#if THRESH_ZSTD
    if (!status && stream->zstd)
        status = skip_frames(stream, err);
#endif
    if (status)
        return status;
    if (stream->raw_at == stream->raw_len)
        return TH_DONE;
    if (stream->cap > LARGE_WINDOW) {
        th__mem_free(stream->window);
        stream->window = NULL;
        stream->cap = 0;
    }
    stream->at = stream->len = 0;
    stream->pos = 0;
    stream->broken = stream->ended = false;
    stream->member = raw_offset(stream);
    if (stream->member > stream->furthest)
        stream->furthest = stream->member;
    stream->findable = false;
    if (!starts_member(stream)) {
        mark_broken(stream,
                    stream->zstd ? "no zstd frame starts here" : "no gzip member starts here");
        return TH_OK;
    }
    stream->findable = header_length(stream) > 0;
    return inflate_whole(stream) ? TH_OK : reset_inflate(stream, err);
}

/* Returns true if going back by `distance` is within the budget, and spends it. */
static bool spend(th__stream *stream, uint64_t here, uint64_t distance)
{
    if (here > stream->furthest)
        stream->furthest = here;
    if (distance > stream->furthest + FREE_REWIND - stream->rewound)
        return false;
    stream->rewound += distance;
    return true;
}

static th_status rewind_raw(th__stream *stream, uint64_t offset, th_error *err)
{
    /* Few bytes may inflate to many, again from each of many headers before them. */
    uint64_t here = raw_offset(stream);
    uint64_t inflated = stream->zstd      ? stream->frame_out
                        : stream->z_ready ? stream->z.total_out
                                          : 0;
    uint64_t distance = offset < here ? here - offset : 0;
    if (inflated / USUAL_RATIO > distance)
        distance = inflated / USUAL_RATIO;
    if (offset >= here || !spend(stream, here, distance))
        return TH_OK;
    if (offset >= stream->raw_base || !stream->source->seekable) {
        stream->raw_at = offset > stream->raw_base ? (size_t)(offset - stream->raw_base) : 0;
        return TH_OK;
    }
    th_status status = th__source_seek(stream->source, offset, err);
    stream->raw_at = stream->raw_len = 0;
    stream->raw_base = offset;
    stream->raw_ended = false;
    return status;
}

/* Inflates the first bytes of the member at raw_at to see whether it is what is looked for. Few
 * bytes are looked at, so that a flood of headers costs no more than its bytes. */
static th_status peek_member(th__stream *stream, bool (*starts)(th_str bytes), bool *found,
                             th_error *err)
{
    char head[PEEK_OUT];
    size_t len = stream->raw_len - stream->raw_at;
    size_t header = header_length(stream);
    *found = false;
    if (!header)
        return TH_OK;
    th_status status = reset_inflate(stream, err);
    if (status)
        return status;
#if THRESH_ZSTD
    if (stream->zstd) {
        /* A frame costs more than its header, so that many of them cost from the budget. */
        len = len < PEEK_FRAME ? len : PEEK_FRAME;
        ZSTD_inBuffer in = {stream->raw + stream->raw_at, len, 0};
        ZSTD_outBuffer out = {head, sizeof head, 0};
        size_t code = 1;
        if (!spend(stream, raw_offset(stream), len))
            return TH_OK;
        while (!ZSTD_isError(code) && code && in.pos < in.size && out.pos < out.size)
            code = ZSTD_decompressStream(stream->frames, &out, &in);
        *found = starts((th_str){head, out.pos});
        return TH_OK;
    }
#endif
    stream->z.next_in = stream->raw + stream->raw_at;
    stream->z.avail_in = (uInt)(len < header + PEEK_IN ? len : header + PEEK_IN);
    stream->z.next_out = (unsigned char *)head;
    stream->z.avail_out = sizeof head;
    inflate(&stream->z, Z_NO_FLUSH);
    *found = starts((th_str){head, sizeof head - stream->z.avail_out});
    return TH_OK;
}

th_status th__stream_find_member(th__stream *stream, bool (*starts)(th_str bytes), bool *found,
                                 th_error *err)
{
    *found = false;
    th_status status = rewind_raw(stream, stream->member + 1, err);
    while (status == TH_OK && !*found) {
        status = th__cancel_check(stream->source->cancel, err);
        if (!status)
            status = fill_raw(stream, RAW_LOW, err);
        if (status || stream->raw_len - stream->raw_at < MEMBER_HEAD ||
            raw_offset(stream) >= stream->stop)
            break;
        unsigned char *at = stream->raw + stream->raw_at;
        unsigned char *hit =
            memchr(at, stream->zstd ? 0x28 : 0x1F, stream->raw_len - stream->raw_at);
        stream->raw_at = hit ? (size_t)(hit - stream->raw) : stream->raw_len;
        if (!hit)
            continue;
        if (raw_offset(stream) < stream->stop && starts_member(stream))
            status = peek_member(stream, starts, found, err);
        if (!*found)
            stream->raw_at++;
    }
    stream->at = stream->len = 0;
    stream->broken = false;
    stream->ended = true;
    return status;
}

bool th__stream_at_found(const th__stream *stream, bool (*starts)(th_str bytes))
{
    th_str view = th__stream_view(stream);
    view.len = view.len < PEEK_OUT ? view.len : PEEK_OUT;
    return stream->pos == 0 && stream->findable && starts(view);
}

th_status th__stream_seek(th__stream *stream, uint64_t offset, th_error *err)
{
    th_status status = th__source_seek(stream->source, offset, err);
    stream->at = stream->len = 0;
    stream->ended = stream->packed;
    stream->broken = stream->raw_ended = false;
    stream->pos = stream->packed ? 0 : offset;
    stream->raw_at = stream->raw_len = 0;
    stream->raw_base = offset;
    stream->member = offset - 1; /* the next one is looked for behind it */
    if (offset > stream->furthest)
        stream->furthest = offset;
    return status;
}

bool th__stream_rewind(th__stream *stream, uint64_t offset)
{
    if (stream->packed || offset > stream->pos || !spend(stream, stream->pos, stream->pos - offset))
        return false;
    uint64_t distance = stream->pos - offset;
    if (distance <= stream->at) {
        stream->at -= (size_t)distance;
    } else {
        if (!stream->source->seekable || th__source_seek(stream->source, offset, NULL))
            return false;
        stream->at = stream->len = 0;
        stream->ended = false;
    }
    stream->pos = offset;
    return true;
}

uint64_t th__stream_offset(const th__stream *stream)
{
    return stream->packed ? stream->member : stream->pos;
}

/* Forgets the last file but keeps the buffers. */
static void forget(th__stream *stream, th__source *source)
{
    th__stream kept = *stream;
    *stream = (th__stream){.source = source,
                           .raw = kept.raw,
                           .window = kept.window,
                           .cap = kept.cap,
                           .z = kept.z,
                           .z_ready = kept.z_ready,
                           .fast = kept.fast,
                           .frames = kept.frames,
                           .stop = UINT64_MAX};
}

th_status th__stream_open(th__stream *stream, th__source *source, th_error *err)
{
    forget(stream, source);
    stream->pos = stream->raw_base = source->at;
    th_status status = th__stream_need(stream, 4, err);
    if (status)
        return status;
    const unsigned char *head = (const unsigned char *)stream->window;
    stream->zstd = starts_zstd(head, stream->len) || starts_skippable(head, stream->len);
    if (!stream->zstd && !starts_gzip(head, stream->len))
        return TH_OK;
    /* The bytes read so far are raw ones. */
    if (!stream->raw)
        stream->raw = th__mem_alloc(RAW_CAP);
    if (!stream->raw)
        return th__fail_memory(err);
    if (!stream->fast)
        stream->fast = libdeflate_alloc_decompressor(); /* without it, zlib does everything */
#if THRESH_ZSTD
    if (!stream->frames && !(stream->frames = ZSTD_createDCtx()))
        return th__fail_memory(err);
    ZSTD_DCtx_reset(stream->frames, ZSTD_reset_session_and_parameters); /* no dictionary */
#endif
    size_t start = stream->len < RAW_CAP ? stream->len : RAW_CAP;
    memcpy(stream->raw, stream->window, start);
    stream->raw_len = start;
    stream->raw_ended = stream->ended;
    stream->packed = true;
    stream->at = stream->len = 0;
    return th__stream_next_member(stream, err);
}

void th__stream_release(th__stream *stream)
{
    if (stream->z_ready)
        inflateEnd(&stream->z);
    libdeflate_free_decompressor(stream->fast);
#if THRESH_ZSTD
    ZSTD_freeDCtx(stream->frames);
#endif
    th__mem_free(stream->raw);
    th__mem_free(stream->window);
    *stream = (th__stream){0};
}
