/* leaves.c: one pass over the tokens and nodes, and one over the texts. */
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

/* What is between a text and the one before it. */
enum {
    BLOCK_BEFORE = 1, /* a tag that is not phrasing */
    BREAK_BEFORE = 2  /* a line break */
};

struct leaf_finder {
    const th_page *page;
    uint8_t *marks; /* by node */
    th__leaf *leaves;
    uint32_t count;
    uint32_t token, token_end; /* what is looked at: tokens, */
    uint32_t first, last;      /* and the nodes that begin there, first <= n < last */
    bool plain;                /* leaves of a single text are not measured */
    uint32_t node;             /* the innermost element open at the current token */
    uint32_t next;             /* the next node in preorder */
    bool readable;             /* the last leaf has a letter or digit */
};

uint32_t th__leaf_block(const th_page *page, uint32_t node)
{
    while (node && th__tag_is_phrasing(page->tags[node]))
        node = page->nodes[node].parent;
    return node;
}

/* Goes to the first token that is looked at. */
static void begin(struct leaf_finder *f)
{
    const th_page *page = f->page;
    f->next = f->first;
    f->node = f->first - 1;
    while (f->node && page->nodes[f->node].token_end <= f->token)
        f->node = page->nodes[f->node].parent;
    for (uint32_t n = f->node; n && !(f->marks[f->node] & LINKED); n = page->nodes[n].parent)
        f->marks[f->node] |= page->tags[n] == TH_TAG_A ? LINKED : 0;
}

/* Says of the elements around a node what is in them. A break is soft in phrasing without elements;
 * what flows with something in it that does not is itself such a thing to those around it. */
static inline void mark_around(struct leaf_finder *f, uint32_t node, uint16_t tag)
{
    const th_page *page = f->page;
    uint32_t parent = page->nodes[node].parent;
    uint8_t add = tag == TH_TAG_BR           ? HAS_BREAK
                  : th__tag_is_phrasing(tag) ? HAS_ELEMENT
                                             : HAS_ELEMENT | HAS_BLOCK;
    for (;;) {
        uint8_t before = f->marks[parent], after = before | add;
        if ((after & HAS_BREAK) && (after & HAS_ELEMENT))
            after |= HAS_BLOCK;
        f->marks[parent] = after;
        if (!(after & ~before & HAS_BLOCK) || parent < f->first ||
            !th__tag_is_phrasing(page->tags[parent]))
            return;
        parent = page->nodes[parent].parent;
        add = HAS_ELEMENT | HAS_BLOCK;
    }
}

/* Goes over the nodes that begin before a token. */
static inline void pass_nodes(struct leaf_finder *f, uint32_t token)
{
    const th_page *page = f->page;
    uint32_t n = f->next;
    for (; n < f->last && page->nodes[n].token < token; n++) {
        uint16_t tag = page->tags[n];
        f->marks[n] |= tag == TH_TAG_A ? LINKED : f->marks[page->nodes[n].parent] & LINKED;
        mark_around(f, n, tag);
    }
    if (n > f->next)
        f->node = n - 1;
    f->next = n;
}

/* Steps out of the elements that end before a token, and into the one that begins at it. */
static inline void follow(struct leaf_finder *f, uint32_t token)
{
    const th_node *nodes = f->page->nodes;
    pass_nodes(f, token + 1);
    while (f->node && nodes[f->node].token_end <= token)
        f->node = nodes[f->node].parent;
}

/* One past the last token that a start tag hides, or 0. */
static uint32_t hidden_by(struct leaf_finder *f, uint32_t token)
{
    if (!(f->page->tokens[token].flags & TH_TOKEN_FOREIGN))
        return th__hidden_end(f->page, token);
    follow(f, token);
    return f->page->nodes[f->node].token_end;
}

/* Marks the nodes. Notes the texts that are shown as leaves: the innermost element, and as
 * `token_end` what is before; returns how many there are. */
static uint32_t note_texts(struct leaf_finder *f)
{
    uint32_t count = f->count, before = BLOCK_BEFORE, hidden = 0;
    begin(f);
    for (uint32_t token = f->token; token < f->token_end; token++) {
        const th_token *t = &f->page->tokens[token];
        if (t->kind == TH_TOKEN_START || t->kind == TH_TOKEN_END) {
            uint32_t flags = th__tag_flags(t->tag);
            if ((flags & TH_TAG_IS_BLOCK) && t->tag != TH_TAG_IMG)
                before |= t->tag == TH_TAG_BR ? BREAK_BEFORE : BLOCK_BEFORE;
            if (t->kind == TH_TOKEN_START && token >= hidden &&
                ((t->flags & TH_TOKEN_FOREIGN) || th__tag_hides(t->tag)))
                hidden = hidden_by(f, token);
        } else if (th__is_body_text(t)) {
            follow(f, token);
            f->marks[f->node] |= HAS_TEXT;
            if (token < hidden)
                continue;
            f->leaves[count++] = (th__leaf){.node = f->node, .token = token, .token_end = before};
            before = 0;
        }
    }
    pass_nodes(f, f->token_end);
    return count - f->count;
}

/* The element whose text the text in a node is. Phrasing among text, or of a kind that is never a
 * leaf, is part of its parent, and so is all phrasing in it. */
static uint32_t holder_of(const struct leaf_finder *f, uint32_t node)
{
    const th_page *page = f->page;
    uint32_t holder = node;
    for (uint32_t n = node, parent; n >= f->first; n = parent) {
        uint32_t flags = th__tag_flags(page->tags[n]);
        if (!th__tag_is_phrasing(page->tags[n]) || (f->marks[n] & HAS_BLOCK))
            break;
        parent = page->nodes[n].parent;
        if ((f->marks[parent] & HAS_TEXT) || (flags & TH_TAG_IS_INLINE))
            holder = parent;
    }
    return holder;
}

/* Returns true if all line breaks between two texts are in phrasing of nothing but text, such as an
 * address in a span: that is one value on several lines. */
static bool are_soft_breaks(const struct leaf_finder *f, uint32_t token, uint32_t end)
{
    const th_page *page = f->page;
    for (; token < end; token++) {
        if (page->tokens[token].tag != TH_TAG_BR)
            continue;
        uint32_t node = th__page_node_until(page, token), parent = page->nodes[node].parent;
        if (page->nodes[node].token != token || page->tags[node] != TH_TAG_BR ||
            !th__tag_is_phrasing(page->tags[parent]) || (f->marks[parent] & HAS_ELEMENT))
            return false;
    }
    return true;
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

/* A text joins the last leaf where nothing but phrasing is between, or begins another. */
static void add_text(struct leaf_finder *f, const th__leaf *note)
{
    uint32_t token = note->token, node = holder_of(f, note->node);
    th__leaf *leaf = f->leaves + f->count - !!f->count;
    bool joins = !(note->token_end & BLOCK_BEFORE) && leaf->node == node &&
                 (!(note->token_end & BREAK_BEFORE) || are_soft_breaks(f, leaf->token_end, token));
    if (!joins) {
        drop_signs(f, token);
        leaf = &f->leaves[f->count++];
        *leaf =
            (th__leaf){.node = node, .token = token, .linked = !!(f->marks[note->node] & LINKED)};
        f->readable = false;
    }
    th_str text = th__token_text(f->page, token);
    if (f->plain && !joins) {
        f->readable = begins_readable(text) || th__text_is_readable(text);
    } else {
        if (joins)
            *leaf = th__leaf_measured(f->page, leaf);
        uint32_t len = leaf->len;
        f->readable |= th__text_measure(text, &leaf->hash, &len);
        leaf->len = len;
    }
    leaf->token_end = token + 1;
}

/* How many texts a part of the page has at most. */
static uint32_t count_texts(const th_page *page, uint32_t token, uint32_t token_end)
{
    uint32_t texts = 0;
    for (; token < token_end; token++)
        texts += th__is_body_text(&page->tokens[token]);
    return texts;
}

static bool make_room(struct leaf_finder *f, th__arena *arena, size_t texts)
{
    f->marks = th__arena_zero(arena, f->page->node_count, sizeof *f->marks);
    f->leaves = th__arena_alloc(arena, (texts + 1) * sizeof *f->leaves);
    return f->marks && f->leaves;
}

/* Appends the leaves of what is looked at. */
static void find(struct leaf_finder *f)
{
    uint32_t from = f->count, texts = note_texts(f);
    for (uint32_t i = from; i < from + texts; i++) {
        th__leaf note = f->leaves[i]; /* which a leaf may take the place of */
        add_text(f, &note);
    }
    drop_signs(f, f->token_end);
    f->readable = true;
}

/* Looks at an element, or at the whole page. */
static void look_at(struct leaf_finder *f, uint32_t top)
{
    const th_page *page = f->page;
    f->token = top ? page->nodes[top].token : 0;
    f->token_end = top ? page->nodes[top].token_end : page->token_count;
    f->first = top ? top : 1;
    f->last = top ? page->nodes[top].end : page->node_count;
}

bool th__leaves_find(th__arena *arena, const th_page *page, th__tops tops, bool plain,
                     th__leaves *out)
{
    struct leaf_finder f = {.page = page, .plain = plain};
    uint32_t *before = th__arena_alloc(arena, ((size_t)page->token_count + 1) * sizeof *before);
    size_t texts = 0;
    for (size_t i = 0; i < tops.count; i++) {
        look_at(&f, tops.nodes[i]);
        texts += count_texts(page, f.token, f.token_end);
    }
    if (!before || !make_room(&f, arena, texts))
        return false;
    for (size_t i = 0; i < tops.count; i++) {
        look_at(&f, tops.nodes[i]);
        find(&f);
    }
    for (uint32_t token = 0, leaf = 0; token <= page->token_count; leaf++) {
        uint32_t end = leaf < f.count ? f.leaves[leaf].token : page->token_count;
        while (token <= end)
            before[token++] = leaf;
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
    if (!make_room(&f, arena, count_texts(page, f.token, f.token_end)))
        return false;
    find(&f);
    *out = (th__leaves){.data = f.leaves, .count = f.count};
    return true;
}
