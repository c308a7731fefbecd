/* exalg_roles_json.c: roles in a wrapper file. Reading holds them against the schema. */
#include <stdio.h>

#include "base/error.h"
#include "data/schema.h"
#include "engine/template/template_roles.h"

static const char *const kinds[] = {"element", "text", "attribute", "piece", "other", "slot", NULL};
static const char *const tellers[] = {"place", "itself", "section", "inside",
                                      "shape", "prefix", "after",   NULL};
static const char *const uses[] = {"structure", "template", "data", NULL};

/* ---- writing --------------------------------------------------------------------------------- */

static void write_hash(th__json *json, const char *key, uint64_t value)
{
    char digits[17];
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)value);
    th__json_put_text(json, key, th_str_from(digits));
}

/* What the values of a slot look like: by trait how many have which. */
static void write_slot(const th__template_slot *slot, th__json *json)
{
    th__json_key(json, TH_STR("slot"));
    th__json_begin_object(json);
    th__json_put_true(json, "rows", slot->set);
    th__json_put_uint(json, "present", slot->present);
    th__json_put_uint(json, "total", slot->total);
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
    th__json_end_object(json);
}

static void write_lines(const th__template_lines *lines, th__json *json)
{
    th__json_key(json, TH_STR("lines"));
    th__json_begin_object(json);
    th__json_put_text(json, "gap", lines->gap);
    th__json_put_text(json, "tail", lines->tail);
    th__json_put_true(json, "rows", lines->rows);
    th__json_put_true(json, "items", lines->items);
    th__json_end_object(json);
}

static void write_role(const th__template_role *role, bool first, th__json *json)
{
    th__json_begin_object(json);
    if (!first)
        th__json_put_uint(json, "in", role->parent);
    th__json_put_text(json, "kind", th_str_from(kinds[role->kind]));
    th__json_put_text(json, "tag", role->tag);
    th__json_put_text(json, "class", role->cls);
    th__json_put_text(json, "id", role->id);
    if (role->told != TH__ROLE_BY_PLACE)
        th__json_put_text(json, "by", th_str_from(tellers[role->told]));
    th__json_put_text(json, "label", role->label);
    th__json_put_text(json, "gap", role->gap);
    if (role->ordinal != TH__NO_ROLE)
        th__json_put_uint(json, "number", role->ordinal);
    if (role->told == TH__ROLE_BY_SHAPE)
        write_hash(json, "shape", role->shape);
    th__json_put_true(json, "set", role->list);
    th__json_put_true(json, "leaf", role->leaf);
    th__json_put_true(json, "heading", role->heading);
    th__json_put_true(json, "inner", role->inner);
    if (role->use != TH__USE_STRUCTURE)
        th__json_put_text(json, "use", th_str_from(uses[role->use]));
    if (role->told != TH__ROLE_BY_ITSELF)
        th__json_put_text(json, "text", role->text);
    th__json_put_text(json, "field", role->name);
    th__json_put_true(json, "many", role->many);
    if (role->set != TH__NO_ROLE)
        th__json_put_uint(json, "of", role->set);
    if (role->after_tag.ptr) {
        th__json_key(json, TH_STR("after"));
        th__json_begin_object(json);
        th__json_put_text(json, "tag", role->after_tag);
        th__json_put_text(json, "class", role->after_cls);
        th__json_put_text(json, "id", role->after_id);
        th__json_end_object(json);
    }
    if (role->beside.ptr) {
        th__json_key(json, TH_STR("beside"));
        th__json_begin_object(json);
        th__json_put_text(json, "label", role->beside);
        th__json_put_text(json, "tag", role->beside_tag);
        th__json_put_text(json, "class", role->beside_cls);
        th__json_put_text(json, "id", role->beside_id);
        th__json_end_object(json);
    }
    if (role->lines)
        write_lines(role->lines, json);
    if (role->slot)
        write_slot(role->slot, json);
    th__json_put_uint(json, "pages", role->support);
    th__json_end_object(json);
}

void th__template_roles_write(const th__template_roles *roles, th__json *json)
{
    th__json_begin_object(json);
    th__json_put_uint(json, "pages", roles->pages);
    th__json_put_true(json, "placeholders", roles->placeholders);
    th__json_key(json, TH_STR("names"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < roles->name_count; i++)
        th__json_str(json, roles->names[i]);
    th__json_end_array(json);
    th__json_key(json, TH_STR("roles"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < roles->count; i++)
        write_role(&roles->roles[i], i == 0, json);
    th__json_end_array(json);
    th__json_end_object(json);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
    th__rule_reader *reader;
    th__arena *arena;
    th__template_roles *roles;
};

static th_status read_texts(struct reading *r, json_t *json, th__template_role *role)
{
    const struct {
        const char *key;
        th_str *text;
    } texts[] = {{"tag", &role->tag},     {"class", &role->cls}, {"id", &role->id},
                 {"label", &role->label}, {"gap", &role->gap},   {"text", &role->text},
                 {"field", &role->name}};
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < sizeof texts / sizeof *texts; i++)
        status = th__rule_text(r->reader, json, texts[i].key, false, r->arena, texts[i].text);
    return status;
}

static th_status read_numbers(struct reading *r, json_t *json, th__template_role *role)
{
    unsigned kind = 0, told = 0, use = 0;
    uint64_t number = TH__NO_ROLE, pages = 0, shape = 0;
    th_status status = th__rule_word(r->reader, json, "kind", kinds, &kind);
    if (!status && json_object_get(json, "by"))
        status = th__rule_word(r->reader, json, "by", tellers, &told);
    if (!status && json_object_get(json, "use"))
        status = th__rule_word(r->reader, json, "use", uses, &use);
    if (!status)
        status = th__rule_number(r->reader, json, "number", false, TH__MAX_ORDINAL, &number);
    if (!status)
        status = json_object_get(json, "shape") ? th__rule_hash(r->reader, json, "shape", &shape)
                                                : TH_OK;
    if (!status)
        status = th__rule_number(r->reader, json, "pages", false, UINT32_MAX, &pages);
    if (!status)
        status = th__rule_bool(r->reader, json, "set", &role->list);
    if (!status)
        status = th__rule_bool(r->reader, json, "leaf", &role->leaf);
    if (!status)
        status = th__rule_bool(r->reader, json, "heading", &role->heading);
    if (!status)
        status = th__rule_bool(r->reader, json, "inner", &role->inner);
    if (!status)
        status = th__rule_bool(r->reader, json, "many", &role->many);
    role->kind = (uint8_t)kind;
    role->told = (uint8_t)told;
    role->use = (uint8_t)use;
    role->ordinal = (uint32_t)number;
    role->shape = shape;
    role->support = (uint32_t)pages;
    return status;
}

static bool is_above(const th__template_roles *roles, uint32_t above, uint32_t role)
{
    while (role > above)
        role = roles->roles[role].parent;
    return role == above;
}

/* Whether a role may stand in another. */
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
static th_status check_role(struct reading *r, const th__template_role *role, uint32_t index)
{
    bool labelled = role->told == TH__ROLE_BY_ITSELF || role->told == TH__ROLE_BY_SECTION ||
                    role->told == TH__ROLE_BY_INSIDE || role->told == TH__ROLE_BY_PREFIX;
    if (!index)
        return role->name.ptr || role->list || role->leaf || role->use != TH__USE_STRUCTURE
                   ? th__rule_fault(r->reader, "the first role is the page itself")
                   : TH_OK;
    if ((role->kind == TH__ROLE_ELEMENT || role->kind == TH__ROLE_ATTRIBUTE) && !role->tag.ptr)
        return th__rule_fault(r->reader, "an element needs a tag, an attribute its name there");
    if (role->kind > TH__ROLE_TEXT && role->kind != TH__ROLE_SLOT && role->use != TH__USE_DATA)
        return th__rule_fault(r->reader, "use: is always data");
    if (labelled && !role->label.ptr)
        return th__rule_fault(r->reader, "by %s needs a label", tellers[role->told]);
    if (!is_held(role, &r->roles->roles[role->parent]))
        return th__rule_fault(r->reader, "in: only elements hold others, data its pieces, and "
                                         "lines or rows slots");
    if (role->name.ptr && role->use != TH__USE_DATA &&
        !(role->list && (role->kind == TH__ROLE_ELEMENT || role->kind == TH__ROLE_SLOT)))
        return th__rule_fault(r->reader, "field: only data and sets of elements have one");
    if (role->set != TH__NO_ROLE &&
        (!is_above(r->roles, role->set, role->parent) || !r->roles->roles[role->set].list))
        return th__rule_fault(r->reader, "of: must be a set around the role");
    if (role->use == TH__USE_DATA && role->kind == TH__ROLE_ELEMENT && !role->leaf)
        return th__rule_fault(r->reader, "use: an element with data is a leaf");
    return TH_OK;
}

static th_status read_beside(struct reading *r, json_t *json, th__template_role *role)
{
    json_t *beside = NULL;
    th_status status = th__rule_object(r->reader, json, "beside", false, &beside);
    if (status || !beside)
        return status;
    size_t mark = th__rule_enter(r->reader, "beside");
    status = th__rule_text(r->reader, beside, "label", true, r->arena, &role->beside);
    if (!status)
        status = th__rule_text(r->reader, beside, "tag", true, r->arena, &role->beside_tag);
    if (!status)
        status = th__rule_text(r->reader, beside, "class", false, r->arena, &role->beside_cls);
    if (!status)
        status = th__rule_text(r->reader, beside, "id", false, r->arena, &role->beside_id);
    th__rule_leave(r->reader, mark);
    return status;
}

static th_status read_after(struct reading *r, json_t *json, th__template_role *role)
{
    json_t *after = NULL;
    th_status status = th__rule_object(r->reader, json, "after", false, &after);
    if (status || !after)
        return status;
    size_t mark = th__rule_enter(r->reader, "after");
    status = th__rule_text(r->reader, after, "tag", true, r->arena, &role->after_tag);
    if (!status)
        status = th__rule_text(r->reader, after, "class", false, r->arena, &role->after_cls);
    if (!status)
        status = th__rule_text(r->reader, after, "id", false, r->arena, &role->after_id);
    th__rule_leave(r->reader, mark);
    return status;
}

static th_status read_seen(struct reading *r, json_t *seen, th__template_slot *slot, unsigned kind)
{
    const char *text;
    json_t *count;
    uint32_t at = 0;
    if (json_object_size(seen) > TH__MAX_TRAITS)
        return th__rule_fault(r->reader, "seen: has more than %d entries", TH__MAX_TRAITS);
    th__template_trait *items = th__arena_zero(r->arena, json_object_size(seen) + 1, sizeof *items);
    if (!items)
        return th__fail_memory(r->reader->err);
    slot->traits[kind].items = items;
    json_object_foreach(seen, text, count)
    {
        json_int_t times = json_is_integer(count) ? json_integer_value(count) : 0;
        if (times < 1 || times > slot->traits[kind].sum)
            return th__rule_fault(r->reader, "seen: must be numbers from 1 to those of values");
        items[at].text = th__arena_copy(r->arena, th_str_from(text));
        if (!items[at].text.ptr)
            return th__fail_memory(r->reader->err);
        items[at].hash = th__hash(items[at].text.ptr, items[at].text.len) | 1;
        items[at++].count = (uint32_t)times;
    }
    slot->traits[kind].count = at;
    return TH_OK;
}

static th_status read_trait(struct reading *r, json_t *json, th__template_slot *slot, unsigned kind)
{
    json_t *trait = NULL, *seen = NULL;
    uint64_t values = 0, types = 0;
    th_status status =
        th__rule_object(r->reader, json, th__template_trait_names[kind], false, &trait);
    if (status || !trait)
        return status;
    size_t mark = th__rule_enter(r->reader, th__template_trait_names[kind]);
    status = th__rule_number(r->reader, trait, "values", true, INT32_MAX, &values);
    if (!status)
        status = th__rule_number(r->reader, trait, "different", true, INT32_MAX, &types);
    if (!status)
        status = th__rule_object(r->reader, trait, "seen", true, &seen);
    slot->traits[kind].sum = (uint32_t)values;
    slot->traits[kind].types = types ? (uint32_t)types : 1; /* it divides */
    if (!status)
        status = read_seen(r, seen, slot, kind);
    th__rule_leave(r->reader, mark);
    return status;
}

static th_status read_slot(struct reading *r, json_t *json, th__template_role *role)
{
    json_t *inside = NULL, *traits = NULL;
    uint64_t present = 0, total = 0;
    th_status status =
        th__rule_object(r->reader, json, "slot", role->kind == TH__ROLE_SLOT, &inside);
    if (status || !inside)
        return status;
    if (role->kind != TH__ROLE_SLOT)
        return th__rule_fault(r->reader, "slot: only slots have one");
    if (!(role->slot = th__arena_zero(r->arena, 1, sizeof *role->slot)))
        return th__fail_memory(r->reader->err);
    size_t mark = th__rule_enter(r->reader, "slot");
    status = th__rule_bool(r->reader, inside, "rows", &role->slot->set);
    if (!status)
        status = th__rule_number(r->reader, inside, "total", true, INT32_MAX, &total);
    if (!status)
        status = th__rule_number(r->reader, inside, "present", true, total, &present);
    if (!status)
        status = th__rule_object(r->reader, inside, "traits", true, &traits);
    role->slot->present = (uint32_t)present;
    role->slot->total = (uint32_t)total;
    for (unsigned kind = 0; !status && kind < TH__TRAITS; kind++)
        status = read_trait(r, traits, role->slot, kind);
    th__rule_leave(r->reader, mark);
    return status;
}

static th_status read_lines(struct reading *r, json_t *json, th__template_role *role)
{
    json_t *inside = NULL;
    th_status status = th__rule_object(r->reader, json, "lines", false, &inside);
    if (status || !inside)
        return status;
    if (role->kind != TH__ROLE_ELEMENT)
        return th__rule_fault(r->reader, "lines: only elements have any");
    if (!(role->lines = th__arena_zero(r->arena, 1, sizeof *role->lines)))
        return th__fail_memory(r->reader->err);
    size_t mark = th__rule_enter(r->reader, "lines");
    status = th__rule_text(r->reader, inside, "gap", true, r->arena, &role->lines->gap);
    if (!status)
        status = th__rule_text(r->reader, inside, "tail", false, r->arena, &role->lines->tail);
    if (!status)
        status = th__rule_bool(r->reader, inside, "rows", &role->lines->rows);
    if (!status)
        status = th__rule_bool(r->reader, inside, "items", &role->lines->items);
    th__rule_leave(r->reader, mark);
    return status;
}

/* A wrapper must not make a page cost more than slots times parts. */
static th_status count_slots(struct reading *r, uint32_t index)
{
    const th__template_role *role = &r->roles->roles[index];
    if (role->kind != TH__ROLE_SLOT)
        return TH_OK;
    return ++r->roles->roles[role->parent].held.count <= TH__MAX_SLOTS
               ? TH_OK
               : th__rule_fault(r->reader, "in: more than %d slots stand there", TH__MAX_SLOTS);
}

static th_status read_role(struct reading *r, json_t *json, uint32_t index)
{
    th__template_role *role = &r->roles->roles[index];
    uint64_t parent = TH__NO_ROLE;
    if (!json_is_object(json))
        return th__rule_fault(r->reader, "must be an object");
    th_status status = TH_OK;
    if (index)
        status = th__rule_number(r->reader, json, "in", true, index - 1, &parent);
    role->parent = (uint32_t)parent;
    uint64_t set = TH__NO_ROLE;
    if (!status && index)
        status = th__rule_number(r->reader, json, "of", false, index - 1, &set);
    role->set = (uint32_t)set;
    if (!status)
        status = read_texts(r, json, role);
    if (!status)
        status = read_beside(r, json, role);
    if (!status)
        status = read_after(r, json, role);
    if (!status)
        status = read_numbers(r, json, role);
    if (!status)
        status = read_lines(r, json, role);
    if (!status)
        status = read_slot(r, json, role);
    if (!status)
        status = check_role(r, role, index);
    if (!status && index)
        status = count_slots(r, index);
    if (!status && role->told == TH__ROLE_BY_ITSELF)
        role->text = role->label;
    return status;
}

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

static th_status find_member(struct reading *r, th__template_role *role, const th_type **tuples,
                             uint32_t index)
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
        return fits ? TH_OK : th__rule_fault(r->reader, "field: the schema has another type there");
    }
    return th__rule_fault(r->reader, "field: the schema has no \"%.*s\" there",
                          TH_STR_ARG(role->name));
}

static th_status hold_against(struct reading *r, const th_schema *schema)
{
    th__template_roles *roles = r->roles;
    const th_type **tuples = th__arena_zero(r->arena, roles->count + 1, sizeof *tuples);
    th_status status = TH_OK;
    if (!tuples)
        return th__fail_memory(r->reader->err);
    if (schema->root->kind != TH_TYPE_TUPLE)
        return th__rule_fault(r->reader, "the schema of a page of roles is a tuple");
    tuples[0] = schema->root;
    for (uint32_t i = 1; !status && i < roles->count; i++) {
        if (!roles->roles[i].name.ptr)
            continue;
        size_t mark = th__rule_enter_item(r->reader, i);
        status = find_member(r, &roles->roles[i], tuples, i);
        th__rule_leave(r->reader, mark);
    }
    return status;
}

static th_status read_names(struct reading *r, json_t *json)
{
    json_t *names;
    th_status status = th__rule_array(r->reader, json, "names", 0, TH__MAX_ROLES, &names);
    if (status)
        return status;
    size_t count = json_array_size(names), mark = th__rule_enter(r->reader, "names");
    r->roles->names = th__arena_zero(r->arena, count + 1, sizeof *r->roles->names);
    if (!r->roles->names)
        return th__fail_memory(r->reader->err);
    for (size_t i = 0; !status && i < count; i++) {
        json_t *name = json_array_get(names, i);
        if (!json_is_string(name))
            status = th__rule_fault(r->reader, "must be texts");
        else if (!(r->roles->names[i] = th__arena_copy(
                       r->arena, (th_str){json_string_value(name), json_string_length(name)}))
                      .ptr)
            status = th__fail_memory(r->reader->err);
    }
    r->roles->name_count = (uint32_t)count;
    th__rule_leave(r->reader, mark);
    return status;
}

th_status th__template_roles_read(th__rule_reader *reader, json_t *json, const th_schema *schema,
                                  th__arena *arena, th__template_roles *out)
{
    struct reading r = {reader, arena, out};
    json_t *roles;
    uint64_t pages = 0;
    *out = (th__template_roles){0};
    th_status status = th__rule_number(reader, json, "pages", true, UINT32_MAX, &pages);
    out->pages = (uint32_t)pages;
    if (!status)
        status = th__rule_bool(reader, json, "placeholders", &out->placeholders);
    if (!status)
        status = read_names(&r, json);
    if (!status)
        status = th__rule_array(reader, json, "roles", 1, TH__MAX_ROLES, &roles);
    if (status)
        return status;
    out->count = (uint32_t)json_array_size(roles);
    out->roles = th__arena_zero(arena, out->count, sizeof *out->roles);
    if (!out->roles)
        return th__fail_memory(reader->err);
    size_t mark = th__rule_enter(reader, "roles");
    for (uint32_t i = 0; !status && i < out->count; i++) {
        size_t item = th__rule_enter_item(reader, i);
        status = read_role(&r, json_array_get(roles, i), i);
        th__rule_leave(reader, item);
    }
    if (!status && !th__template_roles_prepare(out, arena))
        status = th__fail_memory(reader->err);
    if (!status)
        status = hold_against(&r, schema);
    th__rule_leave(reader, mark);
    return status;
}
