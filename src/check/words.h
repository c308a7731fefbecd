/*
 * words.h: the paths by which fields are known, and the words by which known values are found.
 */
#ifndef TH_WORDS_H
#define TH_WORDS_H

#include "wrapper/profile.h"

/* Returns true if values differ between records: a value that all share identifies none. */
static inline bool th__is_varied(const th__field_profile *field)
{
    return 2 * field->distinct > field->sampled;
}

/* Returns true if two paths name the same field, lists or not: authors and authors[]. */
bool th__same_path(th_str a, th_str b);
/* The profile of the field with this path, or NULL; `at` is its most likely index. */
const th__field_profile *th__profile_of(const th__profile *profile, uint32_t at, th_str path);
/* Returns true if a field is a list of texts. */
static inline bool th__is_list_path(th_str path)
{
    return path.len > 2 && path.ptr[path.len - 1] == ']';
}
/* The list of tuples that contains a field: "reviews" for reviews[].comment; absent if none
 * does. */
th_str th__list_of(th_str path);

/* The offset of whole words in a text, at `from` or later; or SIZE_MAX. */
size_t th__find_words(th_str text, th_str words, size_t from);
static inline bool th__is_word_part(unsigned char c)
{
    return th__is_alpha(c) || th__is_digit(c) || c >= 0x80;
}
/* The next word of a text from `at` on, without signs: *end is its end. Empty at the end. */
th_str th__next_word(th_str text, size_t at, size_t *end);
/* Returns true if an example is too long to appear somewhere by chance. */
bool th__telling(th_str example);
/* Returns true if the title of a page contains a value. */
bool th__is_headed(th_str title, th_str value);

#endif
