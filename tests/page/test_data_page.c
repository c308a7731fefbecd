/* The data that pages carry beside their text: what it becomes, and where it comes from. */
#include "alloc_fail.h"
#include "test.h"

#include "base/mem.h"
#include "base/str.h"
#include "page/data_page.h"

static th_page *parse(const char *html, size_t len)
{
    th_parser *parser;
    th_page *page;
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, (th_str){html, len}, NULL, &page, NULL), TH_OK);
    th_parser_free(parser);
    return page;
}

/* The body of the data page of a page, without line ends; "" if there is none. */
static void expect(const char *html, const char *body)
{
    th_page *page = parse(html, strlen(html)), *data = NULL;
    th__buf got = {0};
    assert_int_equal(th__data_page_make(page, NULL, &data, NULL), TH_OK);
    th_str text = data ? th_page_text(data) : TH_STR("<html><body></body></html>\n");
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != '\n')
            assert_true(th__buf_add_byte(&got, text.ptr[i]));
    got.len -= strlen("</body></html>");
    th_str inner = {got.data + 12, got.len - 12};
    if (!th__str_eq(inner, th_str_from(body)))
        fail_msg("%s became \"%.*s\"", html, (int)inner.len, inner.ptr);
    th__buf_release(&got);
    th_page_free(data);
    th_page_free(page);
}

static void test_written(void **state)
{
    expect("<script type='application/ld+json'>[{\"@type\": \"A\", \"b\": {\"cD\": 17}}]</script>",
           "<section class=\"ld-json\"><div><ul><li><div class=\"-type\" itemprop=\"type\">A</div>"
           "<div class=\"b\" itemprop=\"b\"><div class=\"cD\" itemprop=\"b.c_D\">17</div></div>"
           "</li></ul></div></section>");
    expect("<script>var my_data=[\"/p/7\", \"http://h/x.png?v=1\", \"a<b>\"]; f();</script>",
           "<section class=\"my_data\"><div><ul><li><a href=\"/p/7\"></a></li>"
           "<li><img src=\"http://h/x.png?v=1\"></li><li>a&lt;b></li></ul></div></section>");
    expect("<script>window[\"a\"] = {\"item\": {\"name\": \"some longer name\"}}</script>",
           "<section class=\"a\"><div><div class=\"item\" itemprop=\"\"><div class=\"name\" "
           "itemprop=\"name\">some longer name</div></div></div></section>");
    expect("<p itemscope itemtype='https://schema.org/Car'><b itemprop=name>Ro<i>e</i></b>"
           "<meta itemprop='price cost' content='7&amp;8'></p>",
           "<section class=\"microdata\"><ul><li class=\"Car\" itemprop=\"\"><div class=\"name\" "
           "itemprop=\"name\">Roe</div><div class=\"price\" itemprop=\"price\">7&amp;8</div></li>"
           "</ul></section>");
}

static void test_left_alone(void **state)
{
    static const char *const pages[] = {
        "<p>text",
        "<script>if (a == [1, 2, 3, 4, 5, 6, 7, 8, 9]) x = {a: 1, b: 2, c: 3, d: 4}</script>",
        "<script type='text/template'>x = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]</script>",
        "<script type='application/json'>{\"a\": [1, 2, 3, 4, 5, 6, 7, 8</script>",
        "<script type='application/json'>{}</script>",
        "<script>x = [1, 2]</script>",
        "<style>x = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]</style>",
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        expect(pages[i], "");
}

/* Finds a text on the data page; what is there on the page is `source`. */
static void expect_source(const char *html, const char *text, const char *source)
{
    th_page *page = parse(html, strlen(html)), *data = NULL;
    assert_int_equal(th__data_page_make(page, NULL, &data, NULL), TH_OK);
    size_t at = th__str_find(th_page_text(data), th_str_from(text));
    assert_true(at != SIZE_MAX);
    th_span span = th__data_span(data, (th_span){(uint32_t)at, (uint32_t)(at + strlen(text))});
    th_str got = th__page_slice(page, span.start, span.end);
    if (!th__str_eq(got, th_str_from(source)))
        fail_msg("%s is \"%.*s\"", text, (int)got.len, got.ptr);
    th_page_free(data);
    th_page_free(page);
}

static void test_places(void **state)
{
    static const char page[] =
        "<script>x = [{\"a\": \"one thing\", \"b\": 12.50}, {\"a\": \"caf\\u00e9 & \\\"bar\\\"\"}]"
        "</script><p itemscope><b itemprop=c>Two <i>words</i></b><meta itemprop=d content='seven'>";
    expect_source(page, "one thing", "one thing");
    expect_source(page, "thing", "thing");
    expect_source(page, "12.50", "12.50");
    expect_source(page, "caf\xC3\xA9 &amp; &quot;bar&quot;", "caf\\u00e9 & \\\"bar\\\"");
    expect_source(page, "Two words", "Two <i>words</i>");
    expect_source(page, "seven", "seven");
}

/* Costs are linear whatever is in a script, and nothing is too deep. */
static void test_hostile(void **state)
{
    static const char *const pieces[] = {
        "=[",        "=[\"", "=[{\"a\":", "={\"a\":[",    "=[1,",
        "=[\"=[\",", "[[[[", "=[\"\\",    "={\"a\":\"=[", "= [{},{},\"=\", "};
    enum { SIZE = 1 << 20 };
    char *html = th__mem_alloc(SIZE + 64);
    assert_non_null(html);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t len = strlen("<script>");
        memcpy(html, "<script>", len);
        while (len < SIZE) {
            memcpy(html + len, pieces[i], strlen(pieces[i]));
            len += strlen(pieces[i]);
        }
        memcpy(html + len, "</script>", 9);
        th_page *page = parse(html, len + 9), *data = NULL;
        assert_int_equal(th__data_page_make(page, NULL, &data, NULL), TH_OK);
        assert_null(data);
        th_page_free(page);
    }
    /* Items inside each other, deeper than are looked into. */
    size_t len = 0;
    while (len < SIZE) {
        memcpy(html + len, "<b itemscope itemprop=a>x", 25);
        len += 25;
    }
    th_page *page = parse(html, len), *data = NULL;
    assert_int_equal(th__data_page_make(page, NULL, &data, NULL), TH_OK);
    assert_non_null(data);
    assert_true(th_page_text(data).len < 8 * (size_t)SIZE);
    th_page_free(data);
    th_page_free(page);
    th__mem_free(html);
}

static th_status make_once(void *context)
{
    th_page *data = NULL;
    th_status status = th__data_page_of(context, &data, NULL);
    th_page_free(data);
    return status;
}

static void test_memory(void **state)
{
    static const char html[] =
        "<script>x = [{\"a\": \"one thing\", \"b\": \"/p/7\"}, {\"a\": {\"c\": \"\\u00e9\"}}]"
        "</script><p itemscope><b itemprop=c>Two</b><meta itemprop=d content='seven'>";
    th_page *page = parse(html, sizeof html - 1);
    th_test_each_allocation_fails(make_once, page);
    th_page_free(page);
}

static th_status find_once(void *context)
{
    th_regions *regions = NULL;
    th_status status = th_regions_find(context, NULL, NULL, &regions, NULL);
    th_regions_free(regions);
    return status;
}

static th_status learn_once(void *context)
{
    th_corpus *corpus = NULL;
    th_wrapper *wrapper = NULL;
    th_records *records = NULL;
    th_status status = th_corpus_new(&corpus, NULL);
    if (!status)
        status = th_corpus_add(corpus, context, NULL, NULL);
    if (!status)
        status = th_learn(corpus, NULL, &wrapper, NULL, NULL);
    if (!status)
        status = th_wrapper_extract(wrapper, context, NULL, &records, NULL);
    th_records_free(records);
    th_wrapper_free(wrapper);
    th_corpus_free(corpus);
    return status;
}

/* Finding lists there, and learning from them. */
static void test_memory_of_lists(void **state)
{
    static const char html[] =
        "<ul><li>Home<li>Help</ul><script>x = [{\"a\": \"one thing\", \"b\": \"/p/7\"},"
        "{\"a\": \"two things\", \"b\": \"/p/8\"}, {\"a\": \"some more\", \"b\": \"/p/9\"}]"
        "</script>";
    th_page *page = parse(html, sizeof html - 1);
    th_test_some_allocations_fail(find_once, page, 100);
    th_test_some_allocations_fail(learn_once, page, 100);
    th_page_free(page);
}

/* ---- attributes ------------------------------------------------------------------------------ */

static void expect_image(const char *tag, const char *address)
{
    th_page *page = parse(tag, strlen(tag));
    th_span span = {0};
    bool found = th__image_span(page, 0, &span);
    th_str got = th__page_slice(page, span.start, span.end);
    if (found != (address != NULL) || (address && !th__str_eq(got, th_str_from(address))))
        fail_msg("%s: \"%.*s\"", tag, (int)got.len, got.ptr);
    th_page_free(page);
}

static void test_images(void **state)
{
    expect_image("<img src=' /a.jpg '>", "/a.jpg");
    expect_image("<img>", NULL);
    expect_image("<img alt=x>", NULL);
    expect_image("<img src='data:image/gif;base64,R0'>", "data:image/gif;base64,R0");
    expect_image("<img src='data:image/gif;base64,R0' data-src=/b.jpg>", "/b.jpg");
    expect_image("<img data-original=/c.jpg src=/img/blank.gif data-src=/b.jpg>", "/b.jpg");
    expect_image("<img src=/a.jpg data-src=/b.jpg>", "/a.jpg");
    expect_image("<img srcset='/s.jpg 320w, /l.jpg 640w, /m.jpg 500w'>", "/l.jpg");
    expect_image("<img srcset='/s.jpg, /l.jpg 1.5x,/m.jpg 1.25x'>", "/l.jpg");
    expect_image("<img srcset=' , '>", NULL);
    expect_image("<img srcset='/a,b.jpg 2x, /c.jpg'>", "/a,b.jpg");
    expect_image("<img src='' srcset='data:image/png;base64,x 1x' data-lazy-src=/z.jpg>", "/z.jpg");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written), cmocka_unit_test(test_left_alone),
        cmocka_unit_test(test_places),  cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_memory),  cmocka_unit_test(test_memory_of_lists),
        cmocka_unit_test(test_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
