/*
 * stalker_place_learn.h: place rules from examples, with the help of pages without labels.
 *
 * Every way to name the place of a labelled value is a candidate: its path whole or in part, from
 * one of the texts around it or by count. Those that are wrong on a labelled instance are dropped.
 * The others vote on the instances without labels: a candidate is worth what it finds there, how
 * often the others find the same, and how much what it finds looks like the labelled values. The
 * best of each kind are kept, and vote again when the wrapper runs.
 */
#ifndef TH_STALKER_PLACE_LEARN_H
#define TH_STALKER_PLACE_LEARN_H

#include "engine/papers/stalker/stalker_place.h"

#define TH__UNKNOWN_THING (UINT32_MAX - 1)

typedef struct th__place_instance {
    const th__stalker_map *map;
    th__stalker_extent extent;
    uint32_t thing; /* that is right; TH__NO_THING: missing; TH__UNKNOWN_THING: no label */
} th__place_instance;

typedef struct th__place_task {
    const th__place_instance *instances;
    uint32_t count;
    th__thing_kind kind;
    bool texts; /* an element without text counts as none */
    th__told told;
    /* How much a thing looks like those labelled, 0 to 1. */
    double (*alike)(void *context, uint32_t instance, uint32_t thing);
    /* Whether there is no value in a thing after all: it is found where the value is missing, and
     * rightly. */
    bool (*empty)(void *context, uint32_t instance, uint32_t thing);
    void *context;
} th__place_task;

typedef struct th__places {
    th__place_rule *rules; /* best first; none when nothing is right on all labels */
    uint32_t count;
    uint32_t right; /* labelled instances that the rules together are right on */
} th__places;

/* In the arena. False without memory. */
bool th__places_learn(const th__place_task *task, th__arena *arena, th__places *out);

#endif
