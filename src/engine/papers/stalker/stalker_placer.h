/* stalker_placer.h: what the parts of stalker_place_learn.h share: a learner of places at work. */
#ifndef TH_STALKER_PLACER_H
#define TH_STALKER_PLACER_H

#include "base/vec.h"
#include "engine/papers/stalker/stalker_place_learn.h"

enum {
    NEAR = 1, /* units from a value to what is its label */
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

/* A text, and where it stands in each instance. */
struct place_anchor {
    th_str text;
    uint64_t hash;
    uint32_t *first, *last;
    struct place_list *units; /* all of them */
    double spread;            /* share of the instances that have it */
    bool unique;
    bool telling; /* stands where the value is there, and nowhere where it is missing */
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
    th__buf text;
    uint32_t positives, negatives, unknown;
    bool plain;      /* all labelled things are plain */
    bool bare;       /* and bare */
    bool own_path;   /* a path is known that nothing but them has, whatever they look like */
    uint32_t cell;   /* the cell of a row that all of them stand in, or 0 */
    th_class begins; /* what all of them begin with */
};

static inline bool th__is_known_thing(uint32_t thing)
{
    return thing != TH__NO_THING && thing != TH__UNKNOWN_THING;
}

/* stalker_place_make.c: the candidates that are wrong on no labelled instance, with what counts for
 * them. False without memory. */
bool th__placer_make(struct placer *l);
/* What a candidate finds in an instance. */
uint32_t th__placer_answer(const struct placer *l, const struct place_candidate *c, uint32_t i);
/* Whether what is found in an instance without the value holds none. */
bool th__placer_is_empty(const struct placer *l, uint32_t i, uint32_t found);

#endif
