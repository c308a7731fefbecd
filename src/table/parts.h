/*
 * parts.h: the parts of one text: its inline elements, and what stands between them.
 *
 *     <li><a>The Salt Road</a> by <i>Ines Vale</i>, <b>€ 14</b>     "by" stands after a
 *         a: The Salt Road | after a: by | i: Ines Vale | b: € 14
 *
 * The text is one leaf (see leaves.h), or itself a part: an element with others in it. A part is an
 * item like others. Parts go without the signs that set values apart ("|", ",", "("), and are
 * nothing when they are such signs alone.
 *
 * Where nothing but elements stands in a line, each is a leaf, and there is nothing to cut. So that
 * they meet, the base key of an element is that of a leaf there: it follows from the path. Where
 * the whole is told from others at its place, and for text between elements, it is the key of the
 * whole with the signature of the element; of text between elements, that of the last one before
 * it.
 */
#ifndef TH_PARTS_H
#define TH_PARTS_H

#include "table/items.h"

/* Parts of parts of parts: pages put no more boxes into a line. */
enum { TH__PARTS_DEEPEST = 3 };

/* Signs that set text between elements apart from what stands beside it. */
enum { TH__APART_BEFORE = 1, TH__APART_AFTER = 2 };

/* The base key of a part that does not follow from its path. `step` is the signature of its
 * element; for a text between elements, of the last one before it, 0 when there is none. */
uint64_t th__part_base(uint64_t whole, bool between, uint32_t step);

/* Whether the base key of an element in a text follows from its path. */
static inline bool th__part_by_path(const th__item *whole)
{
    return whole->by_path && whole->key == whole->base;
}

/* Appends the parts of a text, with `number` as their whole. `extents` are those of the list. False
 * without memory. */
bool th__parts_add(const th__view *view, const th__extent *extents, const th__item *whole,
                   uint32_t number, th__item_vec *parts);

/* Lets parts of one text that go with others (see th__item) be read with them: these then reach
 * over them. A part without a neighbour there goes with the other. */
void th__parts_join(th__item *parts, uint32_t count);

#endif
