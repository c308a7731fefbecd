/*
 * fields_adapt.c: fields by what their values look like; fields_adapt.h has the steps.
 *
 * Which fields are astray is all that pages cost which are as they were, so that counts and looks
 * at a few values only. Then the records are aligned without regard to rules, since these do not
 * find what has moved; a column is nobody's when fields in their place have next to none of its
 * items. Where it is cut, each part stays with the item it came from: cuts that are of no use are
 * taken back in the end. Fields and columns are put together: columns first, since many values show
 * more than one; then single values, and links last: they follow their texts.
 */
#include "wrapper/fields_adapt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "table/column_parts.h"
#include "wrapper/value_forms.h"

/* A member of the records. */
typedef struct th__adapt_member {
    const th__field_profile *known; /* or NULL */
    const th__field_rule *rule;     /* the first of its rules */
    uint32_t filled, last;          /* records that have it; the last of them */
    th__sample *values;             /* its first ones, if they were examined */
    uint32_t seen;
    bool placed;  /* distinguished by position, or by its cell in a row */
    bool missing; /* from nearly all records */
    bool astray;  /* it may be anywhere */
    bool above;   /* it is a heading that is missing */
} th__adapt_member;

/* A column of the aligned records. */
typedef struct th__loose_column {
    th__sample *values;
    uint32_t count, found; /* values examined; records that have it */
    uint32_t votes;        /* items that no field in its place takes */
    uint32_t home;         /* the member that has most of its items + 1, by majority; or 0 */
    uint32_t majority;
    bool is;
} th__loose_column;

typedef struct th__adapter {
    const th__fields *fields;
    const th__view *view;
    const th__extents *records;
    th__arena *arena;
    th__item *items;
    size_t item_count;
    th__adapt_member *members;
    uint32_t member_count;
    bool above; /* some member is a heading that is missing */
    bool lists; /* some member holds all texts of a place: those of others may be among them */
    th__list list;
    th__loose_column *columns;
    uint32_t *origin; /* where texts were cut: which of the items that came each is, or is of */
    th__buf text, link;
} th__adapter;

/* Values that are examined of a field distinguished by position. */
enum { GLANCED_AT = 6 };

/* Fields that fewer than six in ten records had may be missing from a page. */
#define LEAST_SHARE 0.6
/* Less than this part of its share: verification would call it missing. */
#define ASTRAY_PART 0.35
/* And chance hardly explains it. */
#define ASTRAY_CHANCE 0.001
/* Values this like those of their field are well placed, whatever else they are like. */
#define WELL_PLACED 0.55
/* Others are misplaced when they are so much like those of another. */
#define BETTER_PLACED 0.8
/* Or when they are next to nothing like their own, and so much more like those of another. */
#define ILL_PLACED 0.25
#define FAR_BETTER 0.35
/* Once something is astray, fields less like themselves than this are searched for, too. */
#define AT_HOME 0.3

/* ---- which fields are astray ----------------------------------------------------------------- */

/* The part of the records that used to have a field. */
static double share_of(const th__field_profile *field)
{
    return field->chances ? fmin(1, (double)field->values / (double)field->chances) : 0;
}

/* The profile of a member: that of the field which takes it as it is. */
static const th__field_profile *profile_of(const th__known_fields *known, uint32_t member)
{
    const th__select *select = known->select;
    const th__profile *profile = known->profile;
    if (!select)
        return member < profile->count ? &profile->fields[member] : NULL;
    for (uint32_t i = 0; i < select->count && i < profile->count; i++) {
        const th__select_field *field = &select->fields[i];
        if (!field->rest && !field->join && field->from_count == 1 && field->members[0] == member &&
            th__cut_is_whole(&field->cut))
            return &profile->fields[i];
    }
    return NULL;
}

/* Returns true if a path passes through a cell of a row, identified by its number. */
static bool in_row(th_str path)
{
    th_str step;
    bool bad;
    while (th__path_next(&path, &step, &bad))
        if (step.len >= 2 && (step.ptr[0] == 't') && (step.ptr[1] == 'd' || step.ptr[1] == 'h') &&
            (step.len == 2 || step.ptr[2] == '[' || step.ptr[2] == '.'))
            return true;
    return false;
}

static bool describe_members(th__adapter *a, const th__known_fields *known)
{
    const th__fields *fields = a->fields;
    for (uint32_t i = 0; i < fields->count; i++)
        if (fields->rules[i].member != TH__NO_MEMBER && fields->rules[i].member >= a->member_count)
            a->member_count = fields->rules[i].member + 1;
    a->members = th__arena_zero(a->arena, a->member_count + 1, sizeof *a->members);
    if (!a->members)
        return false;
    for (uint32_t i = 0; i < fields->count; i++) {
        const th__field_rule *rule = &fields->rules[i];
        if (rule->member == TH__NO_MEMBER || rule->member == a->fields->rest)
            continue;
        th__adapt_member *member = &a->members[rule->member];
        a->lists |= rule->list && rule->kind == TH__ITEM_TEXT;
        member->placed |= rule->kind == TH__ITEM_TEXT && !th__path_is_heading(rule->path) &&
                          (rule->position != TH__NO_POSITION || in_row(rule->path));
        if (member->rule)
            continue;
        member->rule = rule;
        member->known = profile_of(known, rule->member);
    }
    return true;
}

/* Counts the records that have each member; gives how many items no rule takes. */
static size_t count_members(th__adapter *a)
{
    size_t strangers = 0;
    for (size_t i = 0; i < a->item_count; i++) {
        const th__item *item = &a->items[i];
        if (item->column == TH__NO_MEMBER) {
            strangers += item->kind != TH__ITEM_TEXT;
            continue;
        }
        th__adapt_member *member = &a->members[item->column];
        strangers += item->column == a->fields->rest && !item->ruled;
        member->filled += member->last != item->record + 1;
        member->last = item->record + 1;
    }
    return strangers;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool look(th__adapter *a, const th__item *item, th__sample *out)
{
    if (!th__item_read(a->view->page, (th__item_kind)item->kind, item->node, item->span, &a->text,
                       &a->link))
        return false;
    th_str text = th__arena_copy(a->arena, th__buf_str(&a->text));
    if (!text.ptr)
        return false;
    *out = (th__sample){
        .text = text, .hash = th__hash(text.ptr, text.len), .length = th__log_length(text.len)};
    th__dp_split(text, &out->value);
    return true;
}

/* The mean of how much some values are like those of a field. */
static double mean_likeness(const th__field_profile *field, const th__sample *values,
                            uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += th__value_likeness(field, &values[i]);
    return sum / count;
}

/* Returns true if values are in the wrong place: not very like those of their field, and more like
 * those of another one. */
static bool is_misplaced(const th__adapter *a, uint32_t m, const th__sample *values)
{
    double own = mean_likeness(a->members[m].known, values, GLANCED_AT);
    for (uint32_t other = 0; own < WELL_PLACED && other < a->member_count; other++) {
        const th__adapt_member *o = &a->members[other];
        if (other == m || !o->placed || !o->known)
            continue;
        double like = mean_likeness(o->known, values, GLANCED_AT);
        if (like >= BETTER_PLACED || (own < ILL_PLACED && like >= own + FAR_BETTER))
            return true;
    }
    return false;
}

/* Looks at the first values of each member. */
static bool glance(th__adapter *a, bool all)
{
    for (size_t i = 0; i < a->item_count; i++) {
        uint32_t m = a->items[i].column;
        if (m == TH__NO_MEMBER || !a->members[m].known || a->items[i].kind != TH__ITEM_TEXT ||
            a->members[m].placed == all || a->members[m].seen == GLANCED_AT)
            continue;
        th__adapt_member *member = &a->members[m];
        if (!member->values)
            member->values = th__arena_alloc(a->arena, GLANCED_AT * sizeof *member->values);
        if (!member->values || !look(a, &a->items[i], &member->values[member->seen++]))
            return false;
    }
    return true;
}

/* Finds fields distinguished by order whose values are in another field's place. */
static bool find_misplaced(th__adapter *a)
{
    if (!glance(a, false))
        return false;
    for (uint32_t m = 0; m < a->member_count; m++)
        a->members[m].astray = a->members[m].placed && a->members[m].seen == GLANCED_AT &&
                               is_misplaced(a, m, a->members[m].values);
    return true;
}

/* If something is astray, order is unreliable, and values unlike their field belong to another. */
static bool loosen_others(th__adapter *a)
{
    if (!glance(a, true))
        return false;
    for (uint32_t m = 0; m < a->member_count; m++) {
        th__adapt_member *member = &a->members[m];
        bool strange =
            member->seen && mean_likeness(member->known, member->values, member->seen) < AT_HOME;
        member->astray |= member->known && (member->placed || strange);
    }
    return true;
}

static bool find_astray(th__adapter *a, const th__known_fields *known, bool *any)
{
    *any = false;
    if (!describe_members(a, known))
        return false;
    size_t strangers = count_members(a);
    uint32_t placed = 0;
    for (uint32_t m = 0; m < a->member_count; m++)
        placed += a->members[m].placed;
    if (placed > 1 && !find_misplaced(a))
        return false;
    for (uint32_t m = 0; m < a->member_count; m++) {
        th__adapt_member *member = &a->members[m];
        double share = member->known ? share_of(member->known) : 0;
        member->missing = share >= LEAST_SHARE &&
                          member->filled < ASTRAY_PART * share * a->records->count &&
                          th__binomial_lower(member->filled, a->records->count,
                                             fmin(share, 0.95)) <= ASTRAY_CHANCE;
        member->above = member->missing && th__path_is_heading(member->rule->path);
        member->missing &= !member->above; /* it is searched for elsewhere */
        a->above |= member->above;
        *any |= member->astray || (member->missing && (strangers || a->lists));
    }
    for (uint32_t m = 0; *any && m < a->member_count; m++)
        a->members[m].astray |= a->members[m].missing;
    return !*any || loosen_others(a);
}

/* ---- headings -------------------------------------------------------------------------------- */

/* How much the headings of a kind are like the values of a field. */
static bool heading_likeness(th__adapter *a, const th__sections *sections, uint32_t kind,
                             const th__field_profile *known, double *out)
{
    th__sample values[GLANCED_AT];
    uint32_t seen = 0, last = 0;
    th__item item;
    *out = 0;
    for (uint32_t r = 0; r < a->records->count && seen < GLANCED_AT; r++) {
        if (!th__section_item(a->view, sections, a->records, r, kind, &item) ||
            item.ref + 1 == last)
            continue;
        last = item.ref + 1;
        if (!look(a, &item, &values[seen++]))
            return false;
    }
    if (seen)
        *out = mean_likeness(known, values, seen);
    return true;
}

/* Puts the headings of a kind before the items of their records, as values of a member. */
static bool insert_headings(th__adapter *a, const th__sections *sections, uint32_t kind,
                            uint32_t member, th__item_vec *items, uint32_t *first)
{
    uint32_t count = a->records->count;
    th__item_vec old = *items;
    bool ok = true;
    *items = (th__item_vec){0};
    ok = th__vec_reserve(items, old.len + count);
    for (uint32_t r = 0; ok && r < count; r++) {
        th__item item;
        uint32_t from = first[r];
        first[r] = (uint32_t)items->len;
        if (th__section_item(a->view, sections, a->records, r, kind, &item)) {
            item.column = member;
            item.by_looks = true;
            ok = th__vec_push(items, item);
        }
        for (uint32_t i = from; ok && i < first[r + 1]; i++)
            ok = th__vec_push(items, old.data[i]);
    }
    first[count] = (uint32_t)items->len;
    a->items = items->data;
    a->item_count = items->len;
    th__vec_release(&old);
    return ok;
}

/* Headings of a kind that no rule names take the place of one that is missing, when they look like
 * its values. */
static bool adapt_headings(th__adapter *a, th__item_vec *items, uint32_t *first)
{
    th__sections sections;
    if (!th__sections_find(a->arena, a->view, a->records, NULL, &sections))
        return false;
    for (uint32_t m = 0; m < a->member_count; m++) {
        uint32_t best = UINT32_MAX;
        double most = AT_HOME;
        for (uint32_t k = 0; a->members[m].above && k < sections.kinds; k++) {
            double like;
            if (!heading_likeness(a, &sections, k, a->members[m].known, &like))
                return false;
            best = like > most ? k : best;
            most = like > most ? like : most;
        }
        if (best != UINT32_MAX && !insert_headings(a, &sections, best, m, items, first))
            return false;
    }
    return true;
}

/* ---- which columns are loose ----------------------------------------------------------------- */

/* Values of a loose column that are examined. */
enum { LOOKED_AT = 24 };

static bool is_stranger(const th__adapter *a, const th__item *item)
{
    if (item->column == TH__NO_MEMBER)
        return item->kind != TH__ITEM_TEXT;
    return (item->column == a->fields->rest && !item->ruled) || a->members[item->column].astray;
}

/* Aligns the records anew. The aligned items are the same in the same order. */
static bool align(th__adapter *a, th__arena *scratch, const uint32_t *first)
{
    uint32_t count = a->records->count;
    th__item_vec items = {0};
    uint32_t *copy = th__arena_alloc(a->arena, ((size_t)count + 1) * sizeof *copy);
    bool ok = copy && th__vec_reserve(&items, a->item_count);
    for (uint32_t r = 0; ok && r <= count; r++)
        copy[r] = first[r];
    for (size_t i = 0; ok && i < a->item_count; i++) {
        th__item item = a->items[i];
        item.key = item.base;
        item.told = TH__TOLD_BY_PLACE;
        item.telling = 0;
        item.label = TH__NO_ITEM;
        item.position = TH__NO_POSITION;
        item.whole = 0;
        ok = th__vec_push(&items, item);
    }
    ok = ok && th__columns_align_items(a->arena, scratch, a->view, &items, copy, count, false,
                                       &a->list.columns);
    th__vec_release(&items);
    return ok;
}

/* Counts for each column whose its items are. */
static bool count_votes(th__adapter *a)
{
    const th__columns *columns = &a->list.columns;
    a->columns = th__arena_zero(a->arena, columns->column_count + 1, sizeof *a->columns);
    if (!a->columns)
        return false;
    for (uint32_t i = 0; i < columns->item_count; i++) {
        th__loose_column *column = &a->columns[columns->items[i].column];
        uint32_t home = a->items[i].column == TH__NO_MEMBER ? 0 : a->items[i].column + 1;
        column->votes += is_stranger(a, &a->items[i]);
        if (!column->majority)
            column->home = home;
        column->majority += column->home == home ? 1 : (uint32_t)-1;
    }
    return true;
}

static bool is_loose(const th__adapter *a, uint32_t column)
{
    return 5 * a->columns[column].votes >= 4 * a->list.columns.columns[column].items;
}

/* The items with the parts of those that were cut, each with the member of its whole. */
static bool follow_cuts(th__adapter *a, uint32_t *first)
{
    const th__columns *columns = &a->list.columns;
    th__item *now = th__arena_alloc(a->arena, ((size_t)columns->item_count + 1) * sizeof *now);
    a->origin = th__arena_alloc(a->arena, ((size_t)columns->item_count + 1) * sizeof *a->origin);
    if (!now || !a->origin)
        return false;
    for (uint32_t i = 0, old = 0; i < columns->item_count; i++) {
        const th__item *item = &columns->items[i];
        /* Parts of a text follow it. */
        bool same = i && item->whole && item[-1].ref == item->ref;
        old += i && !same;
        while (old + 1 < a->item_count &&
               (a->items[old].kind != item->kind || a->items[old].ref != item->ref))
            old++;
        a->origin[i] = old;
        now[i] = item->whole ? *item : a->items[old];
        now[i].column = a->items[old].column;
        if (item->whole && columns->columns[item->column].is_label)
            now[i].column = TH__NO_MEMBER;
    }
    for (uint32_t r = 0; r <= columns->record_count; r++)
        first[r] = columns->first[r];
    a->items = now;
    a->item_count = columns->item_count;
    return true;
}

/* Cuts the columns that are loose, and are lines of values. */
static bool cut_loose(th__adapter *a, th__arena *scratch, uint32_t *first)
{
    th__columns *columns = &a->list.columns;
    th__key_map settled;
    if (!th__key_map_init(&settled, scratch, columns->column_count))
        return false;
    for (uint32_t c = 0; c < columns->column_count; c++)
        if (!is_loose(a, c))
            th__key_map_put(&settled, columns->columns[c].key, TH__CUT_NEVER);
    if (!th__columns_cut(a->arena, scratch, a->view, a->records, &settled, columns))
        return false;
    return !columns->whole_count || (follow_cuts(a, first) && count_votes(a));
}

/* Looks at the first values of loose columns. */
static bool sample_loose(th__adapter *a)
{
    const th__columns *columns = &a->list.columns;
    for (uint32_t c = 0; c < columns->column_count; c++) {
        const th__column *column = &columns->columns[c];
        bool label = column->is_label || (column->distinct == 1 && column->items > 2);
        a->columns[c].is = !label && is_loose(a, c);
        a->columns[c].found = column->filled;
        if (a->columns[c].is && !(a->columns[c].values = th__arena_alloc(
                                      a->arena, LOOKED_AT * sizeof *a->columns[c].values)))
            return false;
    }
    for (uint32_t i = 0; i < columns->item_count; i++) {
        th__loose_column *column = &a->columns[columns->items[i].column];
        if (column->is && column->count < LOOKED_AT &&
            !look(a, &columns->items[i], &column->values[column->count++]))
            return false;
    }
    return true;
}

static bool find_loose(th__adapter *a, uint32_t *first)
{
    th__arena scratch;
    th__arena_init(&scratch);
    bool ok = align(a, &scratch, first) && count_votes(a) && cut_loose(a, &scratch, first) &&
              th__list_name(a->arena, &scratch, a->view, a->records, TH__COLUMNS_EVERY, &a->list);
    th__arena_release(&scratch);
    return ok && sample_loose(a);
}

/* ---- what goes where ------------------------------------------------------------------------- */

enum {
    LEAST_RECORDS = 3, /* fewer do not show what is usual */
    MOST_PAIRS = 1 << 16
};

/* The least likeness of a column to a field. */
#define LEAST_LIKENESS 0.55
/* Parts of the gap to full likeness that the same name, and the same place, close. */
#define NAME_WORTH  0.4
#define PLACE_WORTH 0.3
/* The same for a column that the field has already. */
#define HOME_WORTH 0.5
/* A single value moves to a field that it is this like, and this much more than its own. */
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
    double there = 1 - fabs(share_of(known) - (double)column->found / a->records->count);
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

struct likely_pair {
    double likeness;
    uint32_t member, column;
};

static int by_likeness(const void *x, const void *y)
{
    const struct likely_pair *a = x, *b = y;
    if (a->likeness != b->likeness)
        return a->likeness > b->likeness ? -1 : 1;
    if (a->member != b->member)
        return a->member < b->member ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

static bool make_pairs(th__adapter *a, struct likely_pair **out, size_t *count)
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
                (*out)[(*count)++] = (struct likely_pair){like, m, c};
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

/* Moves columns to the fields they match, which lose their former values. */
static bool move_columns(th__adapter *a, bool *found)
{
    const th__columns *columns = &a->list.columns;
    uint32_t *field = th__arena_zero(a->arena, columns->column_count + 1, sizeof *field);
    struct likely_pair *pairs;
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
        else if (was != TH__NO_MEMBER && found[was]) {
            a->items[i].column =
                a->items[i].kind == TH__ITEM_TEXT ? a->fields->rest : TH__NO_MEMBER;
            a->items[i].ruled = false;
        }
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
        if (!look(a, item, &value))
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

/* Moves single values to a field that no column is like, since its values are among others at one
 * place. As many records must have one as is usual for the field. */
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
    double share = share_of(a->members[m].known);
    for (uint32_t r = 0; r < count && hits >= 0.6 * share * count; r++)
        if (chosen[r] != TH__NO_ITEM)
            move_item(&a->items[chosen[r]], m);
    return true;
}

/* Returns true if a link or image is around a text, or inside its element. */
static bool is_around(const th__adapter *a, const th__item *link, const th__item *text)
{
    const th_page *page = a->view->page;
    uint32_t x = link->node, y = text->node;
    return x == y || (x < y && y < page->nodes[x].end) || (y < x && x < page->nodes[y].end);
}

/* The member whose text is in the same element as a link's target; or NO_MEMBER. */
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

/* Link targets have little form of their own, and change with a site's habits. One that belonged to
 * a text moves with it; else a single missing one moves to the only links without a field. */
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

/* Returns true if a part of a text that was cut here found its field. */
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
    return find_loose(a, first) && put_together(a, first) && hand_over(a, items, first, was);
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
    bool ok = find_astray(&a, known, &any);
    if (ok && a.above)
        ok = adapt_headings(&a, items, first);
    if (ok && any)
        ok = adapt_items(&a, items, first);
    th__buf_release(&a.text);
    th__buf_release(&a.link);
    return ok;
}
