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
#endif
    const char *hit = at < end ? memchr(at, byte, (size_t)(end - at)) : NULL;
    return hit ? hit : end;
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

/* Whether [at, end) holds nothing above the space: white space, or control characters. Bytes up to
 * `limit` may be read. */
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
