/*
 * leaves.h: the pieces of text that may be values.
 *
 * A leaf is what a reader takes for one value: a run of text inside one element that nothing but
 * phrasing (a, span, b, ...) interrupts. Where phrasing is among text of its parent, it is part
 * of the parent's text; where it is by itself it is a leaf of its own:
 *
 *     <p>by <a>Mary</a> and <a>Percy</a></p>          one leaf, of p
 *     <p><a>Mary</a> <a>Percy</a></p>                 two, of a and a
 *     <li><b>The</b> <i>old</i> man <br> in stock     two, of li: bold and italic are never leaves
 *     <li><span>12 High St.<br>Bath</span>            one, of span: text and breaks alone
 *
 * Hidden content (script, style, noscript, svg, ...) and pieces without a letter or digit give
 * none.
 */
#ifndef TH_LEAVES_H
#define TH_LEAVES_H

#include "base/arena.h"
#include "page/page.h"
#include "page/text.h"

typedef struct th__leaf {
    uint64_t hash;             /* of its bytes but blanks: equal texts have equal hashes */
    uint32_t node;             /* the element whose text it is */
    uint32_t token, token_end; /* from its first text token to one past its last */
    uint32_t len : 31;         /* bytes, blanks not counted */
    uint32_t linked : 1;       /* begins inside an a element */
} th__leaf;

typedef struct th__leaves {
    th__leaf *data;
    uint32_t count;
    uint32_t *before; /* by token, and one more: how many leaves begin before it */
} th__leaves;

/* Elements of a page, rising, none of them inside another; 0 is the whole page. */
typedef struct th__tops {
    const uint32_t *nodes;
    size_t count;
} th__tops;

/* The leaves in some elements, which are not phrasing, as they are among those of the whole page.
 * All of it lives in the arena. `plain`: leaves need not be measured. False if out of memory. */
bool th__leaves_find(th__arena *arena, const th_page *page, th__tops tops, bool plain,
                     th__leaves *out);

/* The leaves of a part of the page alone, for those who look for texts there: what is outside does
 * not count, at its borders leaves may be cut, `before` is not made, and leaves are plain. */
bool th__leaves_within(th__arena *arena, const th_page *page, th_span part, th__leaves *out);

/* The element that a reader sees as a line or a box: the node, or the nearest above it that is no
 * phrasing. */
uint32_t th__leaf_block(const th_page *page, uint32_t node);

/* The hash of a text as leaves have it, whatever its blanks; 0 if it has no letter or digit. */
static inline uint64_t th__leaf_hash(th_str text)
{
    uint64_t hash = 0;
    uint32_t len = 0;
    return th__text_measure(text, &hash, &len) ? (hash ? hash : 1) : 0;
}

/* A leaf with its hash and length, which plain leaves of a single text do not have yet. */
th__leaf th__leaf_measured(const th_page *page, const th__leaf *leaf);

/* The bytes of a leaf, tags inside it included. */
static inline th_span th__leaf_span(const th_page *page, const th__leaf *leaf)
{
    return (th_span){page->tokens[leaf->token].start, page->tokens[leaf->token_end].start};
}

#endif
