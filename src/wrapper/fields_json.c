/*
 * fields_json.c: field rules as JSON and in words.
 *
 *     {"name": "born", "kind": "text", "path": "div.facts > span", "core": true,
 *      "label": {"text": "Born:", "hash": "8c1f06a1b2c3d4e5"}}
 *     {"name": "city", "path": "li", "position": 2}
 *     {"name": "year", "path": "td[3]"}
 */
#include <stdio.h>

#include "base/error.h"
#include "base/intern.h"
#include "wrapper/fields.h"
#include "wrapper/lists.h"

static const char *const kinds[] = {"text", "link", "image", "rest", NULL};
/* The key under which the telling text stands, by th__told. */
static const char *const tellers[] = {NULL, "label", "itself"};

static void write_rule(const th__field_rule *rule, th__json *json)
{
    char hash[17];
    th__json_begin_object(json);
    if (rule->name.ptr) {
        th__json_key(json, TH_STR("name"));
        th__json_str(json, rule->name);
    }
    th__json_key(json, TH_STR("kind"));
    th__json_str(json, th_str_from(kinds[rule->kind]));
    if (rule->kind != TH__FIELD_REST) {
        th__json_key(json, TH_STR("path"));
        th__json_str(json, rule->path);
    }
    if (rule->part) {
        th__json_put_uint(json, "part", (uint64_t)rule->part + 1);
    }
    if (rule->told != TH__TOLD_BY_PLACE) {
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)rule->telling);
        th__json_key(json, th_str_from(tellers[rule->told]));
        th__json_begin_object(json);
        th__json_key(json, TH_STR("text"));
        th__json_str(json, rule->text);
        th__json_key(json, TH_STR("hash"));
        th__json_str(json, th_str_from(hash));
        th__json_end_object(json);
    }
    if (rule->position != TH__NO_POSITION) {
        th__json_put_uint(json, "position", (uint64_t)rule->position + 1);
    }
    th__json_put_true(json, "list", rule->list);
    th__json_put_true(json, "core", rule->core);
    th__json_end_object(json);
}

void th__fields_write(const th__fields *fields, th__json *json)
{
    th__json_begin_array(json);
    for (uint32_t i = 0; i < fields->count; i++)
        write_rule(&fields->rules[i], json);
    th__json_end_array(json);
}

/* ---- reading --------------------------------------------------------------------------------- */

static th_status read_teller(th__rule_reader *reader, json_t *json, th__told told, th__arena *arena,
                             th__field_rule *rule)
{
    json_t *teller;
    th_status status = th__rule_object(reader, json, tellers[told], false, &teller);
    if (status || !teller)
        return status;
    size_t mark = th__rule_enter(reader, tellers[told]);
    if (rule->told != TH__TOLD_BY_PLACE)
        status = th__rule_fault(reader, "a field has a label or is one itself, not both");
    rule->told = (uint8_t)told;
    if (!status)
        status = th__rule_text(reader, teller, "text", true, arena, &rule->text);
    if (!status)
        status = th__rule_hash(reader, teller, "hash", &rule->telling);
    th__rule_leave(reader, mark);
    return status;
}

static th_status read_path(th__rule_reader *reader, json_t *json, bool several, th__arena *arena,
                           th__field_rule *rule)
{
    uint64_t part = 1;
    th_status status = th__rule_text(reader, json, "path", true, arena, &rule->path);
    if (!status)
        status = th__rule_number(reader, json, "part", false, TH__FIELDS_MAX_POSITION, &part);
    rule->part = part ? (uint32_t)part - 1 : 0;
    th__item_place_of place = th__field_place(rule, several);
    if (status || th__item_base(&place, (th__item_kind)rule->kind, &rule->base))
        return status;
    size_t mark = th__rule_enter(reader, "path");
    status = th__rule_fault(reader, "is no path: steps are tags with or without a class, such as "
                                    "\"div.price > b\"");
    th__rule_leave(reader, mark);
    return status;
}

/* The members of a record by name. */
struct members {
    const th_type *tuple;
    th__intern names;
};

/* The name and whether it is a list must be as in the schema. */
static th_status find_member(th__rule_reader *reader, const struct members *members,
                             th__field_rule *rule)
{
    const th_type *tuple = members->tuple;
    if (!rule->name.ptr) {
        rule->member = TH__NO_MEMBER;
        return TH_OK;
    }
    rule->member = th__intern_find(&members->names, rule->name);
    if (rule->member == TH__INTERN_NONE)
        return th__rule_fault(reader, "the schema has no member \"%.*s\"", TH_STR_ARG(rule->name));
    const th_type *type = th__type_strip(tuple->children[rule->member]);
    const th_type *item = type->kind == TH_TYPE_LIST ? th__type_strip(type->children[0]) : type;
    if (item->kind != TH_TYPE_FIELD)
        return th__rule_fault(reader, "\"%.*s\" must be a field or a list of fields in the schema",
                              TH_STR_ARG(rule->name));
    if (rule->list != (type->kind == TH_TYPE_LIST))
        return th__rule_fault(reader, "\"%.*s\" is %s in the schema but %s here",
                              TH_STR_ARG(rule->name), rule->list ? "one value" : "a list",
                              rule->list ? "a list" : "one value");
    return TH_OK;
}

static th_status read_rule(th__rule_reader *reader, json_t *json, const struct members *members,
                           bool several, th__arena *arena, th__field_rule *rule)
{
    uint64_t position = 0;
    unsigned kind = TH__ITEM_TEXT;
    *rule = (th__field_rule){.position = TH__NO_POSITION};
    if (!json_is_object(json))
        return th__rule_fault(reader, "must be an object");
    th_status status = th__rule_word(reader, json, "kind", kinds, &kind);
    rule->kind = (uint8_t)kind;
    if (!status)
        status = th__rule_text(reader, json, "name", kind != TH__ITEM_TEXT, arena, &rule->name);
    if (!status && kind != TH__FIELD_REST)
        status = read_path(reader, json, several, arena, rule);
    for (int told = TH__TOLD_BY_LABEL; !status && told <= TH__TOLD_BY_ITSELF; told++)
        status = read_teller(reader, json, (th__told)told, arena, rule);
    if (!status)
        status =
            th__rule_number(reader, json, "position", false, TH__FIELDS_MAX_POSITION, &position);
    rule->position = position ? (uint32_t)position - 1 : TH__NO_POSITION;
    if (!status && json_object_get(json, "position") && !position)
        status = th__rule_fault(reader, "positions count from 1");
    if (!status)
        status = th__rule_bool(reader, json, "list", &rule->list);
    if (!status)
        status = th__rule_bool(reader, json, "core", &rule->core);
    return status ? status : find_member(reader, members, rule);
}

static th_status read_rules(th__rule_reader *reader, json_t *json, const struct members *members,
                            th__arena *arena, th__fields *out)
{
    th_status status = TH_OK;
    for (uint32_t i = 0; !status && i < out->count; i++) {
        size_t mark = th__rule_enter_item(reader, i);
        status = read_rule(reader, json_array_get(json, i), members, out->several, arena,
                           &out->rules[i]);
        th__rule_leave(reader, mark);
    }
    return status;
}

th_status th__fields_read(th__rule_reader *reader, json_t *json, const th_schema *schema,
                          bool several, th__arena *arena, th__fields *out)
{
    struct members members = {.tuple = th_schema_record_type(schema)};
    th_status status = TH_OK;
    *out = (th__fields){.count = (uint32_t)json_array_size(json), .several = several};
    out->rules = th__arena_zero(arena, (size_t)out->count + 1, sizeof *out->rules);
    if (!out->rules)
        return th__fail_memory(reader->err);
    if (members.tuple->kind != TH_TYPE_TUPLE)
        return th__rule_fault(reader, "the records of the schema must be tuples");
    th__intern_init(&members.names);
    for (uint32_t i = 0; !status && i < members.tuple->count; i++)
        if (th__intern_add(&members.names, th_type_name(members.tuple->children[i])) ==
            TH__INTERN_NONE)
            status = th__fail_memory(reader->err);
    if (!status)
        status = read_rules(reader, json, &members, arena, out);
    if (!status && !th__fields_prepare(out, arena))
        status = th__fail_memory(reader->err);
    th__intern_release(&members.names);
    return status;
}

/* ---- words ----------------------------------------------------------------------------------- */

void th__fields_explain(const th__fields *fields, th__buf *out)
{
    static const char *const what[] = {"text of", "target of", "source of",
                                       "all texts that no other field takes"};
    int width = 4;
    for (uint32_t i = 0; i < fields->count; i++)
        if ((int)fields->rules[i].name.len > width && fields->rules[i].name.len <= 24)
            width = (int)fields->rules[i].name.len;
    for (uint32_t i = 0; i < fields->count; i++) {
        const th__field_rule *rule = &fields->rules[i];
        th_str name = rule->name.ptr ? rule->name : TH_STR("-");
        th__buf_printf(out, "  %-*.*s  %s", width, TH_STR_ARG(name), what[rule->kind]);
        if (rule->kind == TH__FIELD_REST) {
            th__buf_add_byte(out, '\n');
            continue;
        }
        th__buf_printf(out, " %.*s", TH_STR_ARG(rule->path));
        if (!rule->path.len)
            th__buf_printf(out, "%s",
                           fields->several ? "what stands between its elements"
                                           : "the record itself");
        if (rule->part)
            th__buf_printf(out, " of part %u", rule->part + 1);
        if (rule->told == TH__TOLD_BY_LABEL)
            th__buf_printf(out, ", after \"%.*s\"", TH_STR_ARG(rule->text));
        if (rule->told == TH__TOLD_BY_ITSELF)
            th__buf_printf(out, ", where it is \"%.*s\"", TH_STR_ARG(rule->text));
        if (rule->position != TH__NO_POSITION)
            th__buf_printf(out, ", number %u", rule->position + 1);
        th__buf_printf(out, "%s%s\n", rule->list ? ", all of them" : "",
                       rule->name.ptr ? "" : ": no value");
    }
}
