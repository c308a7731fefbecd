/*
 * check.h: a check tallies the records that a wrapper extracts. profile_learn.c turns the tally
 * into a profile, verify.c into a verdict.
 */
#ifndef TH_CHECK_H
#define TH_CHECK_H

#include "check/tally.h"

struct th_check {
    const th_wrapper *wrapper;
    th__tally tally;
    bool thorough;
    _Atomic uint32_t holders; /* its creator, and verdicts that read its fields later */
    bool shared;              /* a verdict uses the present fields: they must not change */
};

/* DataPro: the significant beginnings (or endings) of values, in the arena. False if out of memory.
 */
bool th__datapro(const th__dp_value *values, size_t count, bool endings, th__arena *arena,
                 th__forms *out);

/* The profile of what was tallied, in the arena. False if out of memory. */
bool th__profile_learn(const th__tally *tally, th__arena *arena, th__profile **out);

#endif
