/*
 * project_export.c: all of a project as plain files.
 *
 * The folder is made beside its place under another name and renamed at the end, so that one that
 * is there is whole. All is read in one transaction: a view of one moment.
 */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json_out.h"
#include "data/outfile.h"
#include "store/project.h"
#include "store/project_files.h"

enum { OPEN_FOLDERS = 16 };

typedef struct exporter {
    th_project *project;
    th__buf root;  /* the folder being written */
    th__buf lines; /* of the index at hand */
    th__buf path;  /* scratch */
    th_text bytes; /* scratch */
    th_str site;
    unsigned site_number;
    uint64_t number; /* of the file at hand */
} exporter;

/* The full name of a file of the site at hand, NUL-terminated. */
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

static th_status put_record(void *context, const th_project_record *record, th_error *err)
{
    FILE *file = context;
    th__buf line = {0};
    th__json json = {.buf = &line};
    th__json_begin_object(&json);
    th__json_put_text(&json, "page", record->page);
    th__json_key(&json, TH_STR("record"));
    th__buf_add_str(&line, record->json);
    th__json_end_object(&json);
    th__buf_add_byte(&line, '\n');
    bool ok = !line.failed && fwrite(line.data, 1, line.len, file) == line.len;
    th_status status = line.failed ? th__fail_memory(err)
                       : ok        ? TH_OK
                                   : th__fail(err, TH_ERR_IO, "cannot write the records of a run");
    th__buf_release(&line);
    return status;
}

static th_status put_records(exporter *e, int64_t run, uint64_t number, th_error *err)
{
    const char *path = name_of(e, "runs/%llu.jsonl", number);
    FILE *file = path ? fopen(path, "wbx") : NULL;
    if (!file)
        return path ? io_fail(path, err) : th__fail_memory(err);
    th_status status = th_project_records(e->project, run, 0, UINT64_MAX, put_record, file, err);
    if (fclose(file) && !status)
        status = io_fail(path, err);
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
    th__json_key(&json, TH_STR("verdicts"));
    th__json_begin_array(&json);
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
    th__json_put_uint(&names.json, TH__PROJECT_KEY, TH__PROJECT_EXPORT_VERSION);
    th__json_key(&names.json, TH_STR("sites"));
    th__json_begin_array(&names.json);
    th_status status = th_project_sites(e->project, put_site_name, &names, err);
    th__json_end_array(&names.json);
    th__json_end_object(&names.json);
    th__buf_add_byte(&names.text, '\n');
    th__buf_clear(&e->path);
    th__buf_printf(&e->path, "%.*s/%s", TH_STR_ARG(th__buf_str(&e->root)), TH__PROJECT_FILE);
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
        return th__fail(err, TH_ERR_IO, "%s is there and not empty: export into a new folder",
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
        status =
            th__project_exec(project, project->in_transaction ? "SAVEPOINT export" : "BEGIN", err);
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
