/* mdr_lists.h: MDR's records as extents, which columns are made of. */
#ifndef TH_MDR_LISTS_H
#define TH_MDR_LISTS_H

#include "engine/mdr/mdr.h"
#include "seq/items.h"

/* Where records stand, in the arena: a non-contiguous record has several extents. False without
 * memory. */
bool th__mdr_extents(th__arena *arena, const th_page *page, const th__mdr_record *records,
                     uint32_t count, th__extents *out);

#endif
