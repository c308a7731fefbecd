/*
 * repair_labelling.c: a record as a label: fields that are looked for have the places that were
 * chosen for them, and the others keep those where the old wrapper reads them.
 *
 * Values of a list, in the order of the page, make tuples, and a value of a field that the tuple
 * has already begins the next one.
 */
#include "repair/repair_labelling.h"

#include <stdio.h>
#include <stdlib.h>


/* ---- spans as JSON --------------------------------------------------------------------------- */

static void write_span(th_span span, th__json *json)
{
    th__json_begin_object(json);
    th__json_put_uint(json, "start", span.start);
    th__json_put_uint(json, "end", span.end);
    th__json_end_object(json);
}

/* A value that the old wrapper reads: its places. Depth is that of the schema. */
static void write_old(const th_value *value, th__json *json)
{
    value = value ? th__value_chosen(value) : NULL;
    if (!value || value->kind == TH_VALUE_NULL ||
        (value->kind == TH_VALUE_TEXT && value->span.end <= value->span.start)) {
        th__json_null(json);
    } else if (value->kind == TH_VALUE_TEXT) {
        write_span(value->span, json);
    } else if (value->kind == TH_VALUE_LIST) {
        th__json_begin_array(json);
        for (uint32_t i = 0; i < value->count; i++)
            write_old(th__value_item(value, i), json);
        th__json_end_array(json);
    } else {
        th__json_begin_object(json);
        for (uint32_t i = 0; i < value->count; i++) {
            th__json_key(json, th__value_key(th__value_item(value, i)));
            write_old(th__value_item(value, i), json);
        }
        th__json_end_object(json);
    }
}

/* ---- fields that are looked for -------------------------------------------------------------- */

/* The name of the list that a field is in, as "reviews" of reviews[].stars; else absent. */
static th_str list_of(th_str path)
{
    size_t at = th__str_find(path, TH_STR("[]."));
    return at == SIZE_MAX ? (th_str){0} : (th_str){path.ptr, at};
}

static th_str member_of(th_str path)
{
    size_t at = th__str_find(path, TH_STR("[]."));
    return at == SIZE_MAX ? th__field_name(path) : (th_str){path.ptr + at + 3, path.len - at - 3};
}

/* One list of tuples of texts is as deep as it goes. */
static bool can_label(th_str path)
{
    th_str member = member_of(path);
    return !memchr(member.ptr, '.', member.len) && (!list_of(path).ptr || !th__is_list_path(path));
}

static bool same_list(th_str a, th_str b)
{
    return list_of(a).ptr && list_of(b).ptr && th__str_eq(list_of(a), list_of(b));
}

/* Whether a field has less than half of the values that it should have: where the wrapper is broken
 * that is most likely why, though few pages do not prove it of a field that was often missing. */
static bool is_thin(const th_repair *repair, uint32_t field)
{
    const th__field_profile *old = &repair->profile->fields[field];
    for (uint32_t i = 0; i < repair->tally.count; i++)
        if (th__same_path(repair->tally.fields[i].path, old->path))
            return repair->profile->records &&
                   2 * (double)repair->tally.fields[i].values * (double)repair->profile->records <
                       (double)old->values * (double)repair->tally.records;
    return true;
}

bool th__labelling_want(th__labelling *l, bool all)
{
    const th_repair *repair = l->repair;
    const th__profile *profile = repair->profile;
    l->wanted = th__arena_zero(&l->repair->arena, profile->count + 1, sizeof *l->wanted);
    l->doubt = th__arena_zero(&l->repair->arena, profile->count + 1, sizeof *l->doubt);
    l->held = th__arena_zero(&l->repair->arena, profile->count + 1, sizeof *l->held);
    for (uint32_t i = 0; l->wanted && l->doubt && l->held && i < profile->count; i++) {
        bool own = all || repair->broken[i] || is_thin(repair, i), listed = false;
        if (!can_label(profile->fields[i].path) || !profile->fields[i].values)
            continue;
        for (uint32_t j = 0; !own && j < profile->count; j++)
            listed = listed || ((repair->broken[j] || is_thin(repair, j)) &&
                                same_list(profile->fields[i].path, profile->fields[j].path));
        l->wanted[i] = own;
        l->held[i] = listed;
        l->doubt[i] = own && !repair->broken[i];
    }
    return l->wanted && l->doubt && l->held;
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* The value or values of a chosen field on a page. */
static void write_chosen(const th__labelling *l, uint32_t unit, uint32_t field, th__json *json)
{
    bool list = th__is_list_path(l->repair->profile->fields[field].path), some = false;
    if (list)
        th__json_begin_array(json);
    for (size_t i = 0; i < l->places.data.len && (list || !some); i++) {
        const th__spotted *s = &l->places.data.data[i];
        if (s->field != field || s->unit != unit)
            continue;
        write_span(s->span, json);
        some = true;
    }
    if (list)
        th__json_end_array(json);
    else if (!some)
        th__json_null(json);
}

static int by_start(const void *a, const void *b)
{
    const th__spotted *x = a, *y = b;
    return x->span.start < y->span.start ? -1 : x->span.start > y->span.start;
}

/* The tuples of a list on a page: fields of it that were chosen. */
static bool write_tuples(const th__labelling *l, uint32_t unit, uint32_t first, th__json *json)
{
    const th__profile *profile = l->repair->profile;
    TH__VEC(th__spotted) spots = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < l->places.data.len; i++) {
        const th__spotted *s = &l->places.data.data[i];
        if (s->unit == unit &&
            same_list(profile->fields[s->field].path, profile->fields[first].path))
            ok = th__vec_push(&spots, *s);
    }
    if (ok && spots.len)
        qsort(spots.data, spots.len, sizeof *spots.data, by_start);
    th__json_begin_array(json);
    size_t begin = 0;
    for (size_t i = 0; ok && i < spots.len; i++) {
        bool again = false;
        for (size_t j = begin; j < i; j++)
            again = again || spots.data[j].field == spots.data[i].field;
        /* The field that heads the page's first tuple heads all of them. */
        if (!i || again || spots.data[i].field == spots.data[0].field) {
            if (i)
                th__json_end_object(json);
            th__json_begin_object(json);
            begin = i;
        }
        th__json_key(json, member_of(profile->fields[spots.data[i].field].path));
        write_span(spots.data[i].span, json);
    }
    if (spots.len)
        th__json_end_object(json);
    th__json_end_array(json);
    th__vec_release(&spots);
    return ok;
}

void th__label_kept(const th_value *old, th_str name, th__json *json)
{
    for (uint32_t j = 0; old && old->kind == TH_VALUE_TUPLE && j < old->count; j++)
        if (th__str_eq(th__value_key(th__value_item(old, j)), name)) {
            th__json_key(json, name);
            write_old(th__value_item(old, j), json);
        }
}

/* Whether a field is the first of its list that is labelled. */
static bool is_first_of_list(const th__labelling *l, uint32_t field)
{
    const th__profile *profile = l->repair->profile;
    for (uint32_t i = 0; i < field; i++)
        if (same_list(profile->fields[i].path, profile->fields[field].path))
            return false;
    return true;
}

static bool list_chosen(const th__labelling *l, uint32_t field)
{
    const th__profile *profile = l->repair->profile;
    for (uint32_t i = 0; i < profile->count; i++)
        if (l->places.chosen[i] && same_list(profile->fields[i].path, profile->fields[field].path))
            return true;
    return false;
}

bool th__label_record(const th__labelling *l, uint32_t unit, const th_value *old, th__json *json)
{
    const th__profile *profile = l->repair->profile;
    bool ok = true;
    th__json_begin_object(json);
    for (uint32_t i = 0; ok && i < profile->count; i++) {
        th_str path = profile->fields[i].path, list = list_of(path);
        if (list.ptr) {
            if (!is_first_of_list(l, i))
                continue;
            if (list_chosen(l, i)) {
                th__json_key(json, list);
                ok = write_tuples(l, unit, i, json);
            } else if (!l->wanted[i] || l->doubt[i]) {
                th__label_kept(old, list, json);
            }
        } else if (l->places.chosen[i]) {
            th__json_key(json, th__field_name(path));
            write_chosen(l, unit, i, json);
        } else if (!l->wanted[i] || l->doubt[i]) {
            th__label_kept(old, th__field_name(path), json);
        }
    }
    th__json_end_object(json);
    return ok;
}

void th__label_begin_page(uint32_t page, const char *key, th__json *json)
{
    char name[32];
    snprintf(name, sizeof name, "page-%u", page);
    json->comma = false; /* a line of its own */
    th__json_begin_object(json);
    th__json_key(json, TH_STR("page"));
    th__json_str(json, th_str_from(name));
    th__json_key(json, th_str_from(key));
}

void th__label_end_page(th__json *json)
{
    th__json_end_object(json);
    th__buf_add_byte(json->buf, '\n');
}

/* ---- what is kept ---------------------------------------------------------------------------- */

/* The field of a name, in a list or not (absent), or the number of fields. */
static uint32_t field_named(const th__profile *profile, th_str list, th_str name)
{
    uint32_t i = 0;
    for (; i < profile->count; i++) {
        th_str path = profile->fields[i].path;
        bool same =
            list.ptr ? list_of(path).ptr && th__str_eq(list_of(path), list) : !list_of(path).ptr;
        if (same && th__str_eq(member_of(path), name))
            break;
    }
    return i;
}

/* Keeps where a value stands, and what it holds, but for fields that are looked for. `list` is the
 * name of the list of tuples that it is in, or absent. Depth is that of the schema. */
static bool keep_spans(const th__labelling *l, const th_value *value, th_str list, uint32_t page,
                       th__places *kept)
{
    const th__profile *profile = l->repair->profile;
    bool ok = true;
    th_str name = value ? th__value_key(value) : (th_str){0};
    value = value ? th__value_chosen(value) : NULL;
    if (!value || value->kind == TH_VALUE_NULL)
        return true;
    uint32_t field = name.ptr ? field_named(profile, list, name) : profile->count;
    if (field < profile->count && l->wanted[field])
        return true;
    if (value->kind == TH_VALUE_TEXT)
        return th__vec_push(&kept->data, ((th__spotted){field, page, value->span}));
    for (uint32_t i = 0; ok && i < value->count; i++) {
        const th_value *item = th__value_item(value, i);
        ok =
            keep_spans(l, item, value->kind == TH_VALUE_LIST && name.ptr ? name : list, page, kept);
    }
    return ok;
}

bool th__labelling_keep(const th__labelling *l, const th_value *old, uint32_t unit,
                        th__places *kept)
{
    bool ok = true;
    for (uint32_t i = 0; ok && old && old->kind == TH_VALUE_TUPLE && i < old->count; i++)
        ok = keep_spans(l, th__value_item(old, i), (th_str){0}, unit, kept);
    return ok;
}

bool th__labelling_hold(th__labelling *l, const th__places *kept)
{
    bool ok = true;
    for (size_t i = 0; ok && i < kept->data.len; i++) {
        const th__spotted *s = &kept->data.data[i];
        if (s->field == l->repair->profile->count || !l->held[s->field] ||
            !list_chosen(l, s->field))
            continue;
        ok = th__vec_push(&l->places.data, *s);
    }
    return ok;
}
