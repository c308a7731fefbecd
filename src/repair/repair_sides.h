/*
 * repair_sides.h: what a wrapper gives on the pages of a repair, page by page: one side of what the
 * guard compares (repair_compare.h).
 *
 * A leaf is a text or target of a record, with how like it is to the field that it stands in and
 * whether it is like any.
 */
#ifndef TH_REPAIR_SIDES_H
#define TH_REPAIR_SIDES_H

#include "base/vec.h"
#include "repair/repair.h"

/* A value that is less like a field than this is none of it. */
#define TH__LEAST_VALUE 0.5

typedef struct th__given {
    uint32_t at; /* number of the leaf in the schema */
    uint32_t record;
    uint32_t order; /* among the texts of the page, targets aside */
    th_span span;
    bool like;  /* like a value of some field */
    bool found; /* by its looks */
    double own; /* how like its own field */
    th__sample sample;
} th__given;

typedef struct th__side {
    const th_wrapper *wrapper;
    bool by_rules; /* what rules find, without what looks do */
    const th__tally *tally;
    uint32_t *field_of; /* by leaf of the schema: of the profile, or TH__NO_COLUMN */
    th_records *records;
    TH__VEC(th__given) leaves; /* of the page at hand: in the order of the records, or sorted */
    uint32_t texts;            /* among them */
    uint64_t count;            /* records on all pages */
    uint64_t right;            /* those with values like they had */
    uint64_t bytes;            /* of the texts on all pages */
    uint64_t thin;             /* those with hardly any text */
} th__side;

/* Says which field a leaf belongs to. In the repair's arena. False without memory. */
bool th__side_init(th__side *side, th_repair *repair);
void th__side_release(th__side *side);
/* Reads a page, in place of the one before, and counts its records. */
th_status th__side_take(th__side *side, const th_repair *repair, const th__repair_page *page,
                        th_error *err);

/* Sorts the leaves of the page by text and record; then the first of those with a text is found,
 * or the place where it would stand; and the one in a record, or NULL. */
void th__side_sort(th__side *side);
size_t th__side_find(const th__side *side, uint64_t hash);
const th__given *th__side_find_in(const th__side *side, uint32_t record, uint64_t hash);
/* Behind the last leaf of the record of leaf `at`, while they are not sorted. */
size_t th__side_record_end(const th__side *side, size_t at);

static inline bool th__given_is_target(const th__side *side, const th__given *leaf)
{
    return side->tally->fields[leaf->at].target;
}

#endif
