/*
 * cmd_mcp.c: `thresh mcp`: a server of the Model Context Protocol on standard input and output.
 *
 * Standard output has messages of the protocol and nothing else. The session is in mcp_session.h,
 * its tools are in mcp_tools.h.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mcp_session.h"
#include "run.h"

typedef struct settings {
    const char *root;
    bool read_only, offline;
    uint64_t most_records, most_bytes, most_pages;
} settings;

#define FIELD(name) offsetof(settings, name)

static const cli_option mcp_options[] = {
    {"root", 0, CLI_FILE, "DIR",
     "the folder whose files the tools may read and write\n"
     "(default: the current folder)",
     FIELD(root)},
    {"read-only", 0, CLI_FLAG, NULL, "write no wrapper files", FIELD(read_only)},
    {"offline", 0, CLI_FLAG, NULL, "fetch no URLs", FIELD(offline)},
    {"answer-records", 0, CLI_COUNT, "N", "records of an answer at most (default 200)",
     FIELD(most_records), .least = 1, .most = 1000000},
    {"answer-bytes", 0, CLI_SIZE, "SIZE",
     "size of an answer's records at most; accepts K and M\n(default 64K)", FIELD(most_bytes),
     .least = 1024, .most = UINT64_C(1) << 30},
    {"answer-pages", 0, CLI_COUNT, "N", "pages that one call reads at most (default 500)",
     FIELD(most_pages), .least = 1, .most = 1000000},
};

static const cli_group mcp_group = CLI_GROUP("Tools", mcp_options, true);
static const cli_group *const groups[] = {&mcp_group, &cli_fetch_group, &cli_common_group, NULL};

static th_status write_all(void *context, const char *bytes, size_t len, th_error *err)
{
    while (len) {
        ssize_t done = write(STDOUT_FILENO, bytes, len);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return TH_ERR_IO;
        bytes += done;
        len -= (size_t)done;
    }
    return TH_OK;
}

/* Makes the path of an option absolute: it is seen from where we were started, not from the root.
 */
static const char *from_here(const char *here, const char *path, char *out, size_t size)
{
    if (!path || *path == '/')
        return path;
    snprintf(out, size, "%s/%s", here, path);
    return out;
}

static int converse(cli_run *run, const mcp_settings *set)
{
    enum { CHUNK = 65536 };
    mcp_session *session = NULL;
    th_error err;
    ssize_t got = 0;
    char *chunk = malloc(CHUNK);
    th_status status = chunk ? TH_OK : cli_no_memory(&err);
    if (!status)
        status = mcp_session_new(set, (th_sink){write_all, NULL}, false, &session, &err);
    do {
        if (!status)
            got = read(STDIN_FILENO, chunk, CHUNK);
    } while (!status && ((got < 0 && errno == EINTR) ||
                         (got > 0 && mcp_session_feed(session, chunk, (size_t)got))));
    if (!status && got == 0)
        mcp_session_finish(session);
    else if (!status && got < 0)
        cli_error(run, (th_str){0}, "cannot read standard input: %s", strerror(errno));
    mcp_session_free(session);
    free(chunk);
    return cli_run_end(run, status, &err);
}

static int run_mcp(cli_run *run)
{
    const settings *own = run->own;
    char root[PATH_MAX], here[PATH_MAX], jar[2 * PATH_MAX], site[2 * PATH_MAX], warc[2 * PATH_MAX],
        cache[2 * PATH_MAX];
    mcp_settings set = {.root = root,
                        .read_only = own->read_only,
                        .offline = own->offline,
                        .most_records = own->most_records ? own->most_records : 200,
                        .most_bytes = own->most_bytes ? own->most_bytes : 64 << 10,
                        .most_pages = own->most_pages ? own->most_pages : 500};
    if (run->operand_count)
        return cli_usage_error(run->command, "mcp takes no inputs: its client names them");
    if (!getcwd(here, sizeof here) || !realpath(own->root ? own->root : ".", root) || chdir(root)) {
        cli_error(run, th_str_from(own->root ? own->root : "."),
                  "cannot be used as the folder of the tools (--root): %s", strerror(errno));
        return cli_run_end(run, TH_OK, NULL);
    }
    cli_feed_options(run, &set.feeding);
    set.feeding.cookie_jar = from_here(here, set.feeding.cookie_jar, jar, sizeof jar);
    set.feeding.site_file = from_here(here, set.feeding.site_file, site, sizeof site);
    set.feeding.warc = from_here(here, set.feeding.warc, warc, sizeof warc);
    set.feeding.cache = from_here(here, set.feeding.cache, cache, sizeof cache);
    cli_parser_options(run, &set.parsing);
    if (isatty(STDIN_FILENO))
        cli_note(run, (th_str){0},
                 "waiting for messages of the Model Context Protocol on standard input; programs "
                 "that talk to language models start this command. Ctrl-D ends it");
    return converse(run, &set);
}

static const char *const examples[] = {"thresh mcp --root pages",
                                       "thresh mcp --read-only --answer-bytes 16K", NULL};

const cli_command cli_mcp = {
    .name = "mcp",
    .operands = "",
    .summary = "serve language models: records, learn, extract, verify",
    .about = "Serves the Model Context Protocol on standard input and output, for programs that "
             "give tools to\n"
             "language models. The tools are records, learn, extract and verify. They read files "
             "of one folder\n"
             "and fetch URLs; private addresses are refused, as everywhere. Answers are bounded.\n",
    .examples = examples,
    .options = groups,
    .own_size = sizeof(settings),
    .run = run_mcp,
};
