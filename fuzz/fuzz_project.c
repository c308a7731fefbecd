/*
 * fuzz_project.c: project files from elsewhere: opened, brought up to date, listed, exported.
 *
 * Input, by its first bytes:
 *     S DIGIT SQL         a project of version DIGIT (0: the first; the last when there are not so
 *                         many), changed by the SQL
 *     SQLite format 3...  a whole file
 *     anything else       changes to a good file: three bytes of place and one of value each
 * A file that is opened may be damaged, and then refuses some of what it is asked.
 */
#include "project_walk.h"
#include "scratch.h"
#include "store/project.h"

static int forbid(void *context, int action, const char *a, const char *b, const char *c,
                  const char *d)
{
    /* other files are not ours */
    return action == SQLITE_ATTACH || action == SQLITE_PRAGMA ? SQLITE_DENY : SQLITE_OK;
}

static int stop_soon(void *context)
{
    return ++*(int *)context > 100;
}

/* Makes a project of some version as the program of that time did, and runs the SQL on it. */
static void make_by_sql(const char *path, int version, const char *sql)
{
    sqlite3 *db;
    char number[64];
    int steps = 0, made = 0;
    CHECK(sqlite3_open(path, &db) == SQLITE_OK);
    for (; th__project_steps[made] && made <= version; made++)
        CHECK(sqlite3_exec(db, th__project_steps[made], NULL, NULL, NULL) == SQLITE_OK);
    snprintf(number, sizeof number, "PRAGMA user_version = %d; PRAGMA application_id = %d", made,
             0x54487270);
    CHECK(sqlite3_exec(db, number, NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_set_authorizer(db, forbid, NULL);
    sqlite3_progress_handler(db, 1000, stop_soon, &steps);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_close(db);
}

/* A project that has something of everything. The bytes are made once and kept. */
static const uint8_t *good_project(const char *folder, size_t *size)
{
    static uint8_t *bytes;
    static size_t kept;
    char path[128];
    if (!bytes) {
        snprintf(path, sizeof path, "%s/good", folder);
        th_project *project;
        th_run *run;
        th_str site = th_str_from("shop");
        th_project_run info = {.site = site, .command = th_str_from("verify")};
        CHECK(th_project_open(path, TH_PROJECT_NEW, &project, NULL) == TH_OK);
        CHECK(th_project_add_page(project, site, th_str_from("a"), &(th_page_source){0},
                                  th_str_from("<ul><li>one<li>two</ul>"), NULL, NULL,
                                  NULL) == TH_OK);
        CHECK(th_project_set_labels(project, site, th_str_from("a"),
                                    th_str_from("{\"page\":\"a\",\"record\":{\"x\":\"one\"}}"),
                                    NULL) == TH_OK);
        CHECK(th_run_begin(project, &info, &run, NULL) == TH_OK);
        CHECK(th_run_add_verdict(run, (th_str){0}, th_str_from("fine"), th_str_from("{}"), NULL) ==
              TH_OK);
        CHECK(th_run_finish(run, &info, NULL, NULL) == TH_OK);
        th_run_free(run);
        th_project_free(project);
        bytes = scratch_read(path, &kept);
        remove(path);
    }
    *size = kept;
    return bytes;
}

static void make_by_changes(const char *folder, const char *path, const uint8_t *data, size_t size)
{
    size_t len;
    const uint8_t *good = good_project(folder, &len);
    uint8_t *bytes = malloc(len);
    CHECK(bytes);
    memcpy(bytes, good, len);
    for (size_t i = 0; i + 3 < size; i += 4)
        bytes[((size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2]) % len] = data[i + 3];
    scratch_write(path, bytes, len);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char whole[] = "SQLite format 3";
    char folder[64], path[128], out[128];
    th_project *project;
    scratch_make(folder);
    snprintf(path, sizeof path, "%s/p.thresh", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    if (size >= sizeof whole && !memcmp(data, whole, sizeof whole)) {
        scratch_write(path, data, size);
    } else if (size > 1 && data[0] == 'S') {
        char *sql = strndup((const char *)data + 2, size - 2);
        CHECK(sql);
        make_by_sql(path, data[1] - '0', sql);
        free(sql);
    } else {
        make_by_changes(folder, path, data, size);
    }
    if (th_project_open(path, TH_PROJECT_OPEN, &project, NULL) == TH_OK) {
        walk_project(project);
        th_project_check(project, NULL);
        th_project_export(project, out, NULL);
        th_project_tidy(project, NULL);
        th_project_free(project);
    }
    scratch_remove(folder);
    return 0;
}
