/*
 * cmd_clusters.c: `thresh clusters`: which of many pages are built alike.
 *
 * A corpus looks at the pages one after the other; it keeps a few kilobytes of each, so that
 * there may be any number of pages. One record per cluster is written, the largest first, and one
 * for the outliers.
 */
#include "run.h"

static const cli_group *const groups[] = {&cli_records_group, &cli_project_group, &cli_page_group,
                                          &cli_fetch_group,   &cli_common_group,  NULL};

static th_status done(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void *result, th_error *err)
{
    th_records_source source = {.page = th_input_name(input)};
    return th_corpus_look(context, page, &source, err);
}

/* {<(cluster)?,count,{page}>} */
static th_status make_schema(th_schema **out, th_error *err)
{
    th_schema *schema;
    th_status status = th_schema_new(&schema, err);
    if (status)
        return status;
    th_type *page = th_schema_field(schema, th_str_from("page"), TH_NOTE_TEXT);
    th_type *cluster = th_schema_field(schema, th_str_from("cluster"), TH_NOTE_NUMBER);
    th_type *members[] = {th_schema_optional(schema, cluster),
                          th_schema_field(schema, th_str_from("count"), TH_NOTE_NUMBER),
                          th_schema_list(schema, th_str_from("pages"), page)};
    th_type *tuple = th_schema_tuple(schema, th_str_from(""), members, 3);
    status = th_schema_finish(schema, th_schema_list(schema, th_str_from(""), tuple), err);
    if (status)
        th_schema_free(schema);
    else
        *out = schema;
    return status;
}

/* The pages of a cluster as a record. */
static void add_cluster(const th_corpus *c, th_records *records, size_t cluster, size_t size)
{
    th_value *tuple = th_records_add(records);
    if (cluster != TH_NO_CLUSTER)
        th_records_set_number(records, th_value_slot(tuple, 0), (double)cluster + 1, 0);
    th_records_set_number(records, th_value_slot(tuple, 1), (double)size, 0);
    th_value *pages = th_records_set_list(records, th_value_slot(tuple, 2));
    for (size_t i = 0; i < th_corpus_count(c); i++)
        if (th_corpus_cluster(c, i) == cluster)
            th_records_set_text(records, th_records_append(records, pages), th_corpus_name(c, i),
                                (th_span){0, 0});
}

static th_status make_records(cli_run *run, const th_corpus *c, const th_schema *schema,
                              th_records **out, th_error *err)
{
    th_records *records;
    th_status status = th_records_new(schema, NULL, &records, err);
    if (status)
        return status;
    size_t clusters = th_corpus_cluster_count(c), count = th_corpus_count(c), inside = 0;
    for (size_t i = 0; i < clusters; i++) {
        size_t size = th_corpus_cluster_size(c, i);
        inside += size;
        add_cluster(c, records, i, size);
    }
    if (inside < count)
        add_cluster(c, records, TH_NO_CLUSTER, count - inside);
    cli_note(run, (th_str){0}, "%zu page%s: %zu cluster%s, %zu outlier%s", count,
             count == 1 ? "" : "s", clusters, clusters == 1 ? "" : "s", count - inside,
             count - inside == 1 ? "" : "s");
    status = th_records_status(records, err);
    if (status)
        th_records_free(records);
    else
        *out = records;
    return status;
}

static th_status write_clusters(cli_run *run, th_corpus *c, th_error *err)
{
    th_schema *schema = NULL;
    th_records *records = NULL;
    th_status status = th_corpus_find_clusters(c, err);
    if (!status)
        status = make_schema(&schema, err);
    if (!status)
        status = make_records(run, c, schema, &records, err);
    if (!status)
        status = cli_write_records(run, records, err);
    th_records_free(records);
    th_schema_free(schema);
    return status;
}

static int run_clusters(cli_run *run)
{
    th_corpus *corpus;
    th_error err;
    th_status status = th_corpus_new(&corpus, &err);
    if (status)
        return cli_run_end(run, status, &err);
    cli_job job = {.done = done, .context = corpus};
    status = cli_run_pages(run, run->operands, run->operand_count, &job);
    if (!status && !cli_leave_output(run, run->set.output, run->pages) && run->pages)
        status = write_clusters(run, corpus, &err);
    th_corpus_free(corpus);
    return cli_run_end(run, status, &err);
}

static const char *const examples[] = {
    "thresh clusters crawl/", "thresh clusters -f json -o clusters.json crawl.warc.gz", NULL};

const cli_command cli_clusters = {
    .name = "clusters",
    .operands = "INPUT...",
    .summary = "group pages by template",
    .about = "Groups pages that are built alike, by their markup and not by their text: pages of "
             "different\n"
             "sites, and different templates of one site. The largest cluster comes first.\n"
             "Pages that are like no others, and error pages among good ones, are outliers: they "
             "form the\n"
             "last record, without a number. `thresh learn` learns from one cluster.\n",
    .examples = examples,
    .options = groups,
    .least = 1,
    .by_name = true,
    .run = run_clusters,
};
