/*
 * lists_groups.h: sets of alike elements, each of which may be a list of records.
 *
 * Elements are put together in four ways; the same set found twice counts once:
 *
 *     path of signatures      all over the page: lists in columns and rows
 *     parent and signature    siblings of one kind
 *     tag path and signature  the same, where classes above differ
 *     parent and tag          siblings whose classes differ
 *
 * Records of several neighbouring elements are groups too, and so are those whose parts are in rows
 * of their own: see lists_cut.h.
 */
#ifndef TH_LISTS_GROUPS_H
#define TH_LISTS_GROUPS_H

#include "index/view.h"
#include "table/items.h"

typedef struct th__lists_group {
    uint32_t *nodes;  /* rising; none inside another */
    th__extent *runs; /* of records of several elements, which begin with `nodes`; else NULL */
    uint32_t head;    /* of runs: an element of the shape that heads them; of a grid: its element */
    uint32_t parts;   /* of records of a grid: extents of each; else 0 */
    uint8_t fine;     /* which shape the head has: TH__LISTS_FINE, ..., see lists_cut.h */
    bool regular;     /* nearly all runs have the same number of elements */
    uint32_t count;
    uint32_t filled; /* of them hold text */
    uint32_t bytes;  /* of text in them */
    double score;
} th__lists_group;

typedef TH__VEC(th__lists_group) th__lists_group_vec;

/* The groups of two or more that score above nothing, best first. All in the arena. False if out of
 * memory. */
bool th__lists_groups_find(th__arena *arena, const th__view *view, th__lists_group **out,
                           uint32_t *count);

/* ---- lists_regions.c: groups become regions, lists of whole records, ranked -------------------
 */

typedef struct th__lists_region {
    th__extents list; /* in the order of the page */
    uint32_t head;    /* of records of several elements: an element of the shape that heads them;
                       * of a grid: its element */
    uint32_t parts;   /* of records of a grid: extents of each; else 0 */
    uint8_t fine;     /* which shape the head has: TH__LISTS_FINE, ..., see lists_cut.h */
    bool regular;     /* of runs: nearly all have the same number of elements */
    double score;
} th__lists_region;

/* As many as `thresh regions` shows, and --pick can choose from. */
enum { TH__LISTS_SHOWN = 10 };

/* All that may be lists of a page, with the scores of their groups. In the arena. False if out of
 * memory. */
bool th__lists_candidates_find(th__arena *arena, const th__view *view, th__lists_region **out,
                               uint32_t *count);
/* Puts regions into the order of their scores, at most `most`, and leaves those out that are part
 * of a record of a better one. */
void th__lists_regions_rank(th__lists_region *regions, uint32_t most, uint32_t *count);

/* The best regions of a page, best first, at most `most`. All in the arena. False if out of
 * memory. */
bool th__lists_regions_find(th__arena *arena, const th__view *view, uint32_t most,
                            th__lists_region **out, uint32_t *count);

#endif
