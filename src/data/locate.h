/* locate.h: labels that were located on a page, and which place of each is meant. */
#ifndef TH_LOCATE_H
#define TH_LOCATE_H

#include <thresh.h>

/* Says which of its places the value of a finding stands in: the span of its text in the records.
 */
void th__located_settle(th_located *located, size_t finding, size_t place);

/* Puts the records, and the tuples of their lists, in the order of the page: engines rely on it.
 * False without memory. */
bool th__located_sort(th_located *located);

/* Its text in the records; NULL when the schema has no place for it. */
th_value *th__located_value(const th_located *located, size_t finding);

#endif
