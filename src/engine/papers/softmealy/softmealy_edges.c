/*
 * softmealy_edges.c: the rules of the body (section 3.2) and of the edges of the transducer.
 *
 * The body: h^L is before it, t^R after it. They are the context under the length bias, ground; as
 * long as it fits at another place first, one token more. Of several pages, these rows then go
 * through Algorithm 1; as long as what comes out fits a wrong place on one of the pages, all rows
 * grow by a token.
 *
 * The edges: every pair of neighbours in a labelled tuple is one. Its separators' contexts go
 * through Algorithm 1, left and right apart, and every left alternative goes with every right one.
 *
 * With `check` the labelled tuples are then read again. Where a rule fires at a wrong separator its
 * edge goes one level down: first its rows stay as they are (words and signs ground), then they
 * grow by a token on each side, up to LEVELS. Levels only rise, so that it ends.
 */
#include "engine/papers/softmealy/softmealy.h"

#include "base/cancel.h"
#include "base/error.h"
#include "page/lex.h"

/* ---- the body -------------------------------------------------------------------------------- */

/* Where the first of the contexts fits, at `from` at the earliest; UINT32_MAX: nowhere. */
static uint32_t first_fit(const th__sm_context *contexts, uint32_t count, const th__sm_page *page,
                          uint32_t from, bool left)
{
    for (uint32_t at = from; at <= page->tokens.len; at++)
        for (uint32_t i = 0; i < count; i++)
            if (th__sm_fits(&contexts[i], &page->tokens, at, left))
                return at;
    return UINT32_MAX;
}

static bool finds_body(const th__sm_context *contexts, uint32_t count, const th__sm_page *page,
                       bool head)
{
    return head ? first_fit(contexts, count, page, 0, true) == page->body.start
                : first_fit(contexts, count, page, page->body.start, false) == page->body.end;
}

static bool context_at(const th__sm_samples *s, uint32_t page, bool head, uint32_t more,
                       th__sm_context *out)
{
    const th_span body = s->pages[page].body;
    th__sm_separator sep = {.page = page, .at = head ? body.start : body.end, .high = UINT32_MAX};
    return th__sm_context_of(s, &sep, head, more, out);
}

bool th__sm_body_context(const th__sm_samples *s, uint32_t page, bool head, th__sm_context *out)
{
    for (uint32_t more = 0; more < TH__SM_MAX_CONTEXT; more++) {
        if (!context_at(s, page, head, more, out))
            return false;
        if (finds_body(out, 1, &s->pages[page], head))
            return true;
    }
    return true;
}

static bool has_body(const th__sm_page *page)
{
    return page->body.end > 0;
}

/* Returns true if the contexts find the body of every page that tells it. */
static bool find_bodies(const th__sm_samples *s, const th__sm_context *contexts, uint32_t count,
                        bool head)
{
    for (uint32_t p = 0; p < s->page_count; p++)
        if (has_body(&s->pages[p]) && !finds_body(contexts, count, &s->pages[p], head))
            return false;
    return true;
}

/* Makes the contexts of one end of the bodies: `more` tokens longer than the bias says; of no more,
 * each long enough for its own page. */
static bool make_end(const th__sm_samples *s, bool head, uint32_t more, th__sm_context *out,
                     uint32_t *count)
{
    *count = 0;
    for (uint32_t p = 0; p < s->page_count; p++)
        if (has_body(&s->pages[p]) && !(more ? context_at(s, p, head, more, &out[(*count)++])
                                             : th__sm_body_context(s, p, head, &out[(*count)++])))
            return false;
    return *count < 2 || th__sm_generalize(out, count, &s->options, s->arena);
}

static bool learn_end(const th__sm_samples *s, bool head, th__sm_context **out, uint32_t *count,
                      bool *right)
{
    *out = th__arena_zero(s->arena, s->page_count + (size_t)1, sizeof **out);
    *right = false;
    for (uint32_t more = 0; *out && !*right && more < TH__SM_MAX_CONTEXT; more++) {
        if (!make_end(s, head, more, *out, count))
            return false;
        *right = find_bodies(s, *out, *count, head);
    }
    return *out != NULL;
}

/* Returns true if the labelled tuples of a page that does not tell its body are in the one found.
 */
static bool holds_tuples(const th__sm_samples *s, const th__sm_page *page,
                         const th__sm_rules *rules)
{
    const th__sm_tuple *first = &s->tuples.data[page->tuple];
    const th__sm_tuple *last = &first[page->tuple_count - 1];
    uint32_t begin = s->separators.data[first->separator].at;
    uint32_t end = s->separators.data[last->separator + last->separator_count - 1].at;
    uint32_t head = first_fit(rules->heads, rules->head_count, page, 0, true);
    return head <= begin && first_fit(rules->tails, rules->tail_count, page, head, false) >= end;
}

/* Bodies that other pages do not confirm make no rules: what is outside of them is a place without
 * tuples. */
static void drop_bodies(th__sm_samples *s, th__sm_rules *rules)
{
    for (uint32_t p = 0; p < s->page_count; p++) {
        th__sm_page *page = &s->pages[p];
        if (!has_body(page))
            continue;
        page->nothing[page->nothing_count++] = (th_span){0, page->body.start};
        page->nothing[page->nothing_count++] =
            (th_span){page->body.end, (uint32_t)page->tokens.len};
        page->body = (th_span){0, 0};
    }
    rules->head_count = rules->tail_count = 0;
}

th_status th__sm_body_learn(th__sm_samples *s, th__sm_rules *rules, th_error *err)
{
    bool head_right, tail_right;
    if (!learn_end(s, true, &rules->heads, &rules->head_count, &head_right) ||
        !learn_end(s, false, &rules->tails, &rules->tail_count, &tail_right))
        return th__fail_memory(err);
    if ((!head_right || !tail_right) &&
        !th__notes_add(s->notes,
                       "no context of %d tokens distinguishes the %s of the body from other "
                       "places: label places without records as \"nothing\" instead",
                       TH__SM_MAX_CONTEXT, head_right ? "end" : "begin"))
        return th__fail_memory(err);
    for (uint32_t p = 0; rules->head_count && p < s->page_count; p++)
        if (s->pages[p].tuple_count && !has_body(&s->pages[p]) &&
            !holds_tuples(s, &s->pages[p], rules))
            drop_bodies(s, rules);
    return TH_OK;
}

/* ---- edges ----------------------------------------------------------------------------------- */

enum { LEVELS = 8, ROUNDS = 16, MANY = 6 /* times right for once wrong */ };

struct made_edge {
    th__sm_state from, to;
    uint32_t level;
    uint32_t right, wrong; /* how often its rules won in this round */
    TH__VEC(uint32_t) separators;
};

struct edge_maker {
    th__sm_samples *samples;
    TH__VEC(struct made_edge) edges;
};

static void release(struct edge_maker *m)
{
    for (size_t i = 0; i < m->edges.len; i++)
        th__vec_release(&m->edges.data[i].separators);
    th__vec_release(&m->edges);
}

static struct made_edge *find_edge(struct edge_maker *m, th__sm_state from, th__sm_state to)
{
    for (size_t i = 0; i < m->edges.len; i++)
        if (m->edges.data[i].from == from && m->edges.data[i].to == to)
            return &m->edges.data[i];
    return NULL;
}

static bool collect(struct edge_maker *m)
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

/* Items of a class need not be ground: words on a value's side are data, and so are those behind a
 * tuple; a blank is as good as any other. */
static void loosen(th__sm_context *rows, uint32_t count, th_class cls)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < rows[i].count; k++)
            if (th__class_is(rows[i].items[k].cls, cls))
                ((th__sm_item *)rows[i].items)[k] = (th__sm_item){.cls = rows[i].items[k].cls};
}

/* What a tuple begins with is its own: the context of s<b,k> ends before the first end tag or
 * word, which belong to what is before it. */
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
            loosen(group->rights, group->right_count, TH_CLASS_WORD);
        if (th__sm_is_attribute(edge->from))
            loosen(group->lefts, group->left_count, TH_CLASS_WORD);
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
        !contexts_of(s, edge, false, &rights, &count))
        return false;
    loosen(lefts, count, TH_CLASS_BLANK);
    loosen(rights, count, TH_CLASS_BLANK);
    if (begins && edge->level < GROUND)
        loosen(rights, count, TH_CLASS_WORD);
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

static bool make_edges(struct edge_maker *m, th__sm_rules *rules)
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
static struct made_edge *first_winner(struct edge_maker *m, const th__sm_rules *rules,
                                      const th__sm_separator *sep, bool *right)
{
    const th__sm_page *page = &m->samples->pages[sep->page];
    uint32_t from = sep->from == TH__SM_BEGIN && !m->samples->one_record ? sep->at : sep->since;
    bool value = th__sm_is_attribute(sep->from) && !rules->resync;
    for (uint32_t at = from + value; at <= sep->at; at++) {
        const th__sm_rule *rule = th__sm_rules_match(rules, sep->from, &page->tokens, at, NULL);
        bool begin = at == from && th__sm_is_attribute(sep->from); /* only an end can be wrong */
        if (!rule || (rule->restart && (begin || at == sep->at)) ||
            (begin && th__sm_is_attribute(rule->to)))
            continue;
        *right = at == sep->at && rule->to == sep->to;
        return find_edge(m, rule->restart ? TH__SM_BEGIN : sep->from, rule->to);
    }
    return NULL; /* no rule fits: a level too ground would be the cause, and there is none */
}

/* No tuple may begin where there is none, as somebody says. */
static void check_nothing(struct edge_maker *m, const th__sm_rules *rules, const th__sm_page *page,
                          th_span place)
{
    for (uint32_t at = place.start; at < place.end; at++) {
        const th__sm_rule *rule = th__sm_rules_match(rules, TH__SM_BEGIN, &page->tokens, at, NULL);
        struct made_edge *wrong = rule ? find_edge(m, TH__SM_BEGIN, rule->to) : NULL;
        if (wrong)
            wrong->wrong += MANY;
    }
}

/* Reads the labelled tuples; raises the levels of the edges that go wrong, each by one. Of those
 * that are nearly always right the exceptions are left to be memorized. */
static bool check(struct edge_maker *m, const th__sm_rules *rules)
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
    struct edge_maker m = {.samples = s};
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
