/*
 * fuzz_repair.c: repairing wrappers.
 *
 * Input: a wrapper file, a page and a second page, with a NUL between. A wrapper without a profile
 * gets one from the first page; without a wrapper, one is learnt from the first page. It is then
 * repaired on the second page. What comes out is a wrapper like any other.
 */
#include "check_wrapper.h"

enum { SHORT = 4096 }; /* longer pages are left to fuzz_wrapper.c: a repair tries many things */

/* The part up to the next NUL, which it takes off the rest. */
static th_str take_part(th_str *rest)
{
    const char *nul = rest->len ? memchr(rest->ptr, 0, rest->len) : NULL;
    th_str part = {rest->ptr, nul ? (size_t)(nul - rest->ptr) : rest->len};
    *rest = (th_str){rest->ptr + part.len + (nul != NULL), rest->len - part.len - (nul != NULL)};
    return part;
}

static th_wrapper *learn(const th_page *page)
{
    th_corpus *corpus;
    th_wrapper *wrapper = NULL;
    th_learn_options options;
    th_learn_options_init(&options);
    options.no_profile = true;
    options.pick = 1; /* not in clusters */
    CHECK(th_corpus_new(&corpus, NULL) == TH_OK);
    if (th_corpus_add(corpus, page, NULL, NULL) || th_learn(corpus, &options, &wrapper, NULL, NULL))
        wrapper = NULL;
    th_corpus_free(corpus);
    return wrapper;
}

static void add_profile(th_wrapper *wrapper, const th_page *page)
{
    th_records *found;
    CHECK(th_wrapper_extract(wrapper, page, NULL, &found, NULL) == TH_OK);
    const th_records *const given = found;
    th_wrapper_profile(wrapper, &page, &given, 1, NULL); /* none for records without a value */
    th_records_free(found);
}

static void repair(const th_wrapper *wrapper, const th_page *page)
{
    th_repair *repair;
    th_wrapper *mended;
    th_text text = {0};
    th_error err;
    CHECK_OK(th_repair_new(wrapper, NULL, &repair, &err), err);
    CHECK_OK(th_repair_add(repair, page, NULL, &err), err);
    CHECK_OK(th_repair_finish(repair, &mended, &err), err);
    CHECK((mended != NULL) == (th_repair_outcome(repair) == TH_OUTCOME_REPAIRED));
    CHECK(th_repair_to_json(repair, &text, NULL) == TH_OK);
    CHECK(th_repair_explain(repair, &text, NULL) == TH_OK);
    if (mended)
        check_wrapper(mended, page);
    th_text_release(&text);
    th_wrapper_free(mended);
    th_repair_free(repair);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    th_str rest = {(const char *)data, size};
    th_str text = take_part(&rest), before = take_part(&rest);
    th_parser *parser;
    th_page *old, *page;
    th_wrapper *wrapper = NULL;
    if (before.len > SHORT || rest.len > SHORT)
        return 0;
    CHECK(th_parser_new(NULL, &parser, NULL) == TH_OK);
    CHECK(th_parser_parse(parser, before, NULL, &old, NULL) == TH_OK);
    CHECK(th_parser_parse(parser, rest, NULL, &page, NULL) == TH_OK);
    if (th_wrapper_read(text, "wrapper", &wrapper, NULL))
        wrapper = learn(old);
    if (wrapper && !th_wrapper_has_profile(wrapper))
        add_profile(wrapper, old);
    if (wrapper && th_wrapper_has_profile(wrapper))
        repair(wrapper, page);
    th_wrapper_free(wrapper);
    th_page_free(page);
    th_page_free(old);
    th_parser_free(parser);
    return 0;
}
