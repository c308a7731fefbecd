/*
 * project.c: opening a project file, bringing it up to date, asking it things; its sites, pages and
 * labels, and what pages look with.
 *
 * WAL lets readers and one writer work at once. Every change is made in a transaction that takes
 * the writer's place at its start, so that two processes wait for each other instead of failing
 * half way, and commits reach the disk before a function returns.
 */
#include "store/project.h"

#include <errno.h>
#include <libdeflate.h>
#include <limits.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "base/str.h"

enum {
    LEVEL = 6,
    LARGEST = 1 << 30,
    MOST_RATIO = 1032,     /* deflate cannot do better */
    QUEUE_PAGES = 100,     /* a queue with more pages, */
    QUEUE_BYTES = 8 << 20, /* more bytes, */
    QUEUE_SECONDS = 1,     /* or a page that waits so long is written */
    LOOKED_AT = 1024,      /* bytes of an asset */
    LARGEST_ASSET = 64 << 20,
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

/* A statement with its values, the first of which may be the number `first`. */
static th__rows ask(th_project *project, const int64_t *first, th_error *err, const char *sql,
                    const char *pattern, va_list *args)
{
    th__rows rows = {.project = project, .err = err};
    int code = sqlite3_prepare_v2(project->db, sql, -1, &rows.statement, NULL), index = 1;
    if (code == SQLITE_OK && first)
        code = sqlite3_bind_int64(rows.statement, index++, *first);
    for (int i = 0; code == SQLITE_OK && pattern[i]; i++)
        code = bind_value(rows.statement, index++, pattern[i], args);
    if (code != SQLITE_OK)
        rows.status = project_fail(project, err);
    return rows;
}

th__rows th__project_rows(th_project *project, th_error *err, const char *sql, const char *pattern,
                          ...)
{
    va_list args;
    va_start(args, pattern);
    th__rows rows = ask(project, NULL, err, sql, pattern, &args);
    va_end(args);
    return rows;
}

/* A project file may be untrusted, and SQLite keeps any value in any column: values of a row must
 * have the types that the tables declare. Expressions have no declared type. */
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

/* A column of the current row as text; absent for null. */
static th_str column(sqlite3_stmt *statement, int at)
{
    const void *bytes = sqlite3_column_blob(statement, at);
    size_t len = (size_t)sqlite3_column_bytes(statement, at);
    if (sqlite3_column_type(statement, at) == SQLITE_NULL)
        return (th_str){0};
    return (th_str){len ? bytes : "", len};
}

static void read_column(sqlite3_stmt *row, int at, char letter, void *out)
{
    int64_t number = letter == 't' ? 0 : sqlite3_column_int64(row, at);
    switch (letter) {
    case 't':
        *(th_str *)out = column(row, at);
        break;
    case 'i':
        *(int64_t *)out = number;
        break;
    case 'u':
        *(uint64_t *)out = (uint64_t)number;
        break;
    case 'n':
        *(uint32_t *)out = (uint32_t)number;
        break;
    case 'f':
        *(bool *)out = number != 0;
        break;
    }
}

bool th__rows_next(th__rows *rows, const char *pattern, ...)
{
    int code = rows->status ? SQLITE_DONE : sqlite3_step(rows->statement);
    if (code == SQLITE_DONE)
        return false;
    rows->any = true;
    rows->status = code == SQLITE_ROW ? check_row(rows->project, rows->statement, rows->err)
                                      : project_fail(rows->project, rows->err);
    va_list args;
    va_start(args, pattern);
    for (int i = 0; !rows->status && pattern[i]; i++)
        read_column(rows->statement, i, pattern[i], va_arg(args, void *));
    va_end(args);
    return !rows->status;
}

th_status th__rows_end(th__rows *rows)
{
    sqlite3_finalize(rows->statement);
    return rows->status == TH_DONE ? TH_OK : rows->status;
}

th_status th__rows_found(th__rows *rows)
{
    th_status status = th__rows_end(rows);
    return status || rows->any ? status : TH_DONE;
}

/* Runs a statement that gives nothing. */
static th_status run_to_end(th__rows rows)
{
    th__rows_next(&rows, "");
    return th__rows_end(&rows);
}

th_status th__project_do(th_project *project, th_error *err, const char *sql, const char *pattern,
                         ...)
{
    va_list args;
    va_start(args, pattern);
    th__rows rows = ask(project, NULL, err, sql, pattern, &args);
    va_end(args);
    return run_to_end(rows);
}

th_status th__project_change(th_project *project, bool *changed, th_error *err, const char *sql,
                             const char *pattern, ...)
{
    va_list args;
    th_status status = th__project_enter(project, err);
    if (changed)
        *changed = false;
    if (status)
        return status;
    va_start(args, pattern);
    status = run_to_end(ask(project, NULL, err, sql, pattern, &args));
    va_end(args);
    if (changed)
        *changed = !status && sqlite3_changes(project->db) > 0;
    return th__project_leave(project, status, err);
}

th_status th__project_change_site(th_project *project, th_str site, th_error *err, const char *sql,
                                  const char *pattern, ...)
{
    va_list args;
    int64_t id = 0;
    th_status status = th__project_enter(project, err);
    if (status)
        return status;
    status = th__project_site(project, site, &id, err);
    va_start(args, pattern);
    if (!status)
        status = run_to_end(ask(project, &id, err, sql, pattern, &args));
    va_end(args);
    return th__project_leave(project, status, err);
}

th_status th__project_number(th_project *project, int64_t *out, th_error *err, const char *sql,
                             const char *pattern, ...)
{
    va_list args;
    va_start(args, pattern);
    th__rows row = ask(project, NULL, err, sql, pattern, &args);
    va_end(args);
    th__rows_next(&row, "i", out);
    return th__rows_found(&row);
}

/* Forgets the pages that wait to be added. */
static void clear_queue(th_project *project)
{
    for (size_t i = 0; i < project->queue.len; i++) {
        th__mem_free(project->queue.data[i].site);
        th_input_free(project->queue.data[i].input);
    }
    project->queue.len = 0;
    project->queue_bytes = 0;
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
    clear_queue(project);
}

/* Inside of another change, a savepoint: a function that fails leaves no half. */
th_status th__project_enter(th_project *project, th_error *err)
{
    bool inner = project->in_transaction || project->depth;
    th_status status = th__project_exec(project, inner ? "SAVEPOINT step" : "BEGIN IMMEDIATE", err);
    project->depth += !status;
    return status;
}

/* Ends a transaction or, inside of one, a savepoint. */
static th_status end_change(th_project *project, bool inner, th_status status, th_error *err)
{
    if (!status)
        status = th__project_exec(project, inner ? "RELEASE step" : "COMMIT", err);
    if (status && !sqlite3_get_autocommit(project->db)) /* some errors have rolled back already */
        sqlite3_exec(project->db, inner ? "ROLLBACK TO step; RELEASE step" : "ROLLBACK", NULL, NULL,
                     NULL);
    return status;
}

th_status th__project_leave(th_project *project, th_status status, th_error *err)
{
    project->depth--;
    return end_change(project, project->in_transaction || project->depth, status, err);
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

/* SQLite would replay a journal into a file and lock it before it finds that the file is not a
 * project: so check its first bytes first. An empty file is a project whose creation was
 * interrupted. */
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
 * tables are ignored. */
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
            same = th__str_eq(column(a, i), column(b, i));
    }
    sqlite3_finalize(a);
    sqlite3_finalize(b);
    return same;
}

/* Refuses a file of an unknown version, or whose tables are not those of its version: a view or a
 * trigger in their place would run the file author's SQL. */
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
    status = end_change(project, false, check_tables(project, &version, err), err);
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
    return end_change(project, false, status, err);
}

/* SQLite's own waiting sleeps longer and longer, and never gets its turn beside a writer that comes
 * back at once. */
static int wait_for_others(void *context, int tries)
{
    usleep(BUSY_US / 2 + (unsigned)(tries * 733) % BUSY_US);
    return tries < BUSY_TRIES;
}

/* Returns true if a project can only be read: on a read-only medium, or without permission. Not one
 * with a WAL: it may contain unread changes, or another process is writing. */
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

/* WAL needs to write a file beside the project even to read it, unless SQLite knows that there are
 * no writers. */
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

th_status th_project_open(const char *path, th_project_mode mode, th_project **out, th_error *err)
{
    bool fresh = !path;
    *out = NULL;
    th_status status = path ? look_at(path, mode, &fresh, err) : TH_OK;
    if (status)
        return status;
    th_project *project = TH__NEW(th_project);
    if (!project)
        return th__fail_memory(err);
    /* SQLite makes a file without a name that is gone when it is closed. */
    project->path = th__mem_copy(path, path ? strlen(path) : 0);
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
    clear_queue(project);
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
    th__rows rows = th__project_rows(
        project, err,
        "SELECT name, (SELECT count(DISTINCT page.name) FROM page WHERE page.site = site.id),"
        " (SELECT count(*) FROM label WHERE label.site = site.id),"
        " (SELECT count(DISTINCT wrapper.name) FROM wrapper WHERE wrapper.site = site.id),"
        " (SELECT count(*) FROM run WHERE run.site = site.id) FROM site ORDER BY id",
        "");
    th_project_site site;
    while (th__rows_next(&rows, "tuuuu", &site.name, &site.pages, &site.labels, &site.wrappers,
                         &site.runs))
        rows.status = each(context, &site, err);
    return th__rows_end(&rows);
}

th_status th_project_remove_site(th_project *project, th_str site, bool *removed, th_error *err)
{
    return th__project_change(project, removed, err, "DELETE FROM site WHERE name = ?", "t", site);
}

/* ---- contents -------------------------------------------------------------------------------- */

/* A content is kept once, compressed, under its SHA-256: an attacker who writes pages must not be
 * able to have one taken for another. */

static th_str digest_of(th_str bytes, uint8_t out[SHA256_DIGEST_SIZE])
{
    struct sha256_ctx sha;
    sha256_init(&sha);
    sha256_update(&sha, bytes.len, (const uint8_t *)bytes.ptr);
    sha256_digest(&sha, SHA256_DIGEST_SIZE, out);
    return (th_str){(const char *)out, SHA256_DIGEST_SIZE};
}

static th_status deflate(th_str bytes, th__buf *out, th_error *err)
{
    struct libdeflate_compressor *deflater = libdeflate_alloc_compressor(LEVEL);
    if (!deflater)
        return th__fail_memory(err);
    size_t bound = libdeflate_deflate_compress_bound(deflater, bytes.len);
    if (th__buf_reserve(out, bound))
        out->len = libdeflate_deflate_compress(deflater, bytes.ptr, bytes.len, out->data, bound);
    libdeflate_free_compressor(deflater);
    return out->failed ? th__fail_memory(err) : TH_OK;
}

/* Keeps a content, once; gives its id. */
static th_status add_body(th_project *project, th_str bytes, int64_t *id, th_error *err)
{
    uint8_t space[SHA256_DIGEST_SIZE];
    th_str digest = digest_of(bytes, space);
    th_status status =
        th__project_number(project, id, err, "SELECT id FROM body WHERE digest = ?", "b", digest);
    if (status != TH_DONE)
        return status;
    th__buf data = {0};
    status = deflate(bytes, &data, err);
    if (!status)
        status =
            th__project_do(project, err, "INSERT INTO body (digest, size, data) VALUES (?, ?, ?)",
                           "bib", digest, (int64_t)bytes.len, th__buf_str(&data));
    *id = sqlite3_last_insert_rowid(project->db);
    th__buf_release(&data);
    return status;
}

static th_status damaged(const th_project *project, const char *what, int64_t id, th_error *err)
{
    return th__fail(err, TH_ERR_FORMAT, "%s is damaged: %s %lld cannot be read back", project->path,
                    what, (long long)id);
}

/* The content that was kept as `data`, checked against its digest; `what` and `id` name it in a
 * message. */
static th_status read_body(const th_project *project, const char *what, int64_t id, th_str digest,
                           int64_t size, th_str data, th_text *out, th_error *err)
{
    uint8_t space[SHA256_DIGEST_SIZE];
    if (size > LARGEST || (uint64_t)size > data.len * MOST_RATIO)
        return damaged(project, what, id, err);
    th__buf bytes = {out->ptr, 0, out->cap, false};
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    bool room = inflater && th__buf_reserve(&bytes, (size_t)size + 1);
    enum libdeflate_result result =
        room ? libdeflate_deflate_decompress(inflater, data.ptr, data.len, bytes.data, (size_t)size,
                                             NULL)
             : LIBDEFLATE_SUCCESS;
    if (inflater)
        libdeflate_free_decompressor(inflater);
    *out = (th_text){bytes.data, 0, bytes.cap};
    if (!room)
        return th__fail_memory(err);
    out->len = (size_t)size;
    out->ptr[size] = '\0';
    if (result != LIBDEFLATE_SUCCESS ||
        !th__str_eq(digest, digest_of((th_str){out->ptr, out->len}, space)))
        return damaged(project, what, id, err);
    return TH_OK;
}

/* The content of a page or an asset, which a statement finds by its id; TH_DONE if there is none.
 */
static th_status bytes_of(th_project *project, const char *what, const char *sql, int64_t id,
                          th_text *out, th_error *err)
{
    th_str digest, data;
    int64_t size;
    th__rows row = th__project_rows(project, err, sql, "i", id);
    if (th__rows_next(&row, "tit", &digest, &size, &data))
        row.status = read_body(project, what, id, digest, size, data, out, err);
    return th__rows_found(&row);
}

th_status th_project_page_bytes(th_project *project, int64_t id, th_text *out, th_error *err)
{
    th_status status = bytes_of(project, "page",
                                "SELECT digest, size, data FROM page LEFT JOIN body"
                                " ON body.id = page.body WHERE page.id = ?",
                                id, out, err);
    return status == TH_DONE
               ? th__fail(err, TH_ERR_ARGUMENT, "%s has no page %lld", project->path, (long long)id)
               : status;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* The latest page of a name is the one that was added last. */
#define LATEST                                                                                     \
    "(SELECT max(id) FROM page AS other WHERE other.site = page.site AND "                         \
    "other.name = page.name)"

static th_status add_page(th_project *project, th_str site, th_str name,
                          const th_page_source *source, th_str bytes, int64_t *id, bool *added,
                          th_error *err)
{
    int64_t site_id = 0, body = 0;
    th_status status = th__project_site(project, site, &site_id, err);
    if (!status)
        status = add_body(project, bytes, &body, err);
    if (!status)
        status = th__project_number(project, id, err,
                                    "SELECT id FROM page WHERE site = ? AND name = ? AND body = ?"
                                    " AND id = " LATEST,
                                    "iti", site_id, name, body);
    *added = status == TH_DONE;
    if (status != TH_DONE)
        return status;
    status = th__project_do(project, err,
                            "INSERT INTO page (site, name, url, charset, body, added)"
                            " VALUES (?, ?, ?, ?, ?, " TH__NOW ")",
                            "ittti", site_id, name, source->url, source->charset, body);
    *id = sqlite3_last_insert_rowid(project->db);
    return status;
}

static th_status check_page(th_str name, th_str bytes, th_error *err)
{
    if (!name.ptr || !name.len)
        return th__fail(err, TH_ERR_ARGUMENT, "a page needs a name");
    if (bytes.len > LARGEST)
        return th__fail(err, TH_ERR_LIMIT, "%.*s: pages of a project have at most %d bytes",
                        TH_STR_ARG(name), LARGEST);
    return TH_OK;
}

th_status th_project_add_page(th_project *project, th_str site, th_str name,
                              const th_page_source *source, th_str bytes, int64_t *id, bool *added,
                              th_error *err)
{
    th_page_source none = {0};
    int64_t own_id;
    bool own_added;
    th_status status = check_page(name, bytes, err);
    if (!status)
        status = th__project_enter(project, err);
    if (status)
        return status;
    status = add_page(project, site, name, source ? source : &none, bytes, id ? id : &own_id,
                      added ? added : &own_added, err);
    return th__project_leave(project, status, err);
}

/* ---- the queue of pages to add --------------------------------------------------------------- */

static th_status write_queue(th_project *project, th_error *err)
{
    uint64_t count = 0;
    th_status status = project->queue.len ? th__project_enter(project, err) : TH_OK;
    if (status || !project->queue.len)
        return status;
    for (size_t i = 0; !status && i < project->queue.len; i++) {
        const th__queued_page *page = &project->queue.data[i];
        th_page_source source;
        int64_t id;
        bool added = false;
        th_input_source(page->input, &source);
        status = add_page(project, th_str_from(page->site), th_input_name(page->input), &source,
                          th_input_bytes(page->input), &id, &added, err);
        count += added;
    }
    status = th__project_leave(project, status, err);
    if (!status) {
        project->queue_added += count;
        project->queue_known += project->queue.len - count;
    }
    clear_queue(project);
    return status;
}

static uint64_t seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec;
}

th_status th_project_queue_page(th_project *project, th_str site, th_input *input, th_error *err)
{
    th__queued_page page = {th__mem_copy(site.ptr, site.len), input};
    th_str name = th_input_name(input);
    th_status status = check_page(name, th_input_bytes(input), err);
    if (!status && (!page.site || !th__vec_push(&project->queue, page)))
        status = th__fail_memory(err);
    if (status) {
        th__mem_free(page.site);
        th_input_free(input);
        return status;
    }
    if (project->queue.len == 1)
        project->queue_since = seconds();
    project->queue_bytes += th_input_bytes(input).len;
    return project->queue.len >= QUEUE_PAGES || project->queue_bytes >= QUEUE_BYTES ||
                   seconds() - project->queue_since >= QUEUE_SECONDS
               ? write_queue(project, err)
               : TH_OK;
}

th_status th_project_add_queued(th_project *project, uint64_t *added, uint64_t *known,
                                th_error *err)
{
    th_status status = write_queue(project, err);
    if (added)
        *added = project->queue_added;
    if (known)
        *known = project->queue_known;
    project->queue_added = project->queue_known = 0;
    return status;
}

th_status th_project_remove_page(th_project *project, int64_t id, bool *removed, th_error *err)
{
    return th__project_change(project, removed, err, "DELETE FROM page WHERE id = ?", "i", id);
}

th_status th_project_page_site(th_project *project, int64_t id, th_text *out, th_error *err)
{
    th_str name;
    th__rows row = th__project_rows(
        project, err,
        "SELECT site.name FROM page JOIN site ON site.id = page.site WHERE page.id = ?", "i", id);
    if (th__rows_next(&row, "t", &name))
        row.status = th__text_set(out, name, err);
    return th__rows_found(&row);
}

th_status th_project_pages(th_project *project, th_str site, bool all,
                           th_status (*each)(void *context, const th_project_page *page,
                                             th_error *err),
                           void *context, th_error *err)
{
    th__rows rows = th__project_rows(
        project, err,
        "SELECT page.id, site.name, page.name, page.url, page.charset, page.added, body.size,"
        " page.id = " LATEST " AS latest,"
        " EXISTS (SELECT 1 FROM label WHERE label.site = page.site AND label.page = page.name)"
        " FROM page JOIN site ON site.id = page.site JOIN body ON body.id = page.body"
        " WHERE (?1 IS NULL OR site.name = ?1) AND (?2 OR latest) ORDER BY page.id",
        "ti", site, (int64_t)all);
    th_project_page page;
    while (th__rows_next(&rows, "itttttuff", &page.id, &page.site, &page.name, &page.url,
                         &page.charset, &page.added, &page.size, &page.latest, &page.labelled))
        rows.status = each(context, &page, err);
    return th__rows_end(&rows);
}

/* The page of an id as an input. */
static th_status input_of(th_project *project, int64_t id, th_text *bytes, th_input **out,
                          th_error *err)
{
    th_str name;
    th_page_source source = {0};
    th_status status = th_project_page_bytes(project, id, bytes, err);
    if (status)
        return status;
    th__rows row =
        th__project_rows(project, err, "SELECT name, url, charset FROM page WHERE id = ?", "i", id);
    if (th__rows_next(&row, "ttt", &name, &source.url, &source.charset))
        row.status = th_input_new(name, &source, (th_str){bytes->ptr, bytes->len}, out, err);
    return th__rows_found(&row);
}

th_status th_project_page_input(th_project *project, int64_t id, th_input **out, th_error *err)
{
    th_text bytes = {0};
    int64_t known = 0;
    *out = NULL;
    th_status status =
        th__project_number(project, &known, err, "SELECT id FROM page WHERE id = ?", "i", id);
    if (!status)
        status = input_of(project, id, &bytes, out, err);
    th_text_release(&bytes);
    return status;
}

th_status th_project_find_page(th_project *project, th_str site, th_str name, th_input **out,
                               th_error *err)
{
    int64_t id = 0;
    *out = NULL;
    th_status status =
        th__project_number(project, &id, err,
                           "SELECT page.id FROM page JOIN site ON site.id = page.site"
                           " WHERE site.name = ? AND page.name = ? ORDER BY page.id DESC LIMIT 1",
                           "tt", site, name);
    if (!status)
        status = th_project_page_input(project, id, out, err);
    return status;
}

/* ---- as a feed ------------------------------------------------------------------------------- */

/* Has its own connection: a feed is read in another thread than the one that writes the run. */
typedef struct page_feed {
    th_project *project;
    TH__VEC(int64_t) ids;
    size_t next;
    th_text bytes;
} page_feed;

static th_status next_page(void *context, th_input **out, th_error *err)
{
    page_feed *feed = context;
    if (feed->next == feed->ids.len)
        return TH_DONE;
    return input_of(feed->project, feed->ids.data[feed->next++], &feed->bytes, out, err);
}

static void release_feed(void *context)
{
    page_feed *feed = context;
    th_project_free(feed->project);
    th__vec_release(&feed->ids);
    th_text_release(&feed->bytes);
    th__mem_free(feed);
}

static th_status note_id(void *context, const th_project_page *page, th_error *err)
{
    page_feed *feed = context;
    return th__vec_push(&feed->ids, page->id) ? TH_OK : th__fail_memory(err);
}

th_status th_project_feed(th_project *project, th_str site, th_feed **out, th_error *err)
{
    page_feed *feed = TH__NEW(page_feed);
    *out = NULL;
    if (!feed)
        return th__fail_memory(err);
    th_status status = th_project_open(project->path, TH_PROJECT_OPEN, &feed->project, err);
    if (!status)
        status = th_project_pages(feed->project, site, false, note_id, feed, err);
    if (status) {
        release_feed(feed);
        return status;
    }
    return th_feed_from(&(th_feed_source){next_page, release_feed, feed}, out, err);
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* A line must be one that a learner can read, and be about the page. */
static th_status check_line(th_str page, th_str line, th_error *err)
{
    th_labels *labels;
    th_status status = th_labels_read(line, "labels", &labels, err);
    if (status)
        return status;
    if (th_labels_count(labels) != 1 || !th__str_eq(th_labels_page(labels, 0), page))
        status = th__fail(err, TH_ERR_ARGUMENT, "the labels of %.*s must be one line about it",
                          TH_STR_ARG(page));
    th_labels_free(labels);
    return status;
}

th_status th_project_set_labels(th_project *project, th_str site, th_str page, th_str line,
                                th_error *err)
{
    while (line.len && line.ptr[line.len - 1] == '\n')
        line.len--;
    if (!line.ptr)
        return th__project_change_site(project, site, err,
                                       "DELETE FROM label WHERE site = ? AND page = ?", "t", page);
    th_status status = check_line(page, line, err);
    return status ? status
                  : th__project_change_site(
                        project, site, err,
                        "INSERT INTO label (site, page, line) VALUES (?, ?, ?)"
                        " ON CONFLICT (site, page) DO UPDATE SET line = excluded.line",
                        "tt", page, line);
}

th_status th_project_label_lines(th_project *project, th_str site, th_text *out, th_error *err)
{
    th_str line;
    th__buf text = {out->ptr, 0, out->cap, false};
    th__rows rows = th__project_rows(project, err,
                                     "SELECT line FROM label JOIN site ON site.id = label.site"
                                     " WHERE (?1 IS NULL OR site.name = ?1)"
                                     " ORDER BY site.id, label.page",
                                     "t", site);
    while (th__rows_next(&rows, "t", &line)) {
        th__buf_add_str(&text, line);
        th__buf_add_byte(&text, '\n');
    }
    th_status status = th__rows_end(&rows);
    th_status given = th__buf_give(&text, out, status ? NULL : err);
    return status ? status : given;
}

th_status th_project_labels(th_project *project, th_str site, th_labels **out, th_error *err)
{
    th_text lines = {0};
    *out = NULL;
    th_status status = th_project_label_lines(project, site, &lines, err);
    if (!status)
        status = th_labels_read((th_str){lines.ptr, lines.len}, project->path, out, err);
    th_text_release(&lines);
    return status;
}

/* ---- what pages look with: style sheets, images and fonts ------------------------------------ */

/* Servers may send wrong types, so types are detected from the content. Contents are stored like
 * those of pages. */

static bool has(th_str bytes, size_t at, const char *mark, size_t len)
{
    return bytes.len >= at + len && !memcmp(bytes.ptr + at, mark, len);
}

/* Returns true if a text is an SVG document: markup whose first element is <svg>. */
static bool is_svg(th_str text)
{
    for (size_t at = 0; at < text.len; at++) {
        if (text.ptr[at] != '<')
            continue;
        if (has(text, at, "<svg", 4) || has(text, at, "<svg:svg", 8))
            return true;
        if (has(text, at, "<!--", 4)) {
            const char *end = memmem(text.ptr + at, text.len - at, "-->", 3);
            if (!end)
                return false;
            at = (size_t)(end - text.ptr);
        } else if (at + 1 >= text.len || (text.ptr[at + 1] != '?' && text.ptr[at + 1] != '!') ||
                   th__str_starts_nocase((th_str){text.ptr + at, text.len - at},
                                         TH_STR("<!doctype html"))) {
            return false;
        }
    }
    return false;
}

const char *th_asset_type(th_str bytes)
{
    static const struct {
        const char *mark;
        uint8_t at, len;
        const char *type;
    } known[] = {
        {"\x89PNG\r\n\x1a\n", 0, 8, "image/png"},
        {"\xff\xd8\xff", 0, 3, "image/jpeg"},
        {"GIF87a", 0, 6, "image/gif"},
        {"GIF89a", 0, 6, "image/gif"},
        {"WEBPVP8", 8, 7, "image/webp"},
        {"ftypavif", 4, 8, "image/avif"},
        {"ftypavis", 4, 8, "image/avif"},
        {"BM", 0, 2, "image/bmp"},
        {"\0\0\1\0", 0, 4, "image/x-icon"},
        {"wOFF", 0, 4, "font/woff"},
        {"wOF2", 0, 4, "font/woff2"},
        {"\0\1\0\0", 0, 4, "font/ttf"},
        {"true", 0, 4, "font/ttf"},
        {"OTTO", 0, 4, "font/otf"},
    };
    th_str head = {bytes.ptr, bytes.len < LOOKED_AT ? bytes.len : LOOKED_AT};
    bool text = !memchr(head.ptr ? head.ptr : "", '\0', head.len);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (has(bytes, known[i].at, known[i].mark, known[i].len) &&
            !(text && (known[i].len == 2 || known[i].mark[0] == 't')))
            return known[i].type;
    if (!text)
        return NULL;
    if (has(head, 0, "\xEF\xBB\xBF", 3))
        head = (th_str){head.ptr + 3, head.len - 3};
    head = th__str_trim(head);
    if (!head.len || *head.ptr != '<')
        return "text/css";
    /* the comment of an old editor may come before it */
    return is_svg(bytes) ? "image/svg+xml" : has(head, 0, "<!--", 4) ? "text/css" : NULL;
}

static th_status add_asset(th_project *project, th_str site, th_str address, th_str bytes,
                           int64_t *id, bool *added, th_error *err)
{
    int64_t site_id = 0, body = 0;
    th_str type = th_str_from(th_asset_type(bytes));
    th_status status = th__project_site(project, site, &site_id, err);
    if (!status)
        status = add_body(project, bytes, &body, err);
    if (!status)
        status = th__project_number(project, id, err,
                                    "SELECT id FROM asset WHERE site = ? AND address = ?"
                                    " AND body = ?",
                                    "iti", site_id, address, body);
    *added = status == TH_DONE;
    if (status != TH_DONE)
        return status;
    status = th__project_do(project, err,
                            "INSERT OR REPLACE INTO asset (site, address, type, body, added)"
                            " VALUES (?, ?, ?, ?, " TH__NOW ")",
                            "itti", site_id, address, type, body);
    *id = sqlite3_last_insert_rowid(project->db);
    return status;
}

/* Without the fragment, which is not asked for. */
static th_str address_of(th_str address)
{
    th_str rest = address;
    bool url = th__str_starts_nocase(address, TH_STR("http:")) ||
               th__str_starts_nocase(address, TH_STR("https:"));
    return url ? th__str_take(&rest, '#') : address;
}

th_status th_project_add_asset(th_project *project, th_str site, th_str address, th_str bytes,
                               int64_t *id, bool *added, th_error *err)
{
    int64_t own_id;
    bool own_added;
    address = address_of(address);
    if (!address.len)
        return th__fail(err, TH_ERR_ARGUMENT, "a style sheet, image or font needs an address");
    if (bytes.len > LARGEST_ASSET)
        return th__fail(err, TH_ERR_LIMIT,
                        "%.*s: style sheets, images and fonts have at most %d "
                        "bytes",
                        TH_STR_ARG(address), LARGEST_ASSET);
    if (!th_asset_type(bytes))
        return th__fail(err, TH_ERR_FORMAT, "%.*s is not a style sheet, an image or a font",
                        TH_STR_ARG(address));
    th_status status = th__project_enter(project, err);
    if (status)
        return status;
    status = add_asset(project, site, address, bytes, id ? id : &own_id, added ? added : &own_added,
                       err);
    return th__project_leave(project, status, err);
}

th_status th_project_find_asset(th_project *project, th_str site, th_str address, int64_t *id,
                                th_error *err)
{
    return th__project_number(project, id, err,
                              "SELECT id FROM asset WHERE address = ? AND site ="
                              " (SELECT id FROM site WHERE name = ?)",
                              "tt", address_of(address), site);
}

static th_status asset_bytes(th_project *project, int64_t id, th_text *out, th_error *err)
{
    return bytes_of(project, "asset",
                    "SELECT digest, size, data FROM asset LEFT JOIN body ON body.id = asset.body"
                    " WHERE asset.id = ?",
                    id, out, err);
}

th_status th_project_asset_input(th_project *project, th_str site, int64_t id, th_input **out,
                                 th_error *err)
{
    th_str address;
    th_text bytes = {0};
    *out = NULL;
    th__rows row = th__project_rows(project, err,
                                    "SELECT address FROM asset WHERE id = ? AND site ="
                                    " (SELECT id FROM site WHERE name = ?)",
                                    "it", id, site);
    if (th__rows_next(&row, "t", &address) && !(row.status = asset_bytes(project, id, &bytes, err)))
        row.status = th_input_new(address, NULL, (th_str){bytes.ptr, bytes.len}, out, err);
    th_text_release(&bytes);
    return th__rows_found(&row);
}

th_status th_project_remove_asset(th_project *project, int64_t id, bool *removed, th_error *err)
{
    return th__project_change(project, removed, err, "DELETE FROM asset WHERE id = ?", "i", id);
}

th_status th_project_assets(th_project *project, th_str site,
                            th_status (*each)(void *context, const th_project_asset *asset,
                                              th_error *err),
                            void *context, th_error *err)
{
    th__rows rows =
        th__project_rows(project, err,
                         "SELECT asset.id, site.name, address, type, added, size FROM asset"
                         " JOIN site ON site.id = asset.site JOIN body ON body.id = asset.body"
                         " WHERE ?1 IS NULL OR site.name = ?1 ORDER BY asset.id",
                         "t", site);
    th_project_asset asset;
    while (th__rows_next(&rows, "ittttu", &asset.id, &asset.site, &asset.address, &asset.type,
                         &asset.added, &asset.size))
        rows.status = each(context, &asset, err);
    return th__rows_end(&rows);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static th_status check_file(th_project *project, th_error *err)
{
    th_str found;
    th__rows row = th__project_rows(project, err, "PRAGMA integrity_check(1)", "");
    if (th__rows_next(&row, "t", &found) && !th__str_eq(found, TH_STR("ok")))
        row.status =
            th__fail(err, TH_ERR_FORMAT, "%s is damaged: %.*s", project->path, TH_STR_ARG(found));
    return th__rows_end(&row);
}

th_status th_project_check(th_project *project, th_error *err)
{
    static const struct {
        const char *ids;
        th_status (*read)(th_project *project, int64_t id, th_text *out, th_error *err);
    } kept[] = {{"SELECT id FROM page", th_project_page_bytes},
                {"SELECT id FROM asset", asset_bytes}};
    th_text bytes = {0};
    th_status status = check_file(project, err);
    for (size_t i = 0; !status && i < sizeof kept / sizeof *kept; i++) {
        int64_t id;
        th__rows rows = th__project_rows(project, err, kept[i].ids, "");
        while (th__rows_next(&rows, "i", &id))
            rows.status = kept[i].read(project, id, &bytes, err);
        status = th__rows_end(&rows);
    }
    th_text_release(&bytes);
    return status;
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
