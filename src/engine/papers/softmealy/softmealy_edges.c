/*
 * softmealy_edges.c: the edges of the transducer, with their rules.
 *
 * Every pair of neighbours in a labelled tuple is an edge. Its separators' contexts go through
 * Algorithm 1, left and right apart, and every left alternative goes with every right one.
 *
 * With `check` the labelled tuples are then read again. Where a rule fires at a wrong separator its
 * edge goes one level down: first its rows stay as they are (words and signs ground), then they
 * grow by a token on each side, up to LEVELS. Levels only rise, so that it ends.
 */
#include "engine/papers/softmealy/softmealy_learn.h"

#include <stdlib.h>

#include "base/cancel.h"
#include "base/mem.h"
#include "page/lex.h"

enum { LEVELS = 8, ROUNDS = 16, MANY = 6 /* times right for once wrong */ };

struct made_edge {
    th__sm_state from, to;
    uint32_t level;
    uint32_t right, wrong; /* how often its rules won in this round */
    TH__VEC(uint32_t) separators;
};

struct maker {
    th__sm_samples *samples;
    TH__VEC(struct made_edge) edges;
};

static void release(struct maker *m)
{
    for (size_t i = 0; i < m->edges.len; i++)
        th__vec_release(&m->edges.data[i].separators);
    th__vec_release(&m->edges);
}

static struct made_edge *find_edge(struct maker *m, th__sm_state from, th__sm_state to)
{
    for (size_t i = 0; i < m->edges.len; i++)
        if (m->edges.data[i].from == from && m->edges.data[i].to == to)
            return &m->edges.data[i];
    return NULL;
}

static bool collect(struct maker *m)
{
    const th__sm_samples *s = m->samples;
    for (uint32_t i = 0; i < s->separators.len; i++) {
        const th__sm_separator *sep = &s->separators.data[i];
        struct made_edge *edge = find_edge(m, sep->from, sep->to);
        if (!edge) {
            struct made_edge made = {.from = sep->from, .to = sep->to};
            if (!th__vec_push(&m->edges, made))
                return false;
            edge = &m->edges.data[m->edges.len - 1];
        }
        if (!th__vec_push(&edge->separators, i))
            return false;
    }
    return true;
}

/* The contexts of one side of an edge. */
static bool contexts_of(const th__sm_samples *s, const struct made_edge *edge, bool left,
                        th__sm_context **out, uint32_t *count)
{
    *count = (uint32_t)edge->separators.len;
    *out = th__arena_zero(s->arena, *count + 1, sizeof **out);
    uint32_t more = edge->level > 1 ? edge->level - 1 : 0;
    if (edge->from == TH__SM_BEGIN && !left)
        more = edge->level; /* into the value first */
    for (uint32_t i = 0; *out && i < *count; i++)
        if (!th__sm_context_of(s, &s->separators.data[edge->separators.data[i]], left, more,
                               &(*out)[i]))
            return false;
    return *out != NULL;
}

static bool blank_free(const th__sm_samples *s, th__sm_context *rows, uint32_t count);

/* Words on a value's side are data, and so are those behind a tuple: their class is enough. */
static void free_words(th__sm_context *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < rows[i].count; k++)
            if (th__class_is(rows[i].items[k].cls, TH_CLASS_WORD))
                ((th__sm_item *)rows[i].items)[k] = (th__sm_item){.cls = rows[i].items[k].cls};
}

/* What a tuple begins with is its own: the context of s<b,k> ends before the first end tag or
 * word, which belong to what stands before it. */
static void trim_begin(th__sm_context *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t kept = 1;
        while (kept < rows[i].count && rows[i].items[kept].cls == TH_CLASS_TAG_START)
            kept++;
        rows[i].count = rows[i].count < kept ? rows[i].count : kept;
    }
}

static bool make_group(const th__sm_samples *s, const struct made_edge *edge, th__sm_edge *out)
{
    th__sm_group *group = th__arena_zero(s->arena, 1, sizeof *group);
    *out = (th__sm_edge){.from = edge->from, .to = edge->to, .group_count = 1, .groups = group};
    if (!group || !contexts_of(s, edge, true, &group->lefts, &group->left_count) ||
        !contexts_of(s, edge, false, &group->rights, &group->right_count))
        return false;
    if (s->options.ground_html) {
        if (th__sm_is_attribute(edge->to) || edge->to == TH__SM_END)
            free_words(group->rights, group->right_count);
        if (th__sm_is_attribute(edge->from))
            free_words(group->lefts, group->left_count);
        if (edge->from == TH__SM_BEGIN)
            trim_begin(group->lefts, group->left_count);
    }
    return th__sm_generalize(group->lefts, &group->left_count, &s->options, s->arena) &&
           th__sm_generalize(group->rights, &group->right_count, &s->options, s->arena);
}

/* Rows that stay as they are, each with its own other side. Where a tuple begins, the value is
 * looked into before its words are taken as they are. */
static bool make_pairs(const th__sm_samples *s, const struct made_edge *edge, th__sm_edge *out)
{
    enum { GROUND = 4 };
    th__sm_context *lefts, *rights;
    uint32_t count, kept = 0;
    bool begins = edge->from == TH__SM_BEGIN && !s->one_record && s->options.ground_html;
    if (!contexts_of(s, edge, true, &lefts, &count) ||
        !contexts_of(s, edge, false, &rights, &count) || !blank_free(s, lefts, count) ||
        !blank_free(s, rights, count))
        return false;
    if (begins && edge->level < GROUND)
        free_words(rights, count);
    if (begins && edge->level == 1)
        trim_begin(lefts, count);
    th__sm_group *groups = th__arena_zero(s->arena, count + 1, sizeof *groups);
    for (uint32_t i = 0; groups && i < count; i++) {
        bool there = false;
        for (uint32_t j = 0; j < kept && !there; j++)
            there = th__sm_context_equal(groups[j].lefts, &lefts[i]) &&
                    th__sm_context_equal(groups[j].rights, &rights[i]);
        if (!there)
            groups[kept++] = (th__sm_group){&lefts[i], &rights[i], 1, 1, false};
    }
    *out = (th__sm_edge){edge->from, edge->to, kept, groups, true};
    return groups != NULL;
}

/* Blanks of ground rows are any blanks. */
static bool blank_free(const th__sm_samples *s, th__sm_context *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        th__sm_item *items = th__arena_alloc(s->arena, (rows[i].count + 1) * sizeof *items);
        if (!items)
            return false;
        for (uint32_t k = 0; k < rows[i].count; k++) {
            items[k] = rows[i].items[k];
            if (items[k].count)
                items[k] = (th__sm_item){.cls = items[k].cls};
        }
        rows[i].items = items;
    }
    return true;
}

static bool make_edges(struct maker *m, th__sm_rules *rules)
{
    rules->edges = th__arena_zero(m->samples->arena, m->edges.len + 1, sizeof *rules->edges);
    rules->edge_count = (uint32_t)m->edges.len;
    for (size_t i = 0; rules->edges && i < m->edges.len; i++)
        if (!(m->edges.data[i].level ? make_pairs : make_group)(m->samples, &m->edges.data[i],
                                                                &rules->edges[i]))
            return false;
    return rules->edges && th__sm_rules_compile(rules, m->samples->arena);
}

/* The edge whose rule wins first between where a state was entered and its separator. */
static struct made_edge *first_winner(struct maker *m, const th__sm_rules *rules,
                                      const th__sm_separator *sep, bool *right)
{
    const th__sm_page *page = &m->samples->pages[sep->page];
    uint32_t from = sep->from == TH__SM_BEGIN && !m->samples->one_record ? sep->at : sep->since;
    bool value = th__sm_is_attribute(sep->from) && !rules->resync;
    for (uint32_t at = from + value; at <= sep->at; at++) {
        const th__sm_rule *rule =
            th__sm_rules_match(rules, sep->from, page->page, &page->tokens, at, NULL);
        bool begin = at == from && th__sm_is_attribute(sep->from); /* only an end can be wrong */
        if (!rule || (rule->restart && (begin || at == sep->at)) ||
            (begin && th__sm_is_attribute(rule->to)))
            continue;
        *right = at == sep->at && rule->to == sep->to;
        return find_edge(m, rule->restart ? TH__SM_BEGIN : sep->from, rule->to);
    }
    return NULL; /* no rule fits: a level too ground would be the cause, and there is none */
}

/* No tuple may begin where none is said to stand. */
static void check_nothing(struct maker *m, const th__sm_rules *rules, const th__sm_page *page,
                          th_span place)
{
    for (uint32_t at = place.start; at < place.end; at++) {
        const th__sm_rule *rule =
            th__sm_rules_match(rules, TH__SM_BEGIN, page->page, &page->tokens, at, NULL);
        struct made_edge *wrong = rule ? find_edge(m, TH__SM_BEGIN, rule->to) : NULL;
        if (wrong)
            wrong->wrong += MANY;
    }
}

/* Reads the labelled tuples; raises the levels of the edges that go wrong, each by one. Of those
 * that are nearly always right the exceptions are left to be memorized. */
static bool check(struct maker *m, const th__sm_rules *rules)
{
    bool changed = false;
    for (size_t i = 0; i < m->edges.len; i++)
        m->edges.data[i].right = m->edges.data[i].wrong = 0;
    for (size_t i = 0; i < m->samples->separators.len; i++) {
        bool right;
        if (th__cancelled(m->samples->cancel))
            return false;
        struct made_edge *edge = first_winner(m, rules, &m->samples->separators.data[i], &right);
        if (edge)
            right ? edge->right++ : edge->wrong++;
    }
    for (uint32_t p = 0; p < m->samples->page_count; p++)
        for (uint32_t i = 0; i < m->samples->pages[p].nothing_count; i++)
            check_nothing(m, rules, &m->samples->pages[p], m->samples->pages[p].nothing[i]);
    for (size_t i = 0; i < m->edges.len; i++) {
        struct made_edge *edge = &m->edges.data[i];
        if (edge->wrong * MANY > edge->right && edge->level < LEVELS) {
            edge->level++;
            changed = true;
        }
    }
    return changed;
}

th_status th__sm_edges_learn(th__sm_samples *s, th__sm_rules *rules, th_error *err)
{
    struct maker m = {.samples = s};
    bool ok = collect(&m) && make_edges(&m, rules);
    for (int round = 0; ok && s->options.check && round < ROUNDS && check(&m, rules); round++)
        ok = make_edges(&m, rules);
    uint64_t count = ok ? th__sm_rules_count(rules) : 0;
    release(&m);
    if (!ok)
        return th__fail_memory(err);
    if (count > TH__SM_MAX_RULES)
        return th__fail(err, TH_ERR_LIMIT,
                        "the labels give %llu contextual rules, and a wrapper has at most %d: the "
                        "labelled places have too little in common",
                        (unsigned long long)count, TH__SM_MAX_RULES);
    return TH_OK;
}
