/* Repair: what is found again, what is kept, and what is not offered. */
#include "alloc_fail.h"
#include "wrapper_test.h"

#include "check/match.h"

/* Pages of a list: class of the list, of an item, and of the price. */
static void make_page(th__buf *out, const char *list, const char *item, const char *price,
                      int first)
{
    static const char *const words[] = {"Quiet",  "Stone",  "River", "Amber", "Night",
                                        "Copper", "Winter", "Paper", "Salt",  "Linen"};
    th__buf_clear(out);
    th__buf_printf(out,
                   "<html><body><ul class=menu><li><a href=/>Home</a><li><a href=/x>Shop</a>"
                   "</ul><ul class=%s>",
                   list);
    for (int i = 0; i < 10; i++)
        th__buf_printf(out,
                       "<li class=%s><h3><a href=/b/%d>%s %s Tale</a></h3><p class=%s>$ %d.50</p>"
                       "<p class=note>in stock since %d, ships soon</p>",
                       item, first + i, words[(first + i) % 10], words[(first * 3 + i * 7) % 10],
                       price, first + i, 1990 + i);
    th__buf_add_str(out, TH_STR("</ul></body></html>"));
    th__buf_add_byte(out, '\0');
}

static th_status parse(const char *html, th_page **out)
{
    th_parser *parser = NULL;
    th_status status = th_parser_new(NULL, &parser, NULL);
    if (!status)
        status = th_parser_parse(parser, th_str_from(html), NULL, out, NULL);
    th_parser_free(parser);
    return status;
}

/* Learns from three pages, with a profile. */
static th_status learn_books(th_wrapper **out)
{
    th__buf html[3] = {0};
    const char *pages[3];
    th_check *check = NULL;
    bool failed = false;
    *out = NULL;
    for (int i = 0; i < 3; i++) {
        make_page(&html[i], "books", "book", "price", 100 * (i + 1));
        pages[i] = html[i].data;
        failed = failed || html[i].failed;
    }
    th_status status = failed ? TH_ERR_MEMORY : learn_from(pages, 3, 1, out, NULL);
    if (!status)
        status = th_check_new(*out, true, &check, NULL);
    for (int i = 0; !status && i < 3; i++) {
        th_page *page = NULL;
        th_records *records = NULL;
        status = parse(pages[i], &page);
        if (!status)
            status = th_wrapper_extract(*out, page, NULL, &records, NULL);
        if (!status)
            status = th_check_add(check, page, records, NULL);
        th_records_free(records);
        th_page_free(page);
    }
    if (!status)
        status = th_check_profile(check, *out, NULL);
    th_check_free(check);
    for (int i = 0; i < 3; i++)
        th__buf_release(&html[i]);
    return status;
}

static th_status repair_with(const th_wrapper *wrapper, const char *html, th_repair **repair,
                             th_wrapper **mended)
{
    th_page *page = NULL;
    th_repair_options options = {.date = "2026-01-03"};
    *repair = NULL;
    *mended = NULL;
    th_status status = th_repair_new(wrapper, &options, repair, NULL);
    if (!status)
        status = parse(html, &page);
    if (!status)
        status = th_repair_add(*repair, page, NULL, NULL);
    if (!status)
        status = th_repair_finish(*repair, mended, NULL);
    th_page_free(page);
    return status;
}

typedef struct repaired {
    th_wrapper *wrapper, *mended;
    th_repair *repair;
} repaired;

static void repair_page(repaired *r, const char *html)
{
    assert_int_equal(learn_books(&r->wrapper), TH_OK);
    assert_int_equal(repair_with(r->wrapper, html, &r->repair, &r->mended), TH_OK);
}

static void release(repaired *r)
{
    th_repair_free(r->repair);
    th_wrapper_free(r->mended);
    th_wrapper_free(r->wrapper);
}

static void test_renamed(void **state)
{
    repaired r;
    th__buf html = {0}, out = {0};
    make_page(&html, "wares", "ware x2", "cost", 700);
    repair_page(&r, html.data);
    assert_int_equal(th_repair_outcome(r.repair), TH_OUTCOME_REPAIRED);
    assert_non_null(r.mended);
    assert_int_equal(th_wrapper_version(r.mended), 2);
    assert_true(th_wrapper_has_profile(r.mended));
    assert_true(th_verdict_drift(th_repair_before(r.repair)));
    assert_false(th_verdict_drift(th_repair_after(r.repair)));
    assert_int_equal(run_on(r.mended, html.data, &out, NULL), TH_OK);
    assert_true(th__buf_add_byte(&out, '\0'));
    const char *first =
        "{\"title\":\"Quiet Quiet Tale\",\"price\":\"$ 700.50\",\"note\":\"in stock "
        "since 1990, ships soon\",\"other\":null,\"title_url\":\"/b/700\"}\n";
    assert_memory_equal(out.data, first, strlen(first));
    th__buf_release(&out);
    th__buf_release(&html);
    release(&r);
}

static void test_nothing_broken(void **state)
{
    repaired r;
    th__buf html = {0};
    make_page(&html, "books", "book", "price", 700);
    repair_page(&r, html.data);
    assert_int_equal(th_repair_outcome(r.repair), TH_OUTCOME_FINE);
    assert_null(r.mended);
    th__buf_release(&html);
    release(&r);
}

/* A page without the data, and one with a list of other things. */
static void test_not_offered(void **state)
{
    static const char *const pages[] = {"<html><body><p>Closed for good.</p></body></html>", "",
                                        "<html><body><ul><li>alpha<li>beta<li>gamma<li>delta<li>"
                                        "epsilon<li>zeta</ul></body></html>"};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        repaired r;
        th_text text = {0};
        repair_page(&r, pages[i]);
        assert_int_equal(th_repair_outcome(r.repair), TH_OUTCOME_BROKEN);
        assert_null(r.mended);
        assert_int_equal(th_repair_explain(r.repair, &text, NULL), TH_OK);
        assert_memory_equal(text.ptr, "broken", 6);
        th_text_release(&text);
        release(&r);
    }
}

/* What did not break keeps its rules, byte for byte. */
static void test_kept_rules(void **state)
{
    repaired r;
    th__buf html = {0};
    th_text old = {0}, now = {0};
    make_page(&html, "books", "book", "cost", 700);
    repair_page(&r, html.data);
    assert_int_equal(th_repair_outcome(r.repair), TH_OUTCOME_REPAIRED);
    assert_int_equal(th_wrapper_write(r.wrapper, &old, NULL), TH_OK);
    assert_int_equal(th_wrapper_write(r.mended, &now, NULL), TH_OK);
    const char *rules[] = {
        "{\"name\": \"title\", \"kind\": \"text\", \"path\": \"h3 > a\", \"core\": true}",
        "{\"name\": \"note\", \"kind\": \"text\", \"path\": \"p.note\", \"core\": true}"};
    for (size_t i = 0; i < 2; i++) {
        assert_non_null(strstr(old.ptr, rules[i]));
        assert_non_null(strstr(now.ptr, rules[i]));
    }
    assert_null(strstr(now.ptr, "p.price"));
    assert_non_null(strstr(now.ptr, "p.cost"));
    for (size_t i = 0; i < th_repair_count(r.repair); i++) {
        const th_field_repair *field = th_repair_get(r.repair, i);
        bool price = field->path.len == 5 && !memcmp(field->path.ptr, "price", 5);
        assert_int_equal(field->outcome, price ? TH_FIELD_REPAIRED : TH_FIELD_KEPT);
    }
    th_text_release(&old);
    th_text_release(&now);
    th__buf_release(&html);
    release(&r);
}

static void test_arguments(void **state)
{
    const char *pages[] = {"<ul><li>a b<li>c d<li>e f<li>g h</ul>"};
    th_wrapper *wrapper, *out;
    th_repair *repair;
    th_error err;
    assert_int_equal(learn_from(pages, 1, 1, &wrapper, NULL), TH_OK);
    assert_int_equal(th_repair_new(wrapper, NULL, &repair, &err), TH_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "has no profile"));
    th_wrapper_free(wrapper);
    assert_int_equal(learn_books(&wrapper), TH_OK);
    assert_int_equal(th_repair_new(wrapper, NULL, &repair, NULL), TH_OK);
    assert_int_equal(th_repair_finish(repair, &out, &err), TH_ERR_ARGUMENT);
    assert_string_equal(err.message, "there are no pages to repair the wrapper with");
    th_repair_free(repair);
    th_wrapper_free(wrapper);
}

static void test_paths(void **state)
{
    assert_true(th__same_path(th_str_from("authors[]"), th_str_from("authors")));
    assert_true(th__same_path(th_str_from("a[].b"), th_str_from("a.b[]")));
    assert_false(th__same_path(th_str_from("a"), th_str_from("a.b")));
    assert_false(th__same_path(th_str_from("ab"), th_str_from("a")));
}

static th_status repair_once(void *context)
{
    th_wrapper *wrapper = NULL, *mended = NULL;
    th_repair *repair = NULL;
    th__buf html = {0};
    th_status status = learn_books(&wrapper);
    make_page(&html, "wares", "ware", "cost", 700);
    if (!status)
        status = html.failed ? TH_ERR_MEMORY : repair_with(wrapper, html.data, &repair, &mended);
    th_repair_free(repair);
    th_wrapper_free(mended);
    th_wrapper_free(wrapper);
    th__buf_release(&html);
    return status;
}

static void test_memory(void **state)
{
    th_test_some_allocations_fail(repair_once, NULL, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_renamed),     cmocka_unit_test(test_nothing_broken),
        cmocka_unit_test(test_not_offered), cmocka_unit_test(test_kept_rules),
        cmocka_unit_test(test_arguments),   cmocka_unit_test(test_paths),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
