/*
 * key_map.h: from 64-bit keys to small numbers. Made for a known number of keys, in an arena; keys
 * are hashes already and are not mixed any more.
 */
#ifndef TH_KEY_MAP_H
#define TH_KEY_MAP_H

#include <stdint.h>

#include "base/arena.h"

typedef struct th__key_map {
    uint64_t *keys;
    uint32_t *values; /* 0: free */
    uint32_t mask;
} th__key_map;

/* Room for `most` keys. False without memory. */
static inline bool th__key_map_init(th__key_map *map, th__arena *arena, size_t most)
{
    size_t slots = 8;
    while (slots < 2 * most)
        slots *= 2;
    map->keys = th__arena_zero(arena, slots, sizeof *map->keys);
    map->values = th__arena_zero(arena, slots, sizeof *map->values);
    map->mask = (uint32_t)(slots - 1);
    return map->keys && map->values;
}

/* Where the key is or would be. */
static inline uint32_t th__key_map_slot(const th__key_map *map, uint64_t key)
{
    uint32_t slot = (uint32_t)(key ^ key >> 29) & map->mask;
    while (map->values[slot] && map->keys[slot] != key)
        slot = (slot + 1) & map->mask;
    return slot;
}

/* The value is not 0. */
static inline void th__key_map_put(th__key_map *map, uint64_t key, uint32_t value)
{
    uint32_t slot = th__key_map_slot(map, key);
    map->keys[slot] = key;
    map->values[slot] = value;
}

/* 0 when the key is not there. */
static inline uint32_t th__key_map_get(const th__key_map *map, uint64_t key)
{
    return map->values[th__key_map_slot(map, key)];
}

#endif
