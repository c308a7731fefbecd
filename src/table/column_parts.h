/*
 * column_parts.h: columns of texts that are made of several values become as many columns.
 *
 *     <li><a>The Salt Road</a> by <i>Ines Vale</i> <span class=price>€ 14.50</span>
 *     <li><a>Nine Small Boats</a> by <i>R. Okoro</i> <span class=price>€ 9.95</span>
 * <em>signed</em>
 *
 * To a page this is one text (see leaves.h), and to those who look for records it should be: a text
 * with a bold word in it is still one text. Once records are aligned, the texts of a column can be
 * held against each other. Where the same inline elements recur in most of them, each is a column,
 * and so is what stands between them and differs; the rest ("by") goes with one of them. The texts
 * are cut as parts.h says, and their parts aligned as columns.h aligns the items of records: with
 * labels, positions, lists, and holes where a part is missing. A record in which such an element
 * stands alone has it in the same column.
 *
 * Prose with a bold word or a link somewhere is not cut: line_judge.h says how it is told.
 */
#ifndef TH_COLUMN_PARTS_H
#define TH_COLUMN_PARTS_H

#include "base/key_map.h"
#include "table/columns.h"
#include "table/parts.h"

/* What is settled about the texts at a key, by rules that are there already. */
enum { TH__CUT_NEVER = 1, TH__CUT_ALWAYS };

/* Cuts columns; parts take the place of their whole, among items and columns. `settled` (by key)
 * may be NULL. What is new lives in the arena; `scratch` is used and left for the caller to clear.
 * False without memory. */
bool th__columns_cut(th__arena *arena, th__arena *scratch, const th__view *view,
                     const th__extents *records, const th__key_map *settled, th__columns *columns);

#endif
