/*
 * api_check.c: does a wrapper still read what it was made for, and what would repair it.
 *
 * A wrapper gets its profile when it is saved, from the pages that the site has then. A check
 * compares later pages with it and is kept as a run with its verdicts; a repair is only proposed:
 * it becomes a version when somebody saves it. Both are jobs, since a site may have many pages.
 */
#include "api_check.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "asked.h"
#include "server.h"

/* ---- on which pages a verdict shows ---------------------------------------------------------- */

/*
 * A verdict is about all pages together, since one page alone says little. Each page is compared
 * with the profile by itself, and is one of those that drift or have changed when what is seen
 * there is what the verdict is about.
 */

/* What values look like may differ on one page by chance: it counts where chance is less likely
 * than not. Every sign is looked at first, however likely. */
#define LIKELY 0.5
#define ANY    0.999999

/* A field that has no value on the page needs no statistics to be seen. */
static bool is_missing(const th_evidence *evidence)
{
    return !strcmp(evidence->test, "missing") && !evidence->example_count;
}

/* Nor does a field none of whose values begins or ends as any did before: statistics say little
 * about a single value, and only fields that the whole verdict names are reported in the end. */
static bool is_unlike(const th_evidence *evidence)
{
    static const char none[] = "0% ";
    return (!strcmp(evidence->test, "begin") || !strcmp(evidence->test, "end")) &&
           evidence->words.len >= sizeof none - 1 &&
           !memcmp(evidence->words.ptr, none, sizeof none - 1);
}

static json_t *seen_fields(const th_verdict *verdict, json_t **words)
{
    json_t *fields = json_array();
    for (size_t i = 0; i < th_verdict_count(verdict); i++) {
        const th_evidence *evidence = th_verdict_get(verdict, i);
        bool told = (evidence->drift || evidence->changed) && evidence->p <= LIKELY;
        if (!is_missing(evidence) && !is_unlike(evidence) && !told)
            continue;
        json_array_append_new(fields, serve_json(evidence->path));
        if (!*words)
            *words = serve_json(evidence->words);
    }
    return fields;
}

/* Appends what differs on one page; nothing when it looks as it should. */
static th_status add_page_evidence(const th_wrapper *wrapper, const serve_page *page,
                                   const th_records *records, json_t *pages, th_error *err)
{
    th_check *check = NULL;
    th_verdict *verdict = NULL;
    json_t *words = NULL;
    th_status status = th_check_new(wrapper, false, &check, err);
    if (!status)
        status = th_check_add(check, page->page, records, err);
    if (!status)
        status = th_check_verdict(check, ANY, &verdict, err);
    if (!status) {
        json_t *fields = seen_fields(verdict, &words);
        if (json_array_size(fields))
            json_array_append_new(pages, json_pack("{s:o,s:O,s:O}", "page",
                                                   serve_json(th_input_name(page->input)), "fields",
                                                   fields, "words", words));
        json_decref(fields);
    }
    json_decref(words);
    th_verdict_free(verdict);
    th_check_free(check);
    return status;
}

/* Returns true if the verdict is about a field: one that drifts, or without any drift one that has
 * changed. */
static bool is_about(const th_verdict *verdict, const json_t *field)
{
    bool drift = th_verdict_drift(verdict);
    const char *name = json_string_value(field);
    for (size_t i = 0; i < th_verdict_count(verdict); i++) {
        const th_evidence *evidence = th_verdict_get(verdict, i);
        bool same = name ? evidence->path.ptr && evidence->path.len == strlen(name) &&
                               !memcmp(evidence->path.ptr, name, evidence->path.len)
                         : !evidence->path.ptr;
        if (same && (evidence->drift || (evidence->changed && !drift)))
            return true;
    }
    return false;
}

/* [{"page", "fields": [PATH], "words"}] of the pages on which a verdict shows; the records as a
 * whole are null among the fields. */
static json_t *drifting_pages(const th_verdict *verdict, const json_t *pages)
{
    json_t *out = json_array(), *page, *field;
    size_t index, at;
    bool drift = th_verdict_drift(verdict);
    json_array_foreach(pages, index, page)
    {
        json_t *seen = json_array();
        json_array_foreach(json_object_get(page, "fields"), at, field)
        {
            if ((drift && json_is_null(field)) || is_about(verdict, field))
                json_array_append(seen, field);
        }
        if (json_array_size(seen))
            json_array_append_new(out, json_pack("{s:O,s:O,s:O}", "page",
                                                 json_object_get(page, "page"), "fields", seen,
                                                 "words", json_object_get(page, "words")));
        json_decref(seen);
    }
    return out;
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* A check at work: what the wrapper gives goes into it, and into a run where there is one. */
typedef struct checking {
    const th_wrapper *wrapper;
    th_check *check;
    th_run *run;
    json_t *pages; /* what differs on each page alone, or NULL */
} checking;

static th_status check_page(void *context, int64_t id, const serve_page *page, th_error *err)
{
    checking *c = context;
    th_records *records = NULL;
    th_records_source source = serve_page_source(page);
    th_status status = th_wrapper_extract(c->wrapper, page->page, &source, &records, err);
    if (!status)
        status = th_check_add(c->check, page->page, records, err);
    if (!status && c->pages)
        status = add_page_evidence(c->wrapper, page, records, c->pages, err);
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
            status = serve_each_page(request->project, &pages, NULL, 0, check_page, &c, err);
        if (!status)
            status = th_check_profile(c.check, wrapper, err);
    }
    th_check_free(c.check);
    free(pages.ids);
    return status;
}

/* A job on the wrapper that a request names, or has in it. */
static void start_job(const serve_request *request, serve_answer *answer, const char *kind,
                      th_status (*run)(serve_job *job, th_project *project, th_error *err))
{
    th_wrapper *wrapper = NULL;
    th_error err;
    th_status status = serve_request_wrapper(request, &wrapper, &err);
    if (!status && !th_wrapper_has_profile(wrapper))
        status = serve_error(&err, TH_ERR_ARGUMENT,
                             "the wrapper has no profile to compare with: save it first");
    th_wrapper_free(wrapper);
    if (status) {
        serve_fail(answer, status, &err);
        return;
    }
    json_t *what = json_deep_copy(request->json);
    json_object_set_new(what, "site", json_string(request->parts[0]));
    serve_start_job(request, answer, kind, what, run);
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
    json_object_set_new(*out, "drifting", drifting_pages(verdict, c->pages));
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
        status = serve_each_page(project, pages, job, 0, check_page, &c, err);
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
    serve_check_options options = {.run = {.site = serve_job_site(job),
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
    start_job(request, answer, "verify", run_verify);
}

/* ---- proposals ------------------------------------------------------------------------------- */

/*
 * A proposal is the result of a job and stays there: a window that has looked at something else, or
 * was loaded anew, finds it again. It is for one wrapper and some pages, and worth nothing for
 * others. Numbers of pages and versions are given again once they are free, so the wrapper and the
 * pages are marked by what the project has of them: another mark when either is another.
 */
enum { MARK_SIZE = 17 /* 16 digits */ };

/* FNV-1a: a mark is not a secret. */
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
    if (m->count++ >= SERVE_MOST_PAGES)
        return TH_OK;
    m->mark = mix(m->mark, &page->id, sizeof page->id);
    m->mark = mix(m->mark, &page->size, sizeof page->size);
    m->mark = mix(m->mark, page->name.ptr, page->name.len);
    m->mark = mix(m->mark, page->added.ptr, page->added.len);
    return TH_OK;
}

/* Marks a wrapper (version 0: the latest) and the pages that a repair of it looks at. */
static th_status proposal_mark(th_project *project, th_str site, th_str wrapper, uint32_t version,
                               char mark[MARK_SIZE], th_error *err)
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
        snprintf(mark, MARK_SIZE, "%016" PRIx64, m.mark);
    th_text_release(&text);
    return status;
}

/* ---- repair ---------------------------------------------------------------------------------- */

static th_status repair_page(void *context, int64_t id, const serve_page *page, th_error *err)
{
    th_records_source source = serve_page_source(page);
    return th_repair_add(context, page->page, &source, err);
}

/* The outcome as the library writes it, with both verdicts, the proposed wrapper and its mark. */
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

/* Of very many pages the first are enough. The wrapper and the pages are marked before they are
 * read: after a change between the two the mark is an old one, so the proposal never seems current.
 */
static th_status run_repair(serve_job *job, th_project *project, th_error *err)
{
    serve_page_ids pages = {0};
    th_repair *repair = NULL;
    th_wrapper *wrapper = NULL, *mended = NULL;
    char mark[MARK_SIZE] = "";
    const char *name = json_string_value(json_object_get(job->what, "wrapper"));
    uint32_t version = (uint32_t)json_integer_value(json_object_get(job->what, "version"));
    /* A person sees what is lost and decides: the button says "without author". */
    th_repair_options options = {.cancel = serve_job_cancel(job), .allow_lost = true};
    th_status status = TH_OK;
    if (name)
        status = proposal_mark(project, serve_job_site(job), th_str_from(name), version, mark, err);
    if (status == TH_DONE) /* gone since: the wrapper's own error says so */
        status = TH_OK;
    if (!status)
        status =
            serve_asked_wrapper(project, serve_job_site(job), job->what, &wrapper, &version, err);
    if (!status)
        status = serve_asked_pages_of(project, serve_job_site(job), job->what, SERVE_MOST_PAGES,
                                      &pages, err);
    if (!status)
        status = th_repair_new(wrapper, &options, &repair, err);
    if (!status)
        status = serve_each_page(project, &pages, job, 1, repair_page, repair, err);
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
    start_job(request, answer, "repair", run_repair);
}

/* The job that proposes or has proposed a repair of the latest version, null when there is none;
 * "current": its result is of that version and of the pages that the site has. */
void api_proposal(const serve_request *request, serve_answer *answer)
{
    char mark[MARK_SIZE];
    th_error err;
    th_status status = proposal_mark(request->project, serve_site(request),
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
