/*
 * auto_cut.h: the children of an element cut into records of several elements.
 *
 * The shape of a child is its signature, the key of its first leaf and, of a table row, the number
 * of its cells. Where that does not tell children apart, the fine shape does: it adds the tag that
 * the first text begins in (b) and whether there is another text. One shape is the head of records:
 * each runs from a head to before the next. A line (hr), an empty line (two br) or a child that
 * shows nothing stands between records rather than at their head. Used in learning and in running.
 */
#ifndef TH_AUTO_CUT_H
#define TH_AUTO_CUT_H

#include "index/view.h"

/* What the shape of a child is made of. */
typedef struct th__auto_look_of {
    uint32_t signature;
    uint32_t first;     /* the node of its first leaf, or 0 */
    uint64_t first_key; /* its key, or TH__AUTO_NO_TEXT */
    uint32_t cells;
    uint16_t first_tag;   /* of the phrasing that the first text begins in, or 0 */
    bool alone;           /* there is no other text */
    bool is_break, twice; /* a br; followed by another */
    bool empty;           /* shows neither text nor a picture */
} th__auto_look_of;

#define TH__AUTO_NO_TEXT UINT64_C(1)

/* Whether an element is a br with nothing but blanks between it and another. */
bool th__auto_is_empty_line(const th_page *page, uint32_t node);
void th__auto_look(const th__view *view, uint32_t node, th__auto_look_of *out);
/* Equal on all pages for children of one shape. */
uint64_t th__auto_shape(const th__auto_look_of *look, bool fine);
/* Whether a head of that kind stands between records. */
static inline bool th__auto_is_separator(const th__auto_look_of *look)
{
    return look->is_break || look->empty;
}

typedef struct th__auto_child {
    uint64_t shape;
    uint32_t node;
    uint32_t count; /* children of its shape */
} th__auto_child;

typedef TH__VEC(th__auto_child) th__auto_child_vec;
typedef TH__VEC(th__extent) th__extent_vec;

/* These give false without memory. */

/* The children of an element that are not hidden, in place of what was in `children`. */
bool th__auto_children(const th__view *view, uint32_t parent, bool fine,
                       th__auto_child_vec *children);
/* Tells the children how many have their shape. `shapes`: one of each, the most frequent first. */
bool th__auto_count_shapes(th__auto_child_vec *children, th__auto_child_vec *shapes);
/* Appends the runs of an element, its children counted. A separator stands between runs and leaves
 * one before the first. */
bool th__auto_cut(const th__view *view, uint32_t parent, const th__auto_child_vec *children,
                  uint64_t head, bool separator, th__extent_vec *runs);

#endif
