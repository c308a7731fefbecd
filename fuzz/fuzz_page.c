/*
 * fuzz_page.c: any bytes become a page that keeps the invariants of page/page.h.
 *
 * Each input is parsed twice, as it is and with a low limit of depth, and once more with its URL
 * and charset unknown to compare: parsing the same bytes again must give the same page.
 */
#include "fuzz.h"

#include <thresh.h>

#include "page/page.h"

/* 1: tokens tile the text. */
static void check_tokens(const th_page *page)
{
    uint32_t count = th_page_token_count(page);
    const th_token *tokens = th_page_tokens(page);
    CHECK(th_page_text(page).len == tokens[count].start);
    CHECK(count == 0 || tokens[0].start == 0);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(tokens[i].start < tokens[i + 1].start);
        CHECK(tokens[i].kind <= TH_TOKEN_DROPPED);
        bool tag = tokens[i].kind == TH_TOKEN_START || tokens[i].kind == TH_TOKEN_END;
        CHECK(tag || tokens[i].tag == 0);
        th_span span = th_page_token_span(page, i);
        CHECK(span.start == tokens[i].start && span.end == tokens[i + 1].start);
    }
}

/* 2, 3, 4: nodes are in preorder, their ranges nest, their tags are those of their tokens. */
static void check_nodes(const th_page *page, uint32_t max_depth)
{
    uint32_t count = th_page_node_count(page), tokens = th_page_token_count(page);
    const uint16_t *tags = th_page_node_tags(page);
    CHECK(count >= 1 && tags[0] == 0 && th_page_path(page, 0)->tag == 0);
    for (uint32_t n = 0; n < count; n++) {
        const th_node *node = th_page_node(page, n), *parent = th_page_node(page, node->parent);
        CHECK(n < node->end && node->end <= count);
        CHECK(node->path < th_page_path_count(page));
        CHECK(th_page_path(page, node->path)->tag == tags[n]);
        /* what is too deep hangs below the deepest element that is not */
        CHECK(th_page_path(page, node->path)->depth <= max_depth + 1);
        if (n == 0) {
            CHECK(node->parent == 0 && node->end == count && node->token == 0);
            CHECK(node->token_end == tokens);
            continue;
        }
        CHECK(node->parent < n && node->end <= parent->end);
        CHECK(node->token < node->token_end && node->token_end <= parent->token_end);
        CHECK(node->token > parent->token || node->parent == 0);
        CHECK(n == 1 || node->token > th_page_node(page, n - 1)->token);
        CHECK(th_page_tokens(page)[node->token].kind == TH_TOKEN_START);
        CHECK(th_page_tokens(page)[node->token].tag == tags[n]);
        CHECK(th_page_path(page, node->path)->parent == parent->path);
        th_span span = th_page_node_span(page, n);
        CHECK(span.start < span.end && span.end <= th_page_text(page).len);
        CHECK(th_page_node_at(page, span.start) == n);
    }
}

static bool inside(th_str part, th_str whole)
{
    return part.ptr >= whole.ptr && part.len <= whole.len &&
           (size_t)(part.ptr - whole.ptr) <= whole.len - part.len;
}

/* Names and values of attributes lie inside their tag, and the first of a name is the one found. */
static void check_attributes(const th_page *page)
{
    for (uint32_t i = 0; i < th_page_token_count(page); i++) {
        uint8_t kind = th_page_tokens(page)[i].kind;
        if (kind != TH_TOKEN_START && kind != TH_TOKEN_END)
            continue;
        th_str tag = th__token_text(page, i), name = th_token_name(page, i);
        CHECK(name.len > 0 && inside(name, tag));
        if (kind != TH_TOKEN_START)
            continue;
        const char *at = name.ptr + name.len;
        th_attr attr;
        for (th_attr_iter it = th_attrs(page, i); th_attr_next(&it, &attr);) {
            CHECK(attr.name.len > 0 && inside(attr.name, tag) && attr.name.ptr >= at);
            CHECK(!attr.value.ptr || inside(attr.value, tag));
            CHECK(!attr.value.ptr || attr.value.ptr > attr.name.ptr + attr.name.len);
            at = attr.name.ptr + attr.name.len;
        }
        th_str value;
        if (th_attr_get(page, i, "class", &value) && value.ptr)
            CHECK(inside(value, tag));
    }
}

static th_parser *new_parser(uint32_t max_depth)
{
    th_parser_options options;
    th_parser *parser;
    th_parser_options_init(&options);
    options.max_depth = max_depth;
    CHECK(th_parser_new(&options, &parser, NULL) == TH_OK);
    return parser;
}

static th_page *parse(th_parser *parser, const uint8_t *data, size_t size)
{
    th_page *page;
    CHECK(th_parser_parse(parser, (th_str){(const char *)data, size}, NULL, &page, NULL) == TH_OK);
    return page;
}

/* Field by field: nothing is said of the bytes between. */
static void check_same(const th_page *a, const th_page *b)
{
    CHECK(a->token_count == b->token_count && a->node_count == b->node_count);
    CHECK(a->path_count == b->path_count && a->flattened == b->flattened);
    for (uint32_t i = 0; i < a->token_count; i++) {
        const th_token *s = &a->tokens[i], *t = &b->tokens[i];
        CHECK(s->start == t->start && s->tag == t->tag && s->kind == t->kind &&
              s->flags == t->flags);
    }
    for (uint32_t n = 0; n < a->node_count; n++) {
        const th_node *s = th_page_node(a, n), *t = th_page_node(b, n);
        CHECK(s->token == t->token && s->token_end == t->token_end && s->parent == t->parent);
        CHECK(s->end == t->end && s->path == t->path);
    }
}

static void check_page(const th_page *page, uint32_t max_depth)
{
    check_tokens(page);
    check_nodes(page, max_depth);
    check_attributes(page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { DEEP = 512, SHALLOW = 5 };
    th_parser *parser = new_parser(DEEP), *low = new_parser(SHALLOW);
    th_page *page = parse(parser, data, size), *half = parse(parser, data, size / 2);
    th_page *again = parse(parser, data, size), *shallow = parse(low, data, size);
    check_page(page, DEEP);
    check_page(half, DEEP);
    check_page(shallow, SHALLOW);
    check_same(page, again);
    th_page_free(shallow);
    th_page_free(again);
    th_page_free(half);
    th_page_free(page);
    th_parser_free(low);
    th_parser_free(parser);
    return 0;
}
