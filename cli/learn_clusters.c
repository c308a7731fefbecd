/*
 * learn_clusters.c: `thresh learn` without labels: what people have is a folder.
 *
 * The pages are put into clusters first. A wrapper is for pages of one template, so it is learnt
 * from one cluster: the largest, unless another is asked for. What is left out is named. Whether
 * the pages are lists or one record each decides the engine, unless one was given.
 */
#include <stdlib.h>
#include <string.h>

#include "learn.h"
#include "sample.h"
#include "wrapper_file.h"

enum { OUTLIERS_TOLD = 5 };

static th_status work(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void **result, th_error *err)
{
    return TH_OK;
}

static th_status done(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void *result, th_error *err)
{
    return cli_sample_add(context, page, th_input_name(input), NULL, err);
}

/* ---- what is left out ---- */

static void tell_outliers(cli_run *run, const cli_sample *sample)
{
    size_t outliers = 0;
    for (size_t i = 0; i < sample->count; i++) {
        if (sample->pages[i].cluster != TH_NO_CLUSTER)
            continue;
        if (outliers++ < OUTLIERS_TOLD)
            cli_note(run, th_str_from(sample->pages[i].name),
                     "left out: its structure differs from the others");
    }
    if (outliers > OUTLIERS_TOLD)
        cli_note(run, (th_str){0}, "%zu more pages are left out: `thresh clusters` lists them",
                 outliers - OUTLIERS_TOLD);
}

static void tell_clusters(cli_run *run, const cli_sample *sample, size_t chosen)
{
    size_t clusters = th_survey_count(sample->survey);
    if (clusters < 2)
        return;
    cli_note(run, (th_str){0},
             "the pages have %zu templates, and a wrapper is for one: `thresh clusters` shows them",
             clusters);
    for (size_t c = 0; c < clusters; c++)
        cli_note(run, (th_str){0}, "%zu pages like %s: %s --cluster %zu",
                 th_survey_size(sample->survey, c), cli_sample_first(sample, c),
                 c == chosen ? "learnt from;" : "left out;", c + 1);
}

/* ---- learning ---- */

/* Of what the wrapper gives for the pages of its cluster. */
static th_status profile(cli_run *run, const cli_sample *sample, size_t cluster,
                         th_wrapper *wrapper, th_error *err)
{
    cli_kept kept = {0};
    for (size_t i = 0; i < sample->count; i++)
        if (cluster == TH_NO_CLUSTER || sample->by_name[i]->cluster == cluster)
            cli_keep_page(&kept, sample->by_name[i]->page, th_str_from(sample->by_name[i]->name));
    th_status status = cli_profile(run, &kept, wrapper, err);
    cli_kept_release(&kept);
    return status;
}

static th_status learn_one(cli_run *run, const cli_sample *sample, size_t cluster,
                           const th_learn_options *given, const char *path, th_error *err)
{
    th_learn_options options = *given;
    th_wrapper *wrapper = NULL;
    uint64_t records = 0, pages = 0;
    th_status status = TH_OK;
    if (!options.engine)
        status = cli_sample_engine(run, sample, cluster, &options.engine, err);
    if (!status)
        status =
            cli_sample_learn(run, sample, cluster, &options, true, &wrapper, &records, &pages, err);
    if (!status)
        status = profile(run, sample, cluster, wrapper, err);
    if (!status)
        status = cli_keep_wrapper(run, wrapper, path, err);
    if (!status)
        cli_tell_learnt(run, records, pages);
    th_wrapper_free(wrapper);
    return status;
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

static th_status learn_each(cli_run *run, const cli_sample *sample, const th_learn_options *options,
                            th_error *err)
{
    size_t clusters = th_survey_count(sample->survey);
    th_status status = TH_OK;
    for (size_t c = 0; !status && c < clusters; c++) {
        char *path = c ? numbered(run->set.output, c + 1) : strdup(run->set.output);
        *err = (th_error){TH_ERR_MEMORY, TH_NO_OFFSET, "out of memory"};
        status = path ? learn_one(run, sample, c, options, path, err) : TH_ERR_MEMORY;
        cli_sink_release(&run->sink); /* the next file is another */
        if (!status)
            cli_note(run, th_str_from(path), "for %zu pages like %s",
                     th_survey_size(sample->survey, c), cli_sample_first(sample, c));
        free(path);
    }
    return status;
}

static th_status learn_sample(cli_run *run, cli_sample *sample, const th_learn_options *options,
                              uint64_t number, bool all, th_error *err)
{
    th_status status = cli_sample_survey(sample, err);
    if (status)
        return status;
    size_t clusters = th_survey_count(sample->survey);
    if (number > clusters) {
        *err = (th_error){TH_ERR_ARGUMENT, TH_NO_OFFSET, ""};
        snprintf(err->message, sizeof err->message,
                 "the pages have %zu template%s, so there is no cluster %llu: `thresh clusters` "
                 "shows them",
                 clusters, clusters == 1 ? "" : "s", (unsigned long long)number);
        return TH_ERR_ARGUMENT;
    }
    if (!clusters && sample->count > 1 && options->engine) {
        *err = (th_error){
            TH_ERR_ARGUMENT, TH_NO_OFFSET,
            "no two pages have the same structure: a template needs two or more pages of one kind"};
        return TH_ERR_ARGUMENT;
    }
    /* An engine for lists takes what is alike, and says of the rest that it is not. */
    if (!clusters)
        return learn_one(run, sample, TH_NO_CLUSTER, options, run->set.output, err);
    tell_outliers(run, sample);
    if (all)
        return learn_each(run, sample, options, err);
    size_t chosen = number ? (size_t)number - 1 : 0;
    tell_clusters(run, sample, chosen);
    return learn_one(run, sample, chosen, options, run->set.output, err);
}

int cli_learn_clusters(cli_run *run, const th_learn_options *options, uint64_t cluster, bool all)
{
    cli_sample sample = {0};
    th_error err;
    if (all && !run->set.output)
        return cli_usage_error(run->command,
                               "--all-clusters writes several files: name the first with -o");
    cli_job job = {work, done, NULL, &sample};
    th_status status = cli_run_pages(run, run->operands, run->operand_count, &job);
    bool told = status != TH_OK;
    if (!status && run->pages)
        status = learn_sample(run, &sample, options, cluster, all, &err);
    else if (!told)
        cli_leave_output(run, run->set.output, run->pages);
    cli_sample_release(&sample);
    return cli_run_end(run, status, told ? NULL : &err);
}
