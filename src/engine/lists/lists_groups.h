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
 * of their own: see below.
 */
#ifndef TH_LISTS_GROUPS_H
#define TH_LISTS_GROUPS_H

#include "base/key_map.h"
#include "index/view.h"
#include "table/items.h"

typedef struct th__lists_group {
    uint32_t *nodes;  /* rising; none inside another */
    th__extent *runs; /* of records of several elements, which begin with `nodes`; else NULL */
    uint32_t head;    /* of runs: an element of the shape that heads them; of a grid: its element */
    uint32_t parts;   /* of records of a grid: extents of each; else 0 */
    uint8_t fine;     /* which shape the head has: TH__LISTS_FINE, ..., see below */
    bool regular;     /* nearly all runs have the same number of elements */
    uint32_t count;
    uint32_t filled; /* of them hold text */
    uint32_t bytes;  /* of text in them */
    double score;
} th__lists_group;

typedef TH__VEC(th__lists_group) th__lists_group_vec;

/* The groups of two or more that score above nothing. All in the arena. False if out of memory. */
bool th__lists_groups_find(th__arena *arena, const th__view *view, th__lists_group **out,
                           uint32_t *count);

/* ---- records of several elements ---------------------------------------------------------------
 *
 * The shape of a child is its signature, the key of its first leaf and, of a table row, the number
 * of its cells. Where that does not tell children apart, the fine shape does: it adds the tag that
 * the first text begins in (b) and whether there is another text. Where it tells too many apart,
 * since the first text may be missing, the coarse shape leaves it out: rows of a summary and a
 * detail differ by class or cells. One shape is the head of records: each runs from a head to
 * before the next. A line (hr), an empty line (two br) or a child that shows nothing is between
 * records rather than at their head.
 *
 * A record of a grid is the first cell of each of two (or three) rows, the next one the second
 * cells, and so on. A grid is the rows of an element that have the same number of cells, two or
 * more; other rows (an advert across all columns) may be between.
 */

/* What the shape of a child is made of. */
typedef struct th__lists_look_of {
    uint32_t node, signature;
    uint32_t first;     /* the node of its first leaf, or 0 */
    uint64_t first_key; /* its key, or TH__LISTS_NO_TEXT */
    uint32_t cells;
    uint16_t first_tag;   /* of the phrasing that the first text begins in, or 0 */
    bool alone;           /* there is no other text */
    bool is_break, twice; /* a br; followed by another */
    bool empty;           /* shows neither text nor a picture */
} th__lists_look_of;

#define TH__LISTS_NO_TEXT UINT64_C(1)

enum { TH__LISTS_MAX_PARTS = 3 }; /* rows that a record of a grid is spread over */

void th__lists_look(const th__view *view, uint32_t node, th__lists_look_of *out);
/* How closely children are looked at. */
enum { TH__LISTS_PLAIN, TH__LISTS_FINE, TH__LISTS_COARSE };

/* Returns true if a head of that kind is between records. */
static inline bool th__lists_is_separator(const th__lists_look_of *look)
{
    return look->is_break || look->empty;
}

typedef TH__VEC(th__extent) th__extent_vec;

/* Appends the records in an element. With `parts`, those of a grid, that many extents for each;
 * records without text are left out. Else runs of elements whose head has the shape of that look; a
 * separator is between runs and leaves one before the first. False if out of memory. */
bool th__lists_cut(const th__view *view, uint32_t parent, uint32_t parts,
                   const th__lists_look_of *head, uint8_t fine, th__extent_vec *extents);

typedef TH__VEC(uint32_t) th__lists_nodes; /* rising */

/* ---- groups become regions, lists of whole records, ranked -------------------
 */

typedef struct th__lists_region {
    th__extents list; /* in the order of the page */
    uint32_t head;    /* of records of several elements: an element of the shape that heads them;
                       * of a grid: its element */
    uint32_t parts;   /* of records of a grid: extents of each; else 0 */
    uint8_t fine;     /* which shape the head has: TH__LISTS_FINE, ..., see below */
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
