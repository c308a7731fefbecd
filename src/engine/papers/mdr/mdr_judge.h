/*
 * mdr_judge.h: FindRecords-1 and FindRecords-n: how records lie in one generalized node.
 *
 * A generalized node is a record, or holds several: one level down, the children of its one node
 * (FindRecords-1), or the k-th children of each of its nodes, which are one record in several
 * pieces (FindRecords-n). The children must be similar, and must not be the cells of a data table,
 * where the row is the record.
 */
#ifndef TH_MDR_JUDGE_H
#define TH_MDR_JUDGE_H

#include "engine/papers/mdr/mdr_compare.h"

/* WHOLE, CHILDREN or COLUMNS for the `size` siblings from `first` on; *plain tells whether they are
 * of a data table. */
th__mdr_cut th__mdr_judge(th__mdr_compare *compare, uint32_t first, uint32_t size, bool *plain);

#endif
