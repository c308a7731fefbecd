/*
 * paths_json.c: rules of the paths engine as JSON and in words.
 *
 *     {"fields": [{"name": "price", "rules": [
 *         {"by": "id", "path": "#facts > td", "told": "before", "text": "Price:"},
 *         {"by": "end", "path": "div > p.price > b", "pick": 1, "otherwise": true}]}]}
 */
#include "base/error.h"
#include "data/schema.h"
#include "engine/paths/paths.h"
#include "wrapper/rule_table.h"

/* By th__address, th__teller and th__unit_kind. */
static const char *const addresses[] = {"classes",   "id",       "end",  "property",
                                        "cells",     "element",  "tags", "id positions",
                                        "positions", "anywhere", NULL};
static const char *const tellers[] = {"nothing", "before", "caption", "heading",
                                      "after",   "start",  NULL};
static const char *const kinds[] = {"text", "element", "attribute", "whole", NULL};

/* ---- rules ----------------------------------------------------------------------------------- */

/* "pick" counts from the first, "pick_from_end" from the last. */
static th_status read_pick(th__rule_reader *reader, json_t *json, void *object)
{
    uint64_t pick = 0, from_end = 0;
    th_status status = th__rule_number(reader, json, "pick", false, TH__PATHS_MAX_PICK, &pick);
    if (!status)
        status =
            th__rule_number(reader, json, "pick_from_end", false, TH__PATHS_MAX_PICK, &from_end);
    if (!status && pick && from_end)
        status = th__rule_fault(reader, "has both pick and pick_from_end");
    ((th__path_rule *)object)->pick = pick ? (int32_t)pick : -(int32_t)from_end;
    return status;
}

static void write_pick(const void *root, const void *object, th__json *json)
{
    int32_t pick = ((const th__path_rule *)object)->pick;
    if (pick)
        th__json_put_uint(json, pick > 0 ? "pick" : "pick_from_end",
                          (uint64_t)(pick > 0 ? pick : -pick));
}

/* Attributes by their names; those that have no number have a slot. */
static th_status read_attribute(th__rule_reader *reader, json_t *json, void *object)
{
    th__path_rule *rule = object;
    if (rule->kind != TH__UNIT_ATTRIBUTE)
        return TH_OK;
    th_status status = th__rule_text(reader, json, "attribute", false, reader->arena, &rule->name);
    if (status || !rule->name.ptr)
        return status;
    while (rule->attribute < TH__UNIT_OTHER &&
           !th__str_eq(rule->name, th_str_from(th__unit_attributes[rule->attribute])))
        rule->attribute++;
    if (rule->attribute == TH__UNIT_OTHER)
        rule->slot = th__unit_name_slot(rule->name);
    return TH_OK;
}

static void write_attribute(const void *root, const void *object, th__json *json)
{
    const th__path_rule *rule = object;
    if (rule->kind == TH__UNIT_ATTRIBUTE)
        th__json_put_text(json, "attribute",
                          rule->attribute == TH__UNIT_OTHER
                              ? rule->name
                              : th_str_from(th__unit_attributes[rule->attribute]));
}

static th_status check_rule(th__rule_reader *reader, void *object)
{
    th__path_rule *rule = object;
    rule->telling = rule->teller ? th__text_hash(rule->told) : 0;
    return th__unit_key_read((th__address)rule->address, rule->path, (th__unit_kind)rule->kind,
                             rule->attribute, rule->slot, &rule->key)
               ? TH_OK
               : th__rule_fault(reader, "path is not an address by %s", addresses[rule->address]);
}

static const th__rule_member rule_members[] = {
    {TH__WORD("by", th__path_rule, address, addresses), .flags = TH__ALWAYS},
    {TH__TEXT("path", th__path_rule, path)},
    {TH__WORD("kind", th__path_rule, kind, kinds)},
    {TH__OWN("attribute", read_attribute, write_attribute)},
    {TH__UINT("slot", th__path_rule, slot, 1, UINT32_MAX), .flags = TH__COUNTED,
     TH__ONLY_IF(th__path_rule, kind, ~(1u << TH__UNIT_ATTRIBUTE))},
    {TH__WORD("told", th__path_rule, teller, tellers)},
    {TH__TEXT("text", th__path_rule, told), .flags = TH__NEEDED,
     TH__ONLY_IF(th__path_rule, teller, ~(1u << TH__TOLD_BY_NOTHING))},
    {TH__OWN("pick", read_pick, write_pick)},
    {TH__INLINE(th__path_rule, cut, th__cut_shape)},
    {TH__FLAG("otherwise", th__path_rule, otherwise)},
    {TH__FLAG("alone", th__path_rule, alone)},
};
static const th__rule_shape rule_shape = TH__CHECKED_SHAPE(th__path_rule, rule_members, check_rule);

/* ---- views: what is for questions ------------------------------------------------------------ */

/* A view is one of a rule of its field, which is the one that is being read. */
static uint64_t rules_of_field(const th__rule_reader *reader, const void *object)
{
    const th__path_rules *rules = reader->root;
    return rules->fields[rules->count].count;
}

static th_status read_weight(th__rule_reader *reader, json_t *json, void *object)
{
    uint64_t weight = 0;
    th_status status = th__rule_number(reader, json, "weight", true, 1000, &weight);
    ((th__path_view *)object)->weight = (double)weight / 1000;
    return status;
}

static void write_weight(const void *root, const void *object, th__json *json)
{
    th__json_put_uint(json, "weight",
                      (uint64_t)(1000 * ((const th__path_view *)object)->weight + 0.5));
}

static const th__rule_member view_members[] = {
    {TH__INLINE(th__path_view, rule, rule_shape)},
    {TH__UINT("of", th__path_view, of, 1, 0), .flags = TH__COUNTED | TH__NEEDED,
     .limit = rules_of_field},
    {TH__OWN("weight", read_weight, write_weight)},
};
static const th__rule_shape view_shape = TH__SHAPE(th__path_view, view_members);

static const th__rule_member seen_members[] = {
    {TH__UINT("pages", th__path_seen, pages, 0, UINT32_MAX), .flags = TH__NEEDED},
    {TH__UINT("least", th__path_seen, least, 0, UINT32_MAX), .flags = TH__NEEDED},
    {TH__UINT("most", th__path_seen, most, 0, UINT32_MAX), .flags = TH__NEEDED},
    {TH__UINT("beside", th__path_seen, beside, 0, UINT32_MAX), .flags = TH__NEEDED},
};
static const th__rule_shape seen_shape = TH__SHAPE(th__path_seen, seen_members);

/* ---- fields ---------------------------------------------------------------------------------- */

/* Which member of the record a field is, and whether it is a list. */
static th_status find_member(th__rule_reader *reader, void *object)
{
    th__path_field *field = object;
    const th_type *tuple = th__type_strip(th_schema_record_type(reader->schema));
    for (uint32_t i = 0; i < tuple->count; i++) {
        if (!th__str_eq(th_type_name(tuple->children[i]), field->name))
            continue;
        const th_type *type = th__type_strip(tuple->children[i]);
        field->member = i;
        field->list = type->kind == TH_TYPE_LIST;
        if (field->list)
            type = th__type_strip(type->children[0]);
        return type->kind == TH_TYPE_FIELD
                   ? TH_OK
                   : th__rule_fault(reader, "\"%.*s\" must be a field or a list of fields",
                                    TH_STR_ARG(field->name));
    }
    return th__rule_fault(reader, "the schema has no member \"%.*s\"", TH_STR_ARG(field->name));
}

static const th__rule_member field_members[] = {
    {TH__TEXT("name", th__path_field, name), .flags = TH__NEEDED | TH__FIELD_NAME,
     .check = find_member},
    {TH__LIST("rules", th__path_field, rules, count, rule_shape, 0, TH__PATHS_MAX_RULES),
     .flags = TH__NEEDED},
    {TH__LIST("views", th__path_field, views, view_count, view_shape, 0, TH__PATHS_MAX_VIEWS)},
    {TH__OBJECT("seen", th__path_field, seen, seen_shape)},
};
static const th__rule_shape field_shape = TH__SHAPE(th__path_field, field_members);

static th_status begin_rules(th__rule_reader *reader, void *object)
{
    return th__type_strip(th_schema_root(reader->schema))->kind == TH_TYPE_TUPLE
               ? TH_OK
               : th__rule_fault(reader, "the schema must be of one record per page, a tuple");
}

static const th__rule_member rules_members[] = {
    {TH__LIST("fields", th__path_rules, fields, count, field_shape, 0, TH__PATHS_MAX_FIELDS),
     .flags = TH__NEEDED},
};
const th__rule_shape th__paths_shape = {
    .members = rules_members, .count = 1, .size = sizeof(th__path_rules), .begin = begin_rules};

/* ---- in words -------------------------------------------------------------------------------- */

static void explain_rule(const th__path_rule *rule, bool first, th__buf *out)
{
    static const char *const told[] = {
        NULL, "after", "under the caption", "under the heading", "before", "beginning with"};
    th__buf_printf(out, "%s", first ? "" : rule->otherwise ? "; otherwise " : "; and ");
    if (rule->pick < 0)
        th__buf_printf(out, "number %d from the end of ", -rule->pick);
    else if (rule->pick)
        th__buf_printf(out, "number %d of ", rule->pick);
    if (rule->kind == TH__UNIT_ATTRIBUTE)
        th__buf_printf(out, "the attribute %.*s of ",
                       TH_STR_ARG(rule->attribute == TH__UNIT_OTHER
                                      ? rule->name
                                      : th_str_from(th__unit_attributes[rule->attribute])));
    else if (rule->kind == TH__UNIT_ELEMENT)
        th__buf_printf(out, "all text of ");
    else if (rule->kind == TH__UNIT_TEXT && rule->path.len)
        th__buf_printf(out, "text %u of ", rule->slot + 1);
    if (rule->path.len)
        th__buf_printf(out, "%.*s", TH_STR_ARG(rule->path));
    else
        th__buf_printf(out, "any text");
    if (rule->teller)
        th__buf_printf(out, " %s \"%.*s\"", told[rule->teller], TH_STR_ARG(rule->told));
    if (rule->cut.after.len)
        th__buf_printf(out, ", after %s\"%.*s\"", rule->cut.last ? "the last " : "",
                       TH_STR_ARG(rule->cut.after));
    if (rule->cut.before.len)
        th__buf_printf(out, ", up to \"%.*s\"", TH_STR_ARG(rule->cut.before));
}

void th__paths_explain(const void *context, th__buf *out)
{
    const th__path_rules *rules = context;
    th__buf_printf(out, "fields:\n");
    for (uint32_t i = 0; i < rules->count; i++) {
        const th__path_field *field = &rules->fields[i];
        th__buf_printf(out, "  %.*s: ", TH_STR_ARG(field->name));
        for (uint32_t j = 0; j < field->count; j++)
            explain_rule(&field->rules[j], j == 0, out);
        th__buf_printf(out, field->count ? "\n" : "never there\n");
    }
}
