/* jobs.c: long work in the background, and the events that report it. */
#include "jobs.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server.h"

enum {
    KEPT_EVENTS = 2048,
    KEPT_JOBS = 200,
    SILENCE_S =
        10 /* a comment is sent after so long without an event: is the listener still there? */
};

/* Who listens. */
typedef struct listener {
    serve_jobs *jobs;
    uint64_t after;
    size_t sent; /* bytes of the event at hand */
} listener;

struct serve_jobs {
    serve_server *server;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t work; /* a job was added */
    pthread_cond_t news; /* an event was published */
    bool stopping;
    int64_t last_id;
    serve_job *first, *last; /* all that are remembered, oldest first */
    char *events[KEPT_EVENTS];
    uint64_t last_event; /* numbers start at 1 */
};

/* ---- events ---------------------------------------------------------------------------------- */

/* The lock is held. */
static void publish(serve_jobs *jobs, const char *kind, json_t *event)
{
    char *line = json_dumps(event, JSON_COMPACT);
    serve_text text = {0};
    uint64_t number = jobs->last_event + 1;
    if (line)
        serve_printf(&text, "id: %llu\nevent: %s\ndata: %s\n\n", (unsigned long long)number, kind,
                     line);
    free(line);
    if (!text.ptr || text.failed) {
        serve_text_release(&text); /* the next event says as much */
        return;
    }
    free(jobs->events[number % KEPT_EVENTS]);
    jobs->events[number % KEPT_EVENTS] = text.ptr;
    jobs->last_event = number;
    pthread_cond_broadcast(&jobs->news);
}

void serve_publish(serve_jobs *jobs, const char *kind, json_t *event)
{
    pthread_mutex_lock(&jobs->lock);
    if (event)
        publish(jobs, kind, event);
    pthread_mutex_unlock(&jobs->lock);
    json_decref(event);
}

/* Waits for an event; false when there is none for a while. The lock is held. */
static bool wait_for_news(serve_jobs *jobs, const listener *l)
{
    struct timespec until;
    int failed = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += SILENCE_S;
    while (!failed && !jobs->stopping && l->after >= jobs->last_event)
        failed = pthread_cond_timedwait(&jobs->news, &jobs->lock, &until);
    return !failed;
}

/* Each connection has a thread of its own, which may wait here. */
static ssize_t tell(void *context, uint64_t position, char *into, size_t most)
{
    listener *l = context;
    serve_jobs *jobs = l->jobs;
    ssize_t given = 0;
    pthread_mutex_lock(&jobs->lock);
    bool news = position == 0 || wait_for_news(jobs, l);
    if (jobs->last_event > l->after + KEPT_EVENTS - 1)
        l->after = jobs->last_event - KEPT_EVENTS + 1; /* what is older is gone */
    if (jobs->stopping) {
        given = MHD_CONTENT_READER_END_OF_STREAM;
    } else if (position == 0) {
        given = snprintf(into, most, ": listening\n\n");
    } else if (!news) {
        given = snprintf(into, most, ":\n\n");
    } else {
        const char *event = jobs->events[(l->after + 1) % KEPT_EVENTS];
        size_t left = strlen(event) - l->sent, len = left < most ? left : most;
        memcpy(into, event + l->sent, len);
        l->sent += len;
        if (len == left) {
            l->after++;
            l->sent = 0;
        }
        given = (ssize_t)len;
    }
    pthread_mutex_unlock(&jobs->lock);
    return given;
}

struct MHD_Response *serve_listen(serve_jobs *jobs, uint64_t after)
{
    enum { BLOCK = 4096 };
    listener *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    pthread_mutex_lock(&jobs->lock);
    *l = (listener){.jobs = jobs,
                    .after = after && after <= jobs->last_event ? after : jobs->last_event};
    pthread_mutex_unlock(&jobs->lock);
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, tell, l, free);
    if (!response)
        free(l);
    return response;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static const char *const states[] = {"waiting", "running", "done", "failed", "cancelled"};

static json_t *describe(const serve_job *job)
{
    return json_pack("{s:I,s:s,s:s,s:I,s:I,s:o,s:O}", "id", (json_int_t)job->id, "kind", job->kind,
                     "state", states[job->state], "done", (json_int_t)job->done, "total",
                     (json_int_t)job->total, "message", serve_json(th_str_from(job->message)),
                     "what", job->what);
}

/* The lock is held. */
static void tell_job(serve_jobs *jobs, const serve_job *job)
{
    json_t *event = describe(job);
    if (event)
        publish(jobs, "job", event);
    json_decref(event);
}

static bool is_cancelled(void *context)
{
    const serve_job *job = context;
    return atomic_load(&job->cancelled);
}

th_cancel serve_job_cancel(serve_job *job)
{
    return (th_cancel){is_cancelled, job};
}

void serve_job_say(serve_job *job, const char *format, ...)
{
    serve_jobs *jobs = job->server->jobs;
    va_list args;
    va_start(args, format);
    pthread_mutex_lock(&jobs->lock);
    vsnprintf(job->message, sizeof job->message, format, args);
    pthread_mutex_unlock(&jobs->lock);
    va_end(args);
}

bool serve_job_progress(serve_job *job, uint64_t done, uint64_t total)
{
    serve_jobs *jobs = job->server->jobs;
    pthread_mutex_lock(&jobs->lock);
    /* A hundred events are enough to watch it by. */
    bool worth = total < 100 || done == total || done * 100 / total != job->done * 100 / total;
    job->done = done;
    job->total = total;
    if (worth && (total || done % 50 == 0))
        tell_job(jobs, job);
    pthread_mutex_unlock(&jobs->lock);
    return !atomic_load(&job->cancelled);
}

static serve_job *next_waiting(serve_jobs *jobs)
{
    for (serve_job *job = jobs->first; job; job = job->next)
        if (job->state == SERVE_WAITING)
            return job;
    return NULL;
}

static void run_job(serve_jobs *jobs, serve_job *job)
{
    th_project *project = NULL;
    th_error err = {0};
    th_status status = serve_borrow(jobs->server, &project, &err);
    if (!status)
        status = job->run(job, project, &err);
    if (project)
        serve_give_back(jobs->server, project);
    pthread_mutex_lock(&jobs->lock);
    job->state = atomic_load(&job->cancelled) ? SERVE_CANCELLED
                 : status                     ? SERVE_FAILED
                                              : SERVE_DONE;
    if (status && job->state == SERVE_FAILED)
        snprintf(job->message, sizeof job->message, "%s", err.message);
    tell_job(jobs, job);
    pthread_mutex_unlock(&jobs->lock);
}

static void *work(void *context)
{
    serve_jobs *jobs = context;
    pthread_mutex_lock(&jobs->lock);
    for (;;) {
        serve_job *job = next_waiting(jobs);
        if (jobs->stopping)
            break;
        if (!job) {
            pthread_cond_wait(&jobs->work, &jobs->lock);
            continue;
        }
        job->state = SERVE_RUNNING;
        tell_job(jobs, job);
        pthread_mutex_unlock(&jobs->lock);
        run_job(jobs, job);
        pthread_mutex_lock(&jobs->lock);
    }
    pthread_mutex_unlock(&jobs->lock);
    return NULL;
}

static void free_job(serve_job *job)
{
    json_decref(job->what);
    json_decref(job->result);
    free(job);
}

/* Old jobs that have ended are forgotten. The lock is held. */
static void forget(serve_jobs *jobs)
{
    size_t count = 0;
    for (serve_job *job = jobs->first; job; job = job->next)
        count++;
    while (count > KEPT_JOBS && jobs->first->state >= SERVE_DONE) {
        serve_job *old = jobs->first;
        jobs->first = old->next;
        free_job(old);
        count--;
    }
}

int64_t serve_jobs_add(serve_jobs *jobs, const char *kind, json_t *what,
                       th_status (*run)(serve_job *job, th_project *project, th_error *err))
{
    serve_job *job = calloc(1, sizeof *job);
    if (!job || !what) {
        free(job);
        json_decref(what);
        return 0;
    }
    snprintf(job->kind, sizeof job->kind, "%s", kind);
    job->what = what;
    job->run = run;
    job->server = jobs->server;
    pthread_mutex_lock(&jobs->lock);
    int64_t id = job->id = ++jobs->last_id;
    if (jobs->first)
        jobs->last->next = job;
    else
        jobs->first = job;
    jobs->last = job;
    forget(jobs);
    tell_job(jobs, job);
    pthread_cond_signal(&jobs->work);
    pthread_mutex_unlock(&jobs->lock);
    return id;
}

void serve_start_job(const serve_request *request, serve_answer *answer, const char *kind,
                     json_t *what,
                     th_status (*run)(serve_job *job, th_project *project, th_error *err))
{
    int64_t id = serve_jobs_add(request->server->jobs, kind, what, run);
    answer->status = MHD_HTTP_ACCEPTED;
    serve_reply(answer, id ? json_pack("{s:I}", "job", (json_int_t)id) : NULL);
}

th_str serve_job_site(const serve_job *job)
{
    return th_str_from(json_string_value(json_object_get(job->what, "site")));
}

static serve_job *find(serve_jobs *jobs, int64_t id)
{
    serve_job *job = jobs->first;
    while (job && job->id != id)
        job = job->next;
    return job;
}

bool serve_jobs_cancel(serve_jobs *jobs, int64_t id)
{
    pthread_mutex_lock(&jobs->lock);
    serve_job *job = find(jobs, id);
    if (job) {
        atomic_store(&job->cancelled, true);
        if (job->state == SERVE_WAITING) {
            job->state = SERVE_CANCELLED;
            tell_job(jobs, job);
        }
    }
    pthread_mutex_unlock(&jobs->lock);
    return job != NULL;
}

json_t *serve_jobs_list(serve_jobs *jobs)
{
    json_t *list = json_array();
    pthread_mutex_lock(&jobs->lock);
    for (const serve_job *job = jobs->first; list && job; job = job->next)
        json_array_append_new(list, describe(job));
    pthread_mutex_unlock(&jobs->lock);
    return list;
}

/* The same with the result. The lock is held. */
static json_t *describe_whole(const serve_job *job)
{
    json_t *described = describe(job);
    if (described && job->state == SERVE_DONE && job->result)
        json_object_set(described, "result", job->result);
    return described;
}

json_t *serve_jobs_get(serve_jobs *jobs, int64_t id)
{
    pthread_mutex_lock(&jobs->lock);
    const serve_job *job = find(jobs, id);
    json_t *described = job ? describe_whole(job) : NULL;
    pthread_mutex_unlock(&jobs->lock);
    return described;
}

static bool says(const json_t *what, const char *name, const char *word)
{
    const char *value = json_string_value(json_object_get(what, name));
    return value && !strcmp(value, word);
}

static bool is_such(const serve_job *job, const char *kind, const char *site, const char *wrapper)
{
    return !strcmp(job->kind, kind) && says(job->what, "site", site) &&
           says(job->what, "wrapper", wrapper) && !json_object_get(job->what, "pages");
}

json_t *serve_jobs_last(serve_jobs *jobs, const char *kind, const char *site, const char *wrapper)
{
    const serve_job *last = NULL;
    pthread_mutex_lock(&jobs->lock);
    for (const serve_job *job = jobs->first; job; job = job->next)
        if (is_such(job, kind, site, wrapper) &&
            (job->state < SERVE_DONE || (job->state == SERVE_DONE && job->result)))
            last = job;
    json_t *described = last ? describe_whole(last) : NULL;
    pthread_mutex_unlock(&jobs->lock);
    return described;
}

void serve_jobs_forget_results(serve_jobs *jobs, const char *kind, const char *site,
                               const char *wrapper)
{
    pthread_mutex_lock(&jobs->lock);
    for (serve_job *job = jobs->first; job; job = job->next) {
        if (job->state < SERVE_DONE || !job->result || !is_such(job, kind, site, wrapper))
            continue;
        json_decref(job->result);
        job->result = NULL;
        tell_job(jobs, job); /* other windows may show it */
    }
    pthread_mutex_unlock(&jobs->lock);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

th_status serve_jobs_new(serve_server *server, serve_jobs **out, th_error *err)
{
    serve_jobs *jobs = calloc(1, sizeof *jobs);
    *out = NULL;
    if (jobs) {
        jobs->server = server;
        /* Each server has its own numbers, so that a request for a job of an earlier server finds
         * none, and not another job. */
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        jobs->last_id = ((int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000) * 1000;
        pthread_mutex_init(&jobs->lock, NULL);
        pthread_cond_init(&jobs->work, NULL);
        pthread_cond_init(&jobs->news, NULL);
        jobs->has_thread = !pthread_create(&jobs->thread, NULL, work, jobs);
    }
    if (jobs && jobs->has_thread) {
        *out = jobs;
        return TH_OK;
    }
    serve_jobs_free(jobs);
    return serve_error(err, TH_ERR_MEMORY, "cannot start a thread for the work");
}

void serve_jobs_stop(serve_jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    jobs->stopping = true;
    for (serve_job *job = jobs->first; job; job = job->next)
        atomic_store(&job->cancelled, true);
    pthread_cond_broadcast(&jobs->news);
    pthread_cond_signal(&jobs->work);
    pthread_mutex_unlock(&jobs->lock);
}

void serve_jobs_free(serve_jobs *jobs)
{
    if (!jobs)
        return;
    if (jobs->has_thread)
        pthread_join(jobs->thread, NULL);
    while (jobs->first) {
        serve_job *job = jobs->first;
        jobs->first = job->next;
        free_job(job);
    }
    for (size_t i = 0; i < KEPT_EVENTS; i++)
        free(jobs->events[i]);
    pthread_mutex_destroy(&jobs->lock);
    pthread_cond_destroy(&jobs->work);
    pthread_cond_destroy(&jobs->news);
    free(jobs);
}
