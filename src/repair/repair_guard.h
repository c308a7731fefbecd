/*
 * repair_guard.h: internals of the guard, for its tests.
 *
 * A side is the output of a wrapper, page by page. A comparison counts losses and gains between two
 * sides, over all pages.
 */
#ifndef TH_REPAIR_GUARD_H
#define TH_REPAIR_GUARD_H

#include "index/view.h"
#include "base/vec.h"
#include "repair/repair.h"

/* A leaf: a text or target of a record. */
typedef struct th__given {
    uint32_t at; /* index of the leaf in the schema */
    uint32_t record;
    th_span span;
    bool like;  /* like a value of some field */
    bool found; /* by its looks */
    double own; /* how like its own field */
    th__sample sample;
} th__given;

typedef struct th__side {
    const th__tally *tally;
    uint32_t *field_of;        /* by leaf of the schema: of the profile, or TH__NO_COLUMN */
    const th_records *records; /* of the current page */
    TH__VEC(th__given) leaves; /* of the current page: in the order of the records, or sorted */
    uint64_t count;            /* records on all pages */
    uint64_t right;            /* those with values like before */
    uint64_t bytes;            /* of the texts on all pages */
    uint64_t thin;             /* those with hardly any text */
    uint64_t filled;           /* those with any value */
    uint64_t *with;            /* the same, by field of the profile: those that have it */
    uint64_t *last;            /* the same: the index of the last of them */
} th__side;

typedef struct th__comparison {
    th_repair *repair;
    th__side old, now;
    th__buf text;     /* of the new records */
    uint64_t *lost;   /* values, by field of the profile */
    uint64_t *added;  /* the same: values that the old wrapper does not have */
    uint64_t *given;  /* the same: values that the old wrapper has */
    uint64_t *gained; /* the same: values like the field that the old wrapper does not have */
    uint64_t *again;  /* the same: values of the new wrapper that are like the field */
    uint64_t *missed; /* the same: lost values of broken fields of labels */
    th__key_vec lost_texts, gained_texts; /* of all pages */
    size_t searched;
} th__comparison;

/* `tally`: the new wrapper's. Caller releases, also after a failure. False if out of memory. */
bool th__compare_init(th__comparison *comparison, th_repair *repair, const th__tally *tally);
void th__compare_release(th__comparison *comparison);
/* Compares the outputs of the new and the old wrapper on page number `page`. */
th_status th__compare_page(th__comparison *comparison, uint32_t page, const th_records *now,
                           th_error *err);
/* The guard's decision. */
bool th__compare_is_worse(th__comparison *comparison);

#endif
