/*
 * fuzz_data.c: the data page of a page: JSON in scripts, and microdata. Each place of its text must
 * lead to one of the page, and the lists found there must have their values on the page.
 */
#include <stdint.h>
#include <stdlib.h>

#include <thresh.h>

#include "page/data_page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void check_value(const th_value *value, uint32_t len)
{
    th_span span = th_value_span(value);
    check(span.start <= span.end && span.end <= len);
    if (th_value_get_kind(value) != TH_VALUE_TEXT)
        for (size_t i = 0; i < th_value_count(value); i++)
            check_value(th_value_item(value, i), len);
}

static void check_lists(const th_page *page)
{
    th_regions *regions = NULL;
    uint32_t len = (uint32_t)th_page_text(page).len;
    check(th_regions_find(page, NULL, NULL, &regions, NULL) == TH_OK);
    for (size_t i = 0; i < th_regions_count(regions); i++) {
        const th_records *records = th_regions_get(regions, i)->records;
        for (size_t r = 0; r < th_records_count(records); r++)
            check_value(th_records_get(records, r), len);
    }
    th_regions_free(regions);
}

static void check_data(const th_page *page)
{
    th_page *own = NULL;
    uint32_t len = (uint32_t)th_page_text(page).len;
    check(th__data_page_make(page, NULL, &own, NULL) == TH_OK);
    if (!own)
        return;
    uint32_t own_len = (uint32_t)th_page_text(own).len;
    for (uint32_t i = 0; i < own->point_count; i++) {
        check(own->points[i].from <= len && own->points[i].at <= own_len);
        check(!i || own->points[i].at >= own->points[i - 1].at);
    }
    for (uint32_t at = 0; at < own_len; at += 7) {
        th_span span = th__data_span(own, (th_span){at, at + 3 < own_len ? at + 3 : own_len});
        check(span.start <= span.end && span.end <= len);
    }
    th_page_free(own);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    th_parser *parser;
    th_page *page;
    th_page_source source = {.url = th_str_from("http://host.example/a/b?c#d")};
    check(th_parser_new(NULL, &parser, NULL) == TH_OK);
    check(th_parser_parse(parser, (th_str){(const char *)data, size}, &source, &page, NULL) ==
          TH_OK);
    check_data(page);
    check_lists(page);
    th_page_free(page);
    th_parser_free(parser);
    return 0;
}
