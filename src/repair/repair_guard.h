/*
 * repair_guard.h: inside view of the guard, for its tests.
 *
 * A side is what a wrapper gives, page by page. Signs tell that its records are cut in the wrong
 * places. A comparison is of two sides: counts of what is lost, gained and cut otherwise, over all
 * pages.
 *
 * What a wrapper gives may look right value by value, and still be cut wrongly: the title of a
 * record with the date of its neighbour, two records in one, or one in two. The page tells, by
 * where the values are:
 *
 *   swapped   two columns have one order in some records, and the other in others: from some record
 *             on, the one holds texts of a neighbour. Of how many records that is so at least:
 *             those that have the less frequent order of two columns.
 *   inverted  what is between two values of a record parts them more than what is between the
 *             record and its neighbours: an element that is further out, or a rule (<hr>).
 *   spanning  that, or it parts them as much: the record holds several of the page's elements.
 *   doubled   one text of the page is given in two columns; trebled: in three or more.
 *   listed    a field that was one text has several in a record.
 *
 *     <hr> title <br> date          inverted: date <hr> title | <br> date <hr> title
 *     <hr> title <br> date
 *
 * None of these is wrong by itself: lists without an element of their own are spanning, and sites
 * change the order of fields. But a repair is wrong that has more of them than the old wrapper has
 * on the same pages.
 */
#ifndef TH_REPAIR_GUARD_H
#define TH_REPAIR_GUARD_H

#include "base/vec.h"
#include "index/view.h"
#include "repair/repair.h"

enum { TH__SIGN_COLUMNS = 40 }; /* whose order is looked at: the first ones */

/* A leaf: a text or target of a record. */
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
    const th__tally *tally;
    uint32_t *field_of;        /* by leaf of the schema: of the profile, or TH__NO_COLUMN */
    const th_records *records; /* of the page at hand */
    TH__VEC(th__given) leaves; /* of the page at hand: in the order of the records, or sorted */
    uint32_t texts;            /* among them */
    uint64_t count;            /* records on all pages */
    uint64_t right;            /* those with values like they had */
    uint64_t bytes;            /* of the texts on all pages */
    uint64_t thin;             /* those with hardly any text */
} th__side;

/* A text of a record, and where it is. */
typedef struct th__placed {
    th_span span;
    uint32_t at; /* number of the leaf in the schema */
    uint64_t hash;
} th__placed;

/* The place of a record, and how much its values are parted at most. */
typedef struct th__cut_record {
    th_span span;
    uint32_t inside;
} th__cut_record;

typedef struct th__signs {
    uint32_t (*before)[TH__SIGN_COLUMNS]; /* [a][b]: records with column a before b */
    uint64_t *with;                       /* records that have a field, by field of the profile */
    uint64_t *last;                       /* the same: the last of them */
    uint64_t *listed;                     /* the same: those that have several texts of it */
    uint64_t *last_listed;                /* the same: the last of these */
    uint64_t records;
    uint64_t inverted, spanning, doubled, trebled;
    TH__VEC(th__placed) texts;       /* of the record at hand, in the order of the page */
    TH__VEC(th__cut_record) on_page; /* records of the page at hand */
} th__signs;

typedef struct th__comparison {
    th_repair *repair;
    const th_wrapper *wrapper; /* the new one */
    th__side old, now;
    th__signs old_signs, now_signs;
    th__buf text;     /* of the new records */
    uint64_t *lost;   /* values, by field of the profile */
    uint64_t *added;  /* the same: values that the old wrapper does not give */
    uint64_t *given;  /* the same: values that the old wrapper gives */
    uint64_t *gained; /* the same: values like those of the field that it does not give */
    uint64_t *again;  /* the same: values that the new one gives and that are like the field */
    uint64_t *missed; /* the same: of broken fields of labels, values that are gone */
    th__key_vec lost_texts, gained_texts; /* of all pages */
    TH__VEC(th_span) places;              /* of old values on the page at hand */
    uint64_t parted, torn;
    uint64_t strange; /* texts in columns that nobody knew that the old wrapper does not give */
    size_t searched;
} th__comparison;

/* Counts are in the repair's arena. Caller releases, also after a failure. False if out of memory.
 */
bool th__signs_init(th__signs *signs, th_repair *repair);
void th__signs_release(th__signs *signs);
/* Takes in the page that a side has at hand, before its leaves are sorted. False if out of memory.
 */
bool th__signs_take(th__signs *signs, const th__side *side, const th_page *page);
/* Records in which two columns have another order than in most, at least. */
uint64_t th__signs_swapped(const th__signs *signs);
/* How many of the fields a record has that it should have, by the profile: 1 where it has them all,
 * a half where every record is cut in two. Of fields that most records had, and that are given. */
double th__signs_fullness(const th__signs *signs, const th_repair *repair);
/* Returns true if the records that a profile is of are several of the page's each, all in a row:
 * fields are like others, the same number of columns further on. */
bool th__signs_repeat(const th_repair *repair);

/* `tally` is of the new wrapper. Caller releases, also after a failure. False if out of memory. */
bool th__compare_init(th__comparison *comparison, th_repair *repair, const th_wrapper *now,
                      const th__tally *tally);
void th__compare_release(th__comparison *comparison);
/* Compares what the new wrapper gives on page number `page` with what the old one does. */
th_status th__compare_page(th__comparison *comparison, uint32_t page, const th_records *now,
                           th_error *err);
/* What the guard says of it all. */
bool th__compare_is_worse(th__comparison *comparison);

#endif
