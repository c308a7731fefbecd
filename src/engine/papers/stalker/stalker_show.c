/* stalker_show.c: rules for people to read, in the paper's notation. */
#include "base/error.h"
#include "engine/papers/stalker/stalker_json.h"

static void show_rule(const char *what, const th__landmark_rule *rule, int indent, th__buf *out)
{
    for (uint32_t i = 0; i < rule->count; i++) {
        th__buf_printf(out, "%*s%-12s", indent, "", i ? "" : what);
        if (rule->count > 1)
            th__buf_add_str(out, i ? TH_STR("or     ") : TH_STR("either "));
        if (rule->disjuncts[i].count)
            th__disjunct_write(&rule->disjuncts[i], rule->backward, out);
        else
            th__buf_add_str(out, TH_STR("where it stands"));
        th__buf_add_byte(out, '\n');
    }
    if (rule->to_end)
        th__buf_printf(out, "%*s%-12s%sto the end\n", indent, "", rule->count ? "" : what,
                       rule->count ? "or     " : "");
    if (!rule->count && !rule->to_end)
        th__buf_printf(out, "%*s%-12s%s\n", indent, "", what, "nothing");
}

static void show_view(const char *name, const th__landmark_view *view, bool ends, int indent,
                      th__buf *out)
{
    if (!view->weight)
        return;
    th__buf_printf(out, "%*s%s rules\n", indent, "", name);
    show_rule("start", &view->start, indent + 2, out);
    if (ends)
        show_rule("end", &view->end, indent + 2, out);
}

static void show_spec(const th__path_spec *spec, th__buf *out)
{
    if (spec->mark.ptr)
        th__buf_printf(out, "[%.*s]%s", TH_STR_ARG(spec->mark), spec->path.len ? " > " : "");
    if (!spec->path.len && !spec->mark.ptr)
        th__buf_add_str(out, TH_STR("the top"));
    else if (spec->path.len)
        th__buf_printf(out, "%s%.*s%s", spec->steps ? ".. > " : "", TH_STR_ARG(spec->path),
                       spec->tags ? " (by tags)" : "");
    if (spec->cell)
        th__buf_printf(out, " in cell %u", spec->cell);
    if (spec->begins != TH_CLASS_ANY)
        th__buf_printf(out, ", which begins with class %s", th_class_name((th_class)spec->begins));
}

static void show_place(const th__place_rule *rule, const char *thing, int indent, th__buf *out)
{
    th__buf_printf(out, "%*s", indent, "");
    if (rule->side != TH__ANCHOR_NONE)
        th__buf_printf(out, "%s \"%.*s\", ", rule->side == TH__ANCHOR_AFTER ? "after" : "before",
                       TH_STR_ARG(rule->anchor));
    if (rule->nth >= 0)
        th__buf_printf(out, "%s %d at ", thing, rule->nth + 1);
    else if (rule->nth == -1)
        th__buf_printf(out, "last %s at ", thing);
    else
        th__buf_printf(out, "%s %d from the end at ", thing, -rule->nth);
    show_spec(&rule->at, out);
    if (rule->side != TH__ANCHOR_NONE && rule->reach != TH__ANY_REACH)
        th__buf_printf(out, ", at most %u on", rule->reach);
    th__buf_add_byte(out, '\n');
}

static void show_field(const th__stalker_field *field, int indent, th__buf *out)
{
    const char *thing = field->thing == TH__THING_UNIT ? "text" : "element";
    if (field->whole)
        th__buf_printf(out, "%*sall of it\n", indent, "");
    if (field->attribute.ptr)
        th__buf_printf(out, "%*sits attribute %.*s\n", indent, "", TH_STR_ARG(field->attribute));
    if (field->place_count)
        th__buf_printf(out, "%*sstructure\n", indent, "");
    for (uint32_t i = 0; i < field->place_count; i++)
        show_place(&field->places[i], thing, indent + 2, out);
    if (field->cut) {
        show_rule("from", &field->cut_start, indent + 2, out);
        show_rule("to", &field->cut_end, indent + 2, out);
    }
    show_view("forward", &field->forward, !field->attribute.ptr, indent, out);
    show_view("backward", &field->backward, !field->attribute.ptr, indent, out);
}

static void show_list(const th__stalker_list *list, int indent, th__buf *out)
{
    static const char *const kinds[] = {[TH__LIST_SINGLE] = "one text at most",
                                        [TH__LIST_ELEMENTS] = "each element at ",
                                        [TH__LIST_UNITS] = "each text at ",
                                        [TH__LIST_RUNS] = "from one to the next "};
    if (list->kind == TH__LIST_LANDMARKS) {
        if (list->span)
            show_field(list->span, indent, out);
        show_view("next item", &list->item, true, indent, out);
        return;
    }
    if (list->kind == TH__LIST_SIGNS || list->kind == TH__LIST_LINES) {
        if (list->span)
            show_field(list->span, indent, out);
        if (list->kind == TH__LIST_SIGNS)
            th__buf_printf(out, "%*stexts with \"%.*s\" between them\n", indent, "",
                           TH_STR_ARG(list->sign));
        else
            th__buf_printf(out, "%*seach line%s\n", indent, "",
                           list->indented ? " that begins further in" : "");
        return;
    }
    for (uint32_t i = 0; i < list->part_count; i++) {
        show_list(list->parts[i].list, indent, out);
        show_field(list->parts[i].children[0].field, indent + 2, out);
    }
    if (list->kind == TH__LIST_PARTS)
        return;
    th__buf_printf(out, "%*s%s", indent, "", kinds[list->kind]);
    if (list->kind == TH__LIST_RUNS)
        th__buf_add_str(out, list->start_is_unit ? TH_STR("text at ") : TH_STR("element at "));
    if (list->kind != TH__LIST_SINGLE)
        show_spec(&list->at, out);
    if (list->after.ptr)
        th__buf_printf(out, ", after \"%.*s\"", TH_STR_ARG(list->after));
    if (list->before.ptr)
        th__buf_printf(out, ", before \"%.*s\"", TH_STR_ARG(list->before));
    th__buf_add_str(out, list->together ? TH_STR(", under one parent\n") : TH_STR("\n"));
}

static void show_node(const th__stalker_node *node, int indent, th__buf *out)
{
    th_str name = th_type_name(node->type);
    if (name.len) {
        th__buf_printf(out, "%*s%.*s\n", indent, "", TH_STR_ARG(name));
        indent += 2;
    }
    if (node->field)
        show_field(node->field, indent, out);
    if (node->list)
        show_list(node->list, indent, out);
    for (uint32_t i = 0; i < node->count && !(node->list && node->list->part_count); i++)
        show_node(&node->children[i], indent, out);
}

void th__stalker_explain(const void *rules, th__buf *out)
{
    th__buf_add_str(out, TH_STR("rules\n"));
    show_node(&((const th__stalker_rules *)rules)->root, 2, out);
}
