/*
 * lists_cut.h: records of several elements. Used in learning and in running.
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
#ifndef TH_LISTS_CUT_H
#define TH_LISTS_CUT_H

#include "base/key_map.h"
#include "engine/lists/lists_groups.h"

/* What the shape of a child is made of. */
typedef struct th__lists_look_of {
    uint32_t signature;
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

/* Equal on all pages for children of one shape. */
uint64_t th__lists_shape(const th__lists_look_of *look, uint8_t fine);
/* Returns true if a head of that kind stands between records. */
static inline bool th__lists_is_separator(const th__lists_look_of *look)
{
    return look->is_break || look->empty;
}

typedef struct th__lists_child {
    uint64_t shape;
    uint32_t node;
    uint32_t count; /* children of its shape */
} th__lists_child;

typedef TH__VEC(th__lists_child) th__lists_child_vec;
typedef TH__VEC(th__extent) th__extent_vec;

/* These give false if out of memory. */

/* The children of an element that are not hidden, in place of what was in `children`. */
bool th__lists_children(const th__view *view, uint32_t parent, uint8_t fine,
                        th__lists_child_vec *children);
/* Tells the children how many have their shape. `shapes`: one of each, the most frequent first;
 * `numbers` is used for it. */
bool th__lists_count_shapes(th__key_map *numbers, th__lists_child_vec *children,
                            th__lists_child_vec *shapes);
/* Appends the runs of an element, its children counted. A separator stands between runs and leaves
 * one before the first. */
bool th__lists_cut(const th__view *view, uint32_t parent, const th__lists_child_vec *children,
                   uint64_t head, bool separator, th__extent_vec *runs);
/* Appends the records of the grid in an element, `parts` extents for each; records without text are
 * left out. */
bool th__lists_grid_cut(const th__view *view, uint32_t parent, uint32_t parts,
                        th__extent_vec *extents);

/* Append the groups of runs, and the grids, on the page, not scored yet. Their arrays are in the
 * arena. */
bool th__lists_runs_find(th__arena *arena, const th__view *view, th__lists_group_vec *groups);
bool th__lists_grids_find(th__arena *arena, const th__view *view, th__lists_group_vec *groups);

#endif
