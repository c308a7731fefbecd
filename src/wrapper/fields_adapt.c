/*
 * fields_adapt.c: fields by what their values look like.
 *
 * Puts fields that are astray (fields_astray.c) together with columns that are loose
 * (fields_loose.c). Columns go first, since many values tell more than one; then single values, and
 * links last: they follow their texts.
 */
#include "wrapper/fields_adapt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wrapper/fields_adapter.h"

enum {
    LEAST_RECORDS = 3, /* fewer tell nothing of what is usual */
    MOST_PAIRS = 1 << 16
};

/* What a column has to be like a field at least. */
#define LEAST_LIKENESS 0.55
/* Parts of what is missing to full likeness that the same name, and the same place, make up for. */
#define NAME_WORTH  0.4
#define PLACE_WORTH 0.3
/* The same for a column that the field has already. */
#define HOME_WORTH 0.5
/* A single value goes to a field that it is so much like, and so much more than the one it is in.
 */
#define VALUE_LIKENESS 0.6
#define VALUE_BETTER   0.3

/* ---- likeness -------------------------------------------------------------------------------- */

/* The part of the steps of two paths that they share, from either end. */
static double place_likeness(th_str a, th_str b)
{
    enum { STEPS = 16 };
    th_str steps[2][STEPS], rest[2] = {a, b};
    size_t count[2] = {0, 0}, same = 0, tail = 0;
    bool bad;
    for (int p = 0; p < 2; p++)
        while (count[p] < STEPS && th__path_next(&rest[p], &steps[p][count[p]], &bad))
            count[p]++;
    size_t least = count[0] < count[1] ? count[0] : count[1];
    size_t most = count[0] > count[1] ? count[0] : count[1];
    while (same < least && th__str_eq(steps[0][same], steps[1][same]))
        same++;
    while (same + tail < least &&
           th__str_eq(steps[0][count[0] - 1 - tail], steps[1][count[1] - 1 - tail]))
        tail++;
    return most ? (double)(same + tail) / (double)most : 1;
}

static double rise(double likeness, double by)
{
    return likeness + (1 - likeness) * by;
}

static bool place_of(th__adapter *a, const th__item *item, th_str *out)
{
    th__buf_clear(&a->text);
    if (!th__item_path_write(a->view, &a->records->data[item->extent], item, &a->text))
        return false;
    *out = th__buf_str(&a->text);
    return true;
}

static bool likeness(th__adapter *a, const th__adapt_member *member, uint32_t c, double *out)
{
    const th__loose_column *column = &a->columns[c];
    const th__columns *columns = &a->list.columns;
    const th__field_profile *known = member->known;
    th_str place;
    *out = 0;
    if (!column->is || !column->count || columns->columns[c].kind != member->rule->kind)
        return true;
    double there = 1 - fabs(th__adapt_share(known) - (double)column->found / a->records->count);
    double like = th__look_likeness(known, column->values, column->count) * (0.7 + 0.3 * there);
    like = rise(like, fmin(1, 2 * th__known_values(known, column->values, column->count)));
    if (th__str_eq(a->list.fields[c].name, member->rule->name))
        like = rise(like, NAME_WORTH);
    if (!place_of(a, &columns->items[columns->columns[c].sample], &place))
        return false;
    like = rise(like, PLACE_WORTH * place_likeness(member->rule->path, place));
    bool home = column->home && &a->members[column->home - 1] == member;
    *out = rise(like, home ? HOME_WORTH : 0);
    return true;
}

/* ---- putting together ------------------------------------------------------------------------ */

struct pair {
    double likeness;
    uint32_t member, column;
};

static int by_likeness(const void *x, const void *y)
{
    const struct pair *a = x, *b = y;
    if (a->likeness != b->likeness)
        return a->likeness > b->likeness ? -1 : 1;
    if (a->member != b->member)
        return a->member < b->member ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

static bool make_pairs(th__adapter *a, struct pair **out, size_t *count)
{
    uint32_t columns = a->list.columns.column_count;
    size_t room = (size_t)a->member_count * columns;
    *count = 0;
    *out = room <= MOST_PAIRS ? th__arena_alloc(a->arena, (room + 1) * sizeof **out) : NULL;
    if (room > MOST_PAIRS)
        return true;
    for (uint32_t m = 0; *out && m < a->member_count; m++)
        for (uint32_t c = 0; a->members[m].astray && c < columns; c++) {
            double like;
            if (!likeness(a, &a->members[m], c, &like))
                return false;
            if (like >= LEAST_LIKENESS)
                (*out)[(*count)++] = (struct pair){like, m, c};
        }
    if (*out && *count)
        qsort(*out, *count, sizeof **out, by_likeness);
    return *out;
}

static void move_item(th__item *item, uint32_t member)
{
    item->by_looks |= item->column != member;
    item->column = member;
}

/* Columns that find their field go to it. What the field held before is its own no more. */
static bool move_columns(th__adapter *a, bool *found)
{
    const th__columns *columns = &a->list.columns;
    uint32_t *field = th__arena_zero(a->arena, columns->column_count + 1, sizeof *field);
    struct pair *pairs;
    size_t count;
    if (!field || !make_pairs(a, &pairs, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (field[pairs[i].column] || found[pairs[i].member])
            continue;
        field[pairs[i].column] = pairs[i].member + 1;
        found[pairs[i].member] = true;
    }
    for (uint32_t i = 0; i < columns->item_count && i < a->item_count; i++) {
        uint32_t to = field[columns->items[i].column], was = a->items[i].column;
        if (to)
            move_item(&a->items[i], to - 1);
        else if (was != TH__NO_MEMBER && found[was])
            a->items[i].column =
                a->items[i].kind == TH__ITEM_TEXT ? a->fields->rest : TH__NO_MEMBER;
    }
    return true;
}

/* The text of a record, among those of the rest and of lists, that is most like a missing field;
 * TH__NO_ITEM: none is. */
static bool find_value(th__adapter *a, uint32_t m, uint32_t from, uint32_t to, uint32_t *out)
{
    double best = VALUE_LIKENESS;
    *out = TH__NO_ITEM;
    for (uint32_t i = from; i < to; i++) {
        const th__item *item = &a->items[i];
        th__sample value;
        if (item->kind != TH__ITEM_TEXT || item->column == TH__NO_MEMBER)
            continue;
        const th__adapt_member *in = &a->members[item->column];
        if (item->column != a->fields->rest && (!in->rule->list || !in->known))
            continue;
        if (!th__adapt_look(a, item, &value))
            return false;
        double like = th__value_likeness(a->members[m].known, &value);
        double own = in->known && item->column != a->fields->rest
                         ? th__value_likeness(in->known, &value) + VALUE_BETTER
                         : 0;
        if (like <= best || like < own)
            continue;
        best = like;
        *out = i;
    }
    return true;
}

/* Fields that no column is like, since their values stand among others at one place: each record
 * is asked for a value. So many have to have one as the field is usual. */
static bool move_values(th__adapter *a, uint32_t m, const uint32_t *first)
{
    uint32_t count = a->records->count, hits = 0;
    uint32_t *chosen = th__arena_alloc(a->arena, (count + 1) * sizeof *chosen);
    if (!chosen)
        return false;
    for (uint32_t r = 0; r < count; r++) {
        if (!find_value(a, m, first[r], first[r + 1], &chosen[r]))
            return false;
        hits += chosen[r] != TH__NO_ITEM;
    }
    double share = th__adapt_share(a->members[m].known);
    for (uint32_t r = 0; r < count && hits >= 0.6 * share * count; r++)
        if (chosen[r] != TH__NO_ITEM)
            move_item(&a->items[chosen[r]], m);
    return true;
}

/* Whether a link or image stands around a text, or inside its element. */
static bool is_around(const th__adapter *a, const th__item *link, const th__item *text)
{
    const th_page *page = a->view->page;
    uint32_t x = link->node, y = text->node;
    return x == y || (x < y && y < page->nodes[x].end) || (y < x && x < page->nodes[y].end);
}

/* The member whose text stands in the same element as a link's target does; or NO_MEMBER. */
static uint32_t companion_of(const th__adapter *a, uint32_t m)
{
    const th__field_rule *link = a->members[m].rule;
    for (uint32_t t = 0; t < a->member_count; t++) {
        const th__field_rule *text = a->members[t].rule;
        if (text && text->kind == TH__ITEM_TEXT && !text->list && text->part == link->part &&
            th__str_eq(text->path, link->path))
            return t;
    }
    return TH__NO_MEMBER;
}

/* Targets of links tell little of themselves, and change with a site's ways. One that belonged to a
 * text goes where that is; else the only one that is missing goes to the only links that nobody
 * has. */
static void move_links(th__adapter *a, uint32_t m, const uint32_t *first)
{
    uint32_t companion = companion_of(a, m), missing = 0;
    uint64_t only = 0;
    bool several = false;
    for (uint32_t i = 0; i < a->member_count; i++)
        missing += a->members[i].missing && a->members[i].rule->kind == a->members[m].rule->kind;
    for (size_t i = 0; i < a->item_count; i++)
        if (a->items[i].kind == a->members[m].rule->kind && a->items[i].column == TH__NO_MEMBER) {
            several |= only && only != a->items[i].key;
            only = a->items[i].key;
        }
    for (uint32_t r = 0; r < a->records->count; r++)
        for (uint32_t i = first[r]; i < first[r + 1]; i++) {
            th__item *item = &a->items[i];
            if (item->kind != a->members[m].rule->kind || item->column != TH__NO_MEMBER)
                continue;
            bool beside = false;
            for (uint32_t j = first[r]; companion != TH__NO_MEMBER && j < first[r + 1]; j++)
                beside |= a->items[j].column == companion && is_around(a, item, &a->items[j]);
            if (beside || (companion == TH__NO_MEMBER && missing == 1 && !several)) {
                move_item(item, m);
                break;
            }
        }
}

static bool put_together(th__adapter *a, const uint32_t *first)
{
    bool *found = th__arena_zero(a->arena, a->member_count + 1, sizeof *found);
    if (!found || !move_columns(a, found))
        return false;
    for (uint32_t m = 0; m < a->member_count; m++) {
        const th__adapt_member *member = &a->members[m];
        if (!member->missing || found[m] || member->rule->list)
            continue;
        if (member->rule->kind == TH__ITEM_TEXT && !move_values(a, m, first))
            return false;
    }
    for (uint32_t m = 0; m < a->member_count; m++)
        if (a->members[m].missing && !found[m] && a->members[m].rule->kind != TH__ITEM_TEXT)
            move_links(a, m, first);
    return true;
}

/* Whether a part of a text that was cut here found its field. */
static bool parts_moved(const th__adapter *a)
{
    for (size_t i = 0; i < a->item_count; i++)
        if (a->list.columns.items[i].whole && a->items[i].by_looks)
            return true;
    return false;
}

/* Hands the items over: cut when that was of use, else whole as they were. */
static bool hand_over(th__adapter *a, th__item_vec *items, uint32_t *first, const uint32_t *was)
{
    if (!a->origin)
        return true; /* nothing was cut: they are where they were */
    if (!parts_moved(a)) {
        for (size_t i = 0; i < a->item_count; i++)
            if (!a->list.columns.items[i].whole)
                items->data[a->origin[i]] = a->items[i];
        memcpy(first, was, ((size_t)a->records->count + 1) * sizeof *first);
        return true;
    }
    items->len = 0;
    if (!th__vec_reserve(items, a->item_count))
        return false;
    memcpy(items->data, a->items, a->item_count * sizeof *items->data);
    items->len = a->item_count;
    return true;
}

static bool adapt_items(th__adapter *a, th__item_vec *items, uint32_t *first)
{
    size_t size = ((size_t)a->records->count + 1) * sizeof *first;
    uint32_t *was = th__arena_alloc(a->arena, size);
    if (!was)
        return false;
    memcpy(was, first, size);
    return th__adapt_loose(a, first) && put_together(a, first) && hand_over(a, items, first, was);
}

bool th__fields_adapt(const th__fields *fields, const th__known_fields *known, const th__view *view,
                      const th__extents *records, th__arena *arena, th__item_vec *items,
                      uint32_t *first)
{
    th__adapter a = {.fields = fields,
                     .view = view,
                     .records = records,
                     .arena = arena,
                     .items = items->data,
                     .item_count = items->len};
    bool any = false;
    if (!known || !known->profile || records->count < LEAST_RECORDS)
        return true;
    bool ok = th__adapt_astray(&a, known, &any);
    if (ok && any)
        ok = adapt_items(&a, items, first);
    th__buf_release(&a.text);
    th__buf_release(&a.link);
    return ok;
}
