/*
 * stalker_json.c: rules to JSON, and the words that it has for kinds. See stalker_json.h.
 *
 * Writing fails for want of memory alone, which the buffer keeps in mind. Flags that are off and
 * texts that are absent are left out: most rules have few of them.
 */
#include "engine/papers/stalker/stalker_json.h"

#include "base/json_out.h"

const char *const th__stalker_things[] = {"text", "element", NULL};
const char *const th__stalker_kinds[] = {"landmarks", "signs", "lines", "single", "parts",
                                         "elements",  "texts", "runs",  NULL};
const char *const th__stalker_starts[] = {"element", "text", NULL};

static void put_rule(th__json *json, const char *key, const th__landmark_rule *rule)
{
    th__buf text = {0};
    th__json_key(json, th_str_from(key));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < rule->count; i++) {
        text.len = 0;
        th__disjunct_write(&rule->disjuncts[i], rule->backward, &text);
        th__json_str(json, th__buf_str(&text));
    }
    if (rule->to_end)
        th__json_str(json, TH_STR(TH__STALKER_TO_END));
    th__json_end_array(json);
    json->buf->failed |= text.failed;
    th__buf_release(&text);
}

static void put_spec(th__json *json, const th__path_spec *spec)
{
    th__json_put_text(json, "path", spec->path);
    if (spec->steps)
        th__json_put_uint(json, "steps", spec->steps);
    th__json_put_true(json, "tags", spec->tags);
    th__json_put_text(json, "mark", spec->mark);
    if (spec->cell)
        th__json_put_uint(json, "cell", spec->cell);
    th__json_put_true(json, "plain", spec->plain);
    th__json_put_true(json, "bare", spec->bare);
    if (spec->begins != TH_CLASS_ANY)
        th__json_put_text(json, "begins", th_str_from(th_class_name((th_class)spec->begins)));
}

static void put_place(th__json *json, const th__place_rule *rule)
{
    th__json_begin_object(json);
    if (rule->side != TH__ANCHOR_NONE)
        th__json_put_text(json, rule->side == TH__ANCHOR_AFTER ? "after" : "before", rule->anchor);
    if (rule->side != TH__ANCHOR_NONE && rule->reach != TH__ANY_REACH)
        th__json_put_uint(json, "reach", rule->reach);
    put_spec(json, &rule->at);
    th__json_key(json, TH_STR("nth"));
    th__json_int(json, rule->nth >= 0 ? rule->nth + 1 : rule->nth);
    th__json_put_true(json, "alone", rule->alone);
    th__json_put_uint(json, "weight", rule->weight);
    th__json_put_uint(json, "against", rule->against);
    th__json_end_object(json);
}

static void put_structure(th__json *json, const th__stalker_field *field)
{
    th__json_key(json, TH_STR("structure"));
    th__json_begin_object(json);
    th__json_put_text(json, "of", th_str_from(th__stalker_things[field->thing]));
    th__json_put_true(json, "full", field->full);
    th__json_put_true(json, "from_start", field->from_start);
    th__json_put_true(json, "to_end", field->to_end);
    th__json_put_uint(json, "weight", field->weight);
    th__json_key(json, TH_STR("places"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < field->place_count; i++)
        put_place(json, &field->places[i]);
    th__json_end_array(json);
    if (field->cut) {
        put_rule(json, "start", &field->cut_start);
        put_rule(json, "end", &field->cut_end);
    }
    th__json_end_object(json);
}

static void put_view(th__json *json, const char *key, const th__landmark_view *view)
{
    if (!view->weight)
        return;
    th__json_key(json, th_str_from(key));
    th__json_begin_object(json);
    th__json_put_uint(json, "weight", view->weight);
    put_rule(json, "start", &view->start);
    put_rule(json, "end", &view->end);
    th__json_end_object(json);
}

static void put_field(th__json *json, const th__stalker_field *field)
{
    th__json_put_true(json, "whole", field->whole);
    th__json_put_true(json, "always", field->always);
    th__json_put_true(json, "apart", field->apart);
    th__json_put_true(json, "simple", field->simple);
    th__json_put_true(json, "literal", field->literal);
    th__json_put_text(json, "attribute", field->attribute);
    /* Landmark rules want to know which part of an attribute is meant, too. */
    if (field->place_count || (field->attribute.ptr && field->cut))
        put_structure(json, field);
    put_view(json, "forward", &field->forward);
    put_view(json, "backward", &field->backward);
}

static void put_node(th__json *json, const th__stalker_node *node);

static void put_list(th__json *json, const th__stalker_list *list)
{
    th__json_begin_object(json);
    th__json_put_text(json, "kind", th_str_from(th__stalker_kinds[list->kind]));
    if (list->kind >= TH__LIST_ELEMENTS) {
        th__json_put_text(json, "after", list->after);
        th__json_put_text(json, "before", list->before);
        put_spec(json, &list->at);
        th__json_put_true(json, "together", list->together);
        if (list->kind == TH__LIST_RUNS)
            th__json_put_text(json, "begin", th_str_from(th__stalker_starts[list->start_is_unit]));
    }
    if (list->span) {
        th__json_key(json, TH_STR("span"));
        th__json_begin_object(json);
        put_field(json, list->span);
        th__json_end_object(json);
    }
    th__json_put_true(json, "with_tags", list->with_tags);
    th__json_put_true(json, "indented", list->indented);
    th__json_put_text(json, "sign", list->sign);
    put_view(json, "next", &list->item);
    if (list->kind == TH__LIST_PARTS) {
        th__json_key(json, TH_STR("parts"));
        th__json_begin_array(json);
        for (uint32_t i = 0; i < list->part_count; i++)
            put_node(json, &list->parts[i]);
        th__json_end_array(json);
    }
    th__json_end_object(json);
}

static void put_unshown(th__json *json, const th__stalker_rules *rules)
{
    if (!rules->spot_count)
        return;
    th__json_key(json, TH_STR("unshown"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < rules->spot_count; i++) {
        th__json_begin_object(json);
        put_spec(json, &rules->spots[i].at);
        th__json_put_text(json, "text", rules->spots[i].text);
        th__json_end_object(json);
    }
    th__json_end_array(json);
}

static void put_members(th__json *json, const th__stalker_node *node)
{
    th__json_put_text(json, "name", th_type_name(node->type));
    th__json_put_text(json, "label", node->label);
    th__json_put_true(json, "own_lines", node->own_lines);
    if (node->field) {
        put_field(json, node->field);
    } else if (node->list) {
        th__json_key(json, TH_STR("items"));
        put_list(json, node->list);
        th__json_key(json, TH_STR("item"));
        put_node(json, &node->children[0]);
    } else {
        bool choice = node->type->kind == TH_TYPE_CHOICE;
        th__json_key(json, choice ? TH_STR("alternatives") : TH_STR("members"));
        th__json_begin_array(json);
        for (uint32_t i = 0; i < node->count; i++)
            put_node(json, &node->children[i]);
        th__json_end_array(json);
    }
}

static void put_node(th__json *json, const th__stalker_node *node)
{
    th__json_begin_object(json);
    put_members(json, node);
    th__json_end_object(json);
}

void th__stalker_write(const void *rules, th__json *json)
{
    const th__stalker_rules *own = rules;
    th__json_begin_object(json);
    put_members(json, &own->root);
    th__json_put_true(json, "unparted", own->unparted);
    put_unshown(json, own);
    th__json_end_object(json);
}
