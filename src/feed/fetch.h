/*
 * fetch.h: pages over HTTP, many at once, polite to each host.
 *
 * A fetch waits until its site's robots.txt is known and its host is free, runs, may be redirected
 * (and then waits again, for the new site), and is done:
 *
 *     add ──▶ WAITING ──start──▶ RUNNING ──finish──▶ DONE ──take──▶
 *                ▲                  │
 *                └────redirect──────┘
 */
#ifndef TH_FETCH_H
#define TH_FETCH_H

#include <thresh.h>

#include "base/str.h"

typedef struct th__fetcher th__fetcher;

typedef struct th__fetch th__fetch;

/* Borrows the options. */
th_status th__fetcher_new(const th_feed_options *options, th__fetcher **out, th_error *err);

/* Stops and frees everything, fetches that were not taken included. */
void th__fetcher_free(th__fetcher *fetcher);

/* Queues a URL. */
th_status th__fetcher_add(th__fetcher *fetcher, const char *url, th__fetch **out, th_error *err);

/* Lets the fetches go on without waiting. */
void th__fetcher_poke(th__fetcher *fetcher);

/* Waits for a fetch, gives its page or its error, and frees it. */
th_status th__fetcher_take(th__fetcher *fetcher, th__fetch *fetch, th_input **out, th_error *err);

#endif
