/*
 * looks_tidy.c: removing what no page looks with any more.
 *
 * What is used is what the looks of all pages find (page_look.c), and what the sheets among it find
 * in turn.
 */
#include <stdio.h>

#include "look_address.h"
#include "page_look.h"
#include "asked.h"
#include "serve.h"

enum { MOST_DEPTH = 16 /* of sheets that import sheets */ };

typedef struct tidying {
    th_project *project;
    json_t *used; /* by number */
    th_str site;
    const serve_asset_index *index; /* of the site */
    serve_look_base base;
    unsigned depth;
} tidying;

static bool mark(void *context, th_str url, serve_css_use use, serve_text *out)
{
    const tidying *t = context;
    int64_t id;
    char number[24];
    th_input *asset = NULL;
    serve_text made = {0};
    if (!serve_look_find(t->index, &t->base, url, &id))
        return false;
    snprintf(number, sizeof number, "%lld", (long long)id);
    if (json_object_get(t->used, number))
        return true;
    json_object_set_new(t->used, number, json_true());
    if (use == SERVE_CSS_IMPORT && t->depth < MOST_DEPTH &&
        !th_project_asset_input(t->project, t->site, id, &asset, NULL)) {
        tidying inner = *t;
        inner.base = (serve_look_base){NULL, th_input_name(asset)};
        inner.depth++;
        serve_css(th_input_bytes(asset), SERVE_CSS_SHEET, &(serve_css_names){mark, &inner}, &made);
    }
    serve_text_release(&made);
    th_input_free(asset);
    return true;
}

static th_status mark_page(tidying *t, int64_t id, th_error *err)
{
    serve_page page = {0};
    serve_text made = {0};
    th_text site = {0};
    serve_asset_index index = {0};
    th_status status = th_project_page_site(t->project, id, &site, err);
    t->site = (th_str){site.ptr, site.len};
    if (!status)
        status = serve_asset_index_load(&index, t->project, t->site, err);
    if (!status)
        status = serve_page_open(t->project, id, &page, err);
    if (!status) {
        t->index = &index;
        t->base = (serve_look_base){page.page, th_input_name(page.input)};
        serve_page_look(page.page, &(serve_css_names){mark, t}, &made);
    }
    serve_text_release(&made);
    serve_page_close(&page);
    serve_asset_index_release(&index);
    th_text_release(&site);
    return status == TH_DONE ? TH_OK : status; /* somebody has removed it */
}

static th_status note_page(void *context, const th_project_page *page, th_error *err)
{
    return serve_append(context, json_integer(page->id), err);
}

static th_status note_asset(void *context, const th_project_asset *asset, th_error *err)
{
    return serve_append(context, json_integer(asset->id), err);
}

th_status serve_looks_tidy(th_project *project, uint64_t *count, th_error *err)
{
    tidying t = {.project = project, .used = json_object()};
    json_t *pages = json_array(), *assets = json_array(), *one;
    size_t index;
    char number[24];
    *count = 0;
    th_status status = th_project_assets(project, (th_str){0}, note_asset, assets, err);
    if (!status && json_array_size(assets))
        status = th_project_pages(project, (th_str){0}, true, note_page, pages, err);
    json_array_foreach(pages, index, one) if (!status) status =
        mark_page(&t, json_integer_value(one), err);
    json_array_foreach(assets, index, one)
    {
        bool removed = false;
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(one));
        if (!status && !json_object_get(t.used, number))
            status = th_project_remove_asset(project, json_integer_value(one), &removed, err);
        *count += removed;
    }
    json_decref(t.used);
    json_decref(pages);
    json_decref(assets);
    return status;
}
