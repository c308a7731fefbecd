/*
 * trace.h: the inner steps of an engine, for people who want to follow it (th_trace).
 *
 *     th__step step;
 *     th__step_begin(&step, options->trace, "region", 1);
 *     th__step_uint(&step, "combination", 2);
 *     th__step_text(&step, "case", TH_STR("whole"));
 *     th__step_end(&step);
 *
 * gives the line "  region: combination 2, case whole", or, as JSON,
 * {"step":"region","depth":1,"combination":2,"case":"whole"}. Without a trace all of them do
 * nothing. What fails (memory, the sink) is kept in the trace: th_regions_find and th_learn, or
 * whoever was given the trace, return it in the end.
 */
#ifndef TH_TRACE_H
#define TH_TRACE_H

#include "base/json_out.h"

typedef struct th__step {
    th_trace *to; /* NULL: nobody wants it */
    th__buf line;
    th__json json;
    unsigned depth, members;
} th__step;

/* One more step. `depth` indents it, and shows what it is a part of. Always ended. */
void th__step_begin(th__step *step, th_trace *to, const char *name, unsigned depth);
void th__step_end(th__step *step);

/* Members. A text of several lines goes below the step, so that it is best the last. */
void th__step_uint(th__step *step, const char *key, uint64_t value);
/* With two decimals. */
void th__step_real(th__step *step, const char *key, double value);
void th__step_text(th__step *step, const char *key, th_str text);
/* Bytes of the page, as "start" and "end": for programs, so only in JSON. */
void th__step_place(th__step *step, th_span span);
/* <1,2,1,0> */
void th__step_uints(th__step *step, const char *key, const uint32_t *values, size_t count);

/* The status of work that has ended, with what failed in its trace, which may be NULL. */
th_status th__trace_status(const th_trace *trace, th_status status, th_error *err);

#endif
