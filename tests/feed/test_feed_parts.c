/* Archives that are read in parts: each page comes once, wherever the parts are cut. */
#include "feed_test.h"

#if THRESH_ZSTD
#include <zdict.h>
#endif

/* ------------------------------------------------------------------------- what a reading gives */

typedef struct found {
    char **lines; /* a page or damage each */
    size_t count, errors;
} found;

static void add_line(found *all, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    all->lines = realloc(all->lines, (all->count + 1) * sizeof *all->lines);
    assert_true(vasprintf(&all->lines[all->count++], format, args) > 0);
    va_end(args);
}

static void end_found(found *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->lines[i]);
    free(all->lines);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds what a feed gives, and ends it. */
static void take_all(th_feed *feed, found *all)
{
    for (size_t steps = 0;; steps++) {
        th_input *input;
        th_error err;
        assert_true(steps < 10000);
        th_status status = th_feed_next(feed, &input, &err);
        if (status == TH_DONE)
            break;
        if (status) {
            all->errors++;
            char *follows = strstr(err.message, "; ");
            add_line(all, "error %d: %.*s", status,
                     follows ? (int)(follows - err.message) : (int)strlen(err.message),
                     err.message);
            continue;
        }
        th_str name = th_input_name(input), bytes = th_input_bytes(input);
        th_str origin = th_input_origin(input), file = th_input_file(input);
        char text[700];
        snprintf(text, sizeof text, "%.*s@%llu", (int)file.len, file.ptr,
                 (unsigned long long)th_input_offset(input));
        if (th_input_offset_inside(input))
            snprintf(text + strlen(text), sizeof text - strlen(text), "+%llu",
                     (unsigned long long)th_input_offset_inside(input));
        if (file.len < origin.len) {
            assert_int_equal(strlen(text), origin.len);
            assert_memory_equal(text, origin.ptr, origin.len);
        }
        add_line(all, "%.*s %.*s %zu %08lx", (int)origin.len, origin.ptr, (int)name.len, name.ptr,
                 bytes.len, crc32(0, (const unsigned char *)bytes.ptr, (uInt)bytes.len));
        th_input_free(input);
    }
    th_feed_free(feed);
}

static void read_part(const char *path, uint64_t start, uint64_t end, found *all)
{
    th_feed_part part = {.name = path, .start = start, .end = end};
    th_feed *feed;
    th_error err;
    assert_int_equal(th_feed_parts(&part, 1, NULL, &feed, &err), TH_OK);
    take_all(feed, all);
}

static found read_whole(const char *path)
{
    found all = {0};
    th_feed *feed;
    assert_int_equal(th_feed_new(&path, 1, NULL, &feed, NULL), TH_OK);
    take_all(feed, &all);
    return all;
}

static void expect_same(found *whole, found *parts, const char *what, unsigned long long where)
{
    if (whole->count)
        qsort(whole->lines, whole->count, sizeof *whole->lines, by_text);
    if (parts->count)
        qsort(parts->lines, parts->count, sizeof *parts->lines, by_text);
    for (size_t i = 0; i < whole->count || i < parts->count; i++) {
        const char *one = i < whole->count ? whole->lines[i] : "nothing";
        const char *two = i < parts->count ? parts->lines[i] : "nothing";
        if (strcmp(one, two))
            fail_msg("%s, %llu: %s, but in parts: %s", what, where, one, two);
    }
    end_found(parts);
}

static void expect_splits(const char *path, found *whole, const char *what)
{
    for (uint32_t count = 1; count <= 12; count++) {
        found parts = {0};
        for (uint32_t i = 0; i < count; i++) {
            th_feed_options options;
            th_feed *feed;
            th_feed_options_init(&options);
            options.split = i;
            options.split_of = count;
            assert_int_equal(th_feed_new(&path, 1, &options, &feed, NULL), TH_OK);
            take_all(feed, &parts);
        }
        expect_same(whole, &parts, what, count);
    }
}

/* Cuts the file in two at every byte, and in up to 40 equal parts. */
static void expect_parts(const char *path, const char *what, size_t pages, size_t errors)
{
    struct stat info;
    found whole = read_whole(path);
    assert_int_equal(stat(path, &info), 0);
    uint64_t size = (uint64_t)info.st_size;
    if (whole.count - whole.errors != pages || whole.errors != errors)
        fail_msg("%s: %zu pages and %zu errors", what, whole.count - whole.errors, whole.errors);
    for (uint64_t at = 1; at <= size; at += size < 20000 ? 1 : size / 997) {
        found parts = {0};
        read_part(path, 0, at, &parts);
        read_part(path, at, UINT64_MAX, &parts);
        expect_same(&whole, &parts, what, at);
    }
    for (uint64_t count = 1; count <= 40; count += count < 10 ? 1 : 7) {
        found parts = {0};
        for (uint64_t i = 0; i < count; i++)
            if (size * i / count < size * (i + 1) / count)
                read_part(path, size * i / count, size * (i + 1) / count, &parts);
        expect_same(&whole, &parts, what, count);
    }
    expect_splits(path, &whole, what);
    end_found(&whole);
}

/* ----------------------------------------------------------------------------------- archives */

typedef enum packing { PLAIN, GZIP, ZSTD } packing;

static void pack(th__buf *out, th__buf *record, packing how)
{
    th_str bytes = th__buf_str(record);
    if (how == GZIP)
        add_gzip(out, bytes);
    else if (how == PLAIN)
        th__buf_add_str(out, bytes);
#if THRESH_ZSTD
    if (how == ZSTD)
        add_zstd(out, bytes);
#endif
    th__buf_release(record);
}

static void add_numbered(th__buf *out, int number, packing how)
{
    th__buf record = {0};
    char uri[40], html[160];
    snprintf(uri, sizeof uri, "http://x/%d", number);
    snprintf(html, sizeof html, "<p>page %d%.*s", number, number * 13 % 90,
             " with some more text on it than others have, and then some words and more of them");
    if (number % 4 == 3)
        add_record(&record, "request", uri, "application/http; msgtype=request",
                   TH_STR("GET / HTTP/1.1\r\n\r\n"));
    else
        add_page(&record, uri, html);
    pack(out, &record, how);
}

static const char *const ENDINGS[] = {"a.warc", "a.warc.gz", "a.warc.zst"};
#define PACKINGS (THRESH_ZSTD ? 3 : 2)

static void parts_of_whole_archives(void **state)
{
    for (packing how = PLAIN; how < PACKINGS; how++) {
        th__buf file = {0};
        for (int i = 0; i < 16; i++)
            add_numbered(&file, i, how);
        expect_parts(put_buf(*state, ENDINGS[how], &file), ENDINGS[how], 12, 0);
    }
}

static void parts_of_arc(void **state)
{
    th__buf record = {0}, file = {0};
    th__buf_printf(&record, "filedesc://a.arc 0.0.0.0 20010203040506 text/plain 4\nabc\n\n");
    pack(&file, &record, GZIP);
    for (int i = 0; i < 6; i++) {
        th__buf_printf(&record, "http://x/%d 192.0.2.1 20010203040506 text/html 47\n", i);
        th__buf_printf(&record, "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<%c\n",
                       'p' + i % 2);
        pack(&file, &record, GZIP);
    }
    expect_parts(put_buf(*state, "a.arc.gz", &file), "arc", 6, 0);
}

/* Damage before, at and behind each cut: expect_parts tries all of them. */
static void parts_of_damaged_archives(void **state)
{
    for (packing how = PLAIN; how < PACKINGS; how++) {
        th__buf file = {0}, record = {0};
        size_t starts[16];
        for (int i = 0; i < 12; i++) {
            starts[i] = file.len;
            add_numbered(&file, i, how);
            if (i == 4)
                th__buf_printf(&file, "garbage \x1F\x8B\x08 \x28\xB5\x2F\xFD garbage");
            if (i == 8 && how != PLAIN) {
                th__buf_printf(&record, "a member without any record");
                pack(&file, &record, how);
                th__buf_printf(&record, "\r\n\r\n");
                add_page(&record, "http://x/behind-blanks", "<p>blanks");
                pack(&file, &record, how);
                th__buf_printf(&record, "garbage before a record\r\n");
                add_page(&record, "http://x/behind-garbage", "<p>garbage");
                pack(&file, &record, how);
            }
        }
        if (how == PLAIN) {
            file.data[starts[6] + 1] = 'x'; /* a start of a record is lost */
            file.len -= 10;
            expect_parts(put_buf(*state, ENDINGS[how], &file), "damaged plain", 8, 3);
        } else {
            memset(file.data + starts[6] + 30, 0x55, 20);
            file.len -= 12;
            /* Zstd finds broken data later than gzip does, or only by its checksum. */
            found whole = read_whole(put_bytes(*state, ENDINGS[how], file.data, file.len));
            size_t pages = whole.count - whole.errors, errors = whole.errors;
            end_found(&whole);
            assert_true(pages >= 9 && errors >= 4);
            expect_parts(put_buf(*state, ENDINGS[how], &file), ENDINGS[how], pages, errors);
        }
    }
}

static void lengths_that_lie(void **state)
{
    static const int lies[] = {0, 60, 0, -5, 100000, 0, 0};
    for (packing how = PLAIN; how < PACKINGS; how++) {
        th__buf file = {0};
        for (int i = 0; i < 7; i++) {
            th__buf record = {0};
            th__buf_printf(
                &record,
                "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://x/%d\r\n"
                "Content-Type: application/http\r\nContent-Length: %d\r\n\r\n"
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>0123456789\r\n\r\n",
                i, 57 + lies[i]);
            pack(&file, &record, how);
        }
        expect_parts(put_buf(*state, ENDINGS[how], &file), "lies", 7, 3);
    }
}

/* Bytes that look like the start of a record or a member stand inside of a page. */
static void what_looks_like_a_start_is_none(void **state)
{
    folder *f = *state;
    th__buf file = {0}, record = {0}, fake = {0}, body = {0};
    add_numbered(&file, 1, PLAIN);
    add_page(&file, "http://x/format",
             "<p>A record reads\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\n"
             "Content-Type: text/html\r\nContent-Length: 5\r\n\r\n<p>5\n\r\n\r\nand so on\r\n"
             "WARC/1.0\r\nContent-Length: 1000000\r\n\r\n");
    add_numbered(&file, 2, PLAIN);
    expect_parts(put_buf(f, "a.warc", &file), "looks like a record", 3, 0);

    /* Data that cannot be packed further is stored as it is: headers of gzip, a member of other
     * things, and one that was cut. */
    uint32_t seed = 3;
    th__buf_printf(&body, "<p>");
    for (int i = 0; i < 40; i++) {
        for (int k = 0; k < 60; k++)
            th__buf_add_byte(&body, (char)((seed = seed * 1664525u + 1013904223u) >> 24));
        th__buf_add(&body, "\x1F\x8B\x08\0\0\0\0\0\0\3", 10);
        th__buf_add(&body, "\x28\xB5\x2F\xFD\x20\0\1\0\0", 9);
        add_gzip(&fake, TH_STR("WARC is not the first word here"));
        fake.len -= i % 8;
        th__buf_add_str(&body, th__buf_str(&fake));
        th__buf_release(&fake);
    }
    for (packing how = GZIP; how < PACKINGS; how++) {
        add_numbered(&file, 1, how);
        add_response(&record, "http://x/noise", "200 OK", "Content-Type: text/html\r\n",
                     th__buf_str(&body));
        pack(&file, &record, how);
        add_numbered(&file, 2, how);
        expect_parts(put_buf(f, ENDINGS[how], &file), "looks like a member", 3, 0);
    }
    th__buf_release(&body);
}

/* One record in several members, and all records in one member. */
static void records_and_members_of_other_numbers(void **state)
{
    for (packing how = GZIP; how < PACKINGS; how++) {
        th__buf file = {0}, record = {0}, piece = {0};
        for (int i = 0; i < 5; i++) {
            char html[600];
            memset(html, 'a' + i, sizeof html);
            html[599] = '\0';
            add_page(&record, "http://x/long", html);
            for (size_t k = 0; k < record.len; k += 200) {
                th_str all = th__buf_str(&record);
                th__buf_add(&piece, all.ptr + k, all.len - k < 200 ? all.len - k : 200);
                pack(&file, &piece, how);
            }
            th__buf_release(&record);
            add_numbered(&file, i * 4, how);
        }
        expect_parts(put_buf(*state, ENDINGS[how], &file), "records in pieces", 10, 0);
        for (int i = 0; i < 8; i++)
            add_numbered(&record, i, PLAIN);
        pack(&file, &record, how);
        expect_parts(put_buf(*state, ENDINGS[how], &file), "all in one", 6, 0);
    }
}

static void a_page_belongs_to_the_part_it_starts_in(void **state)
{
    expect_parts(put_text(*state, "a.html", "<html><p>one page"), "page", 1, 0);
    expect_parts(put_text(*state, "a.warc", "nothing like a record"), "no archive", 0, 1);
}

static void members_by_index(void **state)
{
    th__buf file = {0};
    size_t starts[9];
    for (int i = 0; i < 8; i++) {
        starts[i] = file.len;
        add_numbered(&file, i * 4, GZIP);
    }
    starts[8] = file.len;
    const char *path = put_buf(*state, "a.warc.gz", &file);
    for (int i = 0; i < 8; i++) {
        found one = {0};
        read_part(path, starts[i], starts[i] + (i % 2 ? 1 : starts[i + 1] - starts[i]), &one);
        assert_int_equal(one.count, 1);
        end_found(&one);
    }
}

/* ------------------------------------------------------------------------------------ readers */

typedef struct remote {
    th_str bytes;
    size_t most;      /* bytes at once */
    uint64_t fail_at; /* reading from here on fails */
    uint64_t asked;   /* bytes in all */
    int released;
} remote;

static th_status read_remote(void *context, uint64_t offset, void *into, size_t len, size_t *got,
                             th_error *err)
{
    remote *r = context;
    assert_true(offset <= r->bytes.len);
    if (offset + len > r->fail_at) {
        *err = (th_error){.status = TH_ERR_IO, .message = "the network is down"};
        return TH_ERR_IO;
    }
    *got = r->bytes.len - offset < len ? r->bytes.len - (size_t)offset : len;
    *got = *got < r->most ? *got : r->most;
    memcpy(into, r->bytes.ptr + offset, *got);
    r->asked += *got;
    return TH_OK;
}

static void release_remote(void *context)
{
    ((remote *)context)->released++;
}

static void readers_give_what_files_give(void **state)
{
    for (packing how = PLAIN; how < PACKINGS; how++) {
        th__buf file = {0};
        for (int i = 0; i < 16; i++)
            add_numbered(&file, i, how);
        const char *path = put_bytes(*state, ENDINGS[how], file.data, file.len);
        found whole = read_whole(path);
        for (size_t most = 1; most < 100000; most *= 20) {
            remote r = {.bytes = th__buf_str(&file), .most = most, .fail_at = UINT64_MAX};
            th_reader reader = {read_remote, release_remote, &r, file.len};
            th_feed_part parts[2] = {{path, 0, file.len / 3, reader},
                                     {path, file.len / 3, UINT64_MAX, reader}};
            found all = {0};
            th_feed *feed;
            assert_int_equal(th_feed_parts(parts, 2, NULL, &feed, NULL), TH_OK);
            take_all(feed, &all);
            expect_same(&whole, &all, "reader", most);
            assert_int_equal(r.released, 2);
        }
        end_found(&whole);
        th__buf_release(&file);
    }
}

static void readers_are_asked_for_little_and_may_fail(void **state)
{
    enum { NOISE = 300000 };
    th__buf file = {0}, record = {0}, body = {0};
    size_t starts[10];
    uint32_t seed = 5;
    for (int i = 0; i < 10; i++) {
        starts[i] = file.len;
        body.len = 0;
        th__buf_printf(&body, "<p>%d", i);
        for (int k = 0; k < NOISE; k++)
            th__buf_add_byte(&body, (char)('0' + ((seed = seed * 1664525u + 1013904223u) >> 27)));
        add_response(&record, "http://x/", "200 OK", "Content-Type: text/html\r\n",
                     th__buf_str(&body));
        pack(&file, &record, GZIP);
    }
    remote r = {.bytes = th__buf_str(&file), .most = SIZE_MAX, .fail_at = UINT64_MAX};
    th_feed_part part = {"far", starts[4], starts[5], {read_remote, release_remote, &r, file.len}};
    found all = {0};
    th_feed *feed;
    th_error err;
    assert_int_equal(th_feed_parts(&part, 1, NULL, &feed, &err), TH_OK);
    take_all(feed, &all);
    assert_int_equal(all.count, 1);
    /* As in a file, half a megabyte of input is at hand when a member is inflated. */
    assert_true(r.asked < 2 * (starts[5] - starts[4]) + (600 << 10));
    end_found(&all);

    all = (found){0};
    r.fail_at = starts[4] + 1000;
    assert_int_equal(th_feed_parts(&part, 1, NULL, &feed, &err), TH_OK);
    take_all(feed, &all);
    assert_int_equal(all.count, 1);
    assert_string_equal(all.lines[0], "error 3: the network is down");
    end_found(&all);

    part.end = part.start;
    assert_int_equal(th_feed_parts(&part, 1, NULL, &feed, &err), TH_ERR_ARGUMENT);
    assert_int_equal(r.released, 3);
    th__buf_release(&body);
    th__buf_release(&file);
}

static void pipes_and_wrong_splits_are_refused(void **state)
{
    const char *path = at(*state, "pipe.warc");
    th_feed_part part = {.name = path, .start = 5, .end = 10};
    th_feed_options options;
    th_feed *feed;
    th_error err;
    found all = {0};
    assert_int_equal(mkfifo(path, 0600), 0);
    FILE *both = fopen(path, "r+"); /* so that opening does not wait */
    assert_int_equal(th_feed_parts(&part, 1, NULL, &feed, NULL), TH_OK);
    take_all(feed, &all);
    assert_int_equal(all.count, 1);
    assert_non_null(strstr(all.lines[0], "a pipe cannot be read in parts"));
    end_found(&all);
    fclose(both);
    th_feed_options_init(&options);
    options.split = options.split_of = 3;
    assert_int_equal(th_feed_new(&path, 1, &options, &feed, &err), TH_ERR_ARGUMENT);
}

static void splits_deal_out_files(void **state)
{
    folder *f = *state;
    make_folder(f, "d");
    for (int i = 0; i < 11; i++) {
        char name[40];
        snprintf(name, sizeof name, "d/%02d.html", i);
        put_text(f, name, "<p>a page");
    }
    th__buf file = {0};
    for (int i = 0; i < 16; i++)
        add_numbered(&file, i, GZIP);
    put_buf(f, "d/b.warc.gz", &file);
    found whole = read_whole(at(f, "d"));
    assert_int_equal(whole.count, 23);
    expect_splits(at(f, "d"), &whole, "folder");
    end_found(&whole);
}

/* -------------------------------------------------------------------------------- dictionaries */

#if THRESH_ZSTD
static void archives_with_a_dictionary(void **state)
{
    enum { ROOM = 4096, SAMPLES = 200 };
    static char dictionary[ROOM], packed[2 * ROOM];
    th__buf samples = {0};
    size_t sizes[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        size_t before = samples.len;
        add_numbered(&samples, i, PLAIN);
        sizes[i] = samples.len - before;
    }
    size_t len = ZDICT_trainFromBuffer(dictionary, ROOM, samples.data, sizes, SAMPLES);
    assert_false(ZDICT_isError(len));
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert_false(ZSTD_isError(ZSTD_CCtx_loadDictionary(context, dictionary, len)));
    for (int compressed = 0; compressed < 2; compressed++) {
        th__buf file = {0};
        size_t packed_len = ZSTD_compress(packed, sizeof packed, dictionary, len, 3);
        th_str frame = {compressed ? packed : dictionary, compressed ? packed_len : len};
        unsigned char head[8] = {0x5D, 0x2A, 0x4D, 0x18, frame.len & 255, frame.len >> 8 & 255};
        th__buf_add(&file, (char *)head, 8);
        th__buf_add_str(&file, frame);
        for (int i = 0; i < 16; i++) {
            th__buf record = {0};
            add_numbered(&record, i, PLAIN);
            assert_true(th__buf_reserve(&file, ROOM));
            size_t made =
                ZSTD_compress2(context, file.data + file.len, ROOM, record.data, record.len);
            assert_false(ZSTD_isError(made));
            file.len += made;
            th__buf_release(&record);
            if (i == 7)
                th__buf_add(&file, "\x50\x2A\x4D\x18\3\0\0\0abc", 11); /* a frame to be skipped */
        }
        expect_parts(put_buf(*state, "a.warc.zst", &file), "dictionary", 12, 0);
    }
    ZSTD_freeCCtx(context);
    th__buf_release(&samples);
}
#endif

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(parts_of_whole_archives),
        IN_FOLDER(parts_of_arc),
        IN_FOLDER(parts_of_damaged_archives),
        IN_FOLDER(lengths_that_lie),
        IN_FOLDER(what_looks_like_a_start_is_none),
        IN_FOLDER(records_and_members_of_other_numbers),
        IN_FOLDER(a_page_belongs_to_the_part_it_starts_in),
        IN_FOLDER(members_by_index),
        IN_FOLDER(readers_give_what_files_give),
        IN_FOLDER(readers_are_asked_for_little_and_may_fail),
        IN_FOLDER(pipes_and_wrong_splits_are_refused),
        IN_FOLDER(splits_deal_out_files),
#if THRESH_ZSTD
        IN_FOLDER(archives_with_a_dictionary),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
