/*
 * leaves.h: the pieces of text that may be values.
 *
 * A leaf is a run of text that only inline markup (b, em, ...) interrupts: what a reader takes for
 * one value. Hidden content (script, style, noscript, ...) and pieces without a letter or digit give
 * none.
 *
 *     <li><a>The <b>old</b> man</a> <i>$</i>12 <br> in stock     three leaves
 */
#ifndef TH_LEAVES_H
#define TH_LEAVES_H

#include "base/arena.h"
#include "page/page.h"

typedef struct th__leaf {
    uint64_t hash;             /* of its letters and digits: equal texts have equal hashes */
    uint32_t node;             /* the innermost element around it that is not inline */
    uint32_t token, token_end; /* from its first text token to one past its last */
    uint32_t len;              /* bytes, blanks not counted */
    bool linked;               /* inside an a element */
} th__leaf;

typedef struct th__leaves {
    th__leaf *data;
    uint32_t count;
    uint32_t *before; /* by token, and one more: how many leaves begin before it */
} th__leaves;

/* All of it lives in the arena. False without memory. */
bool th__leaves_find(th__arena *arena, const th_page *page, th__leaves *out);

/* The bytes of a leaf, inline tags included. */
static inline th_span th__leaf_span(const th_page *page, const th__leaf *leaf)
{
    return (th_span){page->tokens[leaf->token].start, page->tokens[leaf->token_end].start};
}

#endif
