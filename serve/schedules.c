/* schedules.c: extractors that are run by themselves. */
#include "schedules.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "monitor_run.h"
#include "server.h"

enum {
    STEP_MS = 500,
    BEAT_MS = 1000,  /* of a claim of ours */
    DEAD_MS = 10000, /* a claim of another server without a beat for so long is over */
    LATE_S = 30,     /* a run that begins so late was missed */
    DAY_S = 24 * 3600,
    OWNER_SIZE = 33
};

/* A schedule as it was last seen, copied: strings of a listing live only so long. */
typedef struct seen {
    th_schedule as;
    char *texts[6]; /* site, wrapper, webhook, command, owner */
    int64_t since;  /* when its owner and beat were first seen so */
    int64_t job;    /* of ours that is at work on it, or 0 */
    bool there;     /* in the last listing */
} seen;

struct serve_schedules {
    serve_server *server;
    char owner[OWNER_SIZE];
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stopping, woken;
    seen *all; /* of the thread alone */
    size_t count, cap;
    int64_t beaten; /* when our claims were last beaten */
};

/* ---- what there is --------------------------------------------------------------------------- */

static void release_texts(seen *one)
{
    for (size_t i = 0; i < sizeof one->texts / sizeof *one->texts; i++)
        free(one->texts[i]);
    memset(one->texts, 0, sizeof one->texts);
}

static bool copy_text(seen *one, size_t index, th_str *text)
{
    if (!text->ptr)
        return true;
    one->texts[index] = strndup(text->ptr, text->len);
    *text = th_str_from(one->texts[index]);
    return one->texts[index] != NULL;
}

static bool same(th_str a, th_str b)
{
    return !a.ptr == !b.ptr && a.len == b.len && (!a.len || !memcmp(a.ptr, b.ptr, a.len));
}

static seen *find(serve_schedules *s, int64_t id)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->all[i].as.id == id)
            return &s->all[i];
    if (s->count == s->cap) {
        size_t cap = s->cap ? 2 * s->cap : 8;
        seen *more = realloc(s->all, cap * sizeof *more);
        if (!more)
            return NULL;
        s->all = more;
        s->cap = cap;
    }
    s->all[s->count] = (seen){.as = {.id = id}};
    return &s->all[s->count++];
}

static th_status see(void *context, const th_schedule *schedule, th_error *err)
{
    serve_schedules *s = context;
    seen *one = find(s, schedule->id);
    if (!one)
        return TH_ERR_MEMORY;
    bool unchanged = same(one->as.owner, schedule->owner) && one->as.beat == schedule->beat;
    if (!unchanged || !one->since)
        one->since = serve_now_ms();
    release_texts(one);
    one->as = *schedule;
    one->as.last = one->as.alarm = (th_str){0};
    one->there = copy_text(one, 0, &one->as.site) && copy_text(one, 1, &one->as.wrapper) &&
                 copy_text(one, 2, &one->as.webhook) && copy_text(one, 3, &one->as.command) &&
                 copy_text(one, 4, &one->as.owner);
    return one->there ? TH_OK : TH_ERR_MEMORY;
}

static th_status look(serve_schedules *s, th_project *project, th_error *err)
{
    for (size_t i = 0; i < s->count; i++)
        s->all[i].there = false;
    th_status status = th_project_schedules(project, (th_str){0}, see, s, err);
    for (size_t i = 0; !status && i < s->count;) {
        if (s->all[i].there) {
            i++;
            continue;
        }
        if (s->all[i].job) /* removed while it is at work */
            serve_jobs_cancel(s->server->jobs, s->all[i].job);
        release_texts(&s->all[i]);
        s->all[i] = s->all[--s->count];
    }
    return status;
}

/* ---- what is at work ------------------------------------------------------------------------- */

static bool has_ended(serve_schedules *s, int64_t job)
{
    json_t *told = serve_jobs_get(s->server->jobs, job);
    const char *state = json_string_value(json_object_get(told, "state"));
    bool ended = !state || (strcmp(state, "waiting") && strcmp(state, "running"));
    json_decref(told);
    return ended;
}

/* A job that did not come to its end, such as one that was cancelled, has left its claim. */
static void attend(serve_schedules *s, th_project *project, seen *one, bool beat)
{
    th_str owner = th_str_from(s->owner);
    if (!has_ended(s, one->job)) {
        if (beat)
            th_project_beat_schedule(project, one->as.id, owner, NULL, NULL);
        return;
    }
    one->job = 0;
    if (!same(one->as.owner, owner))
        return;
    th_project_finish_schedule(project, one->as.id, owner, time(NULL),
                               th_str_from("{\"verdict\":\"cancelled\"}"), (th_str){0}, NULL);
    one->since = 0;
}

/* ---- what is due ----------------------------------------------------------------------------- */

/* How many times went by while nobody was there to run it. */
static int64_t missed(const th_schedule *schedule, int64_t now)
{
    int64_t late = now - schedule->next, every = schedule->every_s ? schedule->every_s : DAY_S;
    return late < LATE_S ? 0 : late / every + 1;
}

/* A clock that was put back makes times lie too far ahead. */
static void set_right(th_project *project, const seen *one, int64_t now)
{
    int64_t most = one->as.every_s ? (int64_t)one->as.every_s : DAY_S + DAY_S / 12;
    if (one->as.owner.ptr || one->as.next - now <= most)
        return;
    th_schedule right = one->as;
    right.next = th_schedule_next(&right, right.next, now);
    th_project_set_schedule(project, &right, NULL);
}

static void start(serve_schedules *s, th_project *project, seen *one, int64_t now)
{
    bool claimed = false;
    th_error err;
    if (th_project_claim_schedule(project, &one->as, th_str_from(s->owner), &claimed, &err) ||
        !claimed)
        return;
    json_t *what = json_pack("{s:s,s:s,s:I,s:I,s:I}", "site", one->as.site.ptr, "wrapper",
                             one->as.wrapper.ptr, "schedule", (json_int_t)one->as.id, "due",
                             (json_int_t)one->as.next, "missed", (json_int_t)missed(&one->as, now));
    one->job = serve_jobs_add(s->server->jobs, "watch", what, serve_monitor_run);
}

static void step(serve_schedules *s)
{
    th_project *project;
    th_error err;
    int64_t now = time(NULL), at = serve_now_ms();
    bool beat = at - s->beaten >= BEAT_MS;
    if (serve_borrow(s->server, &project, &err))
        return; /* the file may be away for a moment */
    if (!look(s, project, &err)) {
        for (size_t i = 0; i < s->count; i++) {
            seen *one = &s->all[i];
            if (one->job) {
                attend(s, project, one, beat);
                continue;
            }
            set_right(project, one, now);
            bool over = !one->as.owner.ptr || (serve_now_ms() - one->since >= DEAD_MS);
            if (!one->as.paused && one->as.next <= now && over)
                start(s, project, one, now);
        }
    }
    if (beat)
        s->beaten = at;
    serve_give_back(s->server, project);
}

static void *work(void *context)
{
    serve_schedules *s = context;
    pthread_mutex_lock(&s->lock);
    while (!s->stopping) {
        pthread_mutex_unlock(&s->lock);
        step(s);
        pthread_mutex_lock(&s->lock);
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += STEP_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        for (int failed = 0; !failed && !s->stopping && !s->woken;)
            failed = pthread_cond_timedwait(&s->wake, &s->lock, &until);
        s->woken = false;
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

th_status serve_schedules_new(serve_server *server, serve_schedules **out, th_error *err)
{
    serve_schedules *s = calloc(1, sizeof *s);
    pthread_condattr_t steady;
    *out = NULL;
    if (s) {
        s->server = server;
        pthread_mutex_init(&s->lock, NULL);
        pthread_condattr_init(&steady);
        pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
        pthread_cond_init(&s->wake, &steady);
        pthread_condattr_destroy(&steady);
        s->has_thread = serve_random(s->owner, (OWNER_SIZE - 1) / 2) &&
                        !pthread_create(&s->thread, NULL, work, s);
    }
    if (s && s->has_thread) {
        *out = s;
        return TH_OK;
    }
    serve_schedules_free(s);
    return serve_error(err, TH_ERR_MEMORY, "cannot start a thread for schedules");
}

void serve_schedules_stop(serve_schedules *s)
{
    if (!s || !s->has_thread)
        return;
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    s->has_thread = false;
}

void serve_schedules_free(serve_schedules *s)
{
    if (!s)
        return;
    serve_schedules_stop(s);
    for (size_t i = 0; i < s->count; i++)
        release_texts(&s->all[i]);
    free(s->all);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->wake);
    free(s);
}

void serve_schedules_wake(serve_schedules *s)
{
    pthread_mutex_lock(&s->lock);
    s->woken = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
}

const char *serve_schedules_owner(const serve_schedules *s)
{
    return s->owner;
}
