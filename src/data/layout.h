/*
 * layout.h: a nested schema laid out flat.
 *
 * A nested tuple gives columns `a.b`; optionals and choices are looked through. What a list becomes
 * depends on the form:
 *
 *  - one row per record (CSV, table): one column. Texts are joined with a separator. Anything else
 *    is written as JSON in the cell: a row stays a record, nothing is lost and nothing repeated.
 *    (One row per item would repeat the rest of the record, and two lists would multiply.)
 *  - tables (SQLite): a child layout of its own, for the items.
 *
 *     <title, maker:<name, town>, {author}>      title | maker.name | maker.town | author
 *
 * Columns are found by key path, so that alternatives of a choice share a column where they share a
 * key. Two paths that would read the same ("a.b" beside a.b) get different names: a.b, a.b_2.
 */
#ifndef TH_LAYOUT_H
#define TH_LAYOUT_H

#include <thresh.h>

#include "base/intern.h"
#include "base/vec.h"
#include "data/record.h"

enum { TH__COLUMN_NAME_MAX = 1024, TH__NO_COLUMN = -1 };

typedef struct th__layout th__layout;

/* Where the values of one type go; a tree of the same shape as the types'. */
typedef struct th__slot {
    int32_t column;            /* of a field, or of a list in one row */
    th__layout *child;         /* of a list in tables */
    struct th__slot *children; /* of a tuple's members or a choice's alternatives */
} th__slot;

/* The contents of a key path. */
typedef struct th__place {
    int32_t column; /* or TH__NO_COLUMN */
    th__layout *child;
} th__place;

struct th__layout {
    th__arena *arena; /* holds all but the tables below */
    th_str table;     /* its table's name: records, records_authors; absent: all is in one row */
    th__layout *top;  /* the layout that was asked for */
    th__intern table_names; /* of that: names of tables in use, in lower case */
    th__intern names;       /* column names in use, in lower case */
    th__intern paths;       /* key paths, as (id of the path above, key) */
    TH__VEC(th_str) columns;
    TH__VEC(th__layout *) children;
    TH__VEC(th__place) places; /* by path */
    const th_str *reserved;    /* the form's own columns */
    size_t reserved_count;
    th__slot *root; /* of the layout that was asked for; children have theirs in the slots above */
    void *form;     /* what the form of output keeps with it */
};

/* Lays out a record type, in one row or, with the name of a table, in tables. The reserved names
 * belong to the form: no column gets one. False if out of memory; release in either case. The arena
 * and the reserved names must outlive the layout. */
bool th__layout_init(th__layout *layout, th__arena *arena, const th_type *type, th_str table,
                     const th_str *reserved, size_t count);
void th__layout_release(th__layout *layout);

/* Fills cells[column] for a value that goes to a slot: a record to the root. A missing value is the
 * absent text. Joined texts and JSON are made in the arena. False if out of memory. */
bool th__layout_fill(const th__layout *layout, const th__slot *slot, const th_value *value,
                     th_str separator, th__arena *arena, th_str *cells);

#endif
