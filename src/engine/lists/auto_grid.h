/*
 * auto_grid.h: records side by side whose parts stand in rows of their own.
 *
 *     <tr> <td>Walden   <td>Emma     <td>Ulysses
 *     <tr> <td>$7.50    <td>$6.00    <td>$9.25
 *     <tr> <td>Middlemarch ...
 *
 * Such a record is the first cell of each of two (or three) rows, the next one the second cells,
 * and so on. A grid are the rows of an element that have the same number of cells, two or more;
 * other rows (an advert across all columns) stand between. Used in learning and in running.
 */
#ifndef TH_AUTO_GRID_H
#define TH_AUTO_GRID_H

#include "engine/lists/auto_cut.h"
#include "engine/lists/auto_groups.h"

/* Appends the records of the grid in an element, `parts` extents for each; records without text are
 * left out. False without memory. */
bool th__auto_grid_cut(const th__view *view, uint32_t parent, uint32_t parts,
                       th__extent_vec *extents);

/* Appends the grids on the page as groups, not scored yet. Their arrays live in the arena. False
 * without memory. */
bool th__auto_grids_find(th__arena *arena, const th__view *view, th__auto_group_vec *groups);

#endif
