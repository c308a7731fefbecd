/*
 * cmd_learn.c: `thresh learn`: a wrapper from the pages of a site.
 *
 * Pages go to the learner one after the other, in the order of the inputs: the first that has a
 * list settles what is learnt. Only reading and parsing is done by workers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wrapper_file.h"

typedef struct learn_settings {
    int engine;    /* which of cli_engines, counted from 1; 0 when not given */
    uint64_t pick; /* 0 when not given */
    const char *labels;
    cli_texts examples;
    const char *save; /* its name in the project */
    const char *date;
} learn_settings;

#define FIELD(name) offsetof(learn_settings, name)

static const char *const learn_engines[] = {"auto",      "mdr",     "iepad", "exalg",
                                            "softmealy", "stalker", NULL};

static const cli_option learn_options[] = {
    {"engine", 0, CLI_WORD, "ENGINE",
     "who learns: auto, mdr or iepad (lists), exalg (pages of\n"
     "one template), softmealy or stalker (labels); without it\n"
     "the best for what is given",
     FIELD(engine), .words = learn_engines},
    {"labels", 0, CLI_FILE, "FILE", "what stands on some of the pages: see `thresh labels`",
     FIELD(labels)},
    {"example", 0, CLI_TEXTS, "FIELD=VALUE",
     "a value to learn; may be given many times. FIELD[] is a\n"
     "list, LIST.FIELD a field of a nested list; a FIELD that\n"
     "has a value already begins the next record",
     FIELD(examples)},
    {"pick", 0, CLI_COUNT, "N",
     "learn the N-th list that `thresh regions` shows for the\n"
     "first page that has any (1)",
     FIELD(pick), .least = 1, .most = 1000},
    {"save", 0, CLI_TEXT, "NAME", "keep the wrapper in the project as the next version of NAME",
     FIELD(save)},
    {"date", 0, CLI_TEXT, "DATE", "the date written into the wrapper (now)", FIELD(date)},
};

static const cli_group learn_group = CLI_GROUP("What to learn", learn_options, true);
static const cli_group *const groups[] = {&learn_group,
                                          &cli_file_group,
                                          &cli_project_group,
                                          &cli_page_group,
                                          &cli_fetch_group,
                                          &cli_common_group,
                                          NULL};

typedef struct learning {
    th_learner *learner;
    th_labels *labels;
    uint64_t records, pages;
    cli_kept kept; /* for the profile */
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
    if (!status && !records)
        cli_note(run, th_input_name(input),
                 l->pages ? "nothing like it on this page" : "no list of records on this page");
    if (!status && records)
        cli_keep_page(&l->kept, page, input);
    l->pages += records > 0;
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
    return status;
}

static void tell_notes(cli_run *run, const th_learner *learner)
{
    for (size_t i = 0; i < th_learner_note_count(learner); i++) {
        th_str note = th_learner_note(learner, i);
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
        cli_note(run, (th_str){0}, "kept as %s, version %u", own->save, version);
    return status;
}

/* A wrapper that is kept in the project need not be written out too. */
static th_status write_wrapper(cli_run *run, const learning *l, th_error *err)
{
    const learn_settings *own = run->own;
    th_wrapper *wrapper = NULL;
    th_status status = th_learner_finish(l->learner, &wrapper, err);
    tell_notes(run, l->learner);
    if (!status)
        status = cli_profile(run, &l->kept, wrapper, err);
    if (!status && (run->set.output || !own->save))
        status = cli_write_wrapper(run, wrapper, NULL, err);
    if (!status)
        status = save(run, wrapper, err);
    th_wrapper_free(wrapper);
    return status;
}

static int run_learn(cli_run *run)
{
    const learn_settings *own = run->own;
    char now[32];
    learning l = {0};
    th_error err;
    th_learn_options options;
    if (own->save && !run->project.file)
        return cli_usage_error(run->command, "--save is for --project");
    th_learn_options_init(&options);
    options.date = own->date ? own->date : cli_now(now, sizeof now);
    if (own->engine)
        options.engine = learn_engines[own->engine - 1];
    if (own->pick)
        options.pick = (uint32_t)own->pick;
    th_status status = read_labels(run, &l.labels, &err);
    options.labels = l.labels;
    if (!status)
        status = th_learner_new(&options, &l.learner, &err);
    if (status) {
        th_labels_free(l.labels);
        return cli_run_end(run, status, &err);
    }
    cli_job job = {work, done, NULL, &l};
    status = cli_run_pages(run, run->operands, run->operand_count, &job);
    bool told = status != TH_OK;
    if (!status && run->pages)
        status = write_wrapper(run, &l, &err);
    else if (!told)
        cli_leave_output(run);
    if (!status && l.pages)
        cli_note(run, (th_str){0}, "learnt from %llu record%s on %llu page%s",
                 (unsigned long long)l.records, l.records == 1 ? "" : "s",
                 (unsigned long long)l.pages, l.pages == 1 ? "" : "s");
    th_learner_free(l.learner);
    cli_kept_release(&l.kept);
    th_labels_free(l.labels);
    return cli_run_end(run, status, told ? NULL : &err);
}

static const char *const examples[] = {"thresh learn -o books.json shop/1.html",
                                       "thresh learn --pick 2 -o news.json page1.html page2.html",
                                       NULL};

const cli_command cli_learn = {
    .name = "learn",
    .operands = "INPUT...",
    .summary = "learn a wrapper from pages of a site",
    .about =
        "Finds a list of records on the first page that has one and writes down where records and\n"
        "fields stand: a wrapper, a JSON file. Further pages of the same site add the variants "
        "that\n"
        "they have. `thresh extract` runs the wrapper on other pages, `thresh show` explains it.\n",
    .examples = examples,
    .options = groups,
    .own_size = sizeof(learn_settings),
    .least = 1,
    .run = run_learn,
};
