/*
 * Exact statistics: against values that can be worked out by hand or in whole numbers, and against
 * identities that hold whatever the argument. Long decimals come from sums of exact fractions.
 */
#include "test.h"

#include <math.h>

#include "base/stats.h"

/* Relative agreement; both zero, both infinite of one sign count as equal. */
static void near_at(double got, double want, double tolerance, int line)
{
    if (got == want || fabs(got - want) <= tolerance * fabs(want))
        return;
    print_error("line %d: got %.17g, want %.17g, off by a relative %.2g\n", line, got, want,
                fabs(got - want) / fabs(want));
    fail();
}

#define NEAR(got, want, tolerance) near_at((got), (want), (tolerance), __LINE__)

static void binomial_matches_hand_counts(void **state)
{
    NEAR(th__binomial_upper(8, 10, 0.5), 56.0 / 1024, 1e-14); /* 45 + 10 + 1 of 1024 */
    NEAR(th__binomial_lower(2, 10, 0.5), 56.0 / 1024, 1e-14);
    NEAR(th__binomial_upper(1, 3, 1.0 / 3), 19.0 / 27, 1e-14);
    NEAR(th__binomial_upper(3, 3, 1.0 / 3), 1.0 / 27, 1e-14);
    NEAR(th__binomial_upper(9, 40, 0.1), 0.0154953054144444607, 1e-13);
    NEAR(exp(th__binomial_log_pmf(1, 2, 0.5)), 0.5, 1e-15);
}

static void binomial_keeps_its_far_tails(void **state)
{
    NEAR(th__binomial_upper(300, 1000, 0.1), 6.8233491078449025e-69, 1e-12);
    NEAR(th__binomial_upper(995, 1000, 0.5), 7.73850530629435191e-289, 1e-12);
    NEAR(th__binomial_lower(5, 1000, 0.5), 7.73850530629435191e-289, 1e-12);
    NEAR(th__binomial_upper(100, 100, 1e-3), 1e-300, 1e-12);
    NEAR(th__binomial_log_upper(1000, 1000, 1e-9), -9000 * log(10), 1e-14);
    NEAR(th__binomial_log_lower(0, 1000000, 0.5), -1e6 * log(2), 1e-14);
    NEAR(th__binomial_upper(1000, 1000, 1e-9), 0, 0);
    /* near certainty the logarithm still tells by how much it is missed */
    NEAR(th__binomial_log_upper(1, 30, 0.9), -1e-30, 1e-12);
    NEAR(th__binomial_log_lower(29, 30, 0.1), -1e-30, 1e-12);
}

static void binomial_of_a_million(void **state)
{
    const uint64_t n = 1000000;
    NEAR(th__binomial_upper(500000, n, 0.5), 0.500398942180665875, 1e-12);
    NEAR(th__binomial_upper(505000, n, 0.5), 7.69077752195367595e-24, 1e-11);
    NEAR(th__binomial_upper(518000, n, 0.5), 3.7694958097349926e-284, 1e-11);
    NEAR(th__binomial_upper(1100, n, 0.001), 0.000957466970028541866, 1e-11);
    NEAR(th__binomial_upper(2200, n, 0.001), 5.0468143269156811e-235, 1e-11);
    NEAR(th__binomial_upper(10, n, 1e-9), 2.75310399159695319e-37, 1e-12);
    NEAR(th__binomial_upper(1, n, 1e-9), 0.000999500167124508644, 1e-12);
    NEAR(th__binomial_upper(999999, n, 0.999999), 0.735758882332336677, 1e-9);
}

static void binomial_edges(void **state)
{
    assert_true(th__binomial_upper(0, 10, 0.3) == 1 && th__binomial_upper(0, 0, 0.3) == 1);
    assert_true(th__binomial_upper(11, 10, 0.3) == 0 && th__binomial_upper(1, 0, 0.3) == 0);
    assert_true(th__binomial_upper(1, 10, 0) == 0 && th__binomial_upper(0, 10, 0) == 1);
    assert_true(th__binomial_upper(10, 10, 1) == 1 && th__binomial_upper(11, 10, 1) == 0);
    assert_true(th__binomial_lower(10, 10, 0.3) == 1 && th__binomial_lower(11, 10, 0.3) == 1);
    assert_true(th__binomial_lower(9, 10, 1) == 0 && th__binomial_lower(10, 10, 1) == 1);
    assert_true(th__binomial_lower(0, 10, 0) == 1 && th__binomial_lower(0, 0, 0.5) == 1);
    assert_true(exp(th__binomial_log_pmf(0, 10, 0)) == 1 &&
                exp(th__binomial_log_pmf(10, 10, 1)) == 1);
    assert_true(exp(th__binomial_log_pmf(0, 0, 0)) == 1 && exp(th__binomial_log_pmf(0, 0, 1)) == 1);
    assert_true(exp(th__binomial_log_pmf(3, 10, 0)) == 0 &&
                exp(th__binomial_log_pmf(3, 10, 1)) == 0);
    assert_true(exp(th__binomial_log_pmf(11, 10, 0.5)) == 0);
    const double wrong[] = {-0.1, 1.1, NAN, INFINITY};
    for (size_t i = 0; i < 4; i++)
        assert_true(isnan(th__binomial_upper(3, 10, wrong[i])) &&
                    isnan(th__binomial_lower(3, 10, wrong[i])) &&
                    isnan(th__binomial_log_pmf(3, 10, wrong[i])));
    assert_true(isnan(th__binomial_upper(3, UINT64_MAX, 0.5)));
}

static void binomial_identities(void **state)
{
    const double chances[] = {1e-12, 0.003, 0.2, 0.5, 0.77, 0.999, 1 - 1e-9};
    const uint64_t sizes[] = {1, 2, 15, 16, 17, 33, 250, 2000};
    for (size_t c = 0; c < sizeof chances / sizeof *chances; c++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            uint64_t n = sizes[s];
            double p = chances[c], sum = 0;
            for (uint64_t k = 0; k <= n; k++) {
                double point = exp(th__binomial_log_pmf(k, n, p));
                sum += point;
                double upper = th__binomial_upper(k, n, p), above = th__binomial_upper(k + 1, n, p);
                /* P(X >= k) = P(X = k) + P(X > k), P(X <= k) + P(X > k) = 1, and the sum so far */
                if (upper > 1e-300) /* smaller doubles have fewer digits */
                    NEAR(point + above, upper, 1e-11);
                NEAR(th__binomial_lower(k, n, p) + above, 1, 1e-12);
                if (sum > 1e-300)
                    NEAR(th__binomial_lower(k, n, p), sum, 1e-11);
                assert_true(upper >= above && upper <= 1);
            }
            NEAR(sum, 1, 1e-11);
        }
    /* successes and failures mirror each other; 0.25 has an exact complement */
    for (uint64_t k = 0; k <= 400; k++)
        NEAR(th__binomial_log_upper(k, 400, 0.25), th__binomial_log_lower(400 - k, 400, 0.75),
             1e-13);
}

static void chi_square_tails(void **state)
{
    /* the 5 % points of every table of the distribution, and its far tail */
    NEAR(th__chi_square_upper(3.841458820694124, 1), 0.05, 1e-13);
    NEAR(th__chi_square_upper(5.991464547107979, 2), 0.05, 1e-13);
    NEAR(th__chi_square_upper(18.307038053275146, 10), 0.05, 1e-13);
    NEAR(th__chi_square_upper(1400, 1), 2.1010145162642175e-306, 1e-12);
    NEAR(th__chi_square_upper(1300, 100), 6.18324640912824101e-208, 1e-12);
    NEAR(th__chi_square_upper(250, 100), 7.76693640353917707e-15, 1e-12);
    NEAR(th__chi_square_upper(50, 100), 0.999993046694752384, 1e-13);
    NEAR(th__chi_square_upper(100, 100), 0.481191684527956718, 1e-13);
    NEAR(th__chi_square_upper(1e6, 1e6), 0.4998119368033945, 1e-11);
    NEAR(th__chi_square_upper(1e-10, 1), 0.999992021154392104, 1e-14);
    for (double x = 0.001; x < 1400; x *= 1.3) {
        NEAR(th__chi_square_upper(x, 2), exp(-x / 2), 1e-12);
        NEAR(th__chi_square_upper(x, 1), erfc(sqrt(x / 2)), 1e-12);
        NEAR(th__chi_square_upper(x, 4), exp(-x / 2) * (1 + x / 2), 1e-12);
    }
}

static void chi_square_edges(void **state)
{
    assert_true(th__chi_square_upper(0, 3) == 1 && th__chi_square_upper(-1, 3) == 1);
    assert_true(th__chi_square_upper(INFINITY, 3) == 0);
    assert_true(th__chi_square_upper(1e5, 3) == 0);
    assert_true(isnan(th__chi_square_upper(NAN, 3)) && isnan(th__chi_square_upper(1, 0)));
    assert_true(isnan(th__chi_square_upper(1, -1)) && isnan(th__chi_square_upper(1, NAN)));
    assert_true(isnan(th__chi_square_upper(1, INFINITY)));
}

static void homogeneity_of_samples(void **state)
{
    /* 10 20 / 20 10: every cell misses 15 by 5, so the statistic is 4 * 25 / 15 */
    const uint64_t left[] = {10, 20, 0}, right[] = {20, 10, 0}, none[] = {0, 0, 0};
    NEAR(th__homogeneity(left, right, 3), erfc(sqrt(100.0 / 15 / 2)), 1e-13);
    NEAR(th__homogeneity(left, left, 3), 1, 0);
    assert_true(th__homogeneity(left, none, 3) == 1);
    assert_true(th__homogeneity(none, none, 3) == 1);
    assert_true(th__homogeneity(left, right, 1) == 1);
    assert_true(th__homogeneity(NULL, NULL, 0) == 1);
}

static double fisher(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return th__homogeneity((uint64_t[]){a, b}, (uint64_t[]){c, d}, 2);
}

static double log_choose(uint64_t n, uint64_t k)
{
    return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

static void fisher_matches_whole_number_sums(void **state)
{
    NEAR(fisher(3, 1, 1, 3), 34.0 / 70, 1e-13); /* the lady tasting tea, two-sided */
    NEAR(fisher(3, 0, 0, 3), 2.0 / 20, 1e-13);
    NEAR(fisher(0, 10, 10, 0), 2.0 / 184756, 1e-13);
    NEAR(fisher(1, 9, 11, 3), 0.00275945618522008346, 1e-12);
    NEAR(fisher(8, 2, 1, 5), 0.034965034965034965, 1e-12);
    NEAR(fisher(2, 3, 6, 4), 0.608391608391608392, 1e-12);
    NEAR(fisher(0, 5, 5, 1), 1.0 / 66, 1e-12);
    NEAR(fisher(100, 900, 200, 800), 4.14623062243639058e-10, 1e-11);
    assert_true(fisher(10, 10, 10, 10) == 1);
    assert_true(fisher(1000, 1, 1, 1000) == 0); /* 2e-595 */
}

/* The definition, term by term, to hold the shortcuts against. */
static double fisher_by_definition(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    double all = log_choose(a + b + c + d, a + c), p = 0;
    double own = log_choose(a + b, a) + log_choose(c + d, c) - all;
    for (uint64_t x = 0; x <= a + b && x <= a + c; x++) {
        if (a + c - x > c + d)
            continue;
        double chance = log_choose(a + b, x) + log_choose(c + d, a + c - x) - all;
        if (chance <= own + 1e-7)
            p += exp(chance);
    }
    return fmin(1, p);
}

static void fisher_of_all_small_tables(void **state)
{
    for (uint64_t a = 0; a < 9; a++)
        for (uint64_t b = 0; b < 9; b++)
            for (uint64_t c = 0; c < 9; c++)
                for (uint64_t d = 0; d < 9; d++) {
                    double p = fisher(a, b, c, d);
                    NEAR(p, fisher_by_definition(a, b, c, d), 1e-11);
                    NEAR(fisher(c, d, a, b), p, 1e-11);
                    NEAR(fisher(b, a, d, c), p, 1e-11);
                    NEAR(fisher(a, c, b, d), p, 1e-11);
                }
}

static void fisher_edges_and_size(void **state)
{
    assert_true(fisher(0, 0, 0, 0) == 1 && fisher(0, 0, 3, 4) == 1);
    assert_true(fisher(3, 4, 0, 0) == 1 && fisher(0, 3, 0, 4) == 1);
    assert_true(fisher(3, 0, 4, 0) == 1 && fisher(1, 0, 0, 1) == 1);
    assert_true(isnan(fisher(UINT64_MAX, 1, 1, 1)));
    NEAR(fisher(250000, 250300, 249700, 250000),
         fisher_by_definition(250000, 250300, 249700, 250000), 1e-6);
    NEAR(fisher(1000, 499000, 1200, 498800), fisher_by_definition(1000, 499000, 1200, 498800),
         1e-6);
}

static void corrections(void **state)
{
    /* sorted 0.01 0.02 0.03 0.04 times 4 3 2 1, each at least the one before */
    double p[] = {0.04, 0.01, 0.03, 0.02};
    assert_true(th__adjust_holm(p, 4));
    const double holm[] = {0.06, 0.04, 0.06, 0.06};
    for (int i = 0; i < 4; i++)
        NEAR(p[i], holm[i], 1e-15);
    double odd[] = {NAN, 0, 0.2};
    assert_true(th__adjust_holm(odd, 3));
    assert_true(odd[0] == 1 && odd[1] == 0 && odd[2] == 0.4);
    double one = 0.3;
    assert_true(th__adjust_holm(&one, 1) && one == 0.3);
    assert_true(th__adjust_holm(NULL, 0));
}

static void *no_memory(void *context, void *memory, size_t size)
{
    return NULL;
}

static void holm_without_memory_changes_nothing(void **state)
{
    double p[] = {0.04, 0.01};
    th_set_allocator(no_memory, NULL);
    bool done = th__adjust_holm(p, 2);
    th_set_allocator(NULL, NULL);
    assert_false(done);
    assert_true(p[0] == 0.04 && p[1] == 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binomial_matches_hand_counts),
        cmocka_unit_test(binomial_keeps_its_far_tails),
        cmocka_unit_test(binomial_of_a_million),
        cmocka_unit_test(binomial_edges),
        cmocka_unit_test(binomial_identities),
        cmocka_unit_test(chi_square_tails),
        cmocka_unit_test(chi_square_edges),
        cmocka_unit_test(homogeneity_of_samples),
        cmocka_unit_test(fisher_matches_whole_number_sums),
        cmocka_unit_test(fisher_of_all_small_tables),
        cmocka_unit_test(fisher_edges_and_size),
        cmocka_unit_test(corrections),
        cmocka_unit_test(holm_without_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
