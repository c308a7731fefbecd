/* vec.c: growing arrays. */
#include "base/vec.h"

#include <stdint.h>

bool th__vec_grow(void **data, size_t *cap, size_t need, size_t item_size)
{
    size_t grown = *cap < 8 ? 8 : *cap <= SIZE_MAX / 2 ? *cap + *cap / 2 : SIZE_MAX;
    if (grown < need)
        grown = need;
    void *moved = th__mem_resize(*data, grown, item_size);
    if (!moved)
        return false;
    *data = moved;
    *cap = grown;
    return true;
}
