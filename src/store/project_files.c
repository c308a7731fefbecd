/*
 * project_files.c: all of a project as plain files, and back.
 *
 * Export makes the folder under another name and renames it at the end, so that a folder that is
 * there is whole; it reads in one transaction, a view of one moment. Import takes files from
 * outside: it checks every line, names file, line and member in a message, and stores all in one
 * transaction. Names of files are taken only as plain paths below the folder.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "store/project.h"
#include "wrapper/rule_table.h"

#define PROJECT_FILE "project.json"
#define PROJECT_KEY  "thresh_project"

enum { EXPORT_VERSION = 1, OPEN_FOLDERS = 16 };

typedef struct exporter {
    th_project *project;
    th__buf root;  /* the folder being written */
    th__buf lines; /* of the current index */
    th__buf path;  /* scratch */
    th_text bytes; /* scratch */
    th_str site;
    unsigned site_number;
    uint64_t number; /* of the current file */
} exporter;

/* The full name of a file of the current site, NUL-terminated. */
static const char *name_of(exporter *e, const char *format, uint64_t number)
{
    th__buf_clear(&e->path);
    th__buf_add_str(&e->path, th__buf_str(&e->root));
    th__buf_printf(&e->path, "/site-%u/", e->site_number);
    th__buf_printf(&e->path, format, (unsigned long long)number);
    th__buf_add_byte(&e->path, '\0');
    return e->path.failed ? NULL : e->path.data;
}

static th_status io_fail(const char *path, th_error *err)
{
    char space[128];
    return th__fail(err, TH_ERR_IO, "cannot write %s: %s", path,
                    th__errno_text(errno, space, sizeof space));
}

static th_status put_file(const char *path, th_str bytes, th_error *err)
{
    FILE *file = path ? fopen(path, "wbx") : NULL;
    if (!path)
        return th__fail_memory(err);
    if (!file)
        return io_fail(path, err);
    bool whole = fwrite(bytes.ptr, 1, bytes.len, file) == bytes.len;
    if (fclose(file) || !whole)
        return io_fail(path, err);
    return TH_OK;
}

static th_status make_folder(const char *path, th_error *err)
{
    if (!path)
        return th__fail_memory(err);
    return mkdir(path, 0777) ? io_fail(path, err) : TH_OK;
}

static void put_name(th__json *json, const char *format, uint64_t number)
{
    char name[64];
    int len = snprintf(name, sizeof name, format, (unsigned long long)number);
    th__json_put_text(json, "file", (th_str){name, (size_t)len});
}

static th_status end_line(exporter *e, th__json *json, th_error *err)
{
    th__json_end_object(json);
    th__buf_add_byte(&e->lines, '\n');
    return e->lines.failed ? th__fail_memory(err) : TH_OK;
}

/* ---- what a site has ------------------------------------------------------------------------- */

static th_status put_page(void *context, const th_project_page *page, th_error *err)
{
    exporter *e = context;
    th__json json = {.buf = &e->lines};
    uint64_t number = ++e->number;
    th__json_begin_object(&json);
    th__json_put_text(&json, "name", page->name);
    th__json_put_text(&json, "url", page->url);
    th__json_put_text(&json, "charset", page->charset);
    th__json_put_text(&json, "added", page->added);
    put_name(&json, "pages/%llu.html", number);
    th_status status = end_line(e, &json, err);
    if (!status)
        status = th_project_page_bytes(e->project, page->id, &e->bytes, err);
    if (!status)
        status = put_file(name_of(e, "pages/%llu.html", number),
                          (th_str){e->bytes.ptr, e->bytes.len}, err);
    return status;
}

static th_status put_wrapper(void *context, const th_project_wrapper *wrapper, th_error *err)
{
    exporter *e = context;
    th__json json = {.buf = &e->lines};
    uint64_t number = ++e->number;
    th__json_begin_object(&json);
    th__json_put_text(&json, "name", wrapper->name);
    th__json_put_uint(&json, "version", wrapper->version);
    th__json_put_text(&json, "added", wrapper->added);
    put_name(&json, "wrappers/%llu.json", number);
    th_status status = end_line(e, &json, err);
    if (!status)
        status = th_project_wrapper_text(e->project, e->site, wrapper->name, wrapper->version, NULL,
                                         &e->bytes, err);
    if (!status)
        status = put_file(name_of(e, "wrappers/%llu.json", number),
                          (th_str){e->bytes.ptr, e->bytes.len}, err);
    return status;
}

static th_status put_asset(void *context, const th_project_asset *asset, th_error *err)
{
    exporter *e = context;
    th__json json = {.buf = &e->lines};
    uint64_t number = ++e->number;
    th_status status = number == 1 ? make_folder(name_of(e, "assets", 0), err) : TH_OK;
    th__json_begin_object(&json);
    th__json_put_text(&json, "address", asset->address);
    th__json_put_text(&json, "type", asset->type);
    th__json_put_text(&json, "added", asset->added);
    put_name(&json, "assets/%llu", number);
    if (!status)
        status = end_line(e, &json, err);
    th_input *input = NULL;
    if (!status)
        status = th_project_asset_input(e->project, asset->site, asset->id, &input, err);
    if (!status)
        status = put_file(name_of(e, "assets/%llu", number), th_input_bytes(input), err);
    th_input_free(input);
    return status;
}

typedef struct records_file {
    FILE *file;
    const char *path;
} records_file;

static th_status put_record(void *context, const th_project_record *record, th_error *err)
{
    const records_file *to = context;
    th__buf line = {0};
    th__json json = {.buf = &line};
    th__json_begin_object(&json);
    th__json_put_text(&json, "page", record->page);
    th__json_key(&json, TH_STR("record"));
    th__buf_add_str(&line, record->json);
    th__json_end_object(&json);
    th__buf_add_byte(&line, '\n');
    th_status status = line.failed ? th__fail_memory(err) : TH_OK;
    if (!status && fwrite(line.data, 1, line.len, to->file) != line.len)
        status = io_fail(to->path, err);
    th__buf_release(&line);
    return status;
}

static th_status put_records(exporter *e, int64_t run, uint64_t number, th_error *err)
{
    records_file to = {.path = name_of(e, "runs/%llu.jsonl", number)};
    if (!to.path)
        return th__fail_memory(err);
    to.file = fopen(to.path, "wbx");
    if (!to.file)
        return io_fail(to.path, err);
    th_status status = th_project_records(e->project, run, 0, UINT64_MAX, put_record, &to, err);
    if (fclose(to.file) && !status)
        status = io_fail(to.path, err);
    return status;
}

static th_status put_verdict(void *context, const th_project_verdict *verdict, th_error *err)
{
    th__json *json = context;
    th__json_begin_object(json);
    th__json_put_text(json, "field", verdict->field);
    th__json_put_text(json, "verdict", verdict->verdict);
    th__json_put_text(json, "evidence", verdict->evidence);
    th__json_end_object(json);
    return TH_OK;
}

static th_status put_run(void *context, const th_project_run *run, th_error *err)
{
    exporter *e = context;
    th__json json = {.buf = &e->lines};
    if (!run->finished.ptr)
        return TH_OK; /* broken off, or still at work */
    uint64_t number = ++e->number;
    th__json_begin_object(&json);
    th__json_put_text(&json, "command", run->command);
    th__json_put_text(&json, "wrapper", run->wrapper);
    th__json_put_uint(&json, "wrapper_version", run->wrapper_version);
    th__json_put_text(&json, "started", run->started);
    th__json_put_text(&json, "finished", run->finished);
    th__json_put_uint(&json, "pages", run->pages);
    th__json_put_uint(&json, "records", run->records);
    th__json_put_uint(&json, "failed", run->failed);
    th__json_put_text(&json, "verdict", run->verdict);
    th__json_open_array(&json, "verdicts");
    th_status status = th_project_verdicts(e->project, run->id, put_verdict, &json, err);
    th__json_end_array(&json);
    put_name(&json, "runs/%llu.jsonl", number);
    if (!status)
        status = end_line(e, &json, err);
    return status ? status : put_records(e, run->id, number, err);
}

static th_status put_ignored(void *context, th_str question, th_error *err)
{
    exporter *e = context;
    th__json json = {.buf = &e->lines};
    th__json_begin_object(&json);
    th__json_put_text(&json, "question", question);
    return end_line(e, &json, err);
}

/* ---- sites ----------------------------------------------------------------------------------- */

/* Puts the lines gathered into an index of the site. */
static th_status put_lines(exporter *e, const char *name, th_status status, th_error *err)
{
    if (!status)
        status = put_file(name_of(e, name, 0), th__buf_str(&e->lines), err);
    th__buf_clear(&e->lines);
    e->number = 0;
    return status;
}

static th_status put_site(exporter *e, th_str site, th_error *err)
{
    static const char *const folders[] = {"", "pages", "wrappers", "runs"};
    th_status status = TH_OK;
    e->site = site;
    e->site_number++;
    for (size_t i = 0; !status && i < sizeof folders / sizeof *folders; i++)
        status = make_folder(name_of(e, folders[i], 0), err);
    if (!status)
        status = put_lines(e, "pages.jsonl",
                           th_project_pages(e->project, site, true, put_page, e, err), err);
    if (!status)
        status = th_project_assets(e->project, site, put_asset, e, err);
    if (!status && e->number)
        status = put_lines(e, "assets.jsonl", TH_OK, err);
    if (!status)
        status = put_lines(e, "wrappers.jsonl",
                           th_project_wrappers(e->project, site, put_wrapper, e, err), err);
    if (!status)
        status = put_lines(e, "runs.jsonl",
                           th__project_runs(e->project, site, false, put_run, e, err), err);
    if (!status)
        status = put_lines(e, "ignored.jsonl",
                           th_project_ignored(e->project, site, put_ignored, e, err), err);
    if (!status)
        status = th_project_label_lines(e->project, site, &e->bytes, err);
    if (!status)
        status = put_file(name_of(e, "labels.jsonl", 0), (th_str){e->bytes.ptr, e->bytes.len}, err);
    return status;
}

typedef struct site_names {
    exporter *e;
    th__buf text;
    th__json json;
} site_names;

static th_status put_site_name(void *context, const th_project_site *site, th_error *err)
{
    site_names *names = context;
    char folder[32];
    int len = snprintf(folder, sizeof folder, "site-%u", names->e->site_number + 1);
    th__json_begin_object(&names->json);
    th__json_put_text(&names->json, "name", site->name);
    th__json_put_text(&names->json, "folder", (th_str){folder, (size_t)len});
    th__json_end_object(&names->json);
    return put_site(names->e, site->name, err);
}

static th_status put_all(exporter *e, th_error *err)
{
    site_names names = {.e = e, .json = {.buf = &names.text}};
    th__json_begin_object(&names.json);
    th__json_put_uint(&names.json, PROJECT_KEY, EXPORT_VERSION);
    th__json_open_array(&names.json, "sites");
    th_status status = th_project_sites(e->project, put_site_name, &names, err);
    th__json_end_array(&names.json);
    th__json_end_object(&names.json);
    th__buf_add_byte(&names.text, '\n');
    th__buf_clear(&e->path);
    th__buf_printf(&e->path, "%.*s/%s", TH_STR_ARG(th__buf_str(&e->root)), PROJECT_FILE);
    th__buf_add_byte(&e->path, '\0');
    if (!status)
        status = e->path.failed || names.text.failed
                     ? th__fail_memory(err)
                     : put_file(e->path.data, th__buf_str(&names.text), err);
    th__buf_release(&names.text);
    return status;
}

/* ---- the folder ------------------------------------------------------------------------------ */

static int remove_one(const char *path, const struct stat *stat, int kind, struct FTW *place)
{
    return remove(path);
}

/* A folder that is there may be replaced when it is empty: renaming onto it checks that. */
static th_status take_place(exporter *e, const char *folder, th_error *err)
{
    th__buf_add_byte(&e->root, '\0');
    if (rename(e->root.data, folder) == 0)
        return TH_OK;
    if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR)
        return th__fail(err, TH_ERR_IO, "%s exists and is not empty: export into a new folder",
                        folder);
    return io_fail(folder, err);
}

th_status th_project_export(th_project *project, const char *folder, th_error *err)
{
    exporter e = {.project = project};
    size_t len = strlen(folder);
    while (len > 1 && folder[len - 1] == '/')
        len--;
    if (!th__buf_printf(&e.root, "%.*s.part-%ld", (int)len, folder, (long)getpid()))
        return th__fail_memory(err);
    th_status status = make_folder(e.root.data, err);
    bool made = status == TH_OK;
    if (!status)
        status = th__project_do(project, err,
                                project->in_transaction ? "SAVEPOINT export" : "BEGIN", "");
    if (!status) {
        status = put_all(&e, err);
        sqlite3_exec(project->db, project->in_transaction ? "RELEASE export" : "COMMIT", NULL, NULL,
                     NULL);
    }
    if (!status)
        status = take_place(&e, folder, err);
    if (status && made)
        nftw(e.root.data, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
    th__buf_release(&e.root);
    th__buf_release(&e.lines);
    th__buf_release(&e.path);
    th_text_release(&e.bytes);
    return status;
}

/* ------------------------------------------------------------------------------------- import */

enum { LARGEST_FILE = 1 << 30, MOST_SITES = 100000, MOST_VERDICTS = 100000 };

typedef struct importer {
    th_project *project;
    const char *root;
    th_str site, folder;
    int64_t site_id;
    int64_t last_page; /* of those that were there before */
    th__arena arena;   /* texts of the current line */
    th__buf path;      /* of the current file, NUL-terminated */
    th_error *err;
} importer;

/* ---- files ----------------------------------------------------------------------------------- */

static bool is_below(th_str name)
{
    if (!name.len || memchr(name.ptr, '\0', name.len))
        return false;
    while (name.len) {
        th_str part = th__str_take(&name, '/');
        if (!part.len || th__str_eq(part, TH_STR("..")))
            return false;
    }
    return true;
}

/* The full name of a file of the current site, for messages. */
static const char *path_of(importer *in, th_str name)
{
    th__buf_clear(&in->path);
    th__buf_printf(&in->path, "%s/", in->root);
    if (in->folder.ptr)
        th__buf_printf(&in->path, "%.*s/", TH_STR_ARG(in->folder));
    th__buf_add_str(&in->path, name);
    th__buf_add_byte(&in->path, '\0');
    return in->path.failed ? NULL : in->path.data;
}

/* Opens a plain file below the folder, without following links: step by step, since any part of the
 * path may be a link. `path` is the result of path_of. -1 with errno; ELOOP for a link. */
static int open_below(const importer *in, const char *path)
{
    int fd = open(in->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (const char *at = path + strlen(in->root) + 1; fd >= 0 && at;) {
        char part[NAME_MAX + 1];
        size_t len = strcspn(at, "/");
        bool last = !at[len];
        snprintf(part, sizeof part, "%.*s", (int)len, at);
        int next =
            len > NAME_MAX
                ? -1
                : openat(fd, part,
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (last ? 0 : O_DIRECTORY));
        int number = len > NAME_MAX ? ENAMETOOLONG : errno;
        struct stat st;
        if (next < 0 && number == ENOTDIR && !fstatat(fd, part, &st, AT_SYMLINK_NOFOLLOW) &&
            S_ISLNK(st.st_mode))
            number = ELOOP; /* a link instead of a folder */
        if (next >= 0 && last && !fstat(next, &st) && !S_ISREG(st.st_mode)) {
            close(next);
            next = -1;
            number = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
        }
        close(fd);
        errno = number;
        fd = next;
        at = last ? NULL : at + len + 1;
    }
    return fd;
}

static th_status cannot_read(const importer *in, const char *path)
{
    char space[128];
    if (errno == ELOOP)
        return th__fail(in->err, TH_ERR_FORMAT,
                        "%s is a symbolic link or is behind one: import reads only files in %s "
                        "itself; replace the link with a copy of the file",
                        path, in->root);
    return th__fail(in->err, TH_ERR_IO, "cannot read %s: %s", path,
                    th__errno_text(errno, space, sizeof space));
}

static th_status read_file(importer *in, th_str name, th__buf *out)
{
    if (!is_below(name))
        return th__fail(in->err, TH_ERR_FORMAT,
                        "%s: \"%.*s\" is not the name of a file below this folder", in->root,
                        TH_STR_ARG(name));
    const char *path = path_of(in, name);
    if (!path)
        return th__fail_memory(in->err);
    int fd = open_below(in, path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");
    if (fd >= 0 && !file)
        close(fd);
    size_t got = 1;
    th__buf_clear(out);
    while (file && got && out->len <= LARGEST_FILE && th__buf_reserve(out, 1 << 16)) {
        got = fread(out->data + out->len, 1, 1 << 16, file);
        out->len += got;
    }
    th_status status = TH_OK;
    if (!file || ferror(file))
        status = cannot_read(in, path);
    else if (out->failed)
        status = th__fail_memory(in->err);
    else if (out->len > LARGEST_FILE)
        status = th__fail(in->err, TH_ERR_LIMIT, "%s has more than %d bytes", path, LARGEST_FILE);
    if (file)
        fclose(file);
    return status;
}

typedef th_status (*read_object)(importer *in, th__rule_reader *reader, json_t *object,
                                 void *context);

/* A reader whose messages name the current place "FILE:LINE". */
static th_status read_line(importer *in, const char *name, size_t line, th_str text,
                           read_object each, void *context)
{
    th__buf where = {0};
    json_error_t problem;
    if (!th__buf_printf(&where, "%s:%zu", name, line))
        return th__fail_memory(in->err);
    th__rule_reader reader = {.file = where.data, .err = in->err};
    json_t *object = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES, &problem);
    th_status status;
    if (!object)
        status =
            th__fail(in->err, TH_ERR_FORMAT, "%s: is not valid JSON: %s", where.data, problem.text);
    else if (!json_is_object(object))
        status = th__rule_fault(&reader, "must be an object");
    else
        status = each(in, &reader, object, context);
    json_decref(object);
    th__buf_release(&where);
    th__arena_release(&in->arena);
    th__arena_init(&in->arena);
    return status;
}

/* Hands the lines of a file of the site to `each`. */
static th_status read_lines(importer *in, th_str file, read_object each, void *context)
{
    th__buf text = {0};
    th_status status = read_file(in, file, &text);
    th__buf name = in->path; /* messages need it while other files are read */
    in->path = (th__buf){0};
    size_t line = 0;
    for (th_str rest = th__buf_str(&text); !status && rest.len;)
        status = read_line(in, name.data, ++line, th__str_take(&rest, '\n'), each, context);
    th__buf_release(&text);
    th__buf_release(&name);
    return status;
}

static bool has_file(importer *in, th_str name)
{
    struct stat st;
    const char *path = path_of(in, name);
    return !path || lstat(path, &st) == 0;
}

/* Reads texts by their keys, of which the first `needed` must be there. */
static th_status texts_of(importer *in, th__rule_reader *reader, json_t *object,
                          const char *const *keys, size_t count, size_t needed, th_str *out)
{
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < count; i++) {
        out[i] = (th_str){0};
        status = th__rule_text(reader, object, keys[i], i < needed, &in->arena, &out[i]);
    }
    return status;
}

/* ---- what a site has ------------------------------------------------------------------------- */

static th_status take_page(importer *in, th__rule_reader *reader, json_t *object, void *context)
{
    static const char *const keys[] = {"name", "file", "added", "url", "charset"};
    enum { NAME, FILE_NAME, ADDED, URL, CHARSET, KEYS, NEEDED = URL };
    th_str text[KEYS];
    th__buf bytes = {0};
    int64_t id = 0;
    bool fresh = false;
    th_status status = texts_of(in, reader, object, keys, KEYS, NEEDED, text);
    if (!status)
        status = read_file(in, text[FILE_NAME], &bytes);
    if (!status) {
        th_page_source source = {.url = text[URL], .charset = text[CHARSET]};
        status = th_project_add_page(in->project, in->site, text[NAME], &source,
                                     th__buf_str(&bytes), &id, &fresh, in->err);
    }
    /* The earlier content of a changed page is new to add_page, even if it was imported before. */
    if (!status && fresh)
        status =
            th__project_do(in->project, in->err,
                           "DELETE FROM page WHERE id = ? AND EXISTS (SELECT 1 FROM page AS old"
                           " WHERE old.id <= ? AND old.site = page.site AND"
                           " old.name = page.name AND old.body = page.body AND old.added = ?)",
                           "iit", id, in->last_page, text[ADDED]);
    if (!status && fresh)
        status = th__project_do(in->project, in->err, "UPDATE page SET added = ? WHERE id = ?",
                                "ti", text[ADDED], id);
    th__buf_release(&bytes);
    return status;
}

static th_status take_asset(importer *in, th__rule_reader *reader, json_t *object, void *context)
{
    static const char *const keys[] = {"address", "file", "added"};
    enum { ADDRESS, FILE_NAME, ADDED, KEYS };
    th_str text[KEYS];
    th__buf bytes = {0};
    int64_t id = 0;
    bool fresh = false;
    th_status status = texts_of(in, reader, object, keys, KEYS, KEYS, text);
    if (!status)
        status = read_file(in, text[FILE_NAME], &bytes);
    if (!status)
        status = th_project_add_asset(in->project, in->site, text[ADDRESS], th__buf_str(&bytes),
                                      &id, &fresh, in->err);
    if (!status && fresh)
        status = th__project_do(in->project, in->err, "UPDATE asset SET added = ? WHERE id = ?",
                                "ti", text[ADDED], id);
    th__buf_release(&bytes);
    return status;
}

static th_status take_label(importer *in, th__rule_reader *reader, json_t *object, void *context)
{
    static const char *const keys[] = {"page"};
    th_str page;
    th_status status = texts_of(in, reader, object, keys, 1, 1, &page);
    if (status)
        return status;
    char *line = json_dumps(object, JSON_COMPACT);
    if (!line)
        return th__fail_memory(in->err);
    status = th_project_set_labels(in->project, in->site, page, th_str_from(line), in->err);
    free(line);
    return status;
}

static th_status take_ignored(importer *in, th__rule_reader *reader, json_t *object, void *context)
{
    static const char *const keys[] = {"question"};
    th_str question;
    th_status status = texts_of(in, reader, object, keys, 1, 1, &question);
    return status ? status : th_project_ignore(in->project, in->site, question, true, in->err);
}

static th_status take_wrapper(importer *in, th__rule_reader *reader, json_t *object, void *context)
{
    static const char *const keys[] = {"name", "added", "file"};
    enum { NAME, ADDED, FILE_NAME, KEYS };
    th_str text[KEYS];
    uint64_t version = 0;
    th__buf bytes = {0};
    th_wrapper *wrapper = NULL;
    th_status status = texts_of(in, reader, object, keys, KEYS, KEYS, text);
    if (!status)
        status = th__rule_number(reader, object, "version", true, UINT32_MAX, &version);
    if (!status)
        status = read_file(in, text[FILE_NAME], &bytes);
    if (!status)
        status = th_wrapper_read(th__buf_str(&bytes), in->path.data, &wrapper, in->err);
    if (!status)
        status = th__project_do(in->project, in->err,
                                "INSERT OR REPLACE INTO wrapper"
                                " (site, name, version, engine, text, added)"
                                " VALUES (?, ?, ?, ?, ?, ?)",
                                "itittt", in->site_id, text[NAME], (int64_t)version,
                                th_str_from(th_wrapper_engine(wrapper)), th__buf_str(&bytes),
                                text[ADDED]);
    th_wrapper_free(wrapper);
    th__buf_release(&bytes);
    return status;
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct record_reader {
    uint64_t position;
    th__rows insert;
} record_reader;

static th_status take_record(importer *in, th__rule_reader *reader, json_t *object, void *context)
{
    static const char *const keys[] = {"page"};
    record_reader *records = context;
    th__rows *insert = &records->insert;
    th_str page;
    json_t *record = json_object_get(object, "record");
    th_status status = texts_of(in, reader, object, keys, 1, 1, &page);
    if (status)
        return status;
    char *value = record ? json_dumps(record, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    if (!value)
        return record ? th__fail_memory(in->err) : th__rule_fault(reader, "has no \"record\"");
    th__project_insert_record(insert, records->position++, page, th_str_from(value));
    free(value);
    return insert->status;
}

static th_status take_records(importer *in, int64_t run, th_str file)
{
    record_reader records = {
        .insert = th__project_rows(in->project, in->err, TH__INSERT_RECORD, "i", run)};
    th_status status = records.insert.status;
    if (!status)
        status = read_lines(in, file, take_record, &records);
    if (!status)
        status = th__project_do(in->project, in->err, "UPDATE run SET records = ? WHERE id = ?",
                                "ii", (int64_t)records.position, run);
    th__rows_end(&records.insert);
    return status;
}

static th_status take_verdicts(importer *in, th__rule_reader *reader, json_t *object, int64_t run)
{
    json_t *verdicts, *item;
    size_t index;
    th_status status = th__rule_array(reader, object, "verdicts", 0, MOST_VERDICTS, &verdicts);
    if (status)
        return status;
    size_t mark = th__rule_enter(reader, "verdicts");
    json_array_foreach(verdicts, index, item)
    {
        static const char *const keys[] = {"verdict", "field", "evidence"};
        th_str text[3];
        size_t inner = th__rule_enter_item(reader, index);
        status = json_is_object(item) ? texts_of(in, reader, item, keys, 3, 1, text)
                                      : th__rule_fault(reader, "must be an object");
        if (!status)
            status = th__project_do(in->project, in->err,
                                    "INSERT INTO verdict (run, position, field, verdict, evidence)"
                                    " VALUES (?, ?, ?, ?, ?)",
                                    "iittt", run, (int64_t)index, text[1], text[0], text[2]);
        if (status)
            return status;
        th__rule_leave(reader, inner);
    }
    th__rule_leave(reader, mark);
    return TH_OK;
}

/* Runs that were there before the import. Times are in seconds, so that two runs may look the same:
 * each counts for one run of the files, and is taken away when that one comes. */
static const char is_known_run[] =
    "DELETE FROM temp.known_run WHERE id = (SELECT id FROM temp.known_run WHERE site = ?"
    " AND command = ? AND wrapper IS ? AND wrapper_version = ? AND started = ? AND finished IS ?"
    " AND pages = ? AND failed = ? AND verdict IS ? LIMIT 1)";
static const char insert_run[] =
    "INSERT INTO run (site, command, wrapper, wrapper_version, started, finished, pages, failed,"
    " verdict) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";

static th_status take_run(importer *in, th__rule_reader *reader, json_t *object, void *context)
{
    static const char *const keys[] = {"command", "started", "finished",
                                       "file",    "wrapper", "verdict"};
    enum { COMMAND, STARTED, FINISHED, RECORDS, WRAPPER, VERDICT, KEYS, NEEDED = WRAPPER };
    th_str text[KEYS];
    uint64_t version = 0, pages = 0, failed = 0;
    th_status status = texts_of(in, reader, object, keys, KEYS, NEEDED, text);
    if (!status)
        status = th__rule_number(reader, object, "wrapper_version", false, UINT32_MAX, &version);
    if (!status)
        status = th__rule_number(reader, object, "pages", false, INT64_MAX, &pages);
    if (!status)
        status = th__rule_number(reader, object, "failed", false, INT64_MAX, &failed);
    for (int i = 0; !status && i < 2; i++) {
        status = th__project_do(in->project, in->err, i ? insert_run : is_known_run, "ittittiit",
                                in->site_id, text[COMMAND], text[WRAPPER], (int64_t)version,
                                text[STARTED], text[FINISHED], (int64_t)pages, (int64_t)failed,
                                text[VERDICT]);
        if (!status && !i && sqlite3_changes(in->project->db))
            return TH_OK;
    }
    int64_t run = sqlite3_last_insert_rowid(in->project->db);
    if (!status)
        status = take_verdicts(in, reader, object, run);
    if (status)
        return status;
    /* Reading the records' lines empties the arena. */
    th__buf file = {0};
    status = th__buf_add_str(&file, text[RECORDS]) ? take_records(in, run, th__buf_str(&file))
                                                   : th__fail_memory(in->err);
    th__buf_release(&file);
    return status;
}

/* ---- sites ----------------------------------------------------------------------------------- */

static th_status take_site(importer *in, th_str name, th_str folder)
{
    static const struct {
        const char *file;
        read_object each;
        bool needed; /* older exports do not have the others */
    } files[] = {{"pages.jsonl", take_page, true},   {"assets.jsonl", take_asset, false},
                 {"labels.jsonl", take_label, true}, {"wrappers.jsonl", take_wrapper, true},
                 {"runs.jsonl", take_run, true},     {"ignored.jsonl", take_ignored, false}};
    in->site = name;
    in->folder = folder;
    th_status status = th__project_site(in->project, name, &in->site_id, in->err);
    for (size_t i = 0; !status && i < sizeof files / sizeof *files; i++) {
        th_str file = th_str_from(files[i].file);
        if (files[i].needed || has_file(in, file))
            status = read_lines(in, file, files[i].each, NULL);
    }
    in->folder = (th_str){0};
    return status;
}

static th_status take_sites(importer *in, th__rule_reader *reader, json_t *object, th__arena *names)
{
    json_t *sites, *site;
    size_t index;
    uint64_t version = 0;
    th_status status = th__rule_number(reader, object, PROJECT_KEY, true, UINT32_MAX, &version);
    if (!status && version != EXPORT_VERSION)
        status = th__rule_fault(reader, PROJECT_KEY " is %llu; this program knows %d",
                                (unsigned long long)version, EXPORT_VERSION);
    if (!status)
        status = th__rule_array(reader, object, "sites", 0, MOST_SITES, &sites);
    if (status)
        return status;
    size_t mark = th__rule_enter(reader, "sites");
    json_array_foreach(sites, index, site)
    {
        th_str name = {0}, folder = {0};
        size_t inner = th__rule_enter_item(reader, index);
        status = json_is_object(site) ? th__rule_text(reader, site, "name", true, names, &name)
                                      : th__rule_fault(reader, "must be an object");
        if (!status)
            status = th__rule_text(reader, site, "folder", true, names, &folder);
        if (!status && !is_below(folder))
            status = th__rule_fault(reader, "folder must be a folder below it");
        if (!status)
            status = take_site(in, name, folder);
        if (status)
            return status;
        th__rule_leave(reader, inner);
    }
    th__rule_leave(reader, mark);
    return TH_OK;
}

static th_status take_all(importer *in)
{
    th__buf text = {0};
    json_error_t problem;
    th__arena names;
    th_status status = read_file(in, TH_STR(PROJECT_FILE), &text);
    if (status) {
        th__buf_release(&text);
        return status;
    }
    th__buf file = in->path;
    in->path = (th__buf){0};
    th__arena_init(&names);
    json_t *object =
        json_loadb(text.data ? text.data : "", text.len, JSON_REJECT_DUPLICATES, &problem);
    th__rule_reader reader = {.file = file.data, .err = in->err};
    if (!object)
        status = th__fail(in->err, TH_ERR_FORMAT, "%s: is not valid JSON: line %d: %s", file.data,
                          problem.line, problem.text);
    else if (!json_is_object(object))
        status = th__rule_fault(&reader, "must be an object");
    else
        status = take_sites(in, &reader, object, &names);
    json_decref(object);
    th__arena_release(&names);
    th__buf_release(&file);
    th__buf_release(&text);
    return status;
}

th_status th_project_import(th_project *project, const char *folder, th_error *err)
{
    importer in = {.project = project, .root = folder, .err = err};
    th__arena_init(&in.arena);
    th_status status = th_project_begin(project, err);
    if (status)
        return status;
    status = th__project_number(project, &in.last_page, err,
                                "SELECT coalesce(max(id), 0) FROM page", "");
    if (!status)
        status =
            th__project_do(project, err, "CREATE TEMP TABLE known_run AS SELECT * FROM run", "");
    if (!status)
        status = th__project_do(
            project, err, "CREATE INDEX temp.known_run_started ON known_run (site, started)", "");
    if (!status)
        status = take_all(&in);
    if (!status)
        status = th__project_do(project, err, "DROP TABLE temp.known_run", "");
    if (!status)
        status = th_project_commit(project, err);
    else
        th_project_rollback(project);
    th__buf_release(&in.path);
    th__arena_release(&in.arena);
    return status;
}
