/* resolve.c: which place of a labelled value is meant. */
#include "learn/learn.h"

#include "base/error.h"
#include <stdlib.h>

#include "base/key_map.h"
#include "data/labels.h"
#include "data/record.h"
#include "index/view.h"
#include "page/page.h"
#include "page/tags.h"

/* Says which of its places the value of a finding is at: the span of its text in the records. */
static void settle(th_located *located, size_t finding, size_t place)
{
    th_value_set_span(th__located_value(located, finding),
                      th_located_get(located, finding)->places[place].span);
}

/* ---- pages of one record --------------------------------------------------------------------- */

struct origin {
    uint32_t page;
    size_t finding;
};

struct samples {
    TH__VEC(th__path_sample) list;
    TH__VEC(struct origin) origins; /* in step */
};

static bool gather_page(struct samples *samples, const th_located *located, uint32_t page,
                        th__arena *arena)
{
    th__finding_map map;
    if (!th__finding_map_make(located, arena, &map))
        return false;
    for (size_t i = 0; i < th_located_count(located); i++) {
        const th_finding *f = th_located_get(located, i);
        if (map.record[i] != 0 || !f->place_count)
            continue;
        th__path_sample sample = {page,      map.member[i],  f->value,
                                  f->places, f->place_count, TH__NO_UNIT};
        if (!th__vec_push(&samples->list, sample) ||
            !th__vec_push(&samples->origins, (struct origin){page, i}))
            return false;
    }
    return true;
}

/* The first value of a field that stood in several places is told of. */
static bool note_place(th__learner *learner, const struct origin *origin,
                       const th__path_sample *sample, bool *told)
{
    const th__kept_page *kept = &learner->kept.data[origin->page];
    const th_finding *f = th_located_get(kept->located, origin->finding);
    if (f->found != TH_FOUND_MANY || told[sample->field])
        return true;
    told[sample->field] = true;
    const th_place *taken = &sample->places[sample->chosen];
    th_str tag = taken->node ? th_token_name(kept->page, kept->page->nodes[taken->node].token)
                             : TH_STR("html");
    return th__notes_add(learner->notes,
                         "%.*s: %.*s: \"%.*s\" appears in %u places; using bytes %u-%u in <%.*s>",
                         TH_STR_ARG(kept->name), TH_STR_ARG(f->path), TH_STR_ARG(f->value),
                         f->total, taken->span.start, taken->span.end, TH_STR_ARG(tag));
}

static bool resolve_samples(th__learner *learner, struct samples *samples, uint32_t fields,
                            th__arena *arena)
{
    bool *told = th__arena_zero(arena, fields + 1, sizeof *told);
    if (!told)
        return false;
    for (size_t i = 0; i < samples->list.len; i++) {
        const th__path_sample *sample = &samples->list.data[i];
        const struct origin *origin = &samples->origins.data[i];
        th__kept_page *kept = &learner->kept.data[origin->page];
        settle(kept->located, origin->finding, sample->chosen);
        if (!note_place(learner, origin, sample, told))
            return false;
    }
    return true;
}

/* Asks for rules without the labels of some pages, by which an engine is chosen: judge.c. */
static bool hold_out(const th__learner *learner, th__paths_input *input, th__resolved *out)
{
    uint32_t count = 0;
    uint32_t *pages = th__arena_alloc(&out->arena, TH__JUDGE_PAGES * sizeof *pages);
    out->without = th__arena_zero(&out->arena, TH__JUDGE_PAGES, sizeof *out->without);
    if (!pages || !out->without)
        return false;
    for (uint32_t p = 0; p < learner->kept.len && count < TH__JUDGE_PAGES; p++) {
        if (!learner->kept.data[p].located)
            continue;
        if (!th__paths_fields(learner->label_schema, &out->arena, &out->without[count]))
            return false;
        pages[count++] = p;
    }
    input->held_out = pages;
    input->held_out_count = count;
    input->without = out->without;
    return true;
}

static bool resolve_by_rules(th__learner *learner, struct samples *samples, th__resolved *out)
{
    size_t count = learner->kept.len;
    const th_page **pages = th__arena_zero(&out->arena, count + 1, sizeof *pages);
    bool ok = pages && th__paths_fields(learner->label_schema, &out->arena, &out->rules);
    size_t fields = out->rules.count;
    bool *labelled = th__arena_zero(&out->arena, count * fields + 1, sizeof *labelled);
    bool *sample = th__arena_zero(&out->arena, count * fields + 1, sizeof *sample);
    ok = ok && labelled && sample;
    for (size_t p = 0; ok && p < count; p++) {
        const th__kept_page *kept = &learner->kept.data[p];
        pages[p] = kept->page;
        if (!kept->located)
            continue;
        th__paths_known(th_located_records(kept->located), kept->sample, labelled + p * fields,
                        sample + p * fields);
        ok = gather_page(samples, kept->located, (uint32_t)p, &out->arena);
    }
    th__paths_input input = {.pages = pages,
                             .labelled = labelled,
                             .sample = sample,
                             .page_count = (uint32_t)count,
                             .samples = samples->list.data,
                             .sample_count = samples->list.len,
                             .field_count = out->rules.count,
                             .cancel = &learner->options.cancel};
    if (ok && learner->chooses && learner->labelled > 1)
        ok = hold_out(learner, &input, out);
    out->fits = ok ? th__arena_zero(&out->arena, out->rules.count + 1, sizeof *out->fits) : NULL;
    return out->fits && th__paths_learn(&input, &out->arena, &out->rules, out->fits) &&
           resolve_samples(learner, samples, out->rules.count, &out->arena);
}

/* ---- lists and nested records -----------------------------------------------------------------
 *
 * Values of one field are at places of one kind, and the values of one record are near each other:
 *
 *  1. Places in other records are left out. The values that have a single place show what a record
 *     is: the largest element that holds such values of one labelled record alone. An element of
 *     the same kind (tags and classes from the root) is another record.
 *  2. Of the places of a value those are kept whose kind (or whose attribute) most values of the
 *     field have. Text counts before attributes and the title.
 *  3. A value that has one place left is an anchor; the others of its record stand nearest to it.
 *     Where a record has no anchor, it begins behind the record before it.
 */

struct placed_value {
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

struct resolver {
    th__learner *learner;
    th__arena arena;
    TH__VEC(struct placed_value) values;
    TH__VEC(struct kept_place) places;
    uint32_t groups;
};

/* ---- whose value is it ------------------------------------------------------------------------
 */

/* Numbers the tuples, and remembers for each text the one that it is in. As deep as schemas are. */
static void map_groups(struct resolver *s, const th_value *value, uint32_t group, th__key_map *map,
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

static bool add_places(struct resolver *s, const th__view *view, const th_finding *f,
                       struct placed_value *value)
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

/* In the order of the page; NULL if out of memory. */
static struct anchor *find_anchors(const struct resolver *s, const th_located *located, size_t from,
                                   th__arena *arena, size_t *count)
{
    struct anchor *anchors = th__arena_zero(arena, s->values.len - from + 1, sizeof *anchors);
    *count = 0;
    for (size_t v = from; anchors && v < s->values.len; v++) {
        const struct placed_value *value = &s->values.data[v];
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
static bool leave_other_records(struct resolver *s, const th__view *view, const th_located *located,
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
        struct placed_value *value = &s->values.data[v];
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

static bool gather_values(struct resolver *s, uint32_t page)
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
        struct placed_value value = {.finding = i,
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

static uint64_t support_key(const struct placed_value *value, const struct kept_place *place)
{
    return th__hash_mix(value->field, place->kind);
}

/* How many values of a field have a place of each kind. */
static bool count_kinds(struct resolver *s, th__key_map *support)
{
    if (!th__key_map_init(support, &s->arena, s->places.len))
        return false;
    th__key_map last; /* by field and kind: the value that was counted last */
    if (!th__key_map_init(&last, &s->arena, s->places.len))
        return false;
    for (size_t v = 0; v < s->values.len; v++)
        for (uint32_t i = 0; i < s->values.data[v].count; i++) {
            const struct placed_value *value = &s->values.data[v];
            uint64_t key = support_key(value, &s->places.data[value->first + i]);
            if (th__key_map_get(&last, key) == v + 1)
                continue;
            th__key_map_put(&last, key, (uint32_t)v + 1);
            th__key_map_put(support, key, th__key_map_get(support, key) + 1);
        }
    return true;
}

static bool keep_best_kinds(struct resolver *s)
{
    th__key_map support;
    if (!count_kinds(s, &support))
        return false;
    for (size_t v = 0; v < s->values.len; v++) {
        struct placed_value *value = &s->values.data[v];
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
static void take_nearest(const struct resolver *s, struct placed_value *value, uint32_t to)
{
    uint32_t best = 0;
    const struct kept_place *places = &s->places.data[value->first];
    for (uint32_t i = 1; i < value->count; i++)
        if (distance(places[i].start, to) < distance(places[best].start, to))
            best = i;
    value->taken = value->first + best;
}

/* The first place at or behind a byte, else the first. */
static void take_behind(const struct resolver *s, struct placed_value *value, uint32_t from)
{
    const struct kept_place *places = &s->places.data[value->first];
    value->taken = value->first;
    for (uint32_t i = value->count; i-- > 0;)
        if (places[i].start >= from)
            value->taken = value->first + i;
}

/* The values of one tuple follow each other. */
static void resolve_group(struct resolver *s, size_t from, size_t to, uint32_t *behind)
{
    struct placed_value *values = s->values.data, *anchor = NULL;
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

static void resolve_groups(struct resolver *s)
{
    uint32_t behind = 0;
    for (size_t v = 0, end; v < s->values.len; v = end) {
        const struct placed_value *first = &s->values.data[v];
        if (v && first->page != s->values.data[v - 1].page)
            behind = 0;
        end = v + 1;
        while (end < s->values.len && s->values.data[end].group == first->group &&
               s->values.data[end].page == first->page)
            end++;
        resolve_group(s, v, end, &behind);
    }
}

static bool resolve_lists(th__learner *learner)
{
    struct resolver s = {.learner = learner};
    bool ok = true;
    th__arena_init(&s.arena);
    for (uint32_t p = 0; ok && p < learner->kept.len; p++)
        if (learner->kept.data[p].located)
            ok = gather_values(&s, p);
    ok = ok && keep_best_kinds(&s);
    if (ok)
        resolve_groups(&s);
    for (size_t v = 0; ok && v < s.values.len; v++) {
        const struct placed_value *value = &s.values.data[v];
        settle(learner->kept.data[value->page].located, value->finding,
               s.places.data[value->taken].index);
    }
    th__vec_release(&s.values);
    th__vec_release(&s.places);
    th__arena_release(&s.arena);
    return ok;
}

/* ---- all ------------------------------------------------------------------------------------- */

bool th__resolve(th__learner *learner, th__resolved *out)
{
    *out = (th__resolved){0};
    th__arena_init(&out->arena);
    if (!learner->label_schema)
        return true;
    if (!th__paths_fit_schema(learner->label_schema))
        return resolve_lists(learner);
    struct samples samples = {0};
    bool ok = resolve_by_rules(learner, &samples, out);
    out->ruled = ok;
    th__vec_release(&samples.list);
    th__vec_release(&samples.origins);
    return ok;
}
