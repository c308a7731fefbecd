/*
 * key_map.h: the one hash table: from 64-bit keys to numbers that are not 0.
 *
 * A map that is all zero is empty and grows on the heap; th__key_map_init makes one in an arena,
 * with room for the keys that are expected. A key may be anything: a hash, or two small numbers
 * side by side. Clearing it costs nothing, so a map may be used anew for every group of a page.
 *
 *     th__key_map seen = {0};
 *     uint32_t number = th__key_map_number(&seen, key);   1, 2, 3 ... in the order of arrival
 *     th__key_map_put(&seen, key, value);  th__key_map_get(&seen, key)
 *     th__key_map_clear(&seen);  th__key_map_release(&seen);
 *
 * For strings of bytes see intern.h, which is made of it. For a struct by key, keep the structs in
 * an array and number the keys.
 */
#ifndef TH_KEY_MAP_H
#define TH_KEY_MAP_H

#include <stdint.h>

#include "base/arena.h"

/* A key and its value are side by side: one line of the cache for both. */
typedef struct th__key_slot {
    uint64_t key;
    uint32_t value;
    uint32_t round; /* free when it is not that of the map */
} th__key_slot;

typedef struct th__key_map {
    th__key_slot *slots;
    th__arena *arena; /* of the slots, or NULL: the heap */
    uint32_t mask;    /* slots - 1 */
    uint32_t count;   /* of keys */
    uint32_t round;   /* rises when the map is cleared */
    uint32_t shift;   /* of a product of 64 bits to the number of a slot */
} th__key_map;

/* An empty map in an arena with room for `most` keys: those are put without a failure. False
 * if out of memory. */
bool th__key_map_init(th__key_map *map, th__arena *arena, size_t most);
/* Only for maps on the heap. */
void th__key_map_release(th__key_map *map);
/* Removes all keys. */
void th__key_map_clear(th__key_map *map);
/* Makes two to four times as many slots; false, with all untouched, if out of memory. */
bool th__key_map_grow(th__key_map *map);

/* The number of the slot where the key is or would be. The map has slots. */
static inline uint32_t th__key_map_slot(const th__key_map *map, uint64_t key)
{
    uint32_t slot = (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> map->shift);
    while (map->slots[slot].round == map->round && map->slots[slot].key != key)
        slot = (slot + 1) & map->mask;
    return slot;
}

/* 0 when the key is not there. */
static inline uint32_t th__key_map_get(const th__key_map *map, uint64_t key)
{
    if (!map->count)
        return 0;
    const th__key_slot *slot = &map->slots[th__key_map_slot(map, key)];
    return slot->round == map->round ? slot->value : 0;
}

/* Sets the value, not 0, of a key. False if out of memory. */
static inline bool th__key_map_put(th__key_map *map, uint64_t key, uint32_t value)
{
    if (2 * (uint64_t)map->count >= map->mask && !th__key_map_get(map, key) &&
        !th__key_map_grow(map))
        return false;
    th__key_slot *slot = &map->slots[th__key_map_slot(map, key)];
    map->count += slot->round != map->round;
    *slot = (th__key_slot){key, value, map->round};
    return true;
}

/* The value of a key; a key that is new gets the count of keys, itself included. 0 if out of
 * memory.
 */
static inline uint32_t th__key_map_number(th__key_map *map, uint64_t key)
{
    if (2 * (uint64_t)map->count >= map->mask && !th__key_map_grow(map))
        return 0;
    th__key_slot *slot = &map->slots[th__key_map_slot(map, key)];
    if (slot->round != map->round)
        *slot = (th__key_slot){key, ++map->count, map->round};
    return slot->value;
}

#endif
