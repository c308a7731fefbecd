/* paths_cuts.h: how a value can be cut out of the text that it is a part of. */
#ifndef TH_PATHS_CUTS_H
#define TH_PATHS_CUTS_H

#include "engine/paths/paths_rule.h"

enum { TH__PATH_CUTS = 9 };

typedef struct th__path_cut_pair {
    th_str after, before; /* see th__path_rule */
} th__path_cut_pair;

typedef struct th__path_cuts {
    th__path_cut_pair data[TH__PATH_CUTS];
    uint32_t count;
} th__path_cuts;

/* The cuts that give back the value at a span of a unit; none when no cut does. Texts live in the
 * arena. False without memory. */
bool th__path_cuts_of(const th__units *units, uint32_t unit, th_span span, th__folded *scratch,
                      th__arena *arena, th__path_cuts *out);

#endif
