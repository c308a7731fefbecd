/* http_message.c: what came over HTTP, or is in an archive: header, chunks, encodings, content. */
#include "feed/http_message.h"

#include <libdeflate.h>
#if THRESH_BROTLI
#include <brotli/decode.h>
#endif
#if THRESH_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#include "base/error.h"
#include "feed/zlib_memory.h"

enum {
    MAX_LAYERS = 3,          /* of Content-Encoding */
    MAX_RATIO = 1032,        /* deflate cannot do better */
    INFLATE_STEP = 64 << 10, /* room that a decoder gets at a time */
};

/* ---- what bytes are, by their beginning ------------------------------------------------------ */

typedef struct magic {
    unsigned at;
    th_str bytes;
    const char *what;
} magic;

#define MAGIC(at, bytes, what)                                                                     \
    {                                                                                              \
        at, {bytes, sizeof(bytes) - 1}, what                                                       \
    }

static const magic MAGICS[] = {
    MAGIC(0, "%PDF-", "a PDF file"),
    MAGIC(0, "\x89PNG\r\n", "a PNG image"),
    MAGIC(0, "\xFF\xD8\xFF", "a JPEG image"),
    MAGIC(0, "GIF8", "a GIF image"),
    MAGIC(0, "II*\0", "a TIFF image"),
    MAGIC(0, "MM\0*", "a TIFF image"),
    MAGIC(0, "\0\0\1\0", "an icon"),
    MAGIC(8, "WEBP", "a WebP image"),
    MAGIC(0, "PK\3\4", "a ZIP file"),
    MAGIC(0, "PK\5\6", "an empty ZIP file"),
    MAGIC(0,
          "\x7F"
          "ELF",
          "an ELF program"),
    MAGIC(0, "MZ\x90\0", "a Windows program"),
    MAGIC(0, "\xFE\xED\xFA", "a Mach-O program"),
    MAGIC(0, "\xCA\xFE\xBA\xBE", "a Java class or Mach-O program"),
    MAGIC(0, "\0asm", "a WebAssembly module"),
    MAGIC(0, "BZh", "a bzip2 file (decompress it first)"),
    MAGIC(0,
          "\xFD"
          "7zXZ\0",
          "an xz file (decompress it first)"),
    MAGIC(0, "\x28\xB5\x2F\xFD", "a zstd file (decompress it first)"),
    MAGIC(1, "\x2A\x4D\x18", "a zstd or lz4 file (decompress it first)"),
    MAGIC(0, "\x04\x22\x4D\x18", "an lz4 file (decompress it first)"),
    MAGIC(0, "7z\xBC\xAF", "a 7-Zip file"),
    MAGIC(0, "Rar!\x1A", "a RAR file"),
    MAGIC(0, "\x1F\x8B", "a gzip file inside a gzip file"),
    MAGIC(257, "ustar", "a tar file"),
    MAGIC(0, "SQLite format 3", "an SQLite database"),
    MAGIC(0, "\xD0\xCF\x11\xE0", "an old Office file"),
    MAGIC(0, "ID3", "an MP3 file"),
    MAGIC(0, "OggS", "an Ogg file"),
    MAGIC(0, "fLaC", "a FLAC file"),
    MAGIC(4, "ftyp", "an MP4 file"),
    MAGIC(0, "RIFF", "a RIFF file"),
    MAGIC(0, "wOFF", "a font"),
    MAGIC(0, "wOF2", "a font"),
    MAGIC(0, "%!PS", "a PostScript file"),
};

/* Returns true for UTF-16 and UTF-32, where NUL bytes do not mean a binary file. */
static bool is_wide_text(th_str head)
{
    static const magic starts[] = {
        MAGIC(0, "\xFF\xFE", NULL), MAGIC(0, "\xFE\xFF", NULL), MAGIC(0, "\0\0\xFE\xFF", NULL),
        MAGIC(0, "<\0", NULL),      MAGIC(0, "\0<", NULL),
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (th__str_starts(head, starts[i].bytes))
            return true;
    return false;
}

/* "a PDF file", "a binary file", ... when the bytes are clearly not a web page; else NULL. */
static const char *sniff_binary(th_str head)
{
    for (const magic *m = MAGICS; m < MAGICS + sizeof MAGICS / sizeof *MAGICS; m++)
        if (head.len >= m->at + m->bytes.len &&
            !memcmp(head.ptr + m->at, m->bytes.ptr, m->bytes.len))
            return m->what;
    if (head.len > TH__SNIFF_LEN)
        head.len = TH__SNIFF_LEN;
    size_t controls = 0;
    uint32_t kinds = 0; /* a bit each */
    for (size_t i = 0; i < head.len; i++) {
        unsigned char c = (unsigned char)head.ptr[i];
        if (c < 0x20 && !th__is_blank(c) && c != 0x1B && c != '\b' && c != '\v') {
            controls++;
            kinds |= UINT32_C(1) << c;
        }
    }
    /* Many pages have a stray NUL, but not one control character in ten bytes. Compressed data has
     * a little fewer, but of all kinds, and a page has one kind or two. */
    enum { MANY_KINDS = 8 };
    size_t most = __builtin_popcount(kinds) >= MANY_KINDS ? head.len / 20 : head.len / 10;
    return controls > most && !is_wide_text(head) ? "a binary file" : NULL;
}

/* UTF-16 text with its NUL bytes left out, which is enough to see tags. */
static th_str narrow(th_str head, char *room)
{
    size_t len = 0;
    for (size_t i = 0; i < head.len; i++)
        if (head.ptr[i] != '\0')
            room[len++] = head.ptr[i];
    return (th_str){room, len};
}

bool th__sniff_html(th_str head, const char **binary)
{
    static const th_str always[] = {{"<!doctype html", 14}, {"<html", 5}};
    static const th_str tags[] = {{"<head", 5},  {"<title", 6},  {"<body", 5}, {"<table", 6},
                                  {"<div", 4},   {"<script", 7}, {"<meta", 5}, {"<h1", 3},
                                  {"<style", 6}, {"<p>", 3},     {"<a ", 3},   {"<br", 3},
                                  {"<font", 5},  {"<ul", 3},     {"<link", 5}, {"<center", 7}};
    char room[TH__SNIFF_LEN];
    if (binary)
        *binary = sniff_binary(head);
    if (head.len > TH__SNIFF_LEN)
        head.len = TH__SNIFF_LEN;
    if (is_wide_text(head))
        head = narrow(head, room);
    while (head.len &&
           ((unsigned char)head.ptr[0] >= 0x80 || th__is_blank((unsigned char)*head.ptr)))
        head.ptr++, head.len--; /* a byte order mark and white space */
    if (!head.len || head.ptr[0] != '<')
        return false;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (th__str_contains_nocase(head, always[i]))
            return true;
    if (th__str_starts(head, TH_STR("<?")))
        return false; /* XML of another kind */
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (th__str_contains_nocase(head, tags[i]))
            return true;
    return false;
}

/* ---- headers --------------------------------------------------------------------------------- */

bool th__http_line(th_str *text, th_str *line)
{
    const char *end = text->len ? memchr(text->ptr, '\n', text->len) : NULL;
    if (!end)
        return false;
    size_t len = (size_t)(end - text->ptr);
    *line = (th_str){text->ptr, len};
    while (line->len && line->ptr[line->len - 1] == '\r')
        line->len--;
    text->ptr += len + 1;
    text->len -= len + 1;
    return true;
}

bool th__http_field(th_str line, th_str *name, th_str *value)
{
    th_str rest = line, before = th__str_take(&rest, ':');
    *name = th__str_trim(before);
    *value = th__str_trim(rest);
    return before.len < line.len;
}

bool th__http_number(th_str text, uint64_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (!th__is_digit((unsigned char)text.ptr[i]) || value > (UINT64_MAX >> 2) / 10 - 1)
            return false;
        value = value * 10 + (unsigned)(text.ptr[i] - '0');
    }
    *out = value;
    return text.len > 0;
}

bool th__type_is_html(th_str type)
{
    static const th_str html[] = {
        {"text/html", 9}, {"application/xhtml+xml", 21}, {"application/vnd.wap.xhtml+xml", 29}};
    type = th__str_trim(th__str_take(&type, ';'));
    for (size_t i = 0; i < sizeof html / sizeof *html; i++)
        if (th__str_eq_nocase(type, html[i]))
            return true;
    return false;
}

th_str th__type_charset(th_str type)
{
    while (th__str_take(&type, ';'), type.len) {
        type = th__str_trim(type);
        if (!th__str_starts_nocase(type, TH_STR("charset")))
            continue;
        th_str value = th__str_trim((th_str){type.ptr + 7, type.len - 7});
        if (!value.len || value.ptr[0] != '=')
            continue;
        value = th__str_trim((th_str){value.ptr + 1, value.len - 1});
        char quote = value.len && (value.ptr[0] == '"' || value.ptr[0] == '\'') ? value.ptr[0] : 0;
        if (quote)
            value.ptr++, value.len--;
        size_t len = 0;
        while (len < value.len && value.ptr[len] != ';' && value.ptr[len] != quote &&
               (quote || !th__is_blank((unsigned char)value.ptr[len])))
            len++;
        return len ? (th_str){value.ptr, len} : (th_str){0};
    }
    return (th_str){0};
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* The size of the chunk whose size line starts at *at, which moves past that line. */
static bool chunk_size(th_str body, size_t *at, uint64_t *size)
{
    size_t i = *at;
    *size = 0;
    int digit;
    for (; i < body.len && (digit = th__hex_digit(body.ptr[i])) >= 0; i++) {
        if (*size >> 56)
            return false;
        *size = *size * 16 + (unsigned)digit;
    }
    if (i == *at)
        return false;
    /* Spaces and extensions up to the end of the line. */
    size_t limit = i + 1024 < body.len ? i + 1024 : body.len;
    if (i < body.len && body.ptr[i] != ' ' && body.ptr[i] != ';' && body.ptr[i] != '\r' &&
        body.ptr[i] != '\n')
        return false;
    while (i < limit && body.ptr[i] != '\n')
        i++;
    if (i == limit)
        return false;
    *at = i + 1;
    return true;
}

/*
 * Takes the chunk framing out of a body. One that is not chunked at all (archives often hold them
 * decoded though the header stays) is left as it is. Where the framing breaks off in the middle the
 * rest is kept as it is: false, with *broken_at its offset.
 */
static bool unchunk(th__buf *body, size_t *broken_at)
{
    th_str all = th__buf_str(body);
    size_t at = 0, to = 0;
    uint64_t size;
    bool whole = true;
    while (at < all.len) {
        size_t line = at;
        if (!chunk_size(all, &at, &size)) {
            if (line == 0)
                return true; /* not chunked at all */
            whole = false;
            *broken_at = at = line;
            memmove(body->data + to, body->data + at, all.len - at);
            to += all.len - at;
            break;
        }
        if (size == 0)
            break;
        size_t len = size < all.len - at ? (size_t)size : all.len - at;
        memmove(body->data + to, body->data + at, len);
        to += len;
        at += len;
        if (at < all.len && body->data[at] == '\r')
            at++;
        if (at < all.len && body->data[at] == '\n')
            at++;
    }
    body->len = to;
    return whole;
}

/* How far a step of a decoder came. */
typedef enum decode_step { STEP_MORE, STEP_END, STEP_BROKEN, STEP_MEMORY } decode_step;

/* Decodes some of `in`, which moves on, into `room` bytes at `out`; sets how many it made. */
typedef decode_step (*decode_some)(void *state, th_str *in, char *out, size_t room, size_t *made);

/* Decodes as far as it goes. */
static th_status decode_all(decode_some some, void *state, th_str in, uint64_t max_bytes,
                            th__buf *out, bool *partial, th_error *err)
{
    decode_step step = STEP_MORE;
    while (step == STEP_MORE) {
        size_t made = 0;
        if (!th__buf_reserve(out, INFLATE_STEP))
            return th__fail_memory(err);
        step = some(state, &in, out->data + out->len, out->cap - out->len, &made);
        out->len += made;
        if (out->len > max_bytes)
            return th__fail(
                err, TH_ERR_LIMIT,
                "decodes to more than %llu bytes; raise max_bytes (--max-bytes) to read it",
                (unsigned long long)max_bytes);
    }
    *partial = step != STEP_END;
    return step == STEP_MEMORY ? th__fail_memory(err) : TH_OK;
}

static decode_step inflate_some(void *state, th_str *in, char *out, size_t room, size_t *made)
{
    enum { MOST = 1 << 30 };
    z_stream *z = state;
    uInt had = in->len < MOST ? (uInt)in->len : MOST, asked = room < MOST ? (uInt)room : MOST;
    z->next_in = (unsigned char *)in->ptr;
    z->avail_in = had;
    z->next_out = (unsigned char *)out;
    z->avail_out = asked;
    int code = inflate(z, Z_NO_FLUSH);
    *in = (th_str){in->ptr + (had - z->avail_in), in->len - (had - z->avail_in)};
    *made = asked - z->avail_out;
    return code == Z_OK           ? STEP_MORE
           : code == Z_STREAM_END ? STEP_END
           : code == Z_MEM_ERROR  ? STEP_MEMORY
                                  : STEP_BROKEN;
}

/* windowBits say which wrapping: 47 gzip or zlib, -15 none. */
static th_status decode_deflate(th_str in, int window_bits, uint64_t max_bytes, th__buf *out,
                                bool *partial, th_error *err)
{
    z_stream z = TH__ZLIB_INIT;
    if (inflateInit2(&z, window_bits) != Z_OK)
        return th__fail_memory(err);
    th_status status = decode_all(inflate_some, &z, in, max_bytes, out, partial, err);
    inflateEnd(&z);
    return status;
}

/* Inflates gzip whose trailer has the right size: the usual case. */
static bool inflate_gzip_quickly(th_str in, uint64_t max_bytes, th__buf *out)
{
    if (in.len < 18)
        return false;
    const unsigned char *tail = (const unsigned char *)in.ptr + in.len - 4;
    uint64_t size = tail[0] | tail[1] << 8 | tail[2] << 16 | (uint64_t)tail[3] << 24;
    if (size > max_bytes || size > (uint64_t)in.len * MAX_RATIO || !th__buf_reserve(out, size)) {
        out->failed = false;
        return false;
    }
    struct libdeflate_decompressor *fast = libdeflate_alloc_decompressor();
    if (!fast)
        return false;
    size_t used, made;
    bool ok = libdeflate_gzip_decompress_ex(fast, in.ptr, in.len, out->data, (size_t)size, &used,
                                            &made) == LIBDEFLATE_SUCCESS &&
              used == in.len;
    libdeflate_free_decompressor(fast);
    if (ok)
        out->len = made;
    return ok;
}

#if THRESH_BROTLI
static void *brotli_alloc(void *context, size_t size)
{
    return th__mem_alloc(size);
}

static void brotli_free(void *context, void *memory)
{
    th__mem_free(memory);
}

static decode_step brotli_some(void *state, th_str *in, char *out, size_t room, size_t *made)
{
    size_t left = room;
    const uint8_t *from = (const uint8_t *)in->ptr;
    uint8_t *to = (uint8_t *)out;
    BrotliDecoderResult code =
        BrotliDecoderDecompressStream(state, &in->len, &from, &left, &to, NULL);
    in->ptr = (const char *)from;
    *made = room - left;
    bool memory = code == BROTLI_DECODER_RESULT_ERROR &&
                  BrotliDecoderGetErrorCode(state) <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES;
    return memory                                            ? STEP_MEMORY
           : code == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT ? STEP_MORE
           : code == BROTLI_DECODER_RESULT_SUCCESS           ? STEP_END
                                                             : STEP_BROKEN;
}

/* The window takes 16 MiB at most. */
static th_status decode_brotli(th_str in, uint64_t max_bytes, th__buf *out, bool *partial,
                               th_error *err)
{
    BrotliDecoderState *state = BrotliDecoderCreateInstance(brotli_alloc, brotli_free, NULL);
    if (!state)
        return th__fail_memory(err);
    th_status status = decode_all(brotli_some, state, in, max_bytes, out, partial, err);
    BrotliDecoderDestroyInstance(state);
    return status;
}
#endif

#if THRESH_ZSTD
/* One frame after the other. */
static decode_step zstd_some(void *state, th_str *in, char *out, size_t room, size_t *made)
{
    ZSTD_inBuffer from = {in->ptr, in->len, 0};
    ZSTD_outBuffer to = {out, room, 0};
    size_t code = ZSTD_decompressStream(state, &to, &from);
    *in = (th_str){in->ptr + from.pos, in->len - from.pos};
    *made = to.pos;
    if (ZSTD_isError(code))
        return ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation ? STEP_MEMORY : STEP_BROKEN;
    /* There may be more without more input. */
    return in->len || (code && to.pos == room) ? STEP_MORE : code ? STEP_BROKEN : STEP_END;
}

/* The window takes 128 MiB at most. */
static th_status decode_zstd(th_str in, uint64_t max_bytes, th__buf *out, bool *partial,
                             th_error *err)
{
    ZSTD_DCtx *frames = ZSTD_createDCtx();
    if (!frames)
        return th__fail_memory(err);
    th_status status = decode_all(zstd_some, frames, in, max_bytes, out, partial, err);
    ZSTD_freeDCtx(frames);
    return status;
}
#endif

typedef enum coding {
    CODING_NONE,
    CODING_GZIP,
    CODING_DEFLATE,
    CODING_BROTLI,
    CODING_ZSTD,
    CODING_UNKNOWN
} coding;

static coding coding_of(th_str name)
{
    static const struct {
        th_str name;
        coding code;
    } known[] = {
        {{"gzip", 4}, CODING_GZIP},
        {{"x-gzip", 6}, CODING_GZIP},
        {{"deflate", 7}, CODING_DEFLATE},
#if THRESH_BROTLI
        {{"br", 2}, CODING_BROTLI},
#endif
#if THRESH_ZSTD
        {{"zstd", 4}, CODING_ZSTD},
#endif
        {{"identity", 8}, CODING_NONE},
        {{"none", 4}, CODING_NONE},
        {{"utf-8", 5}, CODING_NONE},
        {{"", 0}, CODING_NONE}
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (th__str_eq_nocase(name, known[i].name))
            return known[i].code;
    return CODING_UNKNOWN;
}

static th_status decode_one(th_str in, coding code, uint64_t max_bytes, th__buf *out, bool *partial,
                            th_error *err)
{
    const unsigned char *b = (const unsigned char *)in.ptr;
    *partial = false;
    if (code == CODING_GZIP && inflate_gzip_quickly(in, max_bytes, out))
        return TH_OK;
    /* "deflate" means zlib, but some servers send the bare stream. */
    bool bare = code == CODING_DEFLATE &&
                (in.len < 2 || (b[0] & 0x0F) != 8 || (b[0] << 8 | b[1]) % 31 != 0);
    switch (code) {
#if THRESH_BROTLI
    case CODING_BROTLI:
        return decode_brotli(in, max_bytes, out, partial, err);
#endif
#if THRESH_ZSTD
    case CODING_ZSTD:
        return decode_zstd(in, max_bytes, out, partial, err);
#endif
    default:
        return decode_deflate(in, bare ? -15 : 47, max_bytes, out, partial, err);
    }
}

/* Takes the last coding off a list such as "gzip, br". */
static th_str last_coding(th_str *list)
{
    size_t i = list->len;
    while (i && list->ptr[i - 1] != ',')
        i--;
    th_str last = {list->ptr + i, list->len - i};
    list->len = i ? i - 1 : 0;
    return th__str_trim(last);
}

th_status th__http_decode(th__buf *body, bool chunked, th_str encoding, uint64_t max_bytes,
                          bool *partial, th_error *err)
{
    size_t broken_at;
    *partial = false;
    if (chunked && !unchunk(body, &broken_at))
        th__fail(err, TH_ERR_FORMAT, "has a chunked body that breaks at its byte %zu", broken_at);
    for (int layer = 0; encoding.len && !*partial; layer++) {
        th_str name = last_coding(&encoding);
        coding code = coding_of(name);
        th_str in = th__buf_str(body);
        if (code == CODING_UNKNOWN || layer == MAX_LAYERS)
            return th__fail(
                err, TH_ERR_FORMAT,
                "is compressed as \"%.*s\", which is not supported: only gzip, deflate%s%s are",
                TH_STR_ARG(name), THRESH_BROTLI ? ", br" : "", THRESH_ZSTD ? ", zstd" : "");
        bool plain = (code == CODING_GZIP && !th__str_starts(in, TH_STR("\x1F\x8B"))) ||
                     (code == CODING_ZSTD && !th__str_starts(in, TH_STR("\x28\xB5\x2F\xFD"))) ||
                     (code == CODING_BROTLI && th__sniff_html(in, NULL)); /* Brotli has no mark */
        if (code == CODING_NONE || plain || in.len == 0)
            continue;
        th__buf out = {0};
        th_status status = decode_one(in, code, max_bytes, &out, partial, err);
        if (status || (*partial && out.len == 0 && code == CODING_DEFLATE)) {
            th__buf_release(&out);
            *partial = false;
            if (status)
                return status;
            continue; /* not deflate at all: kept as it is */
        }
        th__buf_release(body);
        *body = out;
    }
    return *partial ? th__fail(err, TH_ERR_FORMAT, "has a compressed body that breaks off") : TH_OK;
}
