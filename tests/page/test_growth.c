/*
 * No input costs more than linear time: 4 times the bytes of each hostile input may cost at most
 * 2.5 times as much a byte, where a quadratic step would cost 4 times. bench/bench_growth.c asks
 * for 1.3 at 64 times the bytes; this is what can be asked for on a busy machine in a second or
 * two.
 */
#include "test.h"

#include "growth.h"

#define MOST  2.5
#define LEAST 0.0002 /* seconds that are worth measuring */
enum { SMALL = 100000, LARGE = 4 * SMALL, TRIES = 12 };

static void linear(void **unused)
{
    struct growth *growth = growth_new();
    assert_non_null(growth);
    for (size_t i = 0; i < hostile_count; i++) {
        const struct hostile *input = &hostile_inputs[i];
        double small[GROWTH_STAGES] = {0}, large[GROWTH_STAGES] = {0};
        assert_true(growth_measure(growth, input, SMALL, GROWTH_ALL, 1, LEAST, small));
        assert_true(growth_measure(growth, input, LARGE, GROWTH_ALL, 1, LEAST, large));
        for (int stage = 0; stage < GROWTH_STAGES; stage++) {
            for (int again = 0; again < TRIES && large[stage] > MOST * small[stage]; again++)
                assert_true(growth_measure(growth, input, LARGE, stage, 2, LEAST, large));
            if (large[stage] > MOST * small[stage])
                fail_msg("%s, %s: %.2f ns a byte at %d bytes, %.2f at %d", input->name,
                         growth_stages[stage], small[stage], SMALL, large[stage], LARGE);
        }
    }
    growth_free(growth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(linear)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
