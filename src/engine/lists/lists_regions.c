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
    return records && th__lists_drop_strange_runs(f->view, records, &out->list.count);
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
    bool ok = th__lists_core_find(view, nodes, &keys) && th__lists_core_open(&core, &keys, NULL) &&
              th__lists_drop_strangers(view, &core, 2, nodes);
    if (ok && nodes->len < given) {
        th__lists_core_close(&core);
        ok = th__lists_core_find(view, nodes, &keys) && th__lists_core_open(&core, &keys, NULL);
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
