/*
 * doubts.h: where the views of a wrapper disagree on a page. See thresh.h for what it means.
 *
 * An engine that has several views of a field fills in one doubt for each place where they give
 * different answers; all else is here.
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

th_doubts *th__doubts_new(void);
/* Gives answers of one value their list, where an engine did not. False if out of memory. */
bool th__doubts_complete(th_doubts *doubts);
/* Of doubts about a data page: their places become those of the page that it was made of. */
void th__doubts_move(th_doubts *doubts, const th_page *data);
/* Most contended first, and for equals in the order of the page. */
void th__doubts_sort(th_doubts *doubts);

#endif
