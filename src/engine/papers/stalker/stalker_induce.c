/* stalker_induce.c: candidates, their refinement, and covering. See stalker_induce.h. */
#include "engine/papers/stalker/stalker_induce.h"

#include <stdlib.h>

#include "base/cancel.h"
#include "base/mem.h"
#include "engine/papers/stalker/stalker_inducer.h"

enum {
    ROUNDS = 6, /* of refinement */
    BEAM = 3,   /* candidates refined in a round */
    JUDGED = 24 /* solutions that the judge is asked about */
};

bool th__stalker_right(const th__landmark_rule *rule, const th__stalker_example *e)
{
    uint32_t at = th__rule_run(rule, e->seq, e->first, e->last, NULL);
    return e->none ? at == TH__NO_MATCH : at != TH__NO_MATCH && at >= e->low && at <= e->high;
}

/* ---- candidates ------------------------------------------------------------------------------ */

/* The first place at or behind a position. */
static uint32_t next_place(const struct places *places, uint32_t from)
{
    uint32_t low = 0, high = places->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (places->at[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < places->count ? places->at[low] : TH__NO_MATCH;
}

/* Where a candidate leads in an example; *skipped (may be NULL): tokens between its landmarks. */
static uint32_t lead(const struct candidate *c, uint32_t e, uint32_t *skipped)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct candidate_mark *mark = &c->marks[i];
        uint32_t found = next_place(&mark->places[e], at);
        if (found == TH__NO_MATCH)
            return TH__NO_MATCH;
        if (skipped && i)
            *skipped += found - at;
        at = mark->until ? found : found + mark->count;
    }
    return at;
}

/* Whether the last landmark is part of the seed's item: words of the item itself tell little. */
static bool is_inner(const struct inducer *in, const struct candidate *c)
{
    const th__stalker_example *seed = &in->task->examples[in->seed];
    if (!c->count)
        return false;
    if (c->marks[c->count - 1].until)
        return high_of(in, seed) < length_of(seed) && is_content(in, seed, high_of(in, seed));
    return low_of(in, seed) > 0 && is_content(in, seed, low_of(in, seed) - 1);
}

static void evaluate(struct inducer *in, struct candidate *c)
{
    c->correct = c->early = c->failed = c->wrong = c->skipped = 0;
    for (uint32_t e = 0; e < in->task->count; e++) {
        const th__stalker_example *example = &in->task->examples[e];
        if (in->covered[e])
            continue;
        uint32_t at = lead(c, e, e == in->seed ? &c->skipped : NULL);
        if (must_fail(in, example)) {
            c->wrong += at != TH__NO_MATCH;
            continue;
        }
        c->failed += at == TH__NO_MATCH;
        if (at == TH__NO_MATCH)
            continue;
        c->early += at < low_of(in, example);
        c->wrong += at > high_of(in, example);
        c->correct += at >= low_of(in, example) && at <= high_of(in, example);
    }
    c->wildcards = 0;
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t m = 0; m < c->marks[i].count; m++)
            c->wildcards += c->marks[i].ids[m] <= TH__WILDCARDS;
    c->last_len = c->count ? c->marks[c->count - 1].count : 0;
    c->inner = is_inner(in, c);
}

static bool is_perfect(const struct candidate *c)
{
    return c->correct && !c->early && !c->wrong;
}

static bool keep(struct inducer *in, struct candidate *c)
{
    evaluate(in, c);
    c->refined = false;
    c->order = in->made++;
    if (c->correct + c->early == 0)
        return true;
    return th__vec_push(&in->candidates, *c);
}

/* A landmark of one symbol. */
static struct candidate_mark mark_of(const struct inducer *in, uint32_t id, bool until)
{
    return (struct candidate_mark){
        .ids = {(uint16_t)id}, .count = 1, .until = until, .places = in->places[id]};
}

/* Landmarks of one token that end (or, with SkipUntil, begin) where the seed's item may begin. */
static bool add_initial(struct inducer *in)
{
    const th__stalker_example *seed = &in->task->examples[in->seed];
    uint32_t low = low_of(in, seed), high = high_of(in, seed);
    uint32_t from = high - low < ENDS ? low : high - ENDS;
    struct candidate c = {.count = 0};
    if (low == 0 && !keep(in, &c))
        return false;
    c.count = 1;
    for (uint32_t at = from; at <= high; at++) {
        for (int until = 0; until <= in->task->until; until++) {
            if ((!until && !at) || (until && at >= length_of(seed)))
                continue;
            uint32_t ids[TOKEN_SYMBOLS];
            uint32_t count =
                th__inducer_symbols_of(in, token_of(in, seed, until ? at : at - 1), ids);
            for (uint32_t i = 0; i < count; i++) {
                c.marks[0] = mark_of(in, ids[i], until);
                if (!keep(in, &c))
                    return false;
            }
        }
    }
    return true;
}

/* ---- refinement ------------------------------------------------------------------------------ */

static bool is_symbol(const struct inducer *in, const th__stalker_token *token, uint32_t id)
{
    return th__mark_matches(&in->symbols[id].mark, token);
}

/* The places of a landmark with one symbol more, before or behind it. */
static const struct places *narrow(struct inducer *in, const struct candidate_mark *mark,
                                   uint32_t id, bool before)
{
    uint32_t count = in->task->count;
    struct places *out = th__arena_zero(&in->scratch, count, sizeof *out);
    for (uint32_t e = 0; out && e < count; e++) {
        const th__stalker_example *example = &in->task->examples[e];
        const struct places *old = &mark->places[e];
        uint32_t len = length_of(example), used = 0;
        uint32_t *at = th__arena_alloc(&in->scratch, (old->count + 1) * sizeof *at);
        if (!at)
            return NULL;
        for (uint32_t i = 0; i < old->count; i++) {
            uint32_t place = old->at[i], look = before ? place - 1 : place + mark->count;
            if ((before && !place) || look >= len)
                continue;
            if (is_symbol(in, token_of(in, example, look), id))
                at[used++] = before ? place - 1 : place;
        }
        out[e] = (struct places){at, used};
    }
    return out;
}

/* Landmark refinement: one more token, as it stands beside the landmark in the seed. */
static bool lengthen(struct inducer *in, struct candidate base, uint32_t which, uint32_t place)
{
    const th__stalker_example *seed = &in->task->examples[in->seed];
    struct candidate_mark mark = base.marks[which];
    if (mark.count == LONGEST)
        return true;
    for (int before = 0; before < 2; before++) {
        uint32_t look = before ? place - 1 : place + mark.count;
        bool last = which + 1u == base.count;
        /* What a landmark gains behind its end moves the end of the rule; with SkipUntil, what it
         * gains before its beginning does. */
        if ((before && !place) || look >= length_of(seed) ||
            (last && (mark.until ? before : !before)))
            continue;
        uint32_t ids[TOKEN_SYMBOLS],
            count = th__inducer_symbols_of(in, token_of(in, seed, look), ids);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t id = ids[i];
            struct candidate c = base;
            struct candidate_mark *m = &c.marks[which];
            m->places = narrow(in, &mark, id, before);
            if (!m->places)
                return false;
            if (before)
                memmove(m->ids + 1, m->ids, mark.count * sizeof *m->ids);
            m->ids[before ? 0 : mark.count] = (uint16_t)id;
            m->count++;
            if (!keep(in, &c))
                return false;
        }
    }
    return true;
}

/* Topology refinement: one more landmark, of one token, before another. */
static bool add_landmark(struct inducer *in, struct candidate base, uint32_t which)
{
    const th__stalker_example *seed = &in->task->examples[in->seed];
    if (base.count == DEEPEST)
        return true;
    for (uint32_t id = 1; id < in->symbol_count; id++) {
        struct candidate c = base;
        const struct symbol *symbol = &in->symbols[id];
        if (!in->places[id][in->seed].count ||
            in->places[id][in->seed].at[0] >= high_of(in, seed) ||
            (symbol->mark.kind == TH__MARK_TEXT && !symbol->outside))
            continue;
        memmove(c.marks + which + 1, c.marks + which, (base.count - which) * sizeof *c.marks);
        c.marks[which] = mark_of(in, id, false);
        c.count++;
        if (!keep(in, &c))
            return false;
    }
    return true;
}

static bool refine(struct inducer *in, uint32_t index)
{
    struct candidate base = in->candidates.data[index];
    uint32_t at = 0;
    in->candidates.data[index].refined = true;
    for (uint32_t i = 0; i < base.count; i++) {
        uint32_t place = next_place(&base.marks[i].places[in->seed], at);
        if (place == TH__NO_MATCH)
            break;
        /* Where the landmark should be: the last one ends at the item. */
        uint32_t goal = place;
        if (i + 1u == base.count) {
            uint32_t high = high_of(in, &in->task->examples[in->seed]);
            const struct places *places = &base.marks[i].places[in->seed];
            for (uint32_t p = 0; p < places->count; p++) {
                uint32_t end = places->at[p] + (base.marks[i].until ? 0 : base.marks[i].count);
                if (end <= high)
                    goal = places->at[p];
            }
        }
        if (!lengthen(in, base, i, goal) || !add_landmark(in, base, i))
            return false;
        at = place + base.marks[i].count;
    }
    return true;
}

/* ---- which is better ------------------------------------------------------------------------- */

static int more(uint32_t a, uint32_t b)
{
    return a > b ? -1 : a < b;
}

/* The order of refiners. What is late or missing stays so: a rule can become right only on what it
 * is right or early on, and that counts before all. */
static int by_promise(const struct candidate *a, const struct candidate *b)
{
    int order = more(a->correct + a->early, b->correct + b->early);
    if (!order)
        order = more(a->correct, b->correct);
    if (!order)
        order = more(b->failed, a->failed);
    if (!order)
        order = more(b->wildcards, a->wildcards);
    if (!order)
        order = more(b->skipped, a->skipped);
    return order ? order : more(a->last_len, b->last_len);
}

static int by_solution(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    int order = more(is_perfect(a), is_perfect(b));
    if (!order && !is_perfect(a))
        order = more(b->wrong + b->early, a->wrong + a->early);
    if (!order)
        order = more(a->correct, b->correct);
    if (!order)
        order = a->worth > b->worth ? -1 : a->worth < b->worth;
    if (!order)
        order = more(b->inner, a->inner);
    if (!order)
        order = more(b->wildcards, a->wildcards);
    if (!order)
        order = more(b->skipped, a->skipped);
    if (!order)
        order = more(b->count, a->count);
    if (!order)
        order = more(a->last_len, b->last_len);
    return order ? order : more(b->order, a->order);
}

/* The most promising of the first candidates that is neither refined nor perfect, or TH__NO_MATCH.
 * One that can become right on no more than `most` examples is not worth it. */
static uint32_t best_refiner(const struct inducer *in, size_t first, uint32_t most)
{
    uint32_t best = TH__NO_MATCH;
    for (uint32_t i = 0; i < first; i++) {
        const struct candidate *c = &in->candidates.data[i];
        if (c->refined || is_perfect(c) || c->correct + c->early <= most)
            continue;
        if (best == TH__NO_MATCH || by_promise(c, &in->candidates.data[best]) < 0)
            best = i;
    }
    return best;
}

/* How many examples the best perfect candidate is right on. */
static uint32_t best_coverage(const struct inducer *in)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < in->candidates.len; i++) {
        const struct candidate *c = &in->candidates.data[i];
        if (is_perfect(c) && c->correct > most)
            most = c->correct;
    }
    return most;
}

/* ---- the result ------------------------------------------------------------------------------ */

static bool make_disjunct(struct inducer *in, const struct candidate *c, th__disjunct *out)
{
    *out = (th__disjunct){.count = c->count};
    out->landmarks = th__arena_zero(in->arena, c->count + 1u, sizeof *out->landmarks);
    if (!out->landmarks)
        return false;
    for (uint32_t i = 0; i < c->count; i++) {
        th__landmark *landmark = &out->landmarks[i];
        landmark->count = c->marks[i].count;
        landmark->until = c->marks[i].until;
        landmark->marks = th__arena_zero(in->arena, landmark->count, sizeof *landmark->marks);
        if (!landmark->marks)
            return false;
        for (uint32_t m = 0; m < landmark->count; m++) {
            uint32_t to = in->task->backward ? landmark->count - 1 - m : m;
            landmark->marks[to] = in->symbols[c->marks[i].ids[m]].mark;
        }
    }
    return true;
}

/* Asks the judge about the solutions that are right on most examples. */
static bool judge(struct inducer *in, uint32_t most)
{
    uint32_t asked = 0;
    if (!in->task->judge)
        return true;
    for (uint32_t i = 0; i < in->candidates.len && asked < JUDGED; i++) {
        struct candidate *c = &in->candidates.data[i];
        th__disjunct disjunct;
        if (!is_perfect(c) || c->correct < most)
            break;
        if (!make_disjunct(in, c, &disjunct))
            return false;
        c->worth = in->task->judge(in->task->context, &disjunct);
        asked++;
    }
    if (asked > 1)
        qsort(in->candidates.data, asked, sizeof *in->candidates.data, by_solution);
    return true;
}

static bool learn_disjunct(struct inducer *in, uint32_t open, struct candidate *best)
{
    in->candidates.len = 0;
    th__inducer_gather(in, open);
    if (in->failed || !th__inducer_index(in) || !add_initial(in))
        return false;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t most = best_coverage(in), refined = 0;
        size_t known = in->candidates.len;
        for (; refined < BEAM; refined++) {
            uint32_t refiner = best_refiner(in, known, most);
            if (refiner == TH__NO_MATCH)
                break;
            if (th__cancelled(in->task->cancel) || !refine(in, refiner))
                return false;
        }
        if (!refined)
            break;
    }
    *best = (struct candidate){0};
    if (!in->candidates.len)
        return true;
    qsort(in->candidates.data, in->candidates.len, sizeof *in->candidates.data, by_solution);
    if (!judge(in, in->candidates.data[0].correct))
        return false;
    *best = in->candidates.data[0];
    return true;
}

/* The example whose item is nearest to where the rule begins: its prefix has the fewest tokens that
 * mean nothing. */
static bool choose_seed(struct inducer *in, uint32_t *open)
{
    uint32_t best = TH__NO_MATCH;
    *open = 0;
    for (uint32_t e = 0; e < in->task->count; e++) {
        const th__stalker_example *example = &in->task->examples[e];
        if (in->covered[e] || must_fail(in, example))
            continue;
        ++*open;
        if (best == TH__NO_MATCH || high_of(in, example) < best) {
            best = high_of(in, example);
            in->seed = e;
        }
    }
    return best != TH__NO_MATCH;
}

/* Takes a disjunct into the rule and the examples that it is right on out of the rest. When it is
 * right on none the seed is given up. */
static bool take(struct inducer *in, const struct candidate *best, th__stalker_learnt *out)
{
    th__landmark_rule *rule = &out->rule;
    if (!best->correct) {
        in->covered[in->seed] = true;
        return true;
    }
    if (!make_disjunct(in, best, &rule->disjuncts[rule->count]))
        return false;
    rule->count++;
    out->imperfect += !is_perfect(best);
    for (uint32_t e = 0; e < in->task->count; e++) {
        const th__stalker_example *example = &in->task->examples[e];
        if (in->covered[e] || must_fail(in, example))
            continue;
        uint32_t at = lead(best, e, NULL);
        if (at != TH__NO_MATCH && at >= low_of(in, example) && at <= high_of(in, example))
            in->covered[e] = true;
    }
    return true;
}

bool th__stalker_induce(const th__stalker_task *task, th__arena *arena, th__stalker_learnt *out)
{
    struct inducer in = {.task = task, .arena = arena};
    uint32_t open;
    *out = (th__stalker_learnt){.rule.backward = task->backward};
    th__arena_init(&in.scratch);
    th__inducer_find_wilds(&in);
    in.covered = th__mem_zero(task->count + 1u, sizeof *in.covered);
    in.symbols = TH__NEW_ARRAY(struct symbol, SYMBOLS);
    in.table = TH__NEW_ARRAY(uint32_t, SLOTS);
    out->rule.disjuncts =
        th__arena_zero(arena, TH__STALKER_MAX_DISJUNCTS, sizeof *out->rule.disjuncts);
    /* An item that does not lie in its range teaches nothing. */
    for (uint32_t e = 0; in.covered && e < task->count; e++) {
        const th__stalker_example *x = &task->examples[e];
        in.covered[e] =
            x->first > x->last || (!x->none && (x->low < x->first || x->high > x->last));
        out->rule.to_end |= !in.covered[e] && is_at_end(&in, x);
    }
    bool ok = in.covered && in.symbols && in.table && out->rule.disjuncts;
    /* Seeds that no rule is right on count too: of thousands of labels at odd places each would
     * cost a look at all others. */
    for (int tried = 0; ok && tried < TH__STALKER_MAX_DISJUNCTS && choose_seed(&in, &open);
         tried++) {
        struct candidate best;
        ok = learn_disjunct(&in, open, &best) && take(&in, &best, out);
        th__arena_clear(&in.scratch);
    }
    for (uint32_t e = 0; ok && e < task->count; e++)
        out->right += th__stalker_right(&out->rule, &task->examples[e]);
    th__vec_release(&in.candidates);
    th__mem_free(in.covered);
    th__mem_free(in.symbols);
    th__mem_free(in.table);
    th__arena_release(&in.scratch);
    return ok;
}
