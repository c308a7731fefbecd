/*
 * exalg.h: EXALG as an engine of wrappers; exalg.c tells the paper.
 *
 * Options are for measuring: what a user chooses is the engine, and whether it works as published.
 */
#ifndef TH_EXALG_H
#define TH_EXALG_H

#include "wrapper/engine.h"

typedef struct th__exalg_options {
    /* The paper's parameters, with its values. */
    uint32_t size_threshold; /* SIZETHRES, the tokens of an LFEQ: 3 */
    double support;          /* SUPTHRES as a share of the pages: 0.25 */

    /* Our deviations: all off in paper mode, on by default. All others need the first. */
    bool roles;         /* roles from the tree of elements instead of the string of tokens: texts
                           stay whole, whatever words they share */
    bool inner_markup;  /* markup inside of values is part of them */
    bool beside;        /* values are known by the label beside them wherever they stand */
    bool pieces;        /* what stands behind a label inside of a text is a field of its own */
    bool lines;         /* parts of lines of text are told apart by what they look like */
    bool items;         /* elements that look alike are told apart by what their texts are like */
    bool attributes;    /* href, src, alt, title and content are data where they differ */
    bool names;         /* fields are named after the template's text beside them */
    bool near_constant; /* a constant value among rows of data is data */
    bool drop_constant; /* texts that are always the same are no fields */
    bool drop_mirrored; /* columns that say what another says are left out */
    bool one_element_sets; /* li that are alone everywhere are sets all the same */
    bool placeholders;     /* "n/a" is no value */
    bool other;            /* texts without a role are kept in a field for the rest */

    const th_cancel *cancel; /* or NULL */
} th__exalg_options;

void th__exalg_options_init(th__exalg_options *options);
/* As published. */
void th__exalg_options_paper(th__exalg_options *options);

/* The switches by name, for measuring each. */
typedef struct th__exalg_switch {
    const char *name;
    size_t offset; /* of a bool in th__exalg_options */
} th__exalg_switch;

extern const th__exalg_switch th__exalg_switches[];
extern const size_t th__exalg_switch_count;
/* Sets a switch by its name; false when there is none. */
bool th__exalg_options_set(th__exalg_options *options, th_str name, bool value);

/* Learns as th__exalg_engine does, with options. */
th_status th__exalg_learn(const th__exalg_options *options, const th__corpus *corpus,
                          th__arena *arena, th_schema **schema, void **rules, th_error *err);

extern const th__engine th__exalg_engine;

#endif
