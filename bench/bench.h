/* bench.h: loading pages and taking times, for the programs of this folder. */
#ifndef TH_BENCH_H
#define TH_BENCH_H

#include <thresh.h>

struct bench_pages {
    th_str *data;
    unsigned *folder; /* by page: a number of the folder it is in */
    size_t count, cap;
    unsigned folders;
    size_t bytes;
};

/* A whole file, with a zero byte behind it. */
th_str bench_read(const char *path);
/* Adds every .htm and .html file below a folder. */
void bench_load(struct bench_pages *pages, const char *folder);
/* Adds one file, in folder number `folders`. */
void bench_load_file(struct bench_pages *pages, const char *path);
/* What the processor has spent on this thread, in seconds. */
double bench_processor_time(void);
/* The shortest of several runs, in seconds of the processor, all threads together: other programs
 * on the machine disturb it little. */
double bench_best(void (*run)(void), int rounds);
/* The sum over `count` pages of the shortest of several runs over each, in the same seconds. All
 * pages are run before one is run again. */
double bench_best_each(void (*run)(size_t page), size_t count, int rounds);
_Noreturn void bench_fail(const char *message);

#endif
