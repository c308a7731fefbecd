/*
 * softmealy.c: the switches, the order in which a wrapper is learnt, rules for people to read, and
 * the engine's table. See softmealy.h.
 */
#include "engine/papers/softmealy/softmealy.h"

#include "base/cancel.h"
#include "base/error.h"
#include "data/record.h"
#include "page/lex.h"

/* ---- switches -------------------------------------------------------------------------------- */

th__sm_options th__sm_options_ours(void)
{
    return (th__sm_options){true, true, true, true, true};
}

th__sm_options th__sm_options_paper(void)
{
    return (th__sm_options){0};
}

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
    if (!status && options->check && !th__sm_mend(&s, rules))
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

/* ---- the engine ------------------------------------------------------------------------------ */

static th_status learn_corpus(const th_learn_options *options, const th__corpus *corpus,
                              th__arena *arena, th_schema **schema, void **rules, th_error *err)
{
    th__sm_options own = options->paper.published ? th__sm_options_paper() : th__sm_options_ours();
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

static void write_rules(const void *rules, th__json *json)
{
    th__sm_rules_write(rules, json);
}

static th_status read_rules(th__rule_reader *reader, json_t *json, const th_schema *schema,
                            th__arena *arena, void **rules)
{
    th__sm_rules *read = NULL;
    th_status status = th__sm_rules_read(reader, json, schema, arena, &read);
    *rules = read;
    return status;
}

/* A copy of rules, by way of their JSON: corrections are rare, and the way is proven. */
static th_status copy_rules(const void *rules, const th_schema *schema, th__arena *arena,
                            void **out, th_error *err)
{
    th__buf text = {0};
    th__json json = {.buf = &text};
    th__rule_reader reader = {.file = "wrapper", .err = err};
    write_rules(rules, &json);
    json_t *root = text.failed ? NULL : json_loadb(text.data, text.len, JSON_ALLOW_NUL, NULL);
    th_status status = root ? read_rules(&reader, root, schema, arena, out) : th__fail_memory(err);
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
    .write = write_rules,
    .read = read_rules,
    .explain = explain,
    .rename = th__sm_rules_rename,
    .graph = graph,
    .hits = find_hits,
};
