/* wrapper_test.h: learning from pages and running on others, with records as NDJSON. */
#ifndef TH_WRAPPER_TEST_H
#define TH_WRAPPER_TEST_H

#include "test.h"

#include "base/str.h"

static th_status collect(void *context, const char *bytes, size_t len, th_error *err)
{
    return th__buf_add(context, bytes, len) ? TH_OK : TH_ERR_MEMORY;
}

static inline th_status learn_by(const char *engine, const char *const *pages, size_t count,
                                 uint32_t pick, th_wrapper **out, th_error *err)
{
    th_corpus *corpus = NULL;
    th_parser *parser = NULL;
    th_learn_options options;
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = engine;
    options.pick = pick ? pick : 1; /* not in clusters */
    options.date = "2026-01-02";
    *out = NULL;
    th_status status = th_parser_new(NULL, &parser, err);
    if (!status)
        status = th_corpus_new(&corpus, err);
    for (size_t i = 0; !status && i < count; i++) {
        th_page *page = NULL;
        th_records_source source = {.page = th_str_from("page")};
        status = th_parser_parse(parser, th_str_from(pages[i]), NULL, &page, err);
        if (!status)
            status = th_corpus_add(corpus, page, &source, err);
        th_page_free(page);
    }
    if (!status)
        status = th_learn(corpus, &options, out, NULL, err);
    th_corpus_free(corpus);
    th_parser_free(parser);
    return status;
}

static inline th_status learn_from(const char *const *pages, size_t count, uint32_t pick,
                                   th_wrapper **out, th_error *err)
{
    return learn_by(NULL, pages, count, pick, out, err);
}

/* The records that a wrapper finds on a page, as NDJSON. */
static inline th_status run_on(const th_wrapper *wrapper, const char *html, th__buf *out,
                               th_error *err)
{
    th_parser *parser = NULL;
    th_page *page = NULL;
    th_records *records = NULL;
    th_writer *writer = NULL;
    th_writer_options options;
    th_writer_options_init(&options);
    options.sink = (th_sink){collect, out};
    th_status status = th_parser_new(NULL, &parser, err);
    if (!status)
        status = th_parser_parse(parser, th_str_from(html), NULL, &page, err);
    if (!status)
        status = th_wrapper_extract(wrapper, page, NULL, &records, err);
    if (!status)
        status = th_writer_new(TH_FORMAT_NDJSON, &options, &writer, err);
    if (!status)
        status = th_writer_add(writer, records, err);
    if (!status)
        status = th_writer_finish(writer, err);
    th_writer_free(writer);
    th_records_free(records);
    th_page_free(page);
    th_parser_free(parser);
    return status;
}

/* Holds what a wrapper gives on a page against the claim: at once, and after it was written and
 * read. Frees the wrapper. */
static inline void expect_records(th_wrapper *wrapper, const char *page, const char *records)
{
    th_wrapper *again;
    th_text text = {0}, text_again = {0};
    th__buf out = {0};
    th_error err = {0};
    assert_int_equal(th_wrapper_write(wrapper, &text, NULL), TH_OK);
    if (th_wrapper_read((th_str){text.ptr, text.len}, "w", &again, &err))
        fail_msg("%s", err.message);
    assert_int_equal(th_wrapper_write(again, &text_again, NULL), TH_OK);
    assert_string_equal(text.ptr, text_again.ptr);
    for (int i = 0; i < 2; i++) {
        out.len = 0;
        assert_int_equal(run_on(i ? again : wrapper, page, &out, NULL), TH_OK);
        assert_true(th__buf_add_byte(&out, '\0'));
        assert_string_equal(out.data, records);
    }
    th__buf_release(&out);
    th_text_release(&text);
    th_text_release(&text_again);
    th_wrapper_free(wrapper);
    th_wrapper_free(again);
}

#endif
