/*
 * alarm.h: telling somebody that a scheduled run drifts or has failed: JSON that is posted to a
 * URL, or handed to a command.
 */
#ifndef SERVE_ALARM_H
#define SERVE_ALARM_H

#include "jobs.h"

/* Sends an alarm to the webhook and the command (each may be NULL) and tells what came of it:
 * {"date", "test", "sent": [{"kind": "webhook" or "command", "ok", "words"}]}. A new reference;
 * NULL if there is nobody to tell, or no memory. */
json_t *serve_alarm(serve_job *job, const char *webhook, const char *command, const json_t *what,
                    bool test);

#endif
