/* Labels: reading, errors with line and path, examples, the schema, and finding values on a page.
 */
#include "samples.h"

#include "data/labels.h"

static th_labels *read_labels(const char *text)
{
    th_labels *labels;
    th_error err;
    if (th_labels_read(th_str_from(text), "l.jsonl", &labels, &err))
        fail_msg("%s", err.message);
    return labels;
}

static void check_schema(const th_labels *labels, const char *expected)
{
    th_schema *schema;
    th_text text = {0};
    th_error err;
    if (th_labels_schema(labels, &schema, &err))
        fail_msg("%s", err.message);
    assert_int_equal(th_schema_print(schema, true, &text, NULL), TH_OK);
    assert_string_equal(text.ptr, expected);
    th_text_release(&text);
    th_schema_free(schema);
}

static void check_str(th_str got, const char *expected)
{
    if (!th__str_eq(got, th_str_from(expected)))
        fail_msg("\"%.*s\" is not \"%s\"", (int)got.len, got.ptr ? got.ptr : "", expected);
}

static void lines_are_read(void **state)
{
    th_labels *labels =
        read_labels("\xEF\xBB\xBF{\"page\":\"a.html\",\"site\":1,\"records\":[{\"t\":\"x\"}]}\r\n"
                    "\n   \n"
                    "{\"page\":\"b.html\",\"records\":[]}");
    size_t index = 9;
    assert_int_equal(th_labels_count(labels), 2);
    check_str(th_labels_page(labels, 1), "b.html");
    assert_true(th_labels_find(labels, TH_STR("b.html"), &index));
    assert_int_equal(index, 1);
    assert_false(th_labels_find(labels, TH_STR("c.html"), &index));
    assert_null(th_labels_page(labels, 2).ptr);
    th_labels_free(labels);
    labels = read_labels("");
    assert_int_equal(th_labels_count(labels), 0);
    check_schema(labels, "{<>}");
    th_labels_free(labels);
}

static void check_bad(const char *text, const char *message)
{
    th_labels *labels;
    th_error err = {0};
    assert_int_equal(th_labels_read(th_str_from(text), "l.jsonl", &labels, &err), TH_ERR_FORMAT);
    assert_null(labels);
    if (!strstr(err.message, message))
        fail_msg("\"%s\" does not contain \"%s\"", err.message, message);
}

#define LINE "{\"page\":\"a\",\"records\":[{\"t\":\"x\"}]}\n"

static void errors_name_line_and_path(void **state)
{
    check_bad(LINE "\n{\"page\":", "l.jsonl:3: not a JSON object, at byte 8");
    check_bad("[1]\n", "l.jsonl:1: at $: a line is an object");
    check_bad("7\n", "l.jsonl:1: not a JSON object");
    check_bad("{\"records\":[]}\n", "l.jsonl:1: at $: needs \"page\"");
    check_bad("{\"page\":\"\",\"records\":[]}\n", "at $: needs \"page\"");
    check_bad("{\"page\":\"a\"}\n", "at $: needs \"records\"");
    check_bad("{\"page\":\"a\",\"records\":[],\"record\":{}}\n", "has both");
    check_bad("{\"page\":\"a\",\"records\":{}}\n", "at $.records: must be a list");
    check_bad("{\"page\":\"a\",\"records\":[{},\"x\"]}\n",
              "at $.records[1]: a record must be an object");
    check_bad("{\"page\":\"a\",\"records\":[{\"start\":1,\"end\":2}]}\n",
              "a record must be an object");
    check_bad("{\"page\":\"a\",\"record\":[]}\n", "at $.record: a record must be an object");
    check_bad(LINE LINE, "l.jsonl:2: at $: page \"a\" already has labels in line 1");
    check_bad(LINE "{\"page\":\"b\",\"records\":[{},{\"p\":{\"q\":[\"x\",\" \\n\"]}}]}\n",
              "l.jsonl:2: at $.records[1].p.q[1]: empty value; write null");
    check_bad("{\"page\":\"a\",\"records\":[{\"t\":\"\"}]}\n", "at $.records[0].t: empty value");
    check_bad("{\"page\":\"a\",\"records\":[{\"\":\"x\"}]}\n",
              "a field's name must have 1 to 1024 bytes");
    check_bad("{\"page\":\"a\",\"records\":[{\"t\":\"x\",\"t\":\"y\"}]}\n", "duplicate");
    check_bad("{\"page\":\"a\",\"records\":[{\"t\":{\"start\":5,\"end\":5}}]}\n",
              "at $.records[0].t: a span must end after it starts");
    check_bad("{\"page\":\"a\",\"records\":[{\"t\":{\"start\":-1,\"end\":5}}]}\n",
              "whole numbers of bytes");
    check_bad("{\"page\":\"a\",\"records\":[{\"t\":{\"start\":1.5,\"end\":5}}]}\n",
              "whole numbers of bytes");
    check_bad("{\"page\":\"a\",\"records\":[{\"t\":{\"start\":1,\"end\":4294967296}}]}\n",
              "whole numbers");
    check_bad("{\"page\":\"a\",\"records\":[{\"t\":\"\xFF\"}]}\n", "l.jsonl:1: not a JSON object");
    th__buf deep = {0};
    th__buf_add_str(&deep, TH_STR("{\"page\":\"a\",\"records\":[{\"t\":"));
    for (int i = 0; i < 40; i++)
        th__buf_add_byte(&deep, '[');
    for (int i = 0; i < 40; i++)
        th__buf_add_byte(&deep, ']');
    th__buf_add(&deep, "}]}", 4);
    check_bad(deep.data, "at most 32 levels");
    th__buf_release(&deep);
}

static void schema_is_the_union(void **state)
{
    th_labels *labels = read_labels(
        "{\"page\":\"a\",\"records\":[{\"t\":\"x\",\"p\":\"$1.50\",\"l\":\"one\"}]}\n"
        "{\"page\":\"b\",\"records\":[{\"t\":\"y\",\"p\":null,\"l\":[\"a\",\"b\"],\"m\":{\"n\":5}},"
        "{\"t\":\"z\",\"l\":[],\"m\":{\"n\":7,\"o\":true},\"c\":[{\"d\":\"e\"},\"f\"]}]}\n");
    check_schema(labels, "{<t,(p)?,l:{B},(m:<n,(o)?>)?,(c:{B|<d>})?>}");
    th_schema *schema;
    assert_int_equal(th_labels_schema(labels, &schema, NULL), TH_OK);
    const th_type *record = th_schema_record_type(schema);
    assert_int_equal(th_type_note(th_type_child(th_type_child(record, 1), 0)), TH_NOTE_PRICE);
    const th_type *m = th_type_child(th_type_child(record, 3), 0);
    assert_int_equal(th_type_note(th_type_child(m, 0)), TH_NOTE_NUMBER);
    th_schema_free(schema);
    th_labels_free(labels);
    labels = read_labels("{\"page\":\"a\",\"records\":[{\"t\":\"x\"}]}\n{\"page\":\"b\",\"record\":"
                         "{\"t\":\"y\"}}\n");
    check_schema(labels, "<t>");
    th_labels_free(labels);
    labels = read_labels("{\"page\":\"a\",\"records\":[{\"t\":[[\"x\"],[\"y\",null]]}]}\n");
    check_schema(labels, "<t:{{(B)?}}>");
    th_labels_free(labels);
}

static void check_example(th_labels *labels, const char *text, th_status status,
                          const char *message)
{
    th_error err = {0};
    assert_int_equal(th_labels_add_example(labels, TH_STR("p"), th_str_from(text), &err), status);
    if (status && !strstr(err.message, message))
        fail_msg("\"%s\" does not contain \"%s\"", err.message, message);
}

static void examples_build_a_record(void **state)
{
    th_labels *labels;
    th_labels_new(&labels, NULL);
    static const char *const good[] = {
        "title=Snow  Country", "author[]=Kawabata", "author[]=Seidensticker", "file.url=/a=b",
        "file.size=12",        "file.url=/b",       "file.tag[]=x",           "file.tag[]=y"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        check_example(labels, good[i], TH_OK, NULL);
    check_schema(labels, "<title,author:{B},file:{<url,(size)?,(tag:{B})?>}>");
    check_example(labels, "no equals sign", TH_ERR_ARGUMENT, "has no \"=\"");
    check_example(labels, "=x", TH_ERR_ARGUMENT, "names no field");
    check_example(labels, ".a=x", TH_ERR_ARGUMENT, "names no field");
    check_example(labels, "a.b.c=x", TH_ERR_ARGUMENT, "names no field");
    check_example(labels, "author[]= ", TH_ERR_ARGUMENT, "has no value");
    check_example(labels, "title= ", TH_ERR_ARGUMENT, "has no value");
    check_example(labels, "new=\xC2", TH_ERR_ARGUMENT, "not UTF-8");
    check_example(labels, "author=Other", TH_ERR_ARGUMENT, "both as a list");
    check_example(labels, "title[]=Other", TH_ERR_ARGUMENT, "both as a list");
    check_example(labels, "author.name=x", TH_ERR_ARGUMENT, "both values of its own and fields");
    check_example(labels, "file[]=x", TH_ERR_ARGUMENT, "both as a list");
    check_schema(labels, "<title,author:{B},file:{<url,(size)?,(tag:{B})?>}>");
    check_example(labels, "title=Other", TH_OK, NULL); /* the next record */
    check_schema(labels, "{<title,(author:{B})?,(file:{<url,(size)?,(tag:{B})?>})?>}");
    th_labels_free(labels);
    labels = read_labels("{\"page\":\"p\",\"records\":[{\"t\":\"x\"}]}\n");
    check_example(labels, "t=x", TH_ERR_ARGUMENT, "has labels in line 1");
    th_labels_free(labels);
}

/* ---- locating ---- */

static const char html[] =
    "<!doctype html><base href=\"http://shop.example/books/\"><title>Snow Country &amp; "
    "more</title>"
    "<h1>Snow\n  <i>Country</i></h1><p>Price:&nbsp;<b>$12</b>.50, 315 pages"
    "<p>by <a href=\"kawabata?a=1&amp;b=2\" title=\"Kawabata, Yasunari\">Yasunari Kawabata</a>"
    "<p>Rating 5 of 5. 雪国は小説である<script>var x = 'hidden';</script>";

static th_page *parse(th_parser **parser)
{
    th_page *page;
    assert_int_equal(th_parser_new(NULL, parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(*parser, th_str_from(html), NULL, &page, NULL), TH_OK);
    return page;
}

static th_status locate(const char *line, th_labels **labels, th_located **located, th_error *err)
{
    th_parser *parser;
    th_page *page = parse(&parser);
    *labels = read_labels(line);
    th_status status = th_labels_locate(*labels, 0, NULL, page, located, err);
    th_page_free(page);
    th_parser_free(parser);
    return status;
}

/* One value: what it is found as, and the source at its first place. */
static void check_found(const char *value, th_found found, uint32_t total, const char *source)
{
    char line[512];
    snprintf(line, sizeof line, "{\"page\":\"p\",\"record\":{\"v\":\"%s\"}}\n", value);
    th_labels *labels;
    th_located *located;
    th_error err;
    if (locate(line, &labels, &located, &err))
        fail_msg("%s", err.message);
    assert_int_equal(th_located_count(located), 1);
    const th_finding *f = th_located_get(located, 0);
    assert_int_equal(f->found, found);
    assert_int_equal(f->total, total);
    check_str(f->path, "record.v");
    if (source) {
        th_span span = f->places[0].span;
        check_str((th_str){html + span.start, span.end - span.start}, source);
    }
    th_located_free(located);
    th_labels_free(labels);
}

static void values_are_found_in_text_and_attributes(void **state)
{
    check_found("Snow Country", TH_FOUND_MANY, 2, "Snow Country");
    check_found("Snow Country & more", TH_FOUND_ONCE, 1, "Snow Country &amp; more");
    check_found("Price: $12.50", TH_FOUND_ONCE, 1, "Price:&nbsp;<b>$12</b>.50");
    check_found("$12.50", TH_FOUND_ONCE, 1, "$12</b>.50");
    check_found("Kawabata, Yasunari", TH_FOUND_ONCE, 1, "Kawabata, Yasunari");
    check_found("kawabata?a=1&b=2", TH_FOUND_ONCE, 1, "kawabata?a=1&amp;b=2");
    check_found("http://shop.example/books/kawabata?a=1&b=2", TH_FOUND_ONCE, 1,
                "kawabata?a=1&amp;b=2");
    check_found("hidden", TH_FOUND_NOT, 0, NULL);
    /* Blanks, capitals and signs of another tool. */
    check_found("snow  country &amp; MORE", TH_FOUND_ONCE, 1, "Snow Country &amp; more");
    check_found("Price $12,50 / 315 Pages", TH_FOUND_ONCE, 1,
                "Price:&nbsp;<b>$12</b>.50, 315 pages");
    check_found("ellow", TH_FOUND_NOT, 0, NULL);
}

static void parts_of_words_and_numbers_are_told_apart(void **state)
{
    check_found("5", TH_FOUND_MANY, 2, "5");     /* not in 315, not in .50 */
    check_found("15", TH_FOUND_NOT, 0, NULL);    /* inside 315 */
    check_found("12", TH_FOUND_ONCE, 1, "12");   /* a group of $12.50, for want of better */
    check_found("Pri", TH_FOUND_ONCE, 1, "Pri"); /* inside a word, for want of better */
    check_found("小説", TH_FOUND_ONCE, 1, "小説");
    check_found("by", TH_FOUND_ONCE, 1, "by");
}

static void absent_values_come_with_the_nearest_text(void **state)
{
    th_labels *labels;
    th_located *located;
    assert_int_equal(
        locate("{\"page\":\"p\",\"record\":{\"a\":\"yasunari kawabatta\",\"b\":\"qqqqzzzz\"}}\n",
               &labels, &located, NULL),
        TH_OK);
    const th_finding *f = th_located_get(located, 0);
    assert_int_equal(f->found, TH_FOUND_NOT);
    check_str(f->nearest, "Yasunari Kawabata");
    check_str((th_str){html + f->nearest_span.start, f->nearest_span.end - f->nearest_span.start},
              "Yasunari Kawabata");
    assert_int_equal(th_located_get(located, 1)->found, TH_FOUND_NOT);
    assert_null(th_located_get(located, 1)->nearest.ptr);
    th_located_free(located);
    th_labels_free(labels);
}

static void located_records_follow_the_schema(void **state)
{
    th_labels *labels;
    th_located *located;
    uint32_t at = (uint32_t)(strstr(html, "Rating") - html);
    char line[512];
    snprintf(line, sizeof line,
             "{\"page\":\"p\",\"records\":[{\"t\":\"Snow Country\",\"n\":\"315 "
             "pages\",\"r\":{\"start\":%u,"
             "\"end\":%u}},{\"t\":[\"by\",null,\"Rating\"],\"c\":{\"d\":\"Snow Country\"}}]}\n",
             at, at + 13);
    assert_int_equal(locate(line, &labels, &located, NULL), TH_OK);
    assert_int_equal(th_located_count(located), 6);
    check_str(th_located_get(located, 4)->path, "records[1].t[2]");
    check_str(th_located_get(located, 5)->path, "records[1].c.d");
    assert_int_equal(th_located_get(located, 2)->found, TH_FOUND_EXACT);
    assert_int_equal(th_located_get(located, 5)->total, 2);
    const th_records *records = th_located_records(located);
    assert_int_equal(th_records_count(records), 2);
    check_str(th_records_page(records), "p");
    const th_value *first = th_records_get(records, 0), *list = th_value_item(first, 0);
    assert_int_equal(th_value_get_kind(list), TH_VALUE_LIST);
    check_str(th_value_text(th_value_item(list, 0)), "Snow Country");
    assert_int_equal(th_value_span(th_value_item(list, 0)).end, 0);
    th_span pages = th_value_span(th_value_item(first, 1));
    check_str((th_str){html + pages.start, pages.end - pages.start}, "315 pages");
    check_str(th_value_text(th_value_item(first, 2)), "Rating 5 of 5");
    const th_value *second = th_value_item(th_records_get(records, 1), 0);
    assert_int_equal(th_value_count(second), 3);
    assert_int_equal(th_value_get_kind(th_value_item(second, 1)), TH_VALUE_NULL);
    th_located_free(located);
    th_labels_free(labels);
}

static void places_name_node_and_attribute(void **state)
{
    th_parser *parser;
    th_page *page = parse(&parser);
    th_labels *labels = read_labels(
        "{\"page\":\"p\",\"record\":{\"a\":\"Kawabata, Yasunari\",\"b\":\"Price: $12\"}}\n");
    th_located *located;
    assert_int_equal(th_labels_locate(labels, 0, NULL, page, &located, NULL), TH_OK);
    const th_place *place = th_located_get(located, 0)->places;
    check_str(place->attribute, "title");
    check_str(th_token_name(page, th_page_node(page, place->node)->token), "a");
    place = th_located_get(located, 1)->places;
    assert_null(place->attribute.ptr);
    check_str(th_token_name(page, th_page_node(page, place->node)->token), "p");
    th_located_free(located);
    th_error err;
    assert_int_equal(th_labels_locate(labels, 7, NULL, page, &located, &err), TH_ERR_ARGUMENT);
    th_labels_free(labels);
    th_page_free(page);
    th_parser_free(parser);
}

static void check_bad_span(uint32_t start, uint32_t end, const char *value, const char *message)
{
    char line[256];
    snprintf(line, sizeof line,
             "\n{\"page\":\"p\",\"records\":[{\"v\":[{%s\"start\":%u,\"end\":%u}]}]}\n", value,
             start, end);
    th_labels *labels;
    th_located *located;
    th_error err = {0};
    assert_int_equal(locate(line, &labels, &located, &err), TH_ERR_FORMAT);
    assert_null(located);
    if (!strstr(err.message, message) ||
        !strstr(err.message, "l.jsonl:2: at $.records[0].v[0]: span"))
        fail_msg("\"%s\" does not contain \"%s\"", err.message, message);
    th_labels_free(labels);
}

static void wrong_spans_are_refused(void **state)
{
    uint32_t kanji = (uint32_t)(strstr(html, "雪") - html);
    check_bad_span(10, (uint32_t)sizeof html, "", "ends after the end of the page");
    check_bad_span(kanji + 1, kanji + 6, "", "splits a character");
    check_bad_span(kanji, kanji + 4, "", "splits a character");
    check_bad_span(0, 15, "", "contains no text");
    check_bad_span(kanji, kanji + 6, "\"value\":\"Yukiguni\",", "contains a text other than");
}

static void nearest_finds_whole_words(void **state)
{
    size_t start, end;
    th_str text = TH_STR("alpha beta gamma delta epsilon");
    assert_true(th__nearest(text, TH_STR("gamna dleta"), &start, &end));
    check_str((th_str){text.ptr + start, end - start}, "gamma delta");
    assert_true(th__nearest(text, TH_STR("ALPHA"), &start, &end));
    check_str((th_str){text.ptr + start, end - start}, "alpha");
    assert_false(th__nearest(text, TH_STR("0123456789"), &start, &end));
    assert_false(th__nearest(TH_STR(""), TH_STR("x"), &start, &end));
    char longer[301];
    memset(longer, 'a', 300);
    longer[300] = '\0';
    assert_true(th__nearest(th_str_from(longer), th_str_from(longer), &start, &end));
    assert_int_equal(end, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read),
        cmocka_unit_test(errors_name_line_and_path),
        cmocka_unit_test(schema_is_the_union),
        cmocka_unit_test(examples_build_a_record),
        cmocka_unit_test(values_are_found_in_text_and_attributes),
        cmocka_unit_test(parts_of_words_and_numbers_are_told_apart),
        cmocka_unit_test(absent_values_come_with_the_nearest_text),
        cmocka_unit_test(located_records_follow_the_schema),
        cmocka_unit_test(places_name_node_and_attribute),
        cmocka_unit_test(wrong_spans_are_refused),
        cmocka_unit_test(nearest_finds_whole_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
