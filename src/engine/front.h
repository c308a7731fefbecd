/*
 * front.h: learning from labels without an engine named.
 *
 * Engines are tried from the cheapest on, held against the labels, and the first that is right, or
 * the best of all, is taken. A note tells which it was and why.
 */
#ifndef TH_FRONT_H
#define TH_FRONT_H

#include "engine/settle.h"

/* Learns a wrapper from the kept pages, whose labels are settled. `only` is the engine that was
 * asked for, or NULL. */
th_status th__front_learn(th_learner *learner, th__settled *settled, const th__engine *only,
                          th_wrapper *wrapper, th_error *err);

/* front_engines.c: learns by an engine that wants labels. *worth is how right it is on labelled
 * pages that it has not seen, 0 to 1. Caller frees. */
th_status th__front_try(th_learner *learner, const th__engine *engine, th__notes *notes,
                        th_wrapper **out, double *worth, th_error *err);

/* front_lists.c: an engine for lists whose records are those that are labelled, and whose columns
 * are their fields. *share is how many of the labelled values come out of it, 0 to 1; no list at
 * all is no error and leaves wrapper->rules NULL. */
th_status th__front_lists(th_learner *learner, const th__engine *only, th_wrapper *wrapper,
                          double *share, th_error *err);

/* Labelled records and those of an engine that hold them. */
typedef struct th__front_sample {
    const th_located *located;
    const th__finding_map *map;
    const th_records *records; /* of the engine */
    const uint32_t *matched;   /* by labelled record: the record that holds it, or UINT32_MAX */
} th__front_sample;

/* front_columns.c: makes the wrapper's selection: the labelled fields, each from the columns in
 * which its values stand, and one for all other texts. */
th_status th__front_columns(const th__front_sample *sample, const th_schema *labels,
                            th__arena *scratch, th_wrapper *wrapper, th_error *err);

#endif
