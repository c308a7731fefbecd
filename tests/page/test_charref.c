/* Character references: names with the longest match, numbers, and the rule for attributes. */
#include "test.h"

#include "page/charref.h"

static void assert_decoded(th_str raw, bool in_attribute, th_str expected)
{
    th__buf out = {0};
    assert_true(th__decode_refs(raw, in_attribute, &out));
    if (!th__str_eq(th__buf_str(&out), expected))
        fail_msg("\"%.*s\" gave \"%.*s\", not \"%.*s\"", (int)raw.len, raw.ptr, (int)out.len,
                 out.data, (int)expected.len, expected.ptr);
    th__buf_release(&out);
}

#define TEXT(raw, expected)      assert_decoded(TH_STR(raw), false, TH_STR(expected))
#define ATTRIBUTE(raw, expected) assert_decoded(TH_STR(raw), true, TH_STR(expected))

static void names(void **state)
{
    TEXT("", "");
    TEXT("no reference at all, none whatever", "no reference at all, none whatever");
    TEXT("a &amp; b &lt;i&gt; &quot;q&quot; &apos;", "a & b <i> \"q\" '");
    TEXT("Caf&eacute; &euro;5&nbsp;000", "Caf\xC3\xA9 \xE2\x82\xAC"
                                         "5\xC2\xA0"
                                         "000");
    TEXT("&CounterClockwiseContourIntegral;", "\xE2\x88\xB3");
    TEXT("&NotEqualTilde;", "\xE2\x89\x82\xCC\xB8"); /* two characters */
    TEXT("&AMP;&Amp;&aMP;", "&&Amp;&aMP;");
    TEXT("&Tab;&NewLine;", "\t\n");
    TEXT("&zwnj;", "\xE2\x80\x8C");
}

static void names_without_semicolon_take_the_longest_match(void **state)
{
    TEXT("&copy 2024", "\xC2\xA9 2024");
    TEXT("&notit;", "\xC2\xACit;");
    TEXT("&notin;", "\xE2\x88\x89");
    TEXT("&notin", "\xC2\xACin");
    TEXT("&ampamp;", "&amp;");
    TEXT("&amp", "&");
    TEXT("&lt", "<");
    TEXT("&frac12x", "\xC2\xBDx");
    TEXT("&eacut", "&eacut");
    TEXT("& &; &# &#; &#x; &#xg &a", "& &; &# &#; &#x; &#xg &a");
    TEXT("&", "&");
    TEXT("&&amp;&", "&&&");
    TEXT("&CounterClockwiseContourIntegralX;", "&CounterClockwiseContourIntegralX;");
}

static void numbers(void **state)
{
    TEXT("&#65;&#x41;&#X41;&#65 &#x41", "AAAA A");
    TEXT("&#128;&#x99;&#129;", "\xE2\x82\xAC\xE2\x84\xA2\xC2\x81");
    TEXT("&#0;&#xD800;&#x110000;", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    TEXT("&#99999999999999999999;", "\xEF\xBF\xBD");
    TEXT("&#x10FFFF;&#x1F600;", "\xF4\x8F\xBF\xBF\xF0\x9F\x98\x80");
    TEXT("&#00000000000000000000000000000000000000065;", "A");
    TEXT("&#13;&#10;", "\r\n");
    TEXT("&#4294967361;", "\xEF\xBF\xBD"); /* 65 after a 32-bit overflow */
}

static void attributes(void **state)
{
    ATTRIBUTE("?a=1&copy=2", "?a=1&copy=2");
    ATTRIBUTE("?a=1&copyright", "?a=1&copyright");
    ATTRIBUTE("?a=1&copy2", "?a=1&copy2");
    ATTRIBUTE("?a=1&copy;=2", "?a=1\xC2\xA9=2");
    ATTRIBUTE("&copy", "\xC2\xA9");
    ATTRIBUTE("&copy!", "\xC2\xA9!");
    ATTRIBUTE("&notit;", "&notit;");
    ATTRIBUTE("&#65x", "Ax");
    ATTRIBUTE("?a&amp;b", "?a&b");
}

static void line_ends_and_nul(void **state)
{
    TEXT("a\r\nb\rc\nd\r", "a\nb\nc\nd\n");
    TEXT("a\r\r\nb", "a\n\nb");
    TEXT("0123456789abcdef0123\r\n", "0123456789abcdef0123\n");
    TEXT("a\0b", "a\0b");
    ATTRIBUTE("a\0b", "a\xEF\xBF\xBD"
                      "b");
    th__buf out = {0};
    assert_true(th__decode_chars(TH_STR("&amp;\0\r"), TH__CHARS_NUL, &out));
    assert_true(th__str_eq(th__buf_str(&out), TH_STR("&amp;\xEF\xBF\xBD\n")));
    th__buf_release(&out);
}

/* The names that need no ";" are 106 and all of them are found. */
static void old_names_are_counted(void **state)
{
    static const char *const some[] = {"AElig", "Aacute", "GT",   "LT",  "QUOT",
                                       "REG",   "THORN",  "yuml", "yen", "times",
                                       "szlig", "middot", "laquo"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        char out[TH__CHARREF_MAX], text[20];
        size_t len;
        int n = snprintf(text, sizeof text, "&%s", some[i]);
        assert_int_equal(th__charref(text, text + n, false, out, &len), n);
        n = snprintf(text, sizeof text, "&%s;", some[i]);
        assert_int_equal(th__charref(text, text + n, false, out, &len), n);
    }
}

static void a_flood_of_ampersands_is_linear(void **state)
{
    size_t len = 4 << 20;
    char *flood = malloc(len);
    assert_non_null(flood);
    memset(flood, '&', len);
    th__buf out = {0};
    assert_true(th__decode_refs((th_str){flood, len}, false, &out));
    assert_int_equal(out.len, len);
    th__buf_clear(&out);
    for (size_t i = 0; i < len; i++)
        flood[i] = "&CounterClockwiseContourIntegra"[i % 31];
    assert_true(th__decode_refs((th_str){flood, len}, false, &out));
    assert_int_equal(out.len, len);
    th__buf_release(&out);
    free(flood);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(names_without_semicolon_take_the_longest_match),
        cmocka_unit_test(numbers),
        cmocka_unit_test(attributes),
        cmocka_unit_test(line_ends_and_nul),
        cmocka_unit_test(old_names_are_counted),
        cmocka_unit_test(a_flood_of_ampersands_is_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
