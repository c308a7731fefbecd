/*
 * fields_json.c: field rules as JSON and in words.
 *
 *     {"name": "born", "kind": "text", "path": "div.facts > span", "core": true,
 *      "label": {"text": "Born:", "hash": "8c1f06a1b2c3d4e5"}}
 *     {"name": "city", "path": "li", "position": 2}
 *     {"name": "year", "path": "td[3]"}
 *     {"name": "sold", "kind": "attribute", "path": "time", "attribute": "datetime"}
 *
 * Parts of a text have the place of the text and, from there down, which part it is: an element, or
 * what stands after one (an empty text: what comes first). Words that are no value go with a part:
 *
 *     {"name": "price", "path": "p", "inside": [{"element": "span.price"}]}
 *     {"name": "date", "path": "p", "inside": [{"element": "span.meta"}, {"after": "a"}]}
 *     {"path": "p", "inside": [{"after": "a"}], "joins": "next"}
 */
#include "base/error.h"
#include "wrapper/fields.h"
#include "wrapper/list_records.h"
#include "wrapper/rule_table.h"

static const char *const kinds[] = {"text", "link", "image", "attribute", "rest", NULL};
/* By what th__item calls joins: 0, 1, and -1 as 2. */
static const char *const joinings[] = {"none", "next", "last", NULL};

/* ---- what tells items at one place apart ---- */

#define TELLING(struct_, shape)                                                                    \
    {TH__GROUP("label", shape), TH__TAG(struct_, told, TH__TOLD_BY_LABEL), .flags = TH__ALWAYS},   \
        {TH__GROUP("itself", shape), TH__TAG(struct_, told, TH__TOLD_BY_ITSELF),                   \
         .flags = TH__ALWAYS},                                                                     \
    {                                                                                              \
        TH__UINT("position", struct_, position, 1, TH__FIELDS_MAX_POSITION),                       \
            .flags = TH__COUNTED, .none = TH__NO_POSITION                                          \
    }
#define TELLING_TEXT(struct_)                                                                      \
    {TH__TEXT("text", struct_, text), .flags = TH__NEEDED},                                        \
    {                                                                                              \
        TH__HASH("hash", struct_, telling), .flags = TH__NEEDED                                    \
    }

static const th__rule_member part_telling[] = {TELLING_TEXT(th__part_rule)};
static const th__rule_shape part_telling_shape = TH__SHAPE(th__part_rule, part_telling);
static const th__rule_member field_telling[] = {TELLING_TEXT(th__field_rule)};
static const th__rule_shape field_telling_shape = TH__SHAPE(th__field_rule, field_telling);

/* ---- parts ---- */

/* An element is one step of a path; what comes first stands after none. */
static th_status check_step(th__rule_reader *reader, void *object)
{
    const th__part_rule *part = object;
    th_str rest = part->step, step;
    bool bad = false;
    if (part->between == TH__PART_SIGN)
        return th__part_rule_sign(part)
                   ? TH_OK
                   : th__rule_fault(reader, "must be \"|\", \"-\" or \"\xC2\xB7\"");
    if ((part->between && !part->step.len) ||
        (th__path_next(&rest, &step, &bad) && !bad && step.len == part->step.len))
        return TH_OK;
    return th__rule_fault(reader, "is not an element: a tag with or without a class, such as "
                                  "\"span.price\"");
}

static const th__rule_member part_members[] = {
    {TH__TEXT("sign", th__part_rule, step), TH__TAG(th__part_rule, between, TH__PART_SIGN),
     .flags = TH__ALWAYS, .check = check_step},
    {TH__TEXT("after", th__part_rule, step), TH__TAG(th__part_rule, between, TH__PART_BETWEEN),
     .flags = TH__ALWAYS, .check = check_step},
    {TH__TEXT("element", th__part_rule, step), TH__ONLY_IF(th__part_rule, between, 1),
     .flags = TH__NEEDED, .check = check_step},
    TELLING(th__part_rule, part_telling_shape),
};
static const th__rule_shape part_shape = TH__SHAPE(th__part_rule, part_members);

static th_status read_joins(th__rule_reader *reader, json_t *json, void *object)
{
    th__field_rule *rule = object;
    uint8_t joins = 0;
    th_status status = th__rule_member_read(
        reader, json,
        &(th__rule_member){.key = "joins", .type = TH__RULE_WORD, .size = 1, .words = joinings},
        &joins);
    rule->joins = joins == 2 ? -1 : (int8_t)joins;
    return status;
}

static void write_joins(const void *root, const void *object, th__json *json)
{
    const th__field_rule *rule = object;
    if (rule->joins && rule->depth)
        th__json_put_text(json, "joins", th_str_from(joinings[rule->joins > 0 ? 1 : 2]));
}

static th_status check_inside(th__rule_reader *reader, void *object)
{
    return ((th__field_rule *)object)->kind == TH__ITEM_TEXT
               ? TH_OK
               : th__rule_fault(reader, "only texts have parts");
}

/* ---- rules ---- */

/* While rules are read: the members of a record. */
struct members {
    const th_type *tuple;
    bool several;
    th__key_map by_name; /* by the hash of a name: 1 + its number */
};

/* The name and whether it is a list must be as in the schema. */
static th_status find_member(th__rule_reader *reader, th__field_rule *rule)
{
    const struct members *members = reader->context;
    const th_type *tuple = members->tuple;
    rule->member = TH__NO_MEMBER;
    if (!rule->name.ptr)
        return TH_OK;
    uint32_t found = th__key_map_get(&members->by_name, th__hash(rule->name.ptr, rule->name.len));
    rule->member = found - 1;
    if (!found || !th__str_eq(th_type_name(tuple->children[rule->member]), rule->name))
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

static th_status check_rule(th__rule_reader *reader, void *object)
{
    th__field_rule *rule = object;
    th__item_place_of place = th__field_place(rule, ((struct members *)reader->context)->several);
    if (rule->kind != TH__ITEM_TEXT && !rule->name.ptr)
        return th__rule_fault_in(reader, "name", "is missing: a text");
    if (rule->kind != TH__FIELD_REST &&
        !th__item_base(&place, (th__item_kind)rule->kind, &rule->base))
        return th__rule_fault_in(reader, "path",
                                 "is not a path: steps are tags with or without a class, such as "
                                 "\"div.price > b\"");
    return find_member(reader, rule);
}

static const th__rule_member rule_members[] = {
    {TH__TEXT("name", th__field_rule, name), .flags = TH__EMPTY | TH__FIELD_NAME},
    {TH__WORD("kind", th__field_rule, kind, kinds), .flags = TH__ALWAYS},
    {TH__TEXT("path", th__field_rule, path), .flags = TH__NEEDED,
     TH__ONLY_IF(th__field_rule, kind, ~(1u << TH__FIELD_REST))},
    {TH__TEXT("attribute", th__field_rule, attribute), .flags = TH__NEEDED,
     TH__ONLY_IF(th__field_rule, kind, 1u << TH__ITEM_ATTRIBUTE)},
    {TH__UINT("part", th__field_rule, part, 1, TH__FIELDS_MAX_POSITION), .flags = TH__COUNTED},
    TELLING(th__field_rule, field_telling_shape),
    {TH__ARRAY("inside", th__field_rule, inside, depth, part_shape, 1, TH__PARTS_DEEPEST),
     .check = check_inside},
    {TH__OWN("joins", read_joins, write_joins)},
    {TH__FLAG("list", th__field_rule, list)},
    {TH__FLAG("core", th__field_rule, core)},
};
static const th__rule_shape rule_shape =
    TH__CHECKED_SHAPE(th__field_rule, rule_members, check_rule);

static th_status begin_fields(th__rule_reader *reader, void *object)
{
    const th_type *tuple = th_schema_record_type(reader->schema);
    struct members *members = th__arena_zero(reader->arena, 1, sizeof *members);
    if (tuple->kind != TH_TYPE_TUPLE)
        return th__rule_fault_in(reader, "fields", "the records of the schema must be tuples");
    if (!members || !th__key_map_init(&members->by_name, reader->arena, tuple->count))
        return th__fail_memory(reader->err);
    members->tuple = tuple;
    members->several = ((th__fields *)object)->several;
    for (uint32_t i = 0; i < tuple->count; i++) {
        th_str name = th_type_name(tuple->children[i]);
        th__key_map_put(&members->by_name, th__hash(name.ptr, name.len), i + 1);
    }
    reader->context = members;
    return TH_OK;
}

static th_status end_fields(th__rule_reader *reader, void *object)
{
    return th__fields_prepare(object, reader->arena) ? TH_OK : th__fail_memory(reader->err);
}

static const th__rule_member fields_members[] = {
    {TH__LIST("fields", th__fields, rules, count, rule_shape, 0, TH__FIELDS_MAX),
     .flags = TH__NEEDED},
};
const th__rule_shape th__fields_shape = {.members = fields_members,
                                         .count = 1,
                                         .size = sizeof(th__fields),
                                         .begin = begin_fields,
                                         .check = end_fields};

/* ---- words ----------------------------------------------------------------------------------- */

static void explain_telling(uint8_t told, th_str text, uint32_t position, th__buf *out)
{
    if (told == TH__TOLD_BY_LABEL)
        th__buf_printf(out, ", after \"%.*s\"", TH_STR_ARG(text));
    if (told == TH__TOLD_BY_ITSELF)
        th__buf_printf(out, ", where it is \"%.*s\"", TH_STR_ARG(text));
    if (position != TH__NO_POSITION)
        th__buf_printf(out, ", number %u", position + 1);
}

/* Which part of a text, from the innermost up. */
static void explain_parts(const th__field_rule *rule, th__buf *out)
{
    for (uint32_t i = rule->depth; i-- > 0;) {
        const th__part_rule *part = &rule->inside[i];
        if (part->between == TH__PART_SIGN)
            th__buf_printf(out, " what is between \"%.*s\"", TH_STR_ARG(part->step));
        else if (!part->between)
            th__buf_printf(out, " %.*s", TH_STR_ARG(part->step));
        else if (part->step.len)
            th__buf_printf(out, " what follows %.*s", TH_STR_ARG(part->step));
        else
            th__buf_printf(out, " what comes first");
        explain_telling(part->told, part->text, part->position, out);
        th__buf_printf(out, ", in");
    }
}

static const char *ending_of(const th__field_rule *rule)
{
    if (rule->joins)
        return rule->joins > 0 ? ": part of the next" : ": part of the last";
    return rule->name.ptr ? "" : ": no value";
}

void th__fields_explain(const th__fields *fields, th__buf *out)
{
    static const char *const what[] = {"text of", "target of", "source of", "attribute",
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
        if (rule->kind == TH__ITEM_ATTRIBUTE)
            th__buf_printf(out, " %.*s of", TH_STR_ARG(rule->attribute));
        explain_parts(rule, out);
        bool heading = th__path_is_heading(rule->path);
        th__buf_printf(out, " %s%.*s", heading ? "the last heading above, " : "",
                       (int)rule->path.len - heading, rule->path.ptr + heading);
        if (!rule->path.len)
            th__buf_printf(out, "%s",
                           fields->several ? "the text between its elements" : "the record itself");
        if (rule->part)
            th__buf_printf(out, " of part %u", rule->part + 1);
        explain_telling(rule->told, rule->text, rule->position, out);
        th__buf_printf(out, "%s%s\n", rule->list ? ", all of them" : "", ending_of(rule));
    }
}
