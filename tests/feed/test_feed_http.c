/* Fetching: pages, redirects, limits, robots.txt, politeness, and what is refused. */
#include "http_server.h"

#include <netinet/in.h>
#include <time.h>

#include "feed/session.h"
#include "feed/fetch.h"

#define PAGE ANSWER("200 OK", HTML, "<p>page")
#define NO_ROBOTS                                                                                  \
    {                                                                                              \
        "/robots.txt", ANSWER("404 Not Found", "", "")                                             \
    }
#define OTHERS                                                                                     \
    {                                                                                              \
        NULL, ANSWER("404 Not Found", HTML, "<p>gone")                                             \
    }

static const route ROUTES[] = {
    NO_ROBOTS,
    {"/page", PAGE},
    {"/charset", ANSWER("200 OK", "Content-Type: text/html; charset=\"koi8-r\"\r\n", "<p>c")},
    {"/chunked",
     ANSWER("200 OK", HTML "Transfer-Encoding: chunked\r\n", "4\r\n<p>a\r\n3\r\nbcd\r\n0\r\n\r\n")},
    {"/moved", ANSWER("302 Found", "Location: /dir/there?x=1#part\r\n", "")},
    {"/dir/there?x=1", ANSWER("301 Moved", "Location: ../page\r\n", "")},
    {"/loop", ANSWER("302 Found", "Location: /loop\r\n", "")},
    {"/image", ANSWER("200 OK", "Content-Type: image/png\r\n", "\x89PNG")},
    {"/untyped", ANSWER("200 OK", "", "<p>untyped")},
    {"/pdf", ANSWER("200 OK", "", "%PDF-1.4")},
    {"/empty", ANSWER("200 OK", HTML "Content-Length: 0\r\n", "")},
    {"/error", ANSWER("503 Busy", HTML, "<p>busy")},
    {"/file", ANSWER("302 Found", "Location: file:///etc/passwd\r\n", "")},
    {"/short", ANSWER("200 OK", HTML "Content-Length: 100\r\n", "<p>less")},
    {"/a%20b", ANSWER("200 OK", HTML, "<p>blank")},
    {"/slow1", PAGE},
    {"/slow2", PAGE},
    {"/stuck", PAGE},
    OTHERS,
};

static void pages_keep_name_url_and_charset(void **state)
{
    server *s = start_server("127.0.0.1", ROUTES);
    th_feed_options options = test_options();
    static const char *const paths[] = {"/page#top", "/charset", "/chunked", "/moved",
                                        "/untyped",  "/empty",   "/a b"};
    char url[200];
    run r = fetch_paths(s, paths, 7, &options);
    assert_int_equal(r.pages, 7);
    snprintf(url, sizeof url, "%s/page#top", s->base);
    expect_page(&r, 0, url, "<p>page");
    snprintf(url, sizeof url, "%s/page", s->base);
    assert_string_equal(r.events[0].url, url);
    assert_string_equal(r.events[1].charset, "koi8-r");
    assert_string_equal(r.events[2].bytes, "<p>abcd");
    assert_string_equal(r.events[3].url, url); /* after both redirects */
    assert_non_null(strstr(r.events[3].name, "/moved"));
    assert_string_equal(r.events[4].bytes, "<p>untyped");
    assert_string_equal(r.events[5].bytes, "");
    assert_string_equal(r.events[6].bytes, "<p>blank");
    assert_int_equal(requests_for(s, "/robots.txt"), 1);
    assert_non_null(strstr(s->requests[0], "User-Agent: thresh/"));
    assert_int_equal(s->most_active, 1); /* one at a time from one host */
    end_run(&r);
    stop_server(s);
}

static void failures_are_named_and_the_rest_goes_on(void **state)
{
    server *s = start_server("127.0.0.1", ROUTES);
    th_feed_options options = test_options();
    options.max_redirects = 3;
    static const char *const paths[] = {"/nothing", "/loop", "/image", "/pdf",
                                        "/error",   "/file", "/short", "/page"};
    run r = fetch_paths(s, paths, 8, &options);
    assert_int_equal(r.count, 8);
    expect_error(&r, 0, TH_ERR_NETWORK, "/nothing|the server answers 404");
    expect_error(&r, 1, TH_ERR_LIMIT, "/loop|limit 3|--max-redirects");
    expect_error(&r, 2, TH_ERR_FORMAT, "/image|image/png|not a web page");
    expect_error(&r, 3, TH_ERR_FORMAT, "/pdf|a PDF file");
    expect_error(&r, 4, TH_ERR_NETWORK, "/error|503");
    expect_error(&r, 5, TH_ERR_NETWORK, "file:///etc/passwd|only http and https");
    expect_error(&r, 6, TH_ERR_NETWORK, "/short|cannot be fetched");
    assert_int_equal(r.events[7].status, TH_OK);
    assert_int_equal(requests_for(s, "/loop"), 4);
    end_run(&r);
    stop_server(s);
}

static void size_and_time_are_capped(void **state)
{
    server *s = start_server("127.0.0.1", ROUTES);
    th_feed_options options = test_options();
    options.max_bytes = 100000;
    options.timeout_ms = 100;
    options.ignore_robots = true;
    static const char *const paths[] = {"/large", "/stuck", "/page"};
    run r = fetch_paths(s, paths, 3, &options);
    assert_int_equal(r.count, 3);
    expect_error(&r, 0, TH_ERR_LIMIT, "/large|max_bytes|100000|--max-bytes");
    expect_error(&r, 1, TH_ERR_NETWORK, "/stuck|too long|100 ms");
    assert_int_equal(r.events[2].status, TH_OK);
    assert_int_equal(requests_for(s, "/robots.txt"), 0);
    end_run(&r);
    stop_server(s);
}

static void unreachable_and_senseless_urls(void **state)
{
    server *s = start_server("127.0.0.1", ROUTES);
    char closed[100];
    snprintf(closed, sizeof closed, "%s/x", s->base);
    stop_server(s); /* nobody listens there any more */
    th_feed_options options = test_options();
    options.ignore_robots = true;
    const char *in[] = {closed, "http://", "http://exa mple/", "http://127.0.0.1:99999/"};
    run r = run_feed(in, 4, &options);
    expect_error(&r, 0, TH_ERR_NETWORK, "cannot be fetched");
    for (size_t i = 1; i < 4; i++)
        expect_error(&r, i, TH_ERR_ARGUMENT, "is not a valid URL");
    end_run(&r);
    options.ignore_robots = false;
    r = run_feed(in, 1, &options);
    /* The site and not its robots.txt is what cannot be reached. */
    expect_error(&r, 0, TH_ERR_NETWORK, "/x: cannot be fetched: |connect");
    assert_null(strstr(r.events[0].error.message, "robots"));
    end_run(&r);
    const char *nowhere[] = {"http://no-such-host.invalid/x"};
    options.allow_private = false;
    r = run_feed(nowhere, 1, &options);
    expect_error(&r, 0, TH_ERR_NETWORK, "no-such-host.invalid/x: cannot be fetched: |resolve host");
    assert_null(strstr(r.events[0].error.message, "robots"));
    end_run(&r);
}

static void private_addresses_are_refused(void **state)
{
    server *s = start_server("127.0.0.1", ROUTES);
    th_feed_options options = test_options();
    options.allow_private = false;
    char local[100], number[100];
    const char *port = strrchr(s->base, ':');
    snprintf(local, sizeof local, "http://localhost%s/page", port);
    snprintf(number, sizeof number, "http://2130706433%s/page", port);
    const char *in[] = {s->base, local, number};
    for (int ignore = 0; ignore < 2; ignore++) {
        options.ignore_robots = ignore;
        run r = run_feed(in, 3, &options);
        assert_int_equal(r.errors, 3);
        expect_error(&r, 0, TH_ERR_NETWORK, "127.0.0.1|loopback|--allow-private");
        expect_error(&r, 1, TH_ERR_NETWORK, "localhost|loopback|--allow-private");
        expect_error(&r, 2, TH_ERR_NETWORK, "2130706433|127.0.0.1 is loopback");
        end_run(&r);
    }
    assert_int_equal(s->count, 0);
    stop_server(s);
}

static void robots_are_obeyed(void **state)
{
    static const route routes[] = {
        {"/robots.txt",
         ANSWER(
             "200 OK", "Content-Type: text/plain\r\n",
             "User-agent: *\nDisallow: /\n\nUser-agent: Thresh\nDisallow: /no\nAllow: /no/but\n")},
        {"/away", ANSWER("302 Found", "Location: /no/redirect\r\n", "")},
        {NULL, PAGE},
    };
    server *s = start_server("127.0.0.1", routes);
    th_feed_options options = test_options();
    static const char *const paths[] = {"/yes", "/no/way", "/no/but", "/away"};
    run r = fetch_paths(s, paths, 4, &options);
    assert_int_equal(r.events[0].status, TH_OK);
    expect_error(&r, 1, TH_ERR_NETWORK, "/no/way|robots.txt disallows it|--ignore-robots");
    assert_int_equal(r.events[2].status, TH_OK);
    expect_error(&r, 3, TH_ERR_NETWORK, "/away|robots.txt disallows it");
    assert_int_equal(requests_for(s, "/robots.txt"), 1);
    assert_int_equal(requests_for(s, "/no/way"), 0);
    assert_int_equal(requests_for(s, "/no/redirect"), 0);
    end_run(&r);
    options.user_agent = "otherbot/2.0";
    r = fetch_paths(s, paths, 1, &options);
    expect_error(&r, 0, TH_ERR_NETWORK, "robots.txt disallows it");
    end_run(&r);
    options.ignore_robots = true;
    r = fetch_paths(s, paths, 4, &options);
    assert_int_equal(r.pages, 4);
    assert_non_null(strstr(s->requests[s->count - 1], "otherbot/2.0"));
    end_run(&r);
    stop_server(s);
}

static void robots_that_fail(void **state)
{
    static const route busy[] = {{"/robots.txt", ANSWER("503 Busy", "", "")}, {NULL, PAGE}};
    static const route loops[] = {
        {"/robots.txt", ANSWER("302 Found", "Location: /robots.txt\r\n", "")}, {NULL, PAGE}};
    static const route moved[] = {{"/robots.txt", ANSWER("301 Moved", "Location: /r\r\n", "")},
                                  {"/r", ANSWER("200 OK", "", "user-agent: *\ndisallow: /x\n")},
                                  {NULL, PAGE}};
    static const char *const paths[] = {"/x", "/y"};
    th_feed_options options = test_options();
    server *s = start_server("127.0.0.1", busy);
    run r = fetch_paths(s, paths, 2, &options);
    expect_error(&r, 0, TH_ERR_NETWORK, "robots.txt cannot be read|503|--ignore-robots");
    expect_error(&r, 1, TH_ERR_NETWORK, "503");
    assert_int_equal(s->count, 1);
    end_run(&r);
    stop_server(s);

    s = start_server("127.0.0.1", loops);
    r = fetch_paths(s, paths, 1, &options);
    assert_int_equal(r.pages, 1);
    assert_int_equal(requests_for(s, "/robots.txt"), 6);
    end_run(&r);
    stop_server(s);

    s = start_server("127.0.0.1", moved);
    r = fetch_paths(s, paths, 2, &options);
    expect_error(&r, 0, TH_ERR_NETWORK, "disallows it");
    assert_int_equal(r.events[1].status, TH_OK);
    end_run(&r);
    stop_server(s);
}

static void hosts_run_side_by_side_in_input_order(void **state)
{
    _Atomic int active = 0, most = 0;
    server *s[3];
    char urls[6][128];
    const char *in[6];
    static const char *const addresses[] = {"127.0.0.1", "127.0.0.2", "127.0.0.3"};
    for (int i = 0; i < 3; i++) {
        s[i] = start_server(addresses[i], ROUTES);
        s[i]->shared_active = &active;
        s[i]->shared_most = &most;
    }
    for (int i = 0; i < 6; i++) {
        snprintf(urls[i], sizeof urls[i], "%s%s", s[i / 2]->base, i % 2 ? "/page" : "/slow1");
        in[i] = urls[i];
    }
    th_feed_options options = test_options();
    run r = run_feed(in, 6, &options);
    assert_int_equal(r.pages, 6);
    for (size_t i = 0; i < 6; i++)
        expect_page(&r, i, in[i], "<p>page");
    assert_true(most >= 2);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(s[i]->most_active, 1);
        stop_server(s[i]);
    }
    end_run(&r);
}

static void host_gets_its_pause(void **state)
{
    server *s = start_server("127.0.0.1", ROUTES);
    th_feed_options options = test_options();
    options.host_delay_ms = 100;
    static const char *const paths[] = {"/page", "/page", "/page"};
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    run r = fetch_paths(s, paths, 3, &options);
    clock_gettime(CLOCK_MONOTONIC, &to);
    long ms = (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000;
    assert_int_equal(r.pages, 3);
    assert_true(ms >= 199);
    end_run(&r);
    stop_server(s);
}

/* Files and pages of the web mixed keep their order; what is not taken is thrown away. */
static void feed_may_be_left_early(void **state)
{
    folder *f = *state;
    server *s = start_server("127.0.0.1", ROUTES);
    char slow[100], page[100];
    snprintf(slow, sizeof slow, "%s/slow1", s->base);
    snprintf(page, sizeof page, "%s/page", s->base);
    const char *in[] = {put_text(f, "a.html", "<p>a"), slow, put_text(f, "b.html", "<p>b"), page};
    th_feed_options options = test_options();
    run r = run_feed(in, 4, &options);
    assert_int_equal(r.pages, 4);
    for (size_t i = 0; i < 4; i++)
        expect_page(&r, i, in[i], NULL);
    end_run(&r);
    th_feed *feed;
    th_input *input;
    th_error err;
    assert_int_equal(th_feed_new(in, 4, &options, &feed, &err), TH_OK);
    assert_int_equal(th_feed_next(feed, &input, &err), TH_OK);
    th_input_free(input);
    th_feed_free(feed);
    stop_server(s);
}

static bool allows(const char *rules, const char *path)
{
    th__robots robots;
    bool yes;
    assert_int_equal(th__robots_parse(th_str_from(rules), TH_STR("thresh/1"), &robots, NULL),
                     TH_OK);
    assert_int_equal(th__robots_allow(&robots, th_str_from(path), &yes, NULL), TH_OK);
    th__buf_release(&robots.rules);
    return yes;
}

static void robots_rules_match_as_the_rfc_says(void **state)
{
#define US "User-agent: thresh\n"
    static const struct {
        const char *rules, *path;
        bool yes;
    } cases[] = {
        {"", "/", true},
        {US "Disallow:", "/a", true},
        {US "Disallow: /", "/a", false},
        {US "Disallow: /", "/robots.txt", true},
        {US "Disallow: /a", "/ab", false},
        {US "Disallow: /a/", "/a", true},
        {US "Disallow: /a\nAllow: /a", "/a", true}, /* a tie */
        {US "Allow: /a\nDisallow: /a/b", "/a/b/c", false},
        {US "Disallow: /*.php$", "/x/y.php", false},
        {US "Disallow: /*.php$", "/x/y.php?z", true},
        {US "Disallow: /a*b*c", "/a--b--c--", false},
        {US "Disallow: /a*b*c", "/a--c--b", true},
        {US "Disallow: /*aa$", "/aaa", false},
        {US "Disallow: /a$", "/a", false},
        {US "Disallow: /a$", "/ab", true},
        {US "Disallow: /*", "/", false},
        {US "Disallow: *x", "/yx", false},
        {US "Disallow: /%7Euser", "/~user/", false},
        {US "Disallow: /\xC3\xA9", "/%c3%a9", false},
        {US "Disallow: /a%2fb", "/a/b", true},
        {"user-agent:*\ndisallow:/a # why\n", "/a", false},
        {"User-agent: *\nDisallow: /\nUser-agent: THRESH/9\nDisallow: /x\n", "/a", true},
        {"User-agent: threshing\nDisallow: /\n", "/a", true},
        {"User-agent: a\nUser-agent: thresh\nDisallow: /x\n\nUser-agent: b\nDisallow: /y", "/x",
         false},
        {US "Disallow: /x\nSitemap: z\nUser-agent: b\nDisallow: /y\n" US "Disallow: /z", "/z",
         false},
        {US "Disallow: /x\r\rUser-agent: b\rDisallow: /y", "/y", true},
        {"Disallow: /\n" US "Disallow: /x", "/y", true},
        {"\xEF\xBB\xBF" US "Disallow: /", "/y", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (allows(cases[i].rules, cases[i].path) != cases[i].yes)
            fail_msg("case %zu: %s | %s", i, cases[i].rules, cases[i].path);
}

static void addresses_that_are_not_public(void **state)
{
    static const struct {
        const char *text, *kind;
    } cases[] = {
        {"8.8.8.8", NULL},
        {"93.184.216.34", NULL},
        {"10.1.2.3", "private"},
        {"172.15.0.1", NULL},
        {"172.31.255.1", "private"},
        {"192.168.0.1", "private"},
        {"100.64.0.1", "shared"},
        {"100.128.0.1", NULL},
        {"169.254.169.254", "link-local"},
        {"127.9.9.9", "loopback"},
        {"0.0.0.0", "unspecified"},
        {"224.0.0.1", "multicast"},
        {"255.255.255.255", "reserved"},
        {"198.19.0.1", "reserved"},
        {"2606:4700::1111", NULL},
        {"::1", "loopback"},
        {"::", "unspecified"},
        {"fe80::1", "link-local"},
        {"febf::1", "link-local"},
        {"fc00::1", "private"},
        {"fd12::1", "private"},
        {"ff02::1", "multicast"},
        {"::ffff:127.0.0.1", "loopback"},
        {"::ffff:8.8.8.8", NULL},
        {"::10.0.0.1", "private"},
        {"64:ff9b::10.0.0.1", "private"},
        {"64:ff9b::8.8.8.8", NULL},
        {"2002:7f00:1::", "loopback"},
        {"2001:db8::1", "reserved"},
        {"2001::1", "reserved"},
        {"2001:4860:4860::8888", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sockaddr_in in = {.sin_family = AF_INET};
        struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
        bool six = strchr(cases[i].text, ':') != NULL;
        assert_int_equal(inet_pton(six ? AF_INET6 : AF_INET, cases[i].text,
                                   six ? (void *)&in6.sin6_addr : (void *)&in.sin_addr),
                         1);
        const char *kind = th__address_kind(six ? (struct sockaddr *)&in6 : (struct sockaddr *)&in);
        if ((kind == NULL) != (cases[i].kind == NULL) || (kind && strcmp(kind, cases[i].kind)))
            fail_msg("%s: %s", cases[i].text, kind ? kind : "public");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_keep_name_url_and_charset),
        cmocka_unit_test(failures_are_named_and_the_rest_goes_on),
        cmocka_unit_test(size_and_time_are_capped),
        cmocka_unit_test(unreachable_and_senseless_urls),
        cmocka_unit_test(private_addresses_are_refused),
        cmocka_unit_test(robots_are_obeyed),
        cmocka_unit_test(robots_that_fail),
        cmocka_unit_test(hosts_run_side_by_side_in_input_order),
        cmocka_unit_test(host_gets_its_pause),
        cmocka_unit_test_setup_teardown(feed_may_be_left_early, folder_setup, folder_teardown),
        cmocka_unit_test(robots_rules_match_as_the_rfc_says),
        cmocka_unit_test(addresses_that_are_not_public),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
