/*
 * monitor_run.c: one run of a schedule.
 *
 *     fetch again ──▶ extract and verify ──▶ the run is kept ──▶ alarm ──▶ the schedule moves on
 *
 * A server that dies anywhere leaves a schedule that is still due, so that no alarm is lost; the
 * run is then made once more. Nothing that can be fetched is a run, too: one that has failed.
 */
#include "monitor_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "alarm.h"
#include "api_check.h"
#include "schedules.h"
#include "server.h"
#include "site_fetch.h"

enum { MOST_FIELDS = 100, MOST_FAILURES = 50 };

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static void put_date(json_t *object, const char *name, int64_t seconds)
{
    char date[32];
    time_t time = (time_t)seconds;
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&time, &utc));
    json_object_set_new(object, name, json_string(date));
}

/* ---- the run --------------------------------------------------------------------------------- */

/* A run without pages: why there are none is its evidence. */
static th_status keep_failure(th_project *project, const th_project_run *info, uint64_t failed,
                              const char *words, int64_t *id, th_error *err)
{
    th_run *run = NULL;
    json_t *evidence =
        json_pack("{s:n,s:b,s:b,s:s,s:i,s:o,s:[]}", "field", "drift", 0, "changed", 0, "test",
                  "fetch", "p", 0, "words", serve_json(th_str_from(words)), "examples");
    char *text = evidence ? json_dumps(evidence, JSON_COMPACT) : NULL;
    th_project_run totals = {.failed = failed, .verdict = th_str_from("failed")};
    th_status status = th_run_begin(project, info, &run, err);
    if (!status)
        status =
            th_run_add_verdict(run, (th_str){0}, th_str_from("failed"), th_str_from(text), err);
    if (!status)
        status = th_run_finish(run, &totals, id, err);
    th_run_free(run);
    free(text);
    json_decref(evidence);
    return status;
}

/* The fields that an alarm is about. */
static json_t *fields_of(const json_t *verdict)
{
    json_t *fields = json_array(), *one;
    size_t index;
    json_array_foreach(json_object_get(verdict, "evidence"), index, one)
    {
        bool drift = json_is_true(json_object_get(one, "drift"));
        if ((!drift && !json_is_true(json_object_get(one, "changed"))) ||
            json_array_size(fields) == MOST_FIELDS)
            continue;
        json_array_append_new(fields, json_pack("{s:O,s:s}", "field", json_object_get(one, "field"),
                                                "verdict", drift ? "drift" : "changed"));
    }
    return fields;
}

static th_status ids_of(const json_t *list, serve_page_ids *out, th_error *err)
{
    size_t index;
    json_t *id;
    out->ids = calloc(json_array_size(list) + 1, sizeof *out->ids);
    if (!out->ids) {
        *err = (th_error){TH_ERR_MEMORY, TH_NO_OFFSET, "out of memory"};
        return TH_ERR_MEMORY;
    }
    json_array_foreach(list, index, id) out->ids[out->count++] = json_integer_value(id);
    return TH_OK;
}

/* Checks what was fetched. `out` gets "run", "verdict", "words", "records" and "fields". */
static th_status check(serve_job *job, th_project *project, const serve_check_options *options,
                       const th_wrapper *wrapper, const serve_fetched *fetched, json_t *out,
                       th_error *err)
{
    serve_page_ids pages = {0};
    json_t *verdict = NULL;
    const json_t *first = json_array_get(fetched->failed, 0);
    th_status status = TH_OK;
    if (!json_array_size(fetched->pages)) {
        int64_t id = 0;
        const char *reason = text_of(first, "reason");
        status = keep_failure(project, &options->run, options->failed,
                              reason ? reason : "no page could be fetched", &id, err);
        json_object_update_new(
            out, json_pack("{s:I,s:s,s:o,s:i,s:[]}", "run", (json_int_t)id, "verdict", "failed",
                           "words", serve_json(th_str_from(reason)), "records", 0, "fields"));
        return status;
    }
    status = ids_of(fetched->pages, &pages, err);
    serve_job_say(job, "%s", "");
    if (!status)
        status = serve_check_pages(job, project, options, wrapper, &pages, &verdict, err);
    if (!status)
        json_object_update_new(
            out, json_pack("{s:O,s:O,s:n,s:O,s:o}", "run", json_object_get(verdict, "run"),
                           "verdict", json_object_get(verdict, "verdict"), "words", "records",
                           json_object_get(verdict, "records"), "fields", fields_of(verdict)));
    json_decref(verdict);
    free(pages.ids);
    return status;
}

static void put_counts(json_t *out, const serve_fetched *fetched)
{
    json_t *failed = json_array(), *one;
    size_t index;
    json_array_foreach(fetched->failed, index, one) if (index < MOST_FAILURES)
        json_array_append(failed, one);
    json_object_update_new(out, json_pack("{s:I,s:I,s:I,s:I,s:I,s:o,s:O}", "pages",
                                          (json_int_t)json_array_size(fetched->pages), "new",
                                          fetched->fresh, "changed", fetched->changed, "same",
                                          fetched->same, "failures",
                                          (json_int_t)json_array_size(fetched->failed), "failed",
                                          failed, "ended", fetched->ended));
}

static th_status run(serve_job *job, th_project *project, json_t *out, th_error *err)
{
    serve_fetched fetched = {0};
    th_wrapper *wrapper = NULL;
    json_t *by_name = json_pack("{s:O}", "wrapper", json_object_get(job->what, "wrapper"));
    serve_check_options options = {.run = {.site = th_str_from(text_of(job->what, "site")),
                                           .command = th_str_from("monitor"),
                                           .wrapper = th_str_from(text_of(job->what, "wrapper"))},
                                   .drop_drifting = true};
    th_status status = serve_asked_wrapper(project, options.run.site, by_name, &wrapper,
                                           &options.run.wrapper_version, err);
    if (!status && !th_wrapper_has_profile(wrapper)) {
        status = TH_ERR_ARGUMENT;
        *err = (th_error){TH_ERR_ARGUMENT, TH_NO_OFFSET,
                          "the extractor has no profile to compare with: save it again"};
    }
    if (!status)
        status = serve_fetch_again(job, project, options.run.site, NULL, wrapper, &fetched, err);
    options.failed = json_array_size(fetched.failed);
    if (!status)
        status = check(job, project, &options, wrapper, &fetched, out, err);
    if (!status)
        put_counts(out, &fetched);
    serve_fetched_release(&fetched);
    th_wrapper_free(wrapper);
    json_decref(by_name);
    return status;
}

/* ---- the schedule ---------------------------------------------------------------------------- */

/* The schedule of a wrapper, as far as it is needed here. */
typedef struct plan {
    const char *wrapper;
    int64_t id;
    char *webhook, *command;
} plan;

static th_status take_plan(void *context, const th_schedule *schedule, th_error *err)
{
    plan *p = context;
    if (strlen(p->wrapper) != schedule->wrapper.len ||
        memcmp(p->wrapper, schedule->wrapper.ptr, schedule->wrapper.len))
        return TH_OK;
    p->id = schedule->id;
    p->webhook =
        schedule->webhook.ptr ? strndup(schedule->webhook.ptr, schedule->webhook.len) : NULL;
    p->command =
        schedule->command.ptr ? strndup(schedule->command.ptr, schedule->command.len) : NULL;
    return TH_OK;
}

static void release_plan(plan *p)
{
    free(p->webhook);
    free(p->command);
}

static json_t *alarm_text(const serve_job *job, const json_t *out, bool test)
{
    json_t *text = json_pack(
        "{s:O,s:O,s:O?,s:O?,s:O?,s:O?,s:O?,s:O?,s:b}", "site", json_object_get(job->what, "site"),
        "extractor", json_object_get(job->what, "wrapper"), "verdict",
        json_object_get(out, "verdict"), "run", json_object_get(out, "run"), "fields",
        json_object_get(out, "fields"), "pages", json_object_get(out, "pages"), "records",
        json_object_get(out, "records"), "failed", json_object_get(out, "failures"), "test", test);
    put_date(text, "date", time(NULL));
    return text;
}

static bool is_bad(const json_t *out)
{
    const char *verdict = text_of(out, "verdict");
    return verdict && (!strcmp(verdict, "drift") || !strcmp(verdict, "failed"));
}

/* Tells who is to be told, and gives what came of it; NULL: nobody was. */
static json_t *sound(serve_job *job, th_project *project, const json_t *out, bool test)
{
    plan p = {.wrapper = text_of(job->what, "wrapper")};
    json_t *told = NULL;
    if (p.wrapper && !th_project_schedules(project, th_str_from(text_of(job->what, "site")),
                                           take_plan, &p, &(th_error){0})) {
        json_t *text = alarm_text(job, out, test);
        told = serve_alarm(job, p.webhook, p.command, text, test);
        json_decref(text);
    }
    release_plan(&p);
    return told;
}

static th_status move_on(serve_job *job, th_project *project, const json_t *out,
                         const json_t *alarm, th_error *err)
{
    json_t *schedule = json_object_get(job->what, "schedule");
    char *last = json_dumps(out, JSON_COMPACT),
         *told = alarm ? json_dumps(alarm, JSON_COMPACT) : NULL;
    th_status status = TH_OK;
    if (schedule && last)
        status =
            th_project_finish_schedule(project, json_integer_value(schedule),
                                       th_str_from(serve_schedules_owner(job->server->schedules)),
                                       time(NULL), th_str_from(last), th_str_from(told), err);
    free(last);
    free(told);
    return status;
}

th_status serve_monitor_run(serve_job *job, th_project *project, th_error *err)
{
    json_t *out = json_object(), *alarm = NULL;
    json_t *due = json_object_get(job->what, "due"), *late = json_object_get(job->what, "missed");
    th_error problem = {0};
    th_status status = run(job, project, out, &problem);
    put_date(out, "date", time(NULL));
    if (due)
        put_date(out, "due", json_integer_value(due));
    json_object_set(out, "missed", late);
    if (status == TH_ERR_CANCELLED || atomic_load(&job->cancelled)) {
        /* a server that ends leaves it due; the claim of a run that somebody cancelled ends with
         * its job */
        json_decref(out);
        *err = problem;
        return status ? status : TH_ERR_CANCELLED;
    }
    th_project_rollback(project);
    if (status) /* nothing of it could be kept: that is told, too */
        json_object_update_new(out, json_pack("{s:n,s:s,s:o}", "run", "verdict", "failed", "words",
                                              serve_json(th_str_from(problem.message))));
    if (is_bad(out) && due)
        alarm = sound(job, project, out, false);
    th_status moved = move_on(job, project, out, alarm, err);
    serve_publish(job->server->jobs, "schedule",
                  json_pack("{s:O,s:O}", "site", json_object_get(job->what, "site"), "wrapper",
                            json_object_get(job->what, "wrapper")));
    if (alarm)
        json_object_set_new(out, "alarm", alarm);
    if (status)
        *err = problem;
    status = status ? status : moved;
    if (status)
        json_decref(out);
    else
        job->result = out;
    return status;
}

th_status serve_test_alarm(serve_job *job, th_project *project, th_error *err)
{
    plan p = {.wrapper = text_of(job->what, "wrapper")};
    json_t *out =
        json_pack("{s:s,s:[{s:s,s:s}],s:i,s:i,s:i}", "verdict", "drift", "fields", "field", "title",
                  "verdict", "drift", "pages", 1, "records", 0, "failures", 0);
    th_status status =
        th_project_schedules(project, th_str_from(text_of(job->what, "site")), take_plan, &p, err);
    json_t *told = status ? NULL : sound(job, project, out, true);
    char *text = told ? json_dumps(told, JSON_COMPACT) : NULL;
    if (!status && !text) {
        status = TH_ERR_ARGUMENT;
        *err = (th_error){TH_ERR_ARGUMENT, TH_NO_OFFSET,
                          "nobody is to be told: give a webhook or a command, and save it"};
    }
    if (!status)
        status = th_project_keep_alarm(project, p.id, th_str_from(text), err);
    job->result = told;
    free(text);
    json_decref(out);
    release_plan(&p);
    return status;
}
