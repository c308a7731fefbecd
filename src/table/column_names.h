/*
 * column_names.h: what a column is called.
 *
 * Who is asked, in this order: the label beside the values, the header of the table, itemprop, the
 * class of the element (when it is a word), the tag (a heading is a title, time is a date); for
 * links and images what they stand around. Otherwise text_1, link_2, image_1. Names are lower case
 * with underscores, and differ from each other.
 */
#ifndef TH_COLUMN_NAMES_H
#define TH_COLUMN_NAMES_H

#include "table/columns.h"

/* One name a column, in the arena. `extents` are those of the columns' records. False if out of
 * memory. */
bool th__column_names_find(th__arena *arena, const th__view *view, const th__extent *extents,
                           const th__columns *columns, th_str **names);

/* Makes a name of a text: letters and digits in lower case, the rest as single underscores. False
 * when little is left, or too much. */
bool th__name_tidy(th__buf *name);
/* A name from the value of a class attribute, when a person wrote a word of it to say what the
 * thing is. */
bool th__name_of_class(th_str classes, th__buf *name);

#endif
