/*
 * mdr_regions.c: data regions: FindDRs, IdentDRs and UnCoveredDRs.
 *
 * IdentDRs in print runs through all children for each start, each size and each region found:
 * with n / 2 small regions that is quadratic. Three observations make it linear and change nothing:
 *
 *  1. A region is taken only when it starts no later than the best so far: the search for its first
 *     pair stops there.
 *  2. It must also cover more. If it can is seen at its far end, by one look.
 *  3. The start only moves right: what was seen to be dissimilar need not be looked at again. One
 *     cursor for each size and remainder remembers how far that is.
 */
#include "engine/papers/mdr/mdr.h"

#include <stdlib.h>

typedef struct ident {
    const th__mdr_distances *distances;
    th__mdr_triple best;
    uint32_t cursor[TH__MDR_MAX_COMBINATION + 1][TH__MDR_MAX_COMBINATION];
} ident;

static bool similar(const ident *s, uint32_t size, uint32_t child)
{
    return s->distances->similar(s->distances->context, size, child);
}

/* Lines 4 to 16 for one size and one first child. */
static void try_start(ident *s, uint32_t size, uint32_t first)
{
    uint32_t n = s->distances->children;
    uint32_t last = s->best.count && s->best.start < n - 2 * size ? s->best.start : n - 2 * size;
    uint32_t *cursor = &s->cursor[size][first % size];
    if (*cursor < first)
        *cursor = first;
    while (*cursor <= last && !similar(s, size, *cursor))
        *cursor += size;
    uint32_t at = *cursor;
    if (at > last)
        return;
    uint32_t need = s->best.count / size + 1;
    need = need < 2 ? 2 : need;
    if ((uint64_t)need * size > n - at || !similar(s, size, at + (need - 2) * size))
        return;
    uint32_t count = 2 * size;
    while (count + size <= n - at && similar(s, size, at + count - size))
        count += size;
    if (count > s->best.count)
        s->best = (th__mdr_triple){size, at, count};
}

/* The next region from child `start` on: the smallest combination that covers the most. */
static void find_best(ident *s, uint32_t start, uint32_t k)
{
    uint32_t n = s->distances->children;
    s->best = (th__mdr_triple){0};
    for (uint32_t size = 1; size <= k && 2 * size <= n - start; size++) {
        for (uint32_t first = start; first < start + size && first + 2 * size <= n; first++)
            try_start(s, size, first);
        if (s->best.start == start && s->best.count == n - start)
            break; /* none can be larger */
    }
}

bool th__mdr_ident(const th__mdr_distances *distances, uint32_t k, th__mdr_triples *out)
{
    ident s = {.distances = distances};
    for (uint32_t size = 1; size <= k; size++)
        for (uint32_t rest = 0; rest < size; rest++)
            s.cursor[size][rest] = rest;
    for (uint32_t start = 0; start + 2 <= distances->children;) {
        find_best(&s, start, k);
        if (!s.best.count)
            break;
        if (!th__vec_push(out, s.best))
            return false;
        start = s.best.start + s.best.count;
    }
    return true;
}

/* ---- the distances below a node of the tree ---- */

enum { UNKNOWN, SIMILAR, DISSIMILAR };

typedef struct below {
    th__mdr_compare *compare;
    TH__VEC(uint32_t) children;
    TH__VEC(uint8_t) known; /* by size and child */
} below;

static bool similar_below(void *context, uint32_t size, uint32_t child)
{
    below *b = context;
    if (size == 1)
        return th__mdr_next_alike(b->compare, b->children.data[child]);
    uint8_t *known = &b->known.data[(size_t)(size - 2) * b->children.len + child];
    if (*known == UNKNOWN)
        *known = th__mdr_combinations_alike(b->compare, b->children.data[child],
                                            b->children.data[child + size], size)
                     ? SIMILAR
                     : DISSIMILAR;
    return *known == SIMILAR;
}

static bool enter(below *b, uint32_t node, uint32_t k)
{
    const th__mdr_tree *tree = b->compare->tree;
    b->children.len = b->known.len = 0;
    size_t pairs = (size_t)tree->kids[node] * (k - 1);
    if (!th__vec_reserve(&b->children, tree->kids[node]) || !th__vec_reserve(&b->known, pairs))
        return false;
    for (uint32_t child = node + 1; child < tree->end[node]; child = tree->end[child])
        b->children.data[b->children.len++] = child;
    if (pairs)
        memset(b->known.data, UNKNOWN, pairs);
    return true;
}

/*
 * The true period (true_period, ours). Where records differ in length, neighbours may be too
 * dissimilar while five of them are similar to the next five: IdentDRs then takes a combination of
 * five. In a list whose records really are several nodes, a node is like its counterpart in the
 * next record and unlike its neighbour. So the distances at each lag up to the combination are
 * looked at, and the smallest lag is the period at which most nodes are within T of each other, or
 * about as near as at the best lag. What is among single nodes and has another tag than
 * most of them (an advert, a heading) belongs to none.
 */
enum { PERIOD_SAMPLE = 24 };
#define PERIOD_SLACK 2.0
#define PERIOD_SHARE 0.67 /* of the pairs at a lag are as near as told */

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

/* Most pairs at a lag are within this distance. */
static double usual_distance(below *b, const th__mdr_triple *t, uint32_t lag)
{
    const uint32_t *children = b->children.data + t->start;
    const uint16_t *tags = b->compare->tree->tags;
    uint32_t pairs = t->count - lag, step = pairs / PERIOD_SAMPLE + 1, count = 0;
    double found[PERIOD_SAMPLE];
    for (uint32_t i = 0; i < pairs; i += step) {
        uint32_t left = children[i], right = children[i + lag];
        bool same = tags[left] == tags[right];
        found[count++] = same ? th__mdr_distance(b->compare, left, right) : 1;
    }
    qsort(found, count, sizeof *found, by_value);
    return found[(uint32_t)(PERIOD_SHARE * (count - 1) + 0.5)];
}

static uint32_t find_period(below *b, const th__mdr_triple *t)
{
    double at[TH__MDR_MAX_COMBINATION + 1], least = 1;
    for (uint32_t lag = 1; lag <= t->combination; lag++) {
        at[lag] = usual_distance(b, t, lag);
        least = at[lag] < least ? at[lag] : least;
    }
    double near = PERIOD_SLACK * least;
    if (near < b->compare->options->threshold)
        near = b->compare->options->threshold;
    uint32_t period = 1;
    while (period < t->combination && at[period] > near)
        period++;
    return period;
}

static bool add_candidate(below *b, th__mdr_triple t, uint32_t node, uint32_t covering, bool joined,
                          th__mdr_candidates *out)
{
    uint32_t first = b->children.data[t.start];
    uint32_t last = b->children.data[t.start + t.count - 1];
    th__mdr_candidate candidate = {t, node, first, b->compare->tree->end[last], covering, joined};
    return th__vec_push(out, candidate);
}

/* The nodes of a region one by one, those with the tag of most of them. */
static bool add_single_nodes(below *b, const th__mdr_triple *t, uint32_t node, uint32_t covering,
                             th__mdr_candidates *out)
{
    const uint32_t *children = b->children.data;
    const uint16_t *tags = b->compare->tree->tags;
    uint32_t end = t->start + t->count, votes = 0;
    uint16_t most = 0;
    for (uint32_t i = t->start; i < end; i++) { /* the majority's vote */
        uint16_t tag = tags[children[i]];
        most = votes ? most : tag;
        votes = tag == most ? votes + 1 : votes - 1;
    }
    bool joined = false;
    for (uint32_t i = t->start; i < end;) {
        uint32_t from = i;
        while (i < end && tags[children[i]] == most)
            i++;
        if (i > from) {
            if (!add_candidate(b, (th__mdr_triple){1, from, i - from}, node, covering, joined, out))
                return false;
            joined = true;
        }
        i += i < end;
    }
    return true;
}

/* Node.DRs: the candidates of one node. */
static bool add_regions(below *b, uint32_t node, uint32_t k, uint32_t covering,
                        th__mdr_triples *triples, th__mdr_candidates *out)
{
    uint32_t kids = b->compare->tree->kids[node];
    triples->len = 0;
    if (!enter(b, node, k) ||
        !th__mdr_ident(&(th__mdr_distances){kids, similar_below, b}, k, triples))
        return false;
    for (size_t i = 0; i < triples->len; i++) {
        th__mdr_triple t = triples->data[i];
        uint32_t period = t.combination;
        if (period > 1 && b->compare->options->true_period)
            period = find_period(b, &t);
        bool ok;
        if (period == 1 && t.combination > 1) {
            ok = add_single_nodes(b, &t, node, covering, out);
        } else {
            t.combination = period;
            t.count -= t.count % period;
            ok = add_candidate(b, t, node, covering, false, out);
        }
        if (!ok)
            return false;
    }
    return true;
}

/*
 * UnCoveredDRs, from the top down: a child in the range of a region of its parent is covered by it,
 * any other by what covers its parent. A frame is a node on the way down that has regions.
 */
typedef struct covering_frame {
    uint32_t end;       /* one past the node's subtree */
    uint32_t at, after; /* its regions: the next or present one, and one past the last */
    uint32_t covering;  /* what covers the node itself */
} covering_frame;

typedef TH__VEC(covering_frame) covering_frames;

/* The region that covers a node, or NONE. Nodes are asked for in preorder. */
static uint32_t covering(covering_frames *open, const th__mdr_candidates *found, uint32_t node)
{
    while (open->len && open->data[open->len - 1].end <= node)
        open->len--;
    if (!open->len)
        return TH__MDR_NONE;
    covering_frame *f = &open->data[open->len - 1];
    while (f->at < f->after && found->data[f->at].after <= node)
        f->at++;
    return f->at < f->after && found->data[f->at].first <= node ? f->at : f->covering;
}

bool th__mdr_find_regions(th__mdr_compare *compare, const th__mdr_options *options,
                          th__mdr_candidates *out)
{
    const th__mdr_tree *tree = compare->tree;
    below b = {.compare = compare};
    covering_frames open = {0};
    th__mdr_triples triples = {0};
    bool ok = true;
    for (uint32_t node = 0; ok && node < tree->count; node++) {
        if (tree->depth[node] < options->tree_depth || tree->kids[node] < 2)
            continue;
        uint32_t above = covering(&open, out, node), from = (uint32_t)out->len;
        if (above != TH__MDR_NONE && !options->nested)
            continue;
        ok = add_regions(&b, node, options->combination, above, &triples, out);
        if (ok && out->len > from)
            ok = th__vec_push(&open,
                              (covering_frame){tree->end[node], from, (uint32_t)out->len, above});
    }
    th__vec_release(&b.children);
    th__vec_release(&b.known);
    th__vec_release(&open);
    th__vec_release(&triples);
    return ok && !compare->no_memory;
}
