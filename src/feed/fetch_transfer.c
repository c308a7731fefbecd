/* fetch_transfer.c: one HTTP request: what libcurl is told, and what its end means. */
#include "feed/fetch_transfer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/error.h"
#include "feed/fetch_address.h"
#include "feed/fetch_url.h"
#include "feed/http_message.h"
#include "feed/robots.h"

enum {
    MAX_DROPPED = 64 << 10, /* of a body that nobody wants, to keep the connection */
    MAX_LOGIN_BYTES = 4 << 20,
};

long th__transfer_status(const th__transfer *transfer)
{
    long status = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

th_str th__transfer_type(const th__transfer *transfer)
{
    char *type = NULL;
    curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_TYPE, &type);
    return th_str_from(type);
}

/* The first bytes of a body have come: is it one that we want? */
static void begin_body(th__transfer *transfer)
{
    long status = th__transfer_status(transfer);
    th_str type = th__transfer_type(transfer);
    transfer->begun = true;
    transfer->wanted = (status >= 200 && status < 300) || transfer->kind == TH__LOG_IN;
    if (transfer->wanted && transfer->kind == TH__GET_PAGE && type.len &&
        !transfer->options->any_type && !th__type_is_html(type))
        transfer->stop = TH__STOP_TYPE;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    th__transfer *transfer = context;
    size_t len = size * count, keep = len;
    if (!transfer->begun)
        begin_body(transfer);
    if (!transfer->wanted) {
        transfer->dropped += len;
        if (transfer->dropped > MAX_DROPPED)
            transfer->stop = TH__STOP_ENOUGH;
        return transfer->stop ? 0 : len;
    }
    const uint64_t limits[] = {transfer->options->max_bytes, TH__ROBOTS_MAX_BYTES, MAX_LOGIN_BYTES};
    uint64_t limit = limits[transfer->kind];
    if (len > limit - transfer->body.len) {
        transfer->stop = transfer->kind == TH__GET_PAGE ? TH__STOP_LARGE : TH__STOP_ENOUGH;
        keep = (size_t)(limit - transfer->body.len);
    }
    if (transfer->stop != TH__STOP_LARGE && transfer->stop != TH__STOP_TYPE &&
        !th__buf_add(&transfer->body, bytes, keep))
        transfer->stop = TH__STOP_MEMORY;
    return transfer->stop ? 0 : len;
}

static void note_refused(th__transfer *transfer, const struct curl_sockaddr *address)
{
    const void *bytes = address->family == AF_INET6
                            ? (const void *)&((struct sockaddr_in6 *)&address->addr)->sin6_addr
                            : (const void *)&((struct sockaddr_in *)&address->addr)->sin_addr;
    if (!inet_ntop(address->family, bytes, transfer->refused, sizeof transfer->refused))
        snprintf(transfer->refused, sizeof transfer->refused, "of an unknown kind");
}

/* Called with one line of the answer's header after the other. An answer before the last one (100,
 * or of a proxy) is forgotten. */
static size_t on_header(char *bytes, size_t size, size_t count, void *context)
{
    th__transfer *transfer = context;
    th_str line = {bytes, size * count};
    if (th__str_starts(line, TH_STR("HTTP/")))
        th__buf_clear(&transfer->response);
    if (th__str_starts_nocase(line, TH_STR("Set-Cookie:")))
        transfer->got_cookie = true;
    if (!th__session_hides(transfer->session, line))
        th__buf_add_str(&transfer->response, line);
    return line.len;
}

/* Called, among other things, with the whole header of the request that is sent. */
static int on_debug(CURL *easy, curl_infotype kind, char *bytes, size_t len, void *context)
{
    th__transfer *transfer = context;
    if (kind != CURLINFO_HEADER_OUT)
        return 0;
    th_str text = {bytes, len}, line;
    th__buf_clear(&transfer->request);
    while (th__http_line(&text, &line))
        if (!th__session_hides(transfer->session, line)) {
            th__buf_add_str(&transfer->request, line);
            th__buf_add(&transfer->request, "\r\n", 2);
        }
    return 0;
}

/* Every connection is opened here, with the address that the name has just resolved to: neither a
 * redirect nor a name that changes its address gets past. */
static curl_socket_t on_open(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    th__transfer *transfer = context;
    bool any = transfer->options->allow_private || transfer->proxied;
    const char *kind = any ? NULL : th__address_kind(&address->addr);
    if (kind) {
        transfer->refused_kind = kind;
        note_refused(transfer, address);
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* What is wrong with a host that a proxy is asked for, or NULL. Names are the proxy's to resolve,
 * so that only addresses in numbers can be checked. */
static const char *host_kind(const char *url)
{
    th__url_parts parts;
    const char *kind = "unknown";
    if (th__url_split(url, &parts)) {
        struct sockaddr_in in = {.sin_family = AF_INET};
        struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
        char inner[64];
        snprintf(inner, sizeof inner, "%.*s", (int)strcspn(parts.host + 1, "]%"), parts.host + 1);
        th_str host = th_str_from(parts.host);
        if (parts.host[0] == '[' && inet_pton(AF_INET6, inner, &in6.sin6_addr) == 1)
            kind = th__address_kind((struct sockaddr *)&in6);
        else if (inet_pton(AF_INET, parts.host, &in.sin_addr) == 1)
            kind = th__address_kind((struct sockaddr *)&in);
        else
            kind = th__str_eq_nocase(host, TH_STR("localhost")) ||
                           th__str_ends_nocase(host, TH_STR(".localhost"))
                       ? "loopback"
                       : NULL;
    }
    th__url_parts_release(&parts);
    return kind;
}

static th_status add_conditions(th__transfer *transfer, const char *lines, th_error *err)
{
    th_str text = th_str_from(lines), line;
    while (th__http_line(&text, &line)) {
        char *own = th__mem_copy(line.ptr, line.len);
        struct curl_slist *more = own ? curl_slist_append(transfer->headers, own) : NULL;
        th__mem_free(own);
        if (!more)
            return th__fail_memory(err);
        transfer->headers = more;
    }
    return TH_OK;
}

/* What the user wants to be sent. */
static th_status dress(th__transfer *transfer, const th__request *request, th_error *err)
{
    CURL *easy = transfer->easy;
    th_status status = TH_OK;
    if (request->conditions)
        status = add_conditions(transfer, request->conditions, err);
    if (status == TH_OK)
        status = th__session_dress(transfer->session, request->site, easy, &transfer->headers,
                                   &transfer->proxied, err);
    bool checks = transfer->proxied && !transfer->options->allow_private;
    const char *kind = status == TH_OK && checks ? host_kind(request->url) : NULL;
    if (kind)
        return th__fail(
            err, TH_ERR_NETWORK,
            "%s: not fetched, since its address is %s; --allow-private fetches it anyway",
            request->url, kind);
    bool ok = true;
    if (request->form)
        ok = !curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, request->form);
    if (request->cookies)
        ok = ok && !curl_easy_setopt(easy, CURLOPT_SHARE, request->cookies) &&
             !curl_easy_setopt(easy, CURLOPT_COOKIEFILE, "");
    return status || ok ? status : th__fail_memory(err);
}

bool th__transfer_set_limits(CURL *easy, const char *url, const th_feed_options *options,
                             uint32_t timeout_ms)
{
    bool ok = !curl_easy_setopt(easy, CURLOPT_URL, url) &&
              !curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") &&
              !curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* a cancelled fetch waits for no name server */
#endif
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)options->connect_timeout_ms);
    return ok;
}

th_status th__transfer_start(th__transfer *transfer, const th__request *request, th_error *err)
{
    const th_feed_options *options = transfer->options;
    CURL *easy = curl_easy_init();
    if (!easy)
        return th__fail_memory(err);
    transfer->easy = easy;
    bool ok = th__transfer_set_limits(easy, request->url, options, request->timeout_ms) &&
              !curl_easy_setopt(easy, CURLOPT_USERAGENT, options->user_agent) &&
              !curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
    /* A proxy would resolve names behind our back, so that addresses could not be checked. One that
     * the user names is used all the same. */
    if (!options->allow_private)
        ok = ok && !curl_easy_setopt(easy, CURLOPT_PROXY, "");
    if (!ok)
        return th__fail_memory(err);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L); /* or the next is not called; nothing is printed */
    curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, on_debug);
    curl_easy_setopt(easy, CURLOPT_DEBUGDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->message);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, request->owner);
    return dress(transfer, request, err);
}

void th__transfer_release(th__transfer *transfer)
{
    if (transfer->easy)
        curl_easy_cleanup(transfer->easy);
    curl_slist_free_all(transfer->headers);
    th__buf_release(&transfer->body);
    th__buf_release(&transfer->request);
    th__buf_release(&transfer->response);
    *transfer = (th__transfer){
        .options = transfer->options, .session = transfer->session, .kind = transfer->kind};
}

const char *th__transfer_reason(const th__transfer *transfer, CURLcode code)
{
    return transfer->message[0] ? transfer->message : curl_easy_strerror(code);
}

th_status th__transfer_result(const th__transfer *transfer, CURLcode code, const char *url,
                              th_error *err)
{
    const th_feed_options *options = transfer->options;
    th_str type = th__transfer_type(transfer);
    if (transfer->stop == TH__STOP_MEMORY)
        return th__fail_memory(err);
    if (transfer->stop == TH__STOP_LARGE)
        return th__fail(err, TH_ERR_LIMIT,
                        "%s: the page is larger than max_bytes allows (%llu); raise it with "
                        "--max-bytes",
                        url, (unsigned long long)options->max_bytes);
    if (transfer->stop == TH__STOP_TYPE)
        return th__fail(err, TH_ERR_FORMAT, "%s: has type \"%.*s\", not a web page", url,
                        TH_STR_ARG(type));
    if (code == CURLE_OK || transfer->stop == TH__STOP_ENOUGH)
        return TH_OK;
    if (transfer->refused[0])
        return th__fail(
            err, TH_ERR_NETWORK,
            "%s: not fetched, since its address %s is %s; --allow-private fetches it anyway", url,
            transfer->refused, transfer->refused_kind);
    if (code == CURLE_OPERATION_TIMEDOUT)
        return th__fail(err, TH_ERR_NETWORK,
                        "%s: took too long (limits: %u ms in all, --timeout; %u ms to connect)",
                        url, options->timeout_ms, options->connect_timeout_ms);
    if (code == CURLE_OUT_OF_MEMORY)
        return th__fail_memory(err);
    return th__fail(err, TH_ERR_NETWORK, "%s: cannot be fetched: %s", url,
                    th__transfer_reason(transfer, code));
}
