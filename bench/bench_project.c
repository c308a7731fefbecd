/*
 * bench_project.c: how long the project file takes.
 *
 *     make bench T=project
 *
 * One million records in runs of 10,000, and one page added to a project that has 100,000, each as
 * its own transaction that is on the disk when it returns. Seconds of the clock: the disk counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

enum { RECORDS = 1000000, RUN = 10000, PAGES = 100000, TRIES = 21 };

static th_error err;

static void must(th_status status)
{
    if (status)
        bench_fail(err.message);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static th_schema *make_schema(void)
{
    static const char *const names[] = {"title", "author", "price", "link"};
    th_schema *schema;
    th_type *members[4];
    must(th_schema_new(&schema, &err));
    for (size_t i = 0; i < 4; i++)
        members[i] = th_schema_field(schema, th_str_from(names[i]), TH_NOTE_TEXT);
    th_type *row = th_schema_tuple(schema, (th_str){0}, members, 4);
    must(th_schema_finish(schema, th_schema_list(schema, (th_str){0}, row), &err));
    return schema;
}

static th_records *make_records(const th_schema *schema)
{
    th_records *records;
    char text[80];
    th_records_source source = {.page = th_str_from("shop/page.html")};
    must(th_records_new(schema, &source, &records, &err));
    for (unsigned i = 0; i < RUN; i++) {
        th_value *row = th_records_add(records);
        for (unsigned column = 0; column < 4; column++) {
            snprintf(text, sizeof text, "a value of some length, number %u in column %u", i,
                     column);
            th_records_set_text(records, th_value_slot(row, column), th_str_from(text),
                                (th_span){0, 0});
        }
    }
    must(th_records_status(records, &err));
    return records;
}

static double add_records(th_project *project)
{
    th_schema *schema = make_schema();
    th_records *records = make_records(schema);
    th_project_run info = {.site = th_str_from("shop"), .command = th_str_from("bench")};
    double start = now();
    for (unsigned i = 0; i < RECORDS / RUN; i++) {
        th_run *run;
        must(th_run_begin(project, &info, &run, &err));
        must(th_run_add(run, records, &err));
        must(th_run_finish(run, &(th_project_run){.pages = 1}, NULL, &err));
        th_run_free(run);
    }
    double took = now() - start;
    th_records_free(records);
    th_schema_free(schema);
    return took;
}

static void add_page(th_project *project, unsigned number)
{
    char name[64], text[2048];
    int len = snprintf(name, sizeof name, "shop/%u.html", number);
    int size = snprintf(text, sizeof text, "<html><title>%u</title><body>", number);
    while (size < (int)sizeof text - 64)
        size += snprintf(text + size, sizeof text - (size_t)size, "<p>%u of page %u</p>",
                         (unsigned)size * 2654435761u, number);
    must(th_project_add_page(project, th_str_from("shop"), (th_str){name, (size_t)len}, NULL,
                             (th_str){text, (size_t)size}, NULL, NULL, &err));
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    char folder[] = "bench-project-XXXXXX", path[64];
    double took[TRIES];
    th_project *project;
    if (!mkdtemp(folder))
        bench_fail("cannot make a folder");
    snprintf(path, sizeof path, "%s/p.thresh", folder);
    must(th_project_open(path, TH_PROJECT_NEW, &project, &err));
    printf("%d records in runs of %d: %.1f s\n", RECORDS, RUN, add_records(project));
    must(th_project_begin(project, &err));
    for (unsigned i = 0; i < PAGES; i++)
        add_page(project, i);
    must(th_project_commit(project, &err));
    for (unsigned i = 0; i < TRIES; i++) {
        double start = now();
        th_project *again; /* as a command does it: opened for this one page */
        must(th_project_open(path, TH_PROJECT_OPEN, &again, &err));
        add_page(again, PAGES + i);
        th_project_free(again);
        took[i] = now() - start;
    }
    qsort(took, TRIES, sizeof *took, compare);
    printf("a page added to a project of %d: %.1f ms (median of %d), %.1f ms at most\n", PAGES,
           took[TRIES / 2] * 1e3, TRIES, took[TRIES - 1] * 1e3);
    th_project_free(project);
    unlink(path);
    rmdir(folder);
}
