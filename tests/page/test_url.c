/* Links: every example of RFC 3986, section 5.4, and what real pages hold. */
#include "test.h"

#include "page/url.h"

static void expect(const char *base, const char *link, const char *want)
{
    th__buf out = {0};
    assert_true(th__url_resolve(th_str_from(base), th_str_from(link), &out));
    th__buf_add_byte(&out, '\0');
    if (strcmp(out.data, want) != 0)
        fail_msg("\"%s\" on %s gave \"%s\", not \"%s\"", link, base ? base : "no page", out.data,
                 want);
    th__buf_release(&out);
}

static void rfc_3986_examples(void **state)
{
    static const char *const cases[][2] = {
        {"g:h", "g:h"},
        {"g", "http://a/b/c/g"},
        {"./g", "http://a/b/c/g"},
        {"g/", "http://a/b/c/g/"},
        {"/g", "http://a/g"},
        {"//g", "http://g"},
        {"?y", "http://a/b/c/d;p?y"},
        {"g?y", "http://a/b/c/g?y"},
        {"#s", "http://a/b/c/d;p?q#s"},
        {"g#s", "http://a/b/c/g#s"},
        {"g?y#s", "http://a/b/c/g?y#s"},
        {";x", "http://a/b/c/;x"},
        {"g;x", "http://a/b/c/g;x"},
        {"g;x?y#s", "http://a/b/c/g;x?y#s"},
        {"", "http://a/b/c/d;p?q"},
        {".", "http://a/b/c/"},
        {"./", "http://a/b/c/"},
        {"..", "http://a/b/"},
        {"../", "http://a/b/"},
        {"../g", "http://a/b/g"},
        {"../..", "http://a/"},
        {"../../", "http://a/"},
        {"../../g", "http://a/g"},
        /* abnormal */
        {"../../../g", "http://a/g"},
        {"../../../../g", "http://a/g"},
        {"/./g", "http://a/g"},
        {"/../g", "http://a/g"},
        {"g.", "http://a/b/c/g."},
        {".g", "http://a/b/c/.g"},
        {"g..", "http://a/b/c/g.."},
        {"..g", "http://a/b/c/..g"},
        {"./../g", "http://a/b/g"},
        {"./g/.", "http://a/b/c/g/"},
        {"g/./h", "http://a/b/c/g/h"},
        {"g/../h", "http://a/b/c/h"},
        {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
        {"g;x=1/../y", "http://a/b/c/y"},
        {"g?y/./x", "http://a/b/c/g?y/./x"},
        {"g?y/../x", "http://a/b/c/g?y/../x"},
        {"g#s/./x", "http://a/b/c/g#s/./x"},
        {"g#s/../x", "http://a/b/c/g#s/../x"},
        {"http:g", "http://a/b/c/g"}, /* as browsers do; the RFC allows both */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect("http://a/b/c/d;p?q", cases[i][0], cases[i][1]);
}

static void what_pages_hold(void **state)
{
    static const char base[] = "https://shop.example/list/page.html?n=1#top";
    expect(base, "  /a b.html\n", "https://shop.example/a%20b.html");
    expect(base, "/a\n\t/b", "https://shop.example/a/b");
    expect(base, "\\img\\x.png?a\\b", "https://shop.example/img/x.png?a\\b");
    expect(base, "\\\\cdn.example\\x", "https://cdn.example/x");
    expect(base, "//cdn.example/x/../y", "https://cdn.example/y");
    expect(base, "HTTP://Other.example", "http://Other.example");
    expect(base, "http:/other.example/x", "http://other.example/x");
    expect(base, "http:////other.example/x", "http://other.example/x");
    expect(base, "http:other.example/x", "http://other.example/x");
    expect(base, "https:x", "https://shop.example/list/x");
    expect(base, "https:/x", "https://shop.example/x");
    expect(base, "javascript:void(0)", "javascript:void(0)");
    expect(base, " mailto:a@b.example ", "mailto:a@b.example");
    expect(base, "data:text/plain,a b/../c", "data:text/plain,a b/../c");
    expect(base, "tel:+1 555", "tel:+1 555");
    expect(base, "caf\xC3\xA9?q=\xC3\xA9", "https://shop.example/list/caf\xC3\xA9?q=\xC3\xA9");
    expect(base, "a\"<b>", "https://shop.example/list/a%22%3Cb%3E");
    expect(base, "%2E%2e/x/%2e/y", "https://shop.example/x/y");
    expect(base, "?", "https://shop.example/list/page.html?");
    expect(base, "#", "https://shop.example/list/page.html?n=1#");
    expect(base, "?q=../x", "https://shop.example/list/page.html?q=../x");
    expect(base, "a:b", "a:b");
    expect(base, "1:b", "https://shop.example/list/1:b");
    expect(base, "./a:b", "https://shop.example/list/a:b");
    expect(base, ".../x", "https://shop.example/list/.../x");
    expect(base, "//", "https://");
}

static void odd_bases(void **state)
{
    expect("http://a", "g", "http://a/g");
    expect("http://a", "", "http://a");
    expect("http://a?q", "g", "http://a/g");
    expect("http://a", "../g", "http://a/g");
    expect("http://a/b#f", "?x", "http://a/b?x");
    expect("file:///home/x/list.html", "../y.html", "file:///home/y.html");
    expect("file:///home/x/list.html", "/y.html", "file:///y.html");
    expect("data:text/html,x", "y", "y");
    expect("data:text/html,x", "http://a/../b", "http://a/b");
    expect(NULL, "y/../z", "y/../z");
    expect(NULL, " #f ", "#f");
    expect(NULL, "http://a/./b c", "http://a/b%20c");
    expect("pages/x.html", "y.html", "y.html");
}

static void a_million_dots_cost_little(void **state)
{
    size_t len = 3000000;
    char *link = malloc(len);
    assert_non_null(link);
    for (size_t i = 0; i < len; i++)
        link[i] = i < len / 2 ? "a/"[i % 2] : "../"[i % 3];
    th__buf out = {0};
    assert_true(th__url_resolve(TH_STR("http://h/"), (th_str){link, len}, &out));
    assert_true(out.len < len);
    th__buf_release(&out);
    free(link);
}

static void expect_page(const char *html, const char *url, const char *href, const char *want)
{
    th_parser *parser;
    th_page *page;
    th_page_source source = {.url = th_str_from(url)};
    th_text out = {0};
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, th_str_from(html), &source, &page, NULL), TH_OK);
    assert_int_equal(th_page_resolve(page, th_str_from(href), &out, NULL), TH_OK);
    assert_string_equal(out.ptr, want);
    th_text_release(&out);
    th_page_free(page);
    th_parser_free(parser);
}

static void the_first_base_counts(void **state)
{
    expect_page("<p>x", "http://a/b/c", "d", "http://a/b/d");
    expect_page("<p>x", NULL, "d", "d");
    expect_page("<base href=/x/><base href=/y/>", "http://a/b/c", "d", "http://a/x/d");
    expect_page("<base target=_top><base href=/y/>", "http://a/b/c", "d", "http://a/y/d");
    expect_page("<base href='http://z/&amp;/'>", NULL, "d", "http://z/&/d");
    expect_page("<base href='x/'>", NULL, "d", "d");
    expect_page("<base href='data:x'>", "http://a/b", "d", "http://a/d");
    expect_page("<base href=''>", "http://a/b", "d", "http://a/d");
}

static th_page *page_at(const char *html, const char *url)
{
    th_parser *parser;
    th_page *page;
    th_page_source source = {.url = th_str_from(url)};
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, th_str_from(html), &source, &page, NULL), TH_OK);
    th_parser_free(parser);
    return page;
}

static void redirects_may_lead_astray(void **state)
{
    static const struct {
        const char *asked, *url, *html;
        th_arrival arrival;
    } cases[] = {
        {"http://a.org/x", "https://www.A.org:443/x/?y#z", "<p>x", TH_ARRIVED},
        {"http://a.org/x", "http://a.org/new/x", "<p>x", TH_ARRIVED},
        {"http://a.org/x", "http://b.org/x", "<p>x", TH_ARRIVED_ELSEWHERE},
        {"http://b.org@a.org/x", "http://b.org/x", "<p>x", TH_ARRIVED_ELSEWHERE},
        {"http://a.org/x", "http://a.org/login?next=/x", "<p>x", TH_ARRIVED_LOGIN},
        {"http://a.org/x", "http://a.org/users/sign_in", "<p>x", TH_ARRIVED_LOGIN},
        {"http://a.org/x", "https://sso.b.org/", "<p>x", TH_ARRIVED_LOGIN},
        {"http://a.org/x", "http://a.org/authors/log", "<p>x", TH_ARRIVED},
        {"http://a.org/x", "http://a.org/hello", "<input type=PassWord>", TH_ARRIVED_LOGIN},
        /* a field in the head of the page that was asked for */
        {"http://a.org/x", "http://a.org/x", "<input type=password>", TH_ARRIVED},
        {"http://a.org/login", "http://a.org/login/new", "<input type=password>", TH_ARRIVED},
        {"page.html", "http://a.org/login", "<p>x", TH_ARRIVED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        th_page *page = page_at(cases[i].html, cases[i].url);
        if (th_page_arrival(page, th_str_from(cases[i].asked)) != cases[i].arrival)
            fail_msg("%s to %s", cases[i].asked, cases[i].url);
        th_page_free(page);
    }
}

static void data_may_be_in_a_script(void **state)
{
#define JSON                                                                                       \
    "{\"items\":[{\"name\":\"Aurora Desk Lamp\"},{\"name\":\"Nordic Lounge Chair\"}],\"n\":2}"
    static const struct {
        const char *html, *name;
    } cases[] = {
        {"<script id=__NEXT_DATA__ type='application/json'>" JSON "</script>", "__NEXT_DATA__"},
        {"<script type='application/ld+json'>" JSON "</script>", "application/ld+json"},
        {"<script> window.__STATE__ = " JSON "</script>", "__STATE__"},
        {"<script>self.__next_f.push(" JSON ")</script>", "__next_f"},
        {"<script type='application/json' id=a>" JSON "</script>"
         "<script type='application/json' id=b>[" JSON "," JSON "]</script>",
         "b"},
        {"<script type='application/json'>{\"debug\":true}</script>", NULL},
        {"<script>window.x = " JSON "</script>", NULL},
        {"<script>var a = " JSON "</script><script>", NULL},
        {"<p>" JSON, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        th_str name = {0};
        th_page *page = page_at(cases[i].html, NULL);
        bool found = th_page_script_data(page, &name);
        if (found != !!cases[i].name || !th__str_eq(name, th_str_from(cases[i].name)))
            fail_msg("case %zu: \"%.*s\"", i, (int)name.len, name.ptr ? name.ptr : "");
        th_page_free(page);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rfc_3986_examples),
        cmocka_unit_test(what_pages_hold),
        cmocka_unit_test(odd_bases),
        cmocka_unit_test(a_million_dots_cost_little),
        cmocka_unit_test(the_first_base_counts),
        cmocka_unit_test(redirects_may_lead_astray),
        cmocka_unit_test(data_may_be_in_a_script),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
