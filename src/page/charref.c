/* charref.c: see charref.h; the names are in charref_table.inc, made by scripts/gen-charrefs.py. */
#include "page/charref.h"

#include "base/utf8.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef struct charref_entry {
    uint16_t name, value; /* offsets into charref_names and charref_values */
    uint8_t name_len, value_len;
    uint8_t old; /* also known without ";" */
} charref_entry;

#include "page/charref_table.inc"

static bool is_alnum(unsigned char c)
{
    return th__is_alpha(c) || th__is_digit(c);
}

/* The same as slot_of in gen-charrefs.py. */
static uint32_t slot_of(const char *name, size_t len)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < len; i++)
        hash = hash * 31 + (unsigned char)name[i];
    return hash * 0x9E3779B1u >> (32 - CHARREF_SLOT_BITS);
}

static const charref_entry *find(const char *name, size_t len)
{
    const uint32_t mask = (1u << CHARREF_SLOT_BITS) - 1;
    for (uint32_t slot = slot_of(name, len); charref_slots[slot]; slot = (slot + 1) & mask) {
        const charref_entry *entry = &charref_entries[charref_slots[slot] - 1];
        if (entry->name_len == len && memcmp(charref_names + entry->name, name, len) == 0)
            return entry;
    }
    return NULL;
}

static size_t named(const char *at, const char *end, bool in_attribute, char *out, size_t *out_len)
{
    const char *name = at + 1;
    size_t room = (size_t)(end - name), run = 0, used;
    while (run < room && run <= CHARREF_MAX_NAME && is_alnum((unsigned char)name[run]))
        run++;
    const charref_entry *entry = NULL;
    if (run < room && name[run] == ';' && run <= CHARREF_MAX_NAME)
        entry = find(name, run);
    used = run + 2;
    if (!entry) {
        size_t len = run < CHARREF_MAX_OLD ? run : CHARREF_MAX_OLD;
        for (; len >= CHARREF_MIN_OLD; len--) {
            entry = find(name, len);
            if (entry && entry->old)
                break;
        }
        if (len < CHARREF_MIN_OLD)
            return 0;
        if (in_attribute && len < room && (name[len] == '=' || is_alnum((unsigned char)name[len])))
            return 0;
        used = len + 1;
    }
    memcpy(out, charref_values + entry->value, entry->value_len);
    *out_len = entry->value_len;
    return used;
}

/* References to C1 controls mean what windows-1252 has there. */
static const uint16_t c1_means[32] = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

static int digit_value(unsigned char c, bool hex)
{
    if (th__is_digit(c))
        return c - '0';
    unsigned char low = c | 0x20;
    return hex && low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

static size_t numeric(const char *at, const char *end, char *out, size_t *out_len)
{
    const char *s = at + 2;
    bool hex = s < end && (*s | 0x20) == 'x';
    s += hex;
    const char *digits = s;
    uint32_t code = 0;
    for (int value; s < end && (value = digit_value((unsigned char)*s, hex)) >= 0; s++)
        if (code <= 0x10FFFF)
            code = code * (hex ? 16 : 10) + (uint32_t)value;
    if (s == digits)
        return 0;
    if (s < end && *s == ';')
        s++;
    if (code == 0)
        code = TH__REPLACEMENT;
    else if (code >= 0x80 && code < 0xA0)
        code = c1_means[code - 0x80];
    *out_len = th__utf8_encode(code, out); /* surrogates and what is too large become U+FFFD */
    return (size_t)(s - at);
}

size_t th__charref(const char *at, const char *end, bool in_attribute, char out[TH__CHARREF_MAX],
                   size_t *out_len)
{
    if (end - at < 2)
        return 0;
    return at[1] == '#' ? numeric(at, end, out, out_len)
                        : named(at, end, in_attribute, out, out_len);
}

/* The first byte that is not just copied. */
static const char *next_special(const char *at, const char *end)
{
#ifdef __SSE2__
    const __m128i amp = _mm_set1_epi8('&'), cr = _mm_set1_epi8('\r'), nul = _mm_setzero_si128();
    for (; end - at >= 16; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)at);
        int hits = _mm_movemask_epi8(
            _mm_or_si128(_mm_cmpeq_epi8(bytes, amp),
                         _mm_or_si128(_mm_cmpeq_epi8(bytes, cr), _mm_cmpeq_epi8(bytes, nul))));
        if (hits)
            return at + __builtin_ctz((unsigned)hits);
    }
#endif
    while (at < end && *at != '&' && *at != '\r' && *at != '\0')
        at++;
    return at;
}

bool th__decode_chars(th_str raw, unsigned flags, th__buf *out)
{
    if (!raw.len)
        return !out->failed;
    const char *at = raw.ptr, *end = raw.ptr + raw.len;
    char chars[TH__CHARREF_MAX];
    size_t len;
    if (!th__buf_reserve(out, raw.len))
        return false;
    while (at < end) {
        const char *special = next_special(at, end);
        th__buf_add(out, at, (size_t)(special - at));
        at = special;
        if (at == end)
            break;
        size_t used = 0;
        if (*at == '\r') {
            used = at + 1 < end && at[1] == '\n' ? 2 : 1;
            chars[0] = '\n';
            len = 1;
        } else if (*at == '\0' && flags & TH__CHARS_NUL) {
            used = 1;
            len = th__utf8_encode(TH__REPLACEMENT, chars);
        } else if (*at == '&' && flags & TH__CHARS_REFS) {
            used = th__charref(at, end, (flags & TH__CHARS_ATTRIBUTE) != 0, chars, &len);
        }
        if (used) {
            th__buf_add(out, chars, len);
            at += used;
        } else {
            th__buf_add_byte(out, *at++);
        }
    }
    return !out->failed;
}

bool th__ends_reference(th_str source, size_t at)
{
    enum { LONGEST = 10 };
    size_t i = at;
    while (i && at - i < LONGEST &&
           (th__is_alpha((unsigned char)source.ptr[i - 1]) ||
            th__is_digit((unsigned char)source.ptr[i - 1]) || source.ptr[i - 1] == '#'))
        i--;
    return i && i < at && source.ptr[i - 1] == '&';
}
