/*
 * fields_json.c: field rules as JSON and in words.
 *
 *     {"name": "born", "kind": "text", "path": "div.facts > span", "core": true,
 *      "label": {"text": "Born:", "hash": "8c1f06a1b2c3d4e5"}}
 *     {"name": "city", "path": "li", "position": 2}
 *     {"name": "year", "path": "td[3]"}
 *
 * Parts of a text have the place of the text and, from there down, which part it is: an element, or
 * what stands after one (an empty text: what comes first). Words that are no value go with a part:
 *
 *     {"name": "price", "path": "p", "inside": [{"element": "span.price"}]}
 *     {"name": "date", "path": "p", "inside": [{"element": "span.meta"}, {"after": "a"}]}
 *     {"path": "p", "inside": [{"after": "a"}], "joins": "next"}
 */
#include <stdio.h>

#include "base/error.h"
#include "base/intern.h"
#include "wrapper/fields.h"
#include "wrapper/lists.h"

static const char *const kinds[] = {"text", "link", "image", "rest", NULL};
/* The key under which the telling text stands, by th__told. */
static const char *const tellers[] = {NULL, "label", "itself"};
/* By what th__item calls joins: 0, 1, and -1 as 2. */
static const char *const joinings[] = {"none", "next", "last", NULL};

/* What tells an item from others at its place. */
struct teller {
    uint8_t told;
    uint32_t position;
    th_str text;
    uint64_t telling;
};

static void write_teller(const struct teller *teller, th__json *json)
{
    char hash[17];
    if (teller->told != TH__TOLD_BY_PLACE) {
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)teller->telling);
        th__json_key(json, th_str_from(tellers[teller->told]));
        th__json_begin_object(json);
        th__json_key(json, TH_STR("text"));
        th__json_str(json, teller->text);
        th__json_key(json, TH_STR("hash"));
        th__json_str(json, th_str_from(hash));
        th__json_end_object(json);
    }
    if (teller->position != TH__NO_POSITION)
        th__json_put_uint(json, "position", (uint64_t)teller->position + 1);
}

static struct teller teller_of(const th__field_rule *rule)
{
    return (struct teller){rule->told, rule->position, rule->text, rule->telling};
}

static struct teller teller_of_part(const th__part_rule *part)
{
    return (struct teller){part->told, part->position, part->text, part->telling};
}

static void write_parts(const th__field_rule *rule, th__json *json)
{
    if (!rule->depth)
        return;
    th__json_key(json, TH_STR("inside"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < rule->depth; i++) {
        struct teller teller = teller_of_part(&rule->inside[i]);
        th__json_begin_object(json);
        th__json_key(json, rule->inside[i].between ? TH_STR("after") : TH_STR("element"));
        th__json_str(json, rule->inside[i].step);
        write_teller(&teller, json);
        th__json_end_object(json);
    }
    th__json_end_array(json);
    if (rule->joins) {
        th__json_key(json, TH_STR("joins"));
        th__json_str(json, th_str_from(joinings[rule->joins > 0 ? 1 : 2]));
    }
}

static void write_rule(const th__field_rule *rule, th__json *json)
{
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
    struct teller teller = teller_of(rule);
    write_teller(&teller, json);
    write_parts(rule, json);
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
                             struct teller *out)
{
    json_t *teller;
    th_status status = th__rule_object(reader, json, tellers[told], false, &teller);
    if (status || !teller)
        return status;
    size_t mark = th__rule_enter(reader, tellers[told]);
    if (out->told != TH__TOLD_BY_PLACE)
        status = th__rule_fault(reader, "a field has a label or is one itself, not both");
    out->told = (uint8_t)told;
    if (!status)
        status = th__rule_text(reader, teller, "text", true, arena, &out->text);
    if (!status)
        status = th__rule_hash(reader, teller, "hash", &out->telling);
    th__rule_leave(reader, mark);
    return status;
}

static th_status read_tellers(th__rule_reader *reader, json_t *json, th__arena *arena,
                              struct teller *out)
{
    uint64_t position = 0;
    th_status status = TH_OK;
    *out = (struct teller){0};
    for (int told = TH__TOLD_BY_LABEL; !status && told <= TH__TOLD_BY_ITSELF; told++)
        status = read_teller(reader, json, (th__told)told, arena, out);
    if (!status)
        status =
            th__rule_number(reader, json, "position", false, TH__FIELDS_MAX_POSITION, &position);
    out->position = position ? (uint32_t)position - 1 : TH__NO_POSITION;
    if (!status && json_object_get(json, "position") && !position)
        status = th__rule_fault(reader, "positions count from 1");
    return status;
}

/* Whether a text is one step of a path. */
static bool is_step(th_str text)
{
    th_str rest = text, step;
    bool bad = false;
    return th__path_next(&rest, &step, &bad) && !bad && step.len == text.len;
}

static th_status read_part(th__rule_reader *reader, json_t *json, th__arena *arena,
                           th__part_rule *out)
{
    struct teller teller;
    if (!json_is_object(json))
        return th__rule_fault(reader, "must be an object");
    out->between = json_object_get(json, "after");
    const char *key = out->between ? "after" : "element";
    th_status status = th__rule_text(reader, json, key, true, arena, &out->step);
    if (!status && !(out->between && !out->step.len) && !is_step(out->step)) {
        size_t mark = th__rule_enter(reader, key);
        status = th__rule_fault(reader, "is no element: a tag with or without a class, such as "
                                        "\"span.price\"");
        th__rule_leave(reader, mark);
    }
    if (!status)
        status = read_tellers(reader, json, arena, &teller);
    if (status)
        return status;
    out->told = teller.told;
    out->position = teller.position;
    out->text = teller.text;
    out->telling = teller.telling;
    return TH_OK;
}

/* Which part of the text at its place a rule means. */
static th_status read_parts(th__rule_reader *reader, json_t *json, th__arena *arena,
                            th__field_rule *rule)
{
    json_t *inside;
    unsigned joins = 0;
    if (!json_object_get(json, "inside"))
        return TH_OK;
    th_status status = th__rule_array(reader, json, "inside", 1, TH__PARTS_DEEPEST, &inside);
    if (status)
        return status;
    size_t mark = th__rule_enter(reader, "inside");
    if (rule->kind != TH__ITEM_TEXT)
        status = th__rule_fault(reader, "only texts have parts");
    rule->depth = (uint8_t)json_array_size(inside);
    for (uint32_t i = 0; !status && i < rule->depth; i++) {
        size_t at = th__rule_enter_item(reader, i);
        status = read_part(reader, json_array_get(inside, i), arena, &rule->inside[i]);
        th__rule_leave(reader, at);
    }
    th__rule_leave(reader, mark);
    if (!status)
        status = th__rule_word(reader, json, "joins", joinings, &joins);
    rule->joins = joins == 2 ? -1 : (int8_t)joins;
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
    struct teller teller;
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
    if (!status)
        status = read_tellers(reader, json, arena, &teller);
    if (!status) {
        rule->told = teller.told;
        rule->position = teller.position;
        rule->text = teller.text;
        rule->telling = teller.telling;
        status = read_parts(reader, json, arena, rule);
    }
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

static void explain_teller(const struct teller *teller, th__buf *out)
{
    if (teller->told == TH__TOLD_BY_LABEL)
        th__buf_printf(out, ", after \"%.*s\"", TH_STR_ARG(teller->text));
    if (teller->told == TH__TOLD_BY_ITSELF)
        th__buf_printf(out, ", where it is \"%.*s\"", TH_STR_ARG(teller->text));
    if (teller->position != TH__NO_POSITION)
        th__buf_printf(out, ", number %u", teller->position + 1);
}

/* Which part of a text, from the innermost up. */
static void explain_parts(const th__field_rule *rule, th__buf *out)
{
    for (uint32_t i = rule->depth; i-- > 0;) {
        const th__part_rule *part = &rule->inside[i];
        struct teller teller = teller_of_part(part);
        if (!part->between)
            th__buf_printf(out, " %.*s", TH_STR_ARG(part->step));
        else if (part->step.len)
            th__buf_printf(out, " what follows %.*s", TH_STR_ARG(part->step));
        else
            th__buf_printf(out, " what comes first");
        explain_teller(&teller, out);
        th__buf_printf(out, ", in");
    }
}

static const char *ending_of(const th__field_rule *rule)
{
    if (rule->joins)
        return rule->joins > 0 ? ": goes with the next" : ": goes with the last";
    return rule->name.ptr ? "" : ": no value";
}

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
        struct teller teller = teller_of(rule);
        th_str name = rule->name.ptr ? rule->name : TH_STR("-");
        th__buf_printf(out, "  %-*.*s  %s", width, TH_STR_ARG(name), what[rule->kind]);
        if (rule->kind == TH__FIELD_REST) {
            th__buf_add_byte(out, '\n');
            continue;
        }
        explain_parts(rule, out);
        bool heading = th__str_eq(rule->path, TH_STR(TH__HEADING_PATH));
        th__buf_printf(out, " %.*s",
                       TH_STR_ARG(heading ? TH_STR("the heading above") : rule->path));
        if (!rule->path.len)
            th__buf_printf(out, "%s",
                           fields->several ? "what stands between its elements"
                                           : "the record itself");
        if (rule->part)
            th__buf_printf(out, " of part %u", rule->part + 1);
        explain_teller(&teller, out);
        th__buf_printf(out, "%s%s\n", rule->list ? ", all of them" : "", ending_of(rule));
    }
}
