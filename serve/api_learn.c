/*
 * api_learn.c: finding lists and clusters of pages, learning wrappers, running them.
 *
 * Short work on a few pages is done while the browser waits; a run over a whole site is a job.
 */
#include <stdio.h>
#include <stdlib.h>

#include "api.h"
#include "asked.h"
#include "server.h"

/* A writer of lines of "-f pages" with places, to a text. */
static th_status open_writer(serve_text *out, th_writer **writer, th_error *err)
{
    th_writer_options options;
    th_writer_options_init(&options);
    options.sink = serve_text_sink(out);
    options.spans = true;
    return th_writer_new(TH_FORMAT_PAGES, &options, writer, err);
}

/* ---- steps of an engine of a paper ----------------------------------------------------------- */

enum { MOST_STEPS = 32 << 20 /* bytes */ };

typedef struct serve_steps {
    th_trace trace;  /* to be given to an engine; must not move */
    serve_text text; /* objects with commas between */
} serve_steps;

static th_status add_lines(void *context, const char *bytes, size_t len, th_error *err)
{
    serve_steps *steps = context;
    if (steps->text.len + len > MOST_STEPS)
        return serve_error(
            err, TH_ERR_LIMIT,
            "the page has too many steps to show: `thresh regions --trace` writes them all");
    if (steps->text.len)
        serve_puts(&steps->text, ",");
    serve_put(&steps->text, bytes, len);
    return TH_OK;
}

static void steps_init(serve_steps *steps)
{
    *steps = (serve_steps){.trace = {.sink = {add_lines, steps}, .json = true}};
}

/* {"steps": [...]} */
static void steps_put(const serve_steps *steps, serve_text *out)
{
    serve_puts(out, "{\"steps\":[");
    serve_put(out, steps->text.ptr ? steps->text.ptr : "", steps->text.len);
    serve_puts(out, "]}");
    out->failed = out->failed || steps->text.failed;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static th_status put_regions(const serve_page *page, const th_regions *regions, serve_text *out,
                             th_error *err)
{
    th_writer *writer = NULL;
    size_t count = th_regions_count(regions);
    th_status status = open_writer(out, &writer, err);
    if (!status)
        status = th_writer_add_regions(writer, th_input_name(page->input),
                                       count ? th_regions_get(regions, 0) : NULL, count, err);
    if (!status)
        status = th_writer_finish(writer, err);
    th_writer_free(writer);
    return status;
}

/* The lists of the page of a request, by the engine and the options that it names. Close the page
 * and free the lists, also after an error. */
static th_status find_lists(const serve_request *request, th_trace *trace, serve_page *page,
                            th_regions **regions, th_error *err)
{
    th_regions_options options;
    th_regions_options_init(&options);
    options.engine = serve_member(request, "engine");
    options.trace = trace;
    th_status status = serve_asked_paper(request->json, &options.paper, err);
    if (!status)
        status = serve_page_open(request->project, serve_id(request), page, err);
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
    steps_init(&steps);
    th_status status = find_lists(request, &steps.trace, &page, &regions, &err);
    if (status)
        serve_fail(answer, status, &err);
    else
        steps_put(&steps, &answer->text);
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
        status = th_project_labels(request->project, serve_site(request), out, err);
    }
    serve_text_release(&text);
    if (!status && !th_labels_count(*out)) {
        th_labels_free(*out);
        *out = NULL;
    }
    return status;
}

/* The result of learning. */
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

static th_status add_page(void *context, int64_t id, const serve_page *page, th_error *err)
{
    th_records_source source = serve_page_source(page);
    return th_corpus_add(context, page->page, &source, err);
}

/* A number of the request; one that cannot be is refused. */
static th_status number_of(const serve_request *request, const char *name, uint32_t *out,
                           th_error *err)
{
    json_int_t number = json_integer_value(json_object_get(request->json, name));
    if (number < 0 || number > UINT32_MAX)
        return serve_error(err, TH_ERR_ARGUMENT, "\"%s\" is counted from 1", name);
    *out = (uint32_t)number;
    return TH_OK;
}

/* The wrapper to correct; NULL when there is none. */
static th_status correct_of(const serve_request *request, th_wrapper **out, th_error *err)
{
    json_t *inside = json_object_get(request->json, "correct");
    uint32_t version;
    *out = NULL;
    if (!inside || json_is_null(inside))
        return TH_OK;
    json_t *asked = json_pack("{s:O}", "wrapper", inside);
    th_status status =
        serve_asked_wrapper(request->project, serve_site(request), asked, out, &version, err);
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
        status = serve_asked_pages(request, &out->pages, err);
    if (!status)
        status =
            serve_each_page(request->project, &out->pages, NULL, 0, add_page, out->corpus, err);
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

/* Notes say what would help, most of all after a failure. */
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
    steps_init(&steps);
    th_status status = learn(request, &l, follow ? &steps.trace : NULL, &err);
    const th_wrapper *wrapper = status ? NULL : th_report_lesson(l.report, 0)->wrapper;
    if (!status)
        status = th_wrapper_write(wrapper, &text, &err);
    if (!status)
        status = th_wrapper_explain(wrapper, &words, &err);
    if (!status && follow)
        steps_put(&steps, &answer->text);
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

/* ---- clusters -------------------------------------------------------------------------------- */

static th_status look_at(void *context, int64_t id, const serve_page *page, th_error *err)
{
    th_records_source source = serve_page_source(page);
    return th_corpus_look(context, page->page, &source, err);
}

/* {"clusters": [{"pages": [ID]}], "alone": [ID]}, the largest first. */
static json_t *clusters_json(const th_corpus *corpus, const serve_page_ids *pages)
{
    json_t *clusters = json_array(), *alone = json_array();
    for (size_t i = 0; i < th_corpus_cluster_count(corpus); i++)
        json_array_append_new(clusters, json_pack("{s:[]}", "pages"));
    for (size_t i = 0; i < pages->count; i++) {
        size_t cluster = th_corpus_cluster(corpus, i);
        json_t *list = cluster == TH_NO_CLUSTER
                           ? alone
                           : json_object_get(json_array_get(clusters, cluster), "pages");
        json_array_append_new(list, json_integer((json_int_t)pages->ids[i]));
    }
    return json_pack("{s:o,s:o}", "clusters", clusters, "alone", alone);
}

void api_clusters(const serve_request *request, serve_answer *answer)
{
    th_corpus *corpus = NULL;
    serve_page_ids pages = {0};
    th_error err;
    th_status status = serve_asked_pages(request, &pages, &err);
    if (!status)
        status = th_corpus_new(&corpus, &err);
    if (!status)
        status = serve_each_page(request->project, &pages, NULL, 0, look_at, corpus, &err);
    if (!status)
        status = th_corpus_find_clusters(corpus, &err);
    if (status)
        serve_fail(answer, status, &err);
    else
        serve_reply(answer, clusters_json(corpus, &pages));
    th_corpus_free(corpus);
    free(pages.ids);
}

/* ---- running --------------------------------------------------------------------------------- */

static th_status extract_page(const th_wrapper *wrapper, const serve_page *page, th_records **out,
                              th_error *err)
{
    th_records_source source = serve_page_source(page);
    return th_wrapper_extract(wrapper, page->page, &source, out, err);
}

typedef struct extracting {
    th_wrapper *wrapper;
    serve_text *out;
    bool begun;
} extracting;

static th_status put_extracted(void *context, int64_t id, const serve_page *page, th_error *err)
{
    extracting *e = context;
    th_records *records = NULL;
    th_writer *writer = NULL;
    th_status status = extract_page(e->wrapper, page, &records, err);
    serve_printf(e->out, "%s{\"id\":%lld,\"found\":", e->begun ? "," : "", (long long)id);
    if (!status)
        status = open_writer(e->out, &writer, err);
    if (!status)
        status = th_writer_add(writer, records, err);
    if (!status)
        status = th_writer_finish(writer, err);
    serve_puts(e->out, "}");
    e->begun = true;
    th_writer_free(writer);
    th_records_free(records);
    return status;
}

/* {"pages": [{"id":, "found": {"page":, "records": [...]}}]}, each value with its place. */
void api_extract(const serve_request *request, serve_answer *answer)
{
    extracting e = {.out = &answer->text};
    serve_page_ids pages = {0};
    th_error err;
    th_status status = serve_request_wrapper(request, &e.wrapper, &err);
    if (!status)
        status = serve_asked_pages(request, &pages, &err);
    serve_puts(&answer->text, "{\"pages\":[");
    if (!status)
        status = serve_each_page(request->project, &pages, NULL, 0, put_extracted, &e, &err);
    serve_puts(&answer->text, "]}");
    if (status)
        serve_fail(answer, status, &err);
    free(pages.ids);
    th_wrapper_free(e.wrapper);
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

/* {"hits": [{"start", "end", "field", "part", "rule", "text"}]}: the parts of a page that a
 * wrapper's rules match.
 */
void api_hits(const serve_request *request, serve_answer *answer)
{
    th_wrapper *wrapper = NULL;
    th_hits *hits = NULL;
    serve_page page = {0};
    json_t *list = json_array();
    th_error err;
    th_status status = serve_request_wrapper(request, &wrapper, &err);
    if (!status)
        status = serve_page_open(request->project,
                                 json_integer_value(json_object_get(request->json, "page")), &page,
                                 &err);
    if (!status)
        status = th_wrapper_hits(wrapper, page.page, &hits, &err);
    for (size_t i = 0; !status && i < th_hits_count(hits); i++)
        status = serve_append(list, hit_json(th_hits_get(hits, i), page.page), &err);
    serve_reply_list(answer, "hits", list, status, &err);
    th_hits_free(hits);
    serve_page_close(&page);
    th_wrapper_free(wrapper);
}

/* ---- a run over the site, as a job ----------------------------------------------------------- */

/* A run at work. */
typedef struct running {
    th_wrapper *wrapper;
    th_run *run;
} running;

static th_status run_page(void *context, int64_t id, const serve_page *page, th_error *err)
{
    const running *r = context;
    th_records *records = NULL;
    th_status status = extract_page(r->wrapper, page, &records, err);
    if (!status)
        status = th_run_add(r->run, records, err);
    th_records_free(records);
    return status;
}

static th_status run_wrapper(serve_job *job, th_project *project, th_error *err)
{
    running r = {0};
    serve_page_ids pages = {0};
    const char *name = json_string_value(json_object_get(job->what, "wrapper"));
    th_project_run info = {.site = serve_job_site(job), .command = th_str_from("extract")};
    int64_t id = 0;
    th_status status =
        serve_asked_wrapper(project, info.site, job->what, &r.wrapper, &info.wrapper_version, err);
    if (!status)
        status = serve_asked_pages_of(project, info.site, job->what, SIZE_MAX, &pages, err);
    if (!status) {
        info.wrapper = th_str_from(name);
        status = th_run_begin(project, &info, &r.run, err);
    }
    if (!status)
        status = serve_each_page(project, &pages, job, 0, run_page, &r, err);
    if (!status)
        status = th_run_finish(r.run, &(th_project_run){.pages = pages.count}, &id, err);
    th_run_free(r.run);
    th_wrapper_free(r.wrapper);
    free(pages.ids);
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
    serve_start_job(request, answer, "extract", what, run_wrapper);
}
