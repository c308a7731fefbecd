/*
 * column_names.h: what a column is called, and whether it is worth showing.
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

/* ---- which columns are worth showing ------------------------------------------------------------
 *
 *  - One field is one column. A price in <b> here and in <span class=sale> there is two columns by
 *    its places; no record has both, they are between the same neighbours, and look alike: they are
 *    shown as one.
 *  - What is the same in all records ("Add to cart") says nothing of a record, nor does a column
 *    with the values of another (the link around the picture beside that around the title).
 *  - There is an end to columns: what few records have goes to one column, `other`.
 *
 * Nothing is judged by two records: what they share may be chance.
 */

enum {
    TH__COLUMNS_SHOWN_MOST = 60, /* `other` among them */
    TH__COLUMNS_JUDGED_FROM = 3  /* records */
};

typedef enum th__column_fate {
    TH__COLUMN_SHOWN,
    TH__COLUMN_OTHER,    /* its texts go to `other` */
    TH__COLUMN_LEFT_OUT, /* constant, the same as another, or a link beyond the most */
} th__column_fate;

/* Which columns are asked for. */
typedef enum th__columns_wanted {
    TH__COLUMNS_WORTHY,  /* those worth showing */
    TH__COLUMNS_BOUNDED, /* constants and duplicates too, but no more than can be shown */
    TH__COLUMNS_EVERY
} th__columns_wanted;

typedef struct th__column_use {
    uint64_t value; /* the hash of what all records have that have it; 0: they differ */
    uint32_t into;  /* the column before it that it is one field with, or TH__NO_ITEM */
    uint8_t fate;   /* th__column_fate */
} th__column_use;

/* Names the columns of a list, judges them by what is in them, by `looks` and by their names, and
 * numbers names so that they differ; columns that are not shown come last, so that they take no
 * name from others. `extents` are those of the columns' records, `looks` is by column; all in the
 * arena. Linear in the items, but for a product of columns and records that alignment bounds. False
 * if out of memory. */
bool th__columns_name(th__arena *arena, const th__view *view, const th__extent *extents,
                      const th__columns *columns, const th__column_look *looks,
                      th__columns_wanted wanted, th__column_name **names, th__column_use **uses);

/* Makes a name of a text: letters and digits in lower case, the rest as single underscores. False
 * when little is left, or too much. */
bool th__name_tidy(th__buf *name);
/* A name from the value of a class attribute, when a person wrote a word of it to say what the
 * thing is. */
th__name_worth th__name_of_class(th_str classes, th__buf *name);

#endif
