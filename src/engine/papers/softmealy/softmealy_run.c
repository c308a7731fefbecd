/*
 * softmealy_run.c: the transducer at work.
 *
 *     outside the body ──h^L──▶ b ──s<b,k>──▶ k ──s<k,-k>──▶ -k ──s<-k,j>──▶ j ── ... ──▶ e = b
 *            ▲                                                                            │
 *            └───────────────────────────────── t^R ──────────────────────────────────────┘
 *
 * At a separator that no rule fits the state stays: "?" in the paper's figures. At one separator
 * several rules may apply one after the other (the end of a value and the begin of the next); no
 * state is visited twice there, so that rules cannot turn in a circle.
 *
 * Where a tuple's first separator is seen before the tuple has ended (a separator that nobody had
 * labelled was missed), the tuple ends there and the next begins: a value that was being read is
 * lost, the rest of the page is not. The paper lost four tuples to this.
 */
#include "engine/papers/softmealy/softmealy.h"

#include "base/error.h"
#include "base/mem.h"
#include "page/charref.h"
#include "page/tags.h"
#include "page/text.h"
#include "page/url.h"

bool th__sm_machine_init(th__sm_machine *machine, const th__sm_rules *rules)
{
    *machine = (th__sm_machine){.rules = rules, .state = TH__SM_BEGIN};
    machine->inside = rules->head_count == 0;
    machine->taken = th__mem_zero(rules->attribute_count / 8 + 1, 1);
    return machine->taken != NULL;
}

void th__sm_machine_release(th__sm_machine *machine)
{
    th__vec_release(&machine->values);
    th__buf_release(&machine->texts);
    th__buf_release(&machine->scratch);
    th__mem_free(machine->taken);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The value of an attribute of the first of the tokens that has it. */
static bool read_source(th__sm_machine *m, const th_page *page, const th__sm_tokens *tokens,
                        uint32_t end, th_str name, th_span *span)
{
    th_attr attr;
    *span = (th_span){0, 0};
    for (uint32_t i = m->begin; i < end; i++) {
        if (tokens->data[i].cls != TH_CLASS_TAG_START)
            continue;
        for (th_attr_iter it = th_attrs(page, tokens->data[i].coarse); th_attr_next(&it, &attr);) {
            if (!attr.value.ptr || !th__str_eq_nocase(attr.name, name))
                continue;
            th_str value = th__str_trim(attr.value);
            *span = (th_span){(uint32_t)(value.ptr - page->text.ptr),
                              (uint32_t)(value.ptr - page->text.ptr + value.len)};
            th__buf_clear(&m->scratch);
            if (!th__attribute_is_link(name))
                return th__decode_refs(value, true, &m->texts);
            return th__decode_refs(value, true, &m->scratch) &&
                   th__url_resolve(page->base.ptr ? page->base : page->url,
                                   th__buf_str(&m->scratch), &m->texts);
        }
    }
    return true;
}

static bool keep_value(th__sm_machine *m, const th_page *page, const th__sm_tokens *tokens,
                       uint32_t end, uint32_t attribute)
{
    th_str source = m->rules->attributes[attribute].source;
    size_t text = m->texts.len;
    th_span span = {tokens->data[m->begin].start, tokens->data[end - 1].end};
    bool ok = source.ptr ? read_source(m, page, tokens, end, source, &span)
                         : th__span_text(page, span, &m->texts);
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
static bool end_value(th__sm_machine *m, const th_page *page, const th__sm_tokens *tokens,
                      uint32_t end)
{
    const th__sm_rules *rules = m->rules;
    uint32_t attribute = th__sm_attribute_of(m->state);
    if (end <= m->begin)
        return true;
    for (uint32_t k = attribute; m->records && k < rules->attribute_count; k++)
        if (rules->attributes[k].same_as == attribute && !keep_value(m, page, tokens, end, k))
            return false;
    m->taken[attribute / 8] |= (uint8_t)(1u << (attribute % 8));
    return true;
}

/* ---- tuples ---------------------------------------------------------------------------------- */

/* The slot of the schema's leaf below `slot`; `leaf` counts down to it. A list gets one more item
 * where its last has the leaf already or, where members keep the schema's order, one behind it: the
 * first value of an item may be missing. The depth is the schema's. */
static th_value *leaf_slot(th_records *records, th_value *slot, const th_type *type, uint32_t *leaf,
                           bool in_order);

static uint32_t leaf_count(const th_type *type)
{
    uint32_t count = 0;
    if (th_type_get_kind(type) == TH_TYPE_FIELD)
        return 1;
    for (size_t i = 0; i < th_type_count(type); i++)
        count += leaf_count(th_type_child(type, i));
    return count;
}

/* Whether the leaf of an item has no value yet. */
static bool leaf_is_free(const th_value *value, const th_type *type, uint32_t leaf)
{
    while (th_type_get_kind(type) == TH_TYPE_OPTIONAL)
        type = th_type_child(type, 0);
    if (!value || th_value_get_kind(value) == TH_VALUE_NULL)
        return true;
    if (th_type_get_kind(type) == TH_TYPE_FIELD)
        return false;
    if (th_type_get_kind(type) != TH_TYPE_TUPLE)
        return true; /* a list takes any number */
    for (size_t i = 0; i < th_type_count(type); i++) {
        uint32_t count = leaf_count(th_type_child(type, i));
        if (leaf < count)
            return leaf_is_free(th_value_item(value, i), th_type_child(type, i), leaf);
        leaf -= count;
    }
    return false;
}

/* Whether a member of an item behind the one with the leaf has a value. */
static bool is_behind(const th_value *value, const th_type *type, uint32_t leaf)
{
    while (th_type_get_kind(type) == TH_TYPE_OPTIONAL)
        type = th_type_child(type, 0);
    if (th_type_get_kind(type) != TH_TYPE_TUPLE || th_value_get_kind(value) != TH_VALUE_TUPLE)
        return false;
    size_t i = 0;
    for (uint32_t count; i < th_type_count(type); i++, leaf -= count) {
        count = leaf_count(th_type_child(type, i));
        if (leaf < count)
            break;
    }
    while (++i < th_type_count(type)) {
        const th_value *member = th_value_item(value, i);
        if (th_value_get_kind(member) == TH_VALUE_TEXT || th_value_count(member))
            return true;
    }
    return false;
}

static th_value *list_slot(th_records *records, th_value *slot, const th_type *type, uint32_t *leaf,
                           bool in_order)
{
    const th_type *item = th_type_child(type, 0);
    size_t count = slot && th_value_get_kind(slot) == TH_VALUE_LIST ? th_value_count(slot) : 0;
    th_value *last = count ? th_value_slot(slot, count - 1) : NULL;
    if (!last || !leaf_is_free(last, item, *leaf) || (in_order && is_behind(last, item, *leaf)))
        last = th_records_append(records, slot);
    return leaf_slot(records, last, item, leaf, in_order);
}

static th_value *leaf_slot(th_records *records, th_value *slot, const th_type *type, uint32_t *leaf,
                           bool in_order)
{
    while (th_type_get_kind(type) == TH_TYPE_OPTIONAL)
        type = th_type_child(type, 0);
    if (!slot || th_type_get_kind(type) == TH_TYPE_FIELD)
        return slot;
    if (th_type_get_kind(type) == TH_TYPE_LIST)
        return list_slot(records, slot, type, leaf, in_order);
    if (th_value_get_kind(slot) == TH_VALUE_NULL)
        slot = th_records_set_tuple(records, slot);
    for (size_t i = 0; slot && i < th_type_count(type); i++) {
        uint32_t count = leaf_count(th_type_child(type, i));
        if (*leaf < count)
            return leaf_slot(records, th_value_slot(slot, i), th_type_child(type, i), leaf,
                             in_order);
        *leaf -= count;
    }
    return NULL;
}

/* A place beyond what a span can say is not known. */
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
        th_value *slot = leaf_slot(m->records, record, type, &leaf, m->rules->in_order);
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
    memset(m->taken, 0, m->rules->attribute_count / 8 + 1);
    return ok;
}

/* ---- transitions ----------------------------------------------------------------------------- */

static bool follow(th__sm_machine *m, const th__sm_rule *rule, const th_page *page,
                   const th__sm_tokens *tokens)
{
    th__sm_move move = {m->state, rule->to, m->at, rule->restart, rule};
    if (m->moves && !th__vec_push(m->moves, move))
        return false;
    if (rule->restart) { /* what was being read has no end, and is lost */
        if (!emit_tuple(m))
            return false;
    } else if (th__sm_is_attribute(m->state) && !end_value(m, page, tokens, m->at)) {
        return false;
    }
    m->state = rule->to;
    if (th__sm_is_attribute(m->state))
        m->begin = m->at;
    if (m->state != TH__SM_END)
        return true;
    m->state = m->rules->one_record ? TH__SM_END : TH__SM_BEGIN;
    return m->rules->one_record || emit_tuple(m);
}

static bool any_fits(const th__sm_context *contexts, uint32_t count, const th__sm_machine *m,
                     const th_page *page, const th__sm_tokens *tokens, bool left)
{
    for (uint32_t i = 0; i < count; i++)
        if (left ? th__sm_left_fits(&contexts[i], page, tokens, m->at)
                 : th__sm_right_fits(&contexts[i], page, tokens, m->at))
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
    for (uint32_t i = m->begin; i < end; i++) {
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
 * page is a record, what no rule has ended is no value. */
static bool finish(th__sm_machine *m, const th_page *page, const th__sm_tokens *tokens)
{
    uint32_t end = m->at < tokens->len ? m->at : (uint32_t)tokens->len;
    if (th__sm_is_attribute(m->state) && !(m->rules->one_record && m->inside) &&
        !end_value(m, page, tokens, m->rules->resync ? element_end(m, tokens, end) : end))
        return false;
    m->state = TH__SM_BEGIN;
    return emit_tuple(m);
}

static bool leave_body(th__sm_machine *m, const th_page *page, const th__sm_tokens *tokens)
{
    m->inside = false;
    return finish(m, page, tokens);
}

/* Whether a rule that fits where a value begins says that there is none: <i></i>. The paper's pages
 * have no such values. */
static bool is_empty(const th__sm_machine *m, const th__sm_rule *rule)
{
    return m->rules->resync && !rule->restart && !th__sm_is_attribute(rule->to);
}

/* All that happens at the separator m->at. */
static bool step(th__sm_machine *m, const th_page *page, const th__sm_tokens *tokens)
{
    const th__sm_rules *rules = m->rules;
    if (!m->inside) {
        if (!any_fits(rules->heads, rules->head_count, m, page, tokens, true))
            return true;
        m->inside = true;
    }
    /* A value ends, and a tuple; then the body may end; then the next tuple begins. */
    for (unsigned moves = 0; moves < 4 && m->state != TH__SM_END; moves++) {
        const uint8_t *taken = rules->resync ? m->taken : NULL;
        const th__sm_rule *rule = th__sm_rules_match(rules, m->state, page, tokens, m->at, taken);
        bool begins = th__sm_is_attribute(m->state) && m->begin == m->at;
        bool stays = rule && rule->to == m->state && !rule->restart;
        if (!rule || stays || (begins && !is_empty(m, rule)))
            break;
        if (!follow(m, rule, page, tokens))
            return false;
        if (begins)
            break; /* or the same value would begin again */
    }
    if (rules->tail_count && any_fits(rules->tails, rules->tail_count, m, page, tokens, false))
        return leave_body(m, page, tokens);
    return true;
}

/* A value that is too long to be one is given up. */
static void check_length(th__sm_machine *m, const th__sm_tokens *tokens)
{
    if (th__sm_is_attribute(m->state) && m->at < tokens->len && m->at > m->begin &&
        tokens->data[m->at].start - tokens->data[m->begin].start > TH__SM_MAX_VALUE)
        m->state = th__sm_dummy_state(th__sm_attribute_of(m->state));
}

bool th__sm_machine_read(th__sm_machine *m, const th_page *page, const th__sm_tokens *tokens,
                         uint32_t stop)
{
    for (; m->at < stop; m->at++) {
        if (!step(m, page, tokens))
            return false;
        check_length(m, tokens);
    }
    return true;
}

bool th__sm_machine_run(th__sm_machine *m, const th_page *page, const th__sm_tokens *tokens,
                        bool last)
{
    uint32_t len = (uint32_t)tokens->len, reach = m->rules->reach;
    uint32_t stop = last ? len + 1 : len > reach ? len - reach : 0;
    return th__sm_machine_read(m, page, tokens, stop) && (!last || finish(m, page, tokens));
}

th_status th__sm_run(const th__sm_rules *rules, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err)
{
    th__sm_machine machine = {0};
    th__sm_tokens tokens = {0};
    th_status status = th_records_new(schema, source, out, err);
    if (status)
        return status;
    bool ok = th__sm_machine_init(&machine, rules) &&
              th__sm_lex(page, (th_span){0, (uint32_t)page->text.len}, rules->lexing, &tokens);
    machine.records = *out;
    ok = ok && th__sm_machine_run(&machine, page, &tokens, true);
    status = th_records_status(*out, err);
    if (!status && !ok)
        status = th__fail_memory(err);
    th__sm_machine_release(&machine);
    th__vec_release(&tokens);
    if (status) {
        th_records_free(*out);
        *out = NULL;
    }
    return status;
}
