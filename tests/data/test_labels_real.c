/* Labels on real pages: the truth of a set of detail pages is read and its values are found. Every
 * place must read back as the value that was looked for. Skipped without THRESH_DATA. */
#include "samples.h"

enum { EVERY = 4 /* pages: a sample is enough, and quick under a sanitizer */ };

typedef struct counts {
    size_t values, found, places, differ;
} counts;

static char *read_whole(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *len = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*len + 1);
    if (!text || fread(text, 1, *len, file) != *len)
        *len = 0;
    fclose(file);
    return text;
}

static void count_page(const th_labels *labels, size_t index, const th_schema *schema,
                       const th_page *page, counts *c)
{
    th_located *located;
    th_error err;
    if (th_labels_locate(labels, index, schema, page, &located, &err))
        fail_msg("%s", err.message);
    th_text text = {0};
    for (size_t i = 0; i < th_located_count(located); i++) {
        const th_finding *f = th_located_get(located, i);
        c->values++;
        c->found += f->found != TH_FOUND_NOT;
        for (uint32_t p = 0; p < f->place_count; p++) {
            if (f->places[p].attribute.ptr)
                continue;
            assert_int_equal(th_page_span_text(page, f->places[p].span, &text, NULL), TH_OK);
            c->places++;
            c->differ += !th__str_eq(f->value, (th_str){text.ptr, text.len});
        }
    }
    th_text_release(&text);
    th_located_free(located);
}

static void places_read_back(void **state)
{
    char path[4096];
    size_t len = 0;
    snprintf(path, sizeof path, "%s/detail/truth.jsonl", getenv("THRESH_DATA"));
    char *truth = read_whole(path, &len);
    assert_non_null(truth);
    th_labels *labels;
    th_schema *schema;
    th_parser *parser;
    counts c = {0};
    assert_int_equal(th_labels_read((th_str){truth, len}, path, &labels, NULL), TH_OK);
    assert_int_equal(th_labels_schema(labels, &schema, NULL), TH_OK);
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    for (size_t i = 0; i < th_labels_count(labels); i += EVERY) {
        th_str name = th_labels_page(labels, i);
        snprintf(path, sizeof path, "%s/detail/%.*s", getenv("THRESH_DATA"), (int)name.len,
                 name.ptr);
        char *html = read_whole(path, &len);
        assert_non_null(html);
        th_page *page;
        assert_int_equal(th_parser_parse(parser, (th_str){html, len}, NULL, &page, NULL), TH_OK);
        count_page(labels, i, schema, page, &c);
        th_page_free(page);
        free(html);
    }
    print_message("%zu values, %zu found; %zu places, %zu read otherwise\n", c.values, c.found,
                  c.places, c.differ);
    assert_true(c.values > 0 && c.found * 10 > c.values * 9);
    assert_int_equal(c.differ, 0);
    th_parser_free(parser);
    th_schema_free(schema);
    th_labels_free(labels);
    free(truth);
}

int main(void)
{
    if (!getenv("THRESH_DATA")) {
        printf("THRESH_DATA is not set: real pages are not tried\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(places_read_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
