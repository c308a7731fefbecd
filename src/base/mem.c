/* mem.c: allocation behind one replaceable function, and arrays that grow. */
#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <thresh.h>

/* The only process-wide state of the library, set once before use (as in SQLite): handing an
 * allocator through every call would be paid for on every line, and is wanted by tests alone. */
static void *(*resize_hook)(void *context, void *memory, size_t size);
static void *resize_context;

void th_set_allocator(void *(*resize)(void *context, void *memory, size_t size), void *context)
{
    resize_hook = resize;
    resize_context = context;
}

static void *resize(void *memory, size_t size)
{
    if (resize_hook)
        return resize_hook(resize_context, memory, size);
    if (size == 0) {
        free(memory);
        return NULL;
    }
    return realloc(memory, size);
}

void *th__mem_alloc(size_t size)
{
    return resize(NULL, size ? size : 1);
}

void *th__mem_zero(size_t count, size_t size)
{
    void *memory = th__mem_resize(NULL, count, size);
    if (memory)
        memset(memory, 0, count * size);
    return memory;
}

void *th__mem_resize(void *memory, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    size_t total = count * size;
    return resize(memory, total ? total : 1);
}

void th__mem_free(void *memory)
{
    if (memory)
        resize(memory, 0);
}

char *th__mem_copy(const char *text, size_t len)
{
    char *copy = len < SIZE_MAX ? th__mem_alloc(len + 1) : NULL;
    if (copy) {
        if (len)
            memcpy(copy, text, len);
        copy[len] = '\0';
    }
    return copy;
}

bool th__vec_grow(void **data, size_t *cap, size_t need, size_t item_size)
{
    enum { SMALL = 1024 }; /* items: to move them often costs more than the room */
    size_t grown = *cap < 8               ? 8
                   : *cap <= SMALL        ? *cap * 2
                   : *cap <= SIZE_MAX / 2 ? *cap + *cap / 2
                                          : SIZE_MAX;
    if (grown < need)
        grown = need;
    void *moved = th__mem_resize(*data, grown, item_size);
    if (!moved)
        return false;
    *data = moved;
    *cap = grown;
    return true;
}
