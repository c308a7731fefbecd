/* key_map.c: open addressing with linear probing, at most half full. A slot is found by a product
 * with the golden ratio, whose high bits depend on all bits of the key. */
#include "base/key_map.h"

#include <string.h>

#include "base/mem.h"

/* Gives the map slots, a power of two of them, all free. */
static bool open_slots(th__key_map *map, size_t slots)
{
    map->slots = slots > UINT32_MAX ? NULL
                 : map->arena       ? th__arena_zero(map->arena, slots, sizeof *map->slots)
                                    : th__mem_zero(slots, sizeof *map->slots);
    map->mask = (uint32_t)(slots - 1);
    map->shift = 64 - (uint32_t)__builtin_ctzll(slots);
    map->round = 1;
    map->count = 0;
    return map->slots;
}

bool th__key_map_init(th__key_map *map, th__arena *arena, size_t most)
{
    size_t slots = 8;
    while (slots < 2 * most)
        slots *= 2;
    *map = (th__key_map){.arena = arena};
    return open_slots(map, slots);
}

bool th__key_map_grow(th__key_map *map)
{
    enum { LEAST = 64, SMALL = 256 }; /* slots */
    th__key_map grown = *map;
    size_t slots = map->slots ? (size_t)map->mask + 1 : 0;
    if (!open_slots(&grown, slots < LEAST ? LEAST : slots < SMALL ? 4 * slots : 2 * slots))
        return false;
    for (size_t i = 0; map->count && i <= map->mask; i++)
        if (map->slots[i].round == map->round)
            th__key_map_put(&grown, map->slots[i].key, map->slots[i].value);
    if (!map->arena)
        th__mem_free(map->slots);
    *map = grown;
    return true;
}

void th__key_map_clear(th__key_map *map)
{
    map->count = 0;
    if (++map->round || !map->slots)
        return;
    memset(map->slots, 0, ((size_t)map->mask + 1) * sizeof *map->slots);
    map->round = 1;
}

void th__key_map_release(th__key_map *map)
{
    th__mem_free(map->slots);
    *map = (th__key_map){0};
}
