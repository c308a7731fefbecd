/* auto_cut.c: the children of an element cut into records of several elements. */
#include "engine/lists/auto_cut.h"

#include <stdlib.h>
#include <string.h>

#include "page/tags.h"

bool th__auto_is_empty_line(const th_page *page, uint32_t node)
{
    uint32_t next = page->nodes[node].end, end = page->nodes[page->nodes[node].parent].end;
    if (page->tags[node] != TH_TAG_BR || next >= end || page->tags[next] != TH_TAG_BR)
        return false;
    for (uint32_t t = page->nodes[node].token_end; t < page->nodes[next].token; t++)
        if (page->tokens[t].kind == TH_TOKEN_TEXT && !(page->tokens[t].flags & TH_TOKEN_BLANK))
            return false;
    return true;
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

/* The tag of the phrasing that a leaf of an element begins in, or 0. The leaf may flow in the text
 * of the element's parent: the element itself is the phrasing then. */
static uint16_t first_tag(const th_page *page, uint32_t node, const th__leaf *leaf)
{
    uint32_t n = leaf->node < node ? node : leaf->node + 1, end = page->nodes[leaf->node].end;
    while (n < end && page->nodes[n].token_end <= leaf->token)
        n = page->nodes[n].end;
    return n < end && page->nodes[n].token < leaf->token ? page->tags[n] : 0;
}

static bool has_picture(const th_page *page, uint32_t node)
{
    for (uint32_t n = node; n < page->nodes[node].end; n++)
        if (page->tags[n] == TH_TAG_IMG || page->tags[n] == TH_TAG_SVG)
            return true;
    return false;
}

void th__auto_look(const th__view *view, uint32_t node, th__auto_look_of *out)
{
    const th_page *page = view->page;
    uint32_t leaf = view->leaves.before[page->nodes[node].token];
    uint32_t leaf_end = view->leaves.before[page->nodes[node].token_end];
    *out = (th__auto_look_of){.signature = view->signature[node],
                              .is_break = page->tags[node] == TH_TAG_BR,
                              .first = leaf < leaf_end ? view->leaves.data[leaf].node : 0,
                              .cells = count_cells(page, node)};
    out->twice = th__auto_is_empty_line(page, node);
    out->first_key = out->first ? th__view_key(view, node, out->first) : TH__AUTO_NO_TEXT;
    out->first_tag = out->first ? first_tag(page, node, &view->leaves.data[leaf]) : 0;
    out->alone = leaf_end == leaf + 1;
    /* The text of phrasing may have begun before it. */
    out->empty = !out->first && (th__tag_flags(page->tags[node]) & TH_TAG_IS_BLOCK) &&
                 !out->is_break && !has_picture(page, node);
}

/* A br counts by whether another follows: an empty line is another thing than a new one. */
uint64_t th__auto_shape(const th__auto_look_of *look, bool fine)
{
    if (look->is_break)
        return th__hash_mix(look->twice, TH_TAG_BR);
    uint64_t shape = th__hash_mix(look->first_key, (uint64_t)look->cells << 32 | look->signature);
    return fine ? th__hash_mix(shape, (uint64_t)look->first_tag << 1 | look->alone) : shape;
}

bool th__auto_children(const th__view *view, uint32_t parent, bool fine,
                       th__auto_child_vec *children)
{
    const th_page *page = view->page;
    uint32_t end = page->nodes[parent].end;
    children->len = 0;
    for (uint32_t node = parent + 1; node < end; node = page->nodes[node].end) {
        th__auto_look_of look;
        if (th__tag_flags(page->tags[node]) & TH_TAG_IS_HIDDEN)
            continue;
        th__auto_look(view, node, &look);
        if (!th__vec_push(children, (th__auto_child){th__auto_shape(&look, fine), node, 0}))
            return false;
    }
    return true;
}

static int by_shape(const void *a, const void *b)
{
    const th__auto_child *left = a, *right = b;
    if (left->shape != right->shape)
        return left->shape < right->shape ? -1 : 1;
    return left->node < right->node ? -1 : left->node > right->node;
}

static int by_count(const void *a, const void *b)
{
    const th__auto_child *left = a, *right = b;
    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    return left->node < right->node ? -1 : left->node > right->node;
}

/* The shapes are in order. */
static uint32_t count_of(const th__auto_child_vec *shapes, uint64_t shape)
{
    size_t low = 0, high = shapes->len;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (shapes->data[middle].shape <= shape)
            low = middle;
        else
            high = middle;
    }
    return shapes->data[low].count;
}

bool th__auto_count_shapes(th__auto_child_vec *children, th__auto_child_vec *shapes)
{
    shapes->len = 0;
    if (!th__vec_reserve(shapes, children->len))
        return false;
    memcpy(shapes->data, children->data, children->len * sizeof *shapes->data);
    shapes->len = children->len;
    qsort(shapes->data, shapes->len, sizeof *shapes->data, by_shape);
    size_t kept = 0;
    for (size_t i = 0, end; i < shapes->len; i = end) {
        for (end = i + 1; end < shapes->len && shapes->data[end].shape == shapes->data[i].shape;)
            end++;
        shapes->data[kept] = shapes->data[i];
        shapes->data[kept++].count = (uint32_t)(end - i);
    }
    shapes->len = kept;
    for (size_t i = 0; i < children->len; i++)
        children->data[i].count = count_of(shapes, children->data[i].shape);
    qsort(shapes->data, kept, sizeof *shapes->data, by_count);
    return true;
}

/* The child after which a run from `start` ends, given that it may not reach `limit`: trailing
 * children of shapes that few records could have do not belong to it. */
static size_t trim(const th__auto_child_vec *children, size_t start, size_t limit, uint32_t heads)
{
    while (limit > start + 1 && 5 * children->data[limit - 1].count < heads)
        limit--;
    return limit;
}

bool th__auto_cut(const th__view *view, uint32_t parent, const th__auto_child_vec *children,
                  uint64_t head, bool separator, th__extent_vec *runs)
{
    const th_page *page = view->page;
    size_t start = 0, total = children->len, longest = 1, before = runs->len;
    uint32_t heads = 0;
    for (size_t i = 0; i < total && !heads; i++)
        heads = children->data[i].shape == head ? children->data[i].count : 0;
    while (!separator && start < total && children->data[start].shape != head)
        start++;
    while (start < total) {
        size_t next = start + 1;
        while (next < total && children->data[next].shape != head)
            next++;
        bool last = next == total;
        size_t limit =
            last && runs->len > before && next - start > longest ? start + longest : next;
        size_t end = trim(children, start, limit, heads);
        longest = end - start > longest ? end - start : longest;
        th__extent run =
            th__extent_of(page, children->data[start].node, children->data[end - 1].node);
        run.run = 1;
        if (end == next) /* text behind the last child belongs to the run */
            run.token_end =
                last ? page->nodes[parent].token_end : page->nodes[children->data[next].node].token;
        if (!th__vec_push(runs, run))
            return false;
        start = next;
    }
    return true;
}
