/*
 * alarm.c: telling somebody that a scheduled run drifts or has failed.
 *
 * A webhook goes through the library, which checks the address. A command is run only where whoever
 * started the server allowed it: everybody with the token could run programs otherwise. It gets the
 * JSON on its standard input, not the server's token, and has half a minute.
 */
#include "alarm.h"

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

#include "server.h"

extern char **environ;

enum {
    PATIENCE_MS = 30000,
    CONNECT_MS = 10000,
    KEPT_WORDS = 500, /* of what a command says */
    STEP_MS = 100
};

static int64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* ---- a command ------------------------------------------------------------------------------- */

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
    int64_t end = now_ms() + PATIENCE_MS;
    size_t sent = 0, len = strlen(text);
    while (now_ms() < end && !atomic_load(&job->cancelled)) {
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

/* ---- both ------------------------------------------------------------------------------------ */

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

json_t *serve_alarm(serve_job *job, const char *webhook, const char *command, const json_t *what,
                    bool test)
{
    char words[KEPT_WORDS + 100], date[32];
    time_t now = time(NULL);
    struct tm utc;
    char *text = json_dumps(what, JSON_COMPACT);
    json_t *sent = json_array();
    if (!text || !sent || (!webhook && !command)) {
        free(text);
        json_decref(sent);
        return NULL;
    }
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    if (webhook)
        post(job, webhook, text, sent);
    if (command && job->server->allow_commands) {
        bool ok = run_command(job, command, text, words, sizeof words);
        put(sent, "command", ok, words);
    } else if (command) {
        put(sent, "command", false, "not run: the server was started without --allow-commands");
    }
    free(text);
    return json_pack("{s:s,s:b,s:o}", "date", date, "test", test, "sent", sent);
}
