/*
 * repair_clusters.h: the places of pieces, held against fields: inside view of repair_places.c.
 */
#ifndef TH_REPAIR_CLUSTERS_H
#define TH_REPAIR_CLUSTERS_H

#include "repair/repair_pieces.h"

/* A value that is less like a field than this is none of it. */
#define TH__LEAST_VALUE 0.3

typedef struct th__cluster {
    size_t from, to; /* of the spots */
    double likeness;
} th__cluster;

/* Whether a piece is some field's by now, or a part of it is. */
bool th__piece_is_used(const th__finder *f, const th__piece *c);
/* Whether it is no candidate any more: it is used, or its unit has a value already. */
bool th__piece_is_out(const th__finder *f, const th__piece *c);
/* Whether a piece is all of another, and more. */
bool th__piece_is_around(const th__piece *c, const th__piece *part);
/* How like a field a piece is: 0 to 1. */
double th__piece_likeness(const th__finder *f, const th__field_profile *profile,
                          const th__piece *c);
/* Whether a field has several values in a unit. */
bool th__has_many(const th__finder *f, th_str path);

/* The cluster that is most like a field; with likeness 0 there is none. False without memory. */
bool th__cluster_find(th__finder *f, uint32_t field, th__cluster *best);

#endif
