/* UTF-8: what is valid, where the first fault lies, and what a bad sequence becomes. */
#include "test.h"

#include "base/str.h"
#include "base/utf8.h"

/* The definition, written out slowly, to hold the fast validator to. */
static size_t slow_valid(const char *text, size_t len)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t i = 0;
    while (i < len) {
        unsigned need = s[i] < 0x80       ? 1
                        : s[i] >> 5 == 6  ? 2
                        : s[i] >> 4 == 14 ? 3
                        : s[i] >> 3 == 30 ? 4
                                          : 0;
        if (need == 0 || i + need > len)
            return i;
        uint32_t code = need == 1 ? s[i] : s[i] & (0x7Fu >> need);
        for (unsigned k = 1; k < need; k++) {
            if (s[i + k] >> 6 != 2)
                return i;
            code = code << 6 | (s[i + k] & 0x3F);
        }
        static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
        if (code < least[need] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
            return i;
        i += need;
    }
    return i;
}

static void every_code_point_goes_there_and_back(void **state)
{
    for (uint32_t code = 0; code < 0x110010; code++) {
        char bytes[8] = {0};
        uint32_t back, fast;
        bool bad, is_character = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
        unsigned len = th__utf8_encode(code, bytes);
        assert_int_equal(th__utf8_decode(bytes, bytes + len, &back, &bad), len);
        assert_int_equal(th__utf8_next(bytes, &fast), len);
        assert_false(bad);
        assert_int_equal(back, is_character ? code : 0xFFFD);
        assert_int_equal(fast, back);
        assert_int_equal(th__utf8_valid(bytes, len), len);
        assert_int_equal(th__utf8_valid(bytes, 8), 8);
    }
}

static void the_fast_validator_agrees_with_the_slow_one(void **state)
{
    /* All starts of three bytes, at the end of a text and inside one. */
    char text[16];
    for (uint32_t n = 0; n < 1u << 24;
         n += n % 1024 < 1000 && n > 0x010000 && n < 0xC00000 ? 97 : 1) {
        memset(text, 'a', sizeof text);
        text[0] = (char)(n >> 16);
        text[1] = (char)(n >> 8);
        text[2] = (char)n;
        if (th__utf8_valid(text, 3) != slow_valid(text, 3))
            fail_msg("%06x at the end", n);
        text[3] = (char)(0x80 | n % 64);
        if (th__utf8_valid(text, 16) != slow_valid(text, 16))
            fail_msg("%06x inside", n);
    }
}

static void random_damage_is_found_where_it_is(void **state)
{
    static const char *const pieces[] = {"plain ascii text of some length ", "caf\xC3\xA9 ",
                                         "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E",
                                         "\xF0\x9F\x98\x80"};
    uint64_t seed = 7;
    char text[600];
    for (int round = 0; round < 20000; round++) {
        size_t len = 0;
        while (len < 400 + seed % 100) {
            seed = th__hash_mix(seed, 1);
            const char *piece = pieces[seed % 4];
            memcpy(text + len, piece, strlen(piece));
            len += strlen(piece);
        }
        assert_int_equal(th__utf8_valid(text, len), len);
        seed = th__hash_mix(seed, 2);
        text[seed % len] ^= (char)(1 << (seed >> 32) % 8);
        text[(seed >> 16) % len] = (char)(seed >> 40);
        assert_int_equal(th__utf8_valid(text, len), slow_valid(text, len));
    }
}

static void ascii_runs_end_at_the_first_wide_byte(void **state)
{
    char text[200];
    for (size_t at = 0; at <= 150; at++) {
        memset(text, 'x', sizeof text);
        text[at] = (char)0xC3;
        assert_int_equal(th__utf8_ascii(text, 151), at);
        assert_int_equal(th__utf8_ascii(text, at), at);
    }
}

static void assert_sanitized(th_str in, const char *expected)
{
    char out[100] = {0};
    th__utf8_survey survey = th__utf8_count(in.ptr, in.len);
    size_t len = th__utf8_sanitize(in.ptr, in.len, out);
    assert_string_equal(out, expected);
    assert_int_equal(len, survey.len);
    assert_int_equal(len, strlen(expected));
}

#define FFFD "\xEF\xBF\xBD"

/* The examples of the Unicode Standard, section 3.9, tables 3-8 to 3-11. */
static void maximal_subparts_become_one_replacement_each(void **state)
{
    assert_sanitized(TH_STR("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"),
                     FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A");
    assert_sanitized(TH_STR("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"),
                     FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A");
    assert_sanitized(TH_STR("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"),
                     FFFD FFFD FFFD FFFD FFFD "A" FFFD FFFD "B");
    assert_sanitized(TH_STR("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), FFFD FFFD FFFD FFFD "A");
    assert_sanitized(TH_STR("ok \xE2\x82"), "ok " FFFD);
    assert_sanitized(TH_STR(""), "");
}

static void a_survey_tells_good_from_bad(void **state)
{
    th_str text = TH_STR("\xC3\xA9t\xC3\xA9 \xE9t\xE9 \xE2\x82\xAC\xE2\x82");
    th__utf8_survey survey = th__utf8_count(text.ptr, text.len);
    assert_int_equal(survey.good, 3);
    assert_int_equal(survey.bad, 2); /* the cut sequence at the end is not a fault */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_goes_there_and_back),
        cmocka_unit_test(the_fast_validator_agrees_with_the_slow_one),
        cmocka_unit_test(random_damage_is_found_where_it_is),
        cmocka_unit_test(ascii_runs_end_at_the_first_wide_byte),
        cmocka_unit_test(maximal_subparts_become_one_replacement_each),
        cmocka_unit_test(a_survey_tells_good_from_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
