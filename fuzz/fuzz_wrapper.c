/*
 * fuzz_wrapper.c: reading wrappers, and running them.
 *
 * Input: a wrapper file, then a NUL and a page. A wrapper that is read is written and read again,
 * which must give the same file and the same records, and is run on the page, where every value
 * must have its place. A wrapper with a profile is verified on the page. fuzz_learn.c learns
 * wrappers and fuzz_repair.c repairs them: both take a hundred times as long.
 */
#include "check_wrapper.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    th_str text = {(const char *)data, nul ? (size_t)(nul - data) : size};
    th_str html = {nul ? (const char *)nul + 1 : "", nul ? size - text.len - 1 : 0};
    th_parser *parser;
    th_page *page;
    th_wrapper *wrapper;
    if (th_wrapper_read(text, "wrapper", &wrapper, NULL))
        return 0;
    CHECK(th_parser_new(NULL, &parser, NULL) == TH_OK);
    CHECK(th_parser_parse(parser, html, NULL, &page, NULL) == TH_OK);
    check_wrapper(wrapper, page);
    th_wrapper_free(wrapper);
    th_page_free(page);
    th_parser_free(parser);
    return 0;
}
