/*
 * render_browser.c: the browser as a process, and messages to it and from it.
 *
 *     thresh ═══ socket, at 3 and 4 of the browser: JSON texts, each ended by a NUL ═══ Chromium
 *        ╚══════ pipe ══════ keeper, a shell
 *
 * Nothing may remain when thresh ends, even by kill -9. Chromium ends when its socket is closed.
 * Should it hang, the keeper, whose pipe is closed at the same moment, kills its process group and
 * removes its folder. The keeper also removes folders that a crash of the machine has left behind.
 *
 * The browser has no network: it runs in a network namespace of its own, without any interface,
 * where the kernel allows that. In any case no name resolves for it, and its proxy does not exist.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "feed/render.h"

enum { MAX_MESSAGE = 256 << 20, COMPLAINT_LOOK = 4096 };

struct th__browser {
    pid_t pid, keeper;  /* 0 for none */
    int fd, keeper_fd;  /* -1 for none */
    char *folder;       /* its profile and what it writes to standard error; NULL for none */
    th__buf in, out;    /* messages: what came, what is to be sent */
    size_t in_at, seen; /* the first byte of the next message; how far its end was looked for */
    size_t out_at;
    bool ended;
    char complaint[300];
};

static const char *const NAMES[] = {"chromium", "chromium-browser", "google-chrome"};

/* What the browser is told. In place of NULL come its folder and what root needs. */
static const char *const SWITCHES[] = {
    "--headless",
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    "--window-size=1280,1024",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--mute-audio",
    "--password-store=basic",
    /* No network. */
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://proxy.invalid:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    /* Nothing on its own account. */
    "--deny-permission-prompts",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-crash-reporter",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-hang-monitor",
    "--disable-sync",
    "--metrics-recording-only",
    "--no-service-autorun",
    "--disable-features=HttpsUpgrades,HttpsFirstBalancedMode,MediaRouter,OptimizationHints,"
    "Translate,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,WebUIOmniboxPopup",
    /* A tab that nobody sees runs as fast as one that somebody does. */
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
};

enum { SWITCH_COUNT = sizeof SWITCHES / sizeof *SWITCHES };

/* Arguments: the browser's process group, its folder, the folder of all such folders. */
static const char KEEPER[] =
    "for left in \"$3\"/thresh-browser-*; do\n"
    "  pid=${left##*/thresh-browser-}; pid=${pid%%-*}\n"
    "  [ -O \"$left\" ] && [ ! -d \"/proc/$pid\" ] && rm -rf -- \"$left\"\n"
    "done\n"
    "read -r ended\n"
    "[ \"$ended\" ] || kill -s KILL -- \"-$1\"\n"
    "for try in 1 2 3 4 5 6 7 8 9 10; do\n"
    "  rm -rf -- \"$2\" && break\n"
    "  sleep 0.2\n" /* a process is still writing */
    "done\n";

/* ---- finding it ------------------------------------------------------------------------------ */

/* The program of that name on PATH, or the name itself if it is a path. NULL if there is none. */
static char *find_program(const char *name)
{
    const char *path = getenv("PATH");
    th__buf full = {0};
    struct stat info;
    if (strchr(name, '/'))
        path = "";
    for (bool more = path != NULL; more;) {
        size_t len = strcspn(path, ":");
        th__buf_clear(&full);
        th__buf_printf(&full, "%.*s%s%s", (int)len, path, len ? "/" : "", name);
        if (full.failed)
            break;
        if (stat(full.data, &info) == 0 && S_ISREG(info.st_mode) && access(full.data, X_OK) == 0)
            return full.data;
        more = path[len] == ':';
        path += len + more;
    }
    th__buf_release(&full);
    return NULL;
}

static th_status find_browser(char **out, th_error *err)
{
    const char *given = getenv("THRESH_CHROMIUM");
    *out = NULL;
    if (given && *given) {
        *out = find_program(given);
        return *out ? TH_OK
                    : th__fail(err, TH_ERR_ARGUMENT,
                               "cannot render pages: THRESH_CHROMIUM is \"%.300s\", which is not a "
                               "program",
                               given);
    }
    for (size_t i = 0; !*out && i < sizeof NAMES / sizeof *NAMES; i++)
        *out = find_program(NAMES[i]);
    return *out ? TH_OK
                : th__fail(err, TH_ERR_ARGUMENT,
                           "cannot render pages: Chromium is not installed. On Debian and Ubuntu: "
                           "apt install chromium. Set THRESH_CHROMIUM if it is not on PATH");
}

bool th_can_render(void)
{
    char *program;
    bool found = find_browser(&program, NULL) == TH_OK;
    th__mem_free(program);
    return found;
}

/* ---- starting it ----------------------------------------------------------------------------- */

static const char *temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

static th_status make_folder(th__browser *browser, th_error *err)
{
    th__buf name = {0};
    th__buf_printf(&name, "%s/thresh-browser-%ld-XXXXXX", temporary_folder(), (long)getpid());
    if (name.failed)
        return th__fail_memory(err);
    if (!mkdtemp(name.data)) {
        int why = errno;
        th__buf_release(&name);
        return th__fail(err, TH_ERR_IO, "cannot make a temporary folder in %.300s: %s",
                        temporary_folder(), strerror(why));
    }
    browser->folder = name.data;
    return TH_OK;
}

typedef struct command_line {
    char *program;
    char profile[4096], complaints[4096], home[4096], temporary[4096];
    const char *arguments[SWITCH_COUNT + 4];
    const char **environment;
} command_line;

static bool make_command(const th__browser *browser, command_line *command)
{
    extern char **environ;
    size_t count = 0, at = 0, variables = 0;
    snprintf(command->profile, sizeof command->profile, "--user-data-dir=%s/profile",
             browser->folder);
    snprintf(command->complaints, sizeof command->complaints, "%s/stderr", browser->folder);
    snprintf(command->home, sizeof command->home, "HOME=%s", browser->folder);
    snprintf(command->temporary, sizeof command->temporary, "TMPDIR=%s", browser->folder);
    command->arguments[count++] = command->program;
    for (size_t i = 0; i < SWITCH_COUNT; i++)
        command->arguments[count++] = SWITCHES[i];
    command->arguments[count++] = command->profile;
    if (geteuid() == 0) /* Chromium's sandbox does not run as root */
        command->arguments[count++] = "--no-sandbox";
    command->arguments[count] = NULL;
    while (environ[variables])
        variables++;
    command->environment = TH__NEW_ARRAY(const char *, variables + 4);
    if (!command->environment)
        return false;
    for (size_t i = 0; i < variables; i++)
        if (strncmp(environ[i], "HOME=", 5) != 0 && strncmp(environ[i], "TMPDIR=", 7) != 0 &&
            strncmp(environ[i], "XDG_", 4) != 0 && strncmp(environ[i], "DBUS_SESSION", 12) != 0 &&
            strncmp(environ[i], "DISPLAY=", 8) != 0)
            command->environment[at++] = environ[i];
    command->environment[at++] = command->home;
    command->environment[at++] = command->temporary;
    command->environment[at++] = "DBUS_SESSION_BUS_ADDRESS=disabled:";
    command->environment[at] = NULL;
    return true;
}

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return ok;
}

/* Leaves the network, if the kernel lets us. Anybody but root needs a user namespace for that, in
 * which they stay who they are. */
static void leave_network(const char *users, const char *groups)
{
    if (geteuid() == 0) {
        (void)!unshare(CLONE_NEWNET);
        return;
    }
    /* A user namespace without these maps would leave us as nobody, who cannot open the profile. */
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 &&
        (!write_file("/proc/self/setgroups", "deny") || !write_file("/proc/self/uid_map", users) ||
         !write_file("/proc/self/gid_map", groups)))
        _exit(126);
}

/* Puts `from` at `to` and everything above the last one away. Only what is safe after a fork of a
 * program with threads. */
static void put_descriptors(const int *from, int count)
{
    int high[5];
    for (int i = 0; i < count; i++)
        high[i] = fcntl(from[i], F_DUPFD, 64);
    for (int i = 0; i < count; i++)
        dup2(high[i], i);
    close_range((unsigned)count, ~0U, 0);
}

static void default_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int i = 1; i < 32; i++)
        signal(i, SIG_DFL);
}

static pid_t spawn_browser(const command_line *command, int socket, bool apart)
{
    char users[64], groups[64];
    snprintf(users, sizeof users, "%ld %ld 1\n", (long)geteuid(), (long)geteuid());
    snprintf(groups, sizeof groups, "%ld %ld 1\n", (long)getegid(), (long)getegid());
    pid_t pid = fork();
    if (pid)
        return pid;
    setpgid(0, 0);
    default_signals();
    int null = open("/dev/null", O_RDWR);
    int complaints = open(command->complaints, O_WRONLY | O_CREAT | O_APPEND, 0600);
    put_descriptors((const int[]){null, null, complaints < 0 ? null : complaints, socket, socket},
                    5);
    if (apart)
        leave_network(users, groups);
    execve(command->program, (char *const *)command->arguments,
           (char *const *)command->environment);
    _exit(127);
}

static pid_t spawn_keeper(const th__browser *browser, int pipe_end)
{
    char group[32];
    snprintf(group, sizeof group, "%ld", (long)browser->pid);
    const char *arguments[] = {
        "sh", "-c", KEEPER, "thresh-keeper", group, browser->folder, temporary_folder(), NULL};
    pid_t pid = fork();
    if (pid)
        return pid;
    setsid(); /* an interrupt from the keyboard is not for it */
    default_signals();
    int null = open("/dev/null", O_RDWR);
    put_descriptors((const int[]){pipe_end, null, null}, 3);
    execv("/bin/sh", (char *const *)arguments);
    _exit(127);
}

static th_status spawn(th__browser *browser, const command_line *command, bool apart, th_error *err)
{
    int sockets[2] = {-1, -1}, ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0 &&
        pipe2(ends, O_CLOEXEC) == 0) {
        fcntl(sockets[0], F_SETFL, O_NONBLOCK);
        browser->fd = sockets[0];
        browser->keeper_fd = ends[1];
        browser->pid = spawn_browser(command, sockets[1], apart);
        if (browser->pid > 0) {
            setpgid(browser->pid, browser->pid); /* whichever of us comes first */
            browser->keeper = spawn_keeper(browser, ends[0]);
        }
    }
    int why = errno;
    if (sockets[1] >= 0)
        close(sockets[1]);
    if (ends[0] >= 0)
        close(ends[0]);
    if (browser->pid > 0 && browser->keeper > 0)
        return TH_OK;
    return th__fail(err, TH_ERR_IO, "cannot start %.300s: %s", command->program, strerror(why));
}

th_status th__browser_start(bool apart, th__browser **out, th_error *err)
{
    command_line command = {0};
    th__browser *browser = TH__NEW(th__browser);
    if (!browser)
        return th__fail_memory(err);
    browser->fd = browser->keeper_fd = -1;
    th_status status = find_browser(&command.program, err);
    if (!status)
        status = make_folder(browser, err);
    if (!status && !make_command(browser, &command))
        status = th__fail_memory(err);
    if (!status)
        status = spawn(browser, &command, apart, err);
    th__mem_free(command.program);
    th__mem_free(command.environment);
    if (status) {
        th__browser_free(browser);
        return status;
    }
    *out = browser;
    return TH_OK;
}

void th__browser_free(th__browser *browser)
{
    if (!browser)
        return;
    if (browser->pid > 0) {
        kill(-browser->pid, SIGKILL);
        kill(browser->pid, SIGKILL);
        while (waitpid(browser->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    if (browser->fd >= 0)
        close(browser->fd);
    if (browser->keeper > 0) {
        (void)!write(browser->keeper_fd, "ended\n", 6);
        close(browser->keeper_fd);
        while (waitpid(browser->keeper, NULL, 0) < 0 && errno == EINTR) {
        }
    } else if (browser->folder) {
        rmdir(browser->folder); /* nothing was started */
    }
    th__mem_free(browser->folder);
    th__buf_release(&browser->in);
    th__buf_release(&browser->out);
    th__mem_free(browser);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void flush(th__browser *browser)
{
    while (!browser->ended && browser->out_at < browser->out.len) {
        ssize_t sent = send(browser->fd, browser->out.data + browser->out_at,
                            browser->out.len - browser->out_at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0)
            browser->out_at += (size_t)sent;
        else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        else if (sent < 0 && errno != EINTR)
            browser->ended = true;
    }
    th__buf_clear(&browser->out);
    browser->out_at = 0;
}

static int add_bytes(const char *bytes, size_t len, void *context)
{
    return th__buf_add(context, bytes, len) ? 0 : -1;
}

void th__browser_send(th__browser *browser, json_t *message)
{
    /* Half a message would be read as a part of the next one. */
    if (!message || json_dump_callback(message, add_bytes, &browser->out, JSON_COMPACT) ||
        !th__buf_add_byte(&browser->out, '\0'))
        browser->ended = true;
    json_decref(message);
    flush(browser);
}

static void receive(th__browser *browser)
{
    enum { CHUNK = 256 << 10 };
    while (!browser->ended) {
        if (browser->in.len - browser->in_at > MAX_MESSAGE ||
            !th__buf_reserve(&browser->in, CHUNK)) {
            browser->ended = true;
            return;
        }
        ssize_t got = recv(browser->fd, browser->in.data + browser->in.len, CHUNK, MSG_DONTWAIT);
        if (got > 0)
            browser->in.len += (size_t)got;
        else if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
            browser->ended = true;
        else if (errno != EINTR)
            return;
        if (got > 0 && got < CHUNK)
            return;
    }
}

json_t *th__browser_next(th__browser *browser)
{
    th__buf *in = &browser->in;
    flush(browser);
    for (;;) {
        char *end = in->len > browser->seen
                        ? memchr(in->data + browser->seen, '\0', in->len - browser->seen)
                        : NULL;
        if (!end) {
            size_t before = in->len;
            if (browser->in_at) { /* what has been read goes, so that the buffer stays small */
                memmove(in->data, in->data + browser->in_at, in->len - browser->in_at);
                in->len -= browser->in_at;
                before = in->len;
                browser->in_at = 0;
            }
            browser->seen = in->len;
            receive(browser);
            if (in->len == before)
                return NULL;
            continue;
        }
        const char *start = in->data + browser->in_at;
        json_t *message = json_loadb(start, (size_t)(end - start), JSON_ALLOW_NUL, NULL);
        browser->in_at = browser->seen = (size_t)(end + 1 - in->data);
        if (message) /* jansson refuses half surrogates: nothing that we need has them */
            return message;
    }
}

bool th__browser_ended(const th__browser *browser)
{
    return browser->ended;
}

const char *th__browser_complaint(th__browser *browser)
{
    char path[4096], text[COMPLAINT_LOOK];
    snprintf(path, sizeof path, "%s/stderr", browser->folder);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = 0;
    if (fd >= 0) {
        if (lseek(fd, -(off_t)sizeof text, SEEK_END) < 0)
            lseek(fd, 0, SEEK_SET);
        len = read(fd, text, sizeof text);
        close(fd);
    }
    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        len--;
    ssize_t start = len;
    while (start > 0 && text[start - 1] != '\n')
        start--;
    snprintf(browser->complaint, sizeof browser->complaint, "%.*s",
             len > start ? (int)(len - start) : 0, text + start);
    return browser->complaint;
}

void th__browser_wait(const th__browser *browser, struct curl_waitfd *out)
{
    short writes = browser->out_at < browser->out.len ? CURL_WAIT_POLLOUT : 0;
    *out = (struct curl_waitfd){.fd = browser->fd, .events = (short)(CURL_WAIT_POLLIN | writes)};
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Returns the resident bytes of a process if it is of the group, else 0. */
static uint64_t resident(const char *pid, pid_t group)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (len <= 0)
        return 0;
    text[len] = '\0';
    const char *rest = strrchr(text, ')'); /* a program may be named anything */
    long its_group = 0, pages = 0;
    if (!rest || sscanf(rest, ") %*c %*d %ld", &its_group) != 1 || its_group != group)
        return 0;
    if (sscanf(rest,
               ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %*u "
               "%*u %ld",
               &pages) != 1)
        return 0;
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void th__browser_trim(const th__browser *browser, uint64_t max_bytes)
{
    DIR *folder = opendir("/proc");
    uint64_t most = 0;
    long largest = 0;
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        long pid = strtol(entry->d_name, NULL, 10);
        uint64_t bytes = pid > 1 && pid != browser->pid ? resident(entry->d_name, browser->pid) : 0;
        if (bytes > most) {
            most = bytes;
            largest = pid;
        }
    }
    if (folder)
        closedir(folder);
    if (most > max_bytes)
        kill((pid_t)largest, SIGKILL);
}
