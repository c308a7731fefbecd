/* steps.h: the steps of an engine of a paper (th_trace), as a JSON array in an answer. */
#ifndef SERVE_STEPS_H
#define SERVE_STEPS_H

#include "answer_text.h"

enum { SERVE_MOST_STEPS = 32 << 20 /* bytes */ };

typedef struct serve_steps {
    th_trace trace;
    serve_text text; /* objects with commas between */
} serve_steps;

/* To be given to an engine as `trace`; must not move. Released with serve_text_release(&text). */
void serve_steps_init(serve_steps *steps);
/* {"steps": [...]} */
void serve_steps_put(const serve_steps *steps, serve_text *out);

#endif
