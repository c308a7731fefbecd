/* number_strings.h: strings of numbers for the tests of src/strings. */
#ifndef TH_SEQ_STRINGS_H
#define TH_SEQ_STRINGS_H

#include "test.h"

/* A small generator: the same numbers everywhere. */
static inline uint32_t rnd(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Letters as symbols; returns how many. */
static inline uint32_t letters(const char *text, uint32_t *out)
{
    uint32_t n = 0;
    for (; text[n]; n++)
        out[n] = (unsigned char)text[n];
    return n;
}

/* Random symbols below sigma, times stride. */
static inline void random_string(uint32_t *state, uint32_t *out, uint32_t len, uint32_t sigma,
                                 uint32_t stride)
{
    for (uint32_t i = 0; i < len; i++)
        out[i] = rnd(state) % sigma * stride;
}

/* The Fibonacci string of at least len symbols: many repeats of every length. */
static inline void fibonacci_string(uint32_t *out, uint32_t len)
{
    uint32_t a = 1, b = 2; /* lengths of the last two words; each is a prefix of the next */
    out[0] = 'a';
    if (len > 1)
        out[1] = 'b';
    while (b < len) {
        for (uint32_t i = 0; i < a && b + i < len; i++)
            out[b + i] = out[i];
        uint32_t next = a + b;
        a = b;
        b = next;
    }
}

#endif
