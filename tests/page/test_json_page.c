/* Pages that are JSON: what they become, and what is left alone. */
#include "alloc_fail.h"
#include "test.h"

#include "page/data_page.h"
#include "page/page.h"

static void expect(const char *json, const char *html)
{
    th__buf out = {0}, want = {0};
    if (!th__json_page_write(th_str_from(json), &out))
        fail_msg("not taken for JSON: %s", json);
    assert_true(th__buf_printf(&want, "<html><body>\n%s</body></html>\n", html));
    if (!th__str_eq(th__buf_str(&out), th__buf_str(&want)))
        fail_msg("%s became \"%.*s\"", json, (int)out.len, out.data);
    th__buf_release(&out);
    th__buf_release(&want);
}

static void test_written(void **state)
{
    expect(" [[\"May 2\", 7], [null, true]]\n",
           "<table>\n<tr><td>May 2</td><td>7</td></tr>\n<tr><td></td><td>true</td></tr>\n"
           "</table>\n");
    expect("{\"data\": [{\"case no.\": -1.5e3}]}",
           "<div class=\"data\"><ul>\n<li><div class=\"case-no-\">-1.5e3</div>\n</li>\n</ul>\n"
           "</div>\n");
    expect("[\"a < b & \\\"c\\\"\"]", "<ul>\n<li>a &lt; b &amp; &quot;c&quot;</li>\n</ul>\n");
    expect("[\"<a href=\\\"/7\\\">Roe<\\/a>\"]", "<ul>\n<li><a href=\"/7\">Roe</a></li>\n</ul>\n");
    expect("[\"https://example.org/7\"]",
           "<ul>\n<li><a href=\"https://example.org/7\">https://example.org/7</a></li>\n</ul>\n");
    expect("[\"\\u00e9\\ud83d\\ude00\\ud83d.\"]",
           "<ul>\n<li>\xC3\xA9\xF0\x9F\x98\x80\xEF\xBF\xBD.</li>\n</ul>\n");
    expect("[]", "<ul>\n</ul>\n");
    expect("{}", "");
}

static void test_left_alone(void **state)
{
    static const char *const texts[] = {
        "[1, 2",      "[1 2]",       "{a: 1}",    "{\"a\"}",   "[\"a]",   "[\"\\x\"]",
        "[\"a\nb\"]", "[\"\\u12\"]", "[nothing]", "[] and []", "{{ x }}", "[,]",
        "[\"\\",      "<html>",      "",          "[",         "7"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        th__buf out = {0};
        if (th__json_page_write(th_str_from(texts[i]), &out))
            fail_msg("taken for JSON: %s", texts[i]);
        assert_false(out.failed);
        th__buf_release(&out);
    }
}

/* Arrays inside each other, more than any list has. */
static void test_deep(void **state)
{
    char text[401];
    th__buf out = {0};
    memset(text, '[', 200);
    memset(text + 200, ']', 200);
    text[400] = '\0';
    assert_false(th__json_page_write(th_str_from(text), &out));
    th__buf_release(&out);
}

static th_status parse_once(void *context)
{
    th_parser *parser = NULL;
    th_page *page = NULL;
    th_status status = th_parser_new(NULL, &parser, NULL);
    if (!status)
        status = th_parser_parse(parser, th_str_from(context), NULL, &page, NULL);
    th_page_free(page);
    th_parser_free(parser);
    return status;
}

static void test_memory(void **state)
{
    th_test_each_allocation_fails(parse_once, "[[\"a\", \"<b>b</b>\"], [\"c\\n\", 4]]");
}

/* A page of it has elements, and one that only looks like it has its text. */
static void test_pages(void **state)
{
    th_parser *parser;
    th_page *page;
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, TH_STR("[[\"a\", 1]]"), NULL, &page, NULL), TH_OK);
    assert_int_equal(page->node_count, 7); /* document, html, body, table, tr, td, td */
    th_page_free(page);
    assert_int_equal(th_parser_parse(parser, TH_STR("[<b>a</b>]"), NULL, &page, NULL), TH_OK);
    assert_memory_equal(page->text.ptr, "[<b>", 4);
    th_page_free(page);
    th_parser_free(parser);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written), cmocka_unit_test(test_left_alone),
        cmocka_unit_test(test_deep),    cmocka_unit_test(test_memory),
        cmocka_unit_test(test_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
