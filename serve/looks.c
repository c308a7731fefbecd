/*
 * looks.c: bringing along what pages look with: their style sheets, images and fonts.
 *
 * What a page refers to is what its look asks for (page_look.c), with a finder that notes each
 * reference instead of finding it. Sheets refer to more, so it goes in rounds. Where it comes from:
 *
 *     pages of URLs       fetched, under the same rules as pages, but for the pause between two
 *     pages of archives   records of the same archives
 *     pages of files      files beside them, below the input that the page is of
 *
 * What is missing, not allowed or too slow is left out: the page looks plainer without it.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "look_address.h"
#include "page_look.h"
#include "routes.h"
#include "serve.h"

enum {
    ROUNDS = 4,             /* a page's, its sheets', those of sheets that they import, ... */
    MOST_PAGES = 2000,      /* that are looked at: an archive may have millions */
    MOST_PER_PAGE = 300,    /* references of a page, and of a sheet */
    MOST = 4000,            /* all that is fetched for one job */
    LARGEST = 6 << 20,      /* one of them */
    MOST_BYTES = 256 << 20, /* together */
    SECONDS = 20,           /* for fetching, */
    SECONDS_PER_PAGE = 2,   /* with so much more for each page, */
    MOST_SECONDS = 240,     /* and at most so much */
    PAUSE_MS = 20,          /* between two from one host */
    ONE_TRY_MS = 10000,
    LARGEST_ARCHIVE = 1 << 30 /* is read again for what its pages look with */
};

/* Where what is wanted is looked for. */
enum { FROM_WEB, FROM_ARCHIVES, SOURCES };

struct serve_looks {
    th_project *project;
    char *site;
    th_feed_options fetching;
    char **inputs;
    size_t input_count;
    json_t *wanted[SOURCES]; /* by address: what for, a serve_css_use */
    json_t *known;           /* addresses that were looked for already */
    json_t *archives;        /* by name */
    th_reader archive;       /* reads them, if there is one */
    uint64_t pages, added, bytes;
    int64_t deadline; /* in ms; 0: none yet */
};

/* What is being looked at: the references of one page or sheet. */
typedef struct gathering {
    serve_looks *looks;
    serve_look_base base;
    int from; /* FROM_..., or SOURCES for files */
    th_str root;
    unsigned count, depth;
} gathering;

static bool is_over(void *context)
{
    const serve_looks *looks = context;
    const th_cancel *cancel = &looks->fetching.cancel;
    return (looks->deadline && serve_now_ms() >= looks->deadline) ||
           (cancel->asked && cancel->asked(cancel->context));
}

/* ---- what is wanted -------------------------------------------------------------------------- */

static bool fits(const char *type, serve_css_use use)
{
    return type && (use == SERVE_CSS_IMPORT ? !strcmp(type, "text/css")
                    : use == SERVE_CSS_FONT ? !strncmp(type, "font/", 5)
                                            : !strncmp(type, "image/", 6));
}

static void gather_sheet(gathering *parent, th_str address, th_str bytes);

/* Keeps what came for an address, when it is what it was wanted for; of a sheet, what it refers to
 * is wanted too. */
static void keep(gathering *g, th_str address, th_str bytes, serve_css_use use)
{
    serve_looks *looks = g->looks;
    const char *type = th_asset_type(bytes);
    bool added = false;
    if (!bytes.len || bytes.len > LARGEST || looks->bytes > MOST_BYTES || !fits(type, use) ||
        th_project_add_asset(looks->project, th_str_from(looks->site), address, bytes, NULL, &added,
                             NULL))
        return;
    looks->added += added;
    looks->bytes += bytes.len;
    if (use == SERVE_CSS_IMPORT)
        gather_sheet(g, address, bytes);
}

/* Returns true the first time that an address is asked for. */
static bool is_news(serve_looks *looks, const char *address)
{
    if (json_object_get(looks->known, address))
        return false;
    return !json_object_set_new(looks->known, address, json_true());
}

static void want_url(gathering *g, th_str reference, serve_css_use use)
{
    serve_looks *looks = g->looks;
    th_text url = {0};
    int64_t id;
    char *address = NULL;
    if (serve_look_url(&g->base, reference, &url))
        address = strndup(url.ptr, url.len);
    if (address && json_object_size(looks->known) < MOST && is_news(looks, address) &&
        th_project_find_asset(looks->project, th_str_from(looks->site), th_str_from(address), &id,
                              NULL) == TH_DONE)
        json_object_set_new(looks->wanted[g->from], address, json_integer(use));
    free(address);
    th_text_release(&url);
}

/* The bytes of a plain file below a folder, wherever links lead; caller frees. The name is as seen
 * from here, or `from_root` from the folder. */
static char *read_below(th_str root, const char *name, bool from_root, size_t *len)
{
    char path[PATH_MAX], *bytes = NULL;
    char *folder = strndup(root.ptr, root.len), *real_root = folder ? realpath(folder, NULL) : NULL;
    int path_len = snprintf(path, sizeof path, "%s%s%s", from_root && real_root ? real_root : "",
                            from_root && real_root ? "/" : "", name);
    char *real = path_len < (int)sizeof path ? realpath(path, NULL) : NULL;
    size_t root_len = real_root ? strlen(real_root) : 0;
    struct stat info;
    int fd = -1;
    if (root_len > 1 && real && !strncmp(real, real_root, root_len) && real[root_len] == '/')
        fd = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd >= 0 && !fstat(fd, &info) && S_ISREG(info.st_mode) && info.st_size <= LARGEST &&
        (bytes = malloc((size_t)info.st_size + 1))) {
        ssize_t got = read(fd, bytes, (size_t)info.st_size);
        *len = got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        close(fd);
    free(folder);
    free(real_root);
    free(real);
    return bytes;
}

/* A file beside a saved page. Its name in the page may be escaped or not. */
static void take_file(gathering *g, th_str reference, serve_css_use use)
{
    serve_text name = {0};
    bool found = false;
    for (int decoded = 1; !found && decoded >= 0; decoded--) {
        size_t len = 0;
        if (!serve_look_file(&g->base, reference, decoded, &name) || !is_news(g->looks, name.ptr))
            continue;
        char *bytes = read_below(g->root, name.ptr, reference.len && *reference.ptr == '/', &len);
        found = bytes != NULL;
        if (found)
            keep(g, (th_str){name.ptr, name.len}, (th_str){bytes, len}, use);
        free(bytes);
    }
    serve_text_release(&name);
}

/* A finder that notes what it is asked for. It says that it has it: the first of several images to
 * choose from is enough. */
static bool note(void *context, th_str url, serve_css_use use, serve_text *out)
{
    gathering *g = context;
    const char *end = memchr(url.ptr, '?', url.len);
    size_t len = end ? (size_t)(end - url.ptr) : url.len;
    bool old_font = use == SERVE_CSS_FONT && len > 4 &&
                    (!strncasecmp(url.ptr + len - 4, ".eot", 4) || memchr(url.ptr, '#', url.len));
    if (old_font || g->count >= MOST_PER_PAGE)
        return false;
    g->count++;
    if (g->from == SOURCES)
        take_file(g, url, use);
    else
        want_url(g, url, use);
    return true;
}

static void gather_sheet(gathering *parent, th_str address, th_str bytes)
{
    serve_text made = {0};
    gathering g = {.looks = parent->looks,
                   .base = {NULL, address},
                   .from = parent->from,
                   .root = parent->root,
                   .depth = parent->depth + 1};
    if (g.depth > ROUNDS)
        return;
    serve_css(bytes, SERVE_CSS_SHEET, &(serve_css_names){note, &g}, &made);
    serve_text_release(&made);
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* The folder that files of a page may be in: the input that it was found in, else its own. */
static th_str root_of(const serve_looks *looks, th_str file)
{
    th_str root = {0};
    for (size_t i = 0; i < looks->input_count; i++) {
        size_t len = strlen(looks->inputs[i]);
        while (len > 1 && looks->inputs[i][len - 1] == '/')
            len--;
        if (len > root.len && len < file.len && !memcmp(file.ptr, looks->inputs[i], len) &&
            file.ptr[len] == '/')
            root = (th_str){looks->inputs[i], len};
    }
    if (root.ptr)
        return root;
    const char *slash = memrchr(file.ptr, '/', file.len);
    return slash == file.ptr ? th_str_from("/")
           : slash           ? (th_str){file.ptr, (size_t)(slash - file.ptr)}
                             : th_str_from(".");
}

static bool is_full(const serve_looks *looks)
{
    return looks->pages >= MOST_PAGES || json_object_size(looks->known) >= MOST;
}

void serve_looks_add(serve_looks *looks, const th_page *page, const th_input *input)
{
    serve_text made = {0};
    th_str file = th_input_file(input), name = th_input_name(input);
    bool inside = file.len != th_input_origin(input).len;
    gathering g = {.looks = looks, .base = {page, name}};
    g.from = serve_is_url(file) ? FROM_WEB : inside ? FROM_ARCHIVES : SOURCES;
    if (is_full(looks) || (g.from == SOURCES && file.len == 1 && *file.ptr == '-'))
        return; /* standard input has nothing beside it */
    if (g.from == SOURCES)
        g.root = root_of(looks, file);
    if (g.from == FROM_ARCHIVES)
        json_object_setn_new(looks->archives, file.ptr, file.len, json_true());
    looks->pages++;
    serve_page_look(page, &(serve_css_names){note, &g}, &made);
    serve_text_release(&made);
}

void serve_looks_read(serve_looks *looks, const th_input *input)
{
    th_parser *parser = NULL;
    th_page *page = NULL;
    th_page_source source;
    th_input_source(input, &source);
    if (looks && !is_full(looks) && !th_parser_new(NULL, &parser, NULL) &&
        !th_parser_parse(parser, th_input_bytes(input), &source, &page, NULL))
        serve_looks_add(looks, page, input);
    th_page_free(page);
    th_parser_free(parser);
}

/* ---- from elsewhere -------------------------------------------------------------------------- */

/* Reads a feed and keeps what is wanted. */
static void read_feed(serve_looks *looks, int from, json_t *wanted, const char **names,
                      size_t count)
{
    th_feed_options options = looks->fetching;
    th_feed *feed = NULL;
    options.size = sizeof options;
    options.any_type = true;
    options.files_only = true;
    options.render = false;
    options.max_bytes = from == FROM_WEB ? LARGEST : options.max_bytes;
    options.timeout_ms = options.timeout_ms < ONE_TRY_MS ? options.timeout_ms : ONE_TRY_MS;
    options.host_delay_ms = options.host_delay_ms < PAUSE_MS ? options.host_delay_ms : PAUSE_MS;
    options.retries = options.retries < 1 ? options.retries : 1;
    options.max_wait_ms = 2000;
    options.skip = NULL;
    options.split = options.split_of = 0;
    /* a secret in a header goes to the site of the first URL, which may be any site here */
    options.headers = NULL;
    options.header_count = 0;
    options.cancel = (th_cancel){is_over, looks};
    th_feed_part part = {names[0], 0, UINT64_MAX, looks->archive};
    if (from == FROM_ARCHIVES && looks->archive.read
            ? th_feed_parts(&part, 1, &options, &feed, NULL)
            : th_feed_new(names, count, &options, &feed, NULL))
        return;
    for (th_status status = TH_OK; status != TH_DONE && !is_over(looks);) {
        th_input *input = NULL;
        status = th_feed_next(feed, &input, NULL);
        if (status == TH_ERR_CANCELLED || status == TH_ERR_MEMORY)
            break;
        if (status)
            continue;
        th_str name = th_input_name(input);
        json_t *use = json_object_getn(wanted, name.ptr, name.len);
        gathering g = {.looks = looks, .base = {NULL, name}, .from = from};
        if (use)
            keep(&g, name, th_input_bytes(input), (serve_css_use)json_integer_value(use));
        th_input_free(input);
    }
    th_feed_free(feed);
}

/* Sheets first: without them the rest is of little use. */
static size_t names_of(json_t *wanted, const char **names)
{
    const char *name;
    json_t *use;
    size_t count = 0;
    for (int turn = 0; turn < 2; turn++)
        json_object_foreach(wanted, name, use) if ((json_integer_value(use) == SERVE_CSS_IMPORT) ==
                                                   !turn) names[count++] = name;
    return count;
}

static void fetch_wanted(serve_looks *looks, json_t *wanted)
{
    const char **names = calloc(json_object_size(wanted) + 1, sizeof *names);
    if (names)
        read_feed(looks, FROM_WEB, wanted, names, names_of(wanted, names));
    free(names);
}

static void read_archives(serve_looks *looks, json_t *wanted)
{
    const char *name;
    json_t *value;
    struct stat info;
    json_object_foreach(looks->archives, name, value)
    {
        if (looks->archive.read ||
            (!stat(name, &info) && S_ISREG(info.st_mode) && info.st_size <= LARGEST_ARCHIVE))
            read_feed(looks, FROM_ARCHIVES, wanted, &name, 1);
    }
}

uint64_t serve_looks_finish(serve_looks *looks)
{
    if (!looks)
        return 0;
    uint64_t seconds = SECONDS + SECONDS_PER_PAGE * looks->pages;
    looks->deadline =
        serve_now_ms() + 1000 * (int64_t)(seconds < MOST_SECONDS ? seconds : MOST_SECONDS);
    for (int round = 0; round < ROUNDS && !is_over(looks); round++)
        for (int from = 0; from < SOURCES; from++) {
            json_t *wanted = looks->wanted[from];
            looks->wanted[from] = json_object();
            if (from == FROM_WEB && json_object_size(wanted))
                fetch_wanted(looks, wanted);
            else if (json_object_size(wanted))
                read_archives(looks, wanted);
            json_decref(wanted);
        }
    return looks->added;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

serve_looks *serve_looks_new(th_project *project, th_str site, const th_feed_options *fetching,
                             const char *const *inputs, size_t count)
{
    serve_looks *looks = calloc(1, sizeof *looks);
    if (!looks)
        return NULL;
    looks->project = project;
    looks->site = strndup(site.ptr, site.len);
    looks->inputs = calloc(count + 1, sizeof *looks->inputs);
    th_feed_options_init(&looks->fetching);
    if (fetching)
        looks->fetching = *fetching;
    for (size_t i = 0; looks->inputs && i < count; i++)
        if ((looks->inputs[looks->input_count] = strdup(inputs[i])))
            looks->input_count++;
    for (int from = 0; from < SOURCES; from++)
        looks->wanted[from] = json_object();
    looks->known = json_object();
    looks->archives = json_object();
    if (looks->site && looks->inputs)
        return looks;
    serve_looks_free(looks);
    return NULL;
}

void serve_looks_set_archive(serve_looks *looks, const th_reader *reader)
{
    if (looks)
        looks->archive = *reader;
}

void serve_looks_free(serve_looks *looks)
{
    if (!looks)
        return;
    for (size_t i = 0; i < looks->input_count; i++)
        free(looks->inputs[i]);
    free(looks->inputs);
    free(looks->site);
    for (int from = 0; from < SOURCES; from++)
        json_decref(looks->wanted[from]);
    json_decref(looks->known);
    json_decref(looks->archives);
    free(looks);
}
