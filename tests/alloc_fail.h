/*
 * alloc_fail.h: makes every allocation of a piece of work fail in turn.
 *
 *     static th_status parse_once(void *context) { ... }
 *     th_test_each_allocation_fails(parse_once, &input);
 *
 * The work is run with its 1st allocation failing, then with its 2nd, and so on until it comes
 * through without meeting the failure; then again with all allocations from the k-th on failing, as
 * when memory has really run out. Each run must give TH_OK or TH_ERR_MEMORY and must have freed all
 * it took; the run that meets no failure must give TH_OK.
 *
 * The work frees its results itself and reports by its status: it must not assert, since leaving it
 * by a jump would leave the allocator in place. Only allocations through base/mem.h are seen.
 *
 * Link with alloc_fail (a variable of tests/meson.build).
 */
#ifndef TH_ALLOC_FAIL_H
#define TH_ALLOC_FAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <thresh.h>

typedef th_status (*th_test_work)(void *context);

/* Runs the work as told above and fails the running cmocka test where it does wrong. The cost is
 * the square of the number of allocations: give it small work. */
void th_test_each_allocation_fails(th_test_work work, void *context);

/* The same for larger work: at most `most` places of failure in each mode, evenly spread. */
void th_test_some_allocations_fail(th_test_work work, void *context, size_t most);

/* What the two above are made of: false where the work does wrong, with the reason in `why`. Gives
 * the number of allocations of an undisturbed run in *count (which may be NULL). */
bool th_test_survives_allocation_failures(th_test_work work, void *context, size_t most,
                                          size_t *count, char why[256]);

/* For work that gives an answer: TH_OK if it is the answer of the first call, which is to be made
 * while no allocation fails; else TH_ERR_FORMAT, which is wrong. Finds failures that nobody
 * reports. */
th_status th_test_same_answer(const char *answer, size_t len, uint64_t *first);

#endif
