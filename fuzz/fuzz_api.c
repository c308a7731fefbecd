/*
 * fuzz_api.c: requests to the workbench's server, without sockets.
 *
 * Input: requests with a line "---" between. The first line of each is METHOD PATH?NAME=VALUE&...,
 * the path below /api/v1/ (or from the root, when it begins with a slash); the rest is the body,
 * JSON when it begins with a brace. They go to one server on a project of one page, in turn; jobs
 * that they start are waited for. The functions of libmicrohttpd that the server calls are here.
 * A view of a page must be without what a browser would run or fetch.
 */
#include "scratch.h"
#include "serve.h"

#include <microhttpd.h>
#include <stdarg.h>
#include <strings.h>
#include <thresh.h>
#include <time.h>

#define TOKEN "fuzz"

/* ---- the library, as far as the server uses it ----------------------------------------------- */

struct MHD_Connection {
    const char *path; /* decoded, without the query */
    char *names[8], *values[8];
    size_t query_count;
    bool json;
    unsigned status;
    struct MHD_Response *response;
    void *socket_context;
};

struct MHD_Response {
    char *bytes;
    size_t size;
    bool owned, kept;
    void *context;
    MHD_ContentReaderFreeCallback leave;
};

static MHD_AccessHandlerCallback handler;
static void *handler_context;

struct MHD_Daemon *MHD_start_daemon(unsigned flags, uint16_t port, MHD_AcceptPolicyCallback accept,
                                    void *accept_context, MHD_AccessHandlerCallback handle,
                                    void *context, ...)
{
    static char daemon;
    handler = handle;
    handler_context = context;
    return (struct MHD_Daemon *)&daemon;
}

void MHD_stop_daemon(struct MHD_Daemon *daemon)
{
}

const union MHD_DaemonInfo *MHD_get_daemon_info(struct MHD_Daemon *daemon,
                                                enum MHD_DaemonInfoType kind, ...)
{
    static const union MHD_DaemonInfo info = {.port = 80};
    return &info;
}

const union MHD_ConnectionInfo *MHD_get_connection_info(struct MHD_Connection *connection,
                                                        enum MHD_ConnectionInfoType kind, ...)
{
    static const union MHD_ConnectionInfo none;
    return &none;
}

const char *MHD_lookup_connection_value(struct MHD_Connection *connection, enum MHD_ValueKind kind,
                                        const char *name)
{
    if (kind == MHD_HEADER_KIND)
        return !strcasecmp(name, "Host")            ? "127.0.0.1:80"
               : !strcasecmp(name, "Authorization") ? "Bearer " TOKEN
               : !strcasecmp(name, "Content-Type")
                   ? connection->json ? "application/json" : "text/html"
                   : NULL;
    for (size_t i = 0; i < connection->query_count; i++)
        if (!strcmp(connection->names[i], name))
            return connection->values[i];
    return NULL;
}

struct MHD_Response *MHD_create_response_from_buffer(size_t size, void *bytes,
                                                     enum MHD_ResponseMemoryMode mode)
{
    struct MHD_Response *response = calloc(1, sizeof *response);
    CHECK(response);
    *response =
        (struct MHD_Response){.bytes = bytes, .size = size, .owned = mode == MHD_RESPMEM_MUST_FREE};
    return response;
}

struct MHD_Response *MHD_create_response_from_callback(uint64_t size, size_t block,
                                                       MHD_ContentReaderCallback read,
                                                       void *context,
                                                       MHD_ContentReaderFreeCallback leave)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(0, "", MHD_RESPMEM_PERSISTENT);
    response->context = context;
    response->leave = leave;
    return response;
}

enum MHD_Result MHD_add_response_header(struct MHD_Response *response, const char *name,
                                        const char *value)
{
    return MHD_YES;
}

static void free_response(struct MHD_Response *response)
{
    if (response->leave)
        response->leave(response->context);
    if (response->owned)
        free(response->bytes);
    free(response);
}

enum MHD_Result MHD_queue_response(struct MHD_Connection *connection, unsigned status,
                                   struct MHD_Response *response)
{
    CHECK(!connection->response); /* one answer to one request */
    connection->status = status;
    connection->response = response;
    response->kept = true;
    return MHD_YES;
}

void MHD_destroy_response(struct MHD_Response *response)
{
    if (!response->kept)
        free_response(response);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Sends it as the library does: the head, the body in two pieces, the end. Gives the status. */
static unsigned ask(struct MHD_Connection *connection, const char *method, th_str body)
{
    void *state = NULL;
    size_t none = 0, half = body.len / 2, rest = body.len - half;
    connection->json = body.len && body.ptr[0] == '{';
    CHECK(handler(handler_context, connection, connection->path, method, "HTTP/1.1", NULL, &none,
                  &state) == MHD_YES);
    if (!connection->response) {
        if (half)
            CHECK(handler(handler_context, connection, connection->path, method, "HTTP/1.1",
                          body.ptr, &half, &state) == MHD_YES);
        if (rest)
            CHECK(handler(handler_context, connection, connection->path, method, "HTTP/1.1",
                          body.ptr + body.len / 2, &rest, &state) == MHD_YES);
        CHECK(handler(handler_context, connection, connection->path, method, "HTTP/1.1", NULL,
                      &none, &state) == MHD_YES);
    }
    CHECK(connection->response && connection->status >= 200 && connection->status < 600);
    /* what `completed` frees: a text that grows, at the beginning of its state */
    struct {
        char *ptr;
    } *kept = state;
    free(kept->ptr);
    free(kept);
    return connection->status;
}

static bool starts_with(th_str text, const char *word)
{
    return text.len >= strlen(word) && !strncasecmp(text.ptr, word, strlen(word));
}

/* Returns true if what an element names is in the page itself or of the server. */
static bool is_own(th_str name, th_str value)
{
    return starts_with(value, "data:image/") || starts_with(value, "/see/") ||
           (value.len && *value.ptr == '#' && !starts_with(name, "src"));
}

/* Nothing in a view runs, fetches or leads away; in a page as it looks, nothing but what is stored
 * with it is fetched. */
static void check_view(th_str html, bool look)
{
    static const char *const never[] = {"script", "iframe", "object", "embed", "base", "frame",
                                        "applet", "portal", "form",   "svg",   "link"};
    static const char *const never_said[] = {"on",   "action", "formaction", "http-equiv",
                                             "name", "poster", "srcset",     "xlink",
                                             "ping", "target"};
    size_t kept = look ? 2 : 0;
    th_parser *parser;
    th_page *page;
    th_attr attr;
    CHECK(th_parser_new(NULL, &parser, NULL) == TH_OK);
    CHECK(th_parser_parse(parser, html, NULL, &page, NULL) == TH_OK);
    for (uint32_t t = 0; t < th_page_token_count(page); t++) {
        const th_token *token = &th_page_tokens(page)[t];
        if (token->kind != TH_TOKEN_START)
            continue;
        th_str name = th_token_name(page, t);
        for (size_t i = 0; i < sizeof never / sizeof *never - kept; i++)
            CHECK(name.len != strlen(never[i]) || strncasecmp(name.ptr, never[i], name.len));
        for (th_attr_iter it = th_attrs(page, t); th_attr_next(&it, &attr);) {
            for (size_t i = 0; i < sizeof never_said / sizeof *never_said; i++)
                CHECK(!starts_with(attr.name, never_said[i]));
            CHECK((attr.name.len != 3 || !starts_with(attr.name, "src")) ||
                  is_own(attr.name, attr.value));
            CHECK(!starts_with(attr.name, "href") || (look && is_own(attr.name, attr.value)));
            CHECK((attr.name.len != 10 || !starts_with(attr.name, "background")) ||
                  is_own(attr.name, attr.value));
        }
    }
    th_page_free(page);
    th_parser_free(parser);
}

static void end_request(struct MHD_Connection *connection)
{
    free_response(connection->response);
    connection->response = NULL;
}

/* Until no job waits or runs. */
static void wait_for_jobs(void)
{
    const struct timespec moment = {.tv_nsec = 200000};
    for (int busy = 1, turns = 0; busy && turns < 20000; turns++) {
        struct MHD_Connection connection = {.path = "/api/v1/jobs"};
        ask(&connection, "GET", (th_str){0});
        const struct MHD_Response *said = connection.response;
        busy = memmem(said->bytes, said->size, "\"waiting\"", 9) ||
               memmem(said->bytes, said->size, "\"running\"", 9);
        end_request(&connection);
        if (busy)
            nanosleep(&moment, NULL);
    }
}

/* NAME=VALUE&... in place. */
static void read_query(struct MHD_Connection *connection, char *query)
{
    for (char *save, *pair = strtok_r(query, "&", &save);
         pair && connection->query_count < sizeof connection->names / sizeof *connection->names;
         pair = strtok_r(NULL, "&", &save)) {
        char *equals = strchr(pair, '=');
        if (!equals)
            continue;
        *equals = '\0';
        connection->names[connection->query_count] = pair;
        connection->values[connection->query_count++] = equals + 1;
    }
}

static void send_request(char *text, size_t len)
{
    struct MHD_Connection connection = {0};
    char path[300];
    char *end = memchr(text, '\n', len), *body = end ? end + 1 : text + len;
    if (end)
        *end = '\0';
    char *space = strchr(text, ' '), *query = strchr(text, '?');
    if (!space || strlen(text) > 250 || strstr(text, "/inputs"))
        return; /* inputs are files of this machine, and addresses of others */
    *space = '\0';
    if (query > space)
        *query = '\0';
    snprintf(path, sizeof path, "%s%s", space[1] == '/' ? "" : "/api/v1/", space + 1);
    if (query > space)
        read_query(&connection, query + 1);
    connection.path = path;
    ask(&connection, text, (th_str){body, len - (size_t)(body - text)});
    if (connection.status == 200 && !strncmp(path, "/api/v1/pages/", 14) && strstr(path, "/view"))
        check_view((th_str){connection.response->bytes, connection.response->size}, false);
    end_request(&connection);
    wait_for_jobs();
}

/* The first pages as they look. */
static void look_at_pages(void)
{
    struct MHD_Connection status = {.path = "/api/v1/status"};
    char see[80] = "", path[100];
    ask(&status, "GET", (th_str){0});
    const char *at = memmem(status.response->bytes, status.response->size, "/see/", 5);
    CHECK(at && sscanf(at, "%79[^\"]", see) == 1);
    end_request(&status);
    for (int page = 1; page <= 3; page++) {
        struct MHD_Connection connection = {.path = path};
        snprintf(path, sizeof path, "%s/%d", see, page);
        if (ask(&connection, "GET", (th_str){0}) == 200)
            check_view((th_str){connection.response->bytes, connection.response->size}, true);
        end_request(&connection);
    }
}

/* A project of one page, as bytes that are made once. */
static void make_project(const char *path)
{
    static uint8_t *bytes;
    static size_t size;
    if (bytes) {
        scratch_write(path, bytes, size);
        return;
    }
    th_project *project;
    CHECK(th_project_open(path, TH_PROJECT_NEW, &project, NULL) == TH_OK);
    CHECK(th_project_add_page(
              project, th_str_from("shop"), th_str_from("a.html"), &(th_page_source){0},
              th_str_from("<title>Shop</title><ul><li><b>One</b> <i>1.50</i><li><b>Two</b> "
                          "<i>2.50</i><li><b>Three</b> <i>3.50</i></ul>"),
              NULL, NULL, NULL) == TH_OK);
    th_project_free(project);
    bytes = scratch_read(path, &size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 8 };
    char folder[64], path[128];
    serve_server *server;
    th_error err;
    scratch_make(folder);
    snprintf(path, sizeof path, "%s/p.thresh", folder);
    make_project(path);
    serve_options options = {.project = path, .token = TOKEN, .max_upload = 1 << 16};
    CHECK_OK(serve_start(&options, &server, &err), err);
    char *text = malloc(size + 1), *at = text, *end = text + size;
    CHECK(text);
    memcpy(text, data, size);
    *end = '\0';
    for (int i = 0; at < end && i < MOST; i++) {
        char *next = memmem(at, (size_t)(end - at), "\n---\n", 5);
        char *stop = next ? next : end;
        *stop = '\0';
        send_request(at, (size_t)(stop - at));
        at = next ? next + 5 : end;
    }
    look_at_pages();
    free(text);
    serve_stop(server);
    scratch_remove(folder);
    return 0;
}
