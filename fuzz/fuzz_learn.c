/*
 * fuzz_learn.c: wrappers that every engine learns from any page.
 *
 * Input: a byte that selects the engine (any other byte selects all engines), and a page. The
 * wrapper must be readable, must find records on the page it was learnt from, and verification must
 * not call that page changed. Engines that learn from labels get some texts of the page as labels.
 * An engine that compares pages learns from the page and from its second half.
 */
#include "check_wrapper.h"

static void learn_from(const th_page *page, const char *engine, bool paper)
{
    th_corpus *corpus;
    th_wrapper *wrapper = NULL;
    th_learn_options options;
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = engine;
    options.paper.published = paper;
    CHECK(th_corpus_new(&corpus, NULL) == TH_OK);
    CHECK(th_corpus_add(corpus, page, NULL, NULL) == TH_OK);
    /* Elements with names that no path can hold give no rule. */
    if (th_learn(corpus, &options, &wrapper, NULL, NULL) == TH_OK) {
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
    th_corpus_free(corpus);
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
    th_corpus *corpus;
    th_wrapper *wrapper;
    th_labels *labels;
    th_records_source source = {.page = th_str_from("p")};
    th_learn_options options;
    if (!label(page, &labels))
        return;
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = engine;
    options.paper.published = paper;
    CHECK(th_corpus_new(&corpus, NULL) == TH_OK);
    th_corpus_set_labels(corpus, labels);
    /* A text of characters that are not shown is no value. */
    if (th_corpus_add(corpus, page, &source, NULL) == TH_OK &&
        th_learn(corpus, &options, &wrapper, NULL, NULL) == TH_OK) {
        check_wrapper(wrapper, page);
        th_wrapper_free(wrapper);
    }
    th_corpus_free(corpus);
    th_labels_free(labels);
}

static void compare(const th_page *page, const th_page *half, bool paper)
{
    th_corpus *corpus;
    th_wrapper *wrapper = NULL;
    th_learn_options options;
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = paper ? "exalg" : "template";
    options.pick = 1; /* not in clusters */
    CHECK(th_corpus_new(&corpus, NULL) == TH_OK);
    CHECK(th_corpus_add(corpus, page, NULL, NULL) == TH_OK);
    CHECK(th_corpus_add(corpus, half, NULL, NULL) == TH_OK);
    /* Pages that say the same, or have nothing in common, give no template. */
    if (th_learn(corpus, &options, &wrapper, NULL, NULL) == TH_OK) {
        check_wrapper(wrapper, page);
        check_wrapper(wrapper, half);
        th_wrapper_free(wrapper);
    }
    th_corpus_free(corpus);
}

/* One way to learn; `paper` as published. */
static void learn_by(int engine, const th_page *page, const th_page *half, bool paper)
{
    switch (engine) {
    case 0:
        learn_from(page, "auto", false);
        break;
    case 1:
        learn_from_labels(page, "seams", false, label_record);
        break;
    case 2:
        learn_from(page, "mdr", paper);
        break;
    case 3:
        learn_from(page, "iepad", paper);
        break;
    case 4:
        learn_from_labels(page, "softmealy", paper, label_list);
        break;
    case 5:
        learn_from_labels(page, "stalker", paper, label_record);
        break;
    default:
        compare(page, half, paper);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { ENGINES = 7 };
    th_str html = {(const char *)data + (size > 0), size - (size > 0)};
    th_str rest = {html.ptr + html.len / 2, html.len - html.len / 2};
    int only = size && data[0] >= '0' && data[0] < '0' + 2 * ENGINES ? data[0] - '0' : -1;
    th_parser *parser;
    th_page *page, *half;
    CHECK(th_parser_new(NULL, &parser, NULL) == TH_OK);
    CHECK(th_parser_parse(parser, html, NULL, &page, NULL) == TH_OK);
    CHECK(th_parser_parse(parser, rest, NULL, &half, NULL) == TH_OK);
    for (int way = 0; way < 2 * ENGINES; way++)
        if (only < 0 || only == way)
            learn_by(way % ENGINES, page, half, way >= ENGINES);
    th_page_free(half);
    th_page_free(page);
    th_parser_free(parser);
    return 0;
}
