/*
 * render.h: pages drawn by JavaScript, in a browser without a network.
 *
 *     fetch.c ──page──▶ render.c ──commands──▶ Chromium
 *        ▲                 │ ▲                     │
 *        └──moved to──────┘ └─requests of the page─┘
 *                             libcurl sends them
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
#include <thresh.h>

#include "feed/session.h"

typedef struct th__renderer th__renderer;

/* A page in the browser, or on its way there:
 *
 *     draw ──▶ busy ──▶ done
 *               │ ▲
 *               ▼ │ draw
 *              moved: the page went on to another one, which is to be fetched
 */
typedef struct th__drawing th__drawing;

/* What was fetched. The texts are borrowed until the drawing is done or moved. */
typedef struct th__drawing_page {
    const char *name; /* for messages */
    const char *url;  /* NULL: a page without one */
    th_str body;
    bool offline; /* the page may not load anything */
    CURL *easy;   /* the transfer whose headers and cookies are the page's, or NULL; used at once */
    th_str type;  /* without one: the Content-Type, or absent; used at once */
} th__drawing_page;

/* How far a drawing is. All of it is borrowed. */
typedef struct th__drawing_view {
    bool moved, done;         /* neither: it is busy */
    const char *to, *cookies; /* where a page that moved wants to go, and with what (or NULL) */
    /* when done: */
    th_status status;
    const th_error *error;
    th__buf *html;   /* in UTF-8; may be taken */
    const char *url; /* that it has by then; NULL if it had none */
    char **note;     /* what a user should know about it, or NULL; may be taken */
} th__drawing_view;

/* Borrows the options, the session and the handle. Nothing is started before the first page. */
th_status th__renderer_new(const th_feed_options *options, const th__session *session, CURLM *multi,
                           th__renderer **out, th_error *err);
/* Ends the browser. All drawings must have been freed. */
void th__renderer_free(th__renderer *renderer);
/* Lets all drawings go on without waiting. Returns for how many ms there is nothing to do, and what
 * to wait for besides the transfers (its fd is -1 if there is nothing). */
uint64_t th__renderer_step(th__renderer *renderer, struct curl_waitfd *wait);

/* Queues a page if *drawing is NULL. Otherwise the drawing has moved: gives it the page that it
 * moved to or, with NULL, lets it go on with the page that it has. */
th_status th__renderer_draw(th__renderer *renderer, const th__drawing_page *page,
                            th__drawing **drawing, th_error *err);
th__drawing_view th__drawing_look(th__drawing *drawing);
void th__drawing_free(th__drawing *drawing);

#endif
