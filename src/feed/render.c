/*
 * render.c: pages drawn by JavaScript.
 *
 * When is a page drawn? Its time is virtual: the browser's clock stops while requests are
 * under way, and jumps to the next timer when there is nothing else to do. So a page that draws
 * itself three seconds late is drawn at once, and on a slow machine as well as on a fast one. A
 * page is drawn when some seconds of its time have passed, it waits for no request, and it has as
 * many elements as half a second of its time earlier:
 *
 *     QUEUED ──▶ OPENING ──▶ WAITING ──time is up──▶ LOOKING ──drawn──▶ TAKING ──▶ DONE
 *                               ▲                      │  │
 *                               ├──give it more time───┘  │
 *                               ├──scroll down────────────┘
 *                               └──answer── MOVED (from any of them)
 *
 * Not loaded, since no records come from them: images (an empty one takes their place), sound,
 * video, fonts, frames, and connections that stay open (WebSocket, WebRTC, event streams).
 * Service workers are not installed.
 *
 * A drawing waits for one reply of the browser at a time; replies to other commands are not needed.
 */
#include "feed/fetch_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <nettle/base64.h>
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
#include "feed/feed.h"

enum {
    MAX_TABS = 4,          /* pages that are drawn at once */
    OPEN_MS = 60000,       /* for the browser to start and open a tab, on a machine under load */
    DRAW_MS = 5000,        /* virtual time that a page has to draw itself */
    MORE_MS = 500,         /* virtual time between two looks */
    SCROLL_MS = 2000,      /* virtual time after scrolling down */
    QUIET_MS = 150,        /* real time without an answer, before a page counts as drawn */
    WORKER_MS = 1500,      /* the same for a page with workers, whose time is not virtual */
    REST_MS = 50,          /* real time between two looks while requests are under way */
    SELECTOR_MS = 250,     /* real time between two looks for the element that is waited for */
    STALL_MS = 10000,      /* real time after which a page that only waits is taken as it is */
    MAX_LOOKS = 6,         /* at a page that keeps growing */
    MAX_DIALOGS = 20,      /* that a page may open */
    MAX_WINDOWS = 20,      /* that a page may open */
    MAX_REQUESTS = 3000,   /* of a page */
    MAX_STARVATION = 1000, /* tasks without a timer after which virtual time goes on anyway */
    PART_CHARS = 1 << 20,  /* of the page in one message */
    TRIM_MS = 500,         /* between two looks at the browser's memory */
    MAX_MESSAGES = 1000,   /* of the browser, before its transfers have their turn again */
    MAX_MESSAGE = 256 << 20,
    COMPLAINT_LOOK = 4096,
};

static const uint64_t MAX_TAB_BYTES = UINT64_C(2) << 30;

/* ---- the browser ----------------------------------------------------------------------------- */

/* The browser as a process, and messages to it and from it:
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

typedef struct th__browser browser_process;

static const char *const NAMES[] = {"chromium", "chromium-browser", "google-chrome"};

/* How the browser is started. In place of NULL come its folder and what root needs. */
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

/* ---- the browser: finding it ----------------------------------------------------------------- */

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

/* ---- the browser: starting it ---------------------------------------------------------------- */

static const char *temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

static th_status make_folder(browser_process *browser, th_error *err)
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

static bool make_command(const browser_process *browser, command_line *command)
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

/* Makes `from` the first descriptors and closes all others. Does only what is safe after a fork in
 * a program with threads. */
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

static pid_t spawn_keeper(const browser_process *browser, int pipe_end)
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

static th_status spawn(browser_process *browser, const command_line *command, bool apart,
                       th_error *err)
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

/* Ends it with all its processes, and removes its folder. */
static void browser_free(browser_process *browser)
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

/* Starts it without waiting for it, in a network namespace of its own if `apart`. */
static th_status browser_start(bool apart, browser_process **out, th_error *err)
{
    command_line command = {0};
    browser_process *browser = TH__NEW(browser_process);
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
        browser_free(browser);
        return status;
    }
    *out = browser;
    return TH_OK;
}

/* ---- the browser: messages ------------------------------------------------------------------- */

static void flush(browser_process *browser)
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

/* Sends a message, which is freed. */
static void browser_send(browser_process *browser, json_t *message)
{
    /* Half a message would be read as a part of the next one. */
    if (!message || json_dump_callback(message, add_bytes, &browser->out, JSON_COMPACT) ||
        !th__buf_add_byte(&browser->out, '\0'))
        browser->ended = true;
    json_decref(message);
    flush(browser);
}

static void receive(browser_process *browser)
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

/* The next message, which the caller frees, or NULL if there is none yet. */
static json_t *browser_next(browser_process *browser)
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

/* The last line that it wrote to standard error, or "". Borrowed until the next call. */
static const char *browser_complaint(browser_process *browser)
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

/* ---- the browser: memory --------------------------------------------------------------------- */

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

/* Ends the largest process that draws pages if it needs more than so many bytes. */
static void browser_trim(const browser_process *browser, uint64_t max_bytes)
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

/* ---- scripts --------------------------------------------------------------------------------- */

/* Runs in each page before its own scripts. There is no network, which pages need not know. */
static const char PRELUDE[] =
    "Object.defineProperty(Navigator.prototype,'onLine',{get:()=>true,configurable:true});"
    "window.open=()=>null;";

/* These run in a world of their own, where a page cannot have changed what functions do. What a
 * page does when it is shown or scrolled, it does with the next frame. */
#define AFTER_FRAMES "await new Promise(r=>requestAnimationFrame(()=>requestAnimationFrame(r)));"

static const char LOOK[] =
    "(async()=>{%sconst e=document.documentElement,w=%s;return{url:document.URL,"
    "found:!w||!!document.querySelector(w),count:document.getElementsByTagName('*').length,"
    "height:e?e.scrollHeight:0}})()";

/* Scrolls the page or, if it does not scroll, the largest element that does. */
static const char SCROLL[] =
    "(async()=>{let s=document.scrollingElement,size=0;if(!s||s.scrollHeight<=s.clientHeight)"
    "for(const e of document.querySelectorAll('body *'))if(e.scrollHeight>e.clientHeight&&"
    "e.clientHeight*e.clientWidth>size&&/auto|scroll/.test(getComputedStyle(e).overflowY))"
    "{s=e;size=e.clientHeight*e.clientWidth}if(s)s.scrollTop=s.scrollHeight;" AFTER_FRAMES "})()";

/* Prepares the page as text, which `part` then gives piece by piece: no half surrogates. */
static const char TAKE[] =
    "(()=>{const d=document,e=d.documentElement,t=((d.doctype?new XMLSerializer()."
    "serializeToString(d.doctype)+'\\n':'')+(e?e.outerHTML:'')).toWellFormed();let at=0;"
    "globalThis.part=n=>{let end=at+n;if((t.charCodeAt(end-1)&0xFC00)==0xD800)end++;"
    "const p=t.slice(at,end);at=end;return p};return{url:d.URL,length:t.length}})()";

/* The smallest image there is: one transparent point. */
static const char PIXEL[] = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

/* ---- drawings -------------------------------------------------------------------------------- */

typedef enum drawing_stage {
    STAGE_QUEUED,
    STAGE_OPENING,
    STAGE_WAITING, /* for virtual time to pass */
    STAGE_RESTING, /* until `resume_at`, and then for more virtual time */
    STAGE_LOOKING,
    STAGE_MOVED,
    STAGE_TAKING,
    STAGE_DONE
} drawing_stage;

/* What the reply to a command brings. */
typedef enum reply_kind {
    REPLY_NONE,
    REPLY_CONTEXT,
    REPLY_TARGET,
    REPLY_SESSION,
    REPLY_READY,
    REPLY_NAVIGATE,
    REPLY_LOOK_WORLD,
    REPLY_LOOK,
    REPLY_SCROLL_WORLD,
    REPLY_SCROLL,
    REPLY_TAKE_WORLD,
    REPLY_TAKE,
    REPLY_PART_WORLD,
    REPLY_PART,
} reply_kind;

typedef struct page_request page_request;
struct page_request {
    page_request *next;
    th__drawing *drawing;
    char *id, *url;
    th__transfer transfer;
    th__buf upload, body;
    uint64_t max_bytes;
};

struct th__drawing {
    th__drawing *next;
    th__renderer *renderer;
    page_request *sent; /* its requests that are under way: some dozens at most */
    drawing_stage stage;
    th__drawing_page page;
    th__buf headers;                  /* of the page's response */
    struct curl_slist *cookies;       /* of the session, as libcurl lists them, or NULL */
    bool loaded;                      /* the browser has the page */
    bool retried;                     /* the browser ended once, and the page was queued again */
    char *context, *target, *session; /* of the browser, when known */
    uint64_t awaited;                 /* the command whose reply is waited for */
    reply_kind awaited_kind;
    char *move_id, *move_url, *move_cookies; /* of a page that wants to move */
    uint64_t deadline, soon; /* when it is given up, and when it is taken as it is */
    uint64_t last_event, last_look, resume_at; /* ms */
    uint64_t last_answer;                      /* ms; 0: none yet */
    bool works;                                /* may have workers */
    uint64_t spent;                            /* virtual ms without a request under way */
    bool expired;                              /* no virtual time is left */
    unsigned in_flight, requests, dialogs, windows, refused, looks, scrolls;
    uint64_t bytes; /* of answers */
    uint64_t count, height, scrolled_count, scrolled_height;
    bool unfinished; /* taken as it was */
    bool stayed;     /* it wanted to move, and was not let: Chromium waits for that for ever */
    char *refused_url;
    const char *refused_kind; /* static */
    th__buf html;
    char *url; /* the final one */
    char *note;
    th_status status;
    th_error error;
};

static bool is_open(const th__drawing *drawing)
{
    return drawing->stage != STAGE_QUEUED && drawing->stage != STAGE_DONE;
}

static uint64_t timeout_of(const th__renderer *renderer)
{
    return renderer->options->timeout_ms ? renderer->options->timeout_ms : 3600 * 1000;
}

/* ---- commands -------------------------------------------------------------------------------- */

/* Sends a command for a drawing; takes params. Commands about targets, contexts and the whole
 * browser are not sent to a page. */
static void command(th__drawing *drawing, reply_kind kind, const char *method, json_t *params)
{
    th__renderer *renderer = drawing->renderer;
    bool whole = !strncmp(method, "Target.", 7) || !strncmp(method, "Browser.", 8) ||
                 !strncmp(method, "Storage.", 8);
    json_t *message = json_pack("{s:I,s:s,s:o}", "id", (json_int_t)++renderer->commands, "method",
                                method, "params", params ? params : json_object());
    if (kind != REPLY_NONE) {
        drawing->awaited = renderer->commands;
        drawing->awaited_kind = kind;
    }
    if (message && !whole && drawing->session)
        json_object_set_new(message, "sessionId", json_string(drawing->session));
    if (renderer->browser)
        browser_send(renderer->browser, message);
    else
        json_decref(message);
}

static void replace(char **text, const char *with)
{
    th__mem_free(*text);
    *text = with ? th__mem_copy(with, strlen(with)) : NULL;
}

static void free_request(page_request *request)
{
    if (request->transfer.easy)
        curl_multi_remove_handle(request->drawing->renderer->multi, request->transfer.easy);
    th__transfer_release(&request->transfer);
    th__buf_release(&request->upload);
    th__buf_release(&request->body);
    th__mem_free(request->id);
    th__mem_free(request->url);
    th__mem_free(request);
}

/* Gives up the requests of a page. */
static void drop_requests(th__drawing *drawing)
{
    for (page_request *request; (request = drawing->sent);) {
        drawing->sent = request->next;
        free_request(request);
    }
    drawing->in_flight = 0;
}

/* Closes the tab. */
static void close_tab(th__drawing *drawing)
{
    if (drawing->context)
        command(drawing, REPLY_NONE, "Target.disposeBrowserContext",
                json_pack("{s:s}", "browserContextId", drawing->context));
    drop_requests(drawing);
    replace(&drawing->context, NULL);
    replace(&drawing->target, NULL);
    replace(&drawing->session, NULL);
    replace(&drawing->move_id, NULL);
}

/* What a user should know about how the page was drawn, or NULL. */
static char *make_note(const th__drawing *drawing)
{
    th__buf note = {0};
    const char *next = "";
    if (drawing->refused) {
        th__buf_printf(&note,
                       "%u request%s of its scripts went to addresses that are not public and %s "
                       "refused (the first: %.200s, %s)",
                       drawing->refused, drawing->refused == 1 ? "" : "s",
                       drawing->refused == 1 ? "was" : "were",
                       drawing->refused_url ? drawing->refused_url : "", drawing->refused_kind);
        next = "; ";
    }
    if (drawing->windows) {
        th__buf_printf(&note, "%sclosed %u window%s that it opened", next, drawing->windows,
                       drawing->windows == 1 ? "" : "s");
        next = "; ";
    }
    if (drawing->dialogs) {
        th__buf_printf(&note, "%sdismissed %u dialog%s", next, drawing->dialogs,
                       drawing->dialogs == 1 ? "" : "s");
        next = "; ";
    }
    if (drawing->stayed) {
        th__buf_printf(&note, "%sdid not follow its scripts to a file that is not a page", next);
        next = "; ";
    }
    if (drawing->unfinished)
        th__buf_printf(&note, "%staken before it was complete, since it did not end loading", next);
    if (note.failed)
        th__buf_release(&note);
    return note.data;
}

static void end(th__drawing *drawing, th_status status)
{
    close_tab(drawing);
    drawing->note = status ? NULL : make_note(drawing);
    drawing->stage = STAGE_DONE;
    drawing->status = status;
}

/* Sends a command that runs a script in the world of ours; two replies: the world, the result. */
static void enter_world(th__drawing *drawing, reply_kind kind)
{
    command(drawing, kind, "Page.createIsolatedWorld",
            json_pack("{s:s,s:s}", "frameId", drawing->target, "worldName", "thresh"));
}

static void evaluate(th__drawing *drawing, reply_kind kind, json_int_t world, const char *script)
{
    command(drawing, kind, "Runtime.evaluate",
            json_pack("{s:s,s:I,s:b,s:b}", "expression", script, "contextId", world,
                      "returnByValue", 1, "awaitPromise", 1));
}

static void look(th__drawing *drawing)
{
    drawing->stage = STAGE_LOOKING;
    drawing->last_look = th__clock_ms();
    enter_world(drawing, REPLY_LOOK_WORLD);
}

static void take(th__drawing *drawing)
{
    drawing->stage = STAGE_TAKING;
    enter_world(drawing, REPLY_TAKE_WORLD);
}

/* Gives the page some virtual time. */
static void give_time(th__drawing *drawing, uint64_t ms)
{
    drawing->stage = STAGE_WAITING;
    drawing->expired = false;
    if (!drawing->in_flight)
        drawing->spent += ms;
    command(drawing, REPLY_NONE, "Emulation.setVirtualTimePolicy",
            json_pack("{s:s,s:I,s:i}", "policy",
                      drawing->stayed ? "advance" : "pauseIfNetworkFetchesPending", "budget",
                      (json_int_t)ms, "maxVirtualTimeTaskStarvationCount", MAX_STARVATION));
}

/* A page has arrived in the tab, the first one or one that it moved to. */
static void begin_waiting(th__drawing *drawing)
{
    drawing->looks = drawing->scrolls = 0;
    drawing->spent = drawing->count = drawing->height = 0;
    drawing->scrolled_count = drawing->scrolled_height = 0;
    give_time(drawing, DRAW_MS);
}

/* ---- opening a tab --------------------------------------------------------------------------- */

static void set_deadline(th__drawing *drawing)
{
    uint64_t now = th__clock_ms(), limit = timeout_of(drawing->renderer);
    drawing->last_event = now;
    drawing->deadline = now + limit;
    drawing->soon = now + limit / 4 * 3;
}

static void open_tab(th__drawing *drawing)
{
    drawing->stage = STAGE_OPENING;
    drawing->loaded = false;
    drawing->deadline = th__clock_ms() + OPEN_MS;
    command(drawing, REPLY_CONTEXT, "Target.createBrowserContext",
            json_pack("{s:b}", "disposeOnDetach", 1));
}

static void create_target(th__drawing *drawing)
{
    command(drawing, REPLY_TARGET, "Target.createTarget",
            json_pack("{s:s,s:s}", "url", "about:blank", "browserContextId", drawing->context));
}

/* A page that its own scripts led to gets a new tab, with the same cookies and storage. In the old
 * one virtual time would not go on: Chromium waits for the request of the page before for ever. */
static void change_tab(th__drawing *drawing)
{
    char *old = drawing->target;
    drawing->target = NULL;
    replace(&drawing->session, NULL);
    replace(&drawing->move_id, NULL);
    drawing->stage = STAGE_OPENING;
    drawing->loaded = false;
    drawing->deadline = th__clock_ms() + OPEN_MS;
    command(drawing, REPLY_NONE, "Target.closeTarget", json_pack("{s:s}", "targetId", old));
    th__mem_free(old);
    create_target(drawing);
}

/* Gives the browser a cookie of the session, as libcurl lists it. */
static void give_cookie(th__drawing *drawing, const char *line)
{
    th_str parts[TH__COOKIE_FIELDS];
    bool http_only = !strncmp(line, "#HttpOnly_", 10);
    if (!th__cookie_split(th_str_from(line + (http_only ? 10 : 0)), parts))
        return;
    th_str domain = parts[TH__COOKIE_DOMAIN], path = parts[TH__COOKIE_PATH];
    th_str name = parts[TH__COOKIE_NAME], value = parts[TH__COOKIE_VALUE];
    /* What came over https does not go over http, whether it says "secure" or not. */
    bool secure = th__str_eq(parts[TH__COOKIE_SECURE], TH_STR("TRUE")) ||
                  !strncmp(drawing->page.url, "https:", 6);
    th__buf url = {0};
    th_str host = th__str_slice(domain, domain.ptr[0] == '.', domain.len);
    th__buf_printf(&url, "http%s://%.*s%.*s", secure ? "s" : "", TH_STR_ARG(host),
                   TH_STR_ARG(path));
    json_t *cookie = url.failed ? NULL
                                : json_pack("{s:s%,s:s%,s:s,s:b,s:b}", "name", name.ptr, name.len,
                                            "value", value.ptr, value.len, "url", url.data,
                                            "secure", secure, "httpOnly", http_only);
    if (cookie && th__str_eq(parts[TH__COOKIE_SUBDOMAINS], TH_STR("TRUE")))
        json_object_set_new(cookie, "domain", json_stringn(domain.ptr, domain.len));
    if (cookie)
        command(drawing, REPLY_NONE, "Storage.setCookies",
                json_pack("{s:[o],s:s}", "cookies", cookie, "browserContextId", drawing->context));
    th__buf_release(&url);
}

/* Prepares the tab. Its process must have taken all this in before the page comes. */
static void prepare(th__drawing *drawing)
{
    command(drawing, REPLY_NONE, "Browser.setDownloadBehavior",
            json_pack("{s:s,s:s}", "behavior", "deny", "browserContextId", drawing->context));
    for (struct curl_slist *cookie = drawing->cookies; cookie; cookie = cookie->next)
        give_cookie(drawing, cookie->data);
    command(drawing, REPLY_NONE, "Page.enable", NULL);
    command(drawing, REPLY_NONE, "Fetch.enable",
            json_pack("{s:[{s:s}]}", "patterns", "urlPattern", "*"));
    command(drawing, REPLY_READY, "Page.addScriptToEvaluateOnNewDocument",
            json_pack("{s:s}", "source", PRELUDE));
}

static void navigate(th__drawing *drawing)
{
    command(
        drawing, REPLY_NAVIGATE, "Page.navigate",
        json_pack("{s:s}", "url", drawing->page.url ? drawing->page.url : "http://page.invalid/"));
}

/* ---- requests of the page, sent by libcurl --------------------------------------------------- */

/* A redirect is an answer like any other: the browser follows it, and asks again. */

/* Takes a body of any type and status, unlike that of a page. */
static size_t on_request_body(char *bytes, size_t size, size_t count, void *context)
{
    page_request *request = context;
    size_t len = size * count;
    bool fits = len <= request->max_bytes - request->body.len;
    return fits && th__buf_add(&request->body, bytes, len) ? len : 0;
}

/* Headers that libcurl writes itself, or that say who the browser is, which servers learn from
 * --user-agent. */
static bool is_own_header(const char *name)
{
    static const char *const own[] = {"Host",       "User-Agent",      "Accept-Encoding",
                                      "Connection", "Content-Length",  "Transfer-Encoding",
                                      "Expect",     "Proxy-Connection"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (th__str_eq_nocase(th_str_from(name), th_str_from(own[i])))
            return true;
    return th__str_starts_nocase(th_str_from(name), TH_STR("sec-ch-"));
}

/* Adds the headers of a request, one per line. Those without a value are written with a semicolon,
 * as libcurl wants them. */
static void add_request_headers(const json_t *headers, th__buf *out)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)headers, name, value)
    {
        const char *text = json_string_value(value);
        if (text && !is_own_header(name) && !strpbrk(text, "\r\n"))
            th__buf_printf(out, *text ? "%s: %s\n" : "%s;%s\n", name, text);
    }
    th__buf_printf(out, "Expect:\n");
}

static bool decode_base64(const char *text, th__buf *out)
{
    struct base64_decode_ctx base64;
    size_t len = strlen(text), room = BASE64_DECODE_LENGTH(len);
    base64_decode_init(&base64);
    if (!th__buf_reserve(out, room) ||
        !base64_decode_update(&base64, &room, (uint8_t *)out->data + out->len, len, text))
        return false;
    out->len += room;
    return base64_decode_final(&base64);
}

/* What the request sends along. The browser leaves out what is very long or a file. */
static bool read_upload(page_request *request, const json_t *described)
{
    json_t *entries = json_object_get(described, "postDataEntries"), *entry;
    size_t i;
    if (!json_is_true(json_object_get(described, "hasPostData")))
        return true;
    json_array_foreach(entries, i, entry)
    {
        const char *bytes = json_string_value(json_object_get(entry, "bytes"));
        if (!bytes || !decode_base64(bytes, &request->upload))
            return false;
    }
    return json_array_size(entries) > 0;
}

static bool set_method(page_request *request, const char *method)
{
    CURL *easy = request->transfer.easy;
    bool ok = true, post = request->upload.len > 0;
    if (!strcmp(method, "HEAD"))
        return !curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    if (post || !strcmp(method, "POST"))
        ok =
            !curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->upload.len) &&
            !curl_easy_setopt(easy, CURLOPT_POSTFIELDS, post ? request->upload.data : "");
    return ok && !curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
}

static void on_answer(void *owner, CURLcode code);

/* Sends it as a page is sent: with what the session has for its site, and the same check of
 * addresses. */
static bool send_request(page_request *request, const json_t *described, uint64_t timeout_ms)
{
    const char *method = json_string_value(json_object_get(described, "method"));
    th__transfer *transfer = &request->transfer;
    th__url_parts parts;
    th__buf site = {0}, headers = {0};
    th_error ignored;
    bool ok = th__url_split(request->url, &parts);
    if (ok)
        th__url_add_site(&parts, &site);
    add_request_headers(json_object_get(described, "headers"), &headers);
    ok = ok && !site.failed && !headers.failed && method &&
         !th__transfer_start(transfer,
                             &(th__request){.url = request->url,
                                            .site = th__buf_str(&site),
                                            .headers = th__buf_str(&headers),
                                            .timeout_ms = (uint32_t)timeout_ms,
                                            .done = on_answer,
                                            .owner = request},
                             &ignored) &&
         set_method(request, method);
    if (ok) {
        curl_easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, on_request_body);
        curl_easy_setopt(transfer->easy, CURLOPT_WRITEDATA, request);
        ok = curl_multi_add_handle(request->drawing->renderer->multi, transfer->easy) == CURLM_OK;
    }
    th__buf_release(&site);
    th__buf_release(&headers);
    th__url_parts_release(&parts);
    return ok;
}

/* Sends a request as the browser describes it. False if that is impossible. */
static bool pass_on(th__drawing *drawing, const char *id, const json_t *described,
                    uint64_t max_bytes, uint64_t timeout_ms)
{
    const th__renderer *renderer = drawing->renderer;
    const char *url = json_string_value(json_object_get(described, "url"));
    page_request *request = url ? TH__NEW(page_request) : NULL;
    if (!request)
        return false;
    request->drawing = drawing;
    request->max_bytes = max_bytes;
    request->transfer = (th__transfer){.options = renderer->options, .session = renderer->session};
    request->id = th__mem_copy(id, strlen(id));
    request->url = th__mem_copy(url, strcspn(url, "#"));
    if (!request->id || !request->url || !read_upload(request, described) ||
        !send_request(request, described, timeout_ms)) {
        free_request(request);
        return false;
    }
    request->next = drawing->sent;
    drawing->sent = request;
    return true;
}

/* ---- answering requests ---------------------------------------------------------------------- */

static json_t *base64_of(th_str bytes)
{
    size_t len = BASE64_ENCODE_RAW_LENGTH(bytes.len);
    char *text = th__mem_alloc(len);
    if (text)
        base64_encode_raw(text, bytes.len, (const uint8_t *)bytes.ptr);
    json_t *encoded = text ? json_stringn_nocheck(text, len) : NULL;
    th__mem_free(text);
    return encoded;
}

static void fail_request(th__drawing *drawing, const char *id, const char *reason)
{
    command(drawing, REPLY_NONE, "Fetch.failRequest",
            json_pack("{s:s,s:s}", "requestId", id, "errorReason", reason));
}

/* Takes the body, which is in base64. */
static void fulfil(th__drawing *drawing, const char *id, long code, th_str headers, json_t *body)
{
    json_t *list = base64_of(headers);
    if (!list || !body) {
        json_decref(list);
        json_decref(body);
        fail_request(drawing, id, "Failed");
        return;
    }
    command(drawing, REPLY_NONE, "Fetch.fulfillRequest",
            json_pack("{s:s,s:I,s:o,s:o}", "requestId", id, "responseCode", (json_int_t)code,
                      "binaryResponseHeaders", list, "body", body));
}

static void give_page(th__drawing *drawing, const char *id)
{
    static const char html[] = "Content-Type: text/html";
    th_str headers = th__buf_str(&drawing->headers);
    drawing->loaded = true;
    set_deadline(drawing);
    fulfil(drawing, id, 200, headers.len ? headers : (th_str){html, sizeof html},
           base64_of(drawing->page.body));
}

/* The headers of a response that a browser may see: "Name: value" and a NUL, one after the other.
 */
static void copy_headers(CURL *easy, th__buf *out)
{
    /* The body comes decoded, in one piece, and over no connection of the browser's. */
    static const char *const left[] = {"Content-Encoding", "Content-Length", "Transfer-Encoding",
                                       "Connection",       "Keep-Alive",     "Alt-Svc"};
    for (struct curl_header *header = NULL;
         (header = curl_easy_nextheader(easy, CURLH_HEADER, -1, header));) {
        bool leave = false;
        for (size_t i = 0; !leave && i < sizeof left / sizeof *left; i++)
            leave = th__str_eq_nocase(th_str_from(header->name), th_str_from(left[i]));
        if (!leave) {
            th__buf_printf(out, "%s: %s", header->name, header->value);
            th__buf_add_byte(out, '\0');
        }
    }
}

/* A request of a page was answered, or failed. */
static void on_answer(void *owner, CURLcode code)
{
    page_request *request = owner, **link = &request->drawing->sent;
    th__drawing *drawing = request->drawing;
    const th__transfer *transfer = &request->transfer;
    const char *refused = transfer->refused_kind;
    th__buf headers = {0};
    th_error ignored;
    while (*link != request)
        link = &(*link)->next;
    *link = request->next;
    th__transfer_end(&request->transfer, code, request->url, &ignored);
    if (code == CURLE_OK)
        copy_headers(transfer->easy, &headers);
    drawing->last_event = drawing->last_answer = th__clock_ms();
    drawing->in_flight -= drawing->in_flight > 0;
    drawing->bytes += request->body.len;
    if (refused && !drawing->refused++) {
        drawing->refused_kind = refused;
        replace(&drawing->refused_url, request->url);
    }
    if (code == CURLE_OK && transfer->status && !headers.failed)
        fulfil(drawing, request->id, transfer->status, th__buf_str(&headers),
               base64_of(th__buf_str(&request->body)));
    else
        fail_request(drawing, request->id, refused ? "AccessDenied" : "ConnectionFailed");
    th__buf_release(&headers);
    free_request(request);
}

/* What a page asks for that is not loaded: the reason, or NULL for what is. */
static const char *unwanted(const char *type, const char *url, const json_t *request)
{
    const char *accept =
        json_string_value(json_object_get(json_object_get(request, "headers"), "Accept"));
    static const char *const types[] = {
        "Media", "Font",     "TextTrack",      "EventSource",
        "Ping",  "Manifest", "SignedExchange", "CSPViolationReport"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(type, types[i]))
            return "BlockedByClient";
    if (accept && !strcmp(accept, "text/event-stream"))
        return "BlockedByClient";
    return th__str_ends_nocase(th_str_from(url), TH_STR("/favicon.ico")) ? "BlockedByClient" : NULL;
}

/* The page wants to become another one. */
static void move(th__drawing *drawing, const char *id, const json_t *request)
{
    const char *url = json_string_value(json_object_get(request, "url"));
    const char *method = json_string_value(json_object_get(request, "method"));
    if (!url || !method || strcmp(method, "GET") != 0 || !th__is_url(url) ||
        drawing->page.offline) {
        fail_request(drawing, id, "Aborted");
        drawing->stayed = true;
        if (drawing->stage == STAGE_WAITING)
            give_time(drawing, DRAW_MS);
        return;
    }
    if (drawing->move_id)
        fail_request(drawing, drawing->move_id, "Aborted");
    replace(&drawing->move_id, id);
    replace(&drawing->move_url, NULL);
    drawing->move_url = th__mem_copy(url, strcspn(url, "#"));
    replace(&drawing->move_cookies,
            json_string_value(json_object_get(json_object_get(request, "headers"), "Cookie")));
    drop_requests(drawing);
    drawing->stage = STAGE_MOVED;
    if (!drawing->move_url || !drawing->move_id)
        end(drawing, th__fail_memory(&drawing->error));
}

static void on_request(th__drawing *drawing, const json_t *params)
{
    const th__renderer *renderer = drawing->renderer;
    const json_t *request = json_object_get(params, "request");
    const char *id = json_string_value(json_object_get(params, "requestId"));
    const char *type = json_string_value(json_object_get(params, "resourceType"));
    const char *frame = json_string_value(json_object_get(params, "frameId"));
    const char *url = json_string_value(json_object_get(request, "url"));
    if (!id || !type || !url || !drawing->target)
        return;
    const char *reason = unwanted(type, url, request);
    uint64_t now = th__clock_ms(), max_bytes = renderer->options->max_bytes;
    bool document = !strcmp(type, "Document");
    if (document && frame && strcmp(frame, drawing->target) != 0)
        fail_request(drawing, id, "Aborted"); /* a frame */
    else if (document && !drawing->loaded)
        give_page(drawing, id);
    else if (document)
        move(drawing, id, request);
    else if (!strcmp(type, "Image"))
        fulfil(drawing, id, 200, (th_str){"Content-Type: image/gif", 24}, json_string(PIXEL));
    else if (!strncmp(url, "data:", 5) || !strncmp(url, "blob:", 5))
        command(drawing, REPLY_NONE, "Fetch.continueRequest", json_pack("{s:s}", "requestId", id));
    else if (reason || !th__is_url(url) || drawing->page.offline)
        fail_request(drawing, id, reason ? reason : "AccessDenied");
    else if (++drawing->requests > MAX_REQUESTS || drawing->bytes >= max_bytes ||
             now >= drawing->deadline ||
             !pass_on(drawing, id, request, max_bytes - drawing->bytes, drawing->deadline - now))
        fail_request(drawing, id, "Failed");
    else
        drawing->in_flight++;
    drawing->works = drawing->works || (!strcmp(type, "Other") && !reason);
}

/* ---- what the page has come to --------------------------------------------------------------- */

static uint64_t number_of(const json_t *object, const char *name)
{
    json_int_t value = (json_int_t)json_number_value(json_object_get(object, name));
    return value > 0 ? (uint64_t)value : 0;
}

static th_status fail_selector(th__drawing *drawing)
{
    const th_feed_options *options = drawing->renderer->options;
    return th__fail(&drawing->error, TH_ERR_NETWORK,
                    "%s: no element matches \"%.200s\" (--wait-for) within %u ms (--timeout)",
                    drawing->page.name, options->render_wait_for, options->timeout_ms);
}

static void scroll(th__drawing *drawing)
{
    drawing->scrolls++;
    drawing->looks = 0;
    drawing->scrolled_count = drawing->count;
    drawing->scrolled_height = drawing->height;
    drawing->stage = STAGE_LOOKING;
    enter_world(drawing, REPLY_SCROLL_WORLD);
}

/* A look at the page: is it drawn? */
static void decide(th__drawing *drawing, const json_t *seen)
{
    const th_feed_options *options = drawing->renderer->options;
    uint64_t count = number_of(seen, "count"), height = number_of(seen, "height");
    bool found = json_is_true(json_object_get(seen, "found")), wants = options->render_wait_for;
    bool same = drawing->looks && count <= drawing->count && height <= drawing->height;
    drawing->count = count;
    drawing->height = height;
    if (!drawing->expired && !(wants && found && drawing->in_flight)) {
        drawing->stage = STAGE_WAITING; /* its time is still running */
        return;
    }
    if (!found && !drawing->in_flight && drawing->spent > timeout_of(drawing->renderer)) {
        end(drawing, fail_selector(drawing));
        return;
    }
    if (drawing->in_flight && !(wants && found)) {
        drawing->stage = STAGE_RESTING;
        drawing->resume_at = th__clock_ms() + REST_MS;
        return;
    }
    drawing->looks++;
    if (!found || (!same && drawing->looks < MAX_LOOKS)) {
        give_time(drawing, MORE_MS);
        return;
    }
    uint64_t quiet = drawing->last_answer + (drawing->works ? WORKER_MS : QUIET_MS);
    if (drawing->last_answer && th__clock_ms() < quiet && !wants) {
        drawing->stage = STAGE_RESTING;
        drawing->resume_at = quiet;
        return;
    }
    bool grown = count > drawing->scrolled_count || height > drawing->scrolled_height;
    if (drawing->scrolls < options->render_scroll && grown)
        scroll(drawing);
    else
        take(drawing);
}

static void end_large(th__drawing *drawing)
{
    end(drawing,
        th__fail(&drawing->error, TH_ERR_LIMIT,
                 "%s: the page is larger than max_bytes allows (%llu) once its scripts have run; "
                 "raise it with --max-bytes",
                 drawing->page.name, (unsigned long long)drawing->renderer->options->max_bytes));
}

/* The page as text is ready to be read. */
static void begin_taking(th__drawing *drawing, const json_t *taken)
{
    const char *url = json_string_value(json_object_get(taken, "url"));
    uint64_t length = number_of(taken, "length"), limit = drawing->renderer->options->max_bytes;
    if (!url || (!th__is_url(url) && length)) {
        end(drawing, th__fail(&drawing->error, TH_ERR_NETWORK,
                              "%s: its scripts lead to %.200s, but only http and https are fetched",
                              drawing->page.name, url ? url : "nowhere"));
        return;
    }
    if (length > limit) {
        end_large(drawing);
        return;
    }
    replace(&drawing->url, NULL);
    if (drawing->page.url)
        drawing->url = th__mem_copy(url, strcspn(url, "#"));
    th__buf_clear(&drawing->html);
    enter_world(drawing, REPLY_PART_WORLD);
}

static void take_part(th__drawing *drawing, const json_t *part)
{
    size_t len = json_string_length(part);
    uint64_t limit = drawing->renderer->options->max_bytes;
    if (!len && json_is_string(part)) {
        end(drawing, TH_OK);
    } else if (!len || !th__buf_add(&drawing->html, json_string_value(part), len)) {
        end(drawing, th__fail_memory(&drawing->error));
    } else if (drawing->html.len > limit) {
        end_large(drawing);
    } else {
        enter_world(drawing, REPLY_PART_WORLD);
    }
}

/* ---- replies and events ---------------------------------------------------------------------- */

static void run_look(th__drawing *drawing, json_int_t world)
{
    const char *selector = drawing->renderer->options->render_wait_for;
    json_t *quoted = selector ? json_string(selector) : json_null();
    char *text = quoted ? json_dumps(quoted, JSON_ENCODE_ANY) : NULL;
    th__buf script = {0};
    if (text)
        /* While its time is stopped for a request, a page gets no frames. */
        th__buf_printf(&script, LOOK, drawing->expired ? AFTER_FRAMES : "", text);
    if (text && !script.failed)
        evaluate(drawing, REPLY_LOOK, world, script.data);
    else
        end(drawing, th__fail(&drawing->error, TH_ERR_ARGUMENT,
                              "--wait-for: the selector is not valid UTF-8"));
    th__buf_release(&script);
    free(text);
    json_decref(quoted);
}

static void run_part(th__drawing *drawing, json_int_t world)
{
    char script[32];
    snprintf(script, sizeof script, "part(%d)", PART_CHARS);
    evaluate(drawing, REPLY_PART, world, script);
}

/* A script of ours failed. The page may have been replaced while it ran. */
static void look_again(th__drawing *drawing)
{
    drawing->stage = STAGE_RESTING;
    drawing->resume_at = th__clock_ms() + REST_MS;
}

static void on_look(th__drawing *drawing, const json_t *result)
{
    const json_t *problem = json_object_get(result, "exceptionDetails");
    const char *class_name =
        json_string_value(json_object_get(json_object_get(problem, "exception"), "className"));
    if (problem && class_name && !strcmp(class_name, "DOMException"))
        end(drawing, th__fail(&drawing->error, TH_ERR_ARGUMENT,
                              "--wait-for: \"%.200s\" is not a CSS selector",
                              drawing->renderer->options->render_wait_for));
    else if (problem)
        look_again(drawing);
    else
        decide(drawing, json_object_get(json_object_get(result, "result"), "value"));
}

static void on_no_tab(th__drawing *drawing, const json_t *error)
{
    const char *why = json_string_value(json_object_get(error, "message"));
    end(drawing, th__fail(&drawing->error, TH_ERR_NETWORK, "%s: Chromium cannot open it: %.200s",
                          drawing->page.name, why ? why : "no reason given"));
}

static void on_navigate(th__drawing *drawing, const json_t *result)
{
    const char *why = json_string_value(json_object_get(result, "errorText"));
    if (why && !drawing->loaded)
        end(drawing, th__fail(&drawing->error, TH_ERR_NETWORK,
                              "%s: Chromium cannot open it: %.200s", drawing->page.name, why));
}

static void on_reply(th__drawing *drawing, reply_kind kind, const json_t *result,
                     const json_t *error)
{
    json_int_t world = json_integer_value(json_object_get(result, "executionContextId"));
    const json_t *value = json_object_get(json_object_get(result, "result"), "value");
    drawing_stage stage = drawing->stage;
    if (error && stage == STAGE_OPENING) {
        on_no_tab(drawing, error);
        return;
    }
    if (error && (stage == STAGE_LOOKING || stage == STAGE_TAKING) && kind >= REPLY_LOOK_WORLD) {
        look_again(drawing);
        return;
    }
    /* What was asked for in an earlier stage is not wanted any more. */
    drawing_stage wanted = kind >= REPLY_TAKE_WORLD   ? STAGE_TAKING
                           : kind >= REPLY_LOOK_WORLD ? STAGE_LOOKING
                                                      : stage;
    if (error || stage != wanted)
        return;
    switch (kind) {
    case REPLY_CONTEXT:
        replace(&drawing->context, json_string_value(json_object_get(result, "browserContextId")));
        create_target(drawing);
        break;
    case REPLY_TARGET:
        replace(&drawing->target, json_string_value(json_object_get(result, "targetId")));
        command(drawing, REPLY_SESSION, "Target.attachToTarget",
                json_pack("{s:s,s:b}", "targetId", drawing->target, "flatten", 1));
        break;
    case REPLY_SESSION:
        replace(&drawing->session, json_string_value(json_object_get(result, "sessionId")));
        prepare(drawing);
        break;
    case REPLY_READY:
        navigate(drawing);
        break;
    case REPLY_NAVIGATE:
        on_navigate(drawing, result);
        break;
    case REPLY_LOOK_WORLD:
        run_look(drawing, world);
        break;
    case REPLY_LOOK:
        on_look(drawing, result);
        break;
    case REPLY_SCROLL_WORLD:
        evaluate(drawing, REPLY_SCROLL, world, SCROLL);
        break;
    case REPLY_SCROLL:
        give_time(drawing, SCROLL_MS);
        break;
    case REPLY_TAKE_WORLD:
        evaluate(drawing, REPLY_TAKE, world, TAKE);
        break;
    case REPLY_TAKE:
        begin_taking(drawing, value);
        break;
    case REPLY_PART_WORLD:
        run_part(drawing, world);
        break;
    case REPLY_PART:
        take_part(drawing, value);
        break;
    case REPLY_NONE:
        break;
    }
}

static void fail_page(th__drawing *drawing, const char *why)
{
    end(drawing,
        th__fail(&drawing->error, TH_ERR_NETWORK, "%s: given up: %s", drawing->page.name, why));
}

static void on_dialog(th__drawing *drawing, const json_t *params)
{
    const char *type = json_string_value(json_object_get(params, "type"));
    bool leaving = type && !strcmp(type, "beforeunload");
    if (++drawing->dialogs > MAX_DIALOGS)
        fail_page(drawing, "it opens one dialog after the other");
    else
        command(drawing, REPLY_NONE, "Page.handleJavaScriptDialog",
                json_pack("{s:b}", "accept", leaving));
}

static void on_arrival(th__drawing *drawing, const json_t *params)
{
    const json_t *frame = json_object_get(params, "frame");
    const char *url = json_string_value(json_object_get(frame, "url"));
    if (json_object_get(frame, "parentId") || !url || !strcmp(url, "about:blank") ||
        drawing->stage == STAGE_MOVED)
        return;
    begin_waiting(drawing);
}

/* An event of a page. */
static void on_page_event(th__drawing *drawing, const char *method, const json_t *params)
{
    drawing->last_event = th__clock_ms();
    if (!strcmp(method, "Fetch.requestPaused")) {
        on_request(drawing, params);
    } else if (!strcmp(method, "Emulation.virtualTimeBudgetExpired")) {
        drawing->expired = true;
        if (drawing->stage == STAGE_WAITING)
            look(drawing);
    } else if (!strcmp(method, "Page.javascriptDialogOpening")) {
        on_dialog(drawing, params);
    } else if (!strcmp(method, "Page.frameNavigated")) {
        on_arrival(drawing, params);
    }
}

/* An event about targets: windows that pages open, and tabs that are lost. */
static void on_target_event(th__renderer *renderer, const char *method, const json_t *params)
{
    const json_t *info = json_object_get(params, "targetInfo");
    const char *id = json_string_value(json_object_get(info ? info : params, "targetId"));
    const char *context = json_string_value(json_object_get(info, "browserContextId"));
    for (th__drawing *drawing = renderer->first; id && drawing; drawing = drawing->next) {
        if (!is_open(drawing) || !drawing->target)
            continue;
        bool own = !strcmp(drawing->target, id);
        if (own && !strcmp(method, "Target.targetCrashed")) {
            fail_page(drawing, "its tab crashed, or needed too much memory");
        } else if (own && !strcmp(method, "Target.targetDestroyed")) {
            fail_page(drawing, "it closed its own window");
        } else if (!own && !strcmp(method, "Target.targetCreated") && context &&
                   !strcmp(context, drawing->context) &&
                   !strcmp(json_string_value(json_object_get(info, "type")), "page")) {
            command(drawing, REPLY_NONE, "Target.closeTarget", json_pack("{s:s}", "targetId", id));
            if (++drawing->windows > MAX_WINDOWS)
                fail_page(drawing, "it opens one window after the other");
        }
    }
}

static void on_message(th__renderer *renderer, const json_t *message)
{
    json_int_t id = json_integer_value(json_object_get(message, "id"));
    const char *method = json_string_value(json_object_get(message, "method"));
    const char *session = json_string_value(json_object_get(message, "sessionId"));
    const json_t *params = json_object_get(message, "params");
    th__drawing *drawing = renderer->first;
    renderer->answered = true;
    if (method && !session) {
        on_target_event(renderer, method, params);
        return;
    }
    while (drawing && (method ? !drawing->session || strcmp(drawing->session, session) != 0
                              : drawing->awaited != (uint64_t)id))
        drawing = drawing->next;
    if (!drawing || !is_open(drawing))
        return;
    if (method)
        on_page_event(drawing, method, params);
    else
        on_reply(drawing, drawing->awaited_kind, json_object_get(message, "result"),
                 json_object_get(message, "error"));
}

/* ---- the browser's life ---------------------------------------------------------------------- */

static void start_browser(th__renderer *renderer)
{
    renderer->broken = browser_start(!renderer->plain, &renderer->browser, &renderer->breakdown);
    renderer->answered = false;
    if (!renderer->broken)
        browser_send(renderer->browser,
                     json_pack("{s:i,s:s,s:{s:b}}", "id", 0, "method", "Target.setDiscoverTargets",
                               "params", "discover", 1));
}

/* The browser is gone. A page that was in it may have been the reason, or not: each gets a second
 * chance. A browser that has never said anything gets one without its namespace. */
static void end_browser(th__renderer *renderer)
{
    th_error why;
    const char *complaint = browser_complaint(renderer->browser);
    bool started = renderer->answered, again = started || !renderer->plain;
    th__fail(&why, TH_ERR_NETWORK, "Chromium %s%s%s",
             started ? "ended unexpectedly" : "cannot be started", *complaint ? ": " : "",
             complaint);
    browser_free(renderer->browser);
    renderer->browser = NULL;
    renderer->plain = renderer->plain || !started;
    if (!again) {
        renderer->broken = TH_ERR_NETWORK;
        renderer->breakdown = why;
    }
    for (th__drawing *drawing = renderer->first; drawing; drawing = drawing->next) {
        if (!is_open(drawing))
            continue;
        replace(&drawing->context, NULL);
        if (again && !drawing->retried && drawing->stage != STAGE_MOVED) {
            close_tab(drawing);
            drawing->retried = started;
            drawing->stage = STAGE_QUEUED;
        } else {
            end(drawing, th__fail(&drawing->error, TH_ERR_NETWORK, "%s: cannot be rendered: %s",
                                  drawing->page.name, why.message));
        }
    }
}

static void open_tabs(th__renderer *renderer)
{
    unsigned open = 0;
    for (const th__drawing *drawing = renderer->first; drawing; drawing = drawing->next)
        open += is_open(drawing);
    for (th__drawing *drawing = renderer->first; drawing; drawing = drawing->next) {
        if (drawing->stage != STAGE_QUEUED || open >= MAX_TABS)
            continue;
        if (!renderer->browser && !renderer->broken)
            start_browser(renderer);
        if (renderer->broken) {
            drawing->error = renderer->breakdown;
            end(drawing, renderer->broken);
            continue;
        }
        open_tab(drawing);
        open++;
    }
}

static void give_up(th__drawing *drawing)
{
    const th_feed_options *options = drawing->renderer->options;
    if (!drawing->loaded)
        end(drawing, th__fail(&drawing->error, TH_ERR_NETWORK,
                              "%s: Chromium has not opened a tab within %d ms", drawing->page.name,
                              OPEN_MS));
    else if (options->render_wait_for &&
             (drawing->stage == STAGE_WAITING || drawing->stage == STAGE_RESTING))
        end(drawing, fail_selector(drawing));
    else
        end(drawing, th__fail(&drawing->error, TH_ERR_NETWORK,
                              "%s: took too long to be drawn: its scripts do not end (limit: %u "
                              "ms, --timeout)",
                              drawing->page.name, options->timeout_ms));
}

static void keep_time(th__drawing *drawing, uint64_t now)
{
    bool waits = drawing->stage == STAGE_WAITING || drawing->stage == STAGE_RESTING;
    bool wants = drawing->renderer->options->render_wait_for != NULL;
    uint64_t stall = timeout_of(drawing->renderer) / 3;
    stall = stall < STALL_MS ? stall : STALL_MS;
    if (drawing->stage == STAGE_MOVED)
        return;
    if (now >= drawing->deadline) {
        give_up(drawing);
    } else if (!wants && drawing->loaded &&
               ((waits && now - drawing->last_event > stall) ||
                (now >= drawing->soon && drawing->stage != STAGE_TAKING))) {
        drawing->unfinished = true;
        take(drawing);
    } else if (drawing->stage == STAGE_RESTING && now >= drawing->resume_at) {
        give_time(drawing, MORE_MS);
    } else if (drawing->stage == STAGE_WAITING && wants && now - drawing->last_look > SELECTOR_MS) {
        look(drawing);
    }
}

uint64_t th__renderer_step(th__renderer *renderer, struct curl_waitfd *wait)
{
    enum { TICK_MS = 50 };
    json_t *message = NULL;
    bool open = false;
    open_tabs(renderer);
    for (unsigned i = 0;
         i < MAX_MESSAGES && renderer->browser && (message = browser_next(renderer->browser));
         i++) {
        on_message(renderer, message);
        json_decref(message);
    }
    if (renderer->browser && renderer->browser->ended)
        end_browser(renderer);
    uint64_t now = th__clock_ms();
    for (th__drawing *drawing = renderer->first; drawing; drawing = drawing->next) {
        if (is_open(drawing))
            keep_time(drawing, now);
        open = open || is_open(drawing);
    }
    if (open && renderer->browser && now - renderer->trimmed > TRIM_MS) {
        renderer->trimmed = now;
        browser_trim(renderer->browser, MAX_TAB_BYTES);
    }
    open_tabs(renderer);
    const browser_process *browser = renderer->browser;
    short writes = browser && browser->out_at < browser->out.len ? CURL_WAIT_POLLOUT : 0;
    *wait = (struct curl_waitfd){.fd = browser ? browser->fd : -1,
                                 .events = (short)(CURL_WAIT_POLLIN | writes)};
    return message ? 0 : open ? TICK_MS : UINT64_MAX;
}

/* ---- for the fetcher ------------------------------------------------------------------------- */

void th__renderer_release(th__renderer *renderer)
{
    browser_free(renderer->browser);
    renderer->browser = NULL;
}

/* Takes a page over: what it came with is copied. */
static void set_page(th__drawing *drawing, const th__drawing_page *page)
{
    th__buf_release(&drawing->headers);
    curl_slist_free_all(drawing->cookies);
    drawing->cookies = NULL;
    drawing->page = *page;
    if (page->easy) {
        copy_headers(page->easy, &drawing->headers);
        curl_easy_getinfo(page->easy, CURLINFO_COOKIELIST, &drawing->cookies);
    } else if (page->type.len) {
        th__buf_printf(&drawing->headers, "Content-Type: %.*s", TH_STR_ARG(page->type));
        th__buf_add_byte(&drawing->headers, '\0');
    }
    drawing->page.easy = NULL;
}

/* The page that a drawing moved to cannot be fetched: it goes on with the page that it has. */
static void stay(th__drawing *drawing)
{
    set_deadline(drawing);
    drawing->page.body = TH_STR("");
    drawing->page.url = drawing->page.name;
    drawing->retried = true; /* the page is not at hand any more */
    drawing->stayed = true;
    if (drawing->move_id)
        fail_request(drawing, drawing->move_id, "Aborted");
    replace(&drawing->move_id, NULL);
    give_time(drawing, DRAW_MS);
}

th_status th__renderer_draw(th__renderer *renderer, const th__drawing_page *page,
                            th__drawing **drawing, th_error *err)
{
    if (*drawing && page) {
        set_page(*drawing, page);
        (*drawing)->retried = true; /* cookies of the page before would be missing */
        (*drawing)->stayed = false;
        change_tab(*drawing);
        return TH_OK;
    }
    if (*drawing) {
        stay(*drawing);
        return TH_OK;
    }
    th__drawing **last = &renderer->first;
    *drawing = TH__NEW(th__drawing);
    if (!*drawing)
        return th__fail_memory(err);
    (*drawing)->renderer = renderer;
    set_page(*drawing, page);
    while (*last)
        last = &(*last)->next;
    *last = *drawing;
    return TH_OK;
}

void th__drawing_free(th__drawing *drawing)
{
    if (!drawing)
        return;
    th__drawing **link = &drawing->renderer->first;
    while (*link != drawing)
        link = &(*link)->next;
    *link = drawing->next;
    close_tab(drawing);
    th__buf_release(&drawing->headers);
    curl_slist_free_all(drawing->cookies);
    th__mem_free(drawing->move_url);
    th__mem_free(drawing->move_cookies);
    th__mem_free(drawing->refused_url);
    th__mem_free(drawing->url);
    th__mem_free(drawing->note);
    th__buf_release(&drawing->html);
    th__mem_free(drawing);
}

th__drawing_view th__drawing_look(th__drawing *drawing)
{
    return (th__drawing_view){.moved = drawing->stage == STAGE_MOVED,
                              .done = drawing->stage == STAGE_DONE,
                              .to = drawing->move_url,
                              .cookies = drawing->move_cookies,
                              .status = drawing->status,
                              .error = &drawing->error,
                              .html = &drawing->html,
                              .url = drawing->url,
                              .note = &drawing->note};
}
