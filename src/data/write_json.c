/* write_json.c: values as JSON, and the JSON forms of output: ndjson, json, pages. All stream. */
#include "data/writer.h"

#include <math.h>
#include <stdlib.h>

/* ---- values ---------------------------------------------------------------------------------- */

static void write_text(const th_value *value, bool spans, th__json *json)
{
    if (value->number) {
        th__json_double(json, strtod(value->bytes, NULL));
        return;
    }
    if (!spans) {
        th__json_str(json, th__value_text(value));
        return;
    }
    th__json_begin_object(json);
    th__json_put_text(json, "value", th__value_text(value));
    if (value->span.end) {
        th__json_put_uint(json, "start", value->span.start);
        th__json_put_uint(json, "end", value->span.end);
    }
    th__json_end_object(json);
}

/* Writes the keys and values of a tuple into an object that is already open. */
static void write_members(const th_value *tuple, bool spans, th__json *json)
{
    for (uint32_t i = 0; i < tuple->count; i++) {
        const th__keys *keys = &tuple->type->keys[i];
        const th_value *member = th__value_item(tuple, i);
        th_str chosen = keys->count > 1 ? th__value_key(member) : keys->names[0];
        for (uint32_t k = 0; k < keys->count; k++) {
            th__json_key(json, keys->names[k]);
            if (th__str_eq(keys->names[k], chosen))
                th__value_write(member, spans, json);
            else
                th__json_null(json);
        }
    }
}

void th__value_write(const th_value *value, bool spans, th__json *json)
{
    value = th__value_chosen(value);
    switch (th_value_get_kind(value)) {
    case TH_VALUE_TEXT:
        write_text(value, spans, json);
        return;
    case TH_VALUE_TUPLE:
        th__json_begin_object(json);
        write_members(value, spans, json);
        th__json_end_object(json);
        return;
    case TH_VALUE_LIST:
        th__json_begin_array(json);
        for (uint32_t i = 0; i < value->count; i++)
            th__value_write(th__value_item(value, i), spans, json);
        th__json_end_array(json);
        return;
    case TH_VALUE_NULL:
    case TH_VALUE_CHOICE:
        th__json_null(json);
    }
}

th_status th_records_to_json(const th_records *records, bool spans, th_text *out, th_error *err)
{
    th__buf buf = {.data = out->ptr, .cap = out->cap}; /* reuses the memory of the caller's text */
    th__json json = {.buf = &buf};
    th__json_begin_array(&json);
    for (size_t i = 0; i < th_records_count(records); i++)
        th__value_write(th_records_get(records, i), spans, &json);
    th__json_end_array(&json);
    return th__buf_give(&buf, out, err);
}

/* ---- records and regions --------------------------------------------------------------------- */

/* A record, with the page's key in front when that was asked for. */
static void write_record(th_writer *writer, const th_records *records, const th_value *record,
                         th__json *json)
{
    if (!writer->page_key.ptr) {
        th__value_write(record, writer->options.spans, json);
        return;
    }
    th__json_begin_object(json);
    th__json_key(json, writer->page_key);
    th__json_str(json, records->page);
    const th_value *chosen = th__value_chosen(record);
    if (th_value_get_kind(chosen) == TH_VALUE_TUPLE) {
        write_members(chosen, writer->options.spans, json);
    } else {
        th__json_key(json, TH_STR("value"));
        th__value_write(record, writer->options.spans, json);
    }
    th__json_end_object(json);
}

static th_status write_records_array(th_writer *writer, const th_records *records, th__json *json,
                                     th_error *err)
{
    th_status status = TH_OK;
    th__json_open_array(json, "records");
    for (size_t i = 0; !status && i < records->values.len; i++) {
        th__value_write(records->values.data[i], writer->options.spans, json);
        status = th__writer_flush(writer, err); /* a page may have many records */
    }
    th__json_end_array(json);
    return status;
}

/* A number with three decimals. */
static void put_rounded(th__json *json, const char *key, double value)
{
    th__json_put_double(json, key, floor(1000 * value + 0.5) / 1000);
}

static th_status write_region(th_writer *writer, th_str page, const th_region *region,
                              th__json *json, th_error *err)
{
    th__json_begin_object(json);
    th__json_put_text(json, "page", page);
    th__json_put_text(json, "engine", th_str_from(region->engine));
    th__json_put_double(json, "score", region->score);
    put_rounded(json, "confidence", region->confidence);
    if (region->data) {
        th__json_key(json, TH_STR("data"));
        th__json_bool(json, true);
    }
    if (region->pattern.ptr) {
        th__json_put_text(json, "pattern", region->pattern);
        put_rounded(json, "variance", region->variance);
        put_rounded(json, "density", region->density);
        put_rounded(json, "regularity", region->regularity);
    }
    th_status status = write_records_array(writer, region->records, json, err);
    th__json_end_object(json);
    return status;
}

/* ---- ndjson, a line per item; json, an array that its first item opens, which is what `state`
 * remembers ---- */

static void begin_item(th_writer *writer)
{
    static char opened;
    if (writer->form == &th__form_json)
        th__buf_add(&writer->buf, writer->state ? ",\n" : "[\n", 2);
    writer->state = &opened;
}

static th_status end_item(th_writer *writer, th_error *err)
{
    if (writer->form == &th__form_ndjson)
        th__buf_add_byte(&writer->buf, '\n');
    return th__writer_flush(writer, err);
}

static th_status items_add(th_writer *writer, const th_records *records, th_error *err)
{
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < records->values.len; i++) {
        th__json json = {.buf = &writer->buf};
        begin_item(writer);
        write_record(writer, records, records->values.data[i], &json);
        status = end_item(writer, err);
    }
    return status;
}

static th_status items_region(th_writer *writer, th_str page, const th_region *region,
                              size_t number, th_error *err)
{
    th__json json = {.buf = &writer->buf};
    begin_item(writer);
    th_status status = write_region(writer, page.ptr ? page : TH_STR(""), region, &json, err);
    return status ? status : end_item(writer, err);
}

static th_status json_finish(th_writer *writer, th_error *err)
{
    th__buf_add_str(&writer->buf, writer->state ? TH_STR("\n]\n") : TH_STR("[]\n"));
    return TH_OK;
}

const th__format_ops th__form_ndjson = {.add = items_add, .region = items_region};
const th__format_ops th__form_json = {
    .add = items_add, .region = items_region, .finish = json_finish};

/* ---- pages ----------------------------------------------------------------------------------- */

static th_status pages_add(th_writer *writer, const th_records *records, th_error *err)
{
    th__json json = {.buf = &writer->buf};
    th_status status = TH_OK;
    th__json_begin_object(&json);
    th__json_key(&json, TH_STR("page"));
    th__json_str(&json, records->page);
    if (th__type_strip(records->schema->root)->kind == TH_TYPE_LIST) {
        status = write_records_array(writer, records, &json, err);
    } else {
        th__json_key(&json, TH_STR("record"));
        th__value_write(th_records_get(records, 0), writer->options.spans, &json);
    }
    th__json_end_object(&json);
    th__buf_add_byte(&writer->buf, '\n');
    return status;
}

static th_status pages_begin_regions(th_writer *writer, th_str page, th_error *err)
{
    th__json json = {.buf = &writer->buf};
    th__json_begin_object(&json);
    th__json_key(&json, TH_STR("page"));
    th__json_str(&json, page);
    th__json_open_array(&json, "regions");
    return TH_OK;
}

static th_status pages_region(th_writer *writer, th_str page, const th_region *region,
                              size_t number, th_error *err)
{
    th__json json = {.buf = &writer->buf, .comma = number > 1};
    return write_region(writer, (th_str){0}, region, &json, err);
}

static th_status pages_end_regions(th_writer *writer, th_error *err)
{
    th__buf_add_str(&writer->buf, TH_STR("]}\n"));
    return TH_OK;
}

const th__format_ops th__form_pages = {.add = pages_add,
                                       .begin_regions = pages_begin_regions,
                                       .region = pages_region,
                                       .end_regions = pages_end_regions};
