/* lists_regions.h: groups become regions: lists of whole records, ranked. */
#ifndef TH_LISTS_REGIONS_H
#define TH_LISTS_REGIONS_H

#include "engine/lists/lists_groups.h"
#include "table/items.h"

typedef struct th__lists_region {
    th__extents list; /* in the order of the page */
    uint32_t head;    /* of records of several elements: an element of the shape that heads them;
                       * of a grid: its element */
    uint32_t parts;   /* of records of a grid: extents of each; else 0 */
    bool fine;        /* the shape of the head is the fine one: see lists_cut.h */
    double score;
} th__lists_region;

/* As many as `thresh regions` shows, and --pick can choose from. */
enum { TH__LISTS_SHOWN = 10 };

/* The best regions of a page, best first, at most `most`. All in the arena. False without
 * memory. */
bool th__lists_regions_find(th__arena *arena, const th__view *view, uint32_t most,
                            th__lists_region **out, uint32_t *count);

#endif
