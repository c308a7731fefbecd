/*
 * repair_places.h: where the values of fields stand on changed pages, for pages of one record.
 */
#ifndef TH_REPAIR_PLACES_H
#define TH_REPAIR_PLACES_H

#include "check/repair.h"

typedef struct th__spotted {
    uint32_t field, page;
    th_span span;
} th__spotted;

/* What was chosen: by field, page and place. */
typedef struct th__places {
    TH__VEC(th__spotted) data;
    bool *chosen; /* by field of the profile; in the repair's arena */
} th__places;

/* Chooses places on the first `pages` pages for the fields with wanted[field]; nothing where `kept`
 * stands. Caller releases data. */
th_status th__places_choose(th_repair *repair, uint32_t pages, const bool *wanted,
                            const th__places *kept, th__places *out, th_error *err);

#endif
