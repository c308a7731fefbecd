/*
 * fields_learn.h: field rules from the columns of lists.
 *
 * The first list gives the rules. Further lists of the same kind add what they have besides: new
 * fields, values that turn out to be several, fields that may be missing. How fields at one place
 * are told apart is settled by the list that had it first.
 */
#ifndef TH_FIELDS_LEARN_H
#define TH_FIELDS_LEARN_H

#include "base/intern.h"
#include "wrapper/fields.h"
#include "wrapper/list_records.h"

typedef struct th__fields_learner {
    th__arena arena;         /* the texts of the rules */
    bool several;            /* records have several elements */
    bool whole_lines;        /* see th_learn_options */
    bool all;                /* columns: the same */
    const th_span *headings; /* the same */
    size_t heading_count;
    th__attribute_names attributes; /* that become fields, besides those that always do */
    TH__VEC(th__field_rule) rules;  /* in step with fields */
    TH__VEC(th__list_field) fields;
    th__intern keys, names; /* ids of keys are the numbers of rules */
    uint32_t lists;         /* learnt from so far */
    th__buf text;
} th__fields_learner;

/* Takes the names of attributes, with commas between; NULL: none. False if out of memory. */
bool th__fields_learner_take(th__fields_learner *learner, const char *attributes);
void th__fields_learner_init(th__fields_learner *learner);
void th__fields_learner_release(th__fields_learner *learner);

/* Learns from the records of a list. `core` are the base keys of the texts that half of them have,
 * rising. False if out of memory. */
bool th__fields_learn(th__fields_learner *learner, const th__view *view, const th__extents *records,
                      const th__key_vec *core);
/* The schema, and the rules with their members, ready to run. Rules live in the arena. */
th_status th__fields_learnt(th__fields_learner *learner, th__arena *arena, th__fields *out,
                            th_schema **schema, th_error *err);

#endif
