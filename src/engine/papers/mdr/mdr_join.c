/*
 * mdr_join.c: which candidate regions are one.
 *
 * Split lists (join_split, ours). Something else between two records ends a region: an advert, a
 * heading, one odd record. Regions of one parent with the same number of nodes a generalized node,
 * whose facing generalized nodes are similar, are one list.
 *
 * Adjacent regions (join_adjacent, the second case of non-contiguous records). One row of names
 * above one row of descriptions: each row is a region of its own, nothing lies between them, they
 * have as many generalized nodes, and they are dissimilar. Record k is the k-th of each:
 *
 *     <tr> name 1        name 2            region A, below the first row
 *     <tr> description 1 description 2     region B, below the second
 */
#include "engine/papers/mdr/mdr_records.h"

enum { LOOK_BACK = 3 }; /* drafts of the same parent that a candidate may continue */

static uint32_t node_count(const th__mdr_candidate *c)
{
    return c->triple.count / c->triple.combination;
}

static uint32_t last_node(const th__mdr_tree *tree, const th__mdr_candidate *c)
{
    uint32_t node = c->first;
    for (uint32_t i = c->triple.combination; i < c->triple.count; i++)
        node = tree->end[node];
    return node;
}

/* The draft that a candidate continues, or NONE. */
static uint32_t continued(th__mdr_work *work, const th__mdr_candidate *c)
{
    if (c->joined)
        return work->draft[c - work->candidates.data - 1];
    if (!work->options->join_split)
        return TH__MDR_NONE;
    size_t len = work->drafts.len;
    for (size_t i = len; i > 0 && len - i < LOOK_BACK; i--) {
        const th__mdr_candidate *before = &work->candidates.data[work->drafts.data[i - 1].tail];
        if (before->parent != c->parent)
            break;
        if (before->triple.combination == c->triple.combination &&
            th__mdr_combinations_alike(&work->compare, last_node(work->tree, before), c->first,
                                       c->triple.combination))
            return (uint32_t)i - 1;
    }
    return TH__MDR_NONE;
}

static void append(th__mdr_work *work, uint32_t draft, uint32_t candidate)
{
    th__mdr_draft *d = &work->drafts.data[draft];
    work->next[d->tail] = candidate;
    work->draft[candidate] = draft;
    d->tail = candidate;
    d->parts++;
}

static bool make_drafts(th__mdr_work *work)
{
    for (uint32_t i = 0; i < work->candidates.len; i++) {
        work->next[i] = TH__MDR_NONE;
        uint32_t draft = continued(work, &work->candidates.data[i]);
        if (draft != TH__MDR_NONE) {
            append(work, draft, i);
            continue;
        }
        work->draft[i] = (uint32_t)work->drafts.len;
        if (!th__vec_push(&work->drafts, (th__mdr_draft){.head = i, .tail = i, .parts = 1}))
            return false;
    }
    return true;
}

/* The first candidate below a parent, or NONE. They are in the order of their parents. */
static uint32_t first_below(const th__mdr_candidates *candidates, uint32_t parent)
{
    size_t low = 0, high = candidates->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (candidates->data[middle].parent < parent)
            low = middle + 1;
        else
            high = middle;
    }
    return low < candidates->len && candidates->data[low].parent == parent ? (uint32_t)low
                                                                           : TH__MDR_NONE;
}

/* The candidate that begins where another ends, with nothing between, or NONE. */
static uint32_t adjacent(const th__mdr_work *work, uint32_t candidate)
{
    const th__mdr_tree *tree = work->tree;
    const th__mdr_candidate *c = &work->candidates.data[candidate], *next = c + 1;
    uint32_t after = c->after;
    if (after < tree->end[c->parent]) {
        bool found = candidate + 1 < work->candidates.len && next->parent == c->parent &&
                     next->first == after;
        return found ? candidate + 1 : TH__MDR_NONE;
    }
    /* The next row: the parents are siblings too, and both reach to where they meet. */
    if (after >= tree->count || tree->parent[after] != tree->parent[c->parent])
        return TH__MDR_NONE;
    uint32_t row = first_below(&work->candidates, after);
    return row != TH__MDR_NONE && work->candidates.data[row].triple.start == 0 ? row : TH__MDR_NONE;
}

static bool belong_together(th__mdr_work *work, uint32_t a, uint32_t b)
{
    const th__mdr_candidate *left = &work->candidates.data[a], *right = &work->candidates.data[b];
    if (work->drafts.data[work->draft[b]].parts != 1 || node_count(left) != node_count(right) ||
        left->covering != right->covering)
        return false;
    uint32_t a_end = th__mdr_after(work->tree, left->first, left->triple.combination);
    uint32_t b_end = th__mdr_after(work->tree, right->first, right->triple.combination);
    return !th__mdr_similar(&work->compare,
                            th__symbols16(work->tree->tags + left->first, a_end - left->first),
                            th__symbols16(work->tree->tags + right->first, b_end - right->first));
}

static void zip_adjacent(th__mdr_work *work)
{
    for (uint32_t i = 0; i < work->drafts.len; i++) {
        th__mdr_draft *d = &work->drafts.data[i];
        if (d->dropped || d->parts != 1)
            continue;
        for (;;) {
            uint32_t b = adjacent(work, d->tail);
            if (b == TH__MDR_NONE || work->draft[b] == i || !belong_together(work, d->tail, b))
                break;
            work->drafts.data[work->draft[b]].dropped = true;
            append(work, i, b);
            d->zipped = true;
        }
    }
}

bool th__mdr_join(th__mdr_work *work)
{
    if (!make_drafts(work))
        return false;
    if (work->options->join_adjacent)
        zip_adjacent(work);
    return !work->compare.no_memory;
}
