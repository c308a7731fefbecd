/*
 * Records as Arrow columns: read back by a small reader of the C data interface, they are the
 * records. Every allocation failing once leaks nothing.
 */
#include "samples.h"

#include "alloc_fail.h"
#include "base/json_out.h"

/* ---- a reader: a row of an array as JSON -------------------------------------------------------
 */

static bool is_null(const struct ArrowArray *a, int64_t row)
{
    const uint8_t *valid = a->buffers[0];
    return valid && !(valid[row / 8] >> row % 8 & 1);
}

static void write_row(const struct ArrowSchema *s, const struct ArrowArray *a, int64_t row,
                      th__json *json)
{
    const int32_t *ends = a->n_buffers > 1 ? a->buffers[1] : NULL;
    assert_true(row < a->length);
    if (is_null(a, row)) {
        th__json_null(json);
    } else if (!strcmp(s->format, "u")) {
        th__json_str(json, (th_str){(const char *)a->buffers[2] + ends[row],
                                    (size_t)(ends[row + 1] - ends[row])});
    } else if (!strcmp(s->format, "l")) {
        th__json_uint(json, (uint64_t)((const int64_t *)a->buffers[1])[row]);
    } else if (!strcmp(s->format, "+l")) {
        th__json_begin_array(json);
        for (int32_t i = ends[row]; i < ends[row + 1]; i++)
            write_row(s->children[0], a->children[0], i, json);
        th__json_end_array(json);
    } else {
        assert_string_equal(s->format, "+s");
        assert_int_equal(s->n_children, a->n_children);
        th__json_begin_object(json);
        for (int64_t i = 0; i < s->n_children; i++) {
            th__json_key(json, th_str_from(s->children[i]->name));
            write_row(s->children[i], a->children[i], row, json);
        }
        th__json_end_object(json);
    }
}

/* All rows of a stream, which is released, as a JSON array. */
static void read_stream(struct ArrowArrayStream *stream, th__buf *out)
{
    struct ArrowSchema schema;
    struct ArrowArray batch;
    th__json json = {.buf = out};
    assert_int_equal(stream->get_schema(stream, &schema), 0);
    th__json_begin_array(&json);
    while (assert_int_equal(stream->get_next(stream, &batch), 0), batch.release) {
        assert_int_equal(batch.null_count, 0);
        for (int64_t row = 0; row < batch.length; row++)
            write_row(&schema, &batch, row, &json);
        batch.release(&batch);
        assert_null(batch.release);
    }
    th__json_end_array(&json);
    assert_null(stream->get_last_error(stream));
    schema.release(&schema);
    stream->release(stream);
    assert_null(stream->release);
    assert_false(out->failed);
}

static struct ArrowArrayStream stream_of(const th_schema *schema, const th_arrow_options *options,
                                         const th_records *records)
{
    th_arrow *arrow;
    struct ArrowArrayStream stream;
    assert_int_equal(th_arrow_new(schema, options, &arrow, NULL), TH_OK);
    assert_int_equal(th_arrow_add(arrow, records, NULL), TH_OK);
    assert_int_equal(th_arrow_finish(arrow, &stream, NULL), TH_OK);
    return stream;
}

static void check_same(const th_schema *schema, const th_records *records, bool spans)
{
    th__buf got = {0};
    th_text expected = {0};
    struct ArrowArrayStream stream =
        stream_of(schema, &(th_arrow_options){.spans = spans}, records);
    read_stream(&stream, &got);
    assert_int_equal(th_records_to_json(records, spans, &expected, NULL), TH_OK);
    assert_string_equal(got.data ? (th__buf_add_byte(&got, '\0'), got.data) : "", expected.ptr);
    th__buf_release(&got);
    th_text_release(&expected);
}

/* ---- tests -------------------------------------------------------------------------------------
 */

static void columns_are_the_records(void **state)
{
    th_schema *schema = sample_schema(NULL);
    th_records *records = sample_records(schema, "p", NULL);
    check_same(schema, records, false);
    th_records_free(records);
    th_schema_free(schema);
}

/* A list of tuples: "a b* price$" has a text, a list and a price. */
static th_schema *schema_of(const char *names)
{
    th_schema *s;
    th_type *members[8];
    size_t count = 0;
    assert_int_equal(th_schema_new(&s, NULL), TH_OK);
    for (const char *at = names; *at; at += strspn(at, "*$ ")) {
        size_t len = strcspn(at, "*$ ");
        bool price = at[len] == '$', list = at[len] == '*';
        th_type *field =
            th_schema_field(s, (th_str){at, len}, price ? TH_NOTE_PRICE : TH_NOTE_TEXT);
        members[count++] = list ? th_schema_list(s, (th_str){0}, field) : field;
        at += len;
    }
    th_type *root = th_schema_list(s, TH_STR("r"), th_schema_tuple(s, (th_str){0}, members, count));
    assert_int_equal(th_schema_finish(s, root, NULL), TH_OK);
    return s;
}

static void check_json(struct ArrowArrayStream *stream, const char *expected)
{
    th__buf got = {0};
    read_stream(stream, &got);
    th__buf_add_byte(&got, '\0');
    assert_string_equal(got.data, expected);
    th__buf_release(&got);
}

static void pages_spans_and_notes(void **state)
{
    th_schema *schema = schema_of("price$");
    th_records *records;
    assert_int_equal(
        th_records_new(schema, &(th_records_source){.page = TH_STR("a.html")}, &records, NULL), 0);
    sample_text(records, th_value_slot(th_records_add(records), 0), "9.50", 7);
    th_records_add(records);
    struct ArrowArrayStream stream =
        stream_of(schema, &(th_arrow_options){.page_key = "_page", .spans = true}, records);
    struct ArrowSchema shape;
    assert_int_equal(stream.get_schema(&stream, &shape), 0);
    assert_string_equal(shape.children[1]->name, "price");
    assert_memory_equal(shape.children[1]->children[0]->metadata + 8, "thresh.note", 11);
    shape.release(&shape);
    check_json(&stream, "[{\"_page\":\"a.html\",\"price\":{\"value\":\"9.50\",\"start\":7,\"end\":"
                        "11}},{\"_page\":\"a.html\",\"price\":null}]");
    th_records_free(records);
    th_schema_free(schema);
}

static void alternatives_of_two_kinds(void **state)
{
    th_schema *s;
    assert_int_equal(th_schema_new(&s, NULL), TH_OK);
    th_type *ways[] = {th_schema_field(s, (th_str){0}, TH_NOTE_TEXT),
                       th_schema_list(s, (th_str){0}, th_schema_field(s, (th_str){0}, 0))};
    th_type *members[] = {th_schema_choice(s, TH_STR("a"), ways, 2)};
    th_type *root = th_schema_list(s, TH_STR("r"), th_schema_tuple(s, (th_str){0}, members, 1));
    assert_int_equal(th_schema_finish(s, root, NULL), TH_OK);
    th_records *records;
    assert_int_equal(th_records_new(s, NULL, &records, NULL), TH_OK);
    sample_text(records, th_records_choose(records, th_value_slot(th_records_add(records), 0), 0),
                "one", 1);
    th_value *list = th_records_choose(records, th_value_slot(th_records_add(records), 0), 1);
    sample_text(records, th_records_append(records, list), "two", 1);
    sample_text(records, th_records_append(records, list), "three", 1);
    assert_int_equal(th_records_status(records, NULL), TH_OK);
    struct ArrowArrayStream stream = stream_of(s, NULL, records);
    check_json(&stream, "[{\"a\":{\"text\":\"one\",\"list\":null}},"
                        "{\"a\":{\"text\":null,\"list\":[\"two\",\"three\"]}}]");
    th_records_free(records);
    th_schema_free(s);
}

/* Records of a page whose schema has other members fit the union of both. */
static void schemas_that_differ(void **state)
{
    th_schema *both[] = {schema_of("a b"), schema_of("c a*")};
    th_schema *all;
    th_arrow *arrow;
    struct ArrowArrayStream stream;
    assert_int_equal(th_schema_union((const th_schema *const *)both, 2, &all, NULL), TH_OK);
    assert_int_equal(th_arrow_new(all, NULL, &arrow, NULL), TH_OK);
    for (int i = 0; i < 2; i++) {
        th_records *records;
        assert_int_equal(th_records_new(both[i], NULL, &records, NULL), TH_OK);
        th_value *record = th_records_add(records);
        sample_text(records, th_value_slot(record, 0), i ? "C" : "A", 1);
        if (i)
            sample_text(records, th_records_append(records, th_value_slot(record, 1)), "A2", 1);
        assert_int_equal(th_arrow_add(arrow, records, NULL), TH_OK);
        th_records_free(records);
    }
    assert_int_equal(th_arrow_finish(arrow, &stream, NULL), TH_OK);
    check_json(&stream,
               "[{\"a\":[\"A\"],\"b\":null,\"c\":null},{\"a\":[\"A2\"],\"b\":null,\"c\":\"C\"}]");
    th_schema_free(all);
    th_schema_free(both[0]);
    th_schema_free(both[1]);
}

static void many_records_make_several_batches(void **state)
{
    enum { RECORDS = 150000 };
    th_schema *schema = schema_of("n");
    th_records *records;
    assert_int_equal(th_records_new(schema, NULL, &records, NULL), TH_OK);
    for (int i = 0; i < RECORDS; i++)
        sample_text(records, th_value_slot(th_records_add(records), 0), i % 3 ? "x" : NULL, 1);
    struct ArrowArrayStream stream = stream_of(schema, NULL, records);
    int64_t rows = 0, nulls = 0;
    int batches = 0;
    for (struct ArrowArray batch; !stream.get_next(&stream, &batch) && batch.release; batches++) {
        rows += batch.length;
        nulls += batch.children[0]->null_count;
        batch.release(&batch);
    }
    stream.release(&stream);
    assert_int_equal(batches, 3);
    assert_int_equal(rows, RECORDS);
    assert_int_equal(nulls, RECORDS / 3);
    th_records_free(records);
    th_schema_free(schema);
}

static void what_is_not_read_is_freed(void **state)
{
    th_schema *schema = sample_schema(NULL);
    th_records *records = sample_records(schema, "p", NULL);
    th_arrow *arrow;
    assert_int_equal(th_arrow_new(schema, NULL, &arrow, NULL), TH_OK);
    assert_int_equal(th_arrow_add(arrow, records, NULL), TH_OK);
    th_arrow_free(arrow);
    struct ArrowArrayStream stream = stream_of(schema, NULL, records);
    stream.release(&stream);
    /* A child that a reader has moved out lives on. */
    struct ArrowArray batch, moved;
    stream = stream_of(schema, NULL, records);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    stream.release(&stream);
    moved = *batch.children[0];
    batch.children[0]->release = NULL;
    batch.release(&batch);
    assert_memory_equal(moved.buffers[2], "Snow Country", 12);
    moved.release(&moved);
    th_records_free(records);
    th_schema_free(schema);
}

static th_status export_once(void *context)
{
    const th_records *records = context;
    th_arrow *arrow;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    th_status status =
        th_arrow_new(th_records_schema(records),
                     &(th_arrow_options){.page_key = "_page", .spans = true}, &arrow, NULL);
    if (!status && (status = th_arrow_add(arrow, records, NULL)))
        th_arrow_free(arrow);
    if (status || (status = th_arrow_finish(arrow, &stream, NULL)))
        return status;
    int failed = stream.get_schema(&stream, &schema);
    if (!failed)
        schema.release(&schema);
    if (!stream.get_next(&stream, &batch) && batch.release)
        batch.release(&batch);
    stream.release(&stream);
    return failed ? TH_ERR_MEMORY : TH_OK;
}

static void memory(void **state)
{
    th_schema *schema = sample_schema(NULL);
    th_records *records = sample_records(schema, "p", NULL);
    th_test_each_allocation_fails(export_once, records);
    th_records_free(records);
    th_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_the_records),
        cmocka_unit_test(pages_spans_and_notes),
        cmocka_unit_test(alternatives_of_two_kinds),
        cmocka_unit_test(schemas_that_differ),
        cmocka_unit_test(many_records_make_several_batches),
        cmocka_unit_test(what_is_not_read_is_freed),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
