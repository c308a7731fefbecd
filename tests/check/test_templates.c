/* Repair of templates of whole pages: names of lists, and known values. More is in
 * tests/cases/repair.case. */
#include "check_test.h"
#include "wrapper_test.h"

#include "repair/repair.h"

enum { PAGES = 8 };

static const char *const titles[PAGES] = {"Silent River",  "Golden Harbour", "Broken Compass",
                                          "Winter Garden", "Paper Lantern",  "Distant Thunder",
                                          "Copper Moon",   "Hollow Crown"};
static const char *const first[PAGES] = {"Anna",  "Bruno", "Carla", "David",
                                         "Elena", "Felix", "Greta", "Hugo"};
static const char *const last[] = {"Weber", "Costa", "Diaz", "Novak", "Rossi", "Braun", "Lind"};
static const char *const looks[] = {"warm", "dry", "slow"};

typedef struct site {
    th__buf old[PAGES], now[PAGES];
    th_wrapper *wrapper, *mended;
} site;

static void TH_PRINTF(2, 3) put(th__buf *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    assert_true(th__buf_vprintf(out, format, args));
    va_end(args);
}

static th_page *parse(const th__buf *html)
{
    th_parser *parser = NULL;
    th_page *page = NULL;
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, th__buf_str(html), NULL, &page, NULL), TH_OK);
    th_parser_free(parser);
    return page;
}

static void check_pages(th_check *check, const th_wrapper *wrapper, const th__buf *pages)
{
    for (int i = 0; i < PAGES; i++) {
        th_page *page = parse(&pages[i]);
        th_records *records = NULL;
        assert_int_equal(th_wrapper_extract(wrapper, page, NULL, &records, NULL), TH_OK);
        assert_int_equal(th_check_add(check, page, records, NULL), TH_OK);
        th_records_free(records);
        th_page_free(page);
    }
}

static void learn(site *s)
{
    const char *pages[PAGES];
    th_check *check;
    for (int i = 0; i < PAGES; i++) {
        assert_true(th__buf_add_byte(&s->old[i], '\0'));
        s->old[i].len--;
        pages[i] = s->old[i].data;
    }
    assert_int_equal(learn_by("template", pages, PAGES, 1, &s->wrapper, NULL), TH_OK);
    assert_int_equal(th_check_new(s->wrapper, true, &check, NULL), TH_OK);
    check_pages(check, s->wrapper, s->old);
    assert_int_equal(th_check_profile(check, s->wrapper, NULL), TH_OK);
    th_check_free(check);
}

static void repair(site *s, const th_repair_options *options)
{
    th_repair *repair;
    assert_int_equal(th_repair_new(s->wrapper, options, &repair, NULL), TH_OK);
    for (int i = 0; i < PAGES; i++) {
        th_page *page = parse(&s->now[i]);
        assert_int_equal(th_repair_add(repair, page, NULL, NULL), TH_OK);
        th_page_free(page);
    }
    assert_int_equal(th_repair_finish(repair, &s->mended, NULL), TH_OK);
    th_repair_free(repair);
    assert_non_null(s->mended);
}

/* What the repaired wrapper gives of the first page has to have a text in it. */
static void expect(site *s, const char *text)
{
    th__buf out = {0};
    assert_true(th__buf_add_byte(&s->now[0], '\0'));
    s->now[0].len--;
    assert_int_equal(run_on(s->mended, s->now[0].data, &out, NULL), TH_OK);
    assert_true(th__str_find(th__buf_str(&out), th_str_from(text)) != SIZE_MAX);
    th__buf_release(&out);
}

static void release(site *s)
{
    for (int i = 0; i < PAGES; i++) {
        th__buf_release(&s->old[i]);
        th__buf_release(&s->now[i]);
    }
    th_wrapper_free(s->wrapper);
    th_wrapper_free(s->mended);
}

static void put_reviews(th__buf *out, int i, const char *format)
{
    for (int j = 0; j < 2 + i % 3; j++) {
        char who[40], said[40];
        snprintf(who, sizeof who, "%s %s", first[(i + 3 * j) % 8], last[(2 * i + 5 * j) % 7]);
        snprintf(said, sizeof said, "%d is %s", 11 * i + 7 * j + 3, looks[(i + j) % 3]);
        const char *at = format;
        for (const char *mark; (mark = strchr(at, '*')); at = mark + 2)
            put(out, "%.*s%s", (int)(mark - at), at, mark[1] == '1' ? who : said);
        put(out, "%s", at);
    }
}

/* The columns of a wrapper, those of lists in brackets. */
static void put_columns(const th_type *type, th__buf *out)
{
    if (type->kind != TH_TYPE_OPTIONAL)
        put(out, "%.*s", TH_STR_ARG(th_type_name(type)));
    if (type->kind == TH_TYPE_FIELD)
        put(out, " ");
    else if (type->kind == TH_TYPE_LIST)
        put(out, "[");
    for (uint32_t i = 0; i < type->count; i++)
        put_columns(type->children[i], out);
    if (type->kind == TH_TYPE_LIST)
        put(out, "] ");
}

static void expect_old_columns(const site *s, bool same)
{
    th__buf old = {0}, now = {0};
    put_columns(th_schema_record_type(th_wrapper_schema(s->wrapper)), &old);
    put_columns(th_schema_record_type(th_wrapper_schema(s->mended)), &now);
    if (th__str_eq(th__buf_str(&old), th__buf_str(&now)) != same)
        fail_msg("%.*s, and were %.*s", TH_STR_ARG(th__buf_str(&now)),
                 TH_STR_ARG(th__buf_str(&old)));
    th__buf_release(&old);
    th__buf_release(&now);
}

/* A list that nobody knew has the name that a field had: the field keeps it. The list is given only
 * when it is asked for. */
static void check_names(bool new_fields)
{
    site s = {0};
    for (int i = 0; i < PAGES; i++) {
        put(&s.old[i],
            "<html><body><h1 class=title>%s</h1><p class=salary>%d.50 EUR</p><ul class=notes>",
            titles[i], 100 + 37 * i);
        put_reviews(&s.old[i], i, "<li><b class=who>*1</b><i class=said>*2</i></li>");
        put(&s.old[i], "</ul></body></html>");
        put(&s.now[i], "<html><body><ul class=salary>");
        for (int j = 0; j < 2 + i % 4; j++)
            put(&s.now[i], "<li><em class=t>%s %d</em><u class=d>from %d.%02d</u></li>",
                last[(i + j) % 7], 20 + 3 * i + j, 5 + i + 2 * j, (13 * i + 7 * j) % 100);
        put(&s.now[i], "</ul><section><h2 class=head>%s</h2><div class=cost>%d.50 EUR</div><table>",
            titles[i], 100 + 37 * i);
        put_reviews(&s.now[i], i, "<tr><td class=a>*1</td><td class=b>*2</td></tr>");
        put(&s.now[i], "</table></section></body></html>");
    }
    learn(&s);
    repair(&s, &(th_repair_options){.new_fields = new_fields});
    expect(&s, "\"salary\":\"100.50 EUR\"");
    expect(&s, "\"title\":\"Silent River\"");
    if (new_fields)
        expect(&s, "\"salary_2\":[{");
    expect_old_columns(&s, !new_fields);
    release(&s);
}

static void test_names(void **state)
{
    check_names(true);
    check_names(false);
}

/* Puts a list of shelves, each with a list of books. */
static void put_shelves(th__buf *out, int i, const char *shelf, const char *book)
{
    for (int j = 0; j < 2 + i % 3; j++) {
        put(out, "<div class=%s><h3>%s %d</h3><ul>", shelf, last[(i + 2 * j) % 7], 30 + 4 * i + j);
        for (int k = 0; k < 1 + (i + j) % 3; k++)
            put(out, "<li class=%s><b>%s</b><i>%d pages</i></li>", book,
                titles[(i + 3 * j + k) % 8], 90 + 17 * i + 5 * k);
        put(out, "</ul></div>");
    }
}

/* Fields in a list of a list do not get in the way of the others. `before`, `after`: the pages have
 * such a list. */
static void check_deep(bool before, bool after)
{
    site s = {0};
    for (int i = 0; i < PAGES; i++) {
        put(&s.old[i], "<html><body><h1 class=title>%s</h1><p class=salary>%d.50 EUR</p>",
            titles[i], 100 + 37 * i);
        put(&s.now[i], "<html><body><h2 class=head>%s</h2><div class=cost>%d.50 EUR</div>",
            titles[i], 100 + 37 * i);
        if (before)
            put_shelves(&s.old[i], i, "shelf", "book");
        if (after)
            put_shelves(&s.now[i], i, "rack", "volume");
    }
    learn(&s);
    repair(&s, &(th_repair_options){.allow_lost = true});
    expect(&s, "\"salary\":\"100.50 EUR\"");
    expect(&s, "\"title\":\"Silent River\"");
    expect_old_columns(&s, true);
    release(&s);
}

static void test_deep(void **state)
{
    check_deep(true, true);
    check_deep(true, false);
    check_deep(false, true);
}

static th__shown shown_of(const char *before, const char *after)
{
    page_form old = {before, NULL, NULL, NULL, 5, 0}, now = {after, NULL, NULL, NULL, 5, 0};
    th_schema *schema = book_schema(true);
    th__tally tally;
    th__profile *profile;
    th__arena arena;
    uint8_t there[TH__EXAMPLES_MAX];
    assert_non_null(schema);
    memset(there, 1, sizeof there);
    th__arena_init(&arena);
    assert_true(tally_pages(&tally, schema, old, 1));
    assert_true(th__profile_learn(&tally, &arena, &profile));
    th__tally_release(&tally);
    assert_true(tally_pages(&tally, schema, now, 1));
    th__shown shown = th__examples_shown(&profile->fields[0], there, &tally.fields[0]);
    th__tally_release(&tally);
    th__arena_release(&arena);
    th_schema_free(schema);
    return shown;
}

/* Known values, as they were, with a sign more or less, and with another word. */
static void test_signs(void **state)
{
    th__shown same = shown_of("Book %d", "Book %d"), more = shown_of("Book %d", "- Book %d"),
              less = shown_of("; Book %d", "Book %d"), other = shown_of("Book %d", "A Book %d");
    assert_int_equal(same.on_pages, 5);
    assert_int_equal(same.given, 5);
    assert_int_equal(more.given, 5);
    assert_int_equal(less.given, 5);
    assert_int_equal(other.given, 0);
    assert_true(th__is_elsewhere(other));
    assert_false(th__is_elsewhere(more));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
