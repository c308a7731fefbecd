/* The text of spans: folding, what separates words, what is left out, borders, and the way back. */
#include "test.h"

#include "marked_span.h"

#include "base/str.h"
#include "page/text.h"

static th_parser *parser;

static th_page *parse(th_str html)
{
    th_error err;
    th_page *page;
    if (!parser)
        assert_int_equal(th_parser_new(NULL, &parser, &err), TH_OK);
    assert_int_equal(th_parser_parse(parser, html, NULL, &page, &err), TH_OK);
    return page;
}

/* The folded form must be the same text, with offsets that rise and lie in the span. */
static void check_fold(const th_page *page, th_span span, th_str expected)
{
    th__folded folded = {0};
    assert_true(th__page_fold(page, span, &folded));
    assert_true(th__str_eq(th__buf_str(&folded.text), expected));
    uint32_t last = span.start;
    for (size_t i = 0; i < folded.text.len; i++) {
        assert_true(folded.start[i] >= last && folded.start[i] < folded.end[i]);
        assert_true(folded.end[i] <= span.end);
        last = folded.start[i];
    }
    th__folded_release(&folded);
}

static void expect_span(th_str html, th_span span, const char *expected)
{
    th_page *page = parse(html);
    th_text text = {0};
    assert_int_equal(th_page_span_text(page, span, &text, NULL), TH_OK);
    if (strcmp(text.ptr, expected) != 0)
        fail_msg("\"%.*s\" gave \"%s\", not \"%s\"", (int)html.len, html.ptr, text.ptr, expected);
    assert_int_equal(text.len, strlen(expected));
    check_fold(page, span, th_str_from(expected));
    th_text_release(&text);
    th_page_free(page);
}

static void expect(const char *html, const char *expected)
{
    expect_span(th_str_from(html), (th_span){0, (uint32_t)strlen(html)}, expected);
}

static void expect_marked(const char *marked, const char *expected)
{
    struct marked_span m = read_marked(marked);
    expect_span((th_str){m.html, m.len}, m.span, expected);
}

static void blanks_are_folded(void **state)
{
    expect("", "");
    expect(" \n\t ", "");
    expect("  a \r\n\f b\tc  ", "a b c");
    expect("a&nbsp;&nbsp;b\xC2\xA0\xE3\x80\x80\xE2\x80\xA8"
           "c&#32;&Tab;d&NewLine;",
           "a b c d");
    expect("a\xE2\x80\x8B"
           "b\xC2\xAD"
           "c",
           "a\xE2\x80\x8B"
           "b\xC2\xAD"
           "c");
    expect("one very long run of words that has more than sixteen plain bytes in a row: "
           "Donaudampfschifffahrtsgesellschaft!",
           "one very long run of words that has more than sixteen plain bytes in a row: "
           "Donaudampfschifffahrtsgesellschaft!");
    expect_span(TH_STR("a\0b\0 c"), (th_span){0, 6}, "ab c");
}

static void references_are_decoded(void **state)
{
    expect("Caf&eacute; &amp; Bar &lt;3", "Caf\xC3\xA9 & Bar <3");
    expect("&nGt;&nGt;&nGt;&nGt;&nGt;&nGt;&nGt;&nGt;",
           "\xE2\x89\xAB\xE2\x83\x92\xE2\x89\xAB\xE2\x83\x92\xE2\x89\xAB\xE2\x83\x92\xE2\x89\xAB"
           "\xE2\x83\x92\xE2\x89\xAB\xE2\x83\x92\xE2\x89\xAB\xE2\x83\x92\xE2\x89\xAB\xE2\x83\x92"
           "\xE2\x89\xAB\xE2\x83\x92");
    expect("AT&T & x&y;", "AT&T & x&y;");
    expect("<title>a &amp; b</title>", "a & b");
    expect("<xmp>a &amp; <b></xmp>", "a &amp; <b>");
}

static void tags_separate_words_or_not(void **state)
{
    expect("<b>A</b>cme", "Acme");
    expect("H<sub>2</sub>O", "H2O");
    expect("a<span> </span>b", "a b");
    expect("one<br>two<p>three<div>four</div>five", "one two three four five");
    expect("<ul><li>a<li>b</ul><table><tr><td>c<td>d</table>", "a b c d");
    expect("a<img src=x>b", "a b");
    expect("<select><option>a<option>b</select>", "a b");
    expect("<x-a>a</x-a><x-b>b</x-b><unknown>c</unknown>d", "a b cd");
    expect("<svg><text>a</text><text>b</text></svg>", "a b");
    expect("so<wbr>me", "some");
}

static void hidden_content_is_left_out(void **state)
{
    expect("a<script>if (x < y) z()</script>b", "ab");
    expect("a<style>p {}</style> b<!-- c -->d", "a bd");
    expect("<!doctype html>a<template>x<div>y</div></template>b", "ab");
    expect("a<noscript>x<img></noscript>b<iframe>y</iframe>c", "ab c");
    expect("a<svg><style>x</style></svg>b", "a b");
    expect("a<template>never closed <b>x", "a");
    expect("<textarea>a  b</textarea>", "a b");
    expect("<svg><![CDATA[a < b]]></svg>", "a < b");
}

static void a_span_inside_something_hidden_is_read(void **state)
{
    expect_marked("<script>price = '[19.90]';</script>", "19.90");
    expect_marked("<template><b>[x]</b></template>", "x");
    expect_marked("<noscript>a [<b>x</b> y]</noscript>", "x y");
    expect_marked("<!-- a [b  c] -->", "b c");
    expect_marked("<a href='[/x?a=1&amp;b=2]'>t</a>", "/x?a=1&b=2");
    expect_marked("<a href='/x[?a=1&copy=2]'>t</a>", "?a=1&copy=2");
}

static void borders_inside_tokens(void **state)
{
    expect_marked("<p>on[e two thr]ee</p>", "e two thr");
    expect_marked("<p cla[ss=x>a</p>b<p cl]ass=y>c", "a b");
    expect_marked("a[<b]r>b", "");
    expect_marked("caf&ea[cute; x]y", "cute; x");
    expect_marked("x[y &am]p; z", "y &am");
    expect_marked("[]abc", "");
    expect_span(TH_STR("abc"), (th_span){1, 400}, "bc");
    expect_span(TH_STR("a\xC3\xA9"), (th_span){2, 3}, ""); /* half a character */
    expect_span(TH_STR("a\xE6\x97\xA5"), (th_span){0, 3}, "a");
    expect_span(TH_STR("abc"), (th_span){3, 400}, "");
    expect_span(TH_STR("abc"), (th_span){2, 1}, "");
}

static void folded_text_points_back(void **state)
{
    th_page *page = parse(TH_STR("<p>A &amp;\n <b>caf&eacute;</b>s"));
    th__folded folded = {0};
    assert_true(th__page_fold(page, (th_span){0, (uint32_t)page->text.len}, &folded));
    assert_true(th__str_eq(th__buf_str(&folded.text), TH_STR("A & caf\xC3\xA9s")));
    static const uint32_t start[] = {3, 4, 5, 10, 15, 16, 17, 18, 18, 30};
    static const uint32_t end[] = {4, 5, 10, 15, 16, 17, 18, 26, 26, 31};
    assert_memory_equal(folded.start, start, sizeof start);
    assert_memory_equal(folded.end, end, sizeof end);
    th__folded_release(&folded);
    th_page_free(page);
}

static void attributes_and_nodes(void **state)
{
    th_text text = {0};
    assert_int_equal(th_attr_text(TH_STR(" a&amp;b\r\n&copy=1 "), &text, NULL), TH_OK);
    assert_string_equal(text.ptr, " a&b\n&copy=1 ");
    assert_int_equal(th_attr_text((th_str){NULL, 0}, &text, NULL), TH_OK);
    assert_string_equal(text.ptr, "");
    th_page *page = parse(TH_STR("<div><p>a<p>b</div>c"));
    assert_int_equal(th_page_node_text(page, 1, &text, NULL), TH_OK);
    assert_string_equal(text.ptr, "a b");
    assert_int_equal(th_page_node_text(page, 3, &text, NULL), TH_OK);
    assert_string_equal(text.ptr, "b");
    th_page_free(page);
    th_text_release(&text);
}

static void texts_that_say_nothing(void **state)
{
    (void)state;
    static const char *const nothing[] = {"n/a",          "N/A",     "-",  "--",
                                          "\xE2\x80\x94", "&mdash;", " | "};
    static const char *const something[] = {"none", "n/a yet", "0", "a-b", "- 5", "\xE2\x80\x94 x"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        assert_true(th__says_nothing(th_str_from(nothing[i])));
    for (size_t i = 0; i < sizeof something / sizeof *something; i++)
        assert_false(th__says_nothing(th_str_from(something[i])));
}

static void tokens_are_found_by_offset(void **state)
{
    th_page *page = parse(TH_STR("<p>one<b>two"));
    static const uint32_t tokens[] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3};
    for (uint32_t i = 0; i < 13; i++)
        assert_int_equal(th__token_at(page, i), tokens[i]);
    th_page_free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_are_folded),
        cmocka_unit_test(references_are_decoded),
        cmocka_unit_test(tags_separate_words_or_not),
        cmocka_unit_test(hidden_content_is_left_out),
        cmocka_unit_test(a_span_inside_something_hidden_is_read),
        cmocka_unit_test(borders_inside_tokens),
        cmocka_unit_test(folded_text_points_back),
        cmocka_unit_test(attributes_and_nodes),
        cmocka_unit_test(tokens_are_found_by_offset),
        cmocka_unit_test(texts_that_say_nothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    th_parser_free(parser);
    return failed;
}
