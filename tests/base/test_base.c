/* Arenas, text views, buffers, vectors, interning, errors. */
#include "test.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"

static void arena_gives_aligned_memory_and_reuses_it(void **state)
{
    th__arena arena;
    th__arena_init(&arena);
    for (size_t size = 0; size < 5000; size += 37) {
        char *memory = th__arena_alloc(&arena, size);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % (size % 16 ? 8 : 16), 0);
        memset(memory, 0xAA, size);
    }
    for (size_t size = 1; size < 200; size++) { /* to the end of blocks of any size */
        assert_true(th__arena_reserve(&arena, 900 + size));
        for (size_t i = 0; i < 900; i += 24) {
            char *memory = th__arena_alloc(&arena, i % 48 ? 16 : 8);
            assert_non_null(memory);
            assert_int_equal((uintptr_t)memory % (i % 48 ? 16 : 8), 0);
            assert_true(memory + (i % 48 ? 16 : 8) <= arena.end);
            memset(memory, 0xAA, i % 48 ? 16 : 8);
        }
    }
    th__arena_clear(&arena);
    size_t before = arena.total;
    assert_non_null(th__arena_alloc(&arena, 16));
#ifdef NDEBUG /* else nothing is used twice, for checkers to see */
    assert_int_equal(arena.total, before);
#else
    assert_int_equal(before, 0);
#endif
    assert_null(th__arena_alloc(&arena, SIZE_MAX - 3));
    assert_string_equal(th__arena_copy(&arena, TH_STR("abc")).ptr, "abc");
    th__arena_release(&arena);
}

static void views_compare_trim_and_find(void **state)
{
    assert_true(th__str_eq_nocase(TH_STR("DiV"), TH_STR("dIv")));
    assert_false(th__str_eq_nocase(TH_STR("div"), TH_STR("di")));
    assert_false(th__str_eq_nocase(TH_STR("@"), TH_STR("`")));
    assert_true(th__str_starts_nocase(TH_STR("HTTP://x"), TH_STR("http:")));
    assert_true(th__str_ends_nocase(TH_STR("a.HTML"), TH_STR(".html")));
    th_str trimmed = th__str_trim(TH_STR(" \t\r\n\fab c\n "));
    assert_true(th__str_eq(trimmed, TH_STR("ab c")));
    assert_int_equal(th__str_trim(TH_STR(" \n")).len, 0);
    assert_int_equal(th__str_find(TH_STR("abcabd"), TH_STR("abd")), 3);
    assert_true(th__str_find(TH_STR("abc"), TH_STR("x")) == SIZE_MAX);
}

static void hashes_differ_and_repeat(void **state)
{
    assert_int_equal(th__hash("abc", 3), th__hash("abc", 3));
    assert_true(th__hash("abc", 3) != th__hash("abd", 3));
    assert_true(th__hash("", 0) != th__hash("\0", 1));
    assert_true(th__hash_mix(1, 2) != th__hash_mix(2, 1));
}

static void buffer_grows_and_formats(void **state)
{
    th__buf buf = {0};
    for (int i = 0; i < 1000; i++)
        assert_true(th__buf_printf(&buf, "%d,", i));
    assert_int_equal(buf.len, 10 * 2 + 90 * 3 + 900 * 4);
    assert_memory_equal(buf.data + buf.len - 8, "998,999,", 8);
    th__buf_clear(&buf);
    assert_true(th__buf_add_str(&buf, TH_STR("ab")) && th__buf_add_byte(&buf, 'c'));
    assert_true(th__str_eq(th__buf_str(&buf), TH_STR("abc")));
    assert_false(th__buf_reserve(&buf, SIZE_MAX));
    assert_true(buf.failed);
    assert_false(th__buf_add_byte(&buf, 'd'));
    th__buf_release(&buf);
}

static void vector_pushes(void **state)
{
    TH__VEC(uint32_t) vec = {0};
    for (uint32_t i = 0; i < 1000; i++)
        assert_true(th__vec_push(&vec, i * i));
    assert_int_equal(vec.len, 1000);
    assert_int_equal(vec.data[999], 999 * 999);
    th__vec_release(&vec);
}

static void interning_gives_ids_in_order(void **state)
{
    th__intern table;
    th__intern_init(&table);
    char name[16];
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 500; i++) {
            int len = snprintf(name, sizeof name, "n%d", i);
            assert_int_equal(th__intern_add(&table, (th_str){name, (size_t)len}), i);
        }
    assert_int_equal(th__intern_find(&table, TH_STR("n77")), 77);
    assert_int_equal(th__intern_find(&table, TH_STR("absent")), TH__INTERN_NONE);
    assert_true(th__str_eq(th__intern_name(&table, 499), TH_STR("n499")));
    th__intern_release(&table);
}

static void maps_grow_and_are_cleared(void **state)
{
    th__arena arena;
    th__arena_init(&arena);
    th__key_map heap = {0}, fixed;
    assert_int_equal(th__key_map_get(&heap, 7), 0);
    assert_true(th__key_map_init(&fixed, &arena, 4));
    for (int round = 0; round < 3; round++) {
        for (uint64_t key = 0; key < 1000; key++) {
            assert_int_equal(th__key_map_number(&heap, key << 32), key + 1);
            assert_true(th__key_map_put(&fixed, key * key, (uint32_t)key + 5));
        }
        assert_int_equal(th__key_map_number(&heap, UINT64_C(77) << 32), 78);
        assert_int_equal(th__key_map_get(&fixed, 30 * 30), 35);
        assert_int_equal(th__key_map_get(&fixed, 3), 0);
        assert_int_equal(heap.count, 1000);
        th__key_map_clear(&heap);
        assert_int_equal(th__key_map_get(&heap, 0), 0);
        heap.round = round ? UINT32_MAX : heap.round; /* clearing must survive the last round */
        th__key_map_clear(&fixed);
    }
    th__key_map_release(&heap);
    th__arena_release(&arena);
}

static void errors_are_complete_and_cut_at_characters(void **state)
{
    th_error err;
    assert_int_equal(th__fail_at(&err, TH_ERR_FORMAT, 12, "bad\nline %d", 3), TH_ERR_FORMAT);
    assert_string_equal(err.message, "bad line 3");
    assert_int_equal(err.offset, 12);
    char text[3 * 600 + 1] = "";
    for (int i = 0; i < 600; i++)
        memcpy(text + 3 * i, "\xE2\x82\xAC", 4);
    th__fail(&err, TH_ERR_IO, "%s", text);
    assert_int_equal(strlen(err.message), 1023 / 3 * 3);
    assert_int_equal(th__fail(NULL, TH_ERR_IO, "x"), TH_ERR_IO);
    assert_string_equal(th_status_name(TH_ERR_CANCELLED), "cancelled");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_gives_aligned_memory_and_reuses_it),
        cmocka_unit_test(views_compare_trim_and_find),
        cmocka_unit_test(hashes_differ_and_repeat),
        cmocka_unit_test(buffer_grows_and_formats),
        cmocka_unit_test(vector_pushes),
        cmocka_unit_test(interning_gives_ids_in_order),
        cmocka_unit_test(maps_grow_and_are_cleared),
        cmocka_unit_test(errors_are_complete_and_cut_at_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
