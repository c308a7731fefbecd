/*
 * settle.h: which place of a labelled value is meant.
 *
 * Everything that is learnt from labels stands on this. Of pages of one record the paths engine's
 * rules tell: the place is the one that a rule finds which holds on all pages.
 */
#ifndef TH_SETTLE_H
#define TH_SETTLE_H

#include "learn/learner.h"
#include "engine/paths/paths.h"

/* To which record and which of its members each finding belongs; UINT32_MAX: to none. */
typedef struct th__finding_map {
    uint32_t *record, *member; /* by finding */
} th__finding_map;

/* Everything lives in the arena. False without memory. */
bool th__finding_map_make(const th_located *located, th__arena *arena, th__finding_map *out);

typedef struct th__settled {
    th__arena arena;
    bool ruled;           /* the rules that settled it: */
    th__path_rules rules; /* in the arena */
    th__path_fit *fits;
} th__settled;

/* Settles the labels of all pages of the learner, and notes what was not plain. False without
 * memory; the caller releases it in any case. */
bool th__settle(th_learner *learner, th__settled *out);
void th__settled_release(th__settled *settled);

/* settle_lists.c: the same for lists and nested records. False without memory. */
bool th__settle_lists(th_learner *learner);

#endif
