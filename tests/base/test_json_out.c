/* The JSON emitter: commas, escapes, bad UTF-8, numbers, speed of the plain path. */
#include "test.h"

#include <float.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>

#include "base/json_out.h"

static char *string_of(const char *bytes, size_t len)
{
    th__buf buf = {0};
    th__json json = {.buf = &buf};
    th__json_str(&json, (th_str){bytes, len});
    th__buf_add_byte(&buf, '\0');
    assert_false(buf.failed);
    char *copy = strdup(buf.data);
    th__buf_release(&buf);
    return copy;
}

static void check_string(const char *bytes, size_t len, const char *expected)
{
    char *got = string_of(bytes, len);
    assert_string_equal(got, expected);
    free(got);
}

static void commas_are_the_emitters_business(void **state)
{
    th__buf buf = {0};
    th__json json = {.buf = &buf};
    th__json_begin_object(&json);
    th__json_key(&json, TH_STR("a"));
    th__json_begin_array(&json);
    th__json_end_array(&json);
    th__json_key(&json, TH_STR("b\"c"));
    th__json_begin_array(&json);
    th__json_int(&json, 1);
    th__json_begin_object(&json);
    th__json_end_object(&json);
    th__json_begin_object(&json);
    th__json_key(&json, TH_STR(""));
    th__json_null(&json);
    th__json_end_object(&json);
    th__json_bool(&json, true);
    th__json_bool(&json, false);
    th__json_str(&json, TH_STR("x"));
    th__json_end_array(&json);
    th__json_key(&json, TH_STR("d"));
    th__json_int(&json, -7);
    th__json_end_object(&json);
    th__buf_add_byte(&buf, '\0');
    assert_string_equal(buf.data,
                        "{\"a\":[],\"b\\\"c\":[1,{},{\"\":null},true,false,\"x\"],\"d\":-7}");
    th__buf_release(&buf);
}

static void strings_are_escaped(void **state)
{
    check_string("", 0, "\"\"");
    check_string("plain text of some length, past a word", 38,
                 "\"plain text of some length, past a word\"");
    check_string("a\"b\\c/d", 7, "\"a\\\"b\\\\c/d\"");
    check_string("\b\t\n\f\r\v\0\x1f\x7f", 9, "\"\\b\\t\\n\\f\\r\\u000b\\u0000\\u001f\x7f\"");
    check_string("a\xE2\x80\xA8z\xE2\x80\xA9\xE2\x80\xAA", 11, "\"a\\u2028z\\u2029\xE2\x80\xAA\"");
    check_string("\xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\x98\x80 \xC3\xA9", 14,
                 "\"\xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\x98\x80 \xC3\xA9\"");
}

/* One U+FFFD for each maximal part, as the Encoding Standard's decoder gives. */
static void bad_bytes_never_come_out(void **state)
{
#define BAD "\xEF\xBF\xBD"
    check_string("\x80", 1, "\"" BAD "\"");
    check_string("a\xFFz", 3, "\"a" BAD "z\"");
    check_string("\xC3", 1, "\"" BAD "\"");
    check_string("\xC0\xAF", 2, "\"" BAD BAD "\"");                 /* overlong slash */
    check_string("\xE0\x80\x80", 3, "\"" BAD BAD BAD "\"");         /* overlong NUL */
    check_string("\xED\xA0\x80", 3, "\"" BAD BAD BAD "\"");         /* surrogate */
    check_string("\xF4\x90\x80\x80", 4, "\"" BAD BAD BAD BAD "\""); /* past U+10FFFF */
    check_string("\xF0\x9F\x98", 3, "\"" BAD "\"");                 /* cut off */
    check_string("\xF0\x9F\x98\"", 4, "\"" BAD "\\\"\"");
    check_string("\xE6\x97z", 3, "\"" BAD "z\"");
#undef BAD
}

/* Every two-byte string between clean text of every length up to a word and back: what is written
 * must be read back by another JSON reader, and must be what was given where that was valid. */
static void every_byte_pair_reads_back(void **state)
{
    for (unsigned pair = 0; pair < 65536; pair++) {
        char text[32] = "abcdefgh";
        size_t at = pair % 8, len = at + 2 + pair % 11;
        memset(text + at, 'x', sizeof text - at);
        text[at] = (char)(pair >> 8);
        text[at + 1] = (char)pair;
        char *got = string_of(text, len);
        json_error_t error;
        json_t *read = json_loads(got, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
        assert_non_null(read);
        json_t *same = json_stringn(text, len); /* NULL where the text is no UTF-8 */
        if (same)
            assert_true(json_equal(read, same));
        else
            assert_non_null(strstr(got, "\xEF\xBF\xBD"));
        json_decref(same);
        json_decref(read);
        free(got);
    }
}

/* Long mixtures of pieces, whose borders fall anywhere within the words that are copied at once. */
static void mixtures_read_back(void **state)
{
    static const char *const pieces[] = {"日",
                                         "é",
                                         "😀",
                                         "a",
                                         "plain ascii",
                                         "\"",
                                         "\\",
                                         "\n",
                                         "\xE2\x80\xA8",
                                         "\xE2\x80\xA9",
                                         "\xE2\x80\x94",
                                         "\x01",
                                         "日本語日本語日本語"};
    uint32_t seed = 1;
    for (int round = 0; round < 3000; round++) {
        char text[600];
        size_t len = 0;
        for (int i = 0; i < 20; i++) {
            seed = seed * 1664525u + 1013904223u;
            const char *piece = pieces[(seed >> 16) % (sizeof pieces / sizeof *pieces)];
            memcpy(text + len, piece, strlen(piece));
            len += strlen(piece);
        }
        char *got = string_of(text, len);
        assert_null(strstr(got, "\xE2\x80\xA8"));
        assert_null(strstr(got, "\xE2\x80\xA9"));
        json_t *read = json_loads(got, JSON_DECODE_ANY, NULL), *same = json_stringn(text, len);
        assert_true(json_equal(read, same));
        json_decref(read);
        json_decref(same);
        free(got);
        text[seed % len] = '\xFF';
        got = string_of(text, len);
        read = json_loads(got, JSON_DECODE_ANY, NULL);
        assert_non_null(read);
        assert_non_null(strstr(got, "\xEF\xBF\xBD"));
        json_decref(read);
        free(got);
    }
}

static void check_double(double value, const char *expected)
{
    th__buf buf = {0};
    th__json json = {.buf = &buf};
    th__json_double(&json, value);
    th__buf_add_byte(&buf, '\0');
    assert_string_equal(buf.data, expected);
    th__buf_release(&buf);
}

static void numbers_are_short_and_exact(void **state)
{
    check_double(0, "0");
    check_double(0.1, "0.1");
    check_double(-2.5, "-2.5");
    check_double(1e21, "1e+21");
    check_double(1.0 / 3, "0.3333333333333333");
    check_double(0.1 + 0.2, "0.30000000000000004");
    check_double(DBL_MAX, "1.7976931348623157e+308");
    check_double(4.9406564584124654e-324, "5e-324");
    check_double(NAN, "null");
    check_double(INFINITY, "null");
    th__buf buf = {0};
    th__json json = {.buf = &buf};
    th__json_begin_array(&json);
    th__json_int(&json, INT64_MIN);
    th__json_int(&json, INT64_MAX);
    th__json_uint(&json, UINT64_MAX);
    th__json_int(&json, 0);
    th__json_end_array(&json);
    th__buf_add_byte(&buf, '\0');
    assert_string_equal(buf.data,
                        "[-9223372036854775808,9223372036854775807,18446744073709551615,0]");
    th__buf_release(&buf);
}

static void numbers_do_not_follow_the_locale(void **state)
{
    static const char *const comma_locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    for (size_t i = 0; i < sizeof comma_locales / sizeof *comma_locales; i++) {
        if (!setlocale(LC_NUMERIC, comma_locales[i]))
            continue;
        check_double(-1234.5, "-1234.5");
        check_double(1.5e-30, "1.5e-30");
    }
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_are_the_emitters_business),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(bad_bytes_never_come_out),
        cmocka_unit_test(every_byte_pair_reads_back),
        cmocka_unit_test(mixtures_read_back),
        cmocka_unit_test(numbers_are_short_and_exact),
        cmocka_unit_test(numbers_do_not_follow_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
