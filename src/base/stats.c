/*
 * stats.c: exact statistics.
 *
 * The point probabilities use Loader's saddle-point form (C. Loader, "Fast and accurate computation
 * of binomial probabilities", 2000). The plain way, exp(log n! - log k! - ...), subtracts numbers
 * of size n log n and so loses a digit for every digit of n. Stirling's formula takes these out by
 * hand:
 *
 *     log n! = (n + 1/2) log n - n + log(2 pi)/2 + delta(n)         delta is small and smooth
 *     log P(X = k) = delta(n) - delta(k) - delta(n - k)             small
 *                  - D(k, np) - D(n - k, nq)                        deviances, never cancelling
 *                  + log(n / (2 pi k (n - k))) / 2
 *     D(x, m) = x log(x / m) + m - x
 *
 * A tail is the point probability times a continued fraction of the incomplete beta or gamma
 * function, taken on the side of the mean where it converges; the other side is its complement.
 */
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"

enum {
    SMALL = 16,           /* Stirling's series is exact to a double from here on */
    MOST_STEPS = 10000000 /* of a fraction; it needs about the root of its larger argument */
};

#define LOG_2PI       1.8378770664093454836
#define TIE_TOLERANCE 1e-7

/* 1 - exp(x) and its logarithm for x <= 0, without cancellation. */
static double log_complement(double x)
{
    if (x >= 0)
        return -INFINITY;
    return x > -0.69 ? log(-expm1(x)) : log1p(-exp(x));
}

/* What Stirling's formula leaves of log Gamma(x + 1). */
static double stirling_rest(double x)
{
    static const double terms[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188};
    int sign; /* lgamma writes a global instead */
    if (x < SMALL)
        return lgamma_r(x + 1, &sign) - (x + 0.5) * log(x) + x - LOG_2PI / 2;
    double sum = 0, inverse_square = 1 / (x * x);
    for (size_t i = sizeof terms / sizeof *terms; i-- > 0;)
        sum = sum * inverse_square + terms[i];
    return sum / x;
}

/* D(x, m) = x log(x / m) + m - x, for x > 0 and m > 0; where x is near m, by the series in
 * v = (x - m) / (x + m) that has the cancelling terms taken out. */
static double deviance(double x, double m)
{
    if (fabs(x - m) > 0.1 * (x + m))
        return x * log(x / m) + m - x;
    double v = (x - m) / (x + m), power = 2 * x * v, sum = (x - m) * v;
    for (int odd = 3;; odd += 2) {
        power *= v * v;
        double next = sum + power / odd;
        if (next == sum)
            return sum;
        sum = next;
    }
}

double th__binomial_log_pmf(uint64_t k, uint64_t n, double p)
{
    if (!(p >= 0 && p <= 1) || n > TH__STATS_MAX_COUNT)
        return NAN;
    if (k > n)
        return -INFINITY;
    double q = 1 - p, all = (double)n, in = (double)k, out = (double)(n - k);
    if (k == 0)
        return n == 0 ? 0 : all * log1p(-p);
    if (k == n)
        return all * log(p);
    if (p == 0 || q == 0)
        return -INFINITY;
    return stirling_rest(all) - stirling_rest(in) - stirling_rest(out) - deviance(in, all * p) -
           deviance(out, all * q) + 0.5 * (log(all / (in * out)) - LOG_2PI);
}

/* Keeps Lentz's method from dividing by zero. */
static double away_from_zero(double x)
{
    return fabs(x) < 1e-300 ? 1e-300 : x;
}

/* The continued fraction of the incomplete beta function I_x(a, b), by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;
    for (int i = 1; i < MOST_STEPS; i++) {
        double m = i, even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        value *= d * c;
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        value *= d * c;
        if (fabs(d * c - 1) < 1e-15)
            break;
    }
    return value;
}

/* log P(X >= k) by the fraction, for 0 < k <= n above the mean, 0 < p < 1. The factor in front of
 * the fraction, x^a (1-x)^b / (a B(a,b)) with a = k and b = n - k + 1, is P(X = k) (1 - p). */
static double far_upper(uint64_t k, uint64_t n, double p)
{
    return th__binomial_log_pmf(k, n, p) + log1p(-p) +
           log(beta_fraction((double)k, (double)(n - k) + 1, p));
}

/* The mirror image, log P(X <= k) for k below the mean: X' = n - X has p' = 1 - p. log q' is log p.
 */
static double far_lower(uint64_t k, uint64_t n, double p)
{
    return th__binomial_log_pmf(k, n, p) + log(p) +
           log(beta_fraction((double)(n - k), (double)k + 1, 1 - p));
}

double th__binomial_log_upper(uint64_t k, uint64_t n, double p)
{
    if (!(p >= 0 && p <= 1) || n > TH__STATS_MAX_COUNT)
        return NAN;
    if (k == 0)
        return 0;
    if (k > n || p == 0)
        return -INFINITY;
    if (p == 1)
        return 0;
    if ((double)k > ((double)n + 1) * p)
        return fmin(0, far_upper(k, n, p));
    return log_complement(far_lower(k - 1, n, p));
}

double th__binomial_log_lower(uint64_t k, uint64_t n, double p)
{
    if (!(p >= 0 && p <= 1) || n > TH__STATS_MAX_COUNT)
        return NAN;
    if (k >= n || p == 0)
        return 0;
    if (p == 1)
        return -INFINITY;
    if ((double)k + 1 <= ((double)n + 1) * p)
        return fmin(0, far_lower(k, n, p));
    return log_complement(far_upper(k + 1, n, p));
}

double th__binomial_upper(uint64_t k, uint64_t n, double p)
{
    return exp(th__binomial_log_upper(k, n, p));
}

double th__binomial_lower(uint64_t k, uint64_t n, double p)
{
    return exp(th__binomial_log_lower(k, n, p));
}

/* P(a, x) without the factor in front, by its power series: for x below a + 1. */
static double gamma_series(double a, double x)
{
    double term = 1, sum = 1;
    for (int i = 1; i < MOST_STEPS && term > sum * 1e-17; i++) {
        term *= x / (a + i);
        sum += term;
    }
    return sum;
}

/* Q(a, x) without the factor in front, by its continued fraction (Lentz's method): for x above a
 * + 1. */
static double gamma_fraction(double a, double x)
{
    double b = x + 1 - a, c = 1e300, d = 1 / away_from_zero(b), value = d;
    for (int i = 1; i < MOST_STEPS; i++) {
        double step = -i * (i - a);
        b += 2;
        d = 1 / away_from_zero(b + step * d);
        c = away_from_zero(b + step / c);
        value *= d * c;
        if (fabs(d * c - 1) < 1e-15)
            break;
    }
    return value;
}

/* The regularized upper incomplete gamma function Q(a, x), a > 0, x >= 0. */
static double gamma_upper(double a, double x)
{
    if (!(a > 0 && x >= 0) || isinf(a))
        return NAN;
    if (x == 0)
        return 1;
    if (isinf(x))
        return 0;
    /* x^a e^-x / Gamma(a + 1), in Loader's form */
    double front = exp(-stirling_rest(a) - deviance(a, x) - 0.5 * (LOG_2PI + log(a)));
    if (x < a + 1)
        return fmax(0, 1 - front * gamma_series(a, x));
    return fmin(1, front * a * gamma_fraction(a, x));
}

double th__chi_square_upper(double x, double df)
{
    if (isnan(x) || !(df > 0))
        return NAN;
    return x <= 0 ? 1 : gamma_upper(df / 2, x / 2);
}

/* Pearson's test. There is no exact one for more than two rows: its tables number the product of
 * the row sums, and the network algorithm that tames them is longer than this whole file. */
static double chi_square_homogeneity(const uint64_t *left, const uint64_t *right, size_t rows)
{
    double left_sum = 0, right_sum = 0, statistic = 0;
    size_t used = 0;
    for (size_t i = 0; i < rows; i++) {
        left_sum += (double)left[i];
        right_sum += (double)right[i];
        used += left[i] || right[i];
    }
    if (used < 2 || left_sum == 0 || right_sum == 0)
        return 1;
    double share = left_sum / (left_sum + right_sum);
    for (size_t i = 0; i < rows; i++) {
        double row = (double)left[i] + (double)right[i];
        if (row == 0)
            continue;
        /* both cells of a row miss their expectation by the same amount */
        double miss = (double)left[i] - row * share;
        statistic += miss * miss / (row * share) + miss * miss / (row * (1 - share));
    }
    return th__chi_square_upper(statistic, (double)(used - 1));
}

/* The tables with the margins of a, b, c, d, identified by x, their upper left cell. */
typedef struct tables {
    uint64_t row1, row2, col1, all;
    uint64_t lo, hi;       /* range of x */
    double share, log_all; /* col1 / all, and the log of its binomial probability */
} tables;

/* log of the chance of table x: a quotient of binomials, accurate because they are. */
static double table_log_chance(const tables *t, uint64_t x)
{
    return th__binomial_log_pmf(x, t->row1, t->share) +
           th__binomial_log_pmf(t->col1 - x, t->row2, t->share) - t->log_all;
}

/* The chances from x on away from the mode, up or down, relative to that of x. */
static double sum_outward(const tables *t, uint64_t x, bool up)
{
    double term = 1, sum = 1;
    while (x != (up ? t->hi : t->lo) && term > sum * 1e-17) {
        uint64_t at = up ? x + 1 : x; /* the ratio between at - 1 and at */
        double rise = (double)at * (double)(t->row2 + at - t->col1);
        double fall = (double)(t->row1 - at + 1) * (double)(t->col1 - at + 1);
        term *= up ? fall / rise : rise / fall;
        sum += term;
        x = up ? x + 1 : x - 1;
    }
    return sum;
}

/* The first x at or above `from` (not below the mode) that is no likelier than `limit`; hi + 1 if
 * none. */
static uint64_t first_as_rare(const tables *t, uint64_t from, double limit)
{
    uint64_t lo = from, hi = t->hi + 1;
    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (table_log_chance(t, mid) <= limit)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

/* Fisher's exact test of the table a b / c d: the chance, given the margins, of a table no likelier
 * than this one (ties within a relative 1e-7, as equal chances differ by rounding). */
static double fisher(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    const uint64_t most = TH__STATS_MAX_COUNT / 4;
    if (a > most || b > most || c > most || d > most)
        return NAN;
    tables t = {.row1 = a + b, .row2 = c + d, .col1 = a + c, .all = a + b + c + d};
    if (t.row1 == 0 || t.row2 == 0 || t.col1 == 0 || t.col1 == t.all)
        return 1;
    uint64_t mode = (uint64_t)((unsigned __int128)(t.row1 + 1) * (t.col1 + 1) / (t.all + 2));
    if (a > mode) /* mirrored, so that the table is on the lower side */
        return fisher(b, a, d, c);
    t.lo = t.col1 > t.row2 ? t.col1 - t.row2 : 0;
    t.hi = t.row1 < t.col1 ? t.row1 : t.col1;
    if (a == mode)
        return 1;
    t.share = (double)t.col1 / (double)t.all;
    t.log_all = th__binomial_log_pmf(t.col1, t.all, t.share);
    double own = table_log_chance(&t, a);
    double p = exp(own) * sum_outward(&t, a, false);
    uint64_t other = first_as_rare(&t, mode, own + TIE_TOLERANCE);
    if (other <= t.hi)
        p += exp(table_log_chance(&t, other)) * sum_outward(&t, other, true);
    return fmin(1, p);
}

double th__homogeneity(const uint64_t *left, const uint64_t *right, size_t rows)
{
    return rows == 2 ? fisher(left[0], left[1], right[0], right[1])
                     : chi_square_homogeneity(left, right, rows);
}

/* A p-value times a factor, kept a p-value. */
static double scaled(double p, double factor)
{
    return p * factor < 1 ? p * factor : 1; /* also 1 for NaN */
}

typedef struct ranked {
    double p;
    size_t index;
} ranked;

static int by_p(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    return th__order(a->p, b->p) ?: th__order(a->index, b->index);
}

bool th__adjust_holm(double *p, size_t n)
{
    ranked *order = TH__NEW_ARRAY(ranked, n);
    if (!order)
        return false;
    for (size_t i = 0; i < n; i++)
        order[i] = (ranked){scaled(p[i], 1), i};
    qsort(order, n, sizeof *order, by_p);
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, scaled(order[i].p, (double)(n - i)));
        p[order[i].index] = largest;
    }
    th__mem_free(order);
    return true;
}
