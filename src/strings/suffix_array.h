/*
 * suffix_array.h: all suffixes of a string of numbers in order, how much neighbours share, and the
 * maximal repeats that follow from it.
 *
 *     string  b a n a n a        suffix  5:a  3:ana  1:anana  0:banana  4:na  2:nana
 *     sa      5 3 1 0 4 2
 *     lcp     0 1 3 0 0 2        lcp[i]: symbols that suffixes sa[i - 1] and sa[i] share
 *
 * A suffix array with its lcp values holds what a PAT or suffix tree holds: an inner node of the
 * tree is a run of neighbours that share a prefix (th__repeats_walk).
 */
#ifndef TH_SUFFIX_ARRAY_H
#define TH_SUFFIX_ARRAY_H

#include <thresh.h>

enum { TH__SUFFIXES_MAX = 1 << 30 }; /* symbols of one string */

typedef struct th__suffixes {
    uint32_t *sa;  /* starts of the suffixes in rising order; a suffix that ends first is smaller */
    uint32_t *lcp; /* lcp[0] is 0 */
    uint32_t len;
} th__suffixes;

/* Sorts the suffixes of a string of any 32-bit symbols; linear in len, save that symbols above
 * 131,072 and 4 x len are first sorted by radix. Fills *out, which th__suffixes_release frees; on
 * failure *out is empty. */
th_status th__suffixes_init(th__suffixes *out, const uint32_t *symbols, size_t len, th_error *err);
void th__suffixes_release(th__suffixes *suffixes);

/* Sorts numbers in linear time; spare has as much room. */
void th__sort_numbers(uint32_t *values, uint32_t *spare, size_t len);

/*
 * A repeat is a substring that occurs at least twice. It is right maximal when its occurrences are
 * not all followed by the same symbol, left maximal when they are not all preceded by the same one
 * (the string's end and start count as symbols of their own), maximal when both. Right maximal
 * repeats are the inner nodes of the suffix tree, here runs of the suffix array:
 *
 *     mississippi    i, issi, p, s     not ssi: always after i, hence not left maximal
 */
typedef struct th__repeat {
    uint32_t len;         /* symbols */
    uint32_t first, last; /* its occurrences are suffixes->sa[first .. last], not in text order */
} th__repeat;

static inline uint32_t th__repeat_count(const th__repeat *repeat)
{
    return repeat->last - repeat->first + 1;
}

typedef struct th__repeats_options {
    uint32_t min_len;   /* at least so many symbols; 0 is taken as 1 */
    uint32_t min_count; /* at least so many occurrences, overlaps counted; below 2: 2 */
    bool with_not_left; /* gives right maximal repeats that are not left maximal too */
} th__repeats_options;

/* Called for each repeat, longer ones before those that are their prefixes. False ends the walk. */
typedef bool (*th__repeat_visit)(void *context, const th__repeat *repeat);

/* Walks the repeats of the string that suffixes are of. Fewer than the string has symbols; the time
 * is linear. `symbols` is the string as given to th__suffixes_init. */
th_status th__repeats_walk(const th__suffixes *suffixes, const uint32_t *symbols,
                           const th__repeats_options *options, th__repeat_visit visit,
                           void *context, th_error *err);

#endif
