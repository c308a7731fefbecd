/*
 * view.h: a page as the engines for lists look at it: leaves, signatures of elements, keys of
 * leaves.
 *
 * A signature is what elements of one kind share: the tag and the first class name, digits aside
 * ("item-3" is "item-#"). The key of a leaf inside a record is the chain of signatures between the
 * two: leaves with the same key in different records are the same field. Keys are hashes that need
 * no walk:
 *
 *     sum(n) = sum(parent) + signature(n) * B^depth(n)            (modulo 2^64, B odd)
 *     key(leaf in record) = (sum(leaf's node) - sum(record)) * B^-depth(record)
 */
#ifndef TH_VIEW_H
#define TH_VIEW_H

#include "base/vec.h"
#include "seq/leaves.h"

typedef struct th__view {
    const th_page *page;
    th__leaves leaves;
    float *weight;       /* by leaf: log2(1 + len), what a leaf of that length tells */
    uint32_t *signature; /* by node */
    uint64_t *sum;       /* by node */
    uint64_t *inverse;   /* by depth: B^-depth */
} th__view;

/* Where a record stands: neighbouring elements under one parent, most often a single one. */
typedef struct th__extent {
    uint32_t first, last;      /* nodes */
    uint32_t token, token_end; /* from the first's start tag to the last's end */
} th__extent;

/* Everything lives in the arena. False without memory. */
bool th__view_make(th__arena *arena, const th_page *page, th__view *out);

static inline uint32_t th__view_depth(const th__view *view, uint32_t node)
{
    return view->page->paths[view->page->nodes[node].path].depth;
}

/* The key of what stands at `node` inside the element `root`. */
static inline uint64_t th__view_key(const th__view *view, uint32_t root, uint32_t node)
{
    return (view->sum[node] - view->sum[root]) * view->inverse[th__view_depth(view, root)];
}

/* Sets of keys, for comparing what elements hold. */
typedef TH__VEC(uint64_t) th__key_vec;

/* Appends the keys of the leaves inside an element. False without memory. */
bool th__view_add_keys(const th__view *view, uint32_t node, th__key_vec *keys);
/* Makes a set of it: in order, none twice. */
void th__key_vec_sort(th__key_vec *keys);
/* How many keys two sets have in common. */
size_t th__key_vec_common(const th__key_vec *a, const th__key_vec *b);

static inline th__extent th__extent_of(const th_page *page, uint32_t first, uint32_t last)
{
    return (th__extent){first, last, page->nodes[first].token, page->nodes[last].token_end};
}

#endif
