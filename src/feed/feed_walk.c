/* feed_walk.c: opens folders and lists. */
#include "feed/feed_walk.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cancel.h"
#include "feed/archive.h"
#include "feed/sniff.h"
#include "feed/zlib_memory.h"

enum {
    MAX_LIST_DEPTH = 16,       /* lists inside lists */
    MAX_LISTS = 100000,        /* lists opened in all: each may name many others */
    MAX_FOLDER_DEPTH = 256,    /* folders inside folders */
    MAX_LIST_BYTES = 256 << 20 /* of one list */
};

typedef enum frame_kind { FRAME_ARGUMENTS, FRAME_LIST, FRAME_FOLDER } frame_kind;

struct th__walk_frame {
    frame_kind kind;
    char *path;            /* of the folder, or of the list's folder; "" for the arguments */
    TH__VEC(char *) names; /* arguments, or what the folder holds */
    size_t next;
    th__buf text; /* the list, NUL-terminated lines */
    unsigned line;
    uint64_t device, inode; /* of the list */
    bool root;              /* a folder that was asked for by name */
    size_t pages;           /* found below it */
};

static void free_frame(th__walk_frame *frame)
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

static th__walk_frame *push_frame(th__walk *walk, frame_kind kind, th_str path)
{
    th__walk_frame *frame = TH__NEW(th__walk_frame);
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

static void pop_frame(th__walk *walk)
{
    free_frame(walk->frames.data[--walk->frames.len]);
}

static bool add_name(th__walk_frame *frame, const char *name)
{
    char *copy = th__mem_copy(name, strlen(name));
    if (copy && th__vec_push(&frame->names, copy))
        return true;
    th__mem_free(copy);
    return false;
}

th_status th__walk_init(th__walk *walk, const char *const *inputs, size_t count, th_error *err)
{
    *walk = (th__walk){0};
    th__intern_init(&walk->folders);
    th__walk_frame *frame = push_frame(walk, FRAME_ARGUMENTS, TH_STR(""));
    bool ok = frame != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = add_name(frame, inputs[i]);
    if (ok)
        return TH_OK;
    th__walk_release(walk);
    return th__fail_memory(err);
}

void th__walk_release(th__walk *walk)
{
    while (walk->frames.len)
        pop_frame(walk);
    th__vec_release(&walk->frames);
    th__intern_release(&walk->folders);
}

bool th__is_url(const char *input)
{
    th_str text = th_str_from(input);
    return th__str_starts_nocase(text, TH_STR("http://")) ||
           th__str_starts_nocase(text, TH_STR("https://"));
}

static th_str unpacked_name(th_str name)
{
    if (th__str_ends_nocase(name, TH_STR(".gz")))
        name.len -= 3;
    else if (th__str_ends_nocase(name, TH_STR(".zst")))
        name.len -= 4;
    return name;
}

bool th__is_archive_name(th_str name, bool *arc)
{
    name = unpacked_name(name);
    *arc = th__str_ends_nocase(name, TH_STR(".arc"));
    return *arc || th__str_ends_nocase(name, TH_STR(".warc"));
}

static bool is_page_name(th_str name)
{
    static const th_str endings[] = {{".html", 5},  {".htm", 4},  {".xhtml", 6}, {".xht", 4},
                                     {".shtml", 6}, {".php", 4},  {".asp", 4},   {".aspx", 5},
                                     {".jsp", 4},   {".jspx", 5}, {".cfm", 4}};
    bool arc;
    if (th__is_archive_name(name, &arc))
        return true;
    name = unpacked_name(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (th__str_ends_nocase(name, endings[i]))
            return true;
    return false;
}

/* ------------------------------------------------------------------------------------- folders */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Notes a folder; *new_one is false when it was seen before. False if out of memory. */
static bool note_folder(th__walk *walk, const struct stat *info, bool *new_one)
{
    uint64_t key[2] = {(uint64_t)info->st_dev, (uint64_t)info->st_ino};
    uint32_t before = walk->folders.len;
    uint32_t id = th__intern_add(&walk->folders, (th_str){(const char *)key, sizeof key});
    *new_one = id == before;
    return id != TH__INTERN_NONE;
}

static th_status read_names(th__walk_frame *frame, th_error *err)
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

static th_status open_folder(th__walk *walk, const char *path, const struct stat *info, bool root,
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
    th__walk_frame *frame = push_frame(walk, FRAME_FOLDER, th_str_from(path));
    if (!frame)
        return th__fail_memory(err);
    frame->root = root;
    th_status status = read_names(frame, err);
    if (status)
        pop_frame(walk);
    return status;
}

static th_status close_folder(th__walk *walk, th_error *err)
{
    th__walk_frame *frame = walk->frames.data[walk->frames.len - 1];
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

/* The first bytes inside a gzip file of which head are the first. */
static th_str inflate_head(th_str head, char *room, size_t len)
{
    z_stream z = TH__ZLIB_INIT;
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        return (th_str){0};
    z.next_in = (unsigned char *)head.ptr;
    z.avail_in = (uInt)head.len;
    z.next_out = (unsigned char *)room;
    z.avail_out = (uInt)len;
    inflate(&z, Z_NO_FLUSH);
    inflateEnd(&z);
    return (th_str){room, len - z.avail_out};
}

/* Tells in *yes if a file without a page's name begins as a page or an archive. */
static th_status looks_like_page(const th__walk *walk, const char *path, bool *yes, th_error *err)
{
    th__source source;
    char head[TH__SNIFF_LEN], inner[TH__SNIFF_LEN];
    size_t len = 0, got = 1;
    *yes = false;
    if (th__is_open_database(path))
        return TH_OK;
    th_status status = th__source_open_file(&source, path, walk->files_only, err);
    if (status)
        return status;
    while (status == TH_OK && got && len < sizeof head) {
        status = th__source_read(&source, head + len, sizeof head - len, &got, err);
        if (status == TH_OK)
            len += got;
    }
    th__source_release(&source);
    th_str bytes = {head, len};
    if (th__str_starts(bytes, TH_STR("\x1F\x8B\x08")))
        bytes = inflate_head(bytes, inner, sizeof inner);
    *yes = status == TH_OK &&
           (th__archive_sniff(bytes) || (!th__sniff_binary(bytes) && th__sniff_html(bytes)));
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
static th_status visit(th__walk *walk, th__walk_frame *frame, const char *name, th__walk_entry *out,
                       th_error *err)
{
    char *path = NULL;
    struct stat info;
    th_status status = join(th_str_from(frame->path), name, &path, err);
    if (status)
        return status;
    bool page = false;
    if (stat(path, &info) != 0) {
        /* A link that leads nowhere matters only where a page was meant. */
        page = is_page_name(th_str_from(name));
    } else if (S_ISDIR(info.st_mode)) {
        status = open_folder(walk, path, &info, false, err);
    } else if (S_ISREG(info.st_mode)) {
        page = is_page_name(th_str_from(name));
        if (!page && info.st_size > 0)
            status = looks_like_page(walk, path, &page, err);
    }
    if (page) {
        frame->pages++;
        *out = (th__walk_entry){TH__LEAF_FILE, path};
        return TH_OK;
    }
    th__mem_free(path);
    return status ? status : TH_DONE;
}

/* --------------------------------------------------------------------------------------- lists */

static th_status read_list(th__source *source, th__buf *text, th_error *err)
{
    for (;;) {
        size_t got;
        if (!th__buf_reserve(text, 64 << 10))
            return th__fail_memory(err);
        th_status status =
            th__source_read(source, text->data + text->len, text->cap - text->len - 1, &got, err);
        if (status)
            return status;
        text->len += got;
        if (text->len > MAX_LIST_BYTES)
            return th__fail(err, TH_ERR_LIMIT, "%s: the list is larger than %d MiB; split it",
                            source->name, MAX_LIST_BYTES >> 20);
        if (got == 0)
            break;
    }
    text->data[text->len] = '\0';
    const char *nul = memchr(text->data, '\0', text->len);
    if (nul)
        return th__fail_at(err, TH_ERR_FORMAT, (uint64_t)(nul - text->data),
                           "%s: the list has a NUL byte at %zu; it must be plain text in UTF-8",
                           source->name, (size_t)(nul - text->data));
    return TH_OK;
}

static th_status check_list(th__walk *walk, const char *path, const struct stat *info,
                            th_error *err)
{
    unsigned depth = 0;
    for (size_t i = 0; i < walk->frames.len; i++) {
        const th__walk_frame *frame = walk->frames.data[i];
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

static th_status open_list(th__walk *walk, const char *path, th_error *err)
{
    th__source source;
    struct stat info;
    bool from_stdin = !strcmp(path, "-");
    th_status status;
    if (from_stdin && walk->files_only)
        return refuse_stdin("@-", err);
    if (from_stdin && walk->used_stdin)
        return th__fail(err, TH_ERR_ARGUMENT, "@-: standard input can be read only once");
    if (from_stdin)
        th__source_open_stdin(&source, "-");
    else if ((status = th__source_open_file(&source, path, walk->files_only, err)))
        return status;
    source.cancel = walk->cancel;
    walk->used_stdin |= from_stdin;
    bool known = fstat(source.fd, &info) == 0 && S_ISREG(info.st_mode);
    status = check_list(walk, path, known ? &info : NULL, err);
    const char *slash = from_stdin ? NULL : strrchr(path, '/');
    th_str folder = {path, slash ? (size_t)(slash - path) + 1 : 0};
    th__walk_frame *frame = status ? NULL : push_frame(walk, FRAME_LIST, folder);
    if (!status && !frame)
        status = th__fail_memory(err);
    if (frame) {
        frame->device = known ? (uint64_t)info.st_dev : 0;
        frame->inode = known ? (uint64_t)info.st_ino : 0;
        status = read_list(&source, &frame->text, err);
        if (status)
            pop_frame(walk);
    }
    th__source_release(&source);
    return status;
}

/* The next line that names an input, NUL-terminated in place. */
static char *next_line(th__walk_frame *frame)
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

/* --------------------------------------------------------------------------------------- inputs */

/* One input as a user writes it. TH_OK with a leaf, or TH_DONE when it gives none itself. */
static th_status open_input(th__walk *walk, const char *input, th_str folder, th__walk_entry *out,
                            th_error *err)
{
    struct stat info;
    th__leaf_kind kind = TH__LEAF_FILE;
    th_str base = {0};
    if (input[0] == '\0')
        return th__fail(err, TH_ERR_ARGUMENT, "an input is empty: give a file, a folder or a URL");
    if (!strcmp(input, "-")) {
        if (walk->files_only)
            return refuse_stdin("-", err);
        if (walk->used_stdin)
            return th__fail(err, TH_ERR_ARGUMENT, "-: standard input can be read only once");
        walk->used_stdin = true;
        kind = TH__LEAF_STDIN;
    } else if (th__is_url(input)) {
        kind = TH__LEAF_URL;
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
            return *out = (th__walk_entry){TH__LEAF_FILE, path}, TH_OK;
        th__mem_free(path);
        return status ? status : TH_DONE;
    }
    char *name = NULL;
    th_status status = join(base, input, &name, err);
    if (status == TH_OK)
        *out = (th__walk_entry){kind, name};
    return status;
}

th_status th__walk_next(th__walk *walk, th__walk_entry *out, th_error *err)
{
    while (walk->frames.len) {
        th__walk_frame *frame = walk->frames.data[walk->frames.len - 1];
        th_status status;
        char *input = NULL;
        if ((status = th__cancel_check(walk->cancel, err)))
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
