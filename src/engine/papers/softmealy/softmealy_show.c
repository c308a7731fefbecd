/* softmealy_show.c: rules for people to read, as the paper writes and draws them. */
#include "base/utf8.h"
#include "engine/papers/softmealy/softmealy_json.h"

/* A name with a bar over each of its letters: what the paper calls a dummy. */
static void print_barred(th_str name, th__buf *out)
{
    for (size_t at = 0; at < name.len;) {
        size_t end = at + 1;
        while (end < name.len && ((unsigned char)name.ptr[end] & 0xC0) == 0x80)
            end++;
        th__buf_add(out, name.ptr + at, end - at);
        th__buf_add_str(out, TH_STR("\xCC\x84")); /* U+0304, combining macron */
        at = end;
    }
}

static void print_state(const th__sm_rules *rules, th__sm_state state, th__buf *out)
{
    if (state >= 2 && state != TH__SM_ANY && !th__sm_is_attribute(state))
        print_barred(rules->attributes[th__sm_attribute_of(state)].path, out);
    else
        th__sm_state_print(rules, state, out);
}

static void print_side(const th__sm_context *contexts, uint32_t count, bool left, bool string,
                       const char *indent, th__buf *out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            th__buf_printf(out, " |\n%s", indent);
        th__sm_context_print(&contexts[i], left, out);
    }
    th__buf_printf(out, "%s\n", string ? "    (string)" : "");
}

static void explain_edge(const th__sm_rules *rules, const th__sm_edge *edge, th__buf *out)
{
    for (uint32_t g = 0; g < edge->group_count; g++)
        for (int left = 1; left >= 0; left--) {
            const th__sm_group *group = &edge->groups[g];
            th__buf_add_str(out, TH_STR("  s<"));
            print_state(rules, edge->from, out);
            th__buf_add_byte(out, ',');
            print_state(rules, edge->to, out);
            th__buf_printf(out, ">^%c ::= ", left ? 'L' : 'R');
            print_side(left ? group->lefts : group->rights,
                       left ? group->left_count : group->right_count, left, group->string,
                       "        ", out);
        }
}

static void explain_attribute(const th__sm_rules *rules, uint32_t k, th__buf *out)
{
    const th__sm_attribute *attribute = &rules->attributes[k];
    th__buf_add_str(out, TH_STR("  "));
    th__buf_add_str(out, attribute->path);
    if (attribute->source.ptr) {
        th__buf_add_str(out, TH_STR(": "));
        th__buf_add_str(out, attribute->source);
        th__buf_add_str(out, TH_STR(" of the tag"));
    }
    if (attribute->same_as != k) {
        th__buf_add_str(out, TH_STR(", at the place of "));
        th__buf_add_str(out, rules->attributes[attribute->same_as].path);
    }
    th__buf_add_byte(out, '\n');
}

void th__sm_rules_explain(const th__sm_rules *rules, th__buf *out)
{
    th__buf_add_str(out, TH_STR("attributes\n"));
    for (uint32_t k = 0; k < rules->attribute_count; k++)
        explain_attribute(rules, k, out);
    if (rules->head_count || rules->tail_count) {
        th__buf_add_str(out, TH_STR("body\n"));
        if (rules->head_count) {
            th__buf_add_str(out, TH_STR("  h^L ::= "));
            print_side(rules->heads, rules->head_count, true, false, "        ", out);
        }
        if (rules->tail_count) {
            th__buf_add_str(out, TH_STR("  t^R ::= "));
            print_side(rules->tails, rules->tail_count, false, false, "        ", out);
        }
    }
    th__buf_add_str(out, TH_STR("contextual rules\n"));
    for (uint32_t i = 0; i < rules->edge_count; i++)
        explain_edge(rules, &rules->edges[i], out);
}

/* ---- the graph ------------------------------------------------------------------------------- */

/* Text inside a quoted string of Graphviz. */
static void print_quoted(th_str text, th__buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"' || text.ptr[i] == '\\')
            th__buf_add_byte(out, '\\');
        th__buf_add_byte(out, (unsigned char)text.ptr[i] < ' ' ? ' ' : text.ptr[i]);
    }
}

static void graph_name(const th__sm_rules *rules, th__sm_state state, th__buf *out)
{
    th__buf text = {0};
    print_state(rules, state, &text);
    out->failed |= text.failed;
    th__buf_add_byte(out, '"');
    print_quoted(th__buf_str(&text), out);
    th__buf_add_byte(out, '"');
    th__buf_release(&text);
}

static void graph_edge(const th__sm_rules *rules, th__sm_state from, th__sm_state to,
                       const th__sm_edge *edge, th__buf *out)
{
    uint32_t pairs = 0;
    for (uint32_t g = 0; g < edge->group_count; g++)
        pairs += edge->groups[g].left_count * edge->groups[g].right_count;
    th__buf label = {0};
    th__sm_context_print(&edge->groups[0].lefts[0], true, &label);
    th__buf_add_str(&label, TH_STR(" | "));
    th__sm_context_print(&edge->groups[0].rights[0], false, &label);
    out->failed |= label.failed;
    th__buf_add_str(out, TH_STR("  "));
    graph_name(rules, from, out);
    th__buf_add_str(out, TH_STR(" -> "));
    graph_name(rules, to, out);
    th__buf_add_str(out, TH_STR(" [label=\""));
    print_quoted(th__buf_str(&label), out);
    if (pairs > 1)
        th__buf_printf(out, "\\nand %u more", pairs - 1);
    bool output = th__sm_is_attribute(to);
    if (output) {
        th__buf_add_str(out, TH_STR(" / "));
        print_quoted(rules->attributes[th__sm_attribute_of(to)].path, out);
        th__buf_add_str(out, TH_STR(" = next_token"));
    }
    bool borrowed = edge->from == TH__SM_ANY || edge->to == TH__SM_ANY;
    th__buf_printf(out, "\"%s];\n", borrowed ? ", style=dashed" : "");
    th__buf_release(&label);
}

/* Whether a state has an edge: those that are attributes at another's place have none. */
static bool is_used(const th__sm_rules *rules, th__sm_state state)
{
    for (uint32_t i = 0; i < rules->edge_count; i++)
        if (rules->edges[i].from == state || rules->edges[i].to == state ||
            (rules->edges[i].to == TH__SM_ANY && rules->edges[i].from + 1 == state))
            return true;
    return false;
}

void th__sm_rules_graph(const th__sm_rules *rules, th__buf *out)
{
    th__buf_add_str(out, TH_STR("digraph softmealy {\n  rankdir=LR;\n  node [shape=circle];\n"
                                "  \"b\";\n  \"e\" [shape=doublecircle];\n"));
    for (uint32_t k = 0; k < rules->attribute_count; k++)
        for (th__sm_state s = th__sm_attribute_state(k); s <= th__sm_dummy_state(k); s++)
            if (is_used(rules, s)) {
                th__buf_add_str(out, TH_STR("  "));
                graph_name(rules, s, out);
                bool dummy = !th__sm_is_attribute(s);
                th__buf_printf(out, "%s;\n", dummy ? " [style=dashed]" : "");
            }
    for (uint32_t i = 0; i < rules->edge_count; i++) {
        const th__sm_edge *edge = &rules->edges[i];
        th__sm_state to = edge->to;
        if (to == TH__SM_ANY && th__sm_is_attribute(edge->from))
            to = (th__sm_state)(edge->from + 1);
        graph_edge(rules, edge->from, to, edge, out);
    }
    th__buf_add_str(out, TH_STR("}\n"));
}
