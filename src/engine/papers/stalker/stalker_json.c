/*
 * stalker_json.c: rules to JSON and back. See stalker_json.h.
 *
 * Nodes follow the schema: they are made before a file is read, and the file fills them.
 */
#include "engine/papers/stalker/stalker.h"

#include "base/error.h"
#include "wrapper/rule_table.h"

enum { MAX_WEIGHT = 1000000, MAX_NTH = 1 << 30 };

#define TO_END "ToEnd()" /* leads to the end of what is searched */

/* By th__thing_kind, by th__list_kind, and what a run begins with. */
static const char *const things[] = {"text", "element", NULL};
static const char *const kinds[] = {"landmarks", "signs", "lines", "single", "parts",
                                    "elements",  "texts", "runs",  NULL};
static const char *const starts[] = {"element", "text", NULL};

/* ---- landmark rules: arrays of disjuncts ----------------------------------------------------- */

static th_status read_disjunct(th__rule_reader *reader, json_t *item, bool last,
                               th__landmark_rule *rule)
{
    const char *problem = NULL;
    if (!json_is_string(item))
        return th__rule_fault(reader, "must be a text");
    th_str text = {json_string_value(item), json_string_length(item)};
    if (th__str_eq(text, TH_STR(TO_END))) {
        rule->to_end = true;
        return last ? TH_OK : th__rule_fault(reader, "stands before others, which it shuts out");
    }
    if (th__disjunct_read(text, reader->arena, rule->backward, &rule->disjuncts[rule->count],
                          &problem)) {
        rule->count++;
        return TH_OK;
    }
    return problem ? th__rule_fault(reader, "%s", problem) : th__fail_memory(reader->err);
}

static th_status read_rule(th__rule_reader *reader, json_t *json, bool backward,
                           th__landmark_rule *out)
{
    size_t count = json_array_size(json);
    th_status status = TH_OK;
    if (!json_is_array(json) || count > TH__STALKER_MAX_DISJUNCTS + 1)
        return th__rule_fault(reader, "must be an array of 0 to %d items",
                              TH__STALKER_MAX_DISJUNCTS + 1);
    out->backward = backward;
    out->disjuncts = th__arena_zero(reader->arena, count + 1, sizeof *out->disjuncts);
    if (!out->disjuncts)
        return th__fail_memory(reader->err);
    for (size_t i = 0; !status && i < count; i++) {
        size_t mark = th__rule_enter_item(reader, i);
        status = read_disjunct(reader, json_array_get(json, i), i + 1 == count, out);
        th__rule_leave(reader, mark);
    }
    return status;
}

static th_status read_forward(th__rule_reader *reader, json_t *json, void *object)
{
    return read_rule(reader, json, false, object);
}

static th_status read_backward(th__rule_reader *reader, json_t *json, void *object)
{
    return read_rule(reader, json, true, object);
}

/* The end in a backward view may be sought forward, from the start that was found: its first
 * disjunct says so. */
static th_status read_either(th__rule_reader *reader, json_t *json, void *object)
{
    const char *text = json_string_value(json_array_get(json, 0));
    return read_rule(reader, json, !text || strncmp(text, "Skip", 4) != 0, object);
}

static void write_rule(const void *root, const void *object, th__json *json)
{
    const th__landmark_rule *rule = object;
    th__buf text = {0};
    th__json_begin_array(json);
    for (uint32_t i = 0; i < rule->count; i++) {
        text.len = 0;
        th__disjunct_write(&rule->disjuncts[i], rule->backward, &text);
        th__json_str(json, th__buf_str(&text));
    }
    if (rule->to_end)
        th__json_str(json, TH_STR(TO_END));
    th__json_end_array(json);
    json->buf->failed |= text.failed;
    th__buf_release(&text);
}

static const th__rule_member forward_rule[] = {{TH__OWN(NULL, read_forward, write_rule)}};
static const th__rule_shape forward_rule_shape = TH__SHAPE(th__landmark_rule, forward_rule);
static const th__rule_member backward_rule[] = {{TH__OWN(NULL, read_backward, write_rule)}};
static const th__rule_shape backward_rule_shape = TH__SHAPE(th__landmark_rule, backward_rule);
static const th__rule_member either_rule[] = {{TH__OWN(NULL, read_either, write_rule)}};
static const th__rule_shape either_rule_shape = TH__SHAPE(th__landmark_rule, either_rule);

static th_status begin_view(th__rule_reader *reader, void *view)
{
    ((th__landmark_view *)view)->weight = 1;
    return TH_OK;
}

/* A view that was not learnt has no weight, and is not written. */
#define VIEW(starts_, ends_)                                                                       \
    {TH__UINT("weight", th__landmark_view, weight, 0, MAX_WEIGHT)},                                \
        {TH__OBJECT("start", th__landmark_view, start, starts_), .flags = TH__NEEDED},             \
    {                                                                                              \
        TH__OBJECT("end", th__landmark_view, end, ends_), .flags = TH__NEEDED                      \
    }
static const th__rule_member forward_view[] = {VIEW(forward_rule_shape, forward_rule_shape)};
static const th__rule_member backward_view[] = {VIEW(backward_rule_shape, either_rule_shape)};
static const th__rule_shape forward_view_shape = {
    .members = forward_view, .count = 3, .size = sizeof(th__landmark_view), .begin = begin_view};
static const th__rule_shape backward_view_shape = {
    .members = backward_view, .count = 3, .size = sizeof(th__landmark_view), .begin = begin_view};

/* ---- places ---------------------------------------------------------------------------------- */

static th_status read_begins(th__rule_reader *reader, json_t *json, void *object)
{
    th_str begins = {0};
    th_class cls = TH_CLASS_ANY;
    th_status status = th__rule_text(reader, json, "begins", false, reader->arena, &begins);
    if (!status && begins.ptr && !th_class_find(begins, &cls))
        status =
            th__rule_fault_in(reader, "begins", "must be a class of tokens, such as \"number\"");
    ((th__path_spec *)object)->begins = (uint8_t)cls;
    return status;
}

static void write_begins(const void *root, const void *object, th__json *json)
{
    th_class cls = (th_class)((const th__path_spec *)object)->begins;
    if (cls != TH_CLASS_ANY)
        th__json_put_text(json, "begins", th_str_from(th_class_name(cls)));
}

static th_status check_spec(th__rule_reader *reader, void *object)
{
    th__path_spec *spec = object;
    return th__path_spec_prepare(spec)
               ? TH_OK
               : th__rule_fault_in(reader, spec->mark.ptr ? "mark" : "path",
                                   "must be steps such as \"div.price > b\", below a mark such as "
                                   "\"id=price\"");
}

static const th__rule_member spec_members[] = {
    {TH__TEXT("path", th__path_spec, path), .flags = TH__NEEDED},
    {TH__UINT("steps", th__path_spec, steps, 0, 64)},
    {TH__FLAG("tags", th__path_spec, tags)},
    {TH__TEXT("mark", th__path_spec, mark), .flags = TH__EMPTY},
    {TH__UINT("cell", th__path_spec, cell, 0, 1000)},
    {TH__FLAG("plain", th__path_spec, plain)},
    {TH__FLAG("bare", th__path_spec, bare)},
    {TH__OWN("begins", read_begins, write_begins)},
};
static const th__rule_shape spec_shape = TH__CHECKED_SHAPE(th__path_spec, spec_members, check_spec);

/* A text that stands on pages as it is, and its hash. */
static th_status hash_anchor(th__rule_reader *reader, th_str text, uint64_t *hash)
{
    th__buf scratch = {0};
    *hash = th__anchor_hash(text, false, &scratch);
    th__buf_release(&scratch);
    return *hash
               ? TH_OK
               : th__rule_fault(reader, "must be a text with a letter in it, of 160 bytes at most");
}

static th_status check_anchor(th__rule_reader *reader, void *object)
{
    th__place_rule *rule = object;
    return hash_anchor(reader, rule->anchor, &rule->hash);
}

/* 1 for the first, -1 for the last. */
static th_status read_nth(th__rule_reader *reader, json_t *json, void *object)
{
    json_t *value = json_object_get(json, "nth");
    json_int_t nth = json_is_integer(value) ? json_integer_value(value) : 0;
    ((th__place_rule *)object)->nth = (int32_t)(nth > 0 ? nth - 1 : nth);
    return nth && nth <= MAX_NTH && nth >= -MAX_NTH
               ? TH_OK
               : th__rule_fault_in(reader, "nth",
                                   "must be 1, 2, ... or, from the end, -1, -2, ...");
}

static void write_nth(const void *root, const void *object, th__json *json)
{
    int32_t nth = ((const th__place_rule *)object)->nth;
    th__json_key(json, TH_STR("nth"));
    th__json_int(json, nth >= 0 ? nth + 1 : nth);
}

static const th__rule_member place_members[] = {
    {TH__TEXT("after", th__place_rule, anchor), .flags = TH__EMPTY, .check = check_anchor,
     TH__TAG(th__place_rule, side, TH__ANCHOR_AFTER)},
    {TH__TEXT("before", th__place_rule, anchor), .flags = TH__EMPTY, .check = check_anchor,
     TH__TAG(th__place_rule, side, TH__ANCHOR_BEFORE)},
    {TH__UINT("reach", th__place_rule, reach, 0, UINT32_MAX - 1), .none = TH__ANY_REACH},
    {TH__INLINE(th__place_rule, at, spec_shape)},
    {TH__OWN("nth", read_nth, write_nth)},
    {TH__FLAG("alone", th__place_rule, alone)},
    {TH__UINT("weight", th__place_rule, weight, 0, MAX_WEIGHT), .flags = TH__ALWAYS},
    {TH__UINT("against", th__place_rule, against, 0, MAX_WEIGHT), .flags = TH__ALWAYS},
};
static const th__rule_shape place_shape = TH__SHAPE(th__place_rule, place_members);

/* ---- fields ---------------------------------------------------------------------------------- */

/* Landmark rules want to know which part of an attribute is meant, too. */
static bool has_structure(const th__stalker_field *field)
{
    return field->place_count || (field->attribute.ptr && field->cut);
}

static th_status check_structure(th__rule_reader *reader, void *object)
{
    const th__stalker_field *field = object;
    if (!has_structure(field))
        return th__rule_fault_in(reader, "places", "must be an array of 1 to 8 items");
    return field->attribute.ptr && field->thing != TH__THING_NODE
               ? th__rule_fault(reader, "must be of \"element\": texts have no attributes")
               : TH_OK;
}

static const th__rule_member structure_members[] = {
    {TH__WORD("of", th__stalker_field, thing, things), .flags = TH__ALWAYS},
    {TH__FLAG("full", th__stalker_field, full)},
    {TH__FLAG("from_start", th__stalker_field, from_start)},
    {TH__FLAG("to_end", th__stalker_field, to_end)},
    {TH__UINT("weight", th__stalker_field, weight, 0, MAX_WEIGHT), .flags = TH__ALWAYS},
    {TH__LIST("places", th__stalker_field, places, place_count, place_shape, 0, TH__PLACES_MOST),
     .flags = TH__NEEDED},
    {TH__OBJECT("start", th__stalker_field, cut_start, forward_rule_shape), .flags = TH__ALWAYS,
     TH__TAG(th__stalker_field, cut, true)},
    {TH__OBJECT("end", th__stalker_field, cut_end, forward_rule_shape), .flags = TH__NEEDED,
     TH__ONLY_IF(th__stalker_field, cut, 1 << true)},
};
static const th__rule_shape structure_shape =
    TH__CHECKED_SHAPE(th__stalker_field, structure_members, check_structure);

static th_status read_structure(th__rule_reader *reader, json_t *json, void *object)
{
    static const th__rule_member structure = {TH__GROUP("structure", structure_shape)};
    return th__rule_member_read(reader, json, &structure, object);
}

static void write_structure(const void *root, const void *object, th__json *json)
{
    if (!has_structure(object))
        return;
    th__json_key(json, TH_STR("structure"));
    th__rule_write_inner(&structure_shape, root, object, json);
}

static const th__rule_member field_members[] = {
    {TH__FLAG("whole", th__stalker_field, whole)},
    {TH__FLAG("always", th__stalker_field, always)},
    {TH__FLAG("apart", th__stalker_field, apart)},
    {TH__FLAG("simple", th__stalker_field, simple)},
    {TH__FLAG("literal", th__stalker_field, literal)},
    {TH__TEXT("attribute", th__stalker_field, attribute), .flags = TH__EMPTY},
    {TH__OWN("structure", read_structure, write_structure)},
    {TH__OBJECT("forward", th__stalker_field, forward, forward_view_shape)},
    {TH__OBJECT("backward", th__stalker_field, backward, backward_view_shape)},
};
static const th__rule_shape field_shape = TH__SHAPE(th__stalker_field, field_members);

/* ---- lists ----------------------------------------------------------------------------------- */

/* The node whose list is read. */
struct list_reading {
    th__stalker_node *node;
    bool inside; /* a part of a list, which has no parts of its own */
};

static const th__rule_shape node_shape;

static th_status check_kind(th__rule_reader *reader, void *object)
{
    const struct list_reading *r = reader->context;
    uint8_t kind = ((th__stalker_list *)object)->kind;
    if (kind == TH__LIST_SINGLE && !r->node->children[0].field)
        return th__rule_fault(reader, "can be \"single\" only for a list of texts");
    if (kind == TH__LIST_PARTS && (r->inside || !r->node->children[0].field))
        return th__rule_fault(reader, "can have \"parts\" only for a list of texts, and once");
    return TH_OK;
}

static th_status check_after(th__rule_reader *reader, void *object)
{
    th__stalker_list *list = object;
    return hash_anchor(reader, list->after, &list->after_hash);
}

static th_status check_before(th__rule_reader *reader, void *object)
{
    th__stalker_list *list = object;
    return hash_anchor(reader, list->before, &list->before_hash);
}

static th_status check_span(th__rule_reader *reader, void *object)
{
    return ((th__stalker_list *)object)->span->attribute.ptr
               ? th__rule_fault(reader, "must be text: an attribute holds no items")
               : TH_OK;
}

static th_status check_sign(th__rule_reader *reader, void *object)
{
    const th__stalker_list *list = object;
    if (!th__str_trim(list->sign).len)
        return th__rule_fault(reader,
                              "must be a text, with a blank before or behind it or without");
    return list->span && ((struct list_reading *)reader->context)->node->children[0].field
               ? TH_OK
               : th__rule_fault(reader, "can be only in a list of texts with a span");
}

/* Parts are lists of the same type, without parts of their own. */
static th_status read_parts(th__rule_reader *reader, json_t *json, void *object)
{
    const th_type *type = ((struct list_reading *)reader->context)->node->type;
    th__stalker_list *list = object;
    json_t *items;
    th_status status = th__rule_array(reader, json, "parts", 1, TH__STALKER_MAX_PARTS, &items);
    if (status)
        return status;
    list->parts = th__arena_zero(reader->arena, json_array_size(items), sizeof *list->parts);
    if (!list->parts)
        return th__fail_memory(reader->err);
    size_t mark = th__rule_enter(reader, "parts");
    for (; !status && list->part_count < json_array_size(items); list->part_count++) {
        size_t inner = th__rule_enter_item(reader, list->part_count);
        th__stalker_node *part = &list->parts[list->part_count];
        if (!th__stalker_node_make(reader->arena, type, part))
            return th__fail_memory(reader->err);
        part->list->kind = TH__LIST_PARTS; /* so that it is refused inside */
        status =
            th__rule_read_inner(reader, json_array_get(items, list->part_count), &node_shape, part);
        th__rule_leave(reader, inner);
    }
    th__rule_leave(reader, mark);
    return status;
}

static void write_parts(const void *root, const void *object, th__json *json)
{
    const th__stalker_list *list = object;
    th__json_key(json, TH_STR("parts"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < list->part_count; i++)
        th__rule_write_inner(&node_shape, root, &list->parts[i], json);
    th__json_end_array(json);
}

#define ONLY_OF(bits) TH__ONLY_IF(th__stalker_list, kind, bits)
enum { OF_PLACES = 1 << TH__LIST_ELEMENTS | 1 << TH__LIST_UNITS | 1 << TH__LIST_RUNS };

static const th__rule_member list_members[] = {
    {TH__WORD("kind", th__stalker_list, kind, kinds), .flags = TH__ALWAYS, .check = check_kind},
    {TH__TEXT("after", th__stalker_list, after), .flags = TH__EMPTY, .check = check_after,
     ONLY_OF(OF_PLACES)},
    {TH__TEXT("before", th__stalker_list, before), .flags = TH__EMPTY, .check = check_before,
     ONLY_OF(OF_PLACES)},
    {TH__INLINE(th__stalker_list, at, spec_shape), ONLY_OF(OF_PLACES)},
    {TH__FLAG("together", th__stalker_list, together), ONLY_OF(OF_PLACES)},
    {TH__WORD("begin", th__stalker_list, start_is_unit, starts), .flags = TH__ALWAYS,
     ONLY_OF(1 << TH__LIST_RUNS)},
    {TH__POINTER("span", th__stalker_list, span, field_shape), .check = check_span},
    {TH__FLAG("with_tags", th__stalker_list, with_tags)},
    {TH__FLAG("indented", th__stalker_list, indented)},
    {TH__TEXT("sign", th__stalker_list, sign), .flags = TH__NEEDED, .check = check_sign,
     ONLY_OF(1 << TH__LIST_SIGNS)},
    {TH__OBJECT("next", th__stalker_list, item, forward_view_shape)},
    {TH__OWN("parts", read_parts, write_parts), ONLY_OF(1 << TH__LIST_PARTS)},
};
static const th__rule_shape list_shape = TH__SHAPE(th__stalker_list, list_members);

/* ---- nodes ----------------------------------------------------------------------------------- */

static th_status check_label(th__rule_reader *reader, void *object)
{
    th__stalker_node *node = object;
    return hash_anchor(reader, node->label, &node->label_hash);
}

/* Names are the schema's: they are for people. */
static th_status read_name(th__rule_reader *reader, json_t *json, void *object)
{
    return TH_OK;
}

static void write_name(const void *root, const void *object, th__json *json)
{
    th__json_put_text(json, "name", th_type_name(((const th__stalker_node *)object)->type));
}

static th_status read_list(th__rule_reader *reader, json_t *json, th__stalker_node *node)
{
    struct list_reading r = {node, node->list->kind == TH__LIST_PARTS};
    const th__rule_member items = {
        .key = "items", .type = TH__RULE_OBJECT, .of = &list_shape, .flags = TH__NEEDED};
    const th__rule_member item = {
        .key = "item", .type = TH__RULE_OBJECT, .of = &node_shape, .flags = TH__NEEDED};
    void *outer = reader->context;
    node->list->kind = 0;
    reader->context = &r;
    th_status status = th__rule_member_read(reader, json, &items, node->list);
    reader->context = outer;
    return status ? status : th__rule_member_read(reader, json, &item, node->children);
}

static const char *children_key(const th__stalker_node *node)
{
    return node->type->kind == TH_TYPE_CHOICE ? "alternatives" : "members";
}

static th_status read_children(th__rule_reader *reader, json_t *json, th__stalker_node *node)
{
    json_t *items;
    const char *key = children_key(node);
    th_status status = th__rule_array(reader, json, key, 0, TH_SCHEMA_MAX_TYPES, &items);
    if (status)
        return status;
    size_t mark = th__rule_enter(reader, key);
    if (json_array_size(items) != node->count)
        status = th__rule_fault(reader, "must have %u items, as in the schema", node->count);
    for (uint32_t i = 0; !status && i < node->count; i++) {
        size_t inner = th__rule_enter_item(reader, i);
        status =
            th__rule_read_inner(reader, json_array_get(items, i), &node_shape, &node->children[i]);
        th__rule_leave(reader, inner);
    }
    th__rule_leave(reader, mark);
    return !status && !th__stalker_tell(reader->arena, node) ? th__fail_memory(reader->err)
                                                             : status;
}

/* Recursion follows the schema, whose depth has a limit. */
static th_status read_inside(th__rule_reader *reader, json_t *json, void *object)
{
    th__stalker_node *node = object;
    if (node->field)
        return th__rule_read_inner(reader, json, &field_shape, node->field);
    return node->list ? read_list(reader, json, node) : read_children(reader, json, node);
}

static void write_inside(const void *root, const void *object, th__json *json)
{
    const th__stalker_node *node = object;
    if (node->field) {
        th__rule_write_members(&field_shape, root, node->field, json);
    } else if (node->list) {
        th__json_key(json, TH_STR("items"));
        th__rule_write_inner(&list_shape, root, node->list, json);
        th__json_key(json, TH_STR("item"));
        th__rule_write_inner(&node_shape, root, &node->children[0], json);
    } else {
        th__json_key(json, th_str_from(children_key(node)));
        th__json_begin_array(json);
        for (uint32_t i = 0; i < node->count; i++)
            th__rule_write_inner(&node_shape, root, &node->children[i], json);
        th__json_end_array(json);
    }
}

static const th__rule_member node_members[] = {
    {TH__OWN("name", read_name, write_name)},
    {TH__TEXT("label", th__stalker_node, label), .flags = TH__EMPTY, .check = check_label},
    {TH__FLAG("own_lines", th__stalker_node, own_lines)},
    {TH__OWN("members", read_inside, write_inside)},
};
static const th__rule_shape node_shape = TH__SHAPE(th__stalker_node, node_members);

/* ---- all ------------------------------------------------------------------------------------- */

static th_status check_text(th__rule_reader *reader, void *object)
{
    th__unlabelled_spot *unshown = object;
    return hash_anchor(reader, unshown->text, &unshown->hash);
}

static const th__rule_member unshown_members[] = {
    {TH__INLINE(th__unlabelled_spot, at, spec_shape)},
    {TH__TEXT("text", th__unlabelled_spot, text), .flags = TH__EMPTY, .check = check_text},
};
static const th__rule_shape unshown_shape = TH__SHAPE(th__unlabelled_spot, unshown_members);

static th_status begin_rules(th__rule_reader *reader, void *rules)
{
    return th__stalker_rules_make(reader->arena, reader->schema, rules)
               ? TH_OK
               : th__fail_memory(reader->err);
}

static const th__rule_member rules_members[] = {
    {TH__INLINE(th__stalker_rules, root, node_shape)},
    {TH__FLAG("unparted", th__stalker_rules, unparted)},
    {TH__LIST("unshown", th__stalker_rules, spots, spot_count, unshown_shape, 0,
              TH__STALKER_MAX_SPOTS)},
};
static const th__rule_shape rules_shape = {
    .members = rules_members, .count = 3, .size = sizeof(th__stalker_rules), .begin = begin_rules};

void th__stalker_write(const void *rules, th__json *json)
{
    th__rule_table_write(&rules_shape, rules, json);
}

th_status th__stalker_read(th__rule_reader *reader, json_t *json, const th_schema *schema,
                           th__arena *arena, void **rules)
{
    return th__rule_table_read(reader, json, &rules_shape, rules);
}
