/* The lists of a page without labels: regions, records, columns and their names. */
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

static void expect(const char *html, const char *records)
{
    th__buf out = {0};
    assert_int_equal(best_records(html, &out), TH_OK);
    assert_true(th__buf_add_byte(&out, '\0'));
    assert_string_equal(out.data, records);
    th__buf_release(&out);
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

static void results_win_over_navigation(void **state)
{
    expect(results, "{\"title\":\"Walden\",\"author\":\"Henry "
                    "Thoreau\",\"price\":\"$7.50\",\"title_url\":\"/b/1\"}\n"
                    "{\"title\":\"Emma\",\"author\":\"Jane "
                    "Austen\",\"price\":\"$6.00\",\"title_url\":\"/b/2\"}\n"
                    "{\"title\":\"Hard Times\",\"author\":\"Charles "
                    "Dickens\",\"price\":null,\"title_url\":\"/b/3\"}\n");
}

static void tables_take_names_from_headers(void **state)
{
    expect(
        "<table><tr><th>Name<th>Born<th>City<tr><td>Ada<td>1815<td>London<tr><td>Alan<td>1912<td>"
        "Maida Vale<tr><td>Grace<td>1906<td>New York</table>",
        "{\"name\":\"Ada\",\"born\":\"1815\",\"city\":\"London\"}\n"
        "{\"name\":\"Alan\",\"born\":\"1912\",\"city\":\"Maida Vale\"}\n"
        "{\"name\":\"Grace\",\"born\":\"1906\",\"city\":\"New York\"}\n");
}

static void labels_name_what_follows(void **state)
{
    expect("<div><div class=x><b>Ada</b><div>Born: "
           "</div><div>1815</div><div>Died:</div><div>1852</div></div>"
           "<div class=x><b>Alan</b><div>Died:</div><div>1954</div></div>"
           "<div "
           "class=x><b>Grace</b><div>Born:</div><div>1906</div><div>Died:</div><div>1992</div></"
           "div></div>",
           "{\"text_1\":\"Ada\",\"born\":\"1815\",\"died\":\"1852\"}\n"
           "{\"text_1\":\"Alan\",\"born\":null,\"died\":\"1954\"}\n"
           "{\"text_1\":\"Grace\",\"born\":\"1906\",\"died\":\"1992\"}\n");
}

static void several_values_are_a_list(void **state)
{
    expect("<ol><li><h2>One</h2><span class=tag>red</span>"
           "<li><h2>Two</h2><span class=tag>blue</span><span class=tag>green</span><span "
           "class=tag>white</span>"
           "<li><h2>Three</h2></ol>",
           "{\"title\":\"One\",\"tag\":[\"red\"]}\n"
           "{\"title\":\"Two\",\"tag\":[\"blue\",\"green\",\"white\"]}\n"
           "{\"title\":\"Three\",\"tag\":null}\n");
}

static void identical_records_are_a_list(void **state)
{
    expect("<ul><li><h3>Tour</h3><p class=price>8.00</p></li><li><h3>Tour</h3><p "
           "class=price>8.00</p></li>"
           "<li><h3>Tour</h3><p class=price>8.00</p></li></ul>",
           "{\"title\":\"Tour\",\"price\":\"8.00\"}\n{\"title\":\"Tour\",\"price\":\"8.00\"}\n"
           "{\"title\":\"Tour\",\"price\":\"8.00\"}\n");
}

static void a_label_speaks_of_one_field(void **state)
{
    expect(
        "<div><div class=tea><h2>Ada</h2><dl><dt>Origin:<dd>Assam<dt>Price:<dd>4.00</dl>"
        "<span class=tag>strong</span></div>"
        "<div class=tea><h2>Bea</h2><dl><dt>Origin:<dd>Uji<dt>Price:<dd>9.00</dl>"
        "<span class=tag>green</span><span class=tag>mild</span></div>"
        "<div class=tea><h2>Cora</h2><dl><dt>Price:<dd>5.00</dl></div></div>",
        "{\"title\":\"Ada\",\"origin\":\"Assam\",\"price\":\"4.00\",\"tag\":[\"strong\"]}\n"
        "{\"title\":\"Bea\",\"origin\":\"Uji\",\"price\":\"9.00\",\"tag\":[\"green\",\"mild\"]}\n"
        "{\"title\":\"Cora\",\"origin\":null,\"price\":\"5.00\",\"tag\":null}\n");
}

static void records_may_be_of_several_elements(void **state)
{
    expect("<dl><dt>Walden<dd>Henry Thoreau<dd class=price>$7.50<dt>Emma<dd>Jane Austen<dd "
           "class=price>$6.00"
           "<dt>Hard Times<dd>Charles Dickens<dd class=price>$5.25</dl>",
           "{\"text_1\":\"Walden\",\"text_2\":\"Henry Thoreau\",\"price\":\"$7.50\"}\n"
           "{\"text_1\":\"Emma\",\"text_2\":\"Jane Austen\",\"price\":\"$6.00\"}\n"
           "{\"text_1\":\"Hard Times\",\"text_2\":\"Charles Dickens\",\"price\":\"$5.25\"}\n");
}

static void adverts_and_headings_are_no_records(void **state)
{
    expect(
        "<ul><li><b>Walden</b><p>$7.50</p><li><b>Emma</b><p>$6.00</p><li class=x><a>Buy soap</a>"
        "<li><b>Hard Times</b><p>$5.25</p><li><b>Dune</b><p>$4.00</p></ul>",
        "{\"text_1\":\"Walden\",\"text_2\":\"$7.50\"}\n{\"text_1\":\"Emma\",\"text_2\":\"$6.00\"}\n"
        "{\"text_1\":\"Hard "
        "Times\",\"text_2\":\"$5.25\"}\n{\"text_1\":\"Dune\",\"text_2\":\"$4.00\"}\n");
}

static void pages_without_a_list_have_none(void **state)
{
    expect("", "");
    expect("<p>Nothing but a sentence.</p>", "");
    expect("<html><body></body></html>", "");
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
        cmocka_unit_test(results_win_over_navigation),
        cmocka_unit_test(tables_take_names_from_headers),
        cmocka_unit_test(labels_name_what_follows),
        cmocka_unit_test(several_values_are_a_list),
        cmocka_unit_test(identical_records_are_a_list),
        cmocka_unit_test(a_label_speaks_of_one_field),
        cmocka_unit_test(records_may_be_of_several_elements),
        cmocka_unit_test(adverts_and_headings_are_no_records),
        cmocka_unit_test(pages_without_a_list_have_none),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
