/*
 * softmealy.c: the switches, the order in which a wrapper is learnt, rules for people to read, and
 * the engine's table. See softmealy.h.
 */

#include "base/cancel.h"
#include "base/error.h"
#include "data/record.h"
#include "engine/papers/softmealy/softmealy.h"
#include "page/lex.h"
#include "wrapper/rule_table.h"

/* ---- switches -------------------------------------------------------------------------------- */

const th__sm_options th__sm_ours = {true, true, true, true, true}, th__sm_paper = {0};

th_status th__sm_options_without(th__sm_options *options, const char *names, th_error *err)
{
    const struct {
        const char *name;
        bool *place;
    } switches[] = {{"ground-html", &options->ground_html},
                    {"no-blanks", &options->no_blanks},
                    {"check", &options->check},
                    {"free-order", &options->free_order},
                    {"resync", &options->resync}};
    enum { SWITCHES = sizeof switches / sizeof *switches };
    while (names && *names) {
        size_t len = strcspn(names, ","), i = 0;
        while (i < SWITCHES && !th__str_eq(th_str_from(switches[i].name), (th_str){names, len}))
            i++;
        if (i == SWITCHES)
            return th__fail(err, TH_ERR_ARGUMENT,
                            "unknown softmealy switch \"%.*s\" (available: ground-html, no-blanks, "
                            "check, free-order, resync)",
                            (int)(len < 100 ? len : 100), names);
        *switches[i].place = false;
        names += len + (names[len] == ',');
    }
    return TH_OK;
}

/* ---- learning -------------------------------------------------------------------------------- */

/* Returns true if the members of all tuples in the lists of a value are in the schema's order. The
 * depth is the schema's. */
static bool is_in_order(const th_value *value, bool in_list, uint32_t *pairs)
{
    bool list = th_value_get_kind(value) == TH_VALUE_LIST;
    uint32_t last = 0;
    for (size_t i = 0; i < th_value_count(value); i++) {
        const th_value *member = th_value_item(value, i);
        th_span hull = th__value_hull(member);
        if (!is_in_order(member, in_list || list, pairs) ||
            (in_list && !list && hull.end && hull.start < last))
            return false;
        *pairs += in_list && !list && hull.end && last;
        last = hull.end ? hull.start : last;
    }
    return true;
}

/* Returns true if labels show items with several members, and all in that order. */
static bool labels_in_order(const th__corpus *corpus)
{
    uint32_t pairs = 0;
    for (size_t p = 0; p < corpus->count; p++)
        for (size_t r = 0; corpus->pages[p].labels && r < th_records_count(corpus->pages[p].labels);
             r++)
            if (!is_in_order(th_records_get(corpus->pages[p].labels, r), false, &pairs))
                return false;
    return pairs;
}

static th_status learn(const th__sm_options *options, th__sm_blanks blanks,
                       const th__corpus *corpus, th__arena *arena, const th_schema *schema,
                       th__sm_rules **out, th_error *err)
{
    th__sm_samples s = {.options = *options, .lexing.blanks = (uint8_t)blanks, .arena = arena};
    th__sm_rules *rules = th__arena_zero(arena, 1, sizeof *rules);
    th_status status =
        rules ? th__sm_samples_make(&s, corpus, schema, NULL, err) : th__fail_memory(err);
    if (!status) {
        rules->lexing = s.lexing;
        rules->resync = options->resync;
        rules->ground_html = options->ground_html;
        rules->one_record = s.one_record;
        rules->in_order = options->free_order && labels_in_order(corpus);
        status = th__sm_samples_attributes(&s, rules) ? TH_OK : th__fail_memory(err);
    }
    if (!status)
        status = th__cancel_check(corpus->cancel, err);
    if (!status)
        status = th__sm_body_learn(&s, rules, err);
    if (!status)
        status = th__sm_edges_learn(&s, rules, err);
    if (!status)
        status = th__cancel_check(corpus->cancel, err);
    if (!status && options->free_order)
        status = th__sm_free_learn(&s, rules, err);
    if (!status)
        status = th__cancel_check(corpus->cancel, err);
    if (!status && !(options->check ? th__sm_mend(&s, rules) : th__sm_tell_misread(&s, rules)))
        status = th__fail_memory(err);
    for (uint32_t i = 0; !status && i < s.page_count; i++)
        corpus->pages[i].learnt = s.pages[i].tuple_count;
    th__sm_samples_release(&s);
    *out = rules;
    return status;
}

/* Learns a second time with the ends of lines, and takes what has far fewer rules: what tells two
 * attributes apart makes many rules needless, what does not makes more of them. */
static th_status try_lines(const th__sm_options *options, const th__corpus *corpus,
                           th__arena *arena, const th_schema *schema, th__sm_rules **rules,
                           th_error *err)
{
    th__sm_rules *other = NULL;
    th__notes notes;
    th__corpus again = *corpus;
    th__notes_init(&notes); /* what there is to tell was told the first time */
    again.notes = &notes;
    th_status status = learn(options, TH__SM_LINES, &again, arena, schema, &other, err);
    th__notes_release(&notes);
    if (!status && th__sm_rules_count(other) * 5 < th__sm_rules_count(*rules) * 4)
        *rules = other;
    return status;
}

th_status th__sm_learn(const th__sm_options *options, const th__corpus *corpus, th__arena *arena,
                       const th_schema *schema, th__sm_rules **out, th_error *err)
{
    th__sm_blanks blanks = options->no_blanks ? TH__SM_NO_BLANKS : TH__SM_ALL_BLANKS;
    th_status status = learn(options, blanks, corpus, arena, schema, out, err);
    if (!status && options->no_blanks && !(*out)->one_record)
        status = try_lines(options, corpus, arena, schema, out, err);
    return status;
}

/* ---- rules as the paper writes and draws them ------------------------------------------------ */

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
    th__buf_printf(out, "  %.*s", TH_STR_ARG(attribute->path));
    if (attribute->source.ptr)
        th__buf_printf(out, ": %.*s of the tag", TH_STR_ARG(attribute->source));
    if (attribute->same_as != k)
        th__buf_printf(out, ", at the place of %.*s",
                       TH_STR_ARG(rules->attributes[attribute->same_as].path));
    th__buf_add_byte(out, '\n');
}

static void explain(const void *data, th__buf *out)
{
    const th__sm_rules *rules = data;
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

/* Returns true if a state has an edge: those that are attributes at another's place have none. */
static bool is_used(const th__sm_rules *rules, th__sm_state state)
{
    for (uint32_t i = 0; i < rules->edge_count; i++)
        if (rules->edges[i].from == state || rules->edges[i].to == state ||
            (rules->edges[i].to == TH__SM_ANY && rules->edges[i].from + 1 == state))
            return true;
    return false;
}

static void graph(const void *data, th__buf *out)
{
    const th__sm_rules *rules = data;
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

/* ---- the tokens that rules match on a page --------------------------------------------------- */

/* Each token to the left and to the right of a separator that a rule asked for is a hit. */
static void hit_side(th_hits *out, const th__sm_tokens *tokens, const th__sm_move *move, bool left,
                     th_str field, const char *part, th_str words)
{
    const th__sm_context *context = left ? move->rule->left : move->rule->right;
    for (uint32_t i = 0; i < context->count && i < th__sm_room(tokens, move->at, left); i++) {
        const th__sm_token *token = &tokens->data[th__sm_beside(move->at, left, i)];
        if (!th__class_is(token->cls, TH_CLASS_BLANK))
            th__hits_add(out, (th_span){token->start, token->end}, field, part, words);
    }
}

static bool hit_move(th_hits *out, const th__sm_rules *rules, const th__sm_tokens *tokens,
                     const th__sm_move *move, th__buf *words)
{
    bool begins = th__sm_is_attribute(move->to);
    th__sm_state state = begins ? move->to : move->from;
    th_str field = th__sm_is_attribute(state) ? rules->attributes[th__sm_attribute_of(state)].path
                                              : (th_str){0};
    th__buf_clear(words);
    th__buf_printf(words, "s<");
    th__sm_state_print(rules, move->from, words);
    th__buf_printf(words, ",");
    th__sm_state_print(rules, move->to, words);
    th__buf_printf(words, ">: ");
    th__sm_context_print(move->rule->left, true, words);
    th__buf_printf(words, " | ");
    th__sm_context_print(move->rule->right, false, words);
    hit_side(out, tokens, move, true, field, begins ? "start, left" : "end, left",
             th__buf_str(words));
    hit_side(out, tokens, move, false, field, begins ? "start, right" : "end, right",
             th__buf_str(words));
    return !words->failed;
}

static th_status find_hits(const void *rules, const th_schema *schema, const th_page *page,
                           th_hits *out, th_error *err)
{
    th__sm_moves moves = {0};
    th__sm_machine machine = {.rules = rules, .now = th__sm_begin(rules), .moves = &moves};
    th__sm_tokens tokens = {0};
    th__buf words = {0};
    bool ok = th__sm_lex(page, page->text.len, machine.rules->lexing, &tokens) &&
              th__sm_machine_run(&machine, &tokens, true);
    (void)schema;
    for (size_t i = 0; ok && i < moves.len; i++)
        ok = hit_move(out, rules, &tokens, &moves.data[i], &words);
    th__sm_machine_release(&machine);
    th__vec_release(&tokens);
    th__vec_release(&moves);
    th__buf_release(&words);
    return ok ? TH_OK : th__fail_memory(err);
}

/* ---- rules to JSON and back. Contexts are written as the paper writes them. -----------------
 *
 * States are "b", "e", "*", "=name" for an attribute and "-name" for its dummy. A wrapper from
 * outside is data: every name, number and size is checked, and what would make it run slower or
 * larger than a learnt one is refused.
 */

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

static void print_state_name(const void *root, const void *state, int source, th__buf *out)
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
    {TH__PARSED("from", th__sm_edge, from, parse_state, print_state_name), .way = true,
     .flags = TH__NEEDED},
    {TH__PARSED("to", th__sm_edge, to, parse_state, print_state_name), .flags = TH__NEEDED,
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

static th_status rules_read(th__rule_reader *reader, json_t *json, void **out)
{
    th__sm_fields fields = {0};
    th_status status = TH_OK;
    reader->context = &fields;
    if (!th__sm_fields_list(reader->schema, reader->arena, &fields))
        status = th__fail_memory(reader->err);
    if (!status)
        status = th__rule_table_read(reader, json, &rules_shape, out);
    th__vec_release(&fields);
    return status;
}

/* ---- the engine ------------------------------------------------------------------------------ */

static th_status learn_corpus(const th_learn_options *options, const th__corpus *corpus,
                              th__arena *arena, th_schema **schema, void **rules, th_error *err)
{
    th__sm_options own = options->paper.published ? th__sm_paper : th__sm_ours;
    th__sm_rules *made = NULL;
    th_status status = th__sm_options_without(&own, options->without, err);
    if (!status)
        status = th__sm_learn(&own, corpus, arena, corpus->schema, &made, err);
    if (status)
        return status;
    *rules = made;
    *schema = th_schema_retain(corpus->schema);
    return TH_OK;
}

/* A copy of rules, by way of their JSON: corrections are rare, and the way is proven. */
static th_status copy_rules(const void *rules, const th_schema *schema, th__arena *arena,
                            void **out, th_error *err)
{
    th__buf text = {0};
    th__json json = {.buf = &text};
    th__rule_reader reader = {.file = "wrapper", .err = err, .schema = schema, .arena = arena};
    th__rule_table_write(&rules_shape, rules, &json);
    json_t *root = text.failed ? NULL : json_loadb(text.data, text.len, JSON_ALLOW_NUL, NULL);
    th_status status = root ? rules_read(&reader, root, out) : th__fail_memory(err);
    json_decref(root);
    th__buf_release(&text);
    return status;
}

static th_status correct(const th_learn_options *options, const th_schema *old_schema,
                         const void *old_rules, const th__corpus *corpus, th__arena *arena,
                         th_schema **schema, void **rules, th_error *err)
{
    th_status status = copy_rules(old_rules, old_schema, arena, rules, err);
    if (!status)
        status = th__sm_correct(options->without, corpus, old_schema, *rules, arena, err);
    if (!status)
        *schema = th_schema_retain(old_schema);
    return status;
}

static th_status stream_begin(const void *rules, const th_schema *schema,
                              const th_records_source *source, void **state, th_error *err)
{
    return th__sm_stream_new(rules, schema, source, TH__SM_STREAM_CHUNK, state, err);
}

const th__engine th__softmealy_engine = {
    .name = "softmealy",
    .learn_corpus = learn_corpus,
    .needs_labels = true,
    .published = true,
    .correct = correct,
    .run = th__sm_run,
    .stream_begin = stream_begin,
    .stream_feed = th__sm_stream_feed,
    .stream_free = th__sm_stream_free,
    .shape = &rules_shape,
    .read = rules_read,
    .explain = explain,
    .graph = graph,
    .hits = find_hits,
};
