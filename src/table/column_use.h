/*
 * column_use.h: which columns of a list are worth showing.
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
#ifndef TH_COLUMN_USE_H
#define TH_COLUMN_USE_H

#include "table/column_names.h"

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

/* Judges columns by what is in them, by `looks` and by names that are not numbered yet. In the
 * arena. Linear in the items, but for a product of columns and records that alignment bounds. False
 * if out of memory. */
bool th__columns_judge(th__arena *arena, const th__columns *columns, const th__column_look *looks,
                       const th__column_name *names, th__columns_wanted wanted,
                       th__column_use **out);

#endif
