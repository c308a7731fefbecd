/* paths_weigh.h: which of many rules are the best, by what they find on all pages. */
#ifndef TH_PATHS_WEIGH_H
#define TH_PATHS_WEIGH_H

#include "base/key_map.h"
#include "engine/paths/paths_learn.h"

/* What a rule finds on a page. */
typedef struct th__path_outcome {
    uint64_t set;         /* of the values, whatever their order; 0: nothing */
    uint64_t *hits;       /* on labelled pages: a bit for each labelled value that it finds */
    uint32_t count;       /* of different values */
    uint32_t wrong;       /* of these that are not labelled */
    uint32_t len, digits; /* of the first; 0 where it is a part of a text */
    bool others;          /* of a field with one value: there are other texts behind the first */
} th__path_outcome;

typedef struct th__path_candidate {
    th__path_rule rule;  /* without its texts */
    uint32_t page, unit; /* where it is from */
    double prior, fit, score;
    double agreement;
    bool trusted;               /* may stand in for another */
    th__path_outcome *outcomes; /* by page */
} th__path_candidate;

/* The labelled values of a page, hashed. */
typedef struct th__path_truth {
    th__key_map numbers; /* of the values, from 1 */
    uint32_t count, cap;
} th__path_truth;

/* The choice of the rules of one field. */
typedef struct th__path_choice {
    th_str name;
    bool list;
    uint32_t page_count;
    const bool *labelled, *sample, *used; /* by page */
    th__path_truth *truth;                /* by page */
    uint32_t shortest, longest;           /* labelled values, bytes without blanks */
    bool digits, no_digits;               /* values with digits, and without */
    TH__VEC(th__path_candidate) candidates;
    th__key_map known; /* rules */
    th__arena *arena;
} th__path_choice;

/* What the surroundings of a unit say of a field's name. */
typedef struct th__path_hints {
    bool named[TH__TELLERS];   /* the teller's text has the name */
    bool path;                 /* a class or an id near it has */
    bool caption[TH__TELLERS]; /* the teller's text ends with a colon, as captions do */
} th__path_hints;

bool th__path_choice_begin(th__path_choice *choice);
/* One more labelled value. False without memory. */
bool th__path_choice_want(th__path_choice *choice, uint32_t page, th_str value);
/* Fills in an outcome from the values found. False without memory. */
bool th__path_outcome_make(th__path_choice *choice, uint32_t page, const uint64_t *values,
                           uint32_t count, const th__unit *first, th__path_outcome *out);

bool th__path_hints_of(const th__units *units, uint32_t unit, th_str name, th__buf *scratch,
                       th__path_hints *out);
/* Whether address and teller can work together. */
bool th__path_sensible(const th__path_rule *rule);
/* What speaks for a kind of rule before it is tried. */
double th__path_prior(const th__path_rule *rule, const th__unit *unit, const th__path_hints *hints,
                      bool list);
/* Whether a rule is of a kind that may stand in for another where that finds nothing. */
bool th__path_trusted(const th__path_rule *rule, const th__path_hints *hints);
double th__path_pick_cost(size_t at);

/* Chooses rules: `chosen` and `otherwise` have room for `most`. False without memory. */
bool th__path_choose(th__path_choice *choice, uint32_t *chosen, bool *otherwise, uint32_t most,
                     uint32_t *count, th__path_fit *fit);

/* ---- paths_views.c: rules for questions ------------------------------------------------------ */

/* A candidate that may be right where the rule chosen[of] is wrong. */
typedef struct th__path_rival {
    uint32_t candidate, of;
    double weight;
} th__path_rival;

/* The rivals of the rules that were chosen, the likeliest first; at most `most`. False without
 * memory. */
bool th__path_rivals(const th__path_choice *choice, const uint32_t *chosen, const bool *otherwise,
                     uint32_t count, th__path_rival *out, uint32_t most, uint32_t *found);
/* Whether a candidate of a field with one value found just that on all labelled pages. */
bool th__path_alone(const th__path_choice *choice, const th__path_candidate *candidate);

#endif
