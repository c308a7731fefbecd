/* asked.h: what a request is about: its pages, its wrapper, the settings of papers. */
#ifndef SERVE_ASKED_H
#define SERVE_ASKED_H

#include "jobs.h"

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

/* A page of the project, parsed. */
typedef struct serve_page {
    th_input *input; /* its bytes, which the page borrows */
    th_page *page;
} serve_page;

/* TH_DONE when there is none of that id. Close it. */
th_status serve_page_open(th_project *project, int64_t id, serve_page *out, th_error *err);
void serve_page_close(serve_page *page);
/* The name and the URL that its records get. */
th_records_source serve_page_source(const serve_page *page);

/* Does some work on each page, parsed. Reports the progress of a job, with `more` steps that follow
 * the pages, and may be cancelled; NULL: there is none. */
typedef th_status (*serve_page_work)(void *context, int64_t id, const serve_page *page,
                                     th_error *err);
th_status serve_each_page(th_project *project, const serve_page_ids *pages, serve_job *job,
                          unsigned more, serve_page_work work, void *context, th_error *err);

/* What the papers leave to their users, by the names of th_paper_options, "paper" for published;
 * what is not there keeps its value. The text of "encoding" lives as long as the request. */
th_status serve_asked_paper(const json_t *json, th_paper_options *out, th_error *err);

/* The wrapper of a request: in it ("wrapper"), or by name and "version"; *version gets which it
 * is, 0 for one that is in the request. Caller frees. */
th_status serve_asked_wrapper(th_project *project, th_str site, const json_t *json,
                              th_wrapper **out, uint32_t *version, th_error *err);
/* The same for a request to a site, of whatever version. */
th_status serve_request_wrapper(const serve_request *request, th_wrapper **out, th_error *err);

#endif
