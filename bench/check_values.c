/*
 * check_values: how often verification cries wolf, on true values alone.
 *
 * usage: check_values TRUTH.jsonl [LEARN [BATCH]]
 *
 * TRUTH has one line a page: {"page":, "site":, "records": [{attribute: [values]}]}. The values of
 * a site's first LEARN pages (8) are profiled as though a wrapper had extracted them; those of each
 * further BATCH (8) pages are verified. Whatever alarms is a false alarm. Prints each with its
 * evidence, and the sum.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/verdict.h"

enum { LINE = 1 << 22 };

static th_schema *schema_of(json_t *record)
{
    th_schema *schema;
    th_type *members[64];
    size_t count = 0;
    const char *key;
    json_t *values;
    if (th_schema_new(&schema, NULL))
        abort();
    json_object_foreach (record, key, values) {
        th_type *field = th_schema_field(schema, th_str_from(""), TH_NOTE_TEXT);
        members[count++] = th_schema_list(schema, th_str_from(key), field);
    }
    th_type *root = th_schema_tuple(schema, th_str_from(""), members, count);
    if (th_schema_finish(schema, root, NULL))
        abort();
    return schema;
}

static void add_record(th__tally *tally, const th_schema *schema, json_t *record)
{
    th_records *records;
    const char *key;
    json_t *values, *value;
    size_t member = 0, i;
    if (th_records_new(schema, NULL, &records, NULL))
        abort();
    th_value *tuple = th_records_add(records);
    json_object_foreach (record, key, values) {
        th_value *slot = th_value_slot(tuple, member++);
        json_array_foreach (values, i, value)
            th_records_set_text(records, th_records_append(records, slot),
                                th_str_from(json_string_value(value)), (th_span){0, 0});
    }
    if (th_records_status(records, NULL) || !th__tally_add(tally, NULL, records))
        abort();
    th_records_free(records);
}

typedef struct totals {
    size_t batches, alarms;
} totals;

static void verify_batch(th__tally *tally, const th__profile *profile, const char *site,
                         totals *sum)
{
    th_verdict *verdict;
    if (th__verify(tally, profile, TH_ALPHA, false, &verdict, NULL))
        abort();
    sum->batches++;
    sum->alarms += th_verdict_drift(verdict);
    for (size_t i = 0; i < th_verdict_count(verdict); i++) {
        const th_evidence *e = th_verdict_get(verdict, i);
        if (e->drift)
            printf("%s %.*s: %s %.*s (p = %.2g)\n", site, (int)e->path.len, e->path.ptr, e->test,
                   (int)e->words.len, e->words.ptr, e->p);
    }
    th_verdict_free(verdict);
}

/* The pages of one site. */
static void check_site(json_t *pages, size_t learn, size_t batch, totals *sum)
{
    th__tally tally;
    th__arena arena;
    th__profile *profile = NULL;
    const char *site = json_string_value(json_object_get(json_array_get(pages, 0), "site"));
    json_t *first = json_array_get(json_object_get(json_array_get(pages, 0), "records"), 0);
    th_schema *schema = schema_of(first);
    th__arena_init(&arena);
    for (size_t at = 0, size = learn; at + size <= json_array_size(pages);) {
        if (!th__tally_init(&tally, schema))
            abort();
        for (size_t i = 0; i < size; i++) {
            json_t *page = json_array_get(pages, at + i);
            add_record(&tally, schema, json_array_get(json_object_get(page, "records"), 0));
        }
        if (profile)
            verify_batch(&tally, profile, site, sum);
        else if (!th__profile_learn(&tally, &arena, &profile))
            abort();
        th__tally_release(&tally);
        at += size;
        size = batch;
    }
    th__arena_release(&arena);
    th_schema_free(schema);
}

int main(int argc, char **argv)
{
    static char line[LINE];
    totals sum = {0};
    size_t learn = argc > 2 ? strtoul(argv[2], NULL, 10) : 8;
    size_t batch = argc > 3 ? strtoul(argv[3], NULL, 10) : 8;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    json_t *sites = json_object();
    if (!file || !learn || !batch) {
        fprintf(stderr, "usage: check_values TRUTH.jsonl [LEARN [BATCH]]\n");
        return 2;
    }
    while (fgets(line, LINE, file)) {
        json_t *row = json_loads(line, 0, NULL);
        const char *site = json_string_value(json_object_get(row, "site"));
        if (!site)
            continue;
        if (!json_object_get(sites, site))
            json_object_set_new(sites, site, json_array());
        json_array_append_new(json_object_get(sites, site), row);
    }
    const char *key;
    json_t *pages;
    json_object_foreach (sites, key, pages)
        check_site(pages, learn, batch, &sum);
    printf("%zu of %zu batches alarm: %.2f%%\n", sum.alarms, sum.batches,
           sum.batches ? 100.0 * (double)sum.alarms / (double)sum.batches : 0);
    json_decref(sites);
    fclose(file);
    return 0;
}
