/*
 * front.h: learning from labels without an engine named.
 *
 * Engines are tried from the cheapest on, held against the labels, and the first that is right, or
 * the best of all, is taken. A note tells which it was and why.
 */
#ifndef TH_FRONT_H
#define TH_FRONT_H

#include "learn/settle.h"

/* Learns a wrapper from the kept pages, whose labels are settled. `only` is the engine that was
 * asked for, or NULL. */
th_status th__front_learn(th_learner *learner, th__settled *settled, const th__engine *only,
                          th_wrapper *wrapper, th_error *err);

/* front_engines.c: learns by an engine that wants labels. *worth is how right it is on labelled
 * pages that it has not seen, 0 to 1. Caller frees. */
th_status th__front_try(th_learner *learner, const th__engine *engine, th__notes *notes,
                        th_wrapper **out, double *worth, th_error *err);

/* front_engines.c: how right an engine is on labelled records of lists, a few of which are kept
 * back, one after the other: 0 to 1. */
th_status th__front_kept_back(th_learner *learner, const th__engine *engine, double *out,
                              th_error *err);

/* How a list does on labelled records. */
typedef struct th__list_fit {
    double share;  /* of the labelled values that come out of it, 0 to 1 */
    double like;   /* how like its values are to them, those that stray taken off, 0 to 1 */
    double held;   /* of those that stand in the record that they should come out of */
    double fill;   /* of the fields that every labelled record has, over all its records */
    size_t strays; /* labelled values that come out in a field besides that the record has not */
} th__list_fit;

/* front_lists.c: an engine for lists whose records are those that are labelled, and whose columns
 * are their fields. No list at all is no error and leaves wrapper->rules NULL. */
th_status th__front_lists(th_learner *learner, const th__engine *only, th_wrapper *wrapper,
                          th__list_fit *fit, th_error *err);

/* Labelled records and those of an engine that hold them. */
typedef struct th__front_sample {
    const th_located *located;
    const th__finding_map *map;
    const th_records *records; /* of the engine */
    const uint32_t *matched;   /* by labelled record: the record that holds it, or UINT32_MAX */
} th__front_sample;

/* front_columns.c: makes the wrapper's selection: the labelled fields, each from the columns in
 * which its values stand, and one for all other texts when `rest`. */
th_status th__front_columns(const th__front_sample *samples, size_t count, const th_schema *labels,
                            bool rest, th__arena *scratch, th_wrapper *wrapper, th_error *err);

/* front_template.c: the columns of the template behind all pages that are the labelled fields.
 * *worth is as for th__front_try. No wrapper (*out is NULL) where pages are too few or have no such
 * columns. Caller frees. */
th_status th__front_template(th_learner *learner, th__notes *notes, th_wrapper **out, double *worth,
                             th_error *err);

/* front_notes.c: runs a wrapper on the labelled pages. *wrong is how many labelled fields of
 * records it does not give as they are labelled. Notes, unless NULL, get for each field the first
 * such value, where it is, what is found instead, and what would help. */
th_status th__front_check(th_learner *learner, const th_wrapper *wrapper, th__notes *notes,
                          size_t *wrong, th_error *err);
/* front_notes.c: of pages of one record, tells which labels the place rules cannot follow, where
 * the wrapper can. `path_fits` are those of the place rules, by field. */
th_status th__front_note_apart(th_learner *learner, const th_wrapper *wrapper,
                               const th__path_fit *path_fits, th_error *err);

/* front_engines.c: F1 over values, each with its field. Records beyond those that are labelled do
 * not count against a list: labels of a list are a sample. False without memory. */
bool th__front_likeness(const th_records *found, const th_records *labels, double *out);

#endif
