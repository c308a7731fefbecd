/* Fine tokens: the papers' examples, the decisions of lex.c, the class tree, borders, tiling. */
#include "test.h"

#include "marked_span.h"

#include "base/str.h"
#include "page/lex.h"

static th_parser *parser;

static th_page *parse(th_str html)
{
    th_page *page;
    if (!parser)
        assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, html, NULL, &page, NULL), TH_OK);
    return page;
}

/* One token in SoftMealy's manner: name(text), a blank with its length. */
static void describe(const th_page *page, const th_fine *fine, th__buf *out)
{
    th__buf scratch = {0};
    th_str text = th__fine_text(page, fine, &scratch);
    th__buf_printf(out, "%s%s(", out->len ? " " : "", th_class_name(fine->cls));
    if (th_class_is(fine->cls, TH_CLASS_BLANK))
        th__buf_printf(out, "%u", fine->count);
    else
        th__buf_add_str(out, text);
    th__buf_add_byte(out, ')');
    th__buf_release(&scratch);
}

static void expect_span(th_str html, th_span span, const char *expected)
{
    th_page *page = parse(html);
    th__buf out = {0};
    th_lex lex;
    th_fine fine;
    uint32_t at = span.start;
    th_lex_init(&lex, page, span);
    while (th_lex_next(&lex, &fine)) {
        assert_int_equal(fine.start, at); /* they tile the span */
        assert_true(fine.end > fine.start);
        at = fine.end;
        describe(page, &fine, &out);
    }
    if (span.end > span.start)
        assert_int_equal(at, span.end);
    th__buf_add_byte(&out, '\0');
    if (strcmp(out.data, expected) != 0)
        fail_msg("\"%.*s\"\n  gave %s\n  not  %s", (int)html.len, html.ptr, out.data, expected);
    th__buf_release(&out);
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

/* SoftMealy, section 2.2 and example 1. */
static void softmealy_examples(void **state)
{
    expect("ASU", "allcaps(ASU)");
    expect("Professor", "initcap(Professor)");
    expect("and", "lower(and)");
    expect("123", "number(123)");
    expect("<I>", "tag(<I>)");
    expect(",", "punct(,)");
    expect("\n", "newline(1)");
    expect("\t\t\t\t", "tab(4)");
    expect("   ", "space(3)");
    expect("</A>, <I>Professor of", "endtag(</A>) punct(,) space(1) tag(<I>) initcap(Professor) "
                                    "space(1) lower(of)");
}

/* STALKER, section 4: street addresses. */
static void datapro_examples(void **state)
{
    expect("12 Pico St.", "number(12) space(1) initcap(Pico) space(1) initcap(St) punct(.)");
    expect("(310) 123-4567",
           "punct(() number(310) punct()) space(1) number(123) punct(-) number(4567)");
}

static void words(void **state)
{
    expect("A", "allcaps(A)");
    expect("iPhone McCoy", "lower(iPhone) space(1) initcap(McCoy)");
    expect("H2O", "mixed(H2O)");
    expect("512a", "mixed(512a)");
    expect("mp3", "mixed(mp3)");
    expect("O'Neil", "initcap(O'Neil)");
    expect("don't", "lower(don't)");
    expect("don\xE2\x80\x99t", "lower(don\xE2\x80\x99t)");
    expect("dogs' 'x'", "lower(dogs) punct(') space(1) punct(') lower(x) punct(')");
    expect("rock'n'roll", "lower(rock'n'roll)");
    expect("5'10", "number(5) punct(') number(10)");
    expect("Jean-Pierre", "initcap(Jean) punct(-) initcap(Pierre)");
    expect("a_b", "lower(a) punct(_) lower(b)");
    expect("U.S.", "allcaps(U) punct(.) allcaps(S) punct(.)");
    expect("\xC3\x89t\xC3\xA9 \xC3\x89TAT",
           "initcap(\xC3\x89t\xC3\xA9) space(1) allcaps(\xC3\x89TAT)");
    expect("e\xCC\x81t", "lower(e\xCC\x81t)"); /* combining acute */
    expect("\xD0\x9C\xD0\xB8\xD1\x80", "initcap(\xD0\x9C\xD0\xB8\xD1\x80)");
    expect("\xCE\x91\xCE\xB8", "initcap(\xCE\x91\xCE\xB8)");                 /* Greek */
    expect("\xD7\xA9\xD7\x9C\xD7\x95", "uncased(\xD7\xA9\xD7\x9C\xD7\x95)"); /* Hebrew */
    expect("m\xC2\xB2", "mixed(m\xC2\xB2)");
    expect("\xC2\xBD", "number(\xC2\xBD)");
    expect("\xF0\x9F\x98\x80\xEF\xB8\x8F!", "punct(\xF0\x9F\x98\x80\xEF\xB8\x8F) punct(!)");
    expect("\xE2\x82\xAC"
           "5",
           "punct(\xE2\x82\xAC) number(5)");
}

static void numbers(void **state)
{
    expect("3.50", "number(3.50)");
    expect("1,200", "number(1,200)");
    expect("1,234,567.89", "number(1,234,567.89)");
    expect("1.234,56", "number(1.234,56)");
    expect("12,5", "number(12,5)");
    expect("3.14159", "number(3.14159)");
    expect("3.", "number(3) punct(.)");
    expect(".5", "punct(.) number(5)");
    expect("3.5kg 10kg", "mixed(3.5kg) space(1) mixed(10kg)");
    expect("12.03.2004", "number(12) punct(.) number(03) punct(.) number(2004)");
    expect("192.168.1.1", "number(192) punct(.) number(168) punct(.) number(1) punct(.) number(1)");
    expect("1,2,3", "number(1) punct(,) number(2) punct(,) number(3)");
    expect("1999,2000", "number(1999) punct(,) number(2000)");
    expect("1,2,3 4.5", "number(1) punct(,) number(2) punct(,) number(3) space(1) number(4.5)");
    expect("10:30", "number(10) punct(:) number(30)");
    expect("\xEF\xBC\x91\xEF\xBC\x92", "number(\xEF\xBC\x91\xEF\xBC\x92)"); /* full width */
}

static void east_asian_text(void **state)
{
    expect("2017\xE5\xB9\xB4"
           "5\xE6\x9C\x88",
           "number(2017) uncased(\xE5\xB9\xB4) number(5) uncased(\xE6\x9C\x88)");
    expect(
        "\xE4\xBB\xB7\xE6\xA0\xBC\xEF\xBC\x9A"
        "99\xE5\x85\x83",
        "uncased(\xE4\xBB\xB7\xE6\xA0\xBC) punct(\xEF\xBC\x9A) number(99) uncased(\xE5\x85\x83)");
    expect("Web\xE3\x82\xB5\xE3\x82\xA4\xE3\x83\x88",
           "initcap(Web) uncased(\xE3\x82\xB5\xE3\x82\xA4\xE3\x83\x88)");
    expect("\xED\x95\x9C\xEA\xB5\xAD", "uncased(\xED\x95\x9C\xEA\xB5\xAD)");
}

static void blanks(void **state)
{
    expect("\r\n\r\n\r\n", "newline(3)");
    expect("\r\r\n\n", "newline(3)");
    expect(" \t \n", "space(1) tab(1) space(1) newline(1)");
    expect("a&nbsp; \xC2\xA0"
           "b",
           "lower(a) space(3) lower(b)");
    expect("a&#10;\n&Tab;", "lower(a) newline(2) tab(1)");
}

static void references(void **state)
{
    expect("Caf&eacute;s", "initcap(Caf\xC3\xA9s)");
    expect("&Eacute;T&Eacute;", "allcaps(\xC3\x89T\xC3\x89)");
    expect("&amp;", "punct(&)");
    expect("AT&amp;T", "allcaps(AT) punct(&) allcaps(T)");
    expect("AT&T", "allcaps(AT) punct(&) allcaps(T)");
    expect("don&#39;t", "lower(don't)");
    expect("don&rsquo;t", "lower(don\xE2\x80\x99t)");
    expect("&#50;0", "number(20)");
    expect("&lt;b&gt;", "punct(<) lower(b) punct(>)");
    th_page *page = parse(TH_STR("Caf&eacute;s"));
    th_lex lex;
    th_fine fine;
    th_text text = {0};
    th_lex_init(&lex, page, (th_span){0, 12});
    assert_true(th_lex_next(&lex, &fine));
    assert_int_equal(fine.flags, TH_FINE_REFS);
    assert_int_equal(th_fine_text(page, &fine, &text, NULL), TH_OK);
    assert_string_equal(text.ptr, "Caf\xC3\xA9s");
    th_text_release(&text);
    th_page_free(page);
}

static void markup(void **state)
{
    expect("<!doctype html><p>a<!-- b c -->", "markup(<!doctype html>) tag(<p>) lower(a) "
                                              "markup(<!-- b c -->)");
    expect("<script>a b</script>c", "tag(<script>) markup(a b) endtag(</script>) lower(c)");
    expect("<title>a b</title>", "tag(<title>) lower(a) space(1) lower(b) endtag(</title>)");
    expect("<xmp>&amp;</xmp>", "tag(<xmp>) punct(&) lower(amp) punct(;) endtag(</xmp>)");
    expect("<svg><![CDATA[a b]]></svg>",
           "tag(<svg>) markup(<![CDATA[) lower(a) space(1) lower(b) markup(]]>) endtag(</svg>)");
    th_page *page = parse(TH_STR("<b>x</b>"));
    th_lex lex;
    th_fine fine;
    th_lex_init(&lex, page, (th_span){0, 8});
    assert_true(th_lex_next(&lex, &fine));
    assert_int_equal(fine.tag, th_tag_id(TH_STR("B")));
    th_page_free(page);
}

static void borders(void **state)
{
    expect_marked("ab[cd ef]gh", "lower(cd) space(1) lower(ef)");
    expect_marked("<a href='[/x?a=1&amp;b=2]'>",
                  "punct(/) lower(x) punct(?) lower(a) punct(=) number(1) punct(&) lower(b) "
                  "punct(=) number(2)");
    expect_marked("<a hre[f=x>a<b cl]ass=y>", "markup(f=x>) lower(a) tag(<b cl)");
    expect_marked("<script>p = [19.90];</script>", "number(19.90)");
    expect_marked("<script>[p]</script>", "lower(p)");
    expect_marked("<!-- [a b] -->", "lower(a) space(1) lower(b)");
    expect_marked("<!-- [a b --> c]", "markup(a b -->) space(1) lower(c)");
    expect_marked("[]abc", "");
    expect_span(TH_STR("\xE6\x97\xA5"), (th_span){1, 3}, "punct(\x97) punct(\xA5)");
    expect_span(TH_STR("\xE6\x97\xA5"), (th_span){0, 2}, "punct(\xE6\x97)");
    expect("", "");
}

static void the_class_tree(void **state)
{
    assert_true(th_class_is(TH_CLASS_ALLCAPS, TH_CLASS_CAPITALIZED));
    assert_true(th_class_is(TH_CLASS_ALLCAPS, TH_CLASS_ALLCAPS));
    assert_true(th_class_is(TH_CLASS_NUMBER, TH_CLASS_WORD));
    assert_false(th_class_is(TH_CLASS_NUMBER, TH_CLASS_ALPHA));
    assert_false(th_class_is(TH_CLASS_CAPITALIZED, TH_CLASS_ALLCAPS));
    assert_int_equal(th_class_join(TH_CLASS_ALLCAPS, TH_CLASS_INITCAP), TH_CLASS_CAPITALIZED);
    assert_int_equal(th_class_join(TH_CLASS_ALLCAPS, TH_CLASS_LOWER), TH_CLASS_ALPHA);
    assert_int_equal(th_class_join(TH_CLASS_NUMBER, TH_CLASS_MIXED), TH_CLASS_WORD);
    assert_int_equal(th_class_join(TH_CLASS_TAG_START, TH_CLASS_TAG_END), TH_CLASS_HTML);
    assert_int_equal(th_class_join(TH_CLASS_TAB, TH_CLASS_PUNCT), TH_CLASS_NONWORD);
    assert_int_equal(th_class_join(TH_CLASS_TAB, TH_CLASS_LOWER), TH_CLASS_ANY);
    for (unsigned a = 0; a < TH_CLASS_COUNT; a++) {
        th_class found;
        assert_true(th_class_find(th_str_from(th_class_name(a)), &found));
        assert_int_equal(found, a);
        for (unsigned b = 0; b < TH_CLASS_COUNT; b++) {
            th_class join = th_class_join(a, b);
            assert_int_equal(join, th_class_join(b, a));
            assert_true(th_class_is(a, join) && th_class_is(b, join));
            for (unsigned c = 0; c < TH_CLASS_COUNT; c++) /* none that both are is smaller */
                if (th_class_is(a, c) && th_class_is(b, c))
                    assert_true(th_class_is(join, c));
        }
    }
    assert_false(th_class_find(TH_STR("words"), &(th_class){0}));
}

static void long_chains_of_digits_are_linear(void **state)
{
    size_t len = 4 << 20;
    char *text = malloc(len);
    assert_non_null(text);
    for (size_t i = 0; i < len; i++)
        text[i] = "1,234"[i % 4 == 0 ? 1 : 2 + i % 3];
    text[0] = '1';
    text[len - 4] = '.'; /* makes the whole chain no number */
    text[len - 2] = '.';
    th_page *page = parse((th_str){text, len});
    th_lex lex;
    th_fine fine;
    size_t count = 0;
    th_lex_init(&lex, page, (th_span){0, (uint32_t)len});
    while (th_lex_next(&lex, &fine))
        count++;
    assert_true(count > 1000);
    th_page_free(page);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(softmealy_examples),
        cmocka_unit_test(datapro_examples),
        cmocka_unit_test(words),
        cmocka_unit_test(numbers),
        cmocka_unit_test(east_asian_text),
        cmocka_unit_test(blanks),
        cmocka_unit_test(references),
        cmocka_unit_test(markup),
        cmocka_unit_test(borders),
        cmocka_unit_test(the_class_tree),
        cmocka_unit_test(long_chains_of_digits_are_linear),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    th_parser_free(parser);
    return failed;
}
