/* lists.h: aligned columns become records: what every engine for lists gives in the end. */
#ifndef TH_LISTS_H
#define TH_LISTS_H

#include "data/record.h"
#include "seq/columns.h"

/* The records of a list: a schema of one tuple, names and notes found, values with their spans. A
 * column that is nothing but the label of another is left out. Caller frees. */
th_status th__list_records(const th__view *view, const th__extent *records, uint32_t count,
                           const th_records_source *source, th_records **out, th_error *err);

#endif
