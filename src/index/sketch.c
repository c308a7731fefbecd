/* sketch.c: the shapes of a page. */
#include "index/sketch.h"

#include <string.h>

#include "base/str.h"
#include "index/view.h"

/* The hashes of the elements are hashed on along the chain; the document counts as an element, so
 * that what stands at the top differs from what stands below. */
static uint64_t shape_of(const th_page *page, const uint64_t *hashes, uint32_t node)
{
    uint64_t shape = 0;
    for (int level = 0; level < TH__SKETCH_LEVELS; level++) {
        shape = th__hash_mix(shape, hashes[node]);
        node = page->nodes[node].parent;
    }
    return shape;
}

/* Keeps the smallest of them. `shapes` is a set, rising. */
static bool keep(th__arena *arena, const th__key_vec *shapes, th__sketch *out)
{
    bool whole = shapes->len <= TH__SKETCH_MOST;
    size_t count = whole ? shapes->len : TH__SKETCH_MOST;
    uint64_t *kept = th__arena_alloc(arena, (count + 1) * sizeof *kept);
    if (!kept)
        return false;
    if (count)
        memcpy(kept, shapes->data, count * sizeof *kept);
    *out = (th__sketch){kept, (uint32_t)count, whole ? UINT64_MAX : kept[count - 1]};
    return true;
}

/* Twice the number that is kept is sorted at a time, so that a page of millions of elements costs
 * no more an element than a small one. */
static bool add(th__key_vec *shapes, uint64_t shape)
{
    if (shapes->len == 2 * TH__SKETCH_MOST) {
        th__key_vec_sort(shapes);
        if (shapes->len > TH__SKETCH_MOST + 1)
            shapes->len = TH__SKETCH_MOST + 1; /* one more tells that there are more */
    }
    return th__vec_push(shapes, shape);
}

bool th__sketch_make(th__arena *arena, const th_page *page, th__sketch *out)
{
    th__key_vec shapes = {0};
    uint64_t *hashes = th__mem_alloc(page->node_count * sizeof *hashes);
    bool ok = hashes && th__vec_reserve(&shapes, 2 * TH__SKETCH_MOST);
    if (ok)
        hashes[0] = 0;
    for (uint32_t n = 1; ok && n < page->node_count; n++) {
        hashes[n] = th__node_hash(page, n);
        ok = add(&shapes, shape_of(page, hashes, n));
    }
    th__key_vec_sort(&shapes);
    ok = ok && keep(arena, &shapes, out);
    th__vec_release(&shapes);
    th__mem_free(hashes);
    return ok;
}
