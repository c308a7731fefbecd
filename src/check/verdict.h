/* verdict.h: what a verdict is made of; verify.c makes it, verdict.c tells it. */
#ifndef TH_VERDICT_H
#define TH_VERDICT_H

#include "check/check.h"

struct th_verdict {
    th__arena arena;
    th_evidence *evidence;
    uint32_t count;
    bool drift;
    double alpha;
    uint64_t pages, records;
    double explained, explained_before; /* share of the pages' text that is in values */
};

/* Compares a tally with a profile. Caller frees. */
th_status th__verify(const th__tally *tally, const th__profile *profile, double alpha,
                     th_verdict **out, th_error *err);

#endif
