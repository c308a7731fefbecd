/*
 * feed.c: where pages come from.
 *
 *     inputs ──walk──▶ leaves ──▶ ahead (a short queue; URLs in it are being fetched)
 *                                   │ first one
 *                                   ▼
 *                      file or stdin ──▶ page | archive ──▶ page, page, ...
 */
#include "feed/feed.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/vec.h"
#include "feed/archive.h"
#include "feed/fetch.h"

enum {
    MAX_LIST_DEPTH = 16,        /* lists inside lists */
    MAX_LISTS = 100000,         /* lists opened in all: each may name many others */
    MAX_FOLDER_DEPTH = 256,     /* folders inside folders */
    MAX_LIST_BYTES = 256 << 20, /* of one list */
    AHEAD_PER_FETCH = 4,        /* leaves looked ahead for each parallel fetch */
    MAX_AHEAD = 256,
    SLOTS_PER_JOB = 2, /* results that wait for their turn */
    MAX_JOBS = 1024,
};

/* No limit in practice, and sums with it do not overflow. */
static const uint64_t MOST_BYTES = UINT64_MAX / 4;

/* ---- pages ----------------------------------------------------------------------------------- */

static th_str put_text(char **at, th_str text)
{
    if (!text.ptr)
        return text;
    char *start = *at;
    if (text.len)
        memcpy(start, text.ptr, text.len);
    *at += text.len;
    return (th_str){start, text.len};
}

th_status th__input_new(th_str name, th_str origin, th_str url, th_str charset, th_input **out,
                        th_error *err)
{
    th_input *input =
        th__mem_alloc(sizeof *input + name.len + origin.len + url.len + charset.len + 1);
    if (!input)
        return th__fail_memory(err);
    char *at = input->text;
    input->data = input->note = NULL;
    input->bytes = TH_STR("");
    input->name = put_text(&at, name);
    input->origin = put_text(&at, origin);
    input->url = put_text(&at, url);
    input->charset = put_text(&at, charset);
    input->file_len = origin.len;
    input->offset = input->offset_inside = 0;
    *out = input;
    return TH_OK;
}

void th__input_give(th_input *input, th__buf *buf, size_t start)
{
    input->data = buf->data;
    input->bytes = th__buf_str(buf);
    input->bytes.ptr += start;
    input->bytes.len -= start;
    *buf = (th__buf){0};
}

th_status th_input_new(th_str name, const th_page_source *source, th_str bytes, th_input **out,
                       th_error *err)
{
    th_page_source none = {0};
    th__buf copy = {0};
    *out = NULL;
    if (!source)
        source = &none;
    if (!th__buf_add_str(&copy, bytes))
        return th__fail_memory(err);
    th_status status = th__input_new(name, name, source->url, source->charset, out, err);
    if (!status)
        th__input_give(*out, &copy, 0);
    th__buf_release(&copy);
    return status;
}

void th_input_free(th_input *input)
{
    if (!input)
        return;
    th__mem_free(input->data);
    th__mem_free(input->note);
    th__mem_free(input);
}

th_str th_input_note(const th_input *input)
{
    return th_str_from(input->note);
}

th_str th_input_name(const th_input *input)
{
    return input->name;
}

th_str th_input_origin(const th_input *input)
{
    return input->origin;
}

th_str th_input_file(const th_input *input)
{
    return (th_str){input->origin.ptr, input->file_len};
}

uint64_t th_input_offset(const th_input *input)
{
    return input->offset;
}

uint64_t th_input_offset_inside(const th_input *input)
{
    return input->offset_inside;
}

th_str th_input_bytes(const th_input *input)
{
    return input->bytes;
}

th_str th_input_url(const th_input *input)
{
    return input->url;
}

th_str th_input_charset(const th_input *input)
{
    return input->charset;
}

void th_input_source(const th_input *input, th_page_source *out)
{
    *out = (th_page_source){.url = input->url, .charset = input->charset};
}

/* ---- options --------------------------------------------------------------------------------- */

static const th_feed_options feed_defaults = {
    .max_redirects = 10,
    .timeout_ms = 30000,
    .connect_timeout_ms = 10000,
    .max_bytes = 256 << 20,
    .parallel = 8,
    .host_delay_ms = 500,
    .stdin_name = "-",
    .retries = 3,
    .retry_wait_ms = 1000,
    .max_wait_ms = 120000,
};

void th_feed_options_defaults(th_feed_options *options, size_t size)
{
    th__options_give(options, size, &feed_defaults, sizeof feed_defaults);
}

bool th__is_url(const char *input)
{
    th_str text = th_str_from(input);
    return th__str_starts_nocase(text, TH_STR("http://")) ||
           th__str_starts_nocase(text, TH_STR("https://"));
}

/* The sum of the files' sizes, or 0 where an input is anything else. */
static uint64_t total_size(const char *const *inputs, size_t count)
{
    uint64_t total = 0;
    struct stat info;
    for (size_t i = 0; i < count; i++) {
        if (th__is_url(inputs[i]) || inputs[i][0] == '@' || stat(inputs[i], &info) != 0)
            return 0;
        if (!S_ISREG(info.st_mode))
            return 0;
        total += (uint64_t)info.st_size;
    }
    return total;
}

/* A copy of a text in the arena; absent stays absent. False if out of memory. */
static bool own_text(th__arena *arena, const char **text)
{
    return !*text || (*text = th__arena_copy(arena, th_str_from(*text)).ptr);
}

static bool own_headers(th__arena *arena, th_feed_options *own)
{
    const char **headers =
        th__arena_keep(arena, own->headers, own->header_count, sizeof *own->headers);
    own->headers = headers;
    for (size_t i = 0; headers && i < own->header_count; i++)
        if (!own_text(arena, &headers[i]))
            return false;
    return headers != NULL;
}

bool th__feed_options_copy(const th_feed_options *given, th__arena *arena, th_feed_options *own)
{
    *own = feed_defaults;
    th__options_take(own, sizeof *own, given);
    const char *agent = own->user_agent ? own->user_agent : "thresh/" THRESH_VERSION;
    const char *name = own->stdin_name ? own->stdin_name : "-";
    own->user_agent = th__arena_copy(arena, th_str_from(agent)).ptr;
    own->stdin_name = th__arena_copy(arena, th_str_from(name)).ptr;
    if (own->parallel == 0)
        own->parallel = 1;
    if (own->max_bytes > MOST_BYTES)
        own->max_bytes = MOST_BYTES;
    return own->user_agent && own->stdin_name && own_headers(arena, own) &&
           own_text(arena, &own->cookie_jar) && own_text(arena, &own->proxy) &&
           own_text(arena, &own->site_file) && own_text(arena, &own->cache) &&
           own_text(arena, &own->warc) && own_text(arena, &own->render_wait_for);
}

/* ---- the walk -------------------------------------------------------------------------------- */

/*
 * Opens folders and lists, so that what is left are files, URLs and standard input.
 *
 *     inputs ──▶ frame: arguments
 *                  └─ frame: @list        one line after the other
 *                       └─ frame: folder  names in byte order, so that every machine has the same
 *                            └─ frame: folder ...
 */

typedef enum leaf_kind { LEAF_FILE, LEAF_STDIN, LEAF_URL } leaf_kind;

typedef struct walk_entry {
    leaf_kind kind;
    char *name;              /* heap; a usable path, a URL, or "-" */
    uint64_t start, end;     /* the part of a file; end is 0 for all of it */
    const th_reader *reader; /* reads the file, or NULL; borrowed */
} walk_entry;

typedef enum frame_kind { FRAME_ARGUMENTS, FRAME_LIST, FRAME_FOLDER } frame_kind;

typedef struct walk_frame {
    frame_kind kind;
    char *path;            /* of the folder, or of the list's folder; "" for the arguments */
    TH__VEC(char *) names; /* arguments, or what the folder holds */
    size_t next;
    th__buf text; /* the list, NUL-terminated lines */
    unsigned line;
    uint64_t device, inode; /* of the list */
    bool root;              /* a folder that was asked for by name */
    size_t pages;           /* found below it */
} walk_frame;

typedef struct input_walk {
    TH__VEC(walk_frame *) frames;
    th__intern folders; /* seen, by device and inode, so that loops of links end */
    unsigned lists;     /* opened so far */
    bool used_stdin;
    const th_feed_options *options; /* borrowed */
} input_walk;

static void free_frame(walk_frame *frame)
{
    if (!frame)
        return;
    for (size_t i = 0; i < frame->names.len; i++)
        th__mem_free(frame->names.data[i]);
    th__vec_release(&frame->names);
    th__buf_release(&frame->text);
    th__mem_free(frame->path);
    th__mem_free(frame);
}

static walk_frame *push_frame(input_walk *walk, frame_kind kind, th_str path)
{
    walk_frame *frame = TH__NEW(walk_frame);
    if (!frame)
        return NULL;
    frame->kind = kind;
    frame->path = th__mem_copy(path.ptr, path.len);
    if (!frame->path || !th__vec_push(&walk->frames, frame)) {
        free_frame(frame);
        return NULL;
    }
    return frame;
}

static void pop_frame(input_walk *walk)
{
    free_frame(walk->frames.data[--walk->frames.len]);
}

static bool add_name(walk_frame *frame, const char *name)
{
    char *copy = th__mem_copy(name, strlen(name));
    if (copy && th__vec_push(&frame->names, copy))
        return true;
    th__mem_free(copy);
    return false;
}

static void walk_release(input_walk *walk)
{
    while (walk->frames.len)
        pop_frame(walk);
    th__vec_release(&walk->frames);
    th__intern_release(&walk->folders);
}

static th_status walk_init(input_walk *walk, const char *const *inputs, size_t count, th_error *err)
{
    *walk = (input_walk){0};
    th__intern_init(&walk->folders);
    walk_frame *frame = push_frame(walk, FRAME_ARGUMENTS, TH_STR(""));
    bool ok = frame != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = add_name(frame, inputs[i]);
    if (ok)
        return TH_OK;
    walk_release(walk);
    return th__fail_memory(err);
}

/* ---- the walk: folders ----------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Notes a folder; *new_one is false when it was seen before. False if out of memory. */
static bool note_folder(input_walk *walk, const struct stat *info, bool *new_one)
{
    uint64_t key[2] = {(uint64_t)info->st_dev, (uint64_t)info->st_ino};
    uint32_t before = walk->folders.len;
    uint32_t id = th__intern_add(&walk->folders, (th_str){(const char *)key, sizeof key});
    *new_one = id == before;
    return id != TH__INTERN_NONE;
}

static th_status read_names(walk_frame *frame, th_error *err)
{
    DIR *folder = opendir(frame->path);
    if (!folder)
        return th__fail(err, TH_ERR_IO, "%s: the folder cannot be read: %s", frame->path,
                        strerror(errno));
    th_status status = TH_OK;
    for (struct dirent *entry; status == TH_OK && (errno = 0, entry = readdir(folder));)
        if (entry->d_name[0] != '.' && !add_name(frame, entry->d_name))
            status = th__fail_memory(err);
    if (status == TH_OK && errno)
        status = th__fail(err, TH_ERR_IO, "%s: the folder cannot be read: %s", frame->path,
                          strerror(errno));
    closedir(folder);
    if (frame->names.len)
        qsort(frame->names.data, frame->names.len, sizeof *frame->names.data, by_name);
    return status;
}

static th_status open_folder(input_walk *walk, const char *path, const struct stat *info, bool root,
                             th_error *err)
{
    bool new_one;
    if (root) { /* a folder named twice is read twice */
        th__intern_release(&walk->folders);
        th__intern_init(&walk->folders);
    }
    if (walk->frames.len > MAX_FOLDER_DEPTH)
        return th__fail(err, TH_ERR_LIMIT, "%s: folders nest deeper than %d here", path,
                        MAX_FOLDER_DEPTH);
    if (!note_folder(walk, info, &new_one))
        return th__fail_memory(err);
    if (!new_one)
        return TH_OK;
    walk_frame *frame = push_frame(walk, FRAME_FOLDER, th_str_from(path));
    if (!frame)
        return th__fail_memory(err);
    frame->root = root;
    th_status status = read_names(frame, err);
    if (status)
        pop_frame(walk);
    return status;
}

static th_status close_folder(input_walk *walk, th_error *err)
{
    walk_frame *frame = walk->frames.data[walk->frames.len - 1];
    th_status status = TH_OK;
    if (frame->root && frame->pages == 0)
        status = th__fail(err, TH_ERR_FORMAT,
                          "%s: the folder has no pages: no file is named like one (.html, .htm, "
                          ".warc, ...) or begins with HTML",
                          frame->path);
    if (!frame->root)
        walk->frames.data[walk->frames.len - 2]->pages += frame->pages;
    pop_frame(walk);
    return status;
}

static th_status join(th_str folder, const char *name, char **out, th_error *err)
{
    th__buf path = {0};
    bool slash = folder.len && folder.ptr[folder.len - 1] != '/';
    th__buf_add_str(&path, folder);
    if (slash)
        th__buf_add_byte(&path, '/');
    th__buf_add(&path, name, strlen(name) + 1);
    if (path.failed) {
        th__buf_release(&path);
        return th__fail_memory(err);
    }
    *out = path.data;
    return TH_OK;
}

/* One name of a folder: TH_OK with a leaf, or TH_DONE when it gives none itself. */
static th_status visit(input_walk *walk, walk_frame *frame, const char *name, walk_entry *out,
                       th_error *err)
{
    char *path = NULL;
    struct stat info;
    th_status status = join(th_str_from(frame->path), name, &path, err);
    if (status)
        return status;
    th__file_kind kind = TH__FILE_OTHER;
    bool there = stat(path, &info) == 0;
    if (there && S_ISDIR(info.st_mode))
        status = open_folder(walk, path, &info, false, err);
    else if (!there || S_ISREG(info.st_mode)) /* a link that leads nowhere may be meant as a page */
        status =
            th__file_look(path, there && info.st_size > 0, walk->options->files_only, &kind, err);
    if (kind != TH__FILE_OTHER) {
        frame->pages++;
        *out = (walk_entry){LEAF_FILE, path};
        return TH_OK;
    }
    th__mem_free(path);
    return status ? status : TH_DONE;
}

/* ---- the walk: lists ------------------------------------------------------------------------- */

static th_status read_list(const input_walk *walk, const char *path, th__buf *text, th_error *err)
{
    th_status status = th__read_file(path, MAX_LIST_BYTES, walk->options, text, err);
    if (status == TH_ERR_LIMIT)
        return th__fail(err, TH_ERR_LIMIT, "%s: the list is larger than %d MiB; split it", path,
                        MAX_LIST_BYTES >> 20);
    if (status)
        return status;
    if (!th__buf_add_byte(text, '\0'))
        return th__fail_memory(err);
    text->len--;
    const char *nul = memchr(text->data, '\0', text->len);
    if (nul)
        return th__fail_at(err, TH_ERR_FORMAT, (uint64_t)(nul - text->data),
                           "%s: the list has a NUL byte at %zu; it must be plain text in UTF-8",
                           path, (size_t)(nul - text->data));
    return TH_OK;
}

static th_status check_list(input_walk *walk, const char *path, const struct stat *info,
                            th_error *err)
{
    unsigned depth = 0;
    for (size_t i = 0; i < walk->frames.len; i++) {
        const walk_frame *frame = walk->frames.data[i];
        depth += frame->kind == FRAME_LIST;
        if (info && frame->kind == FRAME_LIST && frame->inode == (uint64_t)info->st_ino &&
            frame->device == (uint64_t)info->st_dev)
            return th__fail(err, TH_ERR_FORMAT, "@%s: the list names itself", path);
    }
    if (depth >= MAX_LIST_DEPTH)
        return th__fail(err, TH_ERR_LIMIT, "@%s: lists nest deeper than %d here", path,
                        MAX_LIST_DEPTH);
    if (walk->lists++ >= MAX_LISTS)
        return th__fail(err, TH_ERR_LIMIT, "@%s: more than %d lists are named", path, MAX_LISTS);
    return TH_OK;
}

static th_status refuse_stdin(const char *name, th_error *err)
{
    return th__fail(err, TH_ERR_ARGUMENT, "%s: standard input cannot be read here", name);
}

static th_status open_list(input_walk *walk, const char *path, th_error *err)
{
    struct stat info;
    bool from_stdin = !strcmp(path, "-");
    if (from_stdin && walk->options->files_only)
        return refuse_stdin("@-", err);
    if (from_stdin && walk->used_stdin)
        return th__fail(err, TH_ERR_ARGUMENT, "@-: standard input can be read only once");
    walk->used_stdin |= from_stdin;
    bool known =
        (from_stdin ? fstat(STDIN_FILENO, &info) : stat(path, &info)) == 0 && S_ISREG(info.st_mode);
    th_status status = check_list(walk, path, known ? &info : NULL, err);
    if (status)
        return status;
    const char *slash = from_stdin ? NULL : strrchr(path, '/');
    walk_frame *frame =
        push_frame(walk, FRAME_LIST, (th_str){path, slash ? (size_t)(slash - path) + 1 : 0});
    if (!frame)
        return th__fail_memory(err);
    frame->device = known ? (uint64_t)info.st_dev : 0;
    frame->inode = known ? (uint64_t)info.st_ino : 0;
    status = read_list(walk, path, &frame->text, err);
    if (status)
        pop_frame(walk);
    return status;
}

/* The next line that names an input, NUL-terminated in place. */
static char *next_line(walk_frame *frame)
{
    while (frame->next < frame->text.len) {
        char *start = frame->text.data + frame->next;
        size_t left = frame->text.len - frame->next;
        char *end = memchr(start, '\n', left);
        size_t len = end ? (size_t)(end - start) : left;
        frame->next += len + 1;
        frame->line++;
        if (frame->line == 1 && len >= 3 && !memcmp(start, "\xEF\xBB\xBF", 3))
            start += 3, len -= 3; /* a byte order mark */
        th_str line = th__str_trim((th_str){start, len});
        if (line.len == 0 || line.ptr[0] == '#')
            continue;
        start[line.ptr - start + (ptrdiff_t)line.len] = '\0';
        return start + (line.ptr - start);
    }
    return NULL;
}

/* ---- the walk: inputs ------------------------------------------------------------------------ */

/* One input as a user writes it. TH_OK with a leaf, or TH_DONE when it gives none itself. */
static th_status open_input(input_walk *walk, const char *input, th_str folder, walk_entry *out,
                            th_error *err)
{
    struct stat info;
    leaf_kind kind = LEAF_FILE;
    th_str base = {0};
    if (input[0] == '\0')
        return th__fail(err, TH_ERR_ARGUMENT, "an input is empty: give a file, a folder or a URL");
    if (!strcmp(input, "-")) {
        if (walk->options->files_only)
            return refuse_stdin("-", err);
        if (walk->used_stdin)
            return th__fail(err, TH_ERR_ARGUMENT, "-: standard input can be read only once");
        walk->used_stdin = true;
        kind = LEAF_STDIN;
    } else if (th__is_url(input)) {
        kind = LEAF_URL;
    } else {
        bool list = input[0] == '@' && input[1];
        bool relative = input[list] != '/' && strcmp(input + list, "-");
        char *path = NULL;
        th_status status = join(relative ? folder : base, input + list, &path, err);
        if (status)
            return status;
        if (list)
            status = open_list(walk, path, err);
        else if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
            status = open_folder(walk, path, &info, true, err);
        else
            return *out = (walk_entry){LEAF_FILE, path}, TH_OK;
        th__mem_free(path);
        return status ? status : TH_DONE;
    }
    char *name = NULL;
    th_status status = join(base, input, &name, err);
    if (status == TH_OK)
        *out = (walk_entry){kind, name};
    return status;
}

/* TH_OK with a leaf whose name the caller frees, TH_DONE, or an error for one input. */
static th_status walk_next(input_walk *walk, walk_entry *out, th_error *err)
{
    while (walk->frames.len) {
        walk_frame *frame = walk->frames.data[walk->frames.len - 1];
        th_status status;
        char *input = NULL;
        if ((status = th__cancel_check(&walk->options->cancel, err)))
            return status;
        if (frame->kind == FRAME_LIST)
            input = next_line(frame);
        else if (frame->next < frame->names.len)
            input = frame->names.data[frame->next++];
        if (!input && frame->kind == FRAME_FOLDER) {
            status = close_folder(walk, err);
            status = status ? status : TH_DONE;
        } else if (!input) {
            pop_frame(walk);
            continue;
        } else if (frame->kind == FRAME_FOLDER) {
            status = visit(walk, frame, input, out, err);
        } else {
            status = open_input(walk, input, th_str_from(frame->path), out, err);
        }
        if (status != TH_DONE)
            return status;
    }
    return TH_DONE;
}

/* ---- the feed -------------------------------------------------------------------------------- */

/* A leaf in the queue. */
typedef struct ahead_leaf {
    walk_entry leaf;   /* leaf.name is NULL for an error */
    th__fetch *fetch;  /* of a URL, or NULL */
    th_status status;  /* of the walk, when it failed here */
    th_error *problem; /* heap; may be NULL for lack of memory */
} ahead_leaf;

struct th_feed {
    th_feed_options options;
    th__arena arena;     /* the options' strings */
    th_feed_source from; /* pages from elsewhere, when from.next is there: all else is unused */
    input_walk walk;
    bool walked;
    uint64_t leaves;     /* that the walk gave so far: they are dealt out to splits in turn */
    th_feed_part *parts; /* are read in place of inputs; the names are in the arena */
    size_t part_at, part_count;

    ahead_leaf *ahead; /* a ring */
    size_t ahead_at, ahead_len, ahead_cap;
    th__fetcher *fetcher; /* NULL until a URL is met */

    th_feed_source archive; /* reads the file that is open; all zero until there is one */

    _Atomic uint64_t bytes_read, records_skipped;
    uint64_t bytes_total;
};

static bool make_queue(th_feed *feed)
{
    uint32_t parallel = feed->options.parallel;
    feed->ahead_cap =
        parallel < MAX_AHEAD / AHEAD_PER_FETCH ? parallel * AHEAD_PER_FETCH : MAX_AHEAD;
    feed->ahead = TH__NEW_ARRAY(ahead_leaf, feed->ahead_cap);
    return feed->ahead != NULL;
}

th_status th_feed_new(const char *const *inputs, size_t count, const th_feed_options *options,
                      th_feed **out, th_error *err)
{
    th_feed *feed = TH__NEW(th_feed);
    if (!feed)
        return th__fail_memory(err);
    th__arena_init(&feed->arena);
    bool ok = th__feed_options_copy(options, &feed->arena, &feed->options) && make_queue(feed);
    th_status status = ok ? TH_OK : th__fail_memory(err);
    if (status == TH_OK && feed->options.split_of && feed->options.split >= feed->options.split_of)
        status = th__fail(err, TH_ERR_ARGUMENT, "part %u of %u: parts are counted from 0",
                          feed->options.split, feed->options.split_of);
    /* What is wrong with these is said once, and not for each URL. */
    const th_feed_options *own = &feed->options;
    if (status == TH_OK && (own->header_count || own->cookie_jar || own->proxy || own->site_file ||
                            own->cache || own->warc))
        status = th__fetcher_new(own, &feed->fetcher, err);
    if (status == TH_OK)
        status = walk_init(&feed->walk, inputs, count, err);
    if (status) {
        th_feed_free(feed);
        return status;
    }
    feed->walk.options = &feed->options;
    feed->bytes_total = total_size(inputs, count);
    *out = feed;
    return TH_OK;
}

th_status th_feed_from(const th_feed_source *source, th_feed **out, th_error *err)
{
    th_status status = th_feed_new(NULL, 0, NULL, out, err);
    if (!status)
        (*out)->from = *source;
    else if (source->release)
        source->release(source->context);
    return status;
}

static void release_readers(const th_feed_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (parts[i].reader.read && parts[i].reader.release)
            parts[i].reader.release(parts[i].reader.context);
}

th_status th_feed_parts(const th_feed_part *parts, size_t count, const th_feed_options *options,
                        th_feed **out, th_error *err)
{
    th_feed *feed = NULL;
    th_status status = th_feed_new(NULL, 0, options, &feed, err);
    if (!status && count && !(feed->parts = TH__NEW_ARRAY(th_feed_part, count)))
        status = th__fail_memory(err);
    for (size_t i = 0; !status && i < count; i++) {
        feed->parts[i] = parts[i];
        feed->parts[i].name = th__arena_copy(&feed->arena, th_str_from(parts[i].name)).ptr;
        if (!feed->parts[i].name)
            status = th__fail_memory(err);
        else if (parts[i].start >= parts[i].end)
            status = th__fail(err, TH_ERR_ARGUMENT, "%s: a part from byte %llu to %llu is empty",
                              parts[i].name, (unsigned long long)parts[i].start,
                              (unsigned long long)parts[i].end);
    }
    if (status) {
        release_readers(parts, count);
        th_feed_free(feed);
        return status;
    }
    feed->part_count = count;
    *out = feed;
    return TH_OK;
}

static void release_ahead(ahead_leaf *item)
{
    th__mem_free(item->leaf.name);
    th__mem_free(item->problem);
}

void th_feed_free(th_feed *feed)
{
    if (!feed)
        return;
    if (feed->from.release)
        feed->from.release(feed->from.context);
    if (feed->archive.release)
        feed->archive.release(feed->archive.context);
    for (; feed->ahead_len; feed->ahead_len--) {
        release_ahead(&feed->ahead[feed->ahead_at]);
        feed->ahead_at = (feed->ahead_at + 1) % feed->ahead_cap;
    }
    th__fetcher_free(feed->fetcher);
    release_readers(feed->parts, feed->part_count);
    th__mem_free(feed->parts);
    th__mem_free(feed->ahead);
    walk_release(&feed->walk);
    th__arena_release(&feed->arena);
    th__mem_free(feed);
}

/* ---- the queue ------------------------------------------------------------------------------- */

th_status th__feed_fetcher(th_feed *feed, th__fetcher **out, th_error *err)
{
    th_status status = feed->fetcher ? TH_OK : th__fetcher_new(&feed->options, &feed->fetcher, err);
    *out = feed->fetcher;
    return status;
}

static th_status queue_fetch(th_feed *feed, ahead_leaf *item, th_error *err)
{
    th__fetcher *fetcher;
    th_status status = th__feed_fetcher(feed, &fetcher, err);
    if (status == TH_OK)
        status = th__fetcher_add(fetcher, item->leaf.name, &item->fetch, err);
    return status;
}

/* The bytes of a file that belong to part `number` of `count`. */
static void cut(uint64_t size, uint32_t number, uint32_t count, walk_entry *leaf)
{
    leaf->start = size / count * number + size % count * number / count;
    leaf->end = number + 1 == count
                    ? UINT64_MAX
                    : size / count * (number + 1) + size % count * (number + 1) / count;
}

/* Returns true if whoever made the feed does not want the leaf, or its part. */
static bool is_left_out(const th_feed *feed, walk_entry *leaf)
{
    const th_feed_options *options = &feed->options;
    if (!options->skip)
        return false;
    bool skip = options->skip(options->skip_context, leaf->name, &leaf->start);
    if (leaf->start && !leaf->end)
        leaf->end = UINT64_MAX;
    return skip || (leaf->end && leaf->start >= leaf->end);
}

/* Returns true if some of a leaf belongs to the split, and sets which part of it. */
static bool is_mine(th_feed *feed, walk_entry *leaf)
{
    uint32_t number = feed->options.split, count = feed->options.split_of;
    uint64_t turn = feed->leaves++;
    struct stat info;
    th__file_kind kind;
    if (count < 2)
        return !is_left_out(feed, leaf);
    th__file_look(leaf->name, false, false, &kind, NULL);
    if (leaf->kind != LEAF_FILE || kind != TH__FILE_ARCHIVE || stat(leaf->name, &info) != 0 ||
        !S_ISREG(info.st_mode))
        return turn % count == number && !is_left_out(feed, leaf);
    cut((uint64_t)info.st_size, number, count, leaf);
    return leaf->start < leaf->end && !is_left_out(feed, leaf);
}

/* The next part, or leaf of the walk. */
static th_status next_leaf(th_feed *feed, walk_entry *out, th_error *err)
{
    if (feed->part_count) {
        if (feed->part_at == feed->part_count)
            return TH_DONE;
        const th_feed_part *part = &feed->parts[feed->part_at++];
        *out = (walk_entry){.kind = LEAF_FILE,
                            .name = th__mem_copy(part->name, strlen(part->name)),
                            .start = part->start,
                            .end = part->end,
                            .reader = part->reader.read ? &part->reader : NULL};
        return out->name ? TH_OK : th__fail_memory(err);
    }
    for (;;) {
        th_status status = walk_next(&feed->walk, out, err);
        if (status || is_mine(feed, out))
            return status;
        th__mem_free(out->name);
    }
}

/* Fills the queue. An error takes its place in the queue like a page. */
static void look_ahead(th_feed *feed)
{
    while (!feed->walked && feed->ahead_len < feed->ahead_cap) {
        ahead_leaf item = {0};
        th_error problem;
        item.status = next_leaf(feed, &item.leaf, &problem);
        if (item.status == TH_DONE) {
            feed->walked = true;
            return;
        }
        if (item.status == TH_OK && item.leaf.kind == LEAF_URL)
            item.status = queue_fetch(feed, &item, &problem);
        if (item.status && (item.problem = TH__NEW(th_error)))
            *item.problem = problem;
        feed->ahead[(feed->ahead_at + feed->ahead_len++) % feed->ahead_cap] = item;
    }
}

/* ---- files and pages ------------------------------------------------------------------------- */

/* Draws a page that was read from a file, if there is one and that is wanted. */
static th_status render(th_feed *feed, th_status status, th_input **out, th_error *err)
{
    if (status || !*out || !feed->options.render)
        return status;
    th__fetcher *fetcher;
    status = th__feed_fetcher(feed, &fetcher, err);
    if (!status)
        status = th__fetcher_render(fetcher, out, err);
    if (status) {
        th_input_free(*out);
        *out = NULL;
    }
    return status;
}

/* Takes the first leaf of the queue: a page, an error, or an opened archive with *out NULL. */
static th_status take_leaf(th_feed *feed, th_input **out, th_error *err)
{
    ahead_leaf item = feed->ahead[feed->ahead_at];
    feed->ahead_at = (feed->ahead_at + 1) % feed->ahead_cap;
    feed->ahead_len--;
    th_status status = item.status;
    if (status && item.problem && err)
        *err = *item.problem;
    else if (status)
        th__fail_memory(err);
    else if (item.fetch)
        status = th__fetcher_take(feed->fetcher, item.fetch, out, err);
    else
        status = th__archive_open(&feed->archive,
                                  &(th__archive_file){.name = item.leaf.kind == LEAF_STDIN
                                                                  ? feed->options.stdin_name
                                                                  : item.leaf.name,
                                                      .is_pipe = item.leaf.kind == LEAF_STDIN,
                                                      .reader = item.leaf.reader,
                                                      .start = item.leaf.start,
                                                      .end = item.leaf.end,
                                                      .bytes_read = &feed->bytes_read,
                                                      .skipped = &feed->records_skipped},
                                  &feed->options, out, err);
    if (!item.fetch)
        status = render(feed, status, out, err);
    release_ahead(&item);
    return status;
}

th_status th_feed_next(th_feed *feed, th_input **out, th_error *err)
{
    *out = NULL;
    if (feed->from.next)
        return feed->from.next(feed->from.context, out, err);
    for (;;) {
        th_status status = th__cancel_check(&feed->options.cancel, err);
        if (status)
            return status;
        if (feed->fetcher)
            th__fetcher_poke(feed->fetcher);
        status = TH_DONE;
        if (feed->archive.next)
            status = render(feed, feed->archive.next(feed->archive.context, out, err), out, err);
        if (status == TH_DONE) {
            look_ahead(feed);
            if (feed->ahead_len == 0)
                return TH_DONE;
            status = take_leaf(feed, out, err);
            if (status == TH_OK && !*out)
                status = TH_DONE; /* an archive was opened */
        }
        if (status != TH_DONE)
            return status;
    }
}

uint64_t th_feed_bytes_read(const th_feed *feed)
{
    return atomic_load_explicit(&feed->bytes_read, memory_order_relaxed);
}

uint64_t th_feed_bytes_total(const th_feed *feed)
{
    return feed->bytes_total;
}

uint64_t th_feed_records_skipped(const th_feed *feed)
{
    return atomic_load_explicit(&feed->records_skipped, memory_order_relaxed);
}

/* ---- many threads ---------------------------------------------------------------------------- */

/*
 * Work on pages in many threads, results in input order.
 *
 *     worker:  lock; wait for a free slot; take the next page of the feed; note its number; unlock
 *              work
 *              lock; put the result into slot number % slots; unlock
 *     caller:  waits for slot `emitted`, emits it, frees it, and so on
 *
 * Reading the feed is done by the workers themselves, one at a time: no thread waits for it,
 * and inflating spreads over the processors in turn. The lock of the feed is not the lock of the
 * slots, so that results can be put and emitted while somebody reads.
 */

typedef struct slot {
    bool ready;
    th_input *input;
    th_status status;
    void *result;
    th_error error;
} slot;

typedef struct map {
    th_feed *feed;
    const th_parser_options *options;
    const th_feed_job *job;

    pthread_mutex_t reading; /* guards the feed and `taken` */
    uint64_t taken;          /* pages and errors taken from the feed; written under both locks */
    pthread_mutex_t lock;    /* guards all below */
    pthread_cond_t freed, filled;
    slot *slots;
    size_t slot_count;
    uint64_t emitted;
    bool ended;      /* the feed has no more */
    bool stopped;    /* emit wants no more */
    unsigned active; /* workers that still run */
    th_status start_status;
    th_error start_error; /* of a worker that could not make its parser */
} map;

/* Takes the next page; false when there is none or none is wanted. */
static bool take(map *m, slot *out, uint64_t *number)
{
    pthread_mutex_lock(&m->reading);
    pthread_mutex_lock(&m->lock);
    while (!m->stopped && !m->ended && m->taken - m->emitted >= m->slot_count)
        pthread_cond_wait(&m->freed, &m->lock);
    bool more = !m->stopped && !m->ended;
    pthread_mutex_unlock(&m->lock);
    if (more) {
        out->status = th_feed_next(m->feed, &out->input, &out->error);
        pthread_mutex_lock(&m->lock);
        if (out->status == TH_DONE) {
            m->ended = true;
            more = false;
            pthread_cond_broadcast(&m->filled);
        } else {
            *number = m->taken++;
        }
        pthread_mutex_unlock(&m->lock);
    }
    pthread_mutex_unlock(&m->reading);
    return more;
}

static void put(map *m, const slot *done, uint64_t number)
{
    pthread_mutex_lock(&m->lock);
    m->slots[number % m->slot_count] = *done;
    m->slots[number % m->slot_count].ready = true;
    pthread_cond_signal(&m->filled);
    pthread_mutex_unlock(&m->lock);
}

static void work_on(map *m, th_parser *parser, slot *s)
{
    s->result = NULL;
    if (s->status == TH_OK)
        s->status = m->job->work(m->job->context, parser, s->input, &s->result, &s->error);
    else
        s->input = NULL;
}

static void *run_worker(void *context)
{
    map *m = context;
    th_parser *parser = NULL;
    slot s = {0};
    uint64_t number;
    th_error err;
    th_status status = th_parser_new(m->options, &parser, &err);
    while (status == TH_OK && take(m, &s, &number)) {
        work_on(m, parser, &s);
        put(m, &s, number);
        s = (slot){0};
    }
    th_parser_free(parser);
    pthread_mutex_lock(&m->lock);
    m->active--;
    if (status) {
        m->start_status = status;
        m->start_error = err;
    }
    pthread_cond_broadcast(&m->filled);
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

static th_status emit(map *m, slot *s)
{
    th_status status =
        m->job->emit(m->job->context, s->input, s->status, s->result, s->status ? &s->error : NULL);
    th_input_free(s->input);
    /* A feed that is cancelled says so for ever. */
    return !status && s->status == TH_ERR_CANCELLED ? TH_ERR_CANCELLED : status;
}

/* The calling thread's part: waits for each slot in turn. */
static th_status emit_all(map *m)
{
    th_status status = TH_OK;
    for (;;) {
        pthread_mutex_lock(&m->lock);
        slot *next = &m->slots[m->emitted % m->slot_count];
        while (!next->ready && m->active && !(m->ended && m->emitted == m->taken))
            pthread_cond_wait(&m->filled, &m->lock);
        slot s = *next;
        next->ready = false;
        pthread_mutex_unlock(&m->lock);
        if (!s.ready)
            return status;
        status = emit(m, &s);
        pthread_mutex_lock(&m->lock);
        m->emitted++;
        m->stopped = status != TH_OK;
        pthread_cond_broadcast(&m->freed);
        pthread_mutex_unlock(&m->lock);
        if (status)
            return status;
    }
}

/* Everything in the calling thread: the same order without threads. */
static th_status map_alone(map *m, th_error *err)
{
    th_parser *parser;
    th_status status = th_parser_new(m->options, &parser, err);
    if (status)
        return status;
    while (status == TH_OK) {
        slot s = {0};
        s.status = th_feed_next(m->feed, &s.input, &s.error);
        if (s.status == TH_DONE)
            break;
        work_on(m, parser, &s);
        status = emit(m, &s);
    }
    th_parser_free(parser);
    return status;
}

static void discard_rest(map *m)
{
    for (size_t i = 0; i < m->slot_count; i++) {
        slot *s = &m->slots[i];
        if (!s->ready)
            continue;
        if (s->result && m->job->discard)
            m->job->discard(m->job->context, s->result);
        th_input_free(s->input);
    }
}

static unsigned start_workers(map *m, pthread_t *threads, unsigned jobs)
{
    unsigned started = 0;
    pthread_mutex_lock(&m->lock);
    while (started < jobs && pthread_create(&threads[started], NULL, run_worker, m) == 0)
        started++;
    m->active = started;
    pthread_mutex_unlock(&m->lock);
    return started;
}

static th_status map_threads(map *m, unsigned jobs, th_error *err)
{
    pthread_t *threads = TH__NEW_ARRAY(pthread_t, jobs);
    m->slot_count = (size_t)jobs * SLOTS_PER_JOB;
    m->slots = th__mem_zero(m->slot_count, sizeof *m->slots);
    th_status status = TH_OK;
    unsigned started = 0;
    if (!threads || !m->slots) {
        status = th__fail_memory(err);
        goto out;
    }
    pthread_mutex_init(&m->reading, NULL);
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->freed, NULL);
    pthread_cond_init(&m->filled, NULL);
    started = start_workers(m, threads, jobs);
    if (started)
        status = emit_all(m);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    discard_rest(m);
    pthread_cond_destroy(&m->filled);
    pthread_cond_destroy(&m->freed);
    pthread_mutex_destroy(&m->lock);
    pthread_mutex_destroy(&m->reading);
    if (!started)
        status = map_alone(m, err); /* no thread could be started */
    else if (status == TH_OK && !m->ended) {
        status = m->start_status; /* no worker could start */
        if (err)
            *err = m->start_error;
    }
out:
    th__mem_free(threads);
    th__mem_free(m->slots);
    return status;
}

th_status th_feed_map(th_feed *feed, unsigned jobs, const th_parser_options *options,
                      const th_feed_job *job, th_error *err)
{
    map m = {.feed = feed, .options = options, .job = job};
    if (jobs == 0) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        jobs = online > 0 ? (unsigned)online : 1;
    }
    if (jobs > MAX_JOBS)
        jobs = MAX_JOBS;
    th_error before = {.status = TH_OK};
    th_status status = jobs == 1 ? map_alone(&m, &before) : map_threads(&m, jobs, &before);
    if (status && before.status)
        th__fail_at(err, before.status, before.offset, "%s", before.message);
    else if (status)
        th__fail(err, status, "the caller stopped the run");
    return status;
}
