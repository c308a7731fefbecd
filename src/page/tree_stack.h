/*
 * tree_stack.h: the stack of open elements, which tree.c asks at every tag.
 *
 * It answers every question of the standard in constant time:
 *
 *     open_at[tag]   the newest open element of that tag; each entry knows the one before (`same`)
 *     newest[class]  the newest open element of a barrier class; each entry keeps the values that
 *                    stood before it was pushed, so that a pop restores them
 *
 * "p in button scope" is open_at[p] > newest[SCOPE] and > open_at[button]: no walk, so hostile
 * pages cost the same as others. Index 0 is the document and stands for "none".
 *
 * What every tag of a page goes through is in this header, to be inlined. The names are short
 * since tree.c and tree_stack.c alone include it.
 *
 * Cost: each entry is pushed and popped once; the walks over dead entries in `linked_same` and
 * th__tree_adopt pass each entry once as well.
 */
#ifndef TH_TREE_STACK_H
#define TH_TREE_STACK_H

#include <string.h>

#include "page/tags.h"
#include "page/tree.h"
#include "page/tree_paths.h"

enum barrier {
    SCOPE,     /* what an end tag cannot reach through */
    SPECIAL,   /* what the end tag of an ordinary element cannot reach through */
    LIST_STOP, /* special but for address, div and p: where the search for an open li ends */
    MARKER,    /* where the search for an open formatting element ends */
    BARRIERS
};

struct entry {
    uint32_t node;
    uint32_t same;         /* the entry below with the same tag, or 0 */
    uint32_t next_special; /* of a special entry: the next special one above it, or 0 */
    uint32_t closed_below; /* of a special entry: from here to itself all others are closed */
    uint16_t tag;
    bool closed;               /* its end is known already: closed by the adoption agency */
    bool unlinked;             /* off the stack for the standard: open_at passes it */
    bool foreign;              /* of svg or math, and no place for HTML */
    uint32_t before[BARRIERS]; /* `newest` before it was pushed */
};

/* At the depth limit elements are not pushed; their end tags must not close others. A count is
 * valid for the epoch it was made in: a pop begins a new one. */
struct overflow {
    uint32_t epoch, count;
};

#define FORM_ELSEWHERE UINT32_MAX
enum { TAG_IDS = 65536 };

struct th__tree {
    struct entry *stack; /* max_depth + 1 entries, [0] the document */
    uint32_t top;        /* the current element */
    uint32_t max_depth;
    uint32_t newest[BARRIERS];
    uint32_t *open_at;         /* by tag id: tag_ids of them */
    uint32_t tag_ids;          /* standard ones, from the first page on that has others all */
    struct overflow *overflow; /* by tag id, made when first needed */
    uint32_t epoch;

    th_page *page;
    uint32_t token; /* the one being looked at */
    bool html_seen, head_seen, head_closed, body_started, foreign_seen, quirks, failed;
    uint32_t form; /* entry of the open form, or 0; FORM_ELSEWHERE for one that holds nothing */

    th__paths paths;
};

/* Counts an element that the depth limit keeps off the stack: what it holds becomes its sibling. */
void th__tree_count_overflow(th__tree *t, uint16_t tag);
/* Swallows the end tag of such an element; asked when the stack is full. */
bool th__tree_ends_overflow(th__tree *t, uint16_t tag);
/* Ends the formatting element `entry`, and lets what stands in it and goes on leave it. */
void th__tree_adopt(th__tree *t, uint32_t entry);

static inline uint32_t max2(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline bool is_full(const th__tree *t)
{
    return t->top + 1 >= t->max_depth;
}

static inline uint32_t newest_of(const th__tree *t, const uint16_t *tags, size_t count)
{
    uint32_t newest = 0;
    for (size_t i = 0; i < count; i++)
        newest = max2(newest, t->open_at[tags[i]]);
    return newest;
}

#define NEWEST_OF(t, ...)                                                                          \
    newest_of(t, (const uint16_t[]){__VA_ARGS__},                                                  \
              sizeof(uint16_t[]){__VA_ARGS__} / sizeof(uint16_t))

/* The next entry below with the same tag that is still linked. What was passed over once is not
 * met again. */
static inline uint32_t linked_same(th__tree *t, uint32_t entry)
{
    uint32_t same = t->stack[entry].same;
    while (same && t->stack[same].unlinked)
        same = t->stack[same].same;
    t->stack[entry].same = same;
    return same;
}

/* Takes an entry out of open_at; its place on the stack stays. */
static inline void unlink_entry(th__tree *t, uint32_t entry)
{
    struct entry *e = &t->stack[entry];
    if (t->open_at[e->tag] == entry)
        t->open_at[e->tag] = linked_same(t, entry);
    e->unlinked = true;
}

static inline void set_end(th__tree *t, const struct entry *e, uint32_t node_end,
                           uint32_t token_end)
{
    th_node *node = &t->page->nodes[e->node];
    node->end = node_end;
    node->token_end = token_end;
}

static inline void pop_one(th__tree *t, uint32_t token_end)
{
    struct entry *e = &t->stack[t->top];
    if (!e->closed)
        set_end(t, e, t->page->node_count, token_end);
    if (!e->unlinked)
        unlink_entry(t, t->top);
    if (t->newest[SPECIAL] == t->top)
        t->stack[e->before[SPECIAL]].next_special = 0;
    memcpy(t->newest, e->before, sizeof t->newest);
    t->top--;
}

/* Closes the current element, and those below it that an end tag had taken off the stack already.
 */
static inline void pop(th__tree *t, uint32_t token_end)
{
    do
        pop_one(t, token_end);
    while (t->stack[t->top].unlinked);
    t->epoch++;
}

/* Closes everything above `entry`, before the current token. */
static inline void pop_above(th__tree *t, uint32_t entry)
{
    while (t->top > entry)
        pop(t, t->token);
}

/* Closes `entry` and all above it. Past its end tag when the current token is that. */
static inline void pop_to(th__tree *t, uint32_t entry, bool at_end_tag)
{
    pop_above(t, entry);
    pop(t, t->token + at_end_tag);
}

/* Makes the current token a node under the current element. */
static inline uint32_t add_node(th__tree *t, uint16_t tag)
{
    th_page *page = t->page;
    uint32_t node = page->node_count++;
    th_node *made = &page->nodes[node];
    made->token = t->token;
    made->token_end = t->token + 1;
    made->parent = t->stack[t->top].node;
    made->end = node + 1; /* its path is found at the end: an adoption may change it */
    page->tags[node] = tag;
    return node;
}

static inline void push(th__tree *t, uint16_t tag, uint32_t flags, bool foreign)
{
    uint32_t node = add_node(t, tag);
    if (is_full(t)) {
        th__tree_count_overflow(t, tag);
        return;
    }
    uint32_t top = ++t->top;
    struct entry *e = &t->stack[top];
    e->node = node;
    e->same = t->open_at[tag];
    e->next_special = 0;
    e->tag = tag;
    e->closed = e->unlinked = false;
    e->foreign = foreign;
    memcpy(e->before, t->newest, sizeof e->before);
    t->open_at[tag] = top;
    if (flags & TH_TAG_IS_SPECIAL) {
        t->stack[t->newest[SPECIAL]].next_special = top;
        t->newest[SPECIAL] = top;
        e->closed_below = top;
        if (tag != TH_TAG_ADDRESS && tag != TH_TAG_DIV && tag != TH_TAG_P)
            t->newest[LIST_STOP] = top;
        if (flags & TH_TAG_IS_SCOPE)
            t->newest[SCOPE] = top;
        if (flags & TH_TAG_IS_MARKER)
            t->newest[MARKER] = top;
    }
}

#endif
