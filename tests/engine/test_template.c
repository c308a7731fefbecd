/*
 * test_template.c: templates by roles: what is a label and what a value, sets, rows that move,
 * surprises.
 *
 * A case is a few pages to learn from, one more, and the record that is expected of it.
 */
#include "test.h"

#include "alloc_fail.h"
#include "base/str.h"
#include "data/record.h"
#include "page/page.h"

enum { MOST = 32 };

static th_wrapper *learn(const char *const *html)
{
    th_learn_options options;
    th_corpus *corpus;
    th_wrapper *wrapper;
    th_error err;
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = "template";
    options.pick = 1; /* not in clusters */
    assert_int_equal(th_corpus_new(&corpus, NULL), TH_OK);
    for (; *html; html++) {
        th_page *page = parse_page(*html);
        assert_int_equal(th_corpus_add(corpus, page, NULL, NULL), TH_OK);
        th_page_free(page);
    }
    if (th_learn(corpus, &options, &wrapper, NULL, &err))
        fail_msg("%s", err.message);
    th_corpus_free(corpus);
    return wrapper;
}

/* The record of a page as JSON, the field for the rest left out when it is empty. */
static void check(const th_wrapper *wrapper, const char *html, const char *expected)
{
    th_page *page = parse_page(html);
    th_records *records;
    th__buf out = {0};
    th__json json = {.buf = &out};
    assert_int_equal(th_wrapper_extract(wrapper, page, NULL, &records, NULL), TH_OK);
    assert_int_equal(th_records_count(records), 1);
    th__value_write(th_records_get(records, 0), false, &json);
    th_str text = th__buf_str(&out), none = TH_STR(",\"other\":null}");
    if (text.len > none.len && th__str_ends_nocase(text, none)) {
        out.len -= none.len;
        th__buf_add_byte(&out, '}');
    }
    th__buf_add_byte(&out, '\0');
    assert_string_equal(out.data, expected);
    th__buf_release(&out);
    th_records_free(records);
    th_page_free(page);
}

static void check_learnt(const char *const *html, const char *page, const char *expected)
{
    th_wrapper *wrapper = learn(html);
    check(wrapper, page, expected);
    th_wrapper_free(wrapper);
}

#define HEAD              "<div class=top>Green Hill Motors</div>"
#define FOOT              "<div class=bottom>All prices with tax</div>"
#define ROW(label, value) "<tr><td>" label "</td><td>" value "</td></tr>"

/* ---- labels and values ---- */

/* Rows in any order, some missing: a value is known by its label. */
static void rows_move(void **state)
{
    static const char *const pages[] = {
        HEAD "<table>" ROW("Mileage:", "12,000") ROW("Fuel:", "diesel") "</table>" FOOT,
        HEAD "<table>" ROW("Fuel:", "petrol") ROW("Doors:", "5")
            ROW("Mileage:", "48,500") "</table>" FOOT,
        HEAD "<table>" ROW("Doors:", "3") ROW("Mileage:", "7,200") "</table>" FOOT,
        NULL,
    };
    check_learnt(pages, HEAD "<table>" ROW("Doors:", "4") ROW("Fuel:", "gas") "</table>" FOOT,
                 "{\"mileage\":null,\"fuel\":\"gas\",\"doors\":\"4\"}");
}

/* A rating is one of a few words: no label, though each stands on many pages. */
static void small_vocabulary(void **state)
{
    static const char *const pages[] = {
        HEAD "<p><b>R</b> <i>98 min</i></p>" FOOT,  HEAD "<p><b>PG</b> <i>120 min</i></p>" FOOT,
        HEAD "<p><b>R</b> <i>101 min</i></p>" FOOT, HEAD "<p><b>PG</b> <i>88 min</i></p>" FOOT,
        HEAD "<p><b>R</b> <i>93 min</i></p>" FOOT,  NULL,
    };
    check_learnt(pages, HEAD "<p><b>PG</b> <i>77 min</i></p>" FOOT,
                 "{\"text_1\":\"PG\",\"text_2\":\"77 min\"}");
}

/* Genres come from a small vocabulary and stand one after the other: items, not labels. */
static void items_of_a_small_vocabulary(void **state)
{
    static const char *const pages[] = {
        HEAD "<p class=genre><a>Drama</a>, <a>Comedy</a></p>" FOOT,
        HEAD "<p class=genre><a>Crime</a></p>" FOOT,
        HEAD "<p class=genre><a>Comedy</a>, <a>Crime</a>, <a>Drama</a></p>" FOOT,
        HEAD "<p class=genre><a>Crime</a>, <a>Drama</a></p>" FOOT,
        NULL,
    };
    check_learnt(pages, HEAD "<p class=genre><a>Western</a>, <a>Drama</a></p>" FOOT,
                 "{\"genre\":[\"Western\",\"Drama\"]}");
}

/* A value that never changes is data where the rows beside it are. */
static void constant_among_rows(void **state)
{
    static const char *const pages[] = {
        HEAD "<table>" ROW("Doors:", "5") ROW("Gears:", "6") ROW("Fuel:", "petrol") "</table>" FOOT,
        HEAD "<table>" ROW("Doors:", "3") ROW("Gears:", "5") ROW("Fuel:", "petrol") "</table>" FOOT,
        HEAD "<table>" ROW("Doors:", "4") ROW("Gears:", "7") ROW("Fuel:", "petrol") "</table>" FOOT,
        NULL,
    };
    check_learnt(pages,
                 HEAD "<table>" ROW("Doors:", "2") ROW("Gears:", "8")
                     ROW("Fuel:", "gas") "</table>" FOOT,
                 "{\"doors\":\"2\",\"gears\":\"8\",\"fuel\":\"gas\"}");
}

/* Elements that look alike have the role that their place between others gives them. */
static void told_by_what_is_before(void **state)
{
    static const char *const pages[] = {
        HEAD "<p>9,500</p><h1>Golf</h1><p>petrol</p><hr><p>blue</p>" FOOT,
        HEAD "<h1>Polo</h1><p>diesel</p><hr><p>red</p>" FOOT,
        HEAD "<p>7,300</p><h1>Fiesta</h1><hr><p>grey</p>" FOOT,
        HEAD "<p>8,100</p><h1>Corsa</h1><p>gas</p><hr>" FOOT,
        NULL,
    };
    check_learnt(pages, HEAD "<h1>Astra</h1><hr><p>green</p>" FOOT,
                 "{\"text_1\":null,\"title\":\"Astra\",\"text_2\":null,\"text_3\":\"green\"}");
}

/* A row that stands where none was before is known by its label. */
static void row_elsewhere(void **state)
{
    static const char *const pages[] = {
        HEAD "<h1>Golf</h1><dl><dt>Price:</dt><dd>9,500</dd></dl>" FOOT,
        HEAD "<h1>Polo</h1><dl><dt>Price:</dt><dd>7,100</dd></dl>" FOOT,
        HEAD "<h1>Fiesta</h1><dl><dt>Price:</dt><dd>6,300</dd></dl>" FOOT,
        NULL,
    };
    check_learnt(pages,
                 HEAD "<h1>Corsa</h1><section class=deal><p>Now!</p><dl><dt>Price:</dt>"
                      "<dd>4,900</dd></dl></section>" FOOT,
                 "{\"title\":\"Corsa\",\"price\":\"4,900\",\"other\":[\"Now!\"]}");
}

/* The label may stand in the text itself: the text stays, and what is behind it is a field. */
static void label_inside(void **state)
{
    static const char *const pages[] = {
        HEAD "<ul><li>Engine: 1.4 l</li><li>Tank: 40 l</li></ul>" FOOT,
        HEAD "<ul><li>Tank: 55 l</li><li>Engine: 2.0 l</li></ul>" FOOT,
        HEAD "<ul><li>Engine: 1.6 l</li></ul>" FOOT,
        NULL,
    };
    check_learnt(pages, HEAD "<ul><li>Tank: 60 l</li><li>Engine: 3.0 l</li></ul>" FOOT,
                 "{\"engine_text\":\"Engine: 3.0 l\",\"engine\":\"3.0 l\","
                 "\"tank_text\":\"Tank: 60 l\",\"tank\":\"60 l\"}");
}

/* ---- lines of text ---- */

#define BR "<br>\n"

/* Values between signs and line ends, without labels: one that is missing leaves a hole, and those
 * behind it do not shift. */
static const char *const lines[] = {
    HEAD "<div>12 May 2003 | Lyon" BR "$4.50 | 31 kg" BR "In stock</div>" FOOT,
    HEAD "<div>3 June 2011 | Turin" BR "$12.00 | 7 kg" BR "Sold out</div>" FOOT,
    HEAD "<div>28 May 1999 | Porto" BR "$3.25" BR "In stock</div>" FOOT,
    HEAD "<div>9 April 2004" BR "$40.10 | 18 kg" BR "In stock</div>" FOOT,
    HEAD "<div>17 June 2008 | Ghent" BR "$8.75 | 2 kg</div>" FOOT,
    HEAD "<div>5 April 2001 | Basel" BR "$6.60 | 90 kg" BR "Sold out</div>" FOOT,
    NULL,
};

static void parts_of_lines(void **state)
{
    th_wrapper *wrapper = learn(lines);
    check(wrapper, HEAD "<div>30 June 2010 | Lund" BR "$5.95 | 44 kg" BR "In stock</div>" FOOT,
          "{\"text_1\":\"30 June 2010\",\"text_2\":\"Lund\",\"text_3\":\"$5.95\","
          "\"text_4\":\"44 kg\",\"text_5\":\"In stock\"}");
    check(wrapper, HEAD "<div>$5.95 | 44 kg</div>" FOOT,
          "{\"text_1\":null,\"text_2\":null,\"text_3\":\"$5.95\",\"text_4\":\"44 kg\","
          "\"text_5\":null}");
    check(wrapper, HEAD "<div>2 May 1990" BR "44 kg" BR "Sold out</div>" FOOT,
          "{\"text_1\":\"2 May 1990\",\"text_2\":null,\"text_3\":null,\"text_4\":\"44 kg\","
          "\"text_5\":\"Sold out\"}");
    th_wrapper_free(wrapper);
}

/* Labels name parts, also where what is before them is missing; lines with bullets are rows, and a
 * sentence may go on in the next line. */
static void labels_and_rows_in_lines(void **state)
{
    static const char *const pages[] = {
        HEAD "<div><b>Year:</b> 1984 | 3.1 / 5" BR "<b>Story:</b> A cook goes to sea." BR
             "It rains for the whole film." BR "- Ann | $3" BR "- Ben | $40</div>" FOOT,
        HEAD "<div><b>Year:</b> 1999 | 4.0 / 5" BR "<b>Story:</b> Two brothers meet again." BR
             "- Cy | $7</div>" FOOT,
        HEAD "<div><b>Year:</b> 2001" BR "<b>Story:</b> Nobody knows the way home." BR
             "They ask a bus driver for it.</div>" FOOT,
        HEAD "<div><b>Story:</b> The house is for sale." BR "- Dan | $12" BR
             "- Eve | $9</div>" FOOT,
        HEAD "<div><b>Year:</b> 1971 | 2.2 / 5" BR "- Flo | $31</div>" FOOT,
        NULL,
    };
    check_learnt(pages,
                 HEAD "<div><b>Year:</b> 1977 | 1.9 / 5" BR
                      "<b>Story:</b> A boat leaves at nine." BR "It does not come back." BR
                      "- Gus | $5" BR "- Hal | $6</div>" FOOT,
                 "{\"year\":\"1977\",\"text_1\":\"1.9 / 5\",\"story\":\"A boat leaves at nine. It "
                 "does not come back.\",\"items_1\":[{\"text_1\":\"Gus\",\"text_2\":\"$5\"},"
                 "{\"text_1\":\"Hal\",\"text_2\":\"$6\"}]}");
}

/* Items in which each place has values of its own kind are no set. */
static const char *const alike[] = {
    HEAD "<ul><li>Public</li><li>12,400 students</li><li>Lyon, France</li></ul>" FOOT,
    HEAD "<ul><li>Private</li><li>800 students</li><li>Turin, Italy</li></ul>" FOOT,
    HEAD "<ul><li>Public</li><li>Porto, Portugal</li></ul>" FOOT,
    HEAD "<ul><li>Public</li><li>31,000 students</li><li>Ghent, Belgium</li></ul>" FOOT,
    HEAD "<ul><li>Private</li><li>2,150 students</li></ul>" FOOT,
    HEAD "<ul><li>Public</li><li>9,300 students</li><li>Lund, Sweden</li></ul>" FOOT,
    HEAD "<ul><li>Private</li><li>640 students</li><li>Nantes, France</li></ul>" FOOT,
    HEAD "<ul><li>Public</li><li>17,700 students</li><li>Pisa, Italy</li></ul>" FOOT,
    NULL,
};

static void items_that_hold_different_things(void **state)
{
    check_learnt(alike, HEAD "<ul><li>Private</li><li>Basel, Switzerland</li></ul>" FOOT,
                 "{\"text_1\":\"Private\",\"text_2\":null,\"text_3\":\"Basel, Switzerland\"}");
}

/* ---- markup ---- */

static void markup_inside_of_values(void **state)
{
    static const char *const pages[] = {
        HEAD "<h1>The <i>old</i> mill</h1><p class=say>Quiet.</p>" FOOT,
        HEAD "<h1>River bend</h1><p class=say>Two <b>wet</b> rooms,<br>one dry.</p>" FOOT,
        HEAD "<h1>Hill farm</h1><p class=say>Windy.</p>" FOOT,
        NULL,
    };
    check_learnt(pages,
                 HEAD "<h1>Long <i>barn</i></h1><p class=say>Dark, but <b>cheap</b>.</p>" FOOT,
                 "{\"title\":\"Long barn\",\"say\":\"Dark, but cheap.\"}");
}

/* Links, images and metadata are data where they differ. */
static void attributes(void **state)
{
    static const char *const pages[] = {
        "<head><meta name=author content=Ada></head>" HEAD
        "<p class=maker><a href='/m/1'>Hallam</a></p><img class=photo src='1.jpg'>" FOOT,
        "<head><meta name=author content=Bob></head>" HEAD
        "<p class=maker><a href='/m/2'>Van Aal</a></p><img class=photo src='2.jpg'>" FOOT,
        NULL,
    };
    check_learnt(pages,
                 "<head><meta name=author content=Cy></head>" HEAD
                 "<p class=maker><a href='/m/3'>Linden</a></p><img class=photo src='3.jpg'>" FOOT,
                 "{\"author\":\"Cy\",\"maker\":\"Linden\",\"maker_url\":\"/m/3\","
                 "\"photo_image\":\"3.jpg\"}");
}

/* ---- sets ---- */

#define REVIEW(name, text) "<li><b>" name "</b> <p>" text "</p></li>"

static void nested_sets(void **state)
{
    static const char *const pages[] = {
        HEAD "<ul class=reviews>" REVIEW("Ann", "Good.") REVIEW("Ben", "Loud.") "</ul>" FOOT,
        HEAD "<ul class=reviews>" REVIEW("Cleo", "Slow.") "</ul>" FOOT,
        HEAD "<ul class=reviews>" REVIEW("Dan", "Fine.") REVIEW("Eve", "Red.")
            REVIEW("Flo", "Old.") "</ul>" FOOT,
        NULL,
    };
    check_learnt(pages,
                 HEAD "<ul class=reviews>" REVIEW("Gus", "New.") REVIEW("Hal", "Big.") "</ul>" FOOT,
                 "{\"reviews\":[{\"text_1\":\"Gus\",\"text_2\":\"New.\"},"
                 "{\"text_1\":\"Hal\",\"text_2\":\"Big.\"}]}");
}

/* One item on every page learnt from: a list all the same. */
static void lone_items(void **state)
{
    static const char *const pages[] = {HEAD "<ul><li>blue</li></ul>" FOOT,
                                        HEAD "<ul><li>red</li></ul>" FOOT,
                                        HEAD "<ul><li>pink</li></ul>" FOOT, NULL};
    check_learnt(pages, HEAD "<ul><li>grey</li><li>black</li></ul>" FOOT,
                 "{\"text_1\":[\"grey\",\"black\"]}");
}

/* A menu is a set that is the same everywhere: no data. */
static void menus(void **state)
{
    static const char *const pages[] = {
        HEAD "<ul class=menu><li>Cars</li><li>Vans</li><li>Parts</li></ul><h1>Golf</h1>" FOOT,
        HEAD "<ul class=menu><li>Cars</li><li>Vans</li><li>Parts</li></ul><h1>Polo</h1>" FOOT,
        NULL,
    };
    check_learnt(pages,
                 HEAD
                 "<ul class=menu><li>Cars</li><li>Vans</li><li>Parts</li></ul><h1>Corsa</h1>" FOOT,
                 "{\"title\":\"Corsa\"}");
}

/* ---- odd samples ---- */

static void one_page_is_not_enough(void **state)
{
    th_learn_options options;
    th_corpus *corpus;
    th_wrapper *wrapper;
    th_error err;
    th_page *page = parse_page(HEAD "<p>x</p>" FOOT);
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = "template";
    options.pick = 1; /* not in clusters */
    assert_int_equal(th_corpus_new(&corpus, NULL), TH_OK);
    assert_int_equal(th_corpus_add(corpus, page, NULL, NULL), TH_OK);
    assert_int_equal(th_learn(corpus, &options, &wrapper, NULL, &err), TH_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "two or more"));
    th_corpus_free(corpus);
    th_page_free(page);
}

/* One page is a hundred times as large as the others, most of it of a kind of its own. */
static void one_large_page(void **state)
{
    th__buf large = {0};
    th__buf_add_str(&large, TH_STR(HEAD "<h1>Giant</h1>"));
    for (unsigned i = 0; i < 500; i++)
        th__buf_printf(&large, "<div class=extra><p>Line %u of many</p></div>", i);
    th__buf_add_str(&large, TH_STR(FOOT));
    th__buf_add_byte(&large, '\0');
    const char *const pages[] = {HEAD "<h1>Golf</h1>" FOOT, large.data, HEAD "<h1>Polo</h1>" FOOT,
                                 HEAD "<h1>Fiesta</h1>" FOOT, NULL};
    check_learnt(pages, HEAD "<h1>Corsa</h1>" FOOT, "{\"title\":\"Corsa\"}");
    th__buf_release(&large);
}

/* A page of another template has no record, and says how little of it is explained. */
static void another_template(void **state)
{
    static const char *const pages[] = {HEAD "<h1>Golf</h1>" FOOT, HEAD "<h1>Polo</h1>" FOOT, NULL};
    th_wrapper *wrapper = learn(pages);
    th_page *page = parse_page("<table><tr><td>404</td><td>not here</td></tr></table>");
    th_records *records;
    assert_int_equal(th_wrapper_extract(wrapper, page, NULL, &records, NULL), TH_OK);
    assert_int_equal(th_records_count(records), 0);
    assert_true(th_records_explained(records) >= 0 && th_records_explained(records) < 0.1);
    th_records_free(records);
    th_page_free(page);
    page = parse_page(HEAD "<h1>Corsa</h1>" FOOT);
    assert_int_equal(th_wrapper_extract(wrapper, page, NULL, &records, NULL), TH_OK);
    assert_true(th_records_explained(records) > 0.9);
    th_records_free(records);
    th_page_free(page);
    th_wrapper_free(wrapper);
}

/* An advert, and a wrapper around part of the page: what is around them is found all the same. */
static void surprises_stay_local(void **state)
{
    static const char *const pages[] = {
        HEAD "<h1>Golf</h1><table>" ROW("Fuel:", "gas") ROW("Doors:", "3") "</table>" FOOT,
        HEAD "<h1>Polo</h1><table>" ROW("Fuel:", "diesel") ROW("Doors:", "5") "</table>" FOOT,
        HEAD "<h1>Fiesta</h1><table>" ROW("Fuel:", "petrol") ROW("Doors:", "4") "</table>" FOOT,
        NULL,
    };
    check_learnt(
        pages,
        HEAD "<aside class=ad>Buy tyres</aside><div><h1>Corsa</h1><table>"
             "<tr><td colspan=2><hr></td></tr>" ROW("Fuel:", "gas")
                 ROW("Doors:", "2") "</table></div>" FOOT,
        "{\"title\":\"Corsa\",\"fuel\":\"gas\",\"doors\":\"2\",\"other\":[\"Buy tyres\"]}");
}

static void left_out_are_counted(void **state)
{
    th_learn_options options;
    th_corpus *corpus;
    th_report *report;
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = "template";
    options.pick = 1; /* not in clusters */
    assert_int_equal(th_corpus_new(&corpus, NULL), TH_OK);
    for (size_t i = 0; i < 7; i++) {
        th_page *page = parse_page(i < 6 ? alike[i] : "<h1>Not found</h1><p>Try another page.</p>");
        assert_int_equal(th_corpus_add(corpus, page, NULL, NULL), TH_OK);
        th_page_free(page);
    }
    assert_int_equal(th_learn(corpus, &options, NULL, &report, NULL), TH_OK);
    assert_int_equal(th_report_lesson(report, 0)->pages, 6);
    th_report_free(report);
    th_corpus_free(corpus);
}

/* The title of the page is its heading: one column is enough. */
static void mirrored_columns(void **state)
{
    static const char *const pages[] = {"<title>Ada</title>" HEAD "<h1>Ada</h1>" FOOT,
                                        "<title>Bob</title>" HEAD "<h1>Bob</h1>" FOOT,
                                        "<title>Cy</title>" HEAD "<h1>Cy</h1>" FOOT, NULL};
    check_learnt(pages, pages[0], "{\"title\":\"Ada\"}");
}

/* ---- memory ---- */

static const char *const small[] = {
    HEAD "<h1>Golf</h1><ul>" REVIEW("Ann", "Good.") REVIEW("Ben", "Loud.") "</ul>" FOOT,
    HEAD "<h1>Polo</h1><ul>" REVIEW("Cy", "Old <b>but</b> good.") "</ul>" FOOT,
    NULL,
};

static const char *const rows[] = {
    HEAD "<div>Seen: 4 | 12 kg" BR "* Ann | $3" BR "* Ben | $40</div>" FOOT,
    HEAD "<div>Seen: 31" BR "* Cy | $7</div>" FOOT,
    NULL,
};

static th_status learn_and_run(void *context)
{
    th_page *const *pages = context;
    th_learn_options options;
    th_corpus *corpus = NULL;
    th_wrapper *wrapper = NULL, *again = NULL;
    th_records *records = NULL;
    th_text text = {0}, shown = {0};
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = "template";
    options.pick = 1; /* not in clusters */
    th_status status = th_corpus_new(&corpus, NULL);
    for (size_t i = 0; !status && i < 2; i++)
        status = th_corpus_add(corpus, pages[i], NULL, NULL);
    if (!status)
        status = th_learn(corpus, &options, &wrapper, NULL, NULL);
    if (!status)
        status = th_wrapper_write(wrapper, &text, NULL);
    if (!status)
        status = th_wrapper_read((th_str){text.ptr, text.len}, "again", &again, NULL);
    if (!status)
        status = th_wrapper_extract(again, pages[0], NULL, &records, NULL);
    if (!status)
        status = th_wrapper_template(again, (const th_records *const *)&records, 1, &shown, NULL);
    th_text_release(&text);
    th_text_release(&shown);
    th_records_free(records);
    th_wrapper_free(wrapper);
    th_wrapper_free(again);
    th_corpus_free(corpus);
    return status;
}

static void memory_may_run_out(void **state)
{
    th_page *pages[] = {parse_page(small[0]), parse_page(small[1])},
            *more[] = {parse_page(rows[0]), parse_page(rows[1])};
    th_test_some_allocations_fail(learn_and_run, pages, 400);
    th_test_some_allocations_fail(learn_and_run, more, 400);
    for (size_t i = 0; i < 2; i++) {
        th_page_free(pages[i]);
        th_page_free(more[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_move),
        cmocka_unit_test(small_vocabulary),
        cmocka_unit_test(items_of_a_small_vocabulary),
        cmocka_unit_test(constant_among_rows),
        cmocka_unit_test(told_by_what_is_before),
        cmocka_unit_test(row_elsewhere),
        cmocka_unit_test(label_inside),
        cmocka_unit_test(parts_of_lines),
        cmocka_unit_test(labels_and_rows_in_lines),
        cmocka_unit_test(items_that_hold_different_things),
        cmocka_unit_test(left_out_are_counted),
        cmocka_unit_test(markup_inside_of_values),
        cmocka_unit_test(attributes),
        cmocka_unit_test(nested_sets),
        cmocka_unit_test(lone_items),
        cmocka_unit_test(menus),
        cmocka_unit_test(one_page_is_not_enough),
        cmocka_unit_test(one_large_page),
        cmocka_unit_test(another_template),
        cmocka_unit_test(surprises_stay_local),
        cmocka_unit_test(mirrored_columns),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
