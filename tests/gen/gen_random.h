/*
 * gen_random.h: the generator's own random numbers, the same on every machine.
 *
 * The state is one word (splitmix64), so a stream is forked for every site, page, record and field
 * at no cost: a value depends on where it stands, never on how much was drawn before it. That is
 * why the first N sites are equal whatever N is, and why deleting a field changes no other value.
 * Integers and exact IEEE comparisons only: no libm, no locale, no time.
 */
#ifndef GEN_RANDOM_H
#define GEN_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gen_rng {
    uint64_t state;
} gen_rng;

static inline uint64_t gen_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline uint64_t gen_next(gen_rng *rng)
{
    return gen_mix(rng->state += 0x9E3779B97F4A7C15u);
}

/* A seed that depends on both numbers and is unlike that of their neighbours. */
static inline uint64_t gen_seed(uint64_t seed, uint64_t tag)
{
    return gen_mix(gen_mix(seed + 0x632BE59BD9B4E019u) ^ (tag * 0xD1342543DE82EF95u + 0x2545F491u));
}

static inline gen_rng gen_fork(uint64_t seed, uint64_t tag)
{
    return (gen_rng){gen_seed(seed, tag)};
}

/* 0 .. n - 1; n may be 0 or 1, which gives 0. */
static inline uint32_t gen_below(gen_rng *rng, uint32_t n)
{
    return (uint32_t)(((gen_next(rng) >> 32) * n) >> 32);
}

/* lo .. hi, both included. */
static inline uint32_t gen_between(gen_rng *rng, uint32_t lo, uint32_t hi)
{
    return hi <= lo ? lo : lo + gen_below(rng, hi - lo + 1);
}

static inline bool gen_chance(gen_rng *rng, double p)
{
    return (double)(gen_next(rng) >> 11) * (1.0 / 9007199254740992.0) < p;
}

/* 0 .. n - 1 with Zipf's skew: an octave is drawn, then a place in it, so P(k) is about 1 / k. */
static inline uint32_t gen_zipf(gen_rng *rng, uint32_t n)
{
    if (n < 2)
        return 0;
    uint32_t octaves = 32 - (uint32_t)__builtin_clz(n), k;
    do {
        uint32_t octave = gen_below(rng, octaves);
        k = (1u << octave) + gen_below(rng, 1u << octave);
    } while (k > n);
    return k - 1;
}

#define GEN_PICK(rng, ...)                                                                         \
    ((const char *const[]){__VA_ARGS__}[gen_below(                                                 \
        (rng), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))])

#endif
