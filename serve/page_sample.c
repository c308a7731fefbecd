/* page_sample.c: pages that are learnt from together, without labels. */
#include "page_sample.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LEAST_FOR_KIND = 3, /* what two pages differ in may be chance */
    OUTLIERS_TOLD = 5
};

static void note(json_t *notes, const char *format, ...) TH_PRINTF(2, 3);

static void note(json_t *notes, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_array_append_new(
        notes,
        serve_json((th_str){text, (size_t)len < sizeof text ? (size_t)len : sizeof text - 1}));
}

static th_status fail_argument(th_error *err, const char *format, ...) TH_PRINTF(2, 3);

static th_status fail_argument(th_error *err, const char *format, ...)
{
    va_list args;
    *err = (th_error){.status = TH_ERR_ARGUMENT, .offset = TH_NO_OFFSET};
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return TH_ERR_ARGUMENT;
}

static th_str name_of(const serve_sample *sample, size_t page)
{
    return th_input_name(sample->pages[page].input);
}

static void tell_outliers(const serve_sample *sample, const th_survey *survey, json_t *notes)
{
    size_t outliers = 0;
    for (size_t i = 0; i < sample->count; i++) {
        th_str name = name_of(sample, i);
        if (th_survey_cluster(survey, i) == TH_NO_CLUSTER && outliers++ < OUTLIERS_TOLD)
            note(notes, "%.*s is left out: its structure differs from the others", (int)name.len,
                 name.ptr);
    }
    if (outliers > OUTLIERS_TOLD)
        note(notes, "%zu more pages are left out", outliers - OUTLIERS_TOLD);
}

static void tell_clusters(const serve_sample *sample, const th_survey *survey, size_t chosen,
                          json_t *notes)
{
    size_t clusters = th_survey_count(survey);
    if (clusters < 2)
        return;
    note(notes, "the pages have %zu templates, and a wrapper is for one", clusters);
    for (size_t c = 0; c < clusters; c++) {
        size_t first = 0;
        while (th_survey_cluster(survey, first) != c)
            first++;
        th_str name = name_of(sample, first);
        note(notes, "%zu pages like %.*s: %s", th_survey_size(survey, c), (int)name.len, name.ptr,
             c == chosen ? "learnt from" : "left out");
    }
}

/* Leaves the pages of one cluster. */
static void keep_cluster(serve_sample *sample, const th_survey *survey, size_t cluster)
{
    size_t kept = 0;
    for (size_t i = 0; i < sample->count; i++) {
        if (th_survey_cluster(survey, i) != cluster) {
            serve_page_close(&sample->pages[i]);
            continue;
        }
        sample->pages[kept] = sample->pages[i];
        sample->ids[kept++] = sample->ids[i];
    }
    sample->count = kept;
}

static th_status choose(serve_sample *sample, const serve_request *request, json_t *notes,
                        th_error *err)
{
    json_int_t number = json_integer_value(json_object_get(request->json, "cluster"));
    th_survey *survey = NULL;
    th_status status = th_survey_new(&survey, err);
    for (size_t i = 0; !status && i < sample->count; i++)
        status = th_survey_add(survey, sample->pages[i].page, err);
    if (!status)
        status = th_survey_finish(survey, err);
    if (!status) {
        size_t clusters = sample->clusters = th_survey_count(survey);
        size_t chosen = number > 0 ? (size_t)number - 1 : 0;
        if (number < 0 || (number > 0 && chosen >= clusters))
            status =
                fail_argument(err, "the pages have %zu template%s, so there is no \"cluster\" %lld",
                              clusters, clusters == 1 ? "" : "s", (long long)number);
        else if (!clusters && sample->count > 1 && sample->engine)
            status = fail_argument(err, "no two pages have the same structure: a template needs "
                                        "two or more pages of one kind");
        if (!status && clusters) {
            tell_outliers(sample, survey, notes);
            tell_clusters(sample, survey, chosen, notes);
            keep_cluster(sample, survey, chosen);
        }
    }
    th_survey_free(survey);
    return status;
}

/* Lists of records, or one record per page: what explains more of what the pages differ in. */
static th_status find_engine(serve_sample *sample, th_error *err)
{
    th_kind kind = {.lists = true};
    th_status status = TH_OK;
    if (sample->engine)
        return TH_OK;
    if (sample->count >= LEAST_FOR_KIND) {
        const th_page **pages = calloc(sample->count, sizeof *pages);
        *err = (th_error){TH_ERR_MEMORY, TH_NO_OFFSET, "out of memory"};
        for (size_t i = 0; pages && i < sample->count; i++)
            pages[i] = sample->pages[i].page;
        status = pages ? th_pages_kind(pages, sample->count, &kind, err) : TH_ERR_MEMORY;
        free(pages);
    }
    sample->engine = kind.lists ? "auto" : "template";
    return status;
}

th_status serve_sample_make(const serve_request *request, const char *engine, json_t *notes,
                            serve_sample *out, th_error *err)
{
    serve_page_ids asked;
    *out = (serve_sample){.engine = engine};
    th_status status = serve_asked_pages(request, &asked, err);
    out->ids = asked.ids;
    if (!status) {
        out->pages = calloc(asked.count + 1, sizeof *out->pages);
        *err = (th_error){TH_ERR_MEMORY, TH_NO_OFFSET, "out of memory"};
        status = out->pages ? TH_OK : TH_ERR_MEMORY;
    }
    for (; !status && out->count < asked.count; out->count += !status)
        status =
            serve_page_open(request->project, asked.ids[out->count], &out->pages[out->count], err);
    if (!status)
        status = choose(out, request, notes, err);
    return status ? status : find_engine(out, err);
}

th_status serve_sample_learn(const serve_sample *sample, th_learner *learner, th_error *err)
{
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < sample->count; i++) {
        th_records_source source = serve_page_source(&sample->pages[i]);
        status = th_learner_add(learner, sample->pages[i].page, &source, NULL, err);
    }
    return status;
}

void serve_sample_release(serve_sample *sample)
{
    for (size_t i = 0; i < sample->count; i++)
        serve_page_close(&sample->pages[i]);
    free(sample->pages);
    free(sample->ids);
    *sample = (serve_sample){0};
}
