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

/* The first of four bytes in [at, end), or end. */
static inline const char *th__find_any4(const char *at, const char *end, char a, char b, char c,
                                        char d)
{
#if TH__SIMD
    __m128i va = _mm_set1_epi8(a), vb = _mm_set1_epi8(b), vc = _mm_set1_epi8(c),
            vd = _mm_set1_epi8(d);
    for (; end - at >= 16; at += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)at);
        __m128i hit = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(x, va), _mm_cmpeq_epi8(x, vb)),
                                   _mm_or_si128(_mm_cmpeq_epi8(x, vc), _mm_cmpeq_epi8(x, vd)));
        int hits = _mm_movemask_epi8(hit);
        if (hits)
            return at + __builtin_ctz((unsigned)hits);
    }
#endif
    for (; at < end; at++)
        if (*at == a || *at == b || *at == c || *at == d)
            break;
    return at;
}

/* The first byte in [at, end) that is no white space, or end. */
static inline const char *th__skip_blanks(const char *at, const char *end)
{
    if (at == end || !th__is_blank((unsigned char)*at))
        return at;
#if TH__SIMD
    const __m128i space = _mm_set1_epi8(' '), newline = _mm_set1_epi8('\n'),
                  tab = _mm_set1_epi8('\t'), feed = _mm_set1_epi8('\f'), ret = _mm_set1_epi8('\r');
    for (; end - at >= 16; at += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)at);
        __m128i blank =
            _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(x, space), _mm_cmpeq_epi8(x, newline)),
                         _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(x, tab), _mm_cmpeq_epi8(x, feed)),
                                      _mm_cmpeq_epi8(x, ret)));
        unsigned other = ~(unsigned)_mm_movemask_epi8(blank) & 0xFFFF;
        if (other)
            return at + __builtin_ctz(other);
    }
#endif
    while (at < end && th__is_blank((unsigned char)*at))
        at++;
    return at;
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
