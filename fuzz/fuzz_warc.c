/*
 * fuzz_warc.c: any bytes are read as an archive to their end.
 *
 * Each input is read three times, as a file that can be gone back in, as a pipe that cannot, with
 * different limits, and a part of it. Pages must have whole views, errors a status and a message,
 * and the walk must come to its end within a number of steps that the input's size bounds.
 */
#include "fuzz.h"

#include <string.h>
#include <thresh.h>

#include "feed/archive.h"

enum { MAX_RATIO = 1 << 15 /* of zstd; of inflate it is 1032 */ };

static void check_page(const th_input *input, uint64_t max_bytes)
{
    th_str bytes = th_input_bytes(input), name = th_input_name(input);
    CHECK(bytes.ptr && bytes.len <= max_bytes);
    CHECK(name.ptr && name.len > 0);
    CHECK(!strncmp(th_input_origin(input).ptr, "fuzz.warc@", 10));
    /* Every byte is there to be read. */
    unsigned sum = 0;
    for (size_t i = 0; i < bytes.len; i += 64)
        sum += (unsigned char)bytes.ptr[i];
    if (bytes.len)
        sum += (unsigned char)bytes.ptr[bytes.len - 1];
    CHECK(sum <= 255u * (bytes.len / 64 + 2));
}

static void check_error(th_status status, const th_error *err)
{
    CHECK(status == TH_ERR_FORMAT || status == TH_ERR_LIMIT);
    CHECK(err->status == status && err->message[0]);
    CHECK(memchr(err->message, '\0', sizeof err->message));
}

static void read_archive(th_str bytes, bool seekable, uint64_t max_bytes, uint64_t start)
{
    /* Its buffers are kept, as a feed does: most of the time goes there. */
    static th_feed_source archive;
    static _Atomic uint64_t skipped;
    th_feed_options options;
    th_error err;
    th_input *page;
    uint64_t steps = 0, limit = 16 + 2 * (uint64_t)bytes.len * MAX_RATIO;
    th_feed_options_init(&options);
    options.max_bytes = max_bytes;
    th__archive_file file = {.name = "fuzz.warc",
                             .memory = {bytes.ptr ? bytes.ptr : "", bytes.len},
                             .is_pipe = !seekable,
                             .start = start,
                             .end = start + start / 2,
                             .skipped = &skipped};
    th_status opened = th__archive_open(&archive, &file, &options, &page, &err);
    CHECK(!page);
    if (opened)
        check_error(opened, &err);
    for (;;) {
        th_input *input = NULL;
        th_status status = archive.next(archive.context, &input, &err);
        if (status == TH_DONE)
            break;
        CHECK(++steps < limit);
        CHECK((status == TH_OK) == (input != NULL));
        if (input)
            check_page(input, max_bytes);
        else
            check_error(status, &err);
        th_input_free(input);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    th_str bytes = {(const char *)data, size};
    read_archive(bytes, true, 16 << 20, 0);
    read_archive(bytes, false, 100, 0);
    read_archive(bytes, true, 16 << 20, size / 2);
    return 0;
}
