/*
 * render.h: pages drawn by JavaScript, in a browser without a network.
 *
 *     fetch.c ──page──▶ render.c ──commands──▶ render_browser.c ──▶ Chromium
 *        ▲                 │ ▲                                        │
 *        └──moved to──────┘ └────────────requests of the page─────────┘
 *                 render_requests.c: libcurl sends them
 *
 * The browser gets no network at all. Each request of a page comes to us, libcurl sends it with the
 * same checks as any fetch, and we hand the browser the answer. So no script, redirect or name that
 * changes its address reaches what a fetch could not.
 *
 * One thread drives all of it: the one that waits for a fetch.
 */
#ifndef TH_RENDER_H
#define TH_RENDER_H

#include <curl/curl.h>
#include <jansson.h>
#include <thresh.h>

#include "feed/session.h"

/* ---- pages ----------------------------------------------------------------------------------- */

typedef struct th__renderer th__renderer;

/* A page in the browser, or on its way there:
 *
 *     draw ──▶ BUSY ──▶ DONE ──take──▶
 *               │ ▲
 *               ▼ │ answer, stay
 *              MOVED: the page went on to another one, which is to be fetched
 */
typedef struct th__drawing th__drawing;

typedef enum th__drawing_state {
    TH__DRAWING_BUSY,
    TH__DRAWING_MOVED,
    TH__DRAWING_DONE,
} th__drawing_state;

/* What was fetched. The texts are borrowed until the drawing is done or moved. */
typedef struct th__drawing_page {
    const char *name; /* for messages */
    const char *url;  /* NULL: a page without one */
    th_str body;
    bool offline;               /* the page may not load anything */
    th__buf headers;            /* of the response, as th__headers_copy makes them; handed over */
    struct curl_slist *cookies; /* of the session, as libcurl lists them, or NULL; handed over */
} th__drawing_page;

/* Borrows the options, the session and the handle. Nothing is started before the first page. */
th_status th__renderer_new(const th_feed_options *options, const th__session *session, CURLM *multi,
                           th__renderer **out, th_error *err);
/* Ends the browser. All drawings must have been freed. */
void th__renderer_free(th__renderer *renderer);

/* Queues a page. */
th_status th__renderer_draw(th__renderer *renderer, const th__drawing_page *page, th__drawing **out,
                            th_error *err);
void th__drawing_free(th__drawing *drawing);

/* Lets all drawings go on without waiting. Returns for how many ms there is nothing to do. */
uint64_t th__renderer_step(th__renderer *renderer);
/* Takes the end of a transfer; false if it is not a request of a page. */
bool th__renderer_finish(th__renderer *renderer, CURL *easy, CURLcode code);
/* What to wait for, besides the transfers; false if there is nothing. */
bool th__renderer_wait(const th__renderer *renderer, struct curl_waitfd *out);

th__drawing_state th__drawing_look(const th__drawing *drawing);
/* Where a page that moved wants to go, and with which cookies (or NULL). Borrowed until it is
 * answered. */
const char *th__drawing_target(const th__drawing *drawing, const char **cookies);
/* The page that it moved to, or none: then the drawing goes on with the page it has. */
void th__drawing_answer(th__drawing *drawing, const th__drawing_page *page);
void th__drawing_stay(th__drawing *drawing);
/* The result of one that is done: HTML in UTF-8, the URL it has by then (NULL if it had none) and
 * what a user should know about it (NULL: nothing). Caller frees what is handed over. */
th_status th__drawing_take(th__drawing *drawing, th__buf *html, char **url, char **note,
                           th_error *err);

/* ---- requests of pages ----------------------------------------------------------------------- */

typedef struct th__requests th__requests;

/* The answer to a request. All of it is borrowed during the call. */
typedef struct th__request_answer {
    uint32_t owner; /* as given */
    const char *id; /* as given */
    long code;      /* of HTTP; 0: there is no answer */
    th_str headers; /* "Name: value" and a NUL, one after the other */
    th_str body;
    const char *refused; /* the kind of the private address that was refused, or NULL */
    const char *url;
} th__request_answer;

typedef void th__request_done(void *context, const th__request_answer *answer);

th__requests *th__requests_new(const th_feed_options *options, const th__session *session,
                               CURLM *multi, th__request_done *done, void *context);
void th__requests_free(th__requests *requests);
/* Sends a request as the browser describes it. False if that is impossible. */
bool th__requests_send(th__requests *requests, uint32_t owner, const char *id,
                       const json_t *request, uint64_t max_bytes, uint64_t timeout_ms);
/* Gives up the requests of an owner. */
void th__requests_drop(th__requests *requests, uint32_t owner);
bool th__requests_finish(th__requests *requests, CURL *easy, CURLcode code);
/* The headers of a response that a browser may see: "Name: value" and a NUL, one after the other.
 */
void th__headers_copy(CURL *easy, th__buf *out);

/* ---- the browser ----------------------------------------------------------------------------- */

typedef struct th__browser th__browser;

/* Starts it without waiting for it, in a network namespace of its own if `apart`. */
th_status th__browser_start(bool apart, th__browser **out, th_error *err);
/* Ends it with all its processes, and removes its folder. */
void th__browser_free(th__browser *browser);
/* Sends a message, which is freed. */
void th__browser_send(th__browser *browser, json_t *message);
/* The next message, which the caller frees, or NULL if there is none yet. */
json_t *th__browser_next(th__browser *browser);
bool th__browser_ended(const th__browser *browser);
/* The last line that it wrote to standard error, or "". Borrowed until the next call. */
const char *th__browser_complaint(th__browser *browser);
void th__browser_wait(const th__browser *browser, struct curl_waitfd *out);
/* Ends the largest process that draws pages if it needs more than so many bytes. */
void th__browser_trim(const th__browser *browser, uint64_t max_bytes);

#endif
