/*
 * verdict.h: the parts of a verdict; verify.c makes it.
 *
 * A verdict knows which findings are significant. The text of the others is made when it is read:
 * until then the verdict needs the tallied fields, and so keeps the check that owns them.
 */
#ifndef TH_VERDICT_H
#define TH_VERDICT_H

#include "check/check.h"

/* What a test computes, each including those before: is the difference large, how likely is it, and
 * a description. Most fields are unchanged: the first is all that is asked of them. */
typedef enum th__asked { TH__ASK_LARGE, TH__ASK_CHANCE, TH__ASK_WORDS } th__asked;

enum { TH__WORDS_ROOM = 400 };

typedef struct th__finding {
    th__asked asked;
    bool none;  /* there was nothing to compare */
    bool large; /* large enough to count, if significant */
    bool mild;  /* the records are right as far as known */
    bool part;  /* values begin or end as before, but not both: a part is gone or new */
    bool whole; /* and the records have as much text as before */
    const char *test;
    double p;
    char *words; /* TH__WORDS_ROOM bytes, if they are asked for */
} th__finding;

struct th_verdict {
    th__arena arena;
    th_evidence *evidence; /* of the records first; without words: not made yet. NULL: none is */
    th__finding *findings; /* the same; once settled */
    th__glance **glances;  /* by field: its values, if examined */
    uint32_t count;
    bool drift, changed; /* changed: at least one finding is significant */
    bool published;      /* by the paper's test alone */
    bool settled;        /* corrected for their number; until then none is significant */
    double alpha;
    double explained, explained_before; /* share of the pages' text that is in values */
    th__tally tally;                    /* a copy of the state then; it does not own its contents */
    const th__profile *profile;         /* that it was compared with */
    th_check *check;                    /* the owner of all of this; NULL if all evidence is made */
    th_evidence next; /* about the link to the next page; without a test: the wrapper has no rule */
};

/* Compares a tally with a profile and makes all evidence: neither is needed afterwards.
 * `published`: by the paper's test; needs a thorough tally. Caller frees. */
th_status th__verify(const th__tally *tally, const th__profile *profile, double alpha,
                     bool published, th_verdict **out, th_error *err);

/* Returns the text of a buffer, zero-terminated. */
th_status th__text_give(th__buf *buf, th_text *out, th_error *err);

#endif
