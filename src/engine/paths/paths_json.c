/*
 * paths_json.c: rules of the paths engine as JSON and in words.
 *
 *     {"fields": [{"name": "price", "rules": [
 *         {"by": "id", "path": "#facts > td", "told": "before", "text": "Price:"},
 *         {"by": "end", "path": "div > p.price > b", "pick": 1, "otherwise": true}]}]}
 */
#include "base/error.h"
#include "base/intern.h"
#include "data/schema.h"
#include "engine/paths/paths.h"

/* By th__address, th__teller and th__unit_kind. */
static const char *const addresses[] = {"classes",      "id",        "end",      "element", "tags",
                                        "id positions", "positions", "anywhere", NULL};
static const char *const tellers[] = {"nothing", "before", "caption", "heading",
                                      "after",   "start",  NULL};
static const char *const kinds[] = {"text", "element", "attribute", NULL};

static void write_text(th__json *json, th_str key, th_str text)
{
    if (!text.len)
        return;
    th__json_key(json, key);
    th__json_str(json, text);
}

/* All of a rule but the brackets. */
static void write_rule(const th__path_rule *rule, th__json *json)
{
    write_text(json, TH_STR("by"), th_str_from(addresses[rule->address]));
    write_text(json, TH_STR("path"), rule->path);
    if (rule->kind != TH__UNIT_TEXT)
        write_text(json, TH_STR("kind"), th_str_from(kinds[rule->kind]));
    if (rule->kind == TH__UNIT_ATTRIBUTE)
        write_text(json, TH_STR("attribute"), th_str_from(th__unit_attributes[rule->attribute]));
    if (rule->slot) {
        th__json_put_uint(json, "slot", (uint64_t)rule->slot + 1);
    }
    if (rule->teller) {
        write_text(json, TH_STR("told"), th_str_from(tellers[rule->teller]));
        write_text(json, TH_STR("text"), rule->told);
    }
    if (rule->pick) {
        th__json_key(json, rule->pick > 0 ? TH_STR("pick") : TH_STR("pick_from_end"));
        th__json_uint(json, (uint64_t)(rule->pick > 0 ? rule->pick : -rule->pick));
    }
    write_text(json, rule->cut.last ? TH_STR("after_last") : TH_STR("after"), rule->cut.after);
    write_text(json, TH_STR("before"), rule->cut.before);
    th__json_put_true(json, "otherwise", rule->otherwise);
    th__json_put_true(json, "alone", rule->alone);
}

static void write_views(const th__path_field *field, th__json *json)
{
    if (field->view_count) {
        th__json_key(json, TH_STR("views"));
        th__json_begin_array(json);
        for (uint32_t i = 0; i < field->view_count; i++) {
            th__json_begin_object(json);
            write_rule(&field->views[i].rule, json);
            th__json_put_uint(json, "of", (uint64_t)field->views[i].of + 1);
            th__json_put_uint(json, "weight", (uint64_t)(1000 * field->views[i].weight + 0.5));
            th__json_end_object(json);
        }
        th__json_end_array(json);
    }
    if (field->seen.pages) {
        th__json_key(json, TH_STR("seen"));
        th__json_begin_object(json);
        th__json_put_uint(json, "pages", field->seen.pages);
        th__json_put_uint(json, "least", field->seen.least);
        th__json_put_uint(json, "most", field->seen.most);
        th__json_put_uint(json, "beside", field->seen.beside);
        th__json_end_object(json);
    }
}

void th__paths_write(const void *context, th__json *json)
{
    const th__path_rules *rules = context;
    th__json_begin_object(json);
    th__json_key(json, TH_STR("fields"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < rules->count; i++) {
        const th__path_field *field = &rules->fields[i];
        th__json_begin_object(json);
        th__json_key(json, TH_STR("name"));
        th__json_str(json, field->name);
        th__json_key(json, TH_STR("rules"));
        th__json_begin_array(json);
        for (uint32_t j = 0; j < field->count; j++) {
            th__json_begin_object(json);
            write_rule(&field->rules[j], json);
            th__json_end_object(json);
        }
        th__json_end_array(json);
        write_views(field, json);
        th__json_end_object(json);
    }
    th__json_end_array(json);
    th__json_end_object(json);
}

/* ---- reading --------------------------------------------------------------------------------- */

static th_status read_address(th__rule_reader *reader, json_t *json, th__arena *arena,
                              th__path_rule *rule)
{
    unsigned address = TH__BY_CLASSES, kind = TH__UNIT_TEXT, attribute = 0;
    uint64_t slot = 1;
    th_status status = th__rule_word(reader, json, "by", addresses, &address);
    if (!status)
        status = th__rule_word(reader, json, "kind", kinds, &kind);
    if (!status)
        status = th__rule_word(reader, json, "attribute", th__unit_attributes, &attribute);
    if (!status)
        status = th__rule_number(reader, json, "slot", false, UINT32_MAX, &slot);
    if (!status)
        status = th__rule_text(reader, json, "path", false, arena, &rule->path);
    if (status)
        return status;
    if (!slot)
        return th__rule_fault(reader, "slots are counted from 1");
    rule->address = (uint8_t)address;
    rule->kind = (uint8_t)kind;
    rule->attribute = (uint8_t)attribute;
    rule->slot = (uint32_t)slot - 1;
    if (th__unit_key_read((th__address)address, rule->path, (th__unit_kind)kind, rule->attribute,
                        rule->slot, &rule->key))
        return TH_OK;
    return th__rule_fault(reader, "path is no address by %s", addresses[address]);
}

static th_status read_rule(th__rule_reader *reader, json_t *json, th__arena *arena,
                           th__path_rule *rule)
{
    unsigned teller = TH__TOLD_BY_NOTHING;
    uint64_t pick = 0, from_end = 0;
    if (!json_is_object(json))
        return th__rule_fault(reader, "must be an object");
    th_status status = read_address(reader, json, arena, rule);
    if (!status)
        status = th__rule_word(reader, json, "told", tellers, &teller);
    if (!status)
        status = th__rule_text(reader, json, "text", teller != 0, arena, &rule->told);
    if (!status)
        status = th__rule_number(reader, json, "pick", false, TH__PATHS_MAX_PICK, &pick);
    if (!status)
        status =
            th__rule_number(reader, json, "pick_from_end", false, TH__PATHS_MAX_PICK, &from_end);
    if (!status)
        status = th__rule_text(reader, json, "after", false, arena, &rule->cut.after);
    if (!status && !rule->cut.after.len) {
        status = th__rule_text(reader, json, "after_last", false, arena, &rule->cut.after);
        rule->cut.last = rule->cut.after.len > 0;
    }
    if (!status)
        status = th__rule_text(reader, json, "before", false, arena, &rule->cut.before);
    if (!status)
        status = th__rule_bool(reader, json, "otherwise", &rule->otherwise);
    if (!status)
        status = th__rule_bool(reader, json, "alone", &rule->alone);
    if (!status && pick && from_end)
        status = th__rule_fault(reader, "has both pick and pick_from_end");
    rule->teller = (uint8_t)teller;
    rule->telling = teller ? th__text_hash(rule->told) : 0;
    rule->pick = pick ? (int32_t)pick : -(int32_t)from_end;
    return status;
}

/* Which member of the record a field is, and whether it is a list. */
static th_status find_member(th__rule_reader *reader, const th_schema *schema,
                             th__path_field *field)
{
    const th_type *tuple = th__type_strip(th_schema_record_type(schema));
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

static th_status read_view(th__rule_reader *reader, json_t *json, th__arena *arena,
                           const th__path_field *field, th__path_view *view)
{
    uint64_t of = 1, weight = 0;
    th_status status = read_rule(reader, json, arena, &view->rule);
    if (!status)
        status = th__rule_number(reader, json, "of", false, field->count, &of);
    if (!status)
        status = th__rule_number(reader, json, "weight", true, 1000, &weight);
    if (!status && (!of || !field->count))
        status = th__rule_fault(reader, "is the view of no rule");
    view->of = (uint32_t)of - 1;
    view->weight = (double)weight / 1000;
    return status;
}

static th_status read_seen(th__rule_reader *reader, json_t *json, th__path_seen *seen)
{
    json_t *object = NULL;
    uint64_t pages = 0, least = 0, most = 0, beside = 0;
    th_status status = th__rule_object(reader, json, "seen", false, &object);
    if (status || !object)
        return status;
    size_t mark = th__rule_enter(reader, "seen");
    status = th__rule_number(reader, object, "pages", true, UINT32_MAX, &pages);
    if (!status)
        status = th__rule_number(reader, object, "least", true, UINT32_MAX, &least);
    if (!status)
        status = th__rule_number(reader, object, "most", true, UINT32_MAX, &most);
    if (!status)
        status = th__rule_number(reader, object, "beside", true, UINT32_MAX, &beside);
    th__rule_leave(reader, mark);
    *seen = (th__path_seen){(uint32_t)pages, (uint32_t)least, (uint32_t)most, (uint32_t)beside};
    return status;
}

/* What is for questions: there may be none. */
static th_status read_views(th__rule_reader *reader, json_t *json, th__arena *arena,
                            th__path_field *field)
{
    json_t *views = NULL;
    th_status status = read_seen(reader, json, &field->seen);
    if (status || !json_object_get(json, "views"))
        return status;
    status = th__rule_array(reader, json, "views", 0, TH__PATHS_MAX_VIEWS, &views);
    if (status)
        return status;
    field->view_count = (uint32_t)json_array_size(views);
    field->views = th__arena_zero(arena, field->view_count + 1, sizeof *field->views);
    if (!field->views)
        return th__fail_memory(reader->err);
    size_t mark = th__rule_enter(reader, "views");
    for (uint32_t i = 0; !status && i < field->view_count; i++) {
        size_t item = th__rule_enter_item(reader, i);
        status = read_view(reader, json_array_get(views, i), arena, field, &field->views[i]);
        th__rule_leave(reader, item);
    }
    th__rule_leave(reader, mark);
    return status;
}

static th_status read_field(th__rule_reader *reader, json_t *json, const th_schema *schema,
                            th__arena *arena, th__path_field *field)
{
    json_t *rules;
    if (!json_is_object(json))
        return th__rule_fault(reader, "must be an object");
    th_status status = th__rule_text(reader, json, "name", true, arena, &field->name);
    if (!status)
        status = find_member(reader, schema, field);
    if (!status)
        status = th__rule_array(reader, json, "rules", 0, TH__PATHS_MAX_RULES, &rules);
    if (status)
        return status;
    field->count = (uint32_t)json_array_size(rules);
    field->rules = th__arena_zero(arena, field->count + 1, sizeof *field->rules);
    if (!field->rules)
        return th__fail_memory(reader->err);
    size_t mark = th__rule_enter(reader, "rules");
    for (uint32_t i = 0; !status && i < field->count; i++) {
        size_t item = th__rule_enter_item(reader, i);
        status = read_rule(reader, json_array_get(rules, i), arena, &field->rules[i]);
        th__rule_leave(reader, item);
    }
    th__rule_leave(reader, mark);
    return status ? status : read_views(reader, json, arena, field);
}

th_status th__paths_read(th__rule_reader *reader, json_t *json, const th_schema *schema,
                         th__arena *arena, void **out)
{
    json_t *fields;
    const th_type *root = th_schema_root(schema);
    if (th__type_strip(root)->kind != TH_TYPE_TUPLE)
        return th__rule_fault(reader, "the schema must be of one record a page, a tuple");
    th_status status = th__rule_array(reader, json, "fields", 0, TH__PATHS_MAX_FIELDS, &fields);
    if (status)
        return status;
    th__path_rules *rules = th__arena_zero(arena, 1, sizeof *rules);
    size_t count = json_array_size(fields);
    if (rules)
        rules->fields = th__arena_zero(arena, count + 1, sizeof *rules->fields);
    if (!rules || !rules->fields)
        return th__fail_memory(reader->err);
    rules->count = (uint32_t)count;
    size_t mark = th__rule_enter(reader, "fields");
    for (uint32_t i = 0; !status && i < count; i++) {
        size_t item = th__rule_enter_item(reader, i);
        status = read_field(reader, json_array_get(fields, i), schema, arena, &rules->fields[i]);
        th__rule_leave(reader, item);
    }
    th__rule_leave(reader, mark);
    *out = rules;
    return status;
}

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
        th__buf_printf(out, "the attribute %s of ", th__unit_attributes[rule->attribute]);
    else if (rule->kind == TH__UNIT_ELEMENT)
        th__buf_printf(out, "all text of ");
    else if (rule->slot)
        th__buf_printf(out, "text %u of ", rule->slot + 1);
    if (rule->path.len)
        th__buf_printf(out, "%.*s", TH_STR_ARG(rule->path));
    else
        th__buf_printf(out, "any text");
    if (rule->teller)
        th__buf_printf(out, " %s \"%.*s\"", told[rule->teller], TH_STR_ARG(rule->told));
    if (rule->cut.after.len)
        th__buf_printf(out, ", from behind %s\"%.*s\"", rule->cut.last ? "the last " : "",
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
