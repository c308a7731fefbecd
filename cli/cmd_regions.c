/*
 * cmd_regions.c: `thresh INPUT...` and `thresh regions`: the lists of pages, without labels.
 *
 * The first prints the records of the best list of each page; it is what thresh does when no
 * command is named. The second shows every list that was found, ranked.
 */
#include "run.h"

typedef struct list_settings {
    int engine; /* which of the words, counted from 1 */
} list_settings;

#define FIELD(name) offsetof(list_settings, name)

static const cli_option list_options[] = {
    {"engine", 0, CLI_WORD, "ENGINE",
     "who looks for lists: auto, mdr (alike siblings) or iepad\n"
     "(repeats in the string of tags); auto without it",
     FIELD(engine), .words = cli_engines},
};

static const cli_group list_group = CLI_GROUP("Finding lists", list_options, true);
static const cli_group *const groups[] = {
    &list_group,     &cli_list_group,  &cli_records_group, &cli_project_group,
    &cli_page_group, &cli_fetch_group, &cli_common_group,  NULL};

typedef struct listing {
    th_writer *writer;
    const char *engine;
    th_list_options lists;
    bool best_only;
    uint64_t empty; /* pages without a list */
} listing;

static th_status work(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void **result, th_error *err)
{
    const listing *l = context;
    th_regions_options options;
    th_regions_options_init(&options);
    options.engine = l->engine;
    options.lists = l->lists;
    if (l->best_only)
        options.most = 1;
    th_records_source source = {th_input_name(input), th_page_url(page)};
    th_regions *regions = NULL;
    th_status status = th_regions_find(page, &source, &options, &regions, err);
    *result = regions;
    return status;
}

static void discard(void *result)
{
    th_regions_free(result);
}

static th_status done(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void *result, th_error *err)
{
    listing *l = context;
    th_regions *regions = result;
    size_t count = th_regions_count(regions);
    th_status status = TH_OK;
    if (count == 0) {
        l->empty++;
        cli_note(run, th_input_name(input), "no list of records was found on this page");
    }
    if (!l->best_only)
        status = th_writer_add_regions(l->writer, th_input_name(input),
                                       count ? th_regions_get(regions, 0) : NULL, count, err);
    else if (count)
        status = cli_add_records(run, l->writer, th_regions_get(regions, 0)->records, err);
    th_regions_free(regions);
    return status;
}

static th_status write_lists(cli_run *run, listing *l, th_error *err, bool *told)
{
    cli_job job = {work, done, discard, l};
    th_status status = cli_sink_open(&run->sink, NULL, err);
    if (!status)
        status = cli_writer_new(run, NULL, &l->writer, err);
    if (status)
        return status;
    status = cli_run_pages(run, run->operands, run->operand_count, &job);
    *told = status != TH_OK;
    if (status || cli_leave_output(run))
        return status;
    status = th_writer_finish(l->writer, err);
    if (!status && !run->set.output)
        status = cli_sink_finish(&run->sink, err);
    return status;
}

static int run_lists(cli_run *run, bool best_only)
{
    const list_settings *own = run->own;
    listing l = {.engine = cli_engines[own->engine ? own->engine - 1 : 0], .best_only = best_only};
    int wrong = cli_list_options(run, l.engine, &l.lists);
    if (wrong)
        return wrong;
    th_error err;
    bool told = false;
    th_status status = write_lists(run, &l, &err, &told);
    th_writer_free(l.writer);
    return cli_run_end(run, status, told ? NULL : &err);
}

static int run_records(cli_run *run)
{
    return run_lists(run, true);
}

static int run_regions(cli_run *run)
{
    th_format format = cli_format(run);
    if (format == TH_FORMAT_CSV || format == TH_FORMAT_SQLITE)
        return cli_usage_error(run->command,
                               "%s holds one list, and regions shows several: use -f table, pages, "
                               "ndjson or json",
                               th_format_name(format));
    return run_lists(run, false);
}

static const char *const record_examples[] = {"thresh results.html",
                                              "thresh -f csv -o books.csv shop/",
                                              "thresh --with-page https://example.org/news", NULL};

const cli_command cli_records = {
    .name = "records",
    .operands = "INPUT...",
    .summary = "print the records of pages: what thresh does without a command",
    .about = "Finds the main list of each page and prints its records; nothing has to be told "
             "beforehand.\n"
             "A field that is missing leaves its column empty. Columns are named by what stands on "
             "the page:\n"
             "labels, table headers, classes. A page without a list gives no records, and a note "
             "says so.\n"
             "`thresh regions` shows the other lists. The word records can be left out.\n",
    .examples = record_examples,
    .options = groups,
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
             "it and its score. Scores can be compared within a page, not between pages. -f pages "
             "gives one\n"
             "line a page. csv and sqlite hold one list and cannot be asked for here.\n",
    .examples = region_examples,
    .options = groups,
    .own_size = sizeof(list_settings),
    .least = 1,
    .run = run_regions,
};
