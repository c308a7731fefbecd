/*
 * fetch.h: pages over HTTP, many at once, polite to each host.
 *
 * A fetch waits until its site's robots.txt is known and its host is free, runs, may be redirected
 * (and then waits again, for the new site) or fail for a time (and then waits for its next try),
 * and is done:
 *
 *     add ──▶ WAITING ──start──▶ RUNNING ──finish──▶ DONE ──take──▶
 *              ▲ ▲                  │    │            ▲
 *              │ └─redirect, retry──┘    └──DRAWING───┘ (if pages are rendered)
 *              └──a script leads to another page─┘
 */
#ifndef TH_FETCH_H
#define TH_FETCH_H

#include <thresh.h>

#include "base/str.h"

typedef struct th__fetcher th__fetcher;

typedef struct th__fetch th__fetch;

/* Borrows the options, which th__feed_options_copy made. */
th_status th__fetcher_new(const th_feed_options *options, th__fetcher **out, th_error *err);

/* Stops and frees everything, fetches that were not taken included. */
void th__fetcher_free(th__fetcher *fetcher);

/* Queues a URL. */
th_status th__fetcher_add(th__fetcher *fetcher, const char *url, th__fetch **out, th_error *err);

/* Draws a page that was not fetched, without loading anything, and puts the drawn one in its place.
 */
th_status th__fetcher_render(th__fetcher *fetcher, th_input **input, th_error *err);

/* Lets the fetches go on without waiting. */
void th__fetcher_poke(th__fetcher *fetcher);

/* Waits for a fetch, gives its page or its error, and frees it. */
th_status th__fetcher_take(th__fetcher *fetcher, th__fetch *fetch, th_input **out, th_error *err);

/*
 * Waits until any fetch is done and gives it; TH_DONE if none was added that has not been taken.
 * The fetch is then the caller's: th__fetch_free. Every step looks at all fetches that wait, so
 * keep them to some hundreds.
 */
th_status th__fetcher_take_any(th__fetcher *fetcher, th__fetch **out, th_error *err);

/* Asked before the redirect of a page is followed; false ends the fetch there, with TH_DONE in
 * place of a page. Without it all are followed. */
void th__fetcher_ask_redirects(th__fetcher *fetcher,
                               bool (*follow)(void *context, const th__fetch *fetch,
                                              const char *url),
                               void *context);

/* Of a fetch that take_any gave: its page (the caller's) or its error, once. */
th_status th__fetch_page(th__fetch *fetch, th_input **out, th_error *err);
void th__fetch_free(th__fetch *fetch);

/* What the caller wants to find again with a fetch. */
void th__fetch_set_tag(th__fetch *fetch, void *tag);
void *th__fetch_tag(const th__fetch *fetch);

/*
 * What was said over the network, for an archive: the last request of a fetch and its answer. The
 * header of the answer is as it came, but the body of the page has no transfer or content encoding
 * any more. Headers that hold secrets are left out: Authorization, Cookie, Set-Cookie and the like.
 */
typedef struct th__exchange {
    const char *url;     /* that answered: after redirects, without fragment */
    int status;          /* of HTTP; 0 without an answer */
    th_str request;      /* the first line and the headers, with the blank line; may be empty */
    th_str response;     /* the same */
    const char *address; /* of the server or the proxy, "192.0.2.1"; "" if unknown */
    uint32_t tries;      /* requests made for the page, redirects not counted */
    bool cached;         /* nothing was said: this is from the cache */
} th__exchange;

/* Of a fetch that is done. The views are borrowed from the fetch. */
void th__fetch_exchange(const th__fetch *fetch, th__exchange *out);

/* What a site's robots.txt allows us to fetch. */
typedef struct th__robots {
    th__buf rules;     /* one per line: '+' or '-' and the pattern, normalised */
    uint32_t delay_ms; /* Crawl-delay, which RFC 9309 does not know but many sites use; 0: none */
} th__robots;

/* Keeps the rules that hold for the agent (its product token: the letters, '-' and '_' that its
 * name begins with). The caller releases out->rules. */
th_status th__robots_parse(th_str text, th_str agent, th__robots *out, th_error *err);
/* Sets *yes if a path (with its query) may be fetched: the longest matching rule decides, Allow
 * wins a tie, no match allows. */
th_status th__robots_allow(const th__robots *robots, th_str path, bool *yes, th_error *err);

#endif
