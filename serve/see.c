/* see.c: pages as they look, and what belongs to them. */
#include "see.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look_address.h"
#include "page_look.h"
#include "asked.h"

/* What a page or a sheet refers to, of the assets that its site has. */
typedef struct finder {
    const serve_request *request;
    int64_t page;
    th_text site;
    serve_look_base base;
    serve_asset_index assets; /* of the site, once somebody asks */
} finder;

void serve_see_policy(const serve_server *server, const char *host, char policy[SERVE_POLICY_SIZE])
{
    char place[160];
    snprintf(place, sizeof place, "http://%s/see/%s/", host, server->key);
    snprintf(policy, SERVE_POLICY_SIZE,
             "default-src 'none'; style-src 'unsafe-inline' %s; img-src data: %s; font-src data: "
             "%s; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox "
             "allow-same-origin",
             place, place, place);
}

static bool find(void *context, th_str url, serve_css_use use, serve_text *out)
{
    finder *f = context;
    int64_t id;
    /* without them the page is shown plainer */
    if (!f->assets.loaded)
        (void)serve_asset_index_load(&f->assets, f->request->project,
                                     (th_str){f->site.ptr, f->site.len}, NULL);
    if (!serve_look_find(&f->assets, &f->base, url, &id))
        return false;
    serve_printf(out, "/see/%s/%lld/%lld", f->request->server->key, (long long)f->page,
                 (long long)id);
    /* the part of a drawing that is shown */
    const char *hash = use == SERVE_CSS_IMAGE ? memchr(url.ptr, '#', url.len) : NULL;
    if (hash)
        serve_put(out, hash, (size_t)(url.ptr + url.len - hash));
    return true;
}

static void see_page(finder *f, serve_answer *answer)
{
    serve_page page;
    th_error err;
    th_status status = serve_page_open(f->request->project, f->page, &page, &err);
    if (status) {
        serve_fail(answer, status, &err);
        return;
    }
    f->base = (serve_look_base){page.page, th_input_name(page.input)};
    answer->type = "text/html; charset=utf-8";
    serve_page_look(page.page, &(serve_css_names){find, f}, &answer->text);
    serve_page_close(&page);
}

/* A sheet is made safe like those in the page; an image or a font is given as it is, under the type
 * of its content. It is never a document: a browser that opens one keeps it as a file. A drawing
 * would look up hosts even where its policy forbids to ask them. */
static void see_asset(finder *f, int64_t id, serve_answer *answer)
{
    th_input *asset = NULL;
    th_error err;
    th_status status = th_project_asset_input(f->request->project,
                                              (th_str){f->site.ptr, f->site.len}, id, &asset, &err);
    if (status) {
        serve_fail(answer, status, &err);
        return;
    }
    th_str bytes = th_input_bytes(asset);
    const char *type = th_asset_type(bytes);
    bool sheet = type && !strcmp(type, "text/css");
    f->base = (serve_look_base){NULL, th_input_name(asset)};
    answer->is_part = !sheet;
    answer->type = sheet ? "text/css; charset=utf-8" : type ? type : "application/octet-stream";
    if (sheet)
        serve_css(bytes, SERVE_CSS_SHEET, &(serve_css_names){find, f}, &answer->text);
    else
        serve_put(&answer->text, bytes.ptr, bytes.len);
    if (!sheet)
        answer->policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri "
                         "'none'; form-action 'none'; frame-ancestors 'none'; sandbox";
    th_input_free(asset);
}

/* A number that a path begins with, behind its slash. */
static bool take_number(const char **path, int64_t *number)
{
    char *end;
    if ((*path)[0] != '/' || (*path)[1] < '0' || (*path)[1] > '9')
        return false;
    *number = strtoll(*path + 1, &end, 10);
    *path = end;
    return true;
}

void serve_see(const serve_request *request, const char *path, serve_answer *answer)
{
    finder f = {.request = request};
    int64_t id = 0;
    th_error err;
    bool good = take_number(&path, &f.page), whole = !*path;
    if (!good || (!whole && (!take_number(&path, &id) || *path))) {
        serve_refuse(answer, MHD_HTTP_NOT_FOUND, "not found");
        return;
    }
    th_status status = th_project_page_site(request->project, f.page, &f.site, &err);
    if (status)
        serve_fail(answer, status, &err);
    else if (whole)
        see_page(&f, answer);
    else
        see_asset(&f, id, answer);
    serve_asset_index_release(&f.assets);
    th_text_release(&f.site);
}
