/*
 * repair.h: inside view of a repair.
 *
 * The paper's reinduction finds the values of each field again on the changed pages and learns the
 * wrapper anew from them. How they are found depends on the engine:
 *
 *   - Engines that find lists by themselves (auto, mdr, iepad) or templates (exalg) give candidates
 *     without being told anything: each is run, and its columns are matched with the old fields by
 *     profile (match.h). repair_find.c.
 *   - Engines that learn from labels (stalker, softmealy) need the values on the pages: texts that
 *     look like values of a field, in clusters of those that stand in the same place; the cluster
 *     that is most like the field's old values labels the pages. repair_label.c.
 *
 * repair_rewrite.c gives the new wrapper the old names; repair.c judges it.
 */
#ifndef TH_REPAIR_H
#define TH_REPAIR_H

#include "check/match.h"
#include "check/verdict.h"

enum {
    TH__REPAIR_PAGES = 32, /* that are kept */
    TH__REPAIR_LEARN = 12, /* of these, that are learnt from */
    TH__REPAIR_PICKS = 10  /* lists of a page that are tried */
};

typedef struct th__repair_page {
    th_page *page;
    th_records_source source;
} th__repair_page;

struct th_repair {
    const th_wrapper *wrapper;
    const th__profile *profile; /* of the wrapper */
    double alpha;
    th_str date;
    th__arena arena;
    th__repair_page pages[TH__REPAIR_PAGES];
    uint32_t page_count;
    th__tally tally; /* of the old wrapper on the pages */
    bool *targets;   /* by field of the profile: holds targets of links */
    bool *broken;    /* by field of the profile, once the old wrapper was judged */
    th_outcome outcome;
    th_verdict *before, *after;
    th_field_repair *fields; /* by field of the profile */
    uint32_t field_count;    /* 0 until there is a finding */
    bool finished;
};

/* A wrapper that may be the repaired one, before its fields have their names. */
typedef struct th__candidate {
    th_wrapper *wrapper;
    bool named;      /* its fields have the old names already */
    th__match match; /* of the old fields with its columns; in the repair's arena */
} th__candidate;

/* Runs a wrapper on all pages of the repair. Caller releases the tally, also after a failure. */
th_status th__repair_run(const th_repair *repair, const th_wrapper *wrapper, th__tally *out,
                         th_error *err);

/* Finds candidates, best first; at most TH__REPAIR_PICKS. Caller frees their wrappers. */
th_status th__repair_find(th_repair *repair, th__candidate *out, size_t *count, th_error *err);
/* The same by another engine. */
th_status th__repair_find_by(th_repair *repair, const char *engine, th__candidate *out,
                             size_t *count, th_error *err);
/* The same for an engine that learns from labels: at most one. */
th_status th__repair_label(th_repair *repair, th__candidate *out, size_t *count, th_error *err);

/* The name of the member for texts that no rule takes, or absent. In the arena. */
th_status th__repair_rest(const th_wrapper *wrapper, th__arena *arena, th_str *out, th_error *err);
/* The candidate with the names of the old fields: *out is NULL when its rules cannot be given them.
 * Caller frees. */
th_status th__repair_rewrite(th_repair *repair, const th__candidate *candidate, th_wrapper **out,
                             th_error *err);
/* Gives a wrapper that passed its version, history and profile: a new wrapper. Caller frees. */
th_status th__repair_complete(th_repair *repair, const th_wrapper *passed, const th__tally *tally,
                              th_wrapper **out, th_error *err);

#endif
