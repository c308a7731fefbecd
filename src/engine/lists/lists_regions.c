/*
 * lists_regions.c: from groups of alike elements to lists of whole records.
 *
 * A group has the right elements at about the right level. These steps make records of it:
 *
 *  1. lift: while each element is alone in its parent, the parent is the record, with all it holds.
 *  2. join: siblings that have most of the fields belong to the list, those that have none do not:
 *     see lists_records.h.
 *
 * Then a model ranks what was found: see lists_model.h. Of lists in lists it says which are the
 * records, too.
 */
#include "engine/lists/lists_groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "engine/lists/lists_cut.h"
#include "engine/lists/lists_model.h"
#include "engine/lists/lists_records.h"
#include "table/sections.h"

enum { CONSIDERED = 24 }; /* lists that are ranked: the best twenty hold what forty do */

/* ---- lift ------------------------------------------------------------------------------------ */

static int by_node(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

/* Replaces nodes by their parents when no two share one. */
static bool lift_once(const th__view *view, uint32_t *nodes, uint32_t count, uint32_t *parents)
{
    const th_node *all = view->page->nodes;
    for (uint32_t i = 0; i < count; i++)
        parents[i] = all[nodes[i]].parent;
    qsort(parents, count, sizeof *parents, by_node);
    if (parents[0] == 0)
        return false;
    for (uint32_t i = 1; i < count; i++)
        if (parents[i] < all[parents[i - 1]].end) /* the same, or one inside the other */
            return false;
    memcpy(nodes, parents, count * sizeof *nodes);
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Runs are whole records already: those without text, and those that have next to nothing of the
 * core (what stands above the list, adverts), are left out. */
static bool region_of_runs(th__arena *arena, const th__view *view, const th__lists_group *group,
                           th__lists_region *out)
{
    const uint32_t *before = view->leaves.before;
    *out = (th__lists_region){
        .score = group->score, .head = group->head, .fine = group->fine, .regular = group->regular};
    th__extent *records = th__arena_alloc(arena, group->count * sizeof *records);
    for (uint32_t i = 0; records && i < group->count; i++)
        if (before[group->runs[i].token] < before[group->runs[i].token_end])
            records[out->list.count++] = group->runs[i];
    out->list.data = records;
    if (records)
        th__sections_trim_runs(view, records, out->list.count);
    return records && th__lists_drop_strange_runs(view, records, &out->list.count);
}

static bool region_of_grid(th__arena *arena, const th__lists_group *group, th__lists_region *out)
{
    size_t size = (size_t)group->count * group->parts * sizeof(th__extent);
    uint32_t *first = th__arena_alloc(arena, ((size_t)group->count + 1) * sizeof *first);
    th__extent *runs = th__arena_alloc(arena, size);
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

static bool region_of_elements(th__arena *arena, const th__view *view, const th__lists_group *group,
                               th__lists_region *out)
{
    th__lists_nodes nodes = {0};
    th__key_vec core = {0};
    uint32_t *parents = NULL;
    th__extent *records = NULL;
    bool ok = th__vec_reserve(&nodes, group->count);
    if (ok) {
        memcpy(nodes.data, group->nodes, group->count * sizeof *nodes.data);
        nodes.len = group->count;
        parents = TH__NEW_ARRAY(uint32_t, group->count);
        ok = parents;
    }
    while (ok && lift_once(view, nodes.data, group->count, parents))
        ;
    ok = ok && th__lists_core_find(view, &nodes, &core) &&
         th__lists_drop_strangers(view, &core, NULL, 2, &nodes) &&
         th__lists_core_find(view, &nodes, &core) &&
         th__lists_join_siblings(view, &core, NULL, &nodes);
    if (ok) {
        th__lists_drop_header_rows(view, &nodes);
        records = th__arena_alloc(arena, nodes.len * sizeof *records);
        *out =
            (th__lists_region){.list = {records, NULL, (uint32_t)nodes.len}, .score = group->score};
        ok = records;
    }
    for (size_t i = 0; ok && i < nodes.len; i++)
        records[i] = th__extent_of(view->page, nodes.data[i], nodes.data[i]);
    th__mem_free(parents);
    th__vec_release(&core);
    th__vec_release(&nodes);
    return ok;
}

static uint32_t extent_count(const th__extents *list)
{
    return th__extents_first(list, list->count);
}

/* Whether two lists are the same. */
static bool same_records(const th__extents *a, const th__extents *b)
{
    uint32_t count = extent_count(a);
    return a->count == b->count && count == extent_count(b) &&
           !memcmp(a->data, b->data, count * sizeof *a->data);
}

/* Whether a list lies inside one record of another: it is a part of that record. */
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

static bool make_region(th__arena *arena, const th__view *view, const th__lists_group *group,
                        th__lists_region *out)
{
    if (group->parts)
        return region_of_grid(arena, group, out);
    return (group->runs ? region_of_runs : region_of_elements)(arena, view, group, out);
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
static bool add_region(th__arena *arena, const th__view *view, const th__lists_group *group,
                       th__lists_region *regions, uint32_t *count)
{
    th__lists_region *region = &regions[*count];
    if (!make_region(arena, view, group, region))
        return false;
    bool seen = region->list.count == 0;
    for (uint32_t i = 0; i < *count && !seen; i++)
        seen = same_records(&regions[i].list, &region->list);
    *count += !seen;
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
static bool add_joined(th__arena *arena, const th__view *view, const th__lists_region *one,
                       const th__lists_region *other, th__lists_region *regions, uint32_t *count)
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
    if (view->leaves.before[t] < view->leaves.before[end])
        return true;
    th__lists_group group = {.score = one->score > other->score ? one->score : other->score};
    group.nodes = th__arena_alloc(arena, (a->count + (size_t)b->count) * sizeof *group.nodes);
    if (!group.nodes)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        group.nodes[group.count++] = a->data[i].first;
    for (uint32_t i = 0; i < b->count; i++)
        group.nodes[group.count++] = b->data[i].first;
    return add_region(arena, view, &group, regions, count);
}

bool th__lists_candidates_find(th__arena *arena, const th__view *view, th__lists_region **out,
                               uint32_t *count)
{
    enum { JOINED = 4 }; /* of so many of the best, each two are tried as one */
    th__arena own;
    th__lists_group *groups;
    uint32_t found;
    th__arena_init(&own);
    *count = 0;
    *out = th__arena_alloc(arena, (CONSIDERED + JOINED * JOINED + 1) * sizeof **out);
    bool ok = *out && th__lists_groups_find(&own, view, &groups, &found);
    for (uint32_t i = 0; ok && i < found && *count < CONSIDERED; i++)
        ok = add_region(arena, view, &groups[i], *out, count);
    uint32_t best = *count < JOINED ? *count : JOINED;
    for (uint32_t i = 0; ok && i < best; i++)
        for (uint32_t j = i + 1; ok && j < best; j++)
            if (5 * (*out)[j].score >= 4 * (*out)[i].score)
                ok = add_joined(arena, view, &(*out)[i], &(*out)[j], *out, count);
    th__arena_release(&own);
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
