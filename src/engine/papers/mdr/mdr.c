/*
 * mdr.c: MDR: data regions and data records of a page.
 *
 * Paper
 *   Bing Liu, Robert Grossman, Yanhong Zhai: Mining Data Records in Web Pages. KDD 2003.
 *
 * The idea
 *   Records of one kind are side by side below one parent, and their tags are alike. So compare
 *   neighbouring children of every node, and neighbouring pairs, triples, ... up to K of them, by
 *   the edit distance of their tag strings. A run of similar neighbours is a data region. A region
 *   within another is covered by it. Records are then the region's nodes, or their children.
 *
 * Worked example
 *   <table>                        node   children
 *     <tr><td><b>A</b><td>1        tr 1   td b td
 *     <tr><td><b>B</b><td>2        tr 2   td b td
 *     <tr><td colspan=2><hr>       tr 3   td hr
 *   Below the table: (tr 1, tr 2) have the tag strings "tr td b td" twice, distance 0; (tr 2, tr 3)
 *   "tr td b td" and "tr td hr", distance 2 / 3.5 = 0.57 > 0.3. IdentDRs gives the region
 *   (1, 1, 2): combinations of one node, from child 1 on, two nodes. FindRecords-1: the children of
 *   tr 1, "td b" and "td", are at 1 / 1.5: not similar. So each row is a record.
 *
 * Glossary
 *   tag string         the tags of a subtree in order; a slice of the tree's array
 *   generalized node   one or several adjacent siblings; a "node combination"
 *   data region        two or more adjacent generalized nodes of the same number of nodes, each
 *                      similar to the next; (nodes of one, first child, nodes in all)
 *   data record        what describes one object: a generalized node or a part of it; its pieces
 *                      need not be contiguous in the page
 *   to cover           a region covers those that lie inside its nodes
 *
 * Errata (mended in every mode)
 *   CombComp, line 5: k < Size loses the last pair; k <= Size. IdentDRs: curDR is fresh for each
 *   start, and a region that reaches the last child is returned too. TreeDepth leaves no distances
 *   below shallow nodes, though FindRecords wants them: distances are computed when asked for.
 *
 * Deviations, each a switch of th__mdr_options
 *   every_tag    the paper forms records of table and form tags alone and names the rest as future
 *                work. Off: a node of another tag is similar to nothing.
 *   cut_once     "children similar" is decided for a region by most of its generalized nodes, so
 *                that one odd row is not cut in another way than its neighbours.
 *   join_split   a list that something else splits is one region: see below.
 *   same_class   siblings of one tag and class may differ more: see alike.
 *   true_period  the nodes of a combination that are like each other are taken one by one: see
 *                find_period. On today's pages this is worth more than all the rest.
 *   nested       the paper drops covered regions. They are kept, marked as covered: layout tables
 *                are similar to each other too, and the list is inside one of them.
 *   In any mode tag strings above compare_limit are compared by tag counts (mdr_tree.c) and
 *   orphans are sought near their region: both keep hostile pages linear.
 *
 * The files
 *   mdr_tree.c     tag trees, similar strings, how records lie in generalized nodes (3.1, 3.2.1)
 *   mdr.c          this one: data regions and records (3.2.3 to 3.4), and which region is best
 *   mdr_rule.c     a region as a rule for other pages, and the engine
 *
 * Cost
 *   Comparisons: at most K for each node of the page, and on a list hardly more than one. One of
 *   strings of length n: n * (T n / 64) steps, with n at most compare_limit. All else is linear in
 *   the nodes, and so is memory: 21 bytes a node.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "engine/papers/mdr/mdr.h"
#include "page/tags.h"
#include "page/text.h"

#define PARAMETERS .combination = 10, .threshold = 0.3, .tree_depth = 3, .class_threshold = 0.8

const th__mdr_options th__mdr_ours = {
    PARAMETERS,
    .compare_limit = TH__MDR_COMPARE_LIMIT,
    .join_adjacent = true,
    .orphans = true,
    .every_tag = true,
    .cut_once = true,
    .join_split = true,
    .same_class = true,
    .true_period = true,
    .nested = true,
};
const th__mdr_options th__mdr_paper = {
    PARAMETERS,
    .compare_limit = TH__MDR_COMPARE_LIMIT_PAPER,
    .join_adjacent = true,
    .orphans = true,
};

const th__mdr_switch th__mdr_switches[] = {
    {"join_adjacent", offsetof(th__mdr_options, join_adjacent)},
    {"orphans", offsetof(th__mdr_options, orphans)},
    {"every_tag", offsetof(th__mdr_options, every_tag)},
    {"cut_once", offsetof(th__mdr_options, cut_once)},
    {"join_split", offsetof(th__mdr_options, join_split)},
    {"same_class", offsetof(th__mdr_options, same_class)},
    {"true_period", offsetof(th__mdr_options, true_period)},
    {"nested", offsetof(th__mdr_options, nested)},
};
const size_t th__mdr_switch_count = sizeof th__mdr_switches / sizeof *th__mdr_switches;

const char *const th__mdr_cut_names[] = {"whole", "children", "columns", "mixed", NULL};

/* ---- which combinations are alike ------------------------------------------------------------ */

/*
 * True if the combinations of `size` siblings from a and from b on are similar: their tag strings
 * are; or, with same_class, each node has the tag and the class of its counterpart, and the strings
 * are within class_threshold. Records of one list differ in length more than T allows (with a
 * picture, without one), but the site's own style sheet calls them the same. Classes agree if at
 * least half of the shorter list is in the longer: "item odd" and "item even".
 */
static bool alike(th__mdr_compare *compare, uint32_t a, uint32_t b, uint32_t size)
{
    const th__mdr_tree *tree = &compare->tree;
    th__symbols left, right;
    if (!th__mdr_combination(compare, a, size, &left) ||
        !th__mdr_combination(compare, b, size, &right))
        return false;
    if (th__mdr_similar(compare, left, right))
        return true;
    double threshold = compare->options->class_threshold;
    uint32_t longer = left.len > right.len ? left.len - right.len : right.len - left.len;
    if (!compare->options->same_class ||
        2.0 * longer > threshold * (1 + 1e-12) * ((double)left.len + right.len))
        return false; /* the lengths differ too much, before classes are read */
    bool named = false;
    for (uint32_t i = 0; i < size; i++, a = tree->end[a], b = tree->end[b]) {
        th__mdr_classes x = th__mdr_classes_of(tree->page, tree->node[a]);
        th__mdr_classes y = th__mdr_classes_of(tree->page, tree->node[b]);
        bool none = !x.count && !y.count;
        if (tree->tags[a] != tree->tags[b] || !(none || th__mdr_classes_share(&x, &y)))
            return false;
        named = named || !none;
    }
    return named && th__mdr_within(compare, left, right, threshold, NULL);
}

/* ---- data regions: FindDRs, IdentDRs and UnCoveredDRs. --------------------------------------
 *
 * IdentDRs in print runs through all children for each start, each size and each region found:
 * with n / 2 small regions that is quadratic. Three observations make it linear and change nothing:
 *
 *  1. A region is taken only when it starts no later than the best so far: the search for its first
 *     pair stops there.
 *  2. It must also cover more. One comparison at its far end shows if it can.
 *  3. The start only moves right: what was seen to be dissimilar need not be looked at again. One
 *     cursor for each size and remainder remembers how far that is.
 */

/* A data region of the tree. */
typedef struct th__mdr_candidate {
    th__mdr_triple triple;
    uint32_t parent, first; /* nodes of the tree: the parent and the first child covered */
    uint32_t after;         /* the node after the last child covered: one past its subtree */
    uint32_t covering;      /* index of the candidate in whose range it lies, or NONE */
    bool joined;            /* one region with the candidate before it */
} th__mdr_candidate;

typedef TH__VEC(th__mdr_candidate) th__mdr_candidates;

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
        for (uint32_t first = start; first <= start + size && first + 2 * size <= n; first++)
            try_start(s, size, first);
        if (s->best.start == start && s->best.count == n - start)
            break; /* no other can be larger */
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

enum { UNKNOWN, YES, NO };

typedef TH__VEC(uint32_t) node_list;

/* Makes a list that of the children of a node, unless it is. False if out of memory. */
static bool list_children(const th__mdr_tree *tree, uint32_t node, node_list *out)
{
    if (out->len && tree->parent[out->data[0]] == node)
        return true;
    out->len = 0;
    if (!th__vec_reserve(out, tree->kids[node]))
        return false;
    for (uint32_t child = node + 1; child < tree->end[node]; child = tree->end[child])
        out->data[out->len++] = child;
    return true;
}

typedef struct below {
    th__mdr_compare *compare;
    node_list children;
    TH__VEC(uint8_t) known; /* by size and child */
} below;

static bool similar_below(void *context, uint32_t size, uint32_t child)
{
    below *b = context;
    uint8_t *known = &b->known.data[(size_t)(size - 1) * b->children.len + child];
    if (*known == UNKNOWN)
        *known = alike(b->compare, b->children.data[child], b->children.data[child + size], size)
                     ? YES
                     : NO;
    return *known == YES;
}

static bool enter(below *b, uint32_t node, uint32_t k)
{
    size_t pairs = (size_t)b->compare->tree.kids[node] * k;
    b->known.len = 0;
    if (!list_children(&b->compare->tree, node, &b->children) || !th__vec_reserve(&b->known, pairs))
        return false;
    if (pairs)
        memset(b->known.data, UNKNOWN, pairs);
    return true;
}

/*
 * The true period (true_period, ours). If records differ in length, neighbours may be too
 * dissimilar while five of them are similar to the next five: IdentDRs then takes a combination of
 * five. In a list whose records really have several nodes, a node is like its counterpart in the
 * next record and unlike its neighbour. So the distances at each lag up to the combination are
 * compared: the period is the smallest lag at which most nodes are within T of each other, or about
 * as near as at the best lag. A node among single nodes with another tag than most (an advert, a
 * heading) belongs to no record.
 */
enum { PERIOD_SAMPLE = 24 };
#define PERIOD_SLACK 2.0
#define PERIOD_SHARE 0.67 /* of the pairs at a lag are within the usual distance */

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return th__order(left, right);
}

/* The normalized distance of two strings, at most 1. */
static double distance_of(th__mdr_compare *compare, th__symbols left, th__symbols right)
{
    double distance;
    return th__mdr_within(compare, left, right, 1, &distance) ? distance : 1;
}

/* Most pairs at a lag are within this distance. */
static double usual_distance(below *b, const th__mdr_triple *t, uint32_t lag)
{
    const uint32_t *children = b->children.data + t->start;
    const uint32_t *tags = b->compare->tree.tags;
    uint32_t pairs = t->count - lag, step = pairs / PERIOD_SAMPLE + 1, count = 0;
    double found[PERIOD_SAMPLE];
    for (uint32_t i = 0; i < pairs; i += step) {
        uint32_t left = children[i], right = children[i + lag];
        th__symbols x, y;
        bool same = tags[left] == tags[right] && th__mdr_combination(b->compare, left, 1, &x) &&
                    th__mdr_combination(b->compare, right, 1, &y);
        found[count++] = same ? distance_of(b->compare, x, y) : 1;
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
    th__mdr_candidate candidate = {t, node, first, b->compare->tree.end[last], covering, joined};
    return th__vec_push(out, candidate);
}

/* The nodes of a region one by one, those with the tag of most of them. */
static bool add_single_nodes(below *b, const th__mdr_triple *t, uint32_t node, uint32_t covering,
                             th__mdr_candidates *out)
{
    const uint32_t *children = b->children.data;
    const uint32_t *tags = b->compare->tree.tags;
    uint32_t end = t->start + t->count, votes = 0;
    uint32_t most = 0;
    for (uint32_t i = t->start; i < end; i++) { /* majority vote */
        uint32_t tag = tags[children[i]];
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

/* ---- the steps, for the trace ---- */

static bool trace_tree(const th__mdr_tree *tree, th_trace *to)
{
    TH__VEC(uint32_t) levels = {0};
    bool ok = true;
    for (uint32_t n = 0; to && ok && n < tree->count; n++) {
        th__step step;
        uint32_t level = n ? levels.data[tree->parent[n]] + 1 : 0;
        ok = th__vec_push(&levels, level);
        th__step_begin(&step, to, "node", level);
        th__step_uint(&step, "number", n);
        th__step_text(&step, "tag", n ? th_tag_name((uint16_t)tree->tags[n]) : TH_STR("document"));
        th__step_uint(&step, "height", tree->depth[n]);
        th__step_place(&step, th_page_node_span(tree->page, tree->node[n]));
        th__step_end(&step);
    }
    th__vec_release(&levels);
    return ok;
}

/* CombComp (figure 6) below a node, in its order: the search itself computes only what it needs. */
static void trace_comparisons(below *b, uint32_t node, uint32_t k)
{
    th__mdr_compare *compare = b->compare;
    uint32_t count = (uint32_t)b->children.len;
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t size = i + 1; size <= k; size++)
            for (uint32_t at = i; at + 2 * size <= count; at += size) {
                uint32_t first = b->children.data[at], next = b->children.data[at + size];
                th__symbols left, right;
                th__step step;
                if (!th__mdr_combination(compare, first, size, &left) ||
                    !th__mdr_combination(compare, next, size, &right))
                    continue;
                th__step_begin(&step, compare->options->trace, "compare", 1);
                th__step_uint(&step, "node", node);
                th__step_uint(&step, "combination", size);
                th__step_uint(&step, "first", at + 1);
                th__step_uint(&step, "second", at + size + 1);
                th__step_real(&step, "distance", distance_of(compare, left, right));
                th__step_text(&step, "similar",
                              alike(compare, first, next, size) ? TH_STR("yes") : TH_STR("no"));
                th__step_end(&step);
            }
}

static void trace_triples(const below *b, uint32_t node, const th__mdr_triples *found)
{
    for (size_t i = 0; i < found->len; i++) {
        th__step step;
        th__step_begin(&step, b->compare->options->trace, "region", 1);
        th__step_uint(&step, "node", node);
        th__step_uint(&step, "combination", found->data[i].combination);
        th__step_uint(&step, "start", found->data[i].start + 1);
        th__step_uint(&step, "count", found->data[i].count);
        th__step_end(&step);
    }
}

/* Node.DRs: the candidates of one node. */
static bool add_regions(below *b, uint32_t node, uint32_t k, uint32_t covering,
                        th__mdr_triples *triples, th__mdr_candidates *out)
{
    uint32_t kids = b->compare->tree.kids[node];
    triples->len = 0;
    if (!enter(b, node, k) ||
        !th__mdr_ident(&(th__mdr_distances){kids, similar_below, b}, k, triples))
        return false;
    if (b->compare->options->trace) {
        trace_comparisons(b, node, k);
        trace_triples(b, node, triples);
    }
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

/* FindDRs: the regions of the whole tree in preorder of their parents. UnCoveredDRs, from the top
 * down: a child in the range of a region of its parent is covered by it, any other by what covers
 * its parent. */
static bool find_regions(th__mdr_compare *compare, th__arena *scratch, th__mdr_candidates *out)
{
    const th__mdr_options *options = compare->options;
    const th__mdr_tree *tree = &compare->tree;
    below b = {.compare = compare};
    th__mdr_triples triples = {0};
    uint32_t *covers = th__arena_zero(scratch, tree->count, sizeof *covers); /* by node, from 1 */
    bool ok = covers && trace_tree(tree, options->trace);
    for (uint32_t node = 0; ok && node < tree->count; node++) {
        covers[node] = covers[node] ? covers[node] : covers[tree->parent[node]];
        if (tree->depth[node] < options->tree_depth || tree->kids[node] < 2 ||
            (covers[node] && !options->nested))
            continue;
        uint32_t region = (uint32_t)out->len;
        ok = add_regions(&b, node, options->combination, covers[node] - 1, &triples, out);
        for (; ok && region < out->len; region++)
            for (uint32_t child = out->data[region].first; child < out->data[region].after;
                 child = tree->end[child])
                covers[child] = region + 1;
    }
    th__vec_release(&b.children);
    th__vec_release(&b.known);
    th__vec_release(&triples);
    return ok && !compare->no_memory;
}

/* ---- sections 3.3 and 3.4: from data regions to data records. -------------------------------
 *
 *     candidates ──join──▶ drafts ──cut──▶ records ──orphans──▶ records, more of them
 *
 * All of it works on nodes of the tree; only the result has nodes of the page.
 */

/* A region in the making: one candidate, or several that were joined. */
typedef struct mdr_draft {
    uint32_t head, tail; /* candidates; chained by mdr_work.next */
    uint32_t parts;
    bool zipped;
    bool data_table;
    bool dropped; /* its nodes are the records of the region that covers it */
    th__mdr_cut cut;
    uint32_t first_record, record_count, orphan_count; /* in mdr_work.list */
} mdr_draft;

typedef struct mdr_work {
    const th__mdr_tree *tree;
    const th__mdr_options *options;
    th__mdr_compare *compare;
    const th__mdr_candidates *candidates;
    uint32_t *next;  /* by candidate: the next part of its draft, or NONE */
    uint32_t *draft; /* by candidate: its draft */
    TH__VEC(mdr_draft) drafts;
    th__mdr_list list;       /* records */
    th__mdr_range_vec nodes; /* scratch: the generalized nodes of a draft */
    node_list children;      /* scratch: of one parent */
    th__mdr_tag_vec text[2]; /* scratch: tag strings of non-contiguous records */
    uint8_t *taken;          /* by node: in a region, or an orphan that was found */
} mdr_work;

/* ---- which candidate regions are one --------------------------------------------------------- */

/*
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
enum { LOOK_BACK = 3 }; /* drafts of the same parent that a candidate may continue */

static uint32_t node_count(const th__mdr_candidate *c)
{
    return c->triple.count / c->triple.combination;
}

static uint32_t last_combination(const th__mdr_tree *tree, const th__mdr_candidate *c)
{
    uint32_t node = c->first;
    for (uint32_t i = c->triple.combination; i < c->triple.count; i++)
        node = tree->end[node];
    return node;
}

/* The draft that a candidate continues, or NONE. */
static uint32_t continued(mdr_work *work, const th__mdr_candidate *c)
{
    if (c->joined)
        return work->draft[c - work->candidates->data - 1];
    if (!work->options->join_split)
        return TH__MDR_NONE;
    size_t len = work->drafts.len;
    for (size_t i = len; i > 0 && len - i < LOOK_BACK; i--) {
        const th__mdr_candidate *before = &work->candidates->data[work->drafts.data[i - 1].tail];
        if (before->parent != c->parent)
            break;
        if (before->triple.combination == c->triple.combination &&
            alike(work->compare, last_combination(work->tree, before), c->first,
                  c->triple.combination))
            return (uint32_t)i - 1;
    }
    return TH__MDR_NONE;
}

static void append(mdr_work *work, uint32_t draft, uint32_t candidate)
{
    mdr_draft *d = &work->drafts.data[draft];
    work->next[d->tail] = candidate;
    work->draft[candidate] = draft;
    d->tail = candidate;
    d->parts++;
}

static bool make_drafts(mdr_work *work)
{
    for (uint32_t i = 0; i < work->candidates->len; i++) {
        work->next[i] = TH__MDR_NONE;
        uint32_t draft = continued(work, &work->candidates->data[i]);
        if (draft != TH__MDR_NONE) {
            append(work, draft, i);
            continue;
        }
        work->draft[i] = (uint32_t)work->drafts.len;
        if (!th__vec_push(&work->drafts, (mdr_draft){.head = i, .tail = i, .parts = 1}))
            return false;
    }
    return true;
}

/* The first candidate below a parent, or NONE. They are in the order of their parents. */
static uint32_t first_below(const th__mdr_candidates *all, uint32_t parent)
{
    size_t first = th__count_first(i, all->len, all->data[i].parent < parent);
    return first < all->len && all->data[first].parent == parent ? (uint32_t)first : TH__MDR_NONE;
}

/* The candidate that begins where another ends, with nothing between, or NONE. */
static uint32_t adjacent(const mdr_work *work, uint32_t candidate)
{
    const th__mdr_tree *tree = work->tree;
    const th__mdr_candidate *c = &work->candidates->data[candidate], *next = c + 1;
    uint32_t after = c->after;
    if (after < tree->end[c->parent]) {
        bool found = candidate + 1 < work->candidates->len && next->parent == c->parent &&
                     next->first == after;
        return found ? candidate + 1 : TH__MDR_NONE;
    }
    /* The next row: the parents are siblings too, and nothing lies between the two regions. */
    if (after >= tree->count || tree->parent[after] != tree->parent[c->parent])
        return TH__MDR_NONE;
    uint32_t row = first_below(work->candidates, after);
    return row != TH__MDR_NONE && work->candidates->data[row].triple.start == 0 ? row
                                                                                : TH__MDR_NONE;
}

static bool belong_together(mdr_work *work, uint32_t a, uint32_t b)
{
    const th__mdr_candidate *left = &work->candidates->data[a], *right = &work->candidates->data[b];
    if (work->drafts.data[work->draft[b]].parts != 1 || node_count(left) != node_count(right) ||
        left->covering != right->covering)
        return false;
    uint32_t a_end = th__mdr_after(work->tree, left->first, left->triple.combination);
    uint32_t b_end = th__mdr_after(work->tree, right->first, right->triple.combination);
    return !th__mdr_similar(work->compare,
                            (th__symbols){work->tree->tags + left->first, a_end - left->first},
                            (th__symbols){work->tree->tags + right->first, b_end - right->first});
}

static void zip_adjacent(mdr_work *work)
{
    for (uint32_t i = 0; i < work->drafts.len; i++) {
        mdr_draft *d = &work->drafts.data[i];
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

static bool join_candidates(mdr_work *work)
{
    if (!make_drafts(work))
        return false;
    if (work->options->join_adjacent)
        zip_adjacent(work);
    return !work->compare->no_memory;
}

/* ---- records outside regions, section 3.4 ---------------------------------------------------- */

/*
 *     row 1   Object 1  Object 2
 *     row 2   Object 3  Object 4      rows 1 and 2 are a region whose records are cells
 *     row 3   Object 5                row 3 is unlike row 2, but its cell is like Object 4
 *
 * The siblings of a region's nodes that are in no region, and their children, are matched with the
 * record nearest to them. The paper looks at all siblings; we look at no more than
 * TH__MDR_ORPHAN_REACH to each side, and at all those between the parts of a split list, so that a
 * page of many small regions stays linear.
 */
typedef struct orphan_search {
    mdr_work *work;
    uint32_t combination;
    th__mdr_rough pattern; /* the record to match */
} orphan_search;

/* True if a record found inside siblings of the region is like the record to match: its tag string
 * is, or, for single nodes, the nodes are. *ok is false if out of memory. */
static bool is_like(orphan_search *s, th__mdr_rough found, bool *ok)
{
    mdr_work *work = s->work;
    const th__mdr_range *ranges = work->list.ranges.data;
    th__symbols wanted, own;
    if (s->pattern.range_count == 1)
        return alike(work->compare, ranges[s->pattern.range].first, ranges[found.range].first, 1);
    *ok = th__mdr_pieces(work->tree, ranges + s->pattern.range, s->pattern.range_count,
                         &work->text[0], &wanted) &&
          th__mdr_pieces(work->tree, ranges + found.range, found.range_count, &work->text[1], &own);
    return *ok && th__mdr_similar(work->compare, wanted, own);
}

/* The records inside of siblings: the k-th children of rows, or the children of one node. */
static bool match_inside(orphan_search *s, uint32_t first)
{
    th__mdr_list *list = &s->work->list;
    size_t kept = list->records.len, from = kept;
    bool ok =
        th__mdr_cut_inside(s->work->tree, first, s->combination, s->pattern.range_count > 1, list);
    for (size_t i = from; ok && i < list->records.len; i++)
        if (is_like(s, list->records.data[i], &ok))
            list->records.data[kept++] = list->records.data[i];
    list->records.len = kept;
    return ok;
}

/* Matches what starts at the child at an index; *used is the number of siblings taken. */
static bool match_at(orphan_search *s, const uint32_t *children, uint32_t count, uint32_t *used)
{
    mdr_work *work = s->work;
    size_t before = work->list.records.len;
    uint32_t size = s->combination;
    bool free = size <= count, ok = true;
    for (uint32_t i = 0; free && i < size; i++)
        free = !work->taken[children[i]];
    *used = 0;
    if (!free)
        return true;
    /* A match must have the form of the record: in a region of mixed cuts some are columns. */
    uint32_t pattern = work->list.ranges.data[s->pattern.range].first;
    bool whole = work->tree->parent[pattern] == work->tree->parent[children[0]];
    if (s->pattern.range_count > 1) {
        ok = match_inside(s, children[0]);
    } else if (whole && alike(work->compare, pattern, children[0], size)) {
        ok = th__mdr_cut_node(work->compare, children[0], size, TH__MDR_WHOLE, &work->list);
    } else if (size == 1) {
        ok = match_inside(s, children[0]);
    }
    if (work->list.records.len > before)
        *used = size;
    for (uint32_t i = 0; i < *used; i++)
        work->taken[children[i]] = 1;
    return ok;
}

/* Looks at the children from .. to of the region's parent. */
static bool match_gap(orphan_search *s, uint32_t from, uint32_t to)
{
    const uint32_t *children = s->work->children.data;
    while (from < to) {
        uint32_t used;
        if (!match_at(s, children + from, to - from, &used))
            return false;
        from += used ? used : 1;
    }
    return true;
}

/* Looks for records beside a draft, whose records are the last in work->list.records, and appends
 * them.
 */
static bool find_orphans(mdr_work *work, mdr_draft *draft)
{
    const th__mdr_candidate *head = &work->candidates->data[draft->head];
    if (head->triple.count == work->tree->kids[head->parent])
        return true; /* no sibling is outside */
    if (!list_children(work->tree, head->parent, &work->children))
        return false;
    size_t records = work->list.records.len;
    orphan_search s = {work, head->triple.combination,
                       work->list.records.data[draft->first_record]};
    uint32_t at = head->triple.start;
    if (!match_gap(&s, at > TH__MDR_ORPHAN_REACH ? at - TH__MDR_ORPHAN_REACH : 0, at))
        return false;
    s.pattern = work->list.records.data[records - 1];
    for (uint32_t c = draft->head; c != TH__MDR_NONE; c = work->next[c]) {
        const th__mdr_triple *t = &work->candidates->data[c].triple;
        uint32_t from = t->start + t->count, to = (uint32_t)work->children.len;
        if (work->next[c] != TH__MDR_NONE)
            to = work->candidates->data[work->next[c]].triple.start;
        else if (to - from > TH__MDR_ORPHAN_REACH)
            to = from + TH__MDR_ORPHAN_REACH;
        if (!match_gap(&s, from, to))
            return false;
    }
    draft->orphan_count = (uint32_t)(work->list.records.len - records);
    return true;
}

/* ---- the records of all regions -------------------------------------------------------------- */

/* Lists the generalized nodes of a draft, part by part. False if out of memory. */
static bool list_nodes(mdr_work *work, const mdr_draft *draft)
{
    work->nodes.len = 0;
    for (uint32_t c = draft->head; c != TH__MDR_NONE; c = work->next[c]) {
        const th__mdr_candidate *part = &work->candidates->data[c];
        for (uint32_t node = part->first, after; node < part->after; node = after) {
            after = th__mdr_after(work->tree, node, part->triple.combination);
            if (!th__vec_push(&work->nodes, ((th__mdr_range){node, after})))
                return false;
        }
    }
    return true;
}

/* Chooses one cut for the region if all its generalized nodes agree, or most do (cut_once). */
static void decide(const mdr_work *work, uint32_t size, mdr_draft *draft)
{
    size_t by_cut[TH__MDR_CUT_COUNT] = {0}, tables = 0, all = work->nodes.len;
    for (size_t i = 0; i < all; i++) {
        bool plain;
        by_cut[th__mdr_judge(work->compare, work->nodes.data[i].first, size, &plain)]++;
        tables += plain;
    }
    draft->data_table = 2 * tables > all;
    draft->cut = work->options->cut_once ? TH__MDR_WHOLE : TH__MDR_MIXED;
    for (int cut = 0; cut < TH__MDR_CUT_COUNT; cut++)
        if (by_cut[cut] == all || (work->options->cut_once && 2 * by_cut[cut] > all))
            draft->cut = (th__mdr_cut)cut;
}

/* Cuts the generalized nodes of a region into records. */
static bool cut_nodes(mdr_work *work, mdr_draft *draft)
{
    uint32_t size = work->candidates->data[draft->head].triple.combination;
    bool ok = true;
    decide(work, size, draft);
    for (size_t i = 0; ok && i < work->nodes.len; i++)
        ok = th__mdr_cut_node(work->compare, work->nodes.data[i].first, size, draft->cut,
                              &work->list);
    return ok;
}

/* Record k is the k-th generalized node of every part. */
static bool zip_records(mdr_work *work, const mdr_draft *draft)
{
    size_t count = work->nodes.len / draft->parts;
    bool ok = true;
    for (size_t k = 0; ok && k < count; k++) {
        th__mdr_rough record = {(uint32_t)work->list.ranges.len, draft->parts};
        ok = th__vec_push(&work->list.records, record);
        for (uint32_t part = 0; ok && part < draft->parts; part++)
            ok = th__vec_push(&work->list.ranges, work->nodes.data[part * count + k]);
    }
    return ok;
}

/* True if a region's nodes are already records of the region that covers it. */
static bool is_repeated(const mdr_work *work, const mdr_draft *draft)
{
    const th__mdr_candidate *c = &work->candidates->data[draft->head];
    if (c->covering == TH__MDR_NONE)
        return false;
    const th__mdr_candidate *above = &work->candidates->data[c->covering];
    const mdr_draft *covering = &work->drafts.data[work->draft[c->covering]];
    return work->tree->parent[c->parent] == above->parent && covering->cut != TH__MDR_WHOLE &&
           c->triple.combination == 1;
}

/* Traces which case of FindRecords (figures 12 and 15) a region is, and its records. */
static void trace_records(const mdr_work *work, const mdr_draft *draft)
{
    static const char *const single[] = {"FindRecords-1, line 4: each node is a record",
                                         "FindRecords-1, line 3: each child of a node is a record"};
    static const char *const several[] = {
        "FindRecords-n, line 3: each combination is a record", "",
        "FindRecords-n, line 2: the corresponding children of its nodes are a record"};
    const th__mdr_candidate *head = &work->candidates->data[draft->head];
    th__step step;
    th__step_begin(&step, work->options->trace, "records", 1);
    th__step_uint(&step, "node", head->parent);
    th__step_uint(&step, "start", head->triple.start + 1);
    th__step_uint(&step, "count", draft->record_count);
    th__step_uint(&step, "outside", draft->orphan_count);
    th__step_text(&step, "case",
                  th_str_from(draft->zipped
                                  ? "adjacent regions: the corresponding nodes are a record"
                              : draft->cut == TH__MDR_MIXED  ? "decided for each node"
                              : head->triple.combination > 1 ? several[draft->cut]
                              : draft->data_table
                                  ? "FindRecords-1, line 4: each row of a data table is a record"
                                  : single[draft->cut]));
    th__step_end(&step);
}

static bool cut_records(mdr_work *work)
{
    for (size_t i = 0; i < work->drafts.len; i++) {
        mdr_draft *draft = &work->drafts.data[i];
        draft->dropped = draft->dropped || is_repeated(work, draft);
        if (draft->dropped)
            continue;
        draft->first_record = (uint32_t)work->list.records.len;
        bool ok = list_nodes(work, draft) &&
                  (draft->zipped ? zip_records(work, draft) : cut_nodes(work, draft));
        if (ok && !draft->zipped && work->options->orphans)
            ok = find_orphans(work, draft);
        if (!ok || work->compare->no_memory)
            return false;
        draft->record_count = (uint32_t)work->list.records.len - draft->first_record;
        trace_records(work, draft);
    }
    return true;
}

static int by_place(const void *a, const void *b)
{
    uint32_t left = ((const th__mdr_record *)a)->ranges[0].first;
    uint32_t right = ((const th__mdr_record *)b)->ranges[0].first;
    return th__order(left, right);
}

static bool copy_region(const mdr_work *work, const mdr_draft *draft, th__mdr_record *records,
                        th__arena *arena, th__mdr_region *out)
{
    th__mdr_part *parts = th__arena_alloc(arena, draft->parts * sizeof *parts);
    if (!parts)
        return false;
    uint32_t part = 0;
    for (uint32_t c = draft->head; c != TH__MDR_NONE; c = work->next[c]) {
        const th__mdr_candidate *from = &work->candidates->data[c];
        parts[part++] =
            (th__mdr_part){work->tree->node[from->parent], from->triple.combination,
                           from->triple.start, from->triple.count, work->tree->node[from->first]};
    }
    if (draft->orphan_count)
        qsort(records, draft->record_count, sizeof *records, by_place);
    *out = (th__mdr_region){.parts = parts,
                            .part_count = draft->parts,
                            .zipped = draft->zipped,
                            .data_table = draft->data_table,
                            .cut = draft->cut,
                            .records = records,
                            .record_count = draft->record_count,
                            .orphan_count = draft->orphan_count};
    return true;
}

static bool fill_result(const mdr_work *work, th__mdr_result *result)
{
    th__arena *arena = &result->arena;
    th__mdr_record *records = th__mdr_list_on_page(work->tree, &work->list, arena);
    result->regions = th__arena_alloc(arena, work->drafts.len * sizeof *result->regions);
    bool ok = records && result->regions;
    for (size_t i = 0; ok && i < work->drafts.len; i++) {
        const mdr_draft *draft = &work->drafts.data[i];
        if (!draft->dropped)
            ok = copy_region(work, draft, records + draft->first_record, arena,
                             &result->regions[result->region_count++]);
    }
    return ok;
}

static bool prepare(mdr_work *work, th__arena *scratch)
{
    size_t count = work->candidates->len;
    work->next = th__arena_alloc(scratch, count * sizeof *work->next);
    work->draft = th__arena_alloc(scratch, count * sizeof *work->draft);
    work->taken = th__arena_zero(scratch, work->tree->count, 1);
    if (!work->next || !work->draft || !work->taken)
        return false;
    for (size_t i = 0; i < count; i++) {
        const th__mdr_candidate *c = &work->candidates->data[i];
        for (uint32_t node = c->first; node < c->after; node = work->tree->end[node])
            work->taken[node] = 1;
    }
    return true;
}

/* Finds data regions, makes records of them, and puts both into the result. False if out of
 * memory. */
static bool search(th__mdr_compare *compare, th__arena *scratch, th__mdr_result *result)
{
    th__mdr_candidates candidates = {0};
    mdr_work work = {.tree = &compare->tree,
                     .options = compare->options,
                     .compare = compare,
                     .candidates = &candidates};
    bool ok = find_regions(compare, scratch, &candidates) && prepare(&work, scratch) &&
              join_candidates(&work) && cut_records(&work) && fill_result(&work, result);
    th__vec_release(&work.drafts);
    th__vec_release(&work.list.ranges);
    th__vec_release(&work.list.records);
    th__vec_release(&work.nodes);
    th__vec_release(&work.children);
    th__vec_release(&work.text[0]);
    th__vec_release(&work.text[1]);
    th__vec_release(&candidates);
    return ok;
}

/* ---- ranking (ours: the paper reports all regions) ------------------------------------------- */

th__mdr_range th__mdr_range_tokens(const th_page *page, th__mdr_range range)
{
    return (th__mdr_range){page->nodes[range.first].token,
                           page->nodes[th__mdr_last_node(page, range)].token_end};
}

void th__mdr_each_text(const th_page *page, const th__mdr_record *record,
                       void (*visit)(void *context, th_str text), void *context)
{
    for (uint32_t i = 0; i < record->range_count; i++) {
        th__mdr_range tokens = th__mdr_range_tokens(page, record->ranges[i]);
        for (uint32_t t = tokens.first; t < tokens.end;) {
            const th_token *token = &page->tokens[t];
            if (token->kind == TH_TOKEN_TEXT && !(token->flags & TH_TOKEN_BLANK))
                visit(context, th__token_text(page, t));
            t = token->kind == TH_TOKEN_START ? th__hidden_end(page, t) : t + 1;
        }
    }
}

static void count_text(void *context, th_str text)
{
    *(size_t *)context += th__str_trim(text).len;
}

static int by_score(const void *a, const void *b)
{
    const th__mdr_ranked *left = a, *right = b;
    return th__order(right->score, left->score) ?: th__order(left->region, right->region);
}

/* The weight of a picture, in characters: lists of pictures alone rank below those with text. */
#define PICTURE 0.001

static uint32_t pictures(const th_page *page, const th__mdr_region *region)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < region->record_count; r++)
        for (uint32_t i = 0; i < region->records[r].range_count; i++) {
            th__mdr_range range = region->records[r].ranges[i];
            for (uint32_t node = range.first; node < range.end; node++)
                count += page->tags[node] == TH_TAG_IMG;
        }
    return count;
}

/* Fills in result->ranked. False if out of memory. */
static bool rank_regions(const th_page *page, th__mdr_result *result)
{
    size_t count = result->region_count;
    th__mdr_ranked *ranked = th__arena_alloc(&result->arena, (count + 1) * sizeof *ranked);
    result->ranked = ranked;
    if (!ranked)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const th__mdr_region *region = &result->regions[i];
        size_t text = 0;
        for (uint32_t r = 0; r < region->record_count; r++)
            th__mdr_each_text(page, &region->records[r], count_text, &text);
        double weight = text ? (double)text : PICTURE * pictures(page, region);
        ranked[i] = (th__mdr_ranked){i, weight * log(1 + region->record_count)};
    }
    qsort(ranked, count, sizeof *ranked, by_score);
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

th_status th__mdr_find(const th_page *page, const th__mdr_options *options, th__mdr_result **out,
                       th_error *err)
{
    options = options ? options : &th__mdr_ours;
    *out = NULL;
    th__mdr_result *result = TH__NEW(th__mdr_result);
    if (!result)
        return th__fail_memory(err);
    th__arena_init(&result->arena);
    th__arena scratch;
    th__arena_init(&scratch);
    th__mdr_compare compare;
    bool ok = th__mdr_compare_init(&compare, page, options, &scratch) &&
              search(&compare, &scratch, result) && rank_regions(page, result);
    th__mdr_compare_release(&compare);
    th__arena_release(&scratch);
    if (!ok) {
        th__mdr_result_free(result);
        return th__fail_memory(err);
    }
    *out = result;
    return TH_OK;
}

void th__mdr_result_free(th__mdr_result *result)
{
    if (!result)
        return;
    th__arena_release(&result->arena);
    th__mem_free(result);
}
