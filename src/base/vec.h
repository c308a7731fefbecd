/*
 * vec.h: typed growing arrays.
 *
 *     TH__VEC(uint32_t) ids = {0};
 *     if (!th__vec_push(&ids, 7)) ... out of memory
 *     ids.data[i], ids.len
 *     th__vec_release(&ids);
 */
#ifndef TH_VEC_H
#define TH_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

#define TH__VEC(type)                                                                              \
    struct {                                                                                       \
        type *data;                                                                                \
        size_t len, cap;                                                                           \
    }

/* Grows the array behind `data` to hold `need` items; false, with all untouched, if out of memory.
 */
bool th__vec_grow(void **data, size_t *cap, size_t need, size_t item_size);

#define th__vec_reserve(v, more)                                                                   \
    ((v)->cap - (v)->len >= (size_t)(more) ||                                                      \
     th__vec_grow((void **)&(v)->data, &(v)->cap, (v)->len + (size_t)(more), sizeof *(v)->data))
#define th__vec_push(v, ...)                                                                       \
    (th__vec_reserve((v), 1) ? ((v)->data[(v)->len++] = (__VA_ARGS__), true) : false)
#define th__vec_release(v) (th__mem_free((v)->data), (v)->data = NULL, (v)->len = (v)->cap = 0)

/* How many of `count` things in order come first: `first`, which uses `i`, is true of those. */
#define th__count_first(i, count, first)                                                           \
    ({                                                                                             \
        size_t low_ = 0, high_ = (count);                                                          \
        while (low_ < high_) {                                                                     \
            size_t i = low_ + (high_ - low_) / 2;                                                  \
            if (first)                                                                             \
                low_ = i + 1;                                                                      \
            else                                                                                   \
                high_ = i;                                                                         \
        }                                                                                          \
        low_;                                                                                      \
    })

/* Negative if a comes before b, positive if behind it. A comparison by several things is a chain:
 * th__order(a->page, b->page) ?: th__order(a->at, b->at). */
#define th__order(a, b) (((a) > (b)) - ((a) < (b)))

/* The order of 64-bit numbers, for qsort and bsearch. */
static inline int th__by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The same of nodes, which have 32 bits. */
static inline int th__by_node(const void *a, const void *b)
{
    return th__order(*(const uint32_t *)a, *(const uint32_t *)b);
}

#endif
