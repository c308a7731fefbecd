/* template_json.c: roles in a wrapper file. Reading holds them against the schema. */
#include "base/error.h"
#include "data/schema.h"
#include "engine/template/template_roles.h"
#include "wrapper/rule_table.h"

static const char *const kinds[] = {"element", "text", "attribute", "piece",
                                    "other",   "slot", "whole",     NULL};
static const char *const tellers[] = {"place", "itself", "section", "inside",
                                      "shape", "prefix", "after",   NULL};
static const char *const uses[] = {"structure", "template", "data", NULL};

/* ---- what the values of a slot look like: by trait how many have which ----------------------- */

static void write_traits(const void *root, const void *object, th__json *json)
{
    const th__template_slot *slot = object;
    th__json_key(json, TH_STR("traits"));
    th__json_begin_object(json);
    for (unsigned kind = 0; kind < TH__TRAITS; kind++) {
        if (!slot->traits[kind].sum)
            continue;
        th__json_key(json, th_str_from(th__template_trait_names[kind]));
        th__json_begin_object(json);
        th__json_put_uint(json, "values", slot->traits[kind].sum);
        th__json_put_uint(json, "different", slot->traits[kind].types);
        th__json_key(json, TH_STR("seen"));
        th__json_begin_object(json);
        for (uint32_t i = 0; i < slot->traits[kind].count; i++) {
            th__json_key(json, slot->traits[kind].items[i].text);
            th__json_uint(json, slot->traits[kind].items[i].count);
        }
        th__json_end_object(json);
        th__json_end_object(json);
    }
    th__json_end_object(json);
}

static th_status read_seen(th__rule_reader *reader, json_t *seen, th__template_slot *slot,
                           unsigned kind)
{
    const char *text;
    json_t *count;
    uint32_t at = 0;
    if (json_object_size(seen) > TH__MAX_TRAITS)
        return th__rule_fault(reader, "seen: has more than %d entries", TH__MAX_TRAITS);
    th__template_trait *items =
        th__arena_zero(reader->arena, json_object_size(seen) + 1, sizeof *items);
    if (!items)
        return th__fail_memory(reader->err);
    slot->traits[kind].items = items;
    json_object_foreach(seen, text, count)
    {
        json_int_t times = json_is_integer(count) ? json_integer_value(count) : 0;
        if (times < 1 || times > slot->traits[kind].sum)
            return th__rule_fault(reader, "seen: must be numbers from 1 to those of values");
        items[at].text = th__arena_copy(reader->arena, th_str_from(text));
        if (!items[at].text.ptr)
            return th__fail_memory(reader->err);
        items[at].hash = th__hash(items[at].text.ptr, items[at].text.len) | 1;
        items[at++].count = (uint32_t)times;
    }
    slot->traits[kind].count = at;
    return TH_OK;
}

static th_status read_trait(th__rule_reader *reader, json_t *json, th__template_slot *slot,
                            unsigned kind)
{
    json_t *trait = NULL, *seen = NULL;
    uint64_t values = 0, types = 0;
    th_status status = th__rule_object(reader, json, th__template_trait_names[kind], false, &trait);
    if (status || !trait)
        return status;
    size_t mark = th__rule_enter(reader, th__template_trait_names[kind]);
    status = th__rule_number(reader, trait, "values", true, INT32_MAX, &values);
    if (!status)
        status = th__rule_number(reader, trait, "different", true, INT32_MAX, &types);
    if (!status)
        status = th__rule_object(reader, trait, "seen", true, &seen);
    slot->traits[kind].sum = (uint32_t)values;
    slot->traits[kind].types = types ? (uint32_t)types : 1; /* it divides */
    if (!status)
        status = read_seen(reader, seen, slot, kind);
    th__rule_leave(reader, mark);
    return status;
}

static th_status read_traits(th__rule_reader *reader, json_t *json, void *slot)
{
    json_t *traits = NULL;
    th_status status = th__rule_object(reader, json, "traits", true, &traits);
    size_t mark = th__rule_enter(reader, "traits");
    for (unsigned kind = 0; !status && kind < TH__TRAITS; kind++)
        status = read_trait(reader, traits, slot, kind);
    th__rule_leave(reader, mark);
    return status;
}

static th_status check_slot(th__rule_reader *reader, void *object)
{
    const th__template_slot *slot = object;
    return slot->present <= slot->total
               ? TH_OK
               : th__rule_fault_in(reader, "present", "must be at most the total");
}

static const th__rule_member slot_members[] = {
    {TH__FLAG("rows", th__template_slot, set)},
    {TH__UINT("present", th__template_slot, present, 0, INT32_MAX), .flags = TH__NEEDED},
    {TH__UINT("total", th__template_slot, total, 0, INT32_MAX), .flags = TH__NEEDED},
    {TH__OWN("traits", read_traits, write_traits)},
};
static const th__rule_shape slot_shape =
    TH__CHECKED_SHAPE(th__template_slot, slot_members, check_slot);

static const th__rule_member lines_members[] = {
    {TH__TEXT("gap", th__template_lines, gap), .flags = TH__NEEDED},
    {TH__TEXT("tail", th__template_lines, tail), .flags = TH__EMPTY},
    {TH__FLAG("rows", th__template_lines, rows)},
    {TH__FLAG("items", th__template_lines, items)},
};
static const th__rule_shape lines_shape = TH__SHAPE(th__template_lines, lines_members);

/* ---- roles ----------------------------------------------------------------------------------- */

static uint32_t index_of(const th__rule_reader *reader, const th__template_role *role)
{
    return (uint32_t)(role - ((const th__template_roles *)reader->root)->roles);
}

/* Roles refer to those before them. */
static uint64_t before(const th__rule_reader *reader, const void *role)
{
    uint32_t index = index_of(reader, role);
    return index ? index - 1 : 0;
}

static bool is_above(const th__template_roles *roles, uint32_t above, uint32_t role)
{
    while (role > above)
        role = roles->roles[role].parent;
    return role == above;
}

/* Returns true if a role may stand in another. */
static bool is_held(const th__template_role *role, const th__template_role *parent)
{
    bool text = parent->kind <= TH__ROLE_TEXT || parent->kind == TH__ROLE_SLOT;
    if (role->kind == TH__ROLE_PIECE)
        return parent->use == TH__USE_DATA && text && (role->label.ptr || role->gap.len);
    if (role->kind == TH__ROLE_SLOT)
        return role->slot &&
               (parent->lines || (parent->kind == TH__ROLE_SLOT && parent->slot->set &&
                                  parent->list && parent->use == TH__USE_STRUCTURE));
    return parent->kind == TH__ROLE_ELEMENT;
}

/* What a role must be whatever the others are. */
static th_status check_role(th__rule_reader *reader, const th__template_role *role, uint32_t index)
{
    bool labelled = role->told == TH__ROLE_BY_ITSELF || role->told == TH__ROLE_BY_SECTION ||
                    role->told == TH__ROLE_BY_INSIDE || role->told == TH__ROLE_BY_PREFIX;
    const th__template_roles *roles = reader->root;
    if (!index)
        return role->name.ptr || role->list || role->leaf || role->use != TH__USE_STRUCTURE
                   ? th__rule_fault(reader, "the first role is the page itself")
                   : TH_OK;
    if ((role->kind == TH__ROLE_ELEMENT || role->kind == TH__ROLE_ATTRIBUTE) && !role->tag.ptr)
        return th__rule_fault(reader, "an element needs a tag, an attribute its name there");
    if (role->kind > TH__ROLE_TEXT && role->kind != TH__ROLE_SLOT && role->use != TH__USE_DATA)
        return th__rule_fault(reader, "use: is always data");
    if (labelled && !role->label.ptr)
        return th__rule_fault(reader, "by %s needs a label", tellers[role->told]);
    if (!is_held(role, &roles->roles[role->parent]))
        return th__rule_fault(
            reader, "in: only elements contain others, data its pieces, and lines or rows slots");
    if (role->name.ptr && role->use != TH__USE_DATA &&
        !(role->list && (role->kind == TH__ROLE_ELEMENT || role->kind == TH__ROLE_SLOT)))
        return th__rule_fault(reader, "field: only data and sets of elements have one");
    if (role->set != TH__NO_ROLE &&
        (!is_above(roles, role->set, role->parent) || !roles->roles[role->set].list))
        return th__rule_fault(reader, "of: must be a set around the role");
    if (role->use == TH__USE_DATA && role->kind == TH__ROLE_ELEMENT && !role->leaf)
        return th__rule_fault(reader, "use: an element with data is a leaf");
    return TH_OK;
}

/* A wrapper must not make a page cost more than slots times parts. */
static th_status count_slots(th__rule_reader *reader, const th__template_role *role)
{
    const th__template_roles *roles = reader->root;
    if (role->kind != TH__ROLE_SLOT)
        return TH_OK;
    return ++roles->roles[role->parent].held.count <= TH__MAX_SLOTS
               ? TH_OK
               : th__rule_fault(reader, "in: more than %d slots are there", TH__MAX_SLOTS);
}

static th_status check_role_of(th__rule_reader *reader, void *object)
{
    th__template_role *role = object;
    uint32_t index = index_of(reader, role);
    if (index && role->parent == TH__NO_ROLE)
        return th__rule_fault_in(reader, "in", "is missing: the number of a role before it");
    th_status status = check_role(reader, role, index);
    if (!status && index)
        status = count_slots(reader, role);
    if (role->told == TH__ROLE_BY_ITSELF)
        role->text = role->label;
    return status;
}

static th_status check_lines(th__rule_reader *reader, void *role)
{
    return ((th__template_role *)role)->kind == TH__ROLE_ELEMENT
               ? TH_OK
               : th__rule_fault(reader, "only elements have any");
}

static const th__rule_member after_members[] = {
    {TH__TEXT("tag", th__template_role, after_tag), .flags = TH__NEEDED | TH__EMPTY},
    {TH__TEXT("class", th__template_role, after_cls), .flags = TH__EMPTY},
    {TH__TEXT("id", th__template_role, after_id), .flags = TH__EMPTY},
};
static const th__rule_shape after_shape = TH__SHAPE(th__template_role, after_members);

static const th__rule_member beside_members[] = {
    {TH__TEXT("label", th__template_role, beside), .flags = TH__NEEDED | TH__EMPTY},
    {TH__TEXT("tag", th__template_role, beside_tag), .flags = TH__NEEDED | TH__EMPTY},
    {TH__TEXT("class", th__template_role, beside_cls), .flags = TH__EMPTY},
    {TH__TEXT("id", th__template_role, beside_id), .flags = TH__EMPTY},
};
static const th__rule_shape beside_shape = TH__SHAPE(th__template_role, beside_members);

static const th__rule_member role_members[] = {
    {TH__UINT("in", th__template_role, parent, 0, 0), .limit = before, .none = TH__NO_ROLE},
    {TH__WORD("kind", th__template_role, kind, kinds), .flags = TH__ALWAYS},
    {TH__TEXT("tag", th__template_role, tag), .flags = TH__EMPTY},
    {TH__TEXT("class", th__template_role, cls), .flags = TH__EMPTY},
    {TH__TEXT("id", th__template_role, id), .flags = TH__EMPTY},
    {TH__WORD("by", th__template_role, told, tellers)},
    {TH__TEXT("label", th__template_role, label), .flags = TH__EMPTY},
    {TH__TEXT("gap", th__template_role, gap), .flags = TH__EMPTY},
    {TH__UINT("number", th__template_role, ordinal, 0, TH__MAX_ORDINAL), .none = TH__NO_ROLE},
    {TH__HASH("shape", th__template_role, shape), .flags = TH__ALWAYS,
     TH__ONLY_IF(th__template_role, told, 1 << TH__ROLE_BY_SHAPE)},
    {TH__FLAG("set", th__template_role, list)},
    {TH__FLAG("leaf", th__template_role, leaf)},
    {TH__FLAG("heading", th__template_role, heading)},
    {TH__FLAG("inner", th__template_role, inner)},
    {TH__WORD("use", th__template_role, use, uses)},
    {TH__TEXT("text", th__template_role, text), .flags = TH__EMPTY,
     TH__ONLY_IF(th__template_role, told, ~(1u << TH__ROLE_BY_ITSELF))},
    {TH__TEXT("field", th__template_role, name), .flags = TH__EMPTY | TH__FIELD_NAME},
    {TH__FLAG("many", th__template_role, many)},
    {TH__UINT("of", th__template_role, set, 0, 0), .limit = before, .none = TH__NO_ROLE},
    {TH__GROUP("after", after_shape)},
    {TH__GROUP("beside", beside_shape)},
    {TH__POINTER("lines", th__template_role, lines, lines_shape), .check = check_lines},
    {TH__POINTER("slot", th__template_role, slot, slot_shape),
     TH__ONLY_IF(th__template_role, kind, 1 << TH__ROLE_SLOT), .flags = TH__NEEDED},
    {TH__UINT("pages", th__template_role, support, 0, UINT32_MAX), .flags = TH__ALWAYS},
};
static const th__rule_shape role_shape =
    TH__CHECKED_SHAPE(th__template_role, role_members, check_role_of);

/* ---- against the schema ---------------------------------------------------------------------- */

static const th_type *behind_optional(const th_type *type)
{
    return type->kind == TH_TYPE_OPTIONAL ? type->children[0] : type;
}

/* The tuple of a set's items, or of the page; NULL when the schema has none there. */
static const th_type *tuple_of(const th_type *member)
{
    const th_type *type = member->kind == TH_TYPE_LIST ? member->children[0] : member;
    return type->kind == TH_TYPE_TUPLE ? type : NULL;
}

static th_status find_member(th__rule_reader *reader, th__template_role *role,
                             const th_type **tuples, uint32_t index)
{
    const th_type *tuple = role->set == TH__NO_ROLE ? tuples[0] : tuples[role->set];
    for (uint32_t m = 0; tuple && m < tuple->count; m++) {
        const th_type *type = behind_optional(tuple->children[m]);
        if (!th__str_eq(tuple->keys[m].names[0], role->name))
            continue;
        role->member = m;
        tuples[index] = role->use == TH__USE_DATA ? NULL : tuple_of(type);
        const th_type *inner = type->kind == TH_TYPE_LIST ? type->children[0] : type;
        bool fits =
            (type->kind == TH_TYPE_LIST) == (role->use == TH__USE_DATA ? role->many : role->list) &&
            (role->use == TH__USE_DATA ? inner->kind == TH_TYPE_FIELD : tuples[index] != NULL);
        return fits ? TH_OK : th__rule_fault(reader, "field: the schema has another type there");
    }
    return th__rule_fault(reader, "field: the schema has no \"%.*s\" there",
                          TH_STR_ARG(role->name));
}

static th_status hold_against(th__rule_reader *reader, void *object)
{
    const th_schema *schema = reader->schema;
    th__template_roles *roles = object;
    const th_type **tuples = th__arena_zero(reader->arena, roles->count + 1, sizeof *tuples);
    th_status status = TH_OK;
    if (!tuples)
        return th__fail_memory(reader->err);
    if (!th__template_roles_prepare(roles, reader->arena))
        return th__fail_memory(reader->err);
    if (schema->root->kind != TH_TYPE_TUPLE)
        return th__rule_fault(reader, "the schema of a page of roles is a tuple");
    tuples[0] = schema->root;
    for (uint32_t i = 1; !status && i < roles->count; i++) {
        if (!roles->roles[i].name.ptr)
            continue;
        size_t mark = th__rule_enter_item(reader, i);
        status = find_member(reader, &roles->roles[i], tuples, i);
        th__rule_leave(reader, mark);
    }
    return status;
}

static const th__rule_member roles_members[] = {
    {TH__UINT("pages", th__template_roles, pages, 0, UINT32_MAX), .flags = TH__NEEDED},
    {TH__FLAG("placeholders", th__template_roles, placeholders)},
    {TH__LIST("names", th__template_roles, names, name_count, th__texts_shape, 0, TH__MAX_ROLES),
     .flags = TH__NEEDED},
    {TH__LIST("roles", th__template_roles, roles, count, role_shape, 1, TH__MAX_ROLES),
     .flags = TH__NEEDED, .check = hold_against},
};
const th__rule_shape th__template_roles_shape = TH__SHAPE(th__template_roles, roles_members);
