/*
 * DataPro's examples: "Accurately and Reliably Extracting Data from the Web: A Machine Learning
 * Approach", section 4. Probabilities in the comments are computed by hand from the definitions in
 * check/check.h.
 */
#include "test.h"

#include "alloc_fail.h"
#include "base/stats.h"
#include "check/check.h"

/* The patterns of values as "pattern=count", most frequent first, one a line. */
static th_status describe(const char *const *values, size_t count, bool endings, th__buf *out)
{
    th__dp_value *split = calloc(count + 1, sizeof *split);
    th__forms patterns = {0};
    th__arena arena;
    th__arena_init(&arena);
    for (size_t i = 0; split && i < count; i++)
        th__dp_split(th_str_from(values[i]), &split[i]);
    bool ok = split && th__datapro(split, count, endings, &arena, &patterns);
    for (uint32_t i = 0; ok && i < patterns.count; i++) {
        th__form_print(&patterns.data[i], endings, out);
        th__buf_printf(out, "=%u\n", patterns.data[i].count);
    }
    th__buf_add_byte(out, '\0');
    th__arena_release(&arena);
    free(split);
    return ok && !out->failed ? TH_OK : TH_ERR_MEMORY;
}

static void expect(const char *const *values, size_t count, bool endings, const char *patterns)
{
    th__buf out = {0};
    assert_int_equal(describe(values, count, endings, &out), TH_OK);
    assert_string_equal(out.data, patterns);
    th__buf_release(&out);
}

static const char *const addresses[] = {"12 Pico St.", "512 Oak Blvd.", "416 Main St.",
                                        "97 Adams Blvd."};

/*
 * Start. A number begins 4 of 4 values: 0.06^4 = 0.0000130. A capitalized word follows in 4 of 4:
 * 0.41^4 = 0.0283. Four tokens: the first half is described by the beginning.
 *
 * End. "." ends 4 of 4; of the 12 other tokens none is ".": 1/14, and 1/14^4 = 0.0000260. Before it
 * stands "St" in 2 of 4, nowhere else: again 1/14. P(X >= 2) = 1 - (13/14)^4 - 4 (1/14) (13/14)^3 =
 * 1 - 0.743466 - 0.228759 = 0.0278. So does "Blvd". Nothing is left for a class.
 */
static void test_addresses(void **state)
{
    th__buf out = {0};
    expect(addresses, 4, false, "_Number_ _Capitalized_=4\n");
    assert_int_equal(describe(addresses, 4, true, &out), TH_OK);
    assert_non_null(strstr(out.data, "Blvd .=2\n"));
    assert_non_null(strstr(out.data, "St .=2\n"));
    assert_int_equal(strlen(out.data), strlen("Blvd .=2\nSt .=2\n"));
    assert_float_equal(th__binomial_upper(2, 4, 1.0 / 14), 0.027775, 1e-5);
    assert_float_equal(th__binomial_upper(4, 4, 0.41), 0.028258, 1e-5);
    th__buf_release(&out);
}

/* Values of cities: haven times "New Haven", york times "New York", then others. */
static size_t cities(const char **out, size_t haven, size_t york, size_t others)
{
    static const char *const names[] = {"New Bedford", "New Orleans", "New Castle", "New Iberia",
                                        "New Albany",  "New Britain", "New London", "New Ulm"};
    size_t n = 0;
    while (haven--)
        out[n++] = "New Haven";
    while (york--)
        out[n++] = "New York";
    for (size_t i = 0; i < others; i++)
        out[n++] = names[i];
    return n;
}

/*
 * 10 times New Haven, 12 times New York. Three others: 0.41^3 = 0.0689, which chance explains, so
 * that "New _Capitalized_" is no pattern. Four: 0.41^4 = 0.0283, significantly more than 22.
 */
static void test_new(void **state)
{
    const char *values[32];
    expect(values, cities(values, 10, 12, 0), false, "New York=12\nNew Haven=10\n");
    expect(values, cities(values, 10, 12, 3), false, "New York=12\nNew Haven=10\nNew=3\n");
    expect(values, cities(values, 10, 12, 4), false,
           "New York=12\nNew Haven=10\nNew _Capitalized_=4\n");
}

/*
 * Whether "New" is still a pattern beside the longer ones. In the case above of three others, "New"
 * begins 25 of 25; 22 of them have a longer pattern, 3 of 3 are left. Of the 50 tokens 25 stand
 * elsewhere, none of them "New": (0 + 1) / (25 + 2) = 0.037, and 0.037^3 = 0.00005: it is one. With
 * one other value it is none: what a single value does is no pattern.
 */
static void test_extraction(void **state)
{
    const char *values[32];
    expect(values, cities(values, 10, 12, 1), false, "New York=12\nNew Haven=10\n");
    assert_float_equal(th__binomial_upper(3, 3, 1.0 / 27), 0.0000508, 1e-7);
}

/* Of 8 values 3 begin with "the", which also stands elsewhere 5 times in 16 tokens: 6/18 is above
 * half the chance of a lower-case word, 0.16. P(X >= 3 | 8, 0.16) = 0.1226: chance. */
static void test_token_that_is_everywhere(void **state)
{
    static const char *const values[] = {"the B the", "the D the", "the F the", "q H the",
                                         "Z H the",   "9 c x",     "# G y",     "Y 7 z"};
    th__buf out = {0};
    assert_int_equal(describe(values, 8, false, &out), TH_OK);
    assert_null(strstr(out.data, "the"));
    assert_float_equal(th__binomial_upper(3, 8, 0.16), 0.12260, 1e-4);
    th__buf_release(&out);
}

static void test_odd_values(void **state)
{
    static const char *const one[] = {"12 Pico St."};
    static const char *const empty[] = {"", "", "", ""};
    static const char *const east[] = {"東京", "大阪", "京都", "奈良", "神戸"};
    static char long_value[2000];
    memset(long_value, 'x', sizeof long_value - 1);
    const char *lengthy[] = {long_value, long_value, long_value, long_value, long_value};
    th__buf out = {0};
    expect(one, 1, false, "");
    expect(empty, 4, true, "");
    expect(east, 5, false, "_Uncased_=5\n");
    assert_int_equal(describe(lengthy, 5, true, &out), TH_OK);
    assert_true(out.len > 2);
    th__buf_release(&out);
}

/* A long value is read at its two ends alone. */
static void test_long_value(void **state)
{
    static char text[3000];
    th__dp_value value;
    memset(text, 'y', sizeof text);
    memcpy(text, "One 2 three, ", 13);
    memcpy(text + sizeof text - 12, " four 5 six.", 12);
    th__dp_split((th_str){text, sizeof text}, &value);
    assert_int_equal(value.heads, 4);
    assert_int_equal(value.tails, 4);
    assert_memory_equal(value.head[2].text.ptr, "three", 5);
    assert_memory_equal(value.tail[1].text.ptr, "six", 3);
    assert_memory_equal(value.tail[3].text.ptr, "four", 4);
}

static th_status describe_addresses(void *context)
{
    th__buf out = {0};
    th_status status = describe(addresses, 4, true, &out);
    th__buf_release(&out);
    return status;
}

static void test_memory(void **state)
{
    th_test_each_allocation_fails(describe_addresses, NULL);
}

/* Which pattern a new value has: what verification counts. "Fig." is none of the field's. */
static void test_pattern_of(void **state)
{
    static const char *const values[] = {"3 Elm St.", "8 Fox Blvd.", "9 Oak Fig.", "Oak St."};
    static const int begin[] = {0, 0, 0, -1}, same_end[] = {1, 1, 0, 1};
    th__dp_value split[4];
    th__forms patterns[TH__ENDS] = {{0}};
    th__arena arena;
    th__arena_init(&arena);
    for (int i = 0; i < 4; i++)
        th__dp_split(th_str_from(addresses[i]), &split[i]);
    for (int end = 0; end < TH__ENDS; end++)
        assert_true(th__datapro(split, 4, end == TH__END, &arena, &patterns[end]));
    for (int i = 0; i < 4; i++) {
        th__dp_value value;
        th__dp_split(th_str_from(values[i]), &value);
        uint32_t none = patterns[TH__START].count;
        assert_int_equal(th__pattern_of(&patterns[TH__START], &value, TH__START),
                         begin[i] < 0 ? none : (uint32_t)begin[i]);
        assert_int_equal(th__pattern_of(&patterns[TH__END], &value, TH__END) <
                             patterns[TH__END].count,
                         same_end[i]);
    }
    th__arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),  cmocka_unit_test(test_new),
        cmocka_unit_test(test_extraction), cmocka_unit_test(test_token_that_is_everywhere),
        cmocka_unit_test(test_odd_values), cmocka_unit_test(test_long_value),
        cmocka_unit_test(test_memory),     cmocka_unit_test(test_pattern_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
