/* mdr_tree.c: see mdr_tree.h. */
#include "engine/papers/mdr/mdr_tree.h"

#include "base/str.h"
#include "page/tags.h"

bool th__mdr_keeps(const th_page *page, uint32_t node, bool *inside)
{
    uint16_t tag = page->tags[node];
    uint32_t flags = th__tag_flags(tag);
    *inside = false;
    /* The head itself stays: on broken pages it holds the body. */
    if (tag != TH_TAG_HEAD && flags & (TH_TAG_IS_HIDDEN | TH_TAG_IS_HEAD))
        return false;
    *inside = tag != TH_TAG_SVG && tag != TH_TAG_MATH;
    return true;
}

bool th__mdr_is_table_tag(uint16_t tag)
{
    switch (tag) {
    case TH_TAG_TABLE:
    case TH_TAG_CAPTION:
    case TH_TAG_THEAD:
    case TH_TAG_TBODY:
    case TH_TAG_TFOOT:
    case TH_TAG_TR:
    case TH_TAG_TD:
    case TH_TAG_TH:
    case TH_TAG_FORM:
        return true;
    default:
        return false;
    }
}

static bool make_room(th__mdr_tree *tree, uint32_t count, th__arena *arena)
{
    tree->tags = th__arena_alloc(arena, count * sizeof *tree->tags);
    tree->node = th__arena_alloc(arena, count * sizeof *tree->node);
    tree->parent = th__arena_alloc(arena, count * sizeof *tree->parent);
    tree->end = th__arena_alloc(arena, count * sizeof *tree->end);
    tree->kids = th__arena_zero(arena, count, sizeof *tree->kids);
    tree->depth = th__arena_alloc(arena, count);
    return tree->tags && tree->node && tree->parent && tree->end && tree->kids && tree->depth;
}

/* Copies the kept nodes. `open` is the last kept node: parents are found by climbing from it, and
 * each node is climbed over once, when its subtree is left. */
static void copy_nodes(th__mdr_tree *tree)
{
    const th_page *page = tree->page;
    uint32_t count = 1, open = 0;
    tree->tags[0] = 0;
    tree->node[0] = tree->parent[0] = 0;
    for (uint32_t n = 1; n < page->node_count;) {
        bool inside;
        bool kept = th__mdr_keeps(page, n, &inside);
        while (open && n >= page->nodes[tree->node[open]].end) {
            tree->end[open] = count;
            open = tree->parent[open];
        }
        if (kept) {
            tree->tags[count] = page->tags[n];
            tree->node[count] = n;
            tree->parent[count] = open;
            tree->kids[open]++;
            open = count++;
        }
        n = inside ? n + 1 : page->nodes[n].end;
    }
    for (; open; open = tree->parent[open])
        tree->end[open] = count;
    tree->end[0] = tree->count = count;
}

/* Children stand behind their parents, so that one walk backwards sees them first. */
static void measure_depth(th__mdr_tree *tree)
{
    memset(tree->depth, 1, tree->count);
    for (uint32_t n = tree->count; n-- > 1;) {
        uint8_t above = (uint8_t)(tree->depth[n] + (tree->depth[n] < TH__MDR_DEEP));
        uint8_t *depth = &tree->depth[tree->parent[n]];
        *depth = above > *depth ? above : *depth;
    }
}

bool th__mdr_tree_build(th__mdr_tree *tree, const th_page *page, th__arena *arena)
{
    *tree = (th__mdr_tree){.page = page};
    if (!make_room(tree, page->node_count, arena))
        return false;
    copy_nodes(tree);
    measure_depth(tree);
    return true;
}
