/*
 * check.h: a check is a tally of the records that a wrapper gives. profile_learn.c makes a profile
 * of it, verify.c a verdict.
 */
#ifndef TH_CHECK_H
#define TH_CHECK_H

#include "check/tally.h"

struct th_check {
    const th_wrapper *wrapper;
    th__tally tally;
    bool thorough;
    _Atomic uint32_t holders; /* whoever made it, and verdicts that read its fields on demand */
    bool shared;              /* a verdict has the present fields: they do not change any more */
};

/* DataPro: the significant beginnings (or endings) of values, in the arena. False if out of memory.
 */
bool th__datapro(const th__dp_value *values, size_t count, bool endings, th__arena *arena,
                 th__forms *out);

/* The profile of what was tallied, in the arena. False if out of memory. */
bool th__profile_learn(const th__tally *tally, th__arena *arena, th__profile **out);

#endif
