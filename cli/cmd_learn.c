/*
 * cmd_learn.c: `thresh learn`: a wrapper from the pages of a site.
 *
 * The pages go into a corpus, and th_learn decides what is learnt from them. This file reads the
 * options and prints a report of what was done; -v prints the details.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wrapper_file.h"

typedef struct learn_settings {
    int engine;    /* which of cli_engines, counted from 1; 0 when not given */
    uint64_t pick; /* 0 when not given */
    const char *labels;
    cli_texts examples, picks, nothing;
    const char *body;
    uint64_t cluster; /* 0 when not given */
    bool all_clusters;
    bool list;
    bool tidy;
    const char *save; /* its name in the project */
    const char *date;
    const char *correct;
    const char *without;
    const char *slots;
    const char *columns, *join;
} learn_settings;

#define FIELD(name) offsetof(learn_settings, name)

static const char *const learn_engines[] = {"auto",     "lists", "mdr",       "iepad",
                                            "template", "exalg", "softmealy", "stalker",
                                            "seams",    "paths", NULL};

static const cli_option learn_options[] = {
    {"engine", 0, CLI_WORD, "ENGINE",
     "learning engine: lists, mdr or iepad (lists), template or\n"
     "exalg (pages of one template), softmealy, stalker, seams or\n"
     "paths (labels) (default: auto, chosen from the input)",
     FIELD(engine), .words = learn_engines},
    {"labels", 0, CLI_FILE, "FILE", "labelled values for some of the pages: see `thresh labels`",
     FIELD(labels)},
    {"example", 0, CLI_TEXTS, "FIELD=VALUE",
     "a labelled value; can be repeated. FIELD[] is a list,\n"
     "LIST.FIELD a field of a nested list; a second value for\n"
     "a FIELD begins the next record; FIELD= says that the\n"
     "record has no such field",
     FIELD(examples)},
    {"at", 0, CLI_TEXTS, "PLACE",
     "the place of a value: FIELD=N, the N-th that\n"
     "`thresh labels` shows, or its bytes, START-END",
     FIELD(picks)},
    {"body", 0, CLI_TEXT, "START-END",
     "softmealy, stalker: the bytes of the labelled page that\n"
     "contain all records",
     FIELD(body)},
    {"nothing", 0, CLI_TEXTS, "START-END",
     "softmealy: bytes of the labelled page that contain no\n"
     "record; can be repeated",
     FIELD(nothing)},
    {"pick", 0, CLI_COUNT, "N",
     "learn the N-th list that `thresh regions` shows for the\n"
     "first page that has any (default 1)",
     FIELD(pick), .least = 1, .most = 1000},
    {"list", 0, CLI_FLAG, NULL,
     "the one labelled record is one of a list: learn all of it,\n"
     "whichever list of the page it is",
     FIELD(list)},
    {"tidy", 0, CLI_FLAG, NULL,
     "leave out columns that are constant or duplicates on\n"
     "these pages; rare ones go to the column other",
     FIELD(tidy)},
    {"columns", 0, CLI_TEXT, "LIST", CLI_COLUMNS_HELP, FIELD(columns)},
    {"join", 0, CLI_TEXT, "TEXT", CLI_JOIN_HELP, FIELD(join), .needs = "columns"},
    {"cluster", 0, CLI_COUNT, "N",
     "learn from the N-th cluster that `thresh clusters` shows\n"
     "(default 1, the largest)",
     FIELD(cluster), .least = 1, .most = 1000},
    {"all-clusters", 0, CLI_FLAG, NULL, "learn from each cluster: FILE, FILE-2, FILE-3, ...",
     FIELD(all_clusters)},
    {"save", 0, CLI_TEXT, "NAME", "store the wrapper in the project as the next version of NAME",
     FIELD(save), .needs = "project"},
    {"correct", 0, CLI_FILE, "WRAPPER",
     "correct a wrapper of softmealy with labels for what it\n"
     "reads wrong; its rules are kept",
     FIELD(correct)},
    {"without", 0, CLI_TEXT, "NAMES",
     "softmealy: turn off improvements, separated by commas:\n"
     "ground-html, no-blanks, check, free-order, resync",
     FIELD(without)},
    {"slots", 0, CLI_TEXT, "NAMES",
     "iepad: keep only these slots that `thresh regions` shows,\n"
     "with new names: text_1=title,text_3,link_1=url",
     FIELD(slots)},
    {"date", 0, CLI_DATE, "DATE", "date written into the wrapper (default: now)", FIELD(date)},
};

static const cli_group learn_group = CLI_GROUP("What to learn", learn_options, true);
static const cli_group *const groups[] = {&learn_group,       &cli_paper_group,  &cli_file_group,
                                          &cli_project_group, &cli_page_group,   &cli_follow_group,
                                          &cli_fetch_group,   &cli_common_group, NULL};

static th_status done(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void *result, th_error *err)
{
    th_records_source source = {th_input_name(input), th_page_url(page)};
    return th_corpus_add(context, page, &source, err);
}

/* The labels of --labels and --example, else those of the project; none when there are neither. */
static th_status read_labels(const cli_run *run, th_labels **out, th_error *err)
{
    const learn_settings *own = run->own;
    th_status status = TH_OK;
    *out = NULL;
    if (own->labels)
        status = cli_read_labels(own->labels, out, err);
    else if (own->examples.count)
        status = th_labels_new(out, err);
    else if (run->project.file)
        status = th_project_labels(run->project.file, run->project.site, out, err);
    if (!status && *out && !own->labels && !own->examples.count && !th_labels_count(*out)) {
        th_labels_free(*out);
        *out = NULL;
    }
    for (size_t i = 0; !status && i < own->examples.count; i++)
        status = th_labels_add_example(*out, (th_str){0}, th_str_from(own->examples.items[i]), err);
    for (size_t i = 0; !status && *out && i < own->picks.count; i++)
        status = th_labels_add_pick(*out, th_str_from(own->picks.items[i]), err);
    if (!status && !*out && (own->picks.count || own->body || own->nothing.count))
        status =
            cli_fail(err, TH_ERR_ARGUMENT, "--%s is part of labels: give --labels or --example",
                     own->picks.count ? "at"
                     : own->body      ? "body"
                                      : "nothing");
    if (!status && own->body)
        status = th_labels_add_place(*out, th_str_from(own->body), false, err);
    for (size_t i = 0; !status && i < own->nothing.count; i++)
        status = th_labels_add_place(*out, th_str_from(own->nothing.items[i]), true, err);
    return status;
}

/* Stores the wrapper in the project if --save says so. */
static th_status save(cli_run *run, const th_wrapper *wrapper, th_error *err)
{
    const learn_settings *own = run->own;
    uint32_t version = 0;
    if (!own->save)
        return TH_OK;
    th_status status = th_project_add_wrapper(run->project.file, run->project.site,
                                              th_str_from(own->save), wrapper, &version, err);
    if (!status)
        cli_note(run, (th_str){0}, "saved as %s, version %u", own->save, version);
    return status;
}

/* A wrapper that is stored in the project need not be written to standard output too. */
static th_status keep_wrapper(cli_run *run, const th_wrapper *wrapper, const char *path,
                              th_error *err)
{
    const learn_settings *own = run->own;
    th_status status = path || !own->save ? cli_write_wrapper(run, wrapper, path, err) : TH_OK;
    return status ? status : save(run, wrapper, err);
}

static void tell_learnt(cli_run *run, const th_lesson *lesson, bool labels)
{
    cli_text line = {0};
    cli_printf(&line, "learnt from %zu %srecord%s on %zu page%s", lesson->records,
               labels ? "labelled " : "", lesson->records == 1 ? "" : "s", lesson->pages,
               lesson->pages == 1 ? "" : "s");
    if (lesson->others)
        cli_printf(&line, ", and %zu page%s without labels", lesson->others,
                   lesson->others == 1 ? "" : "s");
    cli_note(run, (th_str){0}, "%.*s", (int)line.len, line.ptr ? line.ptr : "");
    cli_text_release(&line);
}

void cli_tell_remarks(cli_run *run, const th_report *report)
{
    for (size_t i = 0; report && i < th_report_remark_count(report); i++) {
        const th_remark *remark = th_report_remark(report, i);
        if (run->set.verbose || !remark->detail)
            cli_note(run, remark->page, "%.*s", (int)remark->text.len, remark->text.ptr);
    }
}

/* "books.json", "books-2.json", ... */
static char *numbered(const char *path, size_t number)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    if (!dot || (slash && dot < slash) || dot == path || dot[-1] == '/')
        dot = path + strlen(path);
    cli_text text = {0};
    cli_printf(&text, "%.*s-%zu%s", (int)(dot - path), path, number, dot);
    char *out = text.ptr ? strndup(text.ptr, text.len) : NULL;
    cli_text_release(&text);
    return out;
}

/* One file for each cluster. */
static th_status keep_each(cli_run *run, const th_corpus *corpus, const th_report *report,
                           th_error *err)
{
    th_status status = TH_OK;
    for (size_t c = 0; !status && c < th_report_count(report); c++) {
        const th_lesson *lesson = th_report_lesson(report, c);
        size_t first = 0;
        while (lesson->cluster != TH_NO_CLUSTER && th_corpus_cluster(corpus, first) != c)
            first++;
        th_str name = th_corpus_name(corpus, first);
        if (!lesson->wrapper) {
            cli_error(run, name, "no wrapper for the pages like it: %.*s", (int)lesson->failure.len,
                      lesson->failure.ptr);
            continue;
        }
        char *path = c ? numbered(run->set.output, c + 1) : strdup(run->set.output);
        status = path ? keep_wrapper(run, lesson->wrapper, path, err) : cli_no_memory(err);
        cli_sink_release(&run->sink); /* the next file is another */
        if (!status)
            tell_learnt(run, lesson, false);
        if (!status)
            cli_note(run, th_str_from(path), "for %zu pages like %.*s",
                     th_corpus_cluster_size(corpus, lesson->cluster), (int)name.len, name.ptr);
        free(path);
    }
    return status;
}

static th_status learn(cli_run *run, th_corpus *corpus, const th_learn_options *options,
                       bool labels, th_error *err)
{
    th_report *report = NULL;
    th_status status = th_learn(corpus, options, NULL, &report, err);
    const th_lesson *lesson = report ? th_report_lesson(report, 0) : NULL;
    if (!status && lesson->wrong)
        cli_error(run, (th_str){0},
                  "%zu labelled value%s not come out of the wrapper as labelled; the wrapper is "
                  "written anyway",
                  lesson->wrong, lesson->wrong == 1 ? " does" : "s do");
    cli_tell_remarks(run, report);
    if (!status && !options->all_clusters && !options->cluster &&
        th_corpus_cluster_count(corpus) > 1)
        cli_note(run, (th_str){0},
                 "--cluster N learns from another cluster; `thresh clusters` shows them");
    if (!status && options->all_clusters) {
        status = keep_each(run, corpus, report, err);
    } else if (!status) {
        status = keep_wrapper(run, lesson->wrapper, run->set.output, err);
        if (!status && lesson->pages)
            tell_learnt(run, lesson, labels);
    }
    th_report_free(report);
    return status;
}

/* Reads the pages and learns from them. The exit code. */
static int learn_pages(cli_run *run, th_corpus *corpus, const th_learn_options *options,
                       bool labels)
{
    th_error err;
    cli_job job = {.done = done, .context = corpus};
    th_status status = cli_run_pages(run, run->operands, run->operand_count, &job);
    if (!status && run->pages)
        status = learn(run, corpus, options, labels, &err);
    else if (!status)
        cli_leave_output(run, run->set.output, run->pages);
    return cli_run_end(run, status, &err);
}

/* Options that exclude each other are reported before any page is read. The exit code. */
static int check_and_learn(cli_run *run, th_corpus *corpus, const th_learn_options *options,
                           th_labels **labels)
{
    const learn_settings *own = run->own;
    th_error err;
    th_status status = read_labels(run, labels, &err);
    th_corpus_set_labels(corpus, *labels);
    if (status == TH_ERR_ARGUMENT) /* --example or --at is malformed */
        return cli_usage_error(run->command, "%s", err.message);
    /* Pages that follow each other have the same list: there is nothing to decide. */
    th_learn_options chosen = *options;
    if (run->set.follow && !*labels && !own->engine && !own->cluster && !own->all_clusters &&
        !own->pick)
        chosen.pick = 1;
    options = &chosen;
    if (!status)
        status = th_learn_check(corpus, options, &err);
    if (status && (own->cluster || own->all_clusters))
        return cli_usage_error(run->command, "--cluster, --all-clusters: %s", err.message);
    if (!status && own->all_clusters && !run->set.output)
        return cli_usage_error(run->command,
                               "--all-clusters writes several files: name the first with -o");
    return status ? cli_run_end(run, status, &err)
                  : learn_pages(run, corpus, options, *labels != NULL);
}

static int run_learn(cli_run *run)
{
    const learn_settings *own = run->own;
    char now[32];
    th_wrapper *correct = NULL;
    th_labels *labels = NULL;
    th_corpus *corpus = NULL;
    th_error err;
    th_learn_options options;
    if (own->save && own->all_clusters)
        return cli_usage_error(run->command,
                               "--save stores one wrapper: use --cluster, not --all-clusters");
    th_learn_options_init(&options);
    options.date = own->date ? own->date : cli_now(now, sizeof now);
    options.engine = learn_engines[own->engine ? own->engine - 1 : 0];
    options.pick = (uint32_t)own->pick;
    options.cluster = (uint32_t)own->cluster;
    options.all_clusters = own->all_clusters;
    options.tidy = own->tidy;
    options.whole_list = own->list;
    options.without = own->without;
    options.slots = own->slots;
    options.columns = own->columns;
    options.join = own->join;
    int code = cli_paper_options(run, options.engine, &options.paper);
    if (code)
        return code;
    if (own->correct && !cli_read_wrapper(run, own->correct, &correct))
        return cli_run_end(run, TH_OK, NULL);
    options.correct = correct;
    th_status status = th_corpus_new(&corpus, &err);
    if (status)
        code = cli_run_end(run, status, &err);
    else
        code = check_and_learn(run, corpus, &options, &labels);
    th_corpus_free(corpus);
    th_labels_free(labels);
    th_wrapper_free(correct);
    return code;
}

static const char *const examples[] = {"thresh learn -o books.json shop/1.html",
                                       "thresh learn -o shop.json shop/",
                                       "thresh learn --pick 2 -o news.json page1.html page2.html",
                                       "thresh learn --example title='Winter Bread' --example "
                                       "price=9.95 -o book.json shop/*.html",
                                       "thresh learn --labels labels.jsonl -o book.json shop/",
                                       NULL};

const cli_command cli_learn = {
    .name = "learn",
    .operands = "INPUT...",
    .summary = "learn a wrapper from pages of a site",
    .about =
        "Learns where the data of a kind of page is and writes this to a wrapper, a JSON file.\n"
        "With labels or examples it learns what they show: the fields of pages of one record, or "
        "a\n"
        "whole list from one or two of its records; the exit status is 1 if a labelled value does\n"
        "not come out as labelled. Without labels, several pages are grouped into clusters, and "
        "the\n"
        "wrapper is learnt from the largest: its lists, or one record per page, whichever explains "
        "more\n"
        "of the differences between pages. Pages left out are reported.\n"
        "`thresh extract` runs the wrapper on other pages, `thresh show` explains it.\n",
    .examples = examples,
    .options = groups,
    .own_size = sizeof(learn_settings),
    .least = 1,
    .by_name = true,
    .run = run_learn,
};
