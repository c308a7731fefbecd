/*
 * judge.h: how good a proposal (an engine with its rules) is, given labels.
 *
 * One definition for all choices. Each labelled record is held against the record that has most of
 * it, field by field, by names. A text is right if it is the labelled text or stands at its place;
 * of one that overlaps it, the part that they share counts. What is unknown (th_value.unknown) does
 * not count. A proposal is worth what is right of all that is labelled or found: 0 to 1.
 *
 * An engine is not judged by labels that it learnt from: each labelled page is held out once, or of
 * a single page each labelled record of a list, as long as two are left to learn from. One label
 * cannot be held out: then only a rule that gives it is considered, and structure decides.
 */
#ifndef TH_JUDGE_H
#define TH_JUDGE_H

#include "learn/learn.h"

typedef struct th__judged {
    size_t wanted; /* labelled texts */
    size_t common; /* of them: found where they belong */
    size_t extra;  /* texts beside them, in fields that are known */
    double near;   /* common, and the parts that others share with what was found */
    size_t wrong;  /* fields of records that are labelled and not as labelled */
} th__judged;

static inline double th__judged_worth(const th__judged *judged)
{
    size_t all = judged->wanted + judged->extra;
    return all ? judged->near / (double)all : 1;
}

/* One field of a labelled record. */
typedef struct th__judged_field {
    uint32_t field;
    const th_value *label, *found; /* found is NULL where there is no such record or field */
    uint32_t texts;                /* labelled */
    bool right;
} th__judged_field;

typedef bool (*th__judge_visit)(const th__judged_field *field, void *context);

/* Adds what records are worth to *out. `sample`: lists may have more than is labelled. `visit`, or
 * NULL, sees each field. False if out of memory, or if `visit` says so. */
bool th__judge_records(const th_records *found, const th_records *labels, bool sample,
                       th__judge_visit visit, void *context, th__judged *out);

/* Learns from all labels, and judges by labels held out: *worth, 0 to 1. What is not found when it
 * is held out is noted. */
th_status th__judge_engine(th__learner *learner, const th__engine *engine, th__notes *notes,
                           th_wrapper **out, double *worth, th_error *err);
/* Of records held out one after the other: *worth, 0 to 1. */
th_status th__judge_held_out(th__learner *learner, const th__engine *engine, double *worth,
                             th_error *err);

/* Runs a wrapper on the labelled pages. *wrong is how many labelled fields of records it does not
 * give as they are labelled. Notes, unless NULL, get for each field the first such value, where it
 * is, what is found instead, and what would help. */
th_status th__judge_tell(th__learner *learner, const th_wrapper *wrapper, th__notes *notes,
                         size_t *wrong, th_error *err);
/* Of pages of one record, notes which labels the place rules cannot follow, where the wrapper can.
 * `path_fits` are those of the place rules, by field. */
th_status th__judge_tell_apart(th__learner *learner, const th_wrapper *wrapper,
                               const th__path_fit *path_fits, th_error *err);

#endif
