/* asked.c: what a request is about. */
#include "asked.h"

#include <stddef.h>
#include <stdlib.h>

static th_status add_id(serve_page_ids *pages, int64_t id, th_error *err)
{
    if (pages->count >= pages->most)
        return TH_OK;
    if (pages->count == pages->cap) {
        size_t cap = pages->cap ? 2 * pages->cap : 64;
        int64_t *grown = realloc(pages->ids, cap * sizeof *grown);
        if (!grown)
            return serve_no_memory(err);
        pages->ids = grown;
        pages->cap = cap;
    }
    pages->ids[pages->count++] = id;
    return TH_OK;
}

static th_status note_id(void *context, const th_project_page *page, th_error *err)
{
    return add_id(context, page->id, err);
}

th_status serve_asked_pages_of(th_project *project, th_str site, const json_t *json, size_t most,
                               serve_page_ids *out, th_error *err)
{
    json_t *named = json_object_get(json, "pages"), *id;
    size_t index;
    th_status status = TH_OK;
    *out = (serve_page_ids){.most = most};
    if (!json_is_array(named))
        return th_project_pages(project, site, false, note_id, out, err);
    json_array_foreach(named, index, id)
    {
        if (!status)
            status = add_id(out, json_integer_value(id), err);
    }
    return status;
}

th_status serve_asked_pages(const serve_request *request, serve_page_ids *out, th_error *err)
{
    return serve_asked_pages_of(request->project, th_str_from(request->parts[0]), request->json,
                                SERVE_MOST_PAGES, out, err);
}

th_status serve_page_open(th_project *project, int64_t id, serve_page *out, th_error *err)
{
    th_parser *parser = NULL;
    th_page_source source;
    *out = (serve_page){0};
    th_status status = th_project_page_input(project, id, &out->input, err);
    if (!status)
        status = th_parser_new(NULL, &parser, err);
    if (!status) {
        th_input_source(out->input, &source);
        status = th_parser_parse(parser, th_input_bytes(out->input), &source, &out->page, err);
    }
    th_parser_free(parser);
    if (status)
        serve_page_close(out);
    return status;
}

void serve_page_close(serve_page *page)
{
    th_page_free(page->page);
    th_input_free(page->input);
    *page = (serve_page){0};
}

th_records_source serve_page_source(const serve_page *page)
{
    return (th_records_source){th_input_name(page->input), th_page_url(page->page)};
}

th_status serve_each_page(th_project *project, const serve_page_ids *pages, serve_job *job,
                          unsigned more, serve_page_work work, void *context, th_error *err)
{
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < pages->count; i++) {
        serve_page page;
        status = serve_page_open(project, pages->ids[i], &page, err);
        if (!status)
            status = work(context, pages->ids[i], &page, err);
        else if (status == TH_DONE && job) /* removed while the job waited or ran */
            status = TH_OK;
        serve_page_close(&page);
        if (!status && job && !serve_job_progress(job, i + 1, pages->count + more))
            status = TH_ERR_CANCELLED;
    }
    return status;
}

typedef enum knob_kind { FLAG, COUNT, REAL, WORD } knob_kind;

static const struct {
    const char *name;
    knob_kind kind;
    size_t at; /* in th_paper_options */
} knobs[] = {
    {"paper", FLAG, offsetof(th_paper_options, published)},
    {"combination", COUNT, offsetof(th_paper_options, combination)},
    {"threshold", REAL, offsetof(th_paper_options, threshold)},
    {"table_tags", FLAG, offsetof(th_paper_options, table_tags)},
    {"encoding", WORD, offsetof(th_paper_options, encoding)},
    {"levels", COUNT, offsetof(th_paper_options, levels)},
    {"lower_encoding", WORD, offsetof(th_paper_options, lower_encoding)},
    {"min_length", COUNT, offsetof(th_paper_options, min_length)},
    {"min_count", COUNT, offsetof(th_paper_options, min_count)},
    {"max_variance", REAL, offsetof(th_paper_options, max_variance)},
    {"min_density", REAL, offsetof(th_paper_options, min_density)},
    {"cluster_variance", REAL, offsetof(th_paper_options, cluster_variance)},
    {"max_mismatch", REAL, offsetof(th_paper_options, max_mismatch)},
    {"size_threshold", COUNT, offsetof(th_paper_options, size_threshold)},
    {"support_threshold", REAL, offsetof(th_paper_options, support_threshold)},
};

/* False when the value is of another kind. The library checks whether it makes sense. */
static bool turn(knob_kind kind, const json_t *value, char *at)
{
    switch (kind) {
    case FLAG:
        *(bool *)(void *)at = json_is_true(value);
        return json_is_boolean(value);
    case COUNT:
        *(uint32_t *)(void *)at = (uint32_t)json_integer_value(value);
        return json_is_integer(value) && json_integer_value(value) >= 0 &&
               json_integer_value(value) <= UINT32_MAX;
    case REAL:
        *(double *)(void *)at = json_number_value(value);
        return json_is_number(value);
    case WORD:
        *(const char **)(void *)at = json_string_value(value);
        return json_is_string(value);
    }
    return false;
}

th_status serve_asked_paper(const json_t *json, th_paper_options *out, th_error *err)
{
    for (size_t i = 0; i < sizeof knobs / sizeof *knobs; i++) {
        const json_t *value = json_object_get(json, knobs[i].name);
        if (!value || turn(knobs[i].kind, value, (char *)out + knobs[i].at))
            continue;
        return serve_error(err, TH_ERR_ARGUMENT, "\"%s\" must be %s", knobs[i].name,
                           knobs[i].kind == FLAG   ? "true or false"
                           : knobs[i].kind == WORD ? "a word"
                                                   : "a number");
    }
    return TH_OK;
}

th_status serve_asked_wrapper(th_project *project, th_str site, const json_t *json,
                              th_wrapper **out, uint32_t *version, th_error *err)
{
    json_t *inside = json_object_get(json, "wrapper");
    th_text text = {0};
    *version = (uint32_t)json_integer_value(json_object_get(json, "version"));
    if (json_is_object(inside)) {
        char *dumped = json_dumps(inside, JSON_COMPACT);
        th_status status = th_wrapper_read(th_str_from(dumped ? dumped : ""), "wrapper", out, err);
        free(dumped);
        *version = 0;
        return status;
    }
    const char *name = json_string_value(inside);
    th_status status = name ? th_project_wrapper_text(project, site, th_str_from(name), *version,
                                                      version, &text, err)
                            : TH_DONE;
    if (!status)
        status = th_wrapper_read((th_str){text.ptr, text.len}, name, out, err);
    if (status == TH_DONE)
        status = serve_error(err, TH_ERR_ARGUMENT,
                             "\"wrapper\" must be a wrapper, or the name of one of the site");
    th_text_release(&text);
    return status;
}

th_status serve_request_wrapper(const serve_request *request, th_wrapper **out, th_error *err)
{
    uint32_t version;
    return serve_asked_wrapper(request->project, serve_site(request), request->json, out, &version,
                               err);
}
