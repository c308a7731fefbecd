/*
 * serve.h: the workbench's server: the one door to this folder.
 *
 *     browser ──HTTP on loopback──▶ http.c (who may ask) ──▶ routes.c ──▶ api_*.c ──▶ thresh.h
 *                                                               └──▶ jobs.c (long work) ──▶ events
 *
 * All that it does, the library does; docs/API.md describes the requests.
 */
#ifndef SERVE_H
#define SERVE_H

#include <stdbool.h>
#include <stdint.h>
#include <thresh.h>

typedef struct serve_options {
    const char *project;             /* made when it is not there */
    uint16_t port;                   /* 0: that of the last time if it is free, or any free one */
    const char *token;               /* NULL: that of the last time, or a random one */
    bool new_address;                /* do not use the port and the token of the last time */
    const th_feed_options *fetching; /* how URLs are fetched; NULL: the defaults. Borrowed until the
                                        server stops */
    uint64_t max_upload;             /* bytes of a request's body: 64 MiB when 0 */
} serve_options;

typedef struct serve_server serve_server;

/* Starts the server in threads of its own. Caller frees. */
th_status serve_start(const serve_options *options, serve_server **out, th_error *err);
/* The address with its token: "http://127.0.0.1:8123/#token=...". Borrowed. */
const char *serve_address(const serve_server *server);
/* Stops: running jobs are cancelled and waited for. */
void serve_stop(serve_server *server);

#endif
