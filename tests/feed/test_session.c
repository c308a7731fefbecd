/* Sessions, cookies and files of the cache without a server: what goes where, and no memory. */
#include "feed_test.h"

#include "alloc_fail.h"
#include "base/arena.h"
#include "feed/feed.h"
#include "feed/fetch.h"
#include "feed/fetch_parts.h"

#define ACCOUNT                                                                                    \
    "{\"site\": [\"https://shop.example\", \"http://other.example:8080\"],"                        \
    " \"headers\": {\"X-Api-Key\": {\"env\": \"K\"}, \"X-Plain\": \"yes\"},"                       \
    " \"user_agent\": \"me/1\", \"delay\": 1.5, \"proxy\": \"http://proxy.example:3128\","         \
    " \"basic\": {\"user\": \"me\", \"password\": \"hidden-word\"},"                               \
    " \"login\": {\"page\": \"/in\", \"url\": \"/in\", \"form\": {\"user\": \"me\"}, \"ok\": "     \
    "\"x\"}}"

/* What would be sent to a site, one header a line. */
static void dressed(const th__session *session, const char *site, char *out, size_t size)
{
    struct curl_slist *headers = NULL;
    bool proxied;
    th_error err;
    CURL *easy = curl_easy_init();
    assert_int_equal(
        th__session_dress(session, th_str_from(site), (th_str){0}, easy, &headers, &proxied, &err),
        TH_OK);
    *out = '\0';
    for (struct curl_slist *line = headers; line; line = line->next)
        snprintf(out + strlen(out), size - strlen(out), "%s\n", line->data);
    curl_slist_free_all(headers);
    curl_easy_cleanup(easy);
}

static void secrets_go_to_their_own_site(void **state)
{
    static const char *const headers[] = {"X-All: 1", "Authorization: Bearer ${TEST_SECRET}"};
    th_feed_options options;
    th__session session;
    th_error err;
    char sent[500];
    setenv("TEST_SECRET", "s3cr3t", 1);
    th_feed_options_init(&options);
    options.headers = headers;
    options.header_count = 2;
    assert_int_equal(th__session_init(&session, &options, &err), TH_OK);
    assert_int_equal(th__session_read(&session, th_str_from(ACCOUNT), "site.json", NULL, &err),
                     TH_OK);
    session.first_site = "http://first.example:80";
    static const struct {
        const char *site;
        bool secret, key;
    } cases[] = {
        {"http://first.example:80", true, false},
        {"https://first.example:443", true, false}, /* the same host, and safer */
        {"http://first.example:8080", false, false},
        {"https://first.example:8443", false, false},
        {"http://second.example:80", false, false},
        {"https://first.example.evil.example:443", false, false},
        {"https://shop.example:443", false, true},
        {"http://shop.example:80", false, false}, /* never to http after https */
        {"http://other.example:8080", false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dressed(&session, cases[i].site, sent, sizeof sent);
        if (!strstr(sent, "X-All: 1\n") || !strstr(sent, "Accept: ") ||
            (strstr(sent, "s3cr3t") != NULL) != cases[i].secret ||
            (strstr(sent, "X-Api-Key: anything\n") != NULL) != cases[i].key)
            fail_msg("%s: %s", cases[i].site, sent);
    }
    char text[] = "a s3cr3t, a hidden-word, s3cr3ts3cr3t";
    th__session_scrub(&session, text);
    assert_string_equal(text, "a ***, a ***, ******");
    assert_true(th__session_hides(&session, TH_STR("authorization: Bearer x")));
    assert_true(th__session_hides(&session, TH_STR("Set-Cookie: a=b")));
    assert_false(th__session_hides(&session, TH_STR("X-Plain: yes")));
    th__session_release(&session);
}

/* What an https server sets is for https alone, also after the file was read again. */
static void cookies_of_https_stay_there(void **state)
{
    folder *f = *state;
    const char *path = at(f, "jar");
    th__cookie_jar jar;
    th_error err;
    th_str host = TH_STR("shop.example");
    assert_int_equal(th__cookie_jar_init(&jar, path, &err), TH_OK);
    curl_easy_setopt(jar.easy[1], CURLOPT_COOKIELIST, "Set-Cookie: a=1; Domain=shop.example");
    curl_easy_setopt(jar.easy[0], CURLOPT_COOKIELIST, "Set-Cookie: b=2; Domain=shop.example");
    assert_int_equal(th__cookie_jar_save(&jar, &err), TH_OK);
    th__cookie_jar_release(&jar);
    assert_int_equal(th__cookie_jar_init(&jar, path, &err), TH_OK);
    assert_true(th__cookie_jar_has(&jar, true, host, "a"));
    assert_false(th__cookie_jar_has(&jar, false, host, "a"));
    assert_true(th__cookie_jar_has(&jar, false, host, "b"));
    assert_false(th__cookie_jar_has(&jar, true, TH_STR("shop.example.org"), "a"));
    th__cookie_jar_release(&jar);
}

static void crawl_delay_is_read(void **state)
{
    static const struct {
        const char *rules;
        uint32_t ms;
    } cases[] = {
        {"User-agent: *\nCrawl-delay: 2", 2000},
        {"User-agent: *\nCrawl-delay: 0.25\nCrawl-delay: .5", 500},
        {"User-agent: *\nCrawl-delay: 9\nUser-agent: thresh\nDisallow: /x", 0},
        {"User-agent: *\nCrawl-delay: 1e9\nUser-agent: b\nCrawl-delay: 7", 0},
        {"User-agent: *\nCrawl-delay: 99999999999999999999999", 86400000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        th__robots robots;
        assert_int_equal(
            th__robots_parse(th_str_from(cases[i].rules), TH_STR("thresh/1"), &robots, NULL),
            TH_OK);
        assert_int_equal(robots.delay_ms, cases[i].ms);
        th__buf_release(&robots.rules);
    }
}

/* One step with all that allocates, for a memory that fails at any place. */
static th_status whole_step(void *context)
{
    const char *folder_path = context;
    static const char *const headers[] = {"X-All: 1", "X-Key: ${TEST_SECRET}"};
    th_feed_options given, options;
    th__arena arena;
    th__session session = {0};
    th__fetch_cache cache = {0};
    th__cached found = {0};
    th__buf form = {0};
    th_error err;
    th_feed_options_init(&given);
    given.headers = headers;
    given.header_count = 2;
    given.proxy = "http://me:${TEST_SECRET}@proxy.example:3128";
    th__arena_init(&arena);
    th_status status = th__feed_options_copy(&given, &arena, &options) ? TH_OK : TH_ERR_MEMORY;
    if (status == TH_OK)
        status = th__session_init(&session, &options, &err);
    if (status == TH_OK)
        status = th__session_read(&session, th_str_from(ACCOUNT), "site.json", NULL, &err);
    if (status == TH_OK)
        status = th__login_add_form(
            &session.accounts.data[0].login,
            TH_STR("<form><input name=user><input type=hidden name=t value=&amp;></form>"), &form,
            &err);
    if (status == TH_OK && strcmp(form.data, "t=%26&user=me"))
        status = TH_ERR_FORMAT;
    if (status == TH_OK)
        status = th__fetch_cache_open(&cache, folder_path, 60, &err);
    th__cached answer = {.url = TH_STR("http://a.example/"),
                         .variant = 7,
                         .status = 200,
                         .address = TH_STR(""),
                         .response = TH_STR("HTTP/1.1 200 OK\r\nETag: \"x\"\r\n\r\n"),
                         .body = TH_STR("<p>page")};
    if (status == TH_OK)
        status = th__fetch_cache_store(&cache, &answer, answer.response, &err);
    if (status == TH_OK && !th__fetch_cache_find(&cache, answer.url, 7, 1000, &found))
        status = TH_ERR_MEMORY;
    if (status == TH_OK && (!th__str_eq(found.body, answer.body) || !found.is_fresh))
        status = TH_ERR_FORMAT;
    th__buf_release(&found.file);
    th__buf_release(&form);
    if (session.arena.block_size)
        th__session_release(&session);
    th__arena_release(&arena);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    folder *f = *state;
    setenv("TEST_SECRET", "s3cr3t", 1);
    th_test_each_allocation_fails(whole_step, (void *)at(f, "cache"));
}

/* Keeps an answer in the cache as a fetch without options would. */
static void keep(const th__fetch_cache *cache, const char *url, int code, const char *body)
{
    th__session none = {0};
    th__url_parts parts;
    th__buf site = {0};
    assert_true(th__url_split(url, &parts));
    th__url_add_site(&parts, &site);
    th__cached answer = {.url = th_str_from(url),
                         .variant = th__fetch_variant(&none, th__buf_str(&site), "test/1"),
                         .status = code,
                         .address = TH_STR(""),
                         .response = TH_STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"),
                         .body = th_str_from(body)};
    assert_int_equal(th__fetch_cache_store(cache, &answer, answer.response, NULL), TH_OK);
    th__buf_release(&site);
    th__url_parts_release(&parts);
}

/* A page of the cache that is redirected to another site. Nobody listens there: a cache that cannot
 * be read for want of memory is as good as none. */
static th_status follow_kept_redirect(void *context)
{
    const char *input = "http://127.0.0.1:9/from";
    th_feed_options options;
    th_feed *feed = NULL;
    th_input *page = NULL;
    th_error err;
    th_feed_options_init(&options);
    options.user_agent = "test/1";
    options.cache = context;
    options.cache_age_s = 3600;
    options.allow_private = options.ignore_robots = true;
    options.retries = 0;
    th_status status = th_feed_new(&input, 1, &options, &feed, &err);
    if (status == TH_OK)
        status = th_feed_next(feed, &page, &err);
    if (status == TH_OK && !th__str_eq(th_input_bytes(page), TH_STR("<p>there")))
        status = TH_ERR_FORMAT;
    th_input_free(page);
    th_feed_free(feed);
    return status == TH_ERR_NETWORK ? TH_ERR_MEMORY : status;
}

static void redirect_may_run_out_of_memory(void **state)
{
    folder *f = *state;
    th__fetch_cache cache;
    const char *path = at(f, "kept");
    assert_int_equal(th__fetch_cache_open(&cache, path, 0, NULL), TH_OK);
    keep(&cache, "http://127.0.0.1:9/from", 302, "http://127.0.0.2:9/to");
    keep(&cache, "http://127.0.0.2:9/to", 200, "<p>there");
    th_test_each_allocation_fails(follow_kept_redirect, (void *)path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secrets_go_to_their_own_site),
        cmocka_unit_test_setup_teardown(cookies_of_https_stay_there, folder_setup, folder_teardown),
        cmocka_unit_test(crawl_delay_is_read),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(redirect_may_run_out_of_memory, folder_setup,
                                        folder_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
