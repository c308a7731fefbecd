/*
 * bytes.h: finding bytes fast.
 *
 * Text and tags are short, a call to memchr costs more than the search itself. These look at 16
 * bytes at a time in line, and hand long searches to memchr. Reading stays inside [at, end).
 */
#ifndef TH_BYTES_H
#define TH_BYTES_H

#include <stdint.h>
#include <string.h>

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
    for (int i = 0; i < 4; i++, at += 16) {
        if (end - at < 16)
            break;
        int hits = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)at), want));
        if (hits)
            return at + __builtin_ctz((unsigned)hits);
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

#endif
