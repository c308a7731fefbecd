/*
 * utf8.c: validation at the speed of memory.
 *
 * ASCII is skipped 32 bytes at a time with SSE2 (8 at a time elsewhere). Runs of other characters
 * are checked a character at a time through one unaligned 4-byte load and two masks: a page in
 * Chinese is a long run of 3-byte characters, so the branch on the length is well predicted.
 */
#include "base/utf8.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

size_t th__utf8_ascii(const char *text, size_t len)
{
    size_t i = 0;
#ifdef __SSE2__
    for (; i + 32 <= len; i += 32) {
        __m128i low = _mm_loadu_si128((const __m128i *)(text + i));
        __m128i high = _mm_loadu_si128((const __m128i *)(text + i + 16));
        if (_mm_movemask_epi8(_mm_or_si128(low, high))) {
            unsigned mask = (unsigned)_mm_movemask_epi8(low) | (unsigned)_mm_movemask_epi8(high)
                                                                   << 16;
            return i + (size_t)__builtin_ctz(mask);
        }
    }
#endif
    for (uint64_t word; i + 8 <= len; i += 8) {
        memcpy(&word, text + i, 8);
        if (word & 0x8080808080808080u)
            break;
    }
    while (i < len && (unsigned char)text[i] < 0x80)
        i++;
    return i;
}

/* The second byte of a sequence has limits of its own after these lead bytes; all other
 * continuation bytes are 80..BF. */
static inline void second_byte_range(unsigned char lead, unsigned char *low, unsigned char *high)
{
    *low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    *high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
}

unsigned th__utf8_decode(const char *at, const char *end, uint32_t *code, bool *bad)
{
    const unsigned char *s = (const unsigned char *)at;
    unsigned char lead = s[0], low, high;
    if (bad)
        *bad = false;
    if (lead < 0x80) {
        *code = lead;
        return 1;
    }
    unsigned len = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    unsigned got = 1;
    uint32_t value = lead & (0x7Fu >> len);
    second_byte_range(lead, &low, &high);
    while (got < len && at + got < end && s[got] >= low && s[got] <= high) {
        value = value << 6 | (s[got] & 0x3F);
        low = 0x80;
        high = 0xBF;
        got++;
    }
    if (got == len) {
        *code = value;
        return len;
    }
    *code = TH__REPLACEMENT;
    if (bad)
        *bad = true;
    return got;
}

unsigned th__utf8_encode(uint32_t code, char out[4])
{
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        code = TH__REPLACEMENT;
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xE0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3F));
    out[2] = (char)(0x80 | (code >> 6 & 0x3F));
    out[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

/* The length of the valid character of two bytes or more at s, with 4 bytes readable; 0 for none.
 */
static inline unsigned valid_wide(const unsigned char *s)
{
    uint32_t word =
        (uint32_t)s[0] | (uint32_t)s[1] << 8 | (uint32_t)s[2] << 16 | (uint32_t)s[3] << 24;
    if ((word & 0x00C0C0F0) == 0x008080E0) {
        uint32_t bits = word & 0x200F; /* E0 needs A0.. next, ED needs ..9F */
        return bits != 0 && bits != 0x200D ? 3 : 0;
    }
    if ((word & 0xC0E0) == 0x80C0)
        return (word & 0x1E) ? 2 : 0; /* C0 and C1 are overlong */
    if ((word & 0xC0C0C0F8) == 0x808080F0) {
        uint32_t value = (uint32_t)(s[0] & 7) << 2 | (s[1] >> 4 & 3); /* code point >> 16 */
        return value >= 1 && value <= 0x10 ? 4 : 0;
    }
    return 0;
}

/* The end of the run of valid wide characters at `at`. It looks at four bytes at once, and leaves
 * the last three of the text to the caller. */
static inline const char *skip_wide(const char *at, const char *end)
{
    while (end - at >= 4 && (unsigned char)*at >= 0x80) {
        unsigned len = valid_wide((const unsigned char *)at);
        if (!len)
            break;
        at += len;
    }
    return at;
}

size_t th__utf8_valid(const char *text, size_t len)
{
    const char *at = text, *end = text + len;
    while (at < end) {
        if ((unsigned char)*at < 0x80) {
            at += th__utf8_ascii(at, (size_t)(end - at));
            continue;
        }
        const char *next = skip_wide(at, end);
        if (next == at) {
            uint32_t code;
            bool bad;
            next = at + th__utf8_decode(at, end, &code, &bad);
            if (bad)
                break;
        }
        at = next;
    }
    return (size_t)(at - text);
}

th__utf8_survey th__utf8_count(const char *text, size_t len)
{
    th__utf8_survey survey = {.len = len};
    const char *at = text, *end = text + len;
    while (at < end) {
        if ((unsigned char)*at < 0x80) {
            at += th__utf8_ascii(at, (size_t)(end - at));
            continue;
        }
        uint32_t code;
        bool bad;
        unsigned step = th__utf8_decode(at, end, &code, &bad);
        /* A sequence that the end cuts short: a lead byte with room for more. */
        bool cut =
            bad && at + step == end && (unsigned char)*at >= 0xC2 && (unsigned char)*at < 0xF5;
        survey.good += !bad;
        survey.bad += bad && !cut;
        survey.len += bad ? 3 - step : 0;
        at += step;
    }
    return survey;
}

size_t th__utf8_sanitize(const char *text, size_t len, char *out)
{
    const char *at = text, *end = text + len;
    char *to = out;
    while (at < end) {
        size_t valid = th__utf8_valid(at, (size_t)(end - at));
        memcpy(to, at, valid);
        to += valid;
        at += valid;
        if (at < end) {
            uint32_t code;
            at += th__utf8_decode(at, end, &code, NULL);
            to += th__utf8_encode(TH__REPLACEMENT, to);
        }
    }
    return (size_t)(to - out);
}
