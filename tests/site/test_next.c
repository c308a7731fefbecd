/* The link to the next page: what is one, in many languages, and what only looks like one. */
#include "alloc_fail.h"
#include "test.h"

#include <unistd.h>

#define URL "https://shop.example/list"

static th_page *page_of(const char *url, const char *html)
{
    th_parser *parser;
    th_page *page;
    th_page_source source = {.url = th_str_from(url)};
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, th_str_from(html), &source, &page, NULL), TH_OK);
    th_parser_free(parser);
    return page;
}

typedef struct next_case {
    const char *url, *html;
    const char *next;  /* NULL: none, or not sure */
    const char *maybe; /* where it is not sure; or NULL */
} next_case;

static void check_case(const next_case *one)
{
    th_next next = {0};
    th_page *page = page_of(one->url, one->html);
    assert_int_equal(th_next_find(page, NULL, &next, NULL), TH_OK);
    const char *wanted = one->next ? one->next : one->maybe ? one->maybe : "";
    const char *found = next.url.len ? next.url.ptr : "";
    if (strcmp(wanted, found) || (*wanted && next.sure != (one->next != NULL)))
        fail_msg("%s\n  on %s\n  gives \"%s\" (%s; %s), not \"%s\"", one->html, one->url, found,
                 next.sure ? "sure" : "not sure", next.why.ptr, wanted);
    assert_true(next.why.len > 0);
    th_next_release(&next);
    th_page_free(page);
}

static void check_cases(const next_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_case(&cases[i]);
}

#define CHECK_CASES(cases) check_cases(cases, sizeof cases / sizeof *(cases))

static void test_signs_of_a_link(void **state)
{
    static const next_case cases[] = {
        {URL, "<p><a rel=next href='?page=2'>on</a>", URL "?page=2"},
        {URL, "<div class=pager><a href='?page=2'>Next</a></div>", URL "?page=2"},
        {URL, "<div class=pager><a href='/list/page/2'>Next 20 results</a></div>", URL "/page/2"},
        {URL, "<div class=pager><a href='?page=2' aria-label='Next page'><svg></svg></a></div>",
         URL "?page=2"},
        {URL, "<div class=pager><a href='?page=2' title='Next'><i></i></a></div>", URL "?page=2"},
        {URL, "<div class=pager><a href='?page=2'><img src=r.gif alt='Next'></a></div>",
         URL "?page=2"},
        {URL, "<div class=pager><a href='?page=2'><img src='/img/arrow-right.gif'></a></div>",
         URL "?page=2"},
        {URL, "<div class=pager><a href='?page=2'>&rsaquo;</a></div>", URL "?page=2"},
        {URL, "<div class=pager><a href='?page=2'>&gt;</a> <a href='?page=9'>&raquo;</a></div>",
         URL "?page=2"},
        {URL, "<ul class=pagination><li class=next><a href='?page=2'><i></i></a></ul>",
         URL "?page=2"},
        {URL,
         "<ul class=pagination><li><a href='?page=2'><i class='fa fa-chevron-right'></i></a></ul>",
         URL "?page=2"},
        /* relative to <base>, and with references and a fragment */
        {URL,
         "<base href='https://shop.example/a/'><a rel=next href='b?x=1&amp;page=2#top'>Next</a>",
         "https://shop.example/a/b?x=1&page=2#top"},
    };
    CHECK_CASES(cases);
}

static void test_numbers(void **state)
{
    static const next_case cases[] = {
        /* A number alone is not sure; with an arrow that leads to the same page it is. */
        {URL, "<div><b>1</b> <a href='?page=2'>2</a> <a href='?page=3'>3</a></div>", NULL,
         URL "?page=2"},
        {URL "?page=2",
         "<div><a href='?page=1'>1</a> <b>2</b> <a href='?page=3'>3</a> <a "
         "href='?page=3'>&rarr;</a></div>",
         URL "?page=3"},
        {URL "?start=20",
         "<div><a href='?start=0'>1</a> <a href='?start=10'>2</a> <span class=current>3</span> "
         "<a href='?start=30'>4</a> <a href='?start=40'>5</a></div>",
         NULL, URL "?start=30"},
        {URL "?p=2",
         "<ol><li><a href='?p=1'>1</a><li class=active><a href='#'>2</a><li><a "
         "href='?p=3'>3</a></ol>",
         NULL, URL "?p=3"},
        {URL "?p=2",
         "<a href='?p=1'>1</a> <a href='?p=2' aria-current=page>2</a> <a href='?p=3'>3</a>", NULL,
         URL "?p=3"},
        /* an icon beside the numbers */
        {URL,
         "<div><b>1</b> <a href='?page=2'>2</a> <a href='?page=3'>3</a> <a href='?page=2' "
         "class=x></a>",
         URL "?page=2"},
        /* the last page */
        {URL "?p=3", "<div><a href='?p=1'>1</a> <a href='?p=2'>2</a> <b>3</b></div>", NULL, NULL},
        /* years, prices and a table are no run of pages */
        {URL, "<a href='/y/2014'>2014</a> <a href='/y/2016'>2016</a> <b>2017</b>", NULL, NULL},
        {URL,
         "<table><tr><td>1<td><a href='/team/7'>Reds</a><td>12<tr><td>2<td><a "
         "href='/team/8'>Blues</a><td>11</table>",
         NULL, NULL},
    };
    CHECK_CASES(cases);
}

static void test_not_the_next_page(void **state)
{
    static const next_case cases[] = {
        {URL, "<p>No links at all", NULL, NULL},
        {URL, "<div class=pager><a class=next href='#'>Next</a></div>", NULL, NULL},
        {URL, "<div class=pager><a class=next href='javascript:void(0)'>Next</a></div>", NULL,
         NULL},
        {URL, "<div class=pager><a class=next>Next</a><button>Load more</button></div>", NULL,
         NULL},
        {URL "?page=2", "<div class=pager><a href='?page=1'>&lsaquo; Previous</a></div>", NULL,
         NULL},
        {URL, "<a href='https://ads.example/?page=2' rel=next>Next</a>", NULL, NULL},
        {"https://blog.example/2016/on-bread",
         "<nav class=post-navigation><a href='/2016/on-salt'>Next post: On salt &rarr;</a></nav>",
         NULL, NULL},
        {"https://blog.example/2016/on-bread", "<a href='/2016/on-salt'>Read more &raquo;</a>",
         NULL, NULL},
        {URL, "<div class=carousel><a class=carousel-next href='/slide/2'>&rsaquo;</a></div>", NULL,
         NULL},
        {"https://town.example/events?month=3",
         "<table class=calendar><caption><a href='?month=2'>&laquo;</a> March <a "
         "href='?month=4'>&raquo;</a></caption></table>",
         NULL, NULL},
        {"https://blog.example/page/4",
         "<div class=nav-next><a href='/page/3'>Newer posts &rarr;</a></div>", NULL, NULL},
    };
    CHECK_CASES(cases);
}

/* "Older" leads on, whatever side it is on. */
static void test_blogs(void **state)
{
    static const next_case cases[] = {
        {"https://blog.example/",
         "<div class=pagination><a class=next_posts href='/page/2'>Older Articles &rarr;</a></div>",
         "https://blog.example/page/2"},
        {"https://blog.example/page/4",
         "<div class=nav-previous><a href='/page/5'>&larr; Older posts</a></div>"
         "<div class=nav-next><a href='/page/3'>Newer posts &rarr;</a></div>",
         NULL, "https://blog.example/page/5"},
    };
    CHECK_CASES(cases);
}

static void test_urls(void **state)
{
    static const struct {
        const char *from, *to;
    } pairs[] = {
        {"?page=3", "?page=4"},
        {"/page/3", "/page/4"},
        {"/page/9", "/page/10"},
        {"/p3.html", "/p4.html"},
        {"/index3.html", "/index4.html"},
        {"?cat=7&offset=40", "?cat=7&offset=60"},
        {"?q=x&page=3&sort=a", "?sort=a&q=x&page=4"},
        {"?board=18.20", "?board=18.40"},
        {"", "?page=2"},
        {"", "/page/2/"},
        {"", "?seite=2"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char html[1000], from[200], to[200];
        snprintf(from, sizeof from, "https://shop.example/list%s", pairs[i].from);
        snprintf(to, sizeof to, "https://shop.example/list%s", pairs[i].to);
        /* without words: the numbers and the URLs say it */
        snprintf(html, sizeof html,
                 "<p><b>3</b> <a href='%s'>4</a> <a href='/other'>Other</a> <a class=i href='%s'>"
                 "&gt;</a></p>",
                 to, to);
        next_case one = {from, html, to, NULL};
        check_case(&one);
    }
}

static void test_languages(void **state)
{
    static const char *const words[] = {
        "Next",       "Nächste Seite", "Weiter",      "Suivant",    "Page suivante", "Siguiente",
        "Próxima",    "Seguinte",      "Successivo",  "Avanti",     "Volgende",      "Næste",
        "Neste side", "Nästa",         "Seuraava",    "Järgmine",   "Következő",     "Następna",
        "Další",      "Ďalšia",        "Naslednja",   "Sljedeća",   "Следующая",     "Вперёд",
        "Далее",      "Наступна",      "Следваща",    "Επόμενη",    "Sonraki",       "التالي",
        "صفحه بعد",   "הבא",           "अगला",        "পরবর্তী",     "ถัดไป",          "下一页",
        "下一頁",     "次へ",          "次のページ",  "次の20件",   "다음",          "Trang sau",
        "Berikutnya", "Selanjutnya",   "Următoarea",  "Kitas",      "Nākamā",        "Növbəti",
        "შემდეგი",    "Hurrengoa",     "SIGUIENTE »", "Następne ›", "ДАЛЕЕ →",       "SUIVANT >>",
        "weiter »",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char html[400];
        snprintf(html, sizeof html, "<p>Text<div class=pages><a href='?page=2'>%s</a></div>",
                 words[i]);
        next_case one = {URL, html, URL "?page=2", NULL};
        check_case(&one);
    }
    static const char *const others[] = {
        "Previous",    "Zurück", "Précédent", "Anterior", "Vorige",    "Poprzednia",
        "Предыдущая",  "السابق", "上一页",    "前へ",     "이전",      "Sebelumnya",
        "Newer posts", "First",  "Last",      "Letzte",   "Previous »"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char html[400];
        snprintf(html, sizeof html, "<p>Text<div class=pages><a href='/x'>%s</a></div>", others[i]);
        next_case one = {URL, html, NULL, NULL};
        check_case(&one);
    }
}

/* Without the URL of the page links stay as written. */
static void test_no_url(void **state)
{
    th_next next = {0};
    th_page *page = parse_page("<div class=pager><b>1</b> <a href='?page=2'>Next</a></div>");
    assert_int_equal(th_next_find(page, NULL, &next, NULL), TH_OK);
    assert_string_equal(next.url.ptr, "?page=2");
    assert_true(next.sure && !next.by_rule && next.confidence > 0.5);
    th_next_release(&next);
    th_page_free(page);
}

/* ---- the rule of a wrapper ---- */

#define ITEM(n)                                                                                    \
    "<li class=book><a href='/b/" #n "'>Book " #n " of Many</a> <i>Ann " #n "</i> <b>$ " #n        \
    ".50</b>"
#define ITEMS                                                                                      \
    "<h1>Books</h1><ul>" ITEM(11) ITEM(12) ITEM(13) ITEM(14) ITEM(15) ITEM(16) ITEM(17) "</ul>"

static const char *const learnt_pages[] = {
    ITEMS "<div class=pager><a class=b href='?page=2'>Go</a></div><a rel=next href='/x'>x</a>",
    ITEMS
    "<div class=pager><a class=b href='?page=1'>Go</a> <a class=n href='?page=3'>Next</a></div>",
    ITEMS
    "<div class=pager><a class=b href='?page=2'>Go</a> <a class=n href='?page=4'>Next</a></div>",
    ITEMS "<div class=pager><a class=b href='?page=3'>Go</a></div>",
};

static th_wrapper *learn_wrapper(size_t from, size_t count)
{
    th_corpus *corpus;
    th_wrapper *wrapper;
    th_learn_options options;
    th_error err;
    th_learn_options_init(&options);
    options.pick = 1;
    assert_int_equal(th_corpus_new(&corpus, NULL), TH_OK);
    for (size_t i = from; i < from + count; i++) {
        char url[100];
        snprintf(url, sizeof url, URL "?page=%zu", i + 1);
        th_page *page = page_of(url, learnt_pages[i]);
        assert_int_equal(th_corpus_add(corpus, page, NULL, NULL), TH_OK);
        th_page_free(page);
    }
    if (th_learn(corpus, &options, &wrapper, NULL, &err))
        fail_msg("%s", err.message);
    th_corpus_free(corpus);
    return wrapper;
}

static void test_rule(void **state)
{
    th_text file = {0}, again = {0};
    th_next next = {0};
    th_wrapper *wrapper = learn_wrapper(1, 3), *read;
    assert_int_equal(th_wrapper_write(wrapper, &file, NULL), TH_OK);
    assert_non_null(strstr(file.ptr, "\"next\": {\"path\": \"body > div.pager > a.n\"") ||
                            strstr(file.ptr, "\"next\": {\"path\": \"div.pager > a.n\"")
                        ? file.ptr
                        : NULL);
    assert_non_null(strstr(file.ptr, "\"text\": \"Next\", \"found\": 2, \"pages\": 3}"));
    /* The file has all of it. */
    assert_int_equal(th_wrapper_read((th_str){file.ptr, file.len}, "w", &read, NULL), TH_OK);
    assert_int_equal(th_wrapper_write(read, &again, NULL), TH_OK);
    assert_string_equal(file.ptr, again.ptr);
    /* The rule is asked first: another link looks better to the model. */
    th_page *page =
        page_of(URL "?page=7", ITEMS "<div class=pagination><a rel=next class=next "
                                     "href='?page=9'>Next page</a></div><div "
                                     "class=pager><a class=n href='?page=8'>Next</a></div>");
    assert_int_equal(th_next_find(page, read, &next, NULL), TH_OK);
    assert_true(next.by_rule && next.sure);
    assert_string_equal(next.url.ptr, URL "?page=8");
    assert_int_equal(th_next_find(page, NULL, &next, NULL), TH_OK);
    assert_string_equal(next.url.ptr, URL "?page=9");
    th_page_free(page);
    /* Where it finds nothing, the model is asked. */
    page = page_of(URL, "<div class=pager><a href='?page=2'>Next</a></div>");
    assert_int_equal(th_next_find(page, read, &next, NULL), TH_OK);
    assert_true(!next.by_rule && next.sure);
    th_page_free(page);
    th_next_release(&next);
    th_text_release(&file);
    th_text_release(&again);
    th_wrapper_free(wrapper);
    th_wrapper_free(read);
}

/* A last page alone says nothing of the link: there is no rule. */
static void test_no_rule(void **state)
{
    th_text file = {0};
    th_wrapper *wrapper = learn_wrapper(3, 1);
    assert_int_equal(th_wrapper_write(wrapper, &file, NULL), TH_OK);
    assert_null(strstr(file.ptr, "\"next\""));
    th_text_release(&file);
    th_wrapper_free(wrapper);
}

/* What a check says about the link: "ok", "note" or nothing. */
static const char *check_next(const th_wrapper *wrapper, const char *html, int pages)
{
    th_check *check;
    th_verdict *verdict;
    const char *said = "nothing";
    assert_int_equal(th_check_new(wrapper, false, &check, NULL), TH_OK);
    for (int i = 0; i < pages; i++) {
        char url[100];
        snprintf(url, sizeof url, URL "?page=%d", i + 1);
        th_page *page = page_of(url, html);
        th_records *records;
        assert_int_equal(th_wrapper_extract(wrapper, page, NULL, &records, NULL), TH_OK);
        assert_int_equal(th_check_add(check, page, records, NULL), TH_OK);
        th_records_free(records);
        th_page_free(page);
    }
    assert_int_equal(th_check_verdict(check, 0, &verdict, NULL), TH_OK);
    for (size_t i = 0; i < th_verdict_count(verdict); i++) {
        const th_evidence *e = th_verdict_get(verdict, i);
        assert_false(e->drift);
        if (!strcmp(e->test, "next"))
            said = e->changed ? "note" : "ok";
        else
            assert_false(e->changed);
    }
    assert_string_equal(th_verdict_word(verdict), strcmp(said, "note") ? "fine" : "changed");
    th_verdict_free(verdict);
    th_check_free(check);
    return said;
}

static void test_verify(void **state)
{
    th_wrapper *wrapper = learn_wrapper(1, 3), *without = learn_wrapper(3, 1);
    static const char here[] = ITEMS "<div class=pager><a class=n href='?page=99'>Next</a></div>";
    static const char gone[] = ITEMS "<div class=pager>Next</div>";
    static const char moved[] =
        ITEMS "<div class=pagination><a class=next rel=next href='?page=99'>Next</a></div>";
    assert_string_equal(check_next(wrapper, here, 3), "ok");
    assert_string_equal(check_next(wrapper, gone, 1), "ok"); /* it may be the last page */
    assert_string_equal(check_next(wrapper, gone, 12), "note");
    assert_string_equal(check_next(wrapper, moved, 1), "note");
    assert_string_equal(check_next(without, gone, 12), "nothing");
    th_wrapper_free(wrapper);
    th_wrapper_free(without);
}

/* ---- memory ---- */

static th_status find_once(void *context)
{
    th_next next = {0};
    th_status status = th_next_find(context, NULL, &next, NULL);
    th_next_release(&next);
    return status;
}

typedef struct lesson {
    th_text file; /* of a wrapper */
    th_page *page;
} lesson;

static th_status learn_once(void *context)
{
    const lesson *l = context;
    const th_page *pages[] = {l->page};
    th_wrapper *wrapper = NULL;
    th_status status = th_wrapper_read((th_str){l->file.ptr, l->file.len}, "w", &wrapper, NULL);
    if (!status)
        status = th_wrapper_learn_next(wrapper, pages, 1, NULL);
    th_wrapper_free(wrapper);
    return status;
}

static th_status follow_once(void *context)
{
    const char *path = context;
    th_feed *feed = NULL;
    th_input *input;
    th_status status = th_feed_follow(&path, 1, NULL, NULL, &feed, NULL);
    while (!status && !(status = th_feed_next(feed, &input, NULL)))
        th_input_free(input);
    th_feed_free(feed);
    return status == TH_DONE ? TH_OK : status;
}

static void test_out_of_memory(void **state)
{
    th_page *page =
        page_of(URL, "<link rel=next href='?page=2'><div><b>1</b> <a href='?page=2'>2</a> "
                     "<a title=Next href='?page=2'>&rsaquo;</a></div>");
    th_test_each_allocation_fails(find_once, page);
    th_page_free(page);
}

static void test_learn_out_of_memory(void **state)
{
    lesson l = {0};
    th_wrapper *wrapper = learn_wrapper(1, 3);
    assert_int_equal(th_wrapper_write(wrapper, &l.file, NULL), TH_OK);
    l.page = page_of(URL "?page=2", learnt_pages[1]);
    th_test_some_allocations_fail(learn_once, &l, 200);
    th_page_free(l.page);
    th_text_release(&l.file);
    th_wrapper_free(wrapper);
}

static void test_follow_out_of_memory(void **state)
{
    char path[] = "/tmp/thresh-next-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, "<p>Hello", 8) == 8);
    close(file);
    th_test_each_allocation_fails(follow_once, path);
    unlink(path);
}

/* Pages that say nothing leave no rule. */
static void test_learn_again(void **state)
{
    th_text file = {0};
    th_wrapper *wrapper = learn_wrapper(1, 3);
    assert_int_equal(th_wrapper_learn_next(wrapper, NULL, 0, NULL), TH_OK);
    assert_int_equal(th_wrapper_write(wrapper, &file, NULL), TH_OK);
    assert_null(strstr(file.ptr, "\"next\""));
    th_text_release(&file);
    th_wrapper_free(wrapper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signs_of_a_link),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_not_the_next_page),
        cmocka_unit_test(test_blogs),
        cmocka_unit_test(test_urls),
        cmocka_unit_test(test_languages),
        cmocka_unit_test(test_no_url),
        cmocka_unit_test(test_rule),
        cmocka_unit_test(test_no_rule),
        cmocka_unit_test(test_verify),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_learn_again),
        cmocka_unit_test(test_learn_out_of_memory),
        cmocka_unit_test(test_follow_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
