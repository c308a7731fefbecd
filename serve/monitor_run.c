/*
 * monitor_run.c: one run of a schedule.
 *
 *     fetch again ──▶ extract and verify ──▶ the run is kept ──▶ alarm ──▶ the schedule moves on
 *
 * A server that dies anywhere leaves a schedule that is still due, so that no alarm is lost; the
 * run is then made once more. A run for which nothing could be fetched is kept as a failed one.
 */
#include "monitor_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "api_check.h"
#include "schedules.h"
#include "server.h"
#include "site_fetch.h"

extern char **environ;

enum {
    MOST_FIELDS = 100,
    MOST_FAILURES = 50,
    PATIENCE_MS = 30000,
    CONNECT_MS = 10000,
    KEPT_WORDS = 500, /* of what a command says */
    STEP_MS = 100
};

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static void put_date(json_t *object, const char *name, int64_t seconds)
{
    char date[SERVE_DATE_SIZE];
    json_object_set_new(object, name, json_string(serve_date(seconds, date)));
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
    if (!out->ids)
        return serve_no_memory(err);
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
    if (!status && !th_wrapper_has_profile(wrapper))
        status = serve_error(err, TH_ERR_ARGUMENT,
                             "the extractor has no profile to compare with: save it again");
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

/*
 * An alarm says that a scheduled run drifts or has failed. A webhook goes through the library,
 * which checks the address. A command is run only where whoever started the server allowed it:
 * everybody with the token could run programs otherwise. It gets the JSON on its standard input,
 * not the server's token, and has half a minute.
 */
/* ---- the command of an alarm
 * ------------------------------------------------------------------------------- */

typedef struct child {
    pid_t pid;
    int in, out; /* our ends, -1: closed */
    char said[KEPT_WORDS + 1];
    size_t len;
} child;

/* The environment without the token: the command needs no access to the workbench. */
static char **environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **all = calloc(count + 1, sizeof *all);
    for (size_t i = 0; all && i < count; i++)
        if (strncmp(environ[i], "THRESH_TOKEN=", 13))
            all[kept++] = environ[i];
    return all;
}

static int start_child(const char *command, child *c)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    char *words[] = {"/bin/sh", "-c", (char *)command, NULL};
    char **env = environment();
    posix_spawn_file_actions_t files;
    posix_spawnattr_t own;
    sigset_t none;
    int error = env ? 0 : ENOMEM;
    sigemptyset(&none);
    if (!error && (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) || pipe2(out, O_CLOEXEC)))
        error = errno;
    if (!error && !(error = posix_spawn_file_actions_init(&files))) {
        if (!(error = posix_spawnattr_init(&own))) {
            posix_spawnattr_setflags(&own, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
            posix_spawnattr_setsigmask(&own, &none);
            posix_spawn_file_actions_adddup2(&files, in[1], STDIN_FILENO);
            posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
            posix_spawn_file_actions_adddup2(&files, out[1], STDERR_FILENO);
            error = posix_spawn(&c->pid, words[0], &files, &own, words, env);
            posix_spawnattr_destroy(&own);
        }
        posix_spawn_file_actions_destroy(&files);
    }
    free(env);
    close(in[1]);
    close(out[1]);
    c->in = in[0];
    c->out = out[0];
    if (!error)
        return 0;
    close(c->in);
    close(c->out);
    return error;
}

static void close_in(child *c)
{
    if (c->in >= 0)
        close(c->in);
    c->in = -1;
}

/* Reads what there is; false at the end. */
static bool hear(child *c)
{
    char bytes[4096];
    ssize_t got = read(c->out, bytes, sizeof bytes);
    if (got <= 0)
        return got < 0 && (errno == EINTR || errno == EAGAIN);
    size_t room = KEPT_WORDS - c->len, len = (size_t)got < room ? (size_t)got : room;
    memcpy(c->said + c->len, bytes, len);
    c->len += len;
    return true;
}

/* Hands the text over and waits for the end, of the command and of what it started that still holds
 * its output. False when it took too long, or the server ends. */
static bool attend(serve_job *job, child *c, const char *text)
{
    int64_t end = serve_now_ms() + PATIENCE_MS;
    size_t sent = 0, len = strlen(text);
    while (serve_now_ms() < end && !atomic_load(&job->cancelled)) {
        struct pollfd ends[] = {{c->out, POLLIN, 0}, {c->in, POLLOUT, 0}};
        poll(ends, c->in >= 0 ? 2 : 1, STEP_MS);
        if (c->in >= 0 && ends[1].revents) {
            ssize_t put = send(c->in, text + sent, len - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
            sent += put > 0 ? (size_t)put : 0;
            if (sent == len || (put < 0 && errno != EAGAIN && errno != EINTR))
                close_in(c);
        }
        if (ends[0].revents && !hear(c))
            return true;
    }
    return false;
}

static bool run_command(serve_job *job, const char *command, const char *text, char *words,
                        size_t size)
{
    child c = {.in = -1, .out = -1};
    int status = 0;
    int error = start_child(command, &c);
    if (error) {
        snprintf(words, size, "it cannot be started: %s", strerror(error));
        return false;
    }
    bool ended = attend(job, &c, text);
    kill(-c.pid, SIGKILL); /* what is left of its session */
    if (!ended)
        kill(c.pid, SIGKILL);
    close_in(&c);
    close(c.out);
    while (waitpid(c.pid, &status, 0) < 0 && errno == EINTR)
        ;
    c.said[c.len] = '\0';
    if (!ended)
        snprintf(words, size, "it took longer than %d s and was ended", PATIENCE_MS / 1000);
    else if (WIFEXITED(status))
        snprintf(words, size, "exit status %d%s%s", WEXITSTATUS(status), c.len ? ": " : "", c.said);
    else
        snprintf(words, size, "ended by signal %d%s%s", WTERMSIG(status), c.len ? ": " : "",
                 c.said);
    return ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- an alarm
 * ------------------------------------------------------------------------------------ */

static void put(json_t *list, const char *kind, bool ok, const char *words)
{
    json_array_append_new(list, json_pack("{s:s,s:b,s:o}", "kind", kind, "ok", ok, "words",
                                          serve_json(th_str_from(words))));
}

static void post(serve_job *job, const char *url, const char *text, json_t *list)
{
    th_feed_options options = job->server->fetching;
    th_error err = {0};
    options.timeout_ms =
        options.timeout_ms && options.timeout_ms < PATIENCE_MS ? options.timeout_ms : PATIENCE_MS;
    options.connect_timeout_ms = CONNECT_MS;
    options.cancel = serve_job_cancel(job);
    th_status status = th_post_json(url, th_str_from(text), &options, &err);
    put(list, "webhook", !status, status ? err.message : "");
}

/* Sends an alarm to the webhook and the command (each may be NULL) and returns the result:
 * {"date", "test", "sent": [{"kind": "webhook" or "command", "ok", "words"}]}. A new reference;
 * NULL if there is nobody to tell, or no memory. */
static json_t *send_alarm(serve_job *job, const char *webhook, const char *command,
                          const json_t *what, bool test)
{
    char words[KEPT_WORDS + 100], date[SERVE_DATE_SIZE];
    char *text = json_dumps(what, JSON_COMPACT);
    json_t *sent = json_array();
    if (!text || !sent || (!webhook && !command)) {
        free(text);
        json_decref(sent);
        return NULL;
    }
    if (webhook)
        post(job, webhook, text, sent);
    if (command && job->server->allow_commands) {
        bool ok = run_command(job, command, text, words, sizeof words);
        put(sent, "command", ok, words);
    } else if (command) {
        put(sent, "command", false, "not run: the server was started without --allow-commands");
    }
    free(text);
    return json_pack("{s:s,s:b,s:o}", "date", serve_date(time(NULL), date), "test", test, "sent",
                     sent);
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

/* Sends the alarm of the schedule, and returns the result; NULL: there is nobody to send it to. */
static json_t *sound(serve_job *job, th_project *project, const json_t *out, bool test)
{
    plan p = {.wrapper = text_of(job->what, "wrapper")};
    json_t *told = NULL;
    if (p.wrapper && !th_project_schedules(project, th_str_from(text_of(job->what, "site")),
                                           take_plan, &p, &(th_error){0})) {
        json_t *text = alarm_text(job, out, test);
        told = send_alarm(job, p.webhook, p.command, text, test);
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
    if (status) /* no run could be kept: the alarm says so */
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
    if (!status && !text)
        status = serve_error(err, TH_ERR_ARGUMENT,
                             "nobody is to be told: give a webhook or a command, and save it");
    if (!status)
        status = th_project_keep_alarm(project, p.id, th_str_from(text), err);
    job->result = told;
    free(text);
    json_decref(out);
    release_plan(&p);
    return status;
}
