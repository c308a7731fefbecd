/* Profiles: what is counted, what is sampled, and profiles as JSON. */
#include "alloc_fail.h"
#include "check_test.h"
#include "wrapper_test.h"

static const page_form books = {"Book %d of Many", "$ %d.50", "tag%d", "/b/%d", 10, 2};

static void test_counts(void **state)
{
    th_schema *schema = book_schema(true);
    th__tally tally;
    th__arena arena;
    th__profile *profile;
    page_form half = books;
    half.price = NULL;
    half.tags = 0;
    th__arena_init(&arena);
    assert_true(tally_pages(&tally, schema, books, 2));
    assert_true(tally_page(&tally, schema, half, 3));
    assert_true(th__profile_learn(&tally, &arena, &profile));
    assert_int_equal(profile->pages, 3);
    assert_int_equal(profile->records, 30);
    assert_int_equal(profile->count, 4);
    assert_string_equal(profile->fields[0].path.ptr, "title");
    assert_string_equal(profile->fields[2].path.ptr, "tags[]");
    assert_int_equal(profile->fields[1].chances, 30);
    assert_int_equal(profile->fields[1].values, 20);
    assert_int_equal(profile->fields[1].pages, 2);
    /* an empty list is one chance missed */
    assert_int_equal(profile->fields[2].chances, 50);
    assert_int_equal(profile->fields[2].values, 40);
    assert_int_equal(profile->fields[0].distinct, 30);
    assert_int_equal(profile->fields[0].patterns[TH__START].data[0].len, 2);
    /* shapes have classes for words and stop after two tokens */
    assert_int_equal(profile->fields[0].shapes[TH__START].data[0].len, 2);
    assert_int_equal(profile->fields[0].shapes[TH__START].data[0].items[0].hash, 0);
    th__tally_release(&tally);
    th__arena_release(&arena);
    th_schema_free(schema);
}

/* Records that are there but hold nothing make a page empty. */
static void test_empty_page(void **state)
{
    th_schema *schema = book_schema(false);
    th__tally tally;
    page_form nothing = {.records = 1};
    assert_true(tally_pages(&tally, schema, nothing, 2));
    assert_int_equal(tally.pages, 2);
    assert_int_equal(tally.empty_pages, 2);
    assert_int_equal(tally.fields[0].chances, 2);
    th__tally_release(&tally);
    th_schema_free(schema);
}

/* However many values there are, a bounded number is looked at, from all pages. */
static void test_sample(void **state)
{
    th_schema *schema = book_schema(true);
    th__tally tally;
    page_form many = books;
    many.records = 300;
    many.tags = 1;
    assert_true(tally_pages(&tally, schema, many, 60));
    assert_int_equal(tally.fields[0].values, 18000);
    assert_true(tally.fields[0].sample.len <= TH__TALLY_SAMPLE);
    assert_true(tally.fields[0].sample.len >= TH__TALLY_SAMPLE / 2);
    th_str last = tally.fields[0].sample.data[tally.fields[0].sample.len - 1].text;
    assert_memory_equal(last.ptr, "Book 60", 7);
    th__tally_release(&tally);
    th_schema_free(schema);
}

static const char page_text[] =
    "<ul><li><b>One Fine Day</b><i>$ 12</i><li><b>Two Dark Nights</b><i>$ 15</i>"
    "<li><b>Six Long Years</b><i>$ 99</i><li><b>Ten Short Tales</b><i>$ 45</i></ul>";

/* Learns a wrapper, profiles it, writes and reads it. */
static th_status profile_wrapper(void *context)
{
    const char *pages[] = {page_text};
    th_wrapper *wrapper = NULL, *again = NULL;
    th_parser *parser = NULL;
    th_page *page = NULL;
    th_records *records = NULL;
    th_text text = {0}, text_again = {0}, words = {0};
    th_status status = learn_from(pages, 1, 1, &wrapper, NULL);
    if (!status)
        status = th_parser_new(NULL, &parser, NULL);
    if (!status)
        status = th_parser_parse(parser, th_str_from(page_text), NULL, &page, NULL);
    if (!status)
        status = th_wrapper_extract(wrapper, page, NULL, &records, NULL);
    if (!status) {
        const th_page *one = page;
        const th_records *its = records;
        status = th_wrapper_profile(wrapper, &one, &its, 1, NULL);
    }
    if (!status)
        status = th_wrapper_write(wrapper, &text, NULL);
    if (!status)
        status = th_wrapper_read((th_str){text.ptr, text.len}, "w", &again, NULL);
    if (!status)
        status = th_wrapper_write(again, &text_again, NULL);
    if (!status)
        status = th_wrapper_explain_profile(again, &words, NULL);
    if (!status && (!th_wrapper_has_profile(again) || strcmp(text.ptr, text_again.ptr) ||
                    !strstr(words.ptr, "$ _Number_ (4)")))
        status = TH_ERR_FORMAT;
    th_text_release(&text);
    th_text_release(&text_again);
    th_text_release(&words);
    th_records_free(records);
    th_page_free(page);
    th_parser_free(parser);
    th_wrapper_free(wrapper);
    th_wrapper_free(again);
    return status;
}

static void test_file(void **state)
{
    assert_int_equal(profile_wrapper(NULL), TH_OK);
}

static void test_memory(void **state)
{
    th_test_some_allocations_fail(profile_wrapper, NULL, 120);
}

static void expect_fault(const char *from, const char *to, const char *message)
{
    const char *pages[] = {page_text};
    th_wrapper *wrapper, *again = NULL;
    th_check *check;
    th_error err = {0};
    th_text text = {0};
    th__buf changed = {0};
    th_parser *parser;
    th_page *page;
    th_records *records;
    assert_int_equal(learn_from(pages, 1, 1, &wrapper, NULL), TH_OK);
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, th_str_from(page_text), NULL, &page, NULL), TH_OK);
    assert_int_equal(th_wrapper_extract(wrapper, page, NULL, &records, NULL), TH_OK);
    assert_int_equal(th_check_new(wrapper, true, &check, NULL), TH_OK);
    assert_int_equal(th_check_add(check, page, records, NULL), TH_OK);
    assert_int_equal(th_check_profile(check, wrapper, NULL), TH_OK);
    assert_int_equal(th_wrapper_write(wrapper, &text, NULL), TH_OK);
    const char *at = strstr(text.ptr, from);
    assert_non_null(at);
    th__buf_add(&changed, text.ptr, (size_t)(at - text.ptr));
    th__buf_add_str(&changed, th_str_from(to));
    th__buf_add_str(&changed, th_str_from(at + strlen(from)));
    assert_int_equal(th_wrapper_read(th__buf_str(&changed), "w", &again, &err), TH_ERR_FORMAT);
    assert_string_equal(err.message, message);
    th__buf_release(&changed);
    th_text_release(&text);
    th_check_free(check);
    th_records_free(records);
    th_page_free(page);
    th_parser_free(parser);
    th_wrapper_free(wrapper);
}

static void test_faults(void **state)
{
    expect_fault("\"chances\": 4", "\"chances\": \"4\"",
                 "w: profile.fields[0].chances: must be a whole number from 0 to 281474976710656");
    expect_fault("\"explained\": ", "\"explained\": 7",
                 "w: profile.explained: must be a number from 0 to 1");
    expect_fault(
        "\"pattern\": \"", "\"pattern\": \" ",
        "w: profile.fields[0].start[0].pattern: must be 1 to 4 words or classes with single "
        "blanks between them, such as \"_Number_ _Capitalized_\"");
    expect_fault("\"start\": [", "\"start\": 1, \"x\": [",
                 "w: profile.fields[0].start: must be an array of 0 to 40 items");
    expect_fault("\"version\": 1", "\"version\": -1",
                 "w: version: must be a whole number from 0 to 4294967295");
    expect_fault("\"history\": []", "\"history\": [{\"version\": 1}]",
                 "w: history[0].changes: must be an array of 0 to 65536 items");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts), cmocka_unit_test(test_empty_page),
        cmocka_unit_test(test_sample), cmocka_unit_test(test_file),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
