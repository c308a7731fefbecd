/*
 * neighbours.h: the texts around a value: its caption, the captions of the values before and after
 * it, headings.
 *
 * The looks of a text show that it may be a value of a field; its neighbours show that it is. A
 * shop's page has many prices, and one of them follows "Our price:". A profile keeps the texts that
 * most values of a field had near them, with their distances: 1 is the text right before or after
 * the value, whatever elements are between. The rest of the value's own text counts as one text, so
 * that a change of elements changes nothing:
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

enum { TH__NEIGHBOURS_REACH = 8 }; /* texts on each side that are considered */

/* The hashes of the texts before and after a value, nearest first; 0 past the last. */
typedef struct th__around {
    uint64_t hash[TH__ENDS][TH__NEIGHBOURS_REACH];
    uint64_t element; /* the hash of the element that contains only the value; or 0 */
    double position;  /* the share of the page's texts that are before it */
} th__around;

/* The texts of a page in their order. */
struct th__flow {
    const th_page *page;
    uint64_t *hash;   /* by text */
    uint32_t *token;  /* by text: its token */
    uint32_t *before; /* by token, and two more: the number of texts before it */
    uint32_t count;
};

/* In the arena. False if out of memory. */
bool th__flow_make(th__arena *arena, const th_page *page, th__flow *out);
/* Finds the texts around a span of its page. `keeper`, or NULL: keeps the texts themselves for a
 * profile. False if out of memory, which needs a keeper. */
bool th__around_find(const th__flow *flow, th_span span, th__tally *keeper, th__around *out);

/* The weighted share of a field's neighbours that are around a value: 0 to 1; one at another
 * distance than before counts less. `counts`, by side and neighbour, selects those that count
 * (NULL: all). Negative if there are none. */
double th__neighbours_share(const th__field_profile *field, const th__around *around,
                            const bool (*counts)[TH__NEIGHBOURS_MAX]);

/* How close the relative position of a value is to where the field's values were: 1 within their
 * usual range or if that is unknown, less the further away. */
double th__position_likeness(const th__field_profile *field, const th__around *around);

/* The share of a field's values whose next text on one side is the one that most of them have: 0 if
 * there is no such text. */
double th__neighbours_next(const th__field_profile *field, int side);
/* Returns true if a text is next to the values of a field on a side. */
static inline bool th__is_next(const th__field_profile *field, int side, uint64_t hash)
{
    const th__neighbours *near = &field->around[side];
    for (uint32_t i = 0; i < near->count && near->data[i].at == 1; i++)
        if (near->data[i].hash == hash)
            return true;
    return false;
}
/* Returns true if a value has that text next to it, in whatever element, on a side where the
 * field's values had one; also if they had none. */
bool th__is_placed(const th__field_profile *field, const th_page *page, th_span span);

#endif
