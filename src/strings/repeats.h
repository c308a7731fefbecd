/*
 * repeats.h: the maximal repeats of a string.
 *
 * A repeat is a substring that occurs at least twice. It is right maximal when its occurrences are
 * not all followed by the same symbol, left maximal when they are not all preceded by the same one
 * (the string's end and start count as symbols of their own), maximal when both. Right maximal
 * repeats are the inner nodes of the suffix tree, here runs of the suffix array:
 *
 *     mississippi    i, issi, p, s     not ssi: always after i, hence not left maximal
 */
#ifndef TH_REPEATS_H
#define TH_REPEATS_H

#include <thresh.h>

#include "strings/suffix_array.h"

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
