/*
 * tree_paths.c: numbers the paths of a page.
 *
 * A pass of its own over the finished tree, since the adoption agency moves nodes while it is
 * built. A parent stands before its children, so one look at (path of the parent, tag) is enough
 * for each node; the child met last is tried first, for siblings are mostly alike. Cost: linear in
 * nodes.
 */
#include "page/tree_paths.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

enum { FIRST_PATHS = 256 };

static uint32_t path_slot(const th__paths *p, uint32_t parent, uint16_t tag)
{
    uint32_t mask = p->slot_count - 1;
    uint32_t slot =
        (uint32_t)((((uint64_t)parent << 16 | tag) * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & mask;
    while (p->slots[slot] &&
           !(p->list[p->slots[slot]].parent == parent && p->list[p->slots[slot]].tag == tag))
        slot = (slot + 1) & mask;
    return slot;
}

static bool grow(th__paths *p)
{
    uint32_t cap = p->cap ? p->cap * 2 : FIRST_PATHS;
    th_path *paths = th__mem_resize(p->list, cap, sizeof *paths);
    if (!paths)
        return false;
    p->list = paths;
    uint32_t *hints = th__mem_resize(p->hints, cap, sizeof *hints);
    if (!hints)
        return false;
    p->hints = hints;
    uint32_t *slots = th__mem_zero((size_t)cap * 2, sizeof *slots);
    if (!slots)
        return false;
    th__mem_free(p->slots);
    p->slots = slots;
    p->slot_count = cap * 2;
    p->cap = cap;
    for (uint32_t path = 1; path < p->count; path++)
        slots[path_slot(p, paths[path].parent, paths[path].tag)] = path;
    return true;
}

/* The path of a tag under a path, or 0 without memory. */
static uint32_t child_path(th__paths *p, uint32_t parent, uint16_t tag)
{
    uint32_t hint = p->hints[parent];
    if (hint && p->list[hint].tag == tag)
        return hint;
    uint32_t slot = path_slot(p, parent, tag);
    if (!p->slots[slot]) {
        if (p->count == p->cap) {
            if (!grow(p))
                return 0;
            slot = path_slot(p, parent, tag);
        }
        uint32_t path = p->count++;
        p->list[path] = (th_path){th__hash_mix(p->list[parent].hash, tag), parent, tag,
                                  (uint16_t)(p->list[parent].depth + 1)};
        p->hints[path] = 0;
        p->slots[slot] = path;
    }
    return p->hints[parent] = p->slots[slot];
}

bool th__paths_find(th__paths *p, th_page *page)
{
    if (!p->cap && !grow(p))
        return false;
    memset(p->slots, 0, p->slot_count * sizeof *p->slots);
    p->count = 1;
    p->list[0] = (th_path){0};
    p->hints[0] = 0;
    page->nodes[0].path = 0;
    for (uint32_t n = 1; n < page->node_count; n++) {
        th_node *node = &page->nodes[n];
        node->path = child_path(p, page->nodes[node->parent].path, page->tags[n]);
        if (!node->path)
            return false;
    }
    page->path_count = p->count;
    return true;
}

void th__paths_release(th__paths *p)
{
    th__mem_free(p->list);
    th__mem_free(p->hints);
    th__mem_free(p->slots);
}
