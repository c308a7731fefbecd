/*
 * mdr_tree.h: the tag tree that MDR compares: the page's elements without the useless ones.
 *
 * Section 3.1 removes "useless or redundant tags": scripts, styles, templates and what else shows
 * nothing, what stands in the head, and what is drawn inside svg and math. What is left is
 * renumbered, in preorder as before, so that the tag string of a subtree is again a slice.
 *
 *     page   0:document 1:ul 2:li 3:script 4:li 5:b
 *     tree   0:document 1:ul 2:li 3:li 4:b            tag string of 1: ul li li b
 */
#ifndef TH_MDR_TREE_H
#define TH_MDR_TREE_H

#include "base/arena.h"
#include "page/page.h"

enum { TH__MDR_DEEP = 255 };

typedef struct th__mdr_tree {
    const th_page *page;
    uint32_t count;
    uint16_t *tags;   /* the tag string of the tree */
    uint32_t *node;   /* the node of the page */
    uint32_t *parent; /* the document is its own parent */
    uint32_t *end;    /* one past the last node of the subtree */
    uint32_t *kids;   /* number of children */
    uint8_t *depth;   /* TreeDepth: 1 for a leaf, TH__MDR_DEEP for that and more */
} th__mdr_tree;

/* Builds the tree in the arena. False without memory. */
bool th__mdr_tree_build(th__mdr_tree *tree, const th_page *page, th__arena *arena);

/* Whether an element is kept; *inside tells whether its children are looked at. */
bool th__mdr_keeps(const th_page *page, uint32_t node, bool *inside);

/* Whether the tag is one of tables or forms: what the paper takes records to be made of. */
bool th__mdr_is_table_tag(uint16_t tag);

#endif
