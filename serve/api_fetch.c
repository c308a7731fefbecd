/* api_fetch.c: pages from the web: a URL with its next pages, and pages again. */
#include "api.h"
#include "server.h"
#include "site_fetch.h"

enum { MOST_FOLLOWED = 100000, DEFAULT_FOLLOWED = 10 };

/* A job that could read nothing has failed, with the reason of the first page. */
static th_status conclude(serve_job *job, serve_fetched *fetched, th_status status, th_error *err)
{
    const json_t *first = json_array_get(fetched->failed, 0);
    if (!status && first && !json_array_size(fetched->pages))
        status = serve_error(err, TH_ERR_NETWORK, "%s: %s",
                             json_string_value(json_object_get(first, "url")),
                             json_string_value(json_object_get(first, "reason")));
    if (!status)
        job->result = serve_fetched_json(fetched);
    serve_job_say(job, "%s", "");
    serve_fetched_release(fetched);
    return status;
}

static th_status run_follow(serve_job *job, th_project *project, th_error *err)
{
    serve_fetched fetched = {0};
    th_status status = serve_fetch_next_pages(
        job, project, serve_job_site(job), json_string_value(json_object_get(job->what, "url")),
        (uint32_t)json_integer_value(json_object_get(job->what, "most")),
        json_is_true(json_object_get(job->what, "render")), NULL, &fetched, err);
    return conclude(job, &fetched, status, err);
}

void api_follow(const serve_request *request, serve_answer *answer)
{
    const char *url = serve_member(request, "url");
    json_t *most = json_object_get(request->json, "pages");
    json_int_t pages = most ? json_integer_value(most) : DEFAULT_FOLLOWED;
    bool render = json_is_true(json_object_get(request->json, "render"));
    if (!url || !serve_is_url(th_str_from(url))) {
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST,
                     "\"url\" must be an address that begins with http:// or https://");
        return;
    }
    if (pages < 1 || pages > MOST_FOLLOWED) {
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST, "\"pages\" must be a number from 1 to %d",
                     MOST_FOLLOWED);
        return;
    }
    serve_start_job(request, answer, "follow",
                    json_pack("{s:s,s:s,s:I,s:b}", "site", request->parts[0], "url", url, "most",
                              pages, "render", render),
                    run_follow);
}

static th_status run_fetch(serve_job *job, th_project *project, th_error *err)
{
    serve_fetched fetched = {0};
    th_status status = serve_fetch_again(job, project, serve_job_site(job),
                                         json_object_get(job->what, "pages"), NULL, &fetched, err);
    return conclude(job, &fetched, status, err);
}

void api_fetch_again(const serve_request *request, serve_answer *answer)
{
    json_t *ids = json_object_get(request->json, "pages");
    if (ids && !json_array_size(ids)) {
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST, "\"pages\" must be a list of ids");
        return;
    }
    json_t *what = json_pack("{s:s}", "site", request->parts[0]);
    if (ids)
        json_object_set(what, "pages", ids);
    serve_start_job(request, answer, "fetch", what, run_fetch);
}

/* ---- sources --------------------------------------------------------------------------------- */

static th_status put_source(void *context, const th_project_source *source, th_error *err)
{
    return serve_append(context,
                        json_pack("{s:o,s:I,s:b}", "url", serve_json(source->url), "pages",
                                  (json_int_t)source->pages, "render", source->render),
                        err);
}

void api_sources(const serve_request *request, serve_answer *answer)
{
    th_error err;
    json_t *list = json_array();
    th_status status =
        th_project_sources(request->project, serve_site(request), put_source, list, &err);
    if (!status) {
        serve_reply(answer, json_pack("{s:o,s:b}", "sources", list, "can_render", th_can_render()));
        return;
    }
    json_decref(list);
    serve_fail(answer, status, &err);
}

/* {"url"}: it is an ordinary page from now on. */
void api_remove_source(const serve_request *request, serve_answer *answer)
{
    const char *url = serve_member(request, "url");
    bool removed = false;
    th_error err;
    if (!url) {
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST, "a source is named by its \"url\"");
        return;
    }
    th_status status = th_project_remove_source(request->project, serve_site(request),
                                                th_str_from(url), &removed, &err);
    if (status)
        serve_fail(answer, status, &err);
    else
        serve_reply(answer, json_pack("{s:b}", "removed", removed));
}
