/*
 * cmd_serve.c: `thresh serve`: the workbench.
 *
 * Without --project the work is kept in the user's data folder, as the XDG specification says.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../serve/serve.h"
#include "run.h"

typedef struct serve_settings {
    const char *project;
    uint64_t port;
    bool no_browser;
    bool new_address;
    uint64_t max_upload;
    bool allow_commands;
    bool no_looks;
} serve_settings;

#define FIELD(name) offsetof(serve_settings, name)

static const cli_option serve_options_table[] = {
    {"project", 0, CLI_FILE, "FILE",
     "the project to work on, created if missing (default: one\nin your data folder)",
     FIELD(project)},
    {"port", 0, CLI_COUNT, "N",
     "the port to listen on (default: that of the last time,\nif it is free)", FIELD(port),
     .least = 1, .most = 65535},
    {"new-address", 0, CLI_FLAG, NULL,
     "use a new port and token, not those of the last time,\nwhich PROJECT.address keeps",
     FIELD(new_address)},
    {"no-browser", 0, CLI_FLAG, NULL, "print the address without opening a browser",
     FIELD(no_browser)},
    {"max-upload", 0, CLI_SIZE, "SIZE", "refuse larger uploads (default 64M)", FIELD(max_upload),
     .least = 1, .most = UINT64_C(1) << 31},
    {"allow-commands", 0, CLI_FLAG, NULL,
     "let alarms of schedules run commands: everyone who has\nthe token can run programs then",
     FIELD(allow_commands)},
    {"no-looks", 0, CLI_FLAG, NULL,
     "do not bring along style sheets, images and fonts of\nadded pages: they look plain",
     FIELD(no_looks)},
};

static const cli_group serve_group = CLI_GROUP("The workbench", serve_options_table, true);
static const cli_group *const groups[] = {&serve_group, &cli_fetch_group, &cli_common_group, NULL};

/* Makes the folders of a path, all but its last part. */
static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return true;
}

/* $XDG_DATA_HOME/thresh/workbench.thresh, or the same below ~/.local/share. */
static bool default_project(cli_run *run, char *out, size_t size)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int len = data && *data == '/' ? snprintf(out, size, "%s/thresh/workbench.thresh", data)
              : home && *home ? snprintf(out, size, "%s/.local/share/thresh/workbench.thresh", home)
                              : -1;
    if (len < 0 || (size_t)len >= size) {
        cli_error(run, (th_str){0}, "no home folder to keep a project in: give --project FILE");
        return false;
    }
    if (make_folders(out))
        return true;
    cli_error(run, th_str_from(out), "cannot create its folder: %s", strerror(errno));
    return false;
}

/* Writes a page that leads to the address, for the browser alone: arguments of a program can be
 * seen by everybody on the machine, and the address has the token in it. */
static bool write_door(const char *address, char *path, size_t size)
{
    static const char ending[] = ".html";
    const char *folder = getenv("XDG_RUNTIME_DIR"), *temporary = getenv("TMPDIR");
    if (!folder || *folder != '/' || access(folder, W_OK))
        folder = temporary && *temporary == '/' ? temporary : "/tmp";
    int len = snprintf(path, size, "%s/thresh-XXXXXX%s", folder, ending);
    int fd = (size_t)len < size ? mkstemps(path, sizeof ending - 1) : -1; /* mode 600 */
    if (fd < 0)
        return false;
    bool good = dprintf(fd,
                        "<!doctype html><meta charset=utf-8><title>Thresh</title>"
                        "<meta http-equiv=refresh content=\"0;url=%s\">"
                        "<a href=\"%s\">Thresh</a>\n",
                        address, address) > 0;
    good = !close(fd) && good;
    if (!good)
        unlink(path);
    return good;
}

/* Opens a browser only where there is a screen; having none is not an error. It is in a session of
 * its own and blocks no signals: it outlives this program, and can be ended itself. */
static pid_t open_browser(const char *file)
{
    extern char **environ;
    char *words[] = {"xdg-open", (char *)file, NULL};
    posix_spawn_file_actions_t quiet;
    posix_spawnattr_t own;
    sigset_t none;
    pid_t child = 0;
    sigemptyset(&none);
    if (posix_spawn_file_actions_init(&quiet))
        return 0;
    if (!posix_spawnattr_init(&own)) {
        posix_spawnattr_setflags(&own, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
        posix_spawnattr_setsigmask(&own, &none);
        posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        if (posix_spawnp(&child, "xdg-open", &quiet, &own, words, environ))
            child = 0;
        posix_spawnattr_destroy(&own);
    }
    posix_spawn_file_actions_destroy(&quiet);
    return child;
}

/* A token is a part of an address. */
static bool is_token(const char *token)
{
    size_t len = strspn(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                               "0123456789-._~");
    return len >= 16 && len <= 64 && !token[len];
}

static void leave(int number)
{
    _exit(CLI_DONE);
}

/* Waits for a signal that ends the server, and ends it. Work that does not end soon is broken off:
 * a project file is consistent at any moment. */
static void wait_and_stop(serve_server *server, pid_t browser, const sigset_t *signals)
{
    enum { PATIENCE_S = 1 };
    int number;
    while (!sigwait(signals, &number) && number == SIGCHLD)
        if (browser) /* the program that started it; other children are waited for where they were
                        started */
            waitpid(browser, NULL, WNOHANG);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = leave}, NULL);
    alarm(PATIENCE_S);
    serve_stop(server);
    alarm(0);
}

static int run_serve(cli_run *run)
{
    const serve_settings *own = run->own;
    char path[4096], door[4096];
    sigset_t ends;
    th_error err;
    serve_server *server;
    if (run->operand_count)
        return cli_usage_error(run->command,
                               "serve takes no inputs: pages are added in the browser");
    if (!own->project && !default_project(run, path, sizeof path))
        return cli_run_end(run, TH_OK, NULL);
    /* Before threads are started: they must not take the signals. */
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigaddset(&ends, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    th_feed_options fetching;
    cli_feed_options(run, &fetching);
    serve_options options = {.project = own->project ? own->project : path,
                             .port = (uint16_t)own->port,
                             .token = getenv("THRESH_TOKEN"),
                             .new_address = own->new_address,
                             .fetching = &fetching,
                             .max_upload = own->max_upload,
                             .allow_commands = own->allow_commands,
                             .no_looks = own->no_looks};
    if (options.token && !is_token(options.token))
        return cli_usage_error(run->command,
                               "THRESH_TOKEN must be 16 to 64 letters, digits or any of - . _ ~");
    th_status status = serve_start(&options, &server, &err);
    if (status)
        return cli_run_end(run, status, &err);
    printf("%s\n", serve_address(server));
    fflush(stdout);
    cli_note(run, (th_str){0},
             "the workbench is at this address; its project is %s. Ctrl-C ends it",
             options.project);
    bool screen = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
    bool open = screen && !own->no_browser && write_door(serve_address(server), door, sizeof door);
    pid_t browser = open ? open_browser(door) : 0;
    wait_and_stop(server, browser, &ends);
    if (open)
        unlink(door);
    return cli_run_end(run, TH_OK, NULL);
}

static const char *const examples[] = {"thresh serve", "thresh serve --project shop.thresh", NULL};

const cli_command cli_serve = {
    .name = "serve",
    .operands = "",
    .summary = "start the workbench: view, label and monitor in the browser",
    .about = "Starts the workbench on this machine only and prints its address, which contains a "
             "token:\n"
             "anyone who has it can use the workbench. Opens the browser, if there is one.\n"
             "The address is kept in PROJECT.address, readable for you alone: started again, the\n"
             "workbench has the same address, and open windows go on. THRESH_TOKEN in the\n"
             "environment sets the token instead.\n",
    .examples = examples,
    .options = groups,
    .own_size = sizeof(serve_settings),
    .run = run_serve,
};
