/* leaves.c: three passes over the nodes and one over the tokens. */
#include "index/leaves.h"

#include <string.h>

#include "base/str.h"
#include "page/signs.h"
#include "page/tags.h"
#include "page/text.h"

/* What the passes find out about a node. */
enum {
    HAS_TEXT = 1,    /* text that is not blank is directly in it */
    HAS_BLOCK = 2,   /* something that is not phrasing is in it */
    LINKED = 4,      /* it is a link, or inside one */
    HAS_ELEMENT = 8, /* an element other than a line break is in it */
    HAS_BREAK = 16   /* a line break is in it */
};

struct leaf_finder {
    const th_page *page;
    uint8_t *marks;   /* by node */
    uint32_t *holder; /* by node: the element whose text its text is */
    th__leaf *leaves;
    uint32_t count;
    uint32_t token, token_end; /* what is looked at: tokens, */
    uint32_t first, last;      /* and the nodes that begin there, first <= n < last */
    bool plain;                /* leaves of a single text are not measured */
    uint32_t node;             /* the innermost element open at the current token */
    uint32_t next;             /* the next node in preorder */
    uint32_t hidden;           /* tokens before this one are hidden */
    bool open;                 /* the last leaf may go on: nothing but phrasing since */
    bool readable;             /* the last leaf has a letter or digit */
};

uint32_t th__leaf_block(const th_page *page, uint32_t node)
{
    while (node && th__tag_is_phrasing(page->tags[node]))
        node = page->nodes[node].parent;
    return node;
}

/* Steps out of the elements that end before a token, and into the one that begins at it. */
static void follow(struct leaf_finder *f, uint32_t token)
{
    const th_node *nodes = f->page->nodes;
    while (f->node && nodes[f->node].token_end <= token)
        f->node = nodes[f->node].parent;
    if (f->next < f->page->node_count && nodes[f->next].token == token)
        f->node = f->next++;
}

/* Goes to the first token that is looked at. */
static void begin(struct leaf_finder *f)
{
    f->next = f->first;
    f->node = f->first - 1;
    while (f->node && f->page->nodes[f->node].token_end <= f->token)
        f->node = f->page->nodes[f->node].parent;
}

/* Marks the nodes that have text of their own; returns how many such texts there are. */
static uint32_t mark_texts(struct leaf_finder *f)
{
    uint32_t count = 0;
    begin(f);
    for (uint32_t token = f->token; token < f->token_end; token++) {
        if (!th__is_body_text(&f->page->tokens[token]))
            continue;
        while (f->next < f->page->node_count && f->page->nodes[f->next].token < token)
            f->node = f->next++;
        follow(f, token);
        f->marks[f->node] |= HAS_TEXT;
        count++;
    }
    return count;
}

/* Returns true if a line break is in phrasing of nothing but text, such as an address in a
 * span: that is one value on several lines. */
static bool is_soft_break(const struct leaf_finder *f, uint32_t node)
{
    const th_page *page = f->page;
    uint32_t parent = page->nodes[node].parent;
    return page->tags[node] == TH_TAG_BR && th__tag_is_phrasing(page->tags[parent]) &&
           !(f->marks[parent] & HAS_ELEMENT);
}

static void find_holders(struct leaf_finder *f)
{
    const th_page *page = f->page;
    for (uint32_t n = f->last - 1; n >= f->first; n--) {
        bool phrasing = th__tag_is_phrasing(page->tags[n]);
        /* All that is in it is known; a break is soft in phrasing without elements. */
        if ((f->marks[n] & HAS_BREAK) && (!phrasing || (f->marks[n] & HAS_ELEMENT)))
            f->marks[n] |= HAS_BLOCK;
        f->marks[page->nodes[n].parent] |= page->tags[n] == TH_TAG_BR ? HAS_BREAK
                                           : !phrasing || (f->marks[n] & HAS_BLOCK)
                                               ? HAS_ELEMENT | HAS_BLOCK
                                               : HAS_ELEMENT;
    }
    begin(f);
    for (uint32_t n = f->node; n; n = page->nodes[n].parent)
        f->holder[n] = n;
    f->holder[0] = 0;
    for (uint32_t n = f->first; n < f->last; n++) {
        uint32_t parent = page->nodes[n].parent;
        bool flows = th__tag_is_phrasing(page->tags[n]) && !(f->marks[n] & HAS_BLOCK);
        bool among_text = (f->marks[parent] & HAS_TEXT) || f->holder[parent] != parent ||
                          (th__tag_flags(page->tags[n]) & TH_TAG_IS_INLINE);
        f->holder[n] = flows && among_text ? f->holder[parent] : n;
        if (page->tags[n] == TH_TAG_A || (f->marks[parent] & LINKED))
            f->marks[n] |= LINKED;
    }
}

/* Returns true if signs are a value: "-", "$$" or "***", not "|", ":", an arrow or a drawn line. */
static bool are_value(th_str text)
{
    uint32_t dashes = 0, others = 0;
    for (size_t at = 0; at < text.len;) {
        uint32_t code;
        at += th__char_next(text, at, &code);
        dashes += code == '-' || (code >= 0x2010 && code <= 0x2015);
        others += code == '$' || code == '*' || code == '+' || code == '?' ||
                  (code >= 0x20A0 && code < 0x20D0);
    }
    return others || dashes == 1 || dashes == 2;
}

/* Takes out the last leaf when it is nothing but signs, unless it is a value and alone in a cell
 * of a table. `token` is the next text. */
static void drop_signs(struct leaf_finder *f, uint32_t token)
{
    const th_page *page = f->page;
    if (!f->count || f->readable)
        return;
    const th__leaf *leaf = &f->leaves[f->count - 1];
    uint32_t cell = th__leaf_block(page, leaf->node);
    bool alone = (page->tags[cell] == TH_TAG_TD || page->tags[cell] == TH_TAG_TH) &&
                 page->nodes[cell].token_end <= token &&
                 (f->count < 2 || leaf[-1].token < page->nodes[cell].token);
    if (!alone || !are_value(th__page_slice(page, page->tokens[leaf->token].start,
                                            page->tokens[leaf->token_end].start)))
        f->count--;
}

th__leaf th__leaf_measured(const th_page *page, const th__leaf *leaf)
{
    th__leaf measured = *leaf;
    uint32_t len = 0;
    if (leaf->len || leaf->token_end > leaf->token + 1)
        return measured;
    th__text_measure(th__token_text(page, leaf->token), &measured.hash, &len);
    measured.len = len;
    return measured;
}

/* Returns true if a text begins with a letter or digit, blanks aside. */
static bool begins_readable(th_str text)
{
    size_t at = 0;
    while (at < text.len && th__is_blank((unsigned char)text.ptr[at]))
        at++;
    return at < text.len &&
           (th__is_alpha((unsigned char)text.ptr[at]) || th__is_digit((unsigned char)text.ptr[at]));
}

/* Text joins the open leaf, or begins another. */
static void add_text(struct leaf_finder *f, uint32_t token)
{
    uint32_t node = f->holder[f->node];
    if (!f->open || f->leaves[f->count - 1].node != node) {
        drop_signs(f, token);
        f->leaves[f->count++] =
            (th__leaf){.node = node, .token = token, .linked = !!(f->marks[f->node] & LINKED)};
        f->readable = false;
    }
    th__leaf *leaf = &f->leaves[f->count - 1];
    th_str text = th__token_text(f->page, token);
    f->open = true;
    if (f->plain && leaf->token == token && begins_readable(text)) {
        f->readable = true;
    } else {
        if (leaf->token != token)
            *leaf = th__leaf_measured(f->page, leaf);
        uint32_t len = leaf->len;
        f->readable |= th__text_measure(text, &leaf->hash, &len);
        leaf->len = len;
    }
    leaf->token_end = token + 1;
}

static void add_tag(struct leaf_finder *f, uint32_t token)
{
    const th_page *page = f->page;
    const th_token *t = &page->tokens[token];
    if (!th__tag_is_phrasing(t->tag) && !(t->tag == TH_TAG_BR && is_soft_break(f, f->node)))
        f->open = false;
    if (t->kind != TH_TOKEN_START || token < f->hidden)
        return;
    if (t->flags & TH_TOKEN_FOREIGN)
        f->hidden = page->nodes[f->node].token_end;
    else if (th__tag_hides(t->tag))
        f->hidden = th__hidden_end(page, token);
}

static void find_leaves(struct leaf_finder *f)
{
    begin(f);
    for (uint32_t token = f->token; token < f->token_end; token++) {
        const th_token *t = &f->page->tokens[token];
        if (t->kind == TH_TOKEN_START || t->kind == TH_TOKEN_END) {
            follow(f, token);
            add_tag(f, token);
        } else if (th__is_body_text(t) && token >= f->hidden) {
            follow(f, token);
            add_text(f, token);
        }
    }
    drop_signs(f, f->token_end);
}

static bool find(struct leaf_finder *f, th__arena *arena)
{
    const th_page *page = f->page;
    f->marks = th__arena_zero(arena, page->node_count, sizeof *f->marks);
    f->holder = th__arena_alloc(arena, page->node_count * sizeof *f->holder);
    if (!f->marks || !f->holder)
        return false;
    uint32_t texts = mark_texts(f);
    find_holders(f);
    f->leaves = th__arena_alloc(arena, ((size_t)texts + 1) * sizeof *f->leaves);
    if (f->leaves)
        find_leaves(f);
    return f->leaves;
}

bool th__leaves_find(th__arena *arena, const th_page *page, bool plain, th__leaves *out)
{
    struct leaf_finder f = {.page = page,
                            .token_end = page->token_count,
                            .first = 1,
                            .last = page->node_count,
                            .plain = plain};
    uint32_t *before = th__arena_alloc(arena, ((size_t)page->token_count + 1) * sizeof *before);
    if (!before || !find(&f, arena))
        return false;
    for (uint32_t token = 0, leaf = 0; token <= page->token_count; token++) {
        while (leaf < f.count && f.leaves[leaf].token < token)
            leaf++;
        before[token] = leaf;
    }
    *out = (th__leaves){f.leaves, f.count, before};
    return true;
}

bool th__leaves_within(th__arena *arena, const th_page *page, th_span part, th__leaves *out)
{
    struct leaf_finder f = {.page = page, .plain = true};
    if (part.start < page->text.len)
        f.token = th__token_at(page, part.start);
    f.token_end = part.end < page->text.len ? th__token_at(page, part.end) + 1 : page->token_count;
    f.first = th__page_node_from(page, f.token);
    f.last = th__page_node_from(page, f.token_end);
    if (!find(&f, arena))
        return false;
    *out = (th__leaves){.data = f.leaves, .count = f.count};
    return true;
}
