/*
 * one_template.h: what the engines for pages of one template share (exalg, template).
 *
 * Pages that are of another kind than most (an error page among the sample) are found by how little
 * of them the first template explains; they are named and left out, and the template is learnt anew
 * without them (as published all pages are learnt from). From the rest follows the floor below
 * which a page that the wrapper meets later is taken for one of another template.
 */
#ifndef TH_ONE_TEMPLATE_H
#define TH_ONE_TEMPLATE_H

#include "wrapper/engine.h"

/* What is learnt from: the pages of the corpus that are not left out. */
typedef struct th__page_sample {
    const th_page **pages;
    uint32_t count;
    double *explained; /* by page: what the template explains of it, 0 to 1 */
    uint32_t fields;   /* of the template */
    double support;    /* the paper option */
    const th__corpus *corpus;
    th_trace *trace; /* or NULL */
    const th_cancel *cancel;
    th__arena *arena; /* of the rules */
    void *rules;
} th__page_sample;

/* Makes rules and schema of a sample's pages, and says how much is explained. */
typedef th_status (*th__sample_learn)(th__page_sample *sample, th_schema **schema, th_error *err);

/* Learns from a corpus; *floor: pages of which less is explained are of another template. */
th_status th__one_template_learn(const char *engine, th__sample_learn learn,
                                 const th_learn_options *options, const th__corpus *corpus,
                                 void *rules, th__arena *arena, double *floor, th_schema **schema,
                                 th_error *err);

/* Appends what a text is on each page: " = one | two", cut where it is long. `way` leads from the
 * record to the value: the number of a member, alternative or item, by depth; the items of sets are
 * given one after the other. */
void th__show_values(const th_records *const *pages, size_t count, const uint32_t *way,
                     size_t depth, th__buf *out);

#endif
