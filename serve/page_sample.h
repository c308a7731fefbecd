/*
 * page_sample.h: pages that are learnt from together, without labels.
 *
 * What a site has are pages of several templates, and a wrapper is for one: pages are put into
 * clusters first, and one of these is learnt from, as `thresh learn` does it.
 */
#ifndef SERVE_PAGE_SAMPLE_H
#define SERVE_PAGE_SAMPLE_H

#include "asked.h"
#include "pages.h"

typedef struct serve_sample {
    serve_page *pages;
    int64_t *ids;
    size_t count;
    size_t clusters;    /* how many templates they are of; 0: of none that two share */
    const char *engine; /* that fits: the one that was given, or what the pages are. Static, or of
                           the request */
} serve_sample;

/* The pages of the request's "cluster" (from 1, the largest), with what is left out in `notes`.
 * Where no two pages are alike, all of them. Release it also when it fails. */
th_status serve_sample_make(const serve_request *request, const char *engine, json_t *notes,
                            serve_sample *out, th_error *err);
th_status serve_sample_learn(const serve_sample *sample, th_learner *learner, th_error *err);
void serve_sample_release(serve_sample *sample);

#endif
