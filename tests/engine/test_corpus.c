/* A corpus and th_learn: what is decided, how often a page is parsed, and what is told. */
#include "test.h"

#include "alloc_fail.h"
#include "base/str.h"
#include "page/page.h"

enum { PAGES = 8 };

static const char *const titles[PAGES] = {"Winter Bread", "Slow Rivers", "Copper Roofs",
                                          "Tin Soldiers", "Low Tide",    "Nine Boats",
                                          "Grey Harbour", "Last Orchard"};

/* A page of one record: a title, an author and reviews. */
static void write_page(th__buf *out, int i)
{
    th__buf_printf(out,
                   "<html><body><div id=top>The Reading Room</div><h1>%s</h1>"
                   "<p class=by>by <b>Author %c. Writer%d</b></p><p class=price>$%d.50</p>",
                   titles[i], 'A' + i, i, 7 + i);
    th__buf_printf(out, "<ul class=reviews>");
    for (int r = 0; r < 2 + i % 3; r++)
        th__buf_printf(out, "<li><i>Reader%d%d</i> <q>Remark %c%d</q></li>", i, r, 'a' + r, i);
    th__buf_printf(out, "</ul><div id=end>All prices with tax</div></body></html>");
}

static void write_label(th__buf *out, int i)
{
    th__buf_printf(out, "{\"page\":\"%d\",\"record\":{\"title\":\"%s\",\"reviews\":[", i,
                   titles[i]);
    for (int r = 0; r < 2 + i % 3; r++)
        th__buf_printf(out, "%s{\"who\":\"Reader%d%d\",\"text\":\"Remark %c%d\"}", r ? "," : "", i,
                       r, 'a' + r, i);
    th__buf_printf(out, "]}}\n");
}

static th_status make(th_corpus **out)
{
    th_status status = th_corpus_new(out, NULL);
    for (int i = 0; !status && i < PAGES; i++) {
        th__buf html = {0};
        char name[8];
        snprintf(name, sizeof name, "%d", i);
        write_page(&html, i);
        status = html.failed
                     ? TH_ERR_MEMORY
                     : th_corpus_add_bytes(*out, th_str_from(name), th__buf_str(&html), NULL, NULL);
        th__buf_release(&html); /* the page has its own */
    }
    return status;
}

/* Learns with labels for the first pages; gives how often pages were parsed and copied. */
static void count_work(int labelled, const char *engine, uint64_t *parsed, uint64_t *copied)
{
    uint64_t before[2], after[2];
    th_corpus *corpus;
    th_wrapper *wrapper;
    th_labels *labels = NULL;
    th_learn_options options;
    th__buf lines = {0};
    th_error err;
    for (int i = 0; i < labelled; i++)
        write_label(&lines, i);
    if (labelled)
        assert_int_equal(th_labels_read(th__buf_str(&lines), "labels", &labels, NULL), TH_OK);
    th__page_work(&before[0], &before[1]);
    assert_int_equal(make(&corpus), TH_OK);
    th_corpus_set_labels(corpus, labels);
    th_learn_options_init(&options);
    options.engine = engine;
    if (th_learn(corpus, &options, &wrapper, NULL, &err))
        fail_msg("%s", err.message);
    assert_true(th_wrapper_has_profile(wrapper));
    th__page_work(&after[0], &after[1]);
    *parsed = after[0] - before[0];
    *copied = after[1] - before[1];
    th_wrapper_free(wrapper);
    th_corpus_free(corpus);
    th_labels_free(labels);
    th__buf_release(&lines);
}

static void a_page_is_parsed_once(void **state)
{
    uint64_t parsed, copied;
    count_work(0, NULL, &parsed, &copied);
    assert_int_equal(parsed, PAGES);
    assert_int_equal(copied, 0);
    count_work(0, "lists", &parsed, &copied);
    assert_int_equal(parsed, PAGES);
    count_work(3, NULL, &parsed, &copied);
    /* seams keeps samples of pages in its rules, and reads these: one for each way it tries. */
    assert_in_range(parsed, PAGES, 3 * PAGES);
    assert_int_equal(copied, 0);
}

static void records_of_details(void **state)
{
    th_corpus *corpus;
    th_wrapper *wrapper;
    th_report *report;
    th_records *records;
    th_text text = {0};
    th_learn_options options;
    th_learn_options_init(&options);
    options.engine = "auto"; /* as if none were named: chosen by what the pages are */
    assert_int_equal(make(&corpus), TH_OK);
    assert_int_equal(th_learn(corpus, &options, NULL, &report, NULL), TH_OK);
    assert_int_equal(th_report_count(report), 1);
    const th_lesson *lesson = th_report_lesson(report, 0);
    assert_true(lesson->clustered && lesson->cluster == 0 && !lesson->kind.lists);
    assert_int_equal(lesson->pages, PAGES);
    wrapper = th_report_take(report, 0);
    assert_null(th_report_lesson(report, 0)->wrapper);
    assert_int_equal(th_wrapper_extract(wrapper, th_corpus_page(corpus, 1), NULL, &records, NULL),
                     TH_OK);
    assert_int_equal(th_records_count(records), 1);
    assert_int_equal(th_records_to_json(records, false, &text, NULL), TH_OK);
    assert_int_equal(strncmp(text.ptr, "[{\"title\":\"Slow Rivers\"", 23), 0);
    th_text_release(&text);
    th_records_free(records);
    th_wrapper_free(wrapper);
    th_report_free(report);
    th_corpus_free(corpus);
}

static void options_that_make_no_sense(void **state)
{
    th_corpus *corpus;
    th_wrapper *wrapper;
    th_learn_options options;
    th_error err;
    assert_int_equal(make(&corpus), TH_OK);
    th_learn_options_init(&options);
    options.cluster = 1;
    options.engine = "mdr";
    assert_int_equal(th_learn_check(corpus, &options, &err), TH_ERR_ARGUMENT);
    options.engine = NULL;
    assert_int_equal(th_learn_check(corpus, &options, &err), TH_OK);
    options.cluster = 5;
    assert_int_equal(th_learn(corpus, &options, &wrapper, NULL, &err), TH_ERR_ARGUMENT);
    assert_null(wrapper);
    /* A caller that knows the first members alone: what is behind them is not read. */
    options.engine = "none";
    options.size = offsetof(th_learn_options, pick);
    assert_int_equal(th_learn_check(corpus, &options, &err), TH_ERR_ARGUMENT);
    options.engine = "auto";
    assert_int_equal(th_learn_check(corpus, &options, &err), TH_OK);
    th_corpus_free(corpus);
}

static bool at_once(void *context)
{
    return true;
}

static void learning_ends_when_asked(void **state)
{
    th_corpus *corpus;
    th_wrapper *wrapper;
    th_learn_options options;
    assert_int_equal(make(&corpus), TH_OK);
    th_learn_options_init(&options);
    options.cancel.asked = at_once;
    assert_int_equal(th_learn(corpus, &options, &wrapper, NULL, NULL), TH_ERR_CANCELLED);
    assert_null(wrapper);
    th_corpus_free(corpus);
}

/* Errors say where they are in members of their own. */
static void errors_have_places(void **state)
{
    th_labels *labels;
    th_schema *schema;
    th_error err;
    const char *lines = "{\"page\":\"1\",\"records\":[{\"a\":\"x\"}]}\n"
                        "{\"page\":\"2\",\"records\":[{\"title\":{\"start\":-1,\"end\":3}}]}\n";
    assert_int_equal(th_labels_read(th_str_from(lines), "l", &labels, &err), TH_ERR_FORMAT);
    assert_int_equal(err.line, 2);
    assert_string_equal(err.path, "$.records[0].title");
    assert_string_equal(err.field, "title");
    assert_int_equal(
        th_schema_from_json(th_str_from("{\"kind\":\"tuple\",\"members\":[1]}"), &schema, &err),
        TH_ERR_FORMAT);
    assert_true(err.path[0] && !err.line);
}

static th_schema *schema_of(const char *json)
{
    th_schema *schema = NULL;
    th_error err;
    if (th_schema_from_json(th_str_from(json), &schema, &err))
        fail_msg("%s", err.message);
    return schema;
}

static void schemas_come_together(void **state)
{
    th_labels *labels;
    th_text text = {0};
    th_schema *parts[2], *all;
    static const char *const lines[] = {
        "{\"page\":\"1\",\"record\":{\"title\":\"a\",\"by\":\"b\"}}",
        "{\"page\":\"2\",\"records\":[{\"title\":\"a\",\"by\":[\"b\",\"c\"],\"price\":\"1\"},{}]}"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(th_labels_read(th_str_from(lines[i]), "l", &labels, NULL), TH_OK);
        assert_int_equal(th_labels_schema(labels, &parts[i], NULL), TH_OK);
        th_labels_free(labels);
    }
    assert_int_equal(th_schema_union((const th_schema *const *)parts, 2, &all, NULL), TH_OK);
    assert_int_equal(th_schema_print(all, true, &text, NULL), TH_OK);
    assert_string_equal(text.ptr, "{<(title)?,(by:{B})?,(price)?>}");
    assert_int_equal(th_schema_to_json(all, &text, NULL), TH_OK);
    th_schema *again = schema_of(text.ptr);
    assert_true(th_schema_equal(all, again));
    th_schema_free(again);
    th_schema_free(all);
    th_schema_free(parts[0]);
    th_schema_free(parts[1]);
    th_text_release(&text);
}

static th_status learn_and_free(void *context)
{
    th_corpus *corpus = NULL;
    th_wrapper *wrapper = NULL;
    th_report *report = NULL;
    th_status status = make(&corpus);
    if (!status)
        status = th_learn(corpus, NULL, &wrapper, &report, NULL);
    th_report_free(report);
    th_wrapper_free(wrapper);
    th_corpus_free(corpus);
    return status;
}

static void memory_may_run_out(void **state)
{
    th_test_some_allocations_fail(learn_and_free, NULL, 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_parsed_once),      cmocka_unit_test(records_of_details),
        cmocka_unit_test(options_that_make_no_sense), cmocka_unit_test(learning_ends_when_asked),
        cmocka_unit_test(errors_have_places),         cmocka_unit_test(schemas_come_together),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
