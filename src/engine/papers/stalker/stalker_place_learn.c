/* stalker_place_learn.c: what candidates are worth, and which are kept. See stalker_place_learn.h.
 */
#include "engine/papers/stalker/stalker_place_learn.h"

#include <stdlib.h>

#include "engine/papers/stalker/stalker_placer.h"

enum {
    VOTERS = 96, /* candidates that vote on instances without labels */
    SAMPLE = 4,  /* values that look alike, so that others can be expected to */
    ROUNDS = 2,  /* of voting: the second with what the first has taught */
};

#define WORTHLESS 0.15 /* of the best one's weight: what weighs less decides nothing */

/* ---- what candidates are worth --------------------------------------------------------------- */

/* Whether a path leads to all labelled things and to nothing else: rules that go by looks have no
 * need to. */
static bool has_own_path(const struct placer *l)
{
    bool own = false;
    for (size_t s = 0; s < l->specs.len && !own; s++) {
        const struct place_spec *spec = &l->specs.data[s];
        own = spec->unique && spec->at.begins == TH_CLASS_ANY;
        for (uint32_t i = 0; i < l->task->count && own; i++)
            own = !th__is_known_thing(l->task->instances[i].thing) || spec->lists[i].count;
    }
    return own;
}

/* How likely a kind of rule is to hold on other pages, before any of them is looked at. A label
 * beside the value is best, a path that nothing else has next; counting is what breaks first. */
static double prior_of(const struct placer *l, const struct place_candidate *c)
{
    const struct place_spec *spec = &l->specs.data[c->spec];
    double path = spec->at.steps    ? 0.80 + 0.04 * spec->at.steps
                  : spec->at.tags   ? 0.9
                  : spec->at.marked ? 1.05
                                    : 1.0;
    if (spec->at.bare)
        path *= 0.95;
    /* Looks tell less than a label or a path of its own does, and more than a count. */
    if (spec->at.begins != TH_CLASS_ANY)
        path *=
            l->positives >= SAMPLE && !l->own_path && (c->side == TH__ANCHOR_NONE || c->far > NEAR)
                ? 1.1
                : 0.7;
    double worth;
    if (c->side == TH__ANCHOR_NONE) {
        /* A place that stays when the value is missing can be counted on. */
        bool stays = l->negatives && c->hollow == l->negatives;
        worth = stays ? 1.2 : spec->unique ? 1.0 : c->nth >= 0 ? 0.4 / (1 + 0.05 * c->nth) : 0.3;
    } else {
        const struct place_anchor *anchor = &l->anchors.data[c->anchor];
        uint32_t counted = (uint32_t)(c->nth >= 0 ? c->nth : -1 - c->nth);
        worth = (c->far <= NEAR ? 2.0
                 : c->far <= 2  ? 0.8
                                : 0.5 / (1 + 0.05 * c->far)) /
                (1 + 0.1 * counted);
        worth *= c->reach == TH__ANY_REACH ? 0.9 : 1.0;
        worth *= c->side == TH__ANCHOR_AFTER ? 1.0 : 0.5;
        worth *= anchor->unique ? 1.0 : 0.85;
        /* A text of the template is on most pages; the label of a value that may be missing is
         * where the value is; what is neither is another value. */
        double covers = c->right / (double)l->positives;
        worth *= anchor->telling && c->far <= NEAR ? 1 : (0.1 + 0.9 * anchor->spread) * covers;
    }
    return worth * path * c->right / (double)l->positives;
}

struct ballot {
    uint32_t thing;
    double votes;
};

static int by_weight(const void *left, const void *right)
{
    const struct place_candidate *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    if (a->spec != b->spec)
        return a->spec < b->spec ? -1 : 1;
    if (a->anchor != b->anchor)
        return a->anchor < b->anchor ? -1 : 1;
    if (a->side != b->side)
        return a->side < b->side ? -1 : 1;
    if (a->reach != b->reach)
        return a->reach < b->reach ? -1 : 1;
    return a->nth < b->nth ? -1 : a->nth > b->nth;
}

/* Rules that tend to fail together are one voice: all that go by a label right beside the value,
 * all that count from something farther off, all that count from the beginning, and so on. */
enum { VOICES = 7 };

static unsigned voice_of(const struct placer *l, const struct place_candidate *c)
{
    if (c->side == TH__ANCHOR_AFTER)
        return c->far <= NEAR ? 0 : 1;
    if (c->side == TH__ANCHOR_BEFORE)
        return c->far <= NEAR ? 2 : 3;
    return l->specs.data[c->spec].unique ? 4 : c->nth >= 0 ? 5 : 6;
}

static bool same_voice(const struct placer *l, const struct place_candidate *a,
                       const struct place_candidate *b)
{
    return voice_of(l, a) == voice_of(l, b);
}

/* The thing that most voices name in an instance. The heaviest member speaks for its voice; those
 * that miss labelled values too only as long as nobody of the voice has found anything. */
static uint32_t elect(struct placer *l, uint32_t i, uint32_t voters, uint32_t *answers,
                      struct ballot *ballots)
{
    uint32_t different = 0, best = 0;
    double none = 0;
    enum { SILENT, UNSURE, SPOKEN } spoken[VOICES] = {SILENT};
    for (uint32_t c = 0; c < voters; c++) {
        const struct place_candidate *candidate = &l->candidates.data[c];
        unsigned voice = voice_of(l, candidate);
        uint32_t at = 0;
        answers[c] = th__placer_answer(l, candidate, i);
        bool speaks = spoken[voice] == SILENT || (spoken[voice] == UNSURE && candidate->missed);
        if (!speaks)
            continue;
        spoken[voice] = candidate->missed && answers[c] == TH__NO_THING ? UNSURE : SPOKEN;
        if (answers[c] == TH__NO_THING) {
            none += candidate->missed ? 0 : candidate->weight * 0.5;
            continue;
        }
        while (at < different && ballots[at].thing != answers[c])
            at++;
        if (at == different)
            ballots[different++] = (struct ballot){answers[c], 0};
        ballots[at].votes += candidate->weight;
    }
    for (uint32_t b = 1; b < different; b++)
        if (ballots[b].votes > ballots[best].votes)
            best = b;
    return different && ballots[best].votes >= none ? ballots[best].thing : TH__NO_THING;
}

/* One round of voting over the instances without labels. */
static bool vote(struct placer *l, uint32_t voters)
{
    uint32_t *answers = th__arena_alloc(&l->scratch, voters * sizeof *answers);
    struct ballot *ballots = th__arena_alloc(&l->scratch, voters * sizeof *ballots);
    double *agreed = th__arena_zero(&l->scratch, voters, sizeof *agreed);
    double *alike = th__arena_zero(&l->scratch, voters, sizeof *alike);
    uint32_t *found = th__arena_zero(&l->scratch, voters, sizeof *found);
    if (!answers || !ballots || !agreed || !alike || !found)
        return false;
    for (uint32_t c = 0; c < voters; c++)
        l->candidates.data[c].none = l->candidates.data[c].none_right = 0;
    for (uint32_t i = 0; i < l->task->count; i++) {
        if (l->task->instances[i].thing != TH__UNKNOWN_THING)
            continue;
        uint32_t elected = elect(l, i, voters, answers, ballots);
        for (uint32_t c = 0; c < voters; c++) {
            agreed[c] += answers[c] == elected;
            if (answers[c] == TH__NO_THING) {
                l->candidates.data[c].none++;
                l->candidates.data[c].none_right += elected == TH__NO_THING;
                continue;
            }
            found[c]++;
            alike[c] += l->task->alike ? l->task->alike(l->task->context, i, answers[c]) : 1;
        }
    }
    for (uint32_t c = 0; c < voters; c++) {
        struct place_candidate *candidate = &l->candidates.data[c];
        double agrees = agreed[c] / l->unknown;
        double likes = found[c] ? alike[c] / found[c] : 0.5;
        candidate->weight = candidate->prior * (0.1 + agrees * agrees) * (0.2 + likes * likes);
    }
    qsort(l->candidates.data, voters, sizeof *l->candidates.data, by_weight);
    return true;
}

static bool weigh(struct placer *l)
{
    l->own_path = has_own_path(l);
    for (size_t i = 0; i < l->candidates.len; i++) {
        struct place_candidate *c = &l->candidates.data[i];
        c->weight = c->prior = prior_of(l, c);
    }
    if (!l->candidates.len)
        return true;
    qsort(l->candidates.data, l->candidates.len, sizeof *l->candidates.data, by_weight);
    uint32_t voters = l->candidates.len < VOTERS ? (uint32_t)l->candidates.len : VOTERS;
    l->candidates.len = voters;
    for (int round = 0; round < ROUNDS && l->unknown && voters; round++)
        if (!vote(l, voters))
            return false;
    return true;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* Whether a spec matches nothing but the right thing on the labelled instances. */
static bool is_alone(const struct placer *l, const struct place_spec *spec)
{
    for (uint32_t i = 0; i < l->task->count; i++)
        if (l->task->instances[i].thing != TH__UNKNOWN_THING && spec->lists[i].count > 1)
            return false;
    return true;
}

static th__place_rule make_rule(const struct placer *l, const struct place_candidate *c,
                                double heaviest)
{
    th__place_rule rule = {.at = l->specs.data[c->spec].at,
                           .side = c->side,
                           .reach = c->side == TH__ANCHOR_NONE ? TH__ANY_REACH : c->reach,
                           .nth = c->nth,
                           .alone = is_alone(l, &l->specs.data[c->spec]),
                           .weight = (uint32_t)(1000 * c->weight / heaviest)};
    if (c->side != TH__ANCHOR_NONE) {
        rule.anchor = l->anchors.data[c->anchor].text;
        rule.hash = l->anchors.data[c->anchor].hash;
    }
    rule.weight = rule.weight ? rule.weight : 1;
    /* Where a label is missing that goes with the value, the value is missing; where another text
     * is, it tells less. */
    bool telling = c->side != TH__ANCHOR_NONE && l->anchors.data[c->anchor].telling;
    rule.against = c->missed ? 0 : rule.weight * (telling ? 7 : 4) / 10;
    if (c->none)
        rule.against = rule.against * c->none_right / c->none;
    return rule;
}

/* Whether a candidate is right on a labelled instance that none of those chosen finds. */
static bool adds(const struct placer *l, const struct place_candidate *c,
                 const struct place_candidate *const *chosen, uint32_t count)
{
    for (uint32_t i = 0; i < l->task->count; i++) {
        bool found = false;
        if (!th__is_known_thing(l->task->instances[i].thing) ||
            th__placer_answer(l, c, i) == TH__NO_THING)
            continue;
        for (uint32_t p = 0; p < count && !found; p++)
            found = th__placer_answer(l, chosen[p], i) != TH__NO_THING;
        if (!found)
            return true;
    }
    return false;
}

/* The best of each voice, and what finds values that the others miss. */
static bool choose(struct placer *l, th__places *out)
{
    const struct place_candidate *chosen[TH__PLACES_MOST];
    out->rules = th__arena_zero(l->arena, TH__PLACES_MOST, sizeof *out->rules);
    if (!out->rules)
        return false;
    for (size_t i = 0; i < l->candidates.len && out->count < TH__PLACES_MOST; i++) {
        const struct place_candidate *c = &l->candidates.data[i];
        bool heard = c->weight < l->candidates.data[0].weight * WORTHLESS;
        for (uint32_t p = 0; p < out->count && !heard; p++)
            heard = same_voice(l, chosen[p], c);
        if (heard && !adds(l, c, chosen, out->count))
            continue;
        chosen[out->count] = c;
        out->rules[out->count++] = make_rule(l, c, l->candidates.data[0].weight);
    }
    for (uint32_t i = 0; i < l->task->count; i++) {
        const th__place_instance *in = &l->task->instances[i];
        if (in->thing == TH__UNKNOWN_THING)
            continue;
        uint32_t found = th__places_vote(out->rules, out->count, &l->task->told, in->map,
                                         &in->extent, l->task->kind, l->task->texts, NULL);
        out->right += found == in->thing || th__placer_is_empty(l, i, found);
    }
    return true;
}

bool th__places_learn(const th__place_task *task, th__arena *arena, th__places *out)
{
    struct placer l = {.task = task, .arena = arena};
    *out = (th__places){0};
    th__arena_init(&l.scratch);
    bool ok = th__placer_make(&l) && weigh(&l) && choose(&l, out);
    th__vec_release(&l.specs);
    th__vec_release(&l.anchors);
    th__vec_release(&l.candidates);
    th__buf_release(&l.text);
    th__arena_release(&l.scratch);
    return ok;
}
