/*
 * fuzz_rows.c: a csv or tsv file to which records are added. What was written once is read again
 * without a change: adding nothing to it gives the same bytes.
 *
 * The first byte says which of the two it is; the rest is the file.
 */
#include "scratch.h"

#include <thresh.h>

static th_records *one_record(const char *value)
{
    th_schema *schema;
    th_records *records;
    CHECK(th_schema_new(&schema, NULL) == TH_OK);
    th_type *member = th_schema_field(schema, th_str_from("sku"), TH_NOTE_TEXT);
    CHECK(th_schema_finish(schema, th_schema_tuple(schema, (th_str){0}, &member, 1), NULL) ==
          TH_OK);
    CHECK(th_records_new(schema, &(th_records_source){0}, &records, NULL) == TH_OK);
    th_schema_free(schema);
    if (value)
        th_records_set_text(records, th_value_slot(th_records_add(records), 0), th_str_from(value),
                            (th_span){0, 1});
    CHECK(th_records_status(records, NULL) == TH_OK);
    return records;
}

/* Returns false if the file is refused. */
static bool add(const char *path, th_format format, const char *key, const char *value)
{
    th_writer_options options;
    th_writer *writer;
    th_error err;
    th_writer_options_init(&options);
    options.path = path;
    options.append = true;
    options.upsert = key;
    th_status status = th_writer_new(format, &options, &writer, &err);
    CHECK(!status || status == TH_ERR_FORMAT);
    if (status)
        return false;
    th_records *records = one_record(value);
    CHECK(th_writer_add(writer, records, NULL) == TH_OK);
    CHECK(th_writer_finish(writer, NULL) == TH_OK);
    th_records_free(records);
    th_writer_free(writer);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char folder[64], path[80];
    if (!size)
        return 0;
    th_format format = data[0] & 1 ? TH_FORMAT_TSV : TH_FORMAT_CSV;
    scratch_make(folder);
    snprintf(path, sizeof path, "%s/rows", folder);
    scratch_write(path, data + 1, size - 1);
    if (add(path, format, data[0] & 2 ? "sku" : NULL, "A1")) {
        size_t before, after;
        uint8_t *once = scratch_read(path, &before);
        CHECK(add(path, format, NULL, NULL));
        uint8_t *again = scratch_read(path, &after);
        CHECK(before == after && !memcmp(once, again, after));
        free(once);
        free(again);
    }
    scratch_remove(folder);
    return 0;
}
