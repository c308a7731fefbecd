/* api_check.h: holding pages against the profile of a wrapper. */
#ifndef SERVE_API_CHECK_H
#define SERVE_API_CHECK_H

#include "asked.h"
#include "jobs.h"

/* Gives a wrapper that has no profile one from the pages of the request's site. */
th_status serve_profile(const serve_request *request, th_wrapper *wrapper, th_error *err);

typedef struct serve_check_options {
    th_project_run run; /* what is kept: site, command, wrapper and its version */
    uint64_t failed;    /* pages that could not be had */
    bool drop_drifting; /* records of a wrapper that no longer reads its pages are not kept */
} serve_check_options;

/* Runs a wrapper on pages, keeps the records and the verdict as a run, and gives what `thresh
 * verify -f json` says, with the "run" and the pages that are "drifting". */
th_status serve_check_pages(serve_job *job, th_project *project, const serve_check_options *options,
                            const th_wrapper *wrapper, const serve_page_ids *pages, json_t **out,
                            th_error *err);

#endif
