/*
 * mdr_records.h: sections 3.3 and 3.4: from data regions to data records.
 *
 *     candidates ──join──▶ drafts ──cut──▶ records ──orphans──▶ records, more of them
 *
 * Internal to MDR's search. All of it works on nodes of the tree (see mdr_tree.h); only the result
 * has nodes of the page.
 */
#ifndef TH_MDR_RECORDS_H
#define TH_MDR_RECORDS_H

#include "engine/papers/mdr/mdr_regions.h"

/* A region in the making: one candidate, or several that were joined. */
typedef struct th__mdr_draft {
    uint32_t head, tail; /* candidates; chained by th__mdr_work.next */
    uint32_t parts;
    bool zipped;
    bool data_table;
    bool dropped; /* its nodes are the records of the region that covers it */
    th__mdr_cut cut;
    uint32_t first_record, record_count, orphan_count; /* in th__mdr_work.records */
} th__mdr_draft;

/* A record whose ranges are in th__mdr_work.ranges. */
typedef struct th__mdr_rough {
    uint32_t range, range_count;
    bool orphan;
} th__mdr_rough;

typedef struct th__mdr_work {
    const th__mdr_tree *tree;
    const th__mdr_options *options;
    th__mdr_compare compare;
    th__mdr_candidates candidates;
    uint32_t *next;  /* by candidate: the next part of its draft, or NONE */
    uint32_t *draft; /* by candidate: its draft */
    TH__VEC(th__mdr_draft) drafts;
    TH__VEC(th__mdr_range) ranges; /* nodes of the tree until the end */
    TH__VEC(th__mdr_rough) records;
    TH__VEC(uint32_t) children; /* scratch: of one parent */
    TH__VEC(uint16_t) text[2];  /* scratch: tag strings of non-contiguous records */
    uint8_t *taken;             /* by node: in a region, or an orphan that was found */
} th__mdr_work;

/* mdr_join.c: makes drafts of the candidates. */
bool th__mdr_join(th__mdr_work *work);

/* mdr_records.c: decides each draft's cut and appends its records. */
bool th__mdr_cut_records(th__mdr_work *work);

/* mdr_orphans.c: looks for records beside a draft, whose records are the last in work->records,
 * and appends them. */
bool th__mdr_find_orphans(th__mdr_work *work, th__mdr_draft *draft);

/* Appends a record of one range, or of several nodes. */
bool th__mdr_add_record(th__mdr_work *work, th__mdr_range range, bool orphan);
bool th__mdr_add_pieces(th__mdr_work *work, const uint32_t *nodes, uint32_t count, bool orphan);

/* Walks the columns of `size` sibling rows from `first` on: fills nodes with the first child of
 * each and gives the number of columns; then moves to the next column, which must exist. */
uint32_t th__mdr_columns(const th__mdr_tree *tree, uint32_t first, uint32_t size, uint32_t *nodes);
void th__mdr_next_column(const th__mdr_tree *tree, uint32_t *nodes, uint32_t size);

/* One past the subtrees of `size` siblings from a node on. */
uint32_t th__mdr_after(const th__mdr_tree *tree, uint32_t first, uint32_t size);

#endif
