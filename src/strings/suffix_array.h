/*
 * suffix_array.h: all suffixes of a string of numbers in order, and how much neighbours share.
 *
 *     string  b a n a n a        suffix  5:a  3:ana  1:anana  0:banana  4:na  2:nana
 *     sa      5 3 1 0 4 2
 *     lcp     0 1 3 0 0 2        lcp[i]: symbols that suffixes sa[i - 1] and sa[i] share
 *
 * A suffix array with its lcp values holds what a PAT or suffix tree holds: an inner node of the
 * tree is a run of neighbours that share a prefix (see repeats.h).
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
/* The same for 16-bit symbols. */
th_status th__suffixes_init16(th__suffixes *out, const uint16_t *symbols, size_t len,
                              th_error *err);
void th__suffixes_release(th__suffixes *suffixes);

/* Sorts numbers in linear time; spare has as much room. */
void th__sort_numbers(uint32_t *values, uint32_t *spare, size_t len);

#endif
