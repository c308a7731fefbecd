/*
 * stalker_unshown.h: what no labelled page shows.
 *
 * A field that is missing on every labelled page is in no rule, and no view can be in doubt about
 * it. But its text stands on other pages at a place where labelled pages have nothing, or behind a
 * label that they do not have. Both are kept with the rules, so that `thresh suggest` can ask for
 * such a page.
 */
#ifndef TH_STALKER_UNSHOWN_H
#define TH_STALKER_UNSHOWN_H

#include "engine/papers/stalker/stalker_learn.h"

/* Places and labels of pages without labels that no labelled page has. False without memory. */
bool th__stalker_learn_unshown(th__stalker_learner *l, th__stalker_rules *rules);

/* The first of them that a unit of text stands at, or their number. */
uint32_t th__stalker_is_unshown(const th__stalker_rules *rules, const th__stalker_map *map,
                                uint32_t unit);

#endif
