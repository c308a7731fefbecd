/* fetch_parts.h: what a fetcher is made of, besides the session: a cache, an archive, a renderer.
 */
#ifndef TH_FETCH_PARTS_H
#define TH_FETCH_PARTS_H

#include <time.h>

#include "feed/session.h"

/* ---- the cache ------------------------------------------------------------------------------- */

/*
 * The cache (fetch.c): a folder that keeps what was fetched.
 *
 * An answer is a file, named by a hash of its URL and of what was sent with it, in one of 256
 * folders:
 *
 *     thresh-cache 1 6c62272e07bb0142         a checksum of all that follows
 *     url http://shop.example/lamps
 *     variant 9ae16a3b2f90404f                what was sent, as a hash: other headers, another page
 *     status 200
 *     stored 1763318000000000                 microseconds since 1970
 *     fresh 1763318600000000                  until then the server need not be asked
 *     address 192.0.2.1
 *     sizes 120 300 5000                      of the three parts below
 *                                             (blank)
 *     the header of the request, that of the answer, the body
 *
 * Files are replaced whole, so that neither a kill nor another process leaves half of one; one that
 * is damaged all the same is as good as none, and is fetched again.
 */
typedef struct th__fetch_cache {
    const char *folder;  /* NULL: there is none; borrowed */
    uint64_t begun;      /* when this run began: what was stored since is used as it is */
    uint64_t max_age_us; /* and so is what is younger than this, whatever the server says */
} th__fetch_cache;

typedef struct th__cached {
    th__buf file; /* owns what the views show */
    th_str url, address, request, response;
    th_str body;      /* of a redirect: the URL it leads to */
    th_str tag, date; /* its ETag and Last-Modified, to ask the server with; may be absent */
    uint64_t variant, stored, fresh;
    int status;
    bool is_fresh; /* the server need not be asked */
} th__cached;

/* Makes the folder if needed. Borrows its name. */
th_status th__fetch_cache_open(th__fetch_cache *cache, const char *folder, uint64_t max_age_s,
                               th_error *err);

/* The answer for a URL; false if there is none, or only a damaged one. The caller releases
 * out->file. */
bool th__fetch_cache_find(const th__fetch_cache *cache, th_str url, uint64_t variant,
                          uint64_t max_bytes, th__cached *out);
/* Keeps an answer: sets `stored` and, unless the header says nothing, `fresh`. */
th_status th__fetch_cache_store(const th__fetch_cache *cache, th__cached *answer, th_str header,
                                th_error *err);

/* A hash of what is sent to a site and may make a difference to its pages; secrets are not in it.
 */
uint64_t th__fetch_variant(const th__session *session, th_str site, const char *user_agent);

/* Reads the text of a file, whose views then borrow it; false if it is damaged. */
bool th__cached_parse(th_str text, th__cached *out);

/* ---- logins ---------------------------------------------------------------------------------- */

/* Appends the form of a login, as it is sent, with a NUL. `page`, which may be absent, is the page
 * that has the form: its hidden fields are sent too. */
th_status th__login_add_form(const th__login *login, th_str page, th__buf *out, th_error *err);

/* ---- the archive ----------------------------------------------------------------------------- */

/*
 * The archive (warc_write.c): keeps what was fetched as WARC.
 *
 *     warcinfo | response | request | response | request | ...       one gzip member each
 *
 * WARC/1.1 (ISO 28500:2017) with SHA-1 digests of blocks and payloads. A response and its request
 * are appended by one write, so that a process that dies leaves at most a torn tail. The next one
 * to open the archive cuts that off and goes on behind the last whole record. Two processes cannot
 * write to one archive at once.
 */
typedef struct th__warc_writer th__warc_writer;

/* What was said over the network. */
typedef struct th__warc_exchange {
    const char *url;
    const char *address;      /* of the server; "" if not known */
    th_str request, response; /* first line and headers, with the blank line */
    th_str body;              /* without transfer and content encoding, whole */
    time_t when;              /* 0: now */
} th__warc_exchange;

/* Opens an archive to add to, or makes it. `agent` is written into it. Caller closes. */
th_status th__warc_open(const char *path, const char *agent, th__warc_writer **out, th_error *err);
/* Adds an exchange. After a failure the archive is as it was before it. */
th_status th__warc_add(th__warc_writer *warc, const th__warc_exchange *exchange, th_error *err);
/* Frees; may be NULL. */
void th__warc_close(th__warc_writer *warc);

/* ---- the renderer ---------------------------------------------------------------------------- */

/*
 * The renderer (render.c): pages drawn by JavaScript, in a browser without a network.
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

/* Embedded, with the first three given. Nothing is started before the first page. */
typedef struct th__renderer {
    const th_feed_options *options; /* borrowed, as the next two */
    th__session *session;
    CURLM *multi;
    struct th__browser *browser; /* NULL: not started, or ended */
    bool answered;               /* this browser has sent something */
    bool plain;                  /* it does not start in a network namespace of its own */
    th__drawing *first;          /* all drawings */
    uint64_t commands;           /* sent so far */
    uint64_t trimmed;            /* ms */
    th_status broken;            /* there is no browser: what starting it gave */
    th_error breakdown;          /* and why */
} th__renderer;

/* Ends the browser. All drawings must have been freed. */
void th__renderer_release(th__renderer *renderer);
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
