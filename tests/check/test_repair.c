/* Repair: what the library says of one, its guard, memory and cancelling. What is found again is in
 * tests/cases/repair.case. */
#include "alloc_fail.h"
#include "wrapper_test.h"

#include "repair/repair.h"

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

/* ---- wrappers learnt from labels ----------------------------------------------------------- */

typedef void write_page(th__buf *out, int number, bool labels);

static th_status add_profile(th_wrapper *wrapper, const char *const *pages, size_t count)
{
    th_check *check = NULL;
    th_status status = th_check_new(wrapper, true, &check, NULL);
    for (size_t i = 0; !status && i < count; i++) {
        th_page *page = NULL;
        th_records *records = NULL;
        status = parse(pages[i], &page);
        if (!status)
            status = th_wrapper_extract(wrapper, page, NULL, &records, NULL);
        if (!status)
            status = th_check_add(check, page, records, NULL);
        th_records_free(records);
        th_page_free(page);
    }
    if (!status)
        status = th_check_profile(check, wrapper, NULL);
    th_check_free(check);
    return status;
}

enum { PAGES = 6 };

typedef struct site {
    th__buf html[PAGES];
    const char *pages[PAGES];
} site;

static void make_site(site *s, write_page *write)
{
    for (int i = 0; i < PAGES; i++) {
        s->html[i] = (th__buf){0};
        write(&s->html[i], i, false);
        assert_true(th__buf_add_byte(&s->html[i], '\0'));
        s->pages[i] = s->html[i].data;
    }
}

static void release_site(site *s)
{
    for (int i = 0; i < PAGES; i++)
        th__buf_release(&s->html[i]);
}

/* Learns from the labels that the writer of the pages writes as well. */
static th_wrapper *learn_labelled(const char *engine, const site *s, write_page *write)
{
    th__buf lines = {0};
    th_labels *labels = NULL;
    th_corpus *corpus = NULL;
    th_wrapper *wrapper = NULL;
    th_learn_options options;
    for (int i = 0; i < PAGES; i++)
        write(&lines, i, true);
    assert_int_equal(th_labels_read(th__buf_str(&lines), "labels", &labels, NULL), TH_OK);
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = engine;
    assert_int_equal(th_corpus_new(&corpus, NULL), TH_OK);
    th_corpus_set_labels(corpus, labels);
    for (int i = 0; i < PAGES; i++) {
        char name[16];
        th_page *page = NULL;
        snprintf(name, sizeof name, "p%d", i);
        th_records_source source = {.page = th_str_from(name)};
        assert_int_equal(parse(s->pages[i], &page), TH_OK);
        assert_int_equal(th_corpus_add(corpus, page, &source, NULL), TH_OK);
        th_page_free(page);
    }
    assert_int_equal(th_learn(corpus, &options, &wrapper, NULL, NULL), TH_OK);
    assert_int_equal(add_profile(wrapper, s->pages, PAGES), TH_OK);
    th_corpus_free(corpus);
    th_labels_free(labels);
    th__buf_release(&lines);
    return wrapper;
}

static const char *const people[] = {"Anna Field", "Carl Moor",  "Edith Vance",
                                     "Oskar Lind", "Ruth Amber", "Paul Winter"};
static const char *const towns[] = {"Ghent", "Leeds", "Turin", "Graz", "Lyon", "Porto"};

static void write_label(th__buf *out, int number)
{
    th__buf_printf(out,
                   "{\"page\":\"p%d\",\"record\":{\"title\":\"The %s Tale %d\",\"by\":\"%s\","
                   "\"price\":\"$ %d.50\",\"shops\":[{\"town\":\"%s\",\"left\":\"%d pieces\"},"
                   "{\"town\":\"%s\",\"left\":\"%d pieces\"}]}}\n",
                   number, towns[number], number, people[number], 40 + number, towns[number],
                   11 + number, towns[(number + 2) % 6], 31 + number);
}

static void write_detail(th__buf *out, int number, bool labels)
{
    if (labels) {
        write_label(out, number);
        return;
    }
    th__buf_printf(out,
                   "<html><body><p class=menu>Home</p><h1>The %s Tale %d</h1><p class=by>%s</p>"
                   "<p class=price>$ %d.50</p><ul class=shops><li><b>%s</b><i>%d pieces</i></li>"
                   "<li><b>%s</b><i>%d pieces</i></li></ul><p class=foot>Imprint</p></body></html>",
                   towns[number], number, people[number], 40 + number, towns[number], 11 + number,
                   towns[(number + 2) % 6], 31 + number);
}

/* The same in another layout: two fields in one text, the list in another place. */
static void write_redesigned(th__buf *out, int number, bool labels)
{
    th__buf_printf(
        out,
        "<html><body><div class=top>Home</div><div class=main><table><tr><td>%s"
        "<td>%d pieces<tr><td>%s<td>%d pieces</table><h2><a href=/t>The %s Tale %d</a>"
        "</h2><div class=line>by %s | $ %d.50</div></div><div>Imprint</div></body></html>",
        towns[number], 11 + number, towns[(number + 2) % 6], 31 + number, towns[number], number,
        people[number], 40 + number);
}

static void write_list(th__buf *out, int number, bool labels, const char *item)
{
    if (labels) {
        th__buf_printf(out, "{\"page\":\"p%d\",\"records\":[", number);
        for (int i = 0; i < 6; i++)
            th__buf_printf(
                out, "%s{\"what\":\"The %s Tale %d\",\"author\":\"%s\",\"cost\":\"$ %d.50\"}",
                i ? "," : "", towns[(i + number) % 6], 10 * number + i, people[i], 10 * number + i);
        th__buf_add_str(out, TH_STR("]}\n"));
        return;
    }
    th__buf_add_str(out, TH_STR("<html><body><p>Shop</p><ul class=l>"));
    for (int i = 0; i < 6; i++)
        th__buf_printf(out, item, towns[(i + number) % 6], 10 * number + i, people[i],
                       10 * number + i);
    th__buf_add_str(out, TH_STR("</ul></body></html>"));
}

static void write_books(th__buf *out, int number, bool labels)
{
    write_list(out, number, labels,
               "<li class=b><h3>The %s Tale %d</h3><p class=a>%s</p><p class=c>$ %d.50</p>");
}

static void write_joined(th__buf *out, int number, bool labels)
{
    write_list(out, number, labels,
               "<li class=x><h4>The %s Tale %d</h4><div class=y>by %s, for $ %d.50</div>");
}

/* A wrapper that gives less than the old one on the pages is worse; the old one is not. */
static void test_guard(void **state)
{
    th__buf html = {0};
    repaired r;
    th_text text = {0};
    th_wrapper *less = NULL;
    bool worse = false;
    make_page(&html, "books", "book", "price", 700);
    repair_page(&r, html.data);
    assert_int_equal(th_wrapper_write(r.wrapper, &text, NULL), TH_OK);
    char *rule = strstr(text.ptr, "\"path\": \"p.note\"");
    assert_non_null(rule);
    memcpy(rule, "\"path\": \"p.none\"", 16);
    assert_int_equal(th_wrapper_read((th_str){text.ptr, text.len}, "less", &less, NULL), TH_OK);
    const th_wrapper *both[] = {r.wrapper, less};
    for (size_t i = 0; i < 2; i++) {
        th__run run;
        assert_int_equal(th__repair_run(r.repair, both[i], true, &run, NULL), TH_OK);
        assert_int_equal(th__repair_guard(r.repair, &run, &worse, NULL), TH_OK);
        assert_int_equal(worse, i == 1);
        th__run_release(&run);
    }
    th_wrapper_free(less);
    th_text_release(&text);
    th__buf_release(&html);
    release(&r);
}

static void test_words(void **state)
{
    th_str text = th_str_from("Room 13, 130 EUR, 13 left");
    assert_int_equal(th__find_words(text, th_str_from("13"), 0), 5);
    assert_int_equal(th__find_words(text, th_str_from("13"), 6), 18);
    assert_int_equal(th__find_words(text, th_str_from("30"), 0), SIZE_MAX);
    assert_int_equal(th__find_words(text, th_str_from(""), 0), SIZE_MAX);
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

/* ---- cancelling ------------------------------------------------------------------------------ */

static th_status repair_patiently(const th_wrapper *wrapper, const site *s, patience *p,
                                  th_wrapper **mended, th_error *err)
{
    th_repair_options options = {.cancel = {has_enough, p}};
    th_repair *repair = NULL;
    *mended = NULL;
    th_status status = th_repair_new(wrapper, &options, &repair, err);
    for (int i = 0; !status && i < PAGES; i++) {
        th_page *page = NULL;
        assert_int_equal(parse(s->pages[i], &page), TH_OK);
        status = th_repair_add(repair, page, NULL, err);
        th_page_free(page);
    }
    if (!status)
        status = th_repair_finish(repair, mended, err);
    if (status) /* it is no outcome */
        assert_int_not_equal(th_repair_outcome(repair), TH_OUTCOME_REPAIRED);
    th_repair_free(repair);
    return status;
}

/* Wherever a repair is cancelled, it ends there: nothing comes of it, and nothing is lost. */
static void test_cancelled(void **state)
{
    enum { BEHIND = 5 }; /* questions while what is open is closed */
    static const struct {
        const char *engine;
        void (*before)(th__buf *, int, bool), (*after)(th__buf *, int, bool);
    } cases[] = {{"stalker", write_detail, write_redesigned},
                 {"softmealy", write_detail, write_redesigned},
                 {"auto", write_books, write_joined}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        site before, after;
        make_site(&before, cases[c].before);
        make_site(&after, cases[c].after);
        th_wrapper *wrapper = learn_labelled(cases[c].engine, &before, cases[c].before), *mended;
        th_error err = {0};
        patience whole = {.most = UINT32_MAX};
        assert_int_equal(repair_patiently(wrapper, &after, &whole, &mended, &err), TH_OK);
        assert_non_null(mended);
        th_wrapper_free(mended);
        assert_true(whole.asked > 8 * PAGES);
        for (uint32_t most = 0; most < whole.asked; most += 1 + whole.asked / 97) {
            patience p = {.most = most};
            assert_int_equal(repair_patiently(wrapper, &after, &p, &mended, &err),
                             TH_ERR_CANCELLED);
            assert_string_equal(err.message, "cancelled");
            assert_null(mended);
            if (p.asked > most + BEHIND)
                fail_msg("%s: asked %u times behind the %uth of %u", cases[c].engine,
                         p.asked - most, most, whole.asked);
        }
        th_wrapper_free(wrapper);
        release_site(&before);
        release_site(&after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_renamed),   cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_paths),     cmocka_unit_test(test_memory),
        cmocka_unit_test(test_guard),     cmocka_unit_test(test_words),
        cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
