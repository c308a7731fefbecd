/*
 * repair_places.h: where the values of fields stand on changed pages: in each record, which is a
 * whole page or a part of one.
 */
#ifndef TH_REPAIR_PLACES_H
#define TH_REPAIR_PLACES_H

#include "repair/repair.h"

/* Where a record stands. */
typedef struct th__unit {
    uint32_t page;
    th_span span;
} th__unit;

typedef TH__VEC(th__unit) th__unit_list;

typedef struct th__spotted {
    uint32_t field, unit;
    th_span span;
} th__spotted;

/* What was chosen: by field, unit and place. */
typedef struct th__places {
    TH__VEC(th__spotted) data;
    bool *chosen; /* by field of the profile; in the repair's arena */
} th__places;

/* Chooses places in the units, which are in the order of the pages, for the fields with
 * wanted[field]; nothing where `kept` stands. `many`: each has several values in a unit, as pages
 * of many records have. Caller releases data. */
th_status th__places_choose(th_repair *repair, const th__unit *units, uint32_t count, bool many,
                            const bool *wanted, const th__places *kept, th__places *out,
                            th_error *err);

#endif
