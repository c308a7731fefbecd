/*
 * api_proposal.c: the repair that was proposed last, until it is taken or refused.
 *
 * A proposal is what came of a job, and stays there: a window that has looked at something else, or
 * was loaded anew, finds it again. It is of one wrapper and of some pages, and worth nothing for
 * others. Numbers of pages and versions are given again once they are free, so that what it is of
 * is marked by what the project has of them.
 */
#include "api_proposal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "asked.h"
#include "jobs.h"
#include "server.h"

/* FNV-1a: a mark tells apart what is there at different times, and keeps nobody out. */
static uint64_t mix(uint64_t mark, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < len; i++)
        mark = (mark ^ at[i]) * UINT64_C(1099511628211);
    return mark;
}

typedef struct marking {
    uint64_t mark;
    size_t count;
} marking;

static th_status mark_page(void *context, const th_project_page *page, th_error *err)
{
    marking *m = context;
    (void)err;
    if (m->count++ >= SERVE_MOST_PAGES)
        return TH_OK;
    m->mark = mix(m->mark, &page->id, sizeof page->id);
    m->mark = mix(m->mark, &page->size, sizeof page->size);
    m->mark = mix(m->mark, page->name.ptr, page->name.len);
    m->mark = mix(m->mark, page->added.ptr, page->added.len);
    return TH_OK;
}

th_status serve_proposal_mark(th_project *project, th_str site, th_str wrapper, uint32_t version,
                              char mark[SERVE_MARK_SIZE], th_error *err)
{
    th_text text = {0};
    marking m = {.mark = UINT64_C(14695981039346656037)};
    th_status status =
        th_project_wrapper_text(project, site, wrapper, version, &version, &text, err);
    if (!status) {
        m.mark = mix(m.mark, text.ptr, text.len);
        status = th_project_pages(project, site, false, mark_page, &m, err);
    }
    if (!status)
        snprintf(mark, SERVE_MARK_SIZE, "%016" PRIx64, m.mark);
    th_text_release(&text);
    return status;
}

/* The job that proposes or has proposed a repair of the latest version, null when there is none;
 * "current": its result is of that version and of the pages that the site has. */
void api_proposal(const serve_request *request, serve_answer *answer)
{
    char mark[SERVE_MARK_SIZE];
    th_error err;
    th_status status = serve_proposal_mark(request->project, th_str_from(request->parts[0]),
                                           th_str_from(request->parts[1]), 0, mark, &err);
    if (status) {
        serve_fail(answer, status, &err);
        return;
    }
    json_t *job =
        serve_jobs_last(request->server->jobs, "repair", request->parts[0], request->parts[1]);
    const char *of = json_string_value(json_object_get(json_object_get(job, "result"), "of"));
    bool current = of && !strcmp(of, mark);
    serve_reply(answer,
                json_pack("{s:o?,s:s?,s:b}", "job",
                          job ? json_incref(json_object_get(job, "id")) : NULL, "state",
                          json_string_value(json_object_get(job, "state")), "current", current));
    json_decref(job);
}

void api_forget_proposal(const serve_request *request, serve_answer *answer)
{
    serve_jobs_forget_results(request->server->jobs, "repair", request->parts[0],
                              request->parts[1]);
    serve_reply(answer, json_object());
}
