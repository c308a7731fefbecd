/* zlib_memory.h: zlib's allocations go through base/mem.h like all others. */
#ifndef TH_ZLIB_MEMORY_H
#define TH_ZLIB_MEMORY_H

#include <zlib.h>

#include "base/mem.h"

static inline voidpf th__zlib_alloc(voidpf context, uInt count, uInt size)
{
    return th__mem_resize(NULL, count, size);
}

static inline void th__zlib_free(voidpf context, voidpf memory)
{
    th__mem_free(memory);
}

#define TH__ZLIB_INIT ((z_stream){.zalloc = th__zlib_alloc, .zfree = th__zlib_free})

#endif
