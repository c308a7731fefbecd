/*
 * lists_regions.c: from groups of alike elements to lists of whole records.
 *
 * A group has the right elements at about the right level. These steps make records of it:
 *
 *  1. settle: of lists in lists either the outer or the inner elements are the records.
 *  2. lift: while each element is alone in its parent, the parent is the record, with all it holds.
 *  3. join: siblings that have most of the fields belong to the list, those that have none do not:
 * see lists_records.h.
 */
#include "engine/lists/lists_groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "engine/lists/lists_cut.h"
#include "engine/lists/lists_records.h"
#include "page/tags.h"
#include "index/tables.h"
#include "table/sections.h"

enum { CONSIDERED = 40, SAMPLE = 256 };

/* ---- 1. lists in lists ----------------------------------------------------------------------- */

/* How many of the rising nodes lie below `limit`. */
static uint32_t count_below(const th__lists_group *group, uint32_t limit)
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

/* One past the last node of a group's record. */
static uint32_t record_end(const th__view *view, const th__lists_group *group, uint32_t index)
{
    uint32_t last = group->nodes[index];
    if (group->runs && !group->parts)
        last = group->runs[index].last;
    return view->page->nodes[last].end;
}

/* What elements of one group hold of another. A sample of them is enough to tell, and keeps the
 * cost of a hundred thousand records down. */
struct holding {
    uint32_t looked;  /* records of the outer group */
    uint32_t several; /* of them hold two or more of the inner one */
    uint32_t inner;   /* that they hold */
    uint32_t fields;  /* that vary and stand outside of the inner ones, or in one of them alone */
    bool rows;        /* the inner ones are rows of data tables with a header */
    bool parts;       /* the inner ones are of different kinds: parts of a record */
    uint32_t texts;   /* of the outer records */
    uint32_t texts_of_several; /* of those that hold two or more */
};

struct own_leaf {
    uint64_t key, hash;
};

typedef TH__VEC(struct own_leaf) own_vec;

static int by_key_and_hash(const void *a, const void *b)
{
    const struct own_leaf *left = a, *right = b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return left->hash < right->hash ? -1 : left->hash > right->hash;
}

/* Collects the leaves of a record that are in none of the inner group's. */
static bool add_own_leaves(const th__view *view, const th__extent *record,
                           const th__lists_group *inner, uint32_t from, uint32_t to, own_vec *own)
{
    const th_node *nodes = view->page->nodes;
    uint32_t leaf = view->leaves.before[record->token];
    uint32_t end = view->leaves.before[record->token_end], top = record->first;
    for (; leaf < end; leaf++) {
        const th__leaf *l = &view->leaves.data[leaf];
        while (from < to && nodes[inner->nodes[from]].token_end <= l->token)
            from++;
        if (from < to && nodes[inner->nodes[from]].token <= l->token)
            continue;
        uint64_t key = th__extent_key(view, record, l->node, &top);
        if (!th__vec_push(own, (struct own_leaf){key, l->hash}))
            return false;
    }
    return true;
}

/* Fields that most records have and that differ between most of them. */
static uint32_t count_fields(own_vec *own, uint32_t records)
{
    uint32_t fields = 0;
    if (own->len)
        qsort(own->data, own->len, sizeof *own->data, by_key_and_hash);
    for (size_t i = 0, end; i < own->len; i = end) {
        uint32_t distinct = 1;
        for (end = i + 1; end < own->len && own->data[end].key == own->data[i].key; end++)
            distinct += own->data[end].hash != own->data[end - 1].hash;
        fields += 2 * (end - i) >= records && 2 * distinct > end - i;
    }
    return fields;
}

/* Collects the keys of the texts in the inner elements that one outer element holds, each with the
 * number of the inner element: the first, the second, ... */
static bool add_parts(const th__view *view, const th__lists_group *inner, uint32_t from,
                      uint32_t to, own_vec *parts)
{
    enum { PARTS = 8 }; /* more parts than a record has */
    const th_node *nodes = view->page->nodes;
    for (uint32_t i = from; i < to && i - from < PARTS; i++) {
        uint32_t node = inner->nodes[i], leaf = view->leaves.before[nodes[node].token];
        uint32_t end = view->leaves.before[nodes[node].token_end];
        for (; leaf < end; leaf++) {
            uint64_t key = th__view_key(view, node, view->leaves.data[leaf].node);
            if (!th__vec_push(parts, (struct own_leaf){key, i - from}))
                return false;
        }
    }
    return true;
}

/* Whether most texts have a key that goes with a place: there is a part for titles and a part for
 * prices, where records would have both. Keys that less than half of the outer elements have tell
 * nothing. The others that go with a place are counted: a title in the first one is a field of the
 * outer element, whatever the rest is. */
static bool are_parts(own_vec *parts, uint32_t outer, uint32_t *fields)
{
    size_t bound = 0, total = 0;
    if (parts->len)
        qsort(parts->data, parts->len, sizeof *parts->data, by_key_and_hash);
    for (size_t i = 0, end; i < parts->len; i = end) {
        size_t most = 0;
        for (end = i; end < parts->len && parts->data[end].key == parts->data[i].key;) {
            size_t start = end;
            while (end < parts->len && parts->data[end].key == parts->data[i].key &&
                   parts->data[end].hash == parts->data[start].hash)
                end++;
            most = end - start > most ? end - start : most;
        }
        if (2 * (end - i) < outer)
            continue;
        total += end - i;
        if (5 * most < 4 * (end - i))
            continue;
        bound += end - i;
        ++*fields;
    }
    return total && 2 * bound >= total;
}

static th__extent record_of(const th_page *page, const th__lists_group *group, uint32_t index)
{
    uint32_t node = group->nodes[index];
    return group->runs ? group->runs[index] : th__extent_of(page, node, node);
}

static uint32_t sample_step(const th__lists_group *group)
{
    return group->count / SAMPLE + 1;
}

/* Counts what the outer records hold. */
static void count_inside(const th__view *view, const th__lists_group *outer,
                         const th__lists_group *inner, struct holding *out)
{
    *out = (struct holding){0};
    for (uint32_t i = 0; i < outer->count; i += sample_step(outer)) {
        uint32_t from = count_below(inner, outer->nodes[i] + 1);
        uint32_t to = count_below(inner, record_end(view, outer, i));
        th__extent record = record_of(view->page, outer, i);
        uint32_t texts = view->leaves.before[record.token_end] - view->leaves.before[record.token];
        out->looked++;
        out->several += to - from >= 2;
        out->texts += texts;
        out->texts_of_several += to - from >= 2 ? texts : 0;
        out->inner += to - from;
    }
}

/* Returns true if the elements of a group are rows of data tables with a header. */
static bool are_rows(const th__view *view, const th__lists_group *group)
{
    uint32_t rows = 0, looked = 0;
    for (uint32_t i = 0; view->tables && i < group->count; i += sample_step(group), looked++) {
        const th__table_row *row = th__table_row_of(view, group->nodes[i]);
        rows += row && view->tables->tables[row->table].header;
    }
    return 5 * rows > 4 * looked;
}

/* Looks at what they hold. */
static bool look_inside(const th__view *view, const th__lists_group *outer,
                        const th__lists_group *inner, struct holding *out)
{
    own_vec own = {0}, parts = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < outer->count; i += sample_step(outer)) {
        uint32_t from = count_below(inner, outer->nodes[i] + 1);
        uint32_t to = count_below(inner, record_end(view, outer, i));
        th__extent record = record_of(view->page, outer, i);
        ok = add_own_leaves(view, &record, inner, from, to, &own);
        if (ok && to - from >= 2 && !out->rows)
            ok = add_parts(view, inner, from, to, &parts);
    }
    out->fields = count_fields(&own, out->looked);
    out->parts = are_parts(&parts, out->several, &out->fields);
    th__vec_release(&parts);
    th__vec_release(&own);
    return ok;
}

/*
 * When the elements of one group hold several of another, which are the records? The inner ones,
 * when the outer ones have nothing of their own but a heading and hold many (a row of cards, a
 * section of results). Otherwise the outer ones, and the inner ones are a list inside a record.
 */
static bool settle(const th__view *view, th__lists_group *outer, th__lists_group *inner)
{
    enum { MANY = 4, FULL = 10 };
    struct holding h;
    if (inner->runs || inner->fields < 2 || 3 * (uint64_t)inner->bytes < outer->bytes ||
        2 * (uint64_t)inner->count < 3 * (uint64_t)outer->count)
        return true;
    count_inside(view, outer, inner, &h);
    bool usual = 2 * h.several >= h.looked;
    /* Or those that have nearly all text: an advert between rows of records holds nothing. */
    if (!usual && 10 * (uint64_t)h.texts_of_several < 9 * (uint64_t)h.texts)
        return true;
    h.rows = are_rows(view, inner);
    if (!look_inside(view, outer, inner, &h))
        return false;
    bool most = 5 * (uint64_t)inner->bytes >= 4 * (uint64_t)outer->bytes;
    bool full = most && h.inner >= FULL * h.looked;
    h.parts =
        !h.rows && (h.parts || outer->regular); /* its elements were told apart when it was cut */
    /* A table below a heading is a container, however small. */
    bool many = h.inner >= (h.rows ? 2 : MANY) * h.looked;
    bool container = !h.parts && (h.fields == 0 || (h.fields == 1 && many));
    if ((full && !h.parts) || container)
        outer->score *= 0.3;
    else if (usual && !outer->runs && outer->count > 2 && inner->score > 0.9 * outer->score)
        inner->score = 0.9 * outer->score;
    return true;
}

/* In a grid, neither a row nor a cell nor what is in a cell is a record. The grid was told from a
 * table of data by how its rows differ. */
static void settle_grid(const th_page *page, const th__lists_group *grid, th__lists_group *other)
{
    uint32_t before = count_below(other, grid->head + 1);
    uint32_t inside = count_below(other, page->nodes[grid->head].end) - before;
    if (5 * (uint64_t)inside >= 4 * (uint64_t)other->count && !other->parts &&
        other->score > 0.9 * grid->score)
        other->score = 0.9 * grid->score;
}

static bool is_line_end(const th_page *page, uint32_t node)
{
    return page->tags[node] == TH_TAG_BR && !th__lists_is_empty_line(page, node);
}

/*
 * Of two ways to cut an element into runs that tell about as much, which is right?
 *
 *  - a line (hr) goes before what else gives about as many records, and anything before a single
 *    line break, which most often ends a line of a record;
 *  - one that is regular before one that is not and gives fewer records.
 */
static void settle_runs(const th_page *page, const th__lists_group *good, th__lists_group *other)
{
    uint32_t parent = page->nodes[good->nodes[0]].parent;
    if (!other->runs || other->parts || other->score <= 0.9 * good->score ||
        page->nodes[other->nodes[0]].parent != parent)
        return;
    uint16_t tag = page->tags[good->head], other_tag = page->tags[other->head];
    bool near = 4 * good->score >= 3 * other->score;
    bool line = tag == TH_TAG_HR && other_tag != TH_TAG_HR && 3 * good->count >= 2 * other->count &&
                2 * good->count <= 3 * other->count;
    bool weak = is_line_end(page, other->head) && !is_line_end(page, good->head);
    bool regular = good->regular && !other->regular && other->count < good->count;
    if (near && (line || weak || regular))
        other->score = 0.9 * good->score;
}

/* In a data table with a header each row is a record: a row and the heading of the next ones below
 * it are not. */
static void settle_rows(const th__view *view, th__lists_group *groups, uint32_t count)
{
    double best = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!groups[i].runs && groups[i].score > best && are_rows(view, &groups[i]))
            best = groups[i].score;
    for (uint32_t i = 0; i < count && best > 0; i++)
        if (groups[i].runs && !groups[i].parts && groups[i].score > 0.9 * best &&
            are_rows(view, &groups[i]))
            groups[i].score = 0.9 * best;
}

static bool settle_all(const th__view *view, th__lists_group *groups, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            if (i != j && !groups[i].parts && !groups[j].parts &&
                !settle(view, &groups[i], &groups[j]))
                return false;
    settle_rows(view, groups, count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++) {
            if (groups[i].parts)
                settle_grid(view->page, &groups[i], &groups[j]);
            else if (groups[i].runs)
                settle_runs(view->page, &groups[i], &groups[j]);
        }
    return true;
}

/* ---- sections -------------------------------------------------------------------------------- */

/* What the records of an outer list are made of, when those of an inner one are in them. */
struct section_parts {
    uint32_t used;        /* outer records that hold inner ones */
    uint32_t inner;       /* that they hold */
    uint32_t same;        /* outer records that hold as many as the first one */
    uint32_t headings;    /* texts that are headings of inner records */
    uint64_t bytes_above; /* of these */
    uint32_t strays;      /* other texts, unless they are in a third of the outer records */
    uint64_t bytes;       /* of texts in inner records */
    uint32_t linked;      /* inner records with a link of their own */
    uint32_t headings_linked;
};

struct section_judge {
    const th__view *view;
    const th__extents *outer, *inner;
    th__key_map usual;    /* by hash of a text: how many outer records have it */
    th__key_map headings; /* leaves that are headings of inner records */
    th__sections sections;
    struct section_parts parts;
};

/* Counts the outer records that have each text, and marks the headings. */
static bool look_at_texts(struct section_judge *j, th__arena *arena)
{
    const th__leaves *leaves = &j->view->leaves;
    if (!th__sections_find(arena, j->view, j->inner, NULL, &j->sections))
        return false;
    for (uint32_t r = 0; r < j->inner->count * j->sections.kinds; r++) {
        uint32_t at = j->sections.at[r];
        if (at && !th__key_map_put(&j->headings, j->sections.headings[at - 1].leaf, 1))
            return false;
    }
    for (uint32_t i = 0; i < j->outer->count; i++) {
        const th__extent *record = &j->outer->data[i];
        for (uint32_t l = leaves->before[record->token]; l < leaves->before[record->token_end];
             l++) {
            uint64_t hash = leaves->data[l].hash;
            if (!th__key_map_put(&j->usual, hash, th__key_map_get(&j->usual, hash) + 1))
                return false;
        }
    }
    return true;
}

/* Returns true if a record has a link that leads to another page. */
static bool leads_on(const th_page *page, const th__extent *record)
{
    th_str href;
    for (uint32_t n = record->first; n < page->nodes[record->last].end; n++)
        if (page->tags[n] == TH_TAG_A && th_attr_get(page, page->nodes[n].token, "href", &href) &&
            href.len && href.ptr[0] != '#')
            return true;
    return false;
}

/* Returns true if there are two kinds of headings and as many of one as of the other: a title and a
 * subject are fields of the records above which they are, a year and a day are not. */
static bool are_parallel(const struct section_judge *j)
{
    uint32_t counts[TH__SECTIONS_MOST] = {0}, kinds = j->sections.kinds;
    for (uint32_t r = 0; r < j->inner->count; r++)
        for (uint32_t k = 0; k < kinds && k < TH__SECTIONS_MOST; k++) {
            const uint32_t *at = &j->sections.at[(size_t)r * kinds + k];
            counts[k] += *at && (!r || *at != at[-(ptrdiff_t)kinds]);
        }
    for (uint32_t k = 1; k < kinds && k < TH__SECTIONS_MOST; k++)
        for (uint32_t i = 0; i < k; i++)
            if (counts[i] > 1 && 5 * counts[i] >= 4 * counts[k] && 5 * counts[k] >= 4 * counts[i])
                return true;
    return false;
}

/* Adds what one outer record is made of; `from` to before `to` are the inner ones in it. */
static void add_section(struct section_judge *j, const th__extent *record, uint32_t from,
                        uint32_t to)
{
    const th__leaves *leaves = &j->view->leaves;
    struct section_parts *parts = &j->parts;
    parts->used++;
    parts->inner += to - from;
    for (uint32_t i = from; i < to; i++)
        parts->linked += leads_on(j->view->page, &j->inner->data[i]);
    for (uint32_t l = leaves->before[record->token]; l < leaves->before[record->token_end]; l++) {
        const th__leaf *leaf = &leaves->data[l];
        while (from < to && j->inner->data[from].token_end <= leaf->token)
            from++;
        if (from < to && j->inner->data[from].token <= leaf->token) {
            parts->bytes += leaf->len;
        } else if (th__key_map_get(&j->headings, l)) {
            parts->headings++;
            parts->bytes_above += leaf->len;
            parts->headings_linked += leaf->linked;
        } else {
            parts->strays += 3 * th__key_map_get(&j->usual, leaf->hash) <= j->outer->count + 3;
        }
    }
}

static bool judge_sections(struct section_judge *j, th__arena *arena)
{
    uint32_t first_held = 0, from = 0;
    if (!look_at_texts(j, arena))
        return false;
    for (uint32_t i = 0; i < j->outer->count; i++) {
        const th__extent *record = &j->outer->data[i];
        while (from < j->inner->count && j->inner->data[from].token < record->token)
            from++;
        uint32_t to = from;
        while (to < j->inner->count && j->inner->data[to].token_end <= record->token_end)
            to++;
        if (from == to)
            continue;
        first_held = j->parts.used ? first_held : to - from;
        j->parts.same += first_held == to - from;
        add_section(j, record, from, to);
    }
    return true;
}

/*
 * Returns true in *are if the records of one list are sections of those of another: each a heading
 * and records that have a link of their own or are rows, now more and now fewer, and hardly
 * anything else. Always two or three are parts of a record.
 */
static bool are_sections(th__arena *arena, const th__view *view, const th__extents *outer,
                         const th__extents *inner, bool *are)
{
    enum { FULL = 10 };
    struct section_judge j = {.view = view, .outer = outer, .inner = inner};
    *are = false;
    if (outer->first || inner->first || inner->count <= outer->count)
        return true;
    bool ok = judge_sections(&j, arena);
    const struct section_parts *p = &j.parts;
    bool rows = inner->count && th__table_row_of(view, inner->data[0].first);
    *are = ok && j.sections.kinds && p->used >= 2 && 3 * p->used >= 2 * outer->count &&
           4 * p->inner >= 3 * inner->count && 2 * p->inner >= 3 * p->used &&
           (5 * p->same < 4 * p->used || p->inner >= FULL * p->used) && 2 * p->strays <= p->used &&
           p->bytes_above * p->inner <= 2 * p->bytes * p->headings &&
           (3 * p->linked >= 2 * p->inner || (rows && 3 * p->headings_linked <= p->headings)) &&
           !are_parallel(&j);
    th__key_map_release(&j.usual);
    th__key_map_release(&j.headings);
    return ok;
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

/* ---- the whole ------------------------------------------------------------------------------- */

/* Runs are whole records already: those without text, and those that have next to nothing of the
 * core (what stands above the list, adverts), are left out. */
static bool region_of_runs(th__arena *arena, const th__view *view, const th__lists_group *group,
                           th__lists_region *out)
{
    const uint32_t *before = view->leaves.before;
    *out = (th__lists_region){.score = group->score, .head = group->head, .fine = group->fine};
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

/* Moves the records of sections before the sections. */
static bool prefer_records(th__arena *own, const th__view *view, th__lists_group *groups,
                           uint32_t count)
{
    th__lists_region outer, inner;
    bool are, ok = !count || make_region(own, view, &groups[0], &outer);
    for (uint32_t i = 1; ok && i < count; i++) {
        if (groups[i].count <= groups[0].count || groups[i].runs)
            continue;
        ok = make_region(own, view, &groups[i], &inner) &&
             are_sections(own, view, &outer.list, &inner.list, &are);
        if (!ok || !are)
            continue;
        th__lists_group best = groups[i];
        best.score = groups[0].score;
        memmove(groups + 1, groups, i * sizeof *groups);
        groups[0] = best;
        outer = inner;
        i = 0;
    }
    return ok;
}

/* The regions of the best groups, which live in `own`. */
static bool make_regions(th__arena *arena, th__arena *own, const th__view *view,
                         const uint32_t *given, uint32_t given_count, uint32_t most,
                         th__lists_region *out, uint32_t *count)
{
    th__lists_group *groups;
    uint32_t found;
    if (!th__lists_groups_find(own, view, given, given_count, &groups, &found))
        return false;
    if (found > CONSIDERED)
        found = CONSIDERED;
    if (!settle_all(view, groups, found))
        return false;
    th__lists_groups_sort(groups, found);
    if (!prefer_records(own, view, groups, found))
        return false;
    for (uint32_t i = 0; i < found && *count < most; i++) {
        th__lists_region *region = &out[*count];
        if (!make_region(arena, view, &groups[i], region))
            return false;
        bool seen = region->list.count == 0;
        for (uint32_t j = 0; j < *count && !seen; j++)
            seen = same_records(&out[j].list, &region->list) ||
                   is_part_of_record(&region->list, &out[j].list);
        *count += !seen;
    }
    return true;
}

static bool find_regions(th__arena *arena, const th__view *view, const uint32_t *given,
                         uint32_t given_count, uint32_t most, th__lists_region *out,
                         uint32_t *count)
{
    th__arena own;
    th__arena_init(&own);
    *count = 0;
    bool ok = make_regions(arena, &own, view, given, given_count, most, out, count);
    th__arena_release(&own);
    return ok;
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

/*
 * The two best lists may be one that goes on in an element of another kind, as where a shop loads
 * the second half of its products into a container of its own:
 *
 *     <div class=grid><div class=item>..<div class=item>..</div>
 *     <div class=more><div class=grid><div class=item>..<div class=item>..</div></div>
 *
 * So they are when they are about as good as each other and there is no text between the end of one
 * and the begin of the other. Appends the elements of both to *nodes. False without memory.
 */
static bool join_best(th__arena *arena, const th_page *page, const th__lists_region *regions,
                      uint32_t count, uint32_t **nodes, uint32_t *node_count)
{
    *node_count = 0;
    if (count < 2 || 5 * regions[1].score < 4 * regions[0].score)
        return true;
    const th__extents *a = &regions[0].list, *b = &regions[1].list;
    if (b->data[0].token < a->data[0].token) {
        const th__extents *swap = a;
        a = b;
        b = swap;
    }
    uint32_t t = a->data[extent_count(a) - 1].token_end, end = b->data[0].token;
    if (t > end)
        return true;
    for (; t < end; t++)
        if (page->tokens[t].kind == TH_TOKEN_TEXT && !(page->tokens[t].flags & TH_TOKEN_BLANK))
            return true;
    *nodes = th__arena_alloc(arena, (a->count + (size_t)b->count) * sizeof **nodes);
    if (!*nodes)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        (*nodes)[(*node_count)++] = a->data[th__extents_first(a, i)].first;
    for (uint32_t i = 0; i < b->count; i++)
        (*nodes)[(*node_count)++] = b->data[th__extents_first(b, i)].first;
    return true;
}

bool th__lists_regions_find(th__arena *arena, const th__view *view, uint32_t most,
                            th__lists_region **out, uint32_t *count)
{
    th__arena own; /* of what may be found again */
    th__arena_init(&own);
    most = most < CONSIDERED ? most : CONSIDERED;
    uint32_t asked = most < 2 ? 2 : most, *joined = NULL, joined_count = 0; /* two may be one */
    *out = th__arena_alloc(arena, (asked + 1) * sizeof **out);
    bool ok = *out && find_regions(&own, view, NULL, 0, asked, *out, count) &&
              join_best(&own, view->page, *out, *count, &joined, &joined_count);
    if (ok && joined_count)
        ok = find_regions(arena, view, joined, joined_count, asked, *out, count);
    else if (ok)
        ok = keep_regions(arena, *out, *count);
    *count = *count < most ? *count : most;
    th__arena_release(&own);
    return ok;
}
