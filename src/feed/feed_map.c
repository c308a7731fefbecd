/*
 * feed_map.c: work on pages in many threads, results in input order.
 *
 *     worker:  lock; wait for a free slot; take the next page of the feed; note its number; unlock
 *              work
 *              lock; put the result into slot number % slots; unlock
 *     caller:  waits for slot `emitted`, emits it, frees it, and so on
 *
 * Reading the feed is done by the workers themselves, one at a time: no thread stands by for it,
 * and inflating spreads over the processors in turn. The lock of the feed is not the lock of the
 * slots, so that results can be put and emitted while somebody reads.
 */
#include <pthread.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"

enum { SLOTS_PER_JOB = 2, MAX_JOBS = 1024 };

typedef struct slot {
    bool ready;
    th_input *input;
    th_status status;
    void *result;
    th_error error;
} slot;

typedef struct map {
    th_feed *feed;
    const th_parser_options *options;
    const th_feed_job *job;

    pthread_mutex_t reading; /* guards the feed and `taken` */
    uint64_t taken;          /* pages and errors taken from the feed; written under both locks */
    pthread_mutex_t lock;    /* guards all below */
    pthread_cond_t freed, filled;
    slot *slots;
    size_t slot_count;
    uint64_t emitted;
    bool ended;      /* the feed has no more */
    bool stopped;    /* emit wants no more */
    unsigned active; /* workers that still run */
    th_status start_status;
    th_error start_error; /* of a worker that could not make its parser */
} map;

/* Takes the next page; false when there is none or none is wanted. */
static bool take(map *m, slot *out, uint64_t *number)
{
    pthread_mutex_lock(&m->reading);
    pthread_mutex_lock(&m->lock);
    while (!m->stopped && !m->ended && m->taken - m->emitted >= m->slot_count)
        pthread_cond_wait(&m->freed, &m->lock);
    bool more = !m->stopped && !m->ended;
    pthread_mutex_unlock(&m->lock);
    if (more) {
        out->status = th_feed_next(m->feed, &out->input, &out->error);
        pthread_mutex_lock(&m->lock);
        if (out->status == TH_DONE) {
            m->ended = true;
            more = false;
            pthread_cond_broadcast(&m->filled);
        } else {
            *number = m->taken++;
        }
        pthread_mutex_unlock(&m->lock);
    }
    pthread_mutex_unlock(&m->reading);
    return more;
}

static void put(map *m, const slot *done, uint64_t number)
{
    pthread_mutex_lock(&m->lock);
    m->slots[number % m->slot_count] = *done;
    m->slots[number % m->slot_count].ready = true;
    pthread_cond_signal(&m->filled);
    pthread_mutex_unlock(&m->lock);
}

static void work_on(map *m, th_parser *parser, slot *s)
{
    s->result = NULL;
    if (s->status == TH_OK)
        s->status = m->job->work(m->job->context, parser, s->input, &s->result, &s->error);
    else
        s->input = NULL;
}

static void *run_worker(void *context)
{
    map *m = context;
    th_parser *parser = NULL;
    slot s = {0};
    uint64_t number;
    th_error err;
    th_status status = th_parser_new(m->options, &parser, &err);
    while (status == TH_OK && take(m, &s, &number)) {
        work_on(m, parser, &s);
        put(m, &s, number);
        s = (slot){0};
    }
    th_parser_free(parser);
    pthread_mutex_lock(&m->lock);
    m->active--;
    if (status) {
        m->start_status = status;
        m->start_error = err;
    }
    pthread_cond_broadcast(&m->filled);
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

static th_status emit(map *m, slot *s)
{
    th_status status =
        m->job->emit(m->job->context, s->input, s->status, s->result, s->status ? &s->error : NULL);
    th_input_free(s->input);
    /* A feed that is cancelled says so for ever. */
    return !status && s->status == TH_ERR_CANCELLED ? TH_ERR_CANCELLED : status;
}

/* The calling thread's part: waits for each slot in turn. */
static th_status emit_all(map *m)
{
    th_status status = TH_OK;
    for (;;) {
        pthread_mutex_lock(&m->lock);
        slot *next = &m->slots[m->emitted % m->slot_count];
        while (!next->ready && m->active && !(m->ended && m->emitted == m->taken))
            pthread_cond_wait(&m->filled, &m->lock);
        slot s = *next;
        next->ready = false;
        pthread_mutex_unlock(&m->lock);
        if (!s.ready)
            return status;
        status = emit(m, &s);
        pthread_mutex_lock(&m->lock);
        m->emitted++;
        m->stopped = status != TH_OK;
        pthread_cond_broadcast(&m->freed);
        pthread_mutex_unlock(&m->lock);
        if (status)
            return status;
    }
}

/* Everything in the calling thread: the same order without threads. */
static th_status map_alone(map *m, th_error *err)
{
    th_parser *parser;
    th_status status = th_parser_new(m->options, &parser, err);
    if (status)
        return status;
    while (status == TH_OK) {
        slot s = {0};
        s.status = th_feed_next(m->feed, &s.input, &s.error);
        if (s.status == TH_DONE)
            break;
        work_on(m, parser, &s);
        status = emit(m, &s);
    }
    th_parser_free(parser);
    return status;
}

static void discard_rest(map *m)
{
    for (size_t i = 0; i < m->slot_count; i++) {
        slot *s = &m->slots[i];
        if (!s->ready)
            continue;
        if (s->result && m->job->discard)
            m->job->discard(m->job->context, s->result);
        th_input_free(s->input);
    }
}

static unsigned start_workers(map *m, pthread_t *threads, unsigned jobs)
{
    unsigned started = 0;
    pthread_mutex_lock(&m->lock);
    while (started < jobs && pthread_create(&threads[started], NULL, run_worker, m) == 0)
        started++;
    m->active = started;
    pthread_mutex_unlock(&m->lock);
    return started;
}

static th_status map_threads(map *m, unsigned jobs, th_error *err)
{
    pthread_t *threads = TH__NEW_ARRAY(pthread_t, jobs);
    m->slot_count = (size_t)jobs * SLOTS_PER_JOB;
    m->slots = th__mem_zero(m->slot_count, sizeof *m->slots);
    th_status status = TH_OK;
    unsigned started = 0;
    if (!threads || !m->slots) {
        status = th__fail_memory(err);
        goto out;
    }
    pthread_mutex_init(&m->reading, NULL);
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->freed, NULL);
    pthread_cond_init(&m->filled, NULL);
    started = start_workers(m, threads, jobs);
    if (started)
        status = emit_all(m);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    discard_rest(m);
    pthread_cond_destroy(&m->filled);
    pthread_cond_destroy(&m->freed);
    pthread_mutex_destroy(&m->lock);
    pthread_mutex_destroy(&m->reading);
    if (!started)
        status = map_alone(m, err); /* no threads to be had */
    else if (status == TH_OK && !m->ended) {
        status = m->start_status; /* no worker could start */
        if (err)
            *err = m->start_error;
    }
out:
    th__mem_free(threads);
    th__mem_free(m->slots);
    return status;
}

th_status th_feed_map(th_feed *feed, unsigned jobs, const th_parser_options *options,
                      const th_feed_job *job, th_error *err)
{
    map m = {.feed = feed, .options = options, .job = job};
    if (jobs == 0) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        jobs = online > 0 ? (unsigned)online : 1;
    }
    if (jobs > MAX_JOBS)
        jobs = MAX_JOBS;
    th_error before = {.status = TH_OK};
    th_status status = jobs == 1 ? map_alone(&m, &before) : map_threads(&m, jobs, &before);
    if (status && before.status)
        th__fail_at(err, before.status, before.offset, "%s", before.message);
    else if (status)
        th__fail(err, status, "the caller stopped the run");
    return status;
}
