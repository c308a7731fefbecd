/* api_upload.c: a file that was dropped or chosen, which should be a page or an archive of pages.
 */
#include <string.h>

#include "api.h"
#include "server.h"

static th_status read_body(void *context, uint64_t offset, void *into, size_t len, size_t *got,
                           th_error *err)
{
    const th_str *body = context;
    uint64_t left = offset < body->len ? body->len - offset : 0;
    *got = left < len ? (size_t)left : len;
    memcpy(into, body->ptr + (*got ? offset : 0), *got);
    return TH_OK;
}

static th_reader body_of(const serve_request *request)
{
    return (th_reader){read_body, NULL, (void *)&request->body, .size = request->body.len};
}

/* The bytes as a file of that name would be read. */
static th_status open_body(const serve_request *request, const char *name, th_feed **out,
                           th_error *err)
{
    th_feed_part part = {.name = name, .end = UINT64_MAX, .reader = body_of(request)};
    th_feed_options options;
    th_feed_options_init(&options);
    options.cancel = serve_cancel(request->server);
    return th_feed_parts(&part, 1, &options, out, err);
}

/* The name is said where the file is shown: what is wrong with it is enough. */
static void refuse(serve_answer *answer, const char *name, const char *message)
{
    size_t len = strlen(name);
    bool named = !strncmp(message, name, len) && !strncmp(message + len, ": ", 2);
    serve_refuse(answer, MHD_HTTP_UNPROCESSABLE_CONTENT, "%s", message + (named ? len + 2 : 0));
}

/* ?exists=refuse: a page of that name with other bytes is not replaced unasked. */
static bool is_in_the_way(const serve_request *request, th_str name, th_str bytes)
{
    const char *exists = serve_query(request, "exists");
    th_input *there = NULL;
    th_error err;
    bool differs =
        exists && !strcmp(exists, "refuse") &&
        !th_project_find_page(request->project, serve_site(request), name, &there, &err) &&
        (th_input_bytes(there).len != bytes.len ||
         memcmp(th_input_bytes(there).ptr, bytes.ptr, bytes.len) != 0);
    th_input_free(there);
    return differs;
}

static th_status add_one(const serve_request *request, th_str name, const th_input *input,
                         json_t *pages, bool *any, th_error *err)
{
    const char *url = serve_query(request, "url");
    th_page_source source;
    int64_t id = 0;
    bool added = false;
    th_input_source(input, &source);
    if (url)
        source.url = th_str_from(url);
    th_status status = th_project_add_page(request->project, serve_site(request), name, &source,
                                           th_input_bytes(input), &id, &added, err);
    if (!status)
        json_array_append_new(pages, json_pack("{s:I,s:o,s:b}", "id", (json_int_t)id, "name",
                                               serve_json(name), "added", added));
    *any = *any || added;
    return status;
}

/* A page keeps the name of its file; those of an archive have names of their own. */
static bool is_whole_file(const th_input *input, const char *name)
{
    th_str own = th_input_name(input);
    return own.len == strlen(name) && !memcmp(own.ptr, name, own.len);
}

/* Adds all pages, or none of them if one cannot be stored. Damaged places of an archive are passed
 * over; the first is what is wrong if no page is in it. */
static void add_all(const serve_request *request, const char *name, th_feed *feed,
                    serve_looks *looks, serve_answer *answer)
{
    json_t *pages = json_array();
    bool any = false;
    th_input *input = NULL;
    th_error err = {0}, wrong = {0};
    th_status status = th_project_begin(request->project, &err), read = TH_OK;
    while (!status && (read = th_feed_next(feed, &input, &err)) != TH_DONE &&
           read != TH_ERR_CANCELLED) {
        if (read) {
            if (!wrong.status)
                wrong = err;
            continue;
        }
        if (is_whole_file(input, name) &&
            is_in_the_way(request, th_str_from(name), th_input_bytes(input))) {
            serve_refuse(answer, MHD_HTTP_CONFLICT, "there is another page of that name");
            status = TH_ERR_ARGUMENT;
        } else {
            if (!is_whole_file(input, name))
                serve_looks_read(looks, input);
            status = add_one(request, th_input_name(input), input, pages, &any, &err);
            if (status)
                serve_fail(answer, status, &err);
        }
        th_input_free(input);
    }
    size_t count = json_array_size(pages);
    if (!status && count)
        status = th_project_commit(request->project, &err);
    if (!status)
        serve_looks_finish(looks);
    if (!status && count)
        serve_reply(answer, json_pack("{s:O,s:O,s:O}", "id",
                                      json_object_get(json_array_get(pages, 0), "id"), "added",
                                      any ? json_true() : json_false(), "pages", pages));
    else if (!status)
        refuse(answer, name, wrong.status ? wrong.message : "no page is in it");
    else if (!answer->text.len)
        serve_fail(answer, status, &err);
    json_decref(pages);
    if (!status && any)
        serve_publish(request->server->jobs, "pages",
                      json_pack("{s:s}", "site", request->parts[0]));
}

void api_add_page(const serve_request *request, serve_answer *answer)
{
    const char *name = serve_query(request, "name");
    th_feed *feed = NULL;
    th_error err;
    if (!name || !*name) {
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST, "a page needs a name: ?name=");
        return;
    }
    if (!request->body.len) {
        refuse(answer, name, "the file is empty");
        return;
    }
    th_status status = open_body(request, name, &feed, &err);
    if (status) {
        serve_fail(answer, status, &err);
        return;
    }
    th_reader body = body_of(request);
    serve_looks *looks =
        request->server->no_looks
            ? NULL
            : serve_looks_new(request->project, serve_site(request), NULL, NULL, 0);
    serve_looks_set_archive(looks, &body);
    add_all(request, name, feed, looks, answer);
    serve_looks_free(looks);
    th_feed_free(feed);
}
