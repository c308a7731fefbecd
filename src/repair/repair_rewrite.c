/*
 * repair_rewrite.c: the new rules under the old names.
 *
 * A proposal is copied; the copy's schema is drafted anew and its rules get the new names of
 * their fields (th__engine.rename). Members that match an old field get its name and its place. Of
 * rules that are a list of field rules (lists, mdr) the others go: their texts fall to the rest,
 * when the old wrapper had one; so do the texts of columns that match no old field, unless new
 * fields are asked for. An old field that was not found stays in the schema, where it is missing
 * from now on: columns of tables do not move. Roles of templates lose the names of columns that
 * match none; the columns of other engines are put in order by a selection (wrapper/select.h):
 *
 *     old fields in their order, those not found without a source; the rest, when there was one;
 *     then, when asked for, columns that match no old field
 *
 * Where the new records are where the old ones were, old rules of fields that still work are kept
 * as they were.
 *
 * Lists of tuples: a list of the new records is the old one most of whose fields its columns are
 * matched with.
 */
#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "repair/repair.h"
#include "wrapper/fields.h"

/* ---- schemas that can be changed ------------------------------------------------------------- */

/* A type. Names are borrowed. */
typedef struct draft {
    uint8_t kind, note; /* th_type_kind, th_note */
    th_str name;        /* own name, or empty */
    struct draft **children;
    uint32_t count;
} draft;

static draft *draft_new(th__arena *arena, th_type_kind kind, uint32_t count)
{
    draft *out = th__arena_zero(arena, 1, sizeof *out);
    if (!out)
        return NULL;
    *out = (draft){.kind = (uint8_t)kind, .count = count};
    out->children = th__arena_zero(arena, count + 1, sizeof *out->children);
    return out->children ? out : NULL;
}

/* NULL if out of memory. Depth is bounded by TH_SCHEMA_MAX_DEPTH, here and below. */
static draft *draft_of(th__arena *arena, const th_type *type)
{
    draft *out = draft_new(arena, (th_type_kind)type->kind, type->count);
    for (uint32_t i = 0; out && i < type->count; i++)
        if (!(out->children[i] = draft_of(arena, type->children[i])))
            return NULL;
    if (out) {
        out->note = type->note;
        out->name = type->name;
    }
    return out;
}

/* Failures are kept in the schema. */
static th_type *draft_build(const draft *type, th_schema *schema)
{
    th_type like = {.kind = type->kind, .note = type->note, .name = type->name};
    th_type **inner = TH__NEW_ARRAY(th_type *, type->count + 1);
    for (uint32_t i = 0; inner && i < type->count; i++)
        inner[i] = draft_build(type->children[i], schema);
    th_type *out = inner ? th__type_like(schema, &like, inner, type->count) : NULL;
    th__mem_free(inner);
    return out;
}

/* The type inside of optionals. */
static draft *strip(draft *type)
{
    while (type->kind == TH_TYPE_OPTIONAL)
        type = type->children[0];
    return type;
}

static bool is_list(draft *member)
{
    return strip(member)->kind == TH_TYPE_LIST;
}

/* The type that has the name of a member: itself, or the item of an unnamed list. */
static draft *named(draft *member)
{
    draft *type = strip(member);
    while (type->kind == TH_TYPE_LIST && !type->name.len)
        type = strip(type->children[0]);
    return type;
}

/* Returns true if a member is a field or a list of fields, with a name. */
static bool is_flat(draft *member)
{
    draft *type = strip(member);
    if (type->kind == TH_TYPE_LIST)
        type = strip(type->children[0]);
    return type->kind == TH_TYPE_FIELD && named(member)->name.len;
}

/* The tuple of a list of tuples, or NULL. */
static draft *tuple_of(draft *member)
{
    draft *type = strip(member);
    if (type->kind != TH_TYPE_LIST)
        return NULL;
    type = strip(type->children[0]);
    return type->kind == TH_TYPE_TUPLE ? type : NULL;
}

/* The tuple of the records, or NULL. */
static draft *record_of(draft *root)
{
    draft *type = strip(root);
    if (type->kind == TH_TYPE_LIST)
        type = strip(type->children[0]);
    return type->kind == TH_TYPE_TUPLE ? type : NULL;
}

static uint32_t count_fields(const draft *type)
{
    uint32_t count = type->kind == TH_TYPE_FIELD;
    for (uint32_t i = 0; i < type->count; i++)
        count += count_fields(type->children[i]);
    return count;
}

static draft *find_member(const draft *tuple, th_str name)
{
    for (uint32_t i = 0; i < tuple->count; i++)
        if (name.len && th__str_eq(named(tuple->children[i])->name, name))
            return tuple->children[i];
    return NULL;
}

static draft *made_optional(th__arena *arena, draft *member)
{
    draft *out = member->kind == TH_TYPE_OPTIONAL ? member : draft_new(arena, TH_TYPE_OPTIONAL, 1);
    if (out && out != member)
        out->children[0] = member;
    return out;
}

/* ---- copies of wrappers ---------------------------------------------------------------------- */

/* A wrapper as it would be read from its file. Caller frees. */
static th_status copy_wrapper(const th_wrapper *wrapper, th_wrapper **out, th_error *err)
{
    th_text text = {0};
    *out = NULL;
    th_status status = th_wrapper_write(wrapper, &text, err);
    if (!status)
        status = th_wrapper_read((th_str){text.ptr, text.len}, "repaired wrapper", out, err);
    th_text_release(&text);
    return status;
}

/* Builds a wrapper from a changed copy and a drafted schema. */
static th_status finish_copy(th_wrapper *now, const draft *root, th_wrapper **out, th_error *err)
{
    th_schema *schema, *before = now->schema;
    th_status status = th_schema_new(&schema, err);
    if (status)
        return status;
    status = th_schema_finish(schema, draft_build(root, schema), err);
    now->schema = schema;
    if (!status)
        status = copy_wrapper(now, out, err);
    now->schema = before;
    th_schema_free(schema);
    return status;
}

static void set_select(th_wrapper *wrapper, th__select *select)
{
    if (wrapper->select)
        th__select_release(wrapper->select);
    wrapper->select = select;
}

static th__fields *fields_of(const th_wrapper *wrapper)
{
    return wrapper->engine->fields ? wrapper->engine->fields(wrapper->rules) : NULL;
}

/* ---- the rest -------------------------------------------------------------------------------- */

/* The member for texts that no rule takes: it has a rule of that kind, or, if rules are not a list,
 * the name that all engines use. Borrowed. */
static th_str rest_of(const th_wrapper *wrapper)
{
    const th__fields *fields = fields_of(wrapper);
    const th_type *tuple = th__type_strip(th_schema_record_type(wrapper->schema));
    for (uint32_t i = 0; wrapper->select && i < wrapper->select->count; i++)
        if (wrapper->select->fields[i].rest)
            return wrapper->select->fields[i].name;
    for (uint32_t i = 0; !wrapper->select && fields && i < fields->count; i++)
        if (fields->rules[i].kind == TH__FIELD_REST)
            return fields->rules[i].name;
    for (uint32_t i = 0;
         !wrapper->select && !fields && tuple->kind == TH_TYPE_TUPLE && i < tuple->count; i++) {
        const th_type *type = th__type_strip(tuple->children[i]);
        if (type->kind == TH_TYPE_LIST &&
            th__type_strip(type->children[0])->kind == TH_TYPE_FIELD &&
            th__str_eq(th_type_name(type), TH_STR("other")))
            return th_type_name(type);
    }
    return (th_str){0};
}

th_status th__repair_rest(const th_wrapper *wrapper, th__arena *arena, th_str *out, th_error *err)
{
    *out = rest_of(wrapper);
    if (out->ptr)
        *out = th__arena_copy(arena, *out);
    return out->ptr || !rest_of(wrapper).ptr ? TH_OK : th__fail_memory(err);
}

/* ---- names of members ------------------------------------------------------------------------ */

/* One renaming: of a member of the new records. */
typedef struct renaming {
    th_str from;     /* absent: it is not a field, and stays as it is */
    uint32_t column; /* of the proposal's tally */
    th_str to;       /* absent: it is removed */
    bool is_new;     /* matches no old field */
    bool kept_rule;  /* the old rule of the field is kept */
} renaming;

typedef struct rewriting {
    th_repair *repair;
    th__arena *arena; /* the repair's */
    const th__proposal *proposal;
    const th_wrapper
        *old;        /* a copy if it has field rules, which are changed while they are compared */
    th_wrapper *now; /* a copy */
    draft *schema;   /* of the new one */
    draft *old_record, *record;    /* their tuples */
    th__fields *rules, *old_rules; /* field rules of both; NULL if they have other rules */
    bool drops;                    /* rules that can lose fields */
    renaming *names;               /* by member of the new records */
    uint32_t count;
    th_str old_rest, now_rest;
} rewriting;

static renaming *find_renaming(const rewriting *r, th_str name)
{
    for (uint32_t i = 0; name.len && i < r->count; i++)
        if (th__str_eq(r->names[i].from, name))
            return &r->names[i];
    return NULL;
}

/* NAME, NAME_2, NAME_3: the first free one. Absent if out of memory. */
static th_str free_name(th__arena *arena, th_str name,
                        bool (*taken)(const void *context, th_str name), const void *context)
{
    enum { TRIED = 1000 };
    char text[TH_SCHEMA_MAX_NAME + 16];
    int len = (int)(name.len < TH_SCHEMA_MAX_NAME - 8 ? name.len : TH_SCHEMA_MAX_NAME - 8);
    snprintf(text, sizeof text, "%.*s", len, name.ptr);
    for (int i = 2; taken(context, th_str_from(text)) && i < TRIED; i++)
        snprintf(text, sizeof text, "%.*s_%d", len, name.ptr, i);
    return th__arena_copy(arena, th_str_from(text));
}

static bool is_taken(const void *context, th_str name)
{
    const rewriting *r = context;
    bool taken = find_member(r->old_record, name);
    for (uint32_t i = 0; i < r->count; i++)
        taken = taken || (r->names[i].to.ptr && th__str_eq(r->names[i].to, name));
    return taken;
}

/* Returns true if only the field rules differ: then old field rules are still valid. */
static bool same_place(const rewriting *r, bool *failed)
{
    th__buf texts[2] = {{0}};
    th__fields *fields[2] = {r->old_rules, r->rules};
    const th_wrapper *wrappers[2] = {r->old, r->now};
    for (int i = 0; i < 2; i++) {
        uint32_t count = fields[i]->count;
        th__json json = {.buf = &texts[i]};
        fields[i]->count = 0;
        th__rule_table_write(wrappers[i]->engine->shape, wrappers[i]->rules, &json);
        fields[i]->count = count;
    }
    *failed = texts[0].failed || texts[1].failed;
    bool same = r->old->engine == r->now->engine &&
                th__str_eq(th__buf_str(&texts[0]), th__buf_str(&texts[1]));
    th__buf_release(&texts[0]);
    th__buf_release(&texts[1]);
    return same;
}

/* Names the fields that match old ones. */
static void name_known(rewriting *r, bool same)
{
    const th__profile *profile = r->repair->profile;
    for (uint32_t f = 0; f < profile->count; f++) {
        th_str name = th__field_name(profile->fields[f].path);
        draft *was = find_member(r->old_record, name);
        uint32_t column = r->proposal->match.column[f];
        if (column == TH__NO_COLUMN || !was || !is_flat(was))
            continue;
        for (uint32_t i = 0; i < r->count; i++) {
            if (!r->names[i].from.ptr || r->names[i].column != column)
                continue;
            r->names[i].to = name;
            r->names[i].kept_rule = same && !r->repair->broken[f];
        }
    }
}

static bool make_names(rewriting *r)
{
    bool failed = false, same = r->rules && r->old_rules && same_place(r, &failed);
    uint32_t column = 0;
    r->count = r->record->count;
    r->names = th__arena_zero(r->arena, r->count + 1, sizeof *r->names);
    if (!r->names || failed)
        return false;
    for (uint32_t i = 0; i < r->count; i++) {
        draft *member = r->record->children[i];
        r->names[i].column = column;
        column += count_fields(member);
        if (is_flat(member))
            r->names[i].from = named(member)->name;
    }
    name_known(r, same);
    /* The rest is not a field: its rule identifies it. */
    renaming *rest = find_renaming(r, r->now_rest);
    if (rest && r->old_rest.ptr)
        rest->to = r->old_rest;
    for (uint32_t i = 0; i < r->count; i++) {
        if (!r->names[i].from.ptr || r->names[i].to.ptr || &r->names[i] == rest)
            continue;
        if (!r->repair->new_fields && (r->drops || (r->rules && r->old_rules)))
            continue; /* it is removed */
        r->names[i].to = free_name(r->arena, r->names[i].from, is_taken, r);
        r->names[i].is_new = true;
        if (!r->names[i].to.ptr)
            return false;
    }
    return true;
}

/* ---- field rules ----------------------------------------------------------------------------- */

/* Removes the rules of unmatched members, and replaces new rules by old ones. */
static bool rewrite_field_rules(rewriting *r)
{
    uint32_t count = 0;
    bool rest = false;
    th__field_rule *out =
        th__arena_zero(r->arena, (size_t)r->rules->count + r->old_rules->count + 1, sizeof *out);
    if (!out)
        return false;
    for (uint32_t i = 0; i < r->rules->count; i++) {
        th__field_rule rule = r->rules->rules[i];
        const renaming *to = find_renaming(r, rule.name);
        bool is_rest = rule.kind == TH__FIELD_REST;
        if (is_rest && r->old_rest.ptr) {
            rule.name = r->old_rest;
            rest = true;
        } else if (is_rest || (to && (!to->to.ptr || to->kept_rule))) {
            continue;
        }
        if (to && !is_rest)
            rule.name = to->to;
        out[count++] = rule;
    }
    for (uint32_t i = 0; i < r->old_rules->count; i++) {
        const th__field_rule *rule = &r->old_rules->rules[i];
        bool take = rule->kind == TH__FIELD_REST && !rest;
        for (uint32_t j = 0; rule->name.ptr && j < r->count; j++)
            take = take || (r->names[j].kept_rule && th__str_eq(r->names[j].to, rule->name));
        if (take)
            out[count++] = *rule;
    }
    r->rules->rules = out;
    r->rules->count = count;
    return true;
}

/* The new member with the name of an old one. */
static draft *renamed_member(const rewriting *r, th_str name)
{
    for (uint32_t i = 0; i < r->count; i++) {
        const renaming *n = &r->names[i];
        if (n->to.ptr && th__str_eq(n->to, name))
            return n->kept_rule ? find_member(r->old_record, name) : r->record->children[i];
    }
    return NULL;
}

/* Puts the members in their old order; fields that were not found are missing from now on. */
static bool rewrite_members(rewriting *r)
{
    draft *out = draft_new(r->arena, TH_TYPE_TUPLE, r->old_record->count + r->count);
    if (!out)
        return false;
    out->count = 0;
    for (uint32_t i = 0; i < r->old_record->count; i++) {
        draft *old = r->old_record->children[i];
        draft *member = renamed_member(r, named(old)->name);
        member = member ? member : made_optional(r->arena, old);
        if (!member)
            return false;
        out->children[out->count++] = member;
    }
    for (uint32_t i = 0; i < r->count; i++)
        if (r->names[i].is_new)
            out->children[out->count++] = r->record->children[i];
    for (uint32_t i = 0; i < r->count; i++)
        if (r->names[i].to.ptr)
            named(r->record->children[i])->name = r->names[i].to;
    r->record->children = out->children;
    r->record->count = out->count;
    return true;
}

/* ---- other rules: names, and a selection ----------------------------------------------------- */

static th_str new_name(void *context, th_str list, th_str name)
{
    const renaming *to = list.ptr ? NULL : find_renaming(context, name);
    return to ? to->to : (th_str){0};
}

static void rename_rules(rewriting *r, th__rename_fn rename, void *context)
{
    const th__engine *engine = r->now->engine;
    if (engine->rename)
        engine->rename(r->now->rules, rename, context);
    else if (!engine->fields)
        th__rule_table_rename(engine->shape, r->now->rules, rename, context);
}

/* Returns true if all members are flat; also compares their names and order with the other's. */
static bool are_flat(const draft *tuple, const draft *other, bool *same)
{
    *same = tuple->count == other->count;
    for (uint32_t i = 0; i < tuple->count; i++) {
        if (!is_flat(tuple->children[i]))
            return false;
        *same =
            *same && th__str_eq(named(tuple->children[i])->name, named(other->children[i])->name);
    }
    return true;
}

/* Room for fields. NULL if out of memory. */
static th__select *select_new(th__arena *arena, uint32_t most)
{
    th__select *out = th__arena_zero(arena, 1, sizeof *out);
    if (out)
        out->fields = th__arena_zero(arena, most + 1, sizeof *out->fields);
    return out && out->fields ? out : NULL;
}

/* Returns true if a proposal that names its fields had to give this one up. */
static bool is_given_up(const rewriting *r, th_str name)
{
    const th__profile *profile = r->repair->profile;
    for (uint32_t i = 0; r->proposal->named && i < profile->count; i++)
        if (r->proposal->match.column[i] == TH__NO_COLUMN &&
            th__str_eq(th__field_name(profile->fields[i].path), name))
            return true;
    return false;
}

/* Selects the old columns, in their order, if the new ones differ. */
static bool select_old(rewriting *r)
{
    bool same, was_same, given_up = false;
    for (uint32_t i = 0; i < r->record->count; i++)
        given_up = given_up || is_given_up(r, named(r->record->children[i])->name);
    if (r->now->select || !are_flat(r->record, r->old_record, &same) ||
        !are_flat(r->old_record, r->record, &was_same) ||
        (!given_up && (same || r->repair->new_fields)))
        return true;
    th__select *select = select_new(r->arena, r->old_record->count);
    if (!select)
        return false;
    for (uint32_t i = 0; i < r->old_record->count; i++) {
        th__select_field *field = &select->fields[select->count++];
        field->name = named(r->old_record->children[i])->name;
        field->rest = r->old_rest.ptr && th__str_eq(field->name, r->old_rest);
        field->list = !field->rest && is_list(r->old_record->children[i]);
        if (field->rest || !find_member(r->record, field->name) || is_given_up(r, field->name))
            continue;
        field->from = &field->name;
        field->from_count = 1;
    }
    set_select(r->now, select);
    return true;
}

static bool rename_flat(rewriting *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (r->names[i].to.ptr)
            named(r->record->children[i])->name = r->names[i].to;
    rename_rules(r, new_name, r);
    return select_old(r);
}

/* ---- lists of tuples ------------------------------------------------------------------------- */

/* A member of a list, or the list itself. */
typedef struct member_name {
    th_str list; /* its old name; absent: outside of lists */
    th_str from;
    th_str to; /* empty: it is removed */
} member_name;

typedef struct list_names {
    rewriting *r;
    th_str list; /* whose members get names */
    TH__VEC(member_name) names;
} list_names;

/* The field of the profile that a column in a list matches; else NULL. */
static const th__field_profile *matched(const list_names *n, uint32_t column)
{
    const th__profile *profile = n->r->repair->profile;
    for (uint32_t f = 0; f < profile->count; f++)
        if (n->r->proposal->match.column[f] == column && th__list_of(profile->fields[f].path).ptr)
            return &profile->fields[f];
    return NULL;
}

/* The old list that most columns of a new one belong to; absent if there is none. */
static th_str old_list(const list_names *n, uint32_t from, uint32_t to)
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

static bool is_named(const void *context, th_str to)
{
    const list_names *n = context;
    for (size_t i = 0; i < n->names.len; i++)
        if (th__str_eq(n->names.data[i].list, n->list) && th__str_eq(n->names.data[i].to, to))
            return true;
    return false;
}

static const member_name *find_name(const list_names *n, th_str list, th_str from)
{
    for (size_t i = 0; from.len && i < n->names.len; i++)
        if (th__str_eq(n->names.data[i].list, list) && th__str_eq(n->names.data[i].from, from))
            return &n->names.data[i];
    return NULL;
}

/* Absent: it is removed. */
static bool add_name(list_names *n, th_str from, th_str to)
{
    return th__vec_push(&n->names, ((member_name){n->list, from, to.ptr ? to : TH_STR("")}));
}

/* Adds an unmatched member: renamed if an old one now has its name; removed if new fields are not
 * wanted. */
static bool add_other(list_names *n, th_str from)
{
    th_str to = {0};
    if (n->r->repair->new_fields && !(to = free_name(n->r->arena, from, is_named, n)).ptr)
        return false;
    return add_name(n, from, to);
}

static bool name_members(list_names *n, th_str list, th_str to, const draft *tuple, uint32_t first)
{
    n->list = list;
    for (int known = 1; known >= 0; known--) {
        uint32_t column = first;
        for (uint32_t i = 0; i < tuple->count; i++) {
            draft *member = tuple->children[i];
            const th__field_profile *field = is_flat(member) ? matched(n, column) : NULL;
            th_str from = named(member)->name;
            column += count_fields(member);
            bool own = field && th__str_eq(th__list_of(field->path), to);
            if (!from.len || own != known)
                continue;
            th_str name = own ? th__field_name(field->path) : (th_str){0};
            if (own)
                name = (th_str){name.ptr + to.len + 3, name.len - to.len - 3};
            if (own ? !add_name(n, from, name) : !add_other(n, from))
                return false;
        }
    }
    n->list = (th_str){0};
    return true;
}

/* Names flat members, lists that match old ones with their fields, and unmatched members. */
static bool name_all(list_names *n)
{
    const rewriting *r = n->r;
    uint32_t column = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const renaming *own = &r->names[i];
        th_str to = own->to.ptr || !r->repair->new_fields ? own->to : own->from;
        if (own->from.ptr && !add_name(n, own->from, to))
            return false;
    }
    for (uint32_t i = 0; i < r->count; i++) {
        draft *member = r->record->children[i], *tuple = tuple_of(member);
        uint32_t count = count_fields(member);
        th_str list = named(member)->name;
        th_str to = tuple && list.len ? old_list(n, column, column + count) : (th_str){0};
        if (to.ptr && !is_named(n, to) &&
            (!add_name(n, list, to) || !name_members(n, list, to, tuple, column)))
            return false;
        column += count;
    }
    for (uint32_t i = 0; i < r->count; i++) {
        th_str from = named(r->record->children[i])->name;
        if (from.len && !find_name(n, (th_str){0}, from) && !add_other(n, from))
            return false;
    }
    return true;
}

static th_str nested_name(void *context, th_str list, th_str name)
{
    const member_name *to = find_name(context, list, name);
    return to ? to->to : (th_str){0};
}

/* Renames each member once, by its old name: others may have that name now. */
static void rename_tuple(const list_names *n, th_str list, draft *tuple)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < tuple->count; i++) {
        draft *member = tuple->children[i], *inner = tuple_of(member);
        th_str own = named(member)->name;
        const member_name *name = find_name(n, list, own);
        if (name && !name->to.len)
            continue;
        if (name && inner && !list.ptr)
            rename_tuple(n, own, inner);
        if (name)
            named(member)->name = name->to;
        tuple->children[kept++] = member;
    }
    tuple->count = kept;
}

/* Puts members in the order of the old ones, in lists of tuples too: unmatched ones are removed,
 * and those that were not found are missing from now on. */
static bool keep_members(th__arena *arena, draft *tuple, const draft *old)
{
    draft **out = th__arena_zero(arena, old->count + 1, sizeof *out);
    for (uint32_t i = 0; out && i < old->count; i++) {
        draft *was = old->children[i], *member = find_member(tuple, named(was)->name);
        if (member && tuple_of(member) && tuple_of(was) &&
            !keep_members(arena, tuple_of(member), tuple_of(was)))
            return false;
        out[i] = member ? member : made_optional(arena, was);
        if (!out[i])
            return false;
    }
    tuple->children = out;
    tuple->count = old->count;
    return out;
}

static bool rename_nested(rewriting *r)
{
    list_names n = {.r = r};
    bool ok = name_all(&n);
    if (ok) {
        rename_rules(r, nested_name, &n);
        rename_tuple(&n, (th_str){0}, r->record);
    }
    th__vec_release(&n.names);
    return ok && (r->repair->new_fields || keep_members(r->arena, r->record, r->old_record));
}

/* ---- selections of columns and parts of them ------------------------------------------------- */

typedef struct selecting {
    const rewriting *r;
    th_str *names; /* by column of the proposal; absent if it cannot be selected */
    bool *list;    /* by column */
    bool *used;    /* by column: some field takes it whole */
    bool *cut;     /* by column: some field takes a part of it */
    uint32_t count;
    th__select *out;
} selecting;

static bool take_columns(selecting *s)
{
    const rewriting *r = s->r;
    uint32_t column = 0;
    s->count = count_fields(r->record);
    s->names = th__arena_zero(r->arena, s->count + 1, sizeof *s->names);
    s->list = th__arena_zero(r->arena, s->count + 1, sizeof *s->list);
    s->used = th__arena_zero(r->arena, s->count + 1, sizeof *s->used);
    s->cut = th__arena_zero(r->arena, s->count + 1, sizeof *s->cut);
    s->out = select_new(r->arena, r->repair->profile->count + s->count + 1);
    if (!s->names || !s->list || !s->used || !s->cut || !s->out)
        return false;
    for (uint32_t i = 0; i < r->record->count; i++) {
        draft *member = r->record->children[i];
        if (is_flat(member)) {
            s->names[column] = named(member)->name;
            s->list[column] = is_list(member);
        }
        column += count_fields(member);
    }
    return true;
}

static bool add_field(selecting *s, th_str name, bool list, const uint32_t *columns, uint32_t count,
                      const th__cut *cut)
{
    th__select_field *field = &s->out->fields[s->out->count++];
    bool whole = !cut || th__cut_is_whole(cut);
    *field = (th__select_field){.name = name, .list = list};
    field->from = th__arena_zero(s->r->arena, count + 1, sizeof *field->from);
    if (!field->from)
        return false;
    if (cut)
        field->cut = *cut;
    for (uint32_t i = 0; i < count; i++) {
        field->list = field->list || (s->list[columns[i]] && whole);
        s->used[columns[i]] |= whole;
        s->cut[columns[i]] |= !whole;
        field->from[field->from_count++] = s->names[columns[i]];
    }
    return true;
}

static bool add_known(selecting *s)
{
    const th__profile *profile = s->r->repair->profile;
    const th__proposal *c = s->r->proposal;
    for (uint32_t f = 0; f < profile->count; f++) {
        th_str name = th__field_name(profile->fields[f].path);
        const th__part *part = c->parts && c->parts[f].count ? &c->parts[f] : NULL;
        const uint32_t *columns = part ? part->columns : &c->match.column[f];
        uint32_t count = part ? part->count : c->match.column[f] != TH__NO_COLUMN;
        if (memchr(name.ptr, '.', name.len))
            continue;
        for (uint32_t i = 0; i < count; i++)
            if (columns[i] >= s->count || !s->names[columns[i]].ptr)
                count = 0;
        if (!add_field(s, name, th__is_list_path(profile->fields[f].path), columns, count,
                       part ? &part->cut : NULL))
            return false;
    }
    return true;
}

static bool is_selected(const void *context, th_str name)
{
    const selecting *s = context;
    for (uint32_t i = 0; i < s->out->count; i++)
        if (th__str_eq(s->out->fields[i].name, name))
            return true;
    return false;
}

static bool add_unknown(selecting *s)
{
    for (uint32_t c = 0; c < s->count; c++) {
        /* The remainder of a text after its parts were taken falls to the rest. */
        if (!s->names[c].ptr || s->used[c] || (s->r->old_rest.ptr && s->cut[c]))
            continue;
        th_str name = free_name(s->r->arena, s->names[c], is_selected, s);
        if (!name.ptr || !add_field(s, name, s->list[c], &c, 1, NULL))
            return false;
    }
    return true;
}

static bool select_parts(rewriting *r)
{
    selecting s = {.r = r};
    if (!take_columns(&s) || !add_known(&s))
        return false;
    /* The new wrapper's own rest goes to the old one's. */
    for (uint32_t c = 0; r->old_rest.ptr && r->now_rest.ptr && c < s.count; c++)
        s.used[c] |= s.names[c].ptr && th__str_eq(s.names[c], r->now_rest);
    if (r->old_rest.ptr)
        s.out->fields[s.out->count++] = (th__select_field){.name = r->old_rest, .rest = true};
    if (r->repair->new_fields && !add_unknown(&s))
        return false;
    set_select(r->now, s.out);
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Keeps the rules of fields that the old wrapper still reads, if the engine has rules by field. */
static void adopt_old(rewriting *r)
{
    const th_repair *repair = r->repair;
    if (!r->now->engine->adopt || r->now->engine != r->old->engine)
        return;
    for (uint32_t i = 0; i < repair->profile->count; i++) {
        const th__field_profile *field = &repair->profile->fields[i];
        const th__field_tally *now = th__column_of(repair, &repair->tally, i);
        if (!repair->broken[i] && now && now->values)
            r->now->engine->adopt(r->now->rules, r->old->rules, th__field_name(field->path));
    }
}

static bool rewrite(rewriting *r)
{
    if (r->proposal->named)
        adopt_old(r);
    if (r->proposal->named)
        return select_old(r);
    if (!make_names(r))
        return false;
    if (r->drops)
        return rename_nested(r);
    if (r->rules && r->old_rules)
        return rewrite_members(r) && rewrite_field_rules(r);
    return rename_flat(r);
}

th_status th__repair_rewrite(th_repair *repair, const th__proposal *proposal, th_wrapper **out,
                             th_error *err)
{
    rewriting r = {.repair = repair, .arena = &repair->arena, .proposal = proposal};
    bool parts = proposal->parts && !proposal->named;
    *out = NULL;
    th_wrapper *copy = NULL;
    th_status status =
        fields_of(repair->wrapper) ? copy_wrapper(repair->wrapper, &copy, err) : TH_OK;
    r.old = copy ? copy : repair->wrapper;
    if (!status)
        status = copy_wrapper(proposal->wrapper, &r.now, err);
    draft *old = status ? NULL : draft_of(r.arena, r.old->schema->root);
    r.schema = status ? NULL : draft_of(r.arena, r.now->schema->root);
    if (!status && (!old || !r.schema))
        status = th__fail_memory(err);
    if (!status) {
        r.old_record = record_of(old);
        r.record = record_of(r.schema);
        r.old_rest = rest_of(r.old);
        r.now_rest = rest_of(r.now);
        r.old_rules = fields_of(r.old);
        r.rules = fields_of(r.now);
        r.drops = r.now->engine->drops_fields;
    }
    if (!status && r.record && r.old_record) {
        bool ok = parts ? select_parts(&r) : rewrite(&r);
        status = ok ? finish_copy(r.now, r.schema, out, err) : th__fail_memory(err);
        /* Rules that cannot have these names are not a failure. */
        if (!proposal->named)
            status = th__repair_learnt(status);
    } else if (!status && proposal->named) {
        status = copy_wrapper(r.now, out, err);
    }
    th_wrapper_free(copy);
    th_wrapper_free(r.now);
    return status;
}

/* ---- version, history, profile --------------------------------------------------------------- */

/* Describes the outcomes of the fields. */
static bool list_changes(const th_repair *repair, th__arena *arena, th__history *out)
{
    out->changes = th__arena_zero(arena, repair->field_count + 1, sizeof *out->changes);
    for (uint32_t i = 0; out->changes && i < repair->field_count; i++) {
        const th_field_repair *field = &repair->fields[i];
        th__buf line = {0};
        if (field->outcome == TH_FIELD_KEPT)
            continue;
        th__buf_printf(&line, "%.*s: %s", TH_STR_ARG(field->path),
                       th_field_outcome_name(field->outcome));
        if (field->example.len && field->example.len < 80)
            th__buf_printf(&line, ", now such as \"%.*s\"", TH_STR_ARG(field->example));
        th_str text = line.failed ? (th_str){0} : th__arena_copy(arena, th__buf_str(&line));
        th__buf_release(&line);
        if (!text.ptr)
            return false;
        out->changes[out->count++] = text;
    }
    return out->changes;
}

/* The history of the old wrapper, plus this repair. */
static bool set_history(const th_repair *repair, th_wrapper *now)
{
    const th_wrapper *old = repair->wrapper;
    uint32_t most = TH__WRAPPER_MAX_HISTORY - 1;
    uint32_t kept = old->history_count < most ? old->history_count : most;
    now->version = old->version + 1;
    now->history = th__arena_zero(&now->arena, kept + 1, sizeof *now->history);
    if (!now->history)
        return false;
    for (uint32_t i = 0; i < kept; i++)
        now->history[i] = old->history[old->history_count - kept + i];
    now->history_count = kept + 1;
    now->history[kept] = (th__history){.version = now->version, .date = repair->date};
    return list_changes(repair, &now->arena, &now->history[kept]);
}

/* Keeps the profile of fields with many old values: it is better than one of few new values. */
static void keep_old_fields(const th_repair *repair, th__profile *now)
{
    const th__profile *was = repair->wrapper->profile;
    if (!was || was->pages <= now->pages)
        return;
    for (uint32_t i = 0; i < now->count; i++)
        for (uint32_t j = 0; j < was->count; j++) {
            const th__field_profile *own = th__profile_of(repair->profile, j, was->fields[j].path);
            bool lost =
                !own || repair->fields[own - repair->profile->fields].outcome == TH_FIELD_LOST;
            if (lost || !th__same_path(now->fields[i].path, was->fields[j].path))
                continue;
            th__field_profile learnt = now->fields[i];
            now->fields[i] = was->fields[j];
            now->fields[i].path = learnt.path;
            /* A field that was found elsewhere has new neighbours. */
            if (repair->fields[own - repair->profile->fields].outcome == TH_FIELD_REPAIRED) {
                memcpy(now->fields[i].around, learnt.around, sizeof learnt.around);
                now->fields[i].element = learnt.element;
            }
            break;
        }
    now->pages = was->pages;
}

/* Selects all members as they are. False if out of memory. */
static bool select_all(th_wrapper *wrapper)
{
    const th_type *tuple = th__type_strip(th_schema_record_type(wrapper->schema));
    th__select *select = select_new(&wrapper->arena, tuple->count);
    for (uint32_t i = 0; select && tuple->kind == TH_TYPE_TUPLE && i < tuple->count; i++) {
        const th_type *type = th__type_strip(tuple->children[i]);
        th__select_field *field = &select->fields[select->count++];
        field->name = th_type_name(tuple->children[i]);
        field->from = &field->name;
        field->from_count = 1;
        field->list =
            type->kind == TH_TYPE_LIST && th__type_strip(type->children[0])->kind == TH_TYPE_FIELD;
    }
    wrapper->select = select && select->count ? select : NULL;
    return select;
}

/* Types that a user has set (see wrapper/select.h) stay. */
static bool keep_types(const th_wrapper *old, th_wrapper *now)
{
    for (uint32_t i = 0; old->select && i < old->select->count; i++) {
        const th__select_field *typed = &old->select->fields[i];
        if (!typed->type)
            continue;
        if (!now->select && !select_all(now))
            return false;
        for (uint32_t f = 0; f < now->select->count; f++)
            if (th__str_eq(now->select->fields[f].name, typed->name))
                now->select->fields[f].type = typed->type;
    }
    return true;
}

th_status th__repair_complete(th_repair *repair, th_wrapper *passed, const th__tally *tally,
                              th_wrapper **out, th_error *err)
{
    *out = NULL;
    if (!th__profile_learn(tally, &passed->arena, &passed->profile) ||
        !set_history(repair, passed) || !keep_types(repair->wrapper, passed))
        return th__fail_memory(err);
    keep_old_fields(repair, passed->profile);
    return copy_wrapper(passed, out, err);
}
