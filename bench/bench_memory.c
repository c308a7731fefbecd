/*
 * bench_memory.c: malloc and its kin, with a count.
 *
 * The program's own malloc takes the place of the C library's, in the libraries it uses too. Blocks
 * count as large as the C library made them. Counting is off but for the runs that measure memory,
 * so that times are those of the C library's malloc.
 */
#include "bench_memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>

/* The C library's own, by the names it gives them for this purpose. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static bool counting;
static size_t used, peak;

void bench_memory_begin(void)
{
    used = peak = 0;
    counting = true;
}

size_t bench_memory_end(void)
{
    counting = false;
    return peak;
}

struct bench_memory bench_memory_each(void (*run)(size_t page), const struct bench_pages *pages)
{
    enum { SMALL = 32768 };
    struct bench_memory out = {0};
    size_t sum = 0;
    for (size_t i = 0; i < pages->count; i++) {
        bench_memory_begin();
        run(i);
        size_t most = bench_memory_end(), len = pages->data[i].len;
        double ratio = len >= SMALL ? (double)most / (double)len : 0;
        sum += most;
        out.worst = ratio > out.worst ? ratio : out.worst;
    }
    out.per_byte = pages->bytes ? (double)sum / (double)pages->bytes : 0;
    return out;
}

static void *taken(void *memory)
{
    if (counting && memory) {
        used += malloc_usable_size(memory);
        peak = used > peak ? used : peak;
    }
    return memory;
}

/* A block from before the count began does not count when it goes. */
static void given_back(size_t size)
{
    used -= size < used ? size : used;
}

void *malloc(size_t size)
{
    return taken(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return taken(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size)
{
    size_t old = counting && memory ? malloc_usable_size(memory) : 0;
    void *more = __libc_realloc(memory, size);
    if (counting && (more || !size))
        given_back(old);
    return taken(more);
}

void free(void *memory)
{
    if (counting && memory)
        given_back(malloc_usable_size(memory));
    __libc_free(memory);
}

void *memalign(size_t alignment, size_t size)
{
    return taken(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return taken(__libc_memalign(alignment, size));
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    *out = taken(__libc_memalign(alignment, size));
    return *out ? 0 : ENOMEM;
}
