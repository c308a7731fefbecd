/* mdr_compare.c: see mdr_compare.h. */
#include "engine/mdr/mdr_compare.h"

#include "base/mem.h"
#include "base/str.h"

enum { UNKNOWN, SIMILAR, DISSIMILAR };

bool th__mdr_compare_init(th__mdr_compare *compare, const th__mdr_tree *tree, double threshold,
                          uint32_t limit, bool every_tag, th__arena *arena)
{
    *compare = (th__mdr_compare){
        .tree = tree, .threshold = threshold, .limit = limit, .every_tag = every_tag};
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

static bool compute(th__mdr_compare *compare, th__symbols a, th__symbols b, uint32_t bound)
{
    uint32_t distance = a.len > compare->limit || b.len > compare->limit
                            ? bag_distance(compare, a, b)
                            : th__edit_distance(&compare->edit, a, b, bound);
    compare->computed++;
    if (distance == TH__EDIT_NO_MEMORY)
        compare->no_memory = true;
    return distance <= bound;
}

bool th__mdr_similar(th__mdr_compare *compare, th__symbols a, th__symbols b)
{
    uint32_t bound = th__edit_bound(a.len, b.len, compare->threshold);
    if ((a.len > b.len ? a.len - b.len : b.len - a.len) > bound)
        return false;
    if (a.len == b.len && !memcmp(a.ptr, b.ptr, a.len * sizeof(uint16_t)))
        return true;
    uint64_t hash_a = th__hash(a.ptr, a.len * sizeof(uint16_t));
    uint64_t hash_b = th__hash(b.ptr, b.len * sizeof(uint16_t));
    th__mdr_memo *memo = &compare->memo[th__hash_mix(hash_a, hash_b) % TH__MDR_MEMO_SLOTS];
    if (memo->a != hash_a || memo->b != hash_b)
        *memo = (th__mdr_memo){hash_a, hash_b, compute(compare, a, b, bound)};
    return memo->similar;
}

/* The string of `size` siblings. False when one of them has a tag that forms no records. */
static bool combination(const th__mdr_compare *compare, uint32_t first, uint32_t size,
                        th__symbols *out)
{
    const th__mdr_tree *tree = compare->tree;
    uint32_t node = first;
    for (uint32_t i = 0; i < size; i++) {
        if (!compare->every_tag && !th__mdr_is_table_tag(tree->tags[node]))
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

bool th__mdr_next_similar(th__mdr_compare *compare, uint32_t node)
{
    uint8_t *known = &compare->next[node];
    if (*known == UNKNOWN)
        *known = th__mdr_combinations_similar(compare, node, compare->tree->end[node], 1)
                     ? SIMILAR
                     : DISSIMILAR;
    return *known == SIMILAR;
}

bool th__mdr_children_similar(th__mdr_compare *compare, uint32_t node)
{
    const th__mdr_tree *tree = compare->tree;
    if (tree->kids[node] < 2)
        return false;
    for (uint32_t child = node + 1; tree->end[child] < tree->end[node]; child = tree->end[child])
        if (!th__mdr_next_similar(compare, child))
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
