/*
 * iepad_rank.c: what a pattern is worth (ours: the paper leaves the choice to its user).
 *
 * A score is made of what a pattern covers, how regular it is, and whether its records fill the
 * element that they stand in. Between patterns of the same list that is not enough: one that leaves
 * out the records with a field more, or puts two into one, is firmer and longer than one that takes
 * them all. So the best pattern gives way to one that the tree shows (iepad_patterns.c) and that
 * covers at least as much,
 *   1. which has nearly all of its records, and more: those that it left out or swallowed;
 *   2. or whose records hold its records: it is about lists inside of records.
 */
#include <math.h>
#include <stdlib.h>

#include "engine/papers/iepad/iepad.h"
#include "page/tags.h"

/* Tags that end others of their kind, of the same rank or a lower one, where end tags are left out:
 * a row the cells before it. */
static const struct {
    uint8_t kind, rank;
} closing[TH_TAG_OTHER] = {
    [TH_TAG_TD] = {1, 1},    [TH_TAG_TH] = {1, 1},     [TH_TAG_TR] = {1, 2},
    [TH_TAG_TBODY] = {1, 3}, [TH_TAG_THEAD] = {1, 3},  [TH_TAG_TFOOT] = {1, 3},
    [TH_TAG_LI] = {2, 1},    [TH_TAG_DT] = {3, 1},     [TH_TAG_DD] = {3, 1},
    [TH_TAG_P] = {4, 1},     [TH_TAG_OPTION] = {5, 1},
};

/* Ends what a start tag ends; false when it ends something that it should stand in. */
static bool close_before(uint16_t tag, const uint16_t *open, uint32_t *depth)
{
    unsigned kind = tag < TH_TAG_OTHER ? closing[tag].kind : 0, rank = 0;
    while (kind && *depth && open[*depth - 1] < TH_TAG_OTHER &&
           closing[open[*depth - 1]].kind == kind &&
           closing[open[*depth - 1]].rank <= closing[tag].rank)
        rank = closing[open[--*depth]].rank;
    return !rank || *depth || rank == closing[tag].rank;
}

/* Walks the columns that are always there: tells if end tags follow their start tags, and how many
 * elements of the first one's tag stand side by side at the top. */
bool th__iepad_is_balanced(const th__pattern *pattern, uint32_t *tops)
{
    enum { DEEPEST = 64 };
    uint16_t open[DEEPEST], top = 0;
    uint32_t depth = 0, symbol;
    *tops = 0;
    for (uint32_t i = 0; i < pattern->len; i++) {
        if (!th__column_fixed(pattern, i, &symbol) || symbol == TH__IEPAD_TEXT)
            continue;
        uint16_t tag = th__iepad_symbol_tag(symbol);
        if (!(symbol & 1)) {
            if (!close_before(tag, open, &depth))
                return false;
            if (depth == 0 && !(th__tag_flags(tag) & TH_TAG_IS_VOID)) {
                top = top ? top : tag;
                *tops += tag == top;
            }
            if (th__tag_flags(tag) & TH_TAG_IS_VOID)
                continue;
            if (depth == DEEPEST)
                return false;
            open[depth++] = tag;
            continue;
        }
        while (depth > 0 && open[depth - 1] != tag) /* end tags may be left out: li, p, td */
            depth--;
        if (depth == 0)
            return false;
        depth--;
    }
    return true;
}

/* The element that holds most records, by vote and count (Boyer and Moore): right when there is a
 * majority, and else nothing depends on it. */
uint32_t th__iepad_parent(const th_page *page, const th__iepad_pattern *p)
{
    uint32_t parent = 0, votes = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t node = th__page_node_from(page, p->records[i].first);
        uint32_t own = node < page->node_count ? page->nodes[node].parent : 0;
        if (votes == 0)
            parent = own;
        votes += own == parent ? 1 : -1u;
    }
    return parent;
}

static double sibling_share(const th_page *page, const th__iepad_pattern *p)
{
    const th_node *nodes = page->nodes;
    uint32_t parent = th__iepad_parent(page, p), all = 0, inside = 0, record = 0;
    for (uint32_t child = parent + 1; child < nodes[parent].end; child = nodes[child].end) {
        while (record < p->count && p->records[record].last < nodes[child].token)
            record++;
        if (th__tag_flags(page->tags[child]) & (TH_TAG_IS_HIDDEN | TH_TAG_IS_HEAD))
            continue;
        all++;
        inside += record < p->count && p->records[record].first <= nodes[child].token;
    }
    return all ? (double)inside / all : 0;
}

/* Sets what the score is made of. */
void th__iepad_rate(const th_page *page, uint32_t total, uint64_t text, uint64_t linked,
                    th__iepad_pattern *p)
{
    p->coverage = total ? (double)text / total : 0;
    p->links = text ? (double)linked / (double)text : 0;
    p->loose = (double)th__pattern_loose(&p->pattern) / p->pattern.len;
    p->balanced = th__iepad_is_balanced(&p->pattern, &p->tops);
    p->siblings = sibling_share(page, p);
    for (uint32_t i = 0; i < p->pattern.len; i++)
        p->texts += th__column_has(&p->pattern, i, TH__IEPAD_TEXT);
    /* Text counts, but its square root: a long footer beats no list of short records. Text in links
     * speaks of navigation. Several equal elements side by side are several records. A list is what
     * fills its element: that tells a pattern that fits every record from one that fits most. */
    double many = 1 - 1.0 / (1 + p->count), rich = p->pattern.len / (p->pattern.len + 10.0);
    double firm = 1 - p->loose / 2, whole = (p->siblings + 0.05) / 1.05;
    p->score = sqrt(p->coverage * (1.05 - p->links) / 1.05) * many * many * many * rich * rich *
               firm * firm * whole * (p->balanced ? 1 : 0.25) / (p->tops ? p->tops : 1);
}

/* ---- order --------------------------------------------------------------------------------- */

static int by_score(const void *a, const void *b)
{
    const th__iepad_pattern *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->records[0].first > y->records[0].first) -
           (x->records[0].first < y->records[0].first);
}

static int by_first(const void *a, const void *b)
{
    const th__iepad_pattern *x = a, *y = b;
    if (x->records[0].first != y->records[0].first)
        return x->records[0].first > y->records[0].first ? 1 : -1;
    return (x->pattern.len > y->pattern.len) - (x->pattern.len < y->pattern.len);
}

/* How many records of a pattern begin where one of another's does. */
static uint32_t count_shared(const th__iepad_pattern *own, const th__iepad_pattern *other)
{
    uint32_t shared = 0;
    for (uint32_t i = 0, j = 0; i < own->count; i++) {
        while (j < other->count && other->records[j].first < own->records[i].first)
            j++;
        shared += j < other->count && other->records[j].first == own->records[i].first;
    }
    return shared;
}

/* True if nearly all records of a pattern stand inside of another's, and most of these have some: a
 * frame of the page has them all in one. */
static bool is_held(const th__iepad_pattern *own, const th__iepad_pattern *by)
{
    uint32_t inside = 0, holding = 0, held = UINT32_MAX;
    for (uint32_t i = 0, j = 0; i < own->count; i++) {
        while (j < by->count && by->records[j].last < own->records[i].first)
            j++;
        if (j == by->count || by->records[j].first > own->records[i].first ||
            by->records[j].last < own->records[i].last)
            continue;
        inside++;
        holding += j != held;
        held = j;
    }
    return 10 * inside >= 9 * own->count && 2 * holding >= by->count;
}

/* How many records of a pattern begin inside of another's, and not where one begins. */
static uint32_t count_swallowed(const th__iepad_pattern *own, const th__iepad_pattern *other)
{
    uint32_t swallowed = 0;
    for (uint32_t i = 0, j = 0; i < own->count; i++) {
        while (j < other->count && other->records[j].last < own->records[i].first)
            j++;
        swallowed += j < other->count && other->records[j].first < own->records[i].first;
    }
    return swallowed;
}

/* The first case. Some of its records may begin elsewhere, with a heading before them. What was
 * left out is records only when it has text: not links to further pages, nor what parts records. */
static bool has_more(const th__iepad_pattern *own, const th__iepad_pattern *best)
{
    const double least = 0.3; /* of the text of a record */
    uint32_t shared = count_shared(best, own);
    /* Three times as many are parts of records: the rows of a table with three for each. */
    if (own->count <= best->count || own->count > 2 * best->count || 5 * shared < 4 * best->count)
        return false;
    uint32_t more = own->count - shared, left = more - count_swallowed(own, best);
    double text = (own->coverage - best->coverage) * best->count;
    return 5 * left <= more || text >= least * left * best->coverage;
}

/* The second. Records have a few items each; where they are more, records are in groups. A list
 * that is much poorer than the best is none of records. */
static bool holds(const th__iepad_pattern *own, const th__iepad_pattern *best)
{
    return 5 * best->count >= 6 * own->count && best->count < 4 * own->count &&
           2 * own->score >= best->score && is_held(best, own);
}

/* Lets the best pattern give way: the two change scores. */
static void give_way(th__iepad_result *result,
                     bool (*better)(const th__iepad_pattern *, const th__iepad_pattern *))
{
    th__iepad_pattern *best = &result->patterns[0];
    for (uint32_t i = 1; i < result->count; i++) {
        th__iepad_pattern *own = &result->patterns[i];
        if (!own->tree || own->coverage < best->coverage || !better(own, best))
            continue;
        th__iepad_pattern moved = *own;
        moved.score = best->score;
        best->score = own->score;
        *own = *best;
        *best = moved;
        qsort(result->patterns + 1, result->count - 1, sizeof *best, by_score);
        return;
    }
}

void th__iepad_order(th__iepad_result *result)
{
    if (!result->count)
        return;
    qsort(result->patterns, result->count, sizeof *result->patterns,
          result->options.rank ? by_score : by_first);
    if (result->options.rank && result->options.siblings) {
        give_way(result, has_more);
        give_way(result, holds);
    }
}
