/* A crawl from what a project has, without a network: which rows give records, and that every
 * allocation may fail. */
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#include "alloc_fail.h"
#include "page/url.h"
#include "store/project.h"

#define SITE "http://shop.test"

typedef struct stored {
    char path[64];
    th_wrapper *list, *detail;
    size_t records, failures;
} stored;

static th_str text(const char *bytes)
{
    return th_str_from(bytes);
}

/* What a crawl keeps of an address: see crawl.c. */
enum { VISIT_PAGE, VISIT_MOVED, VISIT_FAILED };

static void add_visit(th_project *project, const char *url, int kind, int64_t page,
                      const char *said)
{
    th_error err;
    int64_t site;
    assert_int_equal(th__project_site(project, text("default"), &site, &err), TH_OK);
    assert_int_equal(th__project_do(project, &err,
                                    "INSERT INTO visit (site, address, kind, page, text)"
                                    " VALUES (?, ?, ?, nullif(?, 0), ?)",
                                    "itiit", site, text(url), (int64_t)kind, page, text(said)),
                     TH_OK);
}

static void add_page(th_project *project, const char *url, const char *url_at_end, const char *html)
{
    th_page_source source = {.url = text(url_at_end)};
    th_error err;
    int64_t id;
    assert_int_equal(th_project_add_page(project, text("default"), text(url), &source, text(html),
                                         &id, NULL, &err),
                     TH_OK);
    add_visit(project, url, VISIT_PAGE, id, url_at_end);
}

static void list_page(char *out, size_t size, const char *next, const char *const links[4])
{
    int len = snprintf(out, size, "<title>Books</title><ul>");
    for (int i = 0; i < 4; i++)
        len += snprintf(out + len, size - (size_t)len,
                        "<li class=book><a class=title href='%s'>Title of book %s</a> "
                        "<b class=price>%d.50</b></li>",
                        links[i], links[i], i + 1);
    snprintf(out + len, size - (size_t)len, "</ul><p><a rel=next href='%s'>Next</a>", next);
}

static void detail_page(char *out, size_t size, int number)
{
    snprintf(out, size,
             "<title>Book %d</title><h1>Book number %d</h1><p class=isbn>978-%d</p>"
             "<p class=pages>%d</p>",
             number, number, number * 1111, number * 17);
}

static void fill(th_project *project)
{
    char html[4096], url[64];
    static const char *const first[] = {"/1", "/2", "/moved", "/gone"};
    static const char *const second[] = {"/1?utm_source=x", "/3#top", "/old", "/round"};
    list_page(html, sizeof html, "/list2", first);
    add_page(project, SITE "/list", SITE "/list", html);
    list_page(html, sizeof html, "/list", second);
    add_page(project, SITE "/list2", SITE "/list2", html);
    for (int i = 1; i <= 3; i++) {
        snprintf(url, sizeof url, SITE "/%d", i);
        detail_page(html, sizeof html, i);
        add_page(project, url, url, html);
    }
    detail_page(html, sizeof html, 4);
    add_page(project, SITE "/old", SITE "/4", html);
    add_visit(project, SITE "/moved", VISIT_MOVED, 0, SITE "/3");
    add_visit(project, SITE "/gone", VISIT_FAILED, 0, SITE "/gone: the server answers 404");
    add_visit(project, SITE "/round", VISIT_MOVED, 0, SITE "/list");
}

static th_wrapper *learn(const char *const *pages, size_t count, bool list)
{
    th_corpus *corpus;
    th_wrapper *wrapper;
    th_learn_options options;
    th_error err;
    th_learn_options_init(&options);
    options.pick = list;
    options.one_record = !list;
    options.no_profile = true;
    assert_int_equal(th_corpus_new(&corpus, &err), TH_OK);
    for (size_t i = 0; i < count; i++) {
        th_page_source source = {.url = text(SITE "/x")};
        assert_int_equal(th_corpus_add_bytes(corpus, text("x"), text(pages[i]), &source, &err),
                         TH_OK);
    }
    if (th_learn(corpus, &options, &wrapper, NULL, &err))
        fail_msg("%s", err.message);
    th_corpus_free(corpus);
    return wrapper;
}

static int set_up(void **state)
{
    static stored store;
    static const char *const links[] = {"/1", "/2", "/3", "/4"};
    char list[4096], detail[2][1024];
    th_project *project;
    th_error err;
    snprintf(store.path, sizeof store.path, "/tmp/thresh-crawl-%ld.thresh", (long)getpid());
    unlink(store.path);
    list_page(list, sizeof list, "/", links);
    detail_page(detail[0], sizeof detail[0], 1);
    detail_page(detail[1], sizeof detail[1], 2);
    const char *lists[] = {list}, *details[] = {detail[0], detail[1]};
    store.list = learn(lists, 1, true);
    store.detail = learn(details, 2, false);
    if (th_project_open(store.path, TH_PROJECT_NEW, &project, &err))
        fail_msg("%s", err.message);
    fill(project);
    th_project_free(project);
    *state = &store;
    return 0;
}

static int tear_down(void **state)
{
    stored *store = *state;
    char path[80];
    static const char *const endings[] = {"", "-wal", "-shm"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", store->path, endings[i]);
        unlink(path);
    }
    th_wrapper_free(store->list);
    th_wrapper_free(store->detail);
    return 0;
}

static void tell(void *context, const th_remark *remark, bool failure)
{
    stored *store = context;
    store->failures += failure;
}

static th_status crawl_all(void *context)
{
    stored *store = context;
    th_project *project = NULL;
    th_crawl *crawl = NULL;
    th_records *records;
    th_crawl_options options;
    th_error err;
    const char *urls[] = {SITE "/list"};
    store->records = store->failures = 0;
    th_crawl_options_init(&options);
    options.list = store->list;
    options.detail = store->detail;
    options.tell = tell;
    options.context = store;
    th_status status = th_project_open(store->path, TH_PROJECT_OPEN, &project, &err);
    options.project = project;
    if (!status)
        status = th_crawl_new(urls, 1, &options, &crawl, &err);
    while (!status && !(status = th_crawl_next(crawl, &records, &err))) {
        store->records += th_records_count(records);
        th_records_free(records);
    }
    th_crawl_free(crawl);
    th_project_free(project);
    return status == TH_DONE ? TH_OK : status;
}

/* 1, 2, 3 (by /moved), gone; not 1 again, not 3 again; 4 (by /old); round. */
static void gives_each_record_once(void **state)
{
    stored *store = *state;
    assert_int_equal(crawl_all(store), TH_OK);
    assert_int_equal(store->records, 6);
    assert_int_equal(store->failures, 2);
}

static void survives_without_memory(void **state)
{
    th_test_some_allocations_fail(crawl_all, *state, 500);
}

static void knows_addresses(void **state)
{
    static const char *const cases[][2] = {
        {"HTTP://Shop.TEST:80", "http://shop.test/"},
        {"https://a.test:443/B?x=1#y", "https://a.test/B?x=1"},
        {"https://a.test:80/?", "https://a.test:80/"},
        {"http://a/?utm_source=x&b=2&gclid=1&c", "http://a/?b=2&c"},
        {"http://a/x?fbclid=1", "http://a/x"},
        {"http://a/x?utmost=1", "http://a/x?utmost=1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        th__buf out = {0};
        assert_true(th__url_address(text(cases[i][0]), &out));
        th__buf_add_byte(&out, '\0');
        assert_string_equal(out.data, cases[i][1]);
        th__buf_release(&out);
    }
    th__buf out = {0};
    assert_false(th__url_address(text("mailto:a@b"), &out));
    assert_false(th__url_address(text("/x"), &out));
    assert_false(th__url_address(text("ftp://a/x"), &out));
    th__buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_each_record_once),
        cmocka_unit_test(survives_without_memory),
        cmocka_unit_test(knows_addresses),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
