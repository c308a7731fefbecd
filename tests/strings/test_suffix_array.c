/* Suffix arrays and maximal repeats: by hand, against brute force, and at sizes where anything
 * above linear would show. */
#include "number_strings.h"

#include <time.h>

#include "alloc_fail.h"
#include "base/vec.h"
#include "engine/papers/iepad/iepad.h"

static th__arena arena; /* of all that a test makes */

static void expect_sa(const char *text, const uint32_t *sa, const uint32_t *lcp)
{
    uint32_t symbols[64], n = letters(text, symbols);
    th__suffixes s;
    assert_int_equal(th__suffixes_init(&s, symbols, n, &arena, NULL), TH_OK);
    assert_int_equal(s.len, n);
    assert_memory_equal(s.sa, sa, n * sizeof *sa);
    assert_memory_equal(s.lcp, lcp, n * sizeof *lcp);
}

static void test_by_hand(void **state)
{
    (void)state;
    expect_sa("banana", (uint32_t[]){5, 3, 1, 0, 4, 2}, (uint32_t[]){0, 1, 3, 0, 0, 2});
    expect_sa("mississippi", (uint32_t[]){10, 7, 4, 1, 0, 9, 8, 6, 3, 5, 2},
              (uint32_t[]){0, 1, 1, 4, 0, 0, 1, 0, 2, 1, 3});
    expect_sa("a", (uint32_t[]){0}, (uint32_t[]){0});
    expect_sa("aaaa", (uint32_t[]){3, 2, 1, 0}, (uint32_t[]){0, 1, 2, 3});
    th__suffixes s;
    assert_int_equal(th__suffixes_init(&s, NULL, 0, &arena, NULL), TH_OK);
    assert_int_equal(s.len, 0);
}

static uint32_t shared_prefix(const uint32_t *t, uint32_t n, uint32_t a, uint32_t b)
{
    uint32_t k = 0;
    while (a + k < n && b + k < n && t[a + k] == t[b + k])
        k++;
    return k;
}

/* Checks order and lcp of every neighbouring pair: with sa a permutation that is all there is. */
static void check_suffixes(const th__suffixes *s, const uint32_t *t, uint32_t n)
{
    uint8_t *seen = calloc(n + 1, 1);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(s->sa[i] < n && !seen[s->sa[i]]);
        seen[s->sa[i]] = 1;
        if (i == 0) {
            assert_int_equal(s->lcp[0], 0);
            continue;
        }
        uint32_t a = s->sa[i - 1], b = s->sa[i], k = shared_prefix(t, n, a, b);
        assert_int_equal(s->lcp[i], k);
        assert_true(a + k == n || (b + k < n && t[a + k] < t[b + k]));
    }
    free(seen);
}

static void test_random(void **state)
{
    (void)state;
    uint32_t seed = 7, t[300];
    for (int round = 0; round < 3000; round++) {
        uint32_t n = rnd(&seed) % 300, sigma = 1 + rnd(&seed) % 6;
        /* symbols of one digit, of two, and of all 32 bits */
        uint32_t stride = round % 3 == 0 ? 1 : round % 3 == 1 ? 9973 : 700000001;
        random_string(&seed, t, n, sigma, stride);
        th__suffixes s;
        assert_int_equal(th__suffixes_init(&s, t, n, &arena, NULL), TH_OK);
        check_suffixes(&s, t, n);
    }
}

static void test_too_long(void **state)
{
    (void)state;
    th__suffixes s;
    th_error err;
    assert_int_equal(th__suffixes_init(&s, NULL, (size_t)TH__SUFFIXES_MAX + 1, &arena, &err),
                     TH_ERR_LIMIT);
    assert_non_null(strstr(err.message, "limit"));
}

/* ---- repeats ------------------------------------------------------------------------------ */

typedef struct found {
    TH__VEC(th__repeat) list;
    size_t most; /* stop after so many */
} found;

static bool collect(void *context, const th__repeat *repeat)
{
    found *f = context;
    assert_true(th__vec_push(&f->list, *repeat));
    return f->list.len < f->most;
}

static found repeats_of(const uint32_t *t, uint32_t n, th__suffixes *s,
                        const th__repeats_options *options)
{
    found f = {.most = SIZE_MAX};
    assert_int_equal(th__suffixes_init(s, t, n, &arena, NULL), TH_OK);
    assert_true(th__repeats_walk(s, t, options, collect, &f));
    return f;
}

static bool has_repeat(const found *f, const th__suffixes *s, const uint32_t *t, const char *text,
                       uint32_t count)
{
    uint32_t want[64], len = letters(text, want);
    for (size_t i = 0; i < f->list.len; i++) {
        const th__repeat *r = &f->list.data[i];
        if (r->len == len && memcmp(t + s->sa[r->first], want, len * sizeof *want) == 0)
            return th__repeat_count(r) == count;
    }
    return false;
}

static void test_mississippi(void **state)
{
    (void)state;
    uint32_t t[16], n = letters("mississippi", t);
    th__suffixes s;
    found f = repeats_of(t, n, &s, NULL);
    assert_int_equal(f.list.len, 4);
    assert_true(has_repeat(&f, &s, t, "i", 4));
    assert_true(has_repeat(&f, &s, t, "issi", 2));
    assert_true(has_repeat(&f, &s, t, "p", 2));
    assert_true(has_repeat(&f, &s, t, "s", 4));
    th__vec_release(&f.list);

    f = repeats_of(t, n, &s, &(th__repeats_options){.with_not_left = true});
    assert_int_equal(f.list.len, 7 - 1); /* and ssi, si: not left maximal */
    assert_true(has_repeat(&f, &s, t, "ssi", 2));
    th__vec_release(&f.list);
}

static void test_options_and_stop(void **state)
{
    (void)state;
    uint32_t t[16], n = letters("mississippi", t);
    th__suffixes s;
    found f = repeats_of(t, n, &s, &(th__repeats_options){.min_len = 2});
    assert_int_equal(f.list.len, 1);
    f.list.len = 0;
    assert_true(th__repeats_walk(&s, t, &(th__repeats_options){.min_count = 4}, collect, &f));
    assert_int_equal(f.list.len, 2);
    f.list.len = 0;
    f.most = 1;
    assert_false(th__repeats_walk(&s, t, NULL, collect, &f));
    assert_int_equal(f.list.len, 1);
    th__vec_release(&f.list);
}

/* x(abc)^10 y: six nested maximal repeats of three and more symbols and five occurrences; the
 * overlapping powers of abc and their parts. */
static void test_powers(void **state)
{
    (void)state;
    uint32_t t[64], n = letters("xabcabcabcabcabcabcabcabcabcabcy", t);
    th__suffixes s;
    found f = repeats_of(t, n, &s, &(th__repeats_options){.min_len = 3, .min_count = 5});
    const char *powers[] = {"abc",          "abcabc",          "abcabcabc",
                            "abcabcabcabc", "abcabcabcabcabc", "abcabcabcabcabcabc"};
    assert_int_equal(f.list.len, 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_true(has_repeat(&f, &s, t, powers[i], 10 - i));
    th__vec_release(&f.list);
}

/* Counts maximal repeats by trying every substring. */
static uint32_t brute_force_count(const uint32_t *t, uint32_t n, uint32_t *occurrences)
{
    uint32_t count = 0;
    *occurrences = 0;
    for (uint32_t start = 0; start < n; start++)
        for (uint32_t len = 1; start + len <= n; len++) {
            bool first = true, left = false, right = false;
            uint32_t occurs = 0, before = 0, after = 0;
            for (uint32_t at = 0; at + len <= n; at++) {
                if (memcmp(t + at, t + start, len * sizeof *t) != 0)
                    continue;
                first &= at >= start;
                uint32_t b = at ? t[at - 1] : UINT32_MAX,
                         a = at + len < n ? t[at + len] : UINT32_MAX;
                left |= occurs && b != before;
                right |= occurs && a != after;
                before = b;
                after = a;
                occurs++;
            }
            if (first && occurs >= 2 && left && right) {
                count++;
                *occurrences += occurs;
            }
        }
    return count;
}

static void test_repeats_random(void **state)
{
    (void)state;
    uint32_t seed = 3, t[40];
    for (int round = 0; round < 400; round++) {
        uint32_t n = 1 + rnd(&seed) % 40, occurrences, sum = 0;
        random_string(&seed, t, n, 1 + rnd(&seed) % 3, 1);
        uint32_t wanted = brute_force_count(t, n, &occurrences);
        th__suffixes s;
        found f = repeats_of(t, n, &s, NULL);
        assert_int_equal(f.list.len, wanted);
        for (size_t i = 0; i < f.list.len; i++)
            sum += th__repeat_count(&f.list.data[i]);
        assert_int_equal(sum, occurrences);
        th__vec_release(&f.list);
    }
}

/* ---- size --------------------------------------------------------------------------------- */

static void test_large(void **state)
{
    (void)state;
    enum { N = 1000000 };
    uint32_t *t = malloc(N * sizeof *t), seed = 1;
    for (int kind = 0; kind < 4; kind++) {
        if (kind == 0)
            for (uint32_t i = 0; i < N; i++)
                t[i] = 5;
        else if (kind == 1)
            fibonacci_string(t, N);
        else if (kind == 2)
            random_string(&seed, t, N, 40, 1);
        else
            for (uint32_t i = 0; i < N; i++)
                t[i] = N - i; /* all different and falling */
        clock_t begin = clock();
        th__suffixes s;
        found f = repeats_of(t, N, &s, &(th__repeats_options){.min_len = 3});
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        assert_true(f.list.len < N);
        if (kind == 0) { /* a^2 .. a^(N-1) */
            assert_int_equal(f.list.len, N - 3);
            for (uint32_t i = 0; i < N; i++)
                assert_true(s.sa[i] == N - 1 - i && s.lcp[i] == i);
        }
        if (kind == 3)
            assert_int_equal(f.list.len, 0);
        /* A quadratic step would take days and run into the test's time limit. */
        print_message("1,000,000 symbols, kind %d: %.2f s\n", kind, seconds);
        th__vec_release(&f.list);
        th__arena_clear(&arena);
    }
    free(t);
}

static bool ignore_repeat(void *context, const th__repeat *repeat)
{
    (void)context;
    return repeat->len > 0;
}

static th_status once(void *context)
{
    th__suffixes s;
    th_error err;
    const uint32_t *t = context;
    th_status status = th__suffixes_init(&s, t, 32, &arena, &err);
    if (!status && !th__repeats_walk(&s, t, NULL, ignore_repeat, NULL))
        status = TH_ERR_MEMORY;
    th__arena_release(&arena);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    uint32_t t[64];
    letters("abracadabra banana abracadabra ba", t);
    th__arena_release(&arena);
    th_test_each_allocation_fails(once, t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),          cmocka_unit_test(test_random),
        cmocka_unit_test(test_too_long),         cmocka_unit_test(test_mississippi),
        cmocka_unit_test(test_options_and_stop), cmocka_unit_test(test_powers),
        cmocka_unit_test(test_repeats_random),   cmocka_unit_test(test_large),
        cmocka_unit_test(test_memory),
    };
    th__arena_init(&arena);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    th__arena_release(&arena);
    return failed;
}
