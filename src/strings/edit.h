/*
 * edit.h: Levenshtein distance of strings of numbers.
 *
 * Insertion, deletion and substitution cost 1. A th__edit keeps working memory from call to call
 * and belongs to one thread.
 *
 * Most questions have a bound ("at most 3?"), and that is what makes them cheap: a difference in
 * length above the bound answers at once, equal ends are cut off, and only the diagonals that the
 * bound allows are computed, 64 cells at a time.
 */
#ifndef TH_EDIT_H
#define TH_EDIT_H

#include <thresh.h>

#include "base/key_map.h"

/* A string of symbols, borrowed. */
typedef struct th__symbols {
    const uint32_t *at;
    uint32_t len;
} th__symbols;

typedef struct th__edit {
    th__key_map numbers; /* of the pattern's symbols, from 1 */
    uint32_t *codes;     /* both strings in those numbers, less 1 */
    size_t code_cap;
    uint64_t *masks; /* by symbol and block: where in the pattern the symbol is */
    size_t mask_cap;
    void *rows; /* state of the computation */
    size_t row_cap;
} th__edit;

#define TH__EDIT_ANY       (UINT32_MAX - 1) /* as a bound: none */
#define TH__EDIT_NO_MEMORY UINT32_MAX       /* as a distance: it could not be computed */

void th__edit_init(th__edit *edit);
void th__edit_release(th__edit *edit);

/* The distance of a and b where it is at most `bound`, else bound + 1. Time is the longer length
 * times the bound / 64, and never less than the lengths. */
uint32_t th__edit_distance(th__edit *edit, th__symbols a, th__symbols b, uint32_t bound);

#endif
