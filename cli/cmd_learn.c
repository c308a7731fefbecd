/*
 * cmd_learn.c: `thresh learn`: a wrapper from the pages of a site.
 *
 * Pages go to the learner one after the other, in the order of their inputs' names: the first that
 * has a list settles what is learnt. Only reading and parsing is done by workers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "learn.h"
#include "wrapper_file.h"

typedef struct learn_settings {
    int engine;    /* which of cli_engines, counted from 1; 0 when not given */
    uint64_t pick; /* 0 when not given */
    const char *labels;
    cli_texts examples, picks;
    uint64_t cluster; /* 0 when not given */
    bool all_clusters;
    const char *save; /* its name in the project */
    const char *date;
    const char *correct;
    const char *without;
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
     "a FIELD begins the next record",
     FIELD(examples)},
    {"at", 0, CLI_TEXTS, "PLACE",
     "the place of a value: FIELD=N, the N-th that\n"
     "`thresh labels` shows, or its bytes, START-END",
     FIELD(picks)},
    {"pick", 0, CLI_COUNT, "N",
     "learn the N-th list that `thresh regions` shows for the\n"
     "first page that has any (default 1)",
     FIELD(pick), .least = 1, .most = 1000},
    {"cluster", 0, CLI_COUNT, "N",
     "learn from the N-th cluster that `thresh clusters` shows\n"
     "(default 1, the largest)",
     FIELD(cluster), .least = 1, .most = 1000},
    {"all-clusters", 0, CLI_FLAG, NULL, "learn from each cluster: FILE, FILE-2, FILE-3, ...",
     FIELD(all_clusters)},
    {"save", 0, CLI_TEXT, "NAME", "store the wrapper in the project as the next version of NAME",
     FIELD(save)},
    {"correct", 0, CLI_FILE, "WRAPPER",
     "correct a wrapper of softmealy with labels for what it\n"
     "reads wrong; its rules are kept",
     FIELD(correct)},
    {"without", 0, CLI_TEXT, "NAMES",
     "softmealy: turn off improvements, separated by commas:\n"
     "ground-html, no-blanks, check, free-order, resync",
     FIELD(without)},
    {"date", 0, CLI_TEXT, "DATE", "date written into the wrapper (default: now)", FIELD(date)},
};

static const cli_group learn_group = CLI_GROUP("What to learn", learn_options, true);
static const cli_group *const groups[] = {
    &learn_group,    &cli_paper_group, &cli_file_group,   &cli_project_group,
    &cli_page_group, &cli_fetch_group, &cli_common_group, NULL};

typedef struct learning {
    th_learner *learner;
    th_labels *labels;
    th_wrapper *wrapper;             /* to correct, or NULL */
    uint64_t records, pages, others; /* others: without labels, where some have any */
    cli_kept kept;                   /* for the profile */
} learning;

static th_status work(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void **result, th_error *err)
{
    return TH_OK;
}

static th_status done(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void *result, th_error *err)
{
    learning *l = context;
    th_records_source source = {th_input_name(input), th_page_url(page)};
    size_t records = 0;
    th_status status = th_learner_add(l->learner, page, &source, &records, err);
    if (!status && !records && !l->labels)
        cli_note(run, th_input_name(input),
                 l->pages ? "no matching list on this page" : "no list of records on this page");
    if (!status && records)
        cli_keep_page(&l->kept, page, th_input_name(input));
    l->pages += records > 0;
    l->others += l->labels && !records;
    l->records += records;
    return status;
}

/* The labels of --labels and --example, else those of the project; none when there are neither. */
static th_status read_labels(const cli_run *run, th_labels **out, th_error *err)
{
    const learn_settings *own = run->own;
    th_status status = TH_OK;
    *out = NULL;
    if (run->project.file && !own->labels && !own->examples.count) {
        status = th_project_labels(run->project.file, run->project.site, out, err);
        if (!status && !th_labels_count(*out)) {
            th_labels_free(*out);
            *out = NULL;
        }
        return status;
    }
    if (own->labels) {
        size_t len = 0;
        char *bytes = cli_read_file(own->labels, &len);
        if (!bytes) {
            snprintf(err->message, sizeof err->message, "%.200s: cannot be read: %s", own->labels,
                     strerror(errno));
            return TH_ERR_IO;
        }
        status = th_labels_read((th_str){bytes, len}, own->labels, out, err);
        free(bytes);
    } else if (own->examples.count) {
        status = th_labels_new(out, err);
    }
    for (size_t i = 0; !status && i < own->examples.count; i++)
        status = th_labels_add_example(*out, (th_str){0}, th_str_from(own->examples.items[i]), err);
    for (size_t i = 0; !status && *out && i < own->picks.count; i++)
        status = th_labels_add_pick(*out, th_str_from(own->picks.items[i]), err);
    return status;
}

void cli_tell_notes(cli_run *run, const th_learner *learner)
{
    for (size_t i = 0; i < th_learner_note_count(learner); i++) {
        th_str note = th_learner_note(learner, i);
        if (run->set.verbose || !th_learner_note_is_detail(learner, i))
            cli_note(run, (th_str){0}, "%.*s", (int)note.len, note.ptr);
    }
}

/* Into the project, when that was asked for. */
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

/* A wrapper that is kept in the project need not be written out too. */
th_status cli_keep_wrapper(cli_run *run, const th_wrapper *wrapper, const char *path, th_error *err)
{
    const learn_settings *own = run->own;
    th_status status = path || !own->save ? cli_write_wrapper(run, wrapper, path, err) : TH_OK;
    return status ? status : save(run, wrapper, err);
}

void cli_tell_learnt(cli_run *run, uint64_t records, uint64_t pages)
{
    cli_note(run, (th_str){0}, "learnt from %llu record%s on %llu page%s",
             (unsigned long long)records, records == 1 ? "" : "s", (unsigned long long)pages,
             pages == 1 ? "" : "s");
}

static th_status write_wrapper(cli_run *run, const learning *l, th_error *err)
{
    th_wrapper *wrapper = NULL;
    th_status status = th_learner_finish(l->learner, &wrapper, err);
    size_t wrong = th_learner_wrong(l->learner);
    if (!status && wrong)
        cli_error(run, (th_str){0},
                  "%zu labelled value%s not come out of the wrapper as labelled; the wrapper is "
                  "written anyway",
                  wrong, wrong == 1 ? " does" : "s do");
    cli_tell_notes(run, l->learner);
    if (!status)
        status = cli_profile(run, &l->kept, wrapper, err);
    if (!status)
        status = cli_keep_wrapper(run, wrapper, run->set.output, err);
    th_wrapper_free(wrapper);
    return status;
}

static void tell_sum(cli_run *run, const learning *l)
{
    cli_text line = {0};
    cli_printf(&line, "learnt from %llu %srecord%s on %llu page%s", (unsigned long long)l->records,
               l->labels ? "labelled " : "", l->records == 1 ? "" : "s",
               (unsigned long long)l->pages, l->pages == 1 ? "" : "s");
    if (l->others)
        cli_printf(&line, ", and %llu page%s without labels", (unsigned long long)l->others,
                   l->others == 1 ? "" : "s");
    cli_note(run, (th_str){0}, "%.*s", (int)line.len, line.ptr ? line.ptr : "");
    cli_text_release(&line);
}

/* Returns true if the pages are put into clusters first. Labels say what belongs together, and
 * engines for lists look at page after page. */
static bool wants_clusters(const learn_settings *own)
{
    const char *engine = own->engine > 1 ? learn_engines[own->engine - 1] : NULL; /* not auto */
    return !own->pick && (!engine || !strcmp(engine, "template") || !strcmp(engine, "exalg"));
}

static int run_learn(cli_run *run)
{
    const learn_settings *own = run->own;
    char now[32];
    learning l = {0};
    th_error err;
    th_learn_options options;
    if (own->save && !run->project.file)
        return cli_usage_error(run->command, "--save needs --project");
    th_learn_options_init(&options);
    options.date = own->date ? own->date : cli_now(now, sizeof now);
    if (own->engine > 1) /* not auto */
        options.engine = learn_engines[own->engine - 1];
    if (own->pick)
        options.pick = (uint32_t)own->pick;
    if (own->save && own->all_clusters)
        return cli_usage_error(run->command,
                               "--save stores one wrapper: use --cluster, not --all-clusters");
    int wrong = cli_paper_options(run, options.engine ? options.engine : "auto", &options.paper);
    if (wrong)
        return wrong;
    options.without = own->without;
    if (own->correct && !cli_read_wrapper(run, own->correct, &l.wrapper))
        return cli_run_end(run, TH_OK, NULL);
    th_status status = read_labels(run, &l.labels, &err);
    if (status == TH_ERR_ARGUMENT) { /* --example or --at makes no sense */
        th_labels_free(l.labels);
        th_wrapper_free(l.wrapper);
        return cli_usage_error(run->command, "%s", err.message);
    }
    if (!status && !l.labels && !l.wrapper && wants_clusters(own))
        return cli_learn_clusters(run, &options, own->cluster, own->all_clusters);
    if (own->cluster || own->all_clusters) {
        th_labels_free(l.labels);
        return cli_usage_error(run->command,
                               "--cluster and --all-clusters cannot be used with labels, with "
                               "--pick or with engines other than template and exalg");
    }
    options.labels = l.labels;
    options.correct = l.wrapper;
    if (!status)
        status = th_learner_new(&options, &l.learner, &err);
    if (status) {
        th_labels_free(l.labels);
        th_wrapper_free(l.wrapper);
        return cli_run_end(run, status, &err);
    }
    cli_job job = {work, done, NULL, &l};
    status = cli_run_pages(run, run->operands, run->operand_count, &job);
    bool told = status != TH_OK;
    if (!status && run->pages)
        status = write_wrapper(run, &l, &err);
    else if (!told)
        cli_leave_output(run, run->set.output, run->pages);
    if (!status && l.pages)
        tell_sum(run, &l);
    th_learner_free(l.learner);
    cli_kept_release(&l.kept);
    th_labels_free(l.labels);
    th_wrapper_free(l.wrapper);
    return cli_run_end(run, status, told ? NULL : &err);
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
