/* survey.c: the public door to clusters of pages. */
#include "base/error.h"
#include "base/mem.h"
#include "learn/clusters.h"

struct th_survey {
    th__clusters clusters;
};

th_status th_survey_new(th_survey **out, th_error *err)
{
    *out = TH__NEW(th_survey);
    if (!*out)
        return th__fail_memory(err);
    th__clusters_init(&(*out)->clusters);
    return TH_OK;
}

th_status th_survey_add(th_survey *survey, const th_page *page, th_error *err)
{
    return th__clusters_add(&survey->clusters, page) ? TH_OK : th__fail_memory(err);
}

th_status th_survey_finish(th_survey *survey, th_error *err)
{
    return th__clusters_find(&survey->clusters) ? TH_OK : th__fail_memory(err);
}

void th_survey_free(th_survey *survey)
{
    if (!survey)
        return;
    th__clusters_release(&survey->clusters);
    th__mem_free(survey);
}

size_t th_survey_count(const th_survey *survey)
{
    return survey->clusters.count;
}

size_t th_survey_size(const th_survey *survey, size_t cluster)
{
    size_t pages = 0;
    for (size_t i = 0; i < survey->clusters.pages.len; i++)
        pages += survey->clusters.pages.data[i].cluster == cluster;
    return pages;
}

size_t th_survey_cluster(const th_survey *survey, size_t page)
{
    if (page >= survey->clusters.pages.len)
        return TH_NO_CLUSTER;
    uint32_t cluster = survey->clusters.pages.data[page].cluster;
    return cluster == TH__NO_CLUSTER ? TH_NO_CLUSTER : cluster;
}

double th_survey_fit(const th_survey *survey, size_t page)
{
    return page < survey->clusters.pages.len ? survey->clusters.pages.data[page].core : 0;
}

th_status th_survey_place(const th_survey *survey, const th_page *page, size_t *cluster,
                          th_error *err)
{
    uint32_t found = TH__NO_CLUSTER;
    if (!th__clusters_place(&survey->clusters, page, &found))
        return th__fail_memory(err);
    *cluster = found == TH__NO_CLUSTER ? TH_NO_CLUSTER : found;
    return TH_OK;
}
