/*
 * neighbours.h: the texts around a value: its caption, the captions of the values before and behind
 * it, headings.
 *
 * What a value looks like says which texts may be values of a field; what is next to it says which
 * of them is. A page of a shop has many prices, and one of them is behind "Our price:". A profile
 * keeps the texts that most values of a field had near them, each with how far away it was: 1 is
 * the text before or behind the value, whatever elements are between. The rest of the value's own
 * text counts as one, so that a change of elements changes nothing:
 *
 *     <li><b>Year:</b> 1998 <li>Pages: <i>212</i>     of 212: before 1 "Pages:", 2 "1998", 3
 * "Year:"
 *
 * Texts without a letter or digit are not counted.
 */
#ifndef TH_NEIGHBOURS_H
#define TH_NEIGHBOURS_H

#include "check/tally.h"

/* A field has a place of its own if this part of its values had the same text next to them. */
#define TH__PLACED 0.8

enum { TH__NEIGHBOURS_REACH = 8 }; /* texts on each side that are looked at */

/* The hashes of the texts before and behind a value, the nearest first; 0 past the last. */
typedef struct th__around {
    uint64_t hash[TH__ENDS][TH__NEIGHBOURS_REACH];
    uint64_t element; /* the hash of its own element, which holds nothing else; or 0 */
    double position;  /* the share of the page's texts that are before it */
} th__around;

/* The texts of a page in their order. */
struct th__flow {
    const th_page *page;
    uint64_t *hash;   /* by text */
    uint32_t *token;  /* the same: where it is */
    uint32_t *before; /* by token, and two more: how many texts are before it */
    uint32_t count;
};

/* In the arena. False if out of memory. */
bool th__flow_make(th__arena *arena, const th_page *page, th__flow *out);
/* Finds the texts around a span of its page. */
void th__around_find(const th__flow *flow, th_span span, th__around *out);
/* The same, of the page that a tally has at hand; keeps the texts themselves for
 * the profile. NULL if out of memory. */
const th__around *th__around_note(th__tally *tally, th_span span);

/* How many of a field's neighbours are around a value, those that count, weighed: 0 to 1; one that
 * is nearer or further away than it was counts less. `counts` is by side and neighbour, or NULL:
 * all of them. Negative if there is none. */
double th__neighbours_share(const th__field_profile *field, const th__around *around,
                            const bool (*counts)[TH__NEIGHBOURS_MAX]);

/* How near the relative position of a value is to where the field's values were: 1 within what is
 * usual for them, less the further away; 1 where that is not known. */
double th__position_likeness(const th__field_profile *field, const th__around *around);

/* The part of a field's values that had a text next to them, on one side, which most of them had:
 * 0 where there is none. */
double th__neighbours_next(const th__field_profile *field, int side);
/* Returns true if a value has such a text next to it, on a side where the field's values had one
 * and in whatever element; true where they had none. */
bool th__is_placed(const th__field_profile *field, const th_page *page, th_span span);

/* Returns true if the place of a field is still on a page: its caption is ("Price:"), or a text is
 * between what was before it and what was behind it. */
bool th__neighbours_stay(const th__field_profile *field, const th__flow *flow);

#endif
