/*
 * fuzz_iepad.c: any page is searched by IEPAD, and the patterns are learnt and run again, on the
 * page and on another, from which more is learnt; bytes that are JSON are read as a rule, and run.
 *
 * Input: a byte that chooses the switches, a page, a NUL, another page. Or a rule: it begins with a
 * brace.
 */
#include "fuzz.h"

#include <string.h>
#include <thresh.h>

#include "engine/papers/iepad/iepad.h"

/* The most patterns of a page that are learnt: it takes long enough to find them. */
enum { LEARNT = 4 };

/* Runs a rule; gives how many records it finds. */
static uint32_t run_rule(const th__iepad_rule *rule, const th_page *page)
{
    th__iepad_table table = {0};
    uint32_t next = 0;
    CHECK(th__iepad_run(rule, page, NULL, &table, NULL) == TH_OK);
    CHECK(table.cells.len == table.records.len * rule->field_count);
    for (size_t i = 0; i < table.records.len; i++) {
        const th__iepad_record *record = &table.records.data[i];
        CHECK(record->first >= next && record->first <= record->last);
        CHECK(record->last < page->token_count && record->pattern < rule->record_count);
        next = record->last + 1;
    }
    for (size_t i = 0; i < table.cells.len; i++) {
        th_span cell = table.cells.data[i];
        CHECK(cell.start <= cell.end && cell.end <= page->text.len);
    }
    uint32_t count = (uint32_t)table.records.len;
    th__iepad_table_release(&table);
    return count;
}

/* Written and read again a rule is the same. */
static void check_json(const th__iepad_rule *rule)
{
    th__buf one = {0}, two = {0};
    void *again;
    th__arena arena;
    th__arena_init(&arena);
    th__rule_reader reader = {.file = "rule", .arena = &arena};
    th__rule_table_write(&th__iepad_rule_shape, rule, &(th__json){.buf = &one});
    json_t *json = json_loadb(one.data, one.len, JSON_ALLOW_NUL, NULL); /* as wrappers are read */
    CHECK(json && th__rule_table_read(&reader, json, &th__iepad_rule_shape, &again) == TH_OK);
    th__rule_table_write(&th__iepad_rule_shape, again, &(th__json){.buf = &two});
    CHECK(one.len == two.len && !memcmp(one.data, two.data, one.len));
    th__arena_release(&arena);
    json_decref(json);
    th__buf_release(&one);
    th__buf_release(&two);
}

static void learn(const th__iepad_result *result, uint32_t pick, const th_page *page,
                  const th_page *other)
{
    th__iepad_rule rule;
    th__arena arena;
    size_t records;
    uint64_t home = result->patterns[pick].home;
    th__arena_init(&arena);
    if (!th__iepad_learn(page, result, pick, &arena, &rule, NULL)) {
        CHECK(run_rule(&rule, page) >= result->patterns[pick].count);
        uint32_t before = run_rule(&rule, other), patterns = rule.record_count;
        CHECK(th__iepad_learn_more(other, &result->options, home, &arena, &rule, &records, NULL) ==
              TH_OK);
        CHECK(records >= before && records == run_rule(&rule, other));
        CHECK((records > before) == (rule.record_count > patterns));
        check_json(&rule);
    } /* else it has more fields than a rule may have */
    th__arena_release(&arena);
}

static void search(const th_page *page, const th_page *other, uint8_t choice)
{
    th__iepad_options options;
    th__iepad_result result;
    if (choice & 1)
        th__iepad_options_init(&options, true);
    else
        th__iepad_options_init(&options, false);
    options.scheme = (th__iepad_scheme)(choice >> 1 & 3);
    options.paper.min_count = choice & 8 ? 2 : 5;
    options.levels = 1 + (choice >> 4 & 1);
    if (choice & 64)
        options.paper.max_mismatch = 1;
    CHECK(th__iepad_find(page, &options, &result, NULL) == TH_OK);
    for (uint32_t i = 0; i < result.count; i++)
        CHECK(result.patterns[i].count >= options.paper.min_count);
    for (uint32_t i = 0; i < result.count && i < LEARNT; i++)
        learn(&result, i, page, other);
    th__iepad_result_release(&result);
}

static void read_rule(th_str bytes, const th_page *page)
{
    json_t *json = json_loadb(bytes.ptr, bytes.len, 0, NULL);
    void *rule;
    th__arena arena;
    th__arena_init(&arena);
    th__rule_reader reader = {.file = "rule", .arena = &arena};
    if (json && !th__rule_table_read(&reader, json, &th__iepad_rule_shape, &rule)) {
        run_rule(rule, page);
        check_json(rule);
    }
    th__arena_release(&arena);
    json_decref(json);
}

static th_page *parse(th_parser *parser, th_str bytes)
{
    th_page *page;
    CHECK(th_parser_parse(parser, bytes, NULL, &page, NULL) == TH_OK);
    return page;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char fixed[] = "<ul><li><a href=x>1</a><br>a<li><a href=y>2</a><br><b>b</b> c"
                                "<li><img src=z>3<br>d</ul><p>end";
    th_parser *parser;
    if (!size)
        return 0;
    CHECK(th_parser_new(NULL, &parser, NULL) == TH_OK);
    const char *text = (const char *)data;
    if (text[0] == '{') {
        th_page *page = parse(parser, (th_str){fixed, sizeof fixed - 1});
        read_rule((th_str){text, size}, page);
        th_page_free(page);
    } else {
        const char *nul = memchr(text + 1, 0, size - 1);
        size_t first = nul ? (size_t)(nul - text) - 1 : size - 1;
        th_page *page = parse(parser, (th_str){text + 1, first});
        th_page *other =
            parse(parser, nul ? (th_str){nul + 1, size - first - 2} : (th_str){text + 1, first});
        search(page, other, data[0]);
        th_page_free(page);
        th_page_free(other);
    }
    th_parser_free(parser);
    return 0;
}
