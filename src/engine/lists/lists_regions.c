/*
 * lists_regions.c: from groups of alike elements to lists of whole records.
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
#include "engine/lists/lists_groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "engine/lists/lists_model.h"
#include "table/sections.h"
#include "page/tags.h"
#include "index/tables.h"

/* ---- which elements around found records are records too ------------------------------------- */

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

static bool find_core(const th__view *view, const th__lists_nodes *nodes, th__key_vec *core)
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

static bool drop_strange_runs(const th__view *view, th__extent *runs, uint32_t *count)
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

enum { CONSIDERED = 24 }; /* lists that are ranked: the best twenty hold what forty do */
#define SHARE 0.15        /* of the best group's score that those behind the first ten have */

/* ---- lift ------------------------------------------------------------------------------------ */

/* Replaces nodes by their parents when no two share one. */
static bool lift_once(const th__view *view, uint32_t *nodes, uint32_t count, uint32_t *parents)
{
    const th_node *all = view->page->nodes;
    for (uint32_t i = 0; i < count; i++)
        parents[i] = all[nodes[i]].parent;
    bool rising = true;
    for (uint32_t i = 1; i < count && rising; i++)
        rising = parents[i - 1] < parents[i];
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
 * core (what stands above the list, adverts), are left out. */
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
        th__sections_trim_runs(f->view, records, out->list.count);
    return records && drop_strange_runs(f->view, records, &out->list.count);
}

static bool region_of_grid(struct region_search *f, const th__lists_group *group,
                           th__lists_region *out)
{
    size_t size = (size_t)group->count * group->parts * sizeof(th__extent);
    uint32_t *first = th__arena_alloc(f->arena, ((size_t)group->count + 1) * sizeof *first);
    th__extent *runs = th__arena_alloc(f->arena, size);
    if (!first || !runs)
        return false;
    memcpy(runs, group->runs, size);
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
    bool ok = find_core(view, nodes, &keys) && th__lists_core_open(&core, &keys, NULL) &&
              th__lists_drop_strangers(view, &core, 2, nodes);
    if (ok && nodes->len < given) {
        th__lists_core_close(&core);
        ok = find_core(view, nodes, &keys) && th__lists_core_open(&core, &keys, NULL);
    }
    ok = ok && th__lists_join_siblings(view, &core, nodes);
    if (ok)
        th__lists_drop_header_rows(view, nodes);
    th__lists_core_close(&core);
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
    uint32_t low = 0, high = extent_count(whole);
    for (uint32_t i = 0; whole->first && i < high; i++) /* extents are in no order */
        if (whole->data[i].token <= start && end <= whole->data[i].token_end)
            return true;
    if (whole->first)
        return false;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (whole->data[middle].token <= start)
            low = middle;
        else
            high = middle;
    }
    return whole->count && whole->data[low].token <= start && end <= whole->data[low].token_end;
}

/* Copies the lists of regions, so that what they were found with can be freed. */
static bool keep_regions(th__arena *arena, th__lists_region *regions, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        th__extents *list = &regions[i].list;
        size_t size = extent_count(list) * sizeof *list->data;
        size_t first_size = list->first ? (list->count + (size_t)1) * sizeof *list->first : 0;
        void *data = th__arena_alloc(arena, size), *first = th__arena_alloc(arena, first_size);
        if (!data || !first)
            return false;
        memcpy(data, list->data, size);
        list->data = data;
        if (list->first)
            list->first = memcpy(first, list->first, first_size);
    }
    return true;
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

bool th__lists_candidates_find(th__arena *arena, const th__view *view, th__lists_region **out,
                               uint32_t *count)
{
    enum { JOINED = 4 }; /* of so many of the best, each two are tried as one */
    struct region_search f = {.arena = arena, .view = view};
    th__arena own;
    th__lists_group *groups;
    uint32_t found;
    th__arena_init(&own);
    f.regions = th__arena_alloc(arena, (CONSIDERED + JOINED * JOINED + 1) * sizeof *f.regions);
    bool ok = f.regions && th__lists_groups_find(&own, view, &groups, &found);
    for (uint32_t i = 0; ok && i < found && f.count < CONSIDERED &&
                         (f.count < TH__LISTS_SHOWN || groups[i].score >= SHARE * groups[0].score);
         i++)
        ok = add_region(&f, &groups[i]);
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
    ok = evidence && th__lists_weigh(view, *out, *count, evidence);
    if (ok) {
        th__lists_score(NULL, evidence, *out, *count);
        th__lists_regions_rank(*out, most, count);
        th__lists_region *kept = th__arena_alloc(arena, (*count + (size_t)1) * sizeof *kept);
        ok = kept;
        if (ok)
            memcpy(kept, *out, *count * sizeof *kept);
        *out = kept;
        ok = ok && keep_regions(arena, kept, *count);
    }
    th__arena_release(&own);
    return ok;
}
