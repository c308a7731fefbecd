/*
 * place_learn.c: place rules from examples, with the help of pages without labels.
 *
 * Every way to name the place of a labelled value is a candidate: its path whole or in part, from
 * one of the texts around it or by count. Those that are wrong on a labelled instance are dropped.
 * The others vote on the instances without labels: a candidate is worth what it finds there, how
 * often the others find the same, and how much what it finds looks like the labelled values. The
 * best of each kind are kept, and vote again when the wrapper runs.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "index/view.h"
#include "page/signs.h"
#include "page/page.h"
#include "page/text.h"
#include "wrapper/place_rules.h"

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
    SAMPLE = 4,        /* values that look alike, so that others can be expected to */
    ROUNDS = 2,        /* of voting: the second with what the first has taught */
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
    uint32_t *first, *last;
    struct place_list *units; /* all of them */
    double spread;            /* share of the instances that have it */
    bool unique;
    bool telling; /* is where the value is there, and nowhere where it is missing */
};

struct place_candidate {
    uint32_t spec, anchor;
    uint8_t side;
    int32_t nth;
    uint32_t reach;
    uint32_t far; /* from the anchor, on the labelled instances */
    uint32_t right, missed;
    uint32_t hollow; /* labelled instances without the value where it finds the empty place */
    uint32_t none, none_right; /* instances without labels where it finds nothing; others neither */
    double prior, weight;
};

struct placer {
    const th__place_task *task;
    th__arena *arena, scratch;
    TH__VEC(struct place_spec) specs;
    TH__VEC(struct place_anchor) anchors;
    TH__VEC(struct place_candidate) candidates;
    uint32_t positives, negatives, unknown;
    bool plain;      /* all labelled things are plain */
    bool bare;       /* and bare */
    bool own_path;   /* a path is known that nothing but them has, whatever they look like */
    uint32_t cell;   /* the cell of a row that all of them are in, or 0 */
    th_class begins; /* what all of them begin with */
};

static bool is_known(uint32_t thing)
{
    return thing != TH__NO_THING && thing != TH__UNKNOWN_THING;
}

/* ---- specs ----------------------------------------------------------------------------------- */

static bool list_things(struct placer *l, struct place_spec *spec)
{
    const th__place_task *task = l->task;
    spec->lists = th__arena_zero(&l->scratch, task->count, sizeof *spec->lists);
    spec->unique = true;
    if (!spec->lists)
        return false;
    for (uint32_t i = 0; i < task->count; i++) {
        const th__place_instance *in = &task->instances[i];
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

/* What else is asked of things at a path: nothing; to begin as all labelled ones do; to have
 * nothing with a class in them, as those have not. */
enum place_shape { ANY, ALIKE, BARE };

/* *index is UINT32_MAX when the node has no such path. False if out of memory. */
static bool add_spec(struct placer *l, const th__place_instance *in, uint32_t node, unsigned way,
                     enum place_shape shape, uint32_t *index)
{
    uint32_t top;
    struct place_spec spec = {.at = {.plain = l->plain,
                                     .cell = l->cell,
                                     .bare = shape == BARE,
                                     .begins = shape == ALIKE ? (uint8_t)l->begins : TH_CLASS_ANY}};
    *index = UINT32_MAX;
    if (!th__path_spec_name(&spec.at, in->map, in->scope.root, node, way, &top))
        return true;
    for (uint32_t i = 0; i < l->specs.len; i++)
        if (th__path_spec_equal(&l->specs.data[i].at, &spec.at)) {
            *index = i;
            return true;
        }
    *index = (uint32_t)l->specs.len;
    return th__path_spec_write(&spec.at, in->map->page, top, node, l->arena) &&
           list_things(l, &spec) && th__vec_push(&l->specs, spec);
}

/* ---- anchors --------------------------------------------------------------------------------- */

static bool is_caption(th_str text)
{
    return th__ends_with_colon(text);
}

static bool locate_anchor(struct placer *l, struct place_anchor *anchor)
{
    const th__place_task *task = l->task;
    uint32_t has = 0, with = 0, without = 0;
    anchor->first = th__arena_alloc(&l->scratch, task->count * sizeof *anchor->first);
    anchor->last = th__arena_alloc(&l->scratch, task->count * sizeof *anchor->last);
    anchor->units = th__arena_zero(&l->scratch, task->count, sizeof *anchor->units);
    anchor->unique = true;
    if (!anchor->first || !anchor->last || !anchor->units)
        return false;
    for (uint32_t i = 0; i < task->count; i++) {
        const th__place_instance *in = &task->instances[i];
        uint32_t first, end;
        th__things_in(in->map, &in->scope, TH__THING_UNIT, &first, &end);
        uint32_t places[TH__ANCHORS_TRIED], used = 0;
        anchor->first[i] = anchor->last[i] = TH__NO_THING;
        for (uint32_t u = first; u < end; u++) {
            if (in->map->units[u].hash != anchor->hash)
                continue;
            if (anchor->first[i] == TH__NO_THING)
                anchor->first[i] = u;
            anchor->last[i] = u;
            if (used < TH__ANCHORS_TRIED)
                places[used++] = u;
        }
        uint32_t *kept = th__arena_alloc(&l->scratch, (used + 1) * sizeof *kept);
        if (!kept)
            return false;
        memcpy(kept, places, used * sizeof *kept);
        anchor->units[i] = (struct place_list){kept, used};
        bool here = anchor->first[i] != TH__NO_THING;
        has += here;
        with += here && is_known(in->thing);
        without += here && in->thing == TH__NO_THING;
        anchor->unique &= anchor->first[i] == anchor->last[i];
    }
    anchor->spread = (double)has / task->count;
    /* What is on one page alone is a value more likely than a label. */
    bool label = has > 1 || is_caption(anchor->text);
    anchor->telling = l->negatives && label && with == l->positives && !without;
    if (!label && task->count > 1)
        anchor->spread *= 0.3;
    return true;
}

static bool add_anchor(struct placer *l, const th__place_instance *in, uint32_t unit,
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

/* As th__place_find does it. */
static uint32_t place_of(const struct placer *l, const struct place_candidate *c, uint32_t i)
{
    if (c->side == TH__ANCHOR_NONE)
        return nth_from(l, c, i, 0);
    const struct place_anchor *anchor = &l->anchors.data[c->anchor];
    uint32_t unit = c->side == TH__ANCHOR_AFTER ? anchor->first[i] : anchor->last[i];
    if (unit == TH__NO_THING || c->reach == TH__ANY_REACH)
        return unit == TH__NO_THING ? unit : nth_from(l, c, i, unit);
    const struct place_list *units = &anchor->units[i];
    for (uint32_t u = 0; u < units->count; u++) {
        unit = units->things[c->side == TH__ANCHOR_AFTER ? u : units->count - 1 - u];
        uint32_t thing = nth_from(l, c, i, unit);
        if (thing != TH__NO_THING && distance(l, i, thing, unit) <= c->reach)
            return thing;
    }
    return TH__NO_THING;
}

static uint32_t answer_of(const struct placer *l, const struct place_candidate *c, uint32_t i)
{
    const th__place_instance *in = &l->task->instances[i];
    uint32_t thing = place_of(l, c, i);
    if (thing == TH__NO_THING ||
        (l->task->texts && !th__thing_has_text(in->map, l->task->kind, thing)) ||
        th__label_refuses(&l->task->identified_by, in->map, &in->scope,
                          th__thing_units_before(in->map, l->task->kind, thing)))
        return TH__NO_THING;
    return thing;
}

static bool is_empty_place(const struct placer *l, uint32_t i, uint32_t found)
{
    return l->task->instances[i].thing == TH__NO_THING && found != TH__NO_THING && l->task->empty &&
           l->task->empty(l->task->context, i, found);
}

/* Counts what a candidate is right on; false when it is wrong anywhere. */
static bool check(const struct placer *l, struct place_candidate *c)
{
    c->right = c->missed = c->hollow = 0;
    for (uint32_t i = 0; i < l->task->count; i++) {
        uint32_t truth = l->task->instances[i].thing, found;
        if (truth == TH__UNKNOWN_THING)
            continue;
        found = answer_of(l, c, i);
        if (is_empty_place(l, i, found)) {
            c->hollow++;
            continue;
        }
        if (found != TH__NO_THING && found != truth)
            return false;
        c->right += found != TH__NO_THING;
        c->missed += found == TH__NO_THING && truth != TH__NO_THING;
    }
    return c->right > 0;
}

static bool is_same(const struct place_candidate *a, const struct place_candidate *b)
{
    return a->spec == b->spec && a->side == b->side && a->nth == b->nth && a->reach == b->reach &&
           (a->side == TH__ANCHOR_NONE || a->anchor == b->anchor);
}

static bool add_candidate(struct placer *l, struct place_candidate c)
{
    for (size_t i = 0; i < l->candidates.len; i++)
        if (is_same(&c, &l->candidates.data[i]))
            return true;
    return !check(l, &c) || th__vec_push(&l->candidates, c);
}

/* With an anchor: no farther than on the labelled instances, and without a limit. */
static bool add_anchored(struct placer *l, struct place_candidate c, uint32_t near)
{
    uint32_t farthest = near;
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

static bool by_anchor(struct placer *l, uint32_t i, uint32_t spec, uint32_t unit, bool after)
{
    const th__place_instance *in = &l->task->instances[i];
    const th__text_unit *u = &in->map->units[unit];
    struct place_candidate c = {.spec = spec, .side = after ? TH__ANCHOR_AFTER : TH__ANCHOR_BEFORE};
    uint32_t at;
    if (!u->hash || u->span.end - u->span.start > ANCHOR_BYTES)
        return true;
    if (!add_anchor(l, in, unit, &c.anchor))
        return false;
    if (l->positives > 1 && l->anchors.data[c.anchor].spread * l->task->count < 1.5)
        return true; /* is here alone: no text of the template */
    const struct place_list *list = &l->specs.data[spec].lists[i];
    if (!find_in(list, in->thing, &at))
        return true;
    c.nth = (int32_t)at - (int32_t)count_before(l, in->map, list, unit, after);
    if ((after && c.nth < 0) || (!after && c.nth >= 0) || c.nth > FARTHEST_NTH ||
        c.nth < -FARTHEST_NTH)
        return true;
    return add_anchored(l, c, distance(l, i, in->thing, unit));
}

static bool by_spec(struct placer *l, uint32_t i, uint32_t spec)
{
    const th__place_instance *in = &l->task->instances[i];
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
        if (!by_anchor(l, i, spec, u, true))
            return false;
    for (uint32_t u = unit + 1; u < end && u - unit <= AHEAD; u++)
        if (!by_anchor(l, i, spec, u, false))
            return false;
    return true;
}

static bool add_exemplar(struct placer *l, uint32_t i)
{
    const th__place_instance *in = &l->task->instances[i];
    uint32_t node = th__thing_node(in->map, l->task->kind, in->thing), spec;
    bool unique = false;
    for (unsigned way = 0; way < TH__PATH_BY_END + END_STEPS; way++)
        for (enum place_shape shape = ANY; shape <= BARE; shape++) {
            if ((shape == ALIKE && (l->begins == TH_CLASS_ANY || way == TH__PATH_BY_TAGS)) ||
                (shape == BARE && (!l->bare || unique)))
                continue;
            if (!add_spec(l, in, node, way, shape, &spec) ||
                (spec != UINT32_MAX && !by_spec(l, i, spec)))
                return false;
            unique = shape == ANY ? spec == UINT32_MAX || l->specs.data[spec].unique : unique;
        }
    return true;
}

/* What all labelled things have in common. */
static void find_common(struct placer *l)
{
    int begins = -1;
    bool first = true;
    l->plain = l->bare = l->task->kind == TH__THING_NODE && l->task->texts;
    for (uint32_t i = 0; i < l->task->count; i++) {
        const th__place_instance *in = &l->task->instances[i];
        if (!is_known(in->thing))
            continue;
        uint32_t node = th__thing_node(in->map, l->task->kind, in->thing);
        uint32_t cell = th__cell_of(in->map->page, in->scope.root, node);
        l->plain &= in->map->plain[node];
        l->bare &= in->map->bare[node];
        l->cell = first || l->cell == cell ? cell : 0;
        first = false;
        if (!l->task->texts || !th__thing_has_text(in->map, l->task->kind, in->thing))
            continue;
        th_class cls =
            th__map_begins(in->map, th__thing_units_before(in->map, l->task->kind, in->thing));
        begins = begins < 0 ? (int)cls : (int)th_class_join((th_class)begins, cls);
    }
    l->begins =
        begins > TH_CLASS_WORD && begins != TH_CLASS_NONWORD ? (th_class)begins : TH_CLASS_ANY;
    /* One way to write a word is as good as another. */
    if (th_class_is(l->begins, TH_CLASS_CAPITALIZED))
        l->begins = TH_CLASS_CAPITALIZED;
}

static bool make_candidates(struct placer *l)
{
    const th__place_task *task = l->task;
    uint32_t exemplars = 0;
    for (uint32_t i = 0; i < task->count; i++) {
        l->positives += is_known(task->instances[i].thing);
        l->negatives += task->instances[i].thing == TH__NO_THING;
        l->unknown += task->instances[i].thing == TH__UNKNOWN_THING;
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

/* Returns true if a path leads to all labelled things and to nothing else: rules that go by looks
 * have no need to. */
static bool has_own_path(const struct placer *l)
{
    bool own = false;
    for (size_t s = 0; s < l->specs.len && !own; s++) {
        const struct place_spec *spec = &l->specs.data[s];
        own = spec->unique && spec->at.begins == TH_CLASS_ANY;
        for (uint32_t i = 0; i < l->task->count && own; i++)
            own = !is_known(l->task->instances[i].thing) || spec->lists[i].count;
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
        answers[c] = answer_of(l, candidate, i);
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

/* Returns true if a spec matches nothing but the right thing on the labelled instances. */
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
static bool choose(struct placer *l, th__place_rules *out)
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
        uint32_t found =
            th__place_rules_vote(out->rules, out->count, &l->task->identified_by, in->map,
                                 &in->scope, l->task->kind, l->task->texts, NULL);
        out->right += found == in->thing || is_empty_place(l, i, found);
    }
    return true;
}

bool th__place_rules_learn(const th__place_task *task, th__arena *arena, th__place_rules *out)
{
    struct placer l = {.task = task, .arena = arena};
    *out = (th__place_rules){0};
    th__arena_init(&l.scratch);
    bool ok = make_candidates(&l) && weigh(&l) && choose(&l, out);
    th__vec_release(&l.specs);
    th__vec_release(&l.anchors);
    th__vec_release(&l.candidates);
    th__arena_release(&l.scratch);
    return ok;
}
