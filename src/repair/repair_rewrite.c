/*
 * repair_rewrite.c: the new rules under the old names.
 *
 * Wrappers are rewritten as JSON, which is what all engines have in common: a member of the record
 * has a name in the schema, and rules refer to it by that name. Members that match an old field get
 * its name and its place. Of rules that are a list of field rules (auto, mdr) the others go: their
 * texts fall to the rest, when the old wrapper had one; so do the texts of columns that nobody
 * knew, unless new fields are asked for. An old field that was not found stays in the schema, where
 * it is missing from now on: columns of tables do not move. Roles of templates lose the names of
 * columns that nobody knew; the columns of other engines are put in order by a selection.
 *
 * Where the new records stand as the old ones did, old rules of fields that still work are kept as
 * they were.
 */
#include <jansson.h>
#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"
#include "repair/repair.h"
#include "repair/repair_json.h"

/* One renaming: of a member of the new records. */
typedef struct renaming {
    const char *from; /* absent: it is no field, and stays as it is */
    uint32_t column;  /* of the proposal's tally */
    th_str to;        /* absent: it goes */
    bool is_new;      /* nobody knew it */
    bool kept_rule;   /* the old rule of the field is kept */
} renaming;

typedef struct rewriting {
    th_repair *repair;
    json_t *old, *now; /* whole wrappers */
    renaming *names;   /* by column of the proposal */
    uint32_t count;
    const char *old_rest, *now_rest;
} rewriting;

/* ---- rules ----------------------------------------------------------------------------------- */

static json_t *field_rules(json_t *root)
{
    json_t *rules = json_object_get(json_object_get(root, "rules"), "fields");
    json_t *first = json_array_get(rules, 0);
    return json_object_get(first, "chosen") ? NULL : rules;
}

/* The member for texts that no rule takes: it has a rule of that kind, or, where rules are no list,
 * the name that all engines give it. */
static const char *rest_of(json_t *root)
{
    size_t i;
    json_t *rule, *other, *select = json_object_get(root, "select");
    json_array_foreach(select, i, rule) if (
        json_is_true(
            json_object_get(rule, "rest"))) return json_string_value(json_object_get(rule, "name"));
    if (select)
        return NULL;
    json_array_foreach(
        field_rules(root), i,
        rule) if (th__json_is_kind(rule, "rest")) return json_string_value(json_object_get(rule,
                                                                                           "name"));
    other = field_rules(root)
                ? NULL
                : th__json_find_member(th__json_members(root), "other", strlen("other"));
    return th__json_is_kind(th__json_strip(other), "list") && th__json_is_flat(other) ? "other"
                                                                                      : NULL;
}

th_status th__repair_rest(const th_wrapper *wrapper, th__arena *arena, th_str *out, th_error *err)
{
    json_t *root;
    th_status status = th__wrapper_to_json(wrapper, &root, err);
    *out = (th_str){0};
    if (!status && rest_of(root)) {
        *out = th__arena_copy(arena, th_str_from(rest_of(root)));
        status = out->ptr ? TH_OK : th__fail_memory(err);
    }
    json_decref(root);
    return status;
}

/* Whether all but the field rules is the same: then old field rules hold as well as before. */
static bool same_place(const rewriting *r)
{
    json_t *a = json_copy(json_object_get(r->old, "rules"));
    json_t *b = json_copy(json_object_get(r->now, "rules"));
    bool same = false;
    if (a && b && field_rules(r->old) && field_rules(r->now)) {
        json_object_del(a, "fields");
        json_object_del(b, "fields");
        same = json_equal(a, b);
    }
    json_decref(a);
    json_decref(b);
    return same;
}

static renaming *find_renaming(const rewriting *r, const char *name)
{
    for (uint32_t i = 0; name && i < r->count; i++)
        if (r->names[i].from && !strcmp(r->names[i].from, name))
            return &r->names[i];
    return NULL;
}

/* Renames what rules refer to, wherever it stands. Depth is that of the JSON, which is bounded by
 * what jansson reads. */
static bool rename_rules(const rewriting *r, json_t *json, const char *key)
{
    const char *inner;
    json_t *value;
    size_t i;
    bool ok = true;
    if (json_is_string(json) && key && (!strcmp(key, "name") || !strcmp(key, "field"))) {
        const renaming *to = find_renaming(r, json_string_value(json));
        return !to || !to->to.ptr || json_string_setn(json, to->to.ptr, to->to.len) == 0;
    }
    json_object_foreach(json, inner, value) ok = ok && rename_rules(r, value, inner);
    if (json_is_array(json))
        json_array_foreach(json, i, value) ok = ok && rename_rules(r, value, key);
    return ok;
}

/* Field rules: those of members that nobody knew go, and old rules take the place of new ones. */
static bool rewrite_field_rules(const rewriting *r, json_t *rules)
{
    json_t *out = json_array(), *rule;
    size_t i;
    bool ok = out != NULL, rest = false;
    json_array_foreach(rules, i, rule)
    {
        const char *name = json_string_value(json_object_get(rule, "name"));
        renaming *to = find_renaming(r, name);
        bool is_rest = th__json_is_kind(rule, "rest");
        if (is_rest && r->old_rest) {
            ok = ok && !json_object_set_new(rule, "name", json_string(r->old_rest));
            rest = true;
        } else if (is_rest || (to && (!to->to.ptr || to->kept_rule))) {
            continue;
        }
        if (to && !is_rest)
            ok = ok && !json_object_set_new(rule, "name", json_stringn(to->to.ptr, to->to.len));
        ok = ok && !json_array_append(out, rule);
    }
    json_array_foreach(field_rules(r->old), i, rule)
    {
        const char *name = json_string_value(json_object_get(rule, "name"));
        bool take = th__json_is_kind(rule, "rest") && !rest;
        for (uint32_t j = 0; name && j < r->count; j++)
            take = take || (r->names[j].kept_rule && th__str_eq(r->names[j].to, th_str_from(name)));
        ok = ok && (!take || !json_array_append(out, rule));
    }
    json_t *all = json_object_get(r->now, "rules");
    return ok ? !json_object_set_new(all, "fields", out) : (json_decref(out), false);
}

/* ---- schema ---------------------------------------------------------------------------------- */

static bool set_name(json_t *member, th_str name)
{
    return !json_object_set_new(th__json_named_type(member), "name",
                                json_stringn(name.ptr, name.len));
}

static json_t *made_optional(json_t *member)
{
    return th__json_is_kind(member, "optional")
               ? json_incref(member)
               : json_pack("{s:s,s:O}", "kind", "optional", "item", member);
}

/* The new member that bears the name of an old one. */
static json_t *renamed_member(const rewriting *r, json_t *members, const char *name)
{
    for (uint32_t i = 0; i < r->count; i++) {
        const renaming *n = &r->names[i];
        if (!n->to.ptr || !th__str_eq(n->to, th_str_from(name)))
            continue;
        if (n->kept_rule)
            return th__json_find_member(th__json_members(r->old), name, strlen(name));
        /* By its place: names change while this goes on. */
        json_t *member = json_array_get(members, i);
        return set_name(member, n->to) ? member : NULL;
    }
    return NULL;
}

/* The members in their old order; those that were not found are missing from now on. */
static bool rewrite_members(const rewriting *r, json_t *members)
{
    json_t *out = json_array(), *copy = json_deep_copy(members), *old;
    size_t i;
    bool ok = out && copy;
    json_array_foreach(th__json_members(r->old), i, old)
    {
        const char *name = th__json_member_name(old);
        json_t *member = renamed_member(r, copy, name);
        ok = ok && !json_array_append_new(out, member ? json_incref(member) : made_optional(old));
    }
    for (uint32_t j = 0; j < r->count; j++) {
        json_t *member = json_array_get(copy, j);
        ok = ok && (!r->names[j].is_new ||
                    (set_name(member, r->names[j].to) && !json_array_append(out, member)));
    }
    ok = ok && !json_array_clear(members) && !json_array_extend(members, out);
    json_decref(out);
    json_decref(copy);
    return ok;
}

static bool rename_members(const rewriting *r, json_t *members)
{
    size_t i;
    json_t *member;
    bool ok = true;
    json_array_foreach(members, i, member)
    {
        const renaming *to = find_renaming(r, th__json_member_name(member));
        ok = ok && (!to || !to->to.ptr || set_name(member, to->to));
    }
    return ok;
}

/* Puts members in the order of the old ones, in lists of tuples too: those that nobody knew go, and
 * those that were not found are missing from now on. Depth is bounded by TH_SCHEMA_MAX_DEPTH. */
static bool keep_members(json_t *members, json_t *old)
{
    json_t *out = json_array(), *was;
    size_t i;
    bool ok = out != NULL;
    json_array_foreach(old, i, was)
    {
        const char *name = th__json_member_name(was);
        json_t *member = name ? th__json_find_member(members, name, strlen(name)) : NULL;
        json_t *inner = member ? th__json_tuple_members(member) : NULL;
        if (inner && th__json_tuple_members(was))
            ok = ok && keep_members(inner, th__json_tuple_members(was));
        ok = ok && !json_array_append_new(out, member ? json_incref(member) : made_optional(was));
    }
    ok = ok && !json_array_clear(members) && !json_array_extend(members, out);
    json_decref(out);
    return ok;
}

/* Returns true if all members are flat, and whether both have the same names in the same order. */
static bool are_flat(json_t *members, json_t *others, bool *same)
{
    size_t i;
    json_t *member;
    *same = json_array_size(members) == json_array_size(others);
    json_array_foreach(members, i, member)
    {
        const char *name = th__json_member_name(member);
        const char *other = th__json_member_name(json_array_get(others, i));
        if (!th__json_is_flat(member))
            return false;
        *same = *same && other && !strcmp(name, other);
    }
    return true;
}

/* A selection of the old columns, in their order, where the new ones differ. */
static bool select_old(const rewriting *r)
{
    json_t *members = th__json_members(r->now), *old = th__json_members(r->old), *was;
    bool same, was_same;
    size_t i;
    if (r->repair->new_fields || json_object_get(r->now, "select") ||
        !are_flat(members, old, &same) || !are_flat(old, members, &was_same) || same)
        return true;
    json_t *select = json_array();
    bool ok = select != NULL;
    json_array_foreach(old, i, was)
    {
        const char *name = th__json_member_name(was);
        bool rest = r->old_rest && !strcmp(name, r->old_rest);
        json_t *field = json_pack("{s:s}", "name", name);
        if (rest)
            ok = ok && !json_object_set_new(field, "rest", json_true());
        else if (th__json_find_member(members, name, strlen(name)))
            ok = ok && !json_object_set_new(field, "from", json_pack("[s]", name));
        if (!rest && th__json_is_list(was))
            ok = ok && !json_object_set_new(field, "list", json_true());
        ok = ok && !json_array_append(select, field);
        json_decref(field);
    }
    ok = ok && !json_object_set(r->now, "select", select);
    json_decref(select);
    return ok;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool is_taken(const rewriting *r, const char *name)
{
    bool taken = th__json_find_member(th__json_members(r->old), name, strlen(name)) != NULL;
    for (uint32_t i = 0; i < r->count; i++)
        taken = taken || (r->names[i].to.ptr && th__str_eq(r->names[i].to, th_str_from(name)));
    return taken;
}

/* A name that no other field has, for a member that nobody knew. */
static th_str free_name(rewriting *r, const char *name)
{
    enum { TRIED = 1000 };
    char text[TH_SCHEMA_MAX_NAME + 16];
    snprintf(text, sizeof text, "%.*s", TH_SCHEMA_MAX_NAME - 8, name);
    for (int i = 2; is_taken(r, text) && i < TRIED; i++)
        snprintf(text, sizeof text, "%.*s_%d", TH_SCHEMA_MAX_NAME - 8, name, i);
    return th__arena_copy(&r->repair->arena, th_str_from(text));
}

static bool make_names(rewriting *r, const th__proposal *proposal)
{
    const th__profile *profile = r->repair->profile;
    json_t *members = th__json_members(r->now), *old = th__json_members(r->old);
    bool rules = field_rules(r->now) != NULL, same = rules && same_place(r);
    bool drops = (rules && field_rules(r->old)) || th__json_roles(r->now);
    r->count = (uint32_t)json_array_size(members);
    r->names = th__arena_zero(&r->repair->arena, r->count + 1, sizeof *r->names);
    if (!r->names)
        return false;
    /* Copies: the schema is changed before the rules are. */
    uint32_t column = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        json_t *member = json_array_get(members, i);
        r->names[i].column = column;
        column += th__json_count_fields(member);
        if (!th__json_is_flat(member))
            continue;
        th_str name = th_str_from(th__json_member_name(member));
        r->names[i].from = th__arena_copy(&r->repair->arena, name).ptr;
        if (!r->names[i].from)
            return false;
    }
    for (uint32_t f = 0; f < profile->count; f++) {
        th_str name = th__field_name(profile->fields[f].path);
        json_t *was = th__json_find_member(old, name.ptr, name.len);
        if (proposal->match.column[f] == TH__NO_COLUMN || !was || !th__json_is_flat(was))
            continue;
        for (uint32_t i = 0; i < r->count; i++) {
            if (!r->names[i].from || r->names[i].column != proposal->match.column[f])
                continue;
            r->names[i].to = name;
            r->names[i].kept_rule = same && !r->repair->broken[f];
        }
    }
    /* The rest is no field: it goes by its rule. */
    renaming *rest = find_renaming(r, r->now_rest);
    if (rest && r->old_rest)
        rest->to = th_str_from(r->old_rest);
    for (uint32_t i = 0; i < r->count; i++) {
        if (!r->names[i].from || r->names[i].to.ptr || &r->names[i] == rest)
            continue;
        if (!r->repair->new_fields && drops)
            continue; /* it goes */
        r->names[i].to = free_name(r, r->names[i].from);
        r->names[i].is_new = true;
        if (!r->names[i].to.ptr)
            return false;
    }
    return true;
}

/* Where rules are roles, names are told apart by the lists that they are in. */
static bool rename_with_roles(const rewriting *r, const th__proposal *proposal)
{
    th__json_name *flat = th__arena_zero(&r->repair->arena, r->count + 1, sizeof *flat);
    for (uint32_t i = 0; flat && i < r->count; i++)
        flat[i] = (th__json_name){r->names[i].from, r->names[i].to};
    return flat && th__json_rename_roles(r->repair, proposal, r->now, flat, r->count);
}

static th_status rewrite(rewriting *r, const th__proposal *proposal, th_wrapper **out,
                         th_error *err)
{
    json_t *members = th__json_members(r->now), *rules = field_rules(r->now);
    if (!members || !th__json_members(r->old))
        return TH_OK;
    r->old_rest = rest_of(r->old);
    r->now_rest = rest_of(r->now);
    bool ok = make_names(r, proposal);
    if (ok && th__json_roles(r->now))
        ok = rename_with_roles(r, proposal) &&
             (r->repair->new_fields || keep_members(members, th__json_members(r->old)));
    else if (ok && rules && field_rules(r->old))
        ok = rewrite_members(r, members) && rewrite_field_rules(r, rules);
    else
        ok = ok && rename_members(r, members) &&
             rename_rules(r, json_object_get(r->now, "rules"), NULL) && select_old(r);
    if (!ok)
        return th__fail_memory(err);
    th_status status = th__wrapper_from_json(r->now, out, err);
    return th__repair_learnt(status);
}

th_status th__repair_rewrite(th_repair *repair, const th__proposal *proposal, th_wrapper **out,
                             th_error *err)
{
    rewriting r = {.repair = repair};
    *out = NULL;
    th_status status = th__wrapper_to_json(repair->wrapper, &r.old, err);
    if (!status)
        status = th__wrapper_to_json(proposal->wrapper, &r.now, err);
    if (!status && proposal->named) {
        r.old_rest = rest_of(r.old);
        status = select_old(&r) ? TH_OK : th__fail_memory(err);
    }
    if (!status)
        status = proposal->named   ? th__wrapper_from_json(r.now, out, err)
                 : proposal->parts ? th__repair_select(repair, proposal, out, err)
                                   : rewrite(&r, proposal, out, err);
    json_decref(r.old);
    json_decref(r.now);
    return status;
}

/* ---- version, history, profile --------------------------------------------------------------- */

static json_t *changes_of(const th_repair *repair)
{
    json_t *out = json_array();
    char line[400];
    for (uint32_t i = 0; out && i < repair->field_count; i++) {
        const th_field_repair *field = &repair->fields[i];
        if (field->outcome == TH_FIELD_KEPT)
            continue;
        int cut = field->example.len < 80 ? (int)field->example.len : 0;
        snprintf(line, sizeof line, "%.*s: %s%s%.*s%s", TH_STR_ARG(field->path),
                 th_field_outcome_name(field->outcome), cut ? ", now such as \"" : "", cut,
                 cut ? field->example.ptr : "", cut ? "\"" : "");
        /* A name cut inside a character is no text of JSON. */
        json_t *text = json_string(line);
        if (text)
            json_array_append_new(out, text);
    }
    return out;
}

/* The history of both: what was, and this repair. */
static bool set_history(const th_repair *repair, json_t *old, json_t *now)
{
    json_t *history = json_deep_copy(json_object_get(old, "history"));
    json_t *entry = json_object();
    uint32_t version = repair->wrapper->version + 1;
    if (!json_is_array(history)) {
        json_decref(history);
        history = json_array();
    }
    bool ok =
        history && entry && !json_object_set_new(entry, "version", json_integer(version)) &&
        (!repair->date.ptr || !json_object_set_new(entry, "date", json_string(repair->date.ptr))) &&
        !json_object_set_new(entry, "changes", changes_of(repair));
    while (ok && json_array_size(history) >= TH__WRAPPER_MAX_HISTORY)
        json_array_remove(history, 0);
    ok = ok && !json_array_append(history, entry) &&
         !json_object_set_new(now, "version", json_integer(version)) &&
         !json_object_set(now, "history", history);
    json_decref(entry);
    json_decref(history);
    return ok;
}

/* What many old values told about a field is worth more than what few new ones tell. */
static bool keep_old_fields(const th_repair *repair, json_t *old, json_t *now)
{
    json_t *was = json_object_get(old, "profile"), *is = json_object_get(now, "profile");
    json_t *fields = json_object_get(is, "fields"), *field, *before;
    size_t i, j;
    bool ok = true;
    if (json_integer_value(json_object_get(was, "pages")) <=
        json_integer_value(json_object_get(is, "pages")))
        return true;
    json_array_foreach(fields, i, field)
    {
        th_str path = th_str_from(json_string_value(json_object_get(field, "field")));
        json_array_foreach(json_object_get(was, "fields"), j, before)
        {
            th_str other = th_str_from(json_string_value(json_object_get(before, "field")));
            const th__field_profile *own = th__profile_of(repair->profile, (uint32_t)j, other);
            bool lost =
                !own || repair->fields[own - repair->profile->fields].outcome == TH_FIELD_LOST;
            if (lost || !th__same_path(path, other))
                continue;
            json_t *copy = json_deep_copy(before);
            ok = ok && copy && !json_object_set_new(copy, "field", json_string(path.ptr)) &&
                 !json_array_set_new(fields, i, copy);
            break;
        }
    }
    return ok && !json_object_set(is, "pages", json_object_get(was, "pages"));
}

th_status th__repair_complete(th_repair *repair, const th_wrapper *passed, const th__tally *tally,
                              th_wrapper **out, th_error *err)
{
    json_t *old = NULL, *now = NULL;
    th_wrapper *profiled = NULL;
    th__profile *profile;
    *out = NULL;
    th_status status = th__wrapper_to_json(passed, &now, err);
    if (!status)
        status = th__wrapper_from_json(now, &profiled, err);
    json_decref(now);
    now = NULL;
    if (!status && !th__profile_learn(tally, &profiled->arena, &profile))
        status = th__fail_memory(err);
    if (!status) {
        profiled->profile = profile;
        status = th__wrapper_to_json(profiled, &now, err);
    }
    if (!status)
        status = th__wrapper_to_json(repair->wrapper, &old, err);
    if (!status && (!set_history(repair, old, now) || !keep_old_fields(repair, old, now)))
        status = th__fail_memory(err);
    if (!status)
        status = th__wrapper_from_json(now, out, err);
    th_wrapper_free(profiled);
    json_decref(old);
    json_decref(now);
    return status;
}
