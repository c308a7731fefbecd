/* alloc_fail.c: makes every allocation of a piece of work fail in turn. */
#include "alloc_fail.h"

#include <stdatomic.h>

#include "test.h"

/* Shared by the threads of the work, if it has several. */
typedef struct failing_heap {
    atomic_size_t calls; /* allocations and growths asked for, from 1 */
    atomic_long live;    /* blocks not yet freed */
    size_t fail_at;      /* the call that fails; 0 for none */
    bool fail_on;        /* ... and all after it */
} failing_heap;

static void *resize(void *context, void *memory, size_t size)
{
    failing_heap *heap = context;
    if (size == 0) {
        heap->live -= memory != NULL;
        free(memory);
        return NULL;
    }
    size_t call = ++heap->calls;
    if (heap->fail_at && (heap->fail_on ? call >= heap->fail_at : call == heap->fail_at))
        return NULL;
    void *moved = realloc(memory, size);
    heap->live += moved && !memory;
    return moved;
}

/* One run; true when it did right. */
static bool run(th_test_work work, void *context, failing_heap *heap, char why[256])
{
    th_set_allocator(resize, heap);
    th_status status = work(context);
    th_set_allocator(NULL, NULL);
    char when[64] = "no allocation failed";
    bool hit = heap->fail_at && heap->calls >= heap->fail_at;
    if (hit)
        snprintf(when, sizeof when, "%s %zu failed",
                 heap->fail_on ? "all allocations from" : "allocation", heap->fail_at);
    if (heap->live)
        snprintf(why, 256, "%ld blocks not freed where %s", (long)heap->live, when);
    else if (status != TH_OK && (!hit || status != TH_ERR_MEMORY))
        snprintf(why, 256, "status %s where %s", th_status_name(status), when);
    else
        return true;
    return false;
}

/* Moves the place of failure through the work. */
static bool sweep(th_test_work work, void *context, bool fail_on, size_t step, char why[256])
{
    for (size_t at = 1;; at += step) {
        failing_heap heap = {.fail_at = at, .fail_on = fail_on};
        if (!run(work, context, &heap, why))
            return false;
        if (heap.calls < at)
            return true;
    }
}

bool th_test_survives_allocation_failures(th_test_work work, void *context, size_t most,
                                          size_t *count, char why[256])
{
    failing_heap heap = {0};
    if (!run(work, context, &heap, why))
        return false;
    size_t calls = heap.calls, step = most && calls > most ? (calls + most - 1) / most : 1;
    if (count)
        *count = calls;
    return sweep(work, context, false, step, why) && sweep(work, context, true, step, why);
}

void th_test_some_allocations_fail(th_test_work work, void *context, size_t most)
{
    char why[256];
    size_t count;
    if (!th_test_survives_allocation_failures(work, context, most, &count, why))
        fail_msg("%s", why);
    if (count == 0)
        fail_msg("the work allocates nothing, so nothing was tried");
}

void th_test_each_allocation_fails(th_test_work work, void *context)
{
    th_test_some_allocations_fail(work, context, 0);
}

th_status th_test_same_answer(const char *answer, size_t len, uint64_t *first)
{
    uint64_t own = UINT64_C(14695981039346656037); /* FNV-1a */
    for (size_t i = 0; i < len; i++)
        own = (own ^ (unsigned char)answer[i]) * UINT64_C(1099511628211);
    if (!*first)
        *first = own;
    return *first == own ? TH_OK : TH_ERR_FORMAT;
}
