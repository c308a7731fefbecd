/*
 * stalker_field.c: learning the three views of a field.
 *
 * The structural view points at a thing: a unit of text, or an element whose text the value is. A
 * value that is part of its thing's text is cut out of it by landmark rules of its own. The forward
 * and backward views are landmark rules over the whole scope.
 */
#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/key_map.h"
#include "base/vec.h"
#include "engine/papers/stalker/stalker.h"
#include "index/view.h"
#include "page/page.h"
#include "page/signs.h"
#include "page/text.h"

/* ---- place rules from examples, with the help of pages without labels ---------------------------
 *
 * Every way to name the place of a labelled value is a candidate: its path whole or in part, from
 * one of the texts around it or by count. Those that are wrong on a labelled instance are dropped.
 * The others vote on the instances without labels: a candidate is worth what it finds there, how
 * often the others find the same, and how much what it finds looks like the labelled values. The
 * best of each kind are kept, and vote again when the wrapper runs.
 */

enum {
    EXEMPLARS = 12,    /* labelled instances whose surroundings give candidates: more add nothing */
    BACK = 16,         /* units before a value that may be its label or heading */
    AHEAD = 6,         /* and behind it */
    NEAR = 1,          /* units from a value to what is its label */
    END_STEPS = 4,     /* of the shortened paths */
    SLACK = 2,         /* units by which this may vary */
    FARTHEST_NTH = 40, /* counted from an anchor: farther is chance */
    ANCHOR_BYTES = 80, /* labels are short; what is longer is text */
    VOTERS = 96,       /* candidates that vote on instances without labels */
};

#define UNKNOWN_THING (UINT32_MAX - 1)

struct place_instance {
    const th__page_map *map;
    th__scope scope;
    uint32_t thing; /* that is right; TH__NO_THING: missing; UNKNOWN_THING: no label */
};

struct place_task {
    const struct place_instance *instances;
    uint32_t count;
    th__thing_kind kind;
    bool texts; /* an element without text counts as none */
    th__label_rule identified_by;
    /* How much a thing looks like those labelled, 0 to 1. */
    double (*alike)(void *context, uint32_t instance, uint32_t thing);
    /* Returns true if there is no value in a thing after all: it is found where the value is
     * missing, and rightly. */
    bool (*empty)(void *context, uint32_t instance, uint32_t thing);
    void *context;
};

struct place_rules {
    th__place_rule *rules; /* best first; none when nothing is right on all labels */
    uint32_t count;
    uint32_t right; /* labelled instances that the rules together are right on */
};

struct place_list {
    const uint32_t *things;
    uint32_t count;
};

/* A way to name paths, and what it matches in each instance. */
struct place_spec {
    th__path_spec at;
    struct place_list *lists;
    bool unique; /* never more than one */
};

/* A text, and where it is in each instance. */
struct place_anchor {
    th_str text;
    uint64_t hash;
    struct place_list *units;
    double spread; /* share of the instances that have it */
};

struct place_candidate {
    uint32_t spec, anchor;
    uint8_t side;
    int32_t nth;
    uint32_t reach;
    uint32_t far; /* from the anchor, on the labelled instances */
    uint32_t right, missed;
    double prior, weight;
    /* Of voters, by instance without labels: what they find, and how much it looks like a value. */
    uint32_t *answers;
    double *likes;
};

struct placer {
    const struct place_task *task;
    th__arena *arena, scratch;
    TH__VEC(struct place_spec) specs;
    TH__VEC(struct place_anchor) anchors;
    TH__VEC(struct place_candidate) candidates;
    th__key_map known;    /* candidates that were checked */
    th__key_map anchored; /* and what those with an anchor were made from */
    uint32_t positives, negatives, unknown;
    uint32_t cell;   /* the cell of a row that all of them are in, or 0 */
    th_class begins; /* what all of them begin with */
};

static bool is_known(uint32_t thing)
{
    return thing != TH__NO_THING && thing != UNKNOWN_THING;
}

/* ---- specs ----------------------------------------------------------------------------------- */

static bool list_things(struct placer *l, struct place_spec *spec)
{
    const struct place_task *task = l->task;
    spec->lists = th__arena_zero(&l->scratch, task->count, sizeof *spec->lists);
    spec->unique = true;
    if (!spec->lists)
        return false;
    for (uint32_t i = 0; i < task->count; i++) {
        const struct place_instance *in = &task->instances[i];
        uint32_t first, end, used = 0;
        th__things_in(in->map, &in->scope, task->kind, &first, &end);
        uint32_t *things = th__arena_alloc(&l->scratch, (end - first + (size_t)1) * sizeof *things);
        if (!things)
            return false;
        for (uint32_t t = first; t < end; t++)
            if (th__path_spec_matches(&spec->at, in->map, in->scope.root, task->kind, t))
                things[used++] = t;
        spec->lists[i] = (struct place_list){things, used};
        spec->unique &= used <= 1;
    }
    return true;
}

static bool is_same_spec(const th__path_spec *a, const th__path_spec *b)
{
    return a->key == b->key && a->steps == b->steps && a->tags == b->tags &&
           a->marked == b->marked && a->begins == b->begins && a->cell == b->cell;
}

/* *index is UINT32_MAX when the node has no such path. False if out of memory. */
static bool add_spec(struct placer *l, const struct place_instance *in, uint32_t node, unsigned way,
                     th_class begins, uint32_t *index)
{
    uint32_t top;
    struct place_spec spec = {.at = {.cell = l->cell, .begins = (uint8_t)begins}};
    *index = UINT32_MAX;
    if (!th__path_spec_name(&spec.at, in->map, in->scope.root, node, way, &top))
        return true;
    for (uint32_t i = 0; i < l->specs.len; i++)
        if (is_same_spec(&l->specs.data[i].at, &spec.at)) {
            *index = i;
            return true;
        }
    *index = (uint32_t)l->specs.len;
    return th__path_spec_write(&spec.at, in->map->page, top, node, l->arena) &&
           list_things(l, &spec) && th__vec_push(&l->specs, spec);
}

/* ---- anchors --------------------------------------------------------------------------------- */

static bool locate_anchor(struct placer *l, struct place_anchor *anchor)
{
    const struct place_task *task = l->task;
    uint32_t has = 0;
    anchor->units = th__arena_zero(&l->scratch, task->count, sizeof *anchor->units);
    if (!anchor->units)
        return false;
    for (uint32_t i = 0; i < task->count; i++) {
        const struct place_instance *in = &task->instances[i];
        uint32_t places[TH__ANCHORS_TRIED], used = 0, unit, end;
        th__things_in(in->map, &in->scope, TH__THING_UNIT, &unit, &end);
        for (; (unit = th__map_find(in->map, unit, end, anchor->hash)) < end; unit++) {
            used -= used == TH__ANCHORS_TRIED; /* the last is kept in any case */
            places[used++] = unit;
        }
        uint32_t *kept = th__arena_keep(&l->scratch, places, used, sizeof *kept);
        if (!kept)
            return false;
        anchor->units[i] = (struct place_list){kept, used};
        has += used > 0;
    }
    anchor->spread = (double)has / task->count;
    /* What is on one page alone is a value more likely than a label. */
    if (has <= 1 && task->count > 1)
        anchor->spread *= 0.3;
    return true;
}

static bool add_anchor(struct placer *l, const struct place_instance *in, uint32_t unit,
                       uint32_t *index)
{
    const th__text_unit *u = &in->map->units[unit];
    for (*index = 0; *index < l->anchors.len; ++*index)
        if (l->anchors.data[*index].hash == u->hash)
            return true;
    struct place_anchor anchor = {.hash = u->hash};
    anchor.text = th__span_copy(l->arena, in->map->page, u->span);
    return anchor.text.ptr && locate_anchor(l, &anchor) && th__vec_push(&l->anchors, anchor);
}

/* ---- candidates ------------------------------------------------------------------------------ */

/* How many things of a list are before a unit (with `behind`: at or before it). */
static uint32_t count_before(const struct placer *l, const th__page_map *map,
                             const struct place_list *list, uint32_t unit, bool behind)
{
    bool units = l->task->kind == TH__THING_UNIT;
    uint32_t border = (units ? unit : map->units[unit].token) + behind;
    return (uint32_t)th__count_first(
        i, list->count,
        (units ? list->things[i] : map->page->nodes[list->things[i]].token) < border);
}

static uint32_t distance(const struct placer *l, uint32_t i, uint32_t thing, uint32_t unit)
{
    uint32_t before = th__thing_units_before(l->task->instances[i].map, l->task->kind, thing);
    return before > unit ? before - unit : unit - before;
}

/* The n-th of a list behind (or before) a unit; or of the whole list. */
static uint32_t nth_from(const struct placer *l, const struct place_candidate *c, uint32_t i,
                         uint32_t unit)
{
    const struct place_list *list = &l->specs.data[c->spec].lists[i];
    const th__page_map *map = l->task->instances[i].map;
    uint32_t from = 0, to = list->count;
    if (c->side == TH__ANCHOR_AFTER)
        from = count_before(l, map, list, unit, true);
    else if (c->side == TH__ANCHOR_BEFORE)
        to = count_before(l, map, list, unit, false);
    int64_t at = c->nth >= 0 ? (int64_t)from + c->nth : (int64_t)to + c->nth;
    return at < from || at >= to ? TH__NO_THING : list->things[at];
}

/* As th__place_rules_vote finds it. */
static uint32_t place_of(const struct placer *l, const struct place_candidate *c, uint32_t i)
{
    if (c->side == TH__ANCHOR_NONE)
        return nth_from(l, c, i, 0);
    const struct place_list *units = &l->anchors.data[c->anchor].units[i];
    for (uint32_t u = 0; u < units->count; u++) {
        uint32_t unit = units->things[c->side == TH__ANCHOR_AFTER ? u : units->count - 1 - u];
        uint32_t thing = nth_from(l, c, i, unit);
        if (c->reach == TH__ANY_REACH ||
            (thing != TH__NO_THING && distance(l, i, thing, unit) <= c->reach))
            return thing;
    }
    return TH__NO_THING;
}

static uint32_t answer_of(const struct placer *l, const struct place_candidate *c, uint32_t i)
{
    const struct place_instance *in = &l->task->instances[i];
    uint32_t thing = place_of(l, c, i);
    return thing != TH__NO_THING && th__thing_may_be(&l->task->identified_by, in->map, &in->scope,
                                                     l->task->kind, l->task->texts, thing)
               ? thing
               : TH__NO_THING;
}

static bool is_empty_place(const struct placer *l, uint32_t i, uint32_t found)
{
    return l->task->instances[i].thing == TH__NO_THING && found != TH__NO_THING && l->task->empty &&
           l->task->empty(l->task->context, i, found);
}

/* Counts what a candidate is right on; false when it is wrong anywhere. */
static bool check(const struct placer *l, struct place_candidate *c)
{
    c->right = c->missed = 0;
    for (uint32_t i = 0; i < l->task->count; i++) {
        uint32_t truth = l->task->instances[i].thing, found;
        if (truth == UNKNOWN_THING)
            continue;
        found = answer_of(l, c, i);
        if (is_empty_place(l, i, found))
            continue;
        if (found != TH__NO_THING && found != truth)
            return false;
        c->right += found != TH__NO_THING;
        c->missed += found == TH__NO_THING && truth != TH__NO_THING;
    }
    return c->right > 0;
}

/* Labelled values near each other give the same candidates again and again. */
static bool add_candidate(struct placer *l, struct place_candidate c)
{
    uint64_t key = th__hash_mix((uint64_t)c.spec << 32 | c.side, (uint64_t)c.nth << 32 | c.reach);
    if (c.side != TH__ANCHOR_NONE)
        key = th__hash_mix(key, c.anchor);
    uint32_t known = l->known.count, number = th__key_map_number(&l->known, key);
    if (!number)
        return false;
    return number <= known || !check(l, &c) || th__vec_push(&l->candidates, c);
}

/* With an anchor: no farther than on the labelled instances, and without a limit. */
static bool add_anchored(struct placer *l, struct place_candidate c, uint32_t near)
{
    uint32_t farthest = near;
    uint64_t key = th__hash_mix((uint64_t)c.spec << 32 | c.anchor, (uint64_t)c.nth << 32 | near);
    uint32_t known = l->anchored.count;
    uint32_t number = th__key_map_number(&l->anchored, th__hash_mix(key, c.side));
    if (!number || number <= known)
        return number; /* it was added before */
    for (uint32_t i = 0; i < l->task->count; i++) {
        uint32_t truth = l->task->instances[i].thing;
        const struct place_list *units = &l->anchors.data[c.anchor].units[i];
        uint32_t nearest = UINT32_MAX;
        for (uint32_t u = 0; is_known(truth) && u < units->count; u++)
            if (nth_from(l, &c, i, units->things[u]) == truth) {
                uint32_t d = distance(l, i, truth, units->things[u]);
                nearest = d < nearest ? d : nearest;
            }
        /* Anchors that are mostly near may be farther off here and there, but not by much. */
        if (nearest != UINT32_MAX && nearest > farthest && nearest <= near + SLACK)
            farthest = nearest;
    }
    c.far = near;
    c.reach = TH__ANY_REACH;
    if (!add_candidate(l, c))
        return false;
    c.reach = farthest;
    return add_candidate(l, c);
}

static bool find_in(const struct place_list *list, uint32_t thing, uint32_t *at)
{
    for (*at = 0; *at < list->count; ++*at)
        if (list->things[*at] == thing)
            return true;
    return false;
}

/* `at`: which of the spec's things in the instance is right. */
static bool by_anchor(struct placer *l, uint32_t i, uint32_t spec, uint32_t at, uint32_t unit,
                      bool after)
{
    const struct place_instance *in = &l->task->instances[i];
    const th__text_unit *u = &in->map->units[unit];
    struct place_candidate c = {.spec = spec, .side = after ? TH__ANCHOR_AFTER : TH__ANCHOR_BEFORE};
    if (!u->hash || u->span.end - u->span.start > ANCHOR_BYTES)
        return true;
    if (!add_anchor(l, in, unit, &c.anchor))
        return false;
    if (l->positives > 1 && l->anchors.data[c.anchor].spread * l->task->count < 1.5)
        return true; /* is here alone: no text of the template */
    const struct place_list *list = &l->specs.data[spec].lists[i];
    c.nth = (int32_t)at - (int32_t)count_before(l, in->map, list, unit, after);
    if ((after && c.nth < 0) || (!after && c.nth >= 0) || c.nth > FARTHEST_NTH ||
        c.nth < -FARTHEST_NTH)
        return true;
    return add_anchored(l, c, distance(l, i, in->thing, unit));
}

static bool by_spec(struct placer *l, uint32_t i, uint32_t spec)
{
    const struct place_instance *in = &l->task->instances[i];
    const struct place_list *list = &l->specs.data[spec].lists[i];
    uint32_t at, first, end, unit = th__thing_units_before(in->map, l->task->kind, in->thing);
    if (!find_in(list, in->thing, &at))
        return true;
    struct place_candidate c = {.spec = spec, .nth = (int32_t)at, .reach = TH__ANY_REACH};
    if (!add_candidate(l, c))
        return false;
    c.nth = (int32_t)at - (int32_t)list->count;
    if (list->count > 1 && !add_candidate(l, c))
        return false;
    th__things_in(in->map, &in->scope, TH__THING_UNIT, &first, &end);
    for (uint32_t u = unit; u-- > first && unit - u <= BACK;)
        if (!by_anchor(l, i, spec, at, u, true))
            return false;
    for (uint32_t u = unit + 1; u < end && u - unit <= AHEAD; u++)
        if (!by_anchor(l, i, spec, at, u, false))
            return false;
    return true;
}

static bool add_exemplar(struct placer *l, uint32_t i)
{
    const struct place_instance *in = &l->task->instances[i];
    uint32_t node = th__thing_node(in->map, l->task->kind, in->thing), spec;
    for (unsigned way = 0; way < TH__PATH_BY_END + END_STEPS; way++)
        /* Any thing at a path, and those that begin as all labelled ones do. */
        for (int alike = 0; alike < 2; alike++) {
            if (alike && (l->begins == TH_CLASS_ANY || way == TH__PATH_BY_TAGS))
                continue;
            if (!add_spec(l, in, node, way, alike ? l->begins : TH_CLASS_ANY, &spec) ||
                (spec != UINT32_MAX && !by_spec(l, i, spec)))
                return false;
        }
    return true;
}

/* What all labelled things have in common. */
static void find_common(struct placer *l)
{
    int begins = -1;
    bool first = true;
    for (uint32_t i = 0; i < l->task->count; i++) {
        const struct place_instance *in = &l->task->instances[i];
        if (!is_known(in->thing))
            continue;
        uint32_t node = th__thing_node(in->map, l->task->kind, in->thing);
        uint32_t cell = th__cell_of(in->map->page, in->scope.root, node);
        l->cell = first || l->cell == cell ? cell : 0;
        first = false;
        th_class cls =
            l->task->texts ? th__thing_begins(in->map, l->task->kind, in->thing) : TH_CLASS_ANY;
        if (cls == TH_CLASS_ANY)
            continue;
        begins = begins < 0 ? (int)cls : (int)th_class_join((th_class)begins, cls);
    }
    l->begins =
        begins > TH_CLASS_WORD && begins != TH_CLASS_NONWORD ? (th_class)begins : TH_CLASS_ANY;
}

static bool make_candidates(struct placer *l)
{
    const struct place_task *task = l->task;
    uint32_t exemplars = 0;
    for (uint32_t i = 0; i < task->count; i++) {
        l->positives += is_known(task->instances[i].thing);
        l->negatives += task->instances[i].thing == TH__NO_THING;
        l->unknown += task->instances[i].thing == UNKNOWN_THING;
    }
    find_common(l);
    for (uint32_t i = 0; i < task->count && exemplars < EXEMPLARS; i++)
        if (is_known(task->instances[i].thing)) {
            if (!add_exemplar(l, i))
                return false;
            exemplars++;
        }
    return true;
}

#define WORTHLESS 0.15 /* of the best one's weight: what weighs less decides nothing */

/* ---- what candidates are worth --------------------------------------------------------------- */

/* How likely a kind of rule is to hold on other pages, before any of them is looked at. A label
 * beside the value is best, a path that nothing else has next; counting is what breaks first. */
static double prior_of(const struct placer *l, const struct place_candidate *c)
{
    const struct place_spec *spec = &l->specs.data[c->spec];
    double path = spec->at.steps    ? 0.80 + 0.04 * spec->at.steps
                  : spec->at.tags   ? 0.9
                  : spec->at.marked ? 1.05
                                    : 1.0;
    /* Looks identify less than a label or a path of its own does. */
    path *= spec->at.begins != TH_CLASS_ANY ? 0.7 : 1.0;
    double worth;
    if (c->side == TH__ANCHOR_NONE) {
        worth = spec->unique ? 1.0 : c->nth >= 0 ? 0.4 / (1 + 0.05 * c->nth) : 0.3;
    } else {
        const struct place_anchor *anchor = &l->anchors.data[c->anchor];
        worth = c->far <= NEAR ? 2.0 : c->far <= 2 ? 0.8 : 0.5 / (1 + 0.05 * c->far);
        worth *= c->side == TH__ANCHOR_AFTER ? 1.0 : 0.5;
        /* A text of the template is on most pages; what is not is another value. */
        worth *= (0.1 + 0.9 * anchor->spread) * c->right / (double)l->positives;
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
static uint32_t elect(const struct placer *l, uint32_t i, uint32_t voters, struct ballot *ballots)
{
    uint32_t different = 0, best = 0;
    double none = 0;
    enum { SILENT, UNSURE, SPOKEN } spoken[VOICES] = {SILENT};
    for (uint32_t c = 0; c < voters; c++) {
        const struct place_candidate *candidate = &l->candidates.data[c];
        unsigned voice = voice_of(l, candidate);
        uint32_t at = 0, answer = candidate->answers[i];
        bool speaks = spoken[voice] == SILENT || (spoken[voice] == UNSURE && candidate->missed);
        if (!speaks)
            continue;
        spoken[voice] = candidate->missed && answer == TH__NO_THING ? UNSURE : SPOKEN;
        if (answer == TH__NO_THING) {
            none += candidate->missed ? 0 : candidate->weight * 0.5;
            continue;
        }
        while (at < different && ballots[at].thing != answer)
            at++;
        if (at == different)
            ballots[different++] = (struct ballot){answer, 0};
        ballots[at].votes += candidate->weight;
    }
    for (uint32_t b = 1; b < different; b++)
        if (ballots[b].votes > ballots[best].votes)
            best = b;
    return different && ballots[best].votes >= none ? ballots[best].thing : TH__NO_THING;
}

/* What things of one instance are like: most candidates answer with one of a few. */
struct likenesses {
    struct {
        uint32_t thing;
        double like;
    } known[8];
    uint32_t count;
};

static double likeness_of(const struct placer *l, uint32_t instance, uint32_t thing,
                          struct likenesses *seen)
{
    enum { MOST = sizeof seen->known / sizeof *seen->known };
    for (uint32_t i = 0; i < seen->count; i++)
        if (seen->known[i].thing == thing)
            return seen->known[i].like;
    double like = l->task->alike ? l->task->alike(l->task->context, instance, thing) : 1;
    if (seen->count < MOST) {
        seen->known[seen->count].thing = thing;
        seen->known[seen->count++].like = like;
    }
    return like;
}

/* What voters find in the instances without labels. */
static bool ask_voters(struct placer *l, uint32_t voters)
{
    for (uint32_t c = 0; c < voters; c++) {
        struct place_candidate *voter = &l->candidates.data[c];
        voter->answers = th__arena_alloc(&l->scratch, l->task->count * sizeof *voter->answers);
        voter->likes = th__arena_zero(&l->scratch, l->task->count, sizeof *voter->likes);
        if (!voter->answers || !voter->likes)
            return false;
    }
    for (uint32_t i = 0; i < l->task->count; i++) {
        struct likenesses seen = {.count = 0};
        for (uint32_t c = 0; c < voters && l->task->instances[i].thing == UNKNOWN_THING; c++) {
            struct place_candidate *voter = &l->candidates.data[c];
            voter->answers[i] = answer_of(l, voter, i);
            if (voter->answers[i] != TH__NO_THING)
                voter->likes[i] = likeness_of(l, i, voter->answers[i], &seen);
        }
    }
    return true;
}

/* Voting over the instances without labels. */
static bool vote(struct placer *l, uint32_t voters)
{
    struct ballot *ballots = th__arena_alloc(&l->scratch, voters * sizeof *ballots);
    double *agreed = th__arena_zero(&l->scratch, voters, sizeof *agreed);
    double *alike = th__arena_zero(&l->scratch, voters, sizeof *alike);
    uint32_t *found = th__arena_zero(&l->scratch, voters, sizeof *found);
    if (!ballots || !agreed || !alike || !found)
        return false;
    for (uint32_t i = 0; i < l->task->count; i++) {
        if (l->task->instances[i].thing != UNKNOWN_THING)
            continue;
        uint32_t elected = elect(l, i, voters, ballots);
        for (uint32_t c = 0; c < voters; c++) {
            struct place_candidate *voter = &l->candidates.data[c];
            agreed[c] += voter->answers[i] == elected;
            if (voter->answers[i] == TH__NO_THING)
                continue;
            found[c]++;
            alike[c] += voter->likes[i];
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
    for (size_t i = 0; i < l->candidates.len; i++) {
        struct place_candidate *c = &l->candidates.data[i];
        c->weight = c->prior = prior_of(l, c);
    }
    if (!l->candidates.len)
        return true;
    qsort(l->candidates.data, l->candidates.len, sizeof *l->candidates.data, by_weight);
    uint32_t voters = l->candidates.len < VOTERS ? (uint32_t)l->candidates.len : VOTERS;
    l->candidates.len = voters;
    return !l->unknown || (ask_voters(l, voters) && vote(l, voters));
}

/* ---- the result ------------------------------------------------------------------------------ */

/* Returns true if a spec matches nothing but the right thing on the labelled instances. */
static bool is_alone(const struct placer *l, const struct place_spec *spec)
{
    for (uint32_t i = 0; i < l->task->count; i++)
        if (l->task->instances[i].thing != UNKNOWN_THING && spec->lists[i].count > 1)
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
    /* Where the text is missing that it goes by, the value may be. */
    rule.against = c->missed ? 0 : rule.weight * 4 / 10;
    return rule;
}

/* Returns true if a candidate is right on a labelled instance that none of those chosen finds. */
static bool adds(const struct placer *l, const struct place_candidate *c,
                 const struct place_candidate *const *chosen, uint32_t count)
{
    for (uint32_t i = 0; i < l->task->count; i++) {
        bool found = false;
        if (!is_known(l->task->instances[i].thing) || answer_of(l, c, i) == TH__NO_THING)
            continue;
        for (uint32_t p = 0; p < count && !found; p++)
            found = answer_of(l, chosen[p], i) != TH__NO_THING;
        if (!found)
            return true;
    }
    return false;
}

/* The best of each voice, and what finds values that the others miss. */
static bool choose(struct placer *l, struct place_rules *out)
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
        const struct place_instance *in = &l->task->instances[i];
        if (in->thing == UNKNOWN_THING)
            continue;
        uint32_t found =
            th__place_rules_vote(out->rules, out->count, &l->task->identified_by, in->map,
                                 &in->scope, l->task->kind, l->task->texts, NULL);
        out->right += found == in->thing || is_empty_place(l, i, found);
    }
    return true;
}

static bool learn_places(const struct place_task *task, th__arena *arena, struct place_rules *out)
{
    struct placer l = {.task = task, .arena = arena};
    *out = (struct place_rules){0};
    th__arena_init(&l.scratch);
    bool ok = make_candidates(&l) && weigh(&l) && choose(&l, out);
    th__vec_release(&l.specs);
    th__vec_release(&l.anchors);
    th__vec_release(&l.candidates);
    th__key_map_release(&l.known);
    th__key_map_release(&l.anchored);
    th__arena_release(&l.scratch);
    return ok;
}

/* ---- shapes ------------------------------------------------------------------------------------
 *
 * How long values are, what they begin and end with, which classes of tokens they are made of. */

enum { SHAPES_MOST = 32 }; /* values that are remembered: more look like these */

struct value_shape {
    uint32_t classes;    /* bit c: a token of class c is in it */
    uint8_t first, last; /* classes */
    uint16_t tokens;     /* how many, blanks not counted */
};

struct value_shapes {
    struct value_shape values[SHAPES_MOST];
    uint32_t count;
};

static struct value_shape shape_of(const th_page *page, th_span span)
{
    enum { LOOKED_AT = 200 }; /* tokens: a long text is a long text */
    struct value_shape shape = {0};
    th_lex lex;
    th_fine fine;
    th_lex_init(&lex, page, span);
    while (shape.tokens < LOOKED_AT && th_lex_next(&lex, &fine)) {
        if (th__class_is(fine.cls, TH_CLASS_BLANK) || th__class_is(fine.cls, TH_CLASS_HTML))
            continue;
        shape.first = shape.tokens ? shape.first : fine.cls;
        shape.last = fine.cls;
        shape.classes |= 1u << fine.cls;
        shape.tokens++;
    }
    return shape;
}

static void add_shape(struct value_shapes *shapes, const th_page *page, th_span span)
{
    struct value_shape shape = shape_of(page, span);
    if (shapes->count < SHAPES_MOST)
        shapes->values[shapes->count++] = shape;
}

/* The share of classes that two values have in common, how near their lengths are, and whether they
 * begin and end alike: in equal parts. */
static double shape_likeness(const struct value_shape *a, const struct value_shape *b)
{
    uint32_t both = a->classes & b->classes, any = a->classes | b->classes;
    if (!any || !a->tokens || !b->tokens)
        return 0;
    double classes = (double)__builtin_popcount(both) / __builtin_popcount(any);
    double lengths =
        a->tokens < b->tokens ? (double)a->tokens / b->tokens : (double)b->tokens / a->tokens;
    double ends = 0.5 * (th__class_join(a->first, b->first) > TH_CLASS_WORD) +
                  0.5 * (th__class_join(a->last, b->last) > TH_CLASS_WORD);
    return (classes + lengths + ends) / 3;
}

static double likeness_to(const struct value_shapes *shapes, const th_page *page, th_span span)
{
    struct value_shape shape = shape_of(page, span);
    double most = 0;
    for (uint32_t i = 0; i < shapes->count; i++) {
        double like = shape_likeness(&shape, &shapes->values[i]);
        most = like > most ? like : most;
    }
    return most;
}

/* The thing of a labelled instance, and how the value lies in it. */
struct target {
    bool usable;          /* where values of this field can be sought */
    uint32_t unit, node;  /* TH__NO_THING: no such thing */
    bool part;            /* of the unit */
    uint32_t first, last; /* units of a value that markup parts: `unit` is the one outside of it */
    bool part_of_node;
};

struct field_learner {
    th__stalker_learner *l;
    th__stalker_field *field;
    const th__instances *instances;
    struct target *targets;     /* by instance */
    struct value_shapes shapes; /* of the labelled values */
    uint32_t positives, negatives;
    uint32_t ends_right[2]; /* labelled values whose end the forward, the backward rule finds */
};

static th_span label_span(const th__stalker_instance *in)
{
    return in->value ? th__stalker_value_span(in->value) : (th_span){0};
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* The attribute that values are of: as the first that has a label says. */
static bool find_attribute(struct field_learner *f)
{
    for (size_t i = 0; i < f->instances->len; i++) {
        const th__stalker_instance *in = &f->instances->data[i];
        th_span span = label_span(in);
        if (!span.end)
            continue;
        th_str name = th__attribute_at(f->l->pages[in->page].page, span).name;
        if (!name.ptr)
            return true;
        f->field->attribute = th__arena_copy(f->l->arena, name);
        f->field->thing = TH__THING_NODE;
        return f->field->attribute.ptr;
    }
    return true;
}

/* ---- things ---------------------------------------------------------------------------------- */

/* Of units that flow in one line the first that no markup inside the line holds. */
static uint32_t unit_outside(const th__page_map *map, uint32_t holder, uint32_t first,
                             uint32_t last)
{
    uint32_t outside = TH__NO_THING;
    for (uint32_t u = first; u <= last; u++) {
        if (u < last && !th__map_flows(map, u))
            return TH__NO_THING;
        if (outside == TH__NO_THING && map->units[u].node == holder)
            outside = u;
    }
    return outside;
}

static struct target find_target(struct field_learner *f, const th__stalker_instance *in,
                                 th_span span)
{
    struct target target = {.unit = TH__NO_THING, .node = TH__NO_THING};
    const th__page_map *map = th__stalker_page_map(&f->l->pages[in->page]);
    const th_page *page = map->page;
    th_attr attr = th__attribute_at(page, span);
    bool attribute = attr.name.ptr;
    if (attribute != (f->field->attribute.ptr != NULL))
        return target;
    if (attribute) {
        target.node = th_page_node_at(page, span.start);
        target.part_of_node = th__str_trim(attr.value).len > span.end - span.start;
        target.usable = th__str_eq_nocase(attr.name, f->field->attribute);
        return target;
    }
    uint32_t first = th__map_unit_at(map, span.start);
    uint32_t last = th__map_units_to(map, span.end);
    target.usable = f->field->extent;
    if (first >= last)
        return target; /* in a script, or a comment */
    target.usable = true;
    target.node = th__page_node_around(page, th__token_at(page, span.start),
                                       th__token_at(page, span.end - 1));
    target.first = target.last = first;
    if (last - first == 1) {
        target.unit = first;
        target.part = !th__span_holds(span, map->units[first].span);
    } else if (span.start <= map->units[first].span.start &&
               span.end >= map->units[last - 1].span.end) {
        target.unit = unit_outside(map, target.node, first, last - 1);
        target.last = last - 1;
    }
    uint32_t from = map->before[page->nodes[target.node].token];
    uint32_t to = map->before[page->nodes[target.node].token_end];
    th_span all = {map->units[from].span.start, map->units[to - 1].span.end};
    target.part_of_node = !th__span_holds(span, all);
    if (target.node < in->scope.root || page->nodes[target.node].token < in->scope.token)
        target.node = TH__NO_THING;
    return target;
}

/* Finds out if every value begins or ends a line of text; its own label does not count. Where
 * markup parts a value and that does not show where it ends, it cannot be learnt from. */
static void find_lines(struct field_learner *f)
{
    th__stalker_field *field = f->field;
    field->from_start = field->to_end = true;
    for (size_t i = 0; i < f->instances->len; i++) {
        const th__page_map *map = f->l->pages[f->instances->data[i].page].map;
        const struct target *target = &f->targets[i];
        if (!label_span(&f->instances->data[i]).end || !target->usable)
            continue;
        field->from_start &= th__stalker_begins_line(field, map, target->first);
        field->to_end &= !th__map_flows(map, target->last);
    }
    for (size_t i = 0; i < f->instances->len; i++) {
        const th__page_map *map = f->l->pages[f->instances->data[i].page].map;
        struct target *target = &f->targets[i];
        th_span found;
        if (!label_span(&f->instances->data[i]).end || !target->usable ||
            target->first == target->last)
            continue;
        target->usable = th__stalker_thing_span(field, &f->l->pages[f->instances->data[i].page],
                                                target->unit, &found) &&
                         found.start == map->units[target->first].span.start &&
                         found.end == map->units[target->last].span.end;
    }
}

/* Elements where every value is all that is in one, else units where every value is in one:
 * an element holds what markup parts. */
static void choose_thing(struct field_learner *f)
{
    bool units = true, nodes = true, part = false, part_of_node = false;
    for (size_t i = 0; i < f->instances->len; i++) {
        if (!label_span(&f->instances->data[i]).end || !f->targets[i].usable)
            continue;
        units &= f->targets[i].unit != TH__NO_THING;
        nodes &= f->targets[i].node != TH__NO_THING;
        part |= f->targets[i].part;
        part_of_node |= f->targets[i].part_of_node;
    }
    if (f->field->attribute.ptr) {
        f->field->cut = part_of_node;
        return;
    }
    bool unit = units && (part_of_node || !nodes);
    f->field->thing = unit ? TH__THING_UNIT : TH__THING_NODE;
    f->field->cut = unit ? part : part_of_node;
    if (unit && !part)
        find_lines(f);
}

static uint32_t thing_of(const struct field_learner *f, size_t i)
{
    if (!f->targets[i].usable)
        return TH__NO_THING;
    return f->field->thing == TH__THING_UNIT ? f->targets[i].unit : f->targets[i].node;
}

/* ---- the structural view --------------------------------------------------------------------- */

static double alike(void *context, uint32_t instance, uint32_t thing)
{
    struct field_learner *f = context;
    th__stalker_page *page = &f->l->pages[f->instances->data[instance].page];
    th_span span;
    if (!th__stalker_thing_span(f->field, page, thing, &span))
        return 0;
    return likeness_to(&f->shapes, page->page, span);
}

/* Returns true if there is nothing in a thing: the cut rules leave nothing ("Name - " has no town),
 * or it says so ("n/a"). */
static bool is_empty(void *context, uint32_t instance, uint32_t thing)
{
    struct field_learner *f = context;
    th_span span;
    return (f->field->cut || !f->field->attribute.ptr) &&
           !th__stalker_thing_span(f->field, &f->l->pages[f->instances->data[instance].page], thing,
                                   &span);
}

/* Where the value begins and ends in its thing. */
static bool learn_cut(struct field_learner *f)
{
    TH__VEC(th__stalker_example) starts = {0}, ends = {0};
    th__stalker_field *field = f->field;
    bool ok = true;
    field->cut = false; /* the thing whole */
    for (size_t i = 0; ok && i < f->instances->len; i++) {
        th_span span = label_span(&f->instances->data[i]), whole;
        th__stalker_page *page = &f->l->pages[f->instances->data[i].page];
        if (!span.end || thing_of(f, i) == TH__NO_THING ||
            !th__stalker_thing_span(field, page, thing_of(f, i), &whole))
            continue;
        const th__stalker_seq *seq = th__stalker_cut_seq(field, page, whole);
        ok = seq != NULL;
        if (!ok)
            break;
        th__stalker_example e = {.seq = seq,
                                 .first = th__stalker_seq_at(seq, whole.start),
                                 .last = th__stalker_seq_at(seq, whole.end),
                                 .item_first = th__stalker_seq_at(seq, span.start),
                                 .item_last = th__stalker_seq_at(seq, span.end)};
        e.low = e.high = e.item_first;
        ok = th__vec_push(&starts, e);
        e.first = e.item_first;
        e.low = e.high = e.item_last;
        ok = ok && th__vec_push(&ends, e);
    }
    th__stalker_learnt start = {0}, end = {0};
    th__stalker_task task = {.examples = starts.data,
                             .count = (uint32_t)starts.len,
                             .until = true,
                             .classes = true,
                             .cancel = f->l->corpus->cancel};
    ok = ok && th__stalker_induce(&task, f->l->arena, &start);
    task.examples = ends.data;
    task.to_end = true;
    ok = ok && th__stalker_induce(&task, f->l->arena, &end);
    field->cut = true;
    field->cut_start = start.rule;
    field->cut_end = end.rule;
    th__vec_release(&starts);
    th__vec_release(&ends);
    return ok;
}

static bool learn_structure(struct field_learner *f)
{
    TH__VEC(struct place_instance) places = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < f->instances->len; i++) {
        const th__stalker_instance *in = &f->instances->data[i];
        const th__page_map *map = th__stalker_page_map(&f->l->pages[in->page]);
        uint32_t thing = !in->labelled                    ? UNKNOWN_THING
                         : !label_span(in).end            ? TH__NO_THING
                         : thing_of(f, i) == TH__NO_THING ? UNKNOWN_THING
                                                          : thing_of(f, i);
        ok = map && th__vec_push(&places, (struct place_instance){map, in->scope, thing});
    }
    struct place_task task = {.instances = places.data,
                              .count = (uint32_t)places.len,
                              .kind = (th__thing_kind)f->field->thing,
                              .texts = !f->field->attribute.ptr,
                              .identified_by = f->field->identified_by,
                              .alike = alike,
                              .empty = is_empty,
                              .context = f};
    struct place_rules learnt = {0};
    ok = ok && learn_places(&task, f->l->arena, &learnt);
    f->field->places = learnt.rules;
    f->field->place_count = learnt.count;
    f->field->weight = 1000 * learnt.right / (f->positives + f->negatives);
    th__vec_release(&places);
    return ok;
}

/* ---- the landmark views ---------------------------------------------------------------------- */

enum {
    VIEW_WEIGHT = 300,
    BEHIND = 400 /* tokens behind an item that its end rules are tried on: what matches farther off
                   is as wrong as what matches there */
};

typedef TH__VEC(th__stalker_example) example_vec;

/* The position before the start tags right before one, and behind the end tags right behind one:
 * what begins or ends there has the same text. */
static uint32_t before_tags(const th__stalker_seq *seq, uint32_t position)
{
    while (position && seq->tokens[position - 1].cls == TH_CLASS_TAG_START)
        position--;
    return position;
}

static uint32_t behind_tags(const th__stalker_seq *seq, uint32_t position)
{
    while (position < seq->count && seq->tokens[position].cls == TH_CLASS_TAG_END)
        position++;
    return position;
}

/* Tags at either end are as good inside as outside. */
static void widen(th__stalker_example *e, bool end)
{
    if (end)
        e->high = behind_tags(e->seq, e->high);
    else
        e->low = before_tags(e->seq, e->low);
    e->high = e->high < e->last ? e->high : e->last;
    e->low = e->low > e->first ? e->low : e->first;
}

/* The examples of starts, or of ends. */
static bool gather(struct field_learner *f, bool ends, bool from_start, example_vec *out)
{
    for (size_t i = 0; i < f->instances->len; i++) {
        const th__stalker_instance *in = &f->instances->data[i];
        th_span span = label_span(in);
        if (!in->labelled || (ends && !span.end) || (span.end && !f->targets[i].usable))
            continue;
        const th__stalker_seq *seq = th__stalker_page_seq(&f->l->pages[in->page]);
        if (!seq)
            return false;
        th__stalker_example e = {.seq = seq,
                                 .first = th__stalker_seq_at(seq, in->scope.span.start),
                                 .last = th__stalker_seq_at(seq, in->scope.span.end),
                                 .none = !span.end};
        if (span.end && f->field->attribute.ptr) {
            const th_page *page = f->l->pages[in->page].page;
            span.start = page->tokens[th__token_at(page, span.start)].start;
            span.end = span.start + 1;
        }
        if (span.end) {
            e.item_first = th__stalker_seq_at(seq, span.start);
            e.item_last = th__stalker_seq_at(seq, span.end);
            e.low = e.high = ends ? e.item_last : e.item_first;
            if (from_start) {
                e.first = e.item_first;
                e.last = e.last < e.item_last + BEHIND ? e.last : e.item_last + BEHIND;
            }
            if (!f->l->paper && !f->field->attribute.ptr)
                widen(&e, ends);
        }
        if (!th__vec_push(out, e))
            return false;
    }
    return true;
}

/* What a view's answer counts beside the structural one's thousand: the most that lets two views
 * together outvote it when it is unsure itself. A rule of many disjuncts has learnt its examples by
 * heart, and one that finds nothing on other pages, or something that shapes unlike a value, has
 * learnt too little: both count less. */
static uint32_t weigh_view(struct field_learner *f, bool backward, double right)
{
    th__landmark_view *view = backward ? &f->field->backward : &f->field->forward;
    double worth = right, found = 0, others = 0;
    if (view->start.count > 1)
        worth *= 1 - (view->start.count - 1.0) / f->positives;
    view->weight = 1;
    for (size_t i = 0; i < f->instances->len && !f->l->paper; i++) {
        const th__stalker_instance *in = &f->instances->data[i];
        th__stalker_page *page = &f->l->pages[in->page];
        if (in->labelled)
            continue;
        th__stalker_answer answer = th__stalker_ask(
            f->field, backward ? TH__VIEW_BACKWARD : TH__VIEW_FORWARD, page, &in->scope);
        others++;
        if (answer.span.end)
            found += likeness_to(&f->shapes, page->page, answer.span);
    }
    if (others > 0)
        worth *= found / others;
    uint32_t weight = (uint32_t)(VIEW_WEIGHT * worth);
    return weight ? weight : 1;
}

static bool learn_landmarks(struct field_learner *f, bool backward, th__landmark_view *view)
{
    example_vec starts = {0}, ends = {0};
    /* As published, a backward view has an end rule of its own; ours takes the forward one, which
     * begins at the start that is found. */
    bool own_end = !backward || f->l->paper;
    bool ok = !th__cancelled(f->l->corpus->cancel) && gather(f, false, false, &starts) &&
              (!own_end || gather(f, true, !backward, &ends));
    th__stalker_learnt start = {0}, end = {0};
    th__stalker_task task = {.examples = starts.data,
                             .count = (uint32_t)starts.len,
                             .backward = backward,
                             .until = !backward && !f->l->paper,
                             .classes = !f->l->paper,
                             .published = f->l->paper,
                             .cancel = f->l->corpus->cancel};
    ok = ok && th__stalker_induce(&task, f->l->arena, &start);
    task.examples = ends.data;
    task.count = (uint32_t)ends.len;
    task.until = !backward;
    if (!f->field->attribute.ptr && own_end)
        ok = ok && !th__cancelled(f->l->corpus->cancel) &&
             th__stalker_induce(&task, f->l->arena, &end);
    view->start = start.rule;
    view->end = own_end ? end.rule : f->field->forward.end;
    f->ends_right[backward] = end.right;
    if (ok && starts.len)
        view->weight = weigh_view(f, backward, start.right / (double)starts.len);
    th__vec_release(&starts);
    th__vec_release(&ends);
    return ok;
}

/* As published, start rules consume what is before an item and end rules what is behind it, and
 * which of the two directions tells an end is not said: the rule that finds more of the labelled
 * ends is taken for both views, then the one of fewer disjuncts. What has many has learnt the last
 * words of its examples by heart. */
static void choose_end(struct field_learner *f)
{
    th__landmark_rule *forward = &f->field->forward.end, *backward = &f->field->backward.end;
    bool better = f->ends_right[true] != f->ends_right[false]
                      ? f->ends_right[true] > f->ends_right[false]
                      : backward->count < forward->count;
    if (better)
        *forward = *backward;
    else
        *backward = *forward;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool look_at_labels(struct field_learner *f)
{
    f->targets = th__arena_zero(&f->l->scratch, f->instances->len + 1, sizeof *f->targets);
    if (!f->targets || !find_attribute(f))
        return false;
    f->field->simple = !f->l->paper && !f->field->attribute.ptr;
    for (size_t i = 0; i < f->instances->len; i++) {
        const th__stalker_instance *in = &f->instances->data[i];
        th_span span = label_span(in);
        if (!in->labelled)
            continue;
        f->positives += span.end > 0;
        f->negatives += span.end == 0;
        if (!span.end)
            continue;
        if (!th__stalker_page_map(&f->l->pages[in->page]))
            return false;
        f->targets[i] = find_target(f, in, span);
        f->field->simple &= th__stalker_is_simple(f->l->pages[in->page].map, span);
        f->field->literal |=
            th__says_nothing(th__page_slice(f->l->pages[in->page].page, span.start, span.end));
        add_shape(&f->shapes, f->l->pages[in->page].page, span);
    }
    /* One label does not show how a site writes "no value", so no text is left out. */
    f->field->literal |= f->positives + f->negatives < 2;
    choose_thing(f);
    return true;
}

/* Returns true if every value is all of its scope. */
static bool is_whole(const struct field_learner *f)
{
    for (size_t i = 0; i < f->instances->len; i++) {
        const th__stalker_instance *in = &f->instances->data[i];
        th_span span = label_span(in);
        const th_page *page = f->l->pages[in->page].page;
        th_span scope = th__span_trim(page, in->scope.span);
        if (in->labelled && (!span.end || !th__span_holds(span, scope)))
            return false;
    }
    return !f->field->attribute.ptr;
}

static bool learn_views(th__stalker_learner *l, th__stalker_field *field,
                        const th__instances *instances)
{
    struct field_learner f = {.l = l, .field = field, .instances = instances};
    field->identified_by = l->identified_by;
    if (th__cancelled(l->corpus->cancel) || !look_at_labels(&f))
        return false;
    if (!f.positives)
        return true;
    field->always = !f.negatives;
    field->whole = is_whole(&f);
    if (field->whole)
        return true;
    if (l->paper)
        field->cut = false; /* rules for parts of a text are not learnt */
    else if ((field->cut && !learn_cut(&f)) || !learn_structure(&f))
        return false;
    bool ok =
        learn_landmarks(&f, false, &field->forward) && learn_landmarks(&f, true, &field->backward);
    if (ok && l->paper && !field->attribute.ptr)
        choose_end(&f);
    return ok;
}

/* ---- notes: what a person should know of a field whose rules are not right ------------------- */
/* How many labelled instances each view is right on. */
struct view_tally {
    uint32_t labelled, positives, right, views[TH__VIEWS];
    const th__stalker_instance *wrong; /* the first */
    th_span found;                     /* there */
};

/* Spans may differ by a bracket or a tag and give the same text. */
static bool same_text(th__stalker_learner *l, const th_page *page, th_span a, th_span b)
{
    th__buf left = {0}, right = {0};
    if (th__same_span(a, b))
        return true;
    if (!a.end || !b.end)
        return false;
    bool equal = th__span_text(page, a, &left) && th__span_text(page, b, &right) &&
                 th__str_eq(th__buf_str(&left), th__buf_str(&right));
    th__buf_release(&left);
    th__buf_release(&right);
    return equal;
}

static struct view_tally count_right(th__stalker_learner *l, const th__stalker_field *field,
                                     const th__instances *instances)
{
    struct view_tally t = {0};
    for (size_t i = 0; i < instances->len; i++) {
        const th__stalker_instance *in = &instances->data[i];
        th__stalker_page *page = &l->pages[in->page];
        if (!in->labelled)
            continue;
        th_span span = in->value ? th__stalker_value_span(in->value) : (th_span){0};
        th_span found = th__stalker_decide(field, page, &in->scope).span;
        t.labelled++;
        t.positives += span.end > 0;
        for (int v = 0; v < TH__VIEWS && !field->whole; v++)
            t.views[v] += th__same_span(
                th__stalker_ask(field, (th__stalker_view)v, page, &in->scope).span, span);
        if (same_text(l, page->page, found, span)) {
            t.right++;
        } else if (!t.wrong) {
            t.wrong = in;
            t.found = found;
        }
    }
    return t;
}

/* "a value" or nothing, as a reader reads it. */
static bool put_value(th__buf *out, const th_page *page, th_span span)
{
    enum { LONGEST = 60 };
    th__buf text = {0};
    if (!span.end)
        return th__buf_add_str(out, TH_STR("nothing"));
    bool ok = th__span_text(page, span, &text);
    bool cut = text.len > LONGEST;
    size_t len = cut ? LONGEST : text.len;
    while (cut && len && (text.data[len] & 0xC0) == 0x80)
        len--;
    th__buf_printf(out, "\"%.*s%s\" (bytes %u-%u)", (int)len, text.data ? text.data : "",
                   cut ? "..." : "", span.start, span.end);
    th__buf_release(&text);
    return ok && !out->failed;
}

static bool note_wrong(th__stalker_learner *l, th_str name, const struct view_tally *t)
{
    const th__corpus_page *page = &l->corpus->pages[t->wrong->page];
    th_span span = t->wrong->value ? th__stalker_value_span(t->wrong->value) : (th_span){0};
    th__buf labelled = {0}, found = {0};
    bool ok =
        put_value(&labelled, page->page, span) && put_value(&found, page->page, t->found) &&
        th__notes_add(
            l->corpus->notes,
            "%.*s: %.*s is labelled %.*s, and the rules find %.*s; of %u labelled places the "
            "structure is right on %u, forward rules on %u, backward rules on %u, together "
            "on %u. If the label is right, label one more page like this one",
            TH_STR_ARG(page->source.page), TH_STR_ARG(name), TH_STR_ARG(th__buf_str(&labelled)),
            TH_STR_ARG(th__buf_str(&found)), t->labelled, t->views[TH__VIEW_STRUCTURE],
            t->views[TH__VIEW_FORWARD], t->views[TH__VIEW_BACKWARD], t->right);
    th__buf_release(&labelled);
    th__buf_release(&found);
    return ok;
}

/* Notes where the rules of a field are not right. */
static bool note_field(th__stalker_learner *l, const th__stalker_field *field,
                       const th__instances *instances)
{
    th_str name = l->name.len ? th__buf_str(&l->name) : TH_STR("the value");
    if (l->quiet)
        return true;
    struct view_tally t = count_right(l, field, instances);
    if (!t.labelled)
        return th__notes_add(l->corpus->notes,
                             "%.*s: the items of its list were not found as labelled, so it was "
                             "not learnt; label one more page with several items",
                             TH_STR_ARG(name));
    if (!t.positives)
        return th__notes_add(l->corpus->notes,
                             "%.*s: no labelled page has a value of it, so it was not learnt; "
                             "label a page that has one",
                             TH_STR_ARG(name));
    return !t.wrong || (th__stalker_miss(l) && note_wrong(l, name, &t));
}

bool th__stalker_learn_field(th__stalker_learner *l, th__stalker_field *field,
                             const th__instances *instances, bool note)
{
    return learn_views(l, field, instances) && (!note || note_field(l, field, instances));
}
