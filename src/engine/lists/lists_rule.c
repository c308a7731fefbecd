/*
 * lists_rule.c: the engine for lists: what a user gets without asking, from pages with lists.
 *
 * No paper: ours. A page is looked at as leaves of text with keys (index/view.h). Elements of one
 * kind are groups (lists_groups.c); a group scores by what a reader would learn from it as a table;
 * the best groups become regions of whole records (lists_rule.c), whose leaves are aligned into
 * columns (table/columns.c) and named (table/column_names.c).
 *
 *     <ul class=nav><li>Home<li>Help</ul>
 *     <div class=hit><a>One</a><p>first of all</p></div>
 *     <div class=hit><a>Two</a><p>second to none</p></div>
 *
 * The groups {li, li}, {div.hit, div.hit}, {a, a}, {p, p} score in this order: div.hit (two fields
 * that differ), p, a, li (one short field, in a navigation).
 *
 * Learning: the first page that has a list settles which it is. On further pages the rule made so
 * far is run; where it finds nothing, the list that has most of the core is taken, if there is one.
 *
 * Running: records are where the rule says. Where nothing is there, the page differs in a class
 * further up, or in an element around the list; so it is asked, until something is found, for
 * elements
 *
 *  1. with a path of the rule (or, besides these, with its tags, their own signature and most of
 *     the core: the same list goes on elsewhere),
 *  2. with its tags and their own signature,
 *  3. with their own signature anywhere, and most of the core,
 *  4. with its tags, and most of the core.
 *
 * Siblings with most of the core are records too, and elements with next to none of it are not: see
 * lists_groups.h.
 */
#include "engine/lists/lists_rule.h"

#include <stdlib.h>
#include <string.h>

#include "engine/lists/lists_model.h"

#include "base/error.h"
#include "base/intern.h"
#include "engine/lists/lists_groups.h"
#include "engine/regions.h"
#include "page/tags.h"
#include "table/items.h"
#include "wrapper/fields.h"
#include "base/str.h"
#include "base/vec.h"
#include "index/view.h"
#include "index/tag_memo.h"

/* ==== from groups of alike elements to lists of whole records ====
 *
 * A group has the right elements at about the right level. These steps make records of it:
 *
 *  1. lift: while each element is alone in its parent, the parent is the record, with all it holds.
 *  2. join: siblings that have most of the fields belong to the list, those that have none do not:
 *     see lists_groups.h.
 *
 * Then a model ranks what was found: see lists_model.h. Of lists in lists it says which are the
 * records, too.
 */

/* ---- which elements around found records are records too ---------------------------------------
 *
 * Records of one element each. The core of a list are the keys of the texts that at least half of
 * its records have. Siblings with most of the core belong to the list, whatever their class;
 * elements with next to none of it (adverts, headings) do not. With a core of fewer than two
 * nothing is told and all stays as it is. Used in learning and in running.
 */

/* A core that elements are compared with. */
typedef struct th__lists_core {
    const th__key_vec *keys;
    const th__key_map
        *parts;            /* th__fields.core_parts: what has one of these has the key; or NULL */
    th__key_map places;    /* of keys, from 1 */
    TH__VEC(uint32_t) met; /* by key: the last round that met it */
    th__key_vec found;     /* of the record that was counted last: all its keys */
    uint32_t round;
} th__lists_core;

enum {
    SAMPLE = 256, /* records that tell what the fields are */
    COVER = 5,    /* keys of a core of which one is enough: see drop_strangers */
    KIND = 32     /* one record in so many is of a kind: fewer may be adverts */
};

/* The keys and parts are borrowed. To be closed in any case. */
static bool open_core(th__lists_core *core, const th__key_vec *keys, const th__key_map *parts)
{
    *core = (th__lists_core){.keys = keys, .parts = parts};
    bool ok = th__vec_reserve(&core->met, keys->len);
    for (size_t i = 0; ok && i < keys->len; i++) {
        ok = th__key_map_put(&core->places, keys->data[i], (uint32_t)i + 1);
        core->met.data[i] = 0;
    }
    return ok;
}

static void close_core(th__lists_core *core)
{
    th__key_map_release(&core->places);
    th__vec_release(&core->met);
    th__vec_release(&core->found);
}

static void meet(th__lists_core *core, uint32_t place, size_t *common)
{
    if (place && core->met.data[place - 1] != core->round) {
        core->met.data[place - 1] = core->round;
        ++*common;
    }
}

/* How many of its keys a record of some extents has. */
static bool count_core(th__lists_core *core, const th__view *view, const th__extent *extents,
                       uint32_t count, size_t *common)
{
    bool ok = true;
    core->found.len = *common = 0;
    core->round++;
    for (uint32_t i = 0; ok && i < count; i++)
        ok = th__extent_add_keys(view, &extents[i], &core->found);
    for (size_t i = 0; ok && i < core->found.len && *common < core->keys->len; i++) {
        meet(core, th__key_map_get(&core->places, core->found.data[i]), common);
        if (core->parts)
            meet(core, th__key_map_get(core->parts, core->found.data[i]), common);
    }
    return ok;
}

static bool count_in(th__lists_core *core, const th__view *view, uint32_t node, size_t *common)
{
    th__extent record = th__extent_of(view->page, node, node);
    return count_core(core, view, &record, 1, common);
}

/* The keys of a record, in place of what was in `keys`. */
static bool keys_of_record(const th__view *view, const th__extents *list, uint32_t record,
                           th__key_vec *keys)
{
    bool ok = true;
    uint32_t end = th__extents_first(list, record + 1);
    keys->len = 0;
    for (uint32_t i = th__extents_first(list, record); ok && i < end; i++)
        ok = th__extent_add_keys(view, &list->data[i], keys);
    return ok;
}

/* The core of a list, rising, in place of what was in `core`. */
static bool core_of(const th__view *view, const th__extents *list, th__key_vec *core)
{
    struct counted {
        uint64_t key;
        uint32_t records, last; /* that have it; the last of them, from 1 */
    };
    TH__VEC(struct counted) counts = {0};
    th__key_vec keys = {0};
    th__key_map numbers = {0};
    bool ok = true;
    uint32_t step = (list->count + SAMPLE - 1) / SAMPLE, looked = 0;
    core->len = 0;
    for (uint32_t i = 0; ok && i < list->count; i += step) {
        ok = keys_of_record(view, list, i, &keys);
        looked++;
        for (size_t k = 0; ok && k < keys.len; k++) {
            uint32_t number = th__key_map_number(&numbers, keys.data[k]);
            ok = number && (number <= counts.len ||
                            th__vec_push(&counts, (struct counted){.key = keys.data[k]}));
            if (ok && counts.data[number - 1].last != looked) {
                counts.data[number - 1].last = looked;
                counts.data[number - 1].records++;
            }
        }
    }
    for (size_t i = 0; ok && i < counts.len; i++)
        if (2 * counts.data[i].records >= looked)
            ok = th__vec_push(core, counts.data[i].key);
    th__key_vec_sort(core);
    th__key_map_release(&numbers);
    th__vec_release(&counts);
    th__vec_release(&keys);
    return ok;
}

/* The keys of records, each record's a set: a sample of the list. */
typedef struct sampled {
    th__key_vec keys;
    size_t ends[SAMPLE]; /* by record, one past its last key */
    bool linked[SAMPLE]; /* by record: it has a link */
    size_t count;
} sampled;

static bool is_linked(const th__view *view, const th__extents *list, uint32_t record)
{
    const th_page *page = view->page;
    uint32_t end = th__extents_first(list, record + 1);
    for (uint32_t i = th__extents_first(list, record); i < end; i++)
        for (uint32_t n = list->data[i].first; n < page->nodes[list->data[i].last].end; n++)
            if (page->tags[n] == TH_TAG_A)
                return true;
    return false;
}

static bool take_sample(const th__view *view, const th__extents *list, sampled *out)
{
    th__key_vec one = {0};
    uint32_t step = (list->count + SAMPLE - 1) / SAMPLE;
    bool ok = true;
    for (uint32_t i = 0; ok && i < list->count; i += step) {
        ok = keys_of_record(view, list, i, &one) && th__vec_reserve(&out->keys, one.len);
        th__key_vec_sort(&one);
        for (size_t k = 0; ok && k < one.len; k++)
            out->keys.data[out->keys.len++] = one.data[k];
        out->linked[out->count] = is_linked(view, list, i);
        out->ends[out->count++] = out->keys.len;
    }
    th__vec_release(&one);
    return ok;
}

static th__key_vec keys_at(const sampled *s, size_t record)
{
    size_t from = record ? s->ends[record - 1] : 0;
    return (th__key_vec){.data = s->keys.data + from, .len = s->ends[record] - from};
}

/* Returns true if nearly all records with something of the core have a link. */
static bool are_linked(const sampled *s, const th__key_vec *core)
{
    size_t linked = 0, all = 0;
    for (size_t i = 0; i < s->count; i++) {
        th__key_vec own = keys_at(s, i);
        if (!th__key_vec_common(core, &own))
            continue;
        linked += s->linked[i];
        all++;
    }
    return all && 10 * linked >= 9 * all;
}

/* The key that most records with a link, but without any of the core have, and how many these are.
 * False if out of memory. */
static bool most_common(const sampled *s, const th__key_vec *core, uint64_t *key, size_t *count)
{
    th__key_vec left = {0};
    bool ok = true;
    *count = 0;
    for (size_t i = 0; ok && i < s->count; i++) {
        th__key_vec own = keys_at(s, i);
        if (!s->linked[i] || th__key_vec_common(core, &own))
            continue;
        for (size_t k = 0; ok && k < own.len; k++)
            ok = th__vec_push(&left, own.data[k]);
    }
    th__keys_sort(left.data, left.len);
    for (size_t i = 0, end; ok && i < left.len; i = end) {
        for (end = i + 1; end < left.len && left.data[end] == left.data[i];)
            end++;
        if (end - i <= *count)
            continue;
        *count = end - i;
        *key = left.data[i];
    }
    th__vec_release(&left);
    return ok;
}

/* Records of several kinds may have but one key that half of them have. Adds to a core of one key
 * those of the other kinds, so that none of these is taken for a stranger: where records have a
 * link, what has one, too, is a record of another kind, and what has none is a heading or a note.
 */
static bool cover_core(const th__view *view, const th__extents *list, th__key_vec *core)
{
    sampled s = {0};
    uint64_t key = 0;
    size_t count = 0;
    if (core->len != 1)
        return true;
    bool ok = take_sample(view, list, &s), linked = ok && are_linked(&s, core);
    while (ok && linked && core->len < COVER) {
        ok = most_common(&s, core, &key, &count);
        if (!ok || count < 2 || KIND * count < s.count)
            break;
        ok = th__vec_push(core, key);
        th__key_vec_sort(core);
    }
    th__vec_release(&s.keys);
    return ok;
}

static bool find_core(const th__view *view, const th__lists_nodes *nodes, th__key_vec *core)
{
    th__extent sample[SAMPLE];
    size_t step = (nodes->len + SAMPLE - 1) / SAMPLE;
    th__extents list = {sample, NULL, 0};
    for (size_t i = 0; i < nodes->len; i += step)
        sample[list.count++] = th__extent_of(view->page, nodes->data[i], nodes->data[i]);
    return core_of(view, &list, core);
}

/* The signatures of the elements with a class that texts of a node are in, as a set. */
static bool kinds_of(const th__view *view, uint32_t node, th__key_vec *kinds)
{
    const th_page *page = view->page;
    uint32_t leaf = view->leaves.before[page->nodes[node].token];
    uint32_t end = view->leaves.before[page->nodes[node].token_end];
    bool ok = true;
    kinds->len = 0;
    for (; ok && leaf < end; leaf++) {
        uint32_t holder = view->leaves.data[leaf].node, signature = view->signature[holder];
        if (!th__is_bare(page->tags[holder], signature))
            ok = th__vec_push(kinds, signature);
    }
    th__key_vec_sort(kinds);
    return ok;
}

/* What at least half of the nodes that are no strangers have of these. */
static bool usual_kinds(const th__view *view, const th__lists_nodes *nodes, const bool *stranger,
                        th__key_vec *usual)
{
    th__key_vec all = {0}, one = {0};
    size_t step = (nodes->len + SAMPLE - 1) / SAMPLE, looked = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < nodes->len; i += step) {
        if (stranger[i])
            continue;
        ok = kinds_of(view, nodes->data[i], &one);
        for (size_t k = 0; ok && k < one.len; k++)
            ok = th__vec_push(&all, one.data[k]);
        looked++;
    }
    th__keys_sort(all.data, all.len);
    for (size_t i = 0, end; ok && i < all.len; i = end) {
        for (end = i + 1; end < all.len && all.data[end] == all.data[i];)
            end++;
        if (2 * (end - i) >= looked)
            ok = th__vec_push(usual, all.data[i]);
    }
    th__vec_release(&all);
    th__vec_release(&one);
    return ok;
}

/* Lets those be records that have the same texts in other boxes, by the classes of their elements:
 * a paid entry among the results. */
static bool keep_variants(const th__view *view, const th__lists_nodes *nodes, bool *stranger)
{
    enum { LEAST = 3 }; /* classes that tell something */
    th__key_vec usual = {0}, own = {0};
    bool ok = usual_kinds(view, nodes, stranger, &usual);
    for (size_t i = 0; ok && usual.len >= LEAST && i < nodes->len; i++) {
        if (!stranger[i])
            continue;
        ok = kinds_of(view, nodes->data[i], &own);
        stranger[i] = 2 * th__key_vec_common(&usual, &own) < usual.len;
    }
    th__vec_release(&usual);
    th__vec_release(&own);
    return ok;
}

/* Takes out nodes that have less than a fifth of the core, when it has at least so many keys, but
 * for those with the same texts in other boxes. */
static bool drop_strangers(const th__view *view, th__lists_core *core, size_t least,
                           th__lists_nodes *nodes)
{
    size_t kept = 0, strangers = 0, common;
    if (core->keys->len < least || !nodes->len)
        return true;
    bool *stranger = TH__NEW_ARRAY(bool, nodes->len), ok = stranger;
    for (size_t i = 0; ok && i < nodes->len; i++) {
        ok = count_in(core, view, nodes->data[i], &common);
        stranger[i] = 5 * common < core->keys->len;
        strangers += stranger[i];
    }
    if (ok && strangers && strangers < nodes->len)
        ok = keep_variants(view, nodes, stranger);
    for (size_t i = 0; ok && i < nodes->len; i++)
        if (!stranger[i])
            nodes->data[kept++] = nodes->data[i];
    nodes->len = kept;
    th__mem_free(stranger);
    return ok;
}

static bool drop_strange_runs(const th__view *view, th__extent *runs, uint32_t *count)
{
    th__key_vec keys = {0};
    th__extents list = {runs, NULL, *count};
    th__lists_core core = {0};
    uint32_t kept = 0;
    size_t common;
    bool ok = core_of(view, &list, &keys) && open_core(&core, &keys, NULL);
    if (ok && keys.len >= 2) {
        for (uint32_t i = 0; ok && i < *count; i++) {
            ok = count_core(&core, view, &runs[i], 1, &common);
            if (5 * common >= keys.len)
                runs[kept++] = runs[i];
        }
        *count = kept;
    }
    close_core(&core);
    th__vec_release(&keys);
    return ok;
}

/* Adds the children of an element that are like the records. Of the given nodes, those from `at` on
 * may be among them: they rise as the children do. */
static bool join_children(const th__view *view, th__lists_core *core, uint32_t parent, size_t at,
                          size_t given, th__lists_nodes *nodes)
{
    const th_node *all = view->page->nodes;
    bool ok = true;
    size_t common;
    for (uint32_t child = parent + 1; ok && child < all[parent].end; child = all[child].end) {
        while (at < given && nodes->data[at] < child)
            at++;
        if (at < given && nodes->data[at] < all[child].end)
            continue; /* it is one of them, or holds one */
        if (view->page->tags[child] == TH_TAG_FORM)
            continue; /* it has the labels of a record, and hints in place of its values */
        ok = count_in(core, view, child, &common);
        if (ok && 5 * common >= 3 * core->keys->len)
            ok = th__vec_push(nodes, child);
    }
    return ok;
}

/* Adds siblings of the nodes that have three in five of the core. */
static bool join_siblings(const th__view *view, th__lists_core *core, th__lists_nodes *nodes)
{
    const th_node *all = view->page->nodes;
    th__key_map seen = {0};
    size_t given = nodes->len;
    uint32_t last = UINT32_MAX;
    bool ok = true;
    if (core->keys->len < 2)
        return true;
    for (size_t i = 0; ok && i < given; i++) {
        uint32_t parent = all[nodes->data[i]].parent, before = seen.count;
        if (parent == last)
            continue;
        last = parent;
        ok = th__key_map_number(&seen, parent);
        if (ok && seen.count > before)
            ok = join_children(view, core, parent, i, given, nodes);
    }
    if (ok && nodes->len > given)
        qsort(nodes->data, nodes->len, sizeof *nodes->data, th__by_node);
    th__key_map_release(&seen);
    return ok;
}

/* Takes out nodes inside others. */
static void drop_inner(const th_page *page, th__lists_nodes *nodes)
{
    size_t kept = 0;
    uint32_t end = 0;
    for (size_t i = 0; i < nodes->len; i++)
        if (nodes->data[i] >= end) {
            end = page->nodes[nodes->data[i]].end;
            nodes->data[kept++] = nodes->data[i];
        }
    nodes->len = kept;
}

/* ---- headings among records ------------------------------------------------------------------ */

static bool has_link(const th_page *page, uint32_t node)
{
    for (uint32_t n = node; n < page->nodes[node].end; n++)
        if (page->tags[n] == TH_TAG_A)
            return true;
    return false;
}

/* A single text without a link, as headings are. */
static bool is_bare_text(const th__view *view, uint32_t node)
{
    return th__leaves_in(view, node) == 1 && !has_link(view->page, node);
}

/* Takes out those with a single text that is a heading of the next one, of a kind that rules know.
 */
static void drop_known_headings(const th__view *view, const uint64_t *keys, uint32_t count,
                                uint32_t *nodes, size_t *node_count)
{
    size_t kept = 0;
    for (size_t i = 0; i < *node_count; i++) {
        bool known = false;
        if (i + 1 < *node_count && is_bare_text(view, nodes[i])) {
            uint32_t leaf = view->leaves.before[view->page->nodes[nodes[i]].token];
            th__extent next = th__extent_of(view->page, nodes[i + 1], nodes[i + 1]);
            th__heading heading;
            bool is = th__heading_make(view, leaf, &next, &heading);
            for (uint32_t k = 0; k < count && is; k++)
                known |= keys[k] == heading.key;
        }
        if (!known)
            nodes[kept++] = nodes[i];
    }
    *node_count = kept;
}

/* Takes headings out of a list of elements: those with a single text and no link, when the first
 * one is so and nearly all others have several texts, most of them a link. */
static void drop_headings(const th__view *view, uint32_t *nodes, size_t *count)
{
    size_t rich = 0, linked = 0, bare = 0, kept = 0;
    for (size_t i = 0; i < *count; i++) {
        rich += th__leaves_in(view, nodes[i]) > 1;
        linked += has_link(view->page, nodes[i]);
        bare += is_bare_text(view, nodes[i]);
    }
    if (bare < 2 || 2 * bare > *count || 3 * linked < 2 * (*count - bare) ||
        10 * rich < 9 * (*count - bare) || !is_bare_text(view, nodes[0]))
        return;
    for (size_t i = 0; i < *count; i++)
        if (!is_bare_text(view, nodes[i]))
            nodes[kept++] = nodes[i];
    *count = kept;
}

/* The elements of a run, and the last but one of them; 0 when there is one. */
static uint32_t run_length(const th_page *page, const th__extent *run, uint32_t *before_last)
{
    uint32_t length = 1;
    *before_last = 0;
    for (uint32_t n = run->first; n < run->last; n = page->nodes[n].end, length++)
        *before_last = n;
    return length;
}

/* The element before another one in its parent; 0 when it is the first. */
static uint32_t sibling_before(const th_page *page, uint32_t node)
{
    uint32_t before = 0;
    for (uint32_t n = page->nodes[node].parent + 1; n < node; n = page->nodes[n].end)
        before = n;
    return before;
}

/* Records of several elements reach up to the next one. Takes headings of the next ones off their
 * ends: a single text without a link behind the usual number of elements, of the kind that is
 * before the first record. */
static void trim_runs(const th__view *view, th__extent *runs, uint32_t count)
{
    enum { LENGTHS = 16 };
    const th_page *page = view->page;
    uint32_t lengths[LENGTHS + 1] = {0}, usual = 1, tails = 0, before, above;
    if (!count || !(above = sibling_before(page, runs[0].first)) || !is_bare_text(view, above))
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = run_length(page, &runs[i], &before);
        lengths[length < LENGTHS ? length : LENGTHS]++;
        tails += before && view->signature[runs[i].last] == view->signature[above] &&
                 is_bare_text(view, runs[i].last);
    }
    for (uint32_t l = 1; l < LENGTHS; l++)
        usual = lengths[l] > lengths[usual] ? l : usual;
    for (uint32_t i = 0; i < count && 5 * tails <= 3 * count; i++)
        for (int k = 0; k < TH__SECTIONS_MOST && run_length(page, &runs[i], &before) > usual &&
                        before && is_bare_text(view, runs[i].last);
             k++) {
            runs[i].last = before;
            runs[i].token_end = page->nodes[before].token_end;
        }
}

/* A row that names columns, or is a heading of those below it, is not a record. */
static bool is_header_row(const th__view *view, uint32_t node)
{
    const th__table_row *row = th__table_row_of(view, node);
    return row && (row->header || row->section);
}

/* Takes out rows of data tables that name the columns or are headings. */
static void drop_header_rows(const th__view *view, th__lists_nodes *nodes)
{
    size_t kept = 0;
    for (size_t i = 0; i < nodes->len; i++)
        if (!is_header_row(view, nodes->data[i]))
            nodes->data[kept++] = nodes->data[i];
    nodes->len = kept;
    if (kept)
        drop_headings(view, nodes->data, &nodes->len);
}

enum { CONSIDERED = 24 }; /* lists that are ranked: the best twenty hold what forty do */
#define SHARE 0.15        /* of the best group's score that those behind the first ten have */

/* ---- lift ------------------------------------------------------------------------------------ */

/* Replaces nodes by their parents when no two share one. */
static bool lift_once(const th__view *view, uint32_t *nodes, uint32_t count, uint32_t *parents)
{
    const th_node *all = view->page->nodes;
    bool rising = true;
    for (uint32_t i = 0; i < count; i++) {
        parents[i] = all[nodes[i]].parent;
        if (i && parents[i] == parents[i - 1])
            return false;
        rising &= !i || parents[i - 1] < parents[i];
    }
    if (!rising)
        qsort(parents, count, sizeof *parents, th__by_node);
    if (parents[0] == 0)
        return false;
    for (uint32_t i = 1; i < count; i++)
        if (parents[i] < all[parents[i - 1]].end) /* the same, or one inside the other */
            return false;
    memcpy(nodes, parents, count * sizeof *nodes);
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

struct region_search {
    th__arena *arena; /* of the regions */
    const th__view *view;
    th__lists_region *regions;
    uint32_t count;
    th__key_map seen;               /* hashes of sets of elements */
    th__lists_nodes nodes, parents; /* used anew for each group */
};

/* Runs are whole records already: those without text, and those that have next to nothing of the
 * core (what is above the list, adverts), are left out. */
static bool region_of_runs(struct region_search *f, const th__lists_group *group,
                           th__lists_region *out)
{
    const uint32_t *before = f->view->leaves.before;
    *out = (th__lists_region){
        .score = group->score, .head = group->head, .fine = group->fine, .regular = group->regular};
    th__extent *records = th__arena_alloc(f->arena, group->count * sizeof *records);
    for (uint32_t i = 0; records && i < group->count; i++)
        if (before[group->runs[i].token] < before[group->runs[i].token_end])
            records[out->list.count++] = group->runs[i];
    out->list.data = records;
    if (records)
        trim_runs(f->view, records, out->list.count);
    return records && drop_strange_runs(f->view, records, &out->list.count);
}

static bool region_of_grid(struct region_search *f, const th__lists_group *group,
                           th__lists_region *out)
{
    size_t count = (size_t)group->count * group->parts;
    uint32_t *first = th__arena_alloc(f->arena, ((size_t)group->count + 1) * sizeof *first);
    th__extent *runs = th__arena_keep(f->arena, group->runs, count, sizeof *runs);
    if (!first || !runs)
        return false;
    for (uint32_t i = 0; i <= group->count; i++)
        first[i] = i * group->parts;
    *out = (th__lists_region){.list = {runs, first, group->count},
                              .score = group->score,
                              .head = group->head,
                              .parts = group->parts};
    return true;
}

/* Takes strangers out, and siblings that are like the others in. False if out of memory. */
static bool settle_records(const th__view *view, th__lists_nodes *nodes)
{
    th__key_vec keys = {0};
    th__lists_core core = {0};
    size_t given = nodes->len;
    bool ok = find_core(view, nodes, &keys) && open_core(&core, &keys, NULL) &&
              drop_strangers(view, &core, 2, nodes);
    if (ok && nodes->len < given) {
        close_core(&core);
        ok = find_core(view, nodes, &keys) && open_core(&core, &keys, NULL);
    }
    ok = ok && join_siblings(view, &core, nodes);
    if (ok)
        drop_header_rows(view, nodes);
    close_core(&core);
    th__vec_release(&keys);
    return ok;
}

/* Leaves a region without records where the elements, lifted, are those of an earlier one. */
static bool region_of_elements(struct region_search *f, const th__lists_group *group,
                               th__lists_region *out)
{
    uint64_t hash = group->count;
    uint32_t known = f->seen.count;
    *out = (th__lists_region){.score = group->score};
    f->nodes.len = f->parents.len = 0;
    if (!th__vec_reserve(&f->nodes, group->count) || !th__vec_reserve(&f->parents, group->count))
        return false;
    memcpy(f->nodes.data, group->nodes, group->count * sizeof *f->nodes.data);
    f->nodes.len = group->count;
    while (lift_once(f->view, f->nodes.data, group->count, f->parents.data))
        ;
    for (size_t i = 0; i < f->nodes.len; i++)
        hash = th__hash_mix(hash, f->nodes.data[i]);
    uint32_t number = th__key_map_number(&f->seen, hash);
    if (number && number <= known)
        return true;
    if (!number || !settle_records(f->view, &f->nodes))
        return false;
    th__extent *records = th__arena_alloc(f->arena, f->nodes.len * sizeof *records);
    for (size_t i = 0; records && i < f->nodes.len; i++)
        records[i] = th__extent_of(f->view->page, f->nodes.data[i], f->nodes.data[i]);
    out->list = (th__extents){records, NULL, (uint32_t)f->nodes.len};
    return records;
}

static uint32_t extent_count(const th__extents *list)
{
    return th__extents_first(list, list->count);
}

/* Returns true if two lists are the same. */
static bool same_records(const th__extents *a, const th__extents *b)
{
    uint32_t count = extent_count(a);
    return a->count == b->count && count == extent_count(b) &&
           !memcmp(a->data, b->data, count * sizeof *a->data);
}

/* Returns true if a list lies inside one record of another: it is a part of that record. */
static bool is_part_of_record(const th__extents *part, const th__extents *whole)
{
    uint32_t start = part->data[0].token, end = part->data[extent_count(part) - 1].token_end;
    uint32_t count = extent_count(whole), i = 0;
    if (!whole->first) { /* else extents are in no order */
        i = (uint32_t)th__count_first(k, count, whole->data[k].token <= start);
        count = i;
        i -= i > 0;
    }
    for (; i < count; i++)
        if (whole->data[i].token <= start && end <= whole->data[i].token_end)
            return true;
    return false;
}

/* Copies the lists of regions, so that what they were found with can be freed. */
static bool keep_regions(th__arena *arena, th__lists_region *regions, uint32_t count)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++) {
        th__extents *list = &regions[i].list;
        list->data = th__arena_keep(arena, list->data, extent_count(list), sizeof *list->data);
        if (list->first)
            list->first =
                th__arena_keep(arena, list->first, list->count + (size_t)1, sizeof *list->first);
        ok = list->data && (list->first || !regions[i].parts);
    }
    return ok;
}

/* Adds the region of a group unless it is known. */
static bool add_region(struct region_search *f, const th__lists_group *group)
{
    th__lists_region *region = &f->regions[f->count];
    bool ok = (group->parts  ? region_of_grid
               : group->runs ? region_of_runs
                             : region_of_elements)(f, group, region);
    if (!ok)
        return false;
    bool seen = region->list.count == 0;
    for (uint32_t i = 0; i < f->count && !seen; i++)
        seen = same_records(&f->regions[i].list, &region->list);
    f->count += !seen;
    return true;
}

/*
 * Two lists may be one that goes on in an element of another kind, as where a shop loads the second
 * half of its products into a container of its own:
 *
 *     <div class=grid><div class=item>..<div class=item>..</div>
 *     <div class=more><div class=grid><div class=item>..<div class=item>..</div></div>
 *
 * So they may be when there is no text between the end of one and the begin of the other. Adds
 * both together as one more list. False if out of memory.
 */
static bool add_joined(struct region_search *f, const th__lists_region *one,
                       const th__lists_region *other)
{
    const th__extents *a = &one->list, *b = &other->list;
    if (one->head || other->head)
        return true;
    if (b->data[0].token < a->data[0].token) {
        const th__extents *swap = a;
        a = b;
        b = swap;
    }
    uint32_t t = a->data[a->count - 1].token_end, end = b->data[0].token;
    if (t > end)
        return true;
    if (f->view->leaves.before[t] < f->view->leaves.before[end])
        return true;
    th__lists_group group = {.score = one->score > other->score ? one->score : other->score};
    group.nodes = th__arena_alloc(f->arena, (a->count + (size_t)b->count) * sizeof *group.nodes);
    if (!group.nodes)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        group.nodes[group.count++] = a->data[i].first;
    for (uint32_t i = 0; i < b->count; i++)
        group.nodes[group.count++] = b->data[i].first;
    return add_region(f, &group);
}

static int by_group_score(const void *a, const void *b)
{
    const th__lists_group *left = *(th__lists_group *const *)a;
    const th__lists_group *right = *(th__lists_group *const *)b;
    return th__order(right->score, left->score) ?: th__order(left->nodes[0], right->nodes[0])
                                                       ?: th__order(left, right);
}

/* The groups with a share of the best score first, in order; returns how many these are. Most
 * pages have enough of them, so that the others need no order. */
static uint32_t order_groups(th__lists_group *groups, uint32_t count, const th__lists_group **out)
{
    double best = 0;
    uint32_t near = 0, end = count;
    for (uint32_t i = 0; i < count; i++)
        best = groups[i].score > best ? groups[i].score : best;
    for (uint32_t i = 0; i < count; i++)
        out[groups[i].score >= SHARE * best ? near++ : --end] = &groups[i];
    if (near)
        qsort(out, near, sizeof *out, by_group_score);
    return near;
}

bool th__lists_candidates_find(th__arena *arena, const th__view *view, th__lists_region **out,
                               uint32_t *count)
{
    enum { JOINED = 4 }; /* of so many of the best, each two are tried as one */
    struct region_search f = {.arena = arena, .view = view};
    th__arena own;
    th__lists_group *groups;
    const th__lists_group **order = NULL;
    uint32_t found;
    th__arena_init(&own);
    f.regions = th__arena_alloc(arena, (CONSIDERED + JOINED * JOINED + 1) * sizeof *f.regions);
    bool ok = f.regions && th__lists_groups_find(&own, view, &groups, &found);
    ok = ok && (order = th__arena_alloc(&own, (found + (size_t)1) * sizeof *order));
    uint32_t near = ok ? order_groups(groups, found, order) : 0;
    for (uint32_t i = 0;
         ok && i < found && f.count < CONSIDERED && (i < near || f.count < TH__LISTS_SHOWN); i++) {
        if (i == near)
            qsort(order + near, found - near, sizeof *order, by_group_score);
        ok = add_region(&f, order[i]);
    }
    uint32_t best = f.count < JOINED ? f.count : JOINED;
    for (uint32_t i = 0; ok && i < best; i++)
        for (uint32_t j = i + 1; ok && j < best; j++)
            if (5 * f.regions[j].score >= 4 * f.regions[i].score)
                ok = add_joined(&f, &f.regions[i], &f.regions[j]);
    th__key_map_release(&f.seen);
    th__vec_release(&f.nodes);
    th__vec_release(&f.parents);
    th__arena_release(&own);
    *out = f.regions;
    *count = f.count;
    return ok;
}

static int by_score(const void *a, const void *b)
{
    const th__lists_region *left = a, *right = b;
    if (left->score != right->score)
        return left->score < right->score ? 1 : -1;
    return left->list.data[0].token < right->list.data[0].token ? -1 : 1;
}

void th__lists_regions_rank(th__lists_region *regions, uint32_t most, uint32_t *count)
{
    uint32_t found = *count, kept = 0;
    if (found)
        qsort(regions, found, sizeof *regions, by_score);
    for (uint32_t i = 0; i < found && kept < most; i++) {
        bool part = false;
        for (uint32_t j = 0; j < kept && !part; j++)
            part = is_part_of_record(&regions[i].list, &regions[j].list);
        if (!part)
            regions[kept++] = regions[i];
    }
    *count = kept;
}

bool th__lists_regions_find(th__arena *arena, const th__view *view, uint32_t most,
                            th__lists_region **out, uint32_t *count)
{
    th__arena own; /* of what may be found again */
    th__arena_init(&own);
    bool ok = th__lists_candidates_find(&own, view, out, count);
    th__lists_evidence *evidence =
        ok ? th__arena_alloc(&own, (*count + (size_t)1) * sizeof *evidence) : NULL;
    ok = evidence && th__lists_score(view, NULL, *out, *count, evidence);
    if (ok) {
        th__lists_regions_rank(*out, most, count);
        *out = th__arena_keep(arena, *out, *count, sizeof **out);
        ok = *out && keep_regions(arena, *out, *count);
    }
    th__arena_release(&own);
    return ok;
}

/* ==== a list as a rule ==== */

/* ---- rules as JSON and in words ----------------------------------------------------------------
 *
 *     {"records": [{"path": "html > body > div.results > div.hit"}], "fields": [...]}
 *     {"records": [{"parent": "html > body > dl", "head": {"element": "dt", "first": "a"}}], ...}
 *     {"records": [{"grid": "html > body > table"}], "rows": 2, ...}
 */

static bool prepare_place(th__lists_place *place)
{
    th_str rest = place->path, step = {0};
    uint16_t tag;
    bool bad;
    if (!place->path.len || !th__path_keys(place->path, &place->key, &place->tags))
        return false;
    while (th__path_next(&rest, &step, &bad))
        ;
    place->signature = th__step_signature(th__step_hash(step, &tag));
    return true;
}

static bool prepare_head(th__lists_head *head)
{
    th_str rest = head->element, step;
    uint16_t tag;
    bool bad;
    if (!th__path_next(&rest, &step, &bad) || rest.len)
        return false;
    uint64_t tags, hash = th__step_hash(step, &tag);
    head->look = (th__lists_look_of){.signature = th__step_signature(hash),
                                     .first_key = head->any ? 0 : TH__LISTS_NO_TEXT,
                                     .cells = head->cells,
                                     .first_tag = head->inside.ptr ? th_tag_id(head->inside) : 0,
                                     .alone = head->alone,
                                     .is_break = tag == TH_TAG_BR,
                                     .twice = head->twice,
                                     .empty = head->between || tag == TH_TAG_HR};
    return !head->first.ptr || th__path_keys(head->first, &head->look.first_key, &tags);
}

/* ---- the table ------------------------------------------------------------------------------- */

static th_status check_head(th__rule_reader *reader, void *head)
{
    return prepare_head(head)
               ? TH_OK
               : th__rule_fault(reader, "element must be one step, such as \"dt\" or \"tr.row\", "
                                        "and first a path");
}

static const th__rule_member head_members[] = {
    {TH__TEXT("element", th__lists_head, element), .flags = TH__NEEDED},
    {TH__TEXT("first", th__lists_head, first), .flags = TH__EMPTY},
    {TH__UINT("cells", th__lists_head, cells, 0, UINT32_MAX)},
    {TH__FLAG("twice", th__lists_head, twice)},
    {TH__FLAG("between", th__lists_head, between)},
    {TH__FLAG("any", th__lists_head, any)},
    {TH__FLAG("fine", th__lists_head, fine)},
    {TH__FLAG("alone", th__lists_head, alone)},
    {TH__TEXT("inside", th__lists_head, inside), .flags = TH__EMPTY},
};
static const th__rule_shape head_shape =
    TH__CHECKED_SHAPE(th__lists_head, head_members, check_head);

static th_status check_path(th__rule_reader *reader, void *place)
{
    return prepare_place(place)
               ? TH_OK
               : th__rule_fault(reader,
                                "is not a path: steps are tags with or without a class, such "
                                "as \"html > body > div.hit\"");
}

static const th__rule_member place_members[] = {
    {TH__TEXT("grid", th__lists_place, path), TH__TAG(th__lists_place, of, TH__LISTS_OF_GRID),
     .check = check_path},
    {TH__TEXT("parent", th__lists_place, path), TH__TAG(th__lists_place, of, TH__LISTS_OF_RUNS),
     .check = check_path},
    {TH__TEXT("path", th__lists_place, path),
     TH__ONLY_IF(th__lists_place, of, 1 << TH__LISTS_OF_RECORDS), .flags = TH__NEEDED,
     .check = check_path},
    {TH__OBJECT("head", th__lists_place, head, head_shape),
     TH__ONLY_IF(th__lists_place, of, 1 << TH__LISTS_OF_RUNS), .flags = TH__NEEDED},
};
static const th__rule_shape place_shape = TH__SHAPE(th__lists_place, place_members);

static th_status check_records(th__rule_reader *reader, void *object)
{
    th__lists_rule *rule = object;
    for (uint32_t i = 1; i < rule->count; i++)
        if (rule->places[i].of != rule->places[0].of)
            return th__rule_fault(reader, "must all have a path, or a parent, or a grid");
    rule->fields.several = rule->places[0].of == TH__LISTS_OF_RUNS;
    return TH_OK;
}

static th_status check_rule(th__rule_reader *reader, void *object)
{
    const th__lists_rule *rule = object;
    return (rule->parts > 0) == (rule->places[0].of == TH__LISTS_OF_GRID)
               ? TH_OK
               : th__rule_fault(reader, "only records of a grid have rows, and they need them");
}

static const th__rule_member rule_members[] = {
    {TH__LIST("records", th__lists_rule, places, count, place_shape, 1, TH__LISTS_MAX_PLACES),
     .flags = TH__NEEDED, .check = check_records},
    {TH__FLAG("together", th__lists_rule, together)},
    {TH__UINT("rows", th__lists_rule, parts, 2, TH__LISTS_MAX_PARTS)},
    {TH__INLINE(th__lists_rule, fields, th__fields_shape)},
};
static const th__rule_shape rule_shape =
    TH__CHECKED_SHAPE(th__lists_rule, rule_members, check_rule);

static th__fields *fields_of_rule(void *rule)
{
    return &((th__lists_rule *)rule)->fields;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void explain_head(const th__lists_head *head, th__buf *out)
{
    bool separator = th__lists_is_separator(&head->look);
    th__buf_printf(out, "    %s %.*s", separator ? "separated by" : "each from",
                   TH_STR_ARG(head->element));
    if (head->twice)
        th__buf_printf(out, " twice");
    if (head->cells)
        th__buf_printf(out, " with %u cell%s", head->cells, head->cells == 1 ? "" : "s");
    if (head->first.len)
        th__buf_printf(out, " that begins with %.*s", TH_STR_ARG(head->first));
    if (head->fine)
        th__buf_printf(out, ", %s%.*s%s", head->inside.ptr ? "in " : "plain",
                       TH_STR_ARG(head->inside), head->alone ? ", and has no other text" : "");
    th__buf_printf(out, "%s\n", separator ? "" : " to before the next");
}

static void explain_rule(const void *rules, th__buf *out)
{
    const th__lists_rule *rule = rules;
    static const char *const words[] = {"records\n", "records: neighbouring elements in\n",
                                        "records: side by side in\n"};
    th__buf_printf(out, "%s", words[rule->places[0].of]);
    for (uint32_t i = 0; i < rule->count; i++) {
        th__buf_printf(out, "  %.*s\n", TH_STR_ARG(rule->places[i].path));
        if (rule->fields.several)
            explain_head(&rule->places[i].head, out);
    }
    if (rule->together)
        th__buf_printf(out, "    those with the same parent, where most are\n");
    if (rule->parts)
        th__buf_printf(out, "    each a cell of %u rows, one below the other\n", rule->parts);
    th__buf_printf(out, "fields\n");
    th__fields_explain(&rule->fields, out);
}

/* ---- running: where the records are -----------------------------------------------------------
 */

enum { BY_PATH, BY_TAGS_AND_SIGNATURE, BY_SIGNATURE, BY_TAGS, WAYS };

struct finder {
    const th__lists_rule *rule;
    const th__view *view;
    th__lists_nodes likely; /* elements with the tags and the signature of a place */
    th__key_map paths, tags, both, signatures; /* place + 1; both: tags and signature */
    th__lists_core core;
    size_t budget; /* leaves that may still be looked at */
    bool failed;
};

enum { LOOKS = 8 }; /* at each leaf, on average: elements inside each other cannot cost more */

static uint64_t both_of(uint64_t tags, uint32_t signature)
{
    return th__hash_mix(tags, signature);
}

static void put_first(th__key_map *map, uint64_t key, uint32_t place)
{
    if (!th__key_map_get(map, key))
        th__key_map_put(map, key, place + 1);
}

static bool finder_init(struct finder *f, th__arena *arena)
{
    const th__lists_rule *rule = f->rule;
    if (!th__key_map_init(&f->paths, arena, rule->count) ||
        !th__key_map_init(&f->tags, arena, rule->count) ||
        !th__key_map_init(&f->both, arena, rule->count) ||
        !th__key_map_init(&f->signatures, arena, rule->count))
        return false;
    for (uint32_t i = 0; i < rule->count; i++) {
        const th__lists_place *place = &rule->places[i];
        put_first(&f->paths, place->key, i);
        put_first(&f->tags, place->tags, i);
        put_first(&f->both, both_of(place->tags, place->signature), i);
        put_first(&f->signatures, place->signature, i);
    }
    /* No rule names parts while learning, when there are no rules yet. */
    return open_core(&f->core, &rule->fields.core,
                     rule->fields.cuts ? &rule->fields.core_parts : NULL);
}

/* Returns true if an element has most of the core. */
static bool has_core(struct finder *f, uint32_t node)
{
    const th_node *n = &f->view->page->nodes[node];
    size_t leaves = f->view->leaves.before[n->token_end] - f->view->leaves.before[n->token];
    size_t common = 0;
    if (f->core.keys->len < 2 || leaves > f->budget)
        return false;
    f->budget -= leaves;
    th__extent record = th__extent_of(f->view->page, node, node);
    f->failed |= !count_core(&f->core, f->view, &record, 1, &common);
    return 5 * common >= 3 * f->core.keys->len;
}

/* Finds the elements that the first two ways lead to: all that the first finds, and just those
 * that the second does. False if out of memory. */
static bool find_likely(struct finder *f, th__arena *arena)
{
    const th_page *page = f->view->page;
    th__tag_memo memo = {0};
    uint32_t *signature = th__arena_alloc(arena, page->node_count * sizeof *signature);
    bool *known = th__arena_alloc(arena, page->path_count * sizeof *known);
    bool ok = signature && known;
    for (uint32_t p = 0; ok && p < page->path_count; p++)
        known[p] = th__key_map_get(&f->tags, page->paths[p].hash);
    for (uint32_t n = 1; ok && n < page->node_count; n++) {
        if (!known[page->nodes[n].path])
            continue;
        uint32_t like = th__tag_memo_find(&memo, page, n);
        signature[n] = like ? signature[like] : th__step_signature(th__node_hash(page, n));
        uint64_t tags = page->paths[page->nodes[n].path].hash;
        if (th__key_map_get(&f->both, both_of(tags, signature[n])))
            ok = th__vec_push(&f->likely, n);
    }
    return ok;
}

/* Makes the view of what the rule needs of a page: the likely elements and those beside them; all,
 * where there are none, or where headings count, which may be anywhere. */
static bool make_view(struct finder *f, th__arena *arena, th__view *view)
{
    const th_page *page = f->view->page;
    const th__fields *fields = &f->rule->fields;
    uint64_t kinds[TH__SECTIONS_LIMIT];
    bool whole = !f->likely.len || th__fields_kinds(fields->rules, fields->count, kinds);
    uint32_t *nodes = th__arena_zero(arena, f->likely.len + 1, sizeof *nodes);
    for (size_t i = 0; nodes && !whole && i < f->likely.len; i++) {
        uint32_t n = f->likely.data[i];
        nodes[i] = fields->several || f->rule->parts ? n : page->nodes[n].parent;
    }
    return nodes &&
           th__view_make_within(arena, page, (th__tops){nodes, whole ? 1 : f->likely.len}, view);
}

/* The place of the rule that an element is at, looked for in one way; or 0. */
static uint32_t place_of(struct finder *f, int way, uint32_t node)
{
    const th_page *page = f->view->page;
    uint64_t tags = page->paths[page->nodes[node].path].hash;
    uint32_t signature = f->view->signature[node], place;
    switch (way) {
    case BY_PATH:
        place = th__key_map_get(&f->paths, f->view->sum[node]);
        if (place || f->rule->fields.several || f->rule->parts)
            return place;
        place = th__key_map_get(&f->both, both_of(tags, signature));
        return place && has_core(f, node) ? place : 0;
    case BY_TAGS_AND_SIGNATURE:
        return th__key_map_get(&f->both, both_of(tags, signature));
    case BY_SIGNATURE:
        place = th__key_map_get(&f->signatures, signature);
        return place && has_core(f, node) ? place : 0;
    default:
        place = th__key_map_get(&f->tags, tags);
        return place && has_core(f, node) ? place : 0;
    }
}

/* The elements that are asked for their place: the likely ones, or all where there are none. */
static size_t looked_at(const struct finder *f)
{
    return f->likely.len ? f->likely.len : f->view->page->node_count - 1;
}

static uint32_t node_at(const struct finder *f, size_t index)
{
    return f->likely.len ? f->likely.data[index] : (uint32_t)index + 1;
}

/* ---- records of one element ------------------------------------------------------------------ */

/* Collects the elements that are found in one way. They are not looked into, so that each text is
 * met once. */
static bool collect(struct finder *f, int way, th__lists_nodes *nodes)
{
    const th_page *page = f->view->page;
    uint32_t next = 0;
    f->budget = (size_t)LOOKS * f->view->leaves.count;
    nodes->len = 0;
    for (size_t i = 0; i < looked_at(f); i++) {
        uint32_t n = node_at(f, i);
        if (n < next || !place_of(f, way, n))
            continue;
        if (!th__vec_push(nodes, n))
            return false;
        next = page->nodes[n].end;
    }
    return !f->failed;
}

/* Elements found by what they hold represent their paths: others there are records too. */
static bool collect_their_paths(struct finder *f, th__arena *arena, th__lists_nodes *nodes)
{
    if (!th__key_map_init(&f->paths, arena, nodes->len))
        return false;
    for (size_t i = 0; i < nodes->len; i++)
        th__key_map_put(&f->paths, f->view->sum[nodes->data[i]], 1);
    return collect(f, BY_PATH, nodes);
}

/* Keeps the nodes of the parent that has the most of them. */
static void keep_together(const th_page *page, th__lists_nodes *nodes)
{
    size_t best = 0, most = 0, kept = 0;
    for (size_t i = 0, end; i < nodes->len; i = end) {
        uint32_t parent = page->nodes[nodes->data[i]].parent;
        for (end = i + 1; end < nodes->len && page->nodes[nodes->data[end]].parent == parent;)
            end++;
        if (end - i > most) {
            best = i;
            most = end - i;
        }
    }
    for (; kept < most; kept++)
        nodes->data[kept] = nodes->data[best + kept];
    nodes->len = kept;
}

static bool find_elements(struct finder *f, th__arena *arena, th__lists_nodes *nodes)
{
    for (int way = f->likely.len ? BY_PATH : BY_SIGNATURE; way < WAYS && !nodes->len; way++)
        if (!collect(f, way, nodes) ||
            (way >= BY_SIGNATURE && nodes->len && !collect_their_paths(f, arena, nodes)))
            return false;
    if (!drop_strangers(f->view, &f->core, 1, nodes) || !join_siblings(f->view, &f->core, nodes))
        return false;
    drop_header_rows(f->view, nodes);
    uint64_t kinds[TH__SECTIONS_LIMIT];
    uint32_t count = th__fields_kinds(f->rule->fields.rules, f->rule->fields.count, kinds);
    drop_known_headings(f->view, kinds, count, nodes->data, &nodes->len);
    drop_inner(f->view->page, nodes);
    if (f->rule->together)
        keep_together(f->view->page, nodes);
    return true;
}

/* ---- records of several elements ------------------------------------------------------------- */

/* Returns true if a record has something of the core, and any text at all. */
static bool is_record(struct finder *f, const th__extents *record)
{
    size_t common = 0;
    f->failed |=
        !count_core(&f->core, f->view, record->data, th__extents_first(record, 1), &common);
    return f->core.found.len && (f->core.keys->len < 2 || 5 * common >= f->core.keys->len);
}

/* Appends the records in an element that a place names, if they have something of the core. */
static bool cut_place(struct finder *f, uint32_t parent, uint32_t place, th__extent_vec *runs)
{
    const th__lists_head *head = &f->rule->places[place].head;
    uint32_t parts = f->rule->parts, each = parts ? parts : 1;
    size_t kept = runs->len;
    bool ok = th__lists_cut(f->view, parent, parts, &head->look, th__lists_head_fine(head), runs);
    if (ok && !parts && runs->len > kept)
        trim_runs(f->view, runs->data + kept, (uint32_t)(runs->len - kept));
    for (size_t i = kept; ok && i < runs->len; i += each) {
        const th__extents record = {runs->data + i, (uint32_t[]){0, each}, 1};
        if (!is_record(f, &record))
            continue;
        for (uint32_t p = 0; p < each; p++)
            runs->data[kept++] = runs->data[i + p];
    }
    if (ok)
        runs->len = kept;
    return ok && !f->failed;
}

/* Records that are in an element which the rule names: runs, or those of a grid. */
static bool find_runs(struct finder *f, th__extent_vec *runs)
{
    const th_page *page = f->view->page;
    for (int way = 0; way <= BY_TAGS_AND_SIGNATURE && !runs->len; way++)
        for (size_t i = 0, next = 0; i < f->likely.len; i++) {
            uint32_t n = f->likely.data[i], place = n < next ? 0 : place_of(f, way, n);
            size_t before = runs->len;
            if (place && !cut_place(f, n, place - 1, runs))
                return false;
            next = runs->len > before ? page->nodes[n].end : next;
        }
    return true;
}

/* ---- all of them -------------------------------------------------------------------------------
 */

/* Copies what was found into the arena. */
static bool copy_found(th__arena *arena, const th__extent_vec *found, uint32_t parts,
                       th__extents *out)
{
    uint32_t *first = NULL, count = (uint32_t)(parts ? found->len / parts : found->len);
    const th__extent *data = th__arena_keep(arena, found->data, found->len, sizeof *data);
    if (parts && !(first = th__arena_alloc(arena, ((size_t)count + 1) * sizeof *first)))
        return false;
    for (uint32_t i = 0; first && i <= count; i++)
        first[i] = i * parts;
    *out = (th__extents){data, first, count};
    return data;
}

/* Finds the records of a page: nothing but looking up. In the arena. The view is made in `seen`,
 * unless that is NULL: then it is there. False if out of memory. */
static bool run_find(const th__lists_rule *rule, th__view *view, th__arena *seen, th__arena *arena,
                     th__extents *out)
{
    struct finder f = {.rule = rule, .view = view};
    th__extent_vec found = {0};
    th__lists_nodes nodes = {0};
    bool single = !rule->fields.several && !rule->parts;
    bool ok = finder_init(&f, arena) && find_likely(&f, arena) &&
              (!seen || make_view(&f, seen, view)) &&
              (single ? find_elements(&f, arena, &nodes) : find_runs(&f, &found));
    for (size_t i = 0; ok && i < nodes.len; i++)
        ok = th__vec_push(&found, th__extent_of(view->page, nodes.data[i], nodes.data[i]));
    ok = ok && copy_found(arena, &found, rule->parts, out);
    close_core(&f.core);
    th__vec_release(&f.likely);
    th__vec_release(&found);
    th__vec_release(&nodes);
    return ok;
}

static th_status run_known(const void *rules, const th__known_fields *known,
                           const th_schema *schema, const th_page *page,
                           const th_records_source *source, th_records **out, th_error *err)
{
    const th__lists_rule *rule = rules;
    th__arena arena, seen; /* `seen` is the view's */
    th__view view = {.page = page};
    th__item_vec items = {0};
    th__list_items list = {0};
    uint32_t *first;
    th_status status = TH_OK;
    th__arena_init(&arena);
    th__arena_init(&seen);
    if (!run_find(rule, &view, &seen, &arena, &list.records))
        status = th__fail_memory(err);
    list.records.unhashed = !known || !known->profile; /* else th__fields_adapt may align them */
    if (!status &&
        (!th__fields_assign(&rule->fields, &view, &list.records, &arena, &items, &first) ||
         !th__fields_adapt(&rule->fields, known, &view, &list.records, &arena, &items, first)))
        status = th__fail_memory(err);
    th__arena_release(&seen); /* to read items needs no more than the page */
    view = (th__view){.page = page};
    th__list_item *taken = status ? NULL : th__list_items_of(items.data, items.len);
    if (!status && !taken)
        status = th__fail_memory(err);
    th__vec_release(&items); /* before records are made: both are large */
    if (!status) {
        list = (th__list_items){list.records, taken, first, rule->fields.rest};
        status = th__list_fill(&view, &list, schema, source, out, err);
    }
    th__mem_free(taken);
    th__arena_release(&arena);
    return status;
}

static th_status run_rule(const void *rules, const th_schema *schema, const th_page *page,
                          const th_records_source *source, th_records **out, th_error *err)
{
    return run_known(rules, NULL, schema, page, source, out, err);
}

/* ---- learning ----------------------------------------------------------------------------------
 */

struct learner {
    th__arena *arena; /* of the wrapper */
    uint32_t pick;
    uint32_t parts; /* of the records of a grid; else 0 */
    bool together;  /* see th__lists_rule */
    th__fields_learner fields;
    TH__VEC(th__lists_place) places;
    th__intern known; /* keys of places */
    th__key_vec core; /* of the first list */
    th__buf text;
};

static th_status learn_begin(const th_learn_options *options, th__arena *arena, void **state,
                             th_error *err)
{
    struct learner *l = TH__NEW(struct learner);
    if (!l)
        return th__fail_memory(err);
    l->arena = arena;
    l->pick = options->pick;
    th__fields_learner_init(&l->fields);
    l->fields.whole_lines = options->whole_lines;
    l->fields.all = !options->tidy;
    l->fields.headings = options->headings;
    l->fields.heading_count = options->heading_count;
    th__intern_init(&l->known);
    *state = l;
    return th__fields_learner_take(&l->fields, options->attributes) ? TH_OK : th__fail_memory(err);
}

static void learn_free(void *state)
{
    struct learner *l = state;
    th__fields_learner_release(&l->fields);
    th__vec_release(&l->places);
    th__intern_release(&l->known);
    th__vec_release(&l->core);
    th__buf_release(&l->text);
    th__mem_free(l);
}

/* ---- which list ------------------------------------------------------------------------------ */

static th_status pick_list(const struct learner *l, const th_records_source *source,
                           const th__lists_region *regions, uint32_t count, th__lists_region *out,
                           th_error *err)
{
    if (!count)
        return TH_OK;
    if (l->pick > count)
        return th__fail_no_pick(source, NULL, count, l->pick, err);
    *out = regions[l->pick - 1];
    return TH_OK;
}

/* The list that has most of the core. */
static bool find_alike(const struct learner *l, const th__view *view,
                       const th__lists_region *regions, uint32_t count, th__lists_region *out)
{
    th__key_vec core = {0};
    size_t best = 0;
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++) {
        bool several = regions[i].head && !regions[i].parts;
        if (several != l->fields.several || regions[i].parts != l->parts)
            continue;
        ok = core_of(view, &regions[i].list, &core);
        size_t common = th__key_vec_common(&l->core, &core);
        if (common <= best || 5 * common < 3 * l->core.len)
            continue;
        best = common;
        *out = regions[i];
    }
    th__vec_release(&core);
    return ok;
}

/* What the rule made so far finds. */
static bool find_by_rule(const struct learner *l, th__view *view, th__arena *arena,
                         th__lists_region *out)
{
    th__lists_rule rule = {
        .places = l->places.data, .count = (uint32_t)l->places.len, .parts = l->parts};
    rule.together = l->together;
    rule.fields.several = l->fields.several;
    rule.fields.core = l->core;
    out->parts = l->parts;
    return run_find(&rule, view, NULL, arena, &out->list);
}

static th_status find_list(const struct learner *l, th__view *view, const th_records_source *source,
                           th__arena *arena, th__lists_region *out, th_error *err)
{
    th__lists_region *regions;
    uint32_t count;
    if (l->fields.lists && !find_by_rule(l, view, arena, out))
        return th__fail_memory(err);
    if (out->list.count)
        return TH_OK;
    uint32_t most = l->pick > TH__LISTS_SHOWN ? l->pick : TH__LISTS_SHOWN;
    bool ok = th__lists_regions_find(arena, view, most, &regions, &count);
    if (ok && !l->fields.lists)
        return pick_list(l, source, regions, count, out, err);
    return ok && find_alike(l, view, regions, count, out) ? TH_OK : th__fail_memory(err);
}

/* ---- where it is ----------------------------------------------------------------------------- */

static bool copy_text(struct learner *l, th_str *out)
{
    *out = th__arena_copy(&l->fields.arena, th__buf_str(&l->text));
    l->text.len = 0;
    return out->ptr && !l->text.failed;
}

static bool describe_head(struct learner *l, const th__view *view, uint32_t node, uint8_t fine,
                          th__lists_head *head)
{
    th__lists_look_of look;
    th__lists_look(view, node, &look);
    head->cells = look.cells;
    head->twice = look.twice;
    head->between = look.empty && view->page->tags[node] != TH_TAG_HR;
    head->any = fine == TH__LISTS_COARSE && look.first;
    head->fine = fine == TH__LISTS_FINE;
    head->alone = head->fine && look.alone;
    if (head->fine && look.first_tag)
        head->inside = th_tag_name(look.first_tag);
    if (!th__step_write(view->page, node, &l->text) || !copy_text(l, &head->element))
        return false;
    return !look.first || head->any ||
           (th__path_write(view->page, node, look.first, &l->text) && copy_text(l, &head->first));
}

/* Adds a place unless it is known. One that no path can name is left out. */
static bool add_place(struct learner *l, const th__view *view, uint32_t node, uint32_t head,
                      uint8_t fine)
{
    th__lists_place place = {0};
    uint64_t key = view->sum[node];
    size_t before = l->known.len;
    if (th__intern_add(&l->known, (th_str){(const char *)&key, sizeof key}) == TH__INTERN_NONE)
        return false;
    if (l->known.len == before || l->places.len == TH__LISTS_MAX_PLACES)
        return true;
    l->text.len = 0;
    if (!th__path_write(view->page, 0, node, &l->text) || !copy_text(l, &place.path) ||
        (head && !describe_head(l, view, head, fine, &place.head)))
        return false;
    if (l->fields.several && !head)
        place.head = l->places.data[0].head; /* found by the rule: headed as it says */
    if (!prepare_place(&place) || place.key != key ||
        (l->fields.several && !prepare_head(&place.head)))
        return true;
    return th__vec_push(&l->places, place);
}

/* Returns true if the records have one parent while there are elements with the path of the first
 * elsewhere on the page. */
static bool are_together(const th__view *view, const th__extents *list)
{
    const th_page *page = view->page;
    uint32_t first = list->data[0].first, parent = page->nodes[first].parent;
    for (uint32_t i = 0; i < list->count; i++)
        if (page->nodes[list->data[i].first].parent != parent)
            return false;
    for (uint32_t n = 1; n < page->node_count; n++)
        if (view->sum[n] == view->sum[first] && page->nodes[n].parent != parent)
            return true;
    return false;
}

static bool learn_list(struct learner *l, const th__view *view, const th__lists_region *found)
{
    const th_node *nodes = view->page->nodes;
    th__key_vec core = {0};
    bool ok = core_of(view, &found->list, &core);
    if (!l->fields.lists) {
        l->fields.several = found->head && !found->parts;
        l->parts = found->parts;
        l->together = !l->fields.several && !l->parts && are_together(view, &found->list);
    }
    if (!l->fields.several && !l->parts)
        ok = ok && cover_core(view, &found->list, &core);
    for (uint32_t i = 0; ok && i < found->list.count; i++) {
        uint32_t node = found->list.data[th__extents_first(&found->list, i)].first;
        if (l->fields.several || l->parts)
            node = nodes[node].parent;
        if (l->parts) /* a cell is in a row, and that in the grid */
            node = nodes[node].parent;
        ok = add_place(l, view, node, l->fields.several ? found->head : 0, found->fine);
    }
    ok = ok && th__fields_learn(&l->fields, view, &found->list, &core);
    if (ok && !l->core.len) {
        l->core = core;
        core = (th__key_vec){0};
    }
    th__vec_release(&core);
    return ok;
}

static th_status learn_page(void *state, const th_page *page, const th_records_source *source,
                            size_t *records, th_error *err)
{
    struct learner *l = state;
    th__lists_region found = {0};
    th__arena arena;
    th__view view;
    th__arena_init(&arena);
    th_status status = th__view_make(&arena, page, &view) ? TH_OK : th__fail_memory(err);
    if (!status)
        status = find_list(l, &view, source, &arena, &found, err);
    if (!status && found.list.count && !learn_list(l, &view, &found))
        status = th__fail_memory(err);
    *records = status ? 0 : found.list.count;
    th__arena_release(&arena);
    return status;
}

/* ---- the rule -------------------------------------------------------------------------------- */

static bool copy_into(th__arena *arena, th_str *text)
{
    if (text->ptr)
        *text = th__arena_copy(arena, *text);
    return text->ptr;
}

static th_status learn_end(void *state, th_schema **schema, void **rules, th_error *err)
{
    struct learner *l = state;
    th__arena *arena = l->arena;
    th__lists_rule *rule = th__arena_zero(arena, 1, sizeof *rule);
    bool ok = rule && l->places.len;
    if (!l->places.len)
        return th__fail(err, TH_ERR_FORMAT,
                        "the records are in elements whose names cannot be written in a path");
    if (ok) {
        rule->count = (uint32_t)l->places.len;
        rule->parts = l->parts;
        rule->together = l->together;
        rule->places = th__arena_alloc(arena, l->places.len * sizeof *rule->places);
        ok = rule->places;
    }
    for (uint32_t i = 0; ok && i < rule->count; i++) {
        th__lists_place *place = &rule->places[i];
        *place = l->places.data[i];
        place->of = l->parts            ? TH__LISTS_OF_GRID
                    : l->fields.several ? TH__LISTS_OF_RUNS
                                        : TH__LISTS_OF_RECORDS;
        ok = copy_into(arena, &place->path) &&
             (!place->head.element.ptr || copy_into(arena, &place->head.element)) &&
             (!place->head.first.ptr || copy_into(arena, &place->head.first)) &&
             (!place->head.inside.ptr || copy_into(arena, &place->head.inside));
    }
    if (!ok)
        return th__fail_memory(err);
    *rules = rule;
    return th__fields_learnt(&l->fields, arena, &rule->fields, schema, err);
}

/* ---- the engine --------------------------------------------------------------------------------
 */

static th_status regions_of_page(const th_page *page, const th_records_source *source,
                                 const th_regions_options *options, th__region_vec *out,
                                 th_error *err)
{
    th__arena arena;
    th__view view;
    th__lists_region *regions;
    uint32_t count;
    th_status status = TH_OK;
    th__arena_init(&arena);
    if (!th__view_make(&arena, page, &view) ||
        !th__lists_regions_find(&arena, &view, options->most, &regions, &count))
        status = th__fail_memory(err);
    for (uint32_t i = 0; !status && i < count; i++) {
        th_records *records;
        status =
            th__list_records(&view, &regions[i].list, options->all_columns, source, &records, err);
        if (!status && records)
            status = th__region_add(out, "lists", regions[i].score, records, err);
    }
    th__arena_release(&arena);
    return status;
}

const th__engine th__lists_engine = {
    .name = "lists",
    .alias = "auto", /* in wrapper files of version 0.1, and among the engines for lists */
    .data = true,
    .regions = regions_of_page,
    .confidence = TH__LISTS_CONFIDENCE,
    .learn_begin = learn_begin,
    .learn_page = learn_page,
    .learn_end = learn_end,
    .learn_free = learn_free,
    .run = run_rule,
    .run_known = run_known,
    .shape = &rule_shape,
    .explain = explain_rule,
    .fields = fields_of_rule,
};
