/* write_json.c: the JSON forms: ndjson, json, pages. All stream. */
#include "data/writer.h"

#include <math.h>

#include "base/error.h"

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
        th__tuple_write_members(chosen, writer->options.spans, json);
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
    th__json_key(json, TH_STR("records"));
    th__json_begin_array(json);
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
    th__json_key(json, th_str_from(key));
    th__json_double(json, floor(1000 * value + 0.5) / 1000);
}

static th_status write_region(th_writer *writer, th_str page, const th_region *region,
                              th__json *json, th_error *err)
{
    th__json_begin_object(json);
    th__json_put_text(json, "page", page);
    th__json_put_text(json, "engine", th_str_from(region->engine));
    th__json_key(json, TH_STR("score"));
    th__json_double(json, region->score);
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

static th_status items_add_regions(th_writer *writer, th_str page, const th_region *regions,
                                   size_t count, th_error *err)
{
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < count; i++) {
        th__json json = {.buf = &writer->buf};
        begin_item(writer);
        status = write_region(writer, page.ptr ? page : TH_STR(""), &regions[i], &json, err);
        if (!status)
            status = end_item(writer, err);
    }
    return status;
}

static th_status json_finish(th_writer *writer, th_error *err)
{
    th__buf_add_str(&writer->buf, writer->state ? TH_STR("\n]\n") : TH_STR("[]\n"));
    return TH_OK;
}

const th__format_ops th__form_ndjson = {.add = items_add, .add_regions = items_add_regions};
const th__format_ops th__form_json = {
    .add = items_add, .add_regions = items_add_regions, .finish = json_finish};

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

static th_status pages_add_regions(th_writer *writer, th_str page, const th_region *regions,
                                   size_t count, th_error *err)
{
    th__json json = {.buf = &writer->buf};
    th_status status = TH_OK;
    th__json_begin_object(&json);
    th__json_key(&json, TH_STR("page"));
    th__json_str(&json, page);
    th__json_key(&json, TH_STR("regions"));
    th__json_begin_array(&json);
    for (size_t i = 0; !status && i < count; i++)
        status = write_region(writer, (th_str){0}, &regions[i], &json, err);
    th__json_end_array(&json);
    th__json_end_object(&json);
    th__buf_add_byte(&writer->buf, '\n');
    return status;
}

const th__format_ops th__form_pages = {.add = pages_add, .add_regions = pages_add_regions};
