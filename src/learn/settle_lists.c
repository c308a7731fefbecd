/*
 * settle_lists.c: places of labelled values in lists and nested records.
 *
 * Values of one field stand at places of one kind, and the values of one record stand together:
 *
 *  1. Places in other records are left out. The values that have a single place show what a record
 *     is: the largest element that holds such values of one labelled record alone. An element of
 *     the same kind (tags and classes from the root) is another record.
 *  2. Of the places of a value those are kept whose kind (or whose attribute) most values of the
 *     field have. Text counts before attributes and the title.
 *  3. A value that has one place left is an anchor; the others of its record stand nearest to it.
 *     Where a record has no anchor, it begins behind the record before it.
 */
#include <stdlib.h>

#include "base/key_map.h"
#include "data/locate.h"
#include "data/record.h"
#include "learn/settle.h"
#include "page/page.h"
#include "page/tags.h"
#include "index/view.h"

struct value {
    size_t finding;
    uint32_t page;
    uint32_t group;        /* the innermost tuple that it belongs to */
    uint64_t field;        /* its type */
    uint32_t first, count; /* its places, in those of the settler */
    uint32_t taken;        /* one of them, or UINT32_MAX */
};

struct kept_place {
    uint32_t index; /* of the finding's places */
    uint32_t start; /* byte */
    uint64_t kind;
};

struct settler {
    th_learner *learner;
    th__arena arena;
    TH__VEC(struct value) values;
    TH__VEC(struct kept_place) places;
    uint32_t groups;
};

/* ---- whose value is it ------------------------------------------------------------------------
 */

/* Numbers the tuples, and remembers for each text the one that it is in. As deep as schemas are. */
static void map_groups(struct settler *s, const th_value *value, uint32_t group, th__key_map *map,
                       size_t *room)
{
    if (value->kind == TH_VALUE_NULL)
        return;
    if (value->kind == TH_VALUE_TEXT) {
        if (*room) {
            --*room;
            th__key_map_put(map, th__hash_mix((uintptr_t)value, 1), group + 1);
        }
        return;
    }
    if (value->kind == TH_VALUE_TUPLE)
        group = s->groups++;
    for (uint32_t i = 0; i < value->count; i++)
        map_groups(s, th__value_item(value, i), group, map, room);
}

/* What kind of place it is: equal for the same field of different records. */
static uint64_t kind_of(const th__view *view, const th_place *place)
{
    uint64_t key = view->sum[place->node];
    if (place->attribute.ptr)
        key = th__hash_mix(key, th__hash(place->attribute.ptr, place->attribute.len));
    return key;
}

static bool add_places(struct settler *s, const th__view *view, const th_finding *f,
                       struct value *value)
{
    bool text = false;
    value->first = (uint32_t)s->places.len;
    for (uint32_t i = 0; i < f->place_count; i++)
        text |= !f->places[i].attribute.ptr && view->page->tags[f->places[i].node] != TH_TAG_TITLE;
    for (uint32_t i = 0; i < f->place_count; i++) {
        const th_place *place = &f->places[i];
        if (text && (place->attribute.ptr || view->page->tags[place->node] == TH_TAG_TITLE))
            continue;
        if (!th__vec_push(&s->places,
                          (struct kept_place){i, place->span.start, kind_of(view, place)}))
            return false;
    }
    value->count = (uint32_t)s->places.len - value->first;
    return true;
}

/* ---- 1. other records -------------------------------------------------------------------------
 */

/* The only place of a value. */
struct anchor {
    uint32_t group, start, node;
    uint32_t before, behind; /* bytes of the nearest anchors of other groups; UINT32_MAX: none */
};

static int by_start(const void *a, const void *b)
{
    const struct anchor *left = a, *right = b;
    return left->start < right->start ? -1 : left->start > right->start;
}

/* In the order of the page; NULL without memory. */
static struct anchor *find_anchors(const struct settler *s, const th_located *located, size_t from,
                                   th__arena *arena, size_t *count)
{
    struct anchor *anchors = th__arena_zero(arena, s->values.len - from + 1, sizeof *anchors);
    *count = 0;
    for (size_t v = from; anchors && v < s->values.len; v++) {
        const struct value *value = &s->values.data[v];
        const struct kept_place *place = &s->places.data[value->first];
        if (value->count == 1)
            anchors[(*count)++] = (struct anchor){
                .group = value->group,
                .start = place->start,
                .node = th_located_get(located, value->finding)->places[place->index].node,
                .before = UINT32_MAX,
                .behind = UINT32_MAX};
    }
    if (anchors && *count)
        qsort(anchors, *count, sizeof *anchors, by_start);
    for (size_t i = 1; anchors && i < *count; i++)
        anchors[i].before =
            anchors[i - 1].group == anchors[i].group ? anchors[i - 1].before : anchors[i - 1].start;
    for (size_t i = anchors ? *count : 0; i-- > 1;)
        anchors[i - 1].behind =
            anchors[i - 1].group == anchors[i].group ? anchors[i].behind : anchors[i].start;
    return anchors;
}

/* The largest element around an anchor that holds no other group's; the root when all do. */
static uint32_t record_around(const th_page *page, const struct anchor *anchor)
{
    uint32_t node = anchor->node;
    for (uint32_t up; node; node = up) {
        up = page->nodes[node].parent;
        th_span span = th_page_node_span(page, up);
        if ((anchor->before != UINT32_MAX && span.start <= anchor->before) ||
            (anchor->behind != UINT32_MAX && anchor->behind < span.end))
            break;
    }
    return node;
}

static bool is_in_other(const th__view *view, uint32_t node, uint32_t record)
{
    while (node && view->sum[node] != view->sum[record])
        node = view->page->nodes[node].parent;
    return node && node != record;
}

/* Of values of a page, from one on. A value that is nowhere else keeps its places. */
static bool leave_other_records(struct settler *s, const th__view *view, const th_located *located,
                                size_t from, uint32_t first_group, th__arena *arena)
{
    size_t count;
    const struct anchor *anchors = find_anchors(s, located, from, arena, &count);
    uint32_t *records = th__arena_zero(arena, s->groups - first_group + 1, sizeof *records);
    if (!anchors || !records)
        return false;
    for (size_t i = count; i-- > 0;)
        records[anchors[i].group - first_group] = record_around(view->page, &anchors[i]);
    for (size_t v = from; v < s->values.len; v++) {
        struct value *value = &s->values.data[v];
        struct kept_place *places = &s->places.data[value->first];
        const th_finding *f = th_located_get(located, value->finding);
        uint32_t record = records[value->group - first_group], own = 0;
        for (uint32_t i = 0; record && i < value->count; i++)
            own += !is_in_other(view, f->places[places[i].index].node, record);
        if (!own)
            continue;
        own = 0;
        for (uint32_t i = 0; i < value->count; i++)
            if (!is_in_other(view, f->places[places[i].index].node, record))
                places[own++] = places[i];
        value->count = own;
    }
    return true;
}

static bool gather_page(struct settler *s, uint32_t page)
{
    const th__kept_page *kept = &s->learner->kept.data[page];
    const th_records *records = th_located_records(kept->located);
    size_t count = th_located_count(kept->located), room = count, from = s->values.len;
    uint32_t first_group = s->groups;
    th__arena arena;
    th__view view;
    th__key_map map;
    th__arena_init(&arena);
    bool ok = th__view_make(&arena, kept->page, &view) && th__key_map_init(&map, &arena, count);
    for (size_t i = 0; ok && i < th_records_count(records); i++)
        map_groups(s, th_records_get(records, i), s->groups++, &map, &room);
    for (size_t i = 0; ok && i < count; i++) {
        const th_finding *f = th_located_get(kept->located, i);
        const th_value *text = th__located_value(kept->located, i);
        uint32_t group = text ? th__key_map_get(&map, th__hash_mix((uintptr_t)text, 1)) : 0;
        if (!group || !f->place_count)
            continue;
        struct value value = {.finding = i,
                              .page = page,
                              .group = group - 1,
                              .field = (uintptr_t)text->type,
                              .taken = UINT32_MAX};
        ok = add_places(s, &view, f, &value) && th__vec_push(&s->values, value);
    }
    ok = ok && leave_other_records(s, &view, kept->located, from, first_group, &arena);
    th__arena_release(&arena);
    return ok;
}

/* ---- 2. places of one kind ---------------------------------------------------------------------
 */

static uint64_t support_key(const struct value *value, const struct kept_place *place)
{
    return th__hash_mix(value->field, place->kind);
}

/* How many values of a field have a place of each kind. */
static bool count_kinds(struct settler *s, th__key_map *support)
{
    if (!th__key_map_init(support, &s->arena, s->places.len))
        return false;
    th__key_map last; /* by field and kind: the value that was counted last */
    if (!th__key_map_init(&last, &s->arena, s->places.len))
        return false;
    for (size_t v = 0; v < s->values.len; v++)
        for (uint32_t i = 0; i < s->values.data[v].count; i++) {
            const struct value *value = &s->values.data[v];
            uint64_t key = support_key(value, &s->places.data[value->first + i]);
            if (th__key_map_get(&last, key) == v + 1)
                continue;
            th__key_map_put(&last, key, (uint32_t)v + 1);
            th__key_map_put(support, key, th__key_map_get(support, key) + 1);
        }
    return true;
}

static bool keep_best_kinds(struct settler *s)
{
    th__key_map support;
    if (!count_kinds(s, &support))
        return false;
    for (size_t v = 0; v < s->values.len; v++) {
        struct value *value = &s->values.data[v];
        struct kept_place *places = &s->places.data[value->first];
        uint32_t best = 0, kept = 0;
        for (uint32_t i = 0; i < value->count; i++) {
            uint32_t count = th__key_map_get(&support, support_key(value, &places[i]));
            best = count > best ? count : best;
        }
        for (uint32_t i = 0; i < value->count; i++)
            if (th__key_map_get(&support, support_key(value, &places[i])) == best)
                places[kept++] = places[i];
        value->count = kept;
    }
    return true;
}

/* ---- 3. values of one record -------------------------------------------------------------------
 */

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a < b ? b - a : a - b;
}

/* Takes the place nearest to a byte. */
static void take_nearest(const struct settler *s, struct value *value, uint32_t to)
{
    uint32_t best = 0;
    const struct kept_place *places = &s->places.data[value->first];
    for (uint32_t i = 1; i < value->count; i++)
        if (distance(places[i].start, to) < distance(places[best].start, to))
            best = i;
    value->taken = value->first + best;
}

/* The first place at or behind a byte, else the first. */
static void take_behind(const struct settler *s, struct value *value, uint32_t from)
{
    const struct kept_place *places = &s->places.data[value->first];
    value->taken = value->first;
    for (uint32_t i = value->count; i-- > 0;)
        if (places[i].start >= from)
            value->taken = value->first + i;
}

/* Values of one tuple stand in a row. */
static void settle_group(struct settler *s, size_t from, size_t to, uint32_t *behind)
{
    struct value *values = s->values.data, *anchor = NULL;
    for (size_t v = from; v < to && !anchor; v++)
        if (values[v].count == 1)
            anchor = &values[v];
    if (anchor) {
        take_nearest(s, anchor, 0);
    } else {
        /* The value with the fewest places leaves the least to chance. */
        anchor = &values[from];
        for (size_t v = from; v < to; v++)
            if (values[v].count < anchor->count)
                anchor = &values[v];
        take_behind(s, anchor, *behind);
    }
    uint32_t at = s->places.data[anchor->taken].start, last = at;
    for (size_t v = from; v < to; v++) {
        if (&values[v] != anchor)
            take_nearest(s, &values[v], at);
        uint32_t start = s->places.data[values[v].taken].start;
        last = start > last ? start : last;
    }
    *behind = last + 1;
}

static void settle_groups(struct settler *s)
{
    uint32_t behind = 0;
    for (size_t v = 0, end; v < s->values.len; v = end) {
        const struct value *first = &s->values.data[v];
        if (v && first->page != s->values.data[v - 1].page)
            behind = 0;
        end = v + 1;
        while (end < s->values.len && s->values.data[end].group == first->group &&
               s->values.data[end].page == first->page)
            end++;
        settle_group(s, v, end, &behind);
    }
}

bool th__settle_lists(th_learner *learner)
{
    struct settler s = {.learner = learner};
    bool ok = true;
    th__arena_init(&s.arena);
    for (uint32_t p = 0; ok && p < learner->kept.len; p++)
        if (learner->kept.data[p].located)
            ok = gather_page(&s, p);
    ok = ok && keep_best_kinds(&s);
    if (ok)
        settle_groups(&s);
    for (size_t v = 0; ok && v < s.values.len; v++) {
        const struct value *value = &s.values.data[v];
        th__located_settle(learner->kept.data[value->page].located, value->finding,
                           s.places.data[value->taken].index);
    }
    th__vec_release(&s.values);
    th__vec_release(&s.places);
    th__arena_release(&s.arena);
    return ok;
}
