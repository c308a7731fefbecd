/*
 * Surveys of records: types, coverage, histograms and outliers of columns, from records as runs
 * keep them. Every allocation failing once leaks nothing.
 */
#include <stdio.h>

#include "alloc_fail.h"
#include "test.h"

#include "base/str.h"

/* Ten records per page on four pages: a title, a price, a link, and stock on the first two pages.
 */
static th_status add_shop(th_survey *survey, th_error *err)
{
    th_status status = TH_OK;
    for (unsigned n = 0; !status && n < 40; n++) {
        char json[400], page[20], price[40], title[40];
        snprintf(page, sizeof page, "%u.html", n / 10);
        snprintf(title, sizeof title, "Lamp %u", n == 6 ? 5 : n);
        snprintf(price, sizeof price,
                 n == 17   ? "ask us"
                 : n == 23 ? "$9,500.00"
                           : "$%u.50",
                 10 + n);
        snprintf(json, sizeof json,
                 "{\"title\":\"%s\",\"price\":\"%s\",\"to\":\"/item/%u\",\"stock\":%s,"
                 "\"votes\":[{\"who\":\"A\"},{\"who\":\"B\"}]}",
                 title, price, n, n < 20 ? "\"few\"" : "null");
        status = th_survey_add(survey, th_str_from(page), th_str_from(json), err);
    }
    return status;
}

static void has(const th_text *text, const char *part)
{
    if (!strstr(text->ptr, part))
        fail_msg("%s\nis not in\n%s", part, text->ptr);
}

static void test_shop(void **state)
{
    th_survey *survey;
    th_text text = {0};
    th_error err;
    assert_int_equal(th_survey_new(&survey, &err), TH_OK);
    assert_int_equal(add_shop(survey, &err), TH_OK);
    assert_int_equal(th_survey_to_json(survey, &text, &err), TH_OK);
    has(&text, "{\"records\":40,\"pages\":[{\"page\":\"0.html\",\"pages\":1,\"records\":10},");
    has(&text,
        "\"field\":\"title\",\"type\":\"text\",\"filled\":40,\"values\":40,\"different\":39");
    has(&text,
        "{\"why\":\"twice\",\"records\":[{\"record\":5,\"page\":\"0.html\",\"value\":\"Lamp 5\"},"
        "{\"record\":6,\"page\":\"0.html\",\"value\":\"Lamp 5\"}],\"count\":2}");
    has(&text, "\"field\":\"price\",\"type\":\"price\"");
    has(&text, "\"numbers\":{\"least\":10.5,\"median\":30.5,\"most\":9500,\"currency\":\"$\"}");
    has(&text, "{\"why\":\"no number\",\"records\":[{\"record\":17,\"page\":\"1.html\",\"value\":"
               "\"ask us\"}],\"count\":1}");
    has(&text, "{\"why\":\"far\",\"records\":[{\"record\":23,\"page\":\"2.html\",\"value\":"
               "\"$9,500.00\"}],\"count\":1}");
    has(&text, "\"bins\":{\"from\":10.5,\"to\":49.5,"); /* without the one that is far */
    has(&text, "\"field\":\"to\",\"type\":\"url\"");
    has(&text, "\"field\":\"stock\",\"type\":\"text\",\"filled\":20");
    has(&text,
        "\"frequent\":[{\"value\":\"few\",\"count\":20}],\"outliers\":[],\"coverage\":[10,10,0,0]");
    has(&text,
        "\"field\":\"votes.who\",\"type\":\"text\",\"filled\":40,\"values\":80,\"different\":2");
    th_text_release(&text);
    th_survey_free(survey);
}

static void test_bad_records(void **state)
{
    th_survey *survey;
    th_text text = {0};
    th_error err;
    assert_int_equal(th_survey_new(&survey, &err), TH_OK);
    assert_int_equal(th_survey_to_json(survey, &text, &err), TH_OK);
    assert_string_equal(text.ptr, "{\"records\":0,\"pages\":[],\"fields\":[]}");
    th_text_release(&text);
    assert_int_equal(th_survey_add(survey, TH_STR("p"), TH_STR("{"), &err), TH_ERR_FORMAT);
    assert_int_equal(th_survey_add(survey, TH_STR("p"), TH_STR("7"), &err), TH_OK); /* no fields */
    assert_int_equal(th_survey_to_json(survey, &text, &err), TH_OK);
    has(&text, "\"records\":1");
    th_text_release(&text);
    th_survey_free(survey);
    th_survey_free(NULL);
}

/* More pages than can be shown: they are put together. */
static void test_many_pages(void **state)
{
    th_survey *survey;
    th_text text = {0};
    th_error err;
    assert_int_equal(th_survey_new(&survey, &err), TH_OK);
    for (unsigned n = 0; n < 1000; n++) {
        char page[20];
        snprintf(page, sizeof page, "%u", n);
        assert_int_equal(th_survey_add(survey, th_str_from(page),
                                       n % 2 ? TH_STR("{\"a\":\"x\"}") : TH_STR("{\"a\":null}"),
                                       &err),
                         TH_OK);
    }
    assert_int_equal(th_survey_to_json(survey, &text, &err), TH_OK);
    has(&text, "{\"page\":\"0\",\"pages\":5,\"records\":5},{\"page\":\"5\",\"pages\":5,");
    has(&text, "\"coverage\":[2,3,2,3,");
    th_text_release(&text);
    th_survey_free(survey);
}

static th_status survey_once(void *context)
{
    th_survey *survey;
    th_text text = {0};
    th_error err;
    th_status status = th_survey_new(&survey, &err);
    if (!status)
        status = add_shop(survey, &err);
    if (!status)
        status = th_survey_to_json(survey, &text, &err);
    if (!status) /* a text is used again and again */
        status = th_survey_to_json(survey, &text, &err);
    th_text_release(&text);
    th_survey_free(survey);
    return status;
}

static void test_memory(void **state)
{
    th_test_each_allocation_fails(survey_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shop),
        cmocka_unit_test(test_bad_records),
        cmocka_unit_test(test_many_pages),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
