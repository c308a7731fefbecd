/* Confidence and allocation failures of lists without labels; tests/cases/lists.case has the
 * records. */
#include "test.h"

#include "alloc_fail.h"
#include "base/str.h"

static th_status collect(void *context, const char *bytes, size_t len, th_error *err)
{
    return th__buf_add(context, bytes, len) ? TH_OK : TH_ERR_MEMORY;
}

/* The records of the best region of a page, as NDJSON; an empty text when there is none. */
static th_status best_records(const char *html, th__buf *out)
{
    th_parser *parser = NULL;
    th_page *page = NULL;
    th_regions *regions = NULL;
    th_writer *writer = NULL;
    th_writer_options options;
    th_writer_options_init(&options);
    options.sink = (th_sink){collect, out};
    th_status status = th_parser_new(NULL, &parser, NULL);
    if (!status)
        status = th_parser_parse(parser, th_str_from(html), NULL, &page, NULL);
    if (!status)
        status = th_regions_find(page, NULL, NULL, &regions, NULL);
    if (!status)
        status = th_writer_new(TH_FORMAT_NDJSON, &options, &writer, NULL);
    if (!status && th_regions_count(regions))
        status = th_writer_add(writer, th_regions_get(regions, 0)->records, NULL);
    if (!status)
        status = th_writer_finish(writer, NULL);
    th_writer_free(writer);
    th_regions_free(regions);
    th_page_free(page);
    th_parser_free(parser);
    return status;
}

static const char results[] =
    "<html><head><title>Search</title></head><body>"
    "<ul class=nav><li><a href=/>Home</a><li><a href=/help>Help</a><li><a href=/about>About "
    "us</a></ul>"
    "<div id=hits>"
    "<div class=hit><h3><a href=/b/1>Walden</a></h3><p class=author>Henry Thoreau</p>"
    "<span class=price>$7.50</span></div>"
    "<div class='hit odd'><h3><a href=/b/2>Emma</a></h3><p class=author>Jane Austen</p>"
    "<span class=price>$6.00</span></div>"
    "<div class=hit><h3><a href=/b/3>Hard <b>Times</b></a></h3><p class=author>Charles "
    "Dickens</p></div>"
    "</div><div class=footer><a href=/terms>Terms</a><a href=/press>Press</a></div></body></html>";

static void confidence_follows_the_lead(void **state)
{
    th_parser *parser;
    th_page *page;
    th_regions *regions;
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, th_str_from(results), NULL, &page, NULL), TH_OK);
    assert_int_equal(th_regions_find(page, NULL, NULL, &regions, NULL), TH_OK);
    assert_true(th_regions_count(regions) >= 2);
    double before = 1;
    for (size_t i = 0; i < th_regions_count(regions); i++) {
        double confidence = th_regions_get(regions, i)->confidence;
        assert_true(confidence >= 0 && confidence <= before);
        before = confidence;
    }
    assert_true(th_regions_get(regions, 0)->confidence > 0.8);
    assert_true(th_regions_get(regions, 1)->confidence < 0.2);
    th_regions_free(regions);
    th_page_free(page);
    th_parser_free(parser);
}

static th_status find_in_results(void *context)
{
    th__buf out = {0};
    th_status status = best_records(results, &out);
    th__buf_release(&out);
    return status;
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    th_test_each_allocation_fails(find_in_results, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(confidence_follows_the_lead),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
