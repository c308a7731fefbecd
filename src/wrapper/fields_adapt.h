/*
 * fields_adapt.h: the fields of records that have changed inside.
 *
 * A rule knows a field by where it is in its record. A site that puts one more element around
 * its values, names its classes anew or changes the order of what only position distinguishes moves
 * values to where no rule looks, or another one does; the records are still found. What the values
 * look like has not changed, and a wrapper's profile knows that. So on a page of several records,
 *
 *  1. a field is astray when its values are missing from nearly all records, though they used to be
 *     there; or when position or a cell of a row identifies it, and its values look like those of
 *     another such field;
 *  2. if there is one, and there are texts (or links, or images) that no rule takes, the records
 *     are aligned into columns as in learning; columns that no field in its place has are loose,
 * and cut into parts where they are lines of values;
 *  3. fields astray and loose columns are put together, best first, by how they look, by values
 *     that the field had, by name and by place; a column that is hardly like a field stays loose;
 *  4. a field that is still missing is looked for value by value among texts that are of no field,
 *     or of a list.
 *
 * Pages that are as they were cost a count of their items, and a look at a few values of fields
 * that position identifies. Linear in the page; fields times columns is bounded.
 */
#ifndef TH_FIELDS_ADAPT_H
#define TH_FIELDS_ADAPT_H

#include "wrapper/fields.h"
#include "wrapper/profile.h"
#include "wrapper/select.h"

/* What is known of the values of a wrapper's fields. */
typedef struct th__known_fields {
    const th__profile *profile;
    const th__select *select; /* or NULL: the profile is of the engine's own fields */
} th__known_fields;

/* Gives items their member anew where fields are astray: after th__fields_assign, with `first` of
 * that. A text whose parts are fields becomes several items. `known` may be NULL: nothing changes
 * then. False if out of memory. */
bool th__fields_adapt(const th__fields *fields, const th__known_fields *known, const th__view *view,
                      const th__extents *records, th__arena *arena, th__item_vec *items,
                      uint32_t *first);

#endif
