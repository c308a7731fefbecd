/*
 * test_mdr_rule.c: a region of one page, learnt as a rule and run on others; rules as JSON, good
 * and damaged.
 */
#include "test.h"

#include <jansson.h>

#include "alloc_fail.h"
#include "base/str.h"
#include "engine/papers/mdr/mdr.h"

static th__arena rules; /* of the rules that tests make */

static void write_rule(const th__mdr_rule *rule, th__buf *out)
{
    th__rule_table_write(&th__mdr_rule_shape, rule, &(th__json){.buf = out});
}

/* A rule that stands at w.json: rules. */
static th_status read_rule(json_t *json, th__mdr_rule **rule, th_error *err)
{
    th__rule_reader reader = {.file = "w.json", .arena = &rules, .err = err};
    void *read;
    th__rule_enter(&reader, "rules");
    th_status status = th__rule_table_read(&reader, json, &th__mdr_rule_shape, &read);
    *rule = read;
    return status;
}

/* The rule of a page's first region, by way of its JSON. */
static th__mdr_rule *learn_with(const char *html, const th__mdr_options *options)
{
    th_page *page = parse_page(html);
    th__mdr_result *result;
    th__mdr_rule rule, *again;
    assert_int_equal(th__mdr_find(page, options, &result, NULL), TH_OK);
    assert_true(result->region_count > 0);
    assert_int_equal(th__mdr_learn(page, &result->regions[0], options, &rules, &rule, NULL), TH_OK);
    th__mdr_result_free(result);
    th_page_free(page);
    th__buf first = {0}, second = {0};
    write_rule(&rule, &first);
    json_t *json = json_loadb(first.data, first.len, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    assert_int_equal(read_rule(json, &again, NULL), TH_OK);
    write_rule(again, &second);
    assert_int_equal(first.len, second.len);
    assert_memory_equal(first.data, second.data, first.len);
    json_decref(json);
    th__buf_release(&first);
    th__buf_release(&second);
    return again;
}

static th__mdr_rule *learn(const char *html)
{
    th__mdr_options options;
    options = th__mdr_ours;
    return learn_with(html, &options);
}

static void check_run(const th__mdr_rule *rule, const char *html, const char *expected)
{
    th_page *page = parse_page(html);
    th__mdr_found found;
    th__arena arena;
    th__arena_init(&arena);
    assert_true(th__mdr_run(rule, page, &arena, &found));
    th__buf out = {0};
    for (uint32_t r = 0; r < found.record_count; r++) {
        for (uint32_t p = 0; p < found.records[r].range_count; p++) {
            th__mdr_range tokens = th__mdr_range_tokens(page, found.records[r].ranges[p]);
            th_span span = {page->tokens[tokens.first].start, page->tokens[tokens.end].start};
            th_text text = {0};
            assert_int_equal(th_page_span_text(page, span, &text, NULL), TH_OK);
            th__buf_printf(&out, "%s%.*s", p ? " / " : "[", (int)text.len, text.ptr);
            th_text_release(&text);
        }
        th__buf_add_byte(&out, ']');
    }
    th__buf_add_byte(&out, '\0');
    assert_string_equal(out.data, expected);
    th__buf_release(&out);
    th__arena_release(&arena);
    th_page_free(page);
}

#define HIT(x)  "<li class='hit big'><a>" x "</a><p>text</p></li>"
#define LIST(x) "<main><ul id=hits class=list>" x "</ul></main>"

static void whole_nodes(void **state)
{
    th__mdr_rule *rule = learn(LIST(HIT("1") HIT("2") HIT("3")));
    check_run(rule, LIST(HIT("4") HIT("5") HIT("6") HIT("7")), "[4 text][5 text][6 text][7 text]");
    /* One record, which no search would find; and none. */
    check_run(rule, LIST(HIT("8")), "[8 text]");
    check_run(rule, LIST(""), "");
    check_run(rule, "", "");
    check_run(rule, "<main><ol><li>1<li>2</ol></main>", "");
    /* Others among them: another tag, another class. */
    check_run(rule, LIST(HIT("1") "<li class=ad><a>x</a><p>y</p></li><hr>" HIT("2")),
              "[1 text][2 text]");
    /* The list of the right name, though another is longer; and one that has moved. */
    check_run(rule,
              "<main><ul>" HIT("1") HIT("2") HIT("3") "</ul><ul id=hits>" HIT("4") "</ul></main>",
              "[4 text]");
    check_run(rule, "<div><div><ul class=list>" HIT("9") "</ul></div></div>", "[9 text]");
}

static void notation(void **state)
{
    th__mdr_rule *rule = learn(LIST(HIT("1") HIT("2") HIT("3")));
    th__buf out = {0};
    th__mdr_rule_print(rule, &out);
    th__buf_add_byte(&out, '\0');
    assert_string_equal(
        out.data, "region of 1-node combinations below /main/ul#hits.list\n"
                  "  generalized node: li.hit.big\n"
                  "  tag strings: <li a p>\n"
                  "each generalized node is a record; seen: 3 generalized nodes, 3 records\n");
    th__buf_release(&out);
}

#define OBJECT(x) "<td><b>" x "</b><p>text</p></td>"

static void children_of_nodes(void **state)
{
    th__mdr_rule *rule =
        learn("<table><tr>" OBJECT("1") OBJECT("2") "<tr>" OBJECT("3") OBJECT("4") "</table>");
    assert_int_equal(rule->cut, TH__MDR_CHILDREN);
    check_run(rule,
              "<table><tr><td><hr><hr><hr><tr>" OBJECT("5")
                  OBJECT("6") "<tr>" OBJECT("7") "</table>",
              "[5 text][6 text][7 text]");
}

#define NAME(x)        "<td><b>name " x "</b><i>new</i></td>"
#define DESCRIPTION(x) "<td><p>about " x "<p>more<p>and<p>more</td>"

static void columns(void **state)
{
    th__mdr_rule *rule =
        learn("<table><tr>" NAME("1") NAME("2") "<tr>" DESCRIPTION("1") DESCRIPTION("2") /**/
              "<tr>" NAME("3") NAME("4") "<tr>" DESCRIPTION("3") DESCRIPTION("4") "</table>");
    assert_int_equal(rule->cut, TH__MDR_COLUMNS);
    check_run(rule,
              "<table><tr>" NAME("5") NAME("6") "<tr>" DESCRIPTION("5") DESCRIPTION("6") /**/
              "<tr>" NAME("7") "<tr>" DESCRIPTION("7") "</table>",
              "[name 5new / about 5 more and more][name 6new / about 6 more and more]"
              "[name 7new / about 7 more and more]");
}

static void adjacent_regions(void **state)
{
    th__mdr_rule *rule = learn("<table><tr>" NAME("1") NAME("2") NAME("3") "<tr>" /**/
                               DESCRIPTION("1") DESCRIPTION("2") DESCRIPTION("3") "</table>");
    assert_int_equal(rule->part_count, 2);
    check_run(rule,
              "<table><tr>" NAME("4") NAME("5") "<tr>" DESCRIPTION("4") DESCRIPTION("5") "</table>",
              "[name 4new / about 4 more and more][name 5new / about 5 more and more]");
    check_run(rule, "<table><tr>" NAME("4") NAME("5") "</table>", "[name 4new][name 5new]");
}

static void several_nodes_a_record(void **state)
{
    th__mdr_rule *rule = learn("<dl><dt>1<dd><b><i>a</i></b><dt>2<dd><b><i>b</i></b></dl>");
    check_run(rule,
              "<dl><dt>3<dd><b><i>c</i></b><script>x</script><hr><dt>4<dd><b><i>d</i></b></dl>",
              "[3 c][4 d]");
}

/* As published, FindRecords judges each generalized node, on other pages too: one row is cut into
 * its cells, another is a record. And only tags of tables and forms count. */
static void as_published(void **state)
{
#define ODD_ROW(x) "<tr><td><b>" x "</b><p>text</p></td><td><i>i</i><p>i</p></td>"
    th__mdr_options paper;
    paper = th__mdr_paper;
    th__mdr_rule *rule = learn_with("<table><tr>" OBJECT("1") OBJECT("2")
                                        ODD_ROW("3") "<tr>" OBJECT("4") OBJECT("5") "</table>",
                                    &paper);
    assert_int_equal(rule->cut, TH__MDR_MIXED);
    assert_true(rule->table_tags);
    check_run(rule, "<table>" ODD_ROW("6") "<tr>" OBJECT("7") OBJECT("8") "</table>",
              "[6 text i i][7 text][8 text]");
    th__buf out = {0};
    th__mdr_rule_print(rule, &out);
    th__buf_add_byte(&out, '\0');
    assert_non_null(strstr(out.data, "FindRecords judges each generalized node; seen: 3"));
    assert_non_null(strstr(out.data, "only nodes of table and form tags\n"));
    th__buf_release(&out);
    /* Nodes of any tag where they differed on the page it is from: still of tables alone. */
#define INSIDE(x) "<b>" x "</b><i></i><u></u><s></s><q></q>"
    rule =
        learn_with("<div><table>" INSIDE("1") "</table><form>" INSIDE("2") "</form></div>", &paper);
    assert_int_equal(rule->parts[0].nodes[0].tag_id, 0);
    check_run(rule, "<div><table>" INSIDE("3") "</table><div>" INSIDE("4") "</div></div>", "[3]");
#undef INSIDE
#undef ODD_ROW
}

/* ---- damaged rules ---- */

static const char good[] =
    "{'cut':'whole','threshold':0.3,'class_threshold':0.8,'parts':[{'parent':{'path':'html ul',"
    "'id':'x'},'nodes':[{'tag':'li','class':'hit'}],'prototypes':['li a'],'records':[]}],"
    "'seen':{'generalized_nodes':2,'records':2}}";

/* The good rule with `from` replaced by `to`, quotes written as apostrophes. */
static th_status read_damaged(const char *from, const char *to, th_error *err)
{
    th__buf text = {0};
    const char *at = strstr(good, from);
    assert_non_null(at);
    th__buf_add(&text, good, (size_t)(at - good));
    th__buf_add_str(&text, th_str_from(to));
    th__buf_add_str(&text, th_str_from(at + strlen(from)));
    for (size_t i = 0; i < text.len; i++)
        text.data[i] = text.data[i] == '\'' ? '"' : text.data[i];
    json_t *json = json_loadb(text.data, text.len, 0, NULL);
    assert_non_null(json);
    th__mdr_rule *rule;
    th_status status = read_rule(json, &rule, err);
    json_decref(json);
    th__buf_release(&text);
    return status;
}

static void damaged_rules(void **state)
{
    static const struct {
        const char *from, *to, *message;
    } cases[] = {
        {"'cut':'whole'", "'cut':'apart'", "cut: must be one of whole, children, columns, mixed"},
        {"'cut':'whole'", "'cut':7", "cut: must be one of whole, children, columns, mixed"},
        {"'cut':'whole',", "", "cut: is missing: one of whole, children, columns, mixed"},
        {"'cut':'whole'", "'cut':'columns'", "parts[0].records: must be an array of 1 to 16 items"},
        {"0.3", "-1", "threshold: must be a number from 0 to 2"},
        {"0.8", "'x'", "class_threshold: must be a number from 0 to 2"},
        {"'parts':[{", "'table_tags':1,'parts':[{", "table_tags: must be true or false"},
        {"'parts':[{", "'part':[{", "parts: must be an array of 1 to 16 items"},
        {"'html ul'", "'html  ul'",
         "parts[0].parent.path: must be names of tags, separated by single blanks"},
        {"'html ul'", "3", "parts[0].parent.path: must be a text"},
        {"'id':'x'", "'id':7", "parts[0].parent.id: must be a text"},
        {"[{'tag':'li','class':'hit'}]", "[]", "parts[0].nodes: must be an array of 1 to 32 items"},
        {"{'tag':'li','class':'hit'}", "[]", "parts[0].nodes[0]: must be an object"},
        {"'tag':'li'", "'tag':'li a'", "parts[0].nodes[0].tag: must be the name of a tag"},
        {"['li a']", "[]", "parts[0].prototypes: must be an array of 1 to 16 items"},
        {"['li a']", "['li a','']", "parts[0].prototypes[1]: must be 1 to 4096 names of tags"},
        {"'records':[]", "'records':{}", "parts[0].records: must be an array of 0 to 16 items"},
        {"'generalized_nodes':2", "'generalized_nodes':-2",
         "seen.generalized_nodes: must be a whole number from 0 to 4294967295"},
    };
    th_error err;
    assert_int_equal(read_damaged("whole", "whole", &err), TH_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(read_damaged(cases[i].from, cases[i].to, &err), TH_ERR_FORMAT);
        assert_memory_equal(err.message, "w.json: rules.", strlen("w.json: rules."));
        assert_string_equal(err.message + strlen("w.json: rules."), cases[i].message);
    }
    assert_int_equal(read_damaged("whole", "other", NULL), TH_ERR_FORMAT);
    /* A prototype of 5,000 tags. */
    th__buf many = {0};
    th__buf_add_str(&many, TH_STR("['li"));
    for (int i = 0; i < 5000; i++)
        th__buf_add_str(&many, TH_STR(" a"));
    th__buf_add(&many, "']", 3);
    assert_int_equal(read_damaged("['li a']", many.data, &err), TH_ERR_FORMAT);
    assert_string_equal(err.message,
                        "w.json: rules.parts[0].prototypes[0]: must be 1 to 4096 names of tags");
    th__buf_release(&many);
}

/* A rule from outside that fits everything: linear all the same. */
static void greedy_rule(void **state)
{
    th__buf text = {0}, html = {0};
    th__buf_add_str(&text, TH_STR("{\"cut\":\"whole\",\"threshold\":2,\"class_threshold\":2,"
                                  "\"parts\":[{\"parent\":{\"path\":\"div\"},\"nodes\":[{}],"
                                  "\"prototypes\":[\"q"));
    for (int i = 0; i < 4000; i++)
        th__buf_add_str(&text, TH_STR(" s"));
    th__buf_add_str(&text, TH_STR("\"],\"records\":[]}],\"seen\":{\"generalized_nodes\":0,"
                                  "\"records\":0}}"));
    json_t *json = json_loadb(text.data, text.len, 0, NULL);
    th__mdr_rule *rule;
    assert_int_equal(read_rule(json, &rule, NULL), TH_OK);
    for (int i = 0; i < 200; i++) {
        th__buf_add_str(&html, TH_STR("<div>"));
        for (int j = 0; j < 50; j++)
            th__buf_add_str(&html, TH_STR("<p><b></b><i></i></p>"));
    }
    th__buf_add_byte(&html, '\0');
    th_page *page = parse_page(html.data);
    th__mdr_found found;
    th__arena arena;
    th__arena_init(&arena);
    assert_true(th__mdr_run(rule, page, &arena, &found));
    th__arena_release(&arena);
    th_page_free(page);
    json_decref(json);
    th__buf_release(&text);
    th__buf_release(&html);
}

/* ---- memory ---- */

typedef struct job {
    th_page *page, *other;
    json_t *json;
    uint64_t answer;
} job;

static th_status learn_and_run(void *context)
{
    job *j = context;
    th__mdr_result *result = NULL;
    th__mdr_rule rule;
    th__mdr_found found;
    th__buf out = {0};
    th__arena arena;
    th__arena_init(&arena);
    th__mdr_options options = th__mdr_ours;
    th_status status = th__mdr_find(j->page, &options, &result, NULL);
    for (uint32_t i = 0; !status && i < result->region_count; i++) {
        status = th__mdr_learn(j->page, &result->regions[i], &options, &arena, &rule, NULL);
        if (!status && !th__mdr_run(&rule, j->other, &arena, &found))
            status = TH_ERR_MEMORY;
        if (!status) {
            th__mdr_rule_print(&rule, &out);
            th__buf_printf(&out, "%u", found.record_count);
        }
    }
    if (!status)
        status = out.failed ? TH_ERR_MEMORY : th_test_same_answer(out.data, out.len, &j->answer);
    th__buf_release(&out);
    th__arena_release(&arena);
    th__mdr_result_free(result);
    return status;
}

static th_status read_once(void *context)
{
    th__mdr_rule *rule;
    th_error err;
    th_status status = read_rule(((job *)context)->json, &rule, &err);
    th__buf out = {0};
    if (!status) {
        th__mdr_rule_print(rule, &out);
        write_rule(rule, &out);
        status = out.failed ? TH_ERR_MEMORY : TH_OK;
    }
    th__buf_release(&out);
    th__arena_release(&rules);
    return status;
}

static void allocations_fail(void **state)
{
    static const char page[] =
        "<table><tr>" NAME("1") NAME("2") "<tr>" DESCRIPTION("1") DESCRIPTION("2") /**/
        "<tr>" NAME("3") NAME("4") "<tr>" DESCRIPTION("3")
            DESCRIPTION("4") "</table>"
                             "<table><tr>" NAME("1") NAME("2") "<tr>" DESCRIPTION("1")
                                 DESCRIPTION("2") "</table>"
                                                  "<table><tr>" OBJECT("1")
                                                      OBJECT("2") "<tr>" OBJECT("3")
                                                          OBJECT("4") "</table>" /**/
        LIST(HIT("1") HIT("2"));
    th__buf text = {0};
    th__buf_add_str(&text, th_str_from(good));
    for (size_t i = 0; i < text.len; i++)
        text.data[i] = text.data[i] == '\'' ? '"' : text.data[i];
    th__arena_release(&rules);
    job j = {parse_page(page), parse_page(page), json_loadb(text.data, text.len, 0, NULL)};
    assert_int_equal(learn_and_run(&j), TH_OK);
    th_test_some_allocations_fail(learn_and_run, &j, 200);
    th_test_each_allocation_fails(read_once, &j);
    th_page_free(j.page);
    th_page_free(j.other);
    json_decref(j.json);
    th__buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_nodes),       cmocka_unit_test(notation),
        cmocka_unit_test(children_of_nodes), cmocka_unit_test(columns),
        cmocka_unit_test(adjacent_regions),  cmocka_unit_test(several_nodes_a_record),
        cmocka_unit_test(as_published),      cmocka_unit_test(damaged_rules),
        cmocka_unit_test(greedy_rule),       cmocka_unit_test(allocations_fail),
    };
    th__arena_init(&rules);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    th__arena_release(&rules);
    return failed;
}
