/*
 * site_test.h: a site of labelled pages for tests of one engine, which a test names before it
 * includes this: #define ENGINE "stalker".
 */
#ifndef SITE_TEST_H
#define SITE_TEST_H

#include "../wrapper/wrapper_test.h"

struct site {
    const char *labels;       /* lines; pages are called 0, 1, ... */
    const char *const *pages; /* NULL at the end */
    bool paper;
};

static inline th_status learn(const struct site *site, th_wrapper **out, th__buf *notes,
                              th_error *err)
{
    th_labels *labels = NULL;
    th_corpus *corpus = NULL;
    th_report *report = NULL;
    th_parser *parser = NULL;
    th_learn_options options;
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = ENGINE;
    options.paper.published = site->paper;
    *out = NULL;
    th_status status = th_labels_read(th_str_from(site->labels), "labels", &labels, err);
    if (!status)
        status = th_parser_new(NULL, &parser, err);
    if (!status)
        status = th_corpus_new(&corpus, err);
    if (!status)
        th_corpus_set_labels(corpus, labels);
    for (size_t i = 0; !status && site->pages[i]; i++) {
        th_page *page = NULL;
        char name[24];
        snprintf(name, sizeof name, "%zu", i);
        th_records_source source = {.page = th_str_from(name)};
        status = th_parser_parse(parser, th_str_from(site->pages[i]), NULL, &page, err);
        if (!status)
            status = th_corpus_add(corpus, page, &source, err);
        th_page_free(page);
    }
    if (!status)
        status = th_learn(corpus, &options, out, &report, err);
    for (size_t i = 0; !status && notes && i < th_report_remark_count(report); i++) {
        th__buf_add_str(notes, th_report_remark(report, i)->text);
        th__buf_add_byte(notes, '\n');
    }
    th_report_free(report);
    th_corpus_free(corpus);
    th_parser_free(parser);
    th_labels_free(labels);
    return status;
}

static inline th_wrapper *must_learn(const struct site *site)
{
    th_wrapper *wrapper;
    th_error err = {0};
    if (learn(site, &wrapper, NULL, &err))
        fail_msg("%s", err.message);
    return wrapper;
}

/* What a site's wrapper finds on a page. */
static inline void expect(const struct site *site, const char *page, const char *records)
{
    expect_records(must_learn(site), page, records);
}

#endif
