/*
 * api_learn.c: finding lists, learning wrappers, running them.
 *
 * Short work on a few pages is done while the browser waits; a run over a whole site is a job.
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "asked.h"
#include "page_sample.h"
#include "pages.h"
#include "server.h"

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

void api_regions(const serve_request *request, serve_answer *answer)
{
    serve_page page = {0};
    th_regions *regions = NULL;
    th_regions_options options;
    th_error err;
    th_regions_options_init(&options);
    options.engine = serve_member(request, "engine");
    th_status status = serve_asked_paper(request->json, &options.paper, &err);
    if (!status)
        status =
            serve_page_open(request->project, strtoll(request->parts[0], NULL, 10), &page, &err);
    if (!status) {
        th_records_source source = serve_page_source(&page);
        status = th_regions_find(page.page, &source, &options, &regions, &err);
    }
    if (!status)
        status = put_regions(&page, regions, &answer->text, &err);
    if (status)
        serve_fail(answer, status, &err);
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

static th_status learn_from(const serve_request *request, th_learner *learner, th_error *err)
{
    serve_page_ids pages;
    th_status status = serve_asked_pages(request, &pages, err);
    for (size_t i = 0; !status && i < pages.count; i++) {
        serve_page page;
        status = serve_page_open(request->project, pages.ids[i], &page, err);
        if (status)
            break;
        th_records_source source = serve_page_source(&page);
        status = th_learner_add(learner, page.page, &source, NULL, err);
        serve_page_close(&page);
    }
    free(pages.ids);
    return status;
}

static void add_notes(const th_learner *learner, json_t *notes)
{
    for (size_t i = 0; i < th_learner_note_count(learner); i++)
        if (!th_learner_note_is_detail(learner, i))
            json_array_append_new(notes, serve_json(th_learner_note(learner, i)));
}

/* What came of learning. */
typedef struct lesson {
    th_wrapper *wrapper;
    json_t *notes;
    size_t wrong;        /* labelled values that the wrapper does not give as labelled */
    serve_sample sample; /* what was learnt from, where pages were put into clusters */
    bool tried;          /* the learner has had its say: notes tell what would help */
} lesson;

static void lesson_release(lesson *l)
{
    th_wrapper_free(l->wrapper);
    json_decref(l->notes);
    serve_sample_release(&l->sample);
}

/* Labels say what belongs together, and engines for lists look at page after page. */
static bool wants_clusters(const th_learn_options *options, json_int_t pick)
{
    return !options->labels && !pick &&
           (!options->engine || !strcmp(options->engine, "template") ||
            !strcmp(options->engine, "exalg"));
}

static th_status learn(const serve_request *request, const th_labels *labels, lesson *out,
                       th_error *err)
{
    th_learn_options options;
    th_learner *learner = NULL;
    json_int_t pick = json_integer_value(json_object_get(request->json, "pick"));
    th_learn_options_init(&options);
    options.engine = serve_member(request, "engine");
    options.labels = labels;
    options.cancel = serve_cancel(request->server);
    if (pick > 0)
        options.pick = (uint32_t)pick;
    th_status status = serve_asked_paper(request->json, &options.paper, err);
    bool clusters = wants_clusters(&options, pick);
    if (!status && clusters) {
        out->tried = true;
        status = serve_sample_make(request, options.engine, out->notes, &out->sample, err);
        options.engine = out->sample.engine;
    }
    if (!status)
        status = th_learner_new(&options, &learner, err);
    if (!status)
        status = clusters ? serve_sample_learn(&out->sample, learner, err)
                          : learn_from(request, learner, err);
    if (!status)
        status = th_learner_finish(learner, &out->wrapper, err);
    if (learner) {
        out->tried = true;
        out->wrong = th_learner_wrong(learner);
        add_notes(learner, out->notes);
    }
    th_learner_free(learner);
    return status;
}

/* Notes tell what would help, most of all when it failed. */
static void refuse_learning(serve_answer *answer, json_t *notes, const th_error *err)
{
    answer->status = MHD_HTTP_UNPROCESSABLE_CONTENT;
    serve_reply(answer, json_pack("{s:o,s:O}", "error", serve_json(th_str_from(err->message)),
                                  "notes", notes));
}

/* {"wrapper", "explain", "notes", "wrong"}: how many labelled values do not come out as labelled.
 * Of pages that were put into clusters "clusters", how many there are, and "pages", those that were
 * learnt from. */
static json_t *lesson_json(const lesson *l, const th_text *text, const th_text *words)
{
    json_t *json = json_pack("{s:o,s:o,s:O,s:I}", "wrapper",
                             json_loadb(text->ptr, text->len, JSON_ALLOW_NUL, NULL), "explain",
                             serve_json((th_str){words->ptr, words->len}), "notes", l->notes,
                             "wrong", (json_int_t)l->wrong);
    if (!l->sample.pages)
        return json;
    json_t *pages = json_array();
    for (size_t i = 0; i < l->sample.count; i++)
        json_array_append_new(pages, json_integer((json_int_t)l->sample.ids[i]));
    json_object_set_new(json, "pages", pages);
    json_object_set_new(json, "clusters", json_integer((json_int_t)l->sample.clusters));
    return json;
}

void api_learn(const serve_request *request, serve_answer *answer)
{
    th_labels *labels = NULL;
    lesson l = {.notes = json_array()};
    th_text text = {0}, words = {0};
    th_error err;
    th_status status = labels_of(request, &labels, &err);
    if (!status)
        status = learn(request, labels, &l, &err);
    if (!status)
        status = th_wrapper_write(l.wrapper, &text, &err);
    if (!status)
        status = th_wrapper_explain(l.wrapper, &words, &err);
    if (!status)
        serve_reply(answer, lesson_json(&l, &text, &words));
    else if (l.tried)
        refuse_learning(answer, l.notes, &err);
    else
        serve_fail(answer, status, &err);
    lesson_release(&l);
    th_text_release(&text);
    th_text_release(&words);
    th_labels_free(labels);
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
