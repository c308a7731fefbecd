/*
 * fuzz_labels.c: label lines, their schema, and the search for their values on a page.
 *
 * The labels end at the first NUL byte; what follows is the page. An example is made of every line
 * too, since it is one more way that outside text gets in.
 */
#include "fuzz.h"

#include <string.h>
#include <thresh.h>

static th_status count_bytes(void *context, const char *bytes, size_t len, th_error *err)
{
    *(size_t *)context += len;
    return TH_OK;
}

/* What was found lies on the page, and the records can be written. */
static void check_located(const th_located *located, const th_page *page)
{
    th_str text = th_page_text(page);
    for (size_t i = 0; i < th_located_count(located); i++) {
        const th_finding *f = th_located_get(located, i);
        CHECK(f->place_count <= f->total && (f->total == 0) == (f->found == TH_FOUND_NOT));
        for (uint32_t p = 0; p < f->place_count; p++) {
            CHECK(f->places[p].span.start < f->places[p].span.end);
            CHECK(f->places[p].span.end <= text.len);
            CHECK(f->places[p].node < th_page_node_count(page));
        }
        CHECK(f->nearest_span.end <= text.len);
    }
    for (th_format format = TH_FORMAT_TABLE; format <= TH_FORMAT_PAGES; format++) {
        size_t written = 0;
        th_writer_options options;
        th_writer *writer;
        th_writer_options_init(&options);
        options.sink = (th_sink){count_bytes, &written};
        options.width = 40;
        CHECK(th_writer_new(format, &options, &writer, NULL) == TH_OK);
        CHECK(th_writer_add(writer, th_located_records(located), NULL) == TH_OK);
        CHECK(th_writer_finish(writer, NULL) == TH_OK);
        th_writer_free(writer);
    }
}

/* A schema goes through JSON and back unchanged. */
static void check_schema(const th_schema *schema)
{
    th_text json = {0};
    th_schema *again;
    CHECK(th_schema_to_json(schema, &json, NULL) == TH_OK);
    CHECK(th_schema_from_json((th_str){json.ptr, json.len}, &again, NULL) == TH_OK);
    CHECK(th_schema_equal(schema, again));
    th_schema_free(again);
    th_text_release(&json);
}

static void read_labels(th_str text, const th_page *page)
{
    th_labels *labels;
    th_schema *schema;
    if (th_labels_read(text, "labels", &labels, NULL))
        return;
    if (th_labels_schema(labels, &schema, NULL) == TH_OK) {
        check_schema(schema);
        for (size_t i = 0; i < th_labels_count(labels); i++) {
            th_located *located;
            if (th_labels_locate(labels, i, schema, page, &located, NULL) == TH_OK)
                check_located(located, page);
            th_located_free(located);
        }
        th_schema_free(schema);
    }
    th_labels_free(labels);
}

static void read_examples(th_str text, const th_page *page)
{
    th_labels *labels;
    th_located *located;
    CHECK(th_labels_new(&labels, NULL) == TH_OK);
    const char *at = text.ptr, *end = at + text.len;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((newline ? newline : end) - at);
        th_labels_add_example(labels, th_str_from("p"), (th_str){at, len}, NULL);
        at += len + 1;
    }
    if (th_labels_count(labels) &&
        th_labels_locate(labels, 0, NULL, page, &located, NULL) == TH_OK) {
        check_located(located, page);
        th_located_free(located);
    }
    th_labels_free(labels);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    th_str text = {(const char *)data, nul ? (size_t)(nul - data) : size};
    th_str html = {nul ? (const char *)nul + 1 : "", nul ? size - text.len - 1 : 0};
    th_page_source source = {.url = th_str_from("http://host.example/a/b")};
    th_parser *parser;
    th_page *page;
    CHECK(th_parser_new(NULL, &parser, NULL) == TH_OK);
    CHECK(th_parser_parse(parser, html, &source, &page, NULL) == TH_OK);
    read_labels(text, page);
    read_examples(text, page);
    th_page_free(page);
    th_parser_free(parser);
    return 0;
}
