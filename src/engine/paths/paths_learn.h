/*
 * paths_learn.h: rules of the paths engine from values that stand in one place or in several.
 *
 * The same search settles which place of a value is meant: it is the one that a rule finds which is
 * right on all labelled pages and makes most sense on the others.
 */
#ifndef TH_PATHS_LEARN_H
#define TH_PATHS_LEARN_H

#include "engine/paths/paths_rule.h"

/* A labelled value. */
typedef struct th__path_sample {
    uint32_t page, field;
    th_str value; /* blanks folded */
    const th_place *places;
    uint32_t count;
    uint32_t chosen; /* out: the place that the rules find, or TH__NO_UNIT when they do not */
} th__path_sample;

typedef struct th__paths_input {
    const th_page *const *pages;
    const bool *labelled; /* by page */
    const bool *sample;   /* by page: its lists may have more values than are labelled */
    uint32_t page_count;
    th__path_sample *samples; /* in order of field, then page */
    size_t sample_count;
    uint32_t field_count;
    const th_cancel *cancel; /* or NULL */
} th__paths_input;

/* Whether labels of a schema can be learnt: one record a page, texts and lists of texts. */
bool th__paths_fit_schema(const th_schema *schema);
/* Fills in name, member and list of the fields of such a schema. False without memory. */
bool th__paths_fields(const th_schema *schema, th__arena *arena, th__path_rules *out);

/* How well the rules of a field do. */
typedef struct th__path_fit {
    uint32_t pages, right; /* labelled pages, and those on which the rules give what is labelled */
    uint32_t wrong_page;   /* the first of the others, or TH__NO_UNIT */
    double agreement;      /* of rules that fit, over pages without labels: 0 to 1; 1 without any */
} th__path_fit;

/* Learns the rules of out->fields, whose name, member and list are filled in. Rules live in the
 * arena. `fits` has room for each field. False without memory. */
bool th__paths_learn(const th__paths_input *input, th__arena *arena, th__path_rules *out,
                     th__path_fit *fits);

#endif
