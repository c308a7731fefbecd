/*
 * paths_views.c: rules for questions.
 *
 * Of the many rules that give what is labelled, one is chosen, and where the labels do not tell
 * them apart that may be the wrong one. Rules that find the same on all pages at hand are one
 * opinion; the opinion of the chosen rule, and the likeliest of the others, are what `suggest`
 * holds against each other on a page: one label where they differ settles it.
 */
#include <math.h>

#include "engine/paths/paths_weigh.h"

/* How fast likelihood falls with the score by which rules are chosen. A rule that scores one point
 * less (a point is the difference between an address by classes and one by positions) is taken for
 * a third as likely. */
#define FALL 1.0
/* Opinions that are less likely than this are not worth a question. */
#define LEAST 0.003

/* How far two rules say the same on labelled pages: 1; less when the first is silent on some; 0
 * when they differ, or it is silent on most. */
static double likeness(const th__path_choice *choice, const th__path_candidate *a,
                       const th__path_candidate *b)
{
    uint32_t same = 0, silent = 0;
    for (uint32_t p = 0; p < choice->page_count; p++) {
        if (!choice->labelled[p])
            continue;
        if (a->outcomes[p].set == b->outcomes[p].set)
            same += b->outcomes[p].count > 0;
        else if (a->outcomes[p].count)
            return 0;
        else
            silent++;
    }
    return silent > same ? 0 : same ? (double)same / (same + silent) : 1;
}

static bool finds_any(const th__path_choice *choice, const th__path_candidate *c)
{
    for (uint32_t p = 0; p < choice->page_count; p++)
        if (choice->labelled[p] && c->outcomes[p].count)
            return true;
    return false;
}

bool th__path_alone(const th__path_choice *choice, const th__path_candidate *c)
{
    bool alone = !choice->list && !c->rule.pick;
    for (uint32_t p = 0; alone && p < choice->page_count; p++)
        alone = !choice->labelled[p] || !c->outcomes[p].others;
    return alone;
}

/* What a candidate says of all pages without labels. Without any, kinds of rules are opinions. */
static uint64_t opinion(const th__path_choice *choice, const th__path_candidate *c)
{
    uint64_t hash = 1;
    bool any = false, alone = th__path_alone(choice, c);
    for (uint32_t p = 0; p < choice->page_count; p++) {
        if (!choice->used[p] || choice->labelled[p])
            continue;
        any = true;
        hash = th__hash_mix(hash, c->outcomes[p].set + (alone && c->outcomes[p].others));
    }
    if (!any)
        hash = th__hash_mix(c->unit, c->rule.address * TH__TELLERS + c->rule.teller + 1u);
    return hash;
}

/* Keeps the most likely. */
static void keep(th__path_rival rival, th__path_rival *out, uint32_t most, uint32_t *found)
{
    uint32_t at = *found;
    if (at < most)
        ++*found;
    else if (out[--at].weight >= rival.weight)
        return;
    for (; at && out[at - 1].weight < rival.weight; at--)
        out[at] = out[at - 1];
    out[at] = rival;
}

/* How likely it is that a rule is better than the chosen one. */
static double likely(const th__path_choice *choice, const th__path_candidate *c,
                     const th__path_candidate *own)
{
    return likeness(choice, c, own) * exp(FALL * (c->score - own->score));
}

/* The rivals of one rule. */
static bool rivals_of(const th__path_choice *choice, uint32_t own, uint32_t of, th__path_rival *out,
                      uint32_t most, uint32_t *found)
{
    size_t count = choice->candidates.len, opinions = 0;
    const th__path_candidate *data = choice->candidates.data;
    th__key_map map;
    uint32_t *best = th__arena_alloc(choice->arena, (count + 1) * sizeof *best);
    if (!best || !th__key_map_init(&map, choice->arena, count + 1))
        return false;
    best[opinions++] = own;
    th__key_map_put(&map, opinion(choice, &data[own]), 1);
    for (uint32_t i = 0; i < count; i++) {
        if (i == own || likeness(choice, &data[i], &data[own]) <= 0)
            continue;
        uint64_t key = opinion(choice, &data[i]);
        uint32_t at = th__key_map_get(&map, key);
        if (!at) {
            best[opinions++] = i;
            th__key_map_put(&map, key, (uint32_t)opinions);
        } else if (at > 1 && data[i].score > data[best[at - 1]].score) {
            best[at - 1] = i;
        }
    }
    double all = 0;
    for (size_t i = 0; i < opinions; i++)
        all += likely(choice, &data[best[i]], &data[own]);
    for (size_t i = 1; i < opinions; i++) {
        double weight = likely(choice, &data[best[i]], &data[own]) / all;
        if (weight >= LEAST)
            keep((th__path_rival){best[i], of, weight}, out, most, found);
    }
    return true;
}

bool th__path_rivals(const th__path_choice *choice, const uint32_t *chosen, const bool *otherwise,
                     uint32_t count, th__path_rival *out, uint32_t most, uint32_t *found)
{
    *found = 0;
    for (uint32_t i = 0; i < count; i++) {
        /* A rule that stands in for another on pages without labels has nothing to be held to. */
        if (otherwise[i] && !finds_any(choice, &choice->candidates.data[chosen[i]]))
            continue;
        if (!rivals_of(choice, chosen[i], i, out, most, found))
            return false;
    }
    return true;
}
