/* Repair of wrappers learnt from labels: where records begin, and names that must not change
 * places. What is found again is in tests/cases/repair.case.
 *
 * $t is a title, $p a person, $c a town, $f a firm, $n a number, each another on every page; $p2 is
 * the person of the next page but one. Numbers do not come again. */
#include "wrapper_test.h"

#include "index/view.h"
#include "repair/repair.h"
#include "page/page.h"

enum { PAGES = 6 };

static const char *const titles[] = {"The Quiet Harbour", "A Winter Tale", "Salt and Linen",
                                     "Copper Nights",     "The Long Road", "Paper Birds"};
static const char *const people[] = {"Anna Field", "Carl Moor",  "Edith Vance",
                                     "Oskar Lind", "Ruth Amber", "Paul Winter"};
static const char *const towns[] = {"Ghent", "Leeds", "Turin", "Graz", "Lyon", "Porto"};
static const char *const firms[] = {"Acme Corp.",   "Northwind", "Delta Systems",
                                    "Marlow & Co.", "Evergreen", "Old Mill Press"};

static void expand(th__buf *out, const char *form, int page)
{
    for (const char *at = form; *at; at++) {
        if (*at != '$') {
            th__buf_add_byte(out, *at);
            continue;
        }
        char kind = *++at;
        int i = page;
        if (at[1] >= '0' && at[1] <= '9')
            i += *++at - '0';
        switch (kind) {
        case 't':
            th__buf_add_str(out, th_str_from(titles[i % PAGES]));
            break;
        case 'p':
            th__buf_add_str(out, th_str_from(people[i % PAGES]));
            break;
        case 'c':
            th__buf_add_str(out, th_str_from(towns[i % PAGES]));
            break;
        case 'f':
            th__buf_add_str(out, th_str_from(firms[i % PAGES]));
            break;
        default:
            th__buf_printf(out, "%d", 100 + 37 * i);
        }
    }
}

typedef struct labelled {
    const char *engine, *before, *after;
    const char *record;  /* labels of a page before, as JSON */
    const char *records; /* the same of a page of many */
} labelled;

static th_page *parse(const char *form, int number)
{
    th__buf html = {0};
    th_parser *parser = NULL;
    th_page *page = NULL, *kept = NULL;
    expand(&html, form, number);
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, th__buf_str(&html), NULL, &page, NULL), TH_OK);
    assert_int_equal(th_page_copy(page, &kept, NULL), TH_OK);
    th_page_free(page);
    th_parser_free(parser);
    th__buf_release(&html);
    return kept;
}

static void add_profile(th_wrapper *wrapper, const labelled *c)
{
    th_check *check = NULL;
    assert_int_equal(th_check_new(wrapper, true, &check, NULL), TH_OK);
    for (int i = 0; i < PAGES; i++) {
        th_page *page = parse(c->before, i);
        th_records *records = NULL;
        assert_int_equal(th_wrapper_extract(wrapper, page, NULL, &records, NULL), TH_OK);
        assert_int_equal(th_check_add(check, page, records, NULL), TH_OK);
        th_records_free(records);
        th_page_free(page);
    }
    assert_int_equal(th_check_profile(check, wrapper, NULL), TH_OK);
    th_check_free(check);
}

static th_wrapper *learn(const labelled *c)
{
    th__buf lines = {0};
    th_labels *labels = NULL;
    th_corpus *corpus = NULL;
    th_wrapper *wrapper = NULL;
    th_learn_options options;
    for (int i = 0; i < PAGES; i++) {
        th__buf_printf(&lines, "{\"page\":\"p%d\",\"%s\":", i, c->records ? "records" : "record");
        expand(&lines, c->records ? c->records : c->record, i);
        th__buf_add_str(&lines, TH_STR("}\n"));
    }
    assert_int_equal(th_labels_read(th__buf_str(&lines), "labels", &labels, NULL), TH_OK);
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = c->engine;
    assert_int_equal(th_corpus_new(&corpus, NULL), TH_OK);
    th_corpus_set_labels(corpus, labels);
    for (int i = 0; i < PAGES; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        th_records_source source = {.page = th_str_from(name)};
        th_page *page = parse(c->before, i);
        assert_int_equal(th_corpus_add(corpus, page, &source, NULL), TH_OK);
        th_page_free(page);
    }
    assert_int_equal(th_learn(corpus, &options, &wrapper, NULL, NULL), TH_OK);
    add_profile(wrapper, c);
    th_corpus_free(corpus);
    th_labels_free(labels);
    th__buf_release(&lines);
    return wrapper;
}

/* Records of other elements. */
static const labelled restyled = {
    .engine = "stalker",
    .before = "<body><ul>"
              "<li><h3>$t vol. $n</h3><p class=p>$p</p><p class=n>$c</p><p class=f>$f</p>"
              "<li><h3>$t3 vol. $n6</h3><p class=p>$p3</p><p class=n>$c3</p><p class=f>$f3</p>"
              "</ul></body>",
    .after = "<body><div>"
             "<div><h2>$t vol. $n</h2><span>$p</span><i>$c</i><b>$f</b></div>"
             "<div><h2>$t3 vol. $n6</h2><span>$p3</span><i>$c3</i><b>$f3</b></div>"
             "</div></body>",
    .records = "["
               "{\"title\":\"$t vol. $n\",\"by\":\"$p\",\"town\":\"$c\",\"firm\":\"$f\"},"
               "{\"title\":\"$t3 vol. $n6\",\"by\":\"$p3\",\"town\":\"$c3\",\"firm\":\"$f3\"}"
               "]"};

/* Whether a wrapper that has two names changed round is refused, where no field is broken. */
static bool is_swap_refused(const labelled *c, const char *one, const char *two)
{
    th_wrapper *wrapper = learn(c), *mended = NULL, *swapped = NULL;
    th_repair *repair = NULL;
    th__run run;
    th_text file = {0};
    th__buf text = {0};
    bool worse = false;
    assert_int_equal(th_repair_new(wrapper, NULL, &repair, NULL), TH_OK);
    for (int i = 0; i < PAGES; i++) {
        th_page *page = parse(c->after, i);
        assert_int_equal(th_repair_add(repair, page, NULL, NULL), TH_OK);
        th_page_free(page);
    }
    assert_int_equal(th_repair_finish(repair, &mended, NULL), TH_OK);
    for (uint32_t i = 0; i < repair->profile->count; i++)
        repair->broken[i] = repair->drifting[i] = false;
    assert_int_equal(th_wrapper_write(wrapper, &file, NULL), TH_OK);
    for (const char *at = file.ptr; *at; at++) {
        bool first = !strncmp(at, one, strlen(one)), second = !strncmp(at, two, strlen(two));
        th__buf_add_str(&text, first    ? th_str_from(two)
                               : second ? th_str_from(one)
                                        : (th_str){at, 1});
        at += first ? strlen(one) - 1 : second ? strlen(two) - 1 : 0;
    }
    assert_int_equal(th_wrapper_read(th__buf_str(&text), "swapped", &swapped, NULL), TH_OK);
    assert_int_equal(th__repair_run(repair, swapped, true, &run, NULL), TH_OK);
    assert_int_equal(th__repair_guard(repair, &run, &worse, NULL), TH_OK);
    th__run_release(&run);
    th__buf_release(&text);
    th_text_release(&file);
    th_repair_free(repair);
    th_wrapper_free(swapped);
    th_wrapper_free(mended);
    th_wrapper_free(wrapper);
    return worse;
}

/* Fields that somebody has named do not change places, however like the other one values are. */
static void test_named(void **state)
{
    assert_true(is_swap_refused(
        &(labelled){.engine = "stalker",
                    .before = "<body><h1>$t</h1><p class=a>$p</p><p class=b>No. $n</p></body>",
                    .after = "<body><h1>$t</h1><p class=a>No. $n</p></body>",
                    .record = "{\"title\":\"$t\",\"by\":\"$p\",\"no\":\"No. $n\"}"},
        "\"by\"", "\"no\""));
}

/* A repair makes the view of a page once, however many lists and engines it tries. */
static void test_views(void **state)
{
    th_wrapper *wrapper = learn(&restyled), *mended = NULL;
    th_repair *repair = NULL;
    th_parser *parser = NULL;
    uint64_t before = th__view_work(), parsed[2], copied[2];
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_repair_new(wrapper, NULL, &repair, NULL), TH_OK);
    th__page_work(&parsed[0], &copied[0]);
    for (int i = 0; i < PAGES; i++) {
        th__buf html = {0};
        th_page *page = NULL;
        expand(&html, restyled.after, i);
        assert_int_equal(th_parser_parse(parser, th__buf_str(&html), NULL, &page, NULL), TH_OK);
        assert_int_equal(th_repair_add(repair, page, NULL, NULL), TH_OK);
        th_page_free(page);
        th__buf_release(&html);
    }
    assert_int_equal(th_repair_finish(repair, &mended, NULL), TH_OK);
    assert_non_null(mended);
    th__page_work(&parsed[1], &copied[1]);
    assert_int_equal(th__view_work() - before, PAGES);
    assert_int_equal(parsed[1] - parsed[0], PAGES);
    assert_int_equal(copied[1] - copied[0], PAGES);
    th_parser_free(parser);
    th_wrapper_free(mended);
    th_repair_free(repair);
    th_wrapper_free(wrapper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named),
        cmocka_unit_test(test_views),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
