/* Schemas: building, names and keys, notation, JSON both ways, refusals. */
#include "samples.h"

static th_schema *read_json(const char *json)
{
    th_schema *schema;
    th_error err;
    if (th_schema_from_json(th_str_from(json), &schema, &err))
        fail_msg("%s", err.message);
    return schema;
}

static void check_print(const th_schema *schema, bool names, const char *expected)
{
    th_text text = {0};
    assert_int_equal(th_schema_print(schema, names, &text, NULL), TH_OK);
    assert_string_equal(text.ptr, expected);
    th_text_release(&text);
}

static void prints_in_the_papers_notation(void **state)
{
    th_schema *schema = sample_schema(NULL);
    check_print(schema, false, "{<B,(B)?,<B,B>,{B},{<B,(B)?>},B|B>}");
    check_print(schema, true,
                "books:{<title,(price)?,maker:<name,town>,{author},files:{<url,(size)?>},"
                "in_stock|sold_out>}");
    th_schema_free(schema);
    schema =
        read_json("{\"kind\":\"choice\",\"alternatives\":[{\"kind\":\"choice\",\"alternatives\":"
                  "[{\"kind\":\"field\"},{\"kind\":\"field\"}]},{\"kind\":\"list\",\"item\":"
                  "{\"kind\":\"field\"}}]}");
    check_print(schema, false, "(B|B)|{B}");
    th_schema_free(schema);
}

static void goes_through_json_and_back(void **state)
{
    th_schema *schema = sample_schema(NULL), *again, *other;
    th_text json = {0}, json_again = {0};
    assert_int_equal(th_schema_to_json(schema, &json, NULL), TH_OK);
    again = read_json(json.ptr);
    assert_true(th_schema_equal(schema, again));
    assert_int_equal(th_schema_to_json(again, &json_again, NULL), TH_OK);
    assert_string_equal(json.ptr, json_again.ptr);
    other = read_json("{\"kind\":\"tuple\",\"name\":\"x\",\"members\":[]}");
    assert_false(th_schema_equal(schema, other));
    check_print(other, false, "<>");
    th_text_release(&json);
    th_text_release(&json_again);
    th_schema_free(schema);
    th_schema_free(again);
    th_schema_free(other);
}

static void unnamed_members_get_names(void **state)
{
    th_schema *schema =
        read_json("{\"kind\":\"tuple\",\"members\":[{\"kind\":\"field\"},"
                  "{\"kind\":\"optional\",\"item\":{\"kind\":\"field\",\"name\":\"field_1\"}},"
                  "{\"kind\":\"choice\",\"alternatives\":[{\"kind\":\"field\"},"
                  "{\"kind\":\"field\",\"name\":\"y\"}]},"
                  "{\"kind\":\"list\",\"item\":{\"kind\":\"field\",\"name\":\"z\"}}]}");
    check_print(schema, true, "<field_1_2,(field_1)?,field_3:(B|y),{z}>");
    const th_type *root = th_schema_root(schema);
    assert_int_equal(th_type_count(root), 4);
    assert_true(th__str_eq(th_type_name(th_type_child(root, 1)), TH_STR("field_1")));
    assert_true(th__str_eq(th_type_name(th_type_child(root, 3)), TH_STR("z")));
    assert_null(th_type_child(root, 4));
    assert_ptr_equal(th_schema_record_type(schema), root);
    th_schema_free(schema);
}

static void check_refusal(const char *json, const char *message)
{
    th_schema *schema;
    th_error err = {0};
    assert_int_equal(th_schema_from_json(th_str_from(json), &schema, &err), TH_ERR_FORMAT);
    assert_null(schema);
    if (!strstr(err.message, message))
        fail_msg("\"%s\" does not contain \"%s\"", err.message, message);
}

static void reading_names_the_path_at_fault(void **state)
{
    check_refusal("", "not JSON: line 1");
    check_refusal("{\"kind\":\"field\"} x", "not JSON: line 1, column 18");
    check_refusal("[]", "schema at $: expected an object");
    check_refusal("{\"kind\":\"field\",\"kind\":\"field\"}", "duplicate");
    check_refusal("{\"kind\":\"set\"}", "at $: \"kind\" must be");
    check_refusal("{\"kind\":3}", "at $: \"kind\" must be");
    check_refusal("{\"kind\":\"field\",\"item\":1}", "at $: unknown key \"item\" in a field");
    check_refusal("{\"kind\":\"field\",\"note\":\"colour\"}", "at $: \"note\" must be text");
    check_refusal("{\"kind\":\"field\",\"name\":1}", "at $: \"name\" must be a string");
    check_refusal("{\"kind\":\"list\"}", "at $: a list needs \"item\"");
    check_refusal("{\"kind\":\"tuple\",\"members\":{}}",
                  "at $: a tuple needs \"members\", an array");
    check_refusal("{\"kind\":\"choice\",\"alternatives\":[]}", "at $: a choice in a schema has no");
    check_refusal(
        "{\"kind\":\"list\",\"item\":{\"kind\":\"tuple\",\"members\":[{\"kind\":\"field\"},"
        "{\"kind\":\"optional\",\"item\":7}]}}",
        "at $.item.members[1].item: expected an object");
    check_refusal("{\"kind\":\"tuple\",\"members\":[{\"kind\":\"field\",\"name\":\"a\"},"
                  "{\"kind\":\"choice\",\"alternatives\":[{\"kind\":\"field\",\"name\":\"a\"}]}]}",
                  "at $: a tuple has two members named \"a\"");
}

static void depth_is_limited(void **state)
{
    for (int depth = 63; depth <= 300; depth += depth < 66 ? 1 : 200) {
        th__buf json = {0};
        for (int i = 0; i < depth; i++)
            th__buf_add_str(&json, TH_STR("{\"kind\":\"optional\",\"item\":"));
        th__buf_add_str(&json, TH_STR("{\"kind\":\"field\"}"));
        for (int i = 0; i < depth; i++)
            th__buf_add_byte(&json, '}');
        th_schema *schema;
        th_error err;
        th_status status = th_schema_from_json(th__buf_str(&json), &schema, &err);
        assert_int_equal(status, depth < 64 ? TH_OK : TH_ERR_FORMAT);
        if (status)
            assert_non_null(strstr(err.message, "at most 64 types deep"));
        th_schema_free(schema);
        th__buf_release(&json);
    }
}

static void building_refuses_misuse(void **state)
{
    th_schema *s;
    th_error err;
    th_schema_new(&s, NULL);
    th_type *field = th_schema_field(s, NAME("a"), TH_NOTE_TEXT);
    th_type *pair[] = {field, field};
    assert_null(th_schema_tuple(s, NAME(NULL), pair, 2));
    assert_int_equal(th_schema_finish(s, field, &err), TH_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "appears twice"));
    th_schema_free(s);

    th_schema_new(&s, NULL);
    assert_int_equal(th_schema_finish(s, NULL, &err), TH_ERR_ARGUMENT);
    th_schema_free(s);

    th_schema_new(&s, NULL);
    assert_null(th_schema_field(s, (th_str){"a\0b", 3}, TH_NOTE_TEXT));
    assert_int_equal(th_schema_finish(s, NULL, &err), TH_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "NUL"));
    th_schema_free(s);

    th_schema_new(&s, NULL);
    assert_null(th_schema_field(s, NAME("\xE9t\xE9"), TH_NOTE_TEXT));
    assert_int_equal(th_schema_finish(s, NULL, &err), TH_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "not UTF-8"));
    th_schema_free(s);

    th_schema_new(&s, NULL);
    assert_int_equal(th_schema_finish(s, th_schema_field(s, NAME("a"), TH_NOTE_DATE), &err), TH_OK);
    assert_null(th_schema_field(s, NAME("b"), TH_NOTE_TEXT));
    th_records *records;
    assert_int_equal(th_records_new(NULL, NULL, &records, &err), TH_ERR_ARGUMENT);
    th_schema_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_in_the_papers_notation),
        cmocka_unit_test(goes_through_json_and_back),
        cmocka_unit_test(unnamed_members_get_names),
        cmocka_unit_test(reading_names_the_path_at_fault),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(building_refuses_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
