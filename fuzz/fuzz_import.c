/*
 * fuzz_import.c: importing a folder that says it is a project.
 *
 * Input: files, each after a line "=== NAME". What is imported can be listed and exported, and
 * what was exported can be imported. A folder that is refused leaves the project empty.
 */
#include "project_walk.h"
#include "scratch.h"

/* Letters, digits, signs that make no other folder; folders in it are made. */
static bool make_place(const char *folder, char *name)
{
    char path[256];
    if (!*name || *name == '/' || strstr(name, "..") || strstr(name, "//") ||
        name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-._/")] != '\0')
        return false;
    for (char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof path, "%s/%.*s", folder, (int)(slash - name), name);
        mkdir(path, 0700);
    }
    return true;
}

static void write_files(const char *folder, const char *text, size_t size)
{
    static const char mark[] = "=== ";
    const char *end = text + size;
    while (text < end) {
        char name[100] = "", path[256];
        const char *line = memchr(text, '\n', (size_t)(end - text));
        size_t len = (size_t)((line ? line : end) - text);
        if (len > sizeof mark - 1 && !memcmp(text, mark, sizeof mark - 1))
            snprintf(name, sizeof name, "%.*s", (int)(len - (sizeof mark - 1)),
                     text + sizeof mark - 1);
        const char *body = line ? line + 1 : end;
        const char *next = memmem(body, (size_t)(end - body), "\n=== ", 5);
        const char *stop = next ? next + 1 : end;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        FILE *file = make_place(folder, name) ? fopen(path, "wb") : NULL;
        if (file) {
            fwrite(body, 1, (size_t)(stop - body), file);
            fclose(file);
        }
        text = stop;
    }
}

static th_status count_site(void *context, const th_project_site *site, th_error *err)
{
    ++*(int *)context;
    return TH_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char folder[64], in[128], out[128], path[128];
    th_project *project, *again;
    th_error err;
    scratch_make(folder);
    snprintf(in, sizeof in, "%s/in", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    snprintf(path, sizeof path, "%s/p.thresh", folder);
    CHECK(mkdir(in, 0700) == 0);
    write_files(in, (const char *)data, size);
    CHECK_OK(th_project_open(path, TH_PROJECT_NEW, &project, &err), err);
    if (th_project_import(project, in, NULL) == TH_OK) {
        walk_project(project);
        CHECK_OK(th_project_check(project, &err), err);
        CHECK_OK(th_project_export(project, out, &err), err);
        snprintf(path, sizeof path, "%s/again.thresh", folder);
        CHECK_OK(th_project_open(path, TH_PROJECT_NEW, &again, &err), err);
        CHECK_OK(th_project_import(again, out, &err), err);
        th_project_free(again);
    } else {
        int sites = 0;
        CHECK_OK(th_project_sites(project, count_site, &sites, &err), err);
        CHECK(!sites);
    }
    th_project_free(project);
    scratch_remove(folder);
    return 0;
}
