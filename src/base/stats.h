/*
 * stats.h: exact statistics.
 *
 * Wrapper verification asks small-sample questions ("9 of 40 values have the old form: chance?"),
 * where the normal approximation is wrong exactly in the tails that decide. So the tails are exact,
 * and keep about eleven digits down to the smallest double.
 *
 * Nothing here has state or can trap: an argument outside its domain gives NaN, unless said
 * otherwise.
 */
#ifndef TH_STATS_H
#define TH_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts up to this are exact in the functions below; larger ones give NaN. */
#define TH__STATS_MAX_COUNT ((uint64_t)1 << 53)

/* log of the gamma function for x > 0. Unlike C's lgamma it writes no global. */
double th__log_gamma(double x);

/* log of "n choose k"; -INFINITY for k > n. */
double th__log_choose(uint64_t n, uint64_t k);

/* For X successes in n trials of probability p (0 <= p <= 1): log P(X = k). */
double th__binomial_log_pmf(uint64_t k, uint64_t n, double p);
/* P(X >= k) and its logarithm, for chances below the smallest double. */
double th__binomial_upper(uint64_t k, uint64_t n, double p);
double th__binomial_log_upper(uint64_t k, uint64_t n, double p);
/* P(X <= k) and its logarithm. */
double th__binomial_lower(uint64_t k, uint64_t n, double p);
double th__binomial_log_lower(uint64_t k, uint64_t n, double p);

/* P(X >= x) for X chi-square distributed with df > 0 degrees of freedom; 1 for x <= 0. */
double th__chi_square_upper(double x, double df);

/*
 * Pearson's test of homogeneity of two samples over `rows` categories: left[i] and right[i] are the
 * counts of category i. Gives the p-value; categories empty on both sides do not count. 1 when
 * fewer than two categories or one whole sample are empty: nothing speaks against them being alike.
 *
 * There is no exact r x 2 test: its tables number the product of the row sums, and the network
 * algorithm that tames them is longer than this whole file. With two rows use th__fisher.
 */
double th__chi_square_homogeneity(const uint64_t *left, const uint64_t *right, size_t rows);

/*
 * Fisher's exact test, two-sided, of the table
 *
 *     a b
 *     c d
 *
 * the chance, given the margins, of a table no likelier than this one (ties within a relative 1e-7,
 * as equal chances differ by rounding). 1 when a margin is zero.
 */
double th__fisher(uint64_t a, uint64_t b, uint64_t c, uint64_t d);

/* Corrects n p-values in place for having been looked at together, each at most 1; NaN becomes 1.
 * Holm is never weaker than Bonferroni. It needs memory: false, with all untouched, when there is
 * none. */
void th__adjust_bonferroni(double *p, size_t n);
bool th__adjust_holm(double *p, size_t n);

/* Mean and population standard deviation (divided by n, as the papers do); both 0 for n = 0. */
typedef struct th__moments {
    double mean, sd;
} th__moments;

th__moments th__moments_of(const double *values, size_t n);
/* sd / |mean|: 0 where all values are equal (also n = 0), INFINITY where only the mean is 0. */
double th__variation(const double *values, size_t n);

#endif
