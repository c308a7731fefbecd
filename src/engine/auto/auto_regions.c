/*
 * auto_regions.c: from groups of alike elements to lists of whole records.
 *
 * A group has the right elements at about the right level. These steps make records of it:
 *
 *  1. contains: a group whose elements each hold several elements of another group with fields of
 * its own is a container (a row of cards, a section of results): it steps back.
 *  2. lift: while each element is alone in its parent, the parent is the record, with all it holds.
 *  3. join: siblings that have most of the fields belong to the list, whatever their class; those
 * that have none of them (adverts, headings) do not.
 */
#include "engine/auto/auto_regions.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "page/tags.h"

enum { CONSIDERED = 40, SAMPLE = 256 };

/* ---- 1. containers --------------------------------------------------------------------------- */

/* How many of the rising nodes lie below `limit`. */
static uint32_t count_below(const th__auto_group *group, uint32_t limit)
{
    uint32_t low = 0, high = group->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (group->nodes[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether most elements of `outer` hold two or more of `inner`, and those most of the text. A
 * sample of the elements is enough to tell, and keeps the cost of a hundred thousand records down.
 */
static bool contains(const th__view *view, const th__auto_group *outer, const th__auto_group *inner)
{
    if (inner->fields < 2 || inner->bytes < outer->bytes / 2 || inner->count < outer->count * 3 / 2)
        return false;
    uint32_t step = outer->count / SAMPLE + 1, looked = 0, several = 0;
    for (uint32_t i = 0; i < outer->count; i += step) {
        uint32_t node = outer->nodes[i];
        uint32_t inside =
            count_below(inner, view->page->nodes[node].end) - count_below(inner, node + 1);
        looked++;
        several += inside >= 2;
    }
    return 2 * several >= looked;
}

static void demote_containers(const th__view *view, th__auto_group *groups, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            if (i != j && contains(view, &groups[i], &groups[j])) {
                groups[i].score *= 0.3;
                break;
            }
}

static int by_score(const void *a, const void *b)
{
    const th__auto_group *left = a, *right = b;
    if (left->score != right->score)
        return left->score < right->score ? 1 : -1;
    return left->nodes[0] < right->nodes[0] ? -1 : left->nodes[0] > right->nodes[0];
}

/* ---- 2. lift --------------------------------------------------------------------------------- */

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

/* ---- 3. join --------------------------------------------------------------------------------- */

typedef TH__VEC(uint64_t) key_vec;
typedef TH__VEC(uint32_t) node_vec;

static int by_key(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

/* Adds the different keys of a node, rising. */
static bool add_keys(const th__view *view, uint32_t node, key_vec *keys)
{
    const th_node *n = &view->page->nodes[node];
    uint32_t leaf = view->leaves.before[n->token], end = view->leaves.before[n->token_end];
    size_t from = keys->len, kept = from;
    for (; leaf < end; leaf++)
        if (!th__vec_push(keys, th__view_key(view, node, view->leaves.data[leaf].node)))
            return false;
    if (keys->len > from)
        qsort(keys->data + from, keys->len - from, sizeof *keys->data, by_key);
    for (size_t i = from; i < keys->len; i++)
        if (i == from || keys->data[i] != keys->data[i - 1])
            keys->data[kept++] = keys->data[i];
    keys->len = kept;
    return true;
}

/* The keys that at least half of the nodes have, rising. */
static bool core_keys(const th__view *view, const uint32_t *nodes, uint32_t count, key_vec *core)
{
    key_vec all = {0};
    bool ok = true;
    uint32_t step = count / SAMPLE + 1, looked = 0;
    for (uint32_t i = 0; ok && i < count; i += step, looked++)
        ok = add_keys(view, nodes[i], &all);
    if (ok && all.len)
        qsort(all.data, all.len, sizeof *all.data, by_key);
    for (size_t i = 0; ok && i < all.len;) {
        size_t end = i + 1;
        while (end < all.len && all.data[end] == all.data[i])
            end++;
        if (2 * (end - i) >= looked)
            ok = th__vec_push(core, all.data[i]);
        i = end;
    }
    th__vec_release(&all);
    return ok;
}

static size_t count_common(const key_vec *a, const key_vec *b)
{
    size_t i = 0, j = 0, common = 0;
    while (i < a->len && j < b->len) {
        common += a->data[i] == b->data[j];
        if (a->data[i] <= b->data[j])
            i++;
        else
            j++;
    }
    return common;
}

/* Takes out nodes that have none of the fields that most of them have: adverts and headings. */
static bool drop_strangers(const th__view *view, node_vec *nodes)
{
    key_vec core = {0}, keys = {0};
    bool ok = core_keys(view, nodes->data, (uint32_t)nodes->len, &core);
    size_t kept = 0;
    for (size_t i = 0; ok && core.len >= 2 && i < nodes->len; i++) {
        keys.len = 0;
        ok = add_keys(view, nodes->data[i], &keys);
        if (5 * count_common(&core, &keys) >= core.len)
            nodes->data[kept++] = nodes->data[i];
    }
    if (ok && core.len >= 2)
        nodes->len = kept;
    th__vec_release(&core);
    th__vec_release(&keys);
    return ok;
}

/* Adds siblings of the nodes that have three in five of the fields that most of them have. */
static bool join_siblings(const th__view *view, node_vec *nodes)
{
    const th_node *all = view->page->nodes;
    key_vec core = {0}, keys = {0};
    bool ok = core_keys(view, nodes->data, (uint32_t)nodes->len, &core);
    size_t given = nodes->len;
    uint32_t last_parent = 0;
    for (size_t i = 0; ok && core.len >= 2 && i < given; i++) {
        uint32_t parent = all[nodes->data[i]].parent;
        if (parent == last_parent)
            continue;
        last_parent = parent;
        size_t at = i; /* the next of the given nodes: they rise as the children do */
        for (uint32_t child = parent + 1; ok && child < all[parent].end; child = all[child].end) {
            while (at < given && nodes->data[at] < child)
                at++;
            if (at < given && nodes->data[at] == child)
                continue;
            keys.len = 0;
            ok = add_keys(view, child, &keys);
            if (ok && 5 * count_common(&core, &keys) >= 3 * core.len)
                ok = th__vec_push(nodes, child);
        }
    }
    if (ok && nodes->len > given)
        qsort(nodes->data, nodes->len, sizeof *nodes->data, by_node);
    th__vec_release(&core);
    th__vec_release(&keys);
    return ok;
}

/* A row of nothing but header cells names the columns: it is no record. */
static bool is_header_row(const th_page *page, uint32_t node)
{
    uint32_t child = node + 1, end = page->nodes[node].end;
    if (page->tags[node] != TH_TAG_TR || child >= end)
        return false;
    for (; child < end; child = page->nodes[child].end)
        if (page->tags[child] != TH_TAG_TH)
            return false;
    return true;
}

static void drop_header_rows(const th_page *page, node_vec *nodes)
{
    size_t kept = 0;
    for (size_t i = 0; i < nodes->len; i++)
        if (!is_header_row(page, nodes->data[i]))
            nodes->data[kept++] = nodes->data[i];
    nodes->len = kept;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool make_region(th__arena *arena, const th__view *view, const th__auto_group *group,
                        th__auto_region *out)
{
    node_vec nodes = {0};
    uint32_t *parents = NULL;
    bool ok = th__vec_reserve(&nodes, group->count);
    if (ok) {
        memcpy(nodes.data, group->nodes, group->count * sizeof *nodes.data);
        nodes.len = group->count;
        parents = TH__NEW_ARRAY(uint32_t, group->count);
        ok = parents;
    }
    while (ok && lift_once(view, nodes.data, group->count, parents))
        ;
    ok = ok && drop_strangers(view, &nodes) && join_siblings(view, &nodes);
    if (ok) {
        drop_header_rows(view->page, &nodes);
        out->score = group->score;
        out->count = (uint32_t)nodes.len;
        out->records = th__arena_alloc(arena, nodes.len * sizeof *out->records);
        ok = out->records;
    }
    for (size_t i = 0; ok && i < nodes.len; i++) {
        out->records[i] = th__extent_of(view->page, nodes.data[i], nodes.data[i]);
    }
    th__mem_free(parents);
    th__vec_release(&nodes);
    return ok;
}

/* Whether two regions are the same list. */
static bool same_records(const th__auto_region *a, const th__auto_region *b)
{
    return a->count == b->count && !memcmp(a->records, b->records, a->count * sizeof *a->records);
}

bool th__auto_regions_find(th__arena *arena, th__arena *scratch, const th__view *view,
                           th__auto_region **out, uint32_t *count)
{
    th__auto_group *groups;
    uint32_t found;
    *count = 0;
    *out = th__arena_alloc(arena, TH__AUTO_MAX_REGIONS * sizeof **out);
    if (!*out || !th__auto_groups_find(arena, scratch, view, &groups, &found))
        return false;
    if (found > CONSIDERED)
        found = CONSIDERED;
    demote_containers(view, groups, found);
    qsort(groups, found, sizeof *groups, by_score);
    for (uint32_t i = 0; i < found && *count < TH__AUTO_MAX_REGIONS; i++) {
        th__auto_region *region = &(*out)[*count];
        if (!make_region(arena, view, &groups[i], region))
            return false;
        bool seen = false;
        for (uint32_t j = 0; j < *count && !seen; j++)
            seen = same_records(&(*out)[j], region);
        *count += !seen && region->count > 0;
    }
    return true;
}
