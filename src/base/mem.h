/* mem.h: the one door to the heap. Every allocation may fail, and tests make each of them fail. */
#ifndef TH_MEM_H
#define TH_MEM_H

#include <stddef.h>

/* Allocates, resizes (memory may be NULL) and frees. NULL if out of memory; then the old
 * block is untouched. Size 0 is taken as 1. */
void *th__mem_alloc(size_t size);
void *th__mem_zero(size_t count, size_t size);
void *th__mem_resize(void *memory, size_t count, size_t size);
void th__mem_free(void *memory);
/* A NUL-terminated copy. */
char *th__mem_copy(const char *text, size_t len);

#define TH__NEW(type)          ((type *)th__mem_zero(1, sizeof(type)))
#define TH__NEW_ARRAY(type, n) ((type *)th__mem_resize(NULL, (n), sizeof(type)))

#endif
