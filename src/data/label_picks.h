/*
 * label_picks.h: which place of a value is meant, said by hand.
 *
 *     title=2            the second place of each value of the field
 *     title=120-132      the place inside these bytes
 *     120-132            the same for whatever value has a place there
 */
#ifndef TH_LABEL_PICKS_H
#define TH_LABEL_PICKS_H

#include <thresh.h>

#include "base/vec.h"

typedef struct th__label_pick {
    th_str field;    /* absent: any */
    uint32_t number; /* from 1; 0: the span tells */
    th_span span;
} th__label_pick;

typedef TH__VEC(th__label_pick) th__label_picks;

/* Reads one; its field is borrowed from the text. */
th_status th__label_pick_read(th_str text, th__label_pick *out, th_error *err);
/* Leaves the places of a finding that are picked; all of them when nothing is said of it. A number
 * that is too high fails. */
th_status th__label_picks_apply(const th__label_picks *picks, th_finding *finding, th_error *err);

#endif
