/* locate.h: labels that were located on a page, and which place of each is meant. */
#ifndef TH_LOCATE_H
#define TH_LOCATE_H

#include <thresh.h>

#include "base/str.h"
#include "base/vec.h"
#include "page/text.h"

/* Where in text the part most like `value` starts and ends, in whole words; false when nothing is
 * even half like it. Time: the length of the text, whatever the value. */
bool th__nearest(th_str text, th_str value, size_t *start, size_t *end);

enum { TH__PLACE_TIERS = 2 };

/* The value of one attribute in the attributes' text. */
typedef struct th__attr_text {
    size_t from, to;
    th_str name;
    bool link;
} th__attr_text;

/* The places of all pieces of `len` bytes of a text, by their hash of `bits` bits. */
typedef struct th__piece_index {
    unsigned len, bits;
    uint32_t *first; /* by hash: the first of its places, and behind the last of all */
    uint32_t *places;
} th__piece_index;

/* The values of some attributes, one after the other. */
typedef struct th__attr_texts {
    th__buf text;
    TH__VEC(th_span) map; /* by byte of it: its character in the source */
    TH__VEC(th__attr_text) entries;
    unsigned searches;
    th__piece_index pieces[2]; /* short and long; empty before many searches */
} th__attr_texts;

typedef struct th__places {
    const th_page *page;
    th__folded text, scratch;
    th__attr_texts attrs;  /* of attributes that people read or that hold links */
    th__attr_texts others; /* of all others: filled when a value is nowhere else */
    bool has_others;
    unsigned searches;
    th__piece_index text_pieces[2]; /* short and long; empty before many searches */
    /* Of the string that was looked for last: up to TH_PLACES_MAX, and how many there are. */
    TH__VEC(th_place) tiers[TH__PLACE_TIERS];
    uint32_t totals[TH__PLACE_TIERS];
} th__places;

/* Takes values that are nowhere on the page out of the findings and records. What they were is then
 * unknown: that is neither a value nor a missing one (th_value.unknown; of a list: it may have more
 * items). A record that has no other value goes too. */
void th__located_leave_out(th_located *located);

/* Says which of its places the value of a finding stands in: the span of its text in the records.
 */
void th__located_settle(th_located *located, size_t finding, size_t place);

/* Puts the records, and the tuples of their lists, in the order of the page: engines rely on it.
 * False if out of memory. */
bool th__located_sort(th_located *located);

/* Its text in the records; NULL when the schema has no place for it. */
th_value *th__located_value(const th_located *located, size_t finding);

#endif
