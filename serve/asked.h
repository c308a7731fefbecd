/* asked.h: the pages and the wrapper that a request is about. */
#ifndef SERVE_ASKED_H
#define SERVE_ASKED_H

#include "routes.h"

enum { SERVE_MOST_PAGES = 1000 /* that are learnt from, or shown, in one request */ };

typedef struct serve_page_ids {
    int64_t *ids; /* to be freed */
    size_t count, cap, most;
} serve_page_ids;

/* The pages that a request names by id ("pages"), or the latest of its site; the first
 * SERVE_MOST_PAGES of them. */
th_status serve_asked_pages(const serve_request *request, serve_page_ids *out, th_error *err);
/* The same of a job: `json` is what was asked, and `most` how many are enough. */
th_status serve_asked_pages_of(th_project *project, th_str site, const json_t *json, size_t most,
                               serve_page_ids *out, th_error *err);

/* What the papers leave to their users, by the names of th_paper_options, "paper" for published;
 * what is not there keeps its value. The text of "encoding" lives as long as the request. */
th_status serve_asked_paper(const json_t *json, th_paper_options *out, th_error *err);

/* The wrapper of a request: in it ("wrapper"), or by name and "version"; *version tells which it
 * is, 0 for one that is in the request. Caller frees. */
th_status serve_asked_wrapper(th_project *project, th_str site, const json_t *json,
                              th_wrapper **out, uint32_t *version, th_error *err);

#endif
