/*
 * softmealy_correct.c: error recovery (section 3.3).
 *
 * The wrapper reads the page, and its moves are held against the separators of the labelled tuples.
 * The first that differs tells the cause; figure 7, the decision tree, is lost, and this is its
 * reconstruction from the text and example 6. With p the state before, e what was read and e' what
 * is labelled, n and n' what follows:
 *
 *     e' = e ─┬─ ended early ──▶ the value is memorized: a string rule that stays in e
 *             ├─ ended late ───▶ a new instance of s<e,n'>
 *             └─ n' differs ───▶ a new instance of s<e,n'>
 *     e' ≠ e ─┬─ same place ───▶ not discernible by contexts: s<p,e'> with the left context as a
 *             │                  pattern and the value, memorized, as the right one
 *             └─ elsewhere ────▶ new instances of s<p,e'> and s<e',n'>
 *     e began at a wrong place ▶ what was read there is memorized: a string rule that stays in p
 *     e' was missed ───────────▶ a new instance of s<p,e'>
 *
 * A rule that stays is an edge from a state to itself: the paper's "?" written out for one string.
 * A transducer that reads left to right cannot be kept from ending a value early by a rule that
 * fits at its right end, only by one that fits where it went wrong.
 *
 * A new instance becomes a pattern rule by Algorithm 1; where that does not win against the rule
 * that went wrong it is made ground, then a string rule. So each separator is mended at most three
 * times, and the work ends.
 */
#include "engine/softmealy/softmealy_learn.h"

#include "base/cancel.h"
#include "base/mem.h"

enum { PATTERN, GROUND, STRING, GIVEN_UP };

struct mender {
    th__sm_samples *samples;
    th__sm_rules *rules;
    uint8_t *tries; /* by separator of the samples */
    th__sm_moves moves;
};

/* ---- adding rules ---------------------------------------------------------------------------- */

static th__sm_edge *find_edge(struct mender *m, th__sm_state from, th__sm_state to)
{
    for (uint32_t i = 0; i < m->rules->edge_count; i++)
        if (m->rules->edges[i].from == from && m->rules->edges[i].to == to)
            return &m->rules->edges[i];
    th__sm_edge *edges = th__arena_zero(m->samples->arena, m->rules->edge_count + 1, sizeof *edges);
    if (!edges)
        return NULL;
    memcpy(edges, m->rules->edges, m->rules->edge_count * sizeof *edges);
    m->rules->edges = edges;
    edges[m->rules->edge_count] = (th__sm_edge){.from = from, .to = to};
    return &edges[m->rules->edge_count++];
}

static bool add_rule(struct mender *m, th__sm_state from, th__sm_state to,
                     const th__sm_context *left, const th__sm_context *right, bool string)
{
    th__arena *arena = m->samples->arena;
    th__sm_edge *edge = find_edge(m, from, to);
    th__sm_context *sides = th__arena_alloc(arena, 2 * sizeof *sides);
    if (!edge || !sides)
        return false;
    th__sm_group *groups = th__arena_zero(arena, edge->group_count + 1, sizeof *groups);
    if (!groups)
        return false;
    if (edge->group_count)
        memcpy(groups, edge->groups, edge->group_count * sizeof *groups);
    sides[0] = *left;
    sides[1] = *right;
    groups[edge->group_count++] = (th__sm_group){&sides[0], &sides[1], 1, 1, string};
    edge->groups = groups;
    return th__sm_rules_compile(m->rules, arena);
}

/* The tokens from one separator to another as a ground context, read outwards from one of them. */
static bool string_context(struct mender *m, uint32_t page, uint32_t from, uint32_t to, bool left,
                           th__sm_context *out)
{
    uint32_t count = to - from < TH__SM_MAX_STRING ? to - from : TH__SM_MAX_STRING;
    th__sm_item *items = th__arena_alloc(m->samples->arena, (count + 1) * sizeof *items);
    *out = (th__sm_context){items, count};
    for (uint32_t i = 0; items && i < count; i++)
        if (!th__sm_item_of(m->samples, page, left ? to - 1 - i : from + i, &items[i]))
            return false;
    return items != NULL;
}

/* A rule of a labelled separator, stronger with each try. */
static bool add_instance(struct mender *m, uint32_t number)
{
    const th__sm_separator *sep = &m->samples->separators.data[number];
    uint8_t try = m->tries[number]++;
    th__sm_context left, right;
    uint32_t one = 1;
    if (!th__sm_context_of(m->samples, sep, true, 0, &left) ||
        !th__sm_context_of(m->samples, sep, false, 0, &right))
        return false;
    if (try == PATTERN &&
        (!th__sm_generalize(&left, &one, &m->samples->options, m->samples->arena) ||
         !th__sm_generalize(&right, &one, &m->samples->options, m->samples->arena)))
        return false;
    return add_rule(m, sep->from, sep->to, &left, &right, try >= STRING);
}

/* The value is memorized on the right, example 6. */
static bool add_value_string(struct mender *m, uint32_t number, uint32_t end)
{
    const th__sm_separator *sep = &m->samples->separators.data[number];
    th__sm_context left, right;
    m->tries[number] = GIVEN_UP;
    return th__sm_context_of(m->samples, sep, true, 0, &left) &&
           string_context(m, sep->page, sep->at, end, false, &right) &&
           add_rule(m, sep->from, sep->to, &left, &right, true);
}

/* Stays in a state at a separator: `low` to `high` are memorized around it. */
static bool add_stay(struct mender *m, th__sm_state state, uint32_t page, uint32_t at, uint32_t low,
                     uint32_t high)
{
    th__sm_context left, right;
    return string_context(m, page, low, at, true, &left) &&
           string_context(m, page, at, high, false, &right) &&
           add_rule(m, state, state, &left, &right, true);
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_page(struct mender *m, uint32_t page)
{
    const th__sm_page *p = &m->samples->pages[page];
    th__sm_machine machine;
    m->moves.len = 0;
    if (!th__sm_machine_init(&machine, m->rules))
        return false;
    machine.moves = &m->moves;
    bool ok = th__sm_machine_run(&machine, p->page, &p->tokens, true);
    th__sm_machine_release(&machine);
    return ok;
}

/* The first move at or after a separator. */
static size_t first_move(const struct mender *m, uint32_t at)
{
    size_t i = 0;
    while (i < m->moves.len && m->moves.data[i].at < at)
        i++;
    return i;
}

/* Whether a move does what the labels say. The end of a tuple may wait for the next one's begin. */
static bool is_right(const th__sm_move *move, const th__sm_separator *sep)
{
    if (move->at != sep->at)
        return false;
    if (move->to == sep->to)
        return true;
    return sep->to == TH__SM_END && th__sm_is_attribute(sep->from) && move->to == sep->from + 1;
}

/* ---- mending --------------------------------------------------------------------------------- */

/* The moves went to another state than labelled, at the right separator. */
static bool mend_target(struct mender *m, uint32_t number, size_t move, bool last)
{
    const th__sm_separator *sep = &m->samples->separators.data[number];
    const th__sm_move *moves = m->moves.data;
    bool values = th__sm_is_attribute(sep->to) && th__sm_is_attribute(moves[move].to);
    if (!values || last)
        return add_instance(m, number);
    uint32_t end = sep[1].at;
    bool same_place = move + 1 < m->moves.len && moves[move + 1].at == end;
    if (same_place)
        return add_value_string(m, number, end);
    bool ok = add_instance(m, number);
    if (ok && m->tries[number + 1] == PATTERN)
        ok = add_instance(m, number + 1);
    return ok;
}

/* Something happened before it should. */
static bool mend_early(struct mender *m, uint32_t number, size_t move)
{
    const th__sm_separator *sep = &m->samples->separators.data[number];
    uint32_t at = m->moves.data[move].at, high;
    m->tries[number]++;
    if (th__sm_is_attribute(sep->from)) /* the value is memorized, from begin to end */
        return add_stay(m, sep->from, sep->page, at, sep->since, sep->at);
    high = move + 1 < m->moves.len ? m->moves.data[move + 1].at : at + 1;
    if (high <= at || high > sep->at)
        high = at + 1;
    return add_stay(m, m->moves.data[move].from, sep->page, at, at ? at - 1 : 0, high);
}

/* What follows a tuple and is read as a part of it: `move` is the first behind its last separator.
 * Where a page is a record it is memorized as nothing; in a list the tuple's end is told. */
static bool mend_excess(struct mender *m, uint32_t number, size_t move, bool *wrong)
{
    const th__sm_separator *sep = &m->samples->separators.data[number];
    const th__sm_move *next = move < m->moves.len ? &m->moves.data[move] : NULL;
    *wrong = next && !next->restart && next->from != TH__SM_BEGIN && th__sm_is_attribute(next->to);
    if (!*wrong || m->tries[number] >= GIVEN_UP)
        return true;
    if (!m->rules->one_record)
        return add_instance(m, number);
    m->tries[number]++;
    uint32_t high = move + 1 < m->moves.len ? next[1].at : next->at + 1;
    return add_stay(m, next->from, sep->page, next->at, next->at ? next->at - 1 : 0, high);
}

/* Mends the first thing that is wrong with a tuple. *wrong tells whether something was, *hopeless
 * that it cannot be mended; *number is the separator. */
static bool mend_tuple(struct mender *m, const th__sm_tuple *tuple, bool *wrong, bool *hopeless,
                       uint32_t *number)
{
    const th__sm_samples *s = m->samples;
    *wrong = *hopeless = false;
    if (!read_page(m, tuple->page))
        return false;
    size_t move = first_move(m, s->separators.data[tuple->separator].at);
    for (uint32_t i = 0; i < tuple->separator_count; i++, move++) {
        *number = tuple->separator + i;
        const th__sm_separator *sep = &s->separators.data[*number];
        const th__sm_move *next = move < m->moves.len ? &m->moves.data[move] : NULL;
        bool last = i + 1 == tuple->separator_count;
        if (next && is_right(next, sep))
            continue;
        *wrong = true;
        *hopeless = m->tries[*number] >= GIVEN_UP;
        if (*hopeless)
            return true;
        if (!next || next->at > sep->at)
            return add_instance(m, *number);
        return next->at < sep->at ? mend_early(m, *number, move)
                                  : mend_target(m, *number, move, last);
    }
    if (s->pages[tuple->page].sample)
        return true;
    bool ok = mend_excess(m, *number, move, wrong);
    *hopeless = *wrong && m->tries[*number] > GIVEN_UP;
    m->tries[*number] += *wrong && m->tries[*number] == GIVEN_UP;
    return ok;
}

/* A place where nothing stands: what begins there is memorized as none. */
static bool mend_nothing(struct mender *m, uint32_t page, th_span place)
{
    for (uint32_t tries = 0; tries < place.end - place.start; tries++) {
        if (!read_page(m, page))
            return false;
        size_t move = first_move(m, place.start);
        if (move == m->moves.len || m->moves.data[move].at >= place.end ||
            !th__sm_is_attribute(m->moves.data[move].to))
            return true;
        uint32_t at = m->moves.data[move].at;
        if (!add_stay(m, m->moves.data[move].from, page, at, at ? at - 1 : 0, place.end))
            return false;
    }
    return true;
}

static bool tell(struct mender *m, uint32_t number)
{
    const th__sm_separator *sep = &m->samples->separators.data[number];
    const th__sm_page *page = &m->samples->pages[sep->page];
    uint32_t attribute = th__sm_is_attribute(sep->to) ? th__sm_attribute_of(sep->to)
                                                      : th__sm_attribute_of(sep->from);
    uint32_t at = sep->at < page->tokens.len ? page->tokens.data[sep->at].start : 0;
    return th__notes_add(m->samples->notes,
                         "%.*s: %.*s at byte %u is still read wrong: another rule of the same "
                         "strength fits there; learn the wrapper anew with this label",
                         TH_STR_ARG(page->name), TH_STR_ARG(m->rules->attributes[attribute].path),
                         at);
}

static bool mend_all(struct mender *m)
{
    const th__sm_samples *s = m->samples;
    for (uint32_t i = 0; i < s->tuples.len; i++)
        for (bool wrong = true, hopeless = false; wrong;) {
            uint32_t number = 0;
            if (th__cancelled(s->cancel) ||
                !mend_tuple(m, &s->tuples.data[i], &wrong, &hopeless, &number))
                return false;
            if (!hopeless)
                continue;
            if (!tell(m, number))
                return false;
            break;
        }
    for (uint32_t p = 0; p < s->page_count; p++)
        for (uint32_t i = 0; i < s->pages[p].nothing_count; i++)
            if (th__cancelled(s->cancel) || !mend_nothing(m, p, s->pages[p].nothing[i]))
                return false;
    return true;
}

bool th__sm_mend(th__sm_samples *samples, th__sm_rules *rules)
{
    struct mender m = {.samples = samples, .rules = rules};
    m.tries = th__mem_zero(samples->separators.len + 1, 1);
    bool ok = m.tries && mend_all(&m);
    th__mem_free(m.tries);
    th__vec_release(&m.moves);
    return ok;
}

/* Attributes that the wrapper did not have yet, and fields at the place of others. */
static bool take_attributes(const th__sm_samples *s, th__sm_rules *rules)
{
    th__sm_attribute *all = th__arena_zero(s->arena, s->attributes.len + 1, sizeof *all);
    if (!all)
        return false;
    memcpy(all, s->attributes.data, s->attributes.len * sizeof *all);
    rules->attributes = all;
    rules->attribute_count = (uint32_t)s->attributes.len;
    return th__sm_rules_compile(rules, s->arena);
}

th_status th__sm_correct(const th__corpus *corpus, const th_schema *labels, const th_schema *schema,
                         th__sm_rules *rules, th__arena *arena, th_error *err)
{
    th__sm_fields fields = {0};
    th__sm_samples samples = {.options = rules->lexing.blanks != TH__SM_ALL_BLANKS
                                             ? th__sm_options_ours()
                                             : th__sm_options_paper(),
                              .arena = arena,
                              .fields = &fields};
    th_status status = th__sm_fields_list(schema, arena, &fields) ? TH_OK : th__fail_memory(err);
    if (!status)
        status = th__sm_samples_make(&samples, corpus, labels, rules, err);
    if (!status && (!take_attributes(&samples, rules) || !th__sm_mend(&samples, rules)))
        status = th__fail_memory(err);
    for (uint32_t i = 0; !status && i < samples.page_count; i++)
        corpus->pages[i].learnt = samples.pages[i].tuple_count;
    th__vec_release(&fields);
    th__sm_samples_release(&samples);
    return status;
}
