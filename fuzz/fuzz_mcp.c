/*
 * fuzz_mcp.c: messages to `thresh mcp`, cut into pieces as a pipe would.
 *
 * The tools work on a folder with one page; nothing is fetched and nothing is written. What is
 * answered must be JSON, a line each.
 */
#include "../cli/mcp_session.h"
#include "scratch.h"

#include <fcntl.h>

static const char page[] =
    "<title>Books</title><h1>Books</h1><ul><li><a href=1>The Salt Road</a> <b>14.50</b>"
    "<li><a href=2>Nine Small Boats</a> <b>9.95</b><li><a href=3>Winter Bread</a> <b>18.20</b>"
    "<li><a href=4>Green Hours</a> <b>7.00</b></ul>";

static th_status check_answer(void *context, const char *bytes, size_t len, th_error *err)
{
    CHECK(len > 1 && bytes[len - 1] == '\n' && !memchr(bytes, '\n', len - 1));
    json_t *message = json_loadb(bytes, len, 0, NULL);
    CHECK(message);
    const json_t *first = json_is_array(message) ? json_array_get(message, 0) : message;
    CHECK(json_object_get(first, "jsonrpc") && json_object_get(first, "id"));
    CHECK(!json_object_get(first, "result") != !json_object_get(first, "error"));
    json_decref(message);
    return TH_OK;
}

static char folder[64];

static void remove_folder(void)
{
    scratch_remove(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 1 << 16 };
    th_error err;
    mcp_session *session;
    if (size > MOST)
        return 0;
    int before = open(".", O_RDONLY | O_DIRECTORY);
    bool new = !*folder;
    if (new)
        scratch_make(folder);
    CHECK(before >= 0 && chdir(folder) == 0);
    if (new) {
        scratch_write("books.html", page, sizeof page - 1);
        atexit(remove_folder);
    }
    mcp_settings set = {.root = folder,
                        .read_only = true,
                        .offline = true,
                        .most_records = 10,
                        .most_bytes = 2000,
                        .most_pages = 4};
    th_feed_options_init(&set.feeding);
    th_parser_options_init(&set.parsing);
    CHECK_OK(mcp_session_new(&set, (th_sink){check_answer, NULL}, true, &session, &err), err);
    for (size_t at = 0, step; at < size; at += step) {
        step = 1 + data[at] % 64;
        if (step > size - at)
            step = size - at;
        CHECK(mcp_session_feed(session, (const char *)data + at, step));
    }
    mcp_session_finish(session);
    mcp_session_free(session);
    CHECK(fchdir(before) == 0 && close(before) == 0);
    return 0;
}
