/* api_schedule.c: when extractors run by themselves, and who gets the alarms. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api.h"
#include "asked.h"
#include "monitor_run.h"
#include "schedules.h"
#include "server.h"

enum { LONGEST_S = 366 * 24 * 3600, LONGEST_COMMAND = 4000, LONGEST_URL = 2000 };

static void publish(const serve_request *request, const char *wrapper)
{
    serve_publish(request->server->jobs, "schedule",
                  json_pack("{s:s,s:s}", "site", request->parts[0], "wrapper", wrapper));
}

static json_t *read_json(th_str text)
{
    json_t *read = text.ptr ? json_loadb(text.ptr, text.len, JSON_ALLOW_NUL, NULL) : NULL;
    return read ? read : json_null();
}

static json_t *date_of(int64_t seconds)
{
    char date[SERVE_DATE_SIZE];
    return json_string(serve_date(seconds, date));
}

static json_t *time_of_day(const th_schedule *schedule)
{
    return schedule->every_s ? json_null()
                             : json_sprintf("%02u:%02u", schedule->at / 60, schedule->at % 60);
}

static th_status put_schedule(void *context, const th_schedule *s, th_error *err)
{
    return serve_append(context,
                        json_pack("{s:o,s:I,s:o,s:b,s:o,s:o,s:o,s:o,s:o,s:b}", "wrapper",
                                  serve_json(s->wrapper), "every", (json_int_t)s->every_s, "at",
                                  time_of_day(s), "paused", s->paused, "next", date_of(s->next),
                                  "webhook", serve_json(s->webhook), "command",
                                  serve_json(s->command), "last", read_json(s->last), "alarm",
                                  read_json(s->alarm), "running", s->owner.ptr != NULL),
                        err);
}

/* How this server fetches, as options of a command that does the same. */
static json_t *fetch_words(const serve_server *server)
{
    const th_feed_options *o = &server->fetching;
    th_feed_options usual;
    json_t *words = json_array();
    th_feed_options_init(&usual);
    if (o->allow_private)
        json_array_append_new(words, json_string("--allow-private"));
    if (o->ignore_robots)
        json_array_append_new(words, json_string("--ignore-robots"));
    if (o->render)
        json_array_append_new(words, json_string("--render"));
    if (o->host_delay_ms != usual.host_delay_ms) {
        json_array_append_new(words, json_string("--delay"));
        json_array_append_new(words, json_sprintf("%g", o->host_delay_ms / 1000.0));
    }
    const struct {
        const char *name, *value;
    } texts[] = {{"--user-agent", o->user_agent}, {"--cookie-jar", o->cookie_jar},
                 {"--proxy", o->proxy},           {"--site-file", o->site_file},
                 {"--cache", o->cache},           {"--wait-for", o->render_wait_for}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].value) {
            json_array_append_new(words, json_string(texts[i].name));
            json_array_append_new(words, serve_json(th_str_from(texts[i].value)));
        }
    for (size_t i = 0; i < o->header_count; i++) {
        json_array_append_new(words, json_string("--header"));
        json_array_append_new(words, serve_json(th_str_from(o->headers[i])));
    }
    return words;
}

void api_schedules(const serve_request *request, serve_answer *answer)
{
    th_error err;
    json_t *list = json_array();
    th_status status =
        th_project_schedules(request->project, serve_site(request), put_schedule, list, &err);
    if (status) {
        json_decref(list);
        serve_fail(answer, status, &err);
        return;
    }
    char *path = realpath(request->server->project_path, NULL); /* cron is in another folder */
    serve_reply(answer,
                json_pack("{s:o,s:b,s:o,s:o}", "schedules", list, "allow_commands",
                          request->server->allow_commands, "project",
                          serve_json(th_str_from(path ? path : request->server->project_path)),
                          "options", fetch_words(request->server)));
    free(path);
}

/* "06:30" as minutes; -1: it is not a time. */
static int minutes_of(const char *text)
{
    int hour, minute, end = 0;
    bool good = strlen(text) == 5 && sscanf(text, "%2d:%2d%n", &hour, &minute, &end) == 2 &&
                end == 5 && hour >= 0 && hour < 24 && minute >= 0 && minute < 60;
    return good ? hour * 60 + minute : -1;
}

static bool has_wrapper(const serve_request *request, const char *wrapper, serve_answer *answer)
{
    th_text text = {0};
    th_error err;
    th_status status = th_project_wrapper_text(request->project, serve_site(request),
                                               th_str_from(wrapper), 0, NULL, &text, &err);
    th_text_release(&text);
    if (status == TH_DONE)
        serve_refuse(answer, MHD_HTTP_NOT_FOUND, "no extractor of that name");
    else if (status)
        serve_fail(answer, status, &err);
    return !status;
}

/* Reads what is asked for; false when it is refused. */
static bool read_schedule(const serve_request *request, th_schedule *out, serve_answer *answer)
{
    const char *wrapper = serve_member(request, "wrapper"), *at = serve_member(request, "at");
    const char *webhook = serve_member(request, "webhook"),
               *command = serve_member(request, "command");
    json_int_t every = json_integer_value(json_object_get(request->json, "every"));
    int minutes = at ? minutes_of(at) : 0;
    const char *wrong = NULL;
    if (!wrapper || !*wrapper)
        wrong = "a schedule is of a \"wrapper\"";
    else if (!at && (every < 1 || every > LONGEST_S))
        wrong = "\"every\" must be a number of seconds, or \"at\" a time of day";
    else if (minutes < 0)
        wrong = "\"at\" must be a time of day, such as 06:30";
    else if (webhook && *webhook &&
             (strlen(webhook) > LONGEST_URL || !serve_is_url(th_str_from(webhook))))
        wrong = "\"webhook\" must be a URL that begins with http:// or https://";
    else if (command && strlen(command) > LONGEST_COMMAND)
        wrong = "the command is too long";
    if (wrong) {
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST, "%s", wrong);
        return false;
    }
    if (command && *command && !request->server->allow_commands) {
        serve_refuse(answer, MHD_HTTP_FORBIDDEN,
                     "commands are not allowed: start the server with --allow-commands");
        return false;
    }
    *out = (th_schedule){.site = serve_site(request),
                         .wrapper = th_str_from(wrapper),
                         .every_s = at ? 0 : (uint32_t)every,
                         .at = (uint32_t)minutes,
                         .paused = json_is_true(json_object_get(request->json, "paused")),
                         .webhook = webhook && *webhook ? th_str_from(webhook) : (th_str){0},
                         .command = command && *command ? th_str_from(command) : (th_str){0}};
    return has_wrapper(request, wrapper, answer);
}

void api_set_schedule(const serve_request *request, serve_answer *answer)
{
    th_schedule schedule;
    th_error err;
    if (!read_schedule(request, &schedule, answer))
        return;
    int64_t now = time(NULL);
    schedule.next = th_schedule_next(&schedule, now, now);
    th_status status = th_project_set_schedule(request->project, &schedule, &err);
    if (status) {
        serve_fail(answer, status, &err);
        return;
    }
    serve_reply(answer, json_pack("{s:o}", "next", date_of(schedule.next)));
    serve_schedules_wake(request->server->schedules);
    publish(request, schedule.wrapper.ptr);
}

void api_remove_schedule(const serve_request *request, serve_answer *answer)
{
    const char *wrapper = serve_member(request, "wrapper");
    bool removed = false;
    th_error err;
    if (!wrapper) {
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST, "a schedule is of a \"wrapper\"");
        return;
    }
    th_status status = th_project_remove_schedule(request->project, serve_site(request),
                                                  th_str_from(wrapper), &removed, &err);
    if (status) {
        serve_fail(answer, status, &err);
        return;
    }
    serve_reply(answer, json_pack("{s:b}", "removed", removed));
    if (removed)
        publish(request, wrapper);
}

/* ---- at once --------------------------------------------------------------------------------- */

static void start_job(const serve_request *request, serve_answer *answer, const char *kind,
                      th_status (*run)(serve_job *job, th_project *project, th_error *err))
{
    const char *wrapper = serve_member(request, "wrapper");
    if (!wrapper) {
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST, "\"wrapper\" is missing");
        return;
    }
    if (!has_wrapper(request, wrapper, answer))
        return;
    serve_start_job(request, answer, kind,
                    json_pack("{s:s,s:s}", "site", request->parts[0], "wrapper", wrapper), run);
}

void api_monitor(const serve_request *request, serve_answer *answer)
{
    start_job(request, answer, "watch", serve_monitor_run);
}

void api_test_alarm(const serve_request *request, serve_answer *answer)
{
    start_job(request, answer, "alarm", serve_test_alarm);
}
