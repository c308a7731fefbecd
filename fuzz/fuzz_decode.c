/*
 * fuzz_decode.c: any bytes, under any declared charset, become valid UTF-8.
 *
 * The first byte picks the HTTP charset; the rest is the page.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/utf8.h"
#include "page/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const charsets[] = {
    NULL,     "utf-8",     "utf-16",       "utf-16be",   "latin1",         "gb2312",
    "big5",   "shift_jis", "euc-jp",       "euc-kr",     "iso-2022-jp",    "windows-1255",
    "koi8-u", "macintosh", "windows-1258", "hz-gb-2312", "x-user-defined", "no such thing"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    th__arena arena;
    th__arena_init(&arena);
    th_str bytes = {(const char *)data + 1, size - 1}, text;
    const char *charset = charsets[data[0] % (sizeof charsets / sizeof *charsets)];
    const char *encoding, *reason;
    th_error err;
    if (th__decode(&arena, bytes, th_str_from(charset), &text, &encoding, &reason, &err))
        abort();
    if (th__utf8_valid(text.ptr, text.len) != text.len || !encoding || !reason)
        abort();
    th__arena_release(&arena);
    return 0;
}
