/*
 * softmealy_json.c: rules to JSON and back. Contexts are written as the paper writes them.
 *
 * States are "b", "e", "*", "=name" for an attribute and "-name" for its dummy. A wrapper from
 * outside is data: every name, number and size is checked, and what would make it run slower or
 * larger than a learnt one is refused.
 */
#include "engine/papers/softmealy/softmealy.h"

#include "base/error.h"
#include "base/mem.h"

enum {
    MAX_EDGES = 65536,
    MAX_GROUPS = 4096,
    MAX_SIDE = 4096,
    MAX_COMPILED = 1 << 20 /* rules of all states together */
};

/* By th__sm_blanks. */
static const char *const blanks[] = {"all", "lines", "none", NULL};

/* ---- writing --------------------------------------------------------------------------------- */

static void write_state(const th__sm_rules *rules, th__sm_state state, th__json *json)
{
    th__buf text = {0};
    if (th__sm_is_attribute(state))
        th__buf_add_byte(&text, '=');
    th__sm_state_print(rules, state, &text);
    json->buf->failed |= text.failed;
    th__json_str(json, th__buf_str(&text));
    th__buf_release(&text);
}

static void write_contexts(const char *key, const th__sm_context *contexts, uint32_t count,
                           bool left, th__json *json)
{
    th__buf text = {0};
    th__json_key(json, th_str_from(key));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < count; i++) {
        th__buf_clear(&text);
        th__sm_context_print(&contexts[i], left, &text);
        json->buf->failed |= text.failed;
        th__json_str(json, th__buf_str(&text));
    }
    th__json_end_array(json);
    th__buf_release(&text);
}

static void write_attribute(const th__sm_rules *rules, uint32_t k, th__json *json)
{
    const th__sm_attribute *attribute = &rules->attributes[k];
    th__json_begin_object(json);
    th__json_key(json, TH_STR("field"));
    th__json_str(json, attribute->path);
    if (attribute->source.ptr) {
        th__json_key(json, TH_STR("attribute"));
        th__json_str(json, attribute->source);
    }
    th__json_put_true(json, "many", attribute->many);
    if (attribute->same_as != k) {
        th__json_key(json, TH_STR("same_as"));
        th__json_str(json, rules->attributes[attribute->same_as].path);
    }
    th__json_end_object(json);
}

static void write_edge(const th__sm_rules *rules, const th__sm_edge *edge, th__json *json)
{
    th__json_begin_object(json);
    th__json_key(json, TH_STR("from"));
    write_state(rules, edge->from, json);
    th__json_key(json, TH_STR("to"));
    write_state(rules, edge->to, json);
    th__json_key(json, TH_STR("rules"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < edge->group_count; i++) {
        const th__sm_group *group = &edge->groups[i];
        th__json_begin_object(json);
        th__json_put_true(json, "string", group->string);
        write_contexts("left", group->lefts, group->left_count, true, json);
        write_contexts("right", group->rights, group->right_count, false, json);
        th__json_end_object(json);
    }
    th__json_end_array(json);
    th__json_end_object(json);
}

/* Files say whether tags are ground only where it is not so by default: the paper has tokens of
 * blanks and no ground tags, we have neither. */
static bool ground_by_default(const th__sm_rules *rules)
{
    return rules->lexing.blanks != TH__SM_ALL_BLANKS;
}

void th__sm_rules_write(const th__sm_rules *rules, th__json *json)
{
    th__json_begin_object(json);
    th__json_key(json, TH_STR("blanks"));
    th__json_str(json, th_str_from(blanks[rules->lexing.blanks]));
    th__json_key(json, TH_STR("split"));
    th__json_bool(json, rules->lexing.split);
    th__json_key(json, TH_STR("resync"));
    th__json_bool(json, rules->resync);
    if (rules->ground_html != ground_by_default(rules)) {
        th__json_key(json, TH_STR("ground_html"));
        th__json_bool(json, rules->ground_html);
    }
    if (rules->in_order) {
        th__json_key(json, TH_STR("in_order"));
        th__json_bool(json, true);
    }
    th__json_key(json, TH_STR("attributes"));
    th__json_begin_array(json);
    for (uint32_t k = 0; k < rules->attribute_count; k++)
        write_attribute(rules, k, json);
    th__json_end_array(json);
    write_contexts("head", rules->heads, rules->head_count, true, json);
    write_contexts("tail", rules->tails, rules->tail_count, false, json);
    th__json_key(json, TH_STR("edges"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < rules->edge_count; i++)
        write_edge(rules, &rules->edges[i], json);
    th__json_end_array(json);
    th__json_end_object(json);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
    th__rule_reader *reader;
    th__arena *arena;
    th__sm_rules *rules;
    th__sm_fields fields;
};

static bool has_choice(const th_type *type)
{
    if (th_type_get_kind(type) == TH_TYPE_CHOICE)
        return true;
    for (size_t i = 0; i < th_type_count(type); i++)
        if (has_choice(th_type_child(type, i)))
            return true;
    return false;
}

static bool find_attribute(const th__sm_rules *rules, th_str path, uint32_t *out)
{
    for (*out = 0; *out < rules->attribute_count; ++*out)
        if (th__str_eq(rules->attributes[*out].path, path))
            return true;
    return false;
}

static th_status read_same_as(struct reading *r, json_t *json, uint32_t k)
{
    th__sm_attribute *attribute = &r->rules->attributes[k];
    th_str same = {0};
    uint32_t other;
    th_status status = th__rule_text(r->reader, json, "same_as", false, r->arena, &same);
    attribute->same_as = k;
    if (status || !same.ptr)
        return status;
    size_t mark = th__rule_enter(r->reader, "same_as");
    if (!find_attribute(r->rules, same, &other) || other >= k ||
        r->rules->attributes[other].same_as != other)
        status = th__rule_fault(r->reader, "must be the field of an attribute before this one that "
                                           "has a place of its own");
    else
        attribute->same_as = other;
    th__rule_leave(r->reader, mark);
    return status;
}

static th_status read_attribute(struct reading *r, json_t *json, uint32_t k)
{
    th__sm_attribute *attribute = &r->rules->attributes[k];
    uint32_t other;
    if (!json_is_object(json))
        return th__rule_fault(r->reader, "must be an object");
    th_status status = th__rule_text(r->reader, json, "field", true, r->arena, &attribute->path);
    if (!status)
        status = th__rule_text(r->reader, json, "attribute", false, r->arena, &attribute->source);
    if (status)
        return status;
    size_t mark = th__rule_enter(r->reader, "field");
    uint32_t leaf = th__sm_fields_find(&r->fields, attribute->path);
    if (leaf == r->fields.len)
        status = th__rule_fault(r->reader, "the schema has no field \"%.*s\"",
                                TH_STR_ARG(attribute->path));
    else if (find_attribute(r->rules, attribute->path, &other) && other < k)
        status = th__rule_fault(r->reader, "the field was given before");
    th__rule_leave(r->reader, mark);
    if (status)
        return status;
    attribute->leaf = leaf;
    status = th__rule_bool(r->reader, json, "many", &attribute->many);
    if (!status && attribute->many && !r->fields.data[leaf].many) {
        mark = th__rule_enter(r->reader, "many");
        status = th__rule_fault(r->reader, "the schema has one value of it");
        th__rule_leave(r->reader, mark);
    }
    return status ? status : read_same_as(r, json, k);
}

static th_status read_attributes(struct reading *r, json_t *json)
{
    json_t *list;
    th_status status =
        th__rule_array(r->reader, json, "attributes", 1, TH__SM_MAX_ATTRIBUTES, &list);
    if (status)
        return status;
    uint32_t count = (uint32_t)json_array_size(list);
    r->rules->attributes = th__arena_zero(r->arena, count + 1, sizeof *r->rules->attributes);
    if (!r->rules->attributes)
        return th__fail_memory(r->reader->err);
    size_t mark = th__rule_enter(r->reader, "attributes");
    for (uint32_t k = 0; !status && k < count; k++) {
        size_t item = th__rule_enter_item(r->reader, k);
        r->rules->attribute_count = k + 1;
        status = read_attribute(r, json_array_get(list, k), k);
        th__rule_leave(r->reader, item);
    }
    th__rule_leave(r->reader, mark);
    return status;
}

static th_status read_context(struct reading *r, json_t *json, bool left, bool string,
                              th__sm_context *out)
{
    const char *fault;
    size_t where;
    if (!json_is_string(json))
        return th__rule_fault(r->reader, "must be a text: tokens as in \"Punc(,) Html(_)\"");
    th_str text = {json_string_value(json), json_string_length(json)};
    if (!th__sm_context_parse(text, left, r->arena, out, &fault, &where))
        return fault ? th__rule_fault(r->reader, "byte %zu: %s", where, fault)
                     : th__fail_memory(r->reader->err);
    if (!string && out->count > TH__SM_MAX_CONTEXT)
        return th__rule_fault(r->reader,
                              "has %u tokens; a context that is no string rule has %d "
                              "at most",
                              out->count, TH__SM_MAX_CONTEXT);
    return TH_OK;
}

static th_status read_contexts(struct reading *r, json_t *json, const char *key, size_t least,
                               bool left, bool string, th__sm_context **out, uint32_t *count)
{
    json_t *list;
    th_status status = th__rule_array(r->reader, json, key, least, MAX_SIDE, &list);
    if (status)
        return status;
    *count = (uint32_t)json_array_size(list);
    *out = th__arena_zero(r->arena, *count + 1, sizeof **out);
    if (!*out)
        return th__fail_memory(r->reader->err);
    size_t mark = th__rule_enter(r->reader, key);
    for (uint32_t i = 0; !status && i < *count; i++) {
        size_t item = th__rule_enter_item(r->reader, i);
        status = read_context(r, json_array_get(list, i), left, string, &(*out)[i]);
        th__rule_leave(r->reader, item);
    }
    th__rule_leave(r->reader, mark);
    return status;
}

static th_status read_state(struct reading *r, json_t *json, const char *key, bool source,
                            th__sm_state *out)
{
    th_str text = {0};
    uint32_t k;
    th_status status = th__rule_text(r->reader, json, key, true, r->arena, &text);
    if (status)
        return status;
    th_str name = {text.ptr + (text.len > 0), text.len - (text.len > 0)};
    if (th__str_eq(text, TH_STR("*"))) {
        *out = TH__SM_ANY;
        return TH_OK;
    }
    if (th__str_eq(text, TH_STR("b")) || (!source && th__str_eq(text, TH_STR("e")))) {
        *out = text.ptr[0] == 'b' ? TH__SM_BEGIN : TH__SM_END;
        return TH_OK;
    }
    if (text.len && (text.ptr[0] == '=' || text.ptr[0] == '-') &&
        find_attribute(r->rules, name, &k) && r->rules->attributes[k].same_as == k) {
        *out = text.ptr[0] == '=' ? th__sm_attribute_state(k) : th__sm_dummy_state(k);
        return TH_OK;
    }
    size_t mark = th__rule_enter(r->reader, key);
    status = th__rule_fault(r->reader,
                            "must be a state: \"b\", %s\"*\", \"=FIELD\" or \"-FIELD\" of an "
                            "attribute that has a place of its own",
                            source ? "" : "\"e\", ");
    th__rule_leave(r->reader, mark);
    return status;
}

static th_status read_groups(struct reading *r, json_t *json, th__sm_edge *edge)
{
    json_t *list;
    th_status status = th__rule_array(r->reader, json, "rules", 1, MAX_GROUPS, &list);
    if (status)
        return status;
    edge->group_count = (uint32_t)json_array_size(list);
    edge->groups = th__arena_zero(r->arena, edge->group_count, sizeof *edge->groups);
    if (!edge->groups)
        return th__fail_memory(r->reader->err);
    size_t mark = th__rule_enter(r->reader, "rules");
    for (uint32_t i = 0; !status && i < edge->group_count; i++) {
        th__sm_group *group = &edge->groups[i];
        json_t *item = json_array_get(list, i);
        size_t inner = th__rule_enter_item(r->reader, i);
        status = json_is_object(item) ? th__rule_bool(r->reader, item, "string", &group->string)
                                      : th__rule_fault(r->reader, "must be an object");
        if (!status)
            status = read_contexts(r, item, "left", 1, true, group->string, &group->lefts,
                                   &group->left_count);
        if (!status)
            status = read_contexts(r, item, "right", 1, false, group->string, &group->rights,
                                   &group->right_count);
        th__rule_leave(r->reader, inner);
    }
    th__rule_leave(r->reader, mark);
    return status;
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

static th_status read_edges(struct reading *r, json_t *json)
{
    json_t *list;
    th_status status = th__rule_array(r->reader, json, "edges", 1, MAX_EDGES, &list);
    if (status)
        return status;
    r->rules->edges = th__arena_zero(r->arena, json_array_size(list), sizeof *r->rules->edges);
    if (!r->rules->edges)
        return th__fail_memory(r->reader->err);
    size_t mark = th__rule_enter(r->reader, "edges");
    for (uint32_t i = 0; !status && i < json_array_size(list); i++) {
        th__sm_edge *edge = &r->rules->edges[i];
        json_t *item = json_array_get(list, i);
        size_t inner = th__rule_enter_item(r->reader, i);
        status = json_is_object(item) ? read_state(r, item, "from", true, &edge->from)
                                      : th__rule_fault(r->reader, "must be an object");
        if (!status)
            status = read_state(r, item, "to", false, &edge->to);
        if (!status && !edge_makes_sense(edge))
            status = th__rule_fault(r->reader, "an edge leads into an attribute, from one to its "
                                               "dummy or to \"e\", or to where it begins");
        if (!status)
            status = read_groups(r, item, edge);
        r->rules->edge_count = i + 1;
        th__rule_leave(r->reader, inner);
    }
    if (!status && th__sm_rules_size(r->rules) > MAX_COMPILED)
        status = th__rule_fault(r->reader, "there are more rules than a wrapper may have");
    th__rule_leave(r->reader, mark);
    return status;
}

static th_status read_all(struct reading *r, json_t *json)
{
    th__sm_rules *rules = r->rules;
    unsigned kept = TH__SM_ALL_BLANKS;
    th_status status = th__rule_word(r->reader, json, "blanks", blanks, &kept);
    rules->lexing.blanks = (uint8_t)kept;
    if (!status)
        status = th__rule_bool(r->reader, json, "split", &rules->lexing.split);
    if (!status)
        status = th__rule_bool(r->reader, json, "resync", &rules->resync);
    rules->ground_html = ground_by_default(rules);
    if (!status)
        status = th__rule_bool(r->reader, json, "ground_html", &rules->ground_html);
    if (!status)
        status = th__rule_bool(r->reader, json, "in_order", &rules->in_order);
    if (!status)
        status = read_attributes(r, json);
    if (!status)
        status = read_contexts(r, json, "head", 0, true, true, &rules->heads, &rules->head_count);
    if (!status)
        status = read_contexts(r, json, "tail", 0, false, true, &rules->tails, &rules->tail_count);
    if (!status)
        status = read_edges(r, json);
    if (!status && !th__sm_rules_compile(rules, r->arena))
        status = th__fail_memory(r->reader->err);
    return status;
}

th_status th__sm_rules_read(th__rule_reader *reader, json_t *json, const th_schema *schema,
                            th__arena *arena, th__sm_rules **out)
{
    struct reading r = {
        .reader = reader, .arena = arena, .rules = th__arena_zero(arena, 1, sizeof(th__sm_rules))};
    const th_type *type = th_schema_record_type(schema);
    th_status status = TH_OK;
    *out = r.rules;
    if (!r.rules || !th__sm_fields_list(schema, arena, &r.fields))
        status = th__fail_memory(reader->err);
    else if (has_choice(type))
        status = th__rule_fault(reader, "SoftMealy's records have no alternatives, and the schema "
                                        "has");
    if (!status) {
        r.rules->one_record = th_type_get_kind(th_schema_root(schema)) != TH_TYPE_LIST;
        status = read_all(&r, json);
    }
    th__vec_release(&r.fields);
    return status;
}
