/* routes.c: finds the handler of a request, and makes answers. */
#include "routes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api.h"

static const struct {
    const char *method, *path;
    serve_handler handler;
} routes[] = {
#define ROUTE(method, path, handler) {method, path, handler},
    SERVE_ROUTES(ROUTE)
#undef ROUTE
};

/* ---- answers --------------------------------------------------------------------------------- */

void serve_refuse(serve_answer *answer, unsigned status, const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(message, sizeof message, format, args);
    va_end(args);
    answer->status = status;
    answer->type = "application/json";
    answer->text.len = 0;
    serve_puts(&answer->text, "{\"error\":");
    serve_put_json(
        &answer->text,
        (th_str){message, (size_t)len < sizeof message ? (size_t)len : sizeof message - 1});
    serve_puts(&answer->text, "}");
}

void serve_fail(serve_answer *answer, th_status status, const th_error *err)
{
    static const struct {
        th_status status;
        unsigned http;
    } known[] = {
        {TH_DONE, MHD_HTTP_NOT_FOUND},
        {TH_ERR_ARGUMENT, MHD_HTTP_UNPROCESSABLE_CONTENT},
        {TH_ERR_FORMAT, MHD_HTTP_UNPROCESSABLE_CONTENT},
        {TH_ERR_LIMIT, MHD_HTTP_CONTENT_TOO_LARGE},
    };
    unsigned http = MHD_HTTP_INTERNAL_SERVER_ERROR;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].status == status)
            http = known[i].http;
    serve_refuse(answer, http, "%s", status == TH_DONE ? "not found" : err->message);
}

void serve_reply(serve_answer *answer, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    if (text)
        serve_puts(&answer->text, text);
    else
        answer->text.failed = true;
    free(text);
    json_decref(value);
}

void serve_reply_list(serve_answer *answer, const char *name, json_t *list, th_status status,
                      const th_error *err)
{
    if (!status) {
        serve_reply(answer, json_pack("{s:o}", name, list));
        return;
    }
    json_decref(list);
    serve_fail(answer, status, err);
}

th_status serve_append(json_t *list, json_t *item, th_error *err)
{
    return item && !json_array_append_new(list, item) ? TH_OK : serve_no_memory(err);
}

/* ---- requests -------------------------------------------------------------------------------- */

const char *serve_query(const serve_request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

uint64_t serve_query_number(const serve_request *request, const char *name, uint64_t usual)
{
    const char *text = serve_query(request, name);
    return text ? strtoull(text, NULL, 10) : usual;
}

th_str serve_site(const serve_request *request)
{
    return th_str_from(request->parts[0]);
}

int64_t serve_id(const serve_request *request)
{
    return strtoll(request->parts[0], NULL, 10);
}

bool serve_is_url(th_str text)
{
    return (text.len > 7 && !strncasecmp(text.ptr, "http://", 7)) ||
           (text.len > 8 && !strncasecmp(text.ptr, "https://", 8));
}

const char *serve_member(const serve_request *request, const char *name)
{
    return json_string_value(json_object_get(request->json, name));
}

/* The library has decoded the path already: parts cannot hold a slash, which is why names of pages
 * travel in the query or in the body. */
static bool matches(const char *pattern, const char *path, serve_request *request, char *space,
                    size_t size)
{
    size_t part = 0, used = 0;
    for (;;) {
        size_t wanted = strcspn(pattern, "/"), len = strcspn(path, "/");
        if (wanted == 1 && *pattern == '*') {
            if (!len || part == SERVE_MAX_PARTS || used + len + 1 > size)
                return false;
            memcpy(space + used, path, len);
            space[used + len] = '\0';
            request->parts[part++] = space + used;
            used += len + 1;
        } else if (wanted != len || memcmp(pattern, path, len)) {
            return false;
        }
        pattern += wanted;
        path += len;
        if (!*pattern || !*path)
            return *pattern == *path;
        pattern++;
        path++;
    }
}

serve_handler serve_route(const char *method, const char *path, serve_request *request, char *space,
                          size_t size, unsigned *status)
{
    *status = MHD_HTTP_NOT_FOUND;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (!matches(routes[i].path, path, request, space, size))
            continue;
        *status = MHD_HTTP_METHOD_NOT_ALLOWED;
        if (!strcmp(routes[i].method, method))
            return routes[i].handler;
    }
    return NULL;
}
