/*
 * fuzz_front.c: learning from labels.
 *
 * The labels end at the first NUL byte; then come pages, with NUL bytes between them, called 0, 1,
 * ... Each line of the labels is an example too. What is learnt must be readable, and give the same
 * when it was read.
 */
#include "fuzz.h"
#include "same_records.h"

#include <string.h>
#include <thresh.h>

enum { PAGES = 4 };

static th_str cut_part(th_str *rest)
{
    const char *end = memchr(rest->ptr, 0, rest->len);
    size_t len = end ? (size_t)(end - rest->ptr) : rest->len, used = end ? len + 1 : len;
    th_str part = {rest->ptr, len};
    *rest = (th_str){rest->ptr + used, rest->len - used};
    return part;
}

static void check_value(const th_value *value, const th_page *page)
{
    th_span span = th_value_span(value);
    CHECK(span.start <= span.end && span.end <= th_page_text(page).len);
    for (size_t i = 0; i < th_value_count(value); i++)
        check_value(th_value_item(value, i), page);
}

static void run_wrapper(const th_wrapper *wrapper, th_page *const *pages, size_t count)
{
    th_text words = {0};
    th_wrapper *again;
    th_error err;
    CHECK_OK(!survives_writing(wrapper, (const th_page *const *)pages, count, &again, &err), err);
    CHECK(th_wrapper_explain(again, &words, NULL) == TH_OK);
    for (size_t i = 0; i < count; i++) {
        th_records *records;
        CHECK(th_wrapper_extract(again, pages[i], NULL, &records, NULL) == TH_OK);
        for (size_t r = 0; r < th_records_count(records); r++)
            check_value(th_records_get(records, r), pages[i]);
        th_records_free(records);
    }
    th_wrapper_free(again);
    th_text_release(&words);
}

static void learn(const th_labels *labels, const char *engine, th_page *const *pages, size_t count)
{
    th_corpus *corpus;
    th_wrapper *wrapper = NULL;
    th_learn_options options;
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = engine;
    CHECK(th_corpus_new(&corpus, NULL) == TH_OK);
    th_corpus_set_labels(corpus, labels);
    th_status status = th_learn_check(corpus, &options, NULL);
    CHECK((status != TH_OK) == !th_labels_count(labels)); /* a file without labels is refused */
    for (size_t i = 0; !status && i < count; i++) {
        char name[2] = {(char)('0' + i), 0};
        th_records_source source = {th_str_from(name), {0}};
        status = th_corpus_add(corpus, pages[i], &source, NULL);
    }
    if (!status)
        status = th_learn(corpus, &options, &wrapper, NULL, NULL);
    if (!status)
        run_wrapper(wrapper, pages, count);
    th_wrapper_free(wrapper);
    th_corpus_free(corpus);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const engines[] = {NULL, "paths", "auto", "mdr", "iepad"};
    th_str rest = {(const char *)data, size}, lines = cut_part(&rest);
    th_parser *parser;
    th_page *pages[PAGES];
    th_labels *labels = NULL;
    size_t count = 0;
    if (th_labels_read(lines, "labels", &labels, NULL))
        CHECK(th_labels_new(&labels, NULL) == TH_OK);
    while (lines.len) {
        const char *end = memchr(lines.ptr, '\n', lines.len);
        size_t len = end ? (size_t)(end - lines.ptr) : lines.len;
        th_labels_add_example(labels, (th_str){0}, (th_str){lines.ptr, len}, NULL);
        len += end != NULL;
        lines = (th_str){lines.ptr + len, lines.len - len};
    }
    CHECK(th_parser_new(NULL, &parser, NULL) == TH_OK);
    for (; rest.len && count < PAGES; count++)
        CHECK(th_parser_parse(parser, cut_part(&rest), NULL, &pages[count], NULL) == TH_OK);
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        learn(labels, engines[i], pages, count);
    while (count)
        th_page_free(pages[--count]);
    th_parser_free(parser);
    th_labels_free(labels);
    return 0;
}
