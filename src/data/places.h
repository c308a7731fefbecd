/*
 * places.h: where a string stands on a page.
 *
 * The page's text is folded once, with a map from each byte back to the source; so are the values
 * of the attributes that people read or that hold links, one after the other with a newline between
 * (which no folded text has).
 *
 *     source   <td>Price:&nbsp;<b>9</b>.50</td> <a href="/a?x=1&amp;y=2">
 *     text     Price: 9.50
 *     attrs    /a?x=1&y=2 \n http://host/a?x=1&y=2 \n          (as written, and made absolute)
 *
 * Places come in tiers: first where a string stands alone, then where it is part of a longer word
 * or link.
 */
#ifndef TH_PLACES_H
#define TH_PLACES_H

#include <thresh.h>

#include "base/vec.h"
#include "page/text.h"

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

typedef struct th__places {
    const th_page *page;
    th__folded text, scratch;
    th__buf attrs;             /* the attributes' text */
    TH__VEC(th_span) attr_map; /* by byte of it: its character in the source */
    TH__VEC(th__attr_text) entries;
    unsigned searches;
    th__piece_index text_pieces[2], attr_pieces[2]; /* short and long; empty before many searches */
    /* Of the string that was looked for last: up to TH_PLACES_MAX, and how many there are. */
    TH__VEC(th_place) tiers[TH__PLACE_TIERS];
    uint32_t totals[TH__PLACE_TIERS];
} th__places;

/* Borrows the page. False without memory; the caller releases in any case. */
bool th__places_open(th__places *places, const th_page *page);
void th__places_release(th__places *places);

/* Fills tiers and totals. False without memory. */
bool th__places_find(th__places *places, th_str value);
static inline bool th__places_any(const th__places *places)
{
    return places->totals[0] || places->totals[1];
}

/* The innermost node that holds all of a span. */
uint32_t th__node_around(const th_page *page, th_span span);

#endif
