/*
 * http.c: the server itself: who may ask, bodies, answers.
 *
 * The server listens on loopback alone, but a browser is on loopback too, and any web site may have
 * it send requests here. So a request of the API must
 *   - carry the token, which only the one who started the server has seen, in a header: a foreign
 *     page cannot set it without a preflight, which is refused;
 *   - name this host in Host: a name that was rebound to 127.0.0.1 does not;
 *   - come from this origin, when it has one.
 * Host is checked for the files of the front end too.
 *
 * A frame that shows a page as it looks cannot send a header: it has a key of its own in its
 * address, which reads such pages and their images and nothing else (see.c).
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <nettle/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "assets.h"
#include "see.h"
#include "server.h"

enum {
    MAX_UPLOAD = 64 << 20,
    MAX_CONNECTIONS = 512,
    MAX_STRANGERS = 64, /* connections that have not shown the token */
    STRANGER_S = 10,    /* one may stay so long when others come */
    TIMEOUT_S = 30,     /* of a connection that says nothing */
    MAX_PATH = 4096,
    MAX_LINE = 256, /* of a kept address */
    TOKEN_LEN = 64,
    PROOF_LEN = 64
};

#define API "/api/v1/"
#define SEE "/see/"

/* One request on its way. */
typedef struct exchange {
    serve_text body;
    bool refused; /* answered before its body came */
    bool too_large;
} exchange;

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* ---- who is there ---------------------------------------------------------------------------- */

struct serve_visitor {
    int fd;
    int64_t since; /* in ms */
    bool stranger;
    serve_visitor *previous, *next;
};

/* The lock is held. */
static void accept_visitor(serve_server *server, serve_visitor *visitor)
{
    server->strangers -= visitor->stranger;
    visitor->stranger = false;
}

/* Whoever can open connections could keep all of them and say nothing, or say it byte by byte. So
 * strangers make room for those who come later, the oldest first: a request with a
 * token sends it at once, and does not count as a stranger from then on. The lock is held. */
static void make_room(serve_server *server)
{
    int64_t oldest = serve_now_ms() - 1000 * STRANGER_S;
    for (serve_visitor *v = server->first; v; v = v->next) {
        if (server->strangers <= MAX_STRANGERS && v->since > oldest)
            return;
        if (!v->stranger)
            continue;
        accept_visitor(server, v);  /* it is counted no more */
        shutdown(v->fd, SHUT_RDWR); /* its own thread closes it */
    }
}

static void visit(void *context, struct MHD_Connection *connection, void **state,
                  enum MHD_ConnectionNotificationCode code)
{
    serve_server *server = context;
    serve_visitor *visitor = *state;
    pthread_mutex_lock(&server->lock);
    if (code == MHD_CONNECTION_NOTIFY_STARTED && (visitor = calloc(1, sizeof *visitor))) {
        *visitor = (serve_visitor){
            .fd =
                MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
            .since = serve_now_ms(),
            .stranger = true,
            .previous = server->last};
        *(server->last ? &server->last->next : &server->first) = visitor;
        server->last = visitor;
        server->strangers++;
        make_room(server);
        *state = visitor;
    } else if (code == MHD_CONNECTION_NOTIFY_CLOSED && visitor) {
        accept_visitor(server, visitor);
        *(visitor->previous ? &visitor->previous->next : &server->first) = visitor->next;
        *(visitor->next ? &visitor->next->previous : &server->last) = visitor->previous;
        free(visitor);
        *state = NULL;
    }
    pthread_mutex_unlock(&server->lock);
}

/* The connection has shown the token. */
static void trust(serve_server *server, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    serve_visitor *visitor = info ? info->socket_context : NULL;
    pthread_mutex_lock(&server->lock);
    if (visitor)
        accept_visitor(server, visitor);
    pthread_mutex_unlock(&server->lock);
}

/* ---- who may ask ----------------------------------------------------------------------------- */

static bool is_our_host(const serve_server *server, const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    char wanted[64];
    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
        snprintf(wanted, sizeof wanted, "%s:%u", names[i], server->port);
        if (!strcasecmp(host, wanted))
            return true;
    }
    return false;
}

static bool is_our_origin(const serve_server *server, const char *origin)
{
    return !origin || (!strncasecmp(origin, "http://", 7) && is_our_host(server, origin + 7));
}

/* In a time that does not depend on where they differ. */
static bool is_secret(const char *secret, const char *said, size_t len)
{
    unsigned char differs = 0;
    if (strlen(secret) != len)
        return false;
    for (size_t i = 0; i < len; i++)
        differs |= (unsigned char)(said[i] ^ secret[i]);
    return !differs;
}

static bool is_token(const serve_server *server, const char *said)
{
    return said && !strncmp(said, "Bearer ", 7) &&
           is_secret(server->token, said + 7, strlen(said + 7));
}

/* Returns true if a path asks to see a page, with the right key. */
static bool is_seeing(const serve_server *server, const char *path)
{
    return !strncmp(path, SEE, strlen(SEE)) &&
           is_secret(server->key, path + strlen(SEE), strcspn(path + strlen(SEE), "/"));
}

/* Why a request may not be answered, or NULL; with the status to answer with. */
static const char *refusal(const serve_server *server, struct MHD_Connection *connection,
                           const char *path, unsigned *status)
{
    *status = MHD_HTTP_FORBIDDEN;
    if (!is_our_host(server, header(connection, "Host")))
        return "this server answers only to its own address";
    if (!is_our_origin(server, header(connection, "Origin")))
        return "requests from other sites are refused";
    if (strncmp(path, API, strlen(API)))
        return NULL;
    *status = MHD_HTTP_UNAUTHORIZED;
    return is_token(server, header(connection, "Authorization"))
               ? NULL
               : "the token is missing or wrong: open the address that `thresh serve` printed";
}

/* ---- answers --------------------------------------------------------------------------------- */

static void add_headers(struct MHD_Response *response, const char *type, const char *policy,
                        bool is_part)
{
    static const char *const headers[][2] = {
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cache-Control", "no-store"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
    };
    static const char ours[] =
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' "
        "data: blob:; connect-src 'self'; font-src 'self'; frame-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'";
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    MHD_add_response_header(response, "Content-Security-Policy", policy ? policy : ours);
    if (is_part)
        MHD_add_response_header(response, "Content-Disposition", "attachment");
    MHD_add_response_header(response, "Content-Type", type);
}

static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned status,
                                     struct MHD_Response *response, const char *type,
                                     const char *policy, bool is_part)
{
    if (!response)
        return MHD_NO;
    add_headers(response, type, policy, is_part);
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result send_answer(struct MHD_Connection *connection, serve_answer *answer)
{
    static char lost[] = "{\"error\":\"out of memory\"}";
    if (answer->text.failed) {
        serve_text_release(&answer->text);
        return send_response(
            connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
            MHD_create_response_from_buffer(sizeof lost - 1, lost, MHD_RESPMEM_PERSISTENT),
            "application/json", NULL, false);
    }
    return send_response(connection, answer->status ? answer->status : MHD_HTTP_OK,
                         MHD_create_response_from_buffer(
                             answer->text.len, answer->text.ptr ? answer->text.ptr : calloc(1, 1),
                             MHD_RESPMEM_MUST_FREE),
                         answer->type ? answer->type : "application/json", answer->policy,
                         answer->is_part);
}

static enum MHD_Result send_refusal(struct MHD_Connection *connection, unsigned status,
                                    const char *reason)
{
    serve_answer answer = {0};
    serve_refuse(&answer, status, "%s", reason);
    return send_answer(connection, &answer);
}

static enum MHD_Result send_asset(struct MHD_Connection *connection, const char *method,
                                  const char *path)
{
    if (strcmp(method, "GET") && strcmp(method, "HEAD"))
        return send_refusal(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "files are read-only");
    if (!strcmp(path, "/"))
        path = "/index.html";
    for (const serve_asset *asset = serve_assets; asset->path; asset++)
        if (!strcmp(asset->path, path))
            return send_response(connection, MHD_HTTP_OK,
                                 MHD_create_response_from_buffer(asset->len, (void *)asset->bytes,
                                                                 MHD_RESPMEM_PERSISTENT),
                                 asset->type, NULL, false);
    return send_refusal(connection, MHD_HTTP_NOT_FOUND, "no such file");
}

/* The HMAC-SHA-256 of a text, in hexadecimal digits. */
static void prove(const char *key, const char *text, char out[PROOF_LEN + 1])
{
    struct hmac_sha256_ctx hash;
    uint8_t digest[SHA256_DIGEST_SIZE];
    hmac_sha256_set_key(&hash, strlen(key), (const uint8_t *)key);
    hmac_sha256_update(&hash, strlen(text), (const uint8_t *)text);
    hmac_sha256_digest(&hash, sizeof digest, digest);
    serve_put_hex(digest, sizeof digest, out);
}

/* Proves that this server knows the token. A window whose server has gone asks whoever answers at
 * the address then: a program of another user of the machine may listen there and must not get the
 * token. So the window sends a random text first, and trusts who answers with its HMAC. */
static enum MHD_Result send_proof(serve_server *server, struct MHD_Connection *connection)
{
    enum { LEAST = 16, MOST = 128 };
    const char *text = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "text");
    char proof[PROOF_LEN + 1];
    serve_answer answer = {0};
    if (!server->proves || !text || strlen(text) < LEAST || strlen(text) > MOST)
        return send_refusal(connection, MHD_HTTP_NOT_FOUND, "nothing is proved here");
    prove(server->token, text, proof);
    serve_reply(&answer, json_pack("{s:s}", "proof", proof));
    return send_answer(connection, &answer);
}

/* ---- the API --------------------------------------------------------------------------------- */

/* A body of JSON becomes an object; one of another type stays bytes. */
static bool read_body(struct MHD_Connection *connection, const exchange *x, serve_request *request,
                      serve_answer *answer)
{
    const char *type = header(connection, "Content-Type");
    json_error_t problem;
    request->body = (th_str){x->body.ptr ? x->body.ptr : "", x->body.len};
    bool json = type && !strncasecmp(type, "application/json", 16);
    request->json = json && request->body.len
                        ? json_loadb(request->body.ptr, request->body.len, JSON_ALLOW_NUL, &problem)
                        : json_object();
    if (json_is_object(request->json))
        return true;
    serve_refuse(answer, MHD_HTTP_BAD_REQUEST, "the request is not a JSON object: %s",
                 request->json ? "it is another value" : problem.text);
    return false;
}

/* Names in a path go into JSON. */
static bool are_texts(const serve_request *request)
{
    bool good = true;
    for (size_t i = 0; i < SERVE_MAX_PARTS && request->parts[i]; i++) {
        json_t *text = json_string(request->parts[i]);
        good = good && text;
        json_decref(text);
    }
    return good;
}

static enum MHD_Result answer_api(serve_server *server, struct MHD_Connection *connection,
                                  const char *method, const char *path, const exchange *x)
{
    serve_request request = {.server = server, .connection = connection};
    serve_answer answer = {0};
    char space[MAX_PATH];
    unsigned status;
    th_error err;
    serve_handler handler = serve_route(method, path, &request, space, sizeof space, &status);
    if (!handler)
        return send_refusal(connection, status,
                            status == MHD_HTTP_NOT_FOUND ? "not found"
                                                         : "this method is not allowed here");
    if (!are_texts(&request))
        return send_refusal(connection, MHD_HTTP_BAD_REQUEST, "a name in the path is not UTF-8");
    if (read_body(connection, x, &request, &answer)) {
        th_status failed = serve_borrow(server, &request.project, &err);
        if (failed)
            serve_fail(&answer, failed, &err);
        else
            handler(&request, &answer);
        if (request.project)
            serve_give_back(server, request.project);
    }
    json_decref(request.json);
    return send_answer(connection, &answer);
}

/* A page as it looks, or something that belongs to it: KEY/ID or KEY/ID/NUMBER, and the key is
 * right. */
static enum MHD_Result answer_see(serve_server *server, struct MHD_Connection *connection,
                                  const char *method, const char *path)
{
    serve_request request = {.server = server, .connection = connection};
    serve_answer answer = {0};
    char policy[SERVE_POLICY_SIZE];
    th_error err;
    if (strcmp(method, "GET") && strcmp(method, "HEAD"))
        return send_refusal(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "pages are read-only here");
    serve_see_policy(server, header(connection, "Host"), policy);
    th_status failed = serve_borrow(server, &request.project, &err);
    if (failed)
        serve_fail(&answer, failed, &err);
    else
        serve_see(&request, path + strcspn(path, "/"), &answer);
    if (request.project)
        serve_give_back(server, request.project);
    if (!answer.policy)
        answer.policy = policy;
    return send_answer(connection, &answer);
}

static enum MHD_Result listen_to_events(serve_server *server, struct MHD_Connection *connection)
{
    const char *after = header(connection, "Last-Event-ID");
    struct MHD_Response *response =
        serve_listen(server->jobs, after ? strtoull(after, NULL, 10) : 0);
    return send_response(connection, MHD_HTTP_OK, response, "text/event-stream", NULL, false);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_len, void **state)
{
    serve_server *server = context;
    exchange *x = *state;
    if (!x) {
        unsigned status;
        *state = x = calloc(1, sizeof *x);
        if (!x)
            return MHD_NO;
        const char *why = refusal(server, connection, path, &status);
        x->refused = why != NULL;
        if (!why && (!strncmp(path, API, strlen(API)) || is_seeing(server, path)))
            trust(server, connection);
        return why ? send_refusal(connection, status, why) : MHD_YES;
    }
    if (*upload_len) {
        x->too_large = x->too_large || x->body.len + *upload_len > server->max_upload;
        if (!x->too_large && !x->refused)
            serve_put(&x->body, upload, *upload_len);
        *upload_len = 0;
        return MHD_YES;
    }
    if (x->refused)
        return MHD_YES;
    if (x->too_large || x->body.failed)
        return send_refusal(connection, MHD_HTTP_CONTENT_TOO_LARGE,
                            "the request body is too large for this server");
    if (is_seeing(server, path))
        return answer_see(server, connection, method, path + strlen(SEE));
    if (!strcmp(path, "/proof"))
        return send_proof(server, connection);
    if (strncmp(path, API, strlen(API)))
        return send_asset(connection, method, path);
    path += strlen(API);
    if (!strcmp(path, "events") && !strcmp(method, "GET"))
        return listen_to_events(server, connection);
    return answer_api(server, connection, method, path, x);
}

static void completed(void *context, struct MHD_Connection *connection, void **state,
                      enum MHD_RequestTerminationCode code)
{
    exchange *x = *state;
    if (!x)
        return;
    serve_text_release(&x->body);
    free(x);
    *state = NULL;
}

/* ---- connections to the project -------------------------------------------------------------- */

th_status serve_borrow(serve_server *server, th_project **out, th_error *err)
{
    *out = NULL;
    pthread_mutex_lock(&server->lock);
    if (server->spare_count)
        *out = server->spare[--server->spare_count];
    pthread_mutex_unlock(&server->lock);
    return *out ? TH_OK : th_project_open(server->project_path, TH_PROJECT_OPEN, out, err);
}

void serve_give_back(serve_server *server, th_project *project)
{
    th_project_rollback(project); /* a handler that failed half way */
    pthread_mutex_lock(&server->lock);
    bool kept = server->spare_count < SERVE_SPARE;
    if (kept)
        server->spare[server->spare_count++] = project;
    pthread_mutex_unlock(&server->lock);
    if (!kept)
        th_project_free(project);
}

static bool is_stopping(void *context)
{
    return atomic_load(&((serve_server *)context)->stopping);
}

th_cancel serve_cancel(serve_server *server)
{
    return (th_cancel){is_stopping, server};
}

/* ---- the address is kept beside the project -------------------------------------------------- */

/*
 * A server that is started again has the same address: windows that are open go on, and what they
 * keep in the browser, which keeps it by address, is found. The file (PROJECT.address) is readable
 * for its owner alone, as the project should be; one that others could have read or written, or
 * that is a link, is not used.
 */
typedef struct kept_address {
    uint16_t port;
    char token[TOKEN_LEN + 1];
} kept_address;

static bool path_of(const char *project, const char *ending, char *out, size_t size)
{
    int len = snprintf(out, size, "%s.address%s", project, ending);
    return len > 0 && (size_t)len < size;
}

/* Only tokens that a server made are kept: 64 hexadecimal digits. */
static bool parse(const char *line, kept_address *out)
{
    unsigned port = 0;
    int end = 0;
    if (sscanf(line, "http://127.0.0.1:%5u/#token=%64[0-9a-f]%n", &port, out->token, &end) != 2 ||
        strlen(out->token) != TOKEN_LEN || (line[end] && strcmp(line + end, "\n")) || !port ||
        port > UINT16_MAX)
        return false;
    out->port = (uint16_t)port;
    return true;
}

/* Returns false if there is none that can be used. */
static bool read_address(const char *project, kept_address *out)
{
    char path[4096], line[MAX_LINE + 1];
    struct stat is;
    int fd = path_of(project, "", path, sizeof path)
                 ? open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
                 : -1;
    if (fd < 0)
        return false;
    bool ours = !fstat(fd, &is) && S_ISREG(is.st_mode) && is.st_uid == geteuid() &&
                !(is.st_mode & 077) && is.st_nlink == 1;
    ssize_t got = ours ? read(fd, line, MAX_LINE) : -1;
    close(fd);
    if (got <= 0)
        return false;
    line[got] = '\0';
    return parse(line, out);
}

/* Replaces it. A folder that cannot be written to keeps nothing, which is not an error. */
static void keep_address(const char *project, const kept_address *address)
{
    char path[4096], fresh[4096];
    if (!path_of(project, "", path, sizeof path) ||
        !path_of(project, ".XXXXXX", fresh, sizeof fresh))
        return;
    int fd = mkstemp(fresh); /* mode 600 */
    if (fd < 0)
        return;
    bool good = dprintf(fd, "http://127.0.0.1:%u/#token=%s\n", address->port, address->token) > 0;
    good = !close(fd) && good;
    if (!good || rename(fresh, path))
        unlink(fresh);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

/* Without `err` a port that is taken is not worth a message. */
static th_status listen_on(serve_server *server, uint16_t port, th_error *err)
{
    prove(server->token, "see", server->key); /* frames go on after a restart, too */
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const char *wrong = th__microhttpd_load();
    if (wrong)
        return err ? serve_error(err, TH_ERR_IO, "the workbench needs %s", wrong) : TH_ERR_IO;
    /* A thread for each connection: no request, however slow, keeps another waiting. */
    unsigned flags = MHD_USE_POLL | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION;
    server->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, handle, server, MHD_OPTION_SOCK_ADDR, &address,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)TIMEOUT_S, MHD_OPTION_NOTIFY_COMPLETED, completed, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, visit, server, MHD_OPTION_END);
    if (!server->daemon && !err)
        return TH_ERR_IO;
    if (!server->daemon)
        return serve_error(err, TH_ERR_IO,
                           "cannot listen on 127.0.0.1, port %u: is it in use? Without --port a "
                           "free one is chosen",
                           port);
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    server->port = info ? info->port : port;
    snprintf(server->address, sizeof server->address, "http://127.0.0.1:%u/#token=%s", server->port,
             server->token);
    return TH_OK;
}

/*
 * Where the last server of the project was, if nobody else is there, with its token. If somebody
 * is, it may be a program that waits for windows to send it the token: that token is not used
 * again. A token that the user chose is the user's to keep.
 */
static th_status listen_there(serve_server *server, const serve_options *options, th_error *err)
{
    kept_address kept = {0};
    if (options->token) {
        snprintf(server->token, sizeof server->token, "%s", options->token);
        return listen_on(server, options->port, err);
    }
    server->proves = true;
    if (!options->new_address && read_address(options->project, &kept) &&
        (!options->port || options->port == kept.port)) {
        memcpy(server->token, kept.token, sizeof server->token);
        if (!listen_on(server, kept.port, NULL))
            return TH_OK;
    }
    if (!serve_random(server->token, TOKEN_LEN / 2))
        return serve_error(err, TH_ERR_IO, "the system provides no random numbers for a token");
    th_status status = listen_on(server, options->port, err);
    if (status)
        return status;
    kept.port = server->port;
    memcpy(kept.token, server->token, sizeof kept.token);
    keep_address(options->project, &kept);
    return TH_OK;
}

static th_status begin(serve_server *server, const serve_options *options, th_error *err)
{
    th_project *project;
    server->project_path = strdup(options->project);
    if (!server->project_path)
        return serve_no_memory(err);
    th_status status = th_project_open(options->project, TH_PROJECT_OPEN_OR_NEW, &project, err);
    if (status)
        return status;
    serve_give_back(server, project);
    status = serve_jobs_new(server, &server->jobs, err);
    if (!status)
        status = serve_schedules_new(server, &server->schedules, err);
    return status ? status : listen_there(server, options, err);
}

th_status serve_start(const serve_options *options, serve_server **out, th_error *err)
{
    serve_server *server = calloc(1, sizeof *server);
    *out = NULL;
    if (!server)
        return serve_no_memory(err);
    pthread_mutex_init(&server->lock, NULL);
    pthread_mutex_init(&server->compared_lock, NULL);
    server->allow_commands = options->allow_commands;
    if (options->fetching)
        server->fetching = *options->fetching;
    else
        th_feed_options_init(&server->fetching);
    server->max_upload = options->max_upload ? options->max_upload : MAX_UPLOAD;
    server->no_looks = options->no_looks;
    th_status status = begin(server, options, err);
    if (status)
        serve_stop(server);
    else
        *out = server;
    return status;
}

const char *serve_address(const serve_server *server)
{
    return server->address;
}

void serve_stop(serve_server *server)
{
    if (!server)
        return;
    atomic_store(&server->stopping, true);
    serve_schedules_stop(server->schedules);
    if (server->jobs)
        serve_jobs_stop(server->jobs);
    if (server->daemon)
        MHD_stop_daemon(server->daemon);
    serve_jobs_free(server->jobs);
    serve_schedules_free(server->schedules);
    for (size_t i = 0; i < server->spare_count; i++)
        th_project_free(server->spare[i]);
    serve_kept_compare_clear(&server->compared);
    pthread_mutex_destroy(&server->compared_lock);
    pthread_mutex_destroy(&server->lock);
    free(server->project_path);
    free(server);
}
