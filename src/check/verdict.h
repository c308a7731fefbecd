/*
 * verdict.h: what a verdict is made of; verify.c makes it, verdict.c tells it.
 *
 * A verdict knows whether findings speak. What the others have to say is worked out when it is
 * read: until then it needs the fields that were tallied, and so holds on to the check that has
 * them.
 */
#ifndef TH_VERDICT_H
#define TH_VERDICT_H

#include "check/check.h"
#include "check/verify_tests.h"

struct th_verdict {
    th__arena arena;
    th_evidence *evidence; /* of the records first; without words: not told yet. NULL: none is */
    th__finding *findings; /* the same; when they are settled */
    th__glance **glances;  /* by field: its values, when they were looked at */
    uint32_t count;
    bool drift, changed; /* changed: something speaks */
    bool settled;        /* the findings are worth what they say; until then none may speak */
    double alpha;
    double explained, explained_before; /* share of the pages' text that is in values */
    th__tally tally;                    /* as it was. Not ours: nothing in it is released with us */
    const th__profile *profile;         /* that it was held against */
    th_check *check;                    /* that has all of this; NULL when everything is told */
};

/* Compares a tally with a profile; all is told, and neither is needed any more. Caller frees. */
th_status th__verify(const th__tally *tally, const th__profile *profile, double alpha,
                     th_verdict **out, th_error *err);

/* Fills in a piece of evidence, or each of them. False without memory. */
bool th__verdict_tell(th_verdict *verdict, uint32_t index);
bool th__verdict_tell_all(th_verdict *verdict);

static inline bool th__speaks(const th_verdict *verdict, uint32_t index)
{
    const th__finding *f = &verdict->findings[index];
    return f->large && f->p <= verdict->alpha;
}

static inline bool th__is_drift(const th_verdict *verdict, uint32_t index)
{
    return th__speaks(verdict, index) && !verdict->findings[index].mild;
}

#endif
