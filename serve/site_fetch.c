/* site_fetch.c: the pages of a site from the web: with their next pages, or again. */
#include "site_fetch.h"

#include <stdlib.h>
#include <string.h>

#include "server.h"

/* A page to be fetched: its name in the project, and where it is. */
typedef struct target {
    char *name, *url;
} target;

typedef struct targets {
    target *all;
    size_t count, cap;
} targets;

/* Fetching at work. */
typedef struct fetching {
    serve_job *job;
    th_project *project;
    th_str site;
    serve_fetched *out;
    json_t *known;          /* names of pages that the site has, as an object */
    const targets *targets; /* what is fetched, in order; NULL: next pages are */
    size_t at;              /* of the targets */
    json_t *names;          /* of the pages that were read */
    th_follow_end end;
    uint64_t total;     /* of the job, 0: not known */
    serve_looks *looks; /* what new and changed pages look with */
} fetching;

/* ---- the result ------------------------------------------------------------------------------ */

static bool open_fetched(serve_fetched *out)
{
    json_t **lists[] = {&out->pages, &out->added, &out->failed, &out->ended};
    bool good = true;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (!*lists[i])
            *lists[i] = json_array();
        good = good && *lists[i];
    }
    return good;
}

void serve_fetched_release(serve_fetched *fetched)
{
    json_decref(fetched->pages);
    json_decref(fetched->added);
    json_decref(fetched->failed);
    json_decref(fetched->ended);
    *fetched = (serve_fetched){0};
}

json_t *serve_fetched_json(const serve_fetched *fetched)
{
    return json_pack("{s:I,s:I,s:I,s:O,s:O,s:O}", "new", fetched->fresh, "changed",
                     fetched->changed, "same", fetched->same, "added", fetched->added, "failed",
                     fetched->failed, "ended", fetched->ended);
}

/* Messages of the library begin with the URL, which has a column of its own here. */
static void put_failure(fetching *f, const char *url, const char *message)
{
    size_t len = url ? strlen(url) : 0;
    char own[1024];
    if (!url && serve_is_url(th_str_from(message))) {
        const char *colon = strstr(message, ": ");
        len = colon ? (size_t)(colon - message) : 0;
        snprintf(own, sizeof own, "%.*s", (int)len, message);
        url = own;
    }
    const char *reason = len && !strncmp(message, url, len) && !strncmp(message + len, ": ", 2)
                             ? message + len + 2
                             : message;
    json_array_append_new(f->out->failed,
                          json_pack("{s:o,s:o}", "url", serve_json(th_str_from(url ? url : "")),
                                    "reason", serve_json(th_str_from(reason))));
}

/* ---- pages ----------------------------------------------------------------------------------- */

static th_status keep_page(fetching *f, th_str name, const th_input *input, th_error *err)
{
    serve_fetched *out = f->out;
    th_page_source source;
    int64_t id = 0;
    bool added = false;
    json_t *word = serve_json(name);
    const char *key = json_string_value(word);
    bool known = key && json_object_get(f->known, key);
    th_input_source(input, &source);
    th_status status = th_project_add_page(f->project, f->site, name, &source,
                                           th_input_bytes(input), &id, &added, err);
    if (!status) {
        out->fresh += added && !known;
        out->changed += added && known;
        out->same += !added;
        json_array_append_new(out->pages, json_integer(id));
        if (added)
            json_array_append_new(out->added, json_integer(id));
        if (added)
            serve_looks_read(f->looks, input);
        if (key)
            json_object_set_new(f->known, key, json_true());
        json_array_append(f->names, word);
    }
    if (added)
        serve_publish(f->job->server->jobs, "pages",
                      json_pack("{s:s#}", "site", f->site.ptr, (int)f->site.len));
    json_decref(word);
    return status;
}

/* The target that a page is of: pages come in the order of their URLs. */
static const target *target_of(fetching *f, const th_input *input)
{
    th_str name = th_input_name(input);
    for (size_t i = f->at; i < f->targets->count; i++) {
        const target *one = &f->targets->all[i];
        if (strlen(one->url) != name.len || memcmp(one->url, name.ptr, name.len))
            continue;
        f->at = i + 1;
        return one;
    }
    return NULL;
}

static th_status take_page(fetching *f, const th_input *input, th_error *err)
{
    th_str name = th_input_name(input);
    const target *one = f->targets ? target_of(f, input) : NULL;
    serve_job_say(f->job, "%.*s", (int)name.len, name.ptr);
    return keep_page(f, one ? th_str_from(one->name) : name, input, err);
}

static th_status read_pages(fetching *f, th_feed *feed, th_error *err)
{
    uint64_t done = f->job->done;
    for (;;) {
        th_input *input = NULL;
        th_error problem = {0};
        th_status read = th_feed_next(feed, &input, &problem), status = TH_OK;
        if (read == TH_DONE)
            return TH_OK;
        if (read == TH_ERR_CANCELLED || read == TH_ERR_MEMORY) {
            *err = problem;
            return read;
        }
        if (!read) {
            status = take_page(f, input, err);
        } else if (f->targets && f->at < f->targets->count) {
            put_failure(f, f->targets->all[f->at].url, problem.message);
            f->at++;
        } else {
            put_failure(f, NULL, problem.message);
        }
        th_input_free(input);
        if (status)
            return status;
        if (!serve_job_progress(f->job, ++done, f->total))
            return serve_error(err, TH_ERR_CANCELLED, "cancelled");
    }
}

static th_feed_options options_of(serve_job *job, bool render)
{
    th_feed_options options = job->server->fetching;
    options.max_bytes = job->server->max_upload;
    options.files_only = true;
    options.cancel = serve_job_cancel(job);
    options.render = options.render || render;
    return options;
}

static th_status read_feed(fetching *f, th_feed *feed, th_error *err)
{
    th_feed_options options = options_of(f->job, false);
    /* what pages look with is for people: a run that nobody watches does not fetch it */
    if (!f->job->server->no_looks && strcmp(f->job->kind, "watch") != 0)
        f->looks = serve_looks_new(f->project, f->site, &options, NULL, 0);
    th_status status = read_pages(f, feed, err);
    if (!status)
        serve_looks_finish(f->looks);
    serve_looks_free(f->looks);
    f->looks = NULL;
    return status;
}

/* ---- what the site has ----------------------------------------------------------------------- */

static void free_targets(targets *t)
{
    for (size_t i = 0; i < t->count; i++) {
        free(t->all[i].name);
        free(t->all[i].url);
    }
    free(t->all);
    *t = (targets){0};
}

static bool add_target(targets *t, th_str name, th_str url)
{
    if (t->count == t->cap) {
        size_t cap = t->cap ? 2 * t->cap : 64;
        target *more = realloc(t->all, cap * sizeof *more);
        if (!more)
            return false;
        t->all = more;
        t->cap = cap;
    }
    target one = {strndup(name.ptr, name.len), strndup(url.ptr, url.len)};
    if (!one.name || !one.url) {
        free(one.name);
        free(one.url);
        return false;
    }
    t->all[t->count++] = one;
    return true;
}

/* What is looked for among the pages of a site. */
typedef struct survey {
    json_t *known;         /* gets all names */
    const json_t *ids;     /* only these; NULL: all */
    const json_t *covered; /* not these names */
    targets *found;        /* NULL: nothing is looked for */
} survey;

static bool has_id(const json_t *ids, int64_t id)
{
    size_t index;
    json_t *one;
    json_array_foreach(ids, index, one) if (json_integer_value(one) == id) return true;
    return false;
}

/* The URL that a page was asked for is its name as a rule: what it was redirected to may be another
 * tomorrow. */
static th_status survey_page(void *context, const th_project_page *page, th_error *err)
{
    survey *s = context;
    th_str url = serve_is_url(page->name) ? page->name : page->url;
    json_t *word = serve_json(page->name);
    const char *key = json_string_value(word);
    bool wanted = s->found && serve_is_url(url) && (!s->ids || has_id(s->ids, page->id)) &&
                  !(key && json_object_get(s->covered, key));
    bool good = key && !json_object_set_new(s->known, key, json_true());
    if (good && wanted)
        good = add_target(s->found, page->name, url);
    json_decref(word);
    return good ? TH_OK : serve_no_memory(err);
}

/* ---- next pages ------------------------------------------------------------------------------ */

static void ended(void *context, th_str start, size_t pages, th_str why)
{
    fetching *f = context;
    json_array_append_new(f->out->ended,
                          json_pack("{s:o,s:I,s:s,s:o}", "url", serve_json(start), "pages",
                                    (json_int_t)pages, "end", th_follow_end_name(f->end), "why",
                                    serve_json(why)));
}

/* Following that did not come to an end by itself, as when the site has another look now. */
static bool is_broken(const fetching *f)
{
    return f->end == TH_FOLLOW_FAILED || f->end == TH_FOLLOW_NO_LIST;
}

/* Adds lines to a set. */
static void cover(json_t *covered, const char *lines)
{
    char *copy = strdup(lines ? lines : ""), *rest = copy;
    for (char *line; rest && (line = strtok_r(rest, "\n", &rest));)
        json_object_set_new(covered, line, json_true());
    free(copy);
}

/* Remembers how the pages were added, if there are any, and which they are; `before` are those of
 * the last time, which count on where following broke off. */
static th_status keep_source(fetching *f, const char *url, uint32_t most, bool render,
                             const char *before, th_error *err)
{
    serve_text lines = {0};
    size_t index;
    json_t *name, *all = json_object();
    const char *line;
    json_array_foreach(f->names, index, name)
        json_object_set_new(all, json_string_value(name), json_true());
    if (is_broken(f))
        cover(all, before);
    json_object_foreach(all, line, name) serve_printf(&lines, "%s\n", line);
    json_decref(all);
    th_project_source source = {.site = f->site,
                                .url = th_str_from(url),
                                .pages = most,
                                .render = render,
                                .names = {lines.ptr, lines.len}};
    th_status status = lines.failed ? serve_no_memory(err)
                       : lines.len  ? th_project_add_source(f->project, &source, err)
                                    : TH_OK;
    serve_text_release(&lines);
    return status;
}

static th_status follow(fetching *f, const char *url, uint32_t most, bool render,
                        const char *before, const th_wrapper *wrapper, th_error *err)
{
    th_feed *feed = NULL;
    th_feed_options options = options_of(f->job, render);
    th_follow_options following;
    th_follow_options_init(&following);
    following.pages = most;
    following.wrapper = wrapper;
    following.ended = ended;
    following.context = f;
    following.end = &f->end;
    f->targets = NULL;
    f->end = TH_FOLLOW_FAILED;
    json_array_clear(f->names);
    f->total += most;
    serve_job_say(f->job, "%s", url);
    serve_job_progress(f->job, f->job->done, f->total);
    th_status status = th_feed_follow(&url, 1, &options, &following, &feed, err);
    if (!status)
        status = read_feed(f, feed, err);
    th_feed_free(feed);
    /* also when it was cancelled: the pages so far stay */
    th_status kept = status && status != TH_ERR_CANCELLED
                         ? TH_OK
                         : keep_source(f, url, most, render, before, status ? &(th_error){0} : err);
    return status ? status : kept;
}

th_status serve_fetch_next_pages(serve_job *job, th_project *project, th_str site, const char *url,
                                 uint32_t most, bool render, const th_wrapper *wrapper,
                                 serve_fetched *out, th_error *err)
{
    fetching f = {.job = job,
                  .project = project,
                  .site = site,
                  .out = out,
                  .known = json_object(),
                  .names = json_array()};
    survey s = {.known = f.known};
    th_status status = open_fetched(out) ? TH_OK : serve_no_memory(err);
    if (!status)
        status = th_project_pages(project, site, false, survey_page, &s, err);
    if (!status)
        status = follow(&f, url, most, render, NULL, wrapper, err);
    json_decref(f.known);
    json_decref(f.names);
    return status;
}

/* ---- again ----------------------------------------------------------------------------------- */

static th_status fetch_targets(fetching *f, const targets *t, th_error *err)
{
    const char **urls = calloc(t->count + 1, sizeof *urls);
    th_feed *feed = NULL;
    th_feed_options options = options_of(f->job, false);
    th_status status = urls ? TH_OK : serve_no_memory(err);
    for (size_t i = 0; !status && i < t->count; i++)
        urls[i] = t->all[i].url;
    f->targets = t;
    f->at = 0;
    f->total = f->job->done + t->count;
    if (!status)
        status = th_feed_new(urls, t->count, &options, &feed, err);
    if (!status)
        status = read_feed(f, feed, err);
    th_feed_free(feed);
    free(urls);
    return status;
}

/* The sources of a site, copied: they change while they are fetched. */
static th_status take_source(void *context, const th_project_source *source, th_error *err)
{
    json_t *names = serve_json(source->names);
    json_t *one = json_pack("{s:o,s:I,s:b,s:o}", "url", serve_json(source->url), "pages",
                            (json_int_t)source->pages, "render", source->render, "names", names);
    return serve_append(context, one, err);
}

static th_status fetch_sources(fetching *f, const th_wrapper *wrapper, json_t *covered,
                               th_error *err)
{
    json_t *sources = json_array(), *one;
    size_t index;
    th_status status = th_project_sources(f->project, f->site, take_source, sources, err);
    json_array_foreach(sources, index, one)
    {
        if (status)
            break;
        size_t name;
        json_t *read;
        const char *before = json_string_value(json_object_get(one, "names"));
        status = follow(f, json_string_value(json_object_get(one, "url")),
                        (uint32_t)json_integer_value(json_object_get(one, "pages")),
                        json_is_true(json_object_get(one, "render")), before, wrapper, err);
        json_array_foreach(f->names, name, read)
            json_object_set_new(covered, json_string_value(read), json_true());
        /* where it broke off, the pages that it had before are fetched one by one */
        if (!is_broken(f))
            cover(covered, before);
    }
    /* what has failed once is not asked for again */
    json_array_foreach(f->out->failed, index, one)
        json_object_set_new(covered, json_string_value(json_object_get(one, "url")), json_true());
    json_decref(sources);
    return status;
}

th_status serve_fetch_again(serve_job *job, th_project *project, th_str site, const json_t *ids,
                            const th_wrapper *wrapper, serve_fetched *out, th_error *err)
{
    fetching f = {.job = job,
                  .project = project,
                  .site = site,
                  .out = out,
                  .known = json_object(),
                  .names = json_array()};
    targets found = {0};
    json_t *covered = json_object();
    survey all = {.known = f.known};
    survey s = {.known = f.known, .ids = ids, .covered = covered, .found = &found};
    th_status status = open_fetched(out) ? TH_OK : serve_no_memory(err);
    if (!status)
        status = th_project_pages(project, site, false, survey_page, &all, err);
    if (!status && !ids)
        status = fetch_sources(&f, wrapper, covered, err);
    if (!status)
        status = th_project_pages(project, site, false, survey_page, &s, err);
    if (!status && found.count)
        status = fetch_targets(&f, &found, err);
    if (!status && !json_array_size(out->pages) && !json_array_size(out->failed))
        status =
            serve_error(err, TH_ERR_ARGUMENT, "none of these pages has a URL to fetch it from");
    free_targets(&found);
    json_decref(covered);
    json_decref(f.known);
    json_decref(f.names);
    return status;
}
