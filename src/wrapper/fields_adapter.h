/*
 * fields_adapter.h: inside view of how fields of changed records are found.
 *
 * The steps of fields_adapt.h share what they know of a page's records: which members are astray
 * (fields_astray.c), which columns are loose (fields_loose.c), and what goes where
 * (fields_adapt.c).
 */
#ifndef TH_FIELDS_ADAPTER_H
#define TH_FIELDS_ADAPTER_H

#include "wrapper/fields_adapt.h"
#include "wrapper/list_records.h"
#include "wrapper/value_forms.h"

/* What a member of the records is. */
typedef struct th__adapt_member {
    const th__field_profile *known; /* or NULL */
    const th__field_rule *rule;     /* the first of its rules */
    uint32_t filled, last;          /* records that have it; the last of them */
    th__sample *values;             /* its first ones, where they were looked at */
    uint32_t seen;
    bool placed;  /* position, or a cell of a row, tells it from others */
    bool missing; /* from nearly all records */
    bool astray;  /* it may be anywhere */
} th__adapt_member;

/* What a column of the aligned records is. */
typedef struct th__loose_column {
    th__sample *values;
    uint32_t count, found; /* values looked at; records that have it */
    uint32_t votes;        /* items that no field in its place takes */
    uint32_t home;         /* the member that has most of its items + 1, by majority; or 0 */
    uint32_t majority;
    bool is;
} th__loose_column;

typedef struct th__adapter {
    const th__fields *fields;
    const th__view *view;
    const th__extents *records;
    th__arena *arena;
    th__item *items;
    size_t item_count;
    th__adapt_member *members;
    uint32_t member_count;
    bool lists; /* some member holds all texts of a place: those of others may be among them */
    th__list list;
    th__loose_column *columns;
    uint32_t *origin; /* where texts were cut: which of the items that came each is, or is of */
    th__buf text, link;
} th__adapter;

/* The part of the records that used to have a field. */
double th__adapt_share(const th__field_profile *field);

/* All others give false without memory. */

/* Reads the value of an item. */
bool th__adapt_look(th__adapter *a, const th__item *item, th__sample *out);
/* Says what the members are, and which are missing or astray; *any: there is one, and it may be
 * found. */
bool th__adapt_astray(th__adapter *a, const th__known_fields *known, bool *any);
/* Says which columns are loose: most of their items are nobody's. `first` as in th__fields_adapt:
 * texts that are cut become several items. */
bool th__adapt_loose(th__adapter *a, uint32_t *first);

#endif
