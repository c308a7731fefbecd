/* api_assets.c: what the pages of a site look with: style sheets, images and fonts. */
#include "api.h"

static th_status put_asset(void *context, const th_project_asset *asset, th_error *err)
{
    json_t *item = json_pack("{s:I,s:o,s:o,s:I}", "id", (json_int_t)asset->id, "address",
                             serve_json(asset->address), "type", serve_json(asset->type), "size",
                             (json_int_t)asset->size);
    if (item && !json_array_append_new(context, item))
        return TH_OK;
    *err = (th_error){TH_ERR_MEMORY, TH_NO_OFFSET, "out of memory"};
    return TH_ERR_MEMORY;
}

void api_assets(const serve_request *request, serve_answer *answer)
{
    th_error err;
    json_t *list = json_array();
    th_status status =
        th_project_assets(request->project, th_str_from(request->parts[0]), put_asset, list, &err);
    if (status)
        serve_fail(answer, status, &err);
    else
        serve_reply(answer, json_pack("{s:O}", "assets", list));
    json_decref(list);
}

/* A file that was dropped with pages: its bytes are the body. */
void api_add_asset(const serve_request *request, serve_answer *answer)
{
    const char *name = serve_query(request, "name");
    int64_t id = 0;
    bool added = false;
    th_error err;
    if (!name || !*name) {
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST, "a file needs a name: ?name=");
        return;
    }
    th_status status = th_project_add_asset(request->project, th_str_from(request->parts[0]),
                                            th_str_from(name), request->body, &id, &added, &err);
    if (status)
        serve_fail(answer, status, &err);
    else
        serve_reply(answer, json_pack("{s:I,s:b}", "id", (json_int_t)id, "added", added));
}
