/* feed_test.h: temporary files, archives made in code, and a feed run written down. */
#ifndef TH_FEED_TEST_H
#define TH_FEED_TEST_H

#include "test.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#if THRESH_BROTLI_TESTS
#include <brotli/encode.h>
#endif
#if THRESH_ZSTD
#include <zstd.h>
#endif

#include "base/str.h"

/* ------------------------------------------------------------------------------------ folders */

typedef struct folder {
    char path[256];
} folder;

static inline int folder_setup(void **state)
{
    folder *f = calloc(1, sizeof *f);
    const char *base = getenv("TMPDIR");
    snprintf(f->path, sizeof f->path, "%s/thresh-feed-XXXXXX", base ? base : "/tmp");
    *state = f;
    return mkdtemp(f->path) ? 0 : -1;
}

static inline int folder_teardown(void **state)
{
    folder *f = *state;
    char command[700];
    snprintf(command, sizeof command, "chmod -R u+rwx '%s'; rm -rf '%s'", f->path, f->path);
    int code = system(command);
    free(f);
    return code;
}

/* The path of a name inside the folder; a ring of static strings. */
static inline const char *at(const folder *f, const char *name)
{
    static char paths[16][512];
    static unsigned next;
    char *path = paths[next++ % 16];
    snprintf(path, 512, "%s%s%s", f->path, *name ? "/" : "", name);
    return path;
}

static inline const char *put_bytes(const folder *f, const char *name, const void *bytes,
                                    size_t len)
{
    const char *path = at(f, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
    return path;
}

static inline const char *put_text(const folder *f, const char *name, const char *text)
{
    return put_bytes(f, name, text, strlen(text));
}

static inline const char *put_buf(const folder *f, const char *name, th__buf *buf)
{
    assert_false(buf->failed);
    const char *path = put_bytes(f, name, th__buf_str(buf).ptr, buf->len);
    th__buf_release(buf);
    return path;
}

static inline void make_folder(const folder *f, const char *name)
{
    assert_int_equal(mkdir(at(f, name), 0755), 0);
}

/* ----------------------------------------------------------------------------------- archives */

static inline void add_record(th__buf *out, const char *type, const char *uri,
                              const char *content_type, th_str block)
{
    th__buf_printf(out, "WARC/1.0\r\nWARC-Type: %s\r\n", type);
    if (uri)
        th__buf_printf(out, "WARC-Target-URI: %s\r\n", uri);
    if (content_type)
        th__buf_printf(out, "Content-Type: %s\r\n", content_type);
    th__buf_printf(out, "Content-Length: %zu\r\n\r\n", block.len);
    th__buf_add_str(out, block);
    th__buf_add(out, "\r\n\r\n", 4);
}

/* A response with any HTTP header lines ("A: b\r\n...") and body. */
static inline void add_response(th__buf *out, const char *uri, const char *status,
                                const char *fields, th_str body)
{
    th__buf block = {0};
    th__buf_printf(&block, "HTTP/1.1 %s\r\n%s\r\n", status, fields);
    th__buf_add_str(&block, body);
    add_record(out, "response", uri, "application/http; msgtype=response", th__buf_str(&block));
    th__buf_release(&block);
}

static inline void add_page(th__buf *out, const char *uri, const char *html)
{
    add_response(out, uri, "200 OK", "Content-Type: text/html; charset=utf-8\r\n",
                 th_str_from(html));
}

/* Appends bytes compressed; window bits 31 gzip, 15 zlib, -15 bare. */
static inline void add_deflated(th__buf *out, th_str bytes, int window_bits)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t bound = deflateBound(&z, bytes.len) + 64;
    assert_true(th__buf_reserve(out, bound));
    z.next_in = (unsigned char *)bytes.ptr;
    z.avail_in = (uInt)bytes.len;
    z.next_out = (unsigned char *)out->data + out->len;
    z.avail_out = (uInt)bound;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out->len += bound - z.avail_out;
    deflateEnd(&z);
}

static inline void add_gzip(th__buf *out, th_str bytes)
{
    add_deflated(out, bytes, 31);
}

#if THRESH_ZSTD
static inline void add_zstd(th__buf *out, th_str bytes)
{
    size_t bound = ZSTD_compressBound(bytes.len);
    assert_true(th__buf_reserve(out, bound));
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    size_t len = ZSTD_compress2(context, out->data + out->len, bound, bytes.ptr, bytes.len);
    ZSTD_freeCCtx(context);
    assert_false(ZSTD_isError(len));
    out->len += len;
}
#endif

#if THRESH_BROTLI_TESTS
static inline void add_brotli(th__buf *out, th_str bytes)
{
    size_t len = BrotliEncoderMaxCompressedSize(bytes.len);
    assert_true(th__buf_reserve(out, len));
    assert_true(BrotliEncoderCompress(5, 22, BROTLI_MODE_TEXT, bytes.len,
                                      (const uint8_t *)bytes.ptr, &len,
                                      (uint8_t *)out->data + out->len));
    out->len += len;
}
#endif

/* Moves a buffer into a gzip member of another. */
static inline size_t add_member(th__buf *out, th__buf *record)
{
    size_t start = out->len;
    add_gzip(out, th__buf_str(record));
    th__buf_release(record);
    return start;
}

/* ---------------------------------------------------------------------------------------- runs */

enum { MAX_EVENTS = 256 };

typedef struct event {
    th_status status;
    char name[512], origin[512], url[512], charset[64];
    size_t len;
    char bytes[2048]; /* the first ones, NUL-terminated */
    th_error error;
} event;

typedef struct run {
    size_t count, pages, errors;
    uint64_t skipped, bytes_read, bytes_total;
    event *events;
} run;

static inline void copy_view(char *to, size_t room, th_str from)
{
    size_t len = from.len < room - 1 ? from.len : room - 1;
    if (len)
        memcpy(to, from.ptr, len);
    to[len] = '\0';
}

static inline void note_input(event *e, const th_input *input)
{
    copy_view(e->name, sizeof e->name, th_input_name(input));
    copy_view(e->origin, sizeof e->origin, th_input_origin(input));
    copy_view(e->url, sizeof e->url, th_input_url(input));
    copy_view(e->charset, sizeof e->charset, th_input_charset(input));
    copy_view(e->bytes, sizeof e->bytes, th_input_bytes(input));
    e->len = th_input_bytes(input).len;
}

/* Runs a feed to its end and writes down what it gave. */
static inline run run_feed(const char *const *inputs, size_t count, const th_feed_options *options)
{
    run r = {.events = calloc(MAX_EVENTS, sizeof(event))};
    th_feed *feed;
    th_error err;
    assert_int_equal(th_feed_new(inputs, count, options, &feed, &err), TH_OK);
    for (;;) {
        th_input *input;
        assert_true(r.count < MAX_EVENTS);
        event *e = &r.events[r.count];
        e->status = th_feed_next(feed, &input, &e->error);
        if (e->status == TH_DONE)
            break;
        r.count++;
        if (e->status) {
            r.errors++;
            assert_int_equal(e->error.status, e->status);
            continue;
        }
        r.pages++;
        note_input(e, input);
        th_input_free(input);
    }
    r.skipped = th_feed_records_skipped(feed);
    r.bytes_read = th_feed_bytes_read(feed);
    r.bytes_total = th_feed_bytes_total(feed);
    th_feed_free(feed);
    return r;
}

static inline run run_one(const char *input)
{
    return run_feed(&input, 1, NULL);
}

static inline void end_run(run *r)
{
    free(r->events);
}

static inline void expect_page(const run *r, size_t i, const char *name, const char *bytes)
{
    assert_true(i < r->count);
    if (r->events[i].status)
        print_error("%s\n", r->events[i].error.message);
    assert_int_equal(r->events[i].status, TH_OK);
    assert_string_equal(r->events[i].name, name);
    if (bytes)
        assert_string_equal(r->events[i].bytes, bytes);
}

/* The event is an error of that status whose message holds all of the words (separated by '|'). */
static inline void expect_error(const run *r, size_t i, th_status status, const char *words)
{
    char copy[512];
    assert_true(i < r->count);
    const event *e = &r->events[i];
    assert_int_equal(e->status, status);
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok(copy, "|"); word; word = strtok(NULL, "|"))
        if (!strstr(e->error.message, word))
            fail_msg("\"%s\" is not in: %s", word, e->error.message);
}

#endif
