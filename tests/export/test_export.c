/* test_export.c: selectors of wrappers, what is refused, and running out of memory. */
#include "alloc_fail.h"
#include "wrapper_test.h"

static const char page_one[] =
    "<html><body><ul class=nav><li><a href=/>Home</a><li><a href=/help>Help</a></ul>"
    "<div class=list><div class=hit><h3><a href=/1>Blue heron</a></h3><p class=price>Price: 12 "
    "EUR</p>"
    "<p class=tags><a>big</a><a>wet</a></p></div>"
    "<div class=hit><h3><a href=/2>Grey plover</a></h3><p class=price>Price: 9 EUR</p>"
    "<p class=tags><a>small</a><a>dry</a></p></div>"
    "<div class=hit><h3><a href=/3>White stork</a></h3><p class=price>Price: 31 EUR</p>"
    "<p class=tags><a>tall</a></p></div></div></body></html>";

/* The export of a wrapper that is learnt from pages and checked on them. */
static th_status export_pages(const char *const *pages, size_t count, th_export_target target,
                              bool partial, th_text *out, size_t *refused, th_error *err)
{
    th_wrapper *wrapper = NULL;
    th_export *export = NULL;
    th_parser *parser = NULL;
    th_export_options options;
    th_export_options_init(&options);
    options.name = "birds.json";
    options.partial = partial;
    th_status status = learn_from(pages, count, 0, &wrapper, err);
    if (!status)
        status = th_export_new(wrapper, &options, &export, err);
    if (!status)
        status = th_parser_new(NULL, &parser, err);
    for (size_t i = 0; !status && i < count; i++) {
        th_page *page = NULL;
        th_records_source source = {.page = th_str_from("page")};
        status = th_parser_parse(parser, th_str_from(pages[i]), NULL, &page, err);
        if (!status)
            status = th_export_add(export, page, &source, err);
        th_page_free(page);
    }
    if (!status)
        status = th_export_write(export, target, out, err);
    if (refused)
        *refused = export ? th_export_refused_count(export) : 0;
    th_export_free(export);
    th_wrapper_free(wrapper);
    th_parser_free(parser);
    return status;
}

static void has(const th_text *text, const char *part)
{
    if (!strstr(text->ptr, part))
        fail_msg("no %s in:\n%s", part, text->ptr);
}

static void every_target_names_the_places(void **state)
{
    static const char *const parts[][3] = {
        [TH_EXPORT_CSS] = {"\"records\": \"div.hit\"", "p.price", "::attr(href)"},
        [TH_EXPORT_XPATH] = {"//div[contains(", "' price '", "/@href"},
        [TH_EXPORT_PARSEL] = {"page.css(\"div.hit\")", "def records(html", "import Selector"},
        [TH_EXPORT_SCRAPY] = {"page.css(\"div.hit\")", "class RecordsSpider", "start_urls"},
        [TH_EXPORT_PYTHON] = {"page.xpath(\"//div[", "import lxml.html", "__main__"},
    };
    const char *pages[] = {page_one};
    for (int target = TH_EXPORT_CSS; target <= TH_EXPORT_PYTHON; target++) {
        th_text text = {0};
        th_error err = {0};
        size_t refused = 9;
        th_status status =
            export_pages(pages, 1, (th_export_target)target, false, &text, &refused, &err);
        if (status)
            fail_msg("%s", err.message);
        assert_int_equal(refused, 0);
        for (int i = 0; i < 3; i++)
            has(&text, parts[target][i]);
        th_text_release(&text);
    }
}

/* Trees of libxml2 and ours differ here: a link inside of a link, and a list inside of a heading.
 */
static void what_parsers_read_differently_is_refused(void **state)
{
    static const char broken[] =
        "<html><body><table class=t><tr><td><b>Heron</b><td>12<tr><td><b>Plover</b><td>9"
        "<div>not in a cell</div></table><table><tr><td><b>Stork</b><p>31</b>x<td>7</table></body>";
    const char *pages[] = {broken};
    th_text text = {0};
    th_error err = {0};
    th_status status = export_pages(pages, 1, TH_EXPORT_XPATH, false, &text, NULL, &err);
    assert_true(status == TH_OK || status == TH_ERR_FORMAT || status == TH_ERR_ARGUMENT);
    th_text_release(&text);
}

static void an_export_needs_pages_with_records(void **state)
{
    const char *pages[] = {page_one};
    th_wrapper *wrapper;
    th_export *export;
    th_text text = {0};
    th_error err = {0};
    assert_int_equal(learn_from(pages, 1, 0, &wrapper, NULL), TH_OK);
    assert_int_equal(th_export_new(wrapper, NULL, &export, NULL), TH_OK);
    assert_int_equal(th_export_write(export, TH_EXPORT_CSS, &text, &err), TH_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "checked on pages"));
    assert_null(th_export_refused(export, 0));
    th_page *page = parse_page("<p>nothing");
    assert_int_equal(th_export_add(export, page, NULL, NULL), TH_OK);
    assert_int_equal(th_export_write(export, TH_EXPORT_CSS, &text, &err), TH_ERR_ARGUMENT);
    th_page_free(page);
    assert_int_equal(th_wrapper_page_count(wrapper), 1);
    assert_int_equal(th_wrapper_page_name(wrapper, 0).len, 4);
    assert_null(th_wrapper_page_name(wrapper, 1).ptr);
    th_export_free(export);
    th_export_free(NULL);
    th_wrapper_free(wrapper);
}

static th_status export_once(void *context)
{
    const char *pages[] = {page_one};
    th_text text = {0};
    th_error err = {0};
    th_status status =
        export_pages(pages, 1, *(th_export_target *)context, false, &text, NULL, &err);
    th_text_release(&text);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    th_export_target target = TH_EXPORT_PARSEL;
    th_test_some_allocations_fail(export_once, &target, 120);
    target = TH_EXPORT_XPATH;
    th_test_some_allocations_fail(export_once, &target, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_target_names_the_places),
        cmocka_unit_test(what_parsers_read_differently_is_refused),
        cmocka_unit_test(an_export_needs_pages_with_records),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
