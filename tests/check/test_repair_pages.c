/* Repair on pages that changed as real ones do: records of several kinds, pages that are JSON,
 * lists that another engine sees, headings where records were. */
#include "check_test.h"
#include "wrapper_test.h"

#include "check/check.h"
#include "repair/repair.h"

typedef struct case_of {
    th__buf old, now;
    th_wrapper *wrapper, *mended;
    th_verdict *verdict;
    th_repair *repair;
    th_repair_options options;
} case_of;

static th_page *parse(const th__buf *html)
{
    th_parser *parser = NULL;
    th_page *page = NULL;
    assert_false(html->failed);
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, th__buf_str(html), NULL, &page, NULL), TH_OK);
    th_parser_free(parser);
    return page;
}

static size_t count_records(const th_wrapper *wrapper, const th__buf *html)
{
    th_page *page = parse(html);
    th_records *records = NULL;
    assert_int_equal(th_wrapper_extract(wrapper, page, NULL, &records, NULL), TH_OK);
    size_t count = th_records_count(records);
    th_records_free(records);
    th_page_free(page);
    return count;
}

static void check_page(th_check *check, const th_wrapper *wrapper, const th__buf *html)
{
    th_page *page = parse(html);
    th_records *records = NULL;
    assert_int_equal(th_wrapper_extract(wrapper, page, NULL, &records, NULL), TH_OK);
    assert_int_equal(th_check_add(check, page, records, NULL), TH_OK);
    th_records_free(records);
    th_page_free(page);
}

/* Learns from the old page, verifies and repairs on the new one. */
static void go(case_of *c, const char *engine)
{
    th_check *check;
    assert_true(th__buf_add_byte(&c->old, '\0'));
    const char *page = c->old.data;
    assert_int_equal(learn_by(engine, &page, 1, 1, &c->wrapper, NULL), TH_OK);
    c->old.len--;
    assert_int_equal(th_check_new(c->wrapper, true, &check, NULL), TH_OK);
    check_page(check, c->wrapper, &c->old);
    assert_int_equal(th_check_profile(check, c->wrapper, NULL), TH_OK);
    th_check_free(check);
    assert_int_equal(th_check_new(c->wrapper, false, &check, NULL), TH_OK);
    check_page(check, c->wrapper, &c->now);
    assert_int_equal(th_check_verdict(check, TH_ALPHA, &c->verdict, NULL), TH_OK);
    th_check_free(check);
    th_page *now = parse(&c->now);
    assert_int_equal(th_repair_new(c->wrapper, &c->options, &c->repair, NULL), TH_OK);
    assert_int_equal(th_repair_add(c->repair, now, NULL, NULL), TH_OK);
    assert_int_equal(th_repair_finish(c->repair, &c->mended, NULL), TH_OK);
    th_page_free(now);
}

static void release(case_of *c)
{
    th_verdict_free(c->verdict);
    th_repair_free(c->repair);
    th_wrapper_free(c->mended);
    th_wrapper_free(c->wrapper);
    th__buf_release(&c->old);
    th__buf_release(&c->now);
}

static const char *const people[] = {"Adler",  "Bruun", "Cohen", "Dufour", "Egede", "Falk",
                                     "Greene", "Holm",  "Ivers", "Jansen", "Kaiser"};

static const char *person(int i)
{
    return people[(i * 7 + i / 11) % 11];
}

static void put(th__buf *out, const char *text)
{
    assert_true(th__buf_add_str(out, th_str_from(text)));
}

/* "May 2, 2019 - 4107 Adler v. Holm", the text of a link. */
static void put_case(th__buf *out, int i)
{
    assert_true(th__buf_printf(out, "<a href=/case/%d.pdf>May %d, 2019 - %d %s v. %s</a>",
                               4100 + i * 3, 1 + i % 28, 4100 + i * 3, person(i), person(i + 5)));
}

/* ---- records of several kinds ---------------------------------------------------------------- */

/* Links, links in spans, and notes without a link, all in one list. Of the lists that are seen
 * there, one has both kinds of links as records, without the notes. */
static void test_kinds(void **state)
{
    th__buf html = {0};
    th_wrapper *wrapper;
    put(&html, "<html><body><h1>Cases</h1><ul class=cases>");
    for (int i = 0; i < 30; i++) {
        put(&html, "<li>");
        if (i % 10 == 9) {
            assert_true(th__buf_printf(&html, "<i>Heard in week %d</i>", i));
        } else {
            put(&html, i % 3 == 2 ? "<span>" : "");
            put_case(&html, i);
            put(&html, i % 3 == 2 ? "</span>" : "");
        }
        put(&html, "</li>\n");
    }
    put(&html, "</ul></body></html>");
    assert_true(th__buf_add_byte(&html, '\0'));
    const char *page = html.data;
    html.len--;
    bool found = false;
    for (uint32_t pick = 1; !found && pick <= TH__REPAIR_PICKS; pick++) {
        if (learn_from(&page, 1, pick, &wrapper, NULL))
            break;
        found = count_records(wrapper, &html) == 27;
        th_wrapper_free(wrapper);
    }
    assert_true(found);
    th__buf_release(&html);
}

/* A list of `count` cases; then, in other elements, `more` of them. */
static void put_cases(th__buf *out, int count, int more)
{
    put(out, "<html><body><h1>Cases of the year</h1><div class=list><ul class=cases>");
    for (int i = 0; i < count; i++) {
        put(out, "<li>");
        put_case(out, i);
        put(out, "</li>\n");
    }
    put(out, "</ul></div><table class=more>");
    for (int i = 0; i < more; i++) {
        put(out, "<tr><td><b>");
        put_case(out, 500 + i);
        put(out, "</b></td></tr>\n");
    }
    put(out, "</table><p>Opinions are published on the day they are given, and may be read here "
             "without charge.</p><p>Write to the clerk for others.</p></body></html>");
}

static void test_left_out(void **state)
{
    case_of c = {0};
    put_cases(&c.old, 60, 0);
    put_cases(&c.now, 5, 20);
    go(&c, NULL);
    assert_int_equal(count_records(c.wrapper, &c.now), 5);
    assert_true(th_verdict_drift(c.verdict));
    assert_string_equal(th_verdict_get(c.verdict, 0)->test, "left");
    release(&c);
}

/* A list that is just shorter is as it was; and so is one with a few of its texts elsewhere. */
static void test_short(void **state)
{
    for (int more = 0; more < 5; more++) {
        case_of c = {0};
        put_cases(&c.old, 60, 0);
        put_cases(&c.now, 5, more);
        go(&c, NULL);
        assert_int_equal(count_records(c.wrapper, &c.now), 5);
        assert_false(th_verdict_drift(c.verdict));
        assert_null(c.mended);
        release(&c);
    }
}

/* Cases of which every `other`-th stands in another element, where the wrapper does not look; with
 * `notes`, a note does. */
static void put_holed(th__buf *out, int count, int other, bool notes)
{
    put(out, "<html><body><h1>Cases of the year</h1><div class=list>");
    for (int i = 0; i < count; i++) {
        bool hole = other && i % other == other / 2;
        put(out, hole ? "<dl><dd><b>" : "<div class=case><p>");
        if (hole && notes)
            put(out, "Heard in the great hall, and open to all who wish to hear it");
        else
            put_case(out, i);
        put(out, hole ? "</b></dd></dl>\n" : "</p></div>\n");
    }
    put(out, "</div></body></html>");
}

/* Records between those that are read are missed, when they are a third of all; notes are none. */
static void test_between(void **state)
{
    static const struct {
        int other;
        bool notes, drift;
    } cases[] = {{2, false, true}, {3, false, true}, {6, false, false}, {2, true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        case_of c = {0};
        put_holed(&c.old, 42, 0, false);
        put_holed(&c.now, 42, cases[i].other, cases[i].notes);
        go(&c, NULL);
        assert_int_equal(count_records(c.wrapper, &c.now), 42 - 42 / cases[i].other);
        assert_int_equal(th_verdict_drift(c.verdict), cases[i].drift);
        if (cases[i].drift)
            assert_string_equal(th_verdict_get(c.verdict, 0)->test, "left");
        release(&c);
    }
}

/* What most of a record was stands behind all records, or nowhere. */
static void put_split(th__buf *out, int count, bool split, bool there)
{
    put(out, "<html><body><ul class=cases>");
    for (int i = 0; i < count; i++) {
        assert_true(th__buf_printf(out, "<li><h3><a href=/c/%d>%s v. %s</a></h3>", i, person(i),
                                   person(i + 5)));
        if (!split)
            assert_true(th__buf_printf(out, "<p class=no>19-%d</p><p class=fee>$ %d.50</p>",
                                       1000 + i * 7, 3 + i));
        put(out, "</li>\n");
    }
    put(out, "</ul><div class=data>");
    for (int i = 0; i < count && split && there; i++)
        assert_true(th__buf_printf(out, "<section><p>19-%d</p><p>$ %d.50</p></section>\n",
                                   1000 + i * 7, 3 + i));
    put(out, "</div><p>Opinions are published on the day they are given.</p></body></html>");
}

static void test_split(void **state)
{
    for (int there = 0; there < 2; there++) {
        case_of c = {0};
        put_split(&c.old, 30, false, true);
        put_split(&c.now, 30, true, there);
        go(&c, NULL);
        assert_int_equal(count_records(c.wrapper, &c.now), 30);
        assert_int_equal(th_verdict_drift(c.verdict), there);
        release(&c);
    }
}

/* ---- order of proposals ----------------------------------------------------------------------
 */

/* A list of another engine has to be more like the old one than one of the own. */
static void test_order(void **state)
{
    th__proposal own = {.match = {.score = 0.8},
                        .known = {.fields = 2, .values = 20, .share = 1, .pure = 1},
                        .count = 1};
    th_wrapper *wrapper = NULL;
    const char *page = "<ul><li><b>One</b> 1</li><li><b>Two</b> 2</li><li><b>Three</b> 3</li></ul>";
    assert_int_equal(learn_by("mdr", &page, 1, 1, &wrapper, NULL), TH_OK);
    th__proposal list[2] = {own, own};
    list[0].other = true;
    list[0].wrapper = wrapper;
    list[0].match.score = 0.9;
    th__repair_rank(list, 2);
    assert_false(list[0].other);
    list[1].match.score = 1;
    list[0].match.score = 0.5;
    th__repair_rank(list, 2);
    assert_true(list[0].other);
    th_wrapper_free(wrapper);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void put_table(th__buf *out, int count)
{
    put(out, "<html><body><table class=cases>");
    for (int i = 0; i < count; i++)
        assert_true(th__buf_printf(out,
                                   "<tr><td>0%d/%d/2019</td><td>19-%d</td><td><a "
                                   "href=/a/%d.mp3>%s v. %s</a></td></tr>\n",
                                   1 + i % 9, 10 + i % 18, 1000 + i * 7, 1000 + i * 7, person(i),
                                   person(i + 4)));
    put(out, "</table></body></html>");
}

static void put_rows(th__buf *out, int count)
{
    put(out, "<div class=rows>");
    for (int i = 0; i < count; i++)
        assert_true(th__buf_printf(out,
                                   "<div class=row><p class=day>0%d/%d/2020</p><p class=no>20-%d"
                                   "</p><p class=name><a href=/a/%d.mp3>%s v. %s</a></p></div>\n",
                                   1 + i % 9, 10 + i % 18, 2000 + i * 7, 2000 + i * 7,
                                   person(i + 1), person(i + 3)));
    put(out, "</div></body></html>");
}

/* Where the records were, the row of headings is all that the rules find. */
static void test_hollow(void **state)
{
    case_of c = {0};
    put_table(&c.old, 40);
    put(&c.now, "<html><body><table class=cases><tr><td>Sort</td><td>Sort</td><td>Sort</td></tr>"
                "</table>");
    put_rows(&c.now, 40);
    go(&c, NULL);
    assert_int_equal(count_records(c.wrapper, &c.now), 1);
    assert_true(th_verdict_drift(c.verdict));
    assert_non_null(c.mended);
    assert_int_equal(count_records(c.mended, &c.now), 40);
    release(&c);
}

/* A page that was HTML is JSON now, with a little HTML in it. */
static void test_json(void **state)
{
    case_of c = {0};
    put(&c.old, "<html><body>");
    put_rows(&c.old, 30);
    put(&c.now, "{\"draw\": 1, \"data\": [");
    for (int i = 0; i < 20; i++)
        assert_true(th__buf_printf(&c.now,
                                   "%s[\"0%d/%d/2020\", \"20-%d\", \"<a href=\\\"/a/%d.mp3\\\">%s "
                                   "v. %s<\\/a>\"]",
                                   i ? ",\n" : "", 1 + i % 9, 10 + i % 18, 2000 + i * 7,
                                   2000 + i * 7, person(i + 1), person(i + 3)));
    put(&c.now, "]}\n");
    go(&c, NULL);
    assert_true(th_verdict_drift(c.verdict));
    assert_non_null(c.mended);
    assert_int_equal(count_records(c.mended, &c.now), 20);
    release(&c);
}

/* Days that were 2019-05-12 are 5/12/2020 now. */
static void test_dates(void **state)
{
    case_of c = {0};
    bool found = false;
    put(&c.old, "<html><body><ul class=cases>");
    for (int i = 0; i < 30; i++)
        assert_true(th__buf_printf(
            &c.old,
            "<li><span class=heard>2019-0%d-%d</span><b class=no>19-%d</b><a "
            "href=/a/%d.mp3>%s v. %s</a></li>\n",
            1 + i % 9, 10 + i % 18, 1000 + i * 7, 1000 + i * 7, person(i), person(i + 4)));
    put(&c.old, "</ul></body></html>");
    put(&c.now, "<html><body>");
    put_rows(&c.now, 30);
    go(&c, NULL);
    assert_non_null(c.mended);
    for (size_t i = 0; i < th_repair_count(c.repair); i++) {
        const th_field_repair *field = th_repair_get(c.repair, i);
        if (!th__str_eq(field->path, TH_STR("date")))
            continue;
        found = true;
        assert_int_equal(field->outcome, TH_FIELD_REPAIRED);
        assert_memory_equal(field->example.ptr, "01/10/2020", 10);
    }
    assert_true(found);
    release(&c);
}

/* Lines between breaks are no list for the wrapper's engine, and are one for another. */
static void test_other_engine(void **state)
{
    case_of c = {0};
    put_table(&c.old, 30);
    put(&c.now, "<html><body><h1>Cases</h1><p>");
    for (int i = 0; i < 30; i++)
        assert_true(th__buf_printf(&c.now,
                                   "<b>0%d/%d/2019</b><br><i>19-%d</i><br><a href=/a/%d.mp3>%s v. "
                                   "%s</a><br><br>\n",
                                   1 + i % 9, 10 + i % 18, 1000 + i * 7, 1000 + i * 7, person(i),
                                   person(i + 4)));
    put(&c.now, "</p></body></html>");
    go(&c, "mdr");
    assert_true(th_verdict_drift(c.verdict));
    assert_non_null(c.mended);
    assert_ptr_not_equal(c.mended->engine, c.wrapper->engine);
    assert_int_equal(count_records(c.mended, &c.now), 30);
    release(&c);
}

/* ---- values that are known ------------------------------------------------------------------- */

/* Whether the records that a wrapper finds have a text. */
static bool gives(const th_wrapper *wrapper, th__buf *html, const char *text)
{
    th__buf out = {0};
    assert_true(th__buf_add_byte(html, '\0'));
    assert_int_equal(run_on(wrapper, html->data, &out, NULL), TH_OK);
    html->len--;
    assert_true(th__buf_add_byte(&out, '\0'));
    bool found = strstr(out.data, text);
    th__buf_release(&out);
    return found;
}

static size_t find_proposals(case_of *c, th__proposal *out)
{
    size_t count = 0;
    assert_int_equal(th__repair_find(c->repair, c->wrapper->engine->name, out, &count, NULL),
                     TH_OK);
    return count;
}

/* Two lists, both a tenth as long as the old one: one that looks like it, and one that looks
 * otherwise but has its values. Neither has as many records as there were, and that is no reason to
 * think less of the values. */
static void test_far_shorter(void **state)
{
    case_of c = {0};
    th__proposal found[TH__REPAIR_PICKS];
    put_table(&c.old, 60);
    put(&c.now, "<html><body><div class=hits>");
    for (int i = 0; i < 18; i += 3)
        assert_true(th__buf_printf(&c.now,
                                   "<div class=hit><h4>%s v. %s</h4><p class=more>Docket number "
                                   "19-%d, which the %s party took to the full bench</p></div>\n",
                                   person(i), person(i + 4), 1000 + i * 7,
                                   i % 2 ? "losing" : "winning"));
    put(&c.now, "</div>");
    put_rows(&c.now, 7);
    go(&c, NULL);
    size_t count = find_proposals(&c, found);
    assert_true(count >= 2);
    assert_true(gives(found[0].wrapper, &c.now, "Docket number 19-1000"));
    assert_false(gives(found[0].wrapper, &c.now, "20-2000"));
    assert_true(found[0].count < 0.2);
    assert_true(found[0].match.score < found[1].match.score);
    th__proposals_release(found, count);
    release(&c);
}

/* A list of cases, each with its court, one of two. */
static void put_courts(th__buf *out, int count)
{
    put(out, "<html><body><ul class=cases>");
    for (int i = 0; i < count; i++)
        assert_true(th__buf_printf(out,
                                   "<li><b class=no>19-%d</b><a href=/a/%d.mp3>%s v. %s</a>"
                                   "<span class=court>%s</span></li>\n",
                                   1000 + i * 7, 1000 + i * 7, person(i), person(i + 4),
                                   i % 2 ? "Court of Appeals" : "Supreme Court"));
    put(out, "</ul></body></html>");
}

/* News of the courts, each with that of which it is, and with the name of a case or without. */
static void put_news(th__buf *out, int count, bool cases)
{
    put(out, "<html><body><div class=news>");
    for (int i = 0; i < count; i++) {
        assert_true(th__buf_printf(out,
                                   "<div class=story><h4>%d visitors came to see the %s room of "
                                   "the house</h4><p class=where>%s</p>",
                                   200 + i * 37, i % 3 ? "reading" : "hearing",
                                   i % 2 ? "Court of Appeals" : "Supreme Court"));
        if (cases)
            assert_true(
                th__buf_printf(out, "<p class=which>%s v. %s</p>", person(i), person(i + 4)));
        put(out, "</div>\n");
    }
    put(out, "</div></body></html>");
}

/* What half of the records had stands in other lists as well: it proves none. Names that each case
 * had for itself do. */
static void test_common_values(void **state)
{
    for (int cases = 0; cases < 2; cases++) {
        case_of c = {.options.allow_lost = true};
        th__proposal found[TH__REPAIR_PICKS];
        put_courts(&c.old, 30);
        put_news(&c.now, 30, cases);
        go(&c, NULL);
        assert_int_equal(count_records(c.wrapper, &c.now), 0);
        size_t count = find_proposals(&c, found);
        assert_true(count > 0);
        assert_true(gives(found[0].wrapper, &c.now, "Supreme Court"));
        assert_int_equal(found[0].known.fields, cases);
        assert_int_equal(c.mended != NULL, cases);
        th__proposals_release(found, count);
        release(&c);
    }
}

/* A wrapper that loses fields is not given unless that is asked for; what it would find is told. */
static void test_lost(void **state)
{
    for (int allow = 0; allow < 2; allow++) {
        case_of c = {.options.allow_lost = allow};
        bool lost = false;
        put_courts(&c.old, 30);
        put_news(&c.now, 30, true);
        go(&c, NULL);
        assert_int_equal(c.mended != NULL, allow);
        assert_int_equal(th_repair_outcome(c.repair),
                         allow ? TH_OUTCOME_REPAIRED : TH_OUTCOME_BROKEN);
        for (size_t i = 0; i < th_repair_count(c.repair); i++)
            lost = lost || th_repair_get(c.repair, i)->outcome == TH_FIELD_LOST;
        assert_true(lost);
        release(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_short),        cmocka_unit_test(test_between),
        cmocka_unit_test(test_split),        cmocka_unit_test(test_order),
        cmocka_unit_test(test_hollow),       cmocka_unit_test(test_json),
        cmocka_unit_test(test_other_engine), cmocka_unit_test(test_dates),
        cmocka_unit_test(test_far_shorter),  cmocka_unit_test(test_common_values),
        cmocka_unit_test(test_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
