/*
 * fuzz_wrapper.c: reading wrappers, and running them.
 *
 * Input: a wrapper file, then a NUL and a page. A wrapper that is read is written and read again,
 * which must give the same file, and is run on the page, where every value must have its place.
 * Besides, a wrapper is learnt from the page: it must be readable, and find records on the page it
 * is from.
 */
#include "fuzz.h"

#include <string.h>
#include <thresh.h>

static void check_value(const th_value *value, const th_page *page)
{
    th_span span = th_value_span(value);
    CHECK(span.start <= span.end && span.end <= th_page_text(page).len);
    for (size_t i = 0; i < th_value_count(value); i++)
        check_value(th_value_item(value, i), page);
}

/* How many records it finds. */
static size_t run_wrapper(const th_wrapper *wrapper, const th_page *page)
{
    th_records *records;
    CHECK(th_wrapper_extract(wrapper, page, NULL, &records, NULL) == TH_OK);
    size_t count = th_records_count(records);
    for (size_t i = 0; i < count; i++)
        check_value(th_records_get(records, i), page);
    th_records_free(records);
    return count;
}

static void check_wrapper(const th_wrapper *wrapper, const th_page *page)
{
    th_text text = {0}, again_text = {0}, words = {0};
    th_wrapper *again;
    CHECK(th_wrapper_write(wrapper, &text, NULL) == TH_OK);
    CHECK(th_wrapper_is((th_str){text.ptr, text.len}));
    CHECK(th_wrapper_read((th_str){text.ptr, text.len}, "again", &again, NULL) == TH_OK);
    CHECK(th_wrapper_write(again, &again_text, NULL) == TH_OK);
    CHECK(text.len == again_text.len && !memcmp(text.ptr, again_text.ptr, text.len));
    CHECK(th_wrapper_explain(again, &words, NULL) == TH_OK);
    CHECK(run_wrapper(wrapper, page) == run_wrapper(again, page));
    th_wrapper_free(again);
    th_text_release(&text);
    th_text_release(&again_text);
    th_text_release(&words);
}

static void learn_from(const th_page *page, const char *engine, bool paper)
{
    th_learner *learner;
    th_wrapper *wrapper = NULL;
    size_t records;
    th_learn_options options;
    th_learn_options_init(&options);
    options.engine = engine;
    options.lists.paper = paper;
    CHECK(th_learner_new(&options, &learner, NULL) == TH_OK);
    th_status status = th_learner_add(learner, page, NULL, &records, NULL);
    CHECK(status == TH_OK || status == TH_ERR_LIMIT); /* records too large for a rule of mdr */
    /* Elements with names that no path can hold give no rule. */
    if (records && th_learner_finish(learner, &wrapper, NULL) == TH_OK) {
        check_wrapper(wrapper, page);
        CHECK(run_wrapper(wrapper, page) > 0);
        th_wrapper_free(wrapper);
    }
    th_learner_free(learner);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    th_str text = {(const char *)data, nul ? (size_t)(nul - data) : size};
    th_str html = {nul ? (const char *)nul + 1 : "", nul ? size - text.len - 1 : 0};
    th_parser *parser;
    th_page *page;
    th_wrapper *wrapper;
    CHECK(th_parser_new(NULL, &parser, NULL) == TH_OK);
    CHECK(th_parser_parse(parser, html, NULL, &page, NULL) == TH_OK);
    if (th_wrapper_read(text, "wrapper", &wrapper, NULL) == TH_OK) {
        check_wrapper(wrapper, page);
        th_wrapper_free(wrapper);
    }
    learn_from(page, "auto", false);
    for (int paper = 0; paper < 2; paper++) {
        learn_from(page, "mdr", paper);
        learn_from(page, "iepad", paper);
    }
    th_page_free(page);
    th_parser_free(parser);
    return 0;
}
