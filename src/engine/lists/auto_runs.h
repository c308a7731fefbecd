/* auto_runs.h: records of several neighbouring elements. */
#ifndef TH_AUTO_RUNS_H
#define TH_AUTO_RUNS_H

#include "engine/lists/auto_groups.h"

/* Appends the groups of runs on the page, not scored yet. Their arrays live in the arena. False
 * without memory. */
bool th__auto_runs_find(th__arena *arena, const th__view *view, bool fine,
                        th__auto_group_vec *groups);

#endif
