/* Clusters of pages: sites, templates of one site, outliers. */
#include "test.h"

#include "alloc_fail.h"
#include "base/str.h"

/* ---- pages of three templates, two of them of one site ---- */

enum { MOST = 64 };

typedef struct folder {
    th__buf pages[MOST];
    size_t count;
} folder;

#define FRAME_TOP                                                                                  \
    "<html><head><title>Shop</title><link rel=stylesheet href=a.css></head><body class=shop>"      \
    "<div class=top><ul class=menu><li class=entry><a href=/>Home</a><li class=entry><a "          \
    "href=/help>Help</a></ul><form class=find><input name=q><button>Go</button></form></div>"
#define FRAME_END                                                                                  \
    "<div class=foot><p class=legal>Imprint</p><p class=terms><a href=/t>Terms</a></p></div>"      \
    "</body></html>"

static th__buf *begin(folder *f)
{
    f->pages[f->count] = (th__buf){0};
    return &f->pages[f->count++];
}

static void put(th__buf *out, const char *html)
{
    th__buf_add_str(out, th_str_from(html));
}

static void add_list(folder *f, int rows)
{
    th__buf *out = begin(f);
    put(out, FRAME_TOP "<h1 class=query>Results</h1><ul class=cards>");
    for (int i = 0; i < rows; i++)
        put(out, "<li class=card><img class=small src=x><h3 class=name><a href=/b>A "
                 "book</a></h3><p class=price><b>7</b> Euro</p>");
    put(out, "</ul><div class=pager><a class=next href=/2>Next</a></div>" FRAME_END);
}

/* With or without a part that only some books have. */
static void add_detail(folder *f, bool review)
{
    th__buf *out = begin(f);
    put(out,
        FRAME_TOP "<div class=book><h1 class=title>A book</h1><div class=cover><img class=large "
                  "src=y></div><dl class=facts><dt class=fact>Pages<dd>200<dt class=fact>Year<dd "
                  "class=year>1999</dl><p class=blurb>About it.</p></div>");
    if (review)
        put(out, "<div class=reviews><h2 class=said>Reviews</h2><div class=review><b "
                 "class=who>Ann</b><p class=text>Good.</p><i class=stars>5</i></div></div>");
    put(out, FRAME_END);
}

static void add_stranger(folder *f, int rows)
{
    th__buf *out = begin(f);
    put(out, "<html><body bgcolor=white><center><font size=2><table border=1>");
    for (int i = 0; i < rows; i++)
        put(out, "<tr><td><font color=red>One</font></td><td><i>Two</i></td></tr>");
    put(out, "</table></font></center><hr><address>Me</address></body></html>");
}

static void add_error(folder *f)
{
    put(begin(f), "<html><head><title>404</title></head><body><h1>Not Found</h1><p>The "
                  "page was not found.</p></body></html>");
}

static void release(folder *f)
{
    for (size_t i = 0; i < f->count; i++)
        th__buf_release(&f->pages[i]);
}

/* ---- clusters ---- */

static th_status add_page(th_corpus *corpus, th_parser *parser, const th__buf *html)
{
    th_page *page = NULL;
    th_status status = th_parser_parse(parser, (th_str){html->data, html->len}, NULL, &page, NULL);
    if (!status)
        status = th_corpus_look(corpus, page, NULL, NULL);
    th_page_free(page);
    return status;
}

/* A letter a page: 'a' for the first cluster, '-' for an outlier. */
static th_status letters_of(const folder *f, char *out)
{
    th_corpus *corpus = NULL;
    th_parser *parser = NULL;
    th_status status = th_corpus_new(&corpus, NULL);
    if (!status)
        status = th_parser_new(NULL, &parser, NULL);
    for (size_t i = 0; !status && i < f->count; i++)
        status = add_page(corpus, parser, &f->pages[i]);
    if (!status)
        status = th_corpus_find_clusters(corpus, NULL);
    for (size_t i = 0; !status && i < f->count; i++) {
        size_t cluster = th_corpus_cluster(corpus, i);
        out[i] = cluster == TH_NO_CLUSTER ? '-' : (char)('a' + cluster);
        out[i + 1] = '\0';
    }
    th_parser_free(parser);
    th_corpus_free(corpus);
    return status;
}

static void expect(folder *f, const char *letters)
{
    char got[MOST + 1] = "";
    assert_int_equal(letters_of(f, got), TH_OK);
    assert_string_equal(got, letters);
    release(f);
}

static void sites_are_told_apart(void **state)
{
    folder f = {0};
    for (int i = 0; i < 3; i++) {
        add_stranger(&f, 2 + i);
        add_detail(&f, false);
        add_detail(&f, true);
    }
    expect(&f, "baabaabaa");
}

static void templates_of_a_site_are_told_apart(void **state)
{
    folder f = {0};
    for (int i = 0; i < 4; i++) {
        add_list(&f, 5 + i);
        add_detail(&f, i % 2);
        add_detail(&f, false);
    }
    expect(&f, "baabaabaabaa");
}

static void optional_parts_do_not_part_a_site(void **state)
{
    folder f = {0};
    for (int i = 0; i < 12; i++)
        add_detail(&f, i % 2);
    expect(&f, "aaaaaaaaaaaa");
}

static void error_pages_are_outliers(void **state)
{
    folder f = {0};
    add_error(&f);
    for (int i = 0; i < 5; i++)
        add_detail(&f, i % 2);
    expect(&f, "-aaaaa");
}

static void two_error_pages_are_a_cluster(void **state)
{
    folder f = {0};
    add_error(&f);
    for (int i = 0; i < 5; i++)
        add_detail(&f, i % 2);
    add_error(&f);
    expect(&f, "baaaaab");
}

/* A hundred times the size, by more of the same and by shapes of its own: more than a sketch
 * keeps. */
static void large_pages_stay_with_theirs(void **state)
{
    folder f = {0};
    for (int i = 0; i < 4; i++)
        add_list(&f, 5);
    add_list(&f, 5000);
    th__buf *out = begin(&f);
    put(out, FRAME_TOP "<h1 class=query>Results</h1><ul class=cards>");
    for (int i = 0; i < 3000; i++) {
        char more[80];
        snprintf(more, sizeof more, "<div class=%c%c%c></div>", 'a' + i % 26, 'a' + i / 26 % 26,
                 'a' + i / 676);
        put(out, "<li class=card><img class=small src=x><h3 class=name><a href=/b>A "
                 "book</a></h3><p class=price><b>7</b> Euro</p>");
        put(out, more);
    }
    put(out, "</ul><div class=pager><a class=next href=/2>Next</a></div>" FRAME_END);
    expect(&f, "aaaaaa");
}

static void few_pages(void **state)
{
    folder none = {0}, one = {0}, same = {0}, unlike = {0};
    expect(&none, "");
    add_list(&one, 3);
    expect(&one, "-");
    add_list(&same, 3);
    add_list(&same, 3);
    expect(&same, "aa");
    add_list(&unlike, 3);
    add_stranger(&unlike, 3);
    add_error(&unlike);
    expect(&unlike, "---");
}

static void empty_pages(void **state)
{
    folder f = {0};
    for (int i = 0; i < 3; i++)
        begin(&f);
    add_list(&f, 3);
    expect(&f, "----");
}

static th_status survey_once(void *context)
{
    char letters[MOST + 1];
    return letters_of(context, letters);
}

static void memory_may_run_out(void **state)
{
    folder f = {0};
    for (int i = 0; i < 4; i++) {
        add_list(&f, 5);
        add_detail(&f, true);
    }
    add_error(&f);
    th_test_some_allocations_fail(survey_once, &f, 200);
    release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sites_are_told_apart),
        cmocka_unit_test(templates_of_a_site_are_told_apart),
        cmocka_unit_test(optional_parts_do_not_part_a_site),
        cmocka_unit_test(error_pages_are_outliers),
        cmocka_unit_test(two_error_pages_are_a_cluster),
        cmocka_unit_test(large_pages_stay_with_theirs),
        cmocka_unit_test(few_pages),
        cmocka_unit_test(empty_pages),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
