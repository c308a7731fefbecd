/*
 * archive.c: the pages of a file: see archive.h.
 *
 * bytes of files and pipes -> bytes inside of packed ones -> headers of records -> damage ->
 * records -> parts of archives -> files.
 */
#include "feed/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if THRESH_ZSTD
#include <zstd.h>
#endif

#include "base/arena.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "feed/feed.h"
#include "feed/http_message.h"
#include "feed/zlib_memory.h"

/* ---- bytes of files and pipes ---------------------------------------------------------------- */

/* Files are read, never mapped: a mapped file that somebody truncates kills the process. */

typedef struct byte_source {
    const char *name;          /* for messages; borrowed */
    int fd;                    /* -1 for memory and readers */
    bool close_fd;             /* release closes it */
    bool seekable;             /* all but pipes */
    th_str memory;             /* when fd is -1; borrowed */
    const th_reader *reader;   /* when fd is -1, or NULL; borrowed */
    uint64_t want_end;         /* a reader is not asked for much behind this */
    uint64_t at;               /* offset of the next byte */
    uint64_t size;             /* when seekable */
    _Atomic uint64_t *counter; /* progress, or NULL; borrowed */
    uint64_t counted;          /* bytes already added to the counter: rewinding counts once */
    const th_cancel *cancel;   /* ends reading, or NULL; borrowed */
} byte_source;

static bool exists_with(const char *path, size_t len, const char *ending)
{
    char name[PATH_MAX];
    int made = snprintf(name, sizeof name, "%.*s%s", (int)len, path, ending);
    return made > 0 && (size_t)made < sizeof name && !access(name, F_OK);
}

/* Returns true if a file is a database of SQLite's that somebody works with, or its log or index:
 * such a one must not be opened, not even to look at it. It may be the project that this process
 * has open, and closing a descriptor of a file drops all locks that the process holds on it. */
static bool is_open_database(const char *path)
{
    th_str name = th_str_from(path);
    if (th__str_ends_nocase(name, TH_STR("-wal")) || th__str_ends_nocase(name, TH_STR("-shm")))
        return exists_with(path, name.len - 4, "");
    return exists_with(path, name.len, "-wal");
}

/* With files_only anything but a regular file is refused, and opening never waits. */
static th_status source_open_file(byte_source *source, const char *path, bool files_only,
                                  th_error *err)
{
    *source = (byte_source){.name = path, .fd = -1};
    if (is_open_database(path))
        return th__fail(err, TH_ERR_FORMAT, "%s: is a SQLite database, not a web page", path);
    /* Without O_NONBLOCK, opening a pipe waits for somebody who writes to it. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (files_only ? O_NONBLOCK : 0));
    if (fd < 0)
        return th__fail(err, TH_ERR_IO, "%s: cannot be opened: %s%s", path, strerror(errno),
                        strstr(path, "://") ? "; of URLs only http and https are fetched" : "");
    struct stat info;
    if (fstat(fd, &info) != 0) {
        int why = errno;
        close(fd);
        return th__fail(err, TH_ERR_IO, "%s: cannot be read: %s", path, strerror(why));
    }
    if (files_only && !S_ISREG(info.st_mode)) {
        close(fd);
        return th__fail(err, TH_ERR_ARGUMENT, "%s: is not a regular file", path);
    }
    source->fd = fd;
    source->close_fd = true;
    source->seekable = S_ISREG(info.st_mode);
    source->size = source->seekable ? (uint64_t)info.st_size : 0;
    if (source->seekable)
        posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return TH_OK;
}

/* Asks a reader, which may be a network away: for the bytes of the part, and few behind it. */
static th_status ask_reader(byte_source *source, void *into, size_t len, size_t *got, th_error *err)
{
    enum { BEHIND = 64 << 10 };
    const th_reader *reader = source->reader;
    uint64_t left = source->want_end > source->at ? source->want_end - source->at : 0;
    left = left > BEHIND ? left : BEHIND;
    len = left < len ? (size_t)left : len;
    left = source->size > source->at ? source->size - source->at : 0;
    len = left < len ? (size_t)left : len;
    *got = 0;
    th_status status = len ? reader->read(reader->context, source->at, into, len, got, err) : TH_OK;
    if (status == TH_OK && *got > len)
        status = th__fail_at(err, TH_ERR_ARGUMENT, source->at,
                             "%s: the reader gave %zu bytes where %zu were asked for", source->name,
                             *got, len);
    return status;
}

static void source_release(byte_source *source)
{
    if (source->close_fd)
        close(source->fd);
    *source = (byte_source){.fd = -1};
}

static void count_bytes(byte_source *source)
{
    if (!source->counter || source->at <= source->counted)
        return;
    atomic_fetch_add_explicit(source->counter, source->at - source->counted, memory_order_relaxed);
    source->counted = source->at;
}

/* Reads up to len bytes, as many as are there at once; *got is 0 only at the end. */
static th_status source_read(byte_source *source, void *into, size_t len, size_t *got,
                             th_error *err)
{
    th_status status = th__cancel_check(source->cancel, err);
    if (status)
        return status;
    if (source->reader) {
        status = ask_reader(source, into, len, got, err);
        if (status)
            return status;
    } else if (source->fd < 0) {
        size_t left = source->at < source->size ? (size_t)(source->size - source->at) : 0;
        *got = left < len ? left : len;
        if (*got)
            memcpy(into, source->memory.ptr + source->at, *got);
    } else {
        ssize_t n;
        do
            n = read(source->fd, into, len);
        while (n < 0 && errno == EINTR);
        if (n < 0)
            return th__fail_at(err, TH_ERR_IO, source->at, "%s: reading failed at byte %llu: %s",
                               source->name, (unsigned long long)source->at, strerror(errno));
        *got = (size_t)n;
    }
    source->at += *got;
    count_bytes(source);
    return TH_OK;
}

/* Goes to a byte; only when seekable. */
static th_status source_seek(byte_source *source, uint64_t offset, th_error *err)
{
    if (source->fd >= 0 && lseek(source->fd, (off_t)offset, SEEK_SET) < 0)
        return th__fail_at(err, TH_ERR_IO, offset, "%s: cannot go to byte %llu: %s", source->name,
                           (unsigned long long)offset, strerror(errno));
    source->at = offset;
    count_bytes(source);
    return TH_OK;
}

/* ---- bytes inside of packed files ------------------------------------------------------------ */

/*
 * The bytes inside a plain, gzip or zstd file, with a window to look ahead.
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
 *     stream_next_member is called.
 *  2. `pos` is the offset of window[at] in the member's inflated bytes.
 *  3. Broken data sets `broken` and `ended`; the bytes before the break can still be read.
 *  4. Going back costs from a budget, so that a hostile file takes linear time.
 */

typedef struct byte_stream {
    byte_source *source; /* borrowed */
    bool packed;         /* gzip or zstd: a row of members */
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
    bool findable;   /* stream_find_member would find it if a record starts it */
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
} byte_stream;

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
static bool make_room(byte_stream *stream, size_t want)
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

/* Reads raw bytes until `want` of them are unread, or the file ends. */
static th_status fill_raw(byte_stream *stream, size_t want, th_error *err)
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
        th_status status = source_read(stream->source, stream->raw + stream->raw_len,
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

static uint64_t raw_offset(const byte_stream *stream)
{
    return stream->raw_base + stream->raw_at;
}

static void mark_broken(byte_stream *stream, const char *why)
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

static bool starts_member(const byte_stream *stream)
{
    const unsigned char *raw = stream->raw + stream->raw_at;
    size_t len = stream->raw_len - stream->raw_at;
    return stream->zstd ? starts_zstd(raw, len) : starts_gzip(raw, len);
}

static th_status reset_inflate(byte_stream *stream, th_error *err)
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
static th_status judge_inflate(byte_stream *stream, int code, bool produced, th_error *err)
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
         * Even a checksum that fails may be in the middle of another member. */
        const char *why = stream->z.msg ? stream->z.msg : "";
        bool check = !strcmp(why, "incorrect data check") || !strcmp(why, "incorrect length check");
        mark_broken(stream, check ? "the checksum of the compressed data is wrong"
                                  : "the compressed data is broken");
    }
    return TH_OK;
}

#if THRESH_ZSTD
/* Gives raw bytes to zstd, and notes what came of it. */
static void flow_frame(byte_stream *stream, void *into, size_t len, size_t *got)
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
static th_status flow(byte_stream *stream, void *into, size_t len, size_t *got, th_error *err)
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
static th_status pull(byte_stream *stream, void *into, size_t len, size_t *got, th_error *err)
{
    if (stream->packed)
        return flow(stream, into, len, got, err);
    th_status status = source_read(stream->source, into, len, got, err);
    if (status == TH_OK && *got == 0)
        stream->ended = true;
    return status;
}

/* Brings at least n bytes into the window where the member has so many. */
static th_status stream_need(byte_stream *stream, size_t n, th_error *err)
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

/* The bytes of the window. Borrowed until the next call. */
static th_str stream_view(const byte_stream *stream)
{
    return (th_str){stream->window + stream->at, stream->len - stream->at};
}

/* Consumes n bytes of the view. */
static void stream_take(byte_stream *stream, size_t n)
{
    stream->at += n;
    stream->pos += n;
}

/* Appends the next n bytes to out, or those that the member has. */
static th_status stream_read(byte_stream *stream, uint64_t n, th__buf *out, uint64_t *got,
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
            th_status status = stream_need(stream, 1, err);
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
static th_status jump(byte_stream *stream, uint64_t n, uint64_t *got, th_error *err)
{
    uint64_t end = stream->source->size, here = stream->source->at;
    *got = here < end ? (end - here < n ? end - here : n) : 0;
    stream->pos += *got;
    return source_seek(stream->source, here + *got, err);
}

/* Consumes the next n bytes, or those that the member has. */
static th_status stream_skip(byte_stream *stream, uint64_t n, uint64_t *got, th_error *err)
{
    *got = 0;
    while (*got < n) {
        uint64_t left = n - *got, took = stream->len - stream->at;
        th_status status = TH_OK;
        if (took) {
            took = took < left ? took : left;
            stream_take(stream, (size_t)took);
        } else if (stream->ended) {
            break;
        } else if (!stream->packed && stream->source->seekable && left > CHUNK) {
            /* Up to the last byte, which is read: a file may be shorter than it was. */
            status = jump(stream, left - 1, &took, err);
            if (took == 0)
                stream->ended = true;
        } else {
            status = stream_need(stream, 1, err);
        }
        if (status)
            return status;
        *got += took;
    }
    return TH_OK;
}

/* Inflates the member at raw_at in one go. False where it does not fit or is broken. */
static bool inflate_whole(byte_stream *stream)
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
static th_status take_dictionary(byte_stream *stream, th_str bytes, th_error *err)
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
static th_status skip_frames(byte_stream *stream, th_error *err)
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
static th_status skip_padding(byte_stream *stream, th_error *err)
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
static size_t header_length(const byte_stream *stream)
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

/* Begins the next member: the present one must have ended and its bytes be consumed. TH_DONE at the
 * end of the file. */
static th_status stream_next_member(byte_stream *stream, th_error *err)
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
static bool spend(byte_stream *stream, uint64_t here, uint64_t distance)
{
    if (here > stream->furthest)
        stream->furthest = here;
    if (distance > stream->furthest + FREE_REWIND - stream->rewound)
        return false;
    stream->rewound += distance;
    return true;
}

static th_status rewind_raw(byte_stream *stream, uint64_t offset, th_error *err)
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
    th_status status = source_seek(stream->source, offset, err);
    stream->raw_at = stream->raw_len = 0;
    stream->raw_base = offset;
    stream->raw_ended = false;
    return status;
}

/* Inflates the first bytes of the member at raw_at to see whether it is what is looked for. Few
 * bytes are looked at, so that a flood of headers costs no more than its bytes. */
static th_status peek_member(byte_stream *stream, bool (*starts)(th_str bytes), bool *found,
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

/* After broken data: finds the next member whose first bytes satisfy `starts`, for
 * stream_next_member to begin. */
static th_status stream_find_member(byte_stream *stream, bool (*starts)(th_str bytes), bool *found,
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

/* Returns true if reading is at the start of a member that stream_find_member would find. */
static bool stream_at_found(const byte_stream *stream, bool (*starts)(th_str bytes))
{
    th_str view = stream_view(stream);
    view.len = view.len < PEEK_OUT ? view.len : PEEK_OUT;
    return stream->pos == 0 && stream->findable && starts(view);
}

/* Goes to any byte of a seekable file: in packed data between members, for stream_find_member to
 * look from there on. */
static th_status stream_seek(byte_stream *stream, uint64_t offset, th_error *err)
{
    th_status status = source_seek(stream->source, offset, err);
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

/* Plain files: goes back to an offset. False where it cannot be done. */
static bool stream_rewind(byte_stream *stream, uint64_t offset)
{
    if (stream->packed || offset > stream->pos || !spend(stream, stream->pos, stream->pos - offset))
        return false;
    uint64_t distance = stream->pos - offset;
    if (distance <= stream->at) {
        stream->at -= (size_t)distance;
    } else {
        if (!stream->source->seekable || source_seek(stream->source, offset, NULL))
            return false;
        stream->at = stream->len = 0;
        stream->ended = false;
    }
    stream->pos = offset;
    return true;
}

/* Where reading is in the file: the byte, or in packed data the member. */
static uint64_t stream_offset(const byte_stream *stream)
{
    return stream->packed ? stream->member : stream->pos;
}

/* Forgets the last file but keeps the buffers. */
static void forget(byte_stream *stream, byte_source *source)
{
    byte_stream kept = *stream;
    *stream = (byte_stream){.source = source,
                            .raw = kept.raw,
                            .window = kept.window,
                            .cap = kept.cap,
                            .z = kept.z,
                            .z_ready = kept.z_ready,
                            .fast = kept.fast,
                            .frames = kept.frames,
                            .stop = UINT64_MAX};
}

/* Opens the stream on a source, where that is, and begins its first member. A zeroed stream may be
 * opened, and an open one opened again: it keeps its buffers. */
static th_status stream_open(byte_stream *stream, byte_source *source, th_error *err)
{
    forget(stream, source);
    stream->pos = stream->raw_base = source->at;
    th_status status = stream_need(stream, 4, err);
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
    return stream_next_member(stream, err);
}

static void stream_release(byte_stream *stream)
{
    if (stream->z_ready)
        inflateEnd(&stream->z);
    libdeflate_free_decompressor(stream->fast);
#if THRESH_ZSTD
    ZSTD_freeDCtx(stream->frames);
#endif
    th__mem_free(stream->raw);
    th__mem_free(stream->window);
    *stream = (byte_stream){0};
}

/* ---- headers of records ---------------------------------------------------------------------- */

/* A byte of the file and, in gzip, how far inside the member's inflated bytes. */
typedef struct archive_place {
    uint64_t at, in;
} archive_place;

typedef enum record_kind {
    RECORD_SKIP,     /* not a page: a request, metadata, ... */
    RECORD_RESPONSE, /* the block is an HTTP response */
    RECORD_RESOURCE, /* the block is the page itself */
    RECORD_REVISIT   /* an HTTP header without its body, as a rule */
} record_kind;

typedef struct archive_record {
    record_kind kind;
    th_str uri;      /* target; absent if not said */
    th_str type;     /* content type of the block; absent if not said */
    uint64_t length; /* of the block */
    bool has_length;
} archive_record;

typedef struct archive_format {
    const char *name;
    /* Returns true if bytes begin like a record header. */
    bool (*starts)(th_str bytes);
    /* Where a record may begin at the earliest after `from` in bytes, or SIZE_MAX: a fast filter
     * whose hits `starts` confirms. */
    size_t (*seek)(th_str bytes, size_t from);
    /* Reads a header; 0 when it does not end in bytes, else its length (up to the next record for a
     * header that was cut off, then without a block's length). Views borrow bytes. */
    size_t (*parse)(th_str bytes, archive_record *out);
} archive_format;

/*
 * The record headers of WARC (ISO 28500, versions 0.17 to 1.1) and, below, of ARC.
 *
 *     WARC/1.0
 *     WARC-Type: response
 *     WARC-Target-URI: http://example.org/
 *     Content-Type: application/http; msgtype=response
 *     Content-Length: 1234
 *     (blank line)
 */

static bool warc_starts(th_str bytes)
{
    if (bytes.len < 9 || memcmp(bytes.ptr, "WARC/", 5) ||
        !th__is_digit((unsigned char)bytes.ptr[5]) || bytes.ptr[6] != '.' ||
        !th__is_digit((unsigned char)bytes.ptr[7]))
        return false;
    size_t i = th__is_digit((unsigned char)bytes.ptr[8]) ? 9 : 8;
    while (i < bytes.len && i < 12 && bytes.ptr[i] == '\r')
        i++;
    return i < bytes.len && bytes.ptr[i] == '\n';
}

static size_t warc_seek(th_str bytes, size_t from)
{
    size_t hit = th__str_find((th_str){bytes.ptr + from, bytes.len - from}, TH_STR("WARC/"));
    return hit == SIZE_MAX ? hit : from + hit;
}

static record_kind kind_of(th_str type)
{
    static const struct {
        th_str name;
        record_kind kind;
    } kinds[] = {{{"response", 8}, RECORD_RESPONSE},
                 {{"resource", 8}, RECORD_RESOURCE},
                 {{"revisit", 7}, RECORD_REVISIT}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (th__str_eq_nocase(type, kinds[i].name))
            return kinds[i].kind;
    return RECORD_SKIP;
}

static void take_field(th_str name, th_str value, archive_record *out)
{
    if (th__str_eq_nocase(name, TH_STR("warc-type"))) {
        out->kind = kind_of(value);
    } else if (th__str_eq_nocase(name, TH_STR("content-length"))) {
        out->has_length = th__http_number(value, &out->length);
    } else if (th__str_eq_nocase(name, TH_STR("content-type"))) {
        out->type = value;
    } else if (th__str_eq_nocase(name, TH_STR("warc-target-uri"))) {
        /* Some versions of Wget put the URI in angle brackets. */
        if (value.len > 1 && value.ptr[0] == '<' && value.ptr[value.len - 1] == '>')
            value = (th_str){value.ptr + 1, value.len - 2};
        out->uri = value;
    }
}

/* A response or resource is what its block's type says, where it says so. */
static void settle_kind(archive_record *record)
{
    bool http = th__str_starts_nocase(record->type, TH_STR("application/http"));
    if (record->kind == RECORD_RESOURCE && http)
        record->kind = RECORD_RESPONSE;
    if ((record->kind == RECORD_RESPONSE || record->kind == RECORD_REVISIT) && !http &&
        record->type.len)
        record->kind = record->kind == RECORD_RESPONSE && th__type_is_html(record->type)
                           ? RECORD_RESOURCE
                           : RECORD_SKIP;
}

static size_t warc_parse(th_str bytes, archive_record *out)
{
    th_str rest = bytes, line, name, value;
    *out = (archive_record){0};
    th__http_line(&rest, &line);
    for (th_str before = rest; th__http_line(&rest, &line); before = rest) {
        if (warc_starts(before)) {
            /* The header was cut off, and this is another record. */
            out->has_length = false;
            return bytes.len - before.len;
        }
        if (line.len == 0) {
            settle_kind(out);
            return bytes.len - rest.len;
        }
        if (th__http_field(line, &name, &value))
            take_field(name, value, out);
    }
    return 0;
}

static const archive_format warc_format = {"WARC", warc_starts, warc_seek, warc_parse};

/*
 * ARC (the Internet Archive's format before WARC, versions 1 and 2):
 *
 *     http://example.org/ 192.0.2.1 20010203040506 text/html 1234
 *     http://example.org/ 192.0.2.1 20010203040506 text/html 200 - - 678 x.arc 1234
 *
 * The URL may contain blanks, and so may the type: the date is what can be recognised for sure, the
 * field before it is the address, all before that the URL, and the last field the length.
 */

enum { MAX_LINE = 16 << 10, MAX_FIELDS = 64 };

typedef struct arc_line {
    th_str url, type, length;
    size_t len; /* with its end */
} arc_line;

static bool is_date(th_str field)
{
    if (field.len < 12 || field.len > 18)
        return false;
    for (size_t i = 0; i < field.len; i++)
        if (!th__is_digit((unsigned char)field.ptr[i]))
            return false;
    return true;
}

static bool is_address(th_str field)
{
    if (th__str_eq(field, TH_STR("-")) || th__str_eq(field, TH_STR("unknown")))
        return true;
    for (size_t i = 0; i < field.len; i++) {
        unsigned char c = (unsigned char)field.ptr[i];
        if (!th__is_digit(c) && c != '.' && c != ':' &&
            !(th__lower(c) >= 'a' && th__lower(c) <= 'f'))
            return false;
    }
    return field.len > 1;
}

/* Splits at blanks from the right, so that a long URL costs nothing. Last field first. */
static size_t split_back(th_str line, th_str *fields)
{
    size_t count = 0, end = line.len;
    while (end && count < MAX_FIELDS) {
        size_t start = end;
        while (start && line.ptr[start - 1] != ' ')
            start--;
        if (end > start)
            fields[count++] = (th_str){line.ptr + start, end - start};
        end = start ? start - 1 : 0;
    }
    return count;
}

static bool read_line(th_str bytes, arc_line *out)
{
    th_str fields[MAX_FIELDS];
    size_t limit = bytes.len < MAX_LINE ? bytes.len : MAX_LINE;
    const char *end = limit ? memchr(bytes.ptr, '\n', limit) : NULL;
    if (!end || !th__is_alpha((unsigned char)bytes.ptr[0]))
        return false;
    out->len = (size_t)(end - bytes.ptr) + 1;
    th_str line = th__str_trim((th_str){bytes.ptr, out->len});
    size_t count = split_back(line, fields);
    for (size_t i = 2; i + 2 < count; i++) {
        if (!is_date(fields[i]) || !is_address(fields[i + 1]))
            continue;
        out->length = fields[0];
        out->type = fields[i - 1];
        if (out->type.len && out->type.ptr[out->type.len - 1] == ';')
            out->type.len--;
        out->url = th__str_trim((th_str){line.ptr, (size_t)(fields[i + 1].ptr - line.ptr)});
        return memchr(out->url.ptr, ':', out->url.len) != NULL;
    }
    return false;
}

static bool arc_starts(th_str bytes)
{
    arc_line line;
    return read_line(bytes, &line);
}

/* Records begin at line starts. */
static size_t arc_seek(th_str bytes, size_t from)
{
    for (size_t i = from; i < bytes.len;) {
        const char *end = memchr(bytes.ptr + i, '\n', bytes.len - i);
        if (!end)
            return SIZE_MAX;
        i = (size_t)(end - bytes.ptr) + 1;
        if (i < bytes.len && th__is_alpha((unsigned char)bytes.ptr[i]))
            return i;
    }
    return SIZE_MAX;
}

static size_t arc_parse(th_str bytes, archive_record *out)
{
    arc_line line;
    if (!read_line(bytes, &line))
        return 0;
    *out = (archive_record){.kind = RECORD_RESPONSE, .uri = line.url, .type = line.type};
    if (!th__str_starts_nocase(line.url, TH_STR("http")))
        out->kind = RECORD_SKIP; /* filedesc: and dns: */
    out->has_length = th__http_number(line.length, &out->length);
    return line.len;
}

static const archive_format arc_format = {"ARC", arc_starts, arc_seek, arc_parse};

/* The format that bytes begin with, or NULL. */
static const archive_format *sniff_archive(th_str bytes)
{
    if (warc_format.starts(bytes))
        return &warc_format;
    /* The first record of an ARC is its file description. */
    if (th__str_starts_nocase(bytes, TH_STR("filedesc:")) || arc_format.starts(bytes))
        return &arc_format;
    return NULL;
}

/* ---- damage ---------------------------------------------------------------------------------- */

enum { MAX_URI_SHOWN = 200 };

/* A URI for "%.*s" in a message. */
#define SHOWN_URI(uri) ((uri).len < MAX_URI_SHOWN ? (int)(uri).len : MAX_URI_SHOWN), (uri).ptr

/* What a record's header says about its block. */
typedef struct archive_block {
    th_str uri;
    uint64_t length;
    uint64_t start; /* the stream's pos there */
} archive_block;

typedef struct archive_reader {
    byte_source source; /* the file that is read; its name is the archive's */
    byte_stream stream;
    const th_feed_options *options;
    _Atomic uint64_t *skipped;    /* records that are not pages; borrowed */
    const archive_format *format; /* NULL: no archive is open */
    char *name;                   /* heap */
    uint64_t records;             /* all that were framed */
    bool has_pending;             /* an error to report before going on */
    bool ended;
    uint64_t start, end; /* the part of the file whose records are given */
    bool begun;          /* a record of the part was met: what was before it is of another part */
    th_error pending;
    th__arena arena;    /* the record's strings, kept while the window moves on */
    uint64_t record_at; /* file offset of the record or its member */
    uint64_t record_in; /* offset in the member's inflated bytes; 0 in plain files */
} archive_reader;

static void count_skipped(archive_reader *archive)
{
    if (archive->begun)
        atomic_fetch_add_explicit(archive->skipped, 1, memory_order_relaxed);
}

/*
 * Damage. A record's length, the start of the next record and the end of a gzip member all show
 * where a block ends. When they do not agree, the record is settled by what can be checked, the
 * damage is reported once with its place, and reading goes on at the next start of a record. Each
 * byte is looked through once more at most, after a length that was wrong.
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
static th_status find_start(archive_reader *archive, bool *found, th_error *err)
{
    byte_stream *stream = &archive->stream;
    *found = false;
    for (;;) {
        th_status status = stream_need(stream, SCAN_STEP, err);
        if (status)
            return status;
        th_str view = stream_view(stream);
        size_t hit = SIZE_MAX;
        for (size_t from = 0; from < view.len; from = hit + 1) {
            hit = archive->format->seek(view, from);
            if (hit == SIZE_MAX || (view.len - hit < START_LOOK && !stream->ended))
                break;
            if (archive->format->starts((th_str){view.ptr + hit, view.len - hit})) {
                stream_take(stream, hit);
                *found = true;
                return TH_OK;
            }
        }
        if (stream->ended) {
            stream_take(stream, view.len);
            return TH_OK;
        }
        /* The byte before a hit is kept with it: a record starts after a line end. */
        stream_take(stream, hit != SIZE_MAX ? (hit ? hit - 1 : 0) : view.len - SCAN_KEEP);
    }
}

/* Sets *yes if a record starts where reading is. */
static th_status archive_at_start(archive_reader *archive, bool *yes, th_error *err)
{
    th_status status = stream_need(&archive->stream, START_LOOK, err);
    *yes = status == TH_OK && archive->format->starts(stream_view(&archive->stream));
    return status;
}

/* Moves to the next record start in this member or any later one. */
static th_status resync(archive_reader *archive, bool *found, th_error *err)
{
    byte_stream *stream = &archive->stream;
    for (;;) {
        th_status status = find_start(archive, found, err);
        if (status || *found)
            return status;
        bool more = true;
        if (stream->broken)
            status = stream_find_member(stream, archive->format->starts, &more, err);
        if (status == TH_OK)
            status = more ? stream_next_member(stream, err) : TH_DONE;
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

static archive_place archive_place_now(const byte_stream *stream)
{
    return (archive_place){stream_offset(stream), stream->packed ? stream->pos : 0};
}

/* Fills err with a damage and what follows it. */
static th_status name_damage(archive_reader *archive, th_error *err, archive_place where,
                             bool found, const char *format, va_list args)
{
    char what[700], in[32] = "", next[100] = "no readable record follows";
    if (archive->end != UINT64_MAX)
        strcat(next, " in this part");
    archive_place now = archive_place_now(&archive->stream);
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
                       archive->source.name, (unsigned long long)where.at, in, what, next);
}

/* Moves to the next record that can be found and fills err with the damage at a place: what it is,
 * and where reading goes on. TH_ERR_FORMAT, or the status of what failed on the way. */
TH_PRINTF(4, 5)
static th_status report_damage(archive_reader *archive, th_error *err, archive_place at,
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

/* As report_damage, but reading is already where it goes on, and the error waits for its turn. */
TH_PRINTF(4, 5)
static void pend_damage(archive_reader *archive, archive_place at, bool found, const char *format,
                        ...)
{
    va_list args;
    va_start(args, format);
    name_damage(archive, &archive->pending, at, found, format, args);
    va_end(args);
    archive->has_pending = true;
}

static th_status archive_skip_blanks(archive_reader *archive, th_error *err)
{
    for (;;) {
        th_status status = stream_need(&archive->stream, 1, err);
        th_str view = stream_view(&archive->stream);
        size_t n = 0;
        while (n < view.len && th__is_blank((unsigned char)view.ptr[n]))
            n++;
        stream_take(&archive->stream, n);
        if (status || n < view.len || view.len == 0)
            return status;
    }
}

/* Moves over n bytes of a block, to out or nowhere, into further members if need be. */
static th_status pass_block(archive_reader *archive, uint64_t n, th__buf *out, block_end *how,
                            uint64_t *got, th_error *err)
{
    byte_stream *stream = &archive->stream;
    *got = 0;
    *how = BLOCK_CUT;
    for (bool next = false;;) {
        uint64_t took;
        th_status status = out ? stream_read(stream, n - *got, out, &took, err)
                               : stream_skip(stream, n - *got, &took, err);
        if (status)
            return status;
        *got += took;
        if (*got == n) {
            *how = BLOCK_WHOLE;
            return TH_OK;
        }
        if (stream->broken)
            return TH_OK;
        status = stream_next_member(stream, err);
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
static th_status settle_plain(archive_reader *archive, const archive_block *block, block_end how,
                              uint64_t *got, bool *complete, th_error *err)
{
    archive_place here = archive_place_now(&archive->stream);
    uint64_t block_stop = block->start + block->length;
    bool rewound = stream_rewind(&archive->stream, block->start - 1), found;
    th_status status = find_start(archive, &found, err);
    if (status)
        return status;
    archive->ended = !found;
    uint64_t at = archive->stream.pos;
    if (found && rewound && at < block_stop) {
        *got = at - block->start;
        *complete = true;
        pend_damage(archive, (archive_place){block->start, 0}, true,
                    "the record %.*s declares %llu bytes, but the next record starts after %llu",
                    SHOWN_URI(block->uri), (unsigned long long)block->length,
                    (unsigned long long)*got);
    } else if (how == BLOCK_CUT) {
        *complete = false;
        pend_damage(archive, here, found,
                    "the file ends in the middle of the record %.*s: it has %llu of %llu bytes",
                    SHOWN_URI(block->uri), (unsigned long long)*got,
                    (unsigned long long)block->length);
    } else {
        pend_damage(archive, here, found, "the data after the record %.*s is not a record",
                    SHOWN_URI(block->uri));
    }
    return TH_OK;
}

static th_status settle_packed(archive_reader *archive, const archive_block *block, block_end how,
                               uint64_t got, bool *complete, th_error *err)
{
    byte_stream *stream = &archive->stream;
    archive_place at =
        stream->broken ? (archive_place){stream->broken_at, 0} : archive_place_now(stream);
    archive_place record = {archive->record_at, archive->record_in};
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
                    SHOWN_URI(block->uri), (unsigned long long)block->length,
                    (unsigned long long)got);
    else if (how == BLOCK_CUT)
        pend_damage(archive, at, found,
                    "%s, in the record %.*s that starts at byte %llu: it has %llu of %llu bytes",
                    why, SHOWN_URI(block->uri), (unsigned long long)archive->record_at,
                    (unsigned long long)got, (unsigned long long)block->length);
    else
        pend_damage(archive, at, found, "the data after the record %.*s is not a record",
                    SHOWN_URI(block->uri));
    return TH_OK;
}

/* The block was passed: does a record, or the end, follow as it should? If not, an error is pended,
 * *got is where the block really ends, and *complete whether it can be used. */
static th_status settle(archive_reader *archive, const archive_block *block, block_end how,
                        uint64_t *got, bool *complete, th_error *err)
{
    *complete = true;
    if (how == BLOCK_WHOLE) {
        bool fine;
        th_status status = archive_skip_blanks(archive, err);
        if (status || stream_view(&archive->stream).len == 0)
            return status;
        status = archive_at_start(archive, &fine, err);
        if (status || fine)
            return status;
    }
    return archive->stream.packed ? settle_packed(archive, block, how, *got, complete, err)
                                  : settle_plain(archive, block, how, got, complete, err);
}

/* Moves over a block of which `passed` bytes are behind already, to out or nowhere (NULL), and to
 * where the next record should start. When none does, an error is pended in the archive, *got is
 * where the block really ends, from its start, and *complete whether it can be used. */
static th_status archive_pass(archive_reader *archive, const archive_block *block, uint64_t passed,
                              th__buf *out, uint64_t *got, bool *complete, th_error *err)
{
    block_end how;
    th_status status = pass_block(archive, block->length - passed, out, &how, got, err);
    *got += passed;
    return status ? status : settle(archive, block, how, got, complete, err);
}

/* ---- records --------------------------------------------------------------------------------- */

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
    archive_block block;
    th_str charset, encoding; /* in the archive's arena, as the block's uri */
    uint64_t body_len;        /* as the HTTP header says, or TH_NO_OFFSET */
} record_plan;

static bool keep(archive_reader *archive, th_str *text)
{
    if (text->ptr)
        *text = th__arena_copy(&archive->arena, *text);
    else
        return true;
    return text->ptr != NULL;
}

typedef struct http_header {
    size_t len;    /* with the blank line */
    int status;    /* 0 when the status line has none */
    bool has_type; /* Content-Type was given */
    bool chunked;
    uint64_t body_len; /* Content-Length, or TH_NO_OFFSET */
    th_str type;       /* Content-Type as written */
    th_str encoding;   /* Content-Encoding as written */
} http_header;

static int parse_status(th_str line)
{
    const char *at = line.ptr, *end = line.ptr + line.len;
    while (at < end && *at != ' ')
        at++;
    while (at < end && *at == ' ')
        at++;
    if (end - at < 3 || !th__is_digit((unsigned char)at[0]) ||
        !th__is_digit((unsigned char)at[1]) || !th__is_digit((unsigned char)at[2]))
        return 0;
    return (at[0] - '0') * 100 + (at[1] - '0') * 10 + (at[2] - '0');
}

/* Reads the header at the start of text. False when text does not begin as a response, or its
 * header does not end in text (then *incomplete is set). Views borrow text. */
static bool parse_http(th_str text, http_header *out, bool *incomplete)
{
    *out = (http_header){.body_len = TH_NO_OFFSET};
    *incomplete = false;
    if (!th__str_starts_nocase(text, TH_STR("HTTP/")))
        return false;
    th_str rest = text, line, name, value;
    *incomplete = true;
    if (!th__http_line(&rest, &line))
        return false;
    out->status = parse_status(line);
    while (th__http_line(&rest, &line)) {
        if (line.len == 0) {
            out->len = text.len - rest.len;
            *incomplete = false;
            return true;
        }
        if (!th__http_field(line, &name, &value))
            continue;
        if (th__str_eq_nocase(name, TH_STR("content-type"))) {
            out->type = value;
            out->has_type = value.len > 0;
        } else if (th__str_eq_nocase(name, TH_STR("content-encoding"))) {
            out->encoding = value;
        } else if (th__str_eq_nocase(name, TH_STR("content-length"))) {
            if (!th__http_number(value, &out->body_len))
                out->body_len = TH_NO_OFFSET;
        } else if (th__str_eq_nocase(name, TH_STR("transfer-encoding"))) {
            out->chunked = th__str_ends_nocase(value, TH_STR("chunked"));
        }
    }
    return false;
}

/* Looks at the HTTP header to see if the record is a page. */
static th_status plan_response(archive_reader *archive, const archive_record *record,
                               record_plan *plan, th_error *err)
{
    http_header header;
    bool incomplete = true, ok = false;
    for (size_t look = FIRST_LOOK; incomplete && look <= MAX_HEADER; look *= 4) {
        th_status status = stream_need(&archive->stream, look, err);
        if (status)
            return status;
        th_str view = stream_view(&archive->stream);
        view.len = view.len < look ? view.len : look;
        if (view.len > record->length)
            view.len = (size_t)record->length;
        ok = parse_http(view, &header, &incomplete);
    }
    if (!ok) {
        /* Not HTTP, as in very old archives: a page if it looks like one. */
        plan->page = plan->sniff = !incomplete && record->length > 0;
        return TH_OK;
    }
    bool body = record->length > header.len;
    plan->header_len = header.len;
    plan->page =
        header.status >= 200 && header.status < 300 &&
        (archive->options->any_type || !header.has_type || th__type_is_html(header.type)) &&
        (body || record->kind == RECORD_RESPONSE);
    plan->sniff = !header.has_type && !archive->options->any_type;
    plan->chunked = header.chunked;
    plan->body_len = header.chunked ? TH_NO_OFFSET : header.body_len;
    plan->encoding = header.encoding;
    plan->charset = th__type_charset(header.type);
    return TH_OK;
}

static th_status make_plan(archive_reader *archive, const archive_record *record, record_plan *plan,
                           th_error *err)
{
    th_status status = TH_OK;
    if (record->kind == RECORD_RESOURCE) {
        plan->page =
            archive->options->any_type || !record->type.len || th__type_is_html(record->type);
        plan->sniff = !record->type.len && !archive->options->any_type;
        plan->charset = th__type_charset(record->type);
    } else if (record->kind != RECORD_SKIP) {
        status = plan_response(archive, record, plan, err);
    }
    if (status == TH_OK && (!keep(archive, &plan->charset) || !keep(archive, &plan->encoding)))
        status = th__fail_memory(err);
    return status;
}

/* Origin and name of a record, and the page that it makes. Takes the body. */
static th_status make_input(archive_reader *archive, const record_plan *plan, th__buf *body,
                            th_input **out, th_error *err)
{
    th__buf origin = {0};
    th__buf_printf(&origin, "%s@%llu", archive->source.name,
                   (unsigned long long)archive->record_at);
    if (archive->record_in)
        th__buf_printf(&origin, "+%llu", (unsigned long long)archive->record_in);
    th_str where = th__buf_str(&origin), none = {0};
    th_status status =
        origin.failed
            ? th__fail_memory(err)
            : th__input_new(plan->block.uri.len ? plan->block.uri : where, where,
                            plan->block.uri.len ? plan->block.uri : none, plan->charset, out, err);
    if (status == TH_OK) {
        th__input_give(*out, body, 0);
        (*out)->file_len = strlen(archive->source.name);
        (*out)->offset = archive->record_at;
        (*out)->offset_inside = archive->record_in;
    }
    th__buf_release(&origin);
    return status;
}

/* Takes chunks and encodings off and makes the page. TH_DONE if it is not one. */
static th_status finish_page(archive_reader *archive, const record_plan *plan, th__buf *body,
                             th_input **out, th_error *err)
{
    bool partial = false;
    th_error why = {0};
    th_status status = th__http_decode(body, plan->chunked, plan->encoding,
                                       archive->options->max_bytes, &partial, &why);
    if (status == TH_ERR_MEMORY)
        return th__fail_memory(err);
    if (status && !partial)
        return th__fail_at(err, status, archive->record_at, "%s@%llu: %.*s %s",
                           archive->source.name, (unsigned long long)archive->record_at,
                           SHOWN_URI(plan->block.uri), why.message);
    if (why.status && !archive->has_pending) {
        th__fail_at(&archive->pending, TH_ERR_FORMAT, archive->record_at,
                    "%s@%llu: %.*s %s; the part that could be read is used", archive->source.name,
                    (unsigned long long)archive->record_at, SHOWN_URI(plan->block.uri),
                    why.message);
        archive->has_pending = true;
    }
    if (plan->sniff && !th__sniff_html(th__buf_str(body), NULL))
        return TH_DONE;
    return make_input(archive, plan, body, out, err);
}

/* Reads the block of a page. */
static th_status read_record_page(archive_reader *archive, const record_plan *plan, th_input **out,
                                  th_error *err)
{
    th__buf body = {0};
    uint64_t got;
    bool complete;
    stream_take(&archive->stream, plan->header_len);
    th_status status =
        archive_pass(archive, &plan->block, plan->header_len, &body, &got, &complete, err);
    if (status == TH_OK && !complete && !archive->stream.packed && body.len >= plan->body_len) {
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

static th_status skip_record(archive_reader *archive, const record_plan *plan, th_error *err)
{
    uint64_t got;
    bool complete;
    th_status status = archive_pass(archive, &plan->block, 0, NULL, &got, &complete, err);
    count_skipped(archive);
    return status ? status : TH_DONE;
}

static th_status skip_large(archive_reader *archive, const record_plan *plan, th_error *err)
{
    th_status status = skip_record(archive, plan, err);
    if (status != TH_DONE)
        return status;
    return th__fail_at(
        err, TH_ERR_LIMIT, archive->record_at,
        "%s@%llu: the record %.*s has %llu bytes, more than max_bytes allows (%llu); "
        "raise it with --max-bytes",
        archive->source.name, (unsigned long long)archive->record_at, SHOWN_URI(plan->block.uri),
        (unsigned long long)plan->block.length, (unsigned long long)archive->options->max_bytes);
}

/* Reads the record header where reading is; reports damage if there is none. */
static th_status read_header(archive_reader *archive, archive_record *record, record_plan *plan,
                             th_error *err)
{
    byte_stream *stream = &archive->stream;
    archive->record_at = stream_offset(stream);
    archive->record_in = stream->packed ? stream->pos : 0;
    th__arena_clear(&archive->arena);
    size_t len = 0;
    bool all = false;
    for (size_t look = FIRST_LOOK; !len && !all && look <= MAX_HEADER; look *= 4) {
        th_status status = stream_need(stream, look, err);
        if (status)
            return status;
        th_str view = stream_view(stream);
        all = stream->ended && view.len <= look;
        view.len = view.len < look ? view.len : look;
        len = archive->format->parse(view, record);
    }
    if (!len) {
        bool broken = all && stream->broken;
        archive_place at =
            broken ? (archive_place){stream->broken_at, 0} : archive_place_now(stream);
        const char *why = broken ? stream->broken_why
                          : all  ? "the archive ends in the middle of a record header"
                                 : "a record header is longer than 64 KiB";
        /* All that was looked at is given up, so that a flood of headers costs no more than its
         * bytes: no other record starts a line in it. */
        size_t looked = stream_view(stream).len;
        stream_take(stream, looked < MAX_HEADER ? looked : MAX_HEADER);
        return report_damage(archive, err, at, "%s", why);
    }
    archive->records++;
    plan->block.uri = record->uri.ptr ? record->uri : TH_STR("");
    if (!keep(archive, &plan->block.uri))
        return th__fail_memory(err);
    if (!record->has_length) {
        archive_place at = archive_place_now(stream);
        stream_take(stream, len - 1); /* the next record may start right behind the line end */
        return report_damage(archive, err, at, "the record %.*s has no valid length",
                             SHOWN_URI(plan->block.uri));
    }
    plan->block.length = record->length;
    plan->block.start = stream->pos + len;
    if (!keep(archive, &record->type))
        return th__fail_memory(err);
    stream_take(stream, len);
    return TH_OK;
}

/* Moves to the next record: TH_DONE at the end, an error for damage before it. */
static th_status reach_record(archive_reader *archive, th_error *err)
{
    byte_stream *stream = &archive->stream;
    for (;;) {
        th_status status = archive_skip_blanks(archive, err);
        if (status)
            return status;
        if (stream_view(stream).len)
            break;
        if (stream->broken)
            return report_damage(archive, err, (archive_place){stream->broken_at, 0}, "%s",
                                 stream->broken_why);
        status = stream_next_member(stream, err);
        if (status == TH_DONE) {
            archive->ended = true;
            if (archive->records == 0 && archive->start == 0)
                return th__fail(err, TH_ERR_FORMAT, "%s: the archive is empty: it has no records",
                                archive->source.name);
        }
        if (status)
            return status;
    }
    bool fine;
    th_status status = archive_at_start(archive, &fine, err);
    if (!status && fine && stream_offset(stream) >= archive->end &&
        (!stream->packed || stream_at_found(stream, archive->format->starts))) {
        archive->ended = true;
        return TH_DONE;
    }
    if (status || fine)
        return status;
    archive_place at = archive_place_now(stream);
    stream_take(stream, 1);
    return report_damage(archive, err, at, "no %s record starts here", archive->format->name);
}

/* Returns true if a page is larger than allowed. What the file does not hold does not count: a
 * record whose length lies may be small. */
static bool is_large(const archive_reader *archive, const record_plan *plan)
{
    const byte_stream *stream = &archive->stream;
    uint64_t length = plan->block.length;
    if (!stream->packed && stream->source->seekable) {
        uint64_t left =
            stream->source->size > plan->block.start ? stream->source->size - plan->block.start : 0;
        length = length < left ? length : left;
    }
    return plan->page && length > plan->header_len &&
           length - plan->header_len > archive->options->max_bytes;
}

static th_status step(archive_reader *archive, th_input **out, th_error *err)
{
    archive_record record;
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
    status = read_record_page(archive, &plan, out, err);
    if (status == TH_DONE)
        count_skipped(archive);
    return status;
}

/* ---- parts of an archive --------------------------------------------------------------------- */

/* Plain files. Sets *yes if reading is at a record whose length leads to another record or to
 * the end of the file. Text inside a page may look like a header, but hardly does that. */
static th_status leads_on(archive_reader *archive, bool *yes, th_error *err)
{
    byte_stream *stream = &archive->stream;
    uint64_t at = stream->pos;
    archive_record record = {0};
    th_status status = stream_need(stream, MAX_HEADER, err);
    th_str view = stream_view(stream);
    view.len = view.len < MAX_HEADER ? view.len : MAX_HEADER;
    size_t len = status ? 0 : archive->format->parse(view, &record);
    uint64_t size = stream->source->size, block = at + len;
    *yes = false;
    if (!len || !record.has_length || block > size || record.length > size - block)
        return status;
    status = stream_seek(stream, block + record.length, err);
    if (status == TH_OK)
        status = archive_skip_blanks(archive, err);
    if (status == TH_OK && !(*yes = stream_view(stream).len == 0))
        status = archive_at_start(archive, yes, err);
    return status ? status : stream_seek(stream, at, err);
}

/* Plain files: goes to the first record at `from` or later that leads on; no more than MAX_CHECKS
 * are tried, since each costs a look elsewhere. *first is false where one before it did not. */
static th_status find_leading(archive_reader *archive, uint64_t from, bool *found, bool *first,
                              th_error *err)
{
    enum { MAX_CHECKS = 8 };
    th_status status = stream_seek(&archive->stream, from, err);
    *first = true;
    for (int i = 0; i < MAX_CHECKS && status == TH_OK; i++, *first = false) {
        status = find_start(archive, found, err);
        if (status || !*found)
            return status;
        status = leads_on(archive, found, err);
        if (status || *found)
            return status;
        /* The look elsewhere has left nothing to take from. */
        status = stream_seek(&archive->stream, archive->stream.pos + 1, err);
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
static th_status seek_plain(archive_reader *archive, th_error *err)
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
            status = stream_seek(&archive->stream, 0, err);
        first |= found && archive->stream.pos < archive->start;
    }
    return status;
}

/*
 * Reads a part of the file alone: records that start in it. In packed data the place of a record is
 * that of its member, so that a member belongs to the part that it starts in. A part begins at the
 * first member that begins with a record, and ends before the first such one behind it. Damage is
 * reported by the part that reading comes from. TH_DONE when the part has no record.
 */
static th_status seek_part(archive_reader *archive, uint64_t start, uint64_t end, th_error *err)
{
    byte_stream *stream = &archive->stream;
    archive->start = start;
    archive->end = stream->stop = end;
    archive->begun = start == 0;
    if (start == 0)
        return TH_OK;
    if (!stream->packed)
        return seek_plain(archive, err);
    if (stream->member == start && stream_at_found(stream, archive->format->starts))
        return TH_OK;
    bool found;
    th_status status = stream_seek(stream, start, err);
    if (status == TH_OK)
        status = stream_find_member(stream, archive->format->starts, &found, err);
    if (status)
        return status;
    return found ? stream_next_member(stream, err) : TH_DONE;
}

/* ---- files ----------------------------------------------------------------------------------- */

static th_str unpacked_name(th_str name)
{
    if (th__str_ends_nocase(name, TH_STR(".gz")))
        name.len -= 3;
    else if (th__str_ends_nocase(name, TH_STR(".zst")))
        name.len -= 4;
    return name;
}

static bool is_archive_name(th_str name, bool *arc)
{
    name = unpacked_name(name);
    *arc = th__str_ends_nocase(name, TH_STR(".arc"));
    return *arc || th__str_ends_nocase(name, TH_STR(".warc"));
}

static bool is_page_name(th_str name)
{
    static const char *const endings[] = {".html", ".htm",  ".xhtml", ".xht",  ".shtml", ".php",
                                          ".asp",  ".aspx", ".jsp",   ".jspx", ".cfm"};
    name = unpacked_name(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (th__str_ends_nocase(name, th_str_from(endings[i])))
            return true;
    return false;
}

/* The first bytes inside a gzip file of which head are the first. */
static th_str inflate_head(th_str head, char *room, size_t len)
{
    z_stream z = TH__ZLIB_INIT;
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        return (th_str){0};
    z.next_in = (unsigned char *)head.ptr;
    z.avail_in = (uInt)head.len;
    z.next_out = (unsigned char *)room;
    z.avail_out = (uInt)len;
    inflate(&z, Z_NO_FLUSH);
    inflateEnd(&z);
    return (th_str){room, len - z.avail_out};
}

/* Sets *kind if a file begins as a page or an archive. */
static th_status look_at_file(const char *path, bool files_only, th__file_kind *kind, th_error *err)
{
    byte_source source;
    char head[TH__SNIFF_LEN], inner[TH__SNIFF_LEN];
    size_t len = 0, got = 1;
    const char *binary;
    if (is_open_database(path))
        return TH_OK;
    th_status status = source_open_file(&source, path, files_only, err);
    if (status)
        return status;
    while (status == TH_OK && got && len < sizeof head) {
        status = source_read(&source, head + len, sizeof head - len, &got, err);
        if (status == TH_OK)
            len += got;
    }
    source_release(&source);
    th_str bytes = {head, len};
    if (th__str_starts(bytes, TH_STR("\x1F\x8B\x08")))
        bytes = inflate_head(bytes, inner, sizeof inner);
    if (status)
        return status;
    if (sniff_archive(bytes))
        *kind = TH__FILE_ARCHIVE;
    else if (th__sniff_html(bytes, &binary) && !binary)
        *kind = TH__FILE_PAGE;
    return TH_OK;
}

th_status th__file_look(const char *path, bool inside, bool files_only, th__file_kind *kind,
                        th_error *err)
{
    bool arc;
    th_str name = th_str_from(path);
    *kind = is_archive_name(name, &arc) ? TH__FILE_ARCHIVE
            : is_page_name(name)        ? TH__FILE_PAGE
                                        : TH__FILE_OTHER;
    return *kind == TH__FILE_OTHER && inside ? look_at_file(path, files_only, kind, err) : TH_OK;
}

th_status th__read_file(const char *path, size_t limit, const th_feed_options *options,
                        th__buf *out, th_error *err)
{
    byte_source source = {.name = path, .fd = STDIN_FILENO};
    size_t start = out->len, got = 1;
    char space[16 << 10];
    th_status status = TH_OK;
    if (!options || strcmp(path, "-") != 0)
        status = source_open_file(&source, path, options && options->files_only, err);
    source.cancel = options ? &options->cancel : NULL;
    while (status == TH_OK && got) {
        status = source_read(&source, space, sizeof space, &got, err);
        if (status == TH_OK && got > limit - (out->len - start))
            status = th__fail(err, TH_ERR_LIMIT, "%s: is larger than %zu bytes", path, limit);
        if (status == TH_OK && !th__buf_add(out, space, got))
            status = th__fail_memory(err);
    }
    source_release(&source);
    return status;
}

static bool starts_record(th_str bytes)
{
    return th__str_starts(bytes, TH_STR("WARC/1."));
}

th_status th__archive_find_end(const char *path, uint64_t *end, th_error *err)
{
    byte_stream stream = {0};
    byte_source source = {0};
    bool found = false;
    th_status status = source_open_file(&source, path, true, err);
    if (!status)
        status = stream_open(&stream, &source, err);
    if (!status)
        status = stream_need(&stream, 7, err);
    if (!status && (!stream.packed || stream.zstd || !starts_record(stream_view(&stream))))
        status = th__fail(err, TH_ERR_FORMAT,
                          "%s: is not a gzip WARC archive; it was left unchanged", path);
    while (!status) {
        uint64_t skipped;
        status = stream_skip(&stream, UINT64_MAX, &skipped, err);
        *end = stream.member;
        if (status || stream.broken)
            break;
        status = stream_next_member(&stream, err);
    }
    if (!status && stream.broken) {
        status = stream_find_member(&stream, starts_record, &found, err);
        if (!status && found)
            status = th__fail_at(err, TH_ERR_FORMAT, *end,
                                 "%s: is damaged at byte %llu; it was left unchanged: choose "
                                 "another file",
                                 path, (unsigned long long)*end);
    } else if (status == TH_DONE) {
        *end = source.size;
        status = TH_OK;
    }
    stream_release(&stream);
    source_release(&source);
    return status;
}

/* Reads the page that the whole file is. */
static th_status read_whole_page(archive_reader *archive, th_input **out, th_error *err)
{
    byte_stream *stream = &archive->stream;
    const char *name = archive->name;
    th__buf bytes = {0};
    uint64_t limit = archive->options->max_bytes, got;
    th_status status = TH_OK;
    if (!stream->packed && stream->source->seekable && stream->source->size <= limit)
        th__buf_reserve(&bytes, (size_t)stream->source->size + 1);
    while (status == TH_OK && bytes.len <= limit) {
        status = stream_read(stream, limit + 1 - bytes.len, &bytes, &got, err);
        if (status == TH_OK && bytes.len <= limit) {
            if (stream->broken)
                status = th__fail_at(err, TH_ERR_FORMAT, stream->broken_at,
                                     "%s: damaged at byte %llu: %s", name,
                                     (unsigned long long)stream->broken_at, stream->broken_why);
            else
                status = stream_next_member(stream, err);
        }
    }
    if (status == TH_OK)
        status = th__fail(err, TH_ERR_LIMIT,
                          "%s: the page is larger than max_bytes allows (%llu); raise it with "
                          "--max-bytes",
                          name, (unsigned long long)limit);
    if (status == TH_DONE) {
        th_str text = th_str_from(name), none = {0};
        status = th__input_new(text, text, none, none, out, err);
        if (status == TH_OK)
            th__input_give(*out, &bytes, 0);
    }
    th__buf_release(&bytes);
    return status;
}

/* Begins to read an archive; its pages follow. */
static th_status begin_archive(archive_reader *archive, const archive_format *format,
                               const th__archive_file *file, th_error *err)
{
    archive->format = format;
    th_status status = file->end ? seek_part(archive, file->start, file->end, err) : TH_OK;
    if (status)
        archive->ended = true;
    return status == TH_DONE ? TH_OK : status;
}

/* Opens the stream where the source is, and finds out what archive it is, or NULL. */
static th_status look(archive_reader *archive, const archive_format **format, th_error *err)
{
    enum { ARCHIVE_LOOK = 16 << 10 };
    th_status status = stream_open(&archive->stream, &archive->source, err);
    if (status == TH_OK)
        status = stream_need(&archive->stream, ARCHIVE_LOOK, err);
    *format = status ? NULL : sniff_archive(stream_view(&archive->stream));
    return status;
}

/* A page or, with *out NULL, an opened archive, or nothing in this part. */
static th_status read_source(archive_reader *archive, const th__archive_file *file, th_input **out,
                             th_error *err)
{
    const archive_format *format = NULL;
    th_status status = TH_OK;
    if (file->start) {
        /* As a rule a part that an index gives is a whole member: the file's start can be left. */
        status = source_seek(&archive->source, file->start, err);
        if (status == TH_OK)
            status = look(archive, &format, err);
        if (status == TH_OK && format && archive->stream.packed && !archive->stream.zstd)
            return begin_archive(archive, format, file, err);
        if (status == TH_OK)
            status = source_seek(&archive->source, 0, err);
    }
    if (status == TH_OK)
        status = look(archive, &format, err);
    if (status)
        return status;
    bool arc, named = is_archive_name(th_str_from(archive->name), &arc);
    const char *binary;
    th__sniff_html(stream_view(&archive->stream), &binary);
    if (!format && named && !binary)
        format = arc ? &arc_format : &warc_format;
    if (format)
        return begin_archive(archive, format, file, err);
    if (file->start)
        return TH_OK; /* of another part */
    if (binary)
        return th__fail(err, TH_ERR_FORMAT, "%s: looks like %s, not a web page", archive->name,
                        binary);
    return read_whole_page(archive, out, err);
}

/* Opens what a file says; its source is released with it. */
static th_status open_source(archive_reader *archive, const th__archive_file *file, th_error *err)
{
    byte_source *source = &archive->source;
    th_status status = TH_OK;
    *source = (byte_source){.name = archive->name, .fd = -1, .seekable = !file->is_pipe};
    if (file->memory.ptr) {
        source->memory = file->memory;
        source->size = file->memory.len;
    } else if (file->reader) {
        source->reader = file->reader;
        source->size = file->reader->size;
        source->want_end = file->end;
    } else if (file->is_pipe) {
        source->fd = STDIN_FILENO;
    } else {
        status = source_open_file(source, archive->name, archive->options->files_only, err);
    }
    source->cancel = &archive->options->cancel;
    source->counter = file->bytes_read;
    source->counted = file->start;
    if (status == TH_OK && file->start && !source->seekable)
        status = th__fail(err, TH_ERR_ARGUMENT,
                          "%s: only a part of it is asked for, but a pipe cannot be read in parts",
                          archive->name);
    return status;
}

/* Closes the file, but keeps the buffers. */
static void close_file(archive_reader *archive)
{
    source_release(&archive->source);
    th__mem_free(archive->name);
    th__arena_release(&archive->arena);
    *archive = (archive_reader){.stream = archive->stream, .source.fd = -1};
}

static th_status next_page(void *context, th_input **out, th_error *err)
{
    archive_reader *archive = context;
    while (archive->format) {
        if (archive->has_pending && !archive->begun) {
            archive->has_pending = false;
        } else if (archive->has_pending) {
            archive->has_pending = false;
            if (err)
                *err = archive->pending;
            return archive->pending.status;
        }
        if (archive->ended)
            close_file(archive);
        if (!archive->format)
            break;
        th_status status = step(archive, out, err);
        if (!archive->begun && (status == TH_ERR_FORMAT || status == TH_ERR_LIMIT))
            continue; /* the part before reports it */
        if (status == TH_ERR_IO || status == TH_ERR_MEMORY)
            archive->ended = true; /* where reading is, is not known any more */
        if (status != TH_DONE)
            return status;
    }
    return TH_DONE;
}

static void release_archive(void *context)
{
    archive_reader *archive = context;
    close_file(archive);
    stream_release(&archive->stream);
    th__mem_free(archive);
}

th_status th__archive_open(th_feed_source *source, const th__archive_file *file,
                           const th_feed_options *options, th_input **out, th_error *err)
{
    archive_reader *a = source->context ? source->context : TH__NEW(archive_reader);
    *out = NULL;
    if (!a)
        return th__fail_memory(err);
    *source = (th_feed_source){next_page, release_archive, a};
    *a = (archive_reader){.stream = a->stream,
                          .name = th__mem_copy(file->name, strlen(file->name)),
                          .source.fd = -1,
                          .options = options,
                          .skipped = file->skipped,
                          .end = UINT64_MAX,
                          .begun = true};
    th__arena_init(&a->arena);
    th_status status = a->name ? open_source(a, file, err) : th__fail_memory(err);
    if (status == TH_OK)
        status = read_source(a, file, out, err);
    if (!a->format)
        close_file(a);
    return status;
}
