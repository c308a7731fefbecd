/* tree.h: coarse tokens become a light tree in preorder arrays. */
#ifndef TH_TREE_H
#define TH_TREE_H

#include "page/page.h"

typedef struct th__tree th__tree;

/* The working memory of tree building, kept by a parser from page to page. */
th__tree *th__tree_new(uint32_t max_depth);
void th__tree_free(th__tree *tree);

/* Fills page->nodes and page->tags, which hold one more than the start tags among the tokens, sets
 * node_count and flattened, then path_count and the nodes' path ids. `other_tags`: some are no
 * standard ones. False if out of memory. */
bool th__tree_build(th__tree *tree, th_page *page, bool other_tags);

/* The paths of the page built last: path_count of them, for the caller to copy. */
const th_path *th__tree_paths(const th__tree *tree);

#endif
