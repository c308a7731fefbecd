/*
 * repair_select.c: the old fields as a selection of new columns.
 *
 * Where fields are parts of columns, or where the old wrapper is a selection itself, the new rules
 * stay as they were learnt and a selection (wrapper/select.h) gives them the old names:
 *
 *     old fields in their order, those not found without a source; the rest, when there was one;
 *     then, when asked for, columns that nobody knew
 */
#include <stdio.h>

#include "base/error.h"
#include "repair/repair.h"
#include "repair/repair_json.h"

typedef struct selecting {
    th_repair *repair;
    const th__proposal *proposal;
    json_t *now;
    const char **names; /* by column of the proposal; NULL when it cannot be selected */
    bool *list;         /* by column */
    bool *used;         /* by column: some field takes it whole */
    bool *cut;          /* by column: some field takes a part of it */
    uint32_t count;
    json_t *out;
} selecting;

static bool take_columns(selecting *s)
{
    json_t *members = th__json_members(s->now), *member;
    uint32_t column = 0;
    size_t i;
    json_array_foreach(members, i, member) s->count += th__json_count_fields(member);
    th__arena *arena = &s->repair->arena;
    s->names = th__arena_zero(arena, s->count + 1, sizeof *s->names);
    s->list = th__arena_zero(arena, s->count + 1, sizeof *s->list);
    s->used = th__arena_zero(arena, s->count + 1, sizeof *s->used);
    s->cut = th__arena_zero(arena, s->count + 1, sizeof *s->cut);
    if (!s->names || !s->list || !s->used || !s->cut)
        return false;
    json_array_foreach(members, i, member)
    {
        if (th__json_is_flat(member)) {
            s->names[column] = th__json_member_name(member);
            s->list[column] = th__json_is_list(member);
        }
        column += th__json_count_fields(member);
    }
    return true;
}

static bool put(json_t *field, const char *key, th_str text)
{
    return !text.len || !json_object_set_new(field, key, json_stringn(text.ptr, text.len));
}

static json_t *new_field(th_str name, bool list)
{
    json_t *field = json_object();
    bool ok = field && put(field, "name", name) &&
              (!list || !json_object_set_new(field, "list", json_true()));
    if (ok)
        return field;
    json_decref(field);
    return NULL;
}

static bool add_field(selecting *s, th_str name, bool list, const uint32_t *columns, uint32_t count,
                      const th__cut *cut)
{
    json_t *from = json_array();
    for (uint32_t i = 0; i < count; i++)
        list = list || (s->list[columns[i]] && (!cut || th__cut_is_whole(cut)));
    json_t *field = new_field(name, list);
    bool ok = from && field;
    for (uint32_t i = 0; ok && i < count; i++) {
        bool whole = !cut || th__cut_is_whole(cut);
        s->used[columns[i]] |= whole;
        s->cut[columns[i]] |= !whole;
        ok = !json_array_append_new(from, json_string(s->names[columns[i]]));
    }
    if (ok && cut)
        ok = put(field, cut->last ? "after_last" : "after", cut->after) &&
             put(field, "before", cut->before);
    if (ok && count)
        ok = !json_object_set(field, "from", from);
    ok = ok && !json_array_append(s->out, field);
    json_decref(from);
    json_decref(field);
    return ok;
}

static bool can_select(const selecting *s, const uint32_t *columns, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (columns[i] >= s->count || !s->names[columns[i]])
            return false;
    return true;
}

static bool add_known(selecting *s)
{
    const th__profile *profile = s->repair->profile;
    const th__proposal *c = s->proposal;
    for (uint32_t f = 0; f < profile->count; f++) {
        th_str name = th__field_name(profile->fields[f].path);
        bool list = th__is_list_path(profile->fields[f].path);
        const th__part *part = c->parts && c->parts[f].count ? &c->parts[f] : NULL;
        const uint32_t *columns = part ? part->columns : &c->match.column[f];
        uint32_t count = part ? part->count : c->match.column[f] != TH__NO_COLUMN;
        if (memchr(name.ptr, '.', name.len))
            continue;
        if (!can_select(s, columns, count))
            count = 0;
        if (!add_field(s, name, list, columns, count, part ? &part->cut : NULL))
            return false;
    }
    return true;
}

static bool is_taken(const selecting *s, const char *name)
{
    size_t i;
    json_t *field;
    json_array_foreach(s->out, i, field)
    {
        if (!strcmp(json_string_value(json_object_get(field, "name")), name))
            return true;
    }
    return false;
}

static bool add_unknown(selecting *s, bool rest)
{
    enum { TRIED = 1000 };
    for (uint32_t c = 0; c < s->count; c++) {
        char text[TH_SCHEMA_MAX_NAME + 16];
        /* What is left of a text of which parts were taken falls to the rest. */
        if (!s->names[c] || s->used[c] || (rest && s->cut[c]))
            continue;
        snprintf(text, sizeof text, "%.*s", TH_SCHEMA_MAX_NAME - 8, s->names[c]);
        for (int i = 2; is_taken(s, text) && i < TRIED; i++)
            snprintf(text, sizeof text, "%.*s_%d", TH_SCHEMA_MAX_NAME - 8, s->names[c], i);
        if (!add_field(s, th_str_from(text), s->list[c], &c, 1, NULL))
            return false;
    }
    return true;
}

static bool make_selection(selecting *s, th_str rest, const char *now_rest)
{
    s->out = json_array();
    if (!s->out || !take_columns(s) || !add_known(s))
        return false;
    /* The new wrapper's own rest goes to the old one's. */
    for (uint32_t c = 0; rest.ptr && now_rest && c < s->count; c++)
        s->used[c] |= s->names[c] && !strcmp(s->names[c], now_rest) && !s->used[c];
    if (rest.ptr) {
        json_t *field = new_field(rest, false);
        bool ok = field && !json_object_set_new(field, "rest", json_true()) &&
                  !json_array_append(s->out, field);
        json_decref(field);
        if (!ok)
            return false;
    }
    return !s->repair->new_fields || add_unknown(s, rest.ptr != NULL);
}

th_status th__repair_select(th_repair *repair, const th__proposal *proposal, th_wrapper **out,
                            th_error *err)
{
    selecting s = {.repair = repair, .proposal = proposal};
    th_str rest = {0}, now_rest = {0};
    *out = NULL;
    th_status status = th__repair_rest(repair->wrapper, &repair->arena, &rest, err);
    if (!status)
        status = th__repair_rest(proposal->wrapper, &repair->arena, &now_rest, err);
    if (!status)
        status = th__wrapper_to_json(proposal->wrapper, &s.now, err);
    if (!status && th__json_members(s.now)) {
        bool ok =
            make_selection(&s, rest, now_rest.ptr) && !json_object_set(s.now, "select", s.out);
        status = ok ? th__wrapper_from_json(s.now, out, err) : th__fail_memory(err);
        /* A selection that cannot be made is no failure. */
        status = th__repair_learnt(status);
    }
    json_decref(s.out);
    json_decref(s.now);
    return status;
}
