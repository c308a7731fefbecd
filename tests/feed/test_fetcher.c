/* The fetcher itself: whichever fetch is done first, and what was said over the network. */
#include "http_server.h"

#include "alloc_fail.h"
#include "base/arena.h"
#include "feed/feed.h"
#include "feed/fetch.h"

static const route ROUTES[] = {
    {"/robots.txt", ANSWER("404 Not Found", "", "")},
    {"/stuck", ANSWER("200 OK", HTML, "<p>stuck")},
    {"/page", ANSWER("200 OK", HTML "Set-Cookie: sid=abcdef\r\nX-More: yes\r\n", "<p>page")},
    {"/moved", ANSWER("302 Found", "Location: /page#part\r\n", "")},
    {NULL, ANSWER("404 Not Found", HTML, "<p>gone")},
};

typedef struct maker {
    th__arena arena;
    th_feed_options options;
    th__fetcher *fetcher;
} maker;

static void make_fetcher(maker *m, const th_feed_options *options)
{
    th_error err;
    th__arena_init(&m->arena);
    assert_true(th__feed_options_copy(options, &m->arena, &m->options));
    assert_int_equal(th__fetcher_new(&m->options, &m->fetcher, &err), TH_OK);
}

static void end_fetcher(maker *m)
{
    th__fetcher_free(m->fetcher);
    th__arena_release(&m->arena);
}

static void add(maker *m, const server *s, const char *path, void *tag)
{
    char url[200];
    th__fetch *fetch;
    th_error err;
    snprintf(url, sizeof url, "%s%s", s->base, path);
    assert_int_equal(th__fetcher_add(m->fetcher, url, &fetch, &err), TH_OK);
    th__fetch_set_tag(fetch, tag);
}

static void first_done_is_taken_first(void **state)
{
    server *a = start_server("127.0.0.1", ROUTES), *b = start_server("127.0.0.2", ROUTES);
    th_feed_options options = test_options();
    maker m;
    th__fetch *fetch;
    th_input *input = NULL;
    th_error err;
    make_fetcher(&m, &options);
    assert_int_equal(th__fetcher_take_any(m.fetcher, &fetch, &err), TH_DONE);
    add(&m, a, "/stuck", "stuck"); /* for seconds */
    add(&m, b, "/page", "quick");
    add(&m, b, "/none", "gone");
    static const char *const order[] = {"quick", "gone"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(th__fetcher_take_any(m.fetcher, &fetch, &err), TH_OK);
        assert_string_equal(th__fetch_tag(fetch), order[i]);
        th_status status = th__fetch_page(fetch, &input, &err);
        assert_int_equal(status, i == 1 ? TH_ERR_NETWORK : TH_OK);
        if (status == TH_OK)
            th_input_free(input);
        th__fetch_free(fetch);
    }
    end_fetcher(&m);
    stop_server(a);
    stop_server(b);
}

static void exchange_has_headers_without_secrets(void **state)
{
    server *s = start_server("127.0.0.1", ROUTES);
    th_feed_options options = test_options();
    maker m;
    th__fetch *fetch;
    th__exchange said;
    th_error err;
    char url[200];
    make_fetcher(&m, &options);
    add(&m, s, "/moved", NULL);
    assert_int_equal(th__fetcher_take_any(m.fetcher, &fetch, &err), TH_OK);
    th__fetch_exchange(fetch, &said);
    snprintf(url, sizeof url, "%s/page", s->base);
    assert_string_equal(said.url, url);
    assert_int_equal(said.status, 200);
    assert_string_equal(said.address, "127.0.0.1");
    assert_true(th__str_starts(said.request, TH_STR("GET /page HTTP/1.1\r\nHost: 127.0.0.1")));
    assert_true(th__str_starts(said.response, TH_STR("HTTP/1.1 200 OK\r\n")));
    assert_int_not_equal(th__str_find(said.response, TH_STR("X-More: yes\r\n")), SIZE_MAX);
    assert_int_equal(th__str_find(said.response, TH_STR("abcdef")), SIZE_MAX);
    assert_int_equal(th__str_find(said.response, TH_STR("\r\n\r\n")), said.response.len - 4);
    assert_int_equal(th__str_find(said.request, TH_STR("\r\n\r\n")), said.request.len - 4);
    th__fetch_free(fetch); /* with its page */
    assert_int_equal(th__fetcher_take_any(m.fetcher, &fetch, &err), TH_DONE);
    end_fetcher(&m);
    stop_server(s);
}

/* A fetch that gives a page has the whole of what was said. */
static th_status fetch_once(void *context)
{
    server *s = start_server("127.0.0.1", ROUTES);
    th_feed_options given = test_options(), options;
    th__arena arena;
    th__fetcher *fetcher = NULL;
    th__fetch *fetch = NULL;
    th_input *input = NULL;
    th__exchange said;
    th_error err;
    char url[200];
    snprintf(url, sizeof url, "%s/page", s->base);
    given.ignore_robots = true;
    th__arena_init(&arena);
    th_status status = th__feed_options_copy(&given, &arena, &options) ? TH_OK : TH_ERR_MEMORY;
    if (!status)
        status = th__fetcher_new(&options, &fetcher, &err);
    if (!status)
        status = th__fetcher_add(fetcher, url, &fetch, &err);
    if (!status)
        status = th__fetcher_take_any(fetcher, &fetch, &err);
    if (!status) {
        th__fetch_exchange(fetch, &said);
        status = th__fetch_page(fetch, &input, &err);
        if (!status && (th__str_find(said.response, TH_STR("\r\n\r\n")) == SIZE_MAX ||
                        th__str_find(said.request, TH_STR("\r\n\r\n")) == SIZE_MAX))
            status = TH_ERR_FORMAT;
        th_input_free(input);
        th__fetch_free(fetch);
    }
    th__fetcher_free(fetcher);
    th__arena_release(&arena);
    stop_server(s);
    return status;
}

static void exchange_is_whole_or_fails(void **state)
{
    th_test_each_allocation_fails(fetch_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_done_is_taken_first),
        cmocka_unit_test(exchange_has_headers_without_secrets),
        cmocka_unit_test(exchange_is_whole_or_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
