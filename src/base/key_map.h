/*
 * key_map.h: from 64-bit keys to small numbers. Made for a number of keys, in an arena; keys are
 * hashes already and are not mixed any more.
 */
#ifndef TH_KEY_MAP_H
#define TH_KEY_MAP_H

#include <stdint.h>

#include "base/arena.h"

/* A key and its value side by side: one line of the cache for both. */
typedef struct th__key_slot {
    uint64_t key;
    uint32_t value; /* 0: free */
} th__key_slot;

typedef struct th__key_map {
    th__key_slot *slots;
    uint32_t mask;
} th__key_map;

/* Room for `most` keys. False without memory. */
static inline bool th__key_map_init(th__key_map *map, th__arena *arena, size_t most)
{
    size_t slots = 8;
    while (slots < 2 * most)
        slots *= 2;
    map->slots = th__arena_zero(arena, slots, sizeof *map->slots);
    map->mask = (uint32_t)(slots - 1);
    return map->slots;
}

/* Where the key is or would be. */
static inline uint32_t th__key_map_slot(const th__key_map *map, uint64_t key)
{
    uint32_t slot = (uint32_t)(key ^ key >> 29) & map->mask;
    while (map->slots[slot].value && map->slots[slot].key != key)
        slot = (slot + 1) & map->mask;
    return slot;
}

/* The value is not 0. */
static inline void th__key_map_put(th__key_map *map, uint64_t key, uint32_t value)
{
    map->slots[th__key_map_slot(map, key)] = (th__key_slot){key, value};
}

/* Makes room for one key more than the `used` ones: for a map that was made for fewer than may
 * come. False without memory. */
static inline bool th__key_map_room(th__key_map *map, th__arena *arena, size_t used)
{
    th__key_map grown;
    if (2 * used < map->mask)
        return true;
    if (!th__key_map_init(&grown, arena, used + 1))
        return false;
    for (uint32_t slot = 0; slot <= map->mask; slot++)
        if (map->slots[slot].value)
            th__key_map_put(&grown, map->slots[slot].key, map->slots[slot].value);
    *map = grown;
    return true;
}

/* 0 when the key is not there. */
static inline uint32_t th__key_map_get(const th__key_map *map, uint64_t key)
{
    return map->slots[th__key_map_slot(map, key)].value;
}

#endif
