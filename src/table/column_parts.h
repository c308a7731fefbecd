/*
 * column_parts.h: columns of texts that are made of several values become as many columns.
 *
 *     <li><a>The Salt Road</a> by <i>Ines Vale</i> <span class=price>€ 14.50</span>
 *     <li><a>Nine Small Boats</a> by <i>R. Okoro</i> <span class=price>€ 9.95</span>
 * <em>signed</em>
 *
 * To a page this is one text (see view.h), and to those who look for records it should be: a text
 * with a bold word in it is still one text. Once records are aligned, the texts of a column can be
 * held against each other. Where the same inline elements recur in most of them, each is a column,
 * and so is what is between them and differs; the rest ("by") goes with one of them. The parts
 * of the texts are aligned as columns.h aligns the items of records: with
 * labels, positions, lists, and holes where a part is missing. A record in which such an element
 * is alone has it in the same column.
 *
 * Prose with a bold word or a link somewhere is not cut: column_parts.c says how it is told.
 *
 * A text is one leaf (see view.h), or itself a part: an element with others in it. A part is an
 * item like others. Parts go without the signs that set values apart ("|", ",", "("), and are
 * nothing when they are such signs alone.
 *
 * Where a line has nothing but elements, each is a leaf, and there is nothing to cut. So that
 * they meet, the base key of an element is that of a leaf there: it follows from the path. Where
 * the whole is told from others at its place, and for text between elements, it is the key of the
 * whole with the signature of the element; of text between elements, that of the last one before
 * it.
 */
#ifndef TH_COLUMN_PARTS_H
#define TH_COLUMN_PARTS_H

#include "base/key_map.h"
#include "table/columns.h"

/* Parts of parts of parts: pages put no more boxes into a line. */
enum { TH__PARTS_DEEPEST = 3 };

/* Signs that set text between elements apart from what is beside it. */
enum { TH__APART_BEFORE = 1, TH__APART_AFTER = 2 };

/* What a part of a text is: an element, text between elements, or text between signs. */
enum { TH__PART_ELEMENT, TH__PART_BETWEEN, TH__PART_SIGN };

/* The base key of a part that does not follow from its path. `step` is the signature of its
 * element; for a text between elements, of the last one before it, 0 when there is none; for a text
 * between signs, the sign. */
uint64_t th__part_base(uint64_t whole, uint8_t kind, uint32_t step);

/* Returns true if the base key of an element in a text follows from its path. */
static inline bool th__part_by_path(const th__item *whole)
{
    return whole->by_path && whole->key == whole->base;
}

/* Appends the parts of a text, with 1 as the number of their whole: those between signs with blanks
 * around them, at most so many, of which the last takes all the rest; a text without the sign has
 * no parts. Without a `sign` (0) its elements and what is between them. `extents` are those of the
 * list. False if out of memory. */
bool th__parts_add(const th__view *view, const th__extent *extents, const th__item *whole,
                   uint32_t sign, uint32_t most, th__item_vec *parts);

/* Lets parts of one text that go with others (see th__item) be read with them: these then reach
 * over them. A part without a neighbour there goes with the other. */
void th__parts_join(th__item *parts, uint32_t count);

/* ---- texts with a sign between values, "LOT 20150 - Amber Kettle" ------------------------------
 */

/* The sign that a character counts as, for cutting texts: all dashes are '-'; 0 for others. */
static inline uint32_t th__part_sign(uint32_t code)
{
    if (code == '|')
        return '|';
    if (code == 0xB7 || code == 0x2022 || code == 0x22C5)
        return 0xB7;
    return code == '-' || (code >= 0x2012 && code <= 0x2015) ? '-' : 0;
}
/* Adds columns of parts behind those whose texts have a sign between values; these stay as they
 * are. Memory as for th__columns_cut. */
bool th__columns_split(th__arena *arena, th__arena *scratch, const th__view *view,
                       th__columns *columns);

/* What is settled about the texts at a key, by rules that are there already. */
enum { TH__CUT_NEVER = 1, TH__CUT_ALWAYS };

/* Cuts columns; parts take the place of their whole, among items and columns, but for a line that
 * begins with words ("by Ines Vale on 3 May"): it stays before its parts. `settled` (by key)
 * may be NULL. What is new lives in the arena; `scratch` is used and left for the caller to clear.
 * False if out of memory. */
bool th__columns_cut(th__arena *arena, th__arena *scratch, const th__view *view,
                     const th__extents *records, const th__key_map *settled, th__columns *columns);

#endif
