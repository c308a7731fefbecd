/* sample.c: pages that are looked at together. */
#include "sample.h"

#include <stdlib.h>
#include <string.h>

#include "learn.h"

/* What two pages differ in may be chance. */
enum { LEAST_FOR_KIND = 3 };

static th_status no_memory(th_error *err)
{
    *err = (th_error){TH_ERR_MEMORY, TH_NO_OFFSET, "out of memory"};
    return TH_ERR_MEMORY;
}

th_status cli_sample_add(cli_sample *sample, const th_page *page, th_str name, void *result,
                         th_error *err)
{
    cli_sampled entry = {.name = strndup(name.ptr ? name.ptr : "", name.len), .result = result};
    if (sample->count == sample->cap) {
        size_t cap = sample->cap ? 2 * sample->cap : 64;
        cli_sampled *grown = realloc(sample->pages, cap * sizeof *grown);
        if (grown) {
            sample->pages = grown;
            sample->cap = cap;
        }
    }
    th_status status = entry.name && sample->count < sample->cap
                           ? th_page_copy(page, &entry.page, err)
                           : no_memory(err);
    if (status)
        free(entry.name);
    else
        sample->pages[sample->count++] = entry;
    return status;
}

th_status cli_sample_survey(cli_sample *sample, th_error *err)
{
    th_status status = th_survey_new(&sample->survey, err);
    for (size_t i = 0; !status && i < sample->count; i++)
        status = th_survey_add(sample->survey, sample->pages[i].page, err);
    return status ? status : th_survey_finish(sample->survey, err);
}

void cli_sample_release(cli_sample *sample)
{
    for (size_t i = 0; i < sample->count; i++) {
        th_page_free(sample->pages[i].page);
        free(sample->pages[i].name);
    }
    free(sample->pages);
    th_survey_free(sample->survey);
    *sample = (cli_sample){0};
}

/* Whether a page is in a cluster; TH_NO_CLUSTER stands for all pages here. */
static bool is_in(const cli_sample *sample, size_t page, size_t cluster)
{
    return cluster == TH_NO_CLUSTER || th_survey_cluster(sample->survey, page) == cluster;
}

const char *cli_sample_first(const cli_sample *sample, size_t cluster)
{
    for (size_t i = 0; i < sample->count; i++)
        if (is_in(sample, i, cluster))
            return sample->pages[i].name;
    return "";
}

static void tell_kind(cli_run *run, const cli_sample *sample, size_t cluster, const th_kind *kind)
{
    double all = kind->list_bits + kind->page_bits;
    if (!run->set.verbose)
        return;
    if (all == 0) {
        cli_note(run, (th_str){0},
                 "%zu pages like %s: taken for lists, since they do not differ in any text",
                 kind->pages, cli_sample_first(sample, cluster));
        return;
    }
    cli_note(run, (th_str){0},
             "%zu pages like %s: %s: of %.0f bits that differ, %.0f stand in %zu rows of lists "
             "(%.0f%% of which lead somewhere) and %.0f at places of their own",
             kind->pages, cli_sample_first(sample, cluster),
             kind->lists ? "lists of records" : "one record a page", all, kind->list_bits,
             kind->rows, 100 * kind->linked, kind->page_bits);
}

th_status cli_sample_engine(cli_run *run, const cli_sample *sample, size_t cluster,
                            const char **engine, th_error *err)
{
    const th_page **pages = calloc(sample->count + 1, sizeof *pages);
    th_kind kind = {.lists = true};
    size_t count = 0;
    if (!pages)
        return no_memory(err);
    for (size_t i = 0; i < sample->count; i++)
        if (is_in(sample, i, cluster))
            pages[count++] = sample->pages[i].page;
    th_status status = TH_OK;
    if (count >= LEAST_FOR_KIND) {
        status = th_pages_kind(pages, count, &kind, err);
        if (!status)
            tell_kind(run, sample, cluster, &kind);
    }
    *engine = kind.lists ? "auto" : "exalg";
    free(pages);
    return status;
}

th_status cli_sample_learn(cli_run *run, const cli_sample *sample, size_t cluster,
                           const th_learn_options *options, bool notes, th_wrapper **out,
                           uint64_t *records, uint64_t *pages, th_error *err)
{
    th_learner *learner = NULL;
    *records = *pages = 0;
    *out = NULL;
    th_status status = th_learner_new(options, &learner, err);
    for (size_t i = 0; !status && i < sample->count; i++) {
        const cli_sampled *at = &sample->pages[i];
        th_records_source source = {th_str_from(at->name), th_page_url(at->page)};
        size_t found = 0;
        if (!is_in(sample, i, cluster))
            continue;
        status = th_learner_add(learner, at->page, &source, &found, err);
        if (!status && !found && notes)
            cli_note(run, source.page, "%s",
                     *pages ? "nothing like it on this page" : "no list of records on this page");
        *pages += found > 0;
        *records += found;
    }
    if (!status)
        status = th_learner_finish(learner, out, err);
    if (!status) { /* only engines with one record a page leave any out */
        *pages -= th_learner_left_out(learner);
        *records -= th_learner_left_out(learner);
    }
    if (learner && notes)
        cli_tell_notes(run, learner);
    th_learner_free(learner);
    return status;
}
