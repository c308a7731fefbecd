/* list_records.h: turns aligned columns into records: the output of every engine for lists. */
#ifndef TH_LIST_RECORDS_H
#define TH_LIST_RECORDS_H

#include "data/record.h"
#include "table/column_parts.h"
#include "table/column_names.h"

#define TH__NO_MEMBER UINT32_MAX

/* A column in the schema. */
typedef struct th__list_field {
    th_str name;
    th_note note;
    bool list, optional;
    bool attribute; /* a link or an image: comes after the texts */
    bool hidden;    /* nothing but the label of another: not in the schema */
    bool rest;      /* for texts that go to `other` */
    th__column_use use;
    uint32_t member; /* its place in the record's tuple: th__list_schema fills it in */
} th__list_field;

/* The columns of a list, with names and notes found. */
typedef struct th__list {
    th__columns columns;
    th__list_field *fields; /* by column; and one more, for `other`, where some go there */
    uint32_t field_count;
} th__list;

/* Reads the text of a span, or the absolute URL of an item, into `text`, replacing its content;
 * sets the span to its place. `link` is scratch. False if out of memory. */
bool th__item_read(const th_page *page, th__item_kind kind, uint32_t ref, th__buf *text,
                   th__buf *link, th_span *span);

/* How columns are cut into parts, and which are shown. */
typedef struct th__list_cuts {
    bool none;                         /* not at all */
    const th__key_map *settled;        /* or NULL: as for th__columns_cut */
    const th__sections_wanted *wanted; /* or NULL: as for th__columns_align */
    th__columns_wanted columns;        /* which are shown: see table/column_names.h */
} th__list_cuts;

/* Aligns and names the columns of records, cut into parts where they are lines of values. All in
 * the arena. False if out of memory. */
bool th__list_describe(th__arena *arena, const th__view *view, const th__extents *records,
                       th__list_cuts cuts, th__list *out);

/* The same for columns that are aligned: names, notes, and which of them are shown. */
bool th__list_name(th__arena *arena, th__arena *scratch, const th__view *view,
                   const th__extents *records, th__columns_wanted wanted, th__list *list);

/* A list of one tuple; texts first, then links and images: visible texts stay together. Caller
 * frees. */
th_status th__list_schema(th__list_field *fields, size_t count, th_schema **out, th_error *err);

/* The parts of an item that are needed to read it. */
typedef struct th__list_item {
    uint64_t key;
    th_span span;
    uint32_t node, ref;
    uint32_t member;       /* or TH__NO_MEMBER */
    uint32_t kind : 4;     /* th__item_kind */
    uint32_t is_part : 1;  /* of a text: see table/column_parts.h */
    uint32_t by_looks : 1; /* see th__item */
    uint32_t ruled : 1;    /* the same */
} th__list_item;

/* The parts needed to read items that know their member, item->column: the items themselves may be
 * freed. NULL if out of memory. Caller frees. */
th__list_item *th__list_items_of(const th__item *items, size_t count);

typedef struct th__list_items {
    th__extents records;
    const th__list_item *items;
    const uint32_t *first; /* by record, and one more: its first item */
    uint32_t rest;         /* the member for texts too many for theirs, or TH__NO_MEMBER */
} th__list_items;

/* Reads the values off the page. Caller frees. */
th_status th__list_fill(const th__view *view, const th__list_items *list, const th_schema *schema,
                        const th_records_source *source, th_records **out, th_error *err);

/* All of it: the records of a list, by a schema of its own, with `all` columns or those worth
 * showing; *out is NULL when nothing is in them. Caller frees. */
th_status th__list_records(const th__view *view, const th__extents *records, bool all,
                           const th_records_source *source, th_records **out, th_error *err);

#endif
