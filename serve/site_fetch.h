/*
 * site_fetch.h: the pages of a site from the web: with their next pages, or again.
 *
 * A page that has changed is stored beside its earlier version. Each failure is listed with its
 * reason, and the rest goes on.
 */
#ifndef SERVE_SITE_FETCH_H
#define SERVE_SITE_FETCH_H

#include "jobs.h"

/* The result. Begin with {0}. */
typedef struct serve_fetched {
    json_t *pages;  /* ids of all pages that were read, as they are now */
    json_t *added;  /* of them, those that are new or have changed */
    json_t *failed; /* [{"url", "reason"}] */
    json_t *ended;  /* [{"url", "pages", "end", "why"}]: where the following of a URL ended */
    json_int_t fresh, changed, same;
} serve_fetched;

void serve_fetched_release(serve_fetched *fetched);
/* {"new", "changed", "same", "added", "failed", "ended"}: a new reference. */
json_t *serve_fetched_json(const serve_fetched *fetched);

/* Reads a URL and its next pages, at most `most`, and remembers that they were added so. `wrapper`,
 * which may be NULL, finds the next pages. */
th_status serve_fetch_next_pages(serve_job *job, th_project *project, th_str site, const char *url,
                                 uint32_t most, bool render, const th_wrapper *wrapper,
                                 serve_fetched *out, th_error *err);
/* Fetches a site again: the URLs that were added with their next pages in that way, then all other
 * pages that have a URL; or, unless `ids` is NULL, the pages of these ids alone. */
th_status serve_fetch_again(serve_job *job, th_project *project, th_str site, const json_t *ids,
                            const th_wrapper *wrapper, serve_fetched *out, th_error *err);

#endif
