/*
 * fuzz_wrapper.c: reading wrappers, and running them.
 *
 * Input: a wrapper file, then a NUL and a page. A wrapper that is read is written and read again,
 * which must give the same file and the same records, and is run on the page, where every value
 * must have its place. Besides, a wrapper is learnt from the page: it must be readable, and find
 * records on the page it is from, which then is no change. Engines that learn from labels are told
 * where some texts of the page stand. An engine that compares pages learns from the page and from
 * its second half. A wrapper with a profile is verified on the page, and repaired where the page is
 * short.
 */
#include "fuzz.h"
#include "same_records.h"

#include <stdio.h>
#include <string.h>
#include <thresh.h>

static void check_value(const th_value *value, const th_page *page)
{
    th_span span = th_value_span(value);
    CHECK(span.start <= span.end && span.end <= th_page_text(page).len);
    for (size_t i = 0; i < th_value_count(value); i++)
        check_value(th_value_item(value, i), page);
}

/* Where a wrapper's views disagree, when it has several. */
static void check_doubts(const th_wrapper *wrapper, const th_page *page)
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

/* The page in pieces, where the wrapper can do with them. */
static void stream_wrapper(const th_wrapper *wrapper, const th_page *page)
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
    th_error err;
    if (th_page_text(page).len > SHORT)
        return;
    CHECK_OK(th_repair_new(wrapper, NULL, &repair, &err), err);
    CHECK_OK(th_repair_add(repair, page, NULL, &err), err);
    CHECK_OK(th_repair_finish(repair, &mended, &err), err);
    CHECK((mended != NULL) == (th_repair_outcome(repair) == TH_OUTCOME_REPAIRED));
    CHECK(th_repair_to_json(repair, &text, NULL) == TH_OK);
    CHECK(th_repair_explain(repair, &text, NULL) == TH_OK);
    th_text_release(&text);
    th_wrapper_free(mended);
    th_repair_free(repair);
}

static void check_wrapper(const th_wrapper *wrapper, const th_page *page)
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
    if (th_wrapper_has_profile(again)) {
        verify(again, page);
        repair(again, page);
    }
    run_wrapper(again, page);
    check_doubts(again, page);
    th_wrapper_free(again);
    th_text_release(&text);
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
    options.paper.published = paper;
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

/* Labels the first texts as two records of two fields. */
static bool label_list(const th_page *page, th_labels **out)
{
    char line[400];
    int len = snprintf(line, sizeof line, "{\"page\":\"p\",\"records\":[");
    int texts = 0;
    for (uint32_t t = 0; t < th_page_token_count(page) && texts < 4; t++) {
        const th_token *token = &th_page_tokens(page)[t];
        th_span span = th_page_token_span(page, t);
        if (token->kind != TH_TOKEN_TEXT || (token->flags & TH_TOKEN_BLANK))
            continue;
        len +=
            snprintf(line + len, sizeof line - (size_t)len, "%s\"%c\":{\"start\":%u,\"end\":%u}%s",
                     texts % 2 ? ","
                     : texts   ? ",{"
                               : "{",
                     'a' + texts % 2, span.start, span.end, texts % 2 ? "}" : "");
        texts++;
    }
    snprintf(line + len, sizeof line - (size_t)len, "%s]}", texts % 2 ? "}" : "");
    return texts && th_labels_read(th_str_from(line), "labels", out, NULL) == TH_OK;
}

/* Labels of a page: a record {a, b: [..]} of some of its texts, by their bytes. */
static bool label_record(const th_page *page, th_labels **labels)
{
    char out[1024];
    const size_t size = sizeof out;
    size_t len = (size_t)snprintf(out, size, "{\"page\":\"p\",\"record\":{");
    unsigned found = 0;
    for (uint32_t t = 0; t < th_page_token_count(page) && found < 5; t++) {
        const th_token *token = &th_page_tokens(page)[t];
        th_span span = th_page_token_span(page, t);
        if (token->kind != TH_TOKEN_TEXT || token->flags & TH_TOKEN_BLANK || t % 3 == 2)
            continue;
        static const char *const before[] = {"\"a\":", ",\"b\":[", ",", ",", "],\"c\":"};
        len += (size_t)snprintf(out + len, size - len, "%s{\"start\":%u,\"end\":%u}",
                                before[found++], span.start, span.end);
    }
    len += (size_t)snprintf(out + len, size - len, "%s}}", found > 1 && found < 5 ? "]" : "");
    return found && th_labels_read((th_str){out, len}, "labels", labels, NULL) == TH_OK;
}

static void learn_from_labels(const th_page *page, const char *engine, bool paper,
                              bool (*label)(const th_page *page, th_labels **out))
{
    th_learner *learner;
    th_wrapper *wrapper;
    th_labels *labels;
    th_records_source source = {.page = th_str_from("p")};
    th_learn_options options;
    if (!label(page, &labels))
        return;
    th_learn_options_init(&options);
    options.engine = engine;
    options.labels = labels;
    options.paper.published = paper;
    CHECK(th_learner_new(&options, &learner, NULL) == TH_OK);
    /* A text of characters that are not shown is no value. */
    if (th_learner_add(learner, page, &source, NULL, NULL) == TH_OK &&
        th_learner_finish(learner, &wrapper, NULL) == TH_OK) {
        check_wrapper(wrapper, page);
        th_wrapper_free(wrapper);
    }
    th_learner_free(learner);
    th_labels_free(labels);
}

static void compare(const th_page *page, const th_page *half, bool paper)
{
    th_learner *learner;
    th_wrapper *wrapper = NULL;
    th_learn_options options;
    th_learn_options_init(&options);
    options.engine = "exalg";
    options.paper.published = paper;
    CHECK(th_learner_new(&options, &learner, NULL) == TH_OK);
    CHECK(th_learner_add(learner, page, NULL, NULL, NULL) == TH_OK);
    CHECK(th_learner_add(learner, half, NULL, NULL, NULL) == TH_OK);
    /* Pages that say the same, or have nothing in common, give no template. */
    if (th_learner_finish(learner, &wrapper, NULL) == TH_OK) {
        check_wrapper(wrapper, page);
        check_wrapper(wrapper, half);
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
    th_page *page, *half;
    th_wrapper *wrapper;
    th_str rest = {html.ptr + html.len / 2, html.len - html.len / 2};
    CHECK(th_parser_new(NULL, &parser, NULL) == TH_OK);
    CHECK(th_parser_parse(parser, html, NULL, &page, NULL) == TH_OK);
    if (th_wrapper_read(text, "wrapper", &wrapper, NULL) == TH_OK) {
        check_wrapper(wrapper, page);
        th_wrapper_free(wrapper);
    }
    learn_from(page, "auto", false);
    learn_from_labels(page, "seams", false, label_record);
    for (int paper = 0; paper < 2; paper++) {
        learn_from(page, "mdr", paper);
        learn_from(page, "iepad", paper);
        learn_from_labels(page, "softmealy", paper, label_list);
        learn_from_labels(page, "stalker", paper, label_record);
    }
    CHECK(th_parser_parse(parser, rest, NULL, &half, NULL) == TH_OK);
    compare(page, half, false);
    compare(page, half, true);
    th_page_free(half);
    th_page_free(page);
    th_parser_free(parser);
    return 0;
}
