/*
 * cmd_labels.c: `thresh labels`: checks labels against their pages.
 *
 * Workers look for the labelled values; the main thread reports the result and writes the labelled
 * records. A value that is not on its page is an error of that page; one that appears in several
 * places is not: a learner may still find out which is meant.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

enum { PLACES_SHOWN = 6, NAMES_SHOWN = 3 };

static const cli_group *const groups[] = {&cli_records_group, &cli_page_group, &cli_fetch_group,
                                          &cli_common_group, NULL};

typedef struct labelling {
    th_str name; /* of the file of labels */
    th_labels *labels;
    th_schema *schema;
    th_writer *writer;
    atomic_bool *seen; /* for each labelled page: it is among the inputs */
    uint64_t records, found, many, nowhere, exact; /* values */
} labelling;

/* The labels of a page: by its name as given, by where it was read, or by its URL. */
static bool find_labels(const labelling *l, const th_page *page, const th_input *input,
                        size_t *index)
{
    return th_labels_find(l->labels, th_input_name(input), index) ||
           th_labels_find(l->labels, th_input_origin(input), index) ||
           (th_page_url(page).ptr && th_labels_find(l->labels, th_page_url(page), index));
}

static th_status work(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void **result, th_error *err)
{
    const labelling *l = context;
    th_located *located = NULL;
    size_t index;
    if (!find_labels(l, page, input, &index))
        return TH_OK;
    l->seen[index] = true;
    th_status status = th_labels_locate(l->labels, index, l->schema, page, &located, err);
    *result = located;
    return status;
}

static void discard(void *result)
{
    th_located_free(result);
}

/* "120-132 in a, 140-152 in a (href), ..." */
static void put_places(cli_text *text, const th_page *page, const th_finding *finding)
{
    uint32_t shown = finding->place_count < PLACES_SHOWN ? finding->place_count : PLACES_SHOWN;
    for (uint32_t i = 0; i < shown; i++) {
        const th_place *place = &finding->places[i];
        cli_printf(text, "%s%u-%u", i ? ", " : "", place->span.start, place->span.end);
        if (place->node) {
            th_str tag = th_token_name(page, th_page_node(page, place->node)->token);
            cli_printf(text, " in <%.*s>", (int)tag.len, tag.ptr);
        }
        if (place->attribute.ptr)
            cli_printf(text, " (%.*s)", (int)place->attribute.len, place->attribute.ptr);
    }
    if (finding->total > shown)
        cli_printf(text, " and %u more", finding->total - shown);
}

static void put_quoted(cli_text *text, th_str value)
{
    enum { LONGEST = 80 };
    cli_puts(text, "\"");
    cli_put_safe(text, value, LONGEST);
    cli_puts(text, "\"");
}

static void tell(cli_run *run, const th_page *page, th_str name, const th_finding *finding)
{
    cli_text line = {0};
    cli_put_safe(&line, finding->path, 0);
    cli_puts(&line, ": ");
    put_quoted(&line, finding->value);
    if (finding->found == TH_FOUND_MANY) {
        cli_printf(&line, " appears in %u places: ", finding->total);
        put_places(&line, page, finding);
        cli_note(run, name, "%.*s", (int)line.len, line.ptr);
    } else {
        cli_puts(&line, " is not on the page");
        if (finding->nearest.ptr) {
            cli_puts(&line, "; the most similar text is ");
            put_quoted(&line, finding->nearest);
            cli_printf(&line, " at %u-%u", finding->nearest_span.start, finding->nearest_span.end);
        }
        cli_error(run, name, "%.*s", (int)line.len, line.ptr);
    }
    cli_text_release(&line);
}

static void tell_findings(cli_run *run, labelling *l, const th_page *page, th_str name,
                          const th_located *located)
{
    for (size_t i = 0; i < th_located_count(located); i++) {
        const th_finding *finding = th_located_get(located, i);
        l->exact += finding->found == TH_FOUND_EXACT;
        l->found += finding->found == TH_FOUND_ONCE;
        l->many += finding->found == TH_FOUND_MANY;
        l->nowhere += finding->found == TH_FOUND_NOT;
        if (finding->found == TH_FOUND_MANY || finding->found == TH_FOUND_NOT)
            tell(run, page, name, finding);
    }
}

static th_status done(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void *result, th_error *err)
{
    labelling *l = context;
    th_located *located = result;
    th_str name = th_input_name(input);
    if (!located) {
        if (run->set.verbose)
            cli_note(run, name, "has no labels");
        return TH_OK;
    }
    tell_findings(run, l, page, name, located);
    l->records += th_records_count(th_located_records(located));
    th_status status = cli_add_records(run, l->writer, th_located_records(located), err);
    th_located_free(located);
    return status;
}

/* Reports labels for pages that were not among the inputs: mostly a wrong name. */
static void tell_missing(cli_run *run, const labelling *l)
{
    size_t missing = 0;
    cli_text line = {0};
    for (size_t i = 0; i < th_labels_count(l->labels); i++) {
        if (l->seen[i])
            continue;
        if (missing++ < NAMES_SHOWN) {
            cli_puts(&line, missing > 1 ? ", " : "");
            cli_put_safe(&line, th_labels_page(l->labels, i), 0);
        }
    }
    if (missing && missing == th_labels_count(l->labels))
        cli_error(run, l->name,
                  "has no labels for any of these pages; it names %.*s%s, which must be a page as "
                  "given on the command line, or its URL",
                  (int)line.len, line.ptr, missing > NAMES_SHOWN ? ", ..." : "");
    else if (missing)
        cli_note(run, l->name, "%zu labelled page%s not among the inputs: %.*s%s", missing,
                 missing == 1 ? " was" : "s were", (int)line.len, line.ptr,
                 missing > NAMES_SHOWN ? ", ..." : "");
    cli_text_release(&line);
}

static void tell_sum(cli_run *run, const labelling *l)
{
    tell_missing(run, l);
    if (l->records == 0)
        return;
    cli_note(run, (th_str){0},
             "%llu record%s; values in one place: %llu, in several: %llu, not found: %llu",
             (unsigned long long)l->records, l->records == 1 ? "" : "s",
             (unsigned long long)(l->found + l->exact), (unsigned long long)l->many,
             (unsigned long long)l->nowhere);
}

static bool read_labels(cli_run *run, labelling *l)
{
    const char *path = run->operands[0];
    th_error err;
    l->name = th_str_from(path);
    th_status status = cli_read_labels(path, &l->labels, &err);
    if (!status && th_labels_count(l->labels) == 0) {
        cli_error(run, l->name, "has no labels: a line is {\"page\": NAME, \"records\": [{...}]}");
        return false;
    }
    if (!status)
        status = th_labels_schema(l->labels, &l->schema, &err);
    if (!status && !(l->seen = calloc(th_labels_count(l->labels), sizeof *l->seen)))
        status = cli_no_memory(&err);
    if (status)
        cli_error(run, (th_str){0}, "%s", err.message);
    return status == TH_OK;
}

/* The writer has a file of its own for -o: the sink is standard output. */
static th_status write_labels(cli_run *run, labelling *l, th_error *err)
{
    cli_job job = {work, done, discard, l};
    th_status status = cli_sink_open(&run->sink, NULL, err);
    if (!status)
        status = cli_writer_new(run, l->schema, &l->writer, err);
    if (status)
        return status;
    status = cli_run_pages(run, run->operands + 1, run->operand_count - 1, &job);
    if (status)
        return status;
    bool leave = cli_leave_output(run, run->set.output, run->records);
    if (!leave)
        status = cli_finish_records(run, l->writer, err);
    if (!status && (run->pages || !leave))
        tell_sum(run, l);
    return status;
}

static int run_labels(cli_run *run)
{
    labelling l = {0};
    th_error err;
    th_status status = TH_OK;
    if (read_labels(run, &l))
        status = write_labels(run, &l, &err);
    th_writer_free(l.writer);
    th_schema_free(l.schema);
    th_labels_free(l.labels);
    free(l.seen);
    return cli_run_end(run, status, &err);
}

static const char *const examples[] = {"thresh labels labels.jsonl shop/",
                                       "thresh labels -f csv -o books.csv labels.jsonl shop/*.html",
                                       "thresh labels -q --spans labels.jsonl crawl.warc.gz", NULL};

const cli_command cli_labels = {
    .name = "labels",
    .operands = "LABELS INPUT...",
    .summary = "check labels against their pages, and write the labelled records",
    .about = "Searches each page for the values that the file LABELS gives for it, reports those "
             "that appear\n"
             "in several places or nowhere, and writes the labelled records. A line of LABELS is\n"
             "    {\"page\": \"shop/1.html\", \"records\": [{\"title\": \"Nine Small Boats\", "
             "\"price\": \"9.95\"}]}\n"
             "where the page is as given on the command line, or its URL. The exit status is 1 if "
             "a value is not\n"
             "found.\n",
    .examples = examples,
    .options = groups,
    .least = 2,
    .run = run_labels,
};
