/*
 * softmealy_json.c: rules to JSON and back. Contexts are written as the paper writes them.
 *
 * States are "b", "e", "*", "=name" for an attribute and "-name" for its dummy. A wrapper from
 * outside is data: every name, number and size is checked, and what would make it run slower or
 * larger than a learnt one is refused.
 */
#include "engine/papers/softmealy/softmealy.h"

#include "base/error.h"
#include "wrapper/rule_table.h"

enum {
    MAX_EDGES = 65536,
    MAX_GROUPS = 4096,
    MAX_SIDE = 4096,
    MAX_COMPILED = 1 << 20 /* rules of all states together */
};

/* By th__sm_blanks. */
static const char *const blanks[] = {"all", "lines", "none", NULL};

/* ---- contexts, as the paper writes them ------------------------------------------------------ */

static th_status parse_context(th__rule_reader *reader, th_str text, int left, void *context)
{
    const char *fault;
    size_t where;
    if (th__sm_context_parse(text, left, reader->arena, context, &fault, &where))
        return TH_OK;
    return fault ? th__rule_fault(reader, "byte %zu: %s", where, fault)
                 : th__fail_memory(reader->err);
}

static void print_context(const void *root, const void *context, int left, th__buf *out)
{
    th__sm_context_print(context, left, out);
}

static const th__rule_member left_items[] = {
    {.type = TH__RULE_PARSED, .parse = parse_context, .print = print_context, .way = true}};
static const th__rule_shape left_shape = TH__SHAPE(th__sm_context, left_items);
static const th__rule_member right_items[] = {
    {.type = TH__RULE_PARSED, .parse = parse_context, .print = print_context}};
static const th__rule_shape right_shape = TH__SHAPE(th__sm_context, right_items);

/* ---- attributes ------------------------------------------------------------------------------ */

/* One of the attributes that were read before. */
static bool find_attribute(const th__sm_rules *rules, th_str path, uint32_t *out)
{
    for (*out = 0; *out < rules->attribute_count; ++*out)
        if (th__str_eq(rules->attributes[*out].path, path))
            return true;
    return false;
}

static th_status check_field(th__rule_reader *reader, void *object)
{
    const th__sm_fields *fields = reader->context;
    th__sm_attribute *attribute = object;
    uint32_t other;
    attribute->leaf = th__sm_fields_find(fields, attribute->path);
    if (attribute->leaf == fields->len)
        return th__rule_fault(reader, "the schema has no field \"%.*s\"",
                              TH_STR_ARG(attribute->path));
    return find_attribute(reader->root, attribute->path, &other)
               ? th__rule_fault(reader, "the field appears twice")
               : TH_OK;
}

static th_status check_many(th__rule_reader *reader, void *object)
{
    const th__sm_attribute *attribute = object;
    return attribute->many && !((th__sm_fields *)reader->context)->data[attribute->leaf].many
               ? th__rule_fault(reader, "the schema has one value of it")
               : TH_OK;
}

static th_status read_same_as(th__rule_reader *reader, json_t *json, void *object)
{
    const th__sm_rules *rules = reader->root;
    th__sm_attribute *attribute = object;
    th_str same = {0};
    th_status status = th__rule_text(reader, json, "same_as", false, reader->arena, &same);
    attribute->same_as = rules->attribute_count;
    if (status || !same.ptr)
        return status;
    return find_attribute(rules, same, &attribute->same_as) &&
                   rules->attributes[attribute->same_as].same_as == attribute->same_as
               ? TH_OK
               : th__rule_fault_in(reader, "same_as",
                                   "must be the field of an attribute before this one that has a "
                                   "place of its own");
}

static void write_same_as(const void *root, const void *object, th__json *json)
{
    const th__sm_rules *rules = root;
    const th__sm_attribute *attribute = object;
    if (attribute->same_as != (uint32_t)(attribute - rules->attributes))
        th__json_put_text(json, "same_as", rules->attributes[attribute->same_as].path);
}

static const th__rule_member attribute_members[] = {
    {TH__TEXT("field", th__sm_attribute, path), .flags = TH__NEEDED | TH__FIELD_NAME,
     .check = check_field},
    {TH__TEXT("attribute", th__sm_attribute, source), .flags = TH__EMPTY},
    {TH__FLAG("many", th__sm_attribute, many), .check = check_many},
    {TH__OWN("same_as", read_same_as, write_same_as)},
};
static const th__rule_shape attribute_shape = TH__SHAPE(th__sm_attribute, attribute_members);

/* ---- edges ----------------------------------------------------------------------------------- */

static th_status check_side(th__rule_reader *reader, const char *key,
                            const th__sm_context *contexts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (contexts[i].count > TH__SM_MAX_CONTEXT) {
            th__rule_enter(reader, key);
            th__rule_enter_item(reader, i);
            return th__rule_fault(
                reader, "has %u tokens; a context that is not a string rule can have at most %d",
                contexts[i].count, TH__SM_MAX_CONTEXT);
        }
    return TH_OK;
}

static th_status check_group(th__rule_reader *reader, void *object)
{
    const th__sm_group *group = object;
    if (group->string)
        return TH_OK;
    th_status status = check_side(reader, "left", group->lefts, group->left_count);
    return status ? status : check_side(reader, "right", group->rights, group->right_count);
}

static const th__rule_member group_members[] = {
    {TH__FLAG("string", th__sm_group, string)},
    {TH__LIST("left", th__sm_group, lefts, left_count, left_shape, 1, MAX_SIDE),
     .flags = TH__NEEDED},
    {TH__LIST("right", th__sm_group, rights, right_count, right_shape, 1, MAX_SIDE),
     .flags = TH__NEEDED},
};
static const th__rule_shape group_shape =
    TH__CHECKED_SHAPE(th__sm_group, group_members, check_group);

static th_status parse_state(th__rule_reader *reader, th_str text, int source, void *state)
{
    const th__sm_rules *rules = reader->root;
    th__sm_state *out = state;
    th_str name = {text.ptr + (text.len > 0), text.len - (text.len > 0)};
    uint32_t k;
    if (th__str_eq(text, TH_STR("*")))
        *out = TH__SM_ANY;
    else if (th__str_eq(text, TH_STR("b")) || (!source && th__str_eq(text, TH_STR("e"))))
        *out = text.ptr[0] == 'b' ? TH__SM_BEGIN : TH__SM_END;
    else if (text.len && (text.ptr[0] == '=' || text.ptr[0] == '-') &&
             find_attribute(rules, name, &k) && rules->attributes[k].same_as == k)
        *out = text.ptr[0] == '=' ? th__sm_attribute_state(k) : th__sm_dummy_state(k);
    else
        return th__rule_fault(reader,
                              "must be a state: \"b\", %s\"*\", \"=FIELD\" or \"-FIELD\" of an "
                              "attribute that has a place of its own",
                              source ? "" : "\"e\", ");
    return TH_OK;
}

static void print_state(const void *root, const void *state, int source, th__buf *out)
{
    if (th__sm_is_attribute(*(const th__sm_state *)state))
        th__buf_add_byte(out, '=');
    th__sm_state_print(root, *(const th__sm_state *)state, out);
}

/* An edge leads from a value to a dummy, a value or the end, or from what is no value to one; or
 * back to where it begins, to stay there. */
static bool edge_makes_sense(const th__sm_edge *edge)
{
    if (edge->from == edge->to && edge->from != TH__SM_ANY)
        return true;
    if (edge->from == TH__SM_ANY)
        return th__sm_is_attribute(edge->to) || edge->to == TH__SM_ANY;
    if (!th__sm_is_attribute(edge->from))
        return th__sm_is_attribute(edge->to);
    return edge->to == TH__SM_END || edge->to == TH__SM_ANY || th__sm_is_attribute(edge->to) ||
           edge->to == edge->from + 1;
}

static th_status check_edge(th__rule_reader *reader, void *edge)
{
    return edge_makes_sense(edge)
               ? TH_OK
               : th__rule_fault(reader, "an edge leads into an attribute, from one to its dummy or "
                                        "to \"e\", or to where it begins");
}

static const th__rule_member edge_members[] = {
    {TH__PARSED("from", th__sm_edge, from, parse_state, print_state), .way = true,
     .flags = TH__NEEDED},
    {TH__PARSED("to", th__sm_edge, to, parse_state, print_state), .flags = TH__NEEDED,
     .check = check_edge},
    {TH__LIST("rules", th__sm_edge, groups, group_count, group_shape, 1, MAX_GROUPS),
     .flags = TH__NEEDED},
};
static const th__rule_shape edge_shape = TH__SHAPE(th__sm_edge, edge_members);

static th_status check_edges(th__rule_reader *reader, void *rules)
{
    return th__sm_rules_size(rules) <= MAX_COMPILED
               ? TH_OK
               : th__rule_fault(reader, "more rules than a wrapper may have");
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Files say whether tags are ground only where it is not so by default: the paper has tokens of
 * blanks and no ground tags, we have neither. */
static bool ground_by_default(const th__sm_rules *rules)
{
    return rules->lexing.blanks != TH__SM_ALL_BLANKS;
}

static th_status read_ground(th__rule_reader *reader, json_t *json, void *object)
{
    th__sm_rules *rules = object;
    rules->ground_html = ground_by_default(rules);
    return th__rule_bool(reader, json, "ground_html", &rules->ground_html);
}

static void write_ground(const void *root, const void *object, th__json *json)
{
    const th__sm_rules *rules = object;
    if (rules->ground_html == ground_by_default(rules))
        return;
    th__json_key(json, TH_STR("ground_html"));
    th__json_bool(json, rules->ground_html);
}

static bool has_choice(const th_type *type)
{
    if (th_type_get_kind(type) == TH_TYPE_CHOICE)
        return true;
    for (size_t i = 0; i < th_type_count(type); i++)
        if (has_choice(th_type_child(type, i)))
            return true;
    return false;
}

static th_status begin_rules(th__rule_reader *reader, void *rules)
{
    ((th__sm_rules *)rules)->one_record =
        th_type_get_kind(th_schema_root(reader->schema)) != TH_TYPE_LIST;
    return has_choice(th_schema_record_type(reader->schema))
               ? th__rule_fault(reader,
                                "SoftMealy does not support alternatives, and the schema has some")
               : TH_OK;
}

static th_status compile_rules(th__rule_reader *reader, void *rules)
{
    return th__sm_rules_compile(rules, reader->arena) ? TH_OK : th__fail_memory(reader->err);
}

static const th__rule_member rules_members[] = {
    {TH__WORD("blanks", th__sm_rules, lexing.blanks, blanks), .flags = TH__ALWAYS},
    {TH__FLAG("split", th__sm_rules, lexing.split), .flags = TH__ALWAYS},
    {TH__FLAG("resync", th__sm_rules, resync), .flags = TH__ALWAYS},
    {TH__OWN("ground_html", read_ground, write_ground)},
    {TH__FLAG("in_order", th__sm_rules, in_order)},
    {TH__LIST("attributes", th__sm_rules, attributes, attribute_count, attribute_shape, 1,
              TH__SM_MAX_ATTRIBUTES),
     .flags = TH__NEEDED},
    {TH__LIST("head", th__sm_rules, heads, head_count, left_shape, 0, MAX_SIDE),
     .flags = TH__NEEDED},
    {TH__LIST("tail", th__sm_rules, tails, tail_count, right_shape, 0, MAX_SIDE),
     .flags = TH__NEEDED},
    {TH__LIST("edges", th__sm_rules, edges, edge_count, edge_shape, 1, MAX_EDGES),
     .flags = TH__NEEDED, .check = check_edges},
};
static const th__rule_shape rules_shape = {.members = rules_members,
                                           .count = sizeof rules_members / sizeof *rules_members,
                                           .size = sizeof(th__sm_rules),
                                           .begin = begin_rules,
                                           .check = compile_rules};

void th__sm_rules_write(const th__sm_rules *rules, th__json *json)
{
    th__rule_table_write(&rules_shape, rules, json);
}

bool th__sm_rules_rename(void *rules, th__rename_fn rename, void *context)
{
    th__rule_table_rename(&rules_shape, rules, rename, context);
    return true;
}

th_status th__sm_rules_read(th__rule_reader *reader, json_t *json, const th_schema *schema,
                            th__arena *arena, th__sm_rules **out)
{
    th__sm_fields fields = {0};
    void *rules = NULL;
    th_status status = TH_OK;
    reader->schema = schema;
    reader->arena = arena;
    reader->context = &fields;
    if (!th__sm_fields_list(schema, arena, &fields))
        status = th__fail_memory(reader->err);
    if (!status)
        status = th__rule_table_read(reader, json, &rules_shape, &rules);
    th__vec_release(&fields);
    *out = rules;
    return status;
}
