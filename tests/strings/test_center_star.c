/* Center-star alignment, and patterns with options and alternatives. */
#include "number_strings.h"

#include "alloc_fail.h"
#include "engine/papers/iepad/iepad.h"

static th__arena arena; /* of all that a test makes */

static void letter_name(const void *context, uint32_t symbol, th__buf *out)
{
    (void)context;
    th__buf_add_byte(out, (char)symbol);
}

/* Strings of letters, aligned; the pattern as text into `text`. */
typedef struct sample {
    uint32_t symbols[8][32];
    th__symbols strings[8];
    uint32_t count;
    th__star star;
    th__pattern pattern;
} sample;

static th_status align(sample *s, const char *const *texts, const th__star_options *options,
                       th_error *err)
{
    s->count = 0;
    for (; texts[s->count]; s->count++)
        s->strings[s->count] =
            (th__symbols){s->symbols[s->count], letters(texts[s->count], s->symbols[s->count])};
    s->pattern = th__pattern_in(&arena);
    th_status status =
        th__star_align(&s->star, s->strings, s->count,
                       options ? options : &(th__star_options){.candidates = 32}, &arena, err);
    return status ? status : th__star_pattern(&s->star, s->strings, &s->pattern, err);
}

static void expect_pattern(const char *const *texts, const char *wanted)
{
    sample s;
    th__buf text = {0};
    assert_int_equal(align(&s, texts, NULL, NULL), TH_OK);
    th__pattern_print(&s.pattern, letter_name, NULL, &text);
    th__buf_add_byte(&text, 0);
    assert_string_equal(text.data, wanted);
    /* the pattern matches every string whole */
    th__matcher m;
    assert_true(th__matcher_init(&m, &s.pattern, &arena));
    for (uint32_t i = 0; i < s.count; i++)
        assert_int_equal(th__matcher_longest(&m, s.symbols[i], s.strings[i].len, 0),
                         s.strings[i].len);
    th__buf_release(&text);
}

static void test_paper(void **state)
{
    (void)state;
    expect_pattern((const char *[]){"adcbd", "adcxb", "adcxbd", NULL}, "adc[x|-]b[d|-]");
    expect_pattern((const char *[]){"UNAM", "UNA", "UNM", "NA", NULL}, "[U|-]N[A|M][M|-]");
    expect_pattern((const char *[]){"abc", "abc", NULL}, "abc");
    expect_pattern((const char *[]){"abc", "axc", NULL}, "a[b|x]c");
    expect_pattern((const char *[]){"a", NULL}, "a");
    expect_pattern((const char *[]){"", "b", NULL}, "[b|-]");
}

/* Insertions of several strings at one place share columns. */
static void test_shared_gap(void **state)
{
    (void)state;
    expect_pattern((const char *[]){"ab", "ab", "ab", "axyb", "azb", NULL}, "a[x|z|-][y|-]b");
    sample s;
    assert_int_equal(align(&s, (const char *[]){"ab", "ab", "ab", "axyb", "azb", NULL}, NULL, NULL),
                     TH_OK);
    assert_int_equal(s.star.rows, 3);
    assert_int_equal(s.star.count, 5);
    assert_int_equal(s.star.width, 4);
    assert_int_equal(s.star.center, 0);
    assert_int_equal(s.star.weight[0], 3);
    assert_int_equal(s.star.row_of[4], 2);
    assert_int_equal(s.star.string_of[2], 4);
}

static void test_limits(void **state)
{
    (void)state;
    sample s;
    th_error err;
    const char *far[] = {"abc", "abc", "xyz", NULL};
    assert_int_equal(align(&s, far, &(th__star_options){.max_distance = 2}, &err), TH_ERR_LIMIT);
    assert_non_null(strstr(err.message, "3 places"));
    assert_int_equal(align(&s, far, &(th__star_options){.max_distance = 3, .candidates = 1}, &err),
                     TH_OK);
    th__star none;
    assert_int_equal(th__star_align(&none, NULL, 0, NULL, &arena, NULL), TH_OK);
    th__pattern p = th__pattern_in(&arena);
    uint32_t many[TH__COLUMN_MAX + 1] = {0};
    assert_int_equal(th__pattern_add(&p, many, TH__COLUMN_MAX + 1, false, &err), TH_ERR_LIMIT);
    for (uint32_t i = 0; i < TH__PATTERN_MAX; i++)
        assert_int_equal(th__pattern_add(&p, &i, 1, false, NULL), TH_OK);
    assert_int_equal(th__pattern_add(&p, many, 1, false, &err), TH_ERR_LIMIT);
}

/* ---- patterns ----------------------------------------------------------------------------- */

/* Reads a pattern in the paper's notation. */
static void read_pattern(const char *text, th__pattern *out)
{
    *out = th__pattern_in(&arena);
    for (const char *at = text; *at; at++) {
        uint32_t set[32], count = 0;
        bool optional = false;
        if (*at != '[')
            set[count++] = (unsigned char)*at;
        else
            for (at++; *at != ']'; at++) {
                if (*at == '-')
                    optional = true;
                else if (*at != '|')
                    set[count++] = (unsigned char)*at;
            }
        assert_int_equal(th__pattern_add(out, set, count, optional, NULL), TH_OK);
    }
}

static void expect_matches(const char *pattern, const char *text, const char *wanted)
{
    th__pattern p;
    th__matcher m;
    uint32_t t[256], n = letters(text, t), len;
    char got[256] = "";
    read_pattern(pattern, &p);
    assert_true(th__matcher_init(&m, &p, &arena));
    for (uint32_t at = 0; at < n; at += len ? len : 1) {
        len = th__matcher_longest(&m, t, n, at);
        if (len)
            sprintf(got + strlen(got), "%u+%u ", at, len);
    }
    assert_string_equal(got, wanted);
}

static void test_match(void **state)
{
    (void)state;
    expect_matches("adc[x|-]b[d|-]", "adcbdadcxbadcxbdadc", "0+5 5+5 10+6 ");
    expect_matches("adc[x|-]b[d|-]", "..adcb.adcx", "2+4 ");
    /* the paper's rule for four permutations of attributes */
    expect_matches("[U|-]N[A|-][M|-]", "UNAM.UNA.UNM.NA", "0+4 5+3 9+3 13+2 ");
    expect_matches("[a|-][b|-]", "xabxbxax", "1+2 4+1 6+1 ");
    expect_matches("[a|b]c", "acbccab", "0+2 2+2 ");
    expect_matches("abc", "ababcab", "2+3 ");
    expect_matches("a[a|-][a|-]", "aaaaa", "0+3 3+2 ");
    expect_matches("a", "", "");
}

static void expect_columns(const char *pattern, const char *text, const uint32_t *wanted)
{
    th__pattern p;
    uint32_t t[64], columns[64], n = letters(text, t);
    read_pattern(pattern, &p);
    assert_int_equal(th__pattern_align(&p, t, n, columns, NULL), TH_OK);
    assert_memory_equal(columns, wanted, n * sizeof *wanted);
}

static void test_columns(void **state)
{
    (void)state;
    expect_columns("adc[x|-]b[d|-]", "adcbd", (uint32_t[]){0, 1, 2, 4, 5});
    expect_columns("adc[x|-]b[d|-]", "adcxb", (uint32_t[]){0, 1, 2, 3, 4});
    expect_columns("[t|-][t|-][t|-]b", "ttb", (uint32_t[]){0, 1, 3});
    expect_columns("a[t|-][u|-][t|-]b", "autb", (uint32_t[]){0, 2, 3, 4});
}

static void test_prefix(void **state)
{
    (void)state;
    th__pattern p;
    th__matcher m;
    uint32_t t[16], columns[16], end, n = letters("adcbzadcx", t);
    read_pattern("adc[x|-]b[d|-]e", &p);
    assert_true(th__matcher_init(&m, &p, &arena));
    assert_int_equal(th__matcher_longest(&m, t, n, 0), 0);
    assert_int_equal(th__matcher_prefix(&m, t, n, 0, &end), 4);
    assert_int_equal(end, 5);
    p.len = end;
    assert_int_equal(th__pattern_align(&p, t, 4, columns, NULL), TH_OK);
    assert_int_equal(columns[3], 4);
    assert_int_equal(th__matcher_prefix(&m, t, n, 5, &end), 4);
    assert_int_equal(end, 4);
    assert_int_equal(th__matcher_prefix(&m, t, n, 4, &end), 0);
    assert_int_equal(end, 0);
}

static void test_align_to_pattern(void **state)
{
    (void)state;
    const uint32_t no = TH__NO_COLUMN;
    expect_columns("adc[x|-]b[d|-]", "adcbd", (uint32_t[]){0, 1, 2, 4, 5});
    expect_columns("[t|-][t|-][t|-]b", "ttb", (uint32_t[]){0, 1, 3});
    expect_columns("abc", "zazc", (uint32_t[]){no, 0, no, 2});
    expect_columns("a[b|-]c", "acc", (uint32_t[]){0, no, 2});
    expect_columns("abc", "zz", (uint32_t[]){no, no});
}

/* Whether columns from `column` on can match exactly text[at..end). */
static bool slow_match(const th__pattern *p, uint32_t column, const uint32_t *t, uint32_t at,
                       uint32_t end)
{
    if (column == p->len)
        return at == end;
    if (p->columns[column].optional && slow_match(p, column + 1, t, at, end))
        return true;
    return at < end && th__column_has(p, column, t[at]) &&
           slow_match(p, column + 1, t, at + 1, end);
}

static void test_match_random(void **state)
{
    (void)state;
    uint32_t seed = 21, t[24];
    for (int round = 0; round < 4000; round++) {
        th__pattern p = th__pattern_in(&arena);
        th__matcher m;
        uint32_t columns = 1 + rnd(&seed) % 9, n = rnd(&seed) % 20;
        /* some rounds with columns in front, so that the interesting ones cross a word */
        uint32_t front = round % 4 == 0 ? 58 : 0;
        for (uint32_t i = 0; i < front; i++)
            assert_int_equal(th__pattern_add(&p, &(uint32_t){9}, 1, true, NULL), TH_OK);
        for (uint32_t i = 0; i < columns; i++) {
            uint32_t set[2] = {rnd(&seed) % 3, rnd(&seed) % 3};
            assert_int_equal(th__pattern_add(&p, set, 1 + rnd(&seed) % 2, rnd(&seed) % 2, NULL),
                             TH_OK);
        }
        random_string(&seed, t, n, 3, 1);
        assert_true(th__matcher_init(&m, &p, &arena));
        for (uint32_t at = 0; at < n; at++) {
            uint32_t wanted = 0;
            for (uint32_t len = 1; at + len <= n; len++)
                if (slow_match(&p, front, t, at, at + len))
                    wanted = len;
            uint32_t got = th__matcher_longest(&m, t, n, at), where[24];
            assert_int_equal(got, wanted);
            if (got == 0)
                continue;
            assert_int_equal(th__pattern_align(&p, t + at, got, where, NULL), TH_OK);
            uint32_t next = 0;
            for (uint32_t i = 0; i < got; i++, next++) {
                for (; next < where[i]; next++)
                    assert_true(p.columns[next].optional);
                assert_int_equal(next, where[i]);
                assert_true(th__column_has(&p, where[i], t[at + i]));
            }
            for (; next < p.len; next++)
                assert_true(p.columns[next].optional);
        }
    }
}

static void expect_text(const th__pattern *p, const char *wanted)
{
    th__buf text = {0};
    th__pattern_print(p, letter_name, NULL, &text);
    th__buf_add_byte(&text, 0);
    assert_string_equal(text.data, wanted);
    th__buf_release(&text);
}

static void test_turned(void **state)
{
    (void)state;
    th__pattern p, q;
    read_pattern("ab[c|-]", &p);
    assert_true(th__pattern_turned(&p, 2, &arena, &q));
    expect_text(&q, "[c|-]ab");
    assert_true(th__pattern_turned(&q, 4, &arena, &p));
    expect_text(&p, "ab[c|-]");
}

static void test_cut_power(void **state)
{
    (void)state;
    const char *const cases[][2] = {{"abab", "ab"},
                                    {"aaa", "a"},
                                    {"aba", "aba"},
                                    {"a[b|-]a[b|-]", "a[b|-]"},
                                    {"a[b|-]ab", "a[b|-]ab"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        th__pattern p;
        read_pattern(cases[i][0], &p);
        th__pattern_cut_power(&p);
        expect_text(&p, cases[i][1]);
    }
}

static th_status once(void *context)
{
    sample *s = context;
    th_error err;
    const char *texts[] = {"adcbd", "adcxb", "adcxbd", "adcbd", NULL};
    th__matcher m;
    th__pattern turned;
    uint32_t columns[32];
    th__arena_init(&arena);
    th_status status = align(s, texts, NULL, &err);
    if (!status && (!th__matcher_init(&m, &s->pattern, &arena) ||
                    !th__pattern_turned(&s->pattern, 1, &arena, &turned)))
        status = TH_ERR_MEMORY;
    if (!status)
        status = th__pattern_align(&s->pattern, s->symbols[0], 5, columns, &err);
    th__arena_release(&arena);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    sample s;
    th__arena_release(&arena);
    th_test_each_allocation_fails(once, &s);
}

int main(void)
{
    th__arena_init(&arena);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper),
        cmocka_unit_test(test_shared_gap),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_match),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_align_to_pattern),
        cmocka_unit_test(test_match_random),
        cmocka_unit_test(test_turned),
        cmocka_unit_test(test_cut_power),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
