/*
 * mdr_regions.h: section 3.2.3: FindDRs, IdentDRs and UnCoveredDRs.
 */
#ifndef TH_MDR_REGIONS_H
#define TH_MDR_REGIONS_H

#include "base/vec.h"
#include "engine/papers/mdr/mdr.h"
#include "engine/papers/mdr/mdr_compare.h"

/* The paper's triple. Children count from 0. */
typedef struct th__mdr_triple {
    uint32_t combination; /* nodes of a generalized node */
    uint32_t start;       /* the first child */
    uint32_t count;       /* children covered */
} th__mdr_triple;

typedef TH__VEC(th__mdr_triple) th__mdr_triples;

/* The distances below one node: whether the combination of `size` children from `child` on is
 * similar to the next one. Asked only where both exist. */
typedef struct th__mdr_distances {
    uint32_t children;
    bool (*similar)(void *context, uint32_t size, uint32_t child);
    void *context;
} th__mdr_distances;

/* IdentDRs: appends the data regions of a node's children to *out, in order. k is at most
 * TH__MDR_MAX_COMBINATION. False without memory. */
bool th__mdr_ident(const th__mdr_distances *distances, uint32_t k, th__mdr_triples *out);

/* A data region of the tree. */
typedef struct th__mdr_candidate {
    th__mdr_triple triple;
    uint32_t parent, first; /* nodes of the tree: the parent and the first child covered */
    uint32_t after;         /* the node behind the last child covered: one past its subtree */
    uint32_t covering;      /* index of the candidate in whose range it lies, or NONE */
    bool joined;            /* one region with the candidate before it */
} th__mdr_candidate;

typedef TH__VEC(th__mdr_candidate) th__mdr_candidates;

/* FindDRs: the regions of the whole tree in preorder of their parents. */
bool th__mdr_find_regions(th__mdr_compare *compare, const th__mdr_options *options,
                          th__mdr_candidates *out);

#endif
