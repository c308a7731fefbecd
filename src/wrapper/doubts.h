/*
 * doubts.h: where the views of a wrapper disagree on a page. See thresh.h for the meaning.
 *
 * An engine that has several views of a field adds one doubt for each place where they give
 * different answers; the rest is done here.
 */
#ifndef TH_DOUBTS_H
#define TH_DOUBTS_H

#include <thresh.h>

#include "base/arena.h"
#include "base/vec.h"

struct th_doubts {
    th__arena arena;
    TH__VEC(th_doubt) items;
    double contention; /* of the page: the sum over its fields */
};

#endif
