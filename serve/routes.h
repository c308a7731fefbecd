/*
 * routes.h: a request, its answer, and the table of what can be asked.
 *
 * A handler runs in one of the server's threads, reads the request and fills the answer. It works
 * on a connection to the project that nobody else uses meanwhile.
 */
#ifndef SERVE_ROUTES_H
#define SERVE_ROUTES_H

#include <jansson.h>
#include <thresh.h>

#include "answer_text.h"
#include "microhttpd_library.h"

typedef struct serve_server serve_server;

enum { SERVE_MAX_PARTS = 4 };

typedef struct serve_request {
    serve_server *server;
    struct MHD_Connection *connection;
    th_project *project;
    const char *parts[SERVE_MAX_PARTS]; /* what each * of the route matched, decoded */
    th_str body;
    json_t *json; /* of a body that is JSON; an empty object when there is none */
} serve_request;

typedef struct serve_answer {
    unsigned status; /* HTTP */
    const char *type;
    const char *policy; /* its Content-Security-Policy; NULL: the workbench's. Borrowed */
    bool is_part;       /* of a page, and never a document of its own */
    serve_text text;
} serve_answer;

typedef void (*serve_handler)(const serve_request *request, serve_answer *answer);

/* Says what went wrong, as {"error": "..."}. */
void serve_refuse(serve_answer *answer, unsigned status, const char *format, ...) TH_PRINTF(3, 4);
/* The same for an error of the library. */
void serve_fail(serve_answer *answer, th_status status, const th_error *err);
/* Answers with a JSON value, which it takes. */
void serve_reply(serve_answer *answer, json_t *value);

/* Answers {NAME: list}, which it takes, or says what went wrong. */
void serve_reply_list(serve_answer *answer, const char *name, json_t *list, th_status status,
                      const th_error *err);
/* Adds an item, which it takes, to such a list. */
th_status serve_append(json_t *list, json_t *item, th_error *err);

/* The site of a path that begins with sites/SITE. */
th_str serve_site(const serve_request *request);
/* The number of a path that begins with pages/ID, runs/ID or jobs/ID. */
int64_t serve_id(const serve_request *request);
/* A value of the query string, or NULL. */
const char *serve_query(const serve_request *request, const char *name);
/* The same as a number; `usual` if it is not there. */
uint64_t serve_query_number(const serve_request *request, const char *name, uint64_t usual);
/* A member of the JSON body as text, or NULL. */
const char *serve_member(const serve_request *request, const char *name);
/* Returns true if a text begins with http:// or https:// and goes on. */
bool serve_is_url(th_str text);

/* Finds who answers a path below /api/v1 and fills the parts; NULL with the status to answer with
 * (404, or 405 for another method). `space` holds the parts. */
serve_handler serve_route(const char *method, const char *path, serve_request *request, char *space,
                          size_t size, unsigned *status);

#endif
