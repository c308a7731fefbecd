/* str.h: text views and a growing byte buffer. */
#ifndef TH_STR_H
#define TH_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <thresh.h>

#include "base/arena.h"

#define TH_STR(literal) ((th_str){"" literal, sizeof(literal) - 1})

/* The white space of HTML: space, tab, newline, form feed, return. One test of a bit; nearly all
 * bytes are above them. */
#define TH__BLANK_BITS (UINT64_C(1) << ' ' | 1 << '\t' | 1 << '\n' | 1 << '\f' | 1 << '\r')

static inline bool th__is_blank(unsigned char c)
{
    return c <= ' ' && TH__BLANK_BITS >> c & 1;
}

static inline bool th__is_alpha(unsigned char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

static inline bool th__is_digit(unsigned char c)
{
    return (unsigned char)(c - '0') < 10;
}

static inline unsigned char th__lower(unsigned char c)
{
    return (unsigned char)(c - 'A') < 26 ? c | 0x20 : c;
}

static inline bool th__str_eq(th_str a, th_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* The bytes of a text from `start` to `end`. A text that is absent (NULL) has one such part: an
 * absent one, as C does not define NULL + 0. */
static inline th_str th__str_slice(th_str text, size_t start, size_t end)
{
    return (th_str){text.ptr ? text.ptr + start : NULL, end - start};
}

/* Cuts off a text what is before the first such byte, and that byte; all of it where there is none:
 * then as much was taken as there was. */
static inline th_str th__str_take(th_str *text, char byte)
{
    const char *end = text->len ? memchr(text->ptr, byte, text->len) : NULL;
    size_t len = end ? (size_t)(end - text->ptr) : text->len;
    th_str taken = {text->ptr, len};
    *text = th__str_slice(*text, len + (end != NULL), text->len);
    return taken;
}

bool th__str_starts(th_str text, th_str prefix);
/* Equal but for the case of ASCII letters. */
bool th__bytes_eq_nocase(const char *a, const char *b, size_t len);
/* Most texts differ by their length or first byte. */
static inline bool th__str_starts_nocase(th_str text, th_str prefix)
{
    return text.len >= prefix.len &&
           (!prefix.len || !((unsigned char)(text.ptr[0] ^ prefix.ptr[0]) & ~0x20U)) &&
           th__bytes_eq_nocase(text.ptr, prefix.ptr, prefix.len);
}
static inline bool th__str_eq_nocase(th_str a, th_str b)
{
    return a.len == b.len && th__str_starts_nocase(a, b);
}
bool th__str_ends_nocase(th_str text, th_str suffix);
/* Returns true if a word, whatever its case, is in a sorted table of words in small letters. */
bool th__str_listed(th_str word, const char *const *table, size_t count);
bool th__str_contains_nocase(th_str text, th_str part);
/* The value of a hexadecimal digit, or -1. */
int th__hex_digit(char c);
/* Without white space at either end. */
th_str th__str_trim(th_str text);
/* The next word from *at on, which goes behind it: words are parted by white space. An empty one is
 * behind the last. */
th_str th__str_word(th_str text, size_t *at);
/* Where needle first appears in text, or SIZE_MAX. */
size_t th__str_find(th_str text, th_str needle);
/* 64 well-mixed bits of the bytes; the same on every machine and run. */
uint64_t th__hash(const void *bytes, size_t len);
/* Mixes one number into a hash: multiplied, and the high half folded onto the low, so that every
 * bit that goes in reaches every bit that comes out. */
static inline uint64_t th__hash_mix(uint64_t hash, uint64_t value)
{
    unsigned __int128 product =
        (unsigned __int128)(hash ^ 0x9E3779B97F4A7C15u) * (value ^ 0xD6E8FEB86659FD93u);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* A growing byte buffer. A failed append sets `failed` and later ones do nothing, so that a caller
 * may check once, at the end. */
typedef struct th__buf {
    char *data;
    size_t len, cap;
    bool failed;
} th__buf;

void th__buf_release(th__buf *buf);
/* Makes the buffer larger: what th__buf_reserve does where there is too little room. */
bool th__buf_grow(th__buf *buf, size_t more);

/* Makes room for `more` bytes past len. */
static inline bool th__buf_reserve(th__buf *buf, size_t more)
{
    return (!buf->failed && more <= buf->cap - buf->len) || th__buf_grow(buf, more);
}

static inline bool th__buf_add(th__buf *buf, const void *bytes, size_t len)
{
    if (!th__buf_reserve(buf, len))
        return false;
    if (len)
        memcpy(buf->data + buf->len, bytes, len);
    buf->len += len;
    return true;
}

static inline bool th__buf_add_str(th__buf *buf, th_str text)
{
    return th__buf_add(buf, text.ptr, text.len);
}

static inline bool th__buf_add_byte(th__buf *buf, char byte)
{
    if (!th__buf_reserve(buf, 1))
        return false;
    buf->data[buf->len++] = byte;
    return true;
}

/* Hands the buffer, ended by NUL, to a caller's text, whose memory it may have begun with. */
th_status th__buf_give(th__buf *buf, th_text *out, th_error *err);
/* Copies a text into that of a caller. */
th_status th__text_set(th_text *out, th_str text, th_error *err);
bool th__buf_vprintf(th__buf *buf, const char *format, va_list args);
bool th__buf_printf(th__buf *buf, const char *format, ...) TH_PRINTF(2, 3);
/* A text in an arena; the absent one if out of memory. */
th_str th__arena_print(th__arena *arena, const char *format, ...) TH_PRINTF(2, 3);

static inline th_str th__buf_str(const th__buf *buf)
{
    return (th_str){buf->data ? buf->data : "", buf->len};
}

static inline void th__buf_clear(th__buf *buf)
{
    buf->len = 0;
    buf->failed = false;
}

#endif
