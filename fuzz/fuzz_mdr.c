/*
 * fuzz_mdr.c: any page is searched by MDR, each region learnt and run again; bytes that are JSON
 * are read as a rule as well, and run.
 *
 * The first byte of a page chooses the switches, so that they are tried in all mixtures.
 */
#include "fuzz.h"

#include <thresh.h>

#include "engine/papers/mdr/mdr.h"

static void check_records(const th_page *page, const th__mdr_record *records, uint32_t count)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        CHECK(records[i].range_count > 0);
        CHECK(records[i].ranges[0].first >= last);
        last = records[i].ranges[0].first;
        for (uint32_t r = 0; r < records[i].range_count; r++) {
            th__mdr_range range = records[i].ranges[r];
            CHECK(range.first > 0 && range.first < range.end && range.end <= page->node_count);
            CHECK(page->nodes[range.first].end <= range.end);
            th__mdr_range tokens = th__mdr_range_tokens(page, range);
            CHECK(tokens.first < tokens.end && tokens.end <= page->token_count);
        }
    }
}

static void check_region(const th_page *page, const th__mdr_result *result, uint32_t index)
{
    const th__mdr_region *region = &result->regions[index];
    CHECK(region->part_count > 0 && region->record_count > 0);
    for (uint32_t p = 0; p < region->part_count; p++) {
        const th__mdr_part *part = &region->parts[p];
        CHECK(part->combination > 0 && part->count % part->combination == 0 && part->count > 0);
        CHECK(part->parent < part->first && part->first < page->nodes[part->parent].end);
    }
    check_records(page, region->records, region->record_count);
}

static void run_rule(const th__mdr_rule *rule, const th_page *page)
{
    th__mdr_found found;
    th__arena arena;
    th__arena_init(&arena);
    CHECK(th__mdr_run(rule, page, &arena, &found));
    check_records(page, found.records, found.record_count);
    th__arena_release(&arena);
}

static void search(const th_page *page, uint8_t choice)
{
    th__mdr_options options;
    th__mdr_result *result;
    th_error err;
    options = th__mdr_ours;
    for (size_t i = 0; i < th__mdr_switch_count; i++)
        if (choice >> i % 8 & 1)
            *(bool *)((char *)&options + th__mdr_switches[i].offset) = false;
    CHECK(th__mdr_find(page, &options, &result, &err) == TH_OK);
    for (uint32_t i = 0; i < result->region_count; i++) {
        check_region(page, result, i);
        th__mdr_rule rule;
        th__arena arena;
        th__arena_init(&arena);
        if (i < 16 && !th__mdr_learn(page, &result->regions[i], &options, &arena, &rule, &err))
            run_rule(&rule, page);
        th__arena_release(&arena);
    }
    th__mdr_result_free(result);
}

static void read_rule(const uint8_t *data, size_t size, const th_page *page)
{
    json_t *json = json_loadb((const char *)data, size, 0, NULL);
    void *rule;
    th_error err;
    th__arena arena;
    th__arena_init(&arena);
    th__rule_reader reader = {.file = "rule", .arena = &arena, .err = &err};
    if (json && !th__rule_table_read(&reader, json, &th__mdr_rule_shape, &rule)) {
        run_rule(rule, page);
        th__buf out = {0};
        th__mdr_rule_print(rule, &out);
        CHECK(!out.failed);
        th__buf_release(&out);
    }
    th__arena_release(&arena);
    json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char fixed[] = "<html><body><ul id=x><li class=hit><a>1</a><li class=hit><a>2</a>"
                                "<li>3</ul><table><tr><td>4<td>5<tr><td>6<td>7</table>";
    th_parser *parser;
    th_page *page;
    th_error err;
    if (!size)
        return 0;
    bool rule = data[0] == '{';
    th_str bytes = {(const char *)data + 1, size - 1};
    if (rule)
        bytes = (th_str){fixed, sizeof fixed - 1};
    CHECK(th_parser_new(NULL, &parser, &err) == TH_OK);
    CHECK(th_parser_parse(parser, bytes, NULL, &page, &err) == TH_OK);
    if (rule)
        read_rule(data, size, page);
    else
        search(page, data[0]);
    th_page_free(page);
    th_parser_free(parser);
    return 0;
}
