/*
 * arena.h: memory that is freed whole.
 *
 * Blocks hang in a list; an allocation is cut from the newest or opens another.
 *
 *     arena ──▶ block 3 ──▶ block 2 ──▶ block 1
 *               [used|free]
 */
#ifndef TH_ARENA_H
#define TH_ARENA_H

#include <stddef.h>
#include <thresh.h>

typedef struct th__arena_block th__arena_block;

typedef struct th__arena {
    th__arena_block *newest;
    char *at, *end;    /* the free part of the newest block */
    size_t block_size; /* of the next block; doubles up to a limit */
    size_t total;      /* bytes taken from the heap */
} th__arena;

void th__arena_init(th__arena *arena);
void th__arena_release(th__arena *arena);
/* Forgets all allocations but keeps the newest block for reuse. */
void th__arena_clear(th__arena *arena);

/* size bytes aligned for any type of that size, not cleared; NULL if out of memory. */
void *th__arena_alloc(th__arena *arena, size_t size);
/* count * size, cleared. */
void *th__arena_zero(th__arena *arena, size_t count, size_t size);
/* A copy of an array, with room for one item more, which is zero; NULL if out of memory. */
void *th__arena_keep(th__arena *arena, const void *items, size_t count, size_t size);
/* A NUL-terminated copy of text; the absent view if out of memory. */
th_str th__arena_copy(th__arena *arena, th_str text);
/* Makes the next block hold at least size bytes: for a caller that knows what it will need. */
bool th__arena_reserve(th__arena *arena, size_t size);

#endif
