/*
 * strays_inside.h: strays inside of texts, among the records of a list: for wrappers that were
 * learnt from labels. Inside view of strays.c.
 */
#ifndef TH_STRAYS_INSIDE_H
#define TH_STRAYS_INSIDE_H

#include "check/strays.h"

/* A value of the page. */
typedef struct th__held_value {
    th_span span;
    th_str text;
    uint32_t field;
} th__held_value;

/* Whether a text holds a value that the field had among other words. */
bool th__stray_holds(const th__field_profile *field, th_str text);

/* What is looked for and where. */
typedef struct th__inside {
    th__tally *tally;
    const th_page *page;
    th_span area;
    const uint32_t *missing; /* fields */
    uint32_t count;
    size_t records;
    const th__held_value *taken; /* rising */
    size_t taken_count;
} th__inside;

/* Counts the strays of missing fields: adds to `strays` of their tallies. False without memory. */
bool th__strays_inside(const th__inside *in);

#endif
