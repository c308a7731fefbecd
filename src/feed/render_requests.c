/*
 * render_requests.c: the requests of pages in the browser, sent by libcurl. A redirect is an answer
 * like any other: the browser follows it, and asks again.
 */
#include "base/mem.h"
#include "feed/fetch_transfer.h"
#include "feed/fetch_url.h"
#include "feed/render.h"

typedef struct page_request page_request;
struct page_request {
    page_request *next;
    th__requests *all;
    uint32_t owner;
    char *id, *url;
    th__transfer transfer;
    th__buf upload, body;
    uint64_t max_bytes;
};

struct th__requests {
    const th_feed_options *options;
    const th__session *session;
    CURLM *multi;
    th__request_done *done;
    void *context;
    page_request *first;
};

th__requests *th__requests_new(const th_feed_options *options, const th__session *session,
                               CURLM *multi, th__request_done *done, void *context)
{
    th__requests *requests = TH__NEW(th__requests);
    if (requests)
        *requests = (th__requests){options, session, multi, done, context, NULL};
    return requests;
}

static void free_request(page_request *request)
{
    if (request->transfer.easy)
        curl_multi_remove_handle(request->all->multi, request->transfer.easy);
    th__transfer_release(&request->transfer);
    th__buf_release(&request->upload);
    th__buf_release(&request->body);
    th__mem_free(request->id);
    th__mem_free(request->url);
    th__mem_free(request);
}

void th__requests_free(th__requests *requests)
{
    if (!requests)
        return;
    for (page_request *request; (request = requests->first);) {
        requests->first = request->next;
        free_request(request);
    }
    th__mem_free(requests);
}

void th__requests_drop(th__requests *requests, uint32_t owner)
{
    for (page_request **link = &requests->first, *request; (request = *link);) {
        if (request->owner != owner) {
            link = &request->next;
            continue;
        }
        *link = request->next;
        free_request(request);
    }
}

/* ---- sending --------------------------------------------------------------------------------- */

/* Takes a body of any type and status, unlike that of a page. */
static size_t on_request_body(char *bytes, size_t size, size_t count, void *context)
{
    page_request *request = context;
    size_t len = size * count;
    bool fits = len <= request->max_bytes - request->body.len;
    return fits && th__buf_add(&request->body, bytes, len) ? len : 0;
}

/* Headers that libcurl writes itself, or that say who the browser is, which servers are told by
 * --user-agent. */
static bool is_own_header(const char *name)
{
    static const char *const own[] = {"Host",       "User-Agent",      "Accept-Encoding",
                                      "Connection", "Content-Length",  "Transfer-Encoding",
                                      "Expect",     "Proxy-Connection"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (th__str_eq_nocase(th_str_from(name), th_str_from(own[i])))
            return true;
    return th__str_starts_nocase(th_str_from(name), TH_STR("sec-ch-"));
}

static bool append_header(struct curl_slist **list, const char *line)
{
    struct curl_slist *longer = curl_slist_append(*list, line);
    *list = longer ? longer : *list;
    return longer != NULL;
}

static bool lists_header(const struct curl_slist *list, const char *name)
{
    size_t len = strlen(name);
    for (; list; list = list->next)
        if (th__str_starts_nocase(th_str_from(list->data), (th_str){name, len}) &&
            (list->data[len] == ':' || list->data[len] == ';'))
            return true;
    return false;
}

/* Sends the headers of the session for this site, and those of the browser that it does not have.
 * Of what is accepted the browser knows more. */
static bool add_headers(th__transfer *transfer, const json_t *headers)
{
    struct curl_slist *session = transfer->headers, *list = NULL;
    const char *name;
    json_t *value;
    bool ok = true;
    for (const struct curl_slist *line = session; ok && line; line = line->next)
        if (!th__str_starts_nocase(th_str_from(line->data), TH_STR("Accept:")))
            ok = append_header(&list, line->data);
    json_object_foreach((json_t *)headers, name, value)
    {
        th__buf line = {0};
        const char *text = json_string_value(value);
        if (!ok || !text || is_own_header(name) || lists_header(list, name))
            continue;
        /* A header without a value is written with a semicolon, says libcurl. */
        th__buf_printf(&line, *text ? "%s: %s" : "%s;%s", name, text);
        ok = !line.failed && append_header(&list, line.data);
        th__buf_release(&line);
    }
    ok = ok && append_header(&list, "Expect:");
    curl_slist_free_all(session);
    transfer->headers = list;
    return ok && !curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, list);
}

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static bool decode_base64(const char *text, th__buf *out)
{
    uint32_t bits = 0;
    unsigned have = 0;
    for (; *text && *text != '='; text++) {
        int digit = base64_digit(*text);
        if (digit < 0)
            return false;
        bits = bits << 6 | (uint32_t)digit;
        if ((have += 6) >= 8)
            th__buf_add_byte(out, (char)(bits >> (have -= 8)));
    }
    return !out->failed;
}

/* What the request sends along. The browser leaves out what is very long or a file. */
static bool read_upload(page_request *request, const json_t *described)
{
    json_t *entries = json_object_get(described, "postDataEntries"), *entry;
    size_t i;
    if (!json_is_true(json_object_get(described, "hasPostData")))
        return true;
    json_array_foreach(entries, i, entry)
    {
        const char *bytes = json_string_value(json_object_get(entry, "bytes"));
        if (!bytes || !decode_base64(bytes, &request->upload))
            return false;
    }
    return json_array_size(entries) > 0;
}

static bool set_method(page_request *request, const char *method)
{
    CURL *easy = request->transfer.easy;
    bool ok = true, post = request->upload.len > 0;
    if (!strcmp(method, "HEAD"))
        return !curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    if (post || !strcmp(method, "POST"))
        ok =
            !curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->upload.len) &&
            !curl_easy_setopt(easy, CURLOPT_POSTFIELDS, post ? request->upload.data : "");
    return ok && !curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
}

/* Sends it as a page is sent: with what the session has for its site, and the same check of
 * addresses. */
static bool send_request(page_request *request, const json_t *described, uint64_t timeout_ms)
{
    const char *method = json_string_value(json_object_get(described, "method"));
    th__transfer *transfer = &request->transfer;
    th__url_parts parts;
    th__buf site = {0};
    th_error ignored;
    bool ok = th__url_split(request->url, &parts);
    if (ok)
        th__url_add_site(&parts, &site);
    ok = ok && !site.failed && method &&
         !th__transfer_start(transfer,
                             &(th__request){.url = request->url,
                                            .site = th__buf_str(&site),
                                            .timeout_ms = (uint32_t)timeout_ms},
                             &ignored) &&
         add_headers(transfer, json_object_get(described, "headers")) &&
         set_method(request, method);
    if (ok) {
        curl_easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, on_request_body);
        curl_easy_setopt(transfer->easy, CURLOPT_WRITEDATA, request);
        ok = curl_multi_add_handle(request->all->multi, transfer->easy) == CURLM_OK;
    }
    th__buf_release(&site);
    th__url_parts_release(&parts);
    return ok;
}

bool th__requests_send(th__requests *requests, uint32_t owner, const char *id,
                       const json_t *described, uint64_t max_bytes, uint64_t timeout_ms)
{
    const char *url = json_string_value(json_object_get(described, "url"));
    page_request *request = url ? TH__NEW(page_request) : NULL;
    if (!request)
        return false;
    request->all = requests;
    request->owner = owner;
    request->max_bytes = max_bytes;
    request->transfer = (th__transfer){.options = requests->options, .session = requests->session};
    request->id = th__mem_copy(id, strlen(id));
    request->url = th__mem_copy(url, strcspn(url, "#"));
    if (!request->id || !request->url || !read_upload(request, described) ||
        !send_request(request, described, timeout_ms)) {
        free_request(request);
        return false;
    }
    request->next = requests->first;
    requests->first = request;
    return true;
}

/* ---- the answer ------------------------------------------------------------------------------ */

void th__headers_copy(CURL *easy, th__buf *out)
{
    /* The body comes decoded, in one piece, and over no connection of the browser's. */
    static const char *const left[] = {"Content-Encoding", "Content-Length", "Transfer-Encoding",
                                       "Connection",       "Keep-Alive",     "Alt-Svc"};
    for (struct curl_header *header = NULL;
         (header = curl_easy_nextheader(easy, CURLH_HEADER, -1, header));) {
        bool leave = false;
        for (size_t i = 0; !leave && i < sizeof left / sizeof *left; i++)
            leave = th__str_eq_nocase(th_str_from(header->name), th_str_from(left[i]));
        if (!leave) {
            th__buf_printf(out, "%s: %s", header->name, header->value);
            th__buf_add_byte(out, '\0');
        }
    }
}

bool th__requests_finish(th__requests *requests, CURL *easy, CURLcode code)
{
    page_request **link = &requests->first; /* some dozens at most: each tab has few at once */
    while (*link && (*link)->transfer.easy != easy)
        link = &(*link)->next;
    page_request *request = *link;
    if (!request)
        return false;
    *link = request->next;
    th__buf headers = {0};
    th__request_answer answer = {.owner = request->owner,
                                 .id = request->id,
                                 .url = request->url,
                                 .refused = request->transfer.refused_kind,
                                 .body = th__buf_str(&request->body)};
    if (code == CURLE_OK) {
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer.code);
        th__headers_copy(easy, &headers);
        answer.headers = th__buf_str(&headers);
        if (headers.failed)
            answer.code = 0;
    }
    requests->done(requests->context, &answer);
    th__buf_release(&headers);
    free_request(request);
    return true;
}
