/* drifting_pages.c: on which pages a drift or a change is to be seen. */
#include "drifting_pages.h"

#include <string.h>

#include "answer_text.h"

/* Of what values look like, one page may tell by chance: it counts where chance is less likely than
 * not. Every sign is looked at first, however likely. */
#define LIKELY 0.5
#define ANY    0.999999

/* A field that has no value on the page needs no statistics to be seen. */
static bool is_missing(const th_evidence *evidence)
{
    return !strcmp(evidence->test, "missing") && !evidence->example_count;
}

/* Nor does one none of whose values begins or ends as any did before: of a single value statistics
 * have little to say, and only fields of which the whole verdict speaks are told in the end. */
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

th_status serve_page_evidence(const th_wrapper *wrapper, const serve_page *page,
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

/* Returns true if the verdict speaks of a field: of a drift those that drift, of a change all it
 * tells. */
static bool speaks_of(const th_verdict *verdict, const json_t *field)
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

json_t *serve_drifting_pages(const th_verdict *verdict, const json_t *pages)
{
    json_t *out = json_array(), *page, *field;
    size_t index, at;
    bool drift = th_verdict_drift(verdict);
    json_array_foreach(pages, index, page)
    {
        json_t *seen = json_array();
        json_array_foreach(json_object_get(page, "fields"), at, field)
        {
            if ((drift && json_is_null(field)) || speaks_of(verdict, field))
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
