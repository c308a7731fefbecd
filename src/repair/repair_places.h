/*
 * repair_places.h: where the values of fields are on changed pages: in each record, which is a
 * whole page or a part of one.
 */
#ifndef TH_REPAIR_PLACES_H
#define TH_REPAIR_PLACES_H

#include "repair/repair.h"

/* Where a record is. */
typedef struct th__record_extent {
    uint32_t page;
    th_span span;
} th__record_extent;

typedef TH__VEC(th__record_extent) th__record_extents;

/* A value of a field, in one of the extents. */
typedef struct th__spot {
    uint32_t field, extent;
    th_span span;
} th__spot;

/* What was chosen: by field, extent and place. */
typedef struct th__spots {
    TH__VEC(th__spot) data;
    bool *chosen; /* by field of the profile; in the repair's arena */
} th__spots;

/* Chooses places in the extents, which are in the order of the pages, for the fields with
 * wanted[field]; nothing where `kept` is. `many`: each has several values in an extent, as pages of
 * many records have. Caller releases data. */
th_status th__spots_choose(th_repair *repair, const th__record_extent *extents, uint32_t count,
                           bool many, const bool *wanted, const th__spots *kept, th__spots *out,
                           th_error *err);

/* Records of pages, each from a value of a field that all records have; none where no field tells
 * them: repair_relabel.c. Caller releases the extents. */
th_status th__anchored_extents(th_repair *repair, uint32_t pages, th__record_extents *out,
                               th_error *err);

#endif
