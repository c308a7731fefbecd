/*
 * stalker_induce.h: landmark rules from examples: STALKER's sequential covering.
 *
 * LEARN-RULE takes the examples that no disjunct is right on yet, learns the disjunct that is right
 * on most of them and wrong on none (a perfect disjunct), and goes on with the rest.
 *
 * LEARN-DISJUNCT takes one example, the seed, to guide it. It begins with landmarks of one token
 * that end where the seed's item begins, and refines the most promising rule again and again:
 *
 *     landmark refinement    SkipTo(<i>)  ->  SkipTo(: <i>)
 *     topology refinement    SkipTo(<i>)  ->  SkipTo(Address) SkipTo(<i>)
 *
 * A match is correct, early (a further landmark can mend it), late (nothing can) or failed. Which
 * rule is refined next: more correct matches, more early ones, fewer failed, fewer wildcards,
 * shorter unconsumed prefix, longer end landmark.
 *
 * Cost: the tokens of all examples once a seed to find where the candidates' tokens stand; then
 * each candidate costs a binary search a landmark and example. The number of refinements has a
 * limit; at it the best imperfect disjunct is taken, and said to be imperfect.
 */
#ifndef TH_STALKER_INDUCE_H
#define TH_STALKER_INDUCE_H

#include "engine/papers/stalker/stalker_landmark.h"

/* Where the item of an example is. A position anywhere from low to high is right. */
typedef struct th__stalker_example {
    const th__stalker_seq *seq;
    uint32_t first, last; /* the tokens in which the rule is run */
    uint32_t low, high;
    uint32_t item_first, item_last; /* tokens of the item itself: its words tell little of others */
    bool none;                      /* the item is missing: a rule must not match */
} th__stalker_example;

typedef struct th__stalker_task {
    const th__stalker_example *examples;
    uint32_t count;
    bool backward;
    bool until;   /* SkipUntil may be used too */
    bool classes; /* tags are told by class too: ours */
    bool to_end;  /* items may reach to the end of their range: then no disjunct may match */
    /* Chooses between disjuncts that are right on equally many examples; NULL: the order above. */
    double (*judge)(void *context, const th__disjunct *disjunct);
    void *context;
    const th_cancel *cancel; /* or NULL */
} th__stalker_task;

typedef struct th__stalker_learnt {
    th__landmark_rule rule;
    uint32_t right;     /* examples that the rule is right on, missing ones included */
    uint32_t imperfect; /* disjuncts that are wrong on some example */
} th__stalker_learnt;

/* In the arena. False without memory. */
bool th__stalker_induce(const th__stalker_task *task, th__arena *arena, th__stalker_learnt *out);

/* Whether a rule is right on an example. */
bool th__stalker_right(const th__landmark_rule *rule, const th__stalker_example *example);

#endif
