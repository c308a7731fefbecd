/*
 * verdict.h: what a verdict is made of; verify.c makes it.
 *
 * A verdict knows whether findings speak. What the others have to say is worked out when it is
 * read: until then it needs the fields that were tallied, and so holds on to the check that has
 * them.
 */
#ifndef TH_VERDICT_H
#define TH_VERDICT_H

#include "check/check.h"

/* What a test is asked for, each with what is before it: whether the difference is large, how
 * likely it is, and words. Most fields of most pages are as they were: nobody asks for more than
 * the first. */
typedef enum th__asked { TH__ASK_LARGE, TH__ASK_CHANCE, TH__ASK_WORDS } th__asked;

enum { TH__WORDS_ROOM = 400 };

typedef struct th__finding {
    th__asked asked;
    bool none;  /* there was nothing to compare */
    bool large; /* enough to count, if it is no chance */
    bool mild;  /* the records are right for all that is known */
    bool part;  /* values begin or end as they did, but do not do both: a part is gone or new */
    bool whole; /* and the records have as much text as before */
    const char *test;
    double p;
    char *words; /* TH__WORDS_ROOM bytes, when they are asked for */
} th__finding;

struct th_verdict {
    th__arena arena;
    th_evidence *evidence; /* of the records first; without words: not told yet. NULL: none is */
    th__finding *findings; /* the same; when they are settled */
    th__glance **glances;  /* by field: its values, when they were looked at */
    uint32_t count;
    bool drift, changed; /* changed: something speaks */
    bool published;      /* by the paper's test alone */
    bool settled;        /* the findings are worth what they say; until then none may speak */
    double alpha;
    double explained, explained_before; /* share of the pages' text that is in values */
    th__tally tally;                    /* as it was. Not ours: nothing in it is released with us */
    const th__profile *profile;         /* that it was held against */
    th_check *check;                    /* that has all of this; NULL when everything is told */
    th_evidence next; /* about the link to the next page; without a test: the wrapper has no rule */
};

/* Compares a tally with a profile; all is told, and neither is needed any more. `published`: by the
 * paper's test, of a tally that is not light. Caller frees. */
th_status th__verify(const th__tally *tally, const th__profile *profile, double alpha,
                     bool published, th_verdict **out, th_error *err);

/* Gives a text that was written into a buffer, with a zero behind it. */
th_status th__text_give(th__buf *buf, th_text *out, th_error *err);

#endif
