/* stalker_told.c: see stalker_told.h. */
#include "engine/papers/stalker/stalker_told.h"

static bool is_label(const th__label_set *labels, uint64_t hash)
{
    for (uint32_t i = 0; hash && i < labels->count; i++)
        if (labels->hashes[i] == hash)
            return true;
    return false;
}

bool th__told_refuses(const th__told *told, const th__stalker_map *map,
                      const th__stalker_extent *extent, uint32_t unit)
{
    if (!told->labels || !told->own || unit >= map->count)
        return false;
    /* What stands before the extent labels nothing in it. */
    uint64_t before = unit > map->before[extent->token] ? map->units[unit - 1].hash : 0;
    return before != told->own &&
           (is_label(told->labels, before) || is_label(told->labels, map->units[unit].hash));
}
