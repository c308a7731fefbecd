/* bench.c: loading pages and taking times. */
#include "bench.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Noreturn void bench_fail(const char *message)
{
    fprintf(stderr, "bench: %s\n", message);
    exit(1);
}

th_str bench_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        bench_fail(path);
    long size = ftell(file);
    rewind(file);
    char *data = malloc((size_t)size + 1);
    if (!data || fread(data, 1, (size_t)size, file) != (size_t)size)
        bench_fail(path);
    fclose(file);
    data[size] = '\0';
    return (th_str){data, (size_t)size};
}

static void load_file(struct bench_pages *pages, unsigned folder, const char *path)
{
    th_str data = bench_read(path);
    if (pages->count == pages->cap) {
        pages->cap = pages->cap ? pages->cap * 2 : 256;
        pages->data = realloc(pages->data, pages->cap * sizeof *pages->data);
        pages->folder = realloc(pages->folder, pages->cap * sizeof *pages->folder);
        if (!pages->data || !pages->folder)
            bench_fail("out of memory");
    }
    pages->folder[pages->count] = folder;
    pages->data[pages->count++] = data;
    pages->bytes += data.len;
}

void bench_load_file(struct bench_pages *pages, const char *path)
{
    load_file(pages, pages->folders, path);
}

static int is_page(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (!strcmp(dot, ".htm") || !strcmp(dot, ".html"));
}

void bench_load(struct bench_pages *pages, const char *folder)
{
    struct dirent **entries;
    unsigned number = pages->folders++;
    int count = scandir(folder, &entries, NULL, alphasort);
    if (count < 0)
        bench_fail(folder);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] == '.')
            ;
        else if (entries[i]->d_type == DT_DIR)
            bench_load(pages, path);
        else if (is_page(path))
            load_file(pages, number, path);
        free(entries[i]);
    }
    free(entries);
}

static double seconds_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

double bench_best(void (*run)(void), int rounds)
{
    double best = 0;
    for (int i = 0; i < rounds; i++) {
        double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        run();
        double taken = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
        best = !i || taken < best ? taken : best;
    }
    return best;
}

double bench_processor_time(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double bench_best_each(void (*run)(size_t page), size_t count, int rounds)
{
    double *best = calloc(count ? count : 1, sizeof *best), sum = 0;
    if (!best)
        bench_fail("out of memory");
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < count; i++) {
            double start = bench_processor_time();
            run(i);
            double taken = bench_processor_time() - start;
            if (round == 0 || taken < best[i])
                best[i] = taken;
        }
    for (size_t i = 0; i < count; i++)
        sum += best[i];
    free(best);
    return sum;
}
