/*
 * repair_signs.h: signs that a wrapper cuts a page's records in the wrong places.
 *
 * What a wrapper gives may look right value by value, and still be cut wrongly: the title of a
 * record with the date of its neighbour, two records in one, or one in two. The page tells, by
 * where the values stand:
 *
 *   swapped   two columns stand in one order in some records, and in the other in others: from some
 *             record on, the one holds texts of a neighbour. Of how many records that is so at
 *             least: those that have the less frequent order of two columns.
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
#ifndef TH_REPAIR_SIGNS_H
#define TH_REPAIR_SIGNS_H

#include "repair/repair_sides.h"

enum {
    TH__SIGN_COLUMNS = 40, /* whose order is looked at: the first ones */
    TH__SIGN_RECORDS = 3   /* a page with fewer does not tell what is between records */
};

/* A text of a record, where it stands. */
typedef struct th__placed {
    th_span span;
    uint32_t at; /* number of the leaf in the schema */
    uint64_t hash;
} th__placed;

/* The place of a record, and how much its values are parted at most: see repair_signs.c. */
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
    TH__VEC(th__placed) texts;       /* of the record at hand, as they stand on the page */
    TH__VEC(th__cut_record) on_page; /* records of the page at hand */
} th__signs;

/* Counts live in the repair's arena. Caller releases, also after a failure. False without memory.
 */
bool th__signs_init(th__signs *signs, th_repair *repair);
void th__signs_release(th__signs *signs);
/* Takes in the page that a side has at hand, before its leaves are sorted. False without memory. */
bool th__signs_take(th__signs *signs, const th__side *side, const th_page *page);

/* Records in which two columns stand the other way round than in most, at least. */
uint64_t th__signs_swapped(const th__signs *signs);
/* How many of the fields a record has that it should have, by the profile: 1 where it has them all,
 * a half where every record is cut in two. Of fields that most records had, and that are given. */
double th__signs_fullness(const th__signs *signs, const th_repair *repair);
/* Whether the records that a profile is of are several of the page's each, all in a row: fields are
 * like others, the same number of columns further on. */
bool th__signs_repeat(const th_repair *repair);

#endif
