/* test_front.c: from labels to a wrapper: units and their addresses, cuts, doubts, cancelling.
 * Which engine learns from labels, and the records, are in tests/cases/labels.case. */
#include "../wrapper/wrapper_test.h"

#include "alloc_fail.h"
#include "learn/learn.h"
#include "engine/paths/paths.h"
#include "wrapper/cut.h"

/* ---- units ---- */

static const char messy[] =
    "<html><head><title>A &amp; B</title><meta name=d content='all of it'></head><body class='x y'>"
    "<div id=main-12><h1>Snow<br>Country</h1><p>By <b>Ann</b> and <b>Ben</b>.</p>"
    "<dl><dt>Price:<dd>12<dt>Pages:<dd>300</dl><p>ISBN: 978</p><script>var t = 'no';</script>"
    "<custom-x.y><i>odd</i></custom-x.y></div><div><p>Price:<p><a href=/b>300</a></div></body>";

static th_page *parse(th_parser **parser, const char *html)
{
    th_page *page = NULL;
    assert_int_equal(th_parser_new(NULL, parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(*parser, th_str_from(html), NULL, &page, NULL), TH_OK);
    return page;
}

/* An address that was written must lead back to the same units. */
static void addresses_can_be_read_back(void **state)
{
    th_parser *parser;
    th_page *page = parse(&parser, messy);
    th__arena arena;
    th__units units;
    th__buf text = {0};
    th__folded scratch = {0};
    th__path_values found = {0};
    th__arena_init(&arena);
    assert_true(th__units_find(&arena, page, ~0u, false, &units));
    assert_true(units.count > 15);
    for (unsigned a = 0; a < TH__ADDRESSES; a++) {
        for (uint32_t u = 0; u < units.count; u++) {
            const th__unit *unit = &units.data[u];
            uint64_t key;
            assert_true(th__units_key(&units, (th__address)a, u, &key));
            text.len = 0;
            assert_true(th__address_write(&units.at, (th__address)a, unit->node, &text));
            th__path_rule rule = {.address = (uint8_t)a,
                                  .path = th__buf_str(&text),
                                  .kind = unit->kind,
                                  .attribute = unit->attribute,
                                  .slot = unit->slot};
            if (unit->attribute == TH__UNIT_OTHER)
                rule.name = th__attribute_at(page, unit->span).name;
            assert_true(th__path_rule_prepare(&rule));
            assert_true(key == rule.key);
            found.len = 0;
            assert_true(th__path_find(&rule, &units, &scratch, &found));
            size_t at = 0;
            while (at < found.len && found.data[at].unit != u)
                at++;
            assert_true(at < found.len);
        }
    }
    th__buf_release(&text);
    th__folded_release(&scratch);
    th__vec_release(&found);
    th__arena_release(&arena);
    th_page_free(page);
    th_parser_free(parser);
}

static uint32_t unit_with(const th__units *units, const char *text, th__unit_kind kind)
{
    uint64_t hash = th__text_key(th_str_from(text));
    for (uint32_t i = 0; i < units->count; i++)
        if (units->data[i].text == hash && units->data[i].kind == kind)
            return i;
    return TH__NO_UNIT;
}

static void check_teller(const th__units *units, uint32_t unit, th__teller teller, const char *want)
{
    th__buf text = {0};
    assert_true(th__unit_teller_text(units, unit, teller, &text));
    assert_true(th__str_eq(th__buf_str(&text), th_str_from(want)));
    assert_true(th__unit_telling(&units->data[unit], teller) == th__text_key(th_str_from(want)));
    th__buf_release(&text);
}

static void units_know_what_tells_them(void **state)
{
    th_parser *parser;
    th_page *page = parse(&parser, messy);
    th__arena arena;
    th__units units;
    th__arena_init(&arena);
    assert_true(th__units_find(&arena, page, ~0u, false, &units));
    uint32_t pages = unit_with(&units, "300", TH__UNIT_TEXT);
    check_teller(&units, pages, TH__TOLD_BY_BEFORE, "Pages:");
    check_teller(&units, pages, TH__TOLD_BY_CAPTION, "Pages:");
    check_teller(&units, pages, TH__TOLD_BY_HEADING, "Country");
    check_teller(&units, pages, TH__TOLD_BY_AFTER, "ISBN: 978");
    check_teller(&units, unit_with(&units, "ISBN: 978", TH__UNIT_TEXT), TH__TOLD_BY_START, "ISBN:");
    /* What is not seen is no unit; what is put together is one, and so are attributes. */
    assert_int_equal(unit_with(&units, "var t = 'no';", TH__UNIT_TEXT), TH__NO_UNIT);
    assert_true(unit_with(&units, "Snow Country", TH__UNIT_ELEMENT) != TH__NO_UNIT);
    assert_true(unit_with(&units, "By Ann and Ben.", TH__UNIT_ELEMENT) != TH__NO_UNIT);
    assert_true(unit_with(&units, "all of it", TH__UNIT_ATTRIBUTE) != TH__NO_UNIT);
    assert_true(units.data[unit_with(&units, "A & B", TH__UNIT_TEXT)].in_title);
    th__arena_release(&arena);
    th_page_free(page);
    th_parser_free(parser);
}

static void wrong_addresses_are_refused(void **state)
{
    static const struct {
        th__address address;
        const char *path;
    } wrong[] = {{TH__BY_CLASSES, "html >  > p"},  {TH__BY_CLASSES, "#main > p"},
                 {TH__BY_ID, "div > #main"},       {TH__BY_POSITIONS, "html:1 > p"},
                 {TH__BY_POSITIONS, "html:1 > :"}, {TH__BY_POSITIONS, "p:12345678901"},
                 {TH__BY_END, "a > b > c > d"},    {TH__BY_ELEMENT, "1"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        th__path_rule rule = {.address = (uint8_t)wrong[i].address,
                              .path = th_str_from(wrong[i].path)};
        assert_false(th__path_rule_prepare(&rule));
    }
}

/* ---- cuts ---- */

static void check_cut(const char *text, const char *after, bool last, const char *before,
                      const char *want)
{
    th__cut cut = {th_str_from(after), last, th_str_from(before)};
    th_str whole = th_str_from(text);
    size_t from, to;
    bool found = th__cut_find(&cut, whole, &from, &to);
    assert_int_equal(found, want != NULL);
    if (want)
        assert_true(th__str_eq((th_str){whole.ptr + from, to - from}, th_str_from(want)));
}

static void parts_are_cut_out(void **state)
{
    check_cut("Directed by John Ford (1939)", "by ", false, " (", "John Ford");
    check_cut("Directed by John Ford", "by ", false, " (", "John Ford");
    check_cut("John Ford", "by ", false, " (", NULL);
    check_cut("a ... b ...", "", false, " ...", "a ... b");
    check_cut("Price: ", "Price:", false, "", NULL);
    check_cut("whole", "", false, "", "whole");
    check_cut("2019 - 54 cm - Ghent", "- ", true, "", "Ghent");
    check_cut("2019 - 54 cm - Ghent", "- ", false, " -", "54 cm");
    th_str text = th_str_from("Only $ 9.95 each, today");
    th__cuts cuts;
    th__cuts_of(text, 7, 11, &cuts);
    assert_true(cuts.count > 1);
    for (uint32_t i = 0; i < cuts.count; i++) {
        size_t from, to;
        assert_true(th__cut_find(&cuts.data[i], text, &from, &to));
        assert_int_equal(from, 7);
        assert_int_equal(to, 11);
    }
    /* A sign that stands before another value already does not tell. */
    th__cuts_of(th_str_from("a, b, c"), 6, 7, &cuts);
    assert_true(cuts.count > 0);
    for (uint32_t i = 0; i < cuts.count; i++)
        assert_true(cuts.data[i].after.len > 2 || cuts.data[i].last);
}

/* ---- the front ---- */

struct site {
    const char *const *pages; /* NULL at the end; named 0, 1, ... */
    const char *labels;
};

static th_status add_pages(th_corpus *corpus, const struct site *site, th_error *err)
{
    th_parser *parser = NULL;
    th_status status = th_parser_new(NULL, &parser, err);
    for (size_t i = 0; !status && site->pages[i]; i++) {
        char name[8];
        th_page *page = NULL;
        snprintf(name, sizeof name, "%zu", i);
        th_records_source source = {th_str_from(name), {0}};
        status = th_parser_parse(parser, th_str_from(site->pages[i]), NULL, &page, err);
        if (!status)
            status = th_corpus_add(corpus, page, &source, err);
        th_page_free(page);
    }
    th_parser_free(parser);
    return status;
}

/* Learns, writes the wrapper down, and reads it again. */
static th_status learn(const struct site *site, th_wrapper **out, th_error *err)
{
    th_labels *labels = NULL;
    th_corpus *corpus = NULL;
    th_wrapper *wrapper = NULL;
    th_text text = {0};
    th_learn_options options;
    *out = NULL;
    th_learn_options_init(&options);
    options.no_profile = true;
    th_status status = th_labels_read(th_str_from(site->labels), "labels", &labels, err);
    if (!status)
        status = th_corpus_new(&corpus, err);
    if (!status)
        th_corpus_set_labels(corpus, labels);
    if (!status)
        status = add_pages(corpus, site, err);
    if (!status)
        status = th_learn(corpus, &options, &wrapper, NULL, err);
    if (!status)
        status = th_wrapper_write(wrapper, &text, err);
    if (!status)
        status = th_wrapper_read((th_str){text.ptr, text.len}, "written", out, err);
    th_text_release(&text);
    th_wrapper_free(wrapper);
    th_corpus_free(corpus);
    th_labels_free(labels);
    return status;
}

#define BOOK(title, by, facts)                                                                     \
    "<html><title>" title " | Shop</title><body><p class=path>Home / " title "</p>"                \
    "<div id=main><h1>" title "</h1><p class=by>by <a href=/w>" by "</a></p><dl>" facts            \
    "</dl></div><ul><li>Winter Bread<li>Slow Rivers</ul></body></html>"

static const char *const books[] = {
    BOOK("Winter Bread", "Jon Marsh", "<dt>Pages:<dd>88"),
    BOOK("Slow Rivers", "Ida Holm", "<dt>Price:<dd>$14<dt>Pages:<dd>301"),
    BOOK("Copper Roofs", "Per Lund", "<dt>Price:<dd>$7.50<dt>Pages:<dd>64"), NULL};

static const struct site book_site = {
    books,
    "{\"page\": \"0\", \"record\": {\"title\": \"Winter Bread\", \"by\": \"Jon Marsh\", \"price\": "
    "null, \"pages\": \"88\"}}\n"
    "{\"page\": \"1\", \"record\": {\"title\": \"Slow Rivers\", \"by\": \"Ida Holm\", \"price\": "
    "\"14\", \"pages\": \"301\"}}\n"};

#define ITEM(name, price, more) "<li class=item><h3>" name "</h3><p>Only $" price " each</p>" more
static const char *const list[] = {
    "<html><body><ul class=nav><li>Home<li>Help</ul><ul class=hits>" ITEM("Boat", "5", "")
        ITEM("Tin", "12", "<i>new</i>") ITEM("Bread", "3", "") ITEM("River", "44", "")
            ITEM("Roof", "1", "") "</ul></body></html>",
    NULL};

/* ---- doubts ---- */

static th_status doubt(const th_wrapper *wrapper, const char *html, size_t *count, th_error *err)
{
    th_parser *parser = NULL;
    th_page *page = NULL;
    th_doubts *doubts = NULL;
    th_status status = th_parser_new(NULL, &parser, err);
    if (!status)
        status = th_parser_parse(parser, th_str_from(html), NULL, &page, err);
    if (!status)
        status = th_wrapper_doubts(wrapper, page, &doubts, err);
    if (!status)
        *count = th_doubts_count(doubts);
    th_doubts_free(doubts);
    th_page_free(page);
    th_parser_free(parser);
    return status;
}

/* What no labelled page had is in doubt. */
static void what_is_new_is_in_doubt(void **state)
{
    static const struct {
        const char *html;
        size_t doubts;
    } cases[] = {
        {BOOK("Tin", "Q", "<dt>Price:<dd>$9<dt>Pages:<dd>9"), 0},
        {BOOK("Tin", "Q</a> <a href=/x>R", "<dt>Pages:<dd>9"), 1}, /* a second author */
        {BOOK("Tin", "Q", ""), 1},                                 /* no pages */
        {"<html><body><p>gone</p></body></html>", 3},              /* all but the price */
    };
    th_wrapper *wrapper;
    th_error err;
    assert_int_equal(learn(&book_site, &wrapper, &err), TH_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t count = 99;
        assert_int_equal(doubt(wrapper, cases[i].html, &count, &err), TH_OK);
        assert_int_equal(count, cases[i].doubts);
    }
    th_wrapper_free(wrapper);
}

/* A list as a whole is asked about with each of its values and their places; of one value that is
 * all there is. */
static void answers_have_all_their_values(void **state)
{
    static const char html[] =
        BOOK("Tin", "Q</a> <a href=/x>R</a> <a href=/y>S", "<dt>Pages:<dd>9");
    th_wrapper *wrapper;
    th_error err;
    th_parser *parser = NULL;
    th_doubts *doubts = NULL;
    assert_int_equal(learn(&book_site, &wrapper, &err), TH_OK);
    th_page *page = parse(&parser, html);
    assert_int_equal(th_wrapper_doubts(wrapper, page, &doubts, &err), TH_OK);
    assert_int_equal(th_doubts_count(doubts), 1);
    const th_doubt *one = th_doubts_get(doubts, 0);
    assert_null(one->spot.ptr);
    bool three = false;
    for (uint32_t a = 0; a < one->answer_count; a++) {
        const th_answer *answer = &one->answers[a];
        assert_true(answer->count >= answer->more + (answer->text.ptr != NULL));
        three = three || answer->count == 3;
        for (uint32_t i = 0; i < answer->count; i++) {
            const th_answer_value *value = &answer->values[i];
            assert_int_equal(value->text.len, 1);
            assert_int_equal(value->text.ptr[0], html[value->span.start]);
            assert_true(!i || answer->values[i - 1].span.start < value->span.start);
        }
    }
    assert_true(three);
    th_doubts_free(doubts);
    th_page_free(page);
    th_parser_free(parser);
    th_wrapper_free(wrapper);
}

static th_status learn_patiently(const struct site *site, const char *engine, patience *p,
                                 th_wrapper **out, th_error *err)
{
    th_labels *labels = NULL;
    th_corpus *corpus = NULL;
    th_learn_options options;
    *out = NULL;
    th_learn_options_init(&options);
    options.no_profile = true;
    th_status status = th_labels_read(th_str_from(site->labels), "labels", &labels, err);
    options.engine = engine;
    options.cancel = (th_cancel){has_enough, p};
    if (!status)
        status = th_corpus_new(&corpus, err);
    if (!status)
        th_corpus_set_labels(corpus, labels);
    if (!status)
        status = add_pages(corpus, site, err);
    if (!status)
        status = th_learn(corpus, &options, out, NULL, err);
    th_corpus_free(corpus);
    th_labels_free(labels);
    return status;
}

/* Wherever learning is cancelled, nothing comes of it: by the front, and by each engine. */
static void learning_is_cancelled(void **state)
{
    static const char *const engines[] = {NULL, "paths", "stalker", "softmealy"};
    for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
        patience whole = {.most = UINT32_MAX};
        th_wrapper *wrapper;
        th_error err = {0};
        assert_int_equal(learn_patiently(&book_site, engines[e], &whole, &wrapper, &err), TH_OK);
        assert_non_null(wrapper);
        th_wrapper_free(wrapper);
        assert_true(whole.asked > 6);
        for (uint32_t most = 0; most < whole.asked; most += 1 + whole.asked / 61) {
            patience p = {.most = most};
            assert_int_equal(learn_patiently(&book_site, engines[e], &p, &wrapper, &err),
                             TH_ERR_CANCELLED);
            assert_string_equal(err.message, "cancelled");
            assert_null(wrapper);
        }
    }
}

static th_status learn_and_run(void *context)
{
    const struct site *site = context;
    th_wrapper *wrapper;
    th__buf got = {0};
    th_error err;
    size_t doubts;
    th_status status = learn(site, &wrapper, &err);
    if (!status)
        status = run_on(wrapper, site->pages[0], &got, &err);
    if (!status)
        status = doubt(wrapper, site->pages[0], &doubts, &err);
    if (!status && got.failed)
        status = TH_ERR_MEMORY;
    th__buf_release(&got);
    th_wrapper_free(wrapper);
    return status;
}

static void memory_may_run_out(void **state)
{
    struct site lists = {list,
                         "{\"page\": \"0\", \"records\": [{\"what\": \"Boat\", \"price\": \"5\"}, "
                         "{\"what\": \"Tin\", \"price\": \"12\"}]}\n"};
    th_test_some_allocations_fail(learn_and_run, (void *)&book_site, 80);
    th_test_some_allocations_fail(learn_and_run, &lists, 80);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_can_be_read_back),
        cmocka_unit_test(units_know_what_tells_them),
        cmocka_unit_test(wrong_addresses_are_refused),
        cmocka_unit_test(parts_are_cut_out),
        cmocka_unit_test(what_is_new_is_in_doubt),
        cmocka_unit_test(answers_have_all_their_values),
        cmocka_unit_test(learning_is_cancelled),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
