/*
 * monitor_run.h: what `thresh monitor` does, as a job: fetch the pages of a site again, extract,
 * verify, keep the run; and tell somebody when it drifts or fails.
 */
#ifndef SERVE_MONITOR_RUN_H
#define SERVE_MONITOR_RUN_H

#include "jobs.h"

/* job->what: {"site", "wrapper"}, and of a scheduled run {"schedule", "due", "missed"}. Its result:
 * {"run", "verdict", "words", "date", "due", "missed", "pages", "records", "new", "changed",
 * "same", "failed", "ended"}. */
th_status serve_monitor_run(serve_job *job, th_project *project, th_error *err);
/* Sends an alarm that says that it is a test. job->what: {"site", "wrapper"}. */
th_status serve_test_alarm(serve_job *job, th_project *project, th_error *err);

#endif
