/* plan.c: what to do with several pages. */
#include "plan.h"

#include <stdlib.h>

static th_status learn_cluster(cli_run *run, cli_plan *plan, size_t cluster, th_error *err)
{
    th_learn_options options;
    uint64_t records, pages;
    th_learn_options_init(&options);
    th_status status = cli_sample_engine(run, &plan->sample, cluster, &options.engine, err);
    if (status || options.engine[0] == 'a')
        return status;
    status = cli_sample_learn(run, &plan->sample, cluster, &options, false,
                              &plan->wrappers[cluster], &records, &pages, err);
    /* Where no template is found there may still be lists. */
    return status == TH_ERR_MEMORY ? status : TH_OK;
}

cli_plan *cli_plan_new(cli_run *run, cli_sample *sample, th_error *err)
{
    cli_plan *plan = calloc(1, sizeof *plan);
    if (!plan) {
        cli_sample_release(sample);
        *err = (th_error){TH_ERR_MEMORY, TH_NO_OFFSET, "out of memory"};
        return NULL;
    }
    plan->sample = *sample;
    plan->sample.most = CLI_PLAN_PAGES;
    *sample = (cli_sample){0};
    th_status status = cli_sample_survey(&plan->sample, err);
    size_t clusters = status ? 0 : th_survey_count(plan->sample.survey);
    plan->wrappers = calloc(clusters + 1, sizeof *plan->wrappers);
    if (!status && !plan->wrappers) {
        *err = (th_error){TH_ERR_MEMORY, TH_NO_OFFSET, "out of memory"};
        status = TH_ERR_MEMORY;
    }
    for (size_t c = 0; !status && c < clusters; c++)
        status = learn_cluster(run, plan, c, err);
    if (!status)
        return plan;
    cli_plan_free(plan);
    return NULL;
}

void cli_plan_free(cli_plan *plan)
{
    while (plan) {
        cli_plan *next = atomic_load(&plan->next);
        size_t clusters = plan->sample.survey ? th_survey_count(plan->sample.survey) : 0;
        for (size_t c = 0; plan->wrappers && c < clusters; c++)
            th_wrapper_free(plan->wrappers[c]);
        free(plan->wrappers);
        cli_sample_release(&plan->sample);
        free(plan);
        plan = next;
    }
}

th_status cli_plan_extract(const cli_plan *plan, size_t cluster, const th_page *page, th_str name,
                           th_records **out, th_error *err)
{
    *out = NULL;
    if (cluster == TH_NO_CLUSTER || !plan->wrappers[cluster])
        return TH_OK;
    th_records_source source = {name, th_page_url(page)};
    return th_wrapper_extract(plan->wrappers[cluster], page, &source, out, err);
}
