/* exalg.h: EXALG as an engine of wrappers; exalg.c tells the paper. */
#ifndef TH_EXALG_H
#define TH_EXALG_H

#include "wrapper/engine.h"

typedef struct th__exalg_options {
    /* The paper's parameters, with its values. */
    uint32_t size_threshold; /* SIZETHRES: 3 */
    double support;          /* SUPTHRES as a share of the pages: 0.25 */
    /* Our deviations: all off in paper mode, on by default. */
    bool roles; /* roles from the tree of elements instead of the string of tokens */
} th__exalg_options;

void th__exalg_options_init(th__exalg_options *options);
/* As published. */
void th__exalg_options_paper(th__exalg_options *options);

extern const th__engine th__exalg_engine;

#endif
