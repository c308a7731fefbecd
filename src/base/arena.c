/* arena.c: memory that is freed whole. */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"

enum { FIRST_BLOCK = 1024, LARGEST_STEP = 1 << 20, ALIGN = 16, HALF = 8 };

/* Builds with asserts are those that memory checkers run on. There each allocation is a block of
 * its own and no block is used twice, so that a checker sees every bound, and every read of a byte
 * that was never written. */
#ifdef NDEBUG
enum { CHECKED = 0 };
#else
enum { CHECKED = 1 };
#endif

struct th__arena_block {
    th__arena_block *older;
    size_t size; /* of data */
    _Alignas(16) char data[];
};

void th__arena_init(th__arena *arena)
{
    *arena = (th__arena){.block_size = FIRST_BLOCK};
}

void th__arena_release(th__arena *arena)
{
    for (th__arena_block *block = arena->newest; block;) {
        th__arena_block *older = block->older;
        th__mem_free(block);
        block = older;
    }
    th__arena_init(arena);
}

void th__arena_clear(th__arena *arena)
{
    th__arena_block *kept = arena->newest;
    if (CHECKED)
        th__arena_release(arena);
    if (CHECKED || !kept)
        return;
    arena->newest = kept->older;
    size_t step = arena->block_size;
    th__arena_release(arena);
    kept->older = NULL;
    *arena = (th__arena){kept, kept->data, kept->data + kept->size, step, kept->size};
}

static bool open_block(th__arena *arena, size_t size)
{
    if (size > SIZE_MAX - sizeof(th__arena_block))
        return false;
    th__arena_block *block = th__mem_alloc(sizeof *block + size);
    if (!block)
        return false;
    block->older = arena->newest;
    block->size = size;
    arena->newest = block;
    arena->at = block->data;
    arena->end = block->data + size;
    arena->total += size;
    return true;
}

bool th__arena_reserve(th__arena *arena, size_t size)
{
    return CHECKED || (size_t)(arena->end - arena->at) >= size || open_block(arena, size);
}

void *th__arena_alloc(th__arena *arena, size_t size)
{
    if (size > SIZE_MAX - ALIGN)
        return NULL;
    if (CHECKED)
        return open_block(arena, size) ? arena->newest->data : NULL;
    /* What needs 16 bytes of alignment has a multiple of 16 bytes. */
    size = size ? (size + HALF - 1) / HALF * HALF : ALIGN;
    size_t gap = size % ALIGN ? 0 : (uintptr_t)arena->at % ALIGN;
    if ((size_t)(arena->end - arena->at) < gap + size) {
        size_t step = arena->block_size ? arena->block_size : FIRST_BLOCK;
        if (!open_block(arena, size > step ? size : step))
            return NULL;
        arena->block_size = step < LARGEST_STEP ? step * 2 : step;
        gap = 0; /* a block begins aligned */
    }
    void *memory = arena->at + gap;
    arena->at += gap + size;
    return memory;
}

void *th__arena_zero(th__arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    void *memory = th__arena_alloc(arena, count * size);
    if (memory)
        memset(memory, 0, count * size);
    return memory;
}

void *th__arena_keep(th__arena *arena, const void *items, size_t count, size_t size)
{
    char *copy = th__arena_alloc(arena, (count + 1) * size);
    if (copy && count)
        memcpy(copy, items, count * size);
    if (copy)
        memset(copy + count * size, 0, size);
    return copy;
}

th_str th__arena_copy(th__arena *arena, th_str text)
{
    char *copy = text.len < SIZE_MAX ? th__arena_alloc(arena, text.len + 1) : NULL;
    if (!copy)
        return (th_str){0};
    if (text.len)
        memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return (th_str){copy, text.len};
}
