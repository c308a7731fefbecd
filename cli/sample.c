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
    cli_sampled entry = {.name = strndup(name.ptr ? name.ptr : "", name.len),
                         .result = result,
                         .cluster = TH_NO_CLUSTER};
    if (sample->count == sample->cap) {
        size_t cap = sample->cap ? 2 * sample->cap : 64;
        cli_sampled *grown = realloc(sample->pages, cap * sizeof *grown);
        if (grown) {
            sample->pages = grown;
            sample->cap = cap;
        }
    }
    th_status status = entry.name && sample->count < sample->cap ? TH_OK : no_memory(err);
    if (!status && page)
        status = th_page_copy(page, &entry.page, err);
    if (status) {
        free(entry.name);
        return status;
    }
    sample->pages[sample->count++] = entry;
    sample->waiting += page != NULL;
    return TH_OK;
}

static int by_name(const void *a, const void *b)
{
    const cli_sampled *x = *(cli_sampled *const *)a, *y = *(cli_sampled *const *)b;
    int order = strcmp(x->name, y->name);
    return order ? order : x < y ? -1 : x > y;
}

th_status cli_sample_survey(cli_sample *sample, th_error *err)
{
    th_status status = th_survey_new(&sample->survey, err);
    sample->by_name = calloc(sample->waiting + 1, sizeof *sample->by_name);
    if (!status && !sample->by_name)
        status = no_memory(err);
    for (size_t i = 0, n = 0; !status && i < sample->count; i++)
        if (sample->pages[i].page)
            sample->by_name[n++] = &sample->pages[i];
    if (!status)
        qsort(sample->by_name, sample->waiting, sizeof *sample->by_name, by_name);
    for (size_t i = 0; !status && i < sample->waiting; i++)
        status = th_survey_add(sample->survey, sample->by_name[i]->page, err);
    if (!status)
        status = th_survey_finish(sample->survey, err);
    for (size_t i = 0; !status && i < sample->waiting; i++)
        sample->by_name[i]->cluster = th_survey_cluster(sample->survey, i);
    return status;
}

void cli_sample_drop_pages(cli_sample *sample)
{
    for (size_t i = 0; i < sample->count; i++) {
        th_page_free(sample->pages[i].page);
        free(sample->pages[i].name);
    }
    free(sample->pages);
    free(sample->by_name);
    *sample = (cli_sample){.survey = sample->survey};
}

void cli_sample_release(cli_sample *sample)
{
    cli_sample_drop_pages(sample);
    th_survey_free(sample->survey);
    *sample = (cli_sample){0};
}

/* Returns true if a page is in a cluster; TH_NO_CLUSTER means all pages here. */
static bool is_in(const cli_sampled *page, size_t cluster)
{
    return cluster == TH_NO_CLUSTER || page->cluster == cluster;
}

const char *cli_sample_first(const cli_sample *sample, size_t cluster)
{
    for (size_t i = 0; i < sample->count; i++)
        if (is_in(&sample->pages[i], cluster))
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
                 "%zu pages like %s: treated as lists, since their texts do not differ",
                 kind->pages, cli_sample_first(sample, cluster));
        return;
    }
    cli_note(run, (th_str){0},
             "%zu pages like %s: %s: of %.0f bits that differ, %.0f are in %zu rows of lists "
             "(%.0f%% of which have links) and %.0f in single places",
             kind->pages, cli_sample_first(sample, cluster),
             kind->lists ? "lists of records" : "one record per page", all, kind->list_bits,
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
    for (size_t i = 0; i < sample->waiting && (!sample->most || count < sample->most); i++)
        if (is_in(sample->by_name[i], cluster))
            pages[count++] = sample->by_name[i]->page;
    th_status status = TH_OK;
    if (count >= LEAST_FOR_KIND) {
        status = th_pages_kind(pages, count, &kind, err);
        if (!status)
            tell_kind(run, sample, cluster, &kind);
    }
    *engine = kind.lists ? "auto" : "template";
    free(pages);
    return status;
}

th_status cli_sample_learn(cli_run *run, const cli_sample *sample, size_t cluster,
                           const th_learn_options *options, bool notes, th_wrapper **out,
                           uint64_t *records, uint64_t *pages, th_error *err)
{
    th_learner *learner = NULL;
    size_t seen = 0;
    *records = *pages = 0;
    *out = NULL;
    th_status status = th_learner_new(options, &learner, err);
    for (size_t i = 0; !status && i < sample->waiting; i++) {
        const cli_sampled *at = sample->by_name[i];
        th_records_source source = {th_str_from(at->name), th_page_url(at->page)};
        size_t found = 0;
        if (!is_in(at, cluster))
            continue;
        if (seen++ == sample->most && sample->most)
            break;
        status = th_learner_add(learner, at->page, &source, &found, err);
        if (!status && !found && notes)
            cli_note(run, source.page, "%s",
                     *pages ? "no matching list on this page" : "no list of records on this page");
        *pages += found > 0;
        *records += found;
    }
    if (!status)
        status = th_learner_finish(learner, out, err);
    if (!status) { /* only engines with one record per page leave any out */
        *pages -= th_learner_left_out(learner);
        *records -= th_learner_left_out(learner);
    }
    if (learner && notes)
        cli_tell_notes(run, learner);
    th_learner_free(learner);
    return status;
}
