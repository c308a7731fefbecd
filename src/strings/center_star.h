/*
 * center_star.h: many strings aligned into columns (Gusfield, Algorithms on Strings, Trees, and
 * Sequences, 1997, section 14.6.2).
 *
 *     adcbd       adc-bd       The center is the string with the least sum of distances to the
 *     adcxb   ->  adcxb-       others. Each string is aligned to it; a gap that one of them needs
 * in adcxbd      adcxbd       the center is a gap for all the rest. At most twice the cost of the
 *                              best alignment.
 */
#ifndef TH_CENTER_STAR_H
#define TH_CENTER_STAR_H

#include <thresh.h>

#include "strings/edit.h"
#include "strings/pattern.h"

#define TH__STAR_GAP UINT32_MAX

enum { TH__STAR_MAX_CELLS = 1 << 24 }; /* rows x columns */

typedef struct th__star {
    uint32_t *cells;       /* rows x width: a position in the row's string, or GAP */
    uint32_t width;        /* columns */
    uint32_t rows;         /* equal strings share a row */
    uint32_t *row_of;      /* by string */
    uint32_t *string_of;   /* by row: the first string that has it */
    uint32_t *weight;      /* by row: how many strings have it */
    uint32_t count;        /* strings */
    uint32_t center;       /* row of the center */
    uint32_t max_distance; /* of a string from the center */
} th__star;

typedef struct th__star_options {
    /* The center is sought among so many different strings, the most frequent ones (0: all). All
     * pairs of them are compared, so without a limit the time is quadratic in their number. */
    uint32_t candidates;
    /* Strings farther than this from the center are an error, TH_ERR_LIMIT (0: no bound). */
    uint32_t max_distance;
} th__star_options;

/* Aligns strings; NULL options: 32 candidates, no bound. Fills *out, which th__star_release frees.
 */
th_status th__star_align(th__star *out, const th__symbols *strings, uint32_t count,
                         const th__star_options *options, th_error *err);
void th__star_release(th__star *star);

/* The pattern that matches every aligned string: a column has the symbols of its rows, and is
 * optional where a row has a gap. */
th_status th__star_pattern(const th__star *star, const th__symbols *strings, th__pattern *out,
                           th_error *err);

#endif
