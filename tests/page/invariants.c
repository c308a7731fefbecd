/* invariants.c: what page/page.h promises of every page, checked. */
#include "invariants.h"

#include "page/page.h"
#include "page/tags.h"

#define HOLDS(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return "does not hold: " #condition;                                                   \
    } while (0)

/* 1: tokens tile the text. */
const char *token_flaw(const th_token *tokens, uint32_t count, size_t text_len)
{
    HOLDS(tokens[count].start == text_len);
    HOLDS(count == 0 || tokens[0].start == 0);
    for (uint32_t i = 0; i < count; i++) {
        const th_token *token = &tokens[i];
        bool start = token->kind == TH_TOKEN_START, tag = start || token->kind == TH_TOKEN_END;
        HOLDS(token->start < token[1].start);
        HOLDS(token->kind <= TH_TOKEN_DROPPED);
        HOLDS(tag == (token->tag != 0));
        HOLDS(start ||
              !(token->flags & (TH_TOKEN_SELF_CLOSING | TH_TOKEN_LEAF | TH_TOKEN_HAS_ATTRS)));
        HOLDS(tag || !(token->flags & TH_TOKEN_FOREIGN));
        HOLDS(token->kind == TH_TOKEN_TEXT || !(token->flags & TH_TOKEN_BLANK));
        HOLDS(i == 0 || token->kind != TH_TOKEN_TEXT || token[-1].kind != TH_TOKEN_TEXT);
    }
    return NULL;
}

static bool inside(th_str part, th_str whole)
{
    return part.ptr >= whole.ptr && part.ptr + part.len <= whole.ptr + whole.len;
}

/* Names and values of attributes lie inside their tag, in order. */
static const char *attribute_flaw(const th_page *page, uint32_t token)
{
    th_str tag = th__token_text(page, token), name = th_token_name(page, token);
    HOLDS(name.len > 0 && inside(name, tag));
    HOLDS(th_tag_id(name) == page->tokens[token].tag);
    const char *at = name.ptr + name.len;
    bool some = false;
    th_attr attr;
    for (th_attr_iter it = th_attrs(page, token); th_attr_next(&it, &attr); some = true) {
        HOLDS(attr.name.len > 0 && inside(attr.name, tag) && attr.name.ptr > at);
        at = attr.name.ptr + attr.name.len;
        if (attr.value.ptr) {
            HOLDS(inside(attr.value, tag) && attr.value.ptr > at);
            at = attr.value.ptr + attr.value.len - (attr.value.len > 0);
        }
    }
    HOLDS(!some || page->tokens[token].kind == TH_TOKEN_END ||
          (page->tokens[token].flags & TH_TOKEN_HAS_ATTRS));
    return NULL;
}

/* 2, 3, 4: nodes are in preorder, their ranges nest, their tags are those of their tokens. */
static const char *node_flaw(const th_page *page, uint32_t n, uint32_t max_depth)
{
    const th_node *node = &page->nodes[n], *parent = &page->nodes[node->parent];
    const th_path *path = th_page_path(page, node->path);
    HOLDS(n < node->end && node->end <= parent->end);
    HOLDS(node->path < page->path_count && path->tag == page->tags[n]);
    HOLDS(path->depth <= max_depth);
    if (n == 0) {
        HOLDS(node->parent == 0 && node->end == page->node_count && node->token == 0);
        HOLDS(node->token_end == page->token_count && page->tags[0] == 0 && path->depth == 0);
        return NULL;
    }
    HOLDS(node->parent < n && path->depth == page->paths[parent->path].depth + 1);
    HOLDS(path->parent == parent->path);
    HOLDS(node->token < node->token_end && node->token_end <= parent->token_end);
    HOLDS(n == 1 || node->token > page->nodes[n - 1].token);
    HOLDS(page->tokens[node->token].kind == TH_TOKEN_START);
    HOLDS(page->tokens[node->token].tag == page->tags[n]);
    HOLDS(node->end == page->node_count ||
          page->nodes[node->end].token >= node->token_end); /* later nodes begin after it */
    HOLDS(node->end == n + 1 || page->nodes[node->end - 1].token < node->token_end);
    HOLDS(th_page_node_at(page, page->tokens[node->token].start) == n);
    return NULL;
}

const char *page_flaw(const th_page *page, uint32_t max_depth)
{
    const char *flaw = token_flaw(page->tokens, page->token_count, page->text.len);
    uint32_t starts = 0;
    for (uint32_t i = 0; i < page->token_count && !flaw; i++) {
        starts += page->tokens[i].kind == TH_TOKEN_START;
        if (page->tokens[i].tag)
            flaw = attribute_flaw(page, i);
    }
    if (flaw)
        return flaw;
    HOLDS(page->node_count == starts + 1); /* every start tag is a node */
    for (uint32_t n = 0; n < page->node_count && !flaw; n++)
        flaw = node_flaw(page, n, max_depth);
    return flaw;
}
