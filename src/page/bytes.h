/*
 * bytes.h: finding bytes fast.
 *
 * Text and tags are short, a call to memchr costs more than the search itself. These look at 16
 * or 32 bytes at a time in line, and hand long searches to memchr. Reading stays inside [at, end).
 */
#ifndef TH_BYTES_H
#define TH_BYTES_H

#include <stdint.h>
#include <string.h>

#include "base/str.h"

#ifdef __SSE2__
#include <emmintrin.h>
#define TH__SIMD 1
#else
#define TH__SIMD 0
#endif

/* The first `byte` in [at, end), or end. */
static inline const char *th__find_byte(const char *at, const char *end, char byte)
{
#if TH__SIMD
    __m128i want = _mm_set1_epi8(byte);
    for (int i = 0; i < 3 && end - at >= 32; i++, at += 32) {
        __m128i low = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)at), want);
        __m128i high = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(at + 16)), want);
        unsigned hits = (unsigned)_mm_movemask_epi8(low) | (unsigned)_mm_movemask_epi8(high) << 16;
        if (hits)
            return at + __builtin_ctz(hits);
    }
    if (end - at >= 16) { /* a short value: not worth a call */
        __m128i x = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)at), want);
        unsigned hits = (unsigned)_mm_movemask_epi8(x);
        if (hits)
            return at + __builtin_ctz(hits);
        at += 16;
    }
#endif
    const char *hit = at < end ? memchr(at, byte, (size_t)(end - at)) : NULL;
    return hit ? hit : end;
}

/* The same for what is likely near. Bytes up to `limit` may be read. */
static inline const char *th__find_near(const char *at, const char *end, const char *limit,
                                        char byte)
{
#if TH__SIMD
    if (limit - at >= 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)at);
        unsigned hits = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8(byte)));
        if (hits)
            return at + __builtin_ctz(hits) < end ? at + __builtin_ctz(hits) : end;
        at += 16;
    }
#endif
    return at < end ? th__find_byte(at, end, byte) : end;
}

/* The first of two bytes in [at, end), or end. */
static inline const char *th__find_either(const char *at, const char *end, char a, char b)
{
#if TH__SIMD
    __m128i first = _mm_set1_epi8(a), second = _mm_set1_epi8(b);
    for (; end - at >= 16; at += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)at);
        __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(x, first), _mm_cmpeq_epi8(x, second));
        unsigned hits = (unsigned)_mm_movemask_epi8(hit);
        if (hits)
            return at + __builtin_ctz(hits);
    }
#endif
    while (at < end && *at != a && *at != b)
        at++;
    return at;
}

/* The first of four bytes in [at, end), or end. Bytes up to `limit` may be read. */
static inline const char *th__find_of4(const char *at, const char *end, const char *limit,
                                       const char bytes[4])
{
#if TH__SIMD
    __m128i a = _mm_set1_epi8(bytes[0]), b = _mm_set1_epi8(bytes[1]);
    __m128i c = _mm_set1_epi8(bytes[2]), d = _mm_set1_epi8(bytes[3]);
    for (; at < end && limit - at >= 16; at += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)at);
        __m128i ab = _mm_or_si128(_mm_cmpeq_epi8(x, a), _mm_cmpeq_epi8(x, b));
        __m128i cd = _mm_or_si128(_mm_cmpeq_epi8(x, c), _mm_cmpeq_epi8(x, d));
        unsigned hits = (unsigned)_mm_movemask_epi8(_mm_or_si128(ab, cd));
        if (hits)
            return at + __builtin_ctz(hits) < end ? at + __builtin_ctz(hits) : end;
    }
#endif
    while (at < end && !memchr(bytes, *at, 4))
        at++;
    return at < end ? at : end;
}

/* The first byte up to the space, "/" or "=" in [at, end), or end: what may end a name. */
static inline const char *th__find_name_end(const char *at, const char *end)
{
#if TH__SIMD
    for (; end - at >= 16; at += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)at);
        __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(' ')), x);
        __m128i sign = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('/')),
                                    _mm_cmpeq_epi8(x, _mm_set1_epi8('=')));
        unsigned hits = (unsigned)_mm_movemask_epi8(_mm_or_si128(low, sign));
        if (hits)
            return at + __builtin_ctz(hits);
    }
#endif
    while (at < end && (unsigned char)*at > ' ' && *at != '/' && *at != '=')
        at++;
    return at;
}

/* Returns true if [at, end) holds nothing above the space: white space, or control characters.
 * Bytes up to `limit` may be read. */
static inline bool th__all_blank(const char *at, const char *end, const char *limit)
{
#if TH__SIMD
    for (; limit - at >= 16; at += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)at);
        __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(' ')), x);
        unsigned other = ~(unsigned)_mm_movemask_epi8(low) & 0xFFFF;
        if (end - at <= 16)
            return !(other & ((1u << (end - at)) - 1));
        if (other)
            return false;
    }
#endif
    while (at < end && (unsigned char)*at <= ' ')
        at++;
    return at == end;
}

/* Bit i is set where byte i of [at, end) is `byte`, for the first 64 of them. */
static inline uint64_t th__match64(const char *at, const char *end, char byte)
{
    uint64_t mask = 0;
#if TH__SIMD
    if (end - at >= 64) {
        __m128i want = _mm_set1_epi8(byte);
        for (int i = 0; i < 4; i++) {
            __m128i x = _mm_loadu_si128((const __m128i *)(at + 16 * i));
            mask |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, want)) << 16 * i;
        }
        return mask;
    }
#endif
    for (int i = 0; i < 64 && at + i < end; i++)
        mask |= (uint64_t)(at[i] == byte) << i;
    return mask;
}

/* How many bytes of a little-endian word, from its first on, are ASCII letters. */
static inline unsigned th__count_alpha(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t low = (word | 0x20 * ones) & 0x7F * ones;
    /* The top bit of a byte: it is at least "a"; it is beyond "z"; it is beyond ASCII. */
    uint64_t from_a = low + (0x80 - 'a') * ones, past_z = low + (0x80 - 'z' - 1) * ones;
    uint64_t other = ~(from_a & ~past_z & ~word) & 0x80 * ones;
    return other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
}

/* How many bytes from `at` on are ASCII letters or digits, counting to 8; all 8 must be readable.
 */
static inline unsigned th__count_alnum8(const char *at)
{
#if TH__SIMD
    __m128i x = _mm_loadl_epi64((const __m128i *)at);
    /* A byte less the first of a range is, unsigned, below the range's size exactly inside it. */
    __m128i letter = _mm_sub_epi8(_mm_or_si128(x, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
    __m128i digit = _mm_sub_epi8(x, _mm_set1_epi8('0'));
    __m128i inside = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(25)), letter),
                                  _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit));
    return (unsigned)__builtin_ctz((~(unsigned)_mm_movemask_epi8(inside) & 0xFF) | 0x100);
#else
    unsigned count = 0;
    while (count < 8 &&
           (th__is_alpha((unsigned char)at[count]) || th__is_digit((unsigned char)at[count])))
        count++;
    return count;
#endif
}

#endif
