/* growing_text.c: text that is built up before it is written; colours, errors and files. */
#include "growing_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLUSH_AT = 1 << 16 };

void cli_text_release(cli_text *text)
{
    free(text->ptr);
    *text = (cli_text){0};
}

th_status cli_text_flush(cli_text *text)
{
    if (!text->status && text->sink && text->len) {
        text->status = text->sink->write(text->sink->context, text->ptr, text->len, &text->error);
        text->len = 0;
    }
    return text->status;
}

static bool reserve(cli_text *text, size_t more)
{
    if (text->status)
        return false;
    if (text->most && more > text->most - text->len) {
        text->status = TH_ERR_LIMIT;
        return false;
    }
    if (text->cap - text->len > more)
        return true;
    size_t cap = text->cap ? text->cap : 256;
    while (cap - text->len <= more)
        cap *= 2;
    char *grown = realloc(text->ptr, cap);
    if (!grown) {
        text->status = cli_no_memory(&text->error);
        return false;
    }
    text->ptr = grown;
    text->cap = cap;
    return true;
}

void cli_put(cli_text *text, const char *bytes, size_t len)
{
    if (!len || !reserve(text, len))
        return;
    memcpy(text->ptr + text->len, bytes, len);
    text->len += len;
    if (text->sink && text->len >= FLUSH_AT)
        cli_text_flush(text);
}

void cli_puts(cli_text *text, const char *words)
{
    cli_put(text, words, strlen(words));
}

void cli_vprintf(cli_text *text, const char *format, va_list args)
{
    char space[512];
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(space, sizeof space, format, args);
    if (len >= 0 && (size_t)len < sizeof space)
        cli_put(text, space, (size_t)len);
    else if (len >= 0 && reserve(text, (size_t)len + 1)) {
        vsnprintf(text->ptr + text->len, (size_t)len + 1, format, again);
        text->len += (size_t)len;
    }
    va_end(again);
}

void cli_printf(cli_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cli_vprintf(text, format, args);
    va_end(args);
}

void cli_spaces(cli_text *text, size_t count)
{
    static const char blanks[] = "                                ";
    for (; count > sizeof blanks - 1; count -= sizeof blanks - 1)
        cli_put(text, blanks, sizeof blanks - 1);
    cli_put(text, blanks, count);
}

/* Without printf: views write one or two for each of millions of items. */
size_t cli_put_number(cli_text *text, uint64_t number, size_t width)
{
    char digits[20], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    size_t len = (size_t)(digits + sizeof digits - at);
    if (len < width)
        cli_spaces(text, width - len);
    cli_put(text, at, len);
    return len < width ? width : len;
}

/* ---- characters ---- */

/* Decodes the character at `at`. Returns its bytes, or 0 if it is not UTF-8. */
static size_t decode(const char *at, const char *end, uint32_t *out)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)*at;
    size_t len = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (len == 0 || first > 0xf4 || (size_t)(end - at) < len)
        return 0;
    uint32_t code = len == 1 ? first : first & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    if (code < least[len] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0;
    *out = code;
    return len;
}

/* Controls, line separators, and characters that change the writing direction. */
static bool is_unsafe(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
           (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

static void put_escape(cli_text *text, uint32_t code)
{
    if (code == '\n' || code == '\t' || code == '\r')
        cli_puts(text, code == '\n' ? "\\n" : code == '\t' ? "\\t" : "\\r");
    else if (code < 0x80)
        cli_printf(text, "\\x%02x", code);
    else
        cli_printf(text, "\\u%04x", code);
}

void cli_put_safe(cli_text *text, th_str words, size_t most)
{
    const char *at = words.ptr, *end = at + words.len, *plain = at;
    for (size_t count = 0; at < end; count++) {
        if (most && count == most) {
            cli_put(text, plain, (size_t)(at - plain));
            cli_puts(text, "…");
            return;
        }
        uint32_t code = 0;
        size_t len = decode(at, end, &code);
        if (len && !is_unsafe(code)) {
            at += len;
            continue;
        }
        cli_put(text, plain, (size_t)(at - plain));
        if (len)
            put_escape(text, code);
        else
            cli_printf(text, "\\x%02x", (unsigned char)*at);
        plain = at += len ? len : 1;
    }
    cli_put(text, plain, (size_t)(at - plain));
}

void cli_put_safe_lines(cli_text *text, th_str lines)
{
    for (const char *at = lines.ptr, *end = at + lines.len; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((newline ? newline : end) - at);
        cli_put_safe(text, (th_str){at, len}, 0);
        cli_puts(text, "\n");
        at += len + 1;
    }
}

void cli_put_json(cli_text *text, th_str words)
{
    const char *at = words.ptr, *end = at + words.len, *plain = at;
    cli_put(text, "\"", 1);
    while (at < end) {
        uint32_t code = 0;
        size_t len = decode(at, end, &code);
        if (len && code >= 0x20 && code != '"' && code != '\\' && code != 0x2028 &&
            code != 0x2029) {
            at += len;
            continue;
        }
        cli_put(text, plain, (size_t)(at - plain));
        if (!len)
            cli_puts(text, "\xef\xbf\xbd");
        else if (code == '"' || code == '\\')
            cli_printf(text, "\\%c", (char)code);
        else if (code == '\n' || code == '\t' || code == '\r')
            put_escape(text, code);
        else
            cli_printf(text, "\\u%04x", code);
        plain = at += len ? len : 1;
    }
    cli_put(text, plain, (size_t)(at - plain));
    cli_put(text, "\"", 1);
}

/* ---- colours ---- */

bool cli_use_colour(int when, int fd)
{
    if (when != CLI_AUTO)
        return when == CLI_ALWAYS;
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(none && *none) && term && strcmp(term, "dumb") && isatty(fd);
}

void cli_put_paint(cli_text *text, bool on, cli_paint paint)
{
    static const char *const codes[] = {
        [CLI_PLAIN] = "\033[0m", [CLI_HEAD] = "\033[1m",   [CLI_PLACE] = "\033[2m",
        [CLI_TAG] = "\033[36m",  [CLI_WORDS] = "\033[32m", [CLI_BAD] = "\033[1;31m",
    };
    if (on)
        cli_puts(text, codes[paint]);
}

/* ---- errors ---- */

th_status cli_fail(th_error *err, th_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *err = (th_error){.status = status, .offset = TH_NO_OFFSET};
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return status;
}

th_status cli_no_memory(th_error *err)
{
    return cli_fail(err, TH_ERR_MEMORY, "out of memory");
}

/* ---- files ---- */

th_status cli_write_file(const char *path, th_str text, th_error *err)
{
    th_file *file;
    th_status status = th_file_new(path, &file, err);
    if (status)
        return status;
    th_sink sink = th_file_sink(file);
    status = sink.write(sink.context, text.ptr, text.len, err);
    if (!status)
        status = th_file_finish(file, err);
    th_file_free(file);
    return status;
}
