/*
 * api_check.c: does a wrapper still read what it was made for, and what would mend it.
 *
 * A wrapper gets its profile when it is saved, from the pages that the site has then. A check holds
 * the pages of later against it and is kept as a run with its verdicts; a repair is only proposed:
 * it becomes a version when somebody saves it.
 */
#include "api_check.h"

#include <stdlib.h>

#include "api.h"
#include "asked.h"
#include "pages.h"

/* What is done with the pages of a request, one after the other. */
typedef th_status (*page_work)(void *context, const serve_page *page, th_error *err);

static th_status each_page(th_project *project, const serve_page_ids *pages, page_work work,
                           void *context, th_error *err)
{
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < pages->count; i++) {
        serve_page page;
        status = serve_page_open(project, pages->ids[i], &page, err);
        if (!status)
            status = work(context, &page, err);
        serve_page_close(&page);
    }
    return status;
}

/* A check at work: what the wrapper gives goes into it, and into a run where there is one. */
typedef struct checking {
    const th_wrapper *wrapper;
    th_check *check;
    th_run *run;
} checking;

static th_status check_page(void *context, const serve_page *page, th_error *err)
{
    checking *c = context;
    th_records *records = NULL;
    th_records_source source = serve_page_source(page);
    th_status status = th_wrapper_extract(c->wrapper, page->page, &source, &records, err);
    if (!status)
        status = th_check_add(c->check, page->page, records, err);
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
            status = each_page(request->project, &pages, check_page, &c, err);
        if (!status)
            status = th_check_profile(c.check, wrapper, err);
    }
    th_check_free(c.check);
    free(pages.ids);
    return status;
}

/* ---- verify ---------------------------------------------------------------------------------- */

static json_t *verdict_json(const th_verdict *verdict)
{
    th_text text = {0};
    json_t *json =
        !th_verdict_to_json(verdict, &text, NULL) ? json_loadb(text.ptr, text.len, 0, NULL) : NULL;
    th_text_release(&text);
    return json;
}

/* Evidence as the verdicts of a run: one a field, the records first. */
static th_status keep_verdicts(th_run *run, json_t *verdict, th_error *err)
{
    json_t *evidence = json_object_get(verdict, "evidence"), *one;
    size_t index;
    th_status status = TH_OK;
    json_array_foreach(evidence, index, one)
    {
        const char *field = json_string_value(json_object_get(one, "field"));
        const char *word = json_is_true(json_object_get(one, "drift"))     ? "drift"
                           : json_is_true(json_object_get(one, "changed")) ? "changed"
                                                                           : "fine";
        char *words = json_dumps(one, JSON_COMPACT);
        if (!status && words)
            status = th_run_add_verdict(run, field ? th_str_from(field) : (th_str){0},
                                        th_str_from(word), th_str_from(words), err);
        free(words);
    }
    return status;
}

static th_status verify(const serve_request *request, const th_wrapper *wrapper, uint32_t version,
                        json_t **out, th_error *err)
{
    serve_page_ids pages = {0};
    checking c = {.wrapper = wrapper};
    th_verdict *verdict = NULL;
    int64_t id = 0;
    const char *name = serve_member(request, "wrapper");
    th_project_run info = {.site = th_str_from(request->parts[0]),
                           .command = th_str_from("verify"),
                           .wrapper = th_str_from(name ? name : ""),
                           .wrapper_version = version};
    th_status status = serve_asked_pages(request, &pages, err);
    if (!status)
        status = th_check_new(wrapper, false, &c.check, err);
    if (!status)
        status = th_run_begin(request->project, &info, &c.run, err);
    if (!status)
        status = each_page(request->project, &pages, check_page, &c, err);
    if (!status)
        status = th_check_verdict(c.check, 0, &verdict, err);
    if (!status) {
        *out = verdict_json(verdict);
        status = keep_verdicts(c.run, *out, err);
    }
    th_project_run totals = {.pages = pages.count,
                             .verdict = th_str_from(verdict ? th_verdict_word(verdict) : "fine")};
    if (!status)
        status = th_run_finish(c.run, &totals, &id, err);
    json_object_set_new(*out, "run", json_integer(id));
    th_verdict_free(verdict);
    th_run_free(c.run);
    th_check_free(c.check);
    free(pages.ids);
    return status;
}

void api_verify(const serve_request *request, serve_answer *answer)
{
    th_wrapper *wrapper = NULL;
    json_t *verdict = NULL;
    uint32_t version;
    th_error err;
    th_status status = serve_asked_wrapper(request->project, th_str_from(request->parts[0]),
                                           request->json, &wrapper, &version, &err);
    if (!status)
        status = verify(request, wrapper, version, &verdict, &err);
    if (status)
        serve_fail(answer, status, &err);
    else
        serve_reply(answer, json_incref(verdict));
    json_decref(verdict);
    th_wrapper_free(wrapper);
}

/* ---- repair ---------------------------------------------------------------------------------- */

static th_status repair_page(void *context, const serve_page *page, th_error *err)
{
    th_records_source source = serve_page_source(page);
    return th_repair_add(context, page->page, &source, err);
}

/* The outcome as the library tells it, with both verdicts and the wrapper that is proposed. */
static th_status repair_json(const th_repair *repair, const th_wrapper *mended, json_t **out,
                             th_error *err)
{
    th_text text = {0};
    th_status status = th_repair_to_json(repair, &text, err);
    *out = status ? NULL : json_loadb(text.ptr, text.len, 0, NULL);
    if (!status && th_repair_before(repair))
        json_object_set_new(*out, "before", verdict_json(th_repair_before(repair)));
    if (!status && th_repair_after(repair))
        json_object_set_new(*out, "after", verdict_json(th_repair_after(repair)));
    if (!status && mended) {
        status = th_wrapper_write(mended, &text, err);
        if (!status)
            json_object_set_new(*out, "wrapper", json_loadb(text.ptr, text.len, 0, NULL));
        if (!status)
            status = th_wrapper_explain(mended, &text, err);
        if (!status)
            json_object_set_new(*out, "explain", serve_json((th_str){text.ptr, text.len}));
    }
    th_text_release(&text);
    return status;
}

static th_status repair(const serve_request *request, const th_wrapper *wrapper, json_t **out,
                        th_error *err)
{
    serve_page_ids pages = {0};
    th_repair *repair = NULL;
    th_wrapper *mended = NULL;
    th_status status = serve_asked_pages(request, &pages, err);
    if (!status)
        status = th_repair_new(wrapper, NULL, &repair, err);
    if (!status)
        status = each_page(request->project, &pages, repair_page, repair, err);
    if (!status)
        status = th_repair_finish(repair, &mended, err);
    if (!status)
        status = repair_json(repair, mended, out, err);
    th_wrapper_free(mended);
    th_repair_free(repair);
    free(pages.ids);
    return status;
}

void api_repair(const serve_request *request, serve_answer *answer)
{
    th_wrapper *wrapper = NULL;
    json_t *outcome = NULL;
    uint32_t version;
    th_error err;
    th_status status = serve_asked_wrapper(request->project, th_str_from(request->parts[0]),
                                           request->json, &wrapper, &version, &err);
    if (!status)
        status = repair(request, wrapper, &outcome, &err);
    if (status)
        serve_fail(answer, status, &err);
    else
        serve_reply(answer, json_incref(outcome));
    json_decref(outcome);
    th_wrapper_free(wrapper);
}
