/* WARC and ARC archives, good and broken. All archives are made here, byte by byte. */
#include "feed_test.h"

#include <time.h>

#include "feed/http_message.h"

#define HTML_TYPE "Content-Type: text/html\r\n"

/* Text that hardly compresses, beginning as a page does. */
static void fill_noise(char *to, size_t len)
{
    uint32_t seed = 7;
    for (size_t i = 0; i < len; i++)
        to[i] = (char)('0' + ((seed = seed * 1664525u + 1013904223u) >> 27));
    memcpy(to, "<p>", 3);
}

static void responses_are_pages_with_uri_and_charset(void **state)
{
    folder *f = *state;
    th__buf warc = {0};
    add_record(&warc, "warcinfo", NULL, "application/warc-fields", TH_STR("software: test\r\n"));
    size_t at_one = warc.len;
    add_page(&warc, "http://x/1", "<p>1");
    add_record(&warc, "request", "http://x/1", "application/http; msgtype=request",
               TH_STR("GET / HTTP/1.1\r\n\r\n"));
    add_response(&warc, "<http://x/2>", "200",
                 "content-type: application/xhtml+xml;charset=\"latin1\"\r\n", TH_STR("<p>2"));
    const char *path = put_buf(f, "a.warc", &warc);
    run r = run_one(path);
    assert_int_equal(r.count, 2);
    expect_page(&r, 0, "http://x/1", "<p>1");
    assert_string_equal(r.events[0].url, "http://x/1");
    assert_string_equal(r.events[0].charset, "utf-8");
    char origin[400];
    snprintf(origin, sizeof origin, "%s@%zu", path, at_one);
    assert_string_equal(r.events[0].origin, origin);
    expect_page(&r, 1, "http://x/2", "<p>2");
    assert_string_equal(r.events[1].charset, "latin1");
    assert_int_equal(r.skipped, 2);
    assert_int_equal(r.bytes_read, r.bytes_total);
    end_run(&r);
}

static void what_is_no_page_is_skipped_and_counted(void **state)
{
    folder *f = *state;
    th__buf warc = {0};
    add_response(&warc, "http://x/404", "404 Not Found", HTML_TYPE, TH_STR("<p>gone"));
    add_response(&warc, "http://x/301", "301 Moved", HTML_TYPE, TH_STR("<p>moved"));
    add_response(&warc, "http://x/png", "200 OK", "Content-Type: image/png\r\n", TH_STR("\x89PNG"));
    add_response(&warc, "http://x/untyped", "200 OK", "", TH_STR("{\"json\": 1}"));
    add_record(&warc, "revisit", "http://x/r", "application/http; msgtype=response",
               TH_STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"));
    add_record(&warc, "revisit", "http://x/r", NULL, TH_STR(""));
    add_record(&warc, "conversion", "http://x/c", "text/html", TH_STR("<p>c"));
    add_record(&warc, "metadata", "http://x/m", "application/warc-fields", TH_STR("via: x\r\n"));
    add_record(&warc, "response", "dns:x", "text/dns", TH_STR("20200101\nx 1 IN A 1.2.3.4\n"));
    add_record(&warc, "resource", "http://x/i", "image/gif", TH_STR("GIF89a"));
    run r = run_one(put_buf(f, "a.warc", &warc));
    assert_int_equal(r.count, 0);
    assert_int_equal(r.skipped, 10);
    end_run(&r);
}

static void untyped_html_resources_and_full_revisits_are_pages(void **state)
{
    folder *f = *state;
    th__buf warc = {0};
    add_response(&warc, "http://x/u", "200 OK", "", TH_STR("<!doctype html><p>u"));
    add_record(&warc, "resource", "file:///r.html", "text/html; charset=koi8-r", TH_STR("<p>r"));
    add_record(&warc, "revisit", "http://x/v", "application/http; msgtype=response",
               TH_STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>v"));
    add_record(&warc, "response", NULL, "application/http", TH_STR("<html>no header at all"));
    run r = run_one(put_buf(f, "a.warc", &warc));
    assert_int_equal(r.pages, 4);
    expect_page(&r, 0, "http://x/u", "<!doctype html><p>u");
    expect_page(&r, 1, "file:///r.html", "<p>r");
    assert_string_equal(r.events[1].charset, "koi8-r");
    expect_page(&r, 2, "http://x/v", "<p>v");
    assert_string_equal(r.events[3].name, r.events[3].origin);
    assert_string_equal(r.events[3].url, "");
    end_run(&r);
}

static void bodies_are_decoded(void **state)
{
    folder *f = *state;
    th__buf warc = {0}, gz = {0}, zlib = {0}, bare = {0}, both = {0};
    add_gzip(&gz, TH_STR("<p>gzip"));
    add_deflated(&zlib, TH_STR("<p>zlib"), 15);
    add_deflated(&bare, TH_STR("<p>bare"), -15);
    th__buf_printf(&both, "%zx\r\n", gz.len);
    th__buf_add_str(&both, th__buf_str(&gz));
    th__buf_printf(&both, "\r\n0\r\n\r\n");
#define ENCODED(how) HTML_TYPE "Content-Encoding: " how "\r\n"
#define CHUNKED      HTML_TYPE "Transfer-Encoding: chunked\r\n"
    add_response(&warc, "g", "200 OK", ENCODED("gzip"), th__buf_str(&gz));
    add_response(&warc, "z", "200 OK", ENCODED("deflate"), th__buf_str(&zlib));
    add_response(&warc, "b", "200 OK", ENCODED("deflate"), th__buf_str(&bare));
    add_response(&warc, "c", "200 OK", CHUNKED, TH_STR("3;x=y\r\n<p>\r\n4\r\nchun\r\n0\r\n\r\n"));
    add_response(&warc, "cg", "200 OK", CHUNKED "Content-Encoding: gzip\r\n", th__buf_str(&both));
    add_response(&warc, "already", "200 OK", CHUNKED "Content-Encoding: gzip\r\n",
                 TH_STR("<p>decoded by the archiver"));
    add_response(&warc, "lzma", "200 OK", ENCODED("lzma"), TH_STR("\x5d"));
    run r = run_one(put_buf(f, "a.warc", &warc));
    assert_int_equal(r.count, 7);
    expect_page(&r, 0, "g", "<p>gzip");
    expect_page(&r, 1, "z", "<p>zlib");
    expect_page(&r, 2, "b", "<p>bare");
    expect_page(&r, 3, "c", "<p>chun");
    expect_page(&r, 4, "cg", "<p>gzip");
    expect_page(&r, 5, "already", "<p>decoded by the archiver");
    expect_error(&r, 6, TH_ERR_FORMAT, "lzma|\"lzma\"|is not supported|only gzip, deflate");
    end_run(&r);
    th__buf_release(&gz);
    th__buf_release(&zlib);
    th__buf_release(&bare);
    th__buf_release(&both);
}

static void broken_bodies_give_what_can_be_read(void **state)
{
    folder *f = *state;
    th__buf warc = {0}, gz = {0};
    char text[4000];
    fill_noise(text, sizeof text);
    add_gzip(&gz, (th_str){text, sizeof text});
    add_response(&warc, "chunks", "200 OK", CHUNKED, TH_STR("3\r\n<p>\r\nnothex\r\nrest"));
    add_response(&warc, "cutchunk", "200 OK", CHUNKED, TH_STR("ff\r\n<p>less"));
    add_response(&warc, "cutgzip", "200 OK", ENCODED("gzip"), (th_str){gz.data, gz.len / 2});
    add_page(&warc, "after", "<p>after");
    th__buf_release(&gz);
    run r = run_one(put_buf(f, "a.warc", &warc));
    assert_int_equal(r.count, 6);
    expect_page(&r, 0, "chunks", "<p>nothex\r\nrest");
    expect_error(&r, 1, TH_ERR_FORMAT, "chunks|chunked body that breaks at its byte 8");
    expect_page(&r, 2, "cutchunk", "<p>less");
    expect_page(&r, 3, "cutgzip", NULL);
    assert_true(r.events[3].len > 500 && r.events[3].len < sizeof text);
    assert_memory_equal(r.events[3].bytes, text, 500);
    expect_error(&r, 4, TH_ERR_FORMAT, "cutgzip|compressed body that breaks off");
    expect_page(&r, 5, "after", "<p>after");
    end_run(&r);
}

/* Whole, cut, garbage, decoded by the archiver, empty, and a bomb. */
static void expect_coding(folder *f, const char *name, void (*encode)(th__buf *out, th_str bytes))
{
    enum { BOMB = 64 << 20 };
    th__buf warc = {0}, whole = {0}, noise = {0}, bomb = {0};
    char text[40000], fields[200], *zeros = calloc(1, BOMB);
    fill_noise(text, sizeof text);
    snprintf(fields, sizeof fields, HTML_TYPE "Content-Encoding: %s\r\n", name);
    encode(&whole, TH_STR("<p>whole"));
    encode(&noise, (th_str){text, sizeof text});
    encode(&bomb, (th_str){zeros, BOMB});
    assert_true(bomb.len < BOMB / 1000);
    free(zeros);
    add_response(&warc, "whole", "200 OK", fields, th__buf_str(&whole));
    add_response(&warc, "long", "200 OK", fields, th__buf_str(&noise));
    add_response(&warc, "cut", "200 OK", fields, (th_str){noise.data, noise.len - 500});
    add_response(&warc, "last", "200 OK", fields, (th_str){noise.data, noise.len - 1});
    memset(noise.data + 100, 0xFF, noise.len - 100);
    add_response(&warc, "garbage", "200 OK", fields, th__buf_str(&noise));
    add_response(&warc, "decoded", "200 OK", fields, TH_STR("<!doctype html><p>decoded"));
    add_response(&warc, "empty", "200 OK", fields, TH_STR(""));
    add_response(&warc, "bomb", "200 OK", fields, th__buf_str(&bomb));
    add_page(&warc, "after", "<p>after");
    const char *path = put_buf(f, "a.warc", &warc);
    th_feed_options options;
    th_feed_options_init(&options);
    options.max_bytes = BOMB - 1;
    run r = run_feed(&path, 1, &options);
    expect_page(&r, 0, "whole", "<p>whole");
    expect_page(&r, 1, "long", NULL);
    assert_int_equal(r.events[1].len, sizeof text);
    for (size_t i = 2; i < 8; i += 2) {
        static const char *const names[] = {"cut", "last", "garbage"};
        expect_page(&r, i, names[i / 2 - 1], NULL);
        assert_true(r.events[i].len <= sizeof text);
        assert_memory_equal(r.events[i].bytes, text, r.events[i].len < 500 ? r.events[i].len : 500);
        expect_error(&r, i + 1, TH_ERR_FORMAT, names[i / 2 - 1]);
    }
    expect_page(&r, 8, "decoded", "<!doctype html><p>decoded");
    expect_page(&r, 9, "empty", "");
    expect_error(&r, 10, TH_ERR_LIMIT, "bomb|decodes to more than");
    expect_page(&r, 11, "after", "<p>after");
    assert_int_equal(r.count, 12);
    end_run(&r);
    th__buf_release(&whole);
    th__buf_release(&noise);
    th__buf_release(&bomb);
}

#if THRESH_ZSTD
static void add_frames(th__buf *out, th_str bytes)
{
    add_zstd(out, (th_str){bytes.ptr, bytes.len / 2});
    add_zstd(out, (th_str){bytes.ptr + bytes.len / 2, bytes.len - bytes.len / 2});
}
#endif

static void gzip_brotli_and_zstd_bodies(void **state)
{
    expect_coding(*state, "gzip", add_gzip);
#if THRESH_BROTLI_TESTS
    expect_coding(*state, "br", add_brotli);
#endif
#if THRESH_ZSTD
    expect_coding(*state, "zstd", add_zstd);
    expect_coding(*state, "zstd", add_frames);
#endif
}

#if THRESH_ZSTD
static void zstd_archives(void **state)
{
    folder *f = *state;
    enum { NOISE = 400000 };
    char *text = malloc(NOISE + 1);
    th__buf record = {0}, file = {0}, page = {0};
    fill_noise(text, NOISE);
    text[NOISE] = '\0';
    size_t starts[4];
    for (int i = 0; i < 4; i++) {
        starts[i] = file.len;
        add_page(&record, "http://x/", i == 1 ? text : "<p>short");
        add_zstd(&file, th__buf_str(&record));
        th__buf_release(&record);
    }
    run r = run_one(put_bytes(f, "a.warc.zst", file.data, file.len));
    assert_int_equal(r.pages, 4);
    assert_int_equal(r.errors, 0);
    assert_int_equal(r.events[1].len, NOISE);
    end_run(&r);
    /* Broken in the long page, and cut in the last. */
    memset(file.data + starts[2] - 1000, 0xFF, 900);
    r = run_one(put_bytes(f, "b.warc.zst", file.data, file.len - 20));
    assert_int_equal(r.pages, 2);
    assert_int_equal(r.errors, 2);
    char where[80];
    snprintf(where, sizeof where, "compressed data is broken|goes on at byte %zu", starts[2]);
    expect_error(&r, 1, TH_ERR_FORMAT, where);
    expect_error(&r, 3, TH_ERR_FORMAT, "the file ends in the middle of compressed data");
    end_run(&r);
    th__buf_release(&file);
    add_zstd(&page, TH_STR("<p>a page"));
    r = run_one(put_buf(f, "c.html.zst", &page));
    expect_page(&r, 0, r.events[0].name, "<p>a page");
    end_run(&r);
    free(text);
}

/* Frames that claim the largest window, and never give a byte. */
static void frames(th__buf *out, size_t size)
{
    while (out->len < size)
        th__buf_add(out, "\x28\xB5\x2F\xFD\0\x88\xFC\xFF\x0F", 9);
}

static void frames_to_skip(th__buf *out, size_t size)
{
    while (out->len < size)
        th__buf_add(out, "\x50\x2A\x4D\x18\0\0\0\0", 8);
}

/* A frame of a record, and the starts of many more that are all read as one block. */
static void frames_after_a_record(th__buf *out, size_t size)
{
    th__buf record = {0};
    add_page(&record, "http://x/", "<p>x");
    add_zstd(out, th__buf_str(&record));
    th__buf_release(&record);
    while (out->len < size)
        th__buf_add(out, "\x28\xB5\x2F\xFD\0\x48\x01\0\x08", 9);
}
#endif

static void members_one_by_one_and_all_in_one(void **state)
{
    folder *f = *state;
    th__buf record = {0}, many = {0}, all = {0}, one = {0};
    size_t second = 0;
    for (int i = 0; i < 50; i++) {
        char uri[40], html[40];
        snprintf(uri, sizeof uri, "http://x/%d", i);
        snprintf(html, sizeof html, "<p>page %d", i);
        add_page(&record, uri, html);
        add_page(&all, uri, html);
        size_t start = add_member(&many, &record);
        if (i == 1)
            second = start;
    }
    th__buf_add(&many, "\0\0\0\0\0\0\0\0", 8); /* padding */
    size_t record_len = all.len / 50;
    add_member(&one, &all);
    const char *in[] = {put_buf(f, "many.warc.gz", &many), put_buf(f, "one.warc.gz", &one)};
    run r = run_feed(in, 2, NULL);
    assert_int_equal(r.pages, 100);
    assert_int_equal(r.errors, 0);
    expect_page(&r, 49, "http://x/49", "<p>page 49");
    expect_page(&r, 99, "http://x/49", "<p>page 49");
    char origin[400];
    snprintf(origin, sizeof origin, "%s@%zu", in[0], second);
    assert_string_equal(r.events[1].origin, origin);
    assert_non_null(strstr(r.events[51].origin, "one.warc.gz@0+"));
    assert_true(strtoul(strrchr(r.events[51].origin, '+') + 1, NULL, 10) < record_len * 2);
    end_run(&r);
}

/* Larger than what is inflated at once: the member has to flow. */
static void large_member_flows(void **state)
{
    folder *f = *state;
    enum { LARGE = 6 << 20 };
    char *html = malloc(LARGE + 1);
    fill_noise(html, LARGE);
    html[LARGE] = '\0';
    th__buf record = {0}, gz = {0};
    add_page(&record, "http://x/0", "<p>small");
    add_page(&record, "http://x/1", html);
    add_page(&record, "http://x/2", "<p>small");
    add_member(&gz, &record);
    add_page(&record, "http://x/3", "<p>another member");
    add_member(&gz, &record);
    const char *path = put_buf(f, "a.warc.gz", &gz);
    run r = run_one(path);
    assert_int_equal(r.count, 4);
    assert_int_equal(r.events[1].len, LARGE);
    assert_memory_equal(r.events[1].bytes, html, 2000);
    expect_page(&r, 2, "http://x/2", "<p>small");
    expect_page(&r, 3, "http://x/3", "<p>another member");
    end_run(&r);

    th_feed_options options;
    th_feed_options_init(&options);
    options.max_bytes = 1000;
    r = run_feed(&path, 1, &options);
    assert_int_equal(r.count, 4);
    expect_error(&r, 1, TH_ERR_LIMIT, "http://x/1|a.warc.gz@0|max_bytes|--max-bytes");
    expect_page(&r, 2, "http://x/2", "<p>small");
    end_run(&r);
    free(html);
}

static void plain_archive_cut_in_the_middle(void **state)
{
    folder *f = *state;
    th__buf warc = {0};
    add_page(&warc, "http://x/1", "<p>1");
    add_page(&warc, "http://x/2", "<p>2");
    size_t start = warc.len;
    add_page(&warc, "http://x/3", "<p>a third page that is cut off");
    warc.len -= 20;
    size_t cut_at = warc.len;
    run r = run_one(put_buf(f, "a.warc", &warc));
    assert_int_equal(r.count, 3);
    expect_page(&r, 1, "http://x/2", "<p>2");
    expect_error(&r, 2, TH_ERR_FORMAT,
                 "a.warc|ends in the middle of the record http://x/3|no readable record follows");
    assert_int_equal(r.events[2].error.offset, cut_at);
    end_run(&r);

    /* In the record header. */
    add_page(&warc, "http://x/1", "<p>1");
    add_page(&warc, "http://x/2", "<p>2");
    warc.len = start / 2 + 30;
    r = run_one(put_buf(f, "b.warc", &warc));
    assert_int_equal(r.count, 2);
    expect_page(&r, 0, "http://x/1", "<p>1");
    expect_error(&r, 1, TH_ERR_FORMAT, "b.warc|in the middle of a record header");
    end_run(&r);
}

static void gzip_archive_cut_in_the_middle(void **state)
{
    folder *f = *state;
    th__buf record = {0}, gz = {0};
    add_page(&record, "http://x/1", "<p>1");
    add_member(&gz, &record);
    add_page(&record, "http://x/2", "<p>a page of some length, which is cut off in the file");
    size_t start = add_member(&gz, &record);
    gz.len -= 25;
    run r = run_one(put_buf(f, "a.warc.gz", &gz));
    assert_int_equal(r.count, 2);
    expect_page(&r, 0, "http://x/1", "<p>1");
    expect_error(&r, 1, TH_ERR_FORMAT, "damaged at byte|the file ends|no readable record follows");
    assert_true(r.events[1].error.offset > start);
    end_run(&r);
}

static void broken_member_is_named_and_passed_over(void **state)
{
    folder *f = *state;
    th__buf record = {0}, gz = {0};
    char noise[3000];
    fill_noise(noise, sizeof noise);
    noise[sizeof noise - 1] = '\0';
    add_page(&record, "http://x/1", "<p>1");
    add_member(&gz, &record);
    add_page(&record, "http://x/2", noise);
    size_t second = add_member(&gz, &record);
    memset(gz.data + second + 700, 0xFF, 40);
    add_page(&record, "http://x/3", "<p>3");
    size_t third = add_member(&gz, &record);
    add_page(&record, "http://x/4", "<p>4");
    size_t fourth = add_member(&gz, &record);
    gz.data[gz.len - 6] ^= 1; /* its checksum */
    add_page(&record, "http://x/5", "<p>5");
    add_member(&gz, &record);
    run r = run_one(put_buf(f, "a.warc.gz", &gz));
    char where[80];
    assert_int_equal(r.count, 6);
    expect_page(&r, 0, "http://x/1", "<p>1");
    snprintf(where, sizeof where, "http://x/2|compressed data|goes on at byte %zu", third);
    expect_error(&r, 1, TH_ERR_FORMAT, where);
    assert_in_range(r.events[1].error.offset, second + 700, third);
    expect_page(&r, 2, "http://x/3", "<p>3");
    expect_page(&r, 3, "http://x/4", "<p>4");
    expect_error(&r, 4, TH_ERR_FORMAT, "checksum");
    assert_true(r.events[4].error.offset > fourth);
    expect_page(&r, 5, "http://x/5", "<p>5");
    end_run(&r);
}

/* A writer died in a member and went on appending: the broken member runs into the next one. */
static void member_cut_short_before_another(void **state)
{
    folder *f = *state;
    th__buf record = {0}, gz = {0};
    add_page(&record, "http://x/1", "<p>a page that its writer did not finish: it died here");
    add_member(&gz, &record);
    gz.len -= 30;
    add_page(&record, "http://x/2", "<p>2");
    size_t second = add_member(&gz, &record);
    add_page(&record, "http://x/3", "<p>3");
    add_member(&gz, &record);
    run r = run_one(put_buf(f, "a.warc.gz", &gz));
    char where[80];
    assert_int_equal(r.count, 3);
    snprintf(where, sizeof where, "goes on at byte %zu", second);
    expect_error(&r, 0, TH_ERR_FORMAT, where);
    expect_page(&r, 1, "http://x/2", "<p>2");
    expect_page(&r, 2, "http://x/3", "<p>3");
    end_run(&r);
}

static void garbage_between_records_and_members(void **state)
{
    folder *f = *state;
    th__buf plain = {0}, gz = {0}, record = {0};
    add_page(&plain, "http://x/1", "<p>1");
    size_t garbage = plain.len;
    th__buf_printf(&plain, "garbage that is WARC/nothing at all\r\n");
    size_t next = plain.len;
    add_page(&plain, "http://x/2", "<p>2");
    run r = run_one(put_buf(f, "a.warc", &plain));
    char where[80];
    assert_int_equal(r.count, 3);
    expect_page(&r, 0, "http://x/1", "<p>1");
    snprintf(where, sizeof where, "damaged at byte %zu|goes on at byte %zu", garbage, next);
    expect_error(&r, 1, TH_ERR_FORMAT, where);
    expect_page(&r, 2, "http://x/2", "<p>2");
    end_run(&r);

    add_page(&record, "http://x/1", "<p>1");
    add_member(&gz, &record);
    garbage = gz.len;
    th__buf_printf(&gz, "\x1F\x8B\x08 garbage \x1F");
    next = gz.len;
    add_page(&record, "http://x/2", "<p>2");
    add_member(&gz, &record);
    th__buf_printf(&record, "a member that holds no record");
    add_member(&gz, &record);
    add_page(&record, "http://x/3", "<p>3");
    add_member(&gz, &record);
    r = run_one(put_buf(f, "a.warc.gz", &gz));
    assert_int_equal(r.count, 5);
    snprintf(where, sizeof where, "goes on at byte %zu", next);
    expect_error(&r, 1, TH_ERR_FORMAT, where);
    expect_page(&r, 2, "http://x/2", "<p>2");
    expect_error(&r, 3, TH_ERR_FORMAT, "no WARC record starts here");
    expect_page(&r, 4, "http://x/3", "<p>3");
    end_run(&r);
}

/* Writes a response whose record says another length than it has. */
static void add_lying(th__buf *out, const char *uri, const char *html, int lie)
{
    th__buf block = {0};
    th__buf_printf(&block, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n%s", html);
    th__buf_printf(out,
                   "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n"
                   "Content-Type: application/http\r\nContent-Length: %d\r\n\r\n",
                   uri, (int)block.len + lie);
    th__buf_add_str(out, th__buf_str(&block));
    th__buf_printf(out, "\r\n\r\n");
    th__buf_release(&block);
}

static void wrong_lengths_cost_no_other_record(void **state)
{
    folder *f = *state;
    for (int gzip = 0; gzip < 2; gzip++) {
        th__buf record = {0}, file = {0};
        static const int lies[] = {0, 60, -5, 100000, 0};
        for (int i = 0; i < 5; i++) {
            char uri[40];
            snprintf(uri, sizeof uri, "http://x/%d", i);
            add_lying(&record, uri, "<p>0123456789", lies[i]);
            if (gzip)
                add_member(&file, &record);
        }
        run r = run_one(put_buf(f, gzip ? "a.warc.gz" : "a.warc", gzip ? &file : &record));
        assert_int_equal(r.count, 8);
        expect_page(&r, 0, "http://x/0", "<p>0123456789");
        expect_page(&r, 1, "http://x/1", "<p>0123456789");
        expect_error(&r, 2, TH_ERR_FORMAT, "http://x/1|the next record starts after");
        expect_page(&r, 3, "http://x/2", "<p>01234");
        expect_error(&r, 4, TH_ERR_FORMAT, "http://x/2|is not a record");
        expect_page(&r, 5, "http://x/3", "<p>0123456789");
        expect_error(&r, 6, TH_ERR_FORMAT, "http://x/3|declares");
        expect_page(&r, 7, "http://x/4", "<p>0123456789");
        end_run(&r);
    }
}

static void unusable_lengths_and_headers(void **state)
{
    folder *f = *state;
    th__buf warc = {0};
    th__buf_printf(&warc, "WARC/1.0\r\nWARC-Type: response\r\n\r\nno length\r\n\r\n");
    add_page(&warc, "http://x/1", "<p>1");
    th__buf_printf(&warc, "WARC/1.0\r\nContent-Length: 99999999999999999999999\r\n\r\n");
    add_page(&warc, "http://x/2", "<p>2");
    th__buf_printf(&warc, "WARC/1.0\r\nContent-Length: -5\r\n\r\n");
    th__buf_printf(&warc, "WARC/1.0\r\nX: ");
    for (int i = 0; i < 70000; i++)
        th__buf_add_byte(&warc, 'x');
    th__buf_printf(&warc, "\r\n\r\n");
    add_page(&warc, "http://x/3", "<p>3");
    run r = run_one(put_buf(f, "a.warc", &warc));
    assert_int_equal(r.count, 7);
    expect_error(&r, 0, TH_ERR_FORMAT, "damaged at byte 0|no valid length");
    expect_page(&r, 1, "http://x/1", "<p>1");
    expect_error(&r, 2, TH_ERR_FORMAT, "no valid length");
    expect_page(&r, 3, "http://x/2", "<p>2");
    expect_error(&r, 4, TH_ERR_FORMAT, "no valid length");
    expect_error(&r, 5, TH_ERR_FORMAT, "longer than 64 KiB");
    expect_page(&r, 6, "http://x/3", "<p>3");
    end_run(&r);
}

static void archive_by_name_that_holds_none(void **state)
{
    folder *f = *state;
    const char *in[] = {put_text(f, "empty.warc", ""), put_text(f, "page.warc", "<p>no archive"),
                        put_text(f, "good.html", "<p>good")};
    run r = run_feed(in, 3, NULL);
    assert_int_equal(r.count, 3);
    expect_error(&r, 0, TH_ERR_FORMAT, "empty.warc|it has no records");
    expect_error(&r, 1, TH_ERR_FORMAT, "page.warc|no WARC record starts here|no readable record");
    expect_page(&r, 2, in[2], "<p>good");
    end_run(&r);
}

static void add_arc(th__buf *out, const char *url, const char *rest, const char *block)
{
    th__buf_printf(out, "%s 192.0.2.1 20010203040506 text/html %s%zu\n%s\n", url, rest,
                   strlen(block), block);
}

static void arc_versions_one_and_two(void **state)
{
    folder *f = *state;
    static const char page[] = "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>arc";
    for (int version = 1; version <= 2; version++) {
        const char *rest = version == 1 ? "" : "200 - - 0 x.arc ";
        th__buf arc = {0}, gz = {0};
        add_arc(&arc, "filedesc://x.arc", rest, version == 1 ? "1 0 Test\n" : "2 0 Test\n");
        size_t first = arc.len;
        add_arc(&arc, "http://x/1", rest, page);
        add_arc(&arc, "http://x/a b?c d", rest, page);
        th__buf_printf(&arc, "http://x/bad 192.0.2.1 20010203040506 text/html -1\n\n");
        add_arc(&arc, "dns:x", rest, "x 1 IN A 1.2.3.4");
        add_arc(&arc, "http://x/3", rest, page);
        add_gzip(&gz, th__buf_str(&arc));
        const char *in[] = {put_buf(f, "x.arc", &arc), put_buf(f, "unnamed", &gz)};
        run r = run_feed(in, 2, NULL);
        assert_int_equal(r.count, 8);
        for (size_t i = 0; i < 8; i += 4) {
            expect_page(&r, i, "http://x/1", "<p>arc");
            expect_page(&r, i + 1, "http://x/a b?c d", "<p>arc");
            expect_error(&r, i + 2, TH_ERR_FORMAT, "http://x/bad|no valid length");
            expect_page(&r, i + 3, "http://x/3", "<p>arc");
        }
        char origin[400];
        snprintf(origin, sizeof origin, "%s@%zu", in[0], first);
        assert_string_equal(r.events[0].origin, origin);
        end_run(&r);
    }
}

static void arc_with_wrong_length_finds_the_next_line(void **state)
{
    folder *f = *state;
    th__buf arc = {0};
    add_arc(&arc, "filedesc://x.arc", "", "1 0 Test\n");
    th__buf_printf(&arc, "http://x/1 192.0.2.1 20010203040506 text/html 5000\n"
                         "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>one\n");
    add_arc(&arc, "http://x/2", "", "HTTP/1.0 200 OK\nContent-Type: text/html\n\n<p>two");
    run r = run_one(put_buf(f, "x.arc", &arc));
    assert_int_equal(r.count, 3);
    expect_page(&r, 0, "http://x/1", "<p>one");
    expect_error(&r, 1, TH_ERR_FORMAT, "http://x/1|5000|next record starts after");
    expect_page(&r, 2, "http://x/2", "<p>two");
    end_run(&r);
}

/* A header that breaks off in the middle, and the next record after it. */
static void cut_header_costs_no_other_record(void **state)
{
    folder *f = *state;
    th__buf warc = {0};
    th__buf_printf(&warc, "WARC/1.0\r\nWARC-Type: resp\n");
    size_t next = warc.len;
    add_page(&warc, "http://x/1", "<p>1");
    run r = run_one(put_buf(f, "a.warc", &warc));
    char where[60];
    assert_int_equal(r.count, 2);
    snprintf(where, sizeof where, "damaged at byte 0|goes on at byte %zu", next);
    expect_error(&r, 0, TH_ERR_FORMAT, where);
    expect_page(&r, 1, "http://x/1", "<p>1");
    end_run(&r);
}

/* ---- what hostile archives cost ---- */

static void lying_lengths(th__buf *out, size_t size)
{
    while (out->len < size)
        th__buf_printf(out, "WARC/1.0\r\nWARC-Type: request\r\n"
                            "Content-Length: 100000000\r\n\r\n"
                            "x\r\n\r\n");
}

static void header_lines(th__buf *out, size_t size)
{
    while (out->len < size)
        th__buf_printf(out, "WARC/1.0\r\nWARC-Type: response\r\n");
}

static void arc_lines(th__buf *out, size_t size)
{
    th__buf_printf(out, "filedesc://a 0.0.0.0 20200101000000 text/plain 4\n1 0\n\n");
    while (out->len < size)
        th__buf_printf(out, "http://x/ 1.2.3.4 20200101000000 text/html 99999999\nHTTP/1.0 \n");
}

static void chunks(th__buf *out, size_t size)
{
    th__buf body = {0};
    while (body.len + 500 < size)
        th__buf_printf(&body, "1\r\nx\r\n");
    add_response(out, "http://x/", "200 OK", HTML_TYPE "Transfer-Encoding: chunked\r\n",
                 th__buf_str(&body));
    th__buf_release(&body);
}

/* A good member, then headers of gzip that nothing follows. */
static void member_headers(th__buf *out, size_t size, unsigned char flags)
{
    th__buf page = {0};
    add_page(&page, "http://x/", "<p>1");
    add_member(out, &page);
    while (out->len < size)
        th__buf_add(out, (const char[]){0x1F, (char)0x8B, 8, (char)flags}, 4);
}

static void headers(th__buf *out, size_t size)
{
    member_headers(out, size, 0);
}

static void headers_with_extras(th__buf *out, size_t size)
{
    member_headers(out, size, 4);
}

static void headers_with_names(th__buf *out, size_t size)
{
    member_headers(out, size, 8);
}

static void headers_with_comments(th__buf *out, size_t size)
{
    member_headers(out, size, 16);
}

/* Headers whose names all end at the same compressed data, which inflates to megabytes and has a
 * wrong checksum. */
static void headers_of_one_bomb(th__buf *out, size_t size)
{
    enum { INFLATED = 2 << 20, BEFORE = 1500 };
    th__buf bomb = {0}, member = {0};
    th__buf_printf(&bomb, "WARC/1.0\r\nWARC-Type: request\r\nContent-Length: %d\r\n\r\n", INFLATED);
    assert_true(th__buf_reserve(&bomb, INFLATED));
    memset(bomb.data + bomb.len, 'a', INFLATED);
    bomb.len += INFLATED;
    add_member(&member, &bomb);
    while (out->len < size) {
        member_headers(out, out->len + BEFORE, 8);
        th__buf_add(out, "", 1);
        th__buf_add(out, member.data + 10, member.len - 12); /* without header and checksum */
    }
    th__buf_release(&member);
}

static double cost(const char *path)
{
    struct timespec from, to;
    th_feed *feed;
    th_input *input;
    th_error err;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    assert_int_equal(th_feed_new(&path, 1, NULL, &feed, &err), TH_OK);
    for (th_status status; (status = th_feed_next(feed, &input, &err)) != TH_DONE;)
        if (!status)
            th_input_free(input);
    th_feed_free(feed);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

/* Eight times the bytes may cost 24 times as much: a quadratic step costs 64 times. What takes less
 * than 50 ms is not worth measuring. */
static void hostile_archives_cost_linear_time(void **state)
{
    static const struct {
        const char *name;
        void (*make)(th__buf *out, size_t size);
    } cases[] = {
        {"lying lengths", lying_lengths},
        {"header lines", header_lines},
        {"lines of ARC", arc_lines},
        {"chunks", chunks},
        {"gzip headers", headers},
        {"gzip headers with extras", headers_with_extras},
        {"gzip headers with names", headers_with_names},
        {"gzip headers with comments", headers_with_comments},
#if THRESH_ZSTD
        {"zstd frames", frames},
        {"zstd frames to skip", frames_to_skip},
        {"zstd frames after a record", frames_after_a_record},
#endif
        {"gzip headers of one bomb", headers_of_one_bomb}
    };
    enum { SMALL = 64 << 10, TIMES = 8, TRIES = 4 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        th__buf small = {0}, large = {0};
        cases[i].make(&small, SMALL);
        cases[i].make(&large, SMALL * TIMES);
        const char *few = put_buf(*state, "few.warc", &small);
        const char *many = put_buf(*state, "many.warc", &large);
        double least = 1e9, most = 1e9;
        for (int try = 0; try < TRIES && most > 0.05 && (!try || most > 3 * TIMES * least); try++) {
            double a = cost(few), b = cost(many);
            least = a < least ? a : least;
            most = b < most ? b : most;
        }
        if (most > 0.05 && most > 3 * TIMES * least)
            fail_msg("%s: %d bytes take %.3f s, %d times as many %.3f s", cases[i].name, SMALL,
                     least, TIMES, most);
    }
}

static void charset_of_content_type(void **state)
{
    static const struct {
        const char *type, *charset;
    } cases[] = {{"text/html; charset=utf-8", "utf-8"},
                 {"text/html;charset=\"ISO-8859-1\"; x=y", "ISO-8859-1"},
                 {"text/html; x=y ; CHARSET = 'koi8-r'", "koi8-r"},
                 {"text/html; charset=big5 ; q", "big5"},
                 {"text/html; charset=", ""},
                 {"text/html; charsets=x", ""},
                 {"charset=x", ""},
                 {"text/html;;;", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        th_str got = th__type_charset(th_str_from(cases[i].type));
        assert_int_equal(got.len, strlen(cases[i].charset));
        assert_true(th__str_eq(got, th_str_from(cases[i].charset)));
    }
    assert_true(th__type_is_html(TH_STR("Text/HTML ; charset=x")));
    assert_false(th__type_is_html(TH_STR("text/htmlx")));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(responses_are_pages_with_uri_and_charset),
        IN_FOLDER(what_is_no_page_is_skipped_and_counted),
        IN_FOLDER(untyped_html_resources_and_full_revisits_are_pages),
        IN_FOLDER(bodies_are_decoded),
        IN_FOLDER(broken_bodies_give_what_can_be_read),
        IN_FOLDER(gzip_brotli_and_zstd_bodies),
#if THRESH_ZSTD
        IN_FOLDER(zstd_archives),
#endif
        IN_FOLDER(members_one_by_one_and_all_in_one),
        IN_FOLDER(large_member_flows),
        IN_FOLDER(plain_archive_cut_in_the_middle),
        IN_FOLDER(gzip_archive_cut_in_the_middle),
        IN_FOLDER(broken_member_is_named_and_passed_over),
        IN_FOLDER(member_cut_short_before_another),
        IN_FOLDER(garbage_between_records_and_members),
        IN_FOLDER(wrong_lengths_cost_no_other_record),
        IN_FOLDER(unusable_lengths_and_headers),
        IN_FOLDER(archive_by_name_that_holds_none),
        IN_FOLDER(arc_versions_one_and_two),
        IN_FOLDER(arc_with_wrong_length_finds_the_next_line),
        IN_FOLDER(cut_header_costs_no_other_record),
        IN_FOLDER(hostile_archives_cost_linear_time),
        cmocka_unit_test(charset_of_content_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
