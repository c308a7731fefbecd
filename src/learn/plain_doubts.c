/*
 * plain_doubts.c: where a wrapper without views may be wrong.
 *
 * An engine that has one way to find a value cannot hold it against another. Two things speak all
 * the same: a page without any record, and a field that every labelled record had and that is not
 * there.
 */
#include "learn/plain_doubts.h"

#include "base/error.h"
#include "data/record.h"

#define NO_RECORD 1.0
#define MISSING   0.6 /* as for engines with views */

static bool add(th_doubts *out, th_str field, double contention, const char *why, uint32_t place)
{
    th_doubt doubt = {.contention = contention,
                      .why = why,
                      .place = place,
                      .answers = {{.view = "structure"}},
                      .answer_count = 1};
    doubt.field = th__arena_copy(&out->arena, field);
    return doubt.field.ptr && th__vec_push(&out->items, doubt);
}

static bool is_empty(const th_value *value)
{
    return !value || value->kind == TH_VALUE_NULL ||
           (value->kind == TH_VALUE_LIST && !value->count) ||
           (value->kind == TH_VALUE_TEXT && !th__value_text(value).len);
}

/* The first byte of a record's texts, for order on the page. */
static uint32_t place_of(const th_value *record)
{
    for (uint32_t i = 0; i < record->count; i++)
        if (th__value_item(record, i)->kind == TH_VALUE_TEXT)
            return th__value_item(record, i)->span.start;
    return 0;
}

/* Every record is looked at; a field that is missing on many counts once for the page. */
static bool doubt_records(const th_records *records, const th_type *tuple, th_doubts *out)
{
    enum { TOLD = 16 }; /* records of a page in which a field is missing */
    for (uint32_t m = 0; m < tuple->count; m++) {
        size_t told = 0;
        if (tuple->children[m]->kind == TH_TYPE_OPTIONAL)
            continue;
        for (size_t r = 0; r < th_records_count(records) && told < TOLD; r++) {
            const th_value *record = th_records_get(records, r);
            if (record->kind != TH_VALUE_TUPLE || !is_empty(th_value_item(record, m)))
                continue;
            told++;
            if (!add(out, th_type_name(tuple->children[m]), MISSING,
                     "nothing where there was always something", place_of(record)))
                return false;
        }
        out->contention += told ? MISSING : 0;
    }
    return true;
}

th_status th__plain_doubts(const th_wrapper *wrapper, const th_page *page, th_doubts *out,
                           th_error *err)
{
    th_records *records = NULL;
    th_status status = th_wrapper_extract(wrapper, page, NULL, &records, err);
    if (status)
        return status;
    const th_type *tuple = th__type_strip(th_schema_record_type(th_records_schema(records)));
    bool ok = true;
    if (!th_records_count(records)) {
        ok = add(out, TH_STR("record"), NO_RECORD, "no record is found", 0);
        out->contention = NO_RECORD;
    } else if (tuple->kind == TH_TYPE_TUPLE) {
        ok = doubt_records(records, tuple, out);
    }
    th_records_free(records);
    return ok ? TH_OK : th__fail_memory(err);
}
