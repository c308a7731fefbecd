/*
 * column_names.h: what a column is called.
 *
 * The name says what the values are. Who is asked, in this order: the label beside the values or at
 * their beginning ("Price: 5"), the header of the table, itemprop, labels for readers of screens
 * (aria-label, data-label), classes that mean something, the tag (a heading is a title, time is a
 * date), the form of the values (price, date), other words of classes. Never a class that says how
 * things look, nor one that a tool made: see class_names.c.
 *
 * A list without a title gets one: the text of most records that is a link or bold, differs from
 * record to record and comes early. A link is called after the text in it: title_url.
 *
 * Otherwise text_1, link_2, image_1. Names are lower case with underscores, and differ from each
 * other.
 */
#ifndef TH_COLUMN_NAMES_H
#define TH_COLUMN_NAMES_H

#include "table/columns.h"

/* How much a name says of the values. */
typedef enum th__name_worth {
    TH__NAME_NONE,  /* there is none: text_1 */
    TH__NAME_WORD,  /* some word of a class */
    TH__NAME_LOOKS, /* what the values look like: price */
    TH__NAME_MEANS, /* a class or tag that means something */
    TH__NAME_SAID   /* the page says it to its readers: labels, headers, itemprop */
} th__name_worth;

/* What the values of a column look like, from the first of them. */
typedef struct th__column_look {
    th_note note;
    uint32_t length;   /* of a text, in bytes, on average */
    uint32_t lettered; /* texts with letters among those looked at, in percent */
    th_str label;      /* what all texts begin with, up to a colon; absent: nothing */
} th__column_look;

typedef struct th__column_name {
    th_str text;
    th__name_worth worth;
    bool is_label; /* the column is always the same, and says what the next one is */
} th__column_name;

/* Finds a name for each column, in the arena; several columns may get the same. `extents` are those
 * of the columns' records, `looks` is by column. False if out of memory. */
bool th__column_names_find(th__arena *arena, const th__view *view, const th__extent *extents,
                           const th__columns *columns, const th__column_look *looks,
                           th__column_name **out);
/* Puts numbers behind names that are not the first of their kind, so that they differ, in the
 * arena. Columns that are `left_out` (by column) come last: they take no name from others. False if
 * out of memory. */
bool th__column_names_number(th__arena *arena, const th__columns *columns, const bool *left_out,
                             th__column_name *names);

/* Makes a name of a text: letters and digits in lower case, the rest as single underscores. False
 * when little is left, or too much. */
bool th__name_tidy(th__buf *name);
/* A name from the value of a class attribute, when a person wrote a word of it to say what the
 * thing is. */
th__name_worth th__name_of_class(th_str classes, th__buf *name);

#endif
