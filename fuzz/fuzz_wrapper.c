/*
 * fuzz_wrapper.c: reading wrappers, and running them.
 *
 * Input: a wrapper file, then a NUL and a page. A wrapper that is read is written and read again,
 * which must give the same file, and is run on the page, where every value must have its place.
 * Besides, a wrapper is learnt from the page: it must be readable, and find records on the page it
 * is from, which then is no change. A wrapper with a profile is verified on the page, and repaired
 * where the page is short.
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

/* Holds the page against the profile. Whether it drifts. */
static bool verify(const th_wrapper *wrapper, const th_page *page)
{
    th_check *check;
    th_records *records;
    th_verdict *verdict;
    th_text text = {0};
    CHECK(th_check_new(wrapper, false, &check, NULL) == TH_OK);
    CHECK(th_wrapper_extract(wrapper, page, NULL, &records, NULL) == TH_OK);
    CHECK(th_check_add(check, page, records, NULL) == TH_OK);
    CHECK(th_check_verdict(check, 0, &verdict, NULL) == TH_OK);
    CHECK(th_verdict_to_json(verdict, &text, NULL) == TH_OK);
    CHECK(th_verdict_explain(verdict, &text, NULL) == TH_OK);
    bool drift = th_verdict_drift(verdict);
    th_text_release(&text);
    th_verdict_free(verdict);
    th_records_free(records);
    th_check_free(check);
    return drift;
}

static void repair(const th_wrapper *wrapper, const th_page *page)
{
    enum { SHORT = 4096 };
    th_repair *repair;
    th_wrapper *mended;
    th_text text = {0};
    if (th_page_text(page).len > SHORT)
        return;
    CHECK(th_repair_new(wrapper, NULL, &repair, NULL) == TH_OK);
    CHECK(th_repair_add(repair, page, NULL, NULL) == TH_OK);
    CHECK(th_repair_finish(repair, &mended, NULL) == TH_OK);
    CHECK((mended != NULL) == (th_repair_outcome(repair) == TH_OUTCOME_REPAIRED));
    CHECK(th_repair_to_json(repair, &text, NULL) == TH_OK);
    CHECK(th_repair_explain(repair, &text, NULL) == TH_OK);
    th_text_release(&text);
    th_wrapper_free(mended);
    th_repair_free(repair);
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
    CHECK(th_wrapper_explain_profile(again, &words, NULL) == TH_OK);
    if (th_wrapper_has_profile(again)) {
        verify(again, page);
        repair(again, page);
    }
    CHECK(run_wrapper(wrapper, page) == run_wrapper(again, page));
    th_wrapper_free(again);
    th_text_release(&text);
    th_text_release(&again_text);
    th_text_release(&words);
}

static void learn_from(const th_page *page, const char *engine)
{
    th_learner *learner;
    th_wrapper *wrapper = NULL;
    size_t records;
    th_learn_options options;
    th_learn_options_init(&options);
    options.engine = engine;
    CHECK(th_learner_new(&options, &learner, NULL) == TH_OK);
    th_status status = th_learner_add(learner, page, NULL, &records, NULL);
    CHECK(status == TH_OK || status == TH_ERR_LIMIT); /* records too large for a rule of mdr */
    /* Elements with names that no path can hold give no rule. */
    if (records && th_learner_finish(learner, &wrapper, NULL) == TH_OK) {
        th_records *found;
        CHECK(run_wrapper(wrapper, page) > 0);
        CHECK(th_wrapper_extract(wrapper, page, NULL, &found, NULL) == TH_OK);
        const th_records *const given = found;
        /* A wrapper that gives records without a value gets no profile. */
        if (th_wrapper_profile(wrapper, &page, &given, 1, NULL) == TH_OK)
            CHECK(!verify(wrapper, page));
        th_records_free(found);
        check_wrapper(wrapper, page);
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
    learn_from(page, "auto");
    learn_from(page, "mdr");
    learn_from(page, "iepad");
    th_page_free(page);
    th_parser_free(parser);
    return 0;
}
