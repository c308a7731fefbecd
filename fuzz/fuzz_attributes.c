/*
 * fuzz_attributes.c: what is read from a page when somebody asks: attributes, their text, links,
 * text of spans, and fine tokens, which must tile their span.
 *
 * The first four bytes give a span; the rest is the page.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <thresh.h>

#include "base/utf8.h"
#include "page/text.h"
#include "page/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void read_attributes(const th_page *page, th_text *text)
{
    const th_token *tokens = th_page_tokens(page);
    th_str source = th_page_text(page);
    for (uint32_t i = 0; i < th_page_token_count(page); i++) {
        if (tokens[i].kind != TH_TOKEN_START)
            continue;
        th_attr attr;
        for (th_attr_iter it = th_attrs(page, i); th_attr_next(&it, &attr);) {
            check(attr.name.len > 0 && attr.name.ptr >= source.ptr);
            check(attr.name.ptr + attr.name.len <= source.ptr + tokens[i + 1].start);
            if (attr.value.ptr)
                check(attr.value.ptr + attr.value.len <= source.ptr + tokens[i + 1].start);
            check(th_attr_text(attr.value, text, NULL) == TH_OK);
            th_text url = {0};
            check(th_page_resolve(page, (th_str){text->ptr, text->len}, &url, NULL) == TH_OK);
            th_text_release(&url);
        }
    }
}

static void read_span(const th_page *page, th_span span, th_text *text)
{
    th__folded folded = {0};
    check(th_page_span_text(page, span, text, NULL) == TH_OK);
    check(th__utf8_valid(text->ptr, text->len) == text->len);
    check(th__page_fold(page, span, &folded));
    check(folded.text.len == text->len &&
          !memcmp(folded.text.data ? folded.text.data : "", text->ptr, text->len));
    for (size_t i = 0; i < folded.text.len; i++)
        check(folded.start[i] >= span.start && folded.start[i] < folded.end[i] &&
              folded.end[i] <= span.end);
    th__folded_release(&folded);
    th_lex lex;
    th_fine fine;
    uint32_t at = span.start;
    th_lex_init(&lex, page, span);
    while (th_lex_next(&lex, &fine)) {
        check(fine.start == at && fine.end > at && fine.count > 0);
        at = fine.end;
        check(th_fine_text(page, &fine, text, NULL) == TH_OK);
    }
    check(at == span.end || span.start >= span.end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4)
        return 0;
    th_parser *parser;
    th_page *page;
    th_page_source source = {.url = th_str_from("http://host.example/a/b?c#d")};
    th_str bytes = {(const char *)data + 4, size - 4};
    check(th_parser_new(NULL, &parser, NULL) == TH_OK);
    check(th_parser_parse(parser, bytes, &source, &page, NULL) == TH_OK);
    th_text text = {0};
    uint32_t len = (uint32_t)th_page_text(page).len;
    th_span span = {(uint32_t)(data[0] | data[1] << 8) % (len + 1),
                    (uint32_t)(data[2] | data[3] << 8) % (len + 1)};
    read_attributes(page, &text);
    read_span(page, span, &text);
    read_span(page, (th_span){0, len}, &text);
    th_text_release(&text);
    th_page_free(page);
    th_parser_free(parser);
    return 0;
}
