/* api_project.c: what is in the project, and putting things in. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "api_check.h"
#include "server.h"

void api_status(const serve_request *request, serve_answer *answer)
{
    char see[80];
    snprintf(see, sizeof see, "/see/%s", request->server->key);
    serve_reply(answer, json_pack("{s:s,s:o,s:s,s:I,s:b}", "version", th_version(), "project",
                                  serve_json(th_str_from(request->server->project_path)), "see",
                                  see, "max_upload", (json_int_t)request->server->max_upload,
                                  "proves", request->server->proves));
}

/* ---- sites ----------------------------------------------------------------------------------- */

static th_status put_site(void *context, const th_project_site *site, th_error *err)
{
    return serve_append(context,
                        json_pack("{s:o,s:I,s:I,s:I,s:I}", "name", serve_json(site->name), "pages",
                                  (json_int_t)site->pages, "labels", (json_int_t)site->labels,
                                  "wrappers", (json_int_t)site->wrappers, "runs",
                                  (json_int_t)site->runs),
                        err);
}

void api_sites(const serve_request *request, serve_answer *answer)
{
    th_error err;
    json_t *list = json_array();
    serve_reply_list(answer, "sites", list,
                     th_project_sites(request->project, put_site, list, &err), &err);
}

void api_remove_site(const serve_request *request, serve_answer *answer)
{
    th_error err;
    bool removed = false;
    th_status status =
        th_project_remove_site(request->project, serve_site(request), &removed, &err);
    if (status)
        serve_fail(answer, status, &err);
    else if (!removed)
        serve_refuse(answer, MHD_HTTP_NOT_FOUND, "no site of that name");
    else
        serve_reply(answer, json_object());
}

/* ---- pages ----------------------------------------------------------------------------------- */

static th_status put_page(void *context, const th_project_page *page, th_error *err)
{
    return serve_append(context,
                        json_pack("{s:I,s:o,s:o,s:o,s:I,s:b,s:b}", "id", (json_int_t)page->id,
                                  "name", serve_json(page->name), "url", serve_json(page->url),
                                  "added", serve_json(page->added), "size", (json_int_t)page->size,
                                  "latest", page->latest, "labelled", page->labelled),
                        err);
}

void api_pages(const serve_request *request, serve_answer *answer)
{
    th_error err;
    json_t *list = json_array();
    const char *all = serve_query(request, "all");
    serve_reply_list(answer, "pages", list,
                     th_project_pages(request->project, serve_site(request),
                                      all && !strcmp(all, "1"), put_page, list, &err),
                     &err);
}

static void publish_pages(const serve_request *request)
{
    serve_publish(request->server->jobs, "pages", json_pack("{s:s}", "site", request->parts[0]));
}

/* {"pages": [ID, ...]}: all of them or none. Pages that are gone already are not an error. */
void api_remove_pages(const serve_request *request, serve_answer *answer)
{
    json_t *ids = json_object_get(request->json, "pages"), *id;
    size_t index;
    json_int_t count = 0;
    th_error err;
    th_status status = th_project_begin(request->project, &err);
    json_array_foreach(ids, index, id)
    {
        bool removed = false;
        if (!status)
            status =
                th_project_remove_page(request->project, json_integer_value(id), &removed, &err);
        count += removed;
    }
    if (!status)
        status = th_project_commit(request->project, &err);
    if (status)
        serve_fail(answer, status, &err);
    else
        serve_reply(answer, json_pack("{s:I}", "removed", count));
    if (!status && count)
        publish_pages(request);
}

/* One input that could not be read: messages begin with its name. */
static json_t *failure(const char *message)
{
    const char *colon = strstr(message, ": ");
    size_t len = colon ? (size_t)(colon - message) : 0;
    return json_pack("{s:o,s:o}", "input", serve_json((th_str){message, len}), "reason",
                     serve_json(th_str_from(colon ? colon + 2 : message)));
}

/* Reads all pages into the project. A feed's error is of one page and is listed; pages that were
 * read before the job was cancelled are kept. */
static th_status add_feed(serve_job *job, th_project *project, th_feed *feed, serve_looks *looks,
                          th_error *err)
{
    enum { MOST_FAILURES = 1000 };
    th_str site = serve_job_site(job);
    uint64_t done = 0, failed = 0;
    json_t *failures = json_array();
    th_status status = TH_OK;
    for (bool more = true; !status && more; more = more && serve_job_progress(job, done, 0)) {
        th_input *input;
        th_error problem;
        th_status read = th_feed_next(feed, &input, &problem);
        more = read != TH_DONE && read != TH_ERR_CANCELLED;
        if (!read) {
            serve_looks_read(looks, input);
            status = th_project_queue_page(project, site, input, err);
            done += !status;
        } else if (more && failed++ < MOST_FAILURES) {
            json_array_append_new(failures, failure(problem.message));
        }
    }
    if (!status)
        status = th_project_add_queued(project, NULL, NULL, err);
    if (!status)
        serve_looks_finish(looks);
    if (!status && failed)
        serve_job_say(job, "%llu could not be read", (unsigned long long)failed);
    job->result = json_pack("{s:o,s:I}", "failed", failures, "count", (json_int_t)failed);
    return status;
}

static th_status add_inputs(serve_job *job, th_project *project, th_error *err)
{
    json_t *inputs = json_object_get(job->what, "inputs");
    size_t count = json_array_size(inputs);
    const char **names = calloc(count + 1, sizeof *names);
    th_feed *feed = NULL;
    th_feed_options options = job->server->fetching;
    options.max_bytes = job->server->max_upload;
    options.files_only = true; /* a pipe might never end */
    options.cancel = serve_job_cancel(job);
    for (size_t i = 0; names && i < count; i++)
        names[i] = json_string_value(json_array_get(inputs, i));
    th_status status = names ? th_feed_new(names, count, &options, &feed, err) : TH_ERR_MEMORY;
    serve_looks *looks =
        status || job->server->no_looks
            ? NULL
            : serve_looks_new(project, serve_job_site(job), &options, names, count);
    if (!status)
        status = add_feed(job, project, feed, looks, err);
    serve_looks_free(looks);
    th_feed_free(feed);
    free(names);
    return status;
}

void api_add_inputs(const serve_request *request, serve_answer *answer)
{
    json_t *inputs = json_object_get(request->json, "inputs"), *input;
    size_t index;
    bool good = json_array_size(inputs) > 0;
    json_array_foreach(inputs, index, input) good = good && json_is_string(input);
    if (!good) {
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST, "\"inputs\" must be a list of files and URLs");
        return;
    }
    serve_start_job(request, answer, "add",
                    json_pack("{s:s,s:O}", "site", request->parts[0], "inputs", inputs),
                    add_inputs);
}

/* ---- what pages look with -------------------------------------------------------------------- */

static th_status put_asset(void *context, const th_project_asset *asset, th_error *err)
{
    json_t *item = json_pack("{s:I,s:o,s:o,s:I}", "id", (json_int_t)asset->id, "address",
                             serve_json(asset->address), "type", serve_json(asset->type), "size",
                             (json_int_t)asset->size);
    return serve_append(context, item, err);
}

void api_assets(const serve_request *request, serve_answer *answer)
{
    th_error err;
    json_t *list = json_array();
    serve_reply_list(
        answer, "assets", list,
        th_project_assets(request->project, serve_site(request), put_asset, list, &err), &err);
}

/* A file that was dropped with pages: its bytes are the body. */
void api_add_asset(const serve_request *request, serve_answer *answer)
{
    const char *name = serve_query(request, "name");
    int64_t id = 0;
    bool added = false;
    th_error err;
    if (!name || !*name) {
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST, "a file needs a name: ?name=");
        return;
    }
    th_status status = th_project_add_asset(request->project, serve_site(request),
                                            th_str_from(name), request->body, &id, &added, &err);
    if (status)
        serve_fail(answer, status, &err);
    else
        serve_reply(answer, json_pack("{s:I,s:b}", "id", (json_int_t)id, "added", added));
}

/* ---- labels ---------------------------------------------------------------------------------- */

void api_labels(const serve_request *request, serve_answer *answer)
{
    th_text lines = {0};
    th_error err;
    th_status status = th_project_label_lines(request->project, serve_site(request), &lines, &err);
    if (status) {
        serve_fail(answer, status, &err);
    } else {
        answer->type = "application/x-ndjson";
        serve_put(&answer->text, lines.ptr, lines.len);
    }
    th_text_release(&lines);
}

/* The records of a line of labels, which may name a single one: a new reference, or NULL. */
static json_t *records_of(const json_t *line)
{
    json_t *records = json_object_get(line, "records"), *record = json_object_get(line, "record");
    return records ? json_incref(records) : record ? json_pack("[O]", record) : NULL;
}

/* What a page had when somebody read its labels ("before", null for none) must still be what it
 * has: two tabs may label one page. A page that already has the new labels is not a conflict: a
 * request whose answer was lost is sent again. */
static bool has_labels(const serve_request *request, const char *page, serve_answer *answer,
                       th_status *status, th_error *err)
{
    json_t *before = json_object_get(request->json, "before"), *now = NULL;
    th_text lines = {0};
    if (!before)
        return true;
    *status = th_project_label_lines(request->project, serve_site(request), &lines, err);
    if (*status) {
        th_text_release(&lines);
        return true;
    }
    char *rest = lines.ptr;
    for (char *line; !now && (line = strtok_r(rest, "\n", &rest));) {
        json_t *read = json_loads(line, JSON_ALLOW_NUL, NULL);
        const char *name = json_string_value(json_object_get(read, "page"));
        if (name && !strcmp(name, page))
            now = records_of(read);
        json_decref(read);
    }
    th_text_release(&lines);
    json_t *wanted = records_of(request->json);
    bool same =
        now ? json_equal(now, before) || json_equal(now, wanted) : json_is_null(before) || !wanted;
    json_decref(now);
    json_decref(wanted);
    if (same)
        return true;
    serve_refuse(answer, MHD_HTTP_CONFLICT,
                 "the labels of %s have changed in the meantime: look at them first", page);
    return false;
}

/* {"page":, "records": [...]} sets the labels of a page, {"page":} alone removes them. */
void api_set_labels(const serve_request *request, serve_answer *answer)
{
    const char *page = serve_member(request, "page");
    bool remove =
        !json_object_get(request->json, "records") && !json_object_get(request->json, "record");
    th_error err;
    if (!page) {
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST, "labels are of a \"page\"");
        return;
    }
    th_status status = th_project_begin(request->project, &err);
    if (!status && !has_labels(request, page, answer, &status, &err)) {
        th_project_rollback(request->project);
        return;
    }
    json_object_del(request->json, "before");
    char *line = remove ? NULL : json_dumps(request->json, JSON_COMPACT);
    if (!status)
        status = th_project_set_labels(request->project, serve_site(request), th_str_from(page),
                                       line ? th_str_from(line) : (th_str){0}, &err);
    if (!status)
        status = th_project_commit(request->project, &err);
    else
        th_project_rollback(request->project);
    free(line);
    if (status)
        serve_fail(answer, status, &err);
    else
        serve_reply(answer, json_object());
    if (!status)
        serve_publish(request->server->jobs, "labels",
                      json_pack("{s:s,s:s}", "site", request->parts[0], "page", page));
}

/* ---- wrappers -------------------------------------------------------------------------------- */

static th_status put_wrapper(void *context, const th_project_wrapper *wrapper, th_error *err)
{
    return serve_append(context,
                        json_pack("{s:o,s:I,s:o,s:o}", "name", serve_json(wrapper->name), "version",
                                  (json_int_t)wrapper->version, "engine",
                                  serve_json(wrapper->engine), "added", serve_json(wrapper->added)),
                        err);
}

void api_wrappers(const serve_request *request, serve_answer *answer)
{
    th_error err;
    json_t *list = json_array();
    serve_reply_list(
        answer, "wrappers", list,
        th_project_wrappers(request->project, serve_site(request), put_wrapper, list, &err), &err);
}

/* The version that somebody changed must still be the latest: two tabs may edit one wrapper. */
static bool is_latest(const serve_request *request, th_str name, serve_answer *answer,
                      th_status *status, th_error *err)
{
    json_t *base = json_object_get(request->json, "base_version");
    th_text text = {0};
    uint32_t latest = 0;
    *status = th_project_wrapper_text(request->project, serve_site(request), name, 0, &latest,
                                      &text, err);
    th_text_release(&text);
    if (*status == TH_DONE)
        *status = TH_OK;
    if (*status || !base || json_integer_value(base) == (json_int_t)latest)
        return true;
    serve_refuse(answer, MHD_HTTP_CONFLICT,
                 "version %u has been saved in the meantime: look at it before you save yours",
                 latest);
    return false;
}

/* A request that is sent "again" may have been served before, and its answer lost when the server
 * went: gives the latest version if that is this very wrapper, else 0. */
static uint32_t version_made_before(const serve_request *request, th_str name,
                                    const th_wrapper *made)
{
    th_text stored = {0}, text = {0};
    uint32_t latest = 0;
    th_error err;
    bool same = json_is_true(json_object_get(request->json, "again")) &&
                !th_project_wrapper_text(request->project, serve_site(request), name, 0, &latest,
                                         &stored, &err) &&
                !th_wrapper_write(made, &text, &err) && stored.len == text.len &&
                !memcmp(stored.ptr, text.ptr, text.len);
    th_text_release(&stored);
    th_text_release(&text);
    return same ? latest : 0;
}

void api_save_wrapper(const serve_request *request, serve_answer *answer)
{
    const char *name = serve_member(request, "name");
    json_t *wrapper = json_object_get(request->json, "wrapper");
    th_wrapper *made = NULL;
    uint32_t version = 0;
    th_error err;
    th_status status;
    if (!name || !*name || strchr(name, '/') || !json_is_object(wrapper)) {
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST,
                     "\"name\" (without a slash) and \"wrapper\" are needed");
        return;
    }
    char *text = json_dumps(wrapper, JSON_COMPACT);
    status = th_project_begin(request->project, &err);
    if (!status)
        status = th_wrapper_read(th_str_from(text ? text : ""), name, &made, &err);
    if (!status)
        status = serve_profile(request, made, &err);
    if (!status)
        version = version_made_before(request, th_str_from(name), made);
    if (!status && !version && !is_latest(request, th_str_from(name), answer, &status, &err)) {
        th_project_rollback(request->project);
        th_wrapper_free(made);
        free(text);
        return;
    }
    if (!status && !version)
        status = th_project_add_wrapper(request->project, serve_site(request), th_str_from(name),
                                        made, &version, &err);
    if (!status)
        status = th_project_commit(request->project, &err);
    th_wrapper_free(made);
    free(text);
    if (status)
        serve_fail(answer, status, &err);
    else
        serve_reply(answer, json_pack("{s:I}", "version", (json_int_t)version));
    if (!status)
        serve_publish(request->server->jobs, "wrapper",
                      json_pack("{s:s,s:s,s:I}", "site", request->parts[0], "name", name, "version",
                                (json_int_t)version));
}

/* A wrapper with what it says: sites/SITE/wrappers/NAME/VERSION, "latest" for the last. */
void api_wrapper(const serve_request *request, serve_answer *answer)
{
    th_text text = {0}, words = {0}, graph = {0}, profile = {0};
    th_wrapper *wrapper = NULL;
    uint32_t version = (uint32_t)strtoul(request->parts[2], NULL, 10);
    th_error err;
    th_status status =
        th_project_wrapper_text(request->project, serve_site(request),
                                th_str_from(request->parts[1]), version, &version, &text, &err);
    if (!status)
        status = th_wrapper_read((th_str){text.ptr, text.len}, request->parts[1], &wrapper, &err);
    if (!status)
        status = th_wrapper_explain(wrapper, &words, &err);
    /* Most rules have no graph, which is not an error. */
    bool drawn = !status && !th_wrapper_graph(wrapper, &graph, NULL);
    bool known = !status && th_wrapper_has_profile(wrapper) &&
                 !th_wrapper_explain_profile(wrapper, &profile, NULL);
    if (status)
        serve_fail(answer, status, &err);
    else
        serve_reply(
            answer,
            json_pack("{s:I,s:o,s:o,s:o,s:o}", "version", (json_int_t)version, "wrapper",
                      json_loadb(text.ptr, text.len, JSON_ALLOW_NUL, NULL), "explain",
                      serve_json((th_str){words.ptr, words.len}), "graph",
                      serve_json(drawn ? (th_str){graph.ptr, graph.len} : (th_str){0}), "profile",
                      serve_json(known ? (th_str){profile.ptr, profile.len} : (th_str){0})));
    th_wrapper_free(wrapper);
    th_text_release(&profile);
    th_text_release(&graph);
    th_text_release(&words);
    th_text_release(&text);
}

void api_remove_wrapper(const serve_request *request, serve_answer *answer)
{
    th_error err;
    bool removed = false;
    th_status status = th_project_remove_wrapper(
        request->project, serve_site(request), th_str_from(request->parts[1]),
        (uint32_t)strtoul(request->parts[2], NULL, 10), &removed, &err);
    if (status)
        serve_fail(answer, status, &err);
    else if (!removed)
        serve_refuse(answer, MHD_HTTP_NOT_FOUND, "no such version");
    else
        serve_reply(answer, json_object());
    if (removed)
        serve_publish(request->server->jobs, "wrapper",
                      json_pack("{s:s,s:s}", "site", request->parts[0], "name", request->parts[1]));
}

/* ---- runs ------------------------------------------------------------------------------------ */

json_t *serve_run_json(const th_project_run *run)
{
    return json_pack("{s:I,s:o,s:o,s:I,s:o,s:o,s:I,s:I,s:I,s:o}", "id", (json_int_t)run->id,
                     "command", serve_json(run->command), "wrapper", serve_json(run->wrapper),
                     "wrapper_version", (json_int_t)run->wrapper_version, "started",
                     serve_json(run->started), "finished", serve_json(run->finished), "pages",
                     (json_int_t)run->pages, "records", (json_int_t)run->records, "failed",
                     (json_int_t)run->failed, "verdict", serve_json(run->verdict));
}

static th_status put_run(void *context, const th_project_run *run, th_error *err)
{
    return serve_append(context, serve_run_json(run), err);
}

void api_runs(const serve_request *request, serve_answer *answer)
{
    th_error err;
    json_t *list = json_array();
    serve_reply_list(answer, "runs", list,
                     th_project_runs(request->project, serve_site(request), put_run, list, &err),
                     &err);
}

/* Records are JSON already and go out as they are. */
typedef struct rows {
    serve_text *text;
    bool begun;
} rows;

static th_status put_record(void *context, const th_project_record *record, th_error *err)
{
    rows *r = context;
    serve_puts(r->text, r->begun ? ",{\"page\":" : "{\"page\":");
    serve_put_json(r->text, record->page);
    serve_puts(r->text, ",\"record\":");
    serve_put(r->text, record->json.ptr, record->json.len);
    serve_puts(r->text, "}");
    r->begun = true;
    return TH_OK;
}

void api_records(const serve_request *request, serve_answer *answer)
{
    rows r = {.text = &answer->text};
    th_error err;
    serve_puts(&answer->text, "{\"records\":[");
    th_status status = th_project_records(
        request->project, serve_id(request), serve_query_number(request, "from", 0),
        serve_query_number(request, "count", UINT64_MAX), put_record, &r, &err);
    serve_puts(&answer->text, "]}");
    if (status)
        serve_fail(answer, status, &err);
}

static th_status survey_record(void *context, const th_project_record *record, th_error *err)
{
    return th_survey_add(context, record->page, record->json, err);
}

/* What the columns of a run look like. */
void api_columns(const serve_request *request, serve_answer *answer)
{
    th_survey *survey = NULL;
    th_text text = {0};
    th_error err;
    th_status status = th_survey_new(&survey, &err);
    if (!status)
        status = th_project_records(request->project, serve_id(request), 0, UINT64_MAX,
                                    survey_record, survey, &err);
    if (!status)
        status = th_survey_to_json(survey, &text, &err);
    if (status)
        serve_fail(answer, status, &err);
    else
        serve_put(&answer->text, text.ptr, text.len);
    th_text_release(&text);
    th_survey_free(survey);
}

static th_status put_verdict(void *context, const th_project_verdict *verdict, th_error *err)
{
    return serve_append(context,
                        json_pack("{s:o,s:o,s:o}", "field", serve_json(verdict->field), "verdict",
                                  serve_json(verdict->verdict), "evidence",
                                  verdict->evidence.ptr
                                      ? json_loadb(verdict->evidence.ptr, verdict->evidence.len,
                                                   JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL)
                                      : json_null()),
                        err);
}

void api_verdicts(const serve_request *request, serve_answer *answer)
{
    th_error err;
    json_t *list = json_array();
    serve_reply_list(
        answer, "verdicts", list,
        th_project_verdicts(request->project, serve_id(request), put_verdict, list, &err), &err);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

void api_jobs(const serve_request *request, serve_answer *answer)
{
    serve_reply(answer, json_pack("{s:o}", "jobs", serve_jobs_list(request->server->jobs)));
}

void api_job(const serve_request *request, serve_answer *answer)
{
    json_t *job = serve_jobs_get(request->server->jobs, serve_id(request));
    if (job)
        serve_reply(answer, job);
    else
        serve_refuse(answer, MHD_HTTP_NOT_FOUND, "no such job");
}

void api_cancel_job(const serve_request *request, serve_answer *answer)
{
    if (serve_jobs_cancel(request->server->jobs, serve_id(request)))
        serve_reply(answer, json_object());
    else
        serve_refuse(answer, MHD_HTTP_NOT_FOUND, "no such job");
}
