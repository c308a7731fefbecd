/* str.c: text views and a growing byte buffer. */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"

th_str th_str_from(const char *text)
{
    return text ? (th_str){text, strlen(text)} : (th_str){0};
}

bool th__str_starts(th_str text, th_str prefix)
{
    return text.len >= prefix.len && (!prefix.len || !memcmp(text.ptr, prefix.ptr, prefix.len));
}

bool th__bytes_eq_nocase(const char *a, const char *b, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (a[i] != b[i] && th__lower((unsigned char)a[i]) != th__lower((unsigned char)b[i]))
            return false;
    return true;
}

bool th__str_ends_nocase(th_str text, th_str suffix)
{
    if (text.len < suffix.len)
        return false;
    return th__str_starts_nocase((th_str){text.ptr + text.len - suffix.len, suffix.len}, suffix);
}

bool th__str_contains_nocase(th_str text, th_str part)
{
    for (; text.len >= part.len; text.ptr++, text.len--)
        if (th__str_starts_nocase(text, part))
            return true;
    return false;
}

int th__hex_digit(char c)
{
    unsigned char u = th__lower((unsigned char)c);
    return th__is_digit(u) ? u - '0' : u >= 'a' && u <= 'f' ? u - 'a' + 10 : -1;
}

th_str th__str_trim(th_str text)
{
    while (text.len && th__is_blank((unsigned char)text.ptr[0]))
        text.ptr++, text.len--;
    while (text.len && th__is_blank((unsigned char)text.ptr[text.len - 1]))
        text.len--;
    return text;
}

th_str th__str_word(th_str text, size_t *at)
{
    while (*at < text.len && th__is_blank((unsigned char)text.ptr[*at]))
        ++*at;
    size_t start = *at;
    while (*at < text.len && !th__is_blank((unsigned char)text.ptr[*at]))
        ++*at;
    return th__str_slice(text, start, *at);
}

/* The order of a word, in small letters, and another one. */
static int compare_word(th_str word, const char *other)
{
    for (size_t i = 0; i < word.len; i++) {
        int difference = th__lower((unsigned char)word.ptr[i]) - (unsigned char)other[i];
        if (difference || !other[i])
            return difference;
    }
    return other[word.len] ? -1 : 0;
}

bool th__str_listed(th_str word, const char *const *table, size_t count)
{
    size_t at = th__count_first(i, count, compare_word(word, table[i]) > 0);
    return at < count && !compare_word(word, table[at]);
}

size_t th__str_find(th_str text, th_str needle)
{
    if (needle.len == 0)
        return 0;
    if (text.len < needle.len)
        return SIZE_MAX;
    const char *hit = memmem(text.ptr, text.len, needle.ptr, needle.len);
    return hit ? (size_t)(hit - text.ptr) : SIZE_MAX;
}

uint64_t th__hash(const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    uint64_t hash = len, word;
    for (; len >= 8; at += 8, len -= 8) {
        memcpy(&word, at, 8);
        hash = th__hash_mix(hash, word);
    }
    word = 0;
    if (len)
        memcpy(&word, at, len);
    return th__hash_mix(hash, word);
}

void th__buf_release(th__buf *buf)
{
    th__mem_free(buf->data);
    *buf = (th__buf){0};
}

bool th__buf_grow(th__buf *buf, size_t more)
{
    if (buf->failed)
        return false;
    enum { SMALL = 1 << 16 }; /* bytes: to move them often costs more than the room */
    size_t cap = buf->cap < 64 ? 64 : buf->cap + (buf->cap <= SMALL ? buf->cap : buf->cap / 2);
    if (more > SIZE_MAX / 2 - buf->len) {
        buf->failed = true;
        return false;
    }
    if (cap < buf->len + more)
        cap = buf->len + more;
    char *data = th__mem_resize(buf->data, cap, 1);
    if (!data) {
        buf->failed = true;
        return false;
    }
    buf->data = data;
    buf->cap = cap;
    return true;
}

th_status th__buf_give(th__buf *buf, th_text *out, th_error *err)
{
    bool ok = th__buf_add_byte(buf, '\0');
    *out = (th_text){buf->data, ok ? buf->len - 1 : 0, buf->cap};
    return ok ? TH_OK : th__fail_memory(err);
}

th_status th__text_set(th_text *out, th_str text, th_error *err)
{
    th__buf copy = {.data = out->ptr, .cap = out->cap};
    th__buf_add_str(&copy, text);
    return th__buf_give(&copy, out, err);
}

bool th__buf_vprintf(th__buf *buf, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    bool ok = len >= 0 && th__buf_reserve(buf, (size_t)len + 1);
    if (ok) {
        vsnprintf(buf->data + buf->len, (size_t)len + 1, format, again);
        buf->len += (size_t)len;
    }
    va_end(again);
    return ok;
}

bool th__buf_printf(th__buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool ok = th__buf_vprintf(buf, format, args);
    va_end(args);
    return ok;
}

th_str th__arena_print(th__arena *arena, const char *format, ...)
{
    th__buf text = {0};
    va_list args;
    va_start(args, format);
    bool ok = th__buf_vprintf(&text, format, args);
    va_end(args);
    th_str kept = ok ? th__arena_copy(arena, th__buf_str(&text)) : (th_str){0};
    th__buf_release(&text);
    return kept;
}
