/* lists_records.c: which elements around found records are records too. */
#include "engine/lists/lists_records.h"

#include <stdlib.h>

#include "page/tags.h"
#include "index/tables.h"
#include "table/sections.h"

enum {
    SAMPLE = 256, /* records that tell what the fields are */
    COVER = 5,    /* keys of a core of which one is enough: see th__lists_drop_strangers */
    KIND = 32     /* one record in so many is of a kind: fewer may be adverts */
};

bool th__lists_core_open(th__lists_core *core, const th__key_vec *keys, const th__key_map *parts)
{
    *core = (th__lists_core){.keys = keys, .parts = parts};
    bool ok = th__vec_reserve(&core->met, keys->len);
    for (size_t i = 0; ok && i < keys->len; i++) {
        ok = th__key_map_put(&core->places, keys->data[i], (uint32_t)i + 1);
        core->met.data[i] = 0;
    }
    return ok;
}

void th__lists_core_close(th__lists_core *core)
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

bool th__lists_core_count(th__lists_core *core, const th__view *view, const th__extent *extents,
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
    return th__lists_core_count(core, view, &record, 1, common);
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

bool th__lists_core_of(const th__view *view, const th__extents *list, th__key_vec *core)
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
    if (ok && left.len)
        qsort(left.data, left.len, sizeof *left.data, th__by_number);
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

bool th__lists_core_cover(const th__view *view, const th__extents *list, th__key_vec *core)
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

bool th__lists_core_find(const th__view *view, const th__lists_nodes *nodes, th__key_vec *core)
{
    th__extent sample[SAMPLE];
    size_t step = (nodes->len + SAMPLE - 1) / SAMPLE;
    th__extents list = {sample, NULL, 0};
    for (size_t i = 0; i < nodes->len; i += step)
        sample[list.count++] = th__extent_of(view->page, nodes->data[i], nodes->data[i]);
    return th__lists_core_of(view, &list, core);
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
        if (signature != th__step_signature(th__element_hash(page->tags[holder], (th_str){0})))
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
    if (ok && all.len)
        qsort(all.data, all.len, sizeof *all.data, th__by_number);
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

bool th__lists_drop_strangers(const th__view *view, th__lists_core *core, size_t least,
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

bool th__lists_drop_strange_runs(const th__view *view, th__extent *runs, uint32_t *count)
{
    th__key_vec keys = {0};
    th__extents list = {runs, NULL, *count};
    th__lists_core core = {0};
    uint32_t kept = 0;
    size_t common;
    bool ok = th__lists_core_of(view, &list, &keys) && th__lists_core_open(&core, &keys, NULL);
    if (ok && keys.len >= 2) {
        for (uint32_t i = 0; ok && i < *count; i++) {
            ok = th__lists_core_count(&core, view, &runs[i], 1, &common);
            if (5 * common >= keys.len)
                runs[kept++] = runs[i];
        }
        *count = kept;
    }
    th__lists_core_close(&core);
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

bool th__lists_join_siblings(const th__view *view, th__lists_core *core, th__lists_nodes *nodes)
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

void th__lists_drop_inner(const th_page *page, th__lists_nodes *nodes)
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

/* A row that names columns, or is a heading of those below it, is not a record. */
static bool is_header_row(const th__view *view, uint32_t node)
{
    const th__table_row *row = th__table_row_of(view, node);
    return row && (row->header || row->section);
}

void th__lists_drop_header_rows(const th__view *view, th__lists_nodes *nodes)
{
    size_t kept = 0;
    for (size_t i = 0; i < nodes->len; i++)
        if (!is_header_row(view, nodes->data[i]))
            nodes->data[kept++] = nodes->data[i];
    nodes->len = kept;
    if (kept)
        th__sections_drop_headings(view, nodes->data, &nodes->len);
}
