/*
 * candidates.h: lists that one way of looking at a page hands to another.
 *
 * An engine does not know the others. One that weighs the lists of all of them asks here;
 * engine/candidates.c, which stands above the engines, answers.
 */
#ifndef TH_CANDIDATES_H
#define TH_CANDIDATES_H

#include "base/arena.h"
#include "base/vec.h"
#include "page/page.h"

/* A list of records, by the elements that they begin with. */
typedef struct th__candidate {
    uint32_t *nodes; /* rising */
    uint32_t count;
} th__candidate;

typedef TH__VEC(th__candidate) th__candidate_vec;

typedef enum th__candidates_of { TH__CANDIDATES_MDR, TH__CANDIDATES_IEPAD } th__candidates_of;

/* Appends the best lists that an engine finds on a page. Their nodes live in the arena; the caller
 * releases the vector. False without memory. */
bool th__candidates_gather(th__arena *arena, const th_page *page, th__candidates_of engine,
                           th__candidate_vec *out);

#endif
