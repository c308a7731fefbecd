/* check_wrapper.h: what must hold of any wrapper on any page. For the fuzz targets of wrappers. */
#ifndef TH_CHECK_WRAPPER_H
#define TH_CHECK_WRAPPER_H

#include "fuzz.h"
#include "same_records.h"

static inline void check_value(const th_value *value, const th_page *page)
{
    th_span span = th_value_span(value);
    CHECK(span.start <= span.end && span.end <= th_page_text(page).len);
    for (size_t i = 0; i < th_value_count(value); i++)
        check_value(th_value_item(value, i), page);
}

/* Where a wrapper's views disagree, when it has several. */
static inline void check_doubts(const th_wrapper *wrapper, const th_page *page)
{
    th_doubts *doubts;
    th_status status = th_wrapper_doubts(wrapper, page, &doubts, NULL);
    CHECK(status == TH_OK || status == TH_ERR_ARGUMENT);
    for (size_t i = 0; !status && i < th_doubts_count(doubts); i++) {
        const th_doubt *doubt = th_doubts_get(doubts, i);
        CHECK(doubt->contention > 0 && doubt->contention <= 1);
        for (uint32_t a = 0; a < doubt->answer_count; a++)
            CHECK(doubt->answers[a].span.end <= th_page_text(page).len);
    }
    th_doubts_free(doubts);
}

/* How many records it finds. */
static inline size_t run_wrapper(const th_wrapper *wrapper, const th_page *page)
{
    th_records *records;
    CHECK(th_wrapper_extract(wrapper, page, NULL, &records, NULL) == TH_OK);
    size_t count = th_records_count(records);
    for (size_t i = 0; i < count; i++)
        check_value(th_records_get(records, i), page);
    th_records_free(records);
    return count;
}

/* The page in pieces, where the wrapper can do with them. */
static inline void stream_wrapper(const th_wrapper *wrapper, const th_page *page)
{
    th_stream *stream;
    th_records *records;
    th_str text = th_page_text(page);
    if (!th_wrapper_streams(wrapper))
        return;
    CHECK(th_stream_new(wrapper, NULL, &stream, NULL) == TH_OK);
    for (size_t at = 0, len = 1; at < text.len; at += len, len = len % 97 + 13) {
        if (len > text.len - at)
            len = text.len - at;
        CHECK(th_stream_feed(stream, (th_str){text.ptr + at, len}, &records, NULL) == TH_OK);
        th_records_free(records);
    }
    CHECK(th_stream_finish(stream, &records, NULL) == TH_OK);
    th_records_free(records);
    th_stream_free(stream);
}

/* Holds the page against the profile. Returns true if it drifts. */
static inline bool verify(const th_wrapper *wrapper, const th_page *page)
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

/* The link to the next page, by the wrapper's rule and without it. */
static inline void check_next(const th_wrapper *wrapper, const th_page *page)
{
    th_next next = {0};
    for (int i = 0; i < 2; i++) {
        CHECK(th_next_find(page, i ? wrapper : NULL, &next, NULL) == TH_OK);
        CHECK(!next.url.len == !next.node && next.node < th_page_node_count(page));
        CHECK(next.confidence >= 0 && next.confidence <= 1 && next.why.len > 0);
        CHECK(!next.by_rule || (i && next.sure));
    }
    th_next_release(&next);
}

static inline void check_wrapper(const th_wrapper *wrapper, const th_page *page)
{
    th_text text = {0}, words = {0};
    th_wrapper *again;
    th_error err;
    CHECK(th_wrapper_write(wrapper, &text, NULL) == TH_OK);
    CHECK(th_wrapper_is((th_str){text.ptr, text.len}));
    CHECK_OK(!survives_writing(wrapper, &page, 1, &again, &err), err);
    CHECK(th_wrapper_explain(again, &words, NULL) == TH_OK);
    th_status graph = th_wrapper_graph(again, &words, NULL);
    CHECK(graph == TH_OK || graph == TH_ERR_ARGUMENT);
    stream_wrapper(again, page);
    CHECK(th_wrapper_explain_profile(again, &words, NULL) == TH_OK);
    if (th_wrapper_has_profile(again))
        verify(again, page);
    run_wrapper(again, page);
    check_doubts(again, page);
    check_next(again, page);
    th_wrapper_free(again);
    th_text_release(&text);
    th_text_release(&words);
}

#endif
