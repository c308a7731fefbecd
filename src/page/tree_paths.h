/* tree_paths.h: the path of tags from the document to each node, one number for each different
 * path. */
#ifndef TH_TREE_PATHS_H
#define TH_TREE_PATHS_H

#include "page/page.h"

/* The different paths of a page; kept from page to page for its memory. Zero is a valid start. */
typedef struct th__paths {
    th_path *list;
    uint32_t *hints; /* by path: the child path met last */
    uint32_t *slots; /* hash of (parent path, tag): path id, 0 free */
    uint32_t count, cap, slot_count;
} th__paths;

/* Sets the path of every node of a page, and path_count. False without memory. */
bool th__paths_find(th__paths *paths, th_page *page);
void th__paths_release(th__paths *paths);

#endif
