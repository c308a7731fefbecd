/*
 * bench_growth.c: hostile inputs of 1, 4, 16 and 64 MB must cost at most 1.3 times linear.
 *
 * usage: bench_growth [--quick] [NAME-PART]...
 *        bench_growth --alone NAME
 *
 * What is measured. Processor time per byte of five stages over each input: scan, parse (decode,
 * scan, tree), attributes, text of the document, fine tokens. The best of several runs counts,
 * since other work on the machine only ever adds time; a row that is above the limit is measured
 * again, last in a process of its own, before it is called so, and a run of less than 10 ms is
 * repeated until it has taken that long.
 *
 * What "1.3 times linear" means. The cost of a byte at the largest size, divided by that at a small
 * one, is at most 1.3. A quadratic step shows as a factor of 64 between 1 and 64 MB, n log n as one
 * of about 1.3. What else grows with the size is the machine and not the algorithm, and is kept
 * out:
 *   - 1 MB stays in the caches and 64 MB do not, and a search through the input runs at the speed
 * of what holds it: so every run, at any size, begins with the input out of the caches;
 *   - the tokens, nodes and texts that are made (up to ten times the input) stay in the caches at
 *     1 MB as well: so both ratios are printed, against 1 MB and against 4 MB, where they mostly do
 *     not, and a row fails when it is above the limit against both;
 *   - a search that is as fast as memory, and reads the input twice (to decode and to scan it),
 * finds 1 MB in the caches the second time: so a row is fine as long as it costs less than reading
 * the largest input four times from memory, which is measured first;
 *   - the C library gives large blocks back to the system, which hands out new ones page by page
 * and at more cost than parsing: so memory is kept in the process (mallopt).
 */
#include <malloc.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "growth.h"

#define LIMIT 1.3
#define LEAST 0.01 /* seconds that are worth measuring */
enum { MB = 1000000, SIZES = 4, RUNS = 2, TRIES = 6, PASSES = 4 };
static const unsigned sizes[SIZES] = {1, 4, 16, 64};

static struct growth *growth;
static double floor_cost; /* ns a byte that reading the input PASSES times from memory takes */

static void measure(const struct hostile *input, unsigned megabytes, int stage, int runs,
                    double best[GROWTH_STAGES])
{
    if (!growth_measure(growth, input, (size_t)megabytes * MB, stage, runs, LEAST, best))
        bench_fail("out of memory");
}

static bool above(double (*cost)[GROWTH_STAGES], int count, int stage)
{
    double last = cost[count - 1][stage];
    return last > LIMIT * cost[0][stage] && last > LIMIT * cost[1][stage] && last > floor_cost;
}

/* Measures an input at the first `count` sizes and prints its rows. */
static bool check(const struct hostile *input, int count)
{
    double cost[SIZES][GROWTH_STAGES] = {{0}};
    bool fine = true;
    for (int size = 0; size < count; size++)
        measure(input, sizes[size], GROWTH_ALL, RUNS, cost[size]);
    for (int stage = 0; stage < GROWTH_STAGES; stage++) {
        for (int i = 0; i < TRIES && above(cost, count, stage); i++) {
            measure(input, sizes[0], stage, 1, cost[0]);
            measure(input, sizes[1], stage, 1, cost[1]);
            measure(input, sizes[count - 1], stage, 1, cost[count - 1]);
        }
        bool bad = above(cost, count, stage);
        double last = cost[count - 1][stage];
        printf("%-34s %-10s", stage ? "" : input->name, growth_stages[stage]);
        for (int size = 0; size < count; size++)
            printf(" %7.3f", cost[size][stage]);
        printf("  %5.2f %5.2f%s\n", last / cost[0][stage], last / cost[1][stage],
               bad ? "  TOO MUCH" : "");
        fine &= !bad;
    }
    fflush(stdout);
    return fine;
}

/* Measures an input again in a process of its own: after many inputs memory lies in pieces, and the
 * largest outputs cost more than the input is to blame for. */
static bool is_fine_alone(const char *name)
{
    char *words[] = {"bench_growth", "--alone", (char *)name, NULL};
    pid_t child;
    int status;
    printf("again, in a process of its own:\n");
    fflush(stdout);
    return posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ) == 0 &&
           waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool wanted(const char *name, char **parts, bool whole)
{
    for (char **part = parts; *part; part++)
        if (whole ? !strcmp(name, *part) : strstr(name, *part) != NULL)
            return true;
    return !*parts;
}

int main(int argc, char **argv)
{
    int count = SIZES, rows = 0, failed = 0;
    char **parts = argv + 1;
    bool alone = *parts && !strcmp(*parts, "--alone");
    parts += alone;
    if (*parts && !strcmp(*parts, "--quick")) {
        count = SIZES - 1;
        parts++;
    }
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT32_MAX);
    mallopt(M_TOP_PAD, 64 << 20);
    growth = growth_new();
    if (!growth)
        bench_fail("out of memory");
    floor_cost = PASSES * growth_read_cost(growth, (size_t)sizes[count - 1] * MB);
    printf("up to %.3f ns a byte, what reading memory %d times takes, are never too much\n",
           floor_cost, PASSES);
    printf("ns a byte at 1, 4, 16 and 64 MB; the largest against 1 MB and against 4 MB\n");
    for (size_t i = 0; i < hostile_count; i++) {
        const char *name = hostile_inputs[i].name;
        if (!wanted(name, parts, alone))
            continue;
        rows++;
        failed += !check(&hostile_inputs[i], count) && (alone || !is_fine_alone(name));
    }
    printf("%d inputs, %d of them cost more than %.1f times linear\n", rows, failed, LIMIT);
    growth_free(growth);
    return rows == 0 || failed > 0;
}
