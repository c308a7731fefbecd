/*
 * page.h: what a page is made of. Engines read these arrays directly; others use thresh.h.
 *
 *     text    <ul><li>One<li>Two</ul>
 *     tokens  0:<ul> 1:<li> 2:One 3:<li> 4:Two 5:</ul>    (6 starts at the end of the text)
 *     nodes   0:document 1:ul 2:li 3:li
 *
 * Invariants
 *  1. tokens[0].start == 0, starts rise strictly, tokens[token_count].start == text.len.
 *  2. Nodes are in preorder: nodes[n].token rises strictly from node 1 on; parent < n; n < end.
 *  3. Token ranges nest as nodes do: a child's [token, token_end) lies inside its parent's.
 *  4. tags[n] is the tag of node n; tags[0] and paths[0].tag are 0.
 *  5. Nothing changes after th_parser_parse.
 */
#ifndef TH_PAGE_H
#define TH_PAGE_H

#include <thresh.h>

#include "base/arena.h"

/* What is made of a page once for all who look at it, one thing in each slot: released with the
 * page. */
typedef enum th__kept_slot {
    TH__KEPT_VIEW,  /* see th__view_make */
    TH__KEPT_UNITS, /* see th__units_find */
    TH__KEPT_MAP,   /* see th__stalker_page_map */
    TH__KEPT_PARTS, /* the same, texts parted at signs */
    TH__KEPT_SEQ,   /* see th__stalker_page_seq */
    TH__KEPT_SLOTS
} th__kept_slot;

typedef struct th__page_kept {
    th__arena arena;
    void *thing;
} th__page_kept;

struct th_page {
    th__arena arena; /* everything but borrowed text */
    th_str text;     /* UTF-8; borrowed from the caller unless it was converted */
    th_str url;
    th_str base; /* what relative links refer to: the first <base href>, or absent; see url.h */
    const char *encoding, *encoding_reason;

    th_token *tokens;
    th_node *nodes;
    uint16_t *tags;
    th_path *paths;
    uint32_t token_count, node_count, path_count;
    uint32_t flattened; /* elements deeper than max_depth */
    /* Of a page that was made of the data of another: where in that its text comes from, in the
     * order of the text; see data_page.h. NULL: an ordinary page. */
    const struct th__source_point *points;
    uint32_t point_count;
    /* Of a page that owns its bytes: how many have it, since a copy of it is the same page. 0: it
     * borrows them. */
    _Atomic uint32_t holders;
    /* Of a copy, which is looked at again and again; or NULL. */
    _Atomic(th__page_kept *) kept[TH__KEPT_SLOTS];
};

/* Makes a thing of a page in the arena. NULL if out of memory. */
typedef void *(*th__kept_make)(th__arena *arena, const th_page *page, const void *context);

/* Of a page with more elements nothing is kept: it takes several times the memory of the page. */
enum { TH__KEPT_NODES = 1 << 17 };

static inline bool th__page_keeps(const th_page *page)
{
    return page->holders && page->node_count <= TH__KEPT_NODES;
}
/* What a page that keeps things has in a slot; made where it is not there yet, unless `make` is
 * NULL. Where two threads make it, the first is kept. NULL: nothing, or out of memory. */
const void *th__page_keep(const th_page *page, th__kept_slot slot, th__kept_make make,
                          const void *context);

/* How many pages were parsed and copied so far, by all threads. */
void th__page_work(uint64_t *parsed, uint64_t *copied);

static inline bool th__same_span(th_span a, th_span b)
{
    return a.start == b.start && a.end == b.end;
}

static inline bool th__span_holds(th_span outer, th_span inner)
{
    return outer.start <= inner.start && outer.end >= inner.end;
}

static inline th_str th__page_slice(const th_page *page, uint32_t start, uint32_t end)
{
    return (th_str){page->text.ptr + start, end - start};
}

/* The source of a token. */
static inline th_str th__token_text(const th_page *page, uint32_t token)
{
    return th__page_slice(page, page->tokens[token].start, page->tokens[token + 1].start);
}

/* attrs.c: the attribute in whose value a span begins; its name is absent when there is none. */
th_attr th__attribute_at(const th_page *page, th_span span);
/* Where the value of an attribute of a start tag is. False when it has none, or an empty one.
 */
bool th__attribute_span(const th_page *page, uint32_t token, th_str name, th_span *out);
/* Returns true if the value of such an attribute is an address. An absent name is none. */
bool th__attribute_is_link(th_str name);
/* What an attribute says, without blanks around it: its value, or of a srcset the address for the
 * most pixels. */
th_str th__attribute_value(th_attr attr);
/* Returns true if the values of such an attribute may be data: those of style and scripts are not.
 */
bool th__attribute_may_be_data(th_str name);
/* Where the address of an image is: in its src or, where that holds the place for one that is
 * loaded later (a data: URL, blank.gif), in data-src and the like, or in a srcset. False when it
 * has none. */
bool th__image_span(const th_page *page, uint32_t token, th_span *out);

/* The first node whose start tag is the token or behind it; node_count where there is none. */
static inline uint32_t th__page_node_from(const th_page *page, uint32_t token)
{
    uint32_t low = 0; /* the document begins before any token */
    for (uint32_t count = page->node_count, half; count > 1; count -= half) {
        half = count / 2;
        low += half * (page->nodes[low + half].token < token); /* no branch to be guessed */
    }
    return low + 1;
}

/* The last node whose start tag is the token or before it; 0, the document, where there is none. */
static inline uint32_t th__page_node_until(const th_page *page, uint32_t token)
{
    return th__page_node_from(page, token + 1) - 1;
}

/* The innermost node that holds both tokens and what is between; 0 for the document. */
static inline uint32_t th__page_node_around(const th_page *page, uint32_t first, uint32_t last)
{
    uint32_t node = th__page_node_until(page, first);
    while (node && page->nodes[node].token_end <= last)
        node = page->nodes[node].parent;
    return node;
}

/* The element around each token in turn: the last that begins at or before it, or the one above
 * that has not ended by then. */
typedef struct th__node_walk {
    uint32_t node, next; /* next: 1 at first */
} th__node_walk;

static inline void th__node_follow(th__node_walk *walk, const th_page *page, uint32_t token)
{
    while (walk->next < page->node_count && page->nodes[walk->next].token <= token)
        walk->node = walk->next++;
    while (walk->node && page->nodes[walk->node].token_end <= token)
        walk->node = page->nodes[walk->node].parent;
}

#endif
