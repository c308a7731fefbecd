/*
 * cmd_suggest.c: `thresh suggest`: which page to label next, and why.
 *
 * The library says for every page where the wrapper is in doubt. All doubts are kept, since the
 * page with most of them may be the last; they are written as records, the most doubtful page
 * first.
 */
#include <stdlib.h>
#include <string.h>

#include "in_project.h"
#include "run.h"

typedef struct suggest_settings {
    const char *wrapper;
    uint64_t most; /* 0 when not given */
} suggest_settings;

static const cli_option suggest_options[] = {
    {"wrapper", 'w', CLI_FILE, "FILE", "the wrapper, as `thresh learn` wrote it from labels",
     offsetof(suggest_settings, wrapper), .required = "a wrapper"},
    {"most", 0, CLI_COUNT, "N", "show at most N pages (default 10)",
     offsetof(suggest_settings, most), .least = 1, .most = 1000000},
};

static const cli_group suggest_group = CLI_GROUP("What to look at", suggest_options, true);
static const cli_group *const groups[] = {&suggest_group,   &cli_records_group, &cli_page_group,
                                          &cli_fetch_group, &cli_common_group,  NULL};

/* A page with doubts. */
typedef struct suggestion {
    char *page;
    th_doubts *doubts;
} suggestion;

typedef struct suggesting {
    th_wrapper *wrapper;
    th_schema *schema;
    suggestion *pages;
    size_t count, cap;
    uint64_t asked, sure;
} suggesting;

/* ---- looking --------------------------------------------------------------------------------- */

static th_status work(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void **result, th_error *err)
{
    const suggesting *s = context;
    th_doubts *doubts = NULL;
    th_status status = th_wrapper_doubts(s->wrapper, page, &doubts, err);
    *result = doubts;
    return status;
}

static void discard(void *result)
{
    th_doubts_free(result);
}

static th_status keep(suggesting *s, th_str name, th_doubts *doubts, th_error *err)
{
    if (s->count == s->cap) {
        size_t cap = s->cap ? 2 * s->cap : 64;
        suggestion *pages = realloc(s->pages, cap * sizeof *pages);
        if (!pages)
            return cli_no_memory(err);
        s->pages = pages;
        s->cap = cap;
    }
    char *page = strndup(name.ptr, name.len);
    if (!page)
        return cli_no_memory(err);
    s->pages[s->count++] = (suggestion){page, doubts};
    return TH_OK;
}

static th_status done(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void *result, th_error *err)
{
    suggesting *s = context;
    s->asked++;
    th_status status = TH_OK;
    if (th_doubts_count(result)) {
        status = keep(s, th_input_name(input), result, err);
        if (!status)
            return TH_OK;
    } else {
        s->sure++;
    }
    th_doubts_free(result);
    return status;
}

/* ---- telling --------------------------------------------------------------------------------- */

static const char *const columns[] = {"page",      "contention", "field",    "doubt", "why",
                                      "structure", "forward",    "backward", "other"};
enum { COLUMNS = sizeof columns / sizeof *columns, WHY = 4, FIRST_VIEW = 5 };

/* A list of <page, contention, field, doubt, why, what each view says>. */
static th_status make_schema(th_schema **out, th_error *err)
{
    th_type *members[COLUMNS];
    th_schema *schema;
    th_status status = th_schema_new(&schema, err);
    if (status)
        return status;
    for (size_t i = 0; i < COLUMNS; i++) {
        th_note note = i == 1 || i == 3 ? TH_NOTE_NUMBER : TH_NOTE_TEXT;
        members[i] = th_schema_field(schema, th_str_from(columns[i]), note);
        if (i >= FIRST_VIEW)
            members[i] = th_schema_optional(schema, members[i]);
    }
    th_type *tuple = th_schema_tuple(schema, (th_str){0}, members, COLUMNS);
    status = th_schema_finish(schema, th_schema_list(schema, (th_str){0}, tuple), err);
    if (status)
        th_schema_free(schema);
    else
        *out = schema;
    return status;
}

static void add_row(th_records *records, const suggestion *page, const th_doubt *doubt)
{
    th_value *row = th_records_add(records);
    th_records_set_text(records, th_value_slot(row, 0), th_str_from(page->page), (th_span){0});
    th_records_set_number(records, th_value_slot(row, 1), th_doubts_contention(page->doubts), 3);
    th_records_set_text(records, th_value_slot(row, 2), doubt->field, (th_span){0});
    th_records_set_number(records, th_value_slot(row, 3), doubt->contention, 3);
    th_records_set_text(records, th_value_slot(row, WHY), th_str_from(doubt->why), (th_span){0});
    for (uint32_t i = 0; i < doubt->answer_count; i++)
        for (size_t c = FIRST_VIEW; c < COLUMNS; c++)
            if (!strcmp(columns[c], doubt->answers[i].view) && doubt->answers[i].text.ptr)
                th_records_set_text(records, th_value_slot(row, c), doubt->answers[i].text,
                                    doubt->answers[i].span);
}

static th_status write_page(const suggesting *s, const suggestion *page, th_writer *writer,
                            th_error *err)
{
    th_records *records;
    th_records_source source = {.page = th_str_from(page->page)};
    th_status status = th_records_new(s->schema, &source, &records, err);
    if (status)
        return status;
    for (size_t i = 0; i < th_doubts_count(page->doubts); i++)
        add_row(records, page, th_doubts_get(page->doubts, i));
    status = th_records_status(records, err);
    if (!status)
        status = th_writer_add(writer, records, err);
    th_records_free(records);
    return status;
}

/* Sorts the pages: first the one whose label is worth most, then the one that is worth most after
 * it, and so on. */
static th_status rank(suggesting *s, size_t most, th_error *err)
{
    const th_doubts **doubts = calloc(s->count + 1, sizeof *doubts);
    size_t *order = calloc(s->count + 1, sizeof *order);
    suggestion *pages = calloc(s->count + 1, sizeof *pages);
    th_status status = doubts && order && pages ? TH_OK : cli_no_memory(err);
    for (size_t i = 0; !status && i < s->count; i++)
        doubts[i] = s->pages[i].doubts;
    if (!status)
        status = th_doubts_rank(doubts, s->count, most, order, err);
    for (size_t i = 0; !status && i < s->count; i++)
        pages[i] = s->pages[order[i]];
    if (!status) {
        free(s->pages);
        s->pages = pages;
        s->cap = s->count + 1;
        pages = NULL;
    }
    free(pages);
    free(order);
    free(doubts);
    return status;
}

/* Below this labelling hardly helps: one label in twenty would show a mistake. */
#define WORTH_ASKING 0.05

/* Prints what to label next, or that nothing is left to check. */
static void tell_end(cli_run *run, const suggesting *s)
{
    unsigned long long sure = s->sure, asked = s->asked;
    if (s->count && th_doubts_contention(s->pages[0].doubts) < WORTH_ASKING)
        cli_note(run, (th_str){0},
                 "almost nothing left to check: labelling %s would hardly help; no doubts on %llu "
                 "of %llu pages",
                 s->pages[0].page, sure, asked);
    else if (s->count)
        cli_note(run, (th_str){0}, "label %s next; no doubts on %llu of %llu pages",
                 s->pages[0].page, sure, asked);
    else if (asked)
        cli_note(run, (th_str){0}, "nothing left to check: no doubts on %s%llu page%s",
                 asked == 1 ? "" : "any of ", asked, asked == 1 ? "" : "s");
}

static th_status write_all(cli_run *run, suggesting *s, th_error *err)
{
    const suggest_settings *own = run->own;
    size_t most = own->most ? own->most : 10;
    th_writer *writer = NULL;
    th_status status = cli_sink_open(&run->sink, NULL, err);
    if (!status)
        status = cli_writer_new(run, s->schema, &writer, err);
    if (!status)
        status = rank(s, most, err);
    for (size_t i = 0; !status && i < s->count && i < most; i++)
        status = write_page(s, &s->pages[i], writer, err);
    if (!status)
        status = cli_finish_records(run, writer, err);
    th_writer_free(writer);
    if (!status)
        tell_end(run, s);
    return status;
}

static int run_suggest(cli_run *run)
{
    const suggest_settings *own = run->own;
    suggesting s = {0};
    th_error err;
    if (!cli_read_wrapper(run, own->wrapper, &s.wrapper))
        return cli_run_end(run, TH_OK, NULL);
    th_status status = make_schema(&s.schema, &err);
    if (!status) {
        cli_job job = {work, done, discard, &s};
        status = cli_run_pages(run, run->operands, run->operand_count, &job);
    }
    if (!status && !cli_leave_output(run, run->set.output, run->pages))
        status = write_all(run, &s, &err);
    for (size_t i = 0; i < s.count; i++) {
        free(s.pages[i].page);
        th_doubts_free(s.pages[i].doubts);
    }
    free(s.pages);
    th_schema_free(s.schema);
    th_wrapper_free(s.wrapper);
    return cli_run_end(run, status, &err);
}

static const char *const examples[] = {"thresh suggest -w books.json shop/",
                                       "thresh suggest -w books.json -f json --most 1 shop/", NULL};

const cli_command cli_suggest = {
    .name = "suggest",
    .operands = "INPUT...",
    .summary = "suggest which page to label next, and why",
    .about =
        "Compares the ways in which a wrapper can find a value (its structure, forward and\n"
        "backward rules, other rules that are equally correct on labelled pages). Labelling a\n"
        "page helps most where they find different values, or where the page has something\n"
        "that no labelled page had. Prints the most disputed pages first, with what each view\n"
        "finds, and says so when nothing is left to check. Labelled pages need not be among\n"
        "the inputs. The wrapper must have been learnt from labels.\n",
    .examples = examples,
    .options = groups,
    .own_size = sizeof(suggest_settings),
    .least = 1,
    .by_name = true,
    .run = run_suggest,
};
