/*
 * api_learn.c: finding lists, learning wrappers, running them.
 *
 * Short work on a few pages is done while the browser waits; a run over a whole site is a job.
 */
#include <stdio.h>
#include <stdlib.h>

#include "api.h"
#include "asked.h"
#include "pages.h"
#include "server.h"
#include "steps.h"

/* Records with their places, as one line of "-f pages". */
static th_status put_records(const th_records *records, serve_text *out, th_error *err)
{
    th_writer_options options;
    th_writer *writer;
    th_writer_options_init(&options);
    options.sink = serve_text_sink(out);
    options.spans = true;
    th_status status = th_writer_new(TH_FORMAT_PAGES, &options, &writer, err);
    if (!status)
        status = th_writer_add(writer, records, err);
    if (!status)
        status = th_writer_finish(writer, err);
    th_writer_free(writer);
    return status;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static th_status put_regions(const serve_page *page, const th_regions *regions, serve_text *out,
                             th_error *err)
{
    th_writer_options options;
    th_writer *writer;
    size_t count = th_regions_count(regions);
    th_writer_options_init(&options);
    options.sink = serve_text_sink(out);
    options.spans = true;
    th_status status = th_writer_new(TH_FORMAT_PAGES, &options, &writer, err);
    if (!status)
        status = th_writer_add_regions(writer, th_input_name(page->input),
                                       count ? th_regions_get(regions, 0) : NULL, count, err);
    if (!status)
        status = th_writer_finish(writer, err);
    th_writer_free(writer);
    return status;
}

/* The lists of the page of a request, by the engine and the options that it names. Close the page
 * and free the lists, whatever comes of it. */
static th_status find_lists(const serve_request *request, th_trace *trace, serve_page *page,
                            th_regions **regions, th_error *err)
{
    th_regions_options options;
    th_regions_options_init(&options);
    options.engine = serve_member(request, "engine");
    options.trace = trace;
    th_status status = serve_asked_paper(request->json, &options.paper, err);
    if (!status)
        status = serve_page_open(request->project, strtoll(request->parts[0], NULL, 10), page, err);
    if (status)
        return status;
    th_records_source source = serve_page_source(page);
    return th_regions_find(page->page, &source, &options, regions, err);
}

void api_regions(const serve_request *request, serve_answer *answer)
{
    serve_page page = {0};
    th_regions *regions = NULL;
    th_error err;
    th_status status = find_lists(request, NULL, &page, &regions, &err);
    if (!status)
        status = put_regions(&page, regions, &answer->text, &err);
    if (status)
        serve_fail(answer, status, &err);
    th_regions_free(regions);
    serve_page_close(&page);
}

/* {"steps": [...]}: how the engine of a paper finds the lists of a page. */
void api_steps(const serve_request *request, serve_answer *answer)
{
    serve_page page = {0};
    serve_steps steps;
    th_regions *regions = NULL;
    th_error err;
    serve_steps_init(&steps);
    th_status status = find_lists(request, &steps.trace, &page, &regions, &err);
    if (status)
        serve_fail(answer, status, &err);
    else
        serve_steps_put(&steps, &answer->text);
    serve_text_release(&steps.text);
    th_regions_free(regions);
    serve_page_close(&page);
}

/* ---- learning -------------------------------------------------------------------------------- */

/* Labels of the request, else those of the site; NULL when there are none. */
static th_status labels_of(const serve_request *request, th_labels **out, th_error *err)
{
    json_t *lines = json_object_get(request->json, "labels"), *line;
    serve_text text = {0};
    size_t index;
    th_status status;
    *out = NULL;
    if (json_is_array(lines)) {
        json_array_foreach(lines, index, line)
        {
            char *dumped = json_dumps(line, JSON_COMPACT);
            serve_puts(&text, dumped ? dumped : "");
            serve_puts(&text, "\n");
            free(dumped);
        }
        status = th_labels_read((th_str){text.ptr ? text.ptr : "", text.len}, "labels", out, err);
    } else {
        status = th_project_labels(request->project, th_str_from(request->parts[0]), out, err);
    }
    serve_text_release(&text);
    if (!status && !th_labels_count(*out)) {
        th_labels_free(*out);
        *out = NULL;
    }
    return status;
}

/* What came of learning. */
typedef struct lesson {
    th_corpus *corpus;
    th_labels *labels;
    th_wrapper *correct;
    serve_page_ids pages; /* those of the corpus, in its order */
    th_report *report;    /* NULL: the request made no sense */
} lesson;

static void lesson_release(lesson *l)
{
    th_report_free(l->report);
    th_corpus_free(l->corpus);
    th_labels_free(l->labels);
    th_wrapper_free(l->correct);
    free(l->pages.ids);
}

static th_status add_pages(const serve_request *request, lesson *l, th_error *err)
{
    th_status status = serve_asked_pages(request, &l->pages, err);
    for (size_t i = 0; !status && i < l->pages.count; i++) {
        serve_page page;
        status = serve_page_open(request->project, l->pages.ids[i], &page, err);
        if (status)
            break;
        th_records_source source = serve_page_source(&page);
        status = th_corpus_add(l->corpus, page.page, &source, err);
        serve_page_close(&page);
    }
    return status;
}

/* A number of the request; one that cannot be is refused. */
static th_status number_of(const serve_request *request, const char *name, uint32_t *out,
                           th_error *err)
{
    json_int_t number = json_integer_value(json_object_get(request->json, name));
    if (number < 0 || number > UINT32_MAX) {
        *err = (th_error){.status = TH_ERR_ARGUMENT, .offset = TH_NO_OFFSET};
        snprintf(err->message, sizeof err->message, "\"%s\" is counted from 1", name);
        return TH_ERR_ARGUMENT;
    }
    *out = (uint32_t)number;
    return TH_OK;
}

/* The wrapper that is to be mended; NULL when there is none. */
static th_status correct_of(const serve_request *request, th_wrapper **out, th_error *err)
{
    json_t *inside = json_object_get(request->json, "correct");
    uint32_t version;
    *out = NULL;
    if (!inside || json_is_null(inside))
        return TH_OK;
    json_t *asked = json_pack("{s:O}", "wrapper", inside);
    th_status status = serve_asked_wrapper(request->project, th_str_from(request->parts[0]), asked,
                                           out, &version, err);
    json_decref(asked);
    return status;
}

/* `trace` follows it, or is NULL. */
static th_status learn(const serve_request *request, lesson *out, th_trace *trace, th_error *err)
{
    th_learn_options options;
    th_learn_options_init(&options);
    options.engine = serve_member(request, "engine");
    options.no_profile = true; /* it gets one when it is saved */
    options.cancel = serve_cancel(request->server);
    th_status status = th_corpus_new(&out->corpus, err);
    if (!status)
        status = labels_of(request, &out->labels, err);
    if (!status)
        th_corpus_set_labels(out->corpus, out->labels);
    if (!status)
        status = number_of(request, "pick", &options.pick, err);
    if (!status)
        status = number_of(request, "cluster", &options.cluster, err);
    if (!status)
        status = serve_asked_paper(request->json, &options.paper, err);
    if (!status)
        status = correct_of(request, &out->correct, err);
    options.correct = out->correct;
    options.slots = serve_member(request, "slots");
    options.trace = trace;
    options.whole_list = json_is_true(json_object_get(request->json, "list"));
    if (!status)
        status = th_learn_check(out->corpus, &options, err);
    if (!status)
        status = add_pages(request, out, err);
    return status ? status : th_learn(out->corpus, &options, NULL, &out->report, err);
}

static json_t *notes_json(const th_report *report)
{
    json_t *notes = json_array();
    for (size_t i = 0; i < th_report_remark_count(report); i++) {
        const th_remark *remark = th_report_remark(report, i);
        serve_text text = {0};
        if (remark->detail)
            continue;
        if (remark->page.len)
            serve_printf(&text, "%.*s: ", (int)remark->page.len, remark->page.ptr);
        serve_printf(&text, "%.*s", (int)remark->text.len, remark->text.ptr);
        json_array_append_new(notes, serve_json((th_str){text.ptr ? text.ptr : "", text.len}));
        serve_text_release(&text);
    }
    return notes;
}

/* Notes tell what would help, most of all when it failed. */
static void refuse_learning(serve_answer *answer, const th_report *report, const th_error *err)
{
    answer->status = MHD_HTTP_UNPROCESSABLE_CONTENT;
    serve_reply(answer, json_pack("{s:o,s:o}", "error", serve_json(th_str_from(err->message)),
                                  "notes", notes_json(report)));
}

/* {"wrapper", "explain", "notes", "wrong"}: how many labelled values do not come out as labelled.
 * Of pages that were put into clusters "clusters", how many there are, and "pages", those that were
 * learnt from. */
static json_t *lesson_json(const lesson *l, const th_text *text, const th_text *words)
{
    const th_lesson *learnt = th_report_lesson(l->report, 0);
    json_t *json = json_pack("{s:o,s:o,s:o,s:I}", "wrapper",
                             json_loadb(text->ptr, text->len, JSON_ALLOW_NUL, NULL), "explain",
                             serve_json((th_str){words->ptr, words->len}), "notes",
                             notes_json(l->report), "wrong", (json_int_t)learnt->wrong);
    if (!learnt->clustered)
        return json;
    json_t *pages = json_array();
    for (size_t i = 0; i < l->pages.count; i++)
        if (learnt->cluster == TH_NO_CLUSTER || th_corpus_cluster(l->corpus, i) == learnt->cluster)
            json_array_append_new(pages, json_integer((json_int_t)l->pages.ids[i]));
    json_object_set_new(json, "pages", pages);
    json_object_set_new(json, "clusters",
                        json_integer((json_int_t)th_corpus_cluster_count(l->corpus)));
    return json;
}

void api_learn(const serve_request *request, serve_answer *answer)
{
    lesson l = {0};
    serve_steps steps;
    th_text text = {0}, words = {0};
    th_error err;
    bool follow = json_is_true(json_object_get(request->json, "steps"));
    serve_steps_init(&steps);
    th_status status = learn(request, &l, follow ? &steps.trace : NULL, &err);
    const th_wrapper *wrapper = status ? NULL : th_report_lesson(l.report, 0)->wrapper;
    if (!status)
        status = th_wrapper_write(wrapper, &text, &err);
    if (!status)
        status = th_wrapper_explain(wrapper, &words, &err);
    if (!status && follow)
        serve_steps_put(&steps, &answer->text);
    else if (!status)
        serve_reply(answer, lesson_json(&l, &text, &words));
    else if (l.report)
        refuse_learning(answer, l.report, &err);
    else
        serve_fail(answer, status, &err);
    lesson_release(&l);
    serve_text_release(&steps.text);
    th_text_release(&text);
    th_text_release(&words);
}

/* ---- running --------------------------------------------------------------------------------- */

static th_status extract_page(const th_wrapper *wrapper, const serve_page *page, th_records **out,
                              th_error *err)
{
    th_records_source source = serve_page_source(page);
    return th_wrapper_extract(wrapper, page->page, &source, out, err);
}

/* {"pages": [{"page":, "id":, "records": [...]}]}, each value with its place. */
void api_extract(const serve_request *request, serve_answer *answer)
{
    th_wrapper *wrapper = NULL;
    serve_page_ids pages = {0};
    uint32_t version;
    th_error err;
    th_status status = serve_asked_wrapper(request->project, th_str_from(request->parts[0]),
                                           request->json, &wrapper, &version, &err);
    if (!status)
        status = serve_asked_pages(request, &pages, &err);
    serve_puts(&answer->text, "{\"pages\":[");
    for (size_t i = 0; !status && i < pages.count; i++) {
        serve_page page;
        th_records *records = NULL;
        status = serve_page_open(request->project, pages.ids[i], &page, &err);
        if (!status)
            status = extract_page(wrapper, &page, &records, &err);
        serve_printf(&answer->text, "%s{\"id\":%lld,\"found\":", i ? "," : "",
                     (long long)pages.ids[i]);
        if (!status)
            status = put_records(records, &answer->text, &err);
        serve_puts(&answer->text, "}");
        th_records_free(records);
        serve_page_close(&page);
    }
    serve_puts(&answer->text, "]}");
    if (status)
        serve_fail(answer, status, &err);
    free(pages.ids);
    th_wrapper_free(wrapper);
}

/* The text that was hit, or its beginning. */
static th_str hit_text(const th_hit *hit, const th_page *page)
{
    enum { LONGEST = 80 };
    size_t len = hit->span.end - hit->span.start;
    th_str text = {th_page_text(page).ptr + hit->span.start, len < LONGEST ? len : LONGEST};
    while (text.len < len && text.len && ((unsigned char)text.ptr[text.len] & 0xC0) == 0x80)
        text.len--;
    return text;
}

static json_t *hit_json(const th_hit *hit, const th_page *page)
{
    return json_pack("{s:I,s:I,s:o,s:s,s:o,s:o}", "start", (json_int_t)hit->span.start, "end",
                     (json_int_t)hit->span.end, "field", serve_json(hit->field), "part", hit->part,
                     "rule", serve_json(hit->rule), "text", serve_json(hit_text(hit, page)));
}

/* {"hits": [{"start", "end", "field", "part", "rule", "text"}]}: what of a page a wrapper goes by.
 */
void api_hits(const serve_request *request, serve_answer *answer)
{
    th_wrapper *wrapper = NULL;
    th_hits *hits = NULL;
    serve_page page = {0};
    json_t *list = json_array();
    uint32_t version;
    th_error err;
    th_status status = serve_asked_wrapper(request->project, th_str_from(request->parts[0]),
                                           request->json, &wrapper, &version, &err);
    if (!status)
        status = serve_page_open(request->project,
                                 json_integer_value(json_object_get(request->json, "page")), &page,
                                 &err);
    if (!status)
        status = th_wrapper_hits(wrapper, page.page, &hits, &err);
    for (size_t i = 0; !status && i < th_hits_count(hits); i++) {
        const th_hit *hit = th_hits_get(hits, i);
        json_array_append_new(list, hit_json(hit, page.page));
    }
    if (status)
        serve_fail(answer, status, &err);
    else
        serve_reply(answer, json_pack("{s:O}", "hits", list));
    json_decref(list);
    th_hits_free(hits);
    serve_page_close(&page);
    th_wrapper_free(wrapper);
}

/* ---- a run over the site, as a job ----------------------------------------------------------- */

typedef struct counting {
    uint64_t count;
} counting;

static th_status count_page(void *context, const th_project_page *page, th_error *err)
{
    ((counting *)context)->count++;
    return TH_OK;
}

static th_status extract_all(serve_job *job, th_project *project, th_str site,
                             const th_wrapper *wrapper, th_run *run, th_project_run *totals,
                             th_error *err)
{
    counting total = {0};
    th_feed *feed = NULL;
    th_parser *parser = NULL;
    th_status status = th_project_pages(project, site, false, count_page, &total, err);
    if (!status)
        status = th_project_feed(project, site, &feed, err);
    if (!status)
        status = th_parser_new(NULL, &parser, err);
    while (!status) {
        serve_page page = {0};
        th_records *records = NULL;
        th_page_source source;
        status = th_feed_next(feed, &page.input, err);
        if (status)
            break;
        th_input_source(page.input, &source);
        status = th_parser_parse(parser, th_input_bytes(page.input), &source, &page.page, err);
        if (!status)
            status = extract_page(wrapper, &page, &records, err);
        if (!status)
            status = th_run_add(run, records, err);
        th_records_free(records);
        serve_page_close(&page);
        totals->pages++;
        if (!status && !serve_job_progress(job, totals->pages, total.count))
            status = TH_ERR_CANCELLED;
    }
    th_parser_free(parser);
    th_feed_free(feed);
    return status == TH_DONE ? TH_OK : status;
}

static th_status run_wrapper(serve_job *job, th_project *project, th_error *err)
{
    th_wrapper *wrapper = NULL;
    th_run *run = NULL;
    const char *name = json_string_value(json_object_get(job->what, "wrapper"));
    th_str site = th_str_from(json_string_value(json_object_get(job->what, "site")));
    th_project_run info = {.site = site, .command = th_str_from("extract")}, totals = {0};
    int64_t id = 0;
    th_status status =
        serve_asked_wrapper(project, site, job->what, &wrapper, &info.wrapper_version, err);
    if (!status) {
        info.wrapper = th_str_from(name);
        status = th_run_begin(project, &info, &run, err);
    }
    if (!status)
        status = extract_all(job, project, site, wrapper, run, &totals, err);
    if (!status)
        status = th_run_finish(run, &totals, &id, err);
    th_run_free(run);
    th_wrapper_free(wrapper);
    if (!status)
        serve_job_say(job, "run %lld", (long long)id);
    return status;
}

void api_run(const serve_request *request, serve_answer *answer)
{
    const char *name = serve_member(request, "wrapper");
    if (!name) {
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST, "\"wrapper\" must be the name of a wrapper");
        return;
    }
    json_t *version = json_object_get(request->json, "version");
    json_t *what = json_pack("{s:s,s:s,s:I}", "site", request->parts[0], "wrapper", name, "version",
                             json_integer_value(version));
    int64_t id = serve_jobs_add(request->server->jobs, "extract", what, run_wrapper);
    answer->status = MHD_HTTP_ACCEPTED;
    serve_reply(answer, id ? json_pack("{s:I}", "job", (json_int_t)id) : NULL);
}
