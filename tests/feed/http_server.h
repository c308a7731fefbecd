/*
 * http_server.h: a small HTTP server inside a test, on an address of 127/8 and a free port.
 *
 * A route is a path and the raw bytes of the answer. Paths that begin with "/slow" answer after a
 * pause; "/large" never ends.
 */
#ifndef TH_HTTP_SERVER_H
#define TH_HTTP_SERVER_H

#include "feed_test.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

enum { MAX_REQUESTS = 64, SLOW_MS = 150 };

typedef struct route {
    const char *path, *answer;
} route;

typedef struct server {
    const route *routes; /* ends with a NULL path: the answer to all others */
    char base[64];       /* "http://127.0.0.1:1234" */
    int listener;
    pthread_t thread;
    _Atomic bool stop;
    _Atomic int active, most_active; /* requests at once */
    _Atomic int *shared_active, *shared_most;
    _Atomic int count;
    char requests[MAX_REQUESTS][2048];
} server;

typedef struct connection {
    server *server;
    int socket;
} connection;

static inline void note_most(_Atomic int *most, int now)
{
    int seen = atomic_load(most);
    while (now > seen && !atomic_compare_exchange_weak(most, &seen, now))
        ;
}

static inline bool send_all(int to, const char *bytes, size_t len)
{
    while (len) {
        ssize_t n = send(to, bytes, len, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

static inline const char *find_answer(const server *s, const char *path)
{
    const route *r = s->routes;
    while (r->path && strcmp(r->path, path))
        r++;
    return r->answer;
}

/* Requests count as active until their answer begins: the client may send another right after it.
 */
static inline void count_active(server *s, int change)
{
    note_most(&s->most_active, atomic_fetch_add(&s->active, change) + change);
    if (s->shared_active)
        note_most(s->shared_most, atomic_fetch_add(s->shared_active, change) + change);
}

static inline void answer(server *s, int to, const char *path)
{
    struct pollfd gone = {.fd = to, .events = POLLIN};
    count_active(s, 1);
    poll(&gone, 1, strncmp(path, "/slow", 5) ? 1 : SLOW_MS);
    count_active(s, -1);
    if (!strcmp(path, "/stuck"))
        poll(&gone, 1, 5000); /* until the client hangs up */
    if (!strcmp(path, "/large")) {
        static const char chunk[4096] = {'x'};
        if (send_all(to, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", 44))
            while (!atomic_load(&s->stop) && send_all(to, chunk, sizeof chunk))
                ;
        return;
    }
    const char *text = find_answer(s, path);
    send_all(to, text, strlen(text));
}

static inline void *serve_connection(void *context)
{
    connection *c = context;
    server *s = c->server;
    char request[2048] = "", path[1024] = "";
    size_t len = 0;
    while (len < sizeof request - 1 && !strstr(request, "\r\n\r\n")) {
        ssize_t n = recv(c->socket, request + len, sizeof request - 1 - len, 0);
        if (n <= 0)
            break;
        len += (size_t)n;
        request[len] = '\0';
    }
    sscanf(request, "GET %1023s", path);
    int number = atomic_fetch_add(&s->count, 1);
    if (number < MAX_REQUESTS)
        memcpy(s->requests[number], request, sizeof request);
    answer(s, c->socket, path);
    shutdown(c->socket, SHUT_WR);
    while (recv(c->socket, request, sizeof request, 0) > 0)
        ;
    close(c->socket);
    free(c);
    return NULL;
}

static inline void *serve(void *context)
{
    server *s = context;
    pthread_t threads[MAX_REQUESTS];
    size_t count = 0;
    while (!atomic_load(&s->stop) && count < MAX_REQUESTS) {
        struct pollfd ready = {.fd = s->listener, .events = POLLIN};
        if (poll(&ready, 1, 20) <= 0)
            continue;
        connection *c = malloc(sizeof *c);
        *c = (connection){s, accept(s->listener, NULL, NULL)};
        if (c->socket < 0 || pthread_create(&threads[count], NULL, serve_connection, c))
            free(c);
        else
            count++;
    }
    while (count)
        pthread_join(threads[--count], NULL);
    return NULL;
}

static inline server *start_server(const char *address, const route *routes)
{
    server *s = calloc(1, sizeof *s);
    struct sockaddr_in where = {.sin_family = AF_INET};
    socklen_t len = sizeof where;
    s->routes = routes;
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    inet_pton(AF_INET, address, &where.sin_addr);
    assert_int_equal(bind(s->listener, (struct sockaddr *)&where, sizeof where), 0);
    assert_int_equal(listen(s->listener, 64), 0);
    assert_int_equal(getsockname(s->listener, (struct sockaddr *)&where, &len), 0);
    snprintf(s->base, sizeof s->base, "http://%s:%d", address, ntohs(where.sin_port));
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
    return s;
}

static inline void stop_server(server *s)
{
    atomic_store(&s->stop, true);
    pthread_join(s->thread, NULL);
    close(s->listener);
    free(s);
}

/* How many requests were for a path. */
static inline int requests_for(const server *s, const char *path)
{
    char start[600];
    int hits = 0;
    snprintf(start, sizeof start, "GET %s HTTP", path);
    for (int i = 0; i < s->count && i < MAX_REQUESTS; i++)
        hits += !strncmp(s->requests[i], start, strlen(start));
    return hits;
}

#define ANSWER(status, fields, body)                                                               \
    "HTTP/1.1 " status "\r\nConnection: close\r\n" fields "\r\n" body
#define HTML "Content-Type: text/html\r\n"

static inline th_feed_options test_options(void)
{
    th_feed_options options;
    th_feed_options_init(&options);
    options.allow_private = true;
    options.host_delay_ms = 0;
    options.timeout_ms = 5000;
    options.retries = 0;
    return options;
}

/* Fetches the paths (up to 16) from a server. */
static inline run fetch_paths(const server *s, const char *const *paths, size_t count,
                              const th_feed_options *options)
{
    static char urls[16][256];
    const char *in[16];
    for (size_t i = 0; i < count; i++) {
        snprintf(urls[i], sizeof urls[i], "%s%s", s->base, paths[i]);
        in[i] = urls[i];
    }
    return run_feed(in, count, options);
}

#endif
