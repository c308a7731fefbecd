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

/* Titles in one row, prices in the next: a record is a cell of each. */
static void parts_of_a_record_may_stand_apart(void **state)
{
    expect(
        "<table><tr><td><a href=/1>Walden</a><td><a href=/2>Emma</a><td><a href=/3>Ulysses</a>"
        "<tr><td><i>Thoreau</i><br>$7.50<td><i>Austen</i><br>$6.00<td><i>Joyce</i><br>$9.25"
        "<tr><td><a href=/4>Dubliners</a><td><a href=/5>Persuasion</a><td>&nbsp;"
        "<tr><td><i>Joyce</i><br>$5.00<td><i>Austen</i><br>$4.75<td>&nbsp;</table>",
        "{\"text_1\":\"Walden\",\"text_2\":\"Thoreau\",\"text_3\":\"$7.50\",\"link\":\"/1\"}\n"
        "{\"text_1\":\"Emma\",\"text_2\":\"Austen\",\"text_3\":\"$6.00\",\"link\":\"/2\"}\n"
        "{\"text_1\":\"Ulysses\",\"text_2\":\"Joyce\",\"text_3\":\"$9.25\",\"link\":\"/3\"}\n"
        "{\"text_1\":\"Dubliners\",\"text_2\":\"Joyce\",\"text_3\":\"$5.00\",\"link\":\"/4\"}\n"
        "{\"text_1\":\"Persuasion\",\"text_2\":\"Austen\",\"text_3\":\"$4.75\",\"link\":\"/5\"}\n");
}

/* A table of data is no grid, though every second row has another class. */
static void striped_tables_are_tables(void **state)
{
    expect(
        "<table><tr class=odd><td>Ada<td>1815<tr class=even><td>Alan<td>1912"
        "<tr class=odd><td>Grace<td>1906<tr class=even><td>Kurt<td>1906</table>",
        "{\"text_1\":\"Ada\",\"text_2\":\"1815\"}\n{\"text_1\":\"Alan\",\"text_2\":\"1912\"}\n"
        "{\"text_1\":\"Grace\",\"text_2\":\"1906\"}\n{\"text_1\":\"Kurt\",\"text_2\":\"1906\"}\n");
}

/* The rows differ by nothing but bold text. */
static void rows_that_look_alike_are_told_apart(void **state)
{
    expect("<table><tr><td><b>Walden</b><tr><td>Thoreau, $7.50<br>in stock"
           "<tr><td><b>Emma</b><tr><td>Austen, $6.00<br>two left"
           "<tr><td><b>Ulysses</b><tr><td>Joyce, $9.25<br>one left"
           "<tr><td><b>Middlemarch</b><tr><td>Eliot, $8.10<br>sold out</table>",
           "{\"text_1\":\"Walden\",\"text_2\":\"Thoreau, $7.50\",\"text_3\":\"in stock\"}\n"
           "{\"text_1\":\"Emma\",\"text_2\":\"Austen, $6.00\",\"text_3\":\"two left\"}\n"
           "{\"text_1\":\"Ulysses\",\"text_2\":\"Joyce, $9.25\",\"text_3\":\"one left\"}\n"
           "{\"text_1\":\"Middlemarch\",\"text_2\":\"Eliot, $8.10\",\"text_3\":\"sold out\"}\n");
}

static void hidden_lists_come_last(void **state)
{
    expect("<div style='color: red; display : none'><ul><li>one long line of help<li>another long "
           "line of help<li>a third long line of help</ul></div>"
           "<ol><li>Ash bench<li>Elm chair<li>Oak table</ol>",
           "{\"text_1\":\"Ash bench\"}\n{\"text_1\":\"Elm chair\"}\n{\"text_1\":\"Oak table\"}\n");
}

/* A column that only the longest record has stands where it stands there. */
static void columns_keep_the_order_of_the_page(void **state)
{
    expect(
        "<ul><li><h3>One</h3><p class=end>last</p>"
        "<li><h3>Two</h3><p class=a>a</p><p class=b>b</p><p class=c>c</p><p class=end>last two</p>"
        "<li><h3>Three</h3><p class=end>last three</p></ul>",
        "{\"title\":\"One\",\"text_1\":null,\"text_2\":null,\"text_3\":null,\"end\":\"last\"}\n"
        "{\"title\":\"Two\",\"text_1\":\"a\",\"text_2\":\"b\",\"text_3\":\"c\",\"end\":\"last "
        "two\"}\n"
        "{\"title\":\"Three\",\"text_1\":null,\"text_2\":null,\"text_3\":null,\"end\":\"last "
        "three\"}\n");
}

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
        cmocka_unit_test(parts_of_a_record_may_stand_apart),
        cmocka_unit_test(striped_tables_are_tables),
        cmocka_unit_test(rows_that_look_alike_are_told_apart),
        cmocka_unit_test(hidden_lists_come_last),
        cmocka_unit_test(columns_keep_the_order_of_the_page),
        cmocka_unit_test(confidence_follows_the_lead),
        cmocka_unit_test(pages_without_a_list_have_none),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
