/*
 * softmealy_rules.c: rules as they run.
 *
 * Which rule wins where several fit: a string rule, then one that was learnt of this pair of
 * states rather than borrowed from others, then more ground tokens, then more tokens, then the
 * one that was learnt first (the paper says "longer or with more ground tokens", which is no
 * order).
 */
#include "engine/papers/softmealy/softmealy.h"

#include <stdlib.h>

#include "page/lex.h"

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

uint64_t th__sm_rules_count(const th__sm_rules *rules)
{
    uint64_t count = 0;
    for (uint32_t e = 0; e < rules->edge_count; e++)
        count += edge_count(&rules->edges[e]);
    return count;
}

static int compare_rules(const void *left, const void *right)
{
    const th__sm_rule *a = left, *b = right;
    if (a->string != b->string)
        return a->string ? -1 : 1;
    if (a->borrowed != b->borrowed)
        return a->borrowed ? 1 : -1;
    if (a->restart != b->restart)
        return a->restart ? 1 : -1;
    if (a->ground != b->ground)
        return a->ground > b->ground ? -1 : 1;
    if (a->length != b->length)
        return a->length > b->length ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* What an edge means in a state: TH__SM_ANY stands for all of them. */
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

uint64_t th__sm_rules_size(const th__sm_rules *rules)
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

static bool compile_state(th__sm_rules *rules, th__sm_state state, uint64_t most, th__arena *arena)
{
    th__sm_node *node = &rules->nodes[state];
    th__sm_rule *list = th__mem_resize(NULL, most + 1, sizeof *list);
    uint32_t count = 0;
    if (!list)
        return false;
    for (uint32_t e = 0; e < rules->edge_count; e++)
        add_edge(rules, &rules->edges[e], e, state, list, &count);
    qsort(list, count, sizeof *list, compare_rules);
    th__sm_rule *kept = th__arena_alloc(arena, (count + 1) * sizeof *kept);
    if (kept) {
        memcpy(kept, list, count * sizeof *kept);
        node->rules = kept;
        node->count = count;
        for (uint32_t i = 0; i < count; i++) {
            admit(kept[i].left, &node->left_classes, &node->left_tags);
            admit(kept[i].right, &node->right_classes, &node->right_tags);
            if (rules->reach < kept[i].left->count)
                rules->reach = kept[i].left->count;
            if (rules->reach < kept[i].right->count)
                rules->reach = kept[i].right->count;
        }
    }
    th__mem_free(list);
    return kept != NULL;
}

bool th__sm_rules_compile(th__sm_rules *rules, th__arena *arena)
{
    uint64_t most = th__sm_rules_count(rules);
    uint32_t states = state_count(rules);
    rules->reach = 1;
    rules->nodes = th__arena_zero(arena, states, sizeof *rules->nodes);
    if (!rules->nodes)
        return false;
    for (uint32_t s = 0; s < states; s++)
        if (s != TH__SM_END && !compile_state(rules, (th__sm_state)s, most, arena))
            return false;
    for (uint32_t i = 0; i < rules->head_count; i++)
        if (rules->reach < rules->heads[i].count)
            rules->reach = rules->heads[i].count;
    for (uint32_t i = 0; i < rules->tail_count; i++)
        if (rules->reach < rules->tails[i].count)
            rules->reach = rules->tails[i].count;
    return true;
}

/* Whether the token may be one of those beside the separators of a state. */
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
                                      const th_page *page, const th__sm_tokens *tokens, uint32_t at,
                                      const uint8_t *taken)
{
    const th__sm_node *node = &rules->nodes[state];
    if (at < tokens->len && !admits(node->right_classes, node->right_tags, &tokens->data[at]))
        return NULL;
    if (at && !admits(node->left_classes, node->left_tags, &tokens->data[at - 1]))
        return NULL;
    for (uint32_t i = 0; i < node->count; i++) {
        const th__sm_rule *rule = &node->rules[i];
        if (th__sm_left_fits(rule->left, page, tokens, at) &&
            th__sm_right_fits(rule->right, page, tokens, at) && may_enter(rules, rule, taken))
            return rule;
    }
    return NULL;
}

void th__sm_state_print(const th__sm_rules *rules, th__sm_state state, th__buf *out)
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
