/* mdr_lists.h: MDR's records as extents, which columns are made of. */
#ifndef TH_MDR_LISTS_H
#define TH_MDR_LISTS_H

#include "engine/papers/mdr/mdr_rank.h"
#include "table/items.h"

/* Whether records have several elements: what stands in them is then told by its element too. */
bool th__mdr_several(const th_page *page, const th__mdr_record *records, uint32_t count);

/* Where records stand, in the arena: a non-contiguous record has several extents. False without
 * memory. */
bool th__mdr_extents(th__arena *arena, const th_page *page, const th__mdr_record *records,
                     uint32_t count, bool several, th__extents *out);

/* Goes on from rank *at to the first region that has something in it, and tells where its records
 * stand; *at is the number of regions when there is none. False without memory. */
bool th__mdr_next(const th__view *view, th__mdr_result *result, const th__mdr_ranked *ranked,
                  uint32_t *at, th__extents *out);

#endif
