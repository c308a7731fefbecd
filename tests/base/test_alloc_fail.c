/* The harness that makes allocations fail catches what it is there to catch, and base survives it.
 */
#include "alloc_fail.h"
#include "test.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/stats.h"
#include "base/str.h"
#include "base/vec.h"

static th_status careful(void *context)
{
    void *first = th__mem_alloc(10), *second = first ? th__mem_alloc(20) : NULL;
    void *grown = second ? th__mem_resize(second, 30, 1) : NULL;
    th__mem_free(grown ? grown : second);
    th__mem_free(first);
    ++*(size_t *)context;
    return grown ? TH_OK : TH_ERR_MEMORY;
}

static th_status leaks_on_failure(void *context)
{
    void *first = th__mem_alloc(10), *second = th__mem_alloc(20);
    if (!second) {
        *(void **)context = first; /* not freed here, but by the test */
        return TH_ERR_MEMORY;
    }
    th__mem_free(first);
    th__mem_free(second);
    return TH_OK;
}

static th_status leaks_always(void *context)
{
    *(void **)context = th__mem_alloc(10);
    return TH_OK;
}

static th_status blames_the_disk(void *context)
{
    void *memory = th__mem_alloc(10);
    th__mem_free(memory);
    return memory ? TH_OK : TH_ERR_IO;
}

static th_status fails_anyway(void *context)
{
    return TH_ERR_MEMORY;
}

/* Survives any one failure, but not a second. */
static th_status tries_twice(void *context)
{
    void *memory = th__mem_alloc(10);
    if (!memory)
        memory = th__mem_alloc(5);
    th__mem_free(memory);
    return memory ? TH_OK : TH_ERR_FORMAT;
}

static void careful_work_passes(void **state)
{
    size_t runs = 0, count;
    char why[256];
    assert_true(th_test_survives_allocation_failures(careful, &runs, 0, &count, why));
    assert_int_equal(count, 3);
    assert_int_equal(runs, 1 + 4 + 4);
    runs = 0;
    assert_true(th_test_survives_allocation_failures(careful, &runs, 2, &count, why));
    assert_int_equal(runs, 1 + 3 + 3);
}

static void careless_work_is_caught(void **state)
{
    char why[256];
    void *leaked = NULL;
    assert_false(th_test_survives_allocation_failures(leaks_on_failure, &leaked, 0, NULL, why));
    assert_string_equal(why, "1 blocks not freed where allocation 2 failed");
    th__mem_free(leaked);
    assert_false(th_test_survives_allocation_failures(leaks_always, &leaked, 0, NULL, why));
    assert_string_equal(why, "1 blocks not freed where no allocation failed");
    th__mem_free(leaked);
    assert_false(th_test_survives_allocation_failures(blames_the_disk, NULL, 0, NULL, why));
    assert_string_equal(why, "status io where allocation 1 failed");
    assert_false(th_test_survives_allocation_failures(fails_anyway, NULL, 0, NULL, why));
    assert_string_equal(why, "status memory where no allocation failed");
    assert_false(th_test_survives_allocation_failures(tries_twice, NULL, 0, NULL, why));
    assert_string_equal(why, "status format where all allocations from 1 failed");
}

/* A little of everything in base that allocates. */
static th_status use_base(void *context)
{
    th__arena arena;
    th__intern names;
    th__buf buf = {0};
    TH__VEC(uint32_t) vec = {0};
    double p[] = {0.2, 0.1};
    bool ok = true;
    th__arena_init(&arena);
    th__intern_init(&names);
    for (uint32_t i = 0; i < 100 && ok; i++)
        ok = th__buf_printf(&buf, "name %u", i) && th__vec_push(&vec, i) &&
             th__arena_zero(&arena, i, 8) && th__arena_copy(&arena, th__buf_str(&buf)).ptr &&
             th__intern_add(&names, th__buf_str(&buf)) == i;
    ok = ok && th__adjust_holm(p, 2);
    th__vec_release(&vec);
    th__buf_release(&buf);
    th__intern_release(&names);
    th__arena_release(&arena);
    return ok ? TH_OK : TH_ERR_MEMORY;
}

static void base_survives(void **state)
{
    th_test_each_allocation_fails(use_base, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(careful_work_passes),
        cmocka_unit_test(careless_work_is_caught),
        cmocka_unit_test(base_survives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
