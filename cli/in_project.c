/* in_project.c: --project: a run that reads from a project file and writes to it. */
#include "in_project.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

bool cli_project_open(cli_run *run)
{
    th_error err;
    cli_project *project = &run->project;
    if (!run->set.project)
        return true;
    project->site = th_str_from(run->set.site ? run->set.site : "default");
    project->path = run->set.project;
    th_project_mode mode = run->command->makes_project ? TH_PROJECT_OPEN_OR_NEW : TH_PROJECT_OPEN;
    if (!th_project_open(project->path, mode, &project->file, &err))
        return true;
    cli_error(run, (th_str){0}, "%s", err.message);
    return false;
}

th_status cli_project_close(cli_run *run, th_status status, th_error *err)
{
    cli_project *project = &run->project;
    if (project->run && !status) {
        th_project_run totals = {
            .pages = run->pages, .failed = run->failed, .wrapper_version = project->version};
        if (project->verdict)
            totals.verdict = th_str_from(project->verdict);
        status = th_run_finish(project->run, &totals, NULL, err);
    }
    th_run_free(project->run);
    th_project_free(project->file);
    *project = (cli_project){0};
    return status;
}

/* ---- pages ---- */

th_status cli_project_feed(cli_run *run, const char *const *inputs, size_t count,
                           const th_feed_options *options, th_feed **out, th_error *err)
{
    return run->project.file && !count
               ? th_project_feed(run->project.file, run->project.site, out, err)
               : th_feed_new(inputs, count, options, out, err);
}

th_status cli_project_keep(cli_run *run, const th_input *input, th_error *err)
{
    th_page_source source;
    if (!run->set.project || !run->operand_count)
        return TH_OK;
    th_input_source(input, &source);
    return th_project_add_page(run->project.file, run->project.site, th_input_name(input), &source,
                               th_input_bytes(input), NULL, NULL, err);
}

/* ---- records ---- */

static th_status begin(cli_run *run, th_error *err)
{
    cli_project *project = &run->project;
    th_project_run info = {.site = project->site,
                           .command = th_str_from(run->command->name),
                           .wrapper_version = project->version};
    if (project->wrapper[0])
        info.wrapper = th_str_from(project->wrapper);
    return project->run ? TH_OK : th_run_begin(project->file, &info, &project->run, err);
}

th_status cli_add_records(cli_run *run, th_writer *writer, const th_records *records, th_error *err)
{
    th_status status = writer ? th_writer_add(writer, records, err) : TH_OK;
    run->records += th_records_count(records);
    if (status || !run->project.file)
        return status;
    status = begin(run, err);
    return status ? status : th_run_add(run->project.run, records, err);
}

th_status cli_project_drop(cli_run *run, th_error *err)
{
    th_run_free(run->project.run);
    run->project.run = NULL;
    return TH_OK;
}

th_status cli_project_verdict(cli_run *run, const th_verdict *verdict, const char *word,
                              th_error *err)
{
    if (!run->project.file)
        return TH_OK;
    th_status status = begin(run, err);
    if (!status)
        status = th_run_add_evidence(run->project.run, verdict, (th_str){0}, err);
    run->project.verdict = word;
    return status;
}

/* ---- wrappers ---- */

static bool read_text(cli_run *run, th_str text, const char *name, th_wrapper **out)
{
    th_error err;
    th_str rest = text;
    while (rest.len && strchr(" \t\r\n", *rest.ptr) && *rest.ptr)
        rest = (th_str){rest.ptr + 1, rest.len - 1};
    if (!rest.len || *rest.ptr != '{') {
        cli_error(run, th_str_from(name), "%s: `thresh learn` makes one",
                  rest.len ? "is not a wrapper" : "is empty, not a wrapper");
        return false;
    }
    if (!th_wrapper_read(text, name, out, &err))
        return true;
    cli_error(run, (th_str){0}, "%s", err.message);
    return false;
}

/* NAME or NAME@VERSION. */
static th_str split_name(const char *word, uint32_t *version)
{
    const char *at = strrchr(word, '@');
    char *end = NULL;
    unsigned long number = at ? strtoul(at + 1, &end, 10) : 0;
    bool is_version = number && number <= UINT32_MAX && !*end;
    *version = is_version ? (uint32_t)number : 0;
    return is_version ? (th_str){word, (size_t)(at - word)} : th_str_from(word);
}

static bool read_stored(cli_run *run, const char *word, th_wrapper **out)
{
    cli_project *project = &run->project;
    th_text text = {0};
    th_error err;
    uint32_t version;
    th_str name = split_name(word, &version);
    th_status status =
        th_project_wrapper_text(project->file, project->site, name, version, &version, &text, &err);
    bool good = !status && read_text(run, (th_str){text.ptr, text.len}, word, out);
    if (status == TH_DONE)
        cli_error(run, th_str_from(word),
                  "is neither a file nor a wrapper of site %.*s: `thresh project list %s wrappers` "
                  "shows them",
                  (int)project->site.len, project->site.ptr, project->path);
    else if (status)
        cli_error(run, (th_str){0}, "%s", err.message);
    snprintf(project->wrapper, sizeof project->wrapper, "%.*s", (int)name.len, name.ptr);
    project->version = version;
    th_text_release(&text);
    return good;
}

bool cli_is_stored(const cli_run *run)
{
    return run->project.wrapper[0];
}

th_status cli_store_wrapper(cli_run *run, const th_wrapper *wrapper, th_error *err)
{
    cli_project *project = &run->project;
    th_str name = th_str_from(project->wrapper);
    th_status status =
        th_project_add_wrapper(project->file, project->site, name, wrapper, &project->version, err);
    if (!status)
        cli_note(run, (th_str){0}, "saved as %s, version %u", project->wrapper, project->version);
    return status;
}

bool cli_read_wrapper(cli_run *run, const char *name, th_wrapper **out)
{
    size_t len = 0;
    if (run->project.file && access(name, F_OK))
        return read_stored(run, name, out);
    char *bytes = cli_read_file(name, &len);
    if (!bytes) {
        cli_error(run, th_str_from(name), "cannot be read: %s", strerror(errno));
        return false;
    }
    bool good = read_text(run, (th_str){bytes, len}, name, out);
    free(bytes);
    return good;
}
