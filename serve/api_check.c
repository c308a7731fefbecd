/*
 * api_check.c: does a wrapper still read what it was made for, and what would mend it.
 *
 * A wrapper gets its profile when it is saved, from the pages that the site has then. A check holds
 * the pages of later against it and is kept as a run with its verdicts; a repair is only proposed:
 * it becomes a version when somebody saves it. Both are jobs, since a site may have many pages.
 */
#include "api_check.h"

#include <stdint.h>
#include <stdlib.h>

#include "api.h"
#include "api_proposal.h"
#include "asked.h"
#include "drifting_pages.h"
#include "pages.h"
#include "server.h"

/* What is done with the pages, one after the other. A job is told how far it is, and may be
 * cancelled; `more` is what is to be done after the pages. */
typedef th_status (*page_work)(void *context, const serve_page *page, th_error *err);

static th_status each_page(th_project *project, serve_job *job, unsigned more,
                           const serve_page_ids *pages, page_work work, void *context,
                           th_error *err)
{
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < pages->count; i++) {
        serve_page page;
        status = serve_page_open(project, pages->ids[i], &page, err);
        if (!status)
            status = work(context, &page, err);
        serve_page_close(&page);
        if (!status && job && !serve_job_progress(job, i + 1, pages->count + more))
            status = TH_ERR_CANCELLED;
    }
    return status;
}

/* A check at work: what the wrapper gives goes into it, and into a run where there is one. */
typedef struct checking {
    const th_wrapper *wrapper;
    th_check *check;
    th_run *run;
    json_t *pages; /* what is to be seen on each alone, or NULL */
} checking;

static th_status check_page(void *context, const serve_page *page, th_error *err)
{
    checking *c = context;
    th_records *records = NULL;
    th_records_source source = serve_page_source(page);
    th_status status = th_wrapper_extract(c->wrapper, page->page, &source, &records, err);
    if (!status)
        status = th_check_add(c->check, page->page, records, err);
    if (!status && c->pages)
        status = serve_page_evidence(c->wrapper, page, records, c->pages, err);
    if (!status && c->run)
        status = th_run_add(c->run, records, err);
    th_records_free(records);
    return status;
}

th_status serve_profile(const serve_request *request, th_wrapper *wrapper, th_error *err)
{
    serve_page_ids pages = {0};
    checking c = {.wrapper = wrapper};
    if (th_wrapper_has_profile(wrapper))
        return TH_OK;
    th_status status = serve_asked_pages(request, &pages, err);
    if (!status && pages.count) {
        status = th_check_new(wrapper, true, &c.check, err);
        if (!status)
            status = each_page(request->project, NULL, 0, &pages, check_page, &c, err);
        if (!status)
            status = th_check_profile(c.check, wrapper, err);
    }
    th_check_free(c.check);
    free(pages.ids);
    return status;
}

static th_str site_of(const serve_job *job)
{
    return th_str_from(json_string_value(json_object_get(job->what, "site")));
}

/* A job on the wrapper that a request names, or has in it. */
static void add_job(const serve_request *request, serve_answer *answer, const char *kind,
                    th_status (*run)(serve_job *job, th_project *project, th_error *err))
{
    th_wrapper *wrapper = NULL;
    uint32_t version;
    th_error err;
    th_status status = serve_asked_wrapper(request->project, th_str_from(request->parts[0]),
                                           request->json, &wrapper, &version, &err);
    if (!status && !th_wrapper_has_profile(wrapper)) {
        status = TH_ERR_ARGUMENT;
        err = (th_error){TH_ERR_ARGUMENT, TH_NO_OFFSET,
                         "the wrapper has no profile to compare with: save it first"};
    }
    th_wrapper_free(wrapper);
    if (status) {
        serve_fail(answer, status, &err);
        return;
    }
    json_t *what = json_deep_copy(request->json);
    json_object_set_new(what, "site", json_string(request->parts[0]));
    int64_t id = serve_jobs_add(request->server->jobs, kind, what, run);
    answer->status = MHD_HTTP_ACCEPTED;
    serve_reply(answer, id ? json_pack("{s:I}", "job", (json_int_t)id) : NULL);
}

/* ---- verify ---------------------------------------------------------------------------------- */

static json_t *verdict_json(const th_verdict *verdict)
{
    th_text text = {0};
    json_t *json = !th_verdict_to_json(verdict, &text, NULL)
                       ? json_loadb(text.ptr, text.len, JSON_ALLOW_NUL, NULL)
                       : NULL;
    th_text_release(&text);
    return json;
}

static th_status keep_run(checking *c, const serve_check_options *options, size_t pages,
                          const th_verdict *verdict, json_t *out, th_error *err)
{
    int64_t id = 0;
    json_t *drifting = json_object_get(out, "drifting");
    char *seen = drifting ? json_dumps(drifting, JSON_COMPACT) : NULL;
    th_project_run totals = {.pages = pages,
                             .failed = options->failed,
                             .verdict = th_str_from(th_verdict_word(verdict))};
    th_status status = th_run_add_evidence(c->run, verdict, th_str_from(seen), err);
    if (!status && options->drop_drifting && th_verdict_drift(verdict))
        status = th_run_drop_records(c->run, err);
    if (!status)
        status = th_run_finish(c->run, &totals, &id, err);
    json_object_set_new(out, "run", json_integer(id));
    free(seen);
    return status;
}

static th_status end_check(checking *c, const serve_check_options *options, size_t pages,
                           json_t **out, th_error *err)
{
    th_verdict *verdict = NULL;
    th_status status = th_check_verdict(c->check, 0, &verdict, err);
    if (status)
        return status;
    *out = verdict_json(verdict);
    json_object_set_new(*out, "drifting", serve_drifting_pages(verdict, c->pages));
    status = keep_run(c, options, pages, verdict, *out, err);
    th_verdict_free(verdict);
    return status;
}

th_status serve_check_pages(serve_job *job, th_project *project, const serve_check_options *options,
                            const th_wrapper *wrapper, const serve_page_ids *pages, json_t **out,
                            th_error *err)
{
    checking c = {.wrapper = wrapper, .pages = json_array()};
    th_status status = th_check_new(wrapper, false, &c.check, err);
    if (!status)
        status = th_run_begin(project, &options->run, &c.run, err);
    if (!status)
        status = each_page(project, job, 0, pages, check_page, &c, err);
    if (!status)
        status = end_check(&c, options, pages->count, out, err);
    th_run_free(c.run);
    th_check_free(c.check);
    json_decref(c.pages);
    return status;
}

static th_status run_verify(serve_job *job, th_project *project, th_error *err)
{
    serve_page_ids pages = {0};
    th_wrapper *wrapper = NULL;
    const char *name = json_string_value(json_object_get(job->what, "wrapper"));
    serve_check_options options = {.run = {.site = site_of(job),
                                           .command = th_str_from("verify"),
                                           .wrapper = th_str_from(name ? name : "")}};
    th_status status = serve_asked_wrapper(project, options.run.site, job->what, &wrapper,
                                           &options.run.wrapper_version, err);
    if (!status)
        status = serve_asked_pages_of(project, options.run.site, job->what, SIZE_MAX, &pages, err);
    if (!status)
        status = serve_check_pages(job, project, &options, wrapper, &pages, &job->result, err);
    th_wrapper_free(wrapper);
    free(pages.ids);
    return status;
}

void api_verify(const serve_request *request, serve_answer *answer)
{
    add_job(request, answer, "verify", run_verify);
}

/* ---- repair ---------------------------------------------------------------------------------- */

static th_status repair_page(void *context, const serve_page *page, th_error *err)
{
    th_records_source source = serve_page_source(page);
    return th_repair_add(context, page->page, &source, err);
}

/* The outcome as the library tells it, with both verdicts, the wrapper that is proposed and what it
 * is of. */
static th_status repair_json(const th_repair *repair, const th_wrapper *mended, const char *mark,
                             json_t **out, th_error *err)
{
    th_text text = {0};
    th_status status = th_repair_to_json(repair, &text, err);
    *out = status ? NULL : json_loadb(text.ptr, text.len, JSON_ALLOW_NUL, NULL);
    if (!status)
        json_object_set_new(*out, "of", json_string(mark));
    if (!status && th_repair_before(repair))
        json_object_set_new(*out, "before", verdict_json(th_repair_before(repair)));
    if (!status && th_repair_after(repair))
        json_object_set_new(*out, "after", verdict_json(th_repair_after(repair)));
    if (!status && mended) {
        status = th_wrapper_write(mended, &text, err);
        if (!status)
            json_object_set_new(*out, "wrapper",
                                json_loadb(text.ptr, text.len, JSON_ALLOW_NUL, NULL));
        if (!status)
            status = th_wrapper_explain(mended, &text, err);
        if (!status)
            json_object_set_new(*out, "explain", serve_json((th_str){text.ptr, text.len}));
    }
    th_text_release(&text);
    return status;
}

/* Of very many pages the first are enough. What the repair is of is marked before it is read: a
 * change between the two makes a proposal that is of something else, never one that seems current.
 */
static th_status run_repair(serve_job *job, th_project *project, th_error *err)
{
    serve_page_ids pages = {0};
    th_repair *repair = NULL;
    th_wrapper *wrapper = NULL, *mended = NULL;
    char mark[SERVE_MARK_SIZE] = "";
    const char *name = json_string_value(json_object_get(job->what, "wrapper"));
    uint32_t version = (uint32_t)json_integer_value(json_object_get(job->what, "version"));
    /* A person sees what is lost and decides: the button says "without author". */
    th_repair_options options = {.cancel = serve_job_cancel(job), .allow_lost = true};
    th_status status = TH_OK;
    if (name)
        status = serve_proposal_mark(project, site_of(job), th_str_from(name), version, mark, err);
    if (status == TH_DONE) /* gone since: the wrapper's own error says so */
        status = TH_OK;
    if (!status)
        status = serve_asked_wrapper(project, site_of(job), job->what, &wrapper, &version, err);
    if (!status)
        status =
            serve_asked_pages_of(project, site_of(job), job->what, SERVE_MOST_PAGES, &pages, err);
    if (!status)
        status = th_repair_new(wrapper, &options, &repair, err);
    if (!status)
        status = each_page(project, job, 1, &pages, repair_page, repair, err);
    if (!status)
        status = th_repair_finish(repair, &mended, err);
    if (!status)
        status = repair_json(repair, mended, mark, &job->result, err);
    if (!status)
        serve_job_progress(job, pages.count + 1, pages.count + 1);
    th_wrapper_free(mended);
    th_repair_free(repair);
    th_wrapper_free(wrapper);
    free(pages.ids);
    return status;
}

void api_repair(const serve_request *request, serve_answer *answer)
{
    add_job(request, answer, "repair", run_repair);
}
