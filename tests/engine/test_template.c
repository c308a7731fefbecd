/* test_template.c: the engine template: large and foreign pages, memory. What it learns is in
 * tests/cases/template.case. */
#include "test.h"

#include "alloc_fail.h"
#include "base/str.h"
#include "data/record.h"
#include "page/page.h"

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

#define HEAD "<div class=top>Green Hill Motors</div>"
#define FOOT "<div class=bottom>All prices with tax</div>"

static const char *const alike[] = {
    HEAD "<ul><li>Public</li><li>12,400 students</li><li>Lyon, France</li></ul>" FOOT,
    HEAD "<ul><li>Private</li><li>800 students</li><li>Turin, Italy</li></ul>" FOOT,
    HEAD "<ul><li>Public</li><li>Porto, Portugal</li></ul>" FOOT,
    HEAD "<ul><li>Public</li><li>31,000 students</li><li>Ghent, Belgium</li></ul>" FOOT,
    HEAD "<ul><li>Private</li><li>2,150 students</li></ul>" FOOT,
    HEAD "<ul><li>Public</li><li>9,300 students</li><li>Lund, Sweden</li></ul>" FOOT,
};

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
    th_wrapper *wrapper = learn(pages);
    th_page *page = parse_page(HEAD "<h1>Corsa</h1>" FOOT);
    th_records *records;
    assert_int_equal(th_wrapper_extract(wrapper, page, NULL, &records, NULL), TH_OK);
    assert_int_equal(th_records_count(records), 1);
    th_str title = th_value_text(th_value_item(th_records_get(records, 0), 0));
    assert_true(th__str_eq(title, th_str_from("Corsa")));
    th_records_free(records);
    th_page_free(page);
    th_wrapper_free(wrapper);
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

/* ---- memory ---- */

#define REVIEW(name, text) "<li><b>" name "</b> <p>" text "</p></li>"

static const char *const small[] = {
    HEAD "<h1>Golf</h1><ul>" REVIEW("Ann", "Good.") REVIEW("Ben", "Loud.") "</ul>" FOOT,
    HEAD "<h1>Polo</h1><ul>" REVIEW("Cy", "Old <b>but</b> good.") "</ul>" FOOT,
    NULL,
};

static const char *const rows[] = {
    HEAD "<div>Seen: 4 | 12 kg"
         "<br>* Ann | $3"
         "<br>* Ben | $40</div>" FOOT,
    HEAD "<div>Seen: 31"
         "<br>* Cy | $7</div>" FOOT,
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
        cmocka_unit_test(left_out_are_counted),
        cmocka_unit_test(one_large_page),
        cmocka_unit_test(another_template),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
