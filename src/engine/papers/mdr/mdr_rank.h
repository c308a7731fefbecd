/*
 * mdr_rank.h: which region comes first.
 *
 * The paper ranks nothing and reports all regions. Here a region's score is the bytes of text in
 * its records times the logarithm of their number.
 */
#ifndef TH_MDR_RANK_H
#define TH_MDR_RANK_H

#include "engine/papers/mdr/mdr.h"

typedef struct th__mdr_ranked {
    uint32_t region;
    double score; /* 0: no text at all */
} th__mdr_ranked;

/* All regions of the result, best first, in its arena. NULL without memory. */
const th__mdr_ranked *th__mdr_rank(const th_page *page, th__mdr_result *result);

/* Calls back for each text run of a record that says something: "|" between two links is none of
 * the data, "---" alone in a table's cell is. */
void th__mdr_each_text(const th_page *page, const th__mdr_record *record,
                       void (*visit)(void *context, th_str text), void *context);

#endif
