/*
 * sample.h: pages that are looked at together before one decides what to do with them.
 *
 * Copies of the pages are kept, in order, and what a command made of each; once all are there (or
 * enough), they are put into clusters.
 */
#ifndef CLI_SAMPLE_H
#define CLI_SAMPLE_H

#include "run.h"

typedef struct cli_sampled {
    th_page *page;
    char *name;
    void *result;   /* the command's, who frees it */
    size_t cluster; /* once surveyed; TH_NO_CLUSTER for an outlier */
} cli_sampled;

typedef struct cli_sample {
    cli_sampled *pages; /* in the order of the inputs */
    size_t count, cap;
    size_t waiting; /* of these are there as pages, not as a result alone */
    /* Those in the order of their names, in which they are surveyed and learnt from: the order of
     * the inputs must not matter. */
    cli_sampled **by_name;
    size_t most; /* learnt from of a cluster; 0: all */
    th_survey *survey;
} cli_sample;

/* `page` may be NULL where only the result is kept. */
th_status cli_sample_add(cli_sample *sample, const th_page *page, th_str name, void *result,
                         th_error *err);
/* Finds the clusters. */
th_status cli_sample_survey(cli_sample *sample, th_error *err);
void cli_sample_release(cli_sample *sample);
/* Frees the pages; the survey stays. */
void cli_sample_drop_pages(cli_sample *sample);

/* How the pages of a cluster are named to people: by the first of them. */
const char *cli_sample_first(const cli_sample *sample, size_t cluster);

/* The engine for the pages of a cluster ("auto" for lists, "template" for one record per page), and
 * with -v why. */
th_status cli_sample_engine(cli_run *run, const cli_sample *sample, size_t cluster,
                            const char **engine, th_error *err);

/* Gives the pages of a cluster to a learner, and makes the wrapper. *records and *pages (which may
 * be NULL) tell what was learnt from. `notes` tells pages without records. */
th_status cli_sample_learn(cli_run *run, const cli_sample *sample, size_t cluster,
                           const th_learn_options *options, bool notes, th_wrapper **out,
                           uint64_t *records, uint64_t *pages, th_error *err);

#endif
