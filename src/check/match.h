/*
 * match.h: which column of newly found records is which field of old: for repair.
 *
 * A column is like a field when its values begin and end as the field's did, are as long, and are
 * as seldom missing; most of all when values are among them that the field had. Fields and columns
 * are put together best first, each at most once.
 */
#ifndef TH_MATCH_H
#define TH_MATCH_H

#include "check/check.h"

#define TH__NO_COLUMN UINT32_MAX

/* How much a column is like a field: 0 to 1. `target`: the field holds targets of links. */
double th__likeness(const th__field_profile *field, bool target, const th__field_tally *column);

/* Returns true if a field and a column both are of dates: these are written in many ways, and a new
 * layout may have another. */
bool th__are_dates(const th__field_profile *field, const th__field_tally *column);

/* Returns true if values differ from record to record: what is in all of them tells none. */
static inline bool th__is_varied(const th__field_profile *field)
{
    return 2 * field->distinct > field->sampled;
}
/* How much a field matters: less when it is often missing, a list, or the target of a link. */
double th__field_weight(const th__field_profile *field, bool target);

/* Returns true if two paths name the same field, lists or not: authors and authors[]. */
bool th__same_path(th_str a, th_str b);
/* The profile of a field by its path, or NULL; `at` is where it most likely is. */
const th__field_profile *th__profile_of(const th__profile *profile, uint32_t at, th_str path);

/* Where words are in a text, at `from` or behind, not inside other words; or SIZE_MAX. */
size_t th__find_words(th_str text, th_str words, size_t from);
static inline bool th__is_word_part(unsigned char c)
{
    return th__is_alpha(c) || th__is_digit(c) || c >= 0x80;
}
/* The next word of a text from `at` on, without signs: *end is its end. Empty at the end. */
th_str th__next_word(th_str text, size_t at, size_t *end);
/* Returns true if the title of a page says a value. */
bool th__is_headed(th_str title, th_str value);
/* How like a field something is, by its looks and by how much of it the title of its page says: a
 * field that stood in the title does so again, and one that did not does not. */
double th__headed_likeness(const th__field_profile *field, double likeness, double headed);
/* Returns true if an example is long enough that it is nowhere by chance. */
bool th__telling(th_str example);
/* Returns true if a field is a list of texts. */
bool th__is_list_path(th_str path);

/* The list of tuples that a field is in: reviews of reviews[].comment; absent when it is in none.
 */
th_str th__list_of(th_str path);

/* Of the examples of a field that are on the pages (there[i]) how many a column has: a column
 * that was sampled whole. */
typedef struct th__shown {
    uint32_t on_pages, given;
    uint32_t signs; /* of those given: with a sign more or less */
} th__shown;

th__shown th__examples_shown(const th__field_profile *field, const uint8_t *there,
                             const th__field_tally *column);
/* Returns true if so many are on the pages that those of the field should be among them, and are
 * not. */
static inline bool th__is_elsewhere(th__shown shown)
{
    enum { ENOUGH = 4 };
    return shown.on_pages >= ENOUGH && 4 * shown.given < shown.on_pages;
}

#endif
