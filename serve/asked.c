/* asked.c: the pages and the wrapper that a request is about. */
#include "asked.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static th_status add_id(serve_page_ids *pages, int64_t id, th_error *err)
{
    if (pages->count >= pages->most)
        return TH_OK;
    if (pages->count == pages->cap) {
        size_t cap = pages->cap ? 2 * pages->cap : 64;
        int64_t *grown = realloc(pages->ids, cap * sizeof *grown);
        if (!grown) {
            *err = (th_error){TH_ERR_MEMORY, TH_NO_OFFSET, "out of memory"};
            return TH_ERR_MEMORY;
        }
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

/* False when the value is of another kind. Whether it makes sense the library says. */
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
        *err = (th_error){.status = TH_ERR_ARGUMENT, .offset = TH_NO_OFFSET};
        snprintf(err->message, sizeof err->message, "\"%s\" must be %s", knobs[i].name,
                 knobs[i].kind == FLAG   ? "true or false"
                 : knobs[i].kind == WORD ? "a word"
                                         : "a number");
        return TH_ERR_ARGUMENT;
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
        *err = (th_error){TH_ERR_ARGUMENT, TH_NO_OFFSET,
                          "\"wrapper\" must be a wrapper, or the name of one of the site"};
    th_text_release(&text);
    return status == TH_DONE ? TH_ERR_ARGUMENT : status;
}
