/*
 * repair_nested.c: the names of lists of tuples, and of their fields.
 *
 * A list of the new records is the old one most of whose fields its columns are matched with. Rules
 * that refer to fields of a list do so by their names alone (template's roles); which list they are in
 * follows from the roles above them:
 *
 *     in 32  element, field reviews                    the list
 *     in 33    element, field stars, data              a field of it
 */
#include <stdio.h>

#include "base/vec.h"
#include "repair/repair.h"
#include "repair/repair_json.h"

/* Roles are deep as pages are. */
enum { ABOVE_MAX = 4096 };

/* A member of a list, or the list itself. */
typedef struct naming {
    const char *list; /* the name that it had; NULL: outside of lists */
    const char *from;
    th_str to; /* absent: it goes */
} naming;

typedef struct nesting {
    th_repair *repair;
    const th__proposal *proposal;
    TH__VEC(naming) names;
} nesting;

json_t *th__json_tuple_members(json_t *member)
{
    json_t *type = th__json_strip(member);
    if (!th__json_is_kind(type, "list"))
        return NULL;
    type = th__json_strip(json_object_get(type, "item"));
    return th__json_is_kind(type, "tuple") ? json_object_get(type, "members") : NULL;
}

/* The field of the profile that a column is matched with, in a list; else NULL. */
static const th__field_profile *matched(const nesting *n, uint32_t column)
{
    const th__profile *profile = n->repair->profile;
    for (uint32_t f = 0; f < profile->count; f++)
        if (n->proposal->match.column[f] == column && th__list_of(profile->fields[f].path).ptr)
            return &profile->fields[f];
    return NULL;
}

/* The old list that most columns of a new one are of; absent when there is none. */
static th_str old_list(const nesting *n, uint32_t from, uint32_t to)
{
    th_str best = {0};
    uint32_t most = 0;
    for (uint32_t c = from; c < to; c++) {
        const th__field_profile *field = matched(n, c);
        uint32_t count = 0;
        for (uint32_t d = from; field && d < to; d++) {
            const th__field_profile *other = matched(n, d);
            count += other && th__str_eq(th__list_of(other->path), th__list_of(field->path));
        }
        if (count > most) {
            most = count;
            best = th__list_of(field->path);
        }
    }
    return best;
}

static bool is_named(const nesting *n, const char *list, th_str to)
{
    for (size_t i = 0; i < n->names.len; i++) {
        const naming *own = &n->names.data[i];
        bool same = own->list == list || (own->list && list && !strcmp(own->list, list));
        if (same && th__str_eq(own->to, to))
            return true;
    }
    return false;
}

/* Copies: the schema is changed before the rules are. */
static bool add_name(nesting *n, const char *list, const char *from, th_str to)
{
    th_str copy = th__arena_copy(&n->repair->arena, th_str_from(from));
    return copy.ptr && th__vec_push(&n->names, ((naming){list, copy.ptr, to}));
}

/* A name of its own for a member that nobody knew, when an old one has its name now; absent when
 * new fields are not asked for. */
static th_str other_name(nesting *n, const char *list, const char *from)
{
    enum { TRIED = 1000 };
    char text[TH_SCHEMA_MAX_NAME + 16];
    if (!n->repair->new_fields)
        return (th_str){0};
    snprintf(text, sizeof text, "%.*s", TH_SCHEMA_MAX_NAME - 8, from);
    for (int i = 2; is_named(n, list, th_str_from(text)) && i < TRIED; i++)
        snprintf(text, sizeof text, "%.*s_%d", TH_SCHEMA_MAX_NAME - 8, from, i);
    return th__arena_copy(&n->repair->arena, th_str_from(text));
}

static bool name_members(nesting *n, const char *list, th_str to, json_t *members, uint32_t column)
{
    size_t i;
    json_t *member;
    uint32_t first = column;
    for (int known = 1; known >= 0; known--) {
        column = first;
        json_array_foreach(members, i, member)
        {
            const th__field_profile *field = th__json_is_flat(member) ? matched(n, column) : NULL;
            const char *from = th__json_member_name(member);
            column += th__json_count_fields(member);
            bool own = field && th__str_eq(th__list_of(field->path), to);
            if (!from || own != known)
                continue;
            th_str name = own ? th__field_name(field->path) : other_name(n, list, from);
            if (own)
                name = (th_str){name.ptr + to.len + 3, name.len - to.len - 3};
            if ((!name.ptr && n->repair->new_fields) || !add_name(n, list, from, name))
                return false;
        }
    }
    return true;
}

static const naming *find_name(const nesting *n, const char *list, const char *from)
{
    for (size_t i = 0; from && i < n->names.len; i++) {
        const naming *own = &n->names.data[i];
        bool same = own->list == list || (own->list && list && !strcmp(own->list, list));
        if (same && !strcmp(own->from, from))
            return own;
    }
    return NULL;
}

static bool rename_member(const nesting *n, const char *list, json_t *member)
{
    const naming *name = find_name(n, list, th__json_member_name(member));
    return !name || !name->to.ptr ||
           !json_object_set_new(th__json_named_type(member), "name",
                                json_stringn(name->to.ptr, name->to.len));
}

/* Takes out the members that go, of a list or outside of lists. */
static void drop_members(const nesting *n, const char *list, json_t *members)
{
    for (size_t i = json_array_size(members); i--;) {
        const naming *name = find_name(n, list, th__json_member_name(json_array_get(members, i)));
        if (name && !name->to.ptr)
            json_array_remove(members, i);
    }
}

/* Each member once, by the name that it had: others may have it now. */
static bool rename_schema(const nesting *n, json_t *members)
{
    size_t i, j;
    json_t *member, *inner;
    bool ok = true;
    drop_members(n, NULL, members);
    json_array_foreach(members, i, member)
    {
        const char *list = th__json_member_name(member);
        if (!list || !find_name(n, NULL, list))
            continue;
        drop_members(n, list, th__json_tuple_members(member));
        json_array_foreach(th__json_tuple_members(member), j, inner) ok =
            ok && rename_member(n, list, inner);
        ok = ok && rename_member(n, NULL, member);
    }
    return ok;
}

/* The list that a role is in, by its name before. */
static const char *list_above(json_t *roles, const char *const *before, json_t *role)
{
    for (int i = 0; i < ABOVE_MAX; i++) {
        json_t *in = json_object_get(role, "in");
        size_t at = (size_t)json_integer_value(in);
        if (!json_is_integer(in) || at >= json_array_size(roles))
            return NULL;
        role = json_array_get(roles, at);
        if (before[at] && !json_object_get(role, "use"))
            return before[at];
    }
    return NULL;
}

/* Whether a list has a member of a name. Members that only some of its items have may be given
 * outside of it, by rules that stand in it: rows that have a label each. */
static bool has_member(json_t *members, const char *list, const char *name)
{
    json_t *own = list ? th__json_find_member(members, list, strlen(list)) : NULL;
    return own && name && th__json_find_member(th__json_tuple_members(own), name, strlen(name));
}

static bool rename_roles(const nesting *n, json_t *members, json_t *roles)
{
    size_t i, count = json_array_size(roles);
    json_t *role;
    const char **before = th__arena_zero(&n->repair->arena, count + 1, sizeof *before);
    if (!before)
        return false;
    json_array_foreach(roles, i, role)
    {
        const char *name = json_string_value(json_object_get(role, "field"));
        before[i] = name ? th__arena_copy(&n->repair->arena, th_str_from(name)).ptr : NULL;
        if (name && !before[i])
            return false;
    }
    json_array_foreach(roles, i, role)
    {
        const char *list = list_above(roles, before, role);
        const naming *in = list ? find_name(n, NULL, list) : NULL;
        bool inside = has_member(members, list, before[i]);
        const naming *name = find_name(n, inside ? list : NULL, before[i]);
        bool goes = (name && !name->to.ptr) || (inside && in && !in->to.ptr);
        if (goes)
            json_object_del(role, "field");
        else if (name &&
                 json_object_set_new(role, "field", json_stringn(name->to.ptr, name->to.len)))
            return false;
    }
    return true;
}

/* Names outside of lists: those of the flat members. */
static bool take_flat(nesting *n, const th__json_name *flat, uint32_t count)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++)
        if (flat[i].from)
            ok = add_name(n, NULL, flat[i].from,
                          flat[i].to.ptr || !n->repair->new_fields ? flat[i].to
                                                                   : th_str_from(flat[i].from));
    return ok;
}

/* Names of lists that are old ones, and of their fields. */
static bool name_lists(nesting *n, json_t *members)
{
    size_t i;
    json_t *member;
    uint32_t column = 0;
    json_array_foreach(members, i, member)
    {
        uint32_t count = th__json_count_fields(member);
        const char *list = th__json_member_name(member);
        th_str to = th__json_tuple_members(member) && list ? old_list(n, column, column + count)
                                                           : (th_str){0};
        if (to.ptr && !is_named(n, NULL, to)) {
            th_str own = th__arena_copy(&n->repair->arena, th_str_from(list));
            if (!own.ptr || !add_name(n, NULL, own.ptr, to) ||
                !name_members(n, own.ptr, to, th__json_tuple_members(member), column))
                return false;
        }
        column += count;
    }
    return true;
}

/* Names of what nobody knew: their own, when no other member has it now. */
static bool name_others(nesting *n, json_t *members)
{
    size_t i;
    json_t *member;
    json_array_foreach(members, i, member)
    {
        const char *from = th__json_member_name(member);
        if (!from || find_name(n, NULL, from))
            continue;
        th_str to = other_name(n, NULL, from);
        if ((!to.ptr && n->repair->new_fields) || !add_name(n, NULL, from, to))
            return false;
    }
    return true;
}

json_t *th__json_roles(json_t *root)
{
    json_t *roles =
        json_object_get(json_object_get(json_object_get(root, "rules"), "page"), "roles");
    return json_is_array(roles) ? roles : NULL;
}

bool th__json_rename_roles(th_repair *repair, const th__proposal *proposal, json_t *now,
                           const th__json_name *flat, uint32_t count)
{
    nesting n = {.repair = repair, .proposal = proposal};
    json_t *members = th__json_members(now);
    bool ok = take_flat(&n, flat, count) && name_lists(&n, members) && name_others(&n, members) &&
              rename_roles(&n, members, th__json_roles(now)) && rename_schema(&n, members);
    th__vec_release(&n.names);
    return ok;
}
