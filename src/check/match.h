/*
 * match.h: which column of newly found records is which field of the old ones: for repair.
 *
 * A column is like a field if its values begin and end as the field's did, are as long, and are as
 * rarely missing; above all if it contains known values of the field. Fields and columns are paired
 * best first, each at most once.
 */
#ifndef TH_MATCH_H
#define TH_MATCH_H

#include "check/check.h"

#define TH__NO_COLUMN UINT32_MAX

/* How much a column is like a field: 0 to 1. `target`: the field contains link targets. `dated`: it
 * contains dates, see below. */
double th__likeness(const th__field_profile *field, bool target, bool dated,
                    const th__field_tally *column);

/* Returns true if a field or a column contains dates: a new layout may write them in another
 * format. */
bool th__has_dates(const th__field_profile *field);
bool th__column_has_dates(const th__field_tally *column);

/* Returns true if values differ between records: a value that all share identifies none. */
static inline bool th__is_varied(const th__field_profile *field)
{
    return 2 * field->distinct > field->sampled;
}
/* How much a field matters: less when it is often missing, a list, or the target of a link. */
double th__field_weight(const th__field_profile *field, bool target);

/* Returns true if two paths name the same field, lists or not: authors and authors[]. */
bool th__same_path(th_str a, th_str b);
/* The profile of the field with this path, or NULL; `at` is its most likely index. */
const th__field_profile *th__profile_of(const th__profile *profile, uint32_t at, th_str path);

/* The offset of whole words in a text, at `from` or later; or SIZE_MAX. */
size_t th__find_words(th_str text, th_str words, size_t from);
static inline bool th__is_word_part(unsigned char c)
{
    return th__is_alpha(c) || th__is_digit(c) || c >= 0x80;
}
/* The next word of a text from `at` on, without signs: *end is its end. Empty at the end. */
th_str th__next_word(th_str text, size_t at, size_t *end);
/* Returns true if the title of a page contains a value. */
bool th__is_headed(th_str title, th_str value);
/* Corrects a likeness by the share of values that appear in the titles of their pages (`headed`): a
 * field that appeared in the title should do so again, and others should not. */
double th__headed_likeness(const th__field_profile *field, double likeness, double headed);
/* Returns true if an example is too long to appear somewhere by chance. */
bool th__telling(th_str example);
/* Returns true if a field is a list of texts. */
bool th__is_list_path(th_str path);

/* The list of tuples that contains a field: "reviews" for reviews[].comment; absent if none
 * does. */
th_str th__list_of(th_str path);

/* How many examples of a field are on the pages (there[i]), and how many of these are in a column
 * whose values were all sampled. */
typedef struct th__shown {
    uint32_t on_pages, given;
    uint32_t signs; /* of those given: equal except for a sign */
} th__shown;

th__shown th__examples_shown(const th__field_profile *field, const uint8_t *there,
                             const th__field_tally *column);
/* Returns true if so many examples are on the pages that the column should contain some, and it
 * does not. */
static inline bool th__is_elsewhere(th__shown shown)
{
    enum { ENOUGH = 4 };
    return shown.on_pages >= ENOUGH && 4 * shown.given < shown.on_pages;
}

#endif
