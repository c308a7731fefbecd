/*
 * fuzz_session.c: any bytes are read as a site file and as a cookie jar.
 *
 * What is accepted must be fit for libcurl: sites with scheme, host and port, headers on one line,
 * a form without gaps. The same bytes are the page with a login's form.
 */
#include "fuzz.h"

#include <string.h>
#include <thresh.h>

#include "feed/fetch_parts.h"

static void check_headers(const th__headers *headers)
{
    for (size_t i = 0; i < headers->len; i++) {
        const char *line = headers->data[i].line;
        CHECK(strlen(line) > headers->data[i].name_len && line[headers->data[i].name_len] == ':');
        CHECK(!strpbrk(line, "\r\n"));
    }
}

static void check_account(const th__session *session, const th__account *account, th_str bytes)
{
    CHECK(account->sites.len > 0);
    for (size_t i = 0; i < account->sites.len; i++) {
        th_str site = th_str_from(account->sites.data[i]);
        CHECK(th__str_starts(site, TH_STR("http")) &&
              th__str_find(site, TH_STR("://")) != SIZE_MAX);
        CHECK(th__session_look(session, site).account == account);
        CURL *easy = curl_easy_init();
        struct curl_slist *headers = NULL;
        bool proxied;
        th_error err;
        CHECK(easy && th__session_dress(session, site, (th_str){0}, easy, &headers, &proxied,
                                        &err) == TH_OK);
        CHECK(headers && proxied == (account->proxy.url != NULL));
        curl_easy_cleanup(easy);
        curl_slist_free_all(headers);
    }
    check_headers(&account->headers);
    if (account->login.url) {
        th__buf form = {0};
        th_error err;
        CHECK(account->login.form.len > 0);
        CHECK(th__login_add_form(&account->login, bytes, &form, &err) == TH_OK);
        CHECK(form.len > 1 && !form.data[form.len - 1] && !memchr(form.data, ' ', form.len));
        th__buf_release(&form);
    }
}

static void read_site_file(th_str bytes)
{
    th_feed_options options;
    th__session session;
    th_error err;
    th_feed_options_init(&options);
    CHECK(th__session_init(&session, &options, &err) == TH_OK);
    th_status status = th__session_read(&session, bytes, "fuzz", NULL, &err);
    if (status) {
        CHECK(status == TH_ERR_FORMAT || status == TH_ERR_ARGUMENT);
        CHECK(!strncmp(err.message, "fuzz: ", 6));
    } else {
        for (size_t i = 0; i < session.accounts.len; i++)
            check_account(&session, &session.accounts.data[i], bytes);
    }
    th__session_release(&session);
}

static void read_jar(th_str bytes)
{
    th__cookie_jar jar;
    th_error err;
    CHECK(th__cookie_jar_init(&jar, NULL, &err) == TH_OK);
    th_status status = th__cookie_jar_read(&jar, bytes, "fuzz", &err);
    CHECK(status == TH_OK || status == TH_ERR_FORMAT);
    th__cookie_jar_has(&jar, true, TH_STR("shop.example"), "sid");
    th__cookie_jar_release(&jar);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    th_str bytes = {(const char *)data, size};
    read_site_file(bytes);
    read_jar(bytes);
    return 0;
}
