/*
 * Wrappers learnt from labels: what is found again on changed pages, by kind of change.
 *
 * A case has a template of the pages before, one of those after, and the labels; $t is a title, $p
 * a person, $c a town, $f a firm, $n a number, each another on every page; $p2 is the person of the
 * next page but one. Numbers do not come again.
 */
#include "wrapper_test.h"

#include "repair/repair_places.h"
#include "page/page.h"

enum { PAGES = 6 };

static const char *const titles[] = {"The Quiet Harbour", "A Winter Tale", "Salt and Linen",
                                     "Copper Nights",     "The Long Road", "Paper Birds"};
static const char *const people[] = {"Anna Field", "Carl Moor",  "Edith Vance",
                                     "Oskar Lind", "Ruth Amber", "Paul Winter"};
static const char *const others[] = {"Mary Stone", "Hugo Baker", "Lena Frost",
                                     "Ivan Miles", "Nora Reed",  "Otto Klein"};
static const char *const towns[] = {"Ghent", "Leeds", "Turin", "Graz", "Lyon", "Porto"};
static const char *const firms[] = {"Acme Corp.",   "Northwind", "Delta Systems",
                                    "Marlow & Co.", "Evergreen", "Old Mill Press"};

static void expand(th__buf *out, const char *form, int page, bool fresh)
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
            th__buf_add_str(out, th_str_from((fresh ? others : people)[i % PAGES]));
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
    const char *record;                                 /* labels of a page before, as JSON */
    const char *records;                                /* the same of a page of many */
    const char *rare_before, *rare_after, *rare_record; /* of the first two pages, or NULL */
    bool fresh;                                         /* people on the pages after are others */
} labelled;

static const char *form_of(const char *form, const char *rare, int number)
{
    return rare && number < 2 ? rare : form;
}

static th_page *parse(const char *form, int number, bool fresh)
{
    th__buf html = {0};
    th_parser *parser = NULL;
    th_page *page = NULL, *kept = NULL;
    expand(&html, form, number, fresh);
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
        th_page *page = parse(form_of(c->before, c->rare_before, i), i, false);
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
        expand(&lines, c->records ? c->records : form_of(c->record, c->rare_record, i), i, false);
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
        th_page *page = parse(form_of(c->before, c->rare_before, i), i, false);
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

/* What the repaired wrapper reads on a page is what was labelled there. */
static void expect_page(const th_wrapper *wrapper, const labelled *c, int number)
{
    th__buf html = {0}, wanted = {0}, found = {0};
    const char *form = c->records ? c->records : form_of(c->record, c->rare_record, number);
    expand(&html, form_of(c->after, c->rare_after, number), number, c->fresh);
    assert_true(th__buf_add_byte(&html, '\0'));
    expand(&wanted, form, number, c->fresh);
    assert_int_equal(run_on(wrapper, html.data, &found, NULL), TH_OK);
    assert_true(th__buf_add_byte(&found, '\0') && th__buf_add_byte(&wanted, '\0'));
    /* Records stand one a line; what was labelled of many stands in an array. */
    const char *text = wanted.data + (c->records ? 1 : 0);
    size_t len = strlen(text) - (c->records ? 1 : 0), at = 0;
    for (const char *f = found.data; *f && at < len; f++) {
        if (*f == '\n')
            continue;
        if (text[at] == ',' && *f == '{' && at && text[at - 1] == '}')
            at++;
        if (text[at++] != *f)
            fail_msg("page %d: %s, and not %s", number, found.data, text);
    }
    assert_int_equal(at, len);
    th__buf_release(&html);
    th__buf_release(&wanted);
    th__buf_release(&found);
}

static void expect_repaired(const labelled *c)
{
    th_wrapper *wrapper = learn(c), *mended = NULL;
    th_repair *repair = NULL;
    assert_int_equal(th_repair_new(wrapper, NULL, &repair, NULL), TH_OK);
    for (int i = 0; i < PAGES; i++) {
        th_page *page = parse(form_of(c->after, c->rare_after, i), i, c->fresh);
        assert_int_equal(th_repair_add(repair, page, NULL, NULL), TH_OK);
        th_page_free(page);
    }
    assert_int_equal(th_repair_finish(repair, &mended, NULL), TH_OK);
    assert_int_equal(th_repair_outcome(repair), TH_OUTCOME_REPAIRED);
    for (int i = 0; i < PAGES; i++)
        expect_page(mended, c, i);
    th_repair_free(repair);
    th_wrapper_free(mended);
    th_wrapper_free(wrapper);
}

/* A word before the value, in one text with it: values that nobody knows are cut there too. */
static void test_label_in_text(void **state)
{
    expect_repaired(
        &(labelled){.engine = "stalker",
                    .before = "<body><h1>$t</h1><p class=by>$p</p><p class=no>No. $n</p></body>",
                    .after = "<body><h2>$t</h2><div>Reviewer $p</div><div>No. $n</div></body>",
                    .record = "{\"title\":\"$t\",\"by\":\"$p\",\"no\":\"$n\"}",
                    .fresh = true});
}

/* What stands between words that all texts of a place have. */
static void test_between_words(void **state)
{
    expect_repaired(&(labelled){
        .engine = "stalker",
        .before = "<body><h1>$t</h1><p class=at>$f</p><p class=by>$p</p></body>",
        .after = "<body><h2>$t</h2><div>Filed at $f by our reporter $p today</div></body>",
        .record = "{\"title\":\"$t\",\"at\":\"$f\",\"by\":\"$p\"}",
        .fresh = true});
}

/* A dot that belongs to a name does not make another place of what follows. */
static void test_signs_of_values(void **state)
{
    expect_repaired(&(labelled){
        .engine = "stalker",
        .before =
            "<body><h1>$t</h1><ul><li><b>$f</b> | <i>$n EUR</i><li><b>$f1</b> | <i>$n1 EUR</i>"
            "</ul></body>",
        .after =
            "<body><h2>$t</h2><div><span>$f</span> | $n EUR<br><span>$f1</span> | $n1 EUR</div>"
            "</body>",
        .record = "{\"title\":\"$t\",\"offers\":[{\"shop\":\"$f\",\"cost\":\"$n EUR\"},"
                  "{\"shop\":\"$f1\",\"cost\":\"$n1 EUR\"}]}"});
}

/* Records that are still found keep what is read of them; what is broken is looked for there. */
static void test_own_records(void **state)
{
    expect_repaired(&(labelled){
        .engine = "stalker",
        .before = "<body><ul><li><h3>$t</h3><p class=p>$p</p><p class=c>$c</p>"
                  "<li><h3>$t1</h3><p class=p>$p1</p><p class=c>$c1</p>"
                  "<li><h3>$t2</h3><p class=p>$p2</p><p class=c>$c2</p></ul></body>",
        .after = "<body><ul><li><h3>$t</h3><div>written by $p in town</div><p class=c>$c</p>"
                 "<li><h3>$t1</h3><div>written by $p1 in town</div><p class=c>$c1</p>"
                 "<li><h3>$t2</h3><div>written by $p2 in town</div><p class=c>$c2</p></ul></body>",
        .records = "[{\"title\":\"$t\",\"by\":\"$p\",\"town\":\"$c\"},"
                   "{\"title\":\"$t1\",\"by\":\"$p1\",\"town\":\"$c1\"},"
                   "{\"title\":\"$t2\",\"by\":\"$p2\",\"town\":\"$c2\"}]"});
}

/* A field that few pages had is looked for with those that are broken, though its absence alone
 * proves nothing. */
static void test_seldom(void **state)
{
    expect_repaired(&(labelled){
        .engine = "stalker",
        .before = "<body><h1>$t</h1><dl><dt>Town<dd class=c>$c</dl></body>",
        .after = "<body><h1>$t</h1><dl><dt>Town<dd><b>$c</b></dl></body>",
        .record = "{\"title\":\"$t\",\"town\":\"$c\",\"by\":null}",
        .rare_before =
            "<body><h1>$t</h1><dl><dt>Town<dd class=c>$c<dt>By<dd class=p>$p</dl></body>",
        .rare_after = "<body><h1>$t</h1><dl><dt>Town<dd><b>$c</b><dt>By<dd><b>$p</b></dl></body>",
        .rare_record = "{\"title\":\"$t\",\"town\":\"$c\",\"by\":\"$p\"}"});
}

/* Cells of a grid are each a record: that one is the third of its row does not make other places
 * of what it holds. */
static void test_grid(void **state)
{
    expect_repaired(&(labelled){
        .engine = "stalker",
        .before = "<body><table><tr><td><h3>$t</h3><div><b>$p</b></div><div><b>$c</b></div></td>"
                  "<td><h3>$t1</h3><div><b>$p1</b></div><div><b>$c1</b></div></td>"
                  "<td><h3>$t2</h3><div><b>$p2</b></div><div><b>$c2</b></div></td></table></body>",
        .after = "<body><table><tr><td><h3>$t</h3><div><em>$p</em></div><div><em>$c</em></div></td>"
                 "<td><h3>$t1</h3><div><em>$p1</em></div><div><em>$c1</em></div></td>"
                 "<td><h3>$t2</h3><div><em>$p2</em></div><div><em>$c2</em></div></td></table>"
                 "</body>",
        .records = "[{\"title\":\"$t\",\"by\":\"$p\",\"town\":\"$c\"},"
                   "{\"title\":\"$t1\",\"by\":\"$p1\",\"town\":\"$c1\"},"
                   "{\"title\":\"$t2\",\"by\":\"$p2\",\"town\":\"$c2\"}]"});
}

/* A record of several rows begins with its title. */
static const labelled rows = {
    .engine = "stalker",
    .before = "<body><ul>"
              "<li><h3>$t vol. $n</h3><p class=p>$p</p><p class=n>$c</p><p class=f>$f</p>"
              "<li><h3>$t3 vol. $n6</h3><p class=p>$p3</p><p class=n>$c3</p><p class=f>$f3</p>"
              "</ul></body>",
    .after = "<body><table>"
             "<tr><td><b>$t vol. $n</b></td></tr><tr><td>By: <b>$p</b> &nbsp; "
             "<b>$c</b></td></tr><tr><td><span>$f</span></td></tr>"
             "<tr><td><b>$t3 vol. $n6</b></td></tr><tr><td>By: <b>$p3</b> &nbsp; "
             "<b>$c3</b></td></tr><tr><td><span>$f3</span></td></tr>"
             "</table></body>",
    .records = "["
               "{\"title\":\"$t vol. $n\",\"by\":\"$p\",\"town\":\"$c\",\"firm\":\"$f\"},"
               "{\"title\":\"$t3 vol. $n6\",\"by\":\"$p3\",\"town\":\"$c3\",\"firm\":\"$f3\"}"
               "]"};

static void test_rows(void **state)
{
    th_wrapper *wrapper = learn(&rows);
    th_repair *repair = NULL;
    th__record_extents extents = {0};
    expect_repaired(&rows);
    assert_int_equal(th_repair_new(wrapper, NULL, &repair, NULL), TH_OK);
    for (int i = 0; i < PAGES; i++) {
        th_page *page = parse(rows.after, i, false);
        assert_int_equal(th_repair_add(repair, page, NULL, NULL), TH_OK);
        th_page_free(page);
    }
    assert_int_equal(th__anchored_extents(repair, PAGES, &extents, NULL), TH_OK);
    assert_int_equal(extents.len, 2 * PAGES);
    for (size_t i = 0; i < extents.len; i++) {
        th_str text = repair->pages[extents.data[i].page].page->text;
        assert_memory_equal(text.ptr + extents.data[i].span.start, "<tr><td><b>", 11);
    }
    th__vec_release(&extents);
    th_repair_free(repair);
    th_wrapper_free(wrapper);
}

/* A value that begins with an element of its own is one value. */
static void test_markup_in_values(void **state)
{
    expect_repaired(&(labelled){
        .engine = "stalker",
        .before = "<body><h1>$t</h1><p class=by>$p</p><p class=no>No. $n</p></body>",
        .after = "<body><h2>$t</h2><p>By <span>$p</span><p>No. $n</p></body>",
        .record = "{\"title\":\"$t\",\"by\":\"$p\",\"no\":\"$n\"}",
        .rare_before =
            "<body><h1>$t</h1><p class=by><i>Old</i> $p</p><p class=no>No. $n</p></body>",
        .rare_after = "<body><h2>$t</h2><p>By <span><i>Old</i> $p</span><p>No. $n</p></body>",
        .rare_record = "{\"title\":\"$t\",\"by\":\"Old $p\",\"no\":\"$n\"}"});
}

/* Names of other things stand beside the record: the one that the title of the page says is its. */
static void test_page_title(void **state)
{
    expect_repaired(&(labelled){
        .engine = "stalker",
        .before = "<title>$p - Guide</title><body><h1>$p</h1><p class=no>No. $n</p></body>",
        .after = "<title>$p - Guide</title><body><div><b>$p2</b></div><h2>$p</h2><div>No. $n</div>"
                 "<div><i>$p3</i></div></body>",
        .record = "{\"title\":\"$p\",\"no\":\"$n\"}",
        .fresh = true});
}

/* So do lists of them: fields of a list stand among each other. */
static void test_fellows(void **state)
{
    expect_repaired(&(labelled){
        .engine = "stalker",
        .before = "<body><h1>$t</h1><ul><li><b>$p</b> | <i>$n EUR</i><li><b>$p1</b> | <i>$n1 EUR"
                  "</i></ul></body>",
        .after = "<body><div class=side><b>$p2</b><br><b>$p3</b></div><h2>$t</h2><div><span>$p"
                 "</span> | $n EUR<br><span>$p1</span> | $n1 EUR</div></body>",
        .record = "{\"title\":\"$t\",\"offers\":[{\"who\":\"$p\",\"cost\":\"$n EUR\"},"
                  "{\"who\":\"$p1\",\"cost\":\"$n1 EUR\"}]}",
        .fresh = true});
}

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
        th_page *page = parse(c->after, i, c->fresh);
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

static bool drifts(const labelled *c)
{
    th_wrapper *wrapper = learn(c);
    th_check *check = NULL;
    th_verdict *verdict = NULL;
    assert_int_equal(th_check_new(wrapper, false, &check, NULL), TH_OK);
    for (int i = 0; i < PAGES; i++) {
        th_page *page = parse(c->after, i, c->fresh);
        th_records *records = NULL;
        assert_int_equal(th_wrapper_extract(wrapper, page, NULL, &records, NULL), TH_OK);
        assert_int_equal(th_check_add(check, page, records, NULL), TH_OK);
        th_records_free(records);
        th_page_free(page);
    }
    assert_int_equal(th_check_verdict(check, 0, &verdict, NULL), TH_OK);
    bool drift = th_verdict_drift(verdict);
    th_verdict_free(verdict);
    th_check_free(check);
    th_wrapper_free(wrapper);
    return drift;
}

/* A field that the site has dropped is no drift, though the menu has texts like it; one that stands
 * behind a label now is. */
static void test_dropped(void **state)
{
    labelled c = {.engine = "stalker",
                  .before = "<body><div><p>$c2<p>$c3<p>$c4</div><div><h1>$t</h1><p class=p>$p</p>"
                            "<p class=n>No. $n</p><p class=c>$c</p></div></body>",
                  .after = "<body><div><p>$c2<p>$c3<p>$c4</div><div><h1>$t</h1><p class=p>$p</p>"
                           "<p class=n>No. $n</p></div></body>",
                  .record = "{\"title\":\"$t\",\"by\":\"$p\",\"no\":\"$n\",\"town\":\"$c\"}"};
    assert_false(drifts(&c));
    c.before = "<body><h1>$t</h1><p class=p>$p</p><p class=n>No. $n</p></body>";
    c.after = "<body><h1>$t</h1><p>Told to: $p</p><p class=n>No. $n</p></body>";
    c.record = "{\"title\":\"$t\",\"by\":\"$p\",\"no\":\"$n\"}";
    c.fresh = true;
    assert_true(drifts(&c));
}

/* Among records a field that stands in a line with another is still there, and what all records say
 * is no value of it. */
static void test_lines(void **state)
{
    labelled c = {.engine = "softmealy",
                  .before = "<body><ul><li><h3>$t</h3><p><b>$p</b></p><p><i>$c</i></p>"
                            "<li><h3>$t1</h3><p><b>$p1</b></p><p><i>$c1</i></p>"
                            "<li><h3>$t2</h3><p><b>$p2</b></p><p><i>$c2</i></p></ul></body>",
                  .after = "<body><ul><li><h3>$t</h3><p><b>$p</b></p><p>Photo</p>"
                           "<li><h3>$t1</h3><p><b>$p1</b></p><p>Photo</p>"
                           "<li><h3>$t2</h3><p><b>$p2</b></p><p>Photo</p></ul></body>",
                  .records = "[{\"title\":\"$t\",\"by\":\"$p\",\"town\":\"$c\"},"
                             "{\"title\":\"$t1\",\"by\":\"$p1\",\"town\":\"$c1\"},"
                             "{\"title\":\"$t2\",\"by\":\"$p2\",\"town\":\"$c2\"}]"};
    assert_false(drifts(&c));
    c.after = "<body><ul><li><h3>$t</h3><p>Posted in $c by <b>$p</b></p>"
              "<li><h3>$t1</h3><p>Posted in $c1 by <b>$p1</b></p>"
              "<li><h3>$t2</h3><p>Posted in $c2 by <b>$p2</b></p></ul></body>";
    assert_true(drifts(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named),         cmocka_unit_test(test_page_title),
        cmocka_unit_test(test_fellows),       cmocka_unit_test(test_label_in_text),
        cmocka_unit_test(test_between_words), cmocka_unit_test(test_signs_of_values),
        cmocka_unit_test(test_dropped),       cmocka_unit_test(test_own_records),
        cmocka_unit_test(test_seldom),        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_rows),          cmocka_unit_test(test_markup_in_values),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
