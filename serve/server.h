/* server.h: what the parts of the server share. */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include <pthread.h>

#include "jobs.h"
#include "routes.h"
#include "schedules.h"
#include "serve.h"

enum { SERVE_SPARE = 8 };

/* The comparison of two runs that was asked for last. */
typedef struct serve_kept_compare {
    th_compare *compare; /* or NULL */
    int64_t before, after;
    char *key; /* that was asked for, or NULL */
    int64_t made;
} serve_kept_compare;

void serve_kept_compare_clear(serve_kept_compare *kept);

/* A connection, known until it is closed. */
typedef struct serve_visitor serve_visitor;

struct serve_server {
    struct MHD_Daemon *daemon;
    char *project_path;
    char token[65];
    bool proves; /* the token is a random one: it cannot be guessed from a proof */
    char address[128];
    char key[65];             /* what pages as they look are asked for with, in the address */
    char host[64];            /* "127.0.0.1:8123" */
    _Atomic uint16_t port;    /* known once the server listens: a request may be before that */
    th_feed_options fetching; /* how URLs are fetched; its texts are borrowed */
    uint64_t max_upload;
    bool no_looks;
    serve_jobs *jobs;
    serve_schedules *schedules;
    bool allow_commands; /* alarms may be handed to commands */

    pthread_mutex_t compared_lock;
    serve_kept_compare compared;

    atomic_bool stopping;

    pthread_mutex_t lock; /* of all below */
    th_project *spare[SERVE_SPARE];
    size_t spare_count;
    serve_visitor *first, *last; /* in the order in which they came */
    size_t strangers;            /* of them: they have not shown the token */
};

/* A connection to the project that is in nobody's use; give it back. */
th_status serve_borrow(serve_server *server, th_project **out, th_error *err);
void serve_give_back(serve_server *server, th_project *project);
/* Ends work of the library that a request waits for when the server stops. */
th_cancel serve_cancel(serve_server *server);

#endif
