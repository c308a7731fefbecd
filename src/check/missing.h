/*
 * missing.h: is a field that a wrapper finds no more still on the page?
 *
 * A site may drop a field: then the wrapper reads what is there, and no rule is wrong. Or the field
 * is where no rule looks. The two are told apart by looking: texts among the records of a page
 * (on a page of one record: in the element around what is still read, or anywhere on it) that are
 * in no value, or in one that is not like its field, and look like values of the missing field, or
 * hold one behind a label or among other words, are its strays.
 *
 * Looking costs up to as much as extracting does. A light tally looks only where it may matter:
 * where so much of a field is missing on the pages so far that it may speak for drift, once for a
 * field, and on one page in many; and not on pages that lack most of their fields, which are others
 * whatever became of these.
 */
#ifndef TH_MISSING_H
#define TH_MISSING_H

#include "check/tally.h"

/* Below this part of the share that a field had, the values that are there are looked at, too:
 * whether they are like those before. */
#define TH__MANY_PART 0.7

/* In how many of its places a field was there, and is there. The items of a list on a page that is
 * one record come and go together: where they are all there or none, a page is a place; where not,
 * a page still counts as one chance. */
typedef struct th__presence {
    uint64_t was, was_all, is, is_all;
    uint64_t chances; /* that do not hang together, at most is_all */
} th__presence;

th__presence th__presence_of(const th__profile *profile, const th__field_profile *old,
                             const th__tally *tally, const th__field_tally *now);
/* How often a field is there: Jeffreys' estimate; one page in twenty may lack anything. */
double th__usual_share(uint64_t values, uint64_t chances);
/* How likely it is that no more than so many of its places, `there` of is_all, have it. */
double th__missing_chance(const th__presence *presence, uint64_t there);

/* Looks on a page for fields that most records had and hardly any of its records has: adds to
 * `looked` and `strays` of their tallies. Costs nothing where there is none. False if out of
 * memory.
 */
bool th__missing_look(th__tally *tally, const th_page *page, const th_records *records);

/* Returns true if what a page gives is a tenth at most of what pages gave, and most of it is not
 * like it: the row of headings is left where the records were. */
bool th__is_hollow(th__tally *tally, const th_records *records, double explained);

/* Looks on a page that gives much less than pages did for texts outside of its values that are like
 * values: adds to `left` of their fields. Where records are about as many, between these alone.
 * Costs nothing on other pages. False if out of memory. */
bool th__left_look(th__tally *tally, const th_page *page, const th_records *records,
                   double explained);

/* How many records' values are outside of all records on such pages, by most of the fields that
 * tell records apart: 0 when these are fewer than the records. */
uint64_t th__left_out(const th__tally *tally);

/* Returns true if a field is gone from the pages: looked for where all of it is missing, and hardly
 * found.
 */
bool th__is_gone(const th__presence *presence, const th__field_tally *now);

#endif
