/*
 * project.c: opening a project file, bringing it up to date, and asking it things.
 *
 * WAL lets readers and one writer work at once. Every change is made in a transaction that takes
 * the writer's place at its start, so that two processes wait for each other instead of failing
 * half way, and commits reach the disk before a function returns.
 */
#include "store/project.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "data/outfile.h"

enum {
    APPLICATION_ID = 0x54487270, /* "THrp", at byte 68 of the file */
    /* a batch of a run takes milliseconds; disks can be slow */
    BUSY_TRIES = 15000,
    BUSY_US = 2000
};

const char *const th__project_steps[] = {
    "CREATE TABLE site (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE body (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE,"
    "  size INTEGER NOT NULL, data BLOB NOT NULL);"
    "CREATE TABLE page (id INTEGER PRIMARY KEY,"
    "  site INTEGER NOT NULL REFERENCES site ON DELETE CASCADE, name TEXT NOT NULL,"
    "  url TEXT, charset TEXT, body INTEGER NOT NULL REFERENCES body, added TEXT NOT NULL);"
    "CREATE INDEX page_name ON page (site, name);"
    "CREATE INDEX page_body ON page (body);"
    "CREATE TABLE label (site INTEGER NOT NULL REFERENCES site ON DELETE CASCADE,"
    "  page TEXT NOT NULL, line TEXT NOT NULL, PRIMARY KEY (site, page)) WITHOUT ROWID;"
    "CREATE TABLE wrapper (id INTEGER PRIMARY KEY,"
    "  site INTEGER NOT NULL REFERENCES site ON DELETE CASCADE, name TEXT NOT NULL,"
    "  version INTEGER NOT NULL, engine TEXT NOT NULL, text TEXT NOT NULL, added TEXT NOT NULL,"
    "  UNIQUE (site, name, version));"
    "CREATE TABLE run (id INTEGER PRIMARY KEY,"
    "  site INTEGER NOT NULL REFERENCES site ON DELETE CASCADE, command TEXT NOT NULL,"
    "  wrapper TEXT, wrapper_version INTEGER NOT NULL, started TEXT NOT NULL, finished TEXT,"
    "  pages INTEGER NOT NULL DEFAULT 0, records INTEGER NOT NULL DEFAULT 0,"
    "  failed INTEGER NOT NULL DEFAULT 0);"
    "CREATE INDEX run_site ON run (site);"
    "CREATE TABLE record (run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,"
    "  position INTEGER NOT NULL, page TEXT NOT NULL, value TEXT NOT NULL,"
    "  PRIMARY KEY (run, position)) WITHOUT ROWID;",

    "ALTER TABLE run ADD COLUMN verdict TEXT;"
    "CREATE TABLE verdict (run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,"
    "  position INTEGER NOT NULL, field TEXT, verdict TEXT NOT NULL, evidence TEXT,"
    "  PRIMARY KEY (run, position)) WITHOUT ROWID;",

    "CREATE TABLE ignored (site INTEGER NOT NULL REFERENCES site ON DELETE CASCADE,"
    "  question TEXT NOT NULL, PRIMARY KEY (site, question)) WITHOUT ROWID;",

    "CREATE TABLE visit (site INTEGER NOT NULL REFERENCES site ON DELETE CASCADE,"
    "  address TEXT NOT NULL, kind INTEGER NOT NULL,"
    "  page INTEGER REFERENCES page ON DELETE CASCADE, text TEXT,"
    "  PRIMARY KEY (site, address)) WITHOUT ROWID;"
    "CREATE INDEX visit_page ON visit (page);",

    "CREATE TABLE source (site INTEGER NOT NULL REFERENCES site ON DELETE CASCADE,"
    "  url TEXT NOT NULL, pages INTEGER NOT NULL, render INTEGER NOT NULL, names TEXT NOT NULL,"
    "  PRIMARY KEY (site, url)) WITHOUT ROWID;"
    "CREATE TABLE schedule (id INTEGER PRIMARY KEY,"
    "  site INTEGER NOT NULL REFERENCES site ON DELETE CASCADE, wrapper TEXT NOT NULL,"
    "  every INTEGER NOT NULL, at INTEGER NOT NULL, paused INTEGER NOT NULL,"
    "  next INTEGER NOT NULL, webhook TEXT, command TEXT, last TEXT, alarm TEXT, owner TEXT,"
    "  beat INTEGER NOT NULL DEFAULT 0, UNIQUE (site, wrapper));"
    "CREATE TABLE filled (run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,"
    "  position INTEGER NOT NULL, field TEXT NOT NULL, filled INTEGER NOT NULL,"
    "  records INTEGER NOT NULL, PRIMARY KEY (run, position)) WITHOUT ROWID;",

    "CREATE TABLE asset (id INTEGER PRIMARY KEY,"
    "  site INTEGER NOT NULL REFERENCES site ON DELETE CASCADE, address TEXT NOT NULL,"
    "  type TEXT NOT NULL, body INTEGER NOT NULL REFERENCES body, added TEXT NOT NULL,"
    "  UNIQUE (site, address));"
    "CREATE INDEX asset_body ON asset (body);",
    NULL};

/* ---- statements ------------------------------------------------------------------------------ */

static th_status project_fail(const th_project *project, th_error *err)
{
    return th__sqlite_fail(project->db, project->path, err);
}

th_status th__project_exec(th_project *project, const char *sql, th_error *err)
{
    return sqlite3_exec(project->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? TH_OK
               : project_fail(project, err);
}

static int bind_value(sqlite3_stmt *statement, int index, char letter, va_list *args)
{
    if (letter == 'i')
        return sqlite3_bind_int64(statement, index, va_arg(*args, int64_t));
    th_str text = va_arg(*args, th_str);
    if (!text.ptr)
        return sqlite3_bind_null(statement, index);
    return letter == 'b' ? sqlite3_bind_blob64(statement, index, text.ptr, text.len, SQLITE_STATIC)
                         : sqlite3_bind_text64(statement, index, text.ptr, text.len, SQLITE_STATIC,
                                               SQLITE_UTF8);
}

static th_status prepare(th_project *project, sqlite3_stmt **out, th_error *err, const char *sql,
                         const char *pattern, va_list *args)
{
    int code = sqlite3_prepare_v2(project->db, sql, -1, out, NULL);
    for (int i = 0; code == SQLITE_OK && pattern[i]; i++)
        code = bind_value(*out, i + 1, pattern[i], args);
    if (code == SQLITE_OK)
        return TH_OK;
    th_status status = project_fail(project, err);
    sqlite3_finalize(*out);
    *out = NULL;
    return status;
}

th_status th__project_prepare(th_project *project, sqlite3_stmt **out, th_error *err,
                              const char *sql, const char *pattern, ...)
{
    va_list args;
    va_start(args, pattern);
    th_status status = prepare(project, out, err, sql, pattern, &args);
    va_end(args);
    return status;
}

/* A project may come from anybody, and SQLite keeps any value in any column: those of a row must be
 * of the types that the tables declare. What an expression gives has no declared type. */
static th_status check_row(const th_project *project, sqlite3_stmt *row, th_error *err)
{
    static const char *const may_be_null[] = {"url",     "charset", "wrapper",  "finished",
                                              "verdict", "field",   "evidence", "webhook",
                                              "shell",   "last",    "alarm",    "owner"};
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        const char *declared = sqlite3_column_decltype(row, i), *name = sqlite3_column_name(row, i);
        int type = sqlite3_column_type(row, i);
        bool right = !declared;
        if (declared && type == SQLITE_NULL)
            for (size_t k = 0; k < sizeof may_be_null / sizeof *may_be_null; k++)
                right |= name && !strcmp(name, may_be_null[k]);
        else if (declared && !strcmp(declared, "INTEGER"))
            right = type == SQLITE_INTEGER && sqlite3_column_int64(row, i) >= 0;
        else if (declared)
            right = type == (strcmp(declared, "TEXT") ? SQLITE_BLOB : SQLITE_TEXT);
        if (!right)
            return th__fail(err, TH_ERR_FORMAT, "%s is damaged: a \"%s\" is not valid",
                            project->path, name ? name : "");
    }
    return TH_OK;
}

th_status th__project_step(th_project *project, sqlite3_stmt *statement, th_error *err)
{
    switch (sqlite3_step(statement)) {
    case SQLITE_ROW:
        return check_row(project, statement, err);
    case SQLITE_DONE:
        return TH_DONE;
    }
    return project_fail(project, err);
}

th_status th__project_close(sqlite3_stmt *statement, th_status status)
{
    sqlite3_finalize(statement);
    return status == TH_DONE ? TH_OK : status;
}

th_status th__project_do(th_project *project, th_error *err, const char *sql, const char *pattern,
                         ...)
{
    sqlite3_stmt *statement;
    va_list args;
    va_start(args, pattern);
    th_status status = prepare(project, &statement, err, sql, pattern, &args);
    va_end(args);
    if (!status)
        status = th__project_close(statement, th__project_step(project, statement, err));
    return status;
}

th_status th__project_number(th_project *project, int64_t *out, th_error *err, const char *sql,
                             const char *pattern, ...)
{
    sqlite3_stmt *statement;
    va_list args;
    va_start(args, pattern);
    th_status status = prepare(project, &statement, err, sql, pattern, &args);
    va_end(args);
    if (status)
        return status;
    status = th__project_step(project, statement, err);
    if (!status)
        *out = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return status;
}

th_str th__project_column(sqlite3_stmt *statement, int column)
{
    const void *bytes = sqlite3_column_blob(statement, column);
    size_t len = (size_t)sqlite3_column_bytes(statement, column);
    if (sqlite3_column_type(statement, column) == SQLITE_NULL)
        return (th_str){0};
    return (th_str){len ? bytes : "", len};
}

/* ---- transactions ---------------------------------------------------------------------------- */

th_status th_project_begin(th_project *project, th_error *err)
{
    if (project->in_transaction)
        return th__fail(err, TH_ERR_ARGUMENT, "transactions of a project do not nest");
    th_status status = th__project_exec(project, "BEGIN IMMEDIATE", err);
    project->in_transaction = status == TH_OK;
    return status;
}

th_status th_project_commit(th_project *project, th_error *err)
{
    if (!project->in_transaction)
        return th__fail(err, TH_ERR_ARGUMENT, "no transaction to commit");
    th_status status = th__project_exec(project, "COMMIT", err);
    if (status)
        th_project_rollback(project);
    project->in_transaction = false;
    return status;
}

void th_project_rollback(th_project *project)
{
    if (!sqlite3_get_autocommit(project->db)) /* some errors have rolled back already */
        sqlite3_exec(project->db, "ROLLBACK", NULL, NULL, NULL);
    project->in_transaction = false;
    th__project_clear_queue(project);
}

/* Inside a transaction of the caller's, a savepoint: a function that fails leaves no half. */
th_status th__project_enter(th_project *project, th_error *err)
{
    return th__project_exec(project, project->in_transaction ? "SAVEPOINT step" : "BEGIN IMMEDIATE",
                            err);
}

th_status th__project_leave(th_project *project, th_status status, th_error *err)
{
    bool inner = project->in_transaction;
    if (!status)
        status = th__project_exec(project, inner ? "RELEASE step" : "COMMIT", err);
    if (!status || sqlite3_get_autocommit(project->db))
        return status;
    sqlite3_exec(project->db, inner ? "ROLLBACK TO step; RELEASE step" : "ROLLBACK", NULL, NULL,
                 NULL);
    return status;
}

/* ---- opening --------------------------------------------------------------------------------- */

static uint32_t big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The first bytes of a file, through SQLite's own layer: closing any other descriptor of the file
 * would drop the locks that connections of this process hold on it, as POSIX has it. The next
 * process to close the project would then take itself for the last one and remove the WAL under
 * us, and what we commit after that would be seen by nobody and lost. */
static th_status read_head(const char *path, unsigned char *head, size_t size, sqlite3_int64 *len,
                           th_error *err)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    const char *name = vfs ? sqlite3_create_filename(path, "", "", 0, NULL) : NULL;
    sqlite3_file *file = name ? th__mem_alloc((size_t)vfs->szOsFile) : NULL;
    int code = SQLITE_NOMEM;
    if (file) {
        memset(file, 0, (size_t)vfs->szOsFile);
        code = vfs->xOpen(vfs, name, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, NULL);
        if (!code)
            code = file->pMethods->xFileSize(file, len);
        if (!code && *len)
            code = file->pMethods->xRead(file, head, (int)size, 0);
        if (file->pMethods)
            file->pMethods->xClose(file);
    }
    th__mem_free(file);
    sqlite3_free_filename((char *)name);
    if (code == SQLITE_NOMEM)
        return th__fail_memory(err);
    return code && code != SQLITE_IOERR_SHORT_READ
               ? th__fail(err, TH_ERR_IO, "cannot read %s: %s", path, sqlite3_errstr(code))
               : TH_OK;
}

/* SQLite would play a journal into a file and lock it before it finds that it is none of ours: so
 * the file's first bytes are looked at first. An empty one is a project whose making was broken
 * off. */
static th_status look_at(const char *path, th_project_mode mode, bool *fresh, th_error *err)
{
    unsigned char head[100];
    char space[128];
    struct stat info;
    sqlite3_int64 len = 0;
    int number = stat(path, &info) || access(path, R_OK) ? errno : 0;
    if (!number && S_ISDIR(info.st_mode))
        number = EISDIR;
    if (number == ENOENT && mode != TH_PROJECT_OPEN) {
        *fresh = true;
        return TH_OK;
    }
    if (number == ENOENT)
        return th__fail(err, TH_ERR_IO, "no project %s: `thresh project new %s` creates it", path,
                        path);
    if (number)
        return th__fail(err, TH_ERR_IO, "cannot read %s: %s", path,
                        th__errno_text(number, space, sizeof space));
    th_status status = read_head(path, head, sizeof head, &len, err);
    if (status)
        return status;
    *fresh = len == 0;
    if (mode == TH_PROJECT_NEW && len)
        return th__fail(err, TH_ERR_IO, "%s already exists: choose another name", path);
    if (len && (len < (sqlite3_int64)sizeof head || memcmp(head, "SQLite format 3", 16) ||
                big_endian(head + 68) != APPLICATION_ID))
        return th__fail(err, TH_ERR_FORMAT, "%s is not a thresh project; it was left unchanged",
                        path);
    return TH_OK;
}

static int64_t known_version(void)
{
    int64_t count = 0;
    while (th__project_steps[count])
        count++;
    return count;
}

/* Returns true if a file has the tables and indexes of `model` and nothing else. ANALYZE's own
 * tables are nobody's concern. */
static bool same_tables(sqlite3 *file, sqlite3 *model)
{
    static const char sql[] = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
                              " WHERE name NOT GLOB 'sqlite_stat[0-9]' ORDER BY type, name";
    sqlite3_stmt *a = NULL, *b = NULL;
    bool same = sqlite3_prepare_v2(file, sql, -1, &a, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(model, sql, -1, &b, NULL) == SQLITE_OK;
    for (int step = SQLITE_ROW; same && step == SQLITE_ROW;) {
        step = sqlite3_step(a);
        same = step == sqlite3_step(b) && (step == SQLITE_ROW || step == SQLITE_DONE);
        for (int i = 0; same && step == SQLITE_ROW && i < 4; i++)
            same = th__str_eq(th__project_column(a, i), th__project_column(b, i));
    }
    sqlite3_finalize(a);
    sqlite3_finalize(b);
    return same;
}

/* Refuses a file whose version we do not know, or whose tables are not those of its version: a view
 * or a trigger in their place would run as SQL what the file's maker wrote. */
static th_status check_tables(th_project *project, int64_t *version, th_error *err)
{
    sqlite3 *model = NULL;
    th_status status = th__project_number(project, version, err, "PRAGMA user_version", "");
    if (status)
        return status;
    if (*version < 0)
        return th__fail(err, TH_ERR_FORMAT, "%s is not a thresh project: its version is %lld",
                        project->path, (long long)*version);
    if (*version > known_version())
        return th__fail(err, TH_ERR_FORMAT,
                        "%s was made by a newer thresh (its version is %lld, this program knows "
                        "%lld); it was left unchanged",
                        project->path, (long long)*version, (long long)known_version());
    int code = sqlite3_open_v2(":memory:", &model, SQLITE_OPEN_READWRITE, NULL);
    for (int64_t i = 0; code == SQLITE_OK && i < *version; i++)
        code = sqlite3_exec(model, th__project_steps[i], NULL, NULL, NULL);
    if (code != SQLITE_OK)
        status = th__fail_memory(err);
    else if (!same_tables(project->db, model))
        status = th__fail(err, TH_ERR_FORMAT,
                          "%s is not a thresh project, or is damaged: its tables are not those "
                          "of version %lld; it was left unchanged",
                          project->path, (long long)*version);
    sqlite3_close(model);
    return status;
}

/* Brings the file from the version it has to the one we know, in one transaction. */
static th_status migrate(th_project *project, th_error *err)
{
    int64_t version = 0;
    char sql[64];
    /* Others may change the file: its version and its tables are read at one moment. */
    th_status status = th__project_exec(project, "BEGIN", err);
    if (status)
        return status;
    status = th__project_leave(project, check_tables(project, &version, err), err);
    if (status || version == known_version())
        return status;
    status = th__project_exec(project, "BEGIN IMMEDIATE", err);
    if (status)
        return status;
    status = check_tables(project, &version, err);
    for (; !status && version < known_version(); version++)
        status = th__project_exec(project, th__project_steps[version], err);
    snprintf(sql, sizeof sql, "PRAGMA user_version = %lld", (long long)known_version());
    if (!status)
        status = th__project_exec(project, sql, err);
    return th__project_leave(project, status, err);
}

/* SQLite's own waiting sleeps longer and longer, and never gets its turn beside a writer that comes
 * back at once. */
static int wait_for_others(void *context, int tries)
{
    usleep(BUSY_US / 2 + (unsigned)(tries * 733) % BUSY_US);
    return tries < BUSY_TRIES;
}

/* Returns true if a project can only be read: on a medium that is read-only, or somebody else's.
 * Not one with a WAL: there is news in it that may not be read in, or somebody is writing. */
static bool is_read_only(const char *path)
{
    char name[PATH_MAX];
    struct stat info;
    const char *slash = strrchr(path, '/');
    int len = slash ? (int)(slash - path + 1) : 2;
    snprintf(name, sizeof name, "%.*s", len, slash ? path : "./");
    if (!access(path, W_OK) && !access(name, W_OK))
        return false;
    len = snprintf(name, sizeof name, "%s-wal", path);
    return len < (int)sizeof name && (stat(name, &info) || !info.st_size);
}

/* WAL wants to write a file beside the project even to read it, unless SQLite is told that nobody
 * writes. */
static int open_read_only(const char *path, sqlite3 **out)
{
    th__buf uri = {0};
    th__buf_printf(&uri, "file:");
    for (; *path; path++)
        if (strchr("%?#", *path))
            th__buf_printf(&uri, "%%%02X", (unsigned)*path);
        else
            th__buf_add_byte(&uri, *path);
    th__buf_printf(&uri, "?immutable=1");
    int code = SQLITE_NOMEM;
    if (!uri.failed && th__buf_add_byte(&uri, '\0'))
        code = sqlite3_open_v2(uri.data, out, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    th__buf_release(&uri);
    return code;
}

static th_status connect(th_project *project, bool fresh, th_error *err)
{
    char sql[64];
    int flags = SQLITE_OPEN_READWRITE | (fresh ? SQLITE_OPEN_CREATE : 0);
    int code = !fresh && is_read_only(project->path)
                   ? open_read_only(project->path, &project->db)
                   : sqlite3_open_v2(project->path, &project->db, flags, NULL);
    if (code != SQLITE_OK)
        return project->db ? project_fail(project, err) : th__fail_memory(err);
    sqlite3_busy_handler(project->db, wait_for_others, NULL);
    sqlite3_db_config(project->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(project->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    th_status status = TH_OK;
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d", APPLICATION_ID);
    if (fresh)
        status = th__project_exec(project, sql, err);
    if (!status)
        status = th__project_exec(project,
                                  "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                                  "PRAGMA foreign_keys = ON; PRAGMA cache_size = -16384;"
                                  "PRAGMA cell_size_check = ON",
                                  err);
    return status ? status : migrate(project, err);
}

th_status th__project_open_private(th_project **out, th_error *err)
{
    th_project *project = TH__NEW(th_project);
    *out = NULL;
    if (!project)
        return th__fail_memory(err);
    project->path = th__mem_copy("", 0); /* SQLite makes a file that is gone when it is closed */
    th_status status = project->path ? connect(project, true, err) : th__fail_memory(err);
    if (status)
        th_project_free(project);
    else
        *out = project;
    return status;
}

th_status th_project_open(const char *path, th_project_mode mode, th_project **out, th_error *err)
{
    bool fresh = false;
    *out = NULL;
    th_status status = look_at(path, mode, &fresh, err);
    if (status)
        return status;
    th_project *project = TH__NEW(th_project);
    if (!project)
        return th__fail_memory(err);
    project->path = th__mem_alloc(strlen(path) + 1);
    if (project->path)
        memcpy(project->path, path, strlen(path) + 1);
    status = project->path ? connect(project, fresh, err) : th__fail_memory(err);
    if (status)
        th_project_free(project);
    else
        *out = project;
    return status;
}

void th_project_free(th_project *project)
{
    if (!project)
        return;
    th__project_clear_queue(project);
    th__vec_release(&project->queue);
    sqlite3_close(project->db);
    th__mem_free(project->path);
    th__mem_free(project);
}

/* ---- sites ----------------------------------------------------------------------------------- */

th_status th__project_site(th_project *project, th_str site, int64_t *id, th_error *err)
{
    if (!site.ptr || !site.len)
        return th__fail(err, TH_ERR_ARGUMENT, "a site needs a name");
    th_status status =
        th__project_number(project, id, err, "SELECT id FROM site WHERE name = ?", "t", site);
    if (status != TH_DONE)
        return status;
    status = th__project_do(project, err, "INSERT INTO site (name) VALUES (?)", "t", site);
    *id = sqlite3_last_insert_rowid(project->db);
    return status;
}

th_status th_project_sites(th_project *project,
                           th_status (*each)(void *context, const th_project_site *site,
                                             th_error *err),
                           void *context, th_error *err)
{
    sqlite3_stmt *rows;
    th_status status = th__project_prepare(
        project, &rows, err,
        "SELECT name, (SELECT count(DISTINCT page.name) FROM page WHERE page.site = site.id),"
        " (SELECT count(*) FROM label WHERE label.site = site.id),"
        " (SELECT count(DISTINCT wrapper.name) FROM wrapper WHERE wrapper.site = site.id),"
        " (SELECT count(*) FROM run WHERE run.site = site.id) FROM site ORDER BY id",
        "");
    while (!status && !(status = th__project_step(project, rows, err))) {
        th_project_site site = {.name = th__project_column(rows, 0),
                                .pages = (uint64_t)sqlite3_column_int64(rows, 1),
                                .labels = (uint64_t)sqlite3_column_int64(rows, 2),
                                .wrappers = (uint64_t)sqlite3_column_int64(rows, 3),
                                .runs = (uint64_t)sqlite3_column_int64(rows, 4)};
        status = each(context, &site, err);
    }
    return th__project_close(rows, status);
}

th_status th_project_remove_site(th_project *project, th_str site, bool *removed, th_error *err)
{
    th_status status = th__project_enter(project, err);
    if (status)
        return status;
    status = th__project_do(project, err, "DELETE FROM site WHERE name = ?", "t", site);
    *removed = !status && sqlite3_changes(project->db) > 0;
    return th__project_leave(project, status, err);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static th_status check_file(th_project *project, th_error *err)
{
    sqlite3_stmt *rows;
    th_status status = th__project_prepare(project, &rows, err, "PRAGMA integrity_check(1)", "");
    if (!status)
        status = th__project_step(project, rows, err);
    if (!status && !th__str_eq(th__project_column(rows, 0), TH_STR("ok")))
        status = th__fail(err, TH_ERR_FORMAT, "%s is damaged: %.*s", project->path,
                          TH_STR_ARG(th__project_column(rows, 0)));
    return th__project_close(rows, status);
}

th_status th_project_check(th_project *project, th_error *err)
{
    sqlite3_stmt *rows = NULL;
    th_text bytes = {0};
    th_status status = check_file(project, err);
    if (!status)
        status = th__project_prepare(project, &rows, err, "SELECT id FROM page", "");
    while (!status && !(status = th__project_step(project, rows, err)))
        status = th_project_page_bytes(project, sqlite3_column_int64(rows, 0), &bytes, err);
    status = th__project_close(rows, status);
    rows = NULL;
    if (!status)
        status = th__project_prepare(project, &rows, err, "SELECT id FROM asset", "");
    while (!status && !(status = th__project_step(project, rows, err)))
        status = th__project_asset_bytes(project, sqlite3_column_int64(rows, 0), &bytes, err);
    th_text_release(&bytes);
    return th__project_close(rows, status);
}

th_status th_project_tidy(th_project *project, th_error *err)
{
    th_status status = th__project_enter(project, err);
    if (status)
        return status;
    status = th__project_exec(
        project,
        "DELETE FROM run WHERE finished IS NULL AND started < "
        "strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-1 day');"
        "DELETE FROM asset WHERE NOT EXISTS (SELECT 1 FROM page WHERE page.site = asset.site);"
        "DELETE FROM body WHERE NOT EXISTS (SELECT 1 FROM page WHERE page.body = body.id)"
        " AND NOT EXISTS (SELECT 1 FROM asset WHERE asset.body = body.id);",
        err);
    return th__project_leave(project, status, err);
}
