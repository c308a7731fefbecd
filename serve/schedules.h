/*
 * schedules.h: extractors that are run by themselves, at the times that the project has for them.
 *
 * A thread looks once a moment for a schedule that is due, claims it and queues a job: so that
 * there are never two at once, whatever else is at work. Other servers may have the same project
 * open; a claim without a beat belongs to a server that died, and is taken over.
 */
#ifndef SERVE_SCHEDULES_H
#define SERVE_SCHEDULES_H

#include "jobs.h"

typedef struct serve_schedules serve_schedules;

th_status serve_schedules_new(serve_server *server, serve_schedules **out, th_error *err);
/* Ends the thread: no job is queued any more. Before serve_jobs_stop: what is at work stays due. */
void serve_schedules_stop(serve_schedules *schedules);
/* Frees, after serve_jobs_free: jobs ask for the owner. */
void serve_schedules_free(serve_schedules *schedules);
/* Looks at once: a schedule was set. */
void serve_schedules_wake(serve_schedules *schedules);
/* The name by which this server claims. Borrowed. */
const char *serve_schedules_owner(const serve_schedules *schedules);

#endif
