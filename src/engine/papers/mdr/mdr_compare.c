/* mdr_compare.c: see mdr_compare.h. */
#include "engine/papers/mdr/mdr_compare.h"

#include "base/mem.h"
#include "base/str.h"
#include "engine/papers/mdr/mdr_class.h"

/* What is known of two siblings: two answers, each with a bit that it is there. */
enum { SIMILAR_KNOWN = 1, SIMILAR = 2, ALIKE_KNOWN = 4, ALIKE = 8 };

bool th__mdr_compare_init(th__mdr_compare *compare, const th__mdr_tree *tree,
                          const th__mdr_options *options, th__arena *arena)
{
    *compare = (th__mdr_compare){.tree = tree, .options = options};
    th__edit_init(&compare->edit);
    compare->next = th__arena_zero(arena, tree->count, 1);
    compare->memo = th__arena_zero(arena, TH__MDR_MEMO_SLOTS, sizeof *compare->memo);
    return compare->next && compare->memo;
}

void th__mdr_compare_release(th__mdr_compare *compare)
{
    th__edit_release(&compare->edit);
    th__mem_free(compare->counts);
}

/* max(|A \ B|, |B \ A|) of the bags of tags: no edit distance is smaller. */
static uint32_t bag_distance(th__mdr_compare *compare, th__symbols a, th__symbols b)
{
    if (!compare->counts)
        compare->counts = th__mem_zero(UINT16_MAX + 1, sizeof *compare->counts);
    if (!compare->counts)
        return TH__EDIT_NO_MEMORY;
    uint32_t only_a = 0, only_b = 0;
    for (uint32_t i = 0; i < a.len; i++)
        compare->counts[th__symbol_at(a, i)]++;
    for (uint32_t i = 0; i < b.len; i++)
        compare->counts[th__symbol_at(b, i)]--;
    for (uint32_t i = 0; i < a.len; i++) {
        int32_t *count = &compare->counts[th__symbol_at(a, i)];
        only_a += *count > 0 ? (uint32_t)*count : 0;
        *count = *count > 0 ? 0 : *count;
    }
    for (uint32_t i = 0; i < b.len; i++) {
        int32_t *count = &compare->counts[th__symbol_at(b, i)];
        only_b += *count < 0 ? (uint32_t) - *count : 0;
        *count = 0;
    }
    return only_a > only_b ? only_a : only_b;
}

static uint32_t compute(th__mdr_compare *compare, th__symbols a, th__symbols b, uint32_t bound)
{
    uint32_t limit = compare->options->compare_limit;
    uint32_t distance = a.len > limit || b.len > limit
                            ? bag_distance(compare, a, b)
                            : th__edit_distance(&compare->edit, a, b, bound);
    compare->computed++;
    if (distance == TH__EDIT_NO_MEMORY)
        compare->no_memory = true;
    return distance;
}

bool th__mdr_similar(th__mdr_compare *compare, th__symbols a, th__symbols b)
{
    uint32_t bound = th__edit_bound(a.len, b.len, compare->options->threshold);
    if ((a.len > b.len ? a.len - b.len : b.len - a.len) > bound)
        return false;
    if (a.len == b.len && !memcmp(a.ptr, b.ptr, a.len * sizeof(uint16_t)))
        return true;
    uint64_t hash_a = th__hash(a.ptr, a.len * sizeof(uint16_t));
    uint64_t hash_b = th__hash(b.ptr, b.len * sizeof(uint16_t));
    th__mdr_memo *memo = &compare->memo[th__hash_mix(hash_a, hash_b) % TH__MDR_MEMO_SLOTS];
    if (memo->a != hash_a || memo->b != hash_b)
        *memo = (th__mdr_memo){hash_a, hash_b, compute(compare, a, b, bound) <= bound};
    return memo->similar;
}

/* The string of `size` siblings. False when one of them has a tag that forms no records. */
static bool combination(const th__mdr_compare *compare, uint32_t first, uint32_t size,
                        th__symbols *out)
{
    const th__mdr_tree *tree = compare->tree;
    uint32_t node = first;
    for (uint32_t i = 0; i < size; i++) {
        if (!compare->options->every_tag && !th__mdr_is_table_tag(tree->tags[node]))
            return false;
        node = tree->end[node];
    }
    *out = th__symbols16(tree->tags + first, node - first);
    return true;
}

bool th__mdr_combinations_similar(th__mdr_compare *compare, uint32_t a, uint32_t b, uint32_t size)
{
    th__symbols left, right;
    return combination(compare, a, size, &left) && combination(compare, b, size, &right) &&
           th__mdr_similar(compare, left, right);
}

double th__mdr_distance(th__mdr_compare *compare, uint32_t a, uint32_t b)
{
    const th__mdr_tree *tree = compare->tree;
    th__symbols left = th__symbols16(tree->tags + a, tree->end[a] - a);
    th__symbols right = th__symbols16(tree->tags + b, tree->end[b] - b);
    uint32_t bound = (left.len + right.len) / 2;
    if ((left.len > right.len ? left.len - right.len : right.len - left.len) > bound)
        return 1;
    uint32_t distance = compute(compare, left, right, bound);
    return distance > bound ? 1 : 2.0 * distance / ((double)left.len + right.len);
}

/* ---- classes ---- */

bool th__mdr_combinations_alike(th__mdr_compare *compare, uint32_t a, uint32_t b, uint32_t size)
{
    const th__mdr_tree *tree = compare->tree;
    th__symbols left, right;
    if (!combination(compare, a, size, &left) || !combination(compare, b, size, &right))
        return false;
    if (th__mdr_similar(compare, left, right))
        return true;
    uint32_t bound = th__edit_bound(left.len, right.len, compare->options->class_threshold);
    if (!compare->options->same_class ||
        (left.len > right.len ? left.len - right.len : right.len - left.len) > bound)
        return false;
    bool named = false;
    for (uint32_t i = 0; i < size; i++, a = tree->end[a], b = tree->end[b]) {
        th__mdr_classes x = th__mdr_classes_of(tree->page, tree->node[a]);
        th__mdr_classes y = th__mdr_classes_of(tree->page, tree->node[b]);
        bool none = !x.count && !y.count;
        if (tree->tags[a] != tree->tags[b] || !(none || th__mdr_classes_alike(&x, &y)))
            return false;
        named = named || !none;
    }
    return named && compute(compare, left, right, bound) <= bound;
}

/* ---- siblings ---- */

static bool next_similar(th__mdr_compare *compare, uint32_t node)
{
    uint8_t *known = &compare->next[node];
    if (!(*known & SIMILAR_KNOWN))
        *known |=
            SIMILAR_KNOWN |
            (th__mdr_combinations_similar(compare, node, compare->tree->end[node], 1) ? SIMILAR
                                                                                      : 0);
    return *known & SIMILAR;
}

bool th__mdr_next_alike(th__mdr_compare *compare, uint32_t node)
{
    uint8_t *known = &compare->next[node];
    if (!(*known & ALIKE_KNOWN))
        *known |=
            ALIKE_KNOWN |
            (th__mdr_combinations_alike(compare, node, compare->tree->end[node], 1) ? ALIKE : 0);
    return *known & ALIKE;
}

bool th__mdr_children_similar(th__mdr_compare *compare, uint32_t node)
{
    const th__mdr_tree *tree = compare->tree;
    if (tree->kids[node] < 2)
        return false;
    for (uint32_t child = node + 1; tree->end[child] < tree->end[node]; child = tree->end[child])
        if (!next_similar(compare, child))
            return false;
    return true;
}

void th__mdr_comb_comp(uint32_t n, uint32_t k,
                       void (*compare)(void *context, uint32_t a, uint32_t b, uint32_t size),
                       void *context)
{
    for (uint32_t i = 1; i <= k; i++)
        for (uint32_t j = i; j <= k; j++)
            for (uint32_t at = i + j, start = i; at + j - 1 <= n; start = at, at += j)
                compare(context, start, at, j);
}
