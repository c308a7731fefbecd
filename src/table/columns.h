/*
 * columns.h: records aligned into columns, so that a missing field leaves a hole and shifts
 * nothing.
 *
 * Every record is a row of items: its leaves, the targets of its links and the sources of its
 * images. Items with the same key are the same field. Where a key repeats inside records,
 *
 *  1. the label before an item distinguishes it from the others: a text that is in many records,
 * such as "Price:", is a label, and what follows it is the field of that name;
 *  2. the same number of items in nearly every record are as many fields, by position;
 *  3. cells of a table row are fields by position in any case;
 *  4. all else is one field with several values.
 *
 * In rows of data tables the cells say what is a column, whatever markup is in some of them; and
 * headings above groups of records are columns (see items.h).
 */
#ifndef TH_COLUMNS_H
#define TH_COLUMNS_H

#include "table/items.h"

typedef struct th__column {
    uint64_t key;
    uint32_t filled;   /* records that have it */
    uint32_t items;    /* of all records */
    uint32_t distinct; /* different values */
    uint32_t sample;   /* the first item */
    uint32_t label;    /* the item that is its label, or TH__NO_ITEM */
    uint8_t kind;      /* th__item_kind */
    bool list;         /* several values in a record */
    bool is_label;     /* nothing but the label of another column */
    bool hint;         /* its label is a word before it that says less than a class: "by" */
    bool cut;          /* its texts are columns of parts as well: see column_parts.h */
} th__column;

typedef struct th__columns {
    th__item *items;     /* record by record, in the order of the page */
    uint32_t *first;     /* by record, and one more: its first item */
    th__column *columns; /* in the order of the page */
    uint32_t record_count, item_count, column_count;
    th__item *wholes; /* one of each column that was cut into parts: see column_parts.h */
    uint32_t whole_count;
} th__columns;

/* Aligns records; `wanted`, or NULL, is for th__sections_find. All of it lives in the arena;
 * `scratch` is used and left for the caller to clear. False if out of memory. */
bool th__columns_align(th__arena *arena, th__arena *scratch, const th__view *view,
                       const th__extents *records, const th__sections_wanted *wanted,
                       th__columns *out);

/* The same with items that are at hand: `first` (by record, and one more) has the first of each
 * record, and their keys are their base keys. In a `line`, where values are side by side, only
 * a colon makes a label of a text that comes again and again. */
bool th__columns_align_items(th__arena *arena, th__arena *scratch, const th__view *view,
                             const th__item_vec *items, uint32_t *first, uint32_t count, bool line,
                             th__columns *out);

#endif
