/*
 * cmd_regions.c: `thresh INPUT...` and `thresh regions`: the lists of pages, without labels.
 *
 * The first prints the records of the best list of each page; it is what thresh does when no
 * command is named. The second shows every list that was found, ranked.
 *
 * Of several pages the first looks at them together: th_learn gives a wrapper for those of one
 * template that hold one record each; the rest, and pages that are like none, are searched for
 * lists, each for itself. Nothing is read twice, so that standard input and archives work like
 * files. Where the inputs take more memory than HELD_MEMORY, what was learnt from the pages so far
 * is a plan, and they are printed. Later pages go where they belong by it; those that belong
 * nowhere are held back in their turn and make the next plan, so that later templates are found
 * too. With --resume each page is looked at for itself: a plan would be lost with the process.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "trace_steps.h"
#include "wrapper_file.h"

enum {
    HELD_MEMORY = 512 << 20, /* of the pages that are held back */
    LEARNT_PAGES = 256       /* of a template that are learnt from */
};

typedef struct list_settings {
    int engine;    /* which of the words, counted from 1 */
    uint64_t pick; /* 0 when not given */
    uint64_t most; /* 0 when not given */
    bool trace;
    bool all;
} list_settings;

#define FIELD(name) offsetof(list_settings, name)

#define ENGINE                                                                                     \
    {                                                                                              \
        "engine", 0, CLI_WORD, "ENGINE",                                                           \
            "engine: lists, mdr (similar siblings) or iepad (repeats in\n"                         \
            "the string of tags) (default: auto, which is lists)",                                 \
            FIELD(engine), .words = cli_engines                                                    \
    }

static const cli_option region_options[] = {
    ENGINE,
    {"most", 0, CLI_COUNT, "N", "show at most N lists per page (default 10; of iepad all)",
     FIELD(most), .least = 1, .most = 1000000},
    {"trace", 0, CLI_FLAG, NULL,
     "show the steps of mdr or iepad on each page rather than\n"
     "the lists: as text, or with -f json or ndjson",
     FIELD(trace)},
};
static const cli_option record_options[] = {
    ENGINE,
    {"all", 0, CLI_FLAG, NULL, "show constant columns and duplicates too", FIELD(all)},
    {"pick", 0, CLI_COUNT, "N", "print the N-th list that `thresh regions` shows (default 1)",
     FIELD(pick), .least = 1, .most = 1000},
};

static const cli_group region_group = CLI_GROUP("Finding lists", region_options, true);
static const cli_group record_group = CLI_GROUP("Finding lists", record_options, true);
static const cli_group *const region_groups[] = {
    &region_group,      &cli_list_group,   &cli_records_group,
    &cli_project_group, &cli_long_group,   &cli_page_group,
    &cli_fetch_group,   &cli_common_group, NULL};
static const cli_group *const record_groups[] = {
    &record_group,   &cli_list_group,   &cli_records_group, &cli_project_group, &cli_long_group,
    &cli_page_group, &cli_follow_group, &cli_fetch_group,   &cli_common_group,  NULL};

typedef struct plan {
    th_corpus *corpus;           /* its clusters; the pages are gone */
    th_report *report;           /* a lesson for each cluster; without a wrapper: lists */
    _Atomic(struct plan *) next; /* of pages that this one has no place for */
} plan;

/* The result for a page: lists, or the records of a wrapper. */
typedef struct found {
    th_regions *regions;
    th_records *records;
    const plan *asked; /* the last plan that was asked for a place */
    bool placed;
} found;

/* A page that is not printed yet. */
typedef struct held_page {
    char *name;
    found *found;
    size_t page; /* in the corpus; SIZE_MAX: it is not there, and waits for those before it */
} held_page;

typedef struct listing {
    th_writer *writer;
    const char *engine;
    th_paper_options paper;
    bool best_only;
    bool all;          /* columns */
    size_t pick;       /* which list, from 1; 0: the best */
    uint32_t most;     /* lists of a page that are shown; 0: the library's default */
    bool planning;     /* pages are looked at together before they are printed */
    th_corpus *corpus; /* those that wait for a plan */
    held_page *held;   /* these, and those behind them */
    size_t held_count, held_cap;
    size_t held_memory;   /* that their pages take */
    _Atomic(plan *) plan; /* the first; workers look whether it is there */
    plan *last;
} listing;

static void discard(void *result)
{
    found *f = result;
    if (!f)
        return;
    th_regions_free(f->regions);
    th_records_free(f->records);
    free(f);
}

static th_status find_lists(const listing *l, const th_page *page, th_str name, found *out,
                            th_error *err)
{
    th_regions_options options;
    th_regions_options_init(&options);
    options.engine = l->engine;
    options.paper = l->paper;
    /* `regions` shows lists as they were found, to choose from. */
    options.all_columns = l->all || !l->best_only;
    if (l->best_only && !l->pick)
        options.most = 1;
    else if (l->most)
        options.most = l->most;
    if (options.most < l->pick)
        options.most = (uint32_t)l->pick;
    th_records_source source = {name, th_page_url(page)};
    return th_regions_find(page, &source, &options, &out->regions, err);
}

/* The records of a page of a cluster with a wrapper; *out is NULL where there is none. */
static th_status extract(const plan *by, size_t cluster, const th_page *page, th_str name,
                         th_records **out, th_error *err)
{
    th_records_source source = {name, th_page_url(page)};
    const th_lesson *lesson = th_report_lesson(by->report, cluster);
    return lesson && lesson->wrapper ? th_wrapper_extract(lesson->wrapper, page, &source, out, err)
                                     : TH_OK;
}

/* Asks the plans that were not asked before, in their order: the first that has a place for the
 * page is the same, whichever thread asks and whenever. */
static th_status place(listing *l, const th_page *page, th_str name, found *f, th_error *err)
{
    th_status status = TH_OK;
    while (!status && !f->placed) {
        const plan *next = atomic_load(f->asked ? &((plan *)f->asked)->next : &l->plan);
        size_t cluster;
        if (!next)
            break;
        f->asked = next;
        status = th_corpus_place(next->corpus, page, &cluster, err);
        f->placed = !status && cluster != TH_NO_CLUSTER;
        if (f->placed)
            status = extract(next, cluster, page, name, &f->records, err);
    }
    return status;
}

static th_status work(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void **result, th_error *err)
{
    listing *l = context;
    found *f = calloc(1, sizeof *f);
    if (!f)
        return cli_no_memory(err);
    th_status status = place(l, page, th_input_name(input), f, err);
    if (!status && !f->records)
        status = find_lists(l, page, th_input_name(input), f, err);
    if (status)
        discard(f);
    else
        *result = f;
    return status;
}

/* Writes the line of a page without a list, in the format that has a line for each page. */
static th_status write_empty(listing *l, th_str name, th_error *err)
{
    th_records_source source = {.page = name};
    th_schema *schema;
    th_records *records = NULL;
    th_status status = th_schema_new(&schema, err);
    if (status)
        return status;
    th_type *tuple = th_schema_tuple(schema, (th_str){0}, NULL, 0);
    status = th_schema_finish(schema, th_schema_list(schema, (th_str){0}, tuple), err);
    if (!status)
        status = th_records_new(schema, &source, &records, err);
    if (!status)
        status = th_writer_add(l->writer, records, err);
    th_records_free(records);
    th_schema_free(schema);
    return status;
}

static th_status write_found(cli_run *run, listing *l, const th_page *page, th_str name,
                             const found *f, th_error *err)
{
    size_t count = f->regions ? th_regions_count(f->regions) : 0;
    size_t first = l->pick ? l->pick - 1 : 0;
    count = l->pick ? first < count : count;
    if (f->records)
        return cli_add_records(run, l->writer, f->records, err);
    if (count == 0 && l->pick > 1) {
        run->empty++;
        cli_note(run, name, "this page has fewer than %zu lists of records", l->pick);
    } else if (count == 0) {
        cli_note_empty(run, page, name, "no list of records found on this page");
    }
    if (!l->best_only && count < th_regions_found(f->regions))
        cli_note(run, name, "%zu of %zu lists shown: --most %zu shows all", count,
                 th_regions_found(f->regions), th_regions_found(f->regions));
    if (!l->best_only)
        run->records += count;
    if (!l->best_only)
        return th_writer_add_regions(l->writer, name,
                                     count ? th_regions_get(f->regions, first) : NULL, count, err);
    if (count)
        return cli_add_records(run, l->writer, th_regions_get(f->regions, first)->records, err);
    return cli_format(run) == TH_FORMAT_PAGES ? write_empty(l, name, err) : TH_OK;
}

/* Learns from the pages that wait; the new plan takes the corpus. */
static th_status make_plan(cli_run *run, listing *l, plan **out, th_error *err)
{
    th_learn_options options;
    th_learn_options_init(&options);
    options.records_only = true;
    options.no_profile = !run->set.types; /* which fields have a type is seen with it */
    options.tidy = !l->all;
    options.most = LEARNT_PAGES;
    plan *made = calloc(1, sizeof *made);
    th_status status =
        made ? th_learn(l->corpus, &options, NULL, &made->report, err) : cli_no_memory(err);
    if (status) {
        free(made);
        return status;
    }
    cli_tell_remarks(run, made->report);
    made->corpus = l->corpus;
    l->corpus = NULL;
    atomic_store(l->last ? &l->last->next : &l->plan, made);
    *out = l->last = made;
    return TH_OK;
}

/* Makes a plan of the pages that wait for one, and writes all that was held back. */
static th_status end_holding(cli_run *run, listing *l, th_error *err)
{
    plan *made = NULL;
    th_status status = TH_OK;
    if (l->corpus && th_corpus_count(l->corpus) > 1)
        status = make_plan(run, l, &made, err);
    th_corpus *corpus = made ? made->corpus : l->corpus;
    for (size_t i = 0; i < l->held_count; i++) {
        held_page *at = &l->held[i];
        const th_page *page = at->page == SIZE_MAX ? NULL : th_corpus_page(corpus, at->page);
        th_str name = th_str_from(at->name);
        if (!status && made && page)
            status = extract(made, th_corpus_cluster(corpus, at->page), page, name,
                             &at->found->records, err);
        if (!status)
            status = write_found(run, l, page, name, at->found, err);
        discard(at->found);
        free(at->name);
    }
    l->held_count = l->held_memory = 0;
    if (made)
        th_corpus_drop_pages(corpus);
    th_corpus_free(l->corpus);
    l->corpus = NULL;
    return status;
}

/* Holds a page back: for a plan, unless it has a place already. */
static th_status hold(listing *l, const th_page *page, th_str name, found *f, th_error *err)
{
    th_records_source source = {name, th_page_url(page)};
    held_page held = {strndup(name.ptr ? name.ptr : "", name.len), f, SIZE_MAX};
    th_status status = TH_OK;
    if (l->held_count == l->held_cap) {
        size_t cap = l->held_cap ? 2 * l->held_cap : 64;
        held_page *grown = realloc(l->held, cap * sizeof *grown);
        if (grown) {
            l->held = grown;
            l->held_cap = cap;
        }
    }
    if (!held.name || l->held_count == l->held_cap)
        status = cli_no_memory(err);
    if (!status && !f->placed && !l->corpus)
        status = th_corpus_new(&l->corpus, err);
    if (!status && !f->placed) {
        held.page = th_corpus_count(l->corpus);
        status = th_corpus_add(l->corpus, page, &source, err);
    }
    if (status)
        free(held.name);
    else
        l->held[l->held_count++] = held;
    return status;
}

static th_status done(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void *result, th_error *err)
{
    listing *l = context;
    found *f = result;
    th_str name = th_input_name(input);
    th_status status = place(l, page, name, f, err);
    /* Pages after one that waits must wait too: records are printed in the order of pages. */
    bool waits = l->planning && (!f->placed || l->held_count);
    if (!status && waits)
        status = hold(l, page, name, f, err);
    else if (!status)
        status = write_found(run, l, page, name, f, err);
    if (status || !waits)
        discard(f);
    l->held_memory += waits ? th_page_memory(page) + th_page_text(page).len : 0;
    return !status && l->held_memory > HELD_MEMORY ? end_holding(run, l, err) : status;
}

static void release(listing *l)
{
    for (size_t i = 0; i < l->held_count; i++) {
        discard(l->held[i].found);
        free(l->held[i].name);
    }
    free(l->held);
    th_corpus_free(l->corpus);
    for (plan *at = atomic_load(&l->plan), *next; at; at = next) {
        next = atomic_load(&at->next);
        th_corpus_free(at->corpus);
        th_report_free(at->report);
        free(at);
    }
    th_writer_free(l->writer);
}

static th_status write_lists(cli_run *run, listing *l, th_error *err)
{
    cli_job job = {work, done, discard, l};
    cli_text about = {0};
    if (run->set.resume) {
        cli_printf(&about, "%s engine %s list %zu%s ", run->command->name, l->engine, l->pick,
                   l->all ? " all" : "");
        if (!cli_open_journal(run, &about))
            return TH_OK;
    }
    th_status status = cli_sink_open(&run->sink, NULL, err);
    if (!status)
        status = cli_writer_new(run, NULL, &l->writer, err);
    if (status)
        return status;
    status = cli_run_pages(run, run->operands, run->operand_count, &job);
    if (!status)
        status = end_holding(run, l, err);
    if (status)
        return status;
    cli_tell_empty(run);
    /* -f pages has a line for a page without records, which is output too. */
    bool answer = run->records || cli_format(run) == TH_FORMAT_PAGES;
    if (cli_leave_output(run, run->set.output, answer))
        return TH_OK;
    return cli_finish_records(run, l->writer, err);
}

static int run_lists(cli_run *run, bool best_only)
{
    const list_settings *own = run->own;
    listing l = {.engine = cli_engines[own->engine ? own->engine - 1 : 0],
                 .best_only = best_only,
                 .all = own->all,
                 .pick = (size_t)own->pick,
                 .most = (uint32_t)own->most,
                 .planning = best_only && own->engine <= 1 && !own->pick && !run->set.resume &&
                             !run->set.follow /* which follows lists */};
    if (!l.most && !strcmp(l.engine, "iepad"))
        l.most = UINT32_MAX; /* its paper's user chooses among all patterns */
    int wrong = cli_paper_options(run, l.engine, &l.paper);
    if (wrong)
        return wrong;
    if (own->trace) {
        th_regions_options options;
        th_regions_options_init(&options);
        options.engine = l.engine;
        options.paper = l.paper;
        return own->engine > 2
                   ? trace_regions(run, &options)
                   : cli_usage_error(run->command, "--trace needs --engine mdr or iepad");
    }
    th_error err;
    th_status status = write_lists(run, &l, &err);
    release(&l);
    return cli_run_end(run, status, &err);
}

static int run_records(cli_run *run)
{
    return run_lists(run, true);
}

static int run_regions(cli_run *run)
{
    th_format format = cli_format(run);
    bool trace = ((const list_settings *)run->own)->trace;
    bool several = format == TH_FORMAT_TABLE || format == TH_FORMAT_PAGES ||
                   format == TH_FORMAT_NDJSON || format == TH_FORMAT_JSON;
    if (!trace && !several)
        return cli_usage_error(run->command,
                               "regions shows several lists, and %s can contain only one: use -f "
                               "table, pages, ndjson or json",
                               th_format_name(format));
    return run_lists(run, false);
}

static const char *const record_examples[] = {
    "thresh results.html", "thresh -f csv -o books.csv shop/",
    "thresh --with-page https://example.org/news",
    "thresh --follow 20 -o news.csv https://example.org/news", NULL};

const cli_command cli_records = {
    .name = "records",
    .operands = "INPUT...",
    .summary = "print the records of pages: what thresh does without a command",
    .about = "Finds the main list of each page and prints its records, without any setup. A "
             "missing field\n"
             "leaves its column empty. Columns get their names from the page: labels, table "
             "headers, classes.\n"
             "A note reports each page without a list. Three or more pages of one template with "
             "one record\n"
             "each are printed as one record per page, depending on where they differ; -v explains "
             "the choice.\n"
             "With --resume each page is looked at by itself.\n"
             "Lists in JSON of scripts and in microdata count too: they are taken where they have "
             "more\n"
             "records than the text, or the page shows next to nothing.\n"
             "`thresh regions` shows the other lists. The word records can be left out.\n",
    .examples = record_examples,
    .options = record_groups,
    .own_size = sizeof(list_settings),
    .least = 1,
    .run = run_records,
};

static const char *const region_examples[] = {"thresh regions results.html",
                                              "thresh regions -f pages shop/", NULL};

const cli_command cli_regions = {
    .name = "regions",
    .operands = "INPUT...",
    .summary = "show every list found on pages, the best first",
    .about = "Finds the lists of each page and shows them, the best first, each with the engine "
             "that found\n"
             "it, its score (comparable within a page) and its confidence: how likely it is the "
             "main list.\n"
             "Of iepad also the record pattern, with the variance and density of the repeat that "
             "it was\n"
             "made of and the regularity of its records.\n"
             "Lists in the page's data are those of JSON in scripts and of microdata.\n"
             "-f pages gives one line per page. Formats that contain one list (csv, tsv, sqlite, "
             "xlsx,\n"
             "markdown, html) cannot be used here.\n",
    .examples = region_examples,
    .options = region_groups,
    .own_size = sizeof(list_settings),
    .least = 1,
    .run = run_regions,
};
