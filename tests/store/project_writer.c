/*
 * project_writer.c: writes runs into a project until it is killed; for test_project_kill.py.
 *
 *     project_writer PROJECT SITE RECORDS
 *
 * Prints a line for each run once it is part of the project: its id. Every third run also adds a
 * page and a version of the labels, so that a kill may meet each kind of change.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thresh.h>
#include <unistd.h>

static th_error err;

static void must(th_status status)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", err.message);
    exit(1);
}

static th_schema *make_schema(void)
{
    th_schema *schema;
    must(th_schema_new(&schema, &err));
    th_type *members[] = {th_schema_field(schema, th_str_from("title"), TH_NOTE_TEXT),
                          th_schema_field(schema, th_str_from("price"), TH_NOTE_PRICE)};
    th_type *row = th_schema_tuple(schema, (th_str){0}, members, 2);
    must(th_schema_finish(schema, th_schema_list(schema, (th_str){0}, row), &err));
    return schema;
}

static th_records *make_records(const th_schema *schema, unsigned run, unsigned count)
{
    th_records *records;
    char text[64];
    th_records_source source = {.page = th_str_from("page.html")};
    must(th_records_new(schema, &source, &records, &err));
    for (unsigned i = 0; i < count; i++) {
        th_value *row = th_records_add(records);
        snprintf(text, sizeof text, "title %u of run %u", i, run);
        th_records_set_text(records, th_value_slot(row, 0), th_str_from(text), (th_span){0, 0});
        th_records_set_text(records, th_value_slot(row, 1), th_str_from("9.50"), (th_span){0, 0});
    }
    must(th_records_status(records, &err));
    return records;
}

static void add_page(th_project *project, th_str site, unsigned run)
{
    char name[64], line[128];
    snprintf(name, sizeof name, "%ld-%u.html", (long)getpid(), run);
    snprintf(line, sizeof line, "{\"page\": \"%s\", \"records\": [{\"title\": \"x\"}]}", name);
    must(th_project_add_page(project, site, th_str_from(name), NULL, th_str_from(line), NULL, NULL,
                             &err));
    must(th_project_set_labels(project, site, th_str_from(name), th_str_from(line), &err));
}

int main(int argc, char **argv)
{
    th_project *project;
    th_schema *schema = make_schema();
    th_str site = th_str_from(argv[2]);
    unsigned count = argc == 4 ? (unsigned)atoi(argv[3]) : 1;
    must(th_project_open(argv[1], TH_PROJECT_OPEN_OR_NEW, &project, &err));
    for (unsigned number = 0;; number++) {
        th_run *run;
        int64_t id;
        th_records *records = make_records(schema, number, count);
        th_project_run info = {.site = site, .command = th_str_from("test")};
        must(th_run_begin(project, &info, &run, &err));
        must(th_run_add(run, records, &err));
        must(th_run_finish(run, &(th_project_run){.pages = 1}, &id, &err));
        th_run_free(run);
        th_records_free(records);
        if (number % 3 == 0)
            add_page(project, site, number);
        printf("%lld\n", (long long)id);
        fflush(stdout);
    }
}
