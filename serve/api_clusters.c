/* api_clusters.c: which pages of a site are built alike. */
#include <stdlib.h>

#include "api.h"
#include "asked.h"
#include "pages.h"

static th_status look_at(const serve_request *request, const serve_page_ids *pages,
                         th_corpus *corpus, th_error *err)
{
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < pages->count; i++) {
        serve_page page;
        status = serve_page_open(request->project, pages->ids[i], &page, err);
        if (!status) {
            th_records_source source = serve_page_source(&page);
            status = th_corpus_look(corpus, page.page, &source, err);
        }
        serve_page_close(&page);
    }
    return status ? status : th_corpus_find_clusters(corpus, err);
}

/* {"clusters": [{"pages": [ID]}], "alone": [ID]}, the largest first. */
static json_t *clusters_json(const th_corpus *corpus, const serve_page_ids *pages)
{
    json_t *clusters = json_array(), *alone = json_array();
    for (size_t i = 0; i < th_corpus_cluster_count(corpus); i++)
        json_array_append_new(clusters, json_pack("{s:[]}", "pages"));
    for (size_t i = 0; i < pages->count; i++) {
        size_t cluster = th_corpus_cluster(corpus, i);
        json_t *list = cluster == TH_NO_CLUSTER
                           ? alone
                           : json_object_get(json_array_get(clusters, cluster), "pages");
        json_array_append_new(list, json_integer((json_int_t)pages->ids[i]));
    }
    return json_pack("{s:o,s:o}", "clusters", clusters, "alone", alone);
}

void api_clusters(const serve_request *request, serve_answer *answer)
{
    th_corpus *corpus = NULL;
    serve_page_ids pages = {0};
    th_error err;
    th_status status = serve_asked_pages(request, &pages, &err);
    if (!status)
        status = th_corpus_new(&corpus, &err);
    if (!status)
        status = look_at(request, &pages, corpus, &err);
    if (status)
        serve_fail(answer, status, &err);
    else
        serve_reply(answer, clusters_json(corpus, &pages));
    th_corpus_free(corpus);
    free(pages.ids);
}
