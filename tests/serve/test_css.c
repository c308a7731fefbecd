/* test_css.c: style sheets of pages, made safe. */
#include "../test.h"
#include "css.h"

/* Knows one file. */
static bool find(void *context, th_str url, serve_css_use use, serve_text *out)
{
    static const char *const known[] = {"k.png", "k.woff2", "k.css"};
    if (url.len != strlen(known[use]) || memcmp(url.ptr, known[use], url.len))
        return false;
    serve_printf(out, "/see/%d", (int)use);
    return true;
}

static void check(const char *sheet, const char *expected)
{
    serve_text out = {0};
    serve_css(th_str_from(sheet), SERVE_CSS_SHEET, &(serve_css_names){find, NULL}, &out);
    assert_false(out.failed);
    assert_string_equal(out.ptr ? out.ptr : "", expected);
    serve_text_release(&out);
}

#define NONE "url(\"data:,\")"

static void what_looks_stays(void **state)
{
    check("a>b+c~d , [x=\"y\"]{color:#fEe;margin:-1.5em +2e3px 50% .5rem}",
          "a>b+c~d , [x=\"y\"]{color:#fEe;margin:-1.5em +2e3px 50% .5rem}");
    check("@media (400px<=width) and (width<600px){p{--x:{a:b};top:calc(1px + 2%)}}",
          "@media (400px<=width) and (width< 600px){p{--x:{a:b};top:calc(1px + 2%)}}");
    check("p::before{content:\"\\201C\"}.a\\:b{}.\\31 x{}#\\31{}",
          "p::before{content:\"\xE2\x80\x9C\"}.a\\3a b{}.\\31 x{}#1{}");
    check(".a{&:hover{}& .b{}&.c{}}", ".a{&:hover{}& .b{}&.c{}}");
    check("@font-face{unicode-range:U+26,u+0-7F,U+4??}",
          "@font-face{unicode-range:U+26,u+0-7F,U+4??}");
    check("a:link,a:any-link:visited{}a::link{}a:link-x{}",
          "a[data-href],a[data-href]:visited{}a::link{}a:link-x{}");
    check("a/* */b", "a/**/b");
    check("a{b:url(#g) url('data:image/png;base64,AA==')}",
          "a{b:url(\"#g\") url(\"data:image/png;base64,AA==\")}");
}

static void what_reaches_out_goes(void **state)
{
    static const char *const urls[] = {"url(x)",
                                       "url( \"x\" )",
                                       "url('x')",
                                       "URL(x)",
                                       "u\\72l(x)",
                                       "\\75\\72\\6c(x)",
                                       "u\\000072 l(\"x\")",
                                       "url(\\68ttp://x)",
                                       "url(/**/x)",
                                       "url(x y)",
                                       "url(a\"b)",
                                       "src(\"x\")",
                                       "src(var(--x))",
                                       "url(\"x\" foo(\"y\") )",
                                       "url(data:text/html,x)",
                                       "image-set(var(--x) 1x)",
                                       "image-set(attr(x) 1x)",
                                       "src(/**/'x')",
                                       "url(  )"};
    char sheet[200];
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        snprintf(sheet, sizeof sheet, "a{b:%s;c:d}", urls[i]);
        check(sheet, "a{b:" NONE ";c:d}");
    }
    check("a{b:image-set(\"x\" 1x type(\"y\"),url(x) 2x)}",
          "a{b:image-set( " NONE " 1x type(\"y\")," NONE " 2x)}");
    check("a{cursor:url(x),auto;behavior:url(x);-moz-binding:url(x);b:c}", "a{   b:c}");
    check("a{cursor:url(x)}b{c:d}", "a{ }b{c:d}");
    check("a{w:expression(alert(\"x\"));c:d}", "a{w:none ;c:d}");
    check("@import \"x\";@im\\70ort url(x) screen;@charset \"x\";@namespace a url(x);b{}",
          "    b{}");
    check("a{@import \"k.css\";b:c}", "a{ b:c}");
}

static void what_is_known_is_named(void **state)
{
    check("a{b:url(k.png)}", "a{b:url(\"/see/0\")}");
    check("a{b:image-set('k.png' 1x)}", "a{b:image-set( url(\"/see/0\") 1x)}");
    check("@font-face{src:url(k.woff2) format('woff2'),url(x)}b{c:url(k.woff2)}",
          "@font-face{src:url(\"/see/1\") format(\"woff2\")," NONE "}b{c:" NONE "}");
    check("@import 'k.css' layer(x) screen;@import url(k.css);a{}",
          "@import url(\"/see/2\") layer(x) screen;@import url(\"/see/2\");a{}");
}

/* Nothing that comes out is markup, wherever it stands in a page. */
static void nothing_breaks_out(void **state)
{
    check("a{b:\"</style><script>\"}", "a{b:\"\\3c /style\\3e \\3c script\\3e \"}");
    check("</style><img>", "< /style>< img>");
    check("<!-- a{} -->", "  a{}  ");
    check("a\\</style{}", "a\\3c /style{}");
    check("u&#114;l(x)", "u&/**/#114;l(x)");
    check("&\\6ct;", "&/**/lt;");
    check("&@import x;lt;", "&/**/ lt;");
    check("u@charset;rl(x)", "u rl(x)");
    check("a{b:c\\", "a{b:c }");
}

static void what_is_broken_ends(void **state)
{
    check("a{b:url(\"x", "a{b:" NONE "}");
    check("a{b:\"x\ny\"}", "a{b:\"x\" y\"}\"}");
    check("a{b:url(x", "a{b:" NONE "}");
    check("a{cursor:b(", "a{ }");
    check("/* open", "/**/");
    check("}]) a{}", "}]) a{}");
    check("(@namespace)", "( )");
    serve_text deep = {0}, out = {0};
    for (int i = 0; i < 100000; i++)
        serve_puts(&deep, "(");
    serve_css((th_str){deep.ptr, deep.len}, SERVE_CSS_SHEET, NULL, &out);
    assert_true(out.len < 1000);
    serve_text_release(&deep);
    serve_text_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_looks_stays),       cmocka_unit_test(what_reaches_out_goes),
        cmocka_unit_test(what_is_known_is_named), cmocka_unit_test(nothing_breaks_out),
        cmocka_unit_test(what_is_broken_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
