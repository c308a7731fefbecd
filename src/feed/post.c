/*
 * post.c: posts JSON to a URL: a webhook.
 *
 * The address is checked when the connection is opened, as for pages. No data of a session is sent,
 * and messages name the host only: the rest of such a URL is often a secret.
 */
#include <curl/curl.h>
#include <stdio.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/str.h"
#include "feed/feed.h"
#include "feed/fetch_address.h"
#include "feed/fetch_transfer.h"

typedef struct post {
    const th_feed_options *options;
    const char *refused; /* the kind of an address that is not public, or NULL */
    size_t answered;     /* bytes */
} post;

static curl_socket_t on_open(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    post *p = context;
    p->refused = p->options->allow_private ? NULL : th__address_kind(&address->addr);
    return p->refused
               ? CURL_SOCKET_BAD
               : socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* What is answered does not matter; an endless answer is cut. */
static size_t on_answer(char *bytes, size_t size, size_t count, void *context)
{
    enum { MOST = 1 << 16 };
    post *p = context;
    p->answered += size * count;
    return p->answered > MOST ? 0 : size * count;
}

static int on_progress(void *context, curl_off_t all, curl_off_t got, curl_off_t to_send,
                       curl_off_t sent)
{
    const post *p = context;
    const th_cancel *cancel = &p->options->cancel;
    return cancel->asked && cancel->asked(cancel->context);
}

static bool set_up(CURL *easy, post *p, const char *url, th_str json, struct curl_slist *headers)
{
    const th_feed_options *options = p->options;
    const char *agent = options->user_agent ? options->user_agent : "thresh";
    bool ok = th__transfer_set_limits(easy, url, options, options->timeout_ms) &&
              !curl_easy_setopt(easy, CURLOPT_USERAGENT, agent) &&
              !curl_easy_setopt(easy, CURLOPT_PROXY, "") &&
              !curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers) &&
              !curl_easy_setopt(easy, CURLOPT_POSTFIELDS, json.ptr);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)json.len);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_answer);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, p);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, p);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, p);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    return ok;
}

/* The host of a URL, for messages; false if the URL is not one to post to. */
static bool host_of(const char *url, char *host, size_t size)
{
    CURLU *parts = curl_url();
    char *scheme = NULL, *name = NULL, *user = NULL;
    bool good = parts && !curl_url_set(parts, CURLUPART_URL, url, 0) &&
                !curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) &&
                !curl_url_get(parts, CURLUPART_HOST, &name, 0) &&
                (!strcmp(scheme, "http") || !strcmp(scheme, "https"));
    good = good && curl_url_get(parts, CURLUPART_USER, &user, 0) == CURLUE_NO_USER;
    if (good)
        snprintf(host, size, "%s", name);
    curl_free(scheme);
    curl_free(name);
    curl_free(user);
    curl_url_cleanup(parts);
    return good;
}

th_status th_post_json(const char *url, th_str json, const th_feed_options *given, th_error *err)
{
    th_feed_options options;
    th_feed_options_init(&options);
    if (given)
        th__options_take(&options, sizeof options, given);
    post p = {.options = &options};
    char host[256] = "";
    long code = 0;
    if (!host_of(url, host, sizeof host))
        return th__fail(err, TH_ERR_ARGUMENT,
                        "not a URL to post to: it must begin with http:// or https:// and have no "
                        "name and password in it");
    if (curl_global_init(CURL_GLOBAL_DEFAULT))
        return th__fail_memory(err);
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    CURL *easy = curl_easy_init();
    th_status status = TH_OK;
    CURLcode result = CURLE_OUT_OF_MEMORY;
    if (headers && easy && set_up(easy, &p, url, json, headers))
        result = curl_easy_perform(easy);
    if (easy)
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &code);
    if (p.refused)
        status = th__fail(err, TH_ERR_NETWORK,
                          "%s: not called, since its address is %s; --allow-private allows it",
                          host, p.refused);
    else if (result == CURLE_ABORTED_BY_CALLBACK)
        status = th__fail(err, TH_ERR_CANCELLED, "cancelled");
    else if (result == CURLE_OUT_OF_MEMORY)
        status = th__fail_memory(err);
    else if (result == CURLE_OPERATION_TIMEDOUT)
        status = th__fail(err, TH_ERR_NETWORK, "%s: took too long", host);
    else if (result && !code)
        status = th__fail(err, TH_ERR_NETWORK, "%s: cannot be reached: %s", host,
                          curl_easy_strerror(result));
    else if (code < 200 || code > 299)
        status = th__fail(err, TH_ERR_NETWORK, "%s: answered with status %ld", host, code);
    curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
    curl_global_cleanup();
    return status;
}
