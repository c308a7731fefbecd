/* test_learn_stalker.c: STALKER as an engine of wrappers: its doubts, its file, many labels. What
 * it learns is in tests/cases/stalker.case. */
#define ENGINE "stalker"
#include "site_test.h"

#include "alloc_fail.h"

/* ---- co-testing ------------------------------------------------------------------------------ */

#define REST "<p>Phone:<i> (310) 555-1212</i>"
static const char *const figure3[] = {
    "Cuisine:<i>Seafood</i><p>Address:<i> 12 Pico St. </i>" REST,
    "Cuisine:<i>Thai </i><p>Address:<i> 512 Oak Blvd.</i>" REST,
    "Cuisine:<i>Burgers</i><p>Address:<i> 416 Main St. </i>" REST,
    "Cuisine:<i>Pizza</i><p>Address:<b> 97 Adams Blvd. </b>" REST,
    NULL,
};

static th_doubts *doubts_of(const th_wrapper *wrapper, const char *html)
{
    th_parser *parser;
    th_page *page;
    th_doubts *doubts;
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, th_str_from(html), NULL, &page, NULL), TH_OK);
    assert_int_equal(th_wrapper_doubts(wrapper, page, &doubts, NULL), TH_OK);
    th_page_free(page);
    th_parser_free(parser);
    return doubts;
}

/* Section 3: after E1 and E2 the views agree on E3 and not on E4, where the forward rule takes the
 * phone number for the address. (The backward rule finds the start of it; that its end does not
 * match is another matter: the paper speaks of starts alone.) */
static void figure_3_asks_for_e4(void **state)
{
    const struct site site = {"{\"page\":\"0\",\"record\":{\"address\":\"12 Pico St.\"}}\n"
                              "{\"page\":\"1\",\"record\":{\"address\":\"512 Oak Blvd.\"}}\n",
                              figure3, true};
    th_wrapper *wrapper = must_learn(&site);
    th_doubts *e3 = doubts_of(wrapper, figure3[2]), *e4 = doubts_of(wrapper, figure3[3]);
    assert_int_equal(th_doubts_count(e3), 0);
    assert_true(th_doubts_contention(e3) == 0);
    assert_int_equal(th_doubts_count(e4), 1);
    assert_true(th_doubts_contention(e4) > 0);
    const th_doubt *doubt = th_doubts_get(e4, 0);
    assert_true(th__str_eq(doubt->field, th_str_from("address")));
    assert_int_equal(doubt->answer_count, 2);
    assert_string_equal(doubt->answers[0].view, "forward");
    assert_true(th__str_eq(doubt->answers[0].text, th_str_from("(310) 555-1212")));
    assert_string_equal(doubt->answers[1].view, "backward");
    assert_false(th__str_eq(doubt->answers[1].text, doubt->answers[0].text));
    assert_null(th_doubts_get(e4, 1));
    th_doubts_free(e3);
    th_doubts_free(e4);
    th_wrapper_free(wrapper);
}

/* Text at a place, or behind a label, that no labelled page has may be a field. */
static void unshown_fields(void **state)
{
#define LINE(label, value) "<tr><td><b>" label "</b><td>" value
    static const char *const pages[] = {
        "<table>" LINE("Name", "Oak") LINE("Size", "1 m") LINE("Age", "7") "</table>",
        "<table>" LINE("Name", "Elm") LINE("Size", "2 m") LINE("Age", "8") "</table>",
        "<table>" LINE("Name", "Fir") LINE("Size", "3 m") LINE("Age", "9")
            LINE("Fruit", "cone") "</table>",
        "<table>" LINE("Name", "Ash") LINE("Size", "4 m")
            LINE("Age", "6") "</table><p class=tip>Tall",
        NULL,
    };
    const struct site site = {"{\"page\":\"0\",\"record\":{\"name\":\"Oak\"}}\n", pages, false};
    static const char *const texts[] = {NULL, "Fruit", "Tall"};
    th_wrapper *wrapper = must_learn(&site);
    for (size_t i = 0; i < 3; i++) {
        th_doubts *doubts = doubts_of(wrapper, pages[i + 1]);
        bool found = false;
        for (size_t d = 0; d < th_doubts_count(doubts); d++) {
            const th_doubt *doubt = th_doubts_get(doubts, d);
            if (doubt->field.len)
                continue;
            assert_non_null(texts[i]);
            found |= th__str_eq(doubt->answers[0].text, th_str_from(texts[i]));
        }
        assert_int_equal(found, texts[i] != NULL);
        th_doubts_free(doubts);
    }
    th_wrapper_free(wrapper);
#undef LINE
}

static void other_engines_have_no_doubts(void **state)
{
    static const char list[] = "<ul><li>A one<li>B two<li>C three<li>D four</ul>";
    th_parser *parser;
    th_page *page;
    th_corpus *corpus;
    th_wrapper *wrapper;
    th_doubts *doubts;
    th_error err = {0};
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, th_str_from(list), NULL, &page, NULL), TH_OK);
    th_learn_options options;
    th_learn_options_init(&options);
    options.engine = "auto";
    options.no_profile = true;
    assert_int_equal(th_corpus_new(&corpus, NULL), TH_OK);
    assert_int_equal(th_corpus_add(corpus, page, NULL, NULL), TH_OK);
    assert_int_equal(th_learn(corpus, &options, &wrapper, NULL, NULL), TH_OK);
    assert_int_equal(th_wrapper_doubts(wrapper, page, &doubts, &err), TH_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "lists"));
    th_wrapper_free(wrapper);
    th_corpus_free(corpus);
    th_page_free(page);
    th_parser_free(parser);
}

/* ---- many labels ----------------------------------------------------------------------------- */

static void a_thousand_labels(void **state)
{
    enum { N = 1000 };
    th__buf labels = {0};
    static const char *pages[N + 1];
    static char texts[N][160];
    for (int i = 0; i < N; i++) {
        snprintf(texts[i], sizeof texts[i],
                 "<h1>Item %d</h1><p>Price: <b>$%d.00</b> <i>each</i></p>", i, 7 * i);
        pages[i] = texts[i];
        th__buf_printf(&labels,
                       "{\"page\":\"%d\",\"record\":{\"name\":\"Item %d\",\"price\":\"$%d.00\"}}\n",
                       i, i, 7 * i);
    }
    assert_true(th__buf_add_byte(&labels, '\0'));
    const struct site site = {labels.data, pages, false};
    expect(&site, "<h1>Thing</h1><p>Price: <b>$3.50</b> <i>each</i></p>",
           "{\"name\":\"Thing\",\"price\":\"$3.50\"}\n");
    th__buf_release(&labels);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Exchanges the first `from` of a wrapper for `to` and reads it; gives the message. */
static void expect_fault(const char *from, const char *to, const char *message)
{
    static const char *const tags[] = {"<p>Tags: red, green</p><p>By <a href=/x>X</a></p>",
                                       "<p>Tags: blue, pink</p><p>By <a href=/y>Y</a></p>", NULL};
    const struct site site = {
        "{\"page\":\"0\",\"record\":{\"tags\":[\"red\",\"green\"],\"who\":\"X\",\"link\":\"/x\"}}\n"
        "{\"page\":\"1\",\"record\":{\"tags\":[\"blue\",\"pink\"],\"who\":\"Y\",\"link\":\"/"
        "y\"}}\n",
        tags, false};
    th_wrapper *wrapper = must_learn(&site), *again = NULL;
    th_text text = {0};
    th__buf damaged = {0};
    th_error err = {0};
    assert_int_equal(th_wrapper_write(wrapper, &text, NULL), TH_OK);
    const char *rules = strstr(text.ptr, "\"rules\"");
    const char *at = rules ? strstr(rules, from) : NULL;
    if (!at)
        fail_msg("no %s in\n%s", from, text.ptr);
    th__buf_add(&damaged, text.ptr, (size_t)(at - text.ptr));
    th__buf_add_str(&damaged, th_str_from(to));
    th__buf_add_str(&damaged, th_str_from(at + strlen(from)));
    th_status status = th_wrapper_read(th__buf_str(&damaged), "w.json", &again, &err);
    if (status != TH_ERR_FORMAT || !strstr(err.message, message))
        fail_msg("%s -> %s: status %d, %s", from, to, status, err.message);
    th_wrapper_free(again);
    th_wrapper_free(wrapper);
    th_text_release(&text);
    th__buf_release(&damaged);
}

static void damaged_files(void **state)
{
    expect_fault("\"members\"", "\"membres\"", "rules.members: ");
    expect_fault("\"kind\": \"signs\"", "\"kind\": \"trees\"", "rules.members[0].items.kind: ");
    expect_fault("\"sign\": \", \"", "\"sign\": \" \"", "rules.members[0].items.sign: ");
    expect_fault("\"label\": \"By\"", "\"label\": \"1\"", "rules.members[1].label: ");
    expect_fault("\"SkipTo(", "\"SkipOver(", "SkipTo(...) and SkipUntil(...)");
    expect_fault("\"SkipTo(", "\"SkipTo(_Word_ ", "wildcard");
    expect_fault("\"path\": \"", "\"path\": \" > ", ".path: ");
    expect_fault("\"nth\": 1", "\"nth\": 0", ".nth: ");
    expect_fault("\"weight\": ", "\"weight\": -", ".weight: ");
    expect_fault("\"places\": [", "\"places\": [7, ", "places[0]: must be an object");
    expect_fault("\"attribute\": \"href\"", "\"attribute\": 7", "attribute: must be a text");
    expect_fault("\"of\": \"", "\"of\": \"x", ".of: ");
}

/* ---- memory ---------------------------------------------------------------------------------- */

#define SHOP(title, rows) "<html><body><h1>" title "</h1><table>" rows "</table><p>Shop</p>"
#define ROW(label, value) "<tr><th>" label "</th><td>" value "</td></tr>"

static const char *const shop[] = {
    SHOP("Snow Country", ROW("Author:", "Kawabata") ROW("Price:", "$9.95")),
    SHOP("Kokoro", ROW("Author:", "Soseki") ROW("Pages:", "248") ROW("Price:", "$12.00")),
    SHOP("Quicksand", ROW("Author:", "Tanizaki") ROW("Price:", "$7.50")),
    NULL,
};
static const char shop_labels[] =
    "{\"page\":\"0\",\"record\":{\"title\":\"Snow "
    "Country\",\"author\":\"Kawabata\",\"price\":\"$9.95\",\"pages\":null}}\n"
    "{\"page\":\"1\",\"record\":{\"title\":\"Kokoro\",\"author\":\"Soseki\",\"price\":\"$12.00\","
    "\"pages\":\"248\"}}\n";

#define PLACE(name, phones) "<li><b>" name "</b><ul>" phones "</ul></li>"
#define PHONE(x)            "<li>" x "</li>"

static const char *const places[] = {
    "<h1>Guide</h1><ul class=places>" PLACE("Yala", PHONE("1-11") PHONE("1-12"))
        PLACE("Oki", PHONE("2-22")) PLACE("Ume", "") "</ul><p>End</p>",
    "<h1>Guide</h1><ul class=places>" PLACE("Aoi", PHONE("3-33"))
        PLACE("Eki", PHONE("4-44") PHONE("4-45") PHONE("4-46")) "</ul><p>End</p>",
    NULL,
};
static const char place_labels[] =
    "{\"page\":\"0\",\"records\":[{\"name\":\"Yala\",\"phones\":[\"1-11\",\"1-12\"]},"
    "{\"name\":\"Oki\",\"phones\":[\"2-22\"]},{\"name\":\"Ume\",\"phones\":[]}]}\n"
    "{\"page\":\"1\",\"records\":[{\"name\":\"Aoi\",\"phones\":[\"3-33\"]},"
    "{\"name\":\"Eki\",\"phones\":[\"4-44\",\"4-45\",\"4-46\"]}]}\n";

static th_status learn_and_run(void *context)
{
    const struct site *site = context;
    th_wrapper *wrapper = NULL, *again = NULL;
    th_doubts *doubts = NULL;
    th_parser *parser = NULL;
    th_page *page = NULL;
    th_text text = {0}, text_again = {0};
    th__buf out = {0};
    th_status status = learn(site, &wrapper, NULL, NULL);
    if (!status)
        status = th_wrapper_write(wrapper, &text, NULL);
    if (!status)
        status = th_wrapper_read((th_str){text.ptr, text.len}, "w", &again, NULL);
    if (!status)
        status = th_wrapper_write(again, &text_again, NULL);
    if (!status)
        assert_string_equal(text.ptr, text_again.ptr);
    if (!status)
        status = run_on(again, site->pages[0], &out, NULL);
    if (!status)
        status = th_parser_new(NULL, &parser, NULL);
    if (!status)
        status = th_parser_parse(parser, th_str_from(site->pages[1]), NULL, &page, NULL);
    if (!status)
        status = th_wrapper_doubts(again, page, &doubts, NULL);
    th_doubts_free(doubts);
    th_page_free(page);
    th_parser_free(parser);
    th_text_release(&text);
    th_text_release(&text_again);
    th__buf_release(&out);
    th_wrapper_free(again);
    th_wrapper_free(wrapper);
    return status;
}

static void memory(void **state)
{
    struct site details = {shop_labels, shop, false}, lists = {place_labels, places, false};
    th_test_some_allocations_fail(learn_and_run, &details, 150);
    th_test_some_allocations_fail(learn_and_run, &lists, 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unshown_fields),
        cmocka_unit_test(figure_3_asks_for_e4),
        cmocka_unit_test(other_engines_have_no_doubts),
        cmocka_unit_test(a_thousand_labels),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
