/* Edit distance and alignment against the plain table of the textbooks. */
#include "number_strings.h"

#include <math.h>
#include <time.h>

#include "alloc_fail.h"
#include "engine/papers/iepad/iepad.h"

static uint32_t plain_distance(const uint32_t *a, uint32_t m, const uint32_t *b, uint32_t n)
{
    uint32_t *row = malloc((n + 1) * sizeof *row);
    for (uint32_t j = 0; j <= n; j++)
        row[j] = j;
    for (uint32_t i = 1; i <= m; i++) {
        uint32_t corner = row[0];
        row[0] = i;
        for (uint32_t j = 1; j <= n; j++) {
            uint32_t cost = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            cost = row[j] + 1 < cost ? row[j] + 1 : cost;
            row[j] = row[j - 1] + 1 < cost ? row[j - 1] + 1 : cost;
        }
    }
    uint32_t answer = row[n];
    free(row);
    return answer;
}

static uint32_t distance_of(th__edit *edit, const char *a, const char *b, uint32_t bound)
{
    uint32_t x[64], y[64], m = letters(a, x), n = letters(b, y);
    return th__edit_distance(edit, (th__symbols){x, m}, (th__symbols){y, n}, bound);
}

static void test_by_hand(void **state)
{
    (void)state;
    th__edit e;
    th__edit_init(&e);
    assert_int_equal(distance_of(&e, "kitten", "sitting", TH__EDIT_ANY), 3);
    assert_int_equal(distance_of(&e, "kitten", "sitting", 3), 3);
    assert_int_equal(distance_of(&e, "kitten", "sitting", 2), 3);
    assert_int_equal(distance_of(&e, "kitten", "sitting", 1), 2);
    assert_int_equal(distance_of(&e, "kitten", "sitting", 0), 1);
    assert_int_equal(distance_of(&e, "", "abc", TH__EDIT_ANY), 3);
    assert_int_equal(distance_of(&e, "", "", 0), 0);
    assert_int_equal(distance_of(&e, "abc", "abc", 0), 0);
    assert_int_equal(distance_of(&e, "abc", "xyz", TH__EDIT_ANY), 3);
    th__edit_release(&e);
}

/* A changed copy of a: b differs in about `edits` places. Returns its length. */
static uint32_t change(uint32_t *seed, const uint32_t *a, uint32_t m, uint32_t *b, uint32_t edits,
                       uint32_t sigma)
{
    uint32_t n = m;
    memcpy(b, a, m * sizeof *a);
    while (edits-- > 0) {
        uint32_t at = n ? rnd(seed) % n : 0, kind = rnd(seed) % 3;
        if (kind == 0 && n > 0) {
            b[at] = rnd(seed) % sigma;
        } else if (kind == 1 && n > 0) {
            memmove(b + at, b + at + 1, (n - at - 1) * sizeof *b);
            n--;
        } else {
            memmove(b + at + 1, b + at, (n - at) * sizeof *b);
            b[at] = rnd(seed) % sigma;
            n++;
        }
    }
    return n;
}

static void check_bounds(th__edit *e, const uint32_t *a, uint32_t m, const uint32_t *b, uint32_t n)
{
    uint32_t wanted = plain_distance(a, m, b, n);
    uint32_t bounds[] = {TH__EDIT_ANY, wanted,         wanted + 1, wanted ? wanted - 1 : 0,
                         wanted / 2,   2 * wanted + 70};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        uint32_t answer = wanted <= bounds[i] ? wanted : bounds[i] + 1;
        assert_int_equal(th__edit_distance(e, (th__symbols){a, m}, (th__symbols){b, n}, bounds[i]),
                         answer);
        assert_int_equal(th__edit_distance(e, (th__symbols){b, n}, (th__symbols){a, m}, bounds[i]),
                         answer);
    }
}

static void test_random(void **state)
{
    (void)state;
    th__edit e;
    uint32_t seed = 11, a[700], b[700];
    th__edit_init(&e);
    for (int round = 0; round < 1500; round++) {
        uint32_t most = round % 3 == 0 ? 20 : round % 3 == 1 ? 130 : 400;
        uint32_t m = rnd(&seed) % most, sigma = 1 + rnd(&seed) % 8, n;
        random_string(&seed, a, m, sigma, 1);
        if (round % 2) {
            n = change(&seed, a, m, b, rnd(&seed) % 30, sigma);
        } else {
            n = rnd(&seed) % most;
            random_string(&seed, b, n, sigma, 1);
        }
        check_bounds(&e, a, m, b, n);
    }
    th__edit_release(&e);
}

/* So many different symbols that masks would not fit: cell by cell. */
static void test_large_alphabet(void **state)
{
    (void)state;
    enum { N = 9000 };
    uint32_t *a = malloc(N * sizeof *a), *b = malloc((N + 100) * sizeof *b), seed = 5;
    th__edit e;
    th__edit_init(&e);
    for (uint32_t i = 0; i < N; i++)
        a[i] = i * 3;
    for (uint32_t edits = 1; edits < 40; edits += 9) {
        uint32_t n = change(&seed, a, N, b, edits, 100000);
        b[0] = 1; /* no equal ends */
        b[n - 1] = 2;
        uint32_t wanted = plain_distance(a, N, b, n);
        assert_int_equal(th__edit_distance(&e, (th__symbols){a, N}, (th__symbols){b, n}, 60),
                         wanted);
        assert_int_equal(
            th__edit_distance(&e, (th__symbols){b, n}, (th__symbols){a, N}, wanted - 1), wanted);
    }
    th__edit_release(&e);
    free(a);
    free(b);
}

static void check_alignment(th__edit *e, const uint32_t *a, uint32_t m, const uint32_t *b,
                            uint32_t n, th__edit_pair *pairs)
{
    uint32_t count = 0, i = 0, j = 0, cost = 0;
    assert_int_equal(
        th__pair_align(e, (th__symbols){a, m}, (th__symbols){b, n}, pairs, &count, NULL), TH_OK);
    for (uint32_t p = 0; p < count; p++) {
        assert_false(pairs[p].a == TH__EDIT_NONE && pairs[p].b == TH__EDIT_NONE);
        if (pairs[p].a != TH__EDIT_NONE)
            assert_int_equal(pairs[p].a, i++);
        if (pairs[p].b != TH__EDIT_NONE)
            assert_int_equal(pairs[p].b, j++);
        cost += pairs[p].a == TH__EDIT_NONE || pairs[p].b == TH__EDIT_NONE ||
                a[pairs[p].a] != b[pairs[p].b];
    }
    assert_int_equal(i, m);
    assert_int_equal(j, n);
    assert_int_equal(cost, plain_distance(a, m, b, n));
}

static void test_align_random(void **state)
{
    (void)state;
    th__edit e;
    uint32_t seed = 17, a[300], b[300];
    th__edit_pair pairs[600];
    th__edit_init(&e);
    for (int round = 0; round < 1500; round++) {
        uint32_t m = rnd(&seed) % (round % 2 ? 12 : 150), sigma = 1 + rnd(&seed) % 5, n;
        random_string(&seed, a, m, sigma, 1);
        n = round % 4 < 2 ? change(&seed, a, m, b, rnd(&seed) % 12, sigma) : rnd(&seed) % 100;
        if (round % 4 >= 2)
            random_string(&seed, b, n, sigma, 1);
        check_alignment(&e, a, m, b, n, pairs);
    }
    th__edit_release(&e);
}

/* Equal choices: gaps stand as far right as they can. */
static void test_align_ties(void **state)
{
    (void)state;
    th__edit e;
    uint32_t a[8], b[8], count;
    th__edit_pair pairs[16];
    th__edit_init(&e);
    uint32_t m = letters("xt", a), n = letters("xtt", b);
    assert_int_equal(
        th__pair_align(&e, (th__symbols){a, m}, (th__symbols){b, n}, pairs, &count, NULL), TH_OK);
    assert_int_equal(count, 3);
    assert_int_equal(pairs[1].a, 1);
    assert_int_equal(pairs[2].a, TH__EDIT_NONE);
    assert_int_equal(pairs[2].b, 2);
    th__edit_release(&e);
}

static void test_large(void **state)
{
    (void)state;
    enum { N = 200000 };
    uint32_t *a = malloc(N * sizeof *a), *b = malloc((N + 64) * sizeof *b), seed = 9;
    th__edit_pair *pairs = malloc((2 * N + 64) * sizeof *pairs);
    th__edit e;
    th__edit_init(&e);
    random_string(&seed, a, N, 30, 1);
    uint32_t n = change(&seed, a, N, b, 50, 30), count;
    clock_t begin = clock();
    uint32_t d = th__edit_distance(&e, (th__symbols){a, N}, (th__symbols){b, n}, 50);
    assert_true(d > 0 && d <= 50);
    assert_int_equal(th__edit_distance(&e, (th__symbols){a, N}, (th__symbols){b, n}, d - 1), d);
    print_message("200,000 symbols, bound 50: %.3f s for two\n",
                  (double)(clock() - begin) / CLOCKS_PER_SEC);
    /* with a bound, far strings are told apart by their lengths or soon after */
    assert_int_equal(th__edit_distance(&e, (th__symbols){a, N}, (th__symbols){b, n / 2}, 50), 51);
    th_error err;
    random_string(&seed, b, 20000, 30, 1);
    assert_int_equal(
        th__pair_align(&e, (th__symbols){a, 20000}, (th__symbols){b, 20000}, pairs, &count, &err),
        TH_ERR_LIMIT);
    th__edit_release(&e);
    free(a);
    free(b);
    free(pairs);
}

static th_status once(void *context)
{
    const uint32_t *t = context;
    th__edit e;
    th__edit_pair pairs[400];
    uint32_t count;
    th_error err;
    th__edit_init(&e);
    th_status status = TH_OK;
    if (th__edit_distance(&e, (th__symbols){t, 90}, (th__symbols){t + 90, 100}, TH__EDIT_ANY) ==
        TH__EDIT_NO_MEMORY)
        status = TH_ERR_MEMORY;
    if (!status)
        status = th__pair_align(&e, (th__symbols){t, 90}, (th__symbols){t + 90, 100}, pairs, &count,
                                &err);
    th__edit_release(&e);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    uint32_t t[200], seed = 1;
    random_string(&seed, t, 200, 9, 1);
    th_test_each_allocation_fails(once, t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),        cmocka_unit_test(test_random),
        cmocka_unit_test(test_large_alphabet), cmocka_unit_test(test_align_random),
        cmocka_unit_test(test_align_ties),     cmocka_unit_test(test_large),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
