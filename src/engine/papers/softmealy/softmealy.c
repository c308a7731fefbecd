/*
 * softmealy.c: the transducer: its rules, running them on pages and on streams, rules for people
 * and in wrapper files, and the engine. See softmealy.h.
 *
 *     outside the body ──h^L──▶ b ──s<b,k>──▶ k ──s<k,-k>──▶ -k ──s<-k,j>──▶ j ── ... ──▶ e = b
 *            ▲                                                                            │
 *            └───────────────────────────────── t^R ──────────────────────────────────────┘
 *
 * Which rule wins where several fit: a string rule, then one that was learnt of this pair of
 * states rather than borrowed from others, then more ground tokens, then more tokens, then the
 * one that was learnt first (the paper's "longer or with more ground tokens" does not order all
 * pairs).
 *
 * At a separator that no rule fits the state stays: "?" in the paper's figures. At one separator
 * several rules may apply one after the other (the end of a value and the beginning of the next);
 * no state is visited twice there, so that rules cannot turn in a circle.
 *
 * Where a tuple's first separator is seen before the tuple has ended (an unlabelled kind of
 * separator was missed), the tuple ends there and the next begins: a value that was being read is
 * lost, the rest of the page is not. The paper lost four tuples to this.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "data/record.h"
#include "data/schema.h"
#include "engine/papers/softmealy/softmealy.h"
#include "page/charref.h"
#include "page/lex.h"
#include "page/tags.h"
#include "page/text.h"
#include "wrapper/rule_table.h"

/* ---- rules ----------------------------------------------------------------------------------- */

static uint32_t state_count(const th__sm_rules *rules)
{
    return 2 + 2 * rules->attribute_count;
}

static uint64_t edge_count(const th__sm_edge *edge)
{
    uint64_t count = 0;
    for (uint32_t g = 0; g < edge->group_count; g++)
        count += (uint64_t)edge->groups[g].left_count * edge->groups[g].right_count;
    return count;
}

static int compare_rules(const void *left, const void *right)
{
    const th__sm_rule *a = left, *b = right;
    return th__order(b->string, a->string) ?: th__order(a->borrowed, b->borrowed) ?: th__order(a->restart, b->restart) ?: th__order(b->ground, a->ground) ?: th__order(b->length, a->length) ?: th__order(a->order, b->order);
}

/* What an edge means in a state: TH__SM_ANY means all of them. */
static bool edge_leaves(const th__sm_rules *rules, const th__sm_edge *edge, th__sm_state state,
                        th__sm_state *to, bool *restart)
{
    *to = edge->to;
    *restart = false;
    if (edge->from == state) {
        if (edge->to == TH__SM_ANY)
            *to = th__sm_dummy_state(th__sm_attribute_of(state));
        return true;
    }
    if (edge->from == TH__SM_ANY) {
        if (th__sm_is_attribute(edge->to)) /* s<*,k> */
            return !th__sm_is_attribute(state) && state != TH__SM_END &&
                   (state != TH__SM_BEGIN || rules->one_record);
        if (edge->to == TH__SM_ANY && th__sm_is_attribute(state)) { /* s<*,-*> */
            *to = th__sm_dummy_state(th__sm_attribute_of(state));
            return true;
        }
        return false;
    }
    *restart =
        edge->from == TH__SM_BEGIN && rules->resync && !rules->one_record && state != TH__SM_END;
    return *restart;
}

static void add_edge(const th__sm_rules *rules, th__sm_edge *edge, uint32_t number,
                     th__sm_state state, th__sm_rule *out, uint32_t *count)
{
    th__sm_state to;
    bool restart;
    if (!edge_leaves(rules, edge, state, &to, &restart))
        return;
    for (uint32_t g = 0; g < edge->group_count; g++)
        for (uint32_t l = 0; l < edge->groups[g].left_count; l++)
            for (uint32_t r = 0; r < edge->groups[g].right_count; r++) {
                const th__sm_group *group = &edge->groups[g];
                const th__sm_context *left = &group->lefts[l], *right = &group->rights[r];
                out[(*count)++] = (th__sm_rule){
                    .left = left,
                    .right = right,
                    .to = to,
                    .string = group->string,
                    .borrowed = edge->from == TH__SM_ANY || edge->to == TH__SM_ANY,
                    .restart = restart,
                    .ground = th__sm_context_ground(left) + th__sm_context_ground(right),
                    .length = left->count + right->count,
                    .order = number,
                };
            }
}

static uint64_t rules_size(const th__sm_rules *rules)
{
    uint64_t count = 0;
    for (uint32_t e = 0; e < rules->edge_count; e++) {
        const th__sm_edge *edge = &rules->edges[e];
        bool one = edge->from != TH__SM_ANY && edge->from != TH__SM_BEGIN;
        count += edge_count(edge) * (one ? 1 : state_count(rules));
    }
    return count;
}

/* The classes of tokens that fit an item, and the remainders of tags. */
static void admit(const th__sm_context *context, uint32_t *classes, uint64_t *tags)
{
    if (!context->count) {
        *classes = UINT32_MAX;
        *tags = UINT64_MAX;
        return;
    }
    const th__sm_item *item = &context->items[0];
    for (unsigned cls = 0; cls < TH_CLASS_COUNT; cls++)
        if (th__class_is(cls, item->cls))
            *classes |= 1u << cls;
    bool one_tag =
        item->ground && (item->cls == TH_CLASS_TAG_START || item->cls == TH_CLASS_TAG_END);
    *tags |= one_tag ? UINT64_C(1) << (item->tag & 63) : UINT64_MAX;
}

static void reach_for(th__sm_rules *rules, const th__sm_context *context)
{
    rules->reach = rules->reach > context->count ? rules->reach : context->count;
}

/* `list` has room for all rules. */
static bool compile_state(th__sm_rules *rules, th__sm_state state, th__sm_rule *list,
                          th__arena *arena)
{
    th__sm_node *node = &rules->nodes[state];
    for (uint32_t e = 0; e < rules->edge_count; e++)
        add_edge(rules, &rules->edges[e], e, state, list, &node->count);
    qsort(list, node->count, sizeof *list, compare_rules);
    th__sm_rule *kept = th__arena_keep(arena, list, node->count, sizeof *kept);
    node->rules = kept;
    for (uint32_t i = 0; kept && i < node->count; i++) {
        admit(kept[i].left, &node->left_classes, &node->left_tags);
        admit(kept[i].right, &node->right_classes, &node->right_tags);
        reach_for(rules, kept[i].left);
        reach_for(rules, kept[i].right);
    }
    return kept != NULL;
}

bool th__sm_rules_compile(th__sm_rules *rules, th__arena *arena)
{
    uint32_t states = state_count(rules);
    rules->reach = 1;
    rules->pairs = 0;
    for (uint32_t e = 0; e < rules->edge_count; e++)
        rules->pairs += edge_count(&rules->edges[e]);
    th__sm_rule *list = th__mem_resize(NULL, rules->pairs + 1, sizeof *list);
    rules->nodes = th__arena_zero(arena, states, sizeof *rules->nodes);
    bool ok = list && rules->nodes;
    for (uint32_t s = 0; ok && s < states; s++)
        ok = s == TH__SM_END || compile_state(rules, (th__sm_state)s, list, arena);
    for (uint32_t i = 0; i < rules->head_count; i++)
        reach_for(rules, &rules->heads[i]);
    for (uint32_t i = 0; i < rules->tail_count; i++)
        reach_for(rules, &rules->tails[i]);
    th__mem_free(list);
    return ok;
}

/* Returns true if the token may be one of those beside the separators of a state. */
static inline bool admits(uint32_t classes, uint64_t tags, const th__sm_token *token)
{
    return (classes >> token->cls & 1) && (!token->tag || (tags >> (token->tag & 63) & 1));
}

static bool may_enter(const th__sm_rules *rules, const th__sm_rule *rule, const uint8_t *taken)
{
    if (rule->restart || !taken || !th__sm_is_attribute(rule->to))
        return true;
    uint32_t attribute = th__sm_attribute_of(rule->to);
    return rules->attributes[attribute].many || !(taken[attribute / 8] >> (attribute % 8) & 1);
}

const th__sm_rule *th__sm_rules_match(const th__sm_rules *rules, th__sm_state state,
                                      const th__sm_tokens *tokens, uint32_t at,
                                      const uint8_t *taken)
{
    const th__sm_node *node = &rules->nodes[state];
    if (at < tokens->len && !admits(node->right_classes, node->right_tags, &tokens->data[at]))
        return NULL;
    if (at && !admits(node->left_classes, node->left_tags, &tokens->data[at - 1]))
        return NULL;
    for (uint32_t i = 0; i < node->count; i++) {
        const th__sm_rule *rule = &node->rules[i];
        if (th__sm_fits(rule->left, tokens, at, true) &&
            th__sm_fits(rule->right, tokens, at, false) && may_enter(rules, rule, taken))
            return rule;
    }
    return NULL;
}

static void write_state(const th__sm_rules *rules, th__sm_state state, th__buf *out)
{
    if (state == TH__SM_BEGIN || state == TH__SM_END)
        th__buf_add_byte(out, state == TH__SM_BEGIN ? 'b' : 'e');
    else if (state == TH__SM_ANY)
        th__buf_add_byte(out, '*');
    else {
        if (!th__sm_is_attribute(state))
            th__buf_add_byte(out, '-');
        th__buf_add_str(out, rules->attributes[th__sm_attribute_of(state)].path);
    }
}

/* ---- the machine ----------------------------------------------------------------------------- */

static void release_machine(th__sm_machine *m)
{
    th__vec_release(&m->values);
    th__buf_release(&m->texts);
}

/* The value of an attribute of the first of the tokens that has it. */
static bool read_source(th__sm_machine *m, const th__sm_tokens *tokens, uint32_t end, th_str name,
                        th_span *span)
{
    const th_page *page = tokens->page;
    th_attr attr;
    *span = (th_span){0, 0};
    for (uint32_t i = m->now.begin; i < end; i++) {
        if (tokens->data[i].cls != TH_CLASS_TAG_START)
            continue;
        for (th_attr_iter it = th_attrs(page, tokens->data[i].coarse); th_attr_next(&it, &attr);) {
            if (!attr.value.ptr || !th__str_eq_nocase(attr.name, name))
                continue;
            th_str value = th__str_trim(attr.value);
            *span = (th_span){(uint32_t)(value.ptr - page->text.ptr),
                              (uint32_t)(value.ptr - page->text.ptr + value.len)};
            return th__attribute_is_link(name) ? th__page_value(page, name, *span, &m->texts)
                                               : th__decode_refs(value, true, &m->texts);
        }
    }
    return true;
}

static bool keep_value(th__sm_machine *m, const th__sm_tokens *tokens, uint32_t end,
                       uint32_t attribute)
{
    th_str source = m->rules->attributes[attribute].source;
    size_t text = m->texts.len;
    th_span span = {tokens->data[m->now.begin].start, tokens->data[end - 1].end};
    bool ok = source.ptr ? read_source(m, tokens, end, source, &span)
                         : th__span_text(tokens->page, span, &m->texts);
    if (!ok)
        return false;
    if (m->texts.len == text && !source.ptr)
        return true; /* nothing to see there */
    if (source.ptr && !span.end)
        return true;
    th__sm_value value = {attribute, m->base + span.start, m->base + span.end, text,
                          m->texts.len - text};
    return th__vec_push(&m->values, value);
}

/* The value that was being read ends before token `end`. */
static bool end_value(th__sm_machine *m, const th__sm_tokens *tokens, uint32_t end)
{
    const th__sm_rules *rules = m->rules;
    uint32_t attribute = th__sm_attribute_of(m->now.state);
    if (end <= m->now.begin)
        return true;
    for (uint32_t k = attribute; m->records && k < rules->attribute_count; k++)
        if (rules->attributes[k].same_as == attribute && !keep_value(m, tokens, end, k))
            return false;
    m->now.taken[attribute / 8] |= (uint8_t)(1u << (attribute % 8));
    return true;
}

/* ---- tuples ---------------------------------------------------------------------------------- */

/* The member of a tuple that has a leaf; *leaf becomes which of the member's it is. */
static uint32_t member_with(const th_type *tuple, uint32_t *leaf)
{
    uint32_t i = 0;
    for (uint32_t count; *leaf >= (count = th__type_leaves(tuple->children[i])); i++)
        *leaf -= count;
    return i;
}

/* Returns true if the leaf of an item has no value yet. The depth is the schema's. */
static bool leaf_is_free(const th_value *value, const th_type *type, uint32_t leaf)
{
    type = th__type_strip(type);
    if (!value || th_value_get_kind(value) == TH_VALUE_NULL)
        return true;
    if (type->kind != TH_TYPE_TUPLE)
        return type->kind != TH_TYPE_FIELD; /* a list takes any number */
    uint32_t member = member_with(type, &leaf);
    return leaf_is_free(th_value_item(value, member), type->children[member], leaf);
}

/* Returns true if a member of an item after the one with the leaf has a value. */
static bool is_behind(const th_value *value, const th_type *type, uint32_t leaf)
{
    type = th__type_strip(type);
    if (type->kind != TH_TYPE_TUPLE || th_value_get_kind(value) != TH_VALUE_TUPLE)
        return false;
    for (uint32_t i = member_with(type, &leaf) + 1; i < type->count; i++) {
        const th_value *member = th_value_item(value, i);
        if (th_value_get_kind(member) == TH_VALUE_TEXT || th_value_count(member))
            return true;
    }
    return false;
}

/* The slot of the schema's leaf below `slot`. A list gets one more item where its last has the leaf
 * already or, where members keep the schema's order, one after it: the first value of an item may
 * be missing. The depth is the schema's. */
static th_value *leaf_slot(th_records *records, th_value *slot, const th_type *type, uint32_t leaf,
                           bool in_order)
{
    type = th__type_strip(type);
    if (!slot || type->kind == TH_TYPE_FIELD)
        return slot;
    if (type->kind == TH_TYPE_LIST) {
        const th_type *item = type->children[0];
        size_t count = th_value_get_kind(slot) == TH_VALUE_LIST ? th_value_count(slot) : 0;
        th_value *last = count ? th_value_slot(slot, count - 1) : NULL;
        if (!last || !leaf_is_free(last, item, leaf) || (in_order && is_behind(last, item, leaf)))
            last = th_records_append(records, slot);
        return leaf_slot(records, last, item, leaf, in_order);
    }
    if (th_value_get_kind(slot) == TH_VALUE_NULL)
        slot = th_records_set_tuple(records, slot);
    uint32_t member = member_with(type, &leaf);
    return slot ? leaf_slot(records, th_value_slot(slot, member), type->children[member], leaf,
                            in_order)
                : NULL;
}

/* The place of a value; none if it is beyond what a span can hold. */
static th_span value_span(const th__sm_value *value)
{
    if (value->end > UINT32_MAX)
        return (th_span){0, 0};
    return (th_span){(uint32_t)value->start, (uint32_t)value->end};
}

static bool emit_tuple(th__sm_machine *m)
{
    bool any = m->values.len > 0;
    th_value *record = any && m->records ? th_records_add(m->records) : NULL;
    for (size_t i = 0; record && i < m->values.len; i++) {
        const th__sm_value *v = &m->values.data[i];
        uint32_t leaf = m->rules->attributes[v->attribute].leaf;
        const th_type *type = th_schema_record_type(th_records_schema(m->records));
        th_value *slot = leaf_slot(m->records, record, type, leaf, m->rules->in_order);
        if (slot && th_value_get_kind(slot) == TH_VALUE_NULL)
            th_records_set_text(m->records, slot, (th_str){m->texts.data + v->text, v->len},
                                value_span(v));
    }
    if (record)
        th_value_set_span(record, (th_span){value_span(&m->values.data[0]).start,
                                            value_span(&m->values.data[m->values.len - 1]).end});
    bool ok = !any || !m->records || (record && th_records_status(m->records, NULL) == TH_OK);
    m->values.len = 0;
    th__buf_clear(&m->texts);
    memset(m->now.taken, 0, sizeof m->now.taken);
    return ok;
}

/* ---- transitions ----------------------------------------------------------------------------- */

static bool follow(th__sm_machine *m, const th__sm_rule *rule, const th__sm_tokens *tokens)
{
    th__sm_move move = {m->now.state, rule->to, m->now.at, rule->restart, rule};
    if (m->moves && !th__vec_push(m->moves, move))
        return false;
    if (rule->restart) { /* what was being read has no end, and is lost */
        if (!emit_tuple(m))
            return false;
    } else if (th__sm_is_attribute(m->now.state) && !end_value(m, tokens, m->now.at)) {
        return false;
    }
    m->now.state = rule->to;
    if (th__sm_is_attribute(m->now.state))
        m->now.begin = m->now.at;
    if (m->now.state != TH__SM_END)
        return true;
    m->now.state = m->rules->one_record ? TH__SM_END : TH__SM_BEGIN;
    return m->rules->one_record || emit_tuple(m);
}

static bool any_fits(const th__sm_context *contexts, uint32_t count, const th__sm_machine *m,
                     const th__sm_tokens *tokens, bool left)
{
    for (uint32_t i = 0; i < count; i++)
        if (th__sm_fits(&contexts[i], tokens, m->now.at, left))
            return true;
    return false;
}

/* Where a value that no rule has ended by `end` is over: at the end tag of an element that it is
 * in. The last item of <ul><li>Ann<li>Bob</ul><p>Foot is Bob. */
static uint32_t element_end(const th__sm_machine *m, const th__sm_tokens *tokens, uint32_t end)
{
    enum { DEPTH = 64 };
    uint16_t open[DEPTH]; /* elements that begin in the value; what is deeper does not count */
    uint32_t depth = 0;
    for (uint32_t i = m->now.begin; i < end; i++) {
        const th__sm_token *token = &tokens->data[i];
        if (token->cls == TH_CLASS_TAG_START && depth < DEPTH &&
            !(th__tag_flags(token->tag) & TH_TAG_IS_VOID))
            open[depth++] = token->tag;
        if (token->cls != TH_CLASS_TAG_END)
            continue;
        while (depth && open[depth - 1] != token->tag)
            depth--;
        if (!depth--)
            return i;
    }
    return end;
}

/* The body ends, or a page with a list: a value that runs into its end is complete there. Where a
 * page is a record, what no rule has ended is not a value. */
static bool finish(th__sm_machine *m, const th__sm_tokens *tokens)
{
    uint32_t end = m->now.at < tokens->len ? m->now.at : (uint32_t)tokens->len;
    if (th__sm_is_attribute(m->now.state) && !(m->rules->one_record && m->now.inside) &&
        !end_value(m, tokens, m->rules->resync ? element_end(m, tokens, end) : end))
        return false;
    m->now.state = TH__SM_BEGIN;
    return emit_tuple(m);
}

/* Returns true if a rule that fits where a value begins ends it there: <i></i>. The paper's pages
 * have no empty values. */
static bool is_empty(const th__sm_machine *m, const th__sm_rule *rule)
{
    return m->rules->resync && !rule->restart && !th__sm_is_attribute(rule->to);
}

/* All that happens at the separator m->now.at. */
static bool step(th__sm_machine *m, const th__sm_tokens *tokens)
{
    const th__sm_rules *rules = m->rules;
    if (!m->now.inside) {
        if (!any_fits(rules->heads, rules->head_count, m, tokens, true))
            return true;
        m->now.inside = true;
    }
    /* A value ends, and a tuple; then the body may end; then the next tuple begins. */
    for (unsigned moves = 0; moves < 4 && m->now.state != TH__SM_END; moves++) {
        const uint8_t *taken = rules->resync ? m->now.taken : NULL;
        const th__sm_rule *rule = th__sm_rules_match(rules, m->now.state, tokens, m->now.at, taken);
        bool begins = th__sm_is_attribute(m->now.state) && m->now.begin == m->now.at;
        bool stays = rule && rule->to == m->now.state && !rule->restart;
        if (!rule || stays || (begins && !is_empty(m, rule)))
            break;
        if (!follow(m, rule, tokens))
            return false;
        if (begins)
            break; /* or the same value would begin again */
    }
    if (!any_fits(rules->tails, rules->tail_count, m, tokens, false))
        return true;
    m->now.inside = false;
    return finish(m, tokens);
}

/* A value that is too long to be one is given up. */
static void check_length(th__sm_machine *m, const th__sm_tokens *tokens)
{
    if (th__sm_is_attribute(m->now.state) && m->now.at < tokens->len && m->now.at > m->now.begin &&
        tokens->data[m->now.at].start - tokens->data[m->now.begin].start > TH__SM_MAX_VALUE)
        m->now.state = th__sm_dummy_state(th__sm_attribute_of(m->now.state));
}

bool th__sm_machine_read(th__sm_machine *m, const th__sm_tokens *tokens, uint32_t stop)
{
    for (; m->now.at < stop; m->now.at++) {
        if (!step(m, tokens))
            return false;
        check_length(m, tokens);
    }
    return true;
}

static bool run_machine(th__sm_machine *m, const th__sm_tokens *tokens, bool last)
{
    uint32_t len = (uint32_t)tokens->len, reach = m->rules->reach;
    uint32_t stop = last ? len + 1 : len > reach ? len - reach : 0;
    return th__sm_machine_read(m, tokens, stop) && (!last || finish(m, tokens));
}

th_status th__sm_run(const void *rules, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err)
{
    th__sm_tokens tokens = {0};
    th_status status = th_records_new(schema, source, out, err);
    if (status)
        return status;
    th__sm_machine machine = {.rules = rules, .now = th__sm_begin(rules), .records = *out};
    bool ok = th__sm_lex(page, page->text.len, machine.rules->lexing, &tokens) &&
              run_machine(&machine, &tokens, true);
    status = th_records_status(*out, err);
    if (!status && !ok)
        status = th__fail_memory(err);
    release_machine(&machine);
    th__vec_release(&tokens);
    if (status) {
        th_records_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- streams -----------------------------------------------------------------------------------
 *
 * A page that comes piece by piece is read in memory that does not grow with it.
 *
 *     page    ....read and forgotten....[ kept | window that is read now | not cut yet ]....
 *                                       ▲      ▲                         ▲
 *                                     base   now.at                     cut
 *
 * A window of the page is made a page of its own and run through the transducer. It ends before the
 * last coarse token, which may go on in the next piece, and the transducer stops where its right
 * contexts would reach beyond. What is kept is the value that is being read and as many tokens as a
 * left context may have; it is read again at the beginning of the next window.
 *
 * A window may begin in the middle of elements: coarse and fine tokens do not mind, and nothing
 * else of the page is looked at. Only svg and math change how tags are read, so that no window
 * begins inside one that began in the window before, unless it is longer than a window. */

typedef struct sm_stream {
    const th__sm_rules *rules;
    th_schema *schema;
    th__arena arena; /* the source's strings, the base */
    th_records_source source;
    th_str base; /* of links: the first <base href> */
    th_parser *parser;
    th__buf window;
    char held[4]; /* the first bytes of a character that is not complete */
    size_t held_len;
    bool begun; /* past a byte order mark */
    size_t chunk, need;
    th__sm_tokens tokens;
    th__sm_machine machine;
    uint32_t at, begin; /* the machine's, as bytes of the window */
} sm_stream;

/* A copy of a text that may be absent. */
static bool keep_text(sm_stream *s, th_str text, th_str *out)
{
    *out = text.ptr ? th__arena_copy(&s->arena, text) : text;
    return out->ptr || !text.ptr;
}

th_status th__sm_stream_new(const th__sm_rules *rules, const th_schema *schema,
                            const th_records_source *source, size_t chunk, void **out,
                            th_error *err)
{
    sm_stream *s = TH__NEW(sm_stream);
    *out = NULL;
    if (!s)
        return th__fail_memory(err);
    th__arena_init(&s->arena);
    s->rules = rules;
    s->schema = th_schema_retain(schema);
    s->chunk = s->need = chunk;
    s->machine = (th__sm_machine){.rules = rules, .now = th__sm_begin(rules)};
    th_status status = th_parser_new(NULL, &s->parser, err);
    if (!status && (!keep_text(s, source->page, &s->source.page) ||
                    !keep_text(s, source->url, &s->source.url)))
        status = th__fail_memory(err);
    if (status)
        th__sm_stream_free(s);
    else
        *out = s;
    return status;
}

void th__sm_stream_free(void *stream)
{
    sm_stream *s = stream;
    if (!s)
        return;
    release_machine(&s->machine);
    th__vec_release(&s->tokens);
    th__buf_release(&s->window);
    th_parser_free(s->parser);
    th_schema_free(s->schema);
    th__arena_release(&s->arena);
    th__mem_free(s);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* How many bytes at the end begin a character that may still be completed. */
static size_t cut_character(th_str bytes)
{
    for (size_t back = 1; back <= 3 && back <= bytes.len; back++) {
        unsigned char c = (unsigned char)bytes.ptr[bytes.len - back];
        size_t wanted = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC2 ? 2 : 0;
        if (wanted)
            return wanted > back ? back : 0;
        if ((c & 0xC0) != 0x80)
            return 0;
    }
    return 0;
}

/* Appends valid UTF-8 to the window, whatever comes. */
static bool append(sm_stream *s, th_str bytes)
{
    if (th__utf8_valid(bytes.ptr, bytes.len) == bytes.len)
        return th__buf_add_str(&s->window, bytes);
    size_t len = th__utf8_count(bytes.ptr, bytes.len).len;
    if (!th__buf_reserve(&s->window, len))
        return false;
    s->window.len += th__utf8_sanitize(bytes.ptr, bytes.len, s->window.data + s->window.len);
    return true;
}

static bool take_bytes(sm_stream *s, th_str bytes, bool last)
{
    while (s->held_len && s->held_len < sizeof s->held && bytes.len) {
        s->held[s->held_len++] = *bytes.ptr++;
        bytes.len--;
        th_str held = {s->held, s->held_len};
        if (cut_character(held) == held.len)
            continue;
        s->held_len = 0;
        if (!append(s, held))
            return false;
    }
    size_t cut = cut_character(bytes);
    if (bytes.len && !append(s, (th_str){bytes.ptr, bytes.len - cut}))
        return false;
    if (cut) {
        memcpy(s->held, bytes.ptr + bytes.len - cut, cut);
        s->held_len = cut;
    }
    if (last && s->held_len) {
        bool ok = append(s, (th_str){s->held, s->held_len});
        s->held_len = 0;
        return ok;
    }
    return true;
}

static void drop_bytes(sm_stream *s, size_t len)
{
    if (len) /* an empty window may be NULL */
        memmove(s->window.data, s->window.data + len, s->window.len - len);
    s->window.len -= len;
    s->machine.base += len;
}

/* ---- windows --------------------------------------------------------------------------------- */

/* Inside svg or math: where that begins. */
static uint32_t before_foreign(const th_page *page, uint32_t cut)
{
    if (!cut || cut >= page->text.len)
        return cut;
    for (uint32_t node = th_page_node_at(page, cut); node; node = page->nodes[node].parent)
        if (page->tags[node] == TH_TAG_SVG || page->tags[node] == TH_TAG_MATH)
            cut = page->tokens[page->nodes[node].token].start;
    return cut;
}

/* The byte before which all tokens of the window are known. */
static uint32_t find_cut(const th_page *page)
{
    uint32_t count = page->token_count;
    if (!count)
        return 0;
    const th_token *last = &page->tokens[count - 1];
    if (last->kind == TH_TOKEN_TEXT && last->start < page->text.len / 2) {
        uint32_t cut = (uint32_t)page->text.len; /* a long text: between two words */
        while (cut > last->start && !th__is_blank((unsigned char)page->text.ptr[cut - 1]))
            cut--;
        if (cut > last->start)
            return cut;
    }
    if ((last->kind == TH_TOKEN_RAW || last->kind == TH_TOKEN_RCDATA) && count > 1)
        last--; /* with its start tag */
    return before_foreign(page, last->start);
}

/* Where the next window must begin for the token to be read again as it was. */
static uint32_t keep_from(const th_page *page, const th__sm_token *token)
{
    enum { LONG = 1 << 16 };
    uint32_t coarse = th__token_at(page, token->start);
    const th_token *t = &page->tokens[coarse];
    if (t->kind == TH_TOKEN_TEXT && token->start - t->start > LONG)
        return token->start;
    if ((t->kind == TH_TOKEN_RAW || t->kind == TH_TOKEN_RCDATA) && coarse)
        t--;
    return before_foreign(page, t->start);
}

static uint32_t token_from(const th__sm_tokens *tokens, uint32_t byte)
{
    return (uint32_t)th__count_first(i, tokens->len, tokens->data[i].start < byte);
}

static uint32_t byte_of(const th__sm_tokens *tokens, uint32_t token, uint32_t end)
{
    return token < tokens->len ? tokens->data[token].start : end;
}

/* Runs the machine over the tokens of the window and forgets what is not needed any more. */
static bool read_tokens(sm_stream *s, const th_page *page, uint32_t cut, bool last)
{
    th__sm_position *now = &s->machine.now;
    now->at = token_from(&s->tokens, s->at);
    now->begin = token_from(&s->tokens, s->begin);
    if (!run_machine(&s->machine, &s->tokens, last))
        return false;
    uint32_t kept = now->at > s->rules->reach ? now->at - s->rules->reach : 0;
    if (th__sm_is_attribute(now->state) && now->begin < kept)
        kept = now->begin;
    uint32_t from = kept < s->tokens.len ? keep_from(page, &s->tokens.data[kept]) : cut;
    if (from > cut)
        from = cut;
    s->at = byte_of(&s->tokens, now->at, cut) - from;
    uint32_t begin = byte_of(&s->tokens, now->begin, cut);
    s->begin = begin > from ? begin - from : 0;
    drop_bytes(s, from);
    return true;
}

/* Links go by the first base of the page. */
static bool keep_base(sm_stream *s, th_page *page)
{
    if (!s->base.ptr)
        return keep_text(s, page->base, &s->base);
    page->base = s->base;
    return true;
}

static th_status read_window(sm_stream *s, bool last, th_error *err)
{
    th_page_source source = {s->source.url, th_str_from("utf-8")};
    th_page *page;
    size_t before = s->window.len;
    th_status status = th_parser_parse(s->parser, th__buf_str(&s->window), &source, &page, err);
    if (status)
        return status;
    uint32_t cut = last ? (uint32_t)page->text.len : find_cut(page);
    bool ok = keep_base(s, page) && th__sm_lex(page, cut, s->rules->lexing, &s->tokens) &&
              read_tokens(s, page, cut, last);
    th_page_free(page);
    if (!ok)
        return th__fail_memory(err);
    /* Where little could be forgotten, more is read before the next try: the sum stays linear. */
    s->need = before - s->window.len < before / 2 ? 2 * before : s->window.len + s->chunk;
    if (s->window.len > TH__SM_STREAM_TOKEN)
        return th__fail_at(err, TH_ERR_LIMIT, s->machine.base,
                           "a tag, script or comment begins near byte %llu and has no end in %d "
                           "MiB: the page cannot be streamed",
                           (unsigned long long)s->machine.base, TH__SM_STREAM_TOKEN >> 20);
    return TH_OK;
}

/* A byte order mark is not text. */
static void skip_mark(sm_stream *s)
{
    if (!s->begun && s->window.len >= 3) {
        s->begun = true;
        if (!memcmp(s->window.data, "\xEF\xBB\xBF", 3))
            drop_bytes(s, 3);
    }
}

th_status th__sm_stream_feed(void *stream, th_str bytes, bool last, th_records **out, th_error *err)
{
    sm_stream *s = stream;
    th_status status = th_records_new(s->schema, &s->source, out, err);
    if (status)
        return status;
    s->machine.records = *out;
    while (!status && bytes.len) {
        size_t some = bytes.len < s->chunk ? bytes.len : s->chunk;
        if (!take_bytes(s, (th_str){bytes.ptr, some}, false))
            status = th__fail_memory(err);
        bytes.ptr += some;
        bytes.len -= some;
        skip_mark(s);
        if (!status && s->window.len >= s->need)
            status = read_window(s, false, err);
    }
    if (!status && last)
        status =
            take_bytes(s, (th_str){0}, true) ? read_window(s, true, err) : th__fail_memory(err);
    if (!status)
        status = th_records_status(*out, err);
    s->machine.records = NULL;
    if (status || !th_records_count(*out)) {
        th_records_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- notation -------------------------------------------------------------------------------- */

/* The paper's names, and ours for what it has no class for. */
static const char *const class_names[TH_CLASS_COUNT] = {
    [TH_CLASS_ANY] = "Any",         [TH_CLASS_WORD] = "Word",
    [TH_CLASS_ALPHA] = "Alph",      [TH_CLASS_CAPITALIZED] = "CnAlph",
    [TH_CLASS_ALLCAPS] = "CAlph",   [TH_CLASS_INITCAP] = "C1Alph",
    [TH_CLASS_LOWER] = "0Alph",     [TH_CLASS_UNCASED] = "UAlph",
    [TH_CLASS_NUMBER] = "Num",      [TH_CLASS_MIXED] = "AlNum",
    [TH_CLASS_NONWORD] = "Nonword", [TH_CLASS_HTML] = "Html",
    [TH_CLASS_TAG_START] = "Tag",   [TH_CLASS_TAG_END] = "EndTag",
    [TH_CLASS_MARKUP] = "Markup",   [TH_CLASS_PUNCT] = "Punc",
    [TH_CLASS_BLANK] = "Blank",     [TH_CLASS_NEWLINE] = "NL",
    [TH_CLASS_TAB] = "Tab",         [TH_CLASS_SPACE] = "Spc",
};

/* Text with a backslash before each of `special`. */
static void print_escaped(th_str text, const char *special, th__buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] && strchr(special, text.ptr[i]))
            th__buf_add_byte(out, '\\');
        th__buf_add_byte(out, text.ptr[i]);
    }
}

/* Browsers take nearly anything for a part of a name. */
#define NAME_ENDS " =~\"<>()\\/"

static void print_tag(const th__sm_item *item, th__buf *out)
{
    th__buf_printf(out, "<%s", item->cls == TH_CLASS_TAG_END ? "/" : "");
    print_escaped(item->text, NAME_ENDS, out);
    for (uint32_t i = 0; i < item->mark_count; i++) {
        th__buf_add_byte(out, ' ');
        print_escaped(item->marks[i].name, NAME_ENDS, out);
        th__buf_add_str(out, item->marks[i].words ? TH_STR("~=\"") : TH_STR("=\""));
        print_escaped(item->marks[i].value, "\"\\", out);
        th__buf_add_byte(out, '"');
    }
    th__buf_add_byte(out, '>');
}

static bool is_tag(unsigned cls)
{
    return cls == TH_CLASS_TAG_START || cls == TH_CLASS_TAG_END;
}

/* Markup that begins like a tag but is not one: the page ends in it. */
static bool is_cut_tag(const th__sm_item *item)
{
    return item->cls == TH_CLASS_MARKUP && item->text.len > 1 && item->text.ptr[0] == '<' &&
           !strchr("!?", item->text.ptr[1]);
}

static void print_text(const th__sm_item *item, th__buf *out)
{
    if (is_cut_tag(item))
        th__buf_add_byte(out, '\\');
    print_escaped(item->text, ")\\", out);
}

static void print_item(const th__sm_item *item, th__buf *out)
{
    bool markup = item->ground && th__class_is(item->cls, TH_CLASS_HTML);
    th__buf_printf(out, "%s(", markup ? "Html" : class_names[item->cls]);
    if (!item->ground)
        th__buf_add_byte(out, '_');
    else if (is_tag(item->cls))
        print_tag(item, out);
    else if (th__class_is(item->cls, TH_CLASS_BLANK))
        th__buf_printf(out, "%u", item->count);
    else if (th__str_eq(item->text, TH_STR("_")))
        th__buf_add_str(out, TH_STR("\\_"));
    else
        print_text(item, out);
    th__buf_add_byte(out, ')');
}

void th__sm_context_print(const th__sm_context *context, bool left, th__buf *out)
{
    if (!context->count)
        th__buf_add_byte(out, '-');
    for (uint32_t i = 0; i < context->count; i++) {
        if (i)
            th__buf_add_byte(out, ' ');
        print_item(&context->items[left ? context->count - 1 - i : i], out);
    }
}

/* ---- reading the notation -------------------------------------------------------------------- */

/* A failure without a fault is a lack of memory. */
struct context_reader {
    th_str text;
    size_t at;
    th__arena *arena;
    th__buf scratch;
    const char *fault;
};

static bool fail(struct context_reader *p, const char *fault)
{
    p->fault = fault;
    return false;
}

static bool take(struct context_reader *p, char c)
{
    if (p->at >= p->text.len || p->text.ptr[p->at] != c)
        return false;
    p->at++;
    return true;
}

/* Text up to an unescaped byte of `ends`, which is not taken. */
static bool take_text(struct context_reader *p, th_str ends, th_str *out)
{
    th__buf_clear(&p->scratch);
    while (p->at < p->text.len) {
        bool escaped = p->text.ptr[p->at] == '\\' && p->at + 1 < p->text.len;
        if (!escaped && memchr(ends.ptr, p->text.ptr[p->at], ends.len))
            break;
        p->at += escaped;
        th__buf_add_byte(&p->scratch, p->text.ptr[p->at++]);
    }
    *out = p->scratch.failed ? (th_str){0} : th__arena_copy(p->arena, th__buf_str(&p->scratch));
    return out->ptr;
}

static bool take_name(struct context_reader *p, th_str *out)
{
    size_t start = p->at;
    return take_text(p, TH_STR(NAME_ENDS), out) && (p->at > start || fail(p, "expected a name"));
}

static bool parse_mark(struct context_reader *p, th__sm_mark *mark)
{
    if (!take_name(p, &mark->name))
        return false;
    mark->words = take(p, '~');
    if (!take(p, '=') || !take(p, '"'))
        return fail(p, "expected =\" after the name of an attribute");
    return take_text(p, TH_STR("\""), &mark->value) &&
           (take(p, '"') || fail(p, "expected \" after the value of an attribute"));
}

/* <name a="b"> or </name>; the "<" is taken. */
static bool parse_tag(struct context_reader *p, th__sm_item *item)
{
    enum { MARKS = 64 };
    th__sm_mark marks[MARKS];
    item->cls = take(p, '/') ? TH_CLASS_TAG_END : TH_CLASS_TAG_START;
    if (!take_name(p, &item->text))
        return false;
    item->tag = th_tag_id(item->text);
    while (take(p, ' ')) {
        if (item->mark_count == MARKS)
            return fail(p, "too many attributes");
        if (!parse_mark(p, &marks[item->mark_count]))
            return false;
        item->mark_count++;
    }
    if (!take(p, '>'))
        return fail(p, "expected > after a tag");
    item->marks = th__arena_keep(p->arena, marks, item->mark_count, sizeof *marks);
    return item->marks;
}

static bool parse_ground(struct context_reader *p, th__sm_item *item)
{
    item->ground = true;
    if (item->cls == TH_CLASS_HTML) {
        if (p->text.len - p->at >= 2 && p->text.ptr[p->at] == '<' &&
            !strchr("!?", p->text.ptr[p->at + 1])) {
            p->at++;
            return parse_tag(p, item);
        }
        item->cls = TH_CLASS_MARKUP;
        return take_text(p, TH_STR(")"), &item->text);
    }
    if (!take_text(p, TH_STR(")"), &item->text))
        return false;
    if (item->cls == TH_CLASS_NEWLINE || item->cls == TH_CLASS_TAB || item->cls == TH_CLASS_SPACE) {
        uint64_t count = 0;
        for (size_t i = 0; i < item->text.len; i++) {
            if (!th__is_digit((unsigned char)item->text.ptr[i]) || count > UINT32_MAX / 16)
                return fail(p, "expected the length of a blank");
            count = count * 10 + (unsigned)(item->text.ptr[i] - '0');
        }
        item->count = (uint32_t)count;
        item->text = (th_str){0};
    }
    return true;
}

static bool parse_item(struct context_reader *p, th__sm_item *item)
{
    size_t start = p->at;
    while (p->at < p->text.len && p->text.ptr[p->at] != '(')
        p->at++;
    th_str name = {p->text.ptr + start, p->at - start};
    unsigned cls = 0;
    while (cls < TH_CLASS_COUNT && !th__str_eq(name, th_str_from(class_names[cls])))
        cls++;
    if (cls == TH_CLASS_COUNT || !take(p, '(')) {
        p->at = start;
        return fail(p, "expected a class and (, as in C1Alph(");
    }
    *item = (th__sm_item){.cls = (uint8_t)cls};
    if (p->text.len - p->at >= 2 && p->text.ptr[p->at] == '_' && p->text.ptr[p->at + 1] == ')')
        p->at++;
    else if (!parse_ground(p, item))
        return false;
    return take(p, ')') || fail(p, "expected )");
}

bool th__sm_context_parse(th_str text, bool left, th__arena *arena, th__sm_context *out,
                          const char **fault, size_t *where)
{
    struct context_reader p = {.text = text, .arena = arena};
    TH__VEC(th__sm_item) items = {0};
    bool ok = true;
    if (th__str_eq(text, TH_STR("-")))
        p.at = 1;
    else
        do {
            th__sm_item item;
            ok = items.len < TH__SM_MAX_STRING ? parse_item(&p, &item)
                                               : fail(&p, "too many tokens in a context");
            ok = ok && th__vec_push(&items, item);
        } while (ok && take(&p, ' '));
    if (ok && p.at < text.len)
        ok = fail(&p, "expected a blank between tokens");
    th__sm_item *kept = ok ? th__arena_alloc(arena, (items.len + 1) * sizeof *kept) : NULL;
    for (size_t i = 0; kept && i < items.len; i++)
        kept[left ? items.len - 1 - i : i] = items.data[i];
    *out = (th__sm_context){kept, (uint32_t)items.len};
    *fault = p.fault;
    *where = p.at;
    th__vec_release(&items);
    th__buf_release(&p.scratch);
    return kept;
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
        write_state(rules, state, out);
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
    unsigned long long pairs = edge_count(edge);
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
        th__buf_printf(out, "\\nand %llu more", pairs - 1);
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
    write_state(rules, move->from, words);
    th__buf_printf(words, ",");
    write_state(rules, move->to, words);
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
              run_machine(&machine, &tokens, true);
    (void)schema;
    for (size_t i = 0; ok && i < moves.len; i++)
        ok = hit_move(out, rules, &tokens, &moves.data[i], &words);
    release_machine(&machine);
    th__vec_release(&tokens);
    th__vec_release(&moves);
    th__buf_release(&words);
    return ok ? TH_OK : th__fail_memory(err);
}

/* ---- the fields of a schema, flat: what attributes can be ------------------------------------ */

/* As deep as a schema is. */
static bool list_fields(const th_type *type, bool many, th__buf *path, th__arena *arena,
                        th__sm_fields *out)
{
    size_t mark = path->len;
    bool ok = true;
    if (th_type_get_kind(type) == TH_TYPE_FIELD) {
        th__sm_field field = {th__arena_copy(arena, th__buf_str(path)), many};
        return field.path.ptr && th__vec_push(out, field);
    }
    many |= th_type_get_kind(type) == TH_TYPE_LIST;
    for (size_t i = 0; ok && i < th_type_count(type); i++) {
        const th_type *child = th_type_child(type, i);
        if (th_type_get_kind(type) == TH_TYPE_TUPLE) {
            th_str name = th_type_name(child);
            th__buf_printf(path, "%s%.*s", mark ? "." : "", TH_STR_ARG(name));
        }
        ok = list_fields(child, many, path, arena, out);
        path->len = mark;
    }
    return ok && !path->failed;
}

bool th__sm_fields_list(const th_schema *schema, th__arena *arena, th__sm_fields *out)
{
    th__buf path = {0};
    bool ok = list_fields(th_schema_record_type(schema), false, &path, arena, out);
    th__buf_release(&path);
    return ok;
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
    attribute->leaf = 0;
    while (attribute->leaf < fields->len &&
           !th__str_eq(fields->data[attribute->leaf].path, attribute->path))
        attribute->leaf++;
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
    write_state(root, *(const th__sm_state *)state, out);
}

/* An edge leads from a value to a dummy, a value or the end, or from a state that is not a value to
 * one; or back to where it begins, to stay there. */
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
    return rules_size(rules) <= MAX_COMPILED
               ? TH_OK
               : th__rule_fault(reader, "more rules than a wrapper may have");
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Files have ground_html only where it is not the default: the paper has tokens of blanks and no
 * ground tags; we have ground tags and no such tokens. */
static bool ground_by_default(const th__sm_rules *rules)
{
    return rules->lexing.blanks != TH__SM_ALL_BLANKS;
}

static th_status read_ground(th__rule_reader *reader, json_t *json, void *object)
{
    th__sm_rules *rules = object;
    rules->ground_html = ground_by_default(rules);
    return th__rule_member_read(
        reader, json, &(th__rule_member){TH__FLAG("ground_html", th__sm_rules, ground_html)},
        rules);
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

/* ---- switches -------------------------------------------------------------------------------- */

const th__sm_options th__sm_ours = {true, true, true, true, true}, th__sm_paper = {0};

/* Turns the named switches off. */
static th_status switch_off(th__sm_options *options, const char *names, th_error *err)
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

/* ---- the engine ------------------------------------------------------------------------------ */

static th_status learn_corpus(const th_learn_options *options, const th__corpus *corpus,
                              th__arena *arena, th_schema **schema, void **rules, th_error *err)
{
    th__sm_options own = options->paper.published ? th__sm_paper : th__sm_ours;
    th__sm_rules *made = NULL;
    th_status status = switch_off(&own, options->without, err);
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

/* The switches of a correction: those that the rules were learnt with, but for `without`. */
static th_status read_switches(const char *without, th__sm_rules *rules, th__sm_options *out,
                               th_error *err)
{
    bool no_blanks = rules->lexing.blanks != TH__SM_ALL_BLANKS;
    *out = (th__sm_options){
        .ground_html = rules->ground_html, .no_blanks = no_blanks, .resync = rules->resync};
    th_status status = switch_off(out, without, err);
    if (!status && no_blanks != out->no_blanks)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "the rules of this wrapper have no tokens of white space: learn it again "
                        "without no-blanks");
    rules->ground_html = out->ground_html;
    rules->resync = out->resync;
    return status;
}

static th_status correct(const th_learn_options *options, const th_schema *old_schema,
                         const void *old_rules, const th__corpus *corpus, th__arena *arena,
                         th_schema **schema, void **rules, th_error *err)
{
    th__sm_fields fields = {0};
    th__sm_options own;
    th_status status = copy_rules(old_rules, old_schema, arena, rules, err);
    if (!status)
        status = read_switches(options->without, *rules, &own, err);
    if (!status && !th__sm_fields_list(old_schema, arena, &fields))
        status = th__fail_memory(err);
    if (!status)
        status = th__sm_correct(&own, &fields, corpus, *rules, arena, err);
    th__vec_release(&fields);
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
