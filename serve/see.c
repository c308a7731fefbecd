/* see.c: pages as they look, and what belongs to them. */
#include "see.h"

#include <stdio.h>
#include <stdlib.h>

#include "page_look.h"
#include "pages.h"

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

void serve_see(const serve_request *request, const char *path, serve_answer *answer)
{
    serve_page page;
    th_error err;
    char *end = NULL;
    int64_t id = *path == '/' && path[1] >= '0' && path[1] <= '9' ? strtoll(path + 1, &end, 10) : 0;
    if (!end || *end) {
        serve_refuse(answer, MHD_HTTP_NOT_FOUND, "not found");
        return;
    }
    th_status status = serve_page_open(request->project, id, &page, &err);
    if (status) {
        serve_fail(answer, status, &err);
        return;
    }
    answer->type = "text/html; charset=utf-8";
    serve_page_look(page.page, NULL, &answer->text);
    serve_page_close(&page);
}
