/*
 * auto_runs.c: records of several neighbouring elements.
 *
 *     <dt>Walden <dd>Thoreau <dd>$7.50 <dt>Emma <dd>Austen <dd>$6.00
 *
 * Where the children of an element are of different shapes and one shape comes again and again, it
 * may be the head of records: each runs from a head to before the next. A line (hr) or an empty
 * line (two br) stands between records rather than at their head. The shape of a child is its
 * signature and the key of its first leaf. What a run is worth is left to the scoring of groups,
 * where the right head gives the table that tells most.
 *
 * Cost: for each element, its children times HEADS.
 */
#include "engine/auto/auto_runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "page/tags.h"

enum {
    LEAST_HEADS = 3, /* two of a kind are no list */
    HEADS = 6,       /* shapes tried as heads, the most frequent */
    SAMPLE = 8
};

struct child {
    uint64_t shape;
    uint32_t node;
    uint32_t count; /* children of its shape */
};

typedef TH__VEC(struct child) child_vec;

struct finder {
    const th__view *view;
    th__arena *arena;
    th__auto_group_vec *groups;
    child_vec children;
    child_vec shapes; /* one child of each shape, the most frequent first */
};

static bool is_break(const th_page *page, uint32_t node, uint32_t end)
{
    return node < end && page->tags[node] == TH_TAG_BR;
}

/* How many cells a table row has; rows of different kinds differ by little else. */
static uint32_t count_cells(const th_page *page, uint32_t node)
{
    uint32_t cells = 0;
    if (page->tags[node] == TH_TAG_TR)
        for (uint32_t c = node + 1; c < page->nodes[node].end; c = page->nodes[c].end)
            cells++;
    return cells;
}

/* A br counts by whether another follows: an empty line is another thing than a new one. */
static uint64_t shape_of(const th__view *view, uint32_t node, uint32_t next, uint32_t end)
{
    const th_page *page = view->page;
    uint32_t leaf = view->leaves.before[page->nodes[node].token];
    uint32_t leaf_end = view->leaves.before[page->nodes[node].token_end];
    if (is_break(page, node, end))
        return th__hash_mix(is_break(page, next, end), TH_TAG_BR);
    uint64_t first = leaf < leaf_end ? th__view_key(view, node, view->leaves.data[leaf].node) : 1;
    return th__hash_mix(first, (uint64_t)count_cells(page, node) << 32 | view->signature[node]);
}

static bool list_children(struct finder *f, uint32_t parent)
{
    const th_page *page = f->view->page;
    uint32_t end = page->nodes[parent].end;
    f->children.len = 0;
    for (uint32_t node = parent + 1, next; node < end; node = next) {
        next = page->nodes[node].end;
        if (th__tag_flags(page->tags[node]) & TH_TAG_IS_HIDDEN)
            continue;
        if (!th__vec_push(&f->children,
                          (struct child){shape_of(f->view, node, next, end), node, 0}))
            return false;
    }
    return true;
}

static int by_shape(const void *a, const void *b)
{
    const struct child *left = a, *right = b;
    if (left->shape != right->shape)
        return left->shape < right->shape ? -1 : 1;
    return left->node < right->node ? -1 : left->node > right->node;
}

static int by_count(const void *a, const void *b)
{
    const struct child *left = a, *right = b;
    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    return left->node < right->node ? -1 : left->node > right->node;
}

/* The shapes are in order. */
static uint32_t count_of(const struct finder *f, uint64_t shape)
{
    size_t low = 0, high = f->shapes.len;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (f->shapes.data[middle].shape <= shape)
            low = middle;
        else
            high = middle;
    }
    return f->shapes.data[low].count;
}

/* Counts the shapes, and tells the children how many have theirs. */
static bool count_shapes(struct finder *f)
{
    f->shapes.len = 0;
    if (!th__vec_reserve(&f->shapes, f->children.len))
        return false;
    memcpy(f->shapes.data, f->children.data, f->children.len * sizeof *f->shapes.data);
    f->shapes.len = f->children.len;
    qsort(f->shapes.data, f->shapes.len, sizeof *f->shapes.data, by_shape);
    size_t kept = 0;
    for (size_t i = 0, end; i < f->shapes.len; i = end) {
        for (end = i + 1;
             end < f->shapes.len && f->shapes.data[end].shape == f->shapes.data[i].shape;)
            end++;
        f->shapes.data[kept] = f->shapes.data[i];
        f->shapes.data[kept++].count = (uint32_t)(end - i);
    }
    f->shapes.len = kept;
    for (size_t i = 0; i < f->children.len; i++)
        f->children.data[i].count = count_of(f, f->children.data[i].shape);
    qsort(f->shapes.data, kept, sizeof *f->shapes.data, by_count);
    return true;
}

/* Whether heads and others have most of their fields in common: then each child is a record of its
 * own, and the shapes differ by what is missing. */
static bool heads_are_like_others(struct finder *f, uint64_t head, bool *failed)
{
    th__key_vec heads = {0}, others = {0};
    uint32_t looked_heads = 0, looked_others = 0;
    for (size_t i = 0; i < f->children.len; i++) {
        bool is_head = f->children.data[i].shape == head;
        uint32_t *looked = is_head ? &looked_heads : &looked_others;
        if (f->children.data[i].count < LEAST_HEADS || *looked == SAMPLE)
            continue;
        ++*looked;
        if (!th__view_add_keys(f->view, f->children.data[i].node, is_head ? &heads : &others))
            *failed = true;
    }
    th__key_vec_sort(&heads);
    th__key_vec_sort(&others);
    size_t common = th__key_vec_common(&heads, &others);
    size_t fewer = heads.len < others.len ? heads.len : others.len;
    bool alike = heads.len >= 2 && 2 * common > fewer;
    th__vec_release(&heads);
    th__vec_release(&others);
    return alike;
}

/* The child after which a run from `start` ends, given that it may not reach `limit`: trailing
 * children of shapes that few records could have do not belong to it. */
static size_t trim(const struct finder *f, size_t start, size_t limit, uint32_t heads)
{
    while (limit > start + 1 && 5 * f->children.data[limit - 1].count < heads)
        limit--;
    return limit;
}

/* Whether texts that stand before the first head are part of the list: then the head is one of the
 * later elements of a record, and the runs are out of step. */
static bool is_out_of_step(const struct finder *f, const struct child *head)
{
    const th_node *nodes = f->view->page->nodes;
    const uint32_t *before = f->view->leaves.before;
    for (size_t i = 0; f->children.data[i].shape != head->shape; i++) {
        const struct child *child = &f->children.data[i];
        bool text = before[nodes[child->node].token] < before[nodes[child->node].token_end];
        if (text && child->count >= LEAST_HEADS && 2 * child->count >= head->count)
            return true;
    }
    return false;
}

/* Cuts the children into runs. A separator stands between runs and leaves one before the first. */
static bool add_runs(struct finder *f, uint32_t parent, const struct child *head)
{
    const th_page *page = f->view->page;
    uint16_t tag = page->tags[head->node];
    bool separator = tag == TH_TAG_HR || tag == TH_TAG_BR;
    if (!separator && is_out_of_step(f, head))
        return true;
    size_t most = (size_t)head->count + separator, count = 0, longest = 1;
    uint32_t *nodes = th__arena_alloc(f->arena, most * sizeof *nodes);
    th__extent *runs = th__arena_alloc(f->arena, most * sizeof *runs);
    if (!nodes || !runs)
        return false;
    size_t start = 0, total = f->children.len;
    while (!separator && start < total && f->children.data[start].shape != head->shape)
        start++;
    while (start < total) {
        size_t next = start + 1;
        while (next < total && f->children.data[next].shape != head->shape)
            next++;
        bool last = next == total;
        size_t limit = last && count && next - start > longest ? start + longest : next;
        size_t end = trim(f, start, limit, head->count);
        longest = end - start > longest ? end - start : longest;
        nodes[count] = f->children.data[start].node;
        runs[count] = th__extent_of(page, nodes[count], f->children.data[end - 1].node);
        if (end == next) /* text behind the last child belongs to the run */
            runs[count].token_end = last ? page->nodes[parent].token_end
                                         : page->nodes[f->children.data[next].node].token;
        count++;
        start = next;
    }
    return th__vec_push(f->groups,
                        (th__auto_group){.nodes = nodes, .runs = runs, .count = (uint32_t)count});
}

static bool try_parent(struct finder *f, uint32_t parent)
{
    if (!list_children(f, parent) || f->children.len < 2 * LEAST_HEADS)
        return !f->children.len || f->children.data;
    if (!count_shapes(f))
        return false;
    size_t tried = f->shapes.len < HEADS ? f->shapes.len : HEADS;
    for (size_t i = 0; i < tried && f->shapes.data[i].count >= LEAST_HEADS; i++) {
        const struct child *head = &f->shapes.data[i];
        bool failed = false;
        /* A list of nearly nothing but heads has its records in single elements. */
        if (5 * (size_t)head->count > 4 * f->children.len)
            continue;
        if (heads_are_like_others(f, head->shape, &failed) || failed) {
            if (failed)
                return false;
            continue;
        }
        if (!add_runs(f, parent, head))
            return false;
    }
    return true;
}

bool th__auto_runs_find(th__arena *arena, const th__view *view, th__auto_group_vec *groups)
{
    const th_page *page = view->page;
    struct finder f = {.view = view, .arena = arena, .groups = groups};
    bool ok = true;
    for (uint32_t n = 0; ok && n < page->node_count; n++) {
        const th_node *node = &page->nodes[n];
        uint32_t leaves = view->leaves.before[node->token_end] - view->leaves.before[node->token];
        if (leaves >= 2 * LEAST_HEADS && page->tags[n] != TH_TAG_HTML &&
            page->tags[n] != TH_TAG_SELECT)
            ok = try_parent(&f, n);
    }
    th__vec_release(&f.children);
    th__vec_release(&f.shapes);
    return ok;
}
