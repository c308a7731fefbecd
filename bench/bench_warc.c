/*
 * bench_warc.c: how fast archives are read, against gumbo's parse of the pages in them.
 *
 * usage: bench_warc FOLDER...
 *
 * The pages of the folders are written into a temporary archive as a crawler would: a response
 * record a page, with WARC and HTTP headers. It is read back to the end, from the file to the
 * bytes of each page. Rates count the bytes of the pages, whatever size they have in the archive.
 *
 *     .warc.gz                 one gzip member a record, as archives should be
 *     .warc                    not compressed
 *     .warc.gz, one member     the whole archive as one gzip member, as some tools leave it
 */
#include <gumbo.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <thresh.h>

#include "bench.h"

enum { LEVEL = 6, ROUNDS = 7 };

static struct bench_pages pages;
static char path[4096];
static bool parsing; /* whether pages are parsed too */

static void remove_file(void)
{
    if (path[0])
        unlink(path);
}

/* ---- writing --------------------------------------------------------------------------------- */

struct record {
    char *data;
    size_t len;
};

/* A response record: the caller frees its data. */
static struct record make_record(size_t index, th_str page)
{
    char http[256], head[512];
    int http_len = snprintf(http, sizeof http,
                            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                            "Content-Length: %zu\r\n\r\n",
                            page.len);
    int head_len = snprintf(head, sizeof head,
                            "WARC/1.0\r\nWARC-Type: response\r\n"
                            "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012zx>\r\n"
                            "WARC-Date: 2026-01-01T00:00:00Z\r\n"
                            "WARC-Target-URI: http://bench.example/%zu\r\n"
                            "Content-Type: application/http; msgtype=response\r\n"
                            "Content-Length: %zu\r\n\r\n",
                            index, index, (size_t)http_len + page.len);
    struct record record = {.len = (size_t)head_len + (size_t)http_len + page.len + 4};
    record.data = malloc(record.len);
    if (!record.data)
        bench_fail("out of memory");
    char *at = record.data;
    memcpy(at, head, (size_t)head_len);
    memcpy(at += head_len, http, (size_t)http_len);
    memcpy(at += http_len, page.ptr, page.len);
    memcpy(at + page.len, "\r\n\r\n", 4);
    return record;
}

static void write_bytes(FILE *file, const char *data, size_t len)
{
    if (fwrite(data, 1, len, file) != len)
        bench_fail("cannot write the temporary archive: is the disk full?");
}

/* Adds bytes as a gzip member. */
static void write_member(FILE *file, const char *data, size_t len)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);
    if (!compressor)
        bench_fail("out of memory");
    size_t most = libdeflate_gzip_compress_bound(compressor, len);
    char *packed = malloc(most);
    if (!packed)
        bench_fail("out of memory");
    size_t size = libdeflate_gzip_compress(compressor, data, len, packed, most);
    if (!size)
        bench_fail("libdeflate does not compress");
    write_bytes(file, packed, size);
    free(packed);
    libdeflate_free_compressor(compressor);
}

/* Begins the temporary archive anew. */
static FILE *open_archive(void)
{
    const char *folder = getenv("TMPDIR");
    remove_file();
    snprintf(path, sizeof path, "%s/bench-XXXXXX.warc", folder && *folder ? folder : "/tmp");
    int fd = mkstemps(path, 5);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (!file)
        bench_fail("cannot make a temporary file; $TMPDIR tells where");
    return file;
}

/* Returns the size of the archive. */
static long close_archive(FILE *file)
{
    long size = ftell(file);
    if (fclose(file))
        bench_fail("cannot write the temporary archive: is the disk full?");
    return size;
}

static long write_archive(void (*write)(FILE *file, const char *data, size_t len))
{
    FILE *file = open_archive();
    for (size_t i = 0; i < pages.count; i++) {
        struct record record = make_record(i, pages.data[i]);
        write(file, record.data, record.len);
        free(record.data);
    }
    return close_archive(file);
}

static long write_one_member(void)
{
    char *all = NULL;
    size_t len = 0;
    FILE *memory = open_memstream(&all, &len);
    if (!memory)
        bench_fail("out of memory");
    for (size_t i = 0; i < pages.count; i++) {
        struct record record = make_record(i, pages.data[i]);
        write_bytes(memory, record.data, record.len);
        free(record.data);
    }
    if (fclose(memory))
        bench_fail("out of memory");
    FILE *file = open_archive();
    write_member(file, all, len);
    free(all);
    return close_archive(file);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Takes every page of the archive; `check` holds them against what was written. */
static void read_archive(bool check)
{
    const char *inputs[] = {path};
    th_feed *feed;
    th_parser *parser = NULL;
    th_error err;
    if (th_feed_new(inputs, 1, NULL, &feed, &err) || th_parser_new(NULL, &parser, &err))
        bench_fail(err.message);
    size_t count = 0, bytes = 0;
    th_input *input;
    th_status status;
    while ((status = th_feed_next(feed, &input, &err)) == TH_OK) {
        th_str got = th_input_bytes(input);
        if (check && (count == pages.count || got.len != pages.data[count].len ||
                      memcmp(got.ptr, pages.data[count].ptr, got.len)))
            bench_fail("a page came back changed");
        th_page *page = NULL;
        if (parsing && th_parser_parse(parser, got, NULL, &page, &err))
            bench_fail(err.message);
        th_page_free(page);
        count++;
        bytes += got.len;
        th_input_free(input);
    }
    if (status != TH_DONE)
        bench_fail(err.message);
    if (count != pages.count || bytes != pages.bytes)
        bench_fail("pages are missing");
    th_parser_free(parser);
    th_feed_free(feed);
}

static void run_read(void)
{
    read_archive(false);
}

static void run_gumbo(void)
{
    for (size_t i = 0; i < pages.count; i++) {
        GumboOutput *output =
            gumbo_parse_with_options(&kGumboDefaultOptions, pages.data[i].ptr, pages.data[i].len);
        gumbo_destroy_output(&kGumboDefaultOptions, output);
    }
}

static double gumbo_seconds;

static void show(const char *name, double seconds, long size)
{
    double mb = (double)pages.bytes / 1e6;
    printf("%-28s %10.1f %14.1f", name, mb / seconds, gumbo_seconds / seconds);
    if (size)
        printf(" %12.1f", (double)size / 1e6);
    putchar('\n');
}

static void measure(const char *name, long size)
{
    read_archive(true);
    show(name, bench_best(run_read, ROUNDS), size);
}

/* A page without a byte is no page in an archive. */
static void drop_empty_pages(void)
{
    size_t kept = 0;
    for (size_t i = 0; i < pages.count; i++)
        if (pages.data[i].len)
            pages.data[kept++] = pages.data[i];
    pages.count = kept;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        bench_load(&pages, argv[i]);
    drop_empty_pages();
    if (!pages.count)
        bench_fail("no pages: give a folder of .htm or .html files");
    atexit(remove_file);
    printf("%zu pages, %.1f MB\n", pages.count, (double)pages.bytes / 1e6);
    printf("%-28s %10s %14s %12s\n", "stage", "MB/s", "times gumbo", "archive MB");
    gumbo_seconds = bench_best(run_gumbo, 1);
    show("gumbo parse", gumbo_seconds, 0);
    long size = write_archive(write_member);
    measure("read .warc.gz", size);
    parsing = true;
    measure("read .warc.gz, parse pages", size);
    parsing = false;
    measure("read .warc", write_archive(write_bytes));
    measure("read .warc.gz, one member", write_one_member());
    return 0;
}
