/* repair_report.c: what became of a repair, as JSON and in words. */
#include "base/error.h"
#include "repair/repair.h"

th_outcome th_repair_outcome(const th_repair *repair)
{
    return repair->outcome;
}

const char *th_outcome_name(th_outcome outcome)
{
    static const char *const names[] = {"fine", "repaired", "broken"};
    return (unsigned)outcome < 3 ? names[outcome] : "unknown";
}

const char *th_field_outcome_name(th_field_outcome outcome)
{
    static const char *const names[] = {"kept", "repaired", "lost"};
    return (unsigned)outcome < 3 ? names[outcome] : "unknown";
}

const th_verdict *th_repair_before(const th_repair *repair)
{
    return repair->before;
}

const th_verdict *th_repair_after(const th_repair *repair)
{
    return repair->after;
}

size_t th_repair_count(const th_repair *repair)
{
    return repair->field_count;
}

const th_field_repair *th_repair_get(const th_repair *repair, size_t index)
{
    return index < repair->field_count ? &repair->fields[index] : NULL;
}

th_status th_repair_to_json(const th_repair *repair, th_text *out, th_error *err)
{
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    th__json json = {.buf = &buf};
    bool repaired = repair->outcome == TH_OUTCOME_REPAIRED;
    th__json_begin_object(&json);
    th__json_put_text(&json, "outcome", th_str_from(th_outcome_name(repair->outcome)));
    th__json_put_uint(&json, "version", repair->wrapper->version + repaired);
    th__json_key(&json, TH_STR("fields"));
    th__json_begin_array(&json);
    for (uint32_t i = 0; i < repair->field_count; i++) {
        const th_field_repair *field = &repair->fields[i];
        th__json_begin_object(&json);
        th__json_put_text(&json, "field", field->path);
        th__json_put_text(&json, "outcome", th_str_from(th_field_outcome_name(field->outcome)));
        th__json_key(&json, TH_STR("likeness"));
        th__json_double(&json, (double)(long)(field->likeness * 1000 + 0.5) / 1000);
        th__json_key(&json, TH_STR("example"));
        if (field->example.ptr)
            th__json_str(&json, field->example);
        else
            th__json_null(&json);
        th__json_end_object(&json);
    }
    th__json_end_array(&json);
    th__json_end_object(&json);
    return th__text_give(&buf, out, err);
}

th_status th_repair_explain(const th_repair *repair, th_text *out, th_error *err)
{
    static const char *const words[] = {
        "fine: nothing to repair\n", "repaired: the new wrapper reads the pages as the old one did",
        "broken: no wrapper reads the pages as the old one did; the best attempt:\n"};
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    bool refused = repair->outcome == TH_OUTCOME_BROKEN && repair->lost;
    uint32_t lost = 0;
    if (!refused)
        th__buf_add_str(&buf, th_str_from(words[repair->outcome]));
    for (uint32_t i = 0; i < repair->field_count; i++)
        lost += repair->fields[i].outcome == TH_FIELD_LOST;
    if (refused)
        th__buf_printf(&buf,
                       "broken: the best new wrapper loses %u of %u fields and is not used; "
                       "--allow-lost accepts it\n",
                       lost, repair->field_count);
    if (repair->outcome == TH_OUTCOME_REPAIRED)
        th__buf_printf(&buf, lost ? ", except %u of %u fields\n" : "\n", lost, repair->field_count);
    for (uint32_t i = 0; i < repair->field_count; i++) {
        const th_field_repair *field = &repair->fields[i];
        th__buf_printf(&buf, "  %-8s  %.*s", th_field_outcome_name(field->outcome),
                       TH_STR_ARG(field->path));
        if (field->example.ptr)
            th__buf_printf(&buf, ": %.*s", TH_STR_ARG(field->example));
        th__buf_add_byte(&buf, '\n');
    }
    if (repair->outcome == TH_OUTCOME_BROKEN && !repair->field_count)
        th__buf_add_str(&buf, TH_STR("  no records like the old ones\n"));
    return th__text_give(&buf, out, err);
}
