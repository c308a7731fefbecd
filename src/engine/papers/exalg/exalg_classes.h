/*
 * exalg_classes.h: the equivalence class generation module (ECGM): FINDEQ, HANDINV, DIFFEQ.
 *
 * Pages are strings of dtokens, which are numbers. What a dtoken's context is need not be kept: it
 * is in its occurrences. DIFFEQ gives occurrences in other contexts new numbers; the first context
 * keeps the old one, so that numbers never outgrow the tokens and only what was split is counted
 * again. Tokens too rare for any class leave the strings that the loop goes over (they stay in the
 * pages, for the values).
 */
#ifndef TH_EXALG_CLASSES_H
#define TH_EXALG_CLASSES_H

#include "base/arena.h"
#include "engine/papers/exalg/exalg_tokens.h"

#define TH__EXALG_NONE UINT32_MAX

enum {
    /* LFEQs that are looked at together: HANDINV compares pairs. Beyond it the largest count. */
    TH__EXALG_MAX_CLASSES = 1024,
    /* The paper saw fewer than ten rounds; every round refines the dtokens, so that it ends. */
    TH__EXALG_MAX_ROUNDS = 64
};

typedef struct th__exalg_class {
    uint32_t *tokens; /* dtokens, in their order */
    uint32_t size;
    uint32_t support; /* pages that have it */
    bool root;        /* the class of the dummies: once on every page */
} th__exalg_class;

/* An occurrence of a dtoken. */
typedef struct th__exalg_place {
    uint32_t page, token;
} th__exalg_place;

typedef struct th__exalg_dtoken {
    uint64_t vector;       /* hash of its occurrence vector */
    uint32_t support;      /* pages that have it */
    uint32_t cls, rank;    /* its class or TH__EXALG_NONE, and its place there */
    th__exalg_place place; /* the first occurrence */
} th__exalg_dtoken;

typedef struct th__exalg_ecgm {
    th__arena arena;
    const th__exalg_string *strings; /* borrowed */
    uint32_t page_count;
    uint32_t size_threshold, support_threshold; /* SIZETHRES, SUPTHRES: at least so much */
    uint32_t **pages;                           /* by page and token: dtokens */
    uint32_t **active; /* by page: tokens that may be of a class, in order */
    uint32_t *active_count;
    th__exalg_dtoken *dtokens;
    uint32_t dtoken_count;
    th__exalg_class *classes; /* the root class is the first */
    uint32_t class_count;
    uint32_t rounds; /* that the loop took */
} th__exalg_ecgm;

/* Numbers the tokens of the pages: DIFFFORM's dtokens. False without memory; release it in any
 * case. */
bool th__exalg_ecgm_init(th__exalg_ecgm *e, const th__exalg_string *strings, uint32_t page_count,
                         uint32_t size_threshold, uint32_t support_threshold);
void th__exalg_ecgm_release(th__exalg_ecgm *e);

/* The loop to its fixed point. */
bool th__exalg_ecgm_run(th__exalg_ecgm *e);
/* Its steps. DIFFEQ says whether there are new dtokens. */
bool th__exalg_findeq(th__exalg_ecgm *e);
bool th__exalg_handinv(th__exalg_ecgm *e);
bool th__exalg_diffeq(th__exalg_ecgm *e, bool *changed);
/* Writes the classes into the dtokens, for the steps. */
void th__exalg_assign(th__exalg_ecgm *e);

#endif
