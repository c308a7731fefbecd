/* mcp_session.c: see mcp_session.h. */
#include "mcp_session.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "growing_text.h"

/* Error codes of JSON-RPC and of the protocol. */
enum {
    NOT_JSON = -32700,
    NOT_A_REQUEST = -32600,
    NO_SUCH_METHOD = -32601,
    BAD_PARAMS = -32602,
    INTERNAL = -32603,
    BAD_VERSION = -32022
};

static const char modern[] = "2026-07-28";
/* The newest first. */
static const char *const by_handshake[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
#define DUMP (JSON_COMPACT | JSON_REAL_PRECISION(12))

enum { WAITING_MOST = 1000 /* calls */ };
enum { HANDSHAKES = sizeof by_handshake / sizeof *by_handshake };

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_SERVER  "io.modelcontextprotocol/serverInfo"

static const char instructions[] =
    "Thresh turns web pages into records. `records` finds the list of a page without rules. To "
    "read "
    "many pages of a site, `learn` a wrapper once (from pages, or with a few labelled values "
    "copied "
    "exactly from a page), then `extract` with it; `verify` says whether the site has changed.";

/* Several requests in one message are answered by one message, when all are done. */
typedef struct batch {
    json_t *answers;
    size_t waiting; /* for calls, and for the reader of the message itself */
} batch;

/* A request or a notification. */
typedef struct request {
    json_t *id;     /* borrowed; NULL: a notification */
    json_t *params; /* borrowed, or NULL */
    bool modern;
    batch *batch; /* or NULL */
} request;

typedef struct call {
    json_t *message; /* a copy, of which the request is a part */
    request request;
    atomic_bool cancelled;
    struct call *next;
} call;

struct mcp_session {
    th_sink out;
    mcp_tools *tools;
    char *line; /* what has come of the next line */
    size_t len, cap;
    bool skipping; /* the rest of a line that is too long */
    bool begun;    /* initialize has come */
    bool no_memory;
    atomic_bool closed; /* nobody takes answers */
    bool alone;
    pthread_t worker;
    pthread_mutex_t lock; /* of all below, of batches and of the sink */
    pthread_cond_t changed;
    call *queue, **queue_end;
    size_t waiting; /* in the queue */
    call *running;
    bool ending;
};

/* ---- answers ---- */

/* Under the lock. Takes the message. */
static void write_message(mcp_session *s, json_t *message)
{
    char *text = message ? json_dumps(message, DUMP) : NULL;
    size_t len = text ? strlen(text) : 0;
    if (text) {
        text[len] = '\n'; /* instead of the NUL */
        if (!atomic_load(&s->closed) && s->out.write(s->out.context, text, len + 1, NULL))
            atomic_store(&s->closed, true);
    }
    free(text);
    json_decref(message);
}

/* Under the lock: one of those that a batch waits for is done. */
static void leave_batch(mcp_session *s, batch *b)
{
    if (!b || --b->waiting)
        return;
    if (json_array_size(b->answers))
        write_message(s, json_incref(b->answers));
    json_decref(b->answers);
    free(b);
}

/* Sends an answer, or puts it with the others of its batch. Takes it. */
static void answer(mcp_session *s, const request *r, json_t *message)
{
    pthread_mutex_lock(&s->lock);
    if (r->batch)
        json_array_append_new(r->batch->answers, message);
    else
        write_message(s, message);
    pthread_mutex_unlock(&s->lock);
}

/* Takes the data, which may be NULL. */
static void answer_error(mcp_session *s, const request *r, int code, const char *words,
                         json_t *data)
{
    json_t *error = json_pack("{s:i,s:s}", "code", code, "message", words);
    if (data)
        json_object_set_new(error, "data", data);
    answer(s, r,
           json_pack("{s:s,s:O,s:o}", "jsonrpc", "2.0", "id", r->id ? r->id : json_null(), "error",
                     error));
}

static json_t *server_info(void)
{
    return json_pack("{s:s,s:s,s:s}", "name", "thresh", "title", "Thresh", "version", th_version());
}

/* Takes the result, and adds what its version of the protocol wants. */
static void answer_result(mcp_session *s, const request *r, json_t *result)
{
    if (r->modern) {
        json_object_set_new(result, "resultType", json_string("complete"));
        json_object_set_new(result, "_meta", json_pack("{s:o}", META_SERVER, server_info()));
    }
    answer(s, r, json_pack("{s:s,s:O,s:o}", "jsonrpc", "2.0", "id", r->id, "result", result));
}

/* ---- calls of tools ---- */

static bool call_cancelled(void *context)
{
    return atomic_load(&((call *)context)->cancelled);
}

static json_t *tool_result(json_t *structured, const th_error *err)
{
    char *text = structured ? json_dumps(structured, DUMP) : NULL;
    const char *words = text ? text : err->message[0] ? err->message : th_status_name(err->status);
    json_t *result = json_pack("{s:[{s:s,s:o}],s:b}", "content", "type", "text", "text",
                               mcp_text(th_str_from(words)), "isError", !structured);
    if (structured)
        json_object_set_new(result, "structuredContent", structured);
    free(text);
    return result;
}

static void run_call(mcp_session *s, call *c)
{
    json_t *structured, *none = json_object();
    json_t *arguments = json_object_get(c->request.params, "arguments");
    th_error err = {0};
    const char *name = json_string_value(json_object_get(c->request.params, "name"));
    th_status status = mcp_tools_call(s->tools, name, arguments ? arguments : none,
                                      (th_cancel){call_cancelled, c}, &structured, &err);
    /* A call that was cancelled gets no answer. */
    if (!atomic_load(&c->cancelled))
        answer_result(s, &c->request, tool_result(status ? NULL : structured, &err));
    else
        json_decref(structured);
    json_decref(none);
}

/* Not under the lock. */
static void end_call(mcp_session *s, call *c)
{
    pthread_mutex_lock(&s->lock);
    leave_batch(s, c->request.batch);
    pthread_mutex_unlock(&s->lock);
    json_decref(c->message);
    free(c);
}

static void *work(void *context)
{
    mcp_session *s = context;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (!s->queue && !s->ending)
            pthread_cond_wait(&s->changed, &s->lock);
        call *c = s->queue;
        if (!c)
            break;
        s->queue = c->next;
        if (!s->queue)
            s->queue_end = &s->queue;
        s->waiting--;
        s->running = c;
        pthread_mutex_unlock(&s->lock);
        run_call(s, c);
        pthread_mutex_lock(&s->lock);
        s->running = NULL;
        pthread_mutex_unlock(&s->lock);
        end_call(s, c);
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static void call_tool(mcp_session *s, const request *r, json_t *message)
{
    const json_t *arguments = json_object_get(r->params, "arguments");
    const char *name = json_string_value(json_object_get(r->params, "name"));
    if (!name || (arguments && !json_is_object(arguments))) {
        answer_error(s, r, BAD_PARAMS, "tools/call needs a name, and arguments as an object", NULL);
        return;
    }
    if (!mcp_tools_have(name)) {
        answer_error(s, r, BAD_PARAMS, "unknown tool", json_pack("{s:s}", "name", name));
        return;
    }
    pthread_mutex_lock(&s->lock);
    bool room = s->waiting < WAITING_MOST;
    pthread_mutex_unlock(&s->lock);
    call *c = room ? calloc(1, sizeof *c) : NULL;
    if (!c) {
        answer_error(s, r, INTERNAL, room ? "out of memory" : "too many calls wait", NULL);
        return;
    }
    c->request = *r;
    /* Reference counts must not be shared by two threads. */
    c->message = json_deep_copy(message);
    c->request.id = json_object_get(c->message, "id");
    c->request.params = json_object_get(c->message, "params");
    if (!c->request.params) {
        answer_error(s, r, INTERNAL, "out of memory", NULL);
        json_decref(c->message);
        free(c);
        return;
    }
    pthread_mutex_lock(&s->lock);
    if (r->batch)
        r->batch->waiting++;
    if (!s->alone) {
        *s->queue_end = c;
        s->queue_end = &c->next;
        s->waiting++;
        pthread_cond_signal(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    if (s->alone) {
        run_call(s, c);
        end_call(s, c);
    }
}

/* A call that waits is taken from the queue; the one that runs ends when it next asks. */
static void cancel(mcp_session *s, const json_t *id)
{
    call *found = NULL;
    pthread_mutex_lock(&s->lock);
    if (s->running && json_equal(s->running->request.id, id))
        atomic_store(&s->running->cancelled, true);
    for (call **at = &s->queue; *at && !found; at = &(*at)->next) {
        if (!json_equal((*at)->request.id, id))
            continue;
        found = *at;
        *at = found->next;
        if (!*at)
            s->queue_end = at;
        s->waiting--;
        break;
    }
    pthread_mutex_unlock(&s->lock);
    if (found)
        end_call(s, found);
}

/* ---- requests ---- */

static void initialize(mcp_session *s, const request *r)
{
    const char *wanted = json_string_value(json_object_get(r->params, "protocolVersion"));
    const char *version = by_handshake[0];
    if (!wanted) {
        answer_error(s, r, BAD_PARAMS, "initialize needs protocolVersion", NULL);
        return;
    }
    for (size_t i = 0; i < HANDSHAKES; i++)
        if (!strcmp(wanted, by_handshake[i]))
            version = by_handshake[i];
    s->begun = true;
    answer_result(s, r,
                  json_pack("{s:s,s:{s:{}},s:o,s:s}", "protocolVersion", version, "capabilities",
                            "tools", "serverInfo", server_info(), "instructions", instructions));
}

static json_t *supported_versions(void)
{
    json_t *versions = json_array();
    json_array_append_new(versions, json_string(modern));
    for (size_t i = 0; i < HANDSHAKES; i++)
        json_array_append_new(versions, json_string(by_handshake[i]));
    return versions;
}

/* What a client may keep: tools and versions are the same as long as the program is. */
static json_t *cacheable(json_t *result)
{
    enum { HOUR_MS = 3600000 };
    json_object_set_new(result, "ttlMs", json_integer(HOUR_MS));
    json_object_set_new(result, "cacheScope", json_string("public"));
    return result;
}

static void take_request(mcp_session *s, const char *method, request *r, json_t *message)
{
    const json_t *version = json_object_get(json_object_get(r->params, "_meta"), META_VERSION);
    r->modern = version != NULL;
    if (version && (!json_is_string(version) || strcmp(json_string_value(version), modern)))
        answer_error(
            s, r, json_is_string(version) ? BAD_VERSION : BAD_PARAMS,
            "unsupported protocol version",
            json_pack("{s:o,s:O}", "supported", supported_versions(), "requested", version));
    else if (!strcmp(method, "server/discover"))
        answer_result(
            s, r,
            cacheable(json_pack("{s:o,s:{s:{}},s:s}", "supportedVersions", supported_versions(),
                                "capabilities", "tools", "instructions", instructions)));
    else if (!strcmp(method, "initialize"))
        initialize(s, r);
    else if (!strcmp(method, "ping"))
        answer_result(s, r, json_object());
    else if (strcmp(method, "tools/list") && strcmp(method, "tools/call"))
        answer_error(s, r, NO_SUCH_METHOD, "unknown method", json_pack("{s:s}", "method", method));
    else if (!s->begun && !r->modern)
        answer_error(s, r, NOT_A_REQUEST, "the first request must be initialize", NULL);
    else if (!strcmp(method, "tools/call"))
        call_tool(s, r, message);
    else {
        json_t *list = json_pack("{s:o}", "tools", mcp_tools_list());
        answer_result(s, r, r->modern ? cacheable(list) : list);
    }
}

/* One request, notification or answer. */
static void take_one(mcp_session *s, json_t *message, batch *b)
{
    request r = {.batch = b};
    const json_t *version = json_object_get(message, "jsonrpc");
    const json_t *method = json_object_get(message, "method");
    json_t *id = json_object_get(message, "id");
    bool good = json_is_string(version) && !strcmp(json_string_value(version), "2.0") &&
                (!id || json_is_string(id) || json_is_integer(id));
    r.params = json_object_get(message, "params");
    if (good && !method &&
        (json_object_get(message, "result") || json_object_get(message, "error")))
        return; /* we ask nothing */
    if (good)
        r.id = id;
    if (!good || !json_is_string(method))
        answer_error(s, &r, NOT_A_REQUEST, "not a request of JSON-RPC 2.0", NULL);
    else if (id && r.params && !json_is_object(r.params))
        answer_error(s, &r, BAD_PARAMS, "params must be an object", NULL);
    else if (id)
        take_request(s, json_string_value(method), &r, message);
    else if (!strcmp(json_string_value(method), "notifications/cancelled"))
        cancel(s, json_object_get(r.params, "requestId"));
    /* other notifications are not needed */
}

static void take_batch(mcp_session *s, json_t *messages)
{
    size_t index;
    json_t *message;
    batch *b = calloc(1, sizeof *b);
    if (!b || !(b->answers = json_array())) {
        free(b);
        s->no_memory = true;
        return;
    }
    b->waiting = 1;
    json_array_foreach(messages, index, message) take_one(s, message, b);
    pthread_mutex_lock(&s->lock);
    leave_batch(s, b);
    pthread_mutex_unlock(&s->lock);
}

static void take_line(mcp_session *s)
{
    json_error_t problem;
    request nobody = {0};
    th_str line = {s->line, s->len};
    s->len = 0;
    while (line.len && strchr(" \t\r", line.ptr[line.len - 1]))
        line.len--;
    if (!line.len)
        return;
    json_t *message = json_loadb(line.ptr, line.len, JSON_DECODE_ANY, &problem);
    if (!message)
        answer_error(s, &nobody, NOT_JSON, "not valid JSON",
                     json_pack("{s:i}", "position", problem.position));
    else if (json_array_size(message))
        take_batch(s, message);
    else
        take_one(s, message, NULL);
    json_decref(message);
}

/* ---- lines ---- */

static bool keep(mcp_session *s, const char *bytes, size_t len)
{
    if (s->len + len > s->cap) {
        size_t cap = s->cap ? s->cap : 4096;
        while (cap < s->len + len)
            cap *= 2;
        char *grown = realloc(s->line, cap);
        if (!grown)
            return false;
        s->line = grown;
        s->cap = cap;
    }
    if (len)
        memcpy(s->line + s->len, bytes, len);
    s->len += len;
    return true;
}

bool mcp_session_feed(mcp_session *s, const char *bytes, size_t len)
{
    while (len && !s->no_memory && !atomic_load(&s->closed)) {
        const char *end = memchr(bytes, '\n', len);
        size_t part = end ? (size_t)(end - bytes) : len;
        if (!s->skipping && s->len + part > MCP_MESSAGE_MOST) {
            answer_error(s, &(request){0}, NOT_A_REQUEST, "the message is too long",
                         json_pack("{s:i}", "most", MCP_MESSAGE_MOST));
            s->skipping = true;
            s->len = 0;
        }
        if (!s->skipping && !keep(s, bytes, part))
            s->no_memory = true;
        if (end && !s->skipping && !s->no_memory)
            take_line(s);
        if (end)
            s->skipping = false;
        part += end != NULL;
        bytes += part;
        len -= part;
    }
    return !s->no_memory && !atomic_load(&s->closed);
}

void mcp_session_finish(mcp_session *s)
{
    if (s->len && !s->skipping)
        take_line(s);
    if (s->alone)
        return;
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->worker, NULL);
    s->alone = true;
}

th_status mcp_session_new(const mcp_settings *settings, th_sink out, bool alone, mcp_session **made,
                          th_error *err)
{
    mcp_session *s = calloc(1, sizeof *s);
    if (!s)
        return cli_no_memory(err);
    s->out = out;
    s->alone = true;
    s->queue_end = &s->queue;
    s->tools = mcp_tools_new(settings);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    if (s->tools && !alone)
        s->alone = pthread_create(&s->worker, NULL, work, s) != 0;
    if (!s->tools || s->alone != alone) {
        mcp_session_free(s);
        return cli_no_memory(err);
    }
    *made = s;
    return TH_OK;
}

void mcp_session_free(mcp_session *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    if (s->running)
        atomic_store(&s->running->cancelled, true);
    call *left = s->queue;
    s->queue = NULL;
    s->queue_end = &s->queue;
    pthread_mutex_unlock(&s->lock);
    s->len = 0;
    mcp_session_finish(s);
    while (left) {
        call *next = left->next;
        end_call(s, left);
        left = next;
    }
    mcp_tools_free(s->tools);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s->line);
    free(s);
}
