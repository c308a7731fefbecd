/* bench_memory.h: the heap that a piece of work takes at most. */
#ifndef TH_BENCH_MEMORY_H
#define TH_BENCH_MEMORY_H

#include <stddef.h>

#include "bench.h"

/* Counts what is allocated from now on. */
void bench_memory_begin(void);
/* Stops counting. The most bytes that were in use at once since the beginning. */
size_t bench_memory_end(void);

struct bench_memory {
    double per_byte; /* the sum of the peaks of all pages, for each of their bytes */
    double worst;    /* of a page of 32 KB or more: a smaller one tells fixed costs */
};

/* What the work on each page takes. */
struct bench_memory bench_memory_each(void (*run)(size_t page), const struct bench_pages *pages);

#endif
