/*
 * api_suggest.c: where a wrapper is in doubt: the pages whose labels would teach most; and the
 * questions that are not to be asked again.
 *
 * Only engines that find a value in several ways can tell; others refuse, and the workbench then
 * asks nothing.
 */
#include <stdlib.h>

#include "api.h"
#include "asked.h"
#include "server.h"

static json_t *value_json(const th_answer_value *value)
{
    return json_pack("{s:o,s:I,s:I}", "value", serve_json(value->text), "start",
                     (json_int_t)value->span.start, "end", (json_int_t)value->span.end);
}

static json_t *answer_json(const th_answer *said)
{
    json_t *values = json_array();
    for (uint32_t i = 0; i < said->count; i++)
        json_array_append_new(values, value_json(&said->values[i]));
    return json_pack("{s:s,s:o,s:I,s:I,s:I,s:o}", "view", said->view, "text",
                     serve_json(said->text), "start", (json_int_t)said->span.start, "end",
                     (json_int_t)said->span.end, "more", (json_int_t)said->more, "values", values);
}

static json_t *doubt_json(const th_doubt *doubt)
{
    json_t *answers = json_array();
    for (uint32_t i = 0; i < doubt->answer_count; i++)
        json_array_append_new(answers, answer_json(&doubt->answers[i]));
    return json_pack("{s:o,s:o,s:f,s:s,s:I,s:I,s:o}", "field", serve_json(doubt->field), "spot",
                     serve_json(doubt->spot), "contention", doubt->contention, "why", doubt->why,
                     "place", (json_int_t)doubt->place, "chosen", (json_int_t)doubt->chosen,
                     "answers", answers);
}

static json_t *page_json(int64_t id, const serve_page *page, const th_doubts *doubts)
{
    json_t *list = json_array();
    for (size_t i = 0; i < th_doubts_count(doubts); i++)
        json_array_append_new(list, doubt_json(th_doubts_get(doubts, i)));
    return json_pack("{s:I,s:o,s:f,s:o}", "id", (json_int_t)id, "page",
                     serve_json(th_input_name(page->input)), "contention",
                     th_doubts_contention(doubts), "doubts", list);
}

/* What is collected from the pages. */
typedef struct suggesting {
    th_wrapper *wrapper;
    json_t *pages;
} suggesting;

static th_status suggest_page(void *context, int64_t id, const serve_page *page, th_error *err)
{
    const suggesting *s = context;
    th_doubts *doubts = NULL;
    th_status status = th_wrapper_doubts(s->wrapper, page->page, &doubts, err);
    if (!status && th_doubts_count(doubts))
        status = serve_append(s->pages, page_json(id, page, doubts), err);
    th_doubts_free(doubts);
    return status;
}

/* {"pages": [{"id", "page", "contention", "doubts": [...]}]}, those without doubt left out. */
void api_suggest(const serve_request *request, serve_answer *answer)
{
    suggesting s = {.pages = json_array()};
    serve_page_ids pages = {0};
    th_error err;
    th_status status = serve_request_wrapper(request, &s.wrapper, &err);
    if (!status)
        status = serve_asked_pages(request, &pages, &err);
    if (!status)
        status = serve_each_page(request->project, &pages, NULL, 0, suggest_page, &s, &err);
    serve_reply_list(answer, "pages", s.pages, status, &err);
    free(pages.ids);
    th_wrapper_free(s.wrapper);
}

/* ---- what is not asked again ----------------------------------------------------------------- */

static th_status put_ignored(void *context, th_str question, th_error *err)
{
    return serve_append(context, serve_json(question), err);
}

void api_ignored(const serve_request *request, serve_answer *answer)
{
    th_error err;
    json_t *list = json_array();
    serve_reply_list(
        answer, "questions", list,
        th_project_ignored(request->project, serve_site(request), put_ignored, list, &err), &err);
}

/* All of them or none. */
static th_status ignore_all(const serve_request *request, json_t *questions, bool ignore,
                            th_error *err)
{
    size_t index;
    json_t *one;
    th_status status = th_project_begin(request->project, err);
    if (status)
        return status;
    json_array_foreach(questions, index, one)
    {
        th_str question = {json_string_value(one), json_string_length(one)};
        if (!status)
            status =
                th_project_ignore(request->project, serve_site(request), question, ignore, err);
    }
    if (!status)
        return th_project_commit(request->project, err);
    th_project_rollback(request->project);
    return status;
}

/* {"questions": [...], "ignore": false to ask them again} */
void api_ignore(const serve_request *request, serve_answer *answer)
{
    json_t *questions = json_object_get(request->json, "questions"), *one;
    bool ignore = !json_is_false(json_object_get(request->json, "ignore"));
    bool texts = json_is_array(questions);
    size_t index;
    th_error err;
    json_array_foreach(questions, index, one)
    {
        texts = texts && json_is_string(one);
    }
    if (!texts) {
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST, "\"questions\" must be a list of texts");
        return;
    }
    th_status status = ignore_all(request, questions, ignore, &err);
    if (status) {
        serve_fail(answer, status, &err);
        return;
    }
    serve_reply(answer, json_object());
    serve_publish(request->server->jobs, "labels", json_pack("{s:s}", "site", request->parts[0]));
}
