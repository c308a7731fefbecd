/* fetch_transfer.c: one HTTP request: what libcurl is told, and what its end means. */
#include "feed/fetch_transfer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/error.h"
#include "feed/fetch_address.h"
#include "feed/http_message.h"
#include "feed/robots.h"

enum { MAX_DROPPED = 64 << 10 /* of a body that nobody wants, to keep the connection */ };

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
    transfer->wanted = status >= 200 && status < 300;
    if (transfer->wanted && !transfer->robots && type.len && !th__type_is_html(type))
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
    uint64_t limit = transfer->robots ? TH__ROBOTS_MAX_BYTES : transfer->options->max_bytes;
    if (len > limit - transfer->body.len) {
        transfer->stop = transfer->robots ? TH__STOP_ENOUGH : TH__STOP_LARGE;
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

/* Returns true if a header carries what lets others in. */
static bool is_secret_line(th_str line)
{
    static const char *const names[] = {
        "authorization:", "proxy-authorization:", "cookie:", "set-cookie:"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (th__str_starts_nocase(line, th_str_from(names[i])))
            return true;
    return false;
}

/* Called with one line of the answer's header after the other. An answer before the last one (100,
 * or of a proxy) is forgotten. */
static size_t on_header(char *bytes, size_t size, size_t count, void *context)
{
    th__transfer *transfer = context;
    th_str line = {bytes, size * count};
    if (th__str_starts(line, TH_STR("HTTP/")))
        th__buf_clear(&transfer->response);
    if (!is_secret_line(line))
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
        if (!is_secret_line(line)) {
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
    const char *kind = transfer->options->allow_private ? NULL : th__address_kind(&address->addr);
    if (kind) {
        transfer->refused_kind = kind;
        note_refused(transfer, address);
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

th_status th__transfer_start(th__transfer *transfer, const char *url, uint32_t timeout_ms,
                             struct curl_slist *headers, void *owner, th_error *err)
{
    const th_feed_options *options = transfer->options;
    CURL *easy = curl_easy_init();
    if (!easy)
        return th__fail_memory(err);
    transfer->easy = easy;
    bool ok = !curl_easy_setopt(easy, CURLOPT_URL, url) &&
              !curl_easy_setopt(easy, CURLOPT_USERAGENT, options->user_agent) &&
              !curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") &&
              !curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https") &&
              !curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
    /* A proxy would resolve names behind our back, so that addresses could not be checked. */
    if (!options->allow_private)
        ok = ok && !curl_easy_setopt(easy, CURLOPT_PROXY, "");
    if (!ok)
        return th__fail_memory(err);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* a cancelled fetch waits for no name server */
#endif
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)options->connect_timeout_ms);
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
    curl_easy_setopt(easy, CURLOPT_PRIVATE, owner);
    return TH_OK;
}

void th__transfer_release(th__transfer *transfer)
{
    if (transfer->easy)
        curl_easy_cleanup(transfer->easy);
    th__buf_release(&transfer->body);
    th__buf_release(&transfer->request);
    th__buf_release(&transfer->response);
    *transfer = (th__transfer){.options = transfer->options, .robots = transfer->robots};
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
