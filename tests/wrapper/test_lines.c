/* Lines of values: places of their parts, and memory. Which parts are columns is in
 * tests/cases/lines.case. */
#include "alloc_fail.h"
#include "base/error.h"
#include "wrapper_test.h"

static const char books[] =
    "<ul><li class=book><a href=/1>The Salt Road</a> by <i>Ines Vale</i>"
    " <span class=price>$ 14.50</span>"
    "<li class=book><a href=/2>A Field Guide</a> by <i>Tom Birch</i>"
    " <span class=price>$ 22.00</span> <em>signed</em>"
    "<li class=book><a href=/3>Nine Boats</a> by <i>R. Okoro</i> <span class=price>$ 9.95</span>"
    "<li class=book><a href=/4>Winter Bread</a> by <i>Lena Hauk</i>"
    " <span class=price>$ 18.20</span></ul>";

/* Values point at their places, words that go with them included. */
static void parts_have_spans(void **state)
{
    th_wrapper *wrapper;
    th_parser *parser;
    th_page *page;
    th_records *records;
    const char *const html = books;
    assert_int_equal(learn_from(&html, 1, 1, &wrapper, NULL), TH_OK);
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, th_str_from(books), NULL, &page, NULL), TH_OK);
    assert_int_equal(th_wrapper_extract(wrapper, page, NULL, &records, NULL), TH_OK);
    th_span span = th_value_span(th_value_item(th_records_get(records, 0), 1));
    const char *place = strstr(books, "by <i>Ines Vale");
    assert_int_equal(span.start, place - books);
    assert_int_equal(span.end, place - books + (long)strlen("by <i>Ines Vale"));
    th_records_free(records);
    th_page_free(page);
    th_parser_free(parser);
    th_wrapper_free(wrapper);
}

static th_status learn_and_run(void *context)
{
    const char *const page = books;
    th_wrapper *wrapper = NULL;
    th__buf out = {0};
    th_status status = learn_from(&page, 1, 1, &wrapper, NULL);
    if (!status)
        status = run_on(wrapper, page, &out, NULL);
    th__buf_release(&out);
    th_wrapper_free(wrapper);
    return status;
}

static void memory_runs_out(void **state)
{
    th_test_some_allocations_fail(learn_and_run, NULL, 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_spans),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
