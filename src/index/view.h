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
 *
 * Cells of a table row differ by little but their place. So in a key, not in a signature, the
 * second cell of a signature in its row is another one than the first.
 */
#ifndef TH_VIEW_H
#define TH_VIEW_H

#include "base/str.h"
#include "base/vec.h"
#include "index/leaves.h"

typedef struct th__tables th__tables;

typedef struct th__view {
    const th_page *page;
    th__leaves leaves;
    float *weight;       /* by leaf: log2(1 + len), how much a leaf of that length says; or NULL */
    uint32_t *signature; /* by node */
    uint64_t *sum;       /* by node */
    uint64_t *inverse;   /* by depth: B^-depth */
    th__tables *tables;  /* tables of data: see tables.h; NULL: none */
} th__view;

/* Where a record is: neighbouring elements under one parent, most often a single one. */
typedef struct th__extent {
    uint32_t first, last;      /* nodes */
    uint32_t token, token_end; /* from the first's start tag to the last's end */
    uint32_t run : 1;          /* 1: records of this list have several elements, else 0 */
    uint32_t part : 31;        /* of records whose parts are apart: which it is, from 0; else 0 */
} th__extent;

/* The base of keys: odd, so that it has an inverse modulo 2^64. */
#define TH__KEY_BASE UINT64_C(0x9E3779B97F4A7C15)

/* The powers of the base of keys, and their inverses, by depth of the page's elements. In the
 * arena. False if out of memory. */
bool th__key_powers(th__arena *arena, const th_page *page, uint64_t **power, uint64_t **inverse);

/* The view of a copy is made once and kept with it; that of another page, or of a huge one, is in
 * the arena. False if out of memory. */
bool th__view_make(th__arena *arena, const th_page *page, th__view *out);
/* The same for running rules, which look at some elements and what is in them alone. Leaves,
 * signatures and tables elsewhere need not be there, but for the signatures of elements around
 * those. Leaves have no weights and may not be measured, see th__leaf_measured. */
bool th__view_make_within(th__arena *arena, const th_page *page, th__tops nodes, th__view *out);

/* How many views were made so far, by all threads. */
uint64_t th__view_work(void);

static inline uint32_t th__view_depth(const th__view *view, uint32_t node)
{
    return view->page->paths[view->page->nodes[node].path].depth;
}

/* How many leaves begin in an element. */
static inline uint32_t th__leaves_in(const th__view *view, uint32_t node)
{
    const th_node *n = &view->page->nodes[node];
    return view->leaves.before[n->token_end] - view->leaves.before[n->token];
}

/* The key of any node seen from `root`, also of one above in whose text root flows: that is kept
 * apart from root's own text, as scoring wants it. */
static inline uint64_t th__view_key_apart(const th__view *view, uint32_t root, uint32_t node)
{
    return (view->sum[node] - view->sum[root]) * view->inverse[th__view_depth(view, root)];
}

/* The key of what is at `node` inside the element `root`. Text of an element above, in which
 * root flows, counts as root's. */
static inline uint64_t th__view_key(const th__view *view, uint32_t root, uint32_t node)
{
    return node < root ? 0 : th__view_key_apart(view, root, node);
}

/* ---- paths as people read them -----------------------------------------------------------------
 *
 * A step names an element by its signature: "div.hit", "tr", "li.item-#". The tag is in lower case,
 * with a backslash before a dot or backslash of its own; a cell of a table row has its number
 * behind it when it is not the first of its signature: "td[2]". A path is steps from an element
 * down to another: "div.hit > h3 > a". What is hashed on a page can be hashed from steps too, so
 * that a rule written down for one page meets the elements of the next. */

/* The hash behind a signature, from tag and class attribute; and of the first name of a class or id
 * attribute alone, digits aside: 0 when there is none. */
uint64_t th__element_hash(uint16_t tag, th_str classes);
uint64_t th__class_hash(th_str classes);

/* Returns true if a signature is that of elements of a tag without a class. */
static inline bool th__is_bare(uint16_t tag, uint32_t signature)
{
    return signature == (uint32_t)th__hash_mix(tag, 0);
}
/* Appends the first name of a class or id attribute, digits aside. False if out of memory. */
bool th__class_write(th_str classes, th__buf *out);

/* Appends the name of a tag as steps have it: a backslash is before signs that mean something
 * in a step. False if out of memory. */
bool th__tag_write(const th_page *page, uint32_t token, th__buf *out);
/* Appends the step of an element. False if out of memory. */
bool th__step_write(const th_page *page, uint32_t node, th__buf *out);
/* The same without the number of a cell. */
bool th__class_step_write(const th_page *page, uint32_t node, th__buf *out);
/* The hash behind an element's signature; and from its step, with its tag. */
uint64_t th__node_hash(const th_page *page, uint32_t node);
uint64_t th__step_hash(th_str step, uint16_t *tag);
static inline uint32_t th__step_signature(uint64_t hash)
{
    return (uint32_t)hash;
}

/* Appends the path from below `top` (0: from the root) down to `node`, which is in it; nothing
 * when they are the same, or when top flows in the text of node: see th__view_key. False if out of
 * memory. */
bool th__path_write(const th_page *page, uint32_t top, uint32_t node, th__buf *out);
/* The same without numbers of cells, and by tags alone, as if no element had a class either. */
bool th__class_path_write(const th_page *page, uint32_t top, uint32_t node, th__buf *out);
bool th__tag_path_write(const th_page *page, uint32_t top, uint32_t node, th__buf *out);
/* Walks the steps of a path. False at its end, or, with *bad set, where it is not one. */
bool th__path_next(th_str *rest, th_str *step, bool *bad);
/* What th__view_key gives for elements with that path between them, and the hash of its tags as in
 * th_path. False if it is not a path. */
bool th__path_keys(th_str path, uint64_t *key, uint64_t *tags);

/* Sets of keys, for comparing what elements hold. */
typedef TH__VEC(uint64_t) th__key_vec;

/* Makes a set of it: in order, none twice. */
void th__key_vec_sort(th__key_vec *keys);
/* Where a key is in a set, or SIZE_MAX. */
size_t th__key_vec_find(const th__key_vec *keys, uint64_t key);
/* How many keys two sets have in common. */
size_t th__key_vec_common(const th__key_vec *a, const th__key_vec *b);

static inline th__extent th__extent_of(const th_page *page, uint32_t first, uint32_t last)
{
    return (th__extent){first, last, page->nodes[first].token, page->nodes[last].token_end, 0, 0};
}

#endif
