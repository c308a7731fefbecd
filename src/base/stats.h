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

/* The p-value of two samples over `rows` categories having the same shares: left[i] and right[i]
 * are the counts of category i. Two rows: Fisher's exact test, two-sided. More: Pearson's, where
 * categories empty on both sides do not count. 1 if fewer than two categories or one whole sample
 * are empty: nothing indicates that they differ. */
double th__homogeneity(const uint64_t *left, const uint64_t *right, size_t rows);

/* Corrects n p-values in place for having been looked at together, each at most 1; NaN becomes 1:
 * Holm's method, never weaker than Bonferroni's. False, with all untouched, if out of memory. */
bool th__adjust_holm(double *p, size_t n);

#endif
