/*
 * jobs.h: long work in the background, one job after the other, and the events that report it.
 *
 * An event is a line of JSON with a number; a listener says the last number it has seen and
 * gets those after it, of the last few thousand.
 */
#ifndef SERVE_JOBS_H
#define SERVE_JOBS_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <thresh.h>

#include "microhttpd_library.h"
#include "routes.h"

typedef struct serve_jobs serve_jobs;

typedef struct serve_job {
    int64_t id;
    char kind[24];
    json_t *what; /* what was asked */
    /* Does the work; reports progress with serve_job_progress. */
    th_status (*run)(struct serve_job *job, th_project *project, th_error *err);
    serve_server *server;
    atomic_bool cancelled;
    enum { SERVE_WAITING, SERVE_RUNNING, SERVE_DONE, SERVE_FAILED, SERVE_CANCELLED } state;
    uint64_t done, total; /* total 0: not known */
    char message[2048];   /* of the error, or about the result */
    json_t *result;       /* more about the result, for a request for the job; or NULL */
    struct serve_job *next;
} serve_job;

th_status serve_jobs_new(serve_server *server, serve_jobs **out, th_error *err);
/* Cancels what runs and ends what listens; before the server's own end. */
void serve_jobs_stop(serve_jobs *jobs);
/* Waits for what runs, and frees. After serve_jobs_stop. */
void serve_jobs_free(serve_jobs *jobs);

/* Queues a job: takes `what`. Gives its id, 0 if out of memory. */
int64_t serve_jobs_add(serve_jobs *jobs, const char *kind, json_t *what,
                       th_status (*run)(serve_job *job, th_project *project, th_error *err));
/* Queues a job for a request, and answers with its id. */
void serve_start_job(const serve_request *request, serve_answer *answer, const char *kind,
                     json_t *what,
                     th_status (*run)(serve_job *job, th_project *project, th_error *err));
/* The site that a job is about. */
th_str serve_job_site(const serve_job *job);
/* False when there is no such job. */
bool serve_jobs_cancel(serve_jobs *jobs, int64_t id);
/* All jobs, or one; NULL when there is none of that id. */
json_t *serve_jobs_list(serve_jobs *jobs);
json_t *serve_jobs_get(serve_jobs *jobs, int64_t id);

/* The last job of a kind on all pages of a site with a wrapper by its name: one that has not ended,
 * or that has a result, which comes with it. NULL when there is none. */
json_t *serve_jobs_last(serve_jobs *jobs, const char *kind, const char *site, const char *wrapper);
/* Forgets the results of all such jobs that have ended. */
void serve_jobs_forget_results(serve_jobs *jobs, const char *kind, const char *site,
                               const char *wrapper);

/* Ends work of the library when the job is cancelled. */
th_cancel serve_job_cancel(serve_job *job);
/* Sets the job's message. */
void serve_job_say(serve_job *job, const char *format, ...) TH_PRINTF(2, 3);
/* Reports how far a job is. False when it was cancelled: it should end. */
bool serve_job_progress(serve_job *job, uint64_t done, uint64_t total);

/* Sends an event, which it takes, to all listeners. */
void serve_publish(serve_jobs *jobs, const char *kind, json_t *event);
/* An answer that goes on as long as the listener does. NULL if out of memory. */
struct MHD_Response *serve_listen(serve_jobs *jobs, uint64_t after);

#endif
