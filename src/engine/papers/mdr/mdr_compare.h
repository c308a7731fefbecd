/*
 * mdr_compare.h: section 3.2.1 and 3.2.2: which tag strings are similar.
 *
 * The paper computes all distances first and looks them up later. Here a distance is computed when
 * it is first asked for and remembered: the answers are the same, and most are never asked for (a
 * list of similar siblings needs no pairs of two, three, ... ten nodes). What makes one cheap, in
 * this order, none of which changes an answer:
 *
 *  - lengths whose ratio is above (2 + T) / (2 - T) cannot be similar;
 *  - equal strings have distance 0;
 *  - a pair of strings that was seen elsewhere on the page is remembered by its two hashes;
 *  - the edit distance looks only at the diagonals that T allows, 64 cells at a time.
 *
 * Time is the length times the band, and the band grows with the length. So that a page of two
 * enormous halves stays linear, strings above compare_limit are judged by how often each tag
 * occurs: a bound from below of the edit distance, found in one pass. That can call two long
 * strings similar that are not, never the other way round.
 */
#ifndef TH_MDR_COMPARE_H
#define TH_MDR_COMPARE_H

#include "engine/papers/mdr/mdr.h"
#include "engine/papers/mdr/mdr_tree.h"
#include "strings/edit.h"

enum { TH__MDR_MEMO_SLOTS = 4096 };

typedef struct th__mdr_memo {
    uint64_t a, b; /* hashes of the strings, or 0, 0 */
    bool similar;
} th__mdr_memo;

typedef struct th__mdr_compare {
    const th__mdr_tree *tree;
    const th__mdr_options *options;
    bool no_memory; /* a comparison failed: its answer was false */
    uint64_t computed;
    th__edit edit;
    uint8_t *next;      /* by node: what is known of it and its next sibling */
    th__mdr_memo *memo; /* by hash of the pair */
    int32_t *counts;    /* by tag, all 0; made when first needed */
} th__mdr_compare;

/* Working memory comes from the arena, which must outlive it; release frees the rest. */
bool th__mdr_compare_init(th__mdr_compare *compare, const th__mdr_tree *tree,
                          const th__mdr_options *options, th__arena *arena);
void th__mdr_compare_release(th__mdr_compare *compare);

/* Whether two strings of tags are within the threshold. */
bool th__mdr_similar(th__mdr_compare *compare, th__symbols a, th__symbols b);

/* Whether a node and its next sibling, which exists, are alike (see below). */
bool th__mdr_next_alike(th__mdr_compare *compare, uint32_t node);

/* Whether the combinations of `size` siblings from a and from b on are similar: their tag strings.
 * Each is size whole siblings. */
bool th__mdr_combinations_similar(th__mdr_compare *compare, uint32_t a, uint32_t b, uint32_t size);

/*
 * Whether they are similar or, with same_class, meant to be: each node has the tag and the class of
 * its counterpart, and the strings are within class_threshold. Records of one list differ in length
 * more than T allows (with a picture, without one), but the site's own style sheet calls them the
 * same. Classes are the same when at least half of the shorter list is in the longer: "item odd"
 * and "item even".
 */
bool th__mdr_combinations_alike(th__mdr_compare *compare, uint32_t a, uint32_t b, uint32_t size);

/* The normalized distance of two nodes, at most 1. */
double th__mdr_distance(th__mdr_compare *compare, uint32_t a, uint32_t b);

/* Whether all children of a node are similar: two or more, each adjacent pair within T. */
bool th__mdr_children_similar(th__mdr_compare *compare, uint32_t node);

/*
 * CombComp, figure 6: every comparison of combinations of up to k of n nodes, in the paper's order.
 * Nodes count from 1 as there: the combination of `size` nodes from `a` on with that from `b` on.
 */
void th__mdr_comb_comp(uint32_t n, uint32_t k,
                       void (*compare)(void *context, uint32_t a, uint32_t b, uint32_t size),
                       void *context);

#endif
