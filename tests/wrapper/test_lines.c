/* Lines of values: texts whose inline elements recur become several columns, on the page and on
 * others. */
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

/* The records of a page are those of its wrapper. */
static void expect_columns(const char *page, const char *records)
{
    expect_run_by("auto", page, page, records);
    expect_run_by("mdr", page, page, records);
}

static void elements_are_columns(void **state)
{
    expect_columns(books,
                   "{\"text_1\":\"The Salt Road\",\"by\":\"by Ines Vale\",\"price\":\"$ 14.50\","
                   "\"text_2\":null,\"other\":null,\"link\":\"/1\"}\n"
                   "{\"text_1\":\"A Field Guide\",\"by\":\"by Tom Birch\",\"price\":\"$ 22.00\","
                   "\"text_2\":\"signed\",\"other\":null,\"link\":\"/2\"}\n"
                   "{\"text_1\":\"Nine Boats\",\"by\":\"by R. Okoro\",\"price\":\"$ 9.95\","
                   "\"text_2\":null,\"other\":null,\"link\":\"/3\"}\n"
                   "{\"text_1\":\"Winter Bread\",\"by\":\"by Lena Hauk\",\"price\":\"$ 18.20\","
                   "\"text_2\":null,\"other\":null,\"link\":\"/4\"}\n");
}

/* Fewer parts, parts in another order, a new one, other words, and one of two in the place of one.
 */
static void other_pages_give_the_same_columns(void **state)
{
    expect_run(
        books,
        "<ul><li class=book><a href=/5>Tides</a> <span class=price>$ 7.00</span>"
        "<li class=book><span class=price>$ 8.00</span> <a href=/6>Sand</a> von <i>Ada Reed</i>"
        "<li class=book><a href=/7>Reefs</a> by <i>Bo Lund</i> <u>new</u> <em>signed</em>"
        "<li class=book><a href=/8>Wrecks</a> by <i>Al Ree</i> <i>Jo Ree</i></ul>",
        "{\"text_1\":\"Tides\",\"by\":null,\"price\":\"$ 7.00\",\"text_2\":null,\"other\":null,"
        "\"link\":\"/5\"}\n"
        "{\"text_1\":\"Sand\",\"by\":\"von Ada Reed\",\"price\":\"$ 8.00\",\"text_2\":null,"
        "\"other\":null,\"link\":\"/6\"}\n"
        "{\"text_1\":\"Reefs\",\"by\":\"by Bo Lund\",\"price\":null,\"text_2\":\"signed\","
        "\"other\":[\"new\"],\"link\":\"/7\"}\n"
        "{\"text_1\":\"Wrecks\",\"by\":\"by Al Ree\",\"price\":null,\"text_2\":null,"
        "\"other\":[\"Jo Ree\"],\"link\":\"/8\"}\n");
}

/* Bold labels are names; what is between them are values, without the signs that part them. */
static void labels_name_what_follows(void **state)
{
    expect_run("<ul><li><b>Date:</b> 3 May | <b>Place:</b> Rome"
               "<li><b>Date:</b> 4 June | <b>Place:</b> Paris<li><b>Place:</b> Oslo"
               "<li><b>Date:</b> 9 July | <b>Place:</b> Lyon</ul>",
               "<ul><li><b>Place:</b> Bath | <b>Date:</b> 1 May<li><b>Price:</b> 5</ul>",
               "{\"date\":\"1 May\",\"place\":\"Bath\",\"other\":null}\n"
               "{\"date\":null,\"place\":null,\"other\":[\"Price:\",\"5\"]}\n");
}

static void equal_elements_are_a_list(void **state)
{
    expect_run(
        "<ul><li><a href=/1>Salt</a> <span class=tag>sea</span> <span class=tag>novel</span>"
        "<li><a href=/2>Bread</a> <span class=tag>food</span>"
        "<li><a href=/3>Boats</a> <span class=tag>sea</span> <span class=tag>war</span> "
        "<span class=tag>old</span> | 1999<li><a href=/4>Gates</a> "
        "<span class=tag>garden</span> | 2004<li><a href=/5>Sand</a> "
        "<span class=tag>sea</span> | 2005</ul>",
        "<ul><li><a href=/6>Tides</a> <span class=tag>sea</span> <span "
        "class=tag>moon</span> | 2001</ul>",
        "{\"text_1\":\"Tides\",\"tag\":[\"sea\",\"moon\"],\"text_2\":\"2001\",\"other\":null,"
        "\"link\":\"/6\"}\n");
}

/* Elements of one kind are told apart by their number, and icons by what they show. */
static void places_in_a_line(void **state)
{
    expect_run("<ul><li><p class=facts><span>2019</span> &middot; <span>Ghent</span></p>"
               "<li><p class=facts><span>2021</span> &middot; <span>Bruges</span></p>"
               "<li><p class=facts><span>2008</span> &middot; <span>Ostend</span></p></ul>",
               "<ul><li><p class=facts><span>1994</span> &middot; <span>Liège</span></p></ul>",
               "{\"facts\":\"1994\",\"facts_2\":\"Liège\",\"other\":null}\n");
    expect_run("<ul><li><i class=eye></i> 12 <i class=heart></i> 5 <b>Ada</b>"
               "<li><i class=eye></i> 30 <i class=heart></i> 8 <b>Bo</b>"
               "<li><i class=eye></i> 7 <i class=heart></i> 1 <b>Cem</b></ul>",
               "<ul><li><i class=heart></i> 2 <b>Dot</b></ul>",
               "{\"text_1\":null,\"text_2\":\"2\",\"text_3\":\"Dot\",\"other\":null}\n");
}

/* A part that is itself a line. */
static void parts_have_parts(void **state)
{
    expect_run("<ul><li>1. <span class=meta><a href=/1>Salt</a> | <u>1999</u></span>"
               "<li>2. <span class=meta><a href=/2>Bread</a> | <u>2004</u></span>"
               "<li>3. <span class=meta><a href=/3>Boats</a> | <u>2010</u></span></ul>",
               "<ul><li>4. <span class=meta><a href=/4>Gates</a> | <u>2011</u></span></ul>",
               "{\"text_1\":\"4.\",\"meta\":\"Gates\",\"meta_2\":\"2011\",\"other\":null,"
               "\"meta_url\":\"/4\"}\n");
}

/* What is no line of values stays whole. */
static void sentences_stay_whole(void **state)
{
    static const char *const lists[][2] = {
        {"<ul><li>A book about <em>the sea</em> and its people<li>What <em>bread</em> means in Oslo"
         "<li>Boats leave the <em>harbour</em> and return<li>Gates, <em>fences</em> and walls</ul>",
         "{\"text_1\":\"A book about the sea and its people\",\"other\":null}\n"},
        {"<ul><li>Cheap <b>oak</b> tables<li>Old <b>oak</b> chairs here<li>Solid <b>oak</b> benches"
         "</ul>",
         "{\"text_1\":\"Cheap oak tables\",\"other\":null}\n"},
        {"<ul><li>by <a>Mary</a> and <a>Percy</a><li>by <a>Jane</a><li>by <a>Anne</a>, "
         "<a>Emily</a> and <a>Charlotte</a></ul>",
         "{\"text_1\":\"by Mary and Percy\",\"other\":null}\n"},
        {"<ul><li>$5<sup>99</sup><li>$7<sup>50</sup><li>$12<sup>00</sup></ul>",
         "{\"text_1\":\"$599\",\"other\":null}\n"},
        {"<ul><li><b>12</b> reviews<li><b>7</b> reviews<li><b>1</b> review<li><b>4</b> reviews"
         "</ul>",
         "{\"text_1\":\"12 reviews\",\"other\":null}\n"},
        {"<ul><li><b>Oak</b> table<li><b>Elm</b> chair<li><b>Ash</b> bench</ul>",
         "{\"text_1\":\"Oak table\",\"other\":null}\n"},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        th_wrapper *wrapper;
        th__buf out = {0};
        assert_int_equal(learn_from(&lists[i][0], 1, 1, &wrapper, NULL), TH_OK);
        assert_int_equal(run_on(wrapper, lists[i][0], &out, NULL), TH_OK);
        th_str got = th__buf_str(&out), want = th_str_from(lists[i][1]);
        if (!th__str_starts(got, want))
            fail_msg("%.*s", TH_STR_ARG(got));
        th__buf_release(&out);
        th_wrapper_free(wrapper);
    }
}

/* What the first page settles, further ones add to. */
static void further_pages_add_parts(void **state)
{
    static const char *const pages[] = {
        books, "<ul><li class=book><a href=/5>Tides</a> by <i>Al Ree</i> <u>new</u>"
               "<li class=book><a href=/6>Sand</a> by <i>Bo Lund</i> <u>old</u></ul>"};
    th_wrapper *wrapper;
    assert_int_equal(learn_from(pages, 2, 1, &wrapper, NULL), TH_OK);
    expect_records(wrapper, pages[1],
                   "{\"text_1\":\"Tides\",\"by\":\"by Al Ree\",\"price\":null,\"text_2\":null,"
                   "\"text_2_2\":\"new\",\"other\":null,\"link\":\"/5\"}\n"
                   "{\"text_1\":\"Sand\",\"by\":\"by Bo Lund\",\"price\":null,\"text_2\":null,"
                   "\"text_2_2\":\"old\",\"other\":null,\"link\":\"/6\"}\n");
}

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
        cmocka_unit_test(elements_are_columns),
        cmocka_unit_test(other_pages_give_the_same_columns),
        cmocka_unit_test(labels_name_what_follows),
        cmocka_unit_test(equal_elements_are_a_list),
        cmocka_unit_test(places_in_a_line),
        cmocka_unit_test(parts_have_parts),
        cmocka_unit_test(sentences_stay_whole),
        cmocka_unit_test(further_pages_add_parts),
        cmocka_unit_test(parts_have_spans),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
