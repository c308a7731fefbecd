/*
 * fuzz_cache.c: any bytes are read as a file of the cache, as they are and with a checksum that
 * holds. What is accepted has views inside of the bytes.
 */
#include "fuzz.h"

#include <string.h>
#include <thresh.h>

#include "feed/fetch_parts.h"

static void check_view(th_str view, th_str bytes)
{
    CHECK(view.ptr >= bytes.ptr && view.ptr + view.len <= bytes.ptr + bytes.len);
}

static void read_file(th_str bytes)
{
    th__cached answer = {0};
    if (!th__cached_parse(bytes, &answer))
        return;
    CHECK(answer.url.len && answer.status >= 100 && answer.status <= 999);
    check_view(answer.url, bytes);
    check_view(answer.address, bytes);
    check_view(answer.request, bytes);
    check_view(answer.response, bytes);
    check_view(answer.body, bytes);
    for (size_t i = 0; i < 2; i++) {
        th_str ask = i ? answer.tag : answer.date; /* becomes a line of a request */
        if (ask.len)
            check_view(ask, answer.response);
        CHECK(!ask.len || !memchr(ask.ptr, '\n', ask.len));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    th__buf whole = {0};
    read_file((th_str){(const char *)data, size});
    th__buf_printf(&whole, "thresh-cache 1 %016llx\n", (unsigned long long)th__hash(data, size));
    th__buf_add(&whole, data, size);
    read_file(th__buf_str(&whole));
    th__buf_release(&whole);
    return 0;
}
