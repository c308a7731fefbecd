/*
 * json_out.c: writes JSON onto a buffer.
 *
 * A string is copied eight bytes at a time. One word of arithmetic shows whether any of the eight
 * is a quote, a backslash, a control character or not ASCII, and which is first; only such a byte
 * is looked at alone. Room for the rest of the string is kept ready, so that the copy has no
 * checks.
 */
#include "base/json_out.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

/* Room kept free past the unread rest: the longest escape (6), then a word written in full (8), and
 * the two quotes. */
enum { SLACK = 16 };

static inline void separate(th__json *json)
{
    if (json->comma)
        th__buf_add_byte(json->buf, ',');
}

static void open_with(th__json *json, char bracket)
{
    separate(json);
    th__buf_add_byte(json->buf, bracket);
    json->comma = false;
}

static void close_with(th__json *json, char bracket)
{
    th__buf_add_byte(json->buf, bracket);
    json->comma = true;
}

void th__json_begin_object(th__json *json)
{
    open_with(json, '{');
}

void th__json_end_object(th__json *json)
{
    close_with(json, '}');
}

void th__json_begin_array(th__json *json)
{
    open_with(json, '[');
}

void th__json_end_array(th__json *json)
{
    close_with(json, ']');
}

/* The high bit of each byte that cannot be copied as it is. Exact for the lowest such byte, which
 * is all that is asked: a borrow can only spoil the bytes above it. */
static inline uint64_t special_bytes(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    uint64_t quote = word ^ ones * '"', slash = word ^ ones * '\\';
    uint64_t control = (word - ones * 0x20) & ~word;
    return (control | ((quote - ones) & ~quote) | ((slash - ones) & ~slash) | word) & tops;
}

/* How many of the eight bytes at `at` can be copied as they are. */
static inline size_t plain_bytes(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    uint64_t special = special_bytes(word);
    return special ? (size_t)__builtin_ctzll(special) / 8 : 8;
}

/* Writes the escape of the bytes at `from`, which cannot be copied, and returns their number. */
static size_t write_escaped(const char *from, const char *end, char **to)
{
    static const char short_forms[] = "\b\t\n\f\r\"\\", letters[] = "btnfr\"\\";
    static const char hex[] = "0123456789abcdef";
    unsigned char c = (unsigned char)*from;
    if (c >= 0x80) {
        uint32_t code;
        bool bad;
        unsigned len = th__utf8_decode(from, end, &code, &bad);
        if (bad) {
            memcpy(*to, "\xEF\xBF\xBD", 3);
            *to += 3;
            return len;
        }
        memcpy(*to, code == 0x2028 ? "\\u2028" : "\\u2029", 6);
        *to += 6;
        return 3;
    }
    const char *form = c ? strchr(short_forms, c) : NULL;
    if (form) {
        *(*to)++ = '\\';
        *(*to)++ = letters[form - short_forms];
        return 1;
    }
    memcpy(*to, "\\u00", 4);
    (*to)[4] = hex[c >> 4];
    (*to)[5] = hex[c & 15];
    *to += 6;
    return 1;
}

/* Returns true if all eight bytes are of characters past ASCII, and none can begin U+2028 or
 * U+2029. */
static inline bool all_wide(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    uint64_t e2 = word ^ ones * 0xE2;
    return (word & tops) == tops && !((e2 - ones) & ~e2 & tops);
}

/* Copies the characters past ASCII at `from`, all known to be valid up to `valid`, to the first
 * that needs an escape. They take no more room than they took, so the room kept for the rest is
 * enough. */
static const char *copy_wide(const char *from, const char *valid, char **to)
{
    char *at = *to;
    while (from < valid && (unsigned char)*from >= 0x80) {
        uint64_t word;
        if (valid - from >= 8 && (memcpy(&word, from, 8), all_wide(word))) {
            memcpy(at, &word, 8);
            at += 8;
            from += 8;
            continue;
        }
        if (*from == '\xE2' && from[1] == '\x80' && (from[2] == '\xA8' || from[2] == '\xA9'))
            break;
        *at++ = *from++;
    }
    *to = at;
    return from;
}

static inline bool is_special(unsigned char c)
{
    return c < 0x20 || c == '"' || c == '\\' || c >= 0x80;
}

static void write_string(th__buf *buf, th_str text)
{
    const char *from = text.ptr ? text.ptr : "", *end = from + text.len;
    if (!th__buf_reserve(buf, text.len + SLACK))
        return;
    const char *valid = from; /* the text is known to be UTF-8 up to here */
    char *to = buf->data + buf->len;
    *to++ = '"';
    while (from < end) {
        uint64_t word = 0;
        size_t left = (size_t)(end - from);
        /* Bytes past the end are zero, hence special: no more than `left` count as plain. */
        memcpy(&word, from, left >= 8 ? 8 : left);
        memcpy(to, &word, 8);
        size_t plain = plain_bytes(word);
        from += plain;
        to += plain;
        if (plain == 8 || from == end)
            continue;
        if ((unsigned char)*from >= 0x80) {
            if (from >= valid)
                valid = from + th__utf8_valid(from, (size_t)(end - from));
            from = copy_wide(from, valid, &to);
        }
        if (from == end || !is_special((unsigned char)*from))
            continue;
        buf->len = (size_t)(to - buf->data);
        if (!th__buf_reserve(buf, (size_t)(end - from) + SLACK))
            return;
        to = buf->data + buf->len;
        from += write_escaped(from, end, &to);
    }
    *to++ = '"';
    buf->len = (size_t)(to - buf->data);
}

void th__json_key(th__json *json, th_str name)
{
    separate(json);
    write_string(json->buf, name);
    th__buf_add_byte(json->buf, ':');
    json->comma = false;
}

void th__json_str(th__json *json, th_str text)
{
    separate(json);
    write_string(json->buf, text);
    json->comma = true;
}

static void write_raw(th__json *json, const char *text, size_t len)
{
    separate(json);
    th__buf_add(json->buf, text, len);
    json->comma = true;
}

void th__json_uint(th__json *json, uint64_t value)
{
    char digits[20], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    write_raw(json, at, (size_t)(digits + sizeof digits - at));
}

void th__json_int(th__json *json, int64_t value)
{
    if (value >= 0) {
        th__json_uint(json, (uint64_t)value);
        return;
    }
    separate(json);
    th__buf_add_byte(json->buf, '-');
    json->comma = false;
    th__json_uint(json, 0 - (uint64_t)value);
}

/* printf writes the decimal sign of the user's language, which may be more than one byte. */
static size_t plain_decimal_sign(char *text)
{
    char *to = text;
    bool sign = false;
    for (const char *from = text; *from; from++) {
        if (th__is_digit((unsigned char)*from) || *from == '-' || *from == '+' || *from == 'e') {
            *to++ = *from;
            sign = false;
        } else if (!sign) {
            *to++ = '.';
            sign = true;
        }
    }
    *to = '\0';
    return (size_t)(to - text);
}

void th__json_double(th__json *json, double value)
{
    if (!isfinite(value)) {
        th__json_null(json);
        return;
    }
    char text[48];
    /* 15 digits always survive the way through a normal number, 17 always identify it. */
    for (int digits = fpclassify(value) == FP_SUBNORMAL ? 1 : 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    size_t len = plain_decimal_sign(text);
    write_raw(json, text, len);
}

void th__json_bool(th__json *json, bool value)
{
    write_raw(json, value ? "true" : "false", value ? 4 : 5);
}

void th__json_null(th__json *json)
{
    write_raw(json, "null", 4);
}

void th__json_put_text(th__json *json, const char *key, th_str text)
{
    if (!text.ptr)
        return;
    th__json_key(json, th_str_from(key));
    th__json_str(json, text);
}

void th__json_put_uint(th__json *json, const char *key, uint64_t value)
{
    th__json_key(json, th_str_from(key));
    th__json_uint(json, value);
}

void th__json_put_double(th__json *json, const char *key, double value)
{
    th__json_key(json, th_str_from(key));
    th__json_double(json, value);
}

void th__json_open_array(th__json *json, const char *key)
{
    th__json_key(json, th_str_from(key));
    th__json_begin_array(json);
}

void th__json_open_object(th__json *json, const char *key)
{
    th__json_key(json, th_str_from(key));
    th__json_begin_object(json);
}

/* ---- laid out for people: one pass that knows, at each bracket, if its partner is near --------
 */

enum { WIDTH = 96, DEEPEST = 64 };

/* One past the string that begins at `at`. */
static size_t string_end(th_str json, size_t at)
{
    for (at++; at < json.len && json.ptr[at] != '"'; at++)
        at += json.ptr[at] == '\\';
    return at < json.len ? at + 1 : json.len;
}

/* Returns true if the bracket at `at` has its partner on the same line. */
static bool is_short(th_str json, size_t at, size_t limit)
{
    size_t end = at + limit < json.len ? at + limit : json.len;
    unsigned depth = 0;
    while (at < end) {
        char c = json.ptr[at];
        if (c == '"') {
            at = string_end(json, at);
            continue;
        }
        if (c == '{' || c == '[')
            depth++;
        else if ((c == '}' || c == ']') && --depth == 0)
            return true;
        at++;
    }
    return false;
}

static void new_line(th__buf *out, unsigned depth)
{
    th__buf_add_byte(out, '\n');
    for (unsigned i = 0; i < depth; i++)
        th__buf_add(out, "  ", 2);
}

bool th__json_pretty(th_str json, th__buf *out)
{
    unsigned depth = 0, flat = 0; /* flat: brackets open on the line that is kept whole */
    for (size_t at = 0; at < json.len;) {
        char c = json.ptr[at];
        if (c == '"') {
            size_t end = string_end(json, at);
            th__buf_add(out, json.ptr + at, end - at);
            at = end;
            continue;
        }
        bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
        if (opens && (flat || depth == DEEPEST || is_short(json, at, WIDTH - 2 * (depth % 24))))
            flat++;
        else if (opens)
            depth++;
        if (closes && !flat)
            new_line(out, --depth);
        th__buf_add_byte(out, c);
        if (closes && flat)
            flat--;
        else if ((opens || c == ',') && !flat)
            new_line(out, depth);
        else if (c == ',' || c == ':')
            th__buf_add_byte(out, ' ');
        at++;
    }
    return th__buf_add_byte(out, '\n');
}
