/* leaves.c: one pass over the tokens, in step with the nodes. */
#include "seq/leaves.h"

#include "base/str.h"
#include "page/tags.h"
#include "page/text.h"

/* Letters and digits of a text token: how many bytes are not blank, and a hash of what a reader would
 * compare. False when there is nothing to read. */
static bool measure(th_str text, uint64_t *hash, uint32_t *len)
{
    bool readable = false;
    uint64_t word = 0;
    unsigned filled = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (th__is_blank(c))
            continue;
        ++*len;
        readable |= th__is_alpha(c) || th__is_digit(c) || c >= 0x80;
        word = word << 8 | c;
        if (++filled == 8) {
            *hash = th__hash_mix(*hash, word);
            filled = 0;
            word = 0;
        }
    }
    if (filled)
        *hash = th__hash_mix(*hash, word);
    return readable;
}

struct finder {
    const th_page *page;
    th__leaf *leaves;
    uint32_t count;
    uint32_t node;      /* the innermost element open at the current token */
    uint32_t next;      /* the next node in preorder */
    bool open;          /* the last leaf may go on: nothing but inline tags since */
    bool readable;      /* the last leaf has a letter or digit */
};

/* Text joins the open leaf, or begins another. */
static void add_text(struct finder *f, uint32_t token)
{
    const uint16_t *tags = f->page->tags;
    uint32_t node = f->node;
    while (node && (th__tag_flags(tags[node]) & TH_TAG_IS_INLINE))
        node = f->page->nodes[node].parent;
    if (!f->open || f->leaves[f->count - 1].node != node) {
        if (f->count && !f->readable)
            f->count--; /* nothing but signs: no value */
        f->leaves[f->count++] = (th__leaf){.node = node, .token = token};
        f->readable = false;
    }
    th__leaf *leaf = &f->leaves[f->count - 1];
    leaf->token_end = token + 1;
    f->readable |= measure(th__token_text(f->page, token), &leaf->hash, &leaf->len);
    f->open = true;
}

/* Steps out of the elements that end before a token, and into the one that begins at it. */
static void follow(struct finder *f, uint32_t token)
{
    const th_node *nodes = f->page->nodes;
    while (f->node && nodes[f->node].token_end <= token)
        f->node = nodes[f->node].parent;
    if (f->next < f->page->node_count && nodes[f->next].token == token)
        f->node = f->next++;
}

static uint32_t count_texts(const th_page *page)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < page->token_count; i++)
        count += page->tokens[i].kind == TH_TOKEN_TEXT && !(page->tokens[i].flags & TH_TOKEN_BLANK);
    return count;
}

static void mark_links(const th_page *page, th__leaf *leaves, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        /* A link stands close above its text; a longer way up is not worth the walk. */
        enum { CLOSE = 8 };
        uint32_t node = leaves[i].node;
        for (int up = 0; up < CLOSE && node && !leaves[i].linked; up++) {
            leaves[i].linked = page->tags[node] == TH_TAG_A;
            node = page->nodes[node].parent;
        }
    }
}

bool th__leaves_find(th__arena *arena, const th_page *page, th__leaves *out)
{
    uint32_t texts = count_texts(page);
    struct finder f = {.page = page, .next = 1};
    f.leaves = th__arena_alloc(arena, ((size_t)texts + 1) * sizeof *f.leaves);
    uint32_t *before = th__arena_alloc(arena, ((size_t)page->token_count + 1) * sizeof *before);
    if (!f.leaves || !before)
        return false;
    uint32_t hidden = 0; /* tokens before this one are hidden */
    for (uint32_t token = 0; token < page->token_count; token++) {
        const th_token *t = &page->tokens[token];
        follow(&f, token);
        if (t->kind == TH_TOKEN_START || t->kind == TH_TOKEN_END) {
            if (!(th__tag_flags(t->tag) & TH_TAG_IS_INLINE))
                f.open = false;
            if (t->kind == TH_TOKEN_START && token >= hidden)
                hidden = th__hidden_end(page, token);
        } else if (t->kind == TH_TOKEN_TEXT && !(t->flags & TH_TOKEN_BLANK) && token >= hidden) {
            add_text(&f, token);
        }
    }
    if (f.count && !f.readable)
        f.count--;
    mark_links(page, f.leaves, f.count);
    for (uint32_t token = 0, leaf = 0; token <= page->token_count; token++) {
        while (leaf < f.count && f.leaves[leaf].token < token)
            leaf++;
        before[token] = leaf;
    }
    *out = (th__leaves){f.leaves, f.count, before};
    return true;
}
