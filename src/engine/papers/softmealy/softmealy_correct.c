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
#include "engine/papers/softmealy/softmealy.h"

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"

enum {
    PATTERN,
    GROUND,
    STRING,
    GIVEN_UP,
    BY_HEART = 1000 /* rules at most: a wrapper looks at all of a state where a value may begin */
};

struct mender {
    th__sm_samples *samples;
    th__sm_rules *rules;
    uint8_t *tries; /* by separator of the samples */
    uint32_t added; /* rules */
    th__sm_machine machine;
    th__sm_moves moves; /* of the part of a page that was read last */
};

/* ---- adding rules ---------------------------------------------------------------------------- */

static th__sm_edge *find_edge(struct mender *m, th__sm_state from, th__sm_state to)
{
    for (uint32_t i = 0; i < m->rules->edge_count; i++)
        if (m->rules->edges[i].from == from && m->rules->edges[i].to == to)
            return &m->rules->edges[i];
    th__sm_edge *edges =
        th__arena_keep(m->samples->arena, m->rules->edges, m->rules->edge_count, sizeof *edges);
    if (!edges)
        return NULL;
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
    th__sm_group *groups =
        edge ? th__arena_keep(arena, edge->groups, edge->group_count, sizeof *groups) : NULL;
    if (!sides || !groups)
        return false;
    sides[0] = *left;
    sides[1] = *right;
    groups[edge->group_count++] = (th__sm_group){&sides[0], &sides[1], 1, 1, string};
    edge->groups = groups;
    m->added++;
    return th__sm_rules_compile(m->rules, arena);
}

/* The tokens from a separator to another, `end`, as a ground context. */
static bool string_context(struct mender *m, uint32_t page, uint32_t at, uint32_t end,
                           th__sm_context *out)
{
    uint32_t count = end < at ? at - end : end - at;
    return th__sm_context_at(m->samples, page, at, end < at,
                             count < TH__SM_MAX_STRING ? count : TH__SM_MAX_STRING, out);
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
           string_context(m, sep->page, sep->at, end, &right) &&
           add_rule(m, sep->from, sep->to, &left, &right, true);
}

/* Stays in a state at a separator: `low` to `high` are memorized around it. */
static bool add_stay(struct mender *m, th__sm_state state, uint32_t page, uint32_t at, uint32_t low,
                     uint32_t high)
{
    th__sm_context left, right;
    return string_context(m, page, at, low, &left) && string_context(m, page, at, high, &right) &&
           add_rule(m, state, state, &left, &right, true);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads on, up to a separator but not what happens there; keeps the moves of that alone. */
static bool read_to(struct mender *m, uint32_t page, uint64_t stop)
{
    const th__sm_tokens *tokens = &m->samples->pages[page].tokens;
    uint64_t most = tokens->len + (uint64_t)1;
    m->moves.len = 0;
    return th__sm_machine_read(&m->machine, tokens, (uint32_t)(stop < most ? stop : most));
}

/* The first move at or after a separator. */
static size_t first_move(const struct mender *m, uint32_t at)
{
    return th__count_first(i, m->moves.len, m->moves.data[i].at < at);
}

/* Returns true if a move does what the labels say. The end of a tuple may wait for the next one's
 * begin. A tuple of a list does not begin anew at a later separator; at the first that is labelled
 * it may have begun already, with what has no label. */
static bool is_right(const struct mender *m, const th__sm_move *move, const th__sm_separator *sep)
{
    bool begins = move->restart || move->from == TH__SM_BEGIN;
    if (move->at != sep->at || (begins && sep->from != TH__SM_BEGIN && !m->rules->one_record))
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
    bool values = th__sm_is_attribute(sep->to) && th__sm_is_attribute(moves[move].to) &&
                  moves[move].to != sep->to; /* else a tuple is split */
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
static bool mend_excess(struct mender *m, uint32_t number, size_t move)
{
    const th__sm_separator *sep = &m->samples->separators.data[number];
    const th__sm_move *next = &m->moves.data[move];
    if (m->tries[number] >= GIVEN_UP)
        return true;
    if (!m->rules->one_record)
        return add_instance(m, number);
    m->tries[number]++;
    uint32_t high = move + 1 < m->moves.len ? next[1].at : next->at + 1;
    return add_stay(m, next->from, sep->page, next->at, next->at ? next->at - 1 : 0, high);
}

/* The first thing that is wrong with a tuple that was just read: its separator, the move there, and
 * whether that is behind the tuple. Returns false if all is right. */
static bool find_wrong(const struct mender *m, const th__sm_tuple *tuple, uint32_t *number,
                       size_t *move, bool *behind)
{
    const th__sm_samples *s = m->samples;
    *behind = false;
    *move = first_move(m, s->separators.data[tuple->separator].at);
    for (uint32_t i = 0; i < tuple->separator_count; i++, ++*move) {
        *number = tuple->separator + i;
        if (*move == m->moves.len ||
            !is_right(m, &m->moves.data[*move], &s->separators.data[*number]))
            return true;
    }
    const th__sm_move *next = *move < m->moves.len ? &m->moves.data[*move] : NULL;
    *behind = !s->pages[tuple->page].sample && next && !next->restart &&
              next->from != TH__SM_BEGIN && th__sm_is_attribute(next->to);
    return *behind;
}

/* Mends the first thing that is wrong with a tuple that was just read. *wrong tells whether
 * something was, *hopeless that it cannot be mended; *number is the separator. */
static bool mend_tuple(struct mender *m, const th__sm_tuple *tuple, bool *wrong, bool *hopeless,
                       uint32_t *number)
{
    size_t move;
    bool behind;
    *wrong = find_wrong(m, tuple, number, &move, &behind);
    *hopeless = false;
    if (!*wrong)
        return true;
    if (behind) {
        bool ok = mend_excess(m, *number, move);
        *hopeless = m->tries[*number] > GIVEN_UP;
        m->tries[*number] += m->tries[*number] == GIVEN_UP;
        return ok;
    }
    *hopeless = m->tries[*number] >= GIVEN_UP;
    if (*hopeless)
        return true;
    const th__sm_separator *sep = &m->samples->separators.data[*number];
    uint32_t at = move < m->moves.len ? m->moves.data[move].at : UINT32_MAX;
    bool last = *number + 1 == tuple->separator + tuple->separator_count;
    if (at > sep->at)
        return add_instance(m, *number);
    return at < sep->at ? mend_early(m, *number, move) : mend_target(m, *number, move, last);
}

static bool read_page(struct mender *m, uint32_t page)
{
    m->machine.now = th__sm_begin(m->rules);
    return read_to(m, page, UINT64_MAX);
}

/* Places without tuples: what begins there is memorized as none. */
static bool mend_nothing(struct mender *m, uint32_t page)
{
    const th__sm_page *p = &m->samples->pages[page];
    if (p->nothing_count && !read_page(m, page))
        return false;
    for (uint32_t i = 0; i < p->nothing_count; i++)
        for (uint32_t tries = 0; tries < p->nothing[i].end - p->nothing[i].start; tries++) {
            size_t move = first_move(m, p->nothing[i].start);
            if (move == m->moves.len || m->moves.data[move].at >= p->nothing[i].end ||
                !th__sm_is_attribute(m->moves.data[move].to) || m->added >= BY_HEART)
                break;
            uint32_t at = m->moves.data[move].at;
            if (!add_stay(m, m->moves.data[move].from, page, at, at ? at - 1 : 0,
                          p->nothing[i].end) ||
                !read_page(m, page))
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
                         "strength matches there; learn the wrapper again with this label",
                         TH_STR_ARG(page->name), TH_STR_ARG(m->rules->attributes[attribute].path),
                         at);
}

/* Mends a tuple until it is right or hopeless. A page is read from where the tuple before begins
 * (*from, which becomes where this one does) to the end of the next: a rule may change how the one
 * ends, and the other shows whether this one has ended. So a rule costs a part of the page. */
static bool mend_until_right(struct mender *m, uint32_t i, th__sm_position *from)
{
    const th__sm_samples *s = m->samples;
    const th__sm_tuple *tuple = &s->tuples.data[i], *next = tuple + 1;
    bool wrong = true, hopeless = false;
    uint32_t number = 0;
    uint64_t end = UINT64_MAX;
    th__sm_position here = *from;
    if (i + 1 < s->tuples.len && next->page == tuple->page)
        end = s->separators.data[next->separator + next->separator_count - 1].at + (uint64_t)1;
    while (wrong && !hopeless && m->added < BY_HEART) {
        m->machine.now = *from;
        if (th__cancelled(s->cancel) ||
            !read_to(m, tuple->page, s->separators.data[tuple->separator].at))
            return false;
        here = m->machine.now;
        if (!read_to(m, tuple->page, end) || !mend_tuple(m, tuple, &wrong, &hopeless, &number))
            return false;
    }
    *from = here;
    return !hopeless || tell(m, number);
}

static bool mend_all(struct mender *m)
{
    const th__sm_samples *s = m->samples;
    th__sm_position from = th__sm_begin(m->rules);
    bool ok = true;
    for (uint32_t i = 0; ok && i < s->tuples.len; i++) {
        if (i && s->tuples.data[i].page != s->tuples.data[i - 1].page)
            from = th__sm_begin(m->rules);
        ok = mend_until_right(m, i, &from);
    }
    for (uint32_t p = 0; ok && p < s->page_count; p++)
        ok = !th__cancelled(s->cancel) && mend_nothing(m, p);
    if (ok && m->added >= BY_HEART)
        ok = th__notes_add(s->notes,
                           "%d rules were added for single values, and others may still "
                           "be read wrong: the labelled places have too little in common",
                           BY_HEART);
    return ok;
}

bool th__sm_mend(th__sm_samples *samples, th__sm_rules *rules)
{
    struct mender m = {.samples = samples, .rules = rules, .machine.rules = rules};
    m.tries = th__mem_zero(samples->separators.len + 1, 1);
    m.machine.moves = &m.moves;
    bool ok = m.tries && mend_all(&m);
    th__mem_free(m.tries);
    th__sm_machine_release(&m.machine);
    th__vec_release(&m.moves);
    return ok;
}

/* What a state is called in a message: the field that is read there. */
static void name_state(const th__sm_rules *rules, th__sm_state state, th__buf *out)
{
    if (th__sm_is_attribute(state))
        th__buf_add_str(out, rules->attributes[th__sm_attribute_of(state)].path);
    else
        th__buf_add_str(out, TH_STR("no field"));
}

/* A note about `count` tuples that are misread; the first is wrong at a separator. */
static bool tell_misread(const struct mender *m, uint32_t count, const th__sm_separator *sep,
                         th__sm_state is, th__sm_state should)
{
    const th__sm_page *page = &m->samples->pages[sep->page];
    uint32_t at = sep->at < page->tokens.len ? page->tokens.data[sep->at].start : 0;
    th__buf own = {0}, label = {0};
    name_state(m->rules, is, &own);
    name_state(m->rules, should, &label);
    bool ok = !own.failed && !label.failed &&
              th__notes_add(m->samples->notes,
                            "%.*s: the rules misread %u of %zu labelled records: at byte %u they "
                            "read %.*s, and the label says %.*s. Label more records, or correct "
                            "the wrapper (--correct)",
                            TH_STR_ARG(page->name), count, m->samples->tuples.len, at,
                            TH_STR_ARG(th__buf_str(&own)), TH_STR_ARG(th__buf_str(&label)));
    th__buf_release(&own);
    th__buf_release(&label);
    return ok;
}

bool th__sm_tell_misread(th__sm_samples *samples, const th__sm_rules *rules)
{
    struct mender m = {.samples = samples, .rules = (th__sm_rules *)rules, .machine.rules = rules};
    uint32_t count = 0, number, last = UINT32_MAX;
    th__sm_separator first = {0};
    th__sm_state is = 0, should = 0;
    bool ok = true, behind;
    size_t move;
    m.machine.moves = &m.moves;
    for (uint32_t i = 0; ok && i < samples->tuples.len; i++) {
        const th__sm_tuple *tuple = &samples->tuples.data[i];
        ok = tuple->page == last || read_page(&m, tuple->page);
        last = tuple->page;
        if (!ok || !find_wrong(&m, tuple, &number, &move, &behind))
            continue;
        const th__sm_separator *sep = &samples->separators.data[number];
        const th__sm_move *next = move < m.moves.len ? &m.moves.data[move] : NULL;
        if (!count++) {
            first = *sep;
            first.at = next && (behind || next->at < sep->at) ? next->at : sep->at;
            is = next && next->at == first.at ? next->to : TH__SM_END;
            should = behind || first.at < sep->at ? sep->from | 1 : sep->to;
        }
    }
    ok = ok && (!count || tell_misread(&m, count, &first, is, should));
    th__sm_machine_release(&m.machine);
    th__vec_release(&m.moves);
    return ok;
}

/* The switches of a correction: those that the rules were learnt with, but for `without`. */
static th_status read_switches(const char *without, th__sm_rules *rules, th__sm_options *out,
                               th_error *err)
{
    bool no_blanks = rules->lexing.blanks != TH__SM_ALL_BLANKS;
    *out = (th__sm_options){
        .ground_html = rules->ground_html, .no_blanks = no_blanks, .resync = rules->resync};
    th_status status = th__sm_options_without(out, without, err);
    if (!status && no_blanks != out->no_blanks)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "the rules of this wrapper have no tokens of white space: learn it again "
                        "without no-blanks");
    rules->ground_html = out->ground_html;
    rules->resync = out->resync;
    return status;
}

th_status th__sm_correct(const char *without, const th__corpus *corpus, const th_schema *schema,
                         th__sm_rules *rules, th__arena *arena, th_error *err)
{
    th__sm_fields fields = {0};
    th__sm_samples samples = {.arena = arena, .fields = &fields};
    th_status status = read_switches(without, rules, &samples.options, err);
    if (!status && !th__sm_fields_list(schema, arena, &fields))
        status = th__fail_memory(err);
    if (!status)
        status = th__sm_samples_make(&samples, corpus, corpus->schema, rules, err);
    bool body = false;
    for (uint32_t i = 0; !status && i < samples.page_count; i++)
        body |= samples.pages[i].body.end > 0;
    if (!status && body)
        status = th__sm_body_learn(&samples, rules, err);
    /* Labels may have attributes that the wrapper did not have, or two of them at one place. */
    if (!status && (!th__sm_samples_attributes(&samples, rules) ||
                    !th__sm_rules_compile(rules, arena) || !th__sm_mend(&samples, rules)))
        status = th__fail_memory(err);
    for (uint32_t i = 0; !status && i < samples.page_count; i++)
        corpus->pages[i].learnt = samples.pages[i].tuple_count;
    th__vec_release(&fields);
    th__sm_samples_release(&samples);
    return status;
}
