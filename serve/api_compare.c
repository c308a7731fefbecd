/*
 * api_compare.c: runs over time: how full the fields of each are, and two of them beside each
 * other.
 *
 * A comparison of very many records takes a second and is asked for page by page: the last one is
 * kept for a while.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api.h"
#include "server.h"

enum { KEPT_S = 60, MOST_RUNS = 1000, MOST_ROWS = 500 };

/* ---- history --------------------------------------------------------------------------------- */

typedef struct history {
    json_t *runs;
    const char *wrapper;
    size_t most;
} history;

static th_status put_run(void *context, const th_project_run *run, th_error *err)
{
    history *h = context;
    if (json_array_size(h->runs) == h->most)
        return TH_DONE; /* enough */
    if (!run->finished.ptr || !run->wrapper.ptr || strlen(h->wrapper) != run->wrapper.len ||
        memcmp(h->wrapper, run->wrapper.ptr, run->wrapper.len))
        return TH_OK;
    json_t *one = serve_run_json(run);
    json_object_set_new(one, "fields", json_array());
    return serve_append(h->runs, one, err);
}

static th_status put_filled(void *context, const th_project_filled *filled, th_error *err)
{
    return serve_append(context,
                        json_pack("{s:o,s:I,s:I}", "field", serve_json(filled->field), "filled",
                                  (json_int_t)filled->filled, "records",
                                  (json_int_t)filled->records),
                        err);
}

void api_history(const serve_request *request, serve_answer *answer)
{
    uint64_t most = serve_query_number(request, "count", 60);
    history h = {json_array(), serve_query(request, "wrapper"),
                 most > MOST_RUNS ? MOST_RUNS : (size_t)most};
    th_error err;
    size_t index;
    json_t *run;
    if (!h.wrapper) {
        json_decref(h.runs);
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST, "a history is of a wrapper: ?wrapper=");
        return;
    }
    th_status status = th_project_runs(request->project, serve_site(request), put_run, &h, &err);
    json_array_foreach(h.runs, index, run) if (!status) status =
        th_project_run_fields(request->project, json_integer_value(json_object_get(run, "id")),
                              put_filled, json_object_get(run, "fields"), &err);
    serve_reply_list(answer, "runs", h.runs, status, &err);
}

/* ---- two runs -------------------------------------------------------------------------------- */

void serve_kept_compare_clear(serve_kept_compare *kept)
{
    th_compare_free(kept->compare);
    free(kept->key);
    *kept = (serve_kept_compare){0};
}

/* The comparison that is asked for; the lock is held. */
static th_status compare_of(const serve_request *request, int64_t before, int64_t after,
                            const char *key, const th_compare **out, th_error *err)
{
    serve_kept_compare *kept = &request->server->compared;
    bool same = kept->compare && kept->before == before && kept->after == after &&
                time(NULL) - kept->made < KEPT_S &&
                (key ? kept->key && !strcmp(key, kept->key) : !kept->key);
    if (!same) {
        serve_kept_compare_clear(kept);
        th_status status =
            th_compare_new(request->project, before, after, th_str_from(key), &kept->compare, err);
        if (status)
            return status;
        kept->before = before;
        kept->after = after;
        kept->made = time(NULL);
        kept->key = key ? strdup(key) : NULL;
    }
    *out = kept->compare;
    return TH_OK;
}

static th_status put_record(void *context, const th_project_record *record, th_error *err)
{
    serve_text *text = context;
    serve_put(text, record->json.ptr, record->json.len);
    return TH_OK;
}

static th_status put_side(const serve_request *request, serve_text *text, const char *name,
                          int64_t run, bool there, uint64_t position, th_error *err)
{
    size_t len = text->len;
    serve_printf(text, ",\"%s\":", name);
    size_t begun = text->len;
    th_status status =
        there ? th_project_records(request->project, run, position, 1, put_record, text, err)
              : TH_OK;
    if (!status && text->len == begun)
        serve_puts(text, "null");
    if (status)
        text->len = len;
    return status;
}

static th_status put_differences(const serve_request *request, const th_compare *compare,
                                 int64_t before, int64_t after, serve_text *text, th_error *err)
{
    static const char *const kinds[] = {"removed", "added", "changed"};
    const char *kind = serve_query(request, "kind");
    uint64_t from = serve_query_number(request, "from", 0),
             count = serve_query_number(request, "count", 50), put = 0;
    th_status status = TH_OK;
    size_t at = 0;
    /* differences are in the order of their kinds */
    for (int i = 0; kind && i < 3 && strcmp(kind, kinds[i]); i++)
        at += th_compare_count(compare, (th_difference_kind)i);
    count = count > MOST_ROWS ? MOST_ROWS : count;
    at = from > SIZE_MAX - at ? SIZE_MAX : at + (size_t)from;
    for (const th_difference *one; !status && put < count && (one = th_compare_get(compare, at));
         at++) {
        if (kind && strcmp(kind, kinds[one->kind]))
            break;
        serve_printf(text, "%s{\"kind\":\"%s\"", put++ ? "," : "", kinds[one->kind]);
        status = put_side(request, text, "before", before, one->kind != TH_RECORD_ADDED,
                          one->before, err);
        if (!status)
            status = put_side(request, text, "after", after, one->kind != TH_RECORD_REMOVED,
                              one->after, err);
        serve_puts(text, "}");
    }
    return status;
}

void api_compare(const serve_request *request, serve_answer *answer)
{
    int64_t before = serve_id(request), after = strtoll(request->parts[1], NULL, 10);
    const char *key = serve_query(request, "key");
    const th_compare *compare = NULL;
    th_error err;
    pthread_mutex_lock(&request->server->compared_lock);
    th_status status = compare_of(request, before, after, key && *key ? key : NULL, &compare, &err);
    if (!status) {
        serve_text *text = &answer->text;
        th_str found = th_compare_key(compare);
        serve_puts(text, "{\"key\":");
        if (found.ptr)
            serve_put_json(text, found);
        else
            serve_puts(text, "null");
        serve_puts(text, ",\"fields\":[");
        for (size_t i = 0; i < th_compare_field_count(compare); i++) {
            serve_puts(text, i ? "," : "");
            serve_put_json(text, th_compare_field(compare, i));
        }
        serve_printf(text,
                     "],\"removed\":%zu,\"added\":%zu,\"changed\":%zu,\"same\":%zu,"
                     "\"differences\":[",
                     th_compare_count(compare, TH_RECORD_REMOVED),
                     th_compare_count(compare, TH_RECORD_ADDED),
                     th_compare_count(compare, TH_RECORD_CHANGED), th_compare_same(compare));
        status = put_differences(request, compare, before, after, text, &err);
        serve_puts(text, "]}");
    }
    pthread_mutex_unlock(&request->server->compared_lock);
    if (status)
        serve_fail(answer, status, &err);
}
