/*
 * cmd_project.c: `thresh project`: the project file itself: making it, filling it, looking into it.
 *
 * Lists are records like any others, so that they can be written in every format.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../serve/serve.h"
#include "run.h"

typedef struct project_settings {
    const char *name;
    bool all;
    bool no_looks;
    const char *key;
} project_settings;

static const cli_option project_options[] = {
    {"site", 0, CLI_TEXT, "NAME", "site within the project (default: \"default\")",
     offsetof(cli_settings, site)},
};
static const cli_option own_options[] = {
    {"name", 0, CLI_TEXT, "NAME", "save: name of the wrapper (default: that of its file)",
     offsetof(project_settings, name)},
    {"all", 0, CLI_FLAG, NULL, "list pages: also earlier versions of changed pages",
     offsetof(project_settings, all)},
    {"no-looks", 0, CLI_FLAG, NULL,
     "add: not with the style sheets, images and fonts of\nthe pages, which are fetched or read "
     "beside them\notherwise",
     offsetof(project_settings, no_looks)},
    {"key", 0, CLI_TEXT, "FIELD",
     "compare: match records by this field (default: a\nlink or title that differs between "
     "records)",
     offsetof(project_settings, key)},
};

static const cli_group site_group = CLI_GROUP("Site", project_options, false);
static const cli_group own_group = CLI_GROUP("Project", own_options, true);
static const cli_group *const groups[] = {
    &site_group,       &own_group, &cli_records_group, &cli_follow_group, &cli_fetch_group,
    &cli_common_group, NULL};

static th_str site_of(const cli_run *run)
{
    return th_str_from(run->set.site ? run->set.site : "default");
}

/* A site to list: all of them when none is named. */
static th_str listed_site(const cli_run *run)
{
    return run->set.site ? th_str_from(run->set.site) : (th_str){0};
}

/* ---- filling it ------------------------------------------------------------------------------ */

static th_status do_nothing(cli_run *run, th_error *err)
{
    return TH_OK;
}

static th_status add_page(cli_run *run, const th_page *page, const th_input *input, void *context,
                          void *result, th_error *err)
{
    th_page_source source;
    th_input *copy;
    th_input_source(input, &source);
    if (context)
        serve_looks_add(context, page, input);
    th_status status =
        th_input_new(th_input_name(input), &source, th_input_bytes(input), &copy, err);
    return status ? status : th_project_queue_page(run->project.file, site_of(run), copy, err);
}

/* Remembers that URLs were added with their next pages: the workbench fetches them in the same way.
 */
static th_status keep_sources(cli_run *run, const char *const *inputs, size_t count, th_error *err)
{
    th_status status = TH_OK;
    for (size_t i = 0; !status && run->set.follow && i < count; i++) {
        th_project_source source = {.site = site_of(run),
                                    .url = th_str_from(inputs[i]),
                                    .pages = (uint32_t)run->set.follow,
                                    .render = run->set.render};
        if (!strncmp(inputs[i], "http://", 7) || !strncmp(inputs[i], "https://", 8))
            status = th_project_add_source(run->project.file, &source, err);
    }
    return status;
}

/* Pages are added in portions, so that others can write meanwhile: a slow host may take minutes. A
 * run that is stopped has added some of the pages. */
static th_status add_pages(cli_run *run, th_error *err)
{
    const project_settings *own = run->own;
    const char *const *inputs = run->operands + 2;
    size_t count = run->operand_count - 2;
    uint64_t added = 0, known = 0, looks_added = 0;
    th_feed_options fetching;
    cli_feed_options(run, &fetching);
    serve_looks *looks =
        own->no_looks ? NULL
                      : serve_looks_new(run->project.file, site_of(run), &fetching, inputs, count);
    cli_job job = {.done = add_page, .context = looks};
    if (cli_run_pages(run, inputs, count, &job))
        run->failed++;
    run->reported = false; /* what follows can fail too */
    th_status status = th_project_add_queued(run->project.file, &added, &known, err);
    if (!status && added)
        status = keep_sources(run, inputs, count, err);
    if (!status)
        looks_added = serve_looks_finish(looks);
    serve_looks_free(looks);
    if (!status)
        cli_note(run, (th_str){0}, "%llu page%s added, %llu already stored",
                 (unsigned long long)added, added == 1 ? "" : "s", (unsigned long long)known);
    if (!status && looks_added)
        cli_note(run, (th_str){0}, "%llu of their style sheets, images and fonts added",
                 (unsigned long long)looks_added);
    return status;
}

static char *read_operand(cli_run *run, size_t *len)
{
    char *bytes = cli_read_file(run->operands[2], len);
    if (!bytes)
        cli_error(run, th_str_from(run->operands[2]), "cannot be read: %s", strerror(errno));
    return bytes;
}

static th_status add_line(cli_run *run, th_str line, th_error *err)
{
    th_labels *labels;
    th_status status = th_labels_read(line, run->operands[2], &labels, err);
    if (status)
        return status;
    if (th_labels_count(labels))
        status = th_project_set_labels(run->project.file, site_of(run), th_labels_page(labels, 0),
                                       line, err);
    th_labels_free(labels);
    return status;
}

static th_status add_labels(cli_run *run, th_error *err)
{
    size_t len = 0, count = 0;
    char *bytes = read_operand(run, &len);
    if (!bytes)
        return TH_OK;
    th_labels *labels;
    /* All lines are checked first, so that a message names the line. */
    th_status status = th_labels_read((th_str){bytes, len}, run->operands[2], &labels, err);
    if (!status) {
        count = th_labels_count(labels);
        th_labels_free(labels);
        status = th_project_begin(run->project.file, err);
    }
    for (size_t at = 0; !status && at < len;) {
        const char *end = memchr(bytes + at, '\n', len - at);
        size_t line = end ? (size_t)(end - bytes) - at : len - at;
        if (strspn(bytes + at, " \t\r") < line)
            status = add_line(run, (th_str){bytes + at, line}, err);
        at += line + 1;
    }
    if (!status)
        status = th_project_commit(run->project.file, err);
    else
        th_project_rollback(run->project.file);
    if (!status)
        cli_note(run, (th_str){0}, "labels of %zu page%s stored", count, count == 1 ? "" : "s");
    free(bytes);
    return status;
}

/* The name of a file without its folder and its ending. */
static th_str stem(const char *path)
{
    const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path;
    const char *dot = strrchr(start, '.');
    return dot && dot > start ? (th_str){start, (size_t)(dot - start)} : th_str_from(start);
}

static th_status save_wrapper(cli_run *run, th_error *err)
{
    const project_settings *own = run->own;
    th_wrapper *wrapper = NULL;
    uint32_t version = 0;
    size_t len = 0;
    char *bytes = read_operand(run, &len);
    if (!bytes)
        return TH_OK;
    th_str name = own->name ? th_str_from(own->name) : stem(run->operands[2]);
    th_status status = th_wrapper_read((th_str){bytes, len}, run->operands[2], &wrapper, err);
    if (!status)
        status =
            th_project_add_wrapper(run->project.file, site_of(run), name, wrapper, &version, err);
    if (!status)
        cli_note(run, (th_str){0}, "saved as %.*s, version %u", (int)name.len, name.ptr, version);
    th_wrapper_free(wrapper);
    free(bytes);
    return status;
}

static th_status import_folder(cli_run *run, th_error *err)
{
    return th_project_import(run->project.file, run->operands[2], err);
}

static th_status export_folder(cli_run *run, th_error *err)
{
    return th_project_export(run->project.file, run->operands[2], err);
}

static th_status check(cli_run *run, th_error *err)
{
    th_status status = th_project_check(run->project.file, err);
    if (!status)
        cli_note(run, th_str_from(run->operands[1]), "is sound");
    return status;
}

static th_status tidy(cli_run *run, th_error *err)
{
    uint64_t count = 0;
    th_status status = serve_looks_tidy(run->project.file, &count, err);
    return status ? status : th_project_tidy(run->project.file, err);
}

static th_status remove_site(cli_run *run, th_error *err)
{
    bool removed = false;
    th_status status =
        th_project_remove_site(run->project.file, th_str_from(run->operands[2]), &removed, err);
    if (!status && !removed)
        cli_error(run, th_str_from(run->operands[2]),
                  "is not a site of %s: `thresh project list %s` shows them", run->operands[1],
                  run->operands[1]);
    return status;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Adds a row: a th_str for each column, a uint64_t where it is a number. */
static th_status put_row(th_records *records, th_error *err, ...)
{
    const th_type *type = th_schema_record_type(th_records_schema(records));
    th_value *row = th_records_add(records);
    va_list args;
    va_start(args, err);
    for (size_t i = 0; i < th_type_count(type); i++) {
        th_value *slot = th_value_slot(row, i);
        if (th_type_note(th_type_child(type, i)) == TH_NOTE_NUMBER) {
            th_records_set_number(records, slot, (double)va_arg(args, uint64_t), 0);
            continue;
        }
        th_str text = va_arg(args, th_str);
        if (text.ptr)
            th_records_set_text(records, slot, text, (th_span){0, 0});
    }
    va_end(args);
    return th_records_status(records, err);
}

static th_status list_site(void *context, const th_project_site *site, th_error *err)
{
    return put_row(context, err, site->name, site->pages, site->labels, site->wrappers, site->runs);
}

static th_status list_page(void *context, const th_project_page *page, th_error *err)
{
    return put_row(context, err, page->site, page->name, page->url, page->size, page->added,
                   th_str_from(page->labelled ? "yes" : "no"));
}

static th_status list_wrapper(void *context, const th_project_wrapper *wrapper, th_error *err)
{
    return put_row(context, err, wrapper->site, wrapper->name, (uint64_t)wrapper->version,
                   wrapper->engine, wrapper->added);
}

static th_status list_run(void *context, const th_project_run *run, th_error *err)
{
    return put_row(context, err, (uint64_t)run->id, run->site, run->command, run->wrapper,
                   run->started, run->finished.ptr ? run->finished : th_str_from("not finished"),
                   run->pages, run->records, run->verdict);
}

static th_status list_asset(void *context, const th_project_asset *asset, th_error *err)
{
    return put_row(context, err, asset->site, asset->address, asset->type, asset->size,
                   asset->added);
}

static th_status fill_sites(cli_run *run, th_records *out, th_error *err)
{
    return th_project_sites(run->project.file, list_site, out, err);
}

static th_status fill_pages(cli_run *run, th_records *out, th_error *err)
{
    const project_settings *own = run->own;
    return th_project_pages(run->project.file, listed_site(run), own->all, list_page, out, err);
}

static th_status fill_assets(cli_run *run, th_records *out, th_error *err)
{
    return th_project_assets(run->project.file, listed_site(run), list_asset, out, err);
}

static th_status fill_wrappers(cli_run *run, th_records *out, th_error *err)
{
    return th_project_wrappers(run->project.file, listed_site(run), list_wrapper, out, err);
}

static th_status fill_runs(cli_run *run, th_records *out, th_error *err)
{
    return th_project_runs(run->project.file, listed_site(run), list_run, out, err);
}

enum { MOST_COLUMNS = 9 };

/* What can be listed. */
static const struct {
    const char *name;
    const char *columns[MOST_COLUMNS + 1]; /* "#" before a number, "@" before an address */
    th_status (*fill)(cli_run *run, th_records *out, th_error *err);
} lists[] = {
    {"sites", {"site", "#pages", "#labels", "#wrappers", "#runs"}, fill_sites},
    {"pages", {"site", "page", "@url", "#bytes", "added", "labelled"}, fill_pages},
    {"assets", {"site", "address", "type", "#bytes", "added"}, fill_assets},
    {"wrappers", {"site", "wrapper", "#version", "engine", "added"}, fill_wrappers},
    {"runs",
     {"#run", "site", "command", "wrapper", "started", "finished", "#pages", "#records", "verdict"},
     fill_runs},
};
enum { LISTS = sizeof lists / sizeof *lists };

static th_status make_schema(size_t which, th_schema **out, th_error *err)
{
    th_type *members[MOST_COLUMNS];
    size_t count = 0;
    th_status status = th_schema_new(out, err);
    if (status)
        return status;
    for (const char *name; (name = lists[which].columns[count]); count++)
        members[count] = th_schema_field(*out, th_str_from(name + strspn(name, "#@")),
                                         *name == '#'   ? TH_NOTE_NUMBER
                                         : *name == '@' ? TH_NOTE_URL
                                                        : TH_NOTE_TEXT);
    th_type *row = th_schema_tuple(*out, (th_str){0}, members, count);
    return th_schema_finish(*out, th_schema_list(*out, (th_str){0}, row), err);
}

/* The list that is asked for; LISTS if there is none of that name. */
static size_t which_list(const cli_run *run)
{
    const char *what = run->operand_count > 2 ? run->operands[2] : "sites";
    size_t which = 0;
    while (which < LISTS && strcmp(lists[which].name, what))
        which++;
    return which;
}

static th_status find_site(void *context, const th_project_site *site, th_error *err)
{
    th_str *wanted = context;
    if (wanted->len == site->name.len && !memcmp(wanted->ptr, site->name.ptr, wanted->len))
        *wanted = (th_str){0}; /* found */
    return TH_OK;
}

/* A list of a site that the project does not have would be empty without a reason. */
static th_status check_site(cli_run *run, th_error *err)
{
    th_str wanted = listed_site(run);
    th_status status = th_project_sites(run->project.file, find_site, &wanted, err);
    if (!status && wanted.ptr)
        cli_error(run, wanted, "is not a site of %s: `thresh project list %s` shows them",
                  run->operands[1], run->operands[1]);
    return status;
}

static th_status list_things(cli_run *run, th_error *err)
{
    size_t which = which_list(run);
    th_schema *schema = NULL;
    th_records *records = NULL;
    th_status status = check_site(run, err);
    if (status || run->failed)
        return status;
    status = make_schema(which, &schema, err);
    th_records_source source = {.page = th_str_from(run->operands[1])};
    if (!status)
        status = th_records_new(schema, &source, &records, err);
    if (!status)
        status = lists[which].fill(run, records, err);
    if (!status)
        status = cli_write_records(run, records, err);
    th_records_free(records);
    th_schema_free(schema);
    return status;
}

/* ---- taking things out ----------------------------------------------------------------------- */

static th_status put_wrapper(cli_run *run, th_error *err)
{
    th_wrapper *wrapper = NULL;
    th_text text = {0};
    run->project.site = site_of(run);
    if (!cli_read_wrapper(run, run->operands[2], &wrapper))
        return TH_OK;
    th_status status = th_wrapper_write(wrapper, &text, err);
    if (!status)
        status = cli_write_text(run, (th_str){text.ptr, text.len}, err);
    th_wrapper_free(wrapper);
    th_text_release(&text);
    return status;
}

static th_status put_page(cli_run *run, th_error *err)
{
    th_input *input = NULL;
    th_str name = th_str_from(run->operands[2]);
    th_status status = th_project_find_page(run->project.file, site_of(run), name, &input, err);
    if (status == TH_DONE) {
        cli_error(run, name,
                  "is not a page of site %.*s: `thresh project list %s pages` shows them",
                  (int)site_of(run).len, site_of(run).ptr, run->operands[1]);
        return TH_OK;
    }
    if (!status)
        status = cli_write_text(run, th_input_bytes(input), err);
    th_input_free(input);
    return status;
}

static th_status put_labels(cli_run *run, th_error *err)
{
    th_text lines = {0};
    th_status status = th_project_label_lines(run->project.file, listed_site(run), &lines, err);
    if (!status)
        status = cli_write_text(run, (th_str){lines.ptr, lines.len}, err);
    th_text_release(&lines);
    return status;
}

static th_status put_record(void *context, const th_project_record *record, th_error *err)
{
    const th_sink *sink = context;
    th_status status = sink->write(sink->context, record->json.ptr, record->json.len, err);
    return status ? status : sink->write(sink->context, "\n", 1, err);
}

/* The number of a run that a word is; 0, with a message, if it is not a number. */
static long long run_number(cli_run *run, size_t operand)
{
    char *end;
    long long id = strtoll(run->operands[operand], &end, 10);
    if (!*end && id > 0)
        return id;
    cli_error(run, (th_str){0},
              "'%s' is not the number of a run: `thresh project list %s runs` shows them",
              run->operands[operand], run->operands[1]);
    return 0;
}

static th_status put_records(cli_run *run, th_error *err)
{
    long long id = run_number(run, 2);
    if (!id)
        return TH_OK;
    th_status status = cli_sink_open(&run->sink, run->set.output, err);
    th_sink sink = cli_sink_out(&run->sink);
    if (!status)
        status = th_project_records(run->project.file, id, 0, UINT64_MAX, put_record, &sink, err);
    return status ? status : cli_sink_finish(&run->sink, err);
}

static th_status survey_record(void *context, const th_project_record *record, th_error *err)
{
    return th_survey_add(context, record->page, record->json, err);
}

/* What the columns of a run look like. */
static th_status put_columns(cli_run *run, th_error *err)
{
    th_survey *survey = NULL;
    th_text text = {0};
    long long id = run_number(run, 2);
    if (!id)
        return TH_OK;
    th_status status = th_survey_new(&survey, err);
    if (!status)
        status =
            th_project_records(run->project.file, id, 0, UINT64_MAX, survey_record, survey, err);
    if (!status)
        status = th_survey_to_json(survey, &text, err);
    if (!status)
        status = cli_write_text(run, (th_str){text.ptr, text.len}, err);
    th_text_release(&text);
    th_survey_free(survey);
    return status;
}

static th_status append_record(void *context, const th_project_record *record, th_error *err)
{
    cli_put(context, record->json.ptr, record->json.len);
    return TH_OK;
}

/* A difference as a line: {"kind", "before", "after"}, the records where they are. */
static th_status put_difference(cli_run *run, const long long *runs, const th_difference *one,
                                th_sink sink, th_error *err)
{
    static const char *const kinds[] = {"removed", "added", "changed"};
    cli_text line = {0};
    th_status status = TH_OK;
    cli_printf(&line, "{\"kind\":\"%s\"", kinds[one->kind]);
    if (one->kind != TH_RECORD_ADDED) {
        cli_puts(&line, ",\"before\":");
        status = th_project_records(run->project.file, runs[0], one->before, 1, append_record,
                                    &line, err);
    }
    if (!status && one->kind != TH_RECORD_REMOVED) {
        cli_puts(&line, ",\"after\":");
        status = th_project_records(run->project.file, runs[1], one->after, 1, append_record, &line,
                                    err);
    }
    cli_puts(&line, "}\n");
    if (!status && line.status) {
        status = line.status;
        *err = line.error;
    }
    if (!status)
        status = sink.write(sink.context, line.ptr, line.len, err);
    cli_text_release(&line);
    return status;
}

/* What differs between two runs. */
static th_status compare_runs(cli_run *run, th_error *err)
{
    const project_settings *own = run->own;
    long long runs[] = {run_number(run, 2), 0};
    th_compare *compare = NULL;
    if (!runs[0] || !(runs[1] = run_number(run, 3)))
        return TH_OK;
    th_status status =
        th_compare_new(run->project.file, runs[0], runs[1], th_str_from(own->key), &compare, err);
    if (!status)
        status = cli_sink_open(&run->sink, run->set.output, err);
    th_sink sink = cli_sink_out(&run->sink);
    const th_difference *one;
    for (size_t i = 0; !status && (one = th_compare_get(compare, i)); i++)
        status = put_difference(run, runs, one, sink, err);
    if (!status)
        status = cli_sink_finish(&run->sink, err);
    if (!status)
        cli_note(run, (th_str){0}, "by %.*s: %zu removed, %zu added, %zu changed, %zu the same",
                 th_compare_key(compare).ptr ? (int)th_compare_key(compare).len : 16,
                 th_compare_key(compare).ptr ? th_compare_key(compare).ptr : "the whole record",
                 th_compare_count(compare, TH_RECORD_REMOVED),
                 th_compare_count(compare, TH_RECORD_ADDED),
                 th_compare_count(compare, TH_RECORD_CHANGED), th_compare_same(compare));
    th_compare_free(compare);
    return status;
}

/* ---- the verbs ------------------------------------------------------------------------------- */

static const struct {
    const char *name, *operands;
    size_t least; /* words after the project */
    th_project_mode mode;
    th_status (*run)(cli_run *run, th_error *err);
} verbs[] = {
    {"new", "", 0, TH_PROJECT_NEW, do_nothing},
    {"add", "INPUT...", 1, TH_PROJECT_OPEN, add_pages},
    {"label", "LABELS", 1, TH_PROJECT_OPEN, add_labels},
    {"save", "WRAPPER", 1, TH_PROJECT_OPEN, save_wrapper},
    {"list", "[sites|pages|assets|wrappers|runs]", 0, TH_PROJECT_OPEN, list_things},
    {"page", "NAME", 1, TH_PROJECT_OPEN, put_page},
    {"labels", "", 0, TH_PROJECT_OPEN, put_labels},
    {"wrapper", "NAME[@VERSION]", 1, TH_PROJECT_OPEN, put_wrapper},
    {"records", "RUN", 1, TH_PROJECT_OPEN, put_records},
    {"columns", "RUN", 1, TH_PROJECT_OPEN, put_columns},
    {"compare", "RUN RUN", 2, TH_PROJECT_OPEN, compare_runs},
    {"export", "FOLDER", 1, TH_PROJECT_OPEN, export_folder},
    {"import", "FOLDER", 1, TH_PROJECT_OPEN_OR_NEW, import_folder},
    {"remove", "SITE", 1, TH_PROJECT_OPEN, remove_site},
    {"check", "", 0, TH_PROJECT_OPEN, check},
    {"tidy", "", 0, TH_PROJECT_OPEN, tidy},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static const char *verb_name(const void *context, size_t index)
{
    return index < VERBS ? verbs[index].name : NULL;
}

/* Only lists have a choice of format. */
static int check_format(const cli_run *run, size_t which)
{
    const char *path = run->set.output;
    th_format format = TH_FORMAT_NDJSON;
    bool lines = verbs[which].run == put_records || verbs[which].run == compare_runs;
    int wrong = lines || verbs[which].run == list_things ? cli_check_ending(run, path) : CLI_DONE;
    if (wrong || verbs[which].run == list_things)
        return wrong;
    if (run->set.format)
        format = (th_format)(run->set.format - 1);
    else if (path)
        th_format_of_path(path, &format);
    if (lines ? format == TH_FORMAT_NDJSON : !run->set.format)
        return CLI_DONE;
    return cli_usage_error(run->command,
                           lines ? "project %s writes only ndjson"
                                 : "project %s has no -f: it writes stored files unchanged",
                           verbs[which].name);
}

static int run_project(cli_run *run)
{
    const char *word = run->operands[0];
    th_error err;
    size_t which = 0;
    while (which < VERBS && strcmp(verbs[which].name, word))
        which++;
    if (which == VERBS) {
        const char *near = cli_nearest(word, verb_name, NULL);
        return near ? cli_usage_error(run->command, "unknown verb '%s'; did you mean %s?", word,
                                      near)
                    : cli_usage_error(run->command, "unknown verb '%s'", word);
    }
    if (run->operand_count < 2 + verbs[which].least)
        return cli_usage_error(run->command, "project %s needs PROJECT%s%s", word,
                               *verbs[which].operands ? " " : "", verbs[which].operands);
    int wrong = check_format(run, which);
    if (wrong)
        return wrong;
    if (verbs[which].run == list_things && which_list(run) == LISTS)
        return cli_usage_error(run->command,
                               "cannot list '%s' (available: sites, pages, assets, wrappers, runs)",
                               run->operands[2]);
    run->project.path = run->operands[1];
    th_status status =
        th_project_open(run->project.path, verbs[which].mode, &run->project.file, &err);
    if (!status)
        status = verbs[which].run(run, &err);
    return cli_run_end(run, status, &err);
}

static const char *const examples[] = {
    "thresh project new shop.thresh", "thresh project add shop.thresh --site shop shop/",
    "thresh project list shop.thresh pages",
    "thresh extract --project shop.thresh --site shop -w books", NULL};

const cli_command cli_project_command = {
    .name = "project",
    .operands = "VERB PROJECT [WORD...]",
    .summary = "keep pages, labels, wrappers and runs in one file",
    .about =
        "A project is one file that contains sites with their pages, labels, versions of "
        "wrappers, and\n"
        "runs with records and verdicts. Other commands use it with --project. Verbs:\n"
        "    new PROJECT                make an empty one\n"
        "    add PROJECT INPUT...       add pages\n"
        "    label PROJECT LABELS       add the labels of a file\n"
        "    save PROJECT WRAPPER       add a wrapper as the next version of its name\n"
        "    list PROJECT [WHAT]        show sites (without WHAT), pages, assets (what pages\n"
        "                               look with), wrappers or runs\n"
        "    page, wrapper PROJECT NAME, records PROJECT RUN, labels PROJECT\n"
        "                               print a page, a wrapper (NAME@VERSION for an old "
        "one), the\n"
        "                               records of a run, all labels\n"
        "    columns PROJECT RUN        print what the columns of a run look like, as JSON: "
        "types,\n"
        "                               pages that have them, outliers\n"
        "    compare PROJECT RUN RUN    print the records that were removed, added and changed, a "
        "line of\n"
        "                               JSON each\n"
        "    export, import PROJECT FOLDER\n"
        "                               write everything as plain files, and read it back\n"
        "    remove PROJECT SITE        remove a site and everything in it\n"
        "    check, tidy PROJECT        check all data; remove data that nothing refers to\n",
    .examples = examples,
    .options = groups,
    .own_size = sizeof(project_settings),
    .least = 1,
    .run = run_project,
};
