/*
 * stalker_json_read.c: rules back from JSON. See stalker_json.h.
 *
 * A file may have been written by hand, or be of another schema: whatever stands in it is held
 * against the schema and against limits before it is taken, and a fault is told with the way that
 * leads to it.
 */
#include "base/error.h"
#include "engine/papers/stalker/stalker_json.h"

enum { MAX_WEIGHT = 1000000, MAX_NTH = 1 << 30 };

struct reading {
    th__rule_reader *reader;
    th__arena *arena;
};

static th_status no_memory(struct reading *r)
{
    return th__fail_memory(r->reader->err);
}

/* What is wrong with a member. */
static th_status fault_in(struct reading *r, const char *key, const char *problem)
{
    size_t mark = th__rule_enter(r->reader, key);
    th_status status = th__rule_fault(r->reader, "%s", problem);
    th__rule_leave(r->reader, mark);
    return status;
}

static th_status get_number(struct reading *r, json_t *json, const char *key, uint64_t most,
                            uint32_t *out)
{
    uint64_t number = *out;
    th_status status = th__rule_number(r->reader, json, key, false, most, &number);
    *out = (uint32_t)number;
    return status;
}

static th_status get_disjunct(struct reading *r, json_t *item, bool last, th__landmark_rule *rule)
{
    const char *problem = NULL;
    if (!json_is_string(item))
        return th__rule_fault(r->reader, "must be a text");
    th_str text = {json_string_value(item), json_string_length(item)};
    if (th__str_eq(text, TH_STR(TH__STALKER_TO_END))) {
        rule->to_end = true;
        return last ? TH_OK : th__rule_fault(r->reader, "stands before others, which it shuts out");
    }
    if (th__disjunct_read(text, r->arena, rule->backward, &rule->disjuncts[rule->count],
                          &problem)) {
        rule->count++;
        return TH_OK;
    }
    return problem ? th__rule_fault(r->reader, "%s", problem) : no_memory(r);
}

static th_status get_rule(struct reading *r, json_t *json, const char *key, bool backward,
                          th__landmark_rule *out)
{
    json_t *items, *item;
    size_t i, mark;
    *out = (th__landmark_rule){.backward = backward};
    th_status status =
        th__rule_array(r->reader, json, key, 0, TH__STALKER_MAX_DISJUNCTS + 1, &items);
    if (status)
        return status;
    out->disjuncts = th__arena_zero(r->arena, json_array_size(items) + 1, sizeof *out->disjuncts);
    if (!out->disjuncts)
        return no_memory(r);
    mark = th__rule_enter(r->reader, key);
    json_array_foreach(items, i, item)
    {
        size_t inner = th__rule_enter_item(r->reader, i);
        status = get_disjunct(r, item, i + 1 == json_array_size(items), out);
        th__rule_leave(r->reader, inner);
        if (status)
            break;
    }
    th__rule_leave(r->reader, mark);
    return status;
}

static th_status get_spec(struct reading *r, json_t *json, th__path_spec *out)
{
    th_status status = th__rule_text(r->reader, json, "path", true, r->arena, &out->path);
    if (!status)
        status = get_number(r, json, "steps", 64, &out->steps);
    th_str begins = {0};
    th_class cls = TH_CLASS_ANY;
    if (!status)
        status = th__rule_bool(r->reader, json, "tags", &out->tags);
    if (!status)
        status = th__rule_text(r->reader, json, "mark", false, r->arena, &out->mark);
    if (!status)
        status = get_number(r, json, "cell", 1000, &out->cell);
    if (!status)
        status = th__rule_bool(r->reader, json, "plain", &out->plain);
    if (!status)
        status = th__rule_bool(r->reader, json, "bare", &out->bare);
    if (!status)
        status = th__rule_text(r->reader, json, "begins", false, r->arena, &begins);
    if (!status && begins.ptr && !th_class_find(begins, &cls))
        status = fault_in(r, "begins", "must be a class of tokens, such as \"number\"");
    out->begins = (uint8_t)cls;
    if (!status && !th__path_spec_prepare(out))
        status = fault_in(r, out->mark.ptr ? "mark" : "path",
                          "must be steps such as \"div.price > b\", below a mark such as "
                          "\"id=price\"");
    return status;
}

/* A text that stands on pages as it is, and its hash. */
static th_status get_anchor(struct reading *r, json_t *json, const char *key, th_str *text,
                            uint64_t *hash)
{
    th__buf scratch = {0};
    th_status status = th__rule_text(r->reader, json, key, false, r->arena, text);
    if (status || !text->ptr)
        return status;
    *hash = th__anchor_hash(*text, false, &scratch);
    th__buf_release(&scratch);
    if (*hash)
        return TH_OK;
    return fault_in(r, key, "must be a text with a letter in it, of 160 bytes at most");
}

/* 1 for the first, -1 for the last. */
static th_status get_nth(struct reading *r, json_t *json, int32_t *out)
{
    json_t *value = json_object_get(json, "nth");
    json_int_t nth = json_is_integer(value) ? json_integer_value(value) : 0;
    if (nth && nth <= MAX_NTH && nth >= -MAX_NTH) {
        *out = (int32_t)(nth > 0 ? nth - 1 : nth);
        return TH_OK;
    }
    return fault_in(r, "nth", "must be 1, 2, ... or, from the end, -1, -2, ...");
}

static th_status get_place(struct reading *r, json_t *json, th__place_rule *out)
{
    th_str after = {0}, before = {0};
    uint64_t hash = 0;
    if (!json_is_object(json))
        return th__rule_fault(r->reader, "must be an object");
    out->reach = TH__ANY_REACH;
    th_status status = get_anchor(r, json, "after", &after, &hash);
    if (!status && !after.ptr)
        status = get_anchor(r, json, "before", &before, &hash);
    out->side = after.ptr ? TH__ANCHOR_AFTER : before.ptr ? TH__ANCHOR_BEFORE : TH__ANCHOR_NONE;
    out->anchor = after.ptr ? after : before;
    out->hash = hash;
    if (!status && out->side != TH__ANCHOR_NONE)
        status = get_number(r, json, "reach", UINT32_MAX - 1, &out->reach);
    if (!status)
        status = get_spec(r, json, &out->at);
    if (!status)
        status = get_nth(r, json, &out->nth);
    if (!status)
        status = th__rule_bool(r->reader, json, "alone", &out->alone);
    if (!status)
        status = get_number(r, json, "weight", MAX_WEIGHT, &out->weight);
    if (!status)
        status = get_number(r, json, "against", MAX_WEIGHT, &out->against);
    return status;
}

static th_status get_places(struct reading *r, json_t *json, th__stalker_field *field)
{
    json_t *items, *item;
    size_t i;
    size_t least = field->attribute.ptr && json_object_get(json, "start") ? 0 : 1;
    th_status status = th__rule_array(r->reader, json, "places", least, TH__PLACES_MOST, &items);
    if (status)
        return status;
    field->places = th__arena_zero(r->arena, json_array_size(items) + 1, sizeof *field->places);
    if (!field->places)
        return no_memory(r);
    size_t mark = th__rule_enter(r->reader, "places");
    json_array_foreach(items, i, item)
    {
        size_t inner = th__rule_enter_item(r->reader, i);
        status = get_place(r, item, &field->places[i]);
        th__rule_leave(r->reader, inner);
        if (status)
            break;
        field->place_count++;
    }
    th__rule_leave(r->reader, mark);
    return status;
}

static th_status get_structure(struct reading *r, json_t *json, th__stalker_field *field)
{
    unsigned thing = 0;
    th_status status = th__rule_word(r->reader, json, "of", th__stalker_things, &thing);
    field->thing = (uint8_t)thing;
    if (!status)
        status = get_number(r, json, "weight", MAX_WEIGHT, &field->weight);
    if (!status)
        status = th__rule_bool(r->reader, json, "full", &field->full);
    if (!status)
        status = th__rule_bool(r->reader, json, "from_start", &field->from_start);
    if (!status)
        status = th__rule_bool(r->reader, json, "to_end", &field->to_end);
    if (!status)
        status = get_places(r, json, field);
    if (!status && json_object_get(json, "start")) {
        field->cut = true;
        status = get_rule(r, json, "start", false, &field->cut_start);
        if (!status)
            status = get_rule(r, json, "end", false, &field->cut_end);
    }
    if (!status && field->attribute.ptr && field->thing != TH__THING_NODE)
        status = th__rule_fault(r->reader, "must be of \"element\": texts have no attributes");
    return status;
}

/* Whether a rule of a backward view is written as one: its end may be sought forward, from the
 * start that it has found. */
static bool is_backward(json_t *view, const char *key)
{
    const char *text = json_string_value(json_array_get(json_object_get(view, key), 0));
    return !text || strncmp(text, "Skip", 4) != 0;
}

static th_status get_view(struct reading *r, json_t *json, const char *key, bool backward,
                          th__landmark_view *out)
{
    json_t *view = NULL;
    th_status status = th__rule_object(r->reader, json, key, false, &view);
    if (status || !view)
        return status;
    size_t mark = th__rule_enter(r->reader, key);
    out->weight = 1;
    status = get_number(r, view, "weight", MAX_WEIGHT, &out->weight);
    if (!status)
        status = get_rule(r, view, "start", backward, &out->start);
    if (!status)
        status = get_rule(r, view, "end", backward && is_backward(view, "end"), &out->end);
    th__rule_leave(r->reader, mark);
    return status;
}

static th_status get_field(struct reading *r, json_t *json, th__stalker_field *field)
{
    json_t *structure = NULL;
    th_status status = th__rule_bool(r->reader, json, "whole", &field->whole);
    if (!status)
        status = th__rule_bool(r->reader, json, "always", &field->always);
    if (!status)
        status = th__rule_bool(r->reader, json, "apart", &field->apart);
    if (!status)
        status = th__rule_bool(r->reader, json, "simple", &field->simple);
    if (!status)
        status = th__rule_bool(r->reader, json, "literal", &field->literal);
    if (!status)
        status = th__rule_text(r->reader, json, "attribute", false, r->arena, &field->attribute);
    if (!status)
        status = th__rule_object(r->reader, json, "structure", false, &structure);
    if (!status && structure) {
        size_t mark = th__rule_enter(r->reader, "structure");
        status = get_structure(r, structure, field);
        th__rule_leave(r->reader, mark);
    }
    if (!status)
        status = get_view(r, json, "forward", false, &field->forward);
    return status ? status : get_view(r, json, "backward", true, &field->backward);
}

static th_status get_node(struct reading *r, json_t *json, th__stalker_node *node);

/* Parts are lists of the same type, without parts of their own. */
static th_status get_parts(struct reading *r, json_t *json, th__stalker_node *node)
{
    json_t *items, *item;
    size_t i;
    th__stalker_list *list = node->list;
    th_status status = th__rule_array(r->reader, json, "parts", 1, TH__STALKER_MAX_PARTS, &items);
    if (status)
        return status;
    list->parts = th__arena_zero(r->arena, json_array_size(items), sizeof *list->parts);
    if (!list->parts)
        return no_memory(r);
    size_t mark = th__rule_enter(r->reader, "parts");
    json_array_foreach(items, i, item)
    {
        size_t inner = th__rule_enter_item(r->reader, i);
        th__stalker_node *part = &list->parts[i];
        if (!th__stalker_node_make(r->arena, node->type, part))
            status = no_memory(r);
        else
            part->list->kind = TH__LIST_PARTS; /* so that it is refused inside */
        if (!status)
            status = get_node(r, item, part);
        th__rule_leave(r->reader, inner);
        if (status)
            break;
        list->part_count++;
    }
    th__rule_leave(r->reader, mark);
    return status;
}

/* Where a list is. */
static th_status get_span(struct reading *r, json_t *json, th__stalker_list *list)
{
    json_t *span = NULL;
    th_status status = th__rule_object(r->reader, json, "span", false, &span);
    if (status || !span)
        return status;
    list->span = th__arena_zero(r->arena, 1, sizeof *list->span);
    if (!list->span)
        return no_memory(r);
    size_t mark = th__rule_enter(r->reader, "span");
    status = get_field(r, span, list->span);
    if (!status && list->span->attribute.ptr)
        status = th__rule_fault(r->reader, "must be text: an attribute holds no items");
    th__rule_leave(r->reader, mark);
    return status;
}

static th_status get_sign(struct reading *r, json_t *json, th__stalker_node *node)
{
    th_str *sign = &node->list->sign;
    th_status status = th__rule_text(r->reader, json, "sign", true, r->arena, sign);
    if (!status && !th__str_trim(*sign).len)
        status = fault_in(r, "sign", "must be a text, with a blank before or behind it or without");
    if (!status && (!node->list->span || !node->children[0].field))
        status =
            th__rule_fault(r->reader, "can have \"signs\" only for a list of texts with a span");
    return status;
}

static th_status get_list(struct reading *r, json_t *json, th__stalker_node *node)
{
    bool inside = node->list->kind == TH__LIST_PARTS;
    th__stalker_list *list = node->list;
    unsigned kind = 0, start = 0;
    th_status status = th__rule_word(r->reader, json, "kind", th__stalker_kinds, &kind);
    list->kind = (uint8_t)kind;
    if (!status && kind == TH__LIST_SINGLE && !node->children[0].field)
        status = th__rule_fault(r->reader, "can be \"single\" only for a list of texts");
    if (!status && kind == TH__LIST_PARTS && (inside || !node->children[0].field))
        status = th__rule_fault(r->reader, "can have \"parts\" only for a list of texts, and once");
    if (!status && kind == TH__LIST_PARTS)
        status = get_parts(r, json, node);
    if (!status && kind >= TH__LIST_ELEMENTS)
        status = get_spec(r, json, &list->at);
    if (!status)
        status = get_anchor(r, json, "after", &list->after, &list->after_hash);
    if (!status)
        status = get_anchor(r, json, "before", &list->before, &list->before_hash);
    if (!status)
        status = th__rule_bool(r->reader, json, "together", &list->together);
    if (!status)
        status = th__rule_bool(r->reader, json, "with_tags", &list->with_tags);
    if (!status && kind == TH__LIST_RUNS)
        status = th__rule_word(r->reader, json, "begin", th__stalker_starts, &start);
    list->start_is_unit = start;
    if (!status)
        status = get_span(r, json, list);
    if (!status)
        status = th__rule_bool(r->reader, json, "indented", &list->indented);
    if (!status && kind == TH__LIST_SIGNS)
        status = get_sign(r, json, node);
    return status ? status : get_view(r, json, "next", false, &list->item);
}

static th_status get_children(struct reading *r, json_t *json, const char *key,
                              th__stalker_node *node)
{
    json_t *items, *item;
    size_t i;
    th_status status = th__rule_array(r->reader, json, key, 0, TH_SCHEMA_MAX_TYPES, &items);
    if (status)
        return status;
    size_t mark = th__rule_enter(r->reader, key);
    if (json_array_size(items) != node->count)
        status = th__rule_fault(r->reader, "must have %u items, as in the schema", node->count);
    json_array_foreach(items, i, item)
    {
        if (status)
            break;
        size_t inner = th__rule_enter_item(r->reader, i);
        status = get_node(r, item, &node->children[i]);
        th__rule_leave(r->reader, inner);
    }
    th__rule_leave(r->reader, mark);
    if (!status && !th__stalker_tell(r->arena, node))
        status = no_memory(r);
    return status;
}

/* Recursion follows the schema, whose depth has a limit. */
static th_status get_node(struct reading *r, json_t *json, th__stalker_node *node)
{
    json_t *items = NULL, *item = NULL;
    if (!json_is_object(json))
        return th__rule_fault(r->reader, "must be an object");
    th_status status = get_anchor(r, json, "label", &node->label, &node->label_hash);
    if (!status)
        status = th__rule_bool(r->reader, json, "own_lines", &node->own_lines);
    if (status)
        return status;
    if (node->field)
        return get_field(r, json, node->field);
    if (!node->list)
        return get_children(r, json,
                            node->type->kind == TH_TYPE_CHOICE ? "alternatives" : "members", node);
    status = th__rule_object(r->reader, json, "items", true, &items);
    if (status)
        return status;
    size_t mark = th__rule_enter(r->reader, "items");
    status = get_list(r, items, node);
    th__rule_leave(r->reader, mark);
    if (!status)
        status = th__rule_object(r->reader, json, "item", true, &item);
    if (status)
        return status;
    mark = th__rule_enter(r->reader, "item");
    status = get_node(r, item, &node->children[0]);
    th__rule_leave(r->reader, mark);
    return status;
}

static th_status get_unshown(struct reading *r, json_t *json, th__stalker_rules *rules)
{
    json_t *items, *item;
    size_t i;
    if (!json_object_get(json, "unshown"))
        return TH_OK;
    th_status status =
        th__rule_array(r->reader, json, "unshown", 0, TH__STALKER_MAX_SPOTS, &items);
    if (status)
        return status;
    rules->spots = th__arena_zero(r->arena, json_array_size(items) + 1, sizeof *rules->spots);
    if (!rules->spots)
        return no_memory(r);
    size_t mark = th__rule_enter(r->reader, "unshown");
    json_array_foreach(items, i, item)
    {
        th__unlabelled_spot *out = &rules->spots[i];
        size_t inner = th__rule_enter_item(r->reader, i);
        status = json_is_object(item) ? get_spec(r, item, &out->at)
                                      : th__rule_fault(r->reader, "must be an object");
        if (!status)
            status = get_anchor(r, item, "text", &out->text, &out->hash);
        th__rule_leave(r->reader, inner);
        if (status)
            break;
        rules->spot_count++;
    }
    th__rule_leave(r->reader, mark);
    return status;
}

th_status th__stalker_read(th__rule_reader *reader, json_t *json, const th_schema *schema,
                           th__arena *arena, void **rules)
{
    struct reading r = {reader, arena};
    th__stalker_rules *out = th__arena_zero(arena, 1, sizeof *out);
    if (!out || !th__stalker_rules_make(arena, schema, out))
        return no_memory(&r);
    *rules = out;
    th_status status = get_node(&r, json, &out->root);
    if (!status)
        status = th__rule_bool(reader, json, "unparted", &out->unparted);
    return status ? status : get_unshown(&r, json, out);
}
