/* project_walk.h: all that a project can be asked. For the fuzz targets of projects. */
#ifndef TH_PROJECT_WALK_H
#define TH_PROJECT_WALK_H

#include "fuzz.h"

#include <thresh.h>

typedef struct walk {
    th_project *project;
    int64_t pages[8], runs[8];
    size_t page_count, run_count, bytes;
} walk;

/* Reads the bytes, so that a sanitizer sees texts that are not there. */
static inline void walk_text(walk *w, th_str text)
{
    for (size_t i = 0; i < text.len; i++)
        w->bytes += (unsigned char)text.ptr[i];
}

static inline th_status walk_site(void *context, const th_project_site *site, th_error *err)
{
    walk_text(context, site->name);
    return TH_OK;
}

static inline th_status walk_page(void *context, const th_project_page *page, th_error *err)
{
    walk *w = context;
    walk_text(w, page->name);
    walk_text(w, page->site);
    if (w->page_count < sizeof w->pages / sizeof *w->pages)
        w->pages[w->page_count++] = page->id;
    return TH_OK;
}

static inline th_status walk_wrapper(void *context, const th_project_wrapper *wrapper,
                                     th_error *err)
{
    walk_text(context, wrapper->name);
    walk_text(context, wrapper->engine);
    return TH_OK;
}

static inline th_status walk_run(void *context, const th_project_run *run, th_error *err)
{
    walk *w = context;
    walk_text(w, run->command);
    walk_text(w, run->finished);
    if (w->run_count < sizeof w->runs / sizeof *w->runs)
        w->runs[w->run_count++] = run->id;
    return TH_OK;
}

static inline th_status walk_record(void *context, const th_project_record *record, th_error *err)
{
    walk_text(context, record->json);
    return TH_OK;
}

static inline th_status walk_verdict(void *context, const th_project_verdict *verdict,
                                     th_error *err)
{
    walk_text(context, verdict->evidence);
    return TH_OK;
}

/* Lists everything and reads the first pages, wrappers and runs. A damaged project may refuse. */
static inline void walk_project(th_project *project)
{
    walk w = {.project = project};
    th_str all = {0};
    th_labels *labels;
    th_text text = {0};
    th_project_sites(project, walk_site, &w, NULL);
    th_project_pages(project, all, true, walk_page, &w, NULL);
    th_project_wrappers(project, all, walk_wrapper, &w, NULL);
    th_project_runs(project, all, walk_run, &w, NULL);
    th_project_wrapper_text(project, th_str_from("shop"), th_str_from("w"), 0, NULL, &text, NULL);
    th_project_label_lines(project, th_str_from("shop"), &text, NULL);
    if (th_project_labels(project, th_str_from("shop"), &labels, NULL) == TH_OK)
        th_labels_free(labels);
    for (size_t i = 0; i < w.page_count; i++)
        th_project_page_bytes(project, w.pages[i], &text, NULL);
    for (size_t i = 0; i < w.run_count; i++) {
        th_project_records(project, w.runs[i], 0, 10, walk_record, &w, NULL);
        th_project_verdicts(project, w.runs[i], walk_verdict, &w, NULL);
    }
    th_text_release(&text);
}

#endif
