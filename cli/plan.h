/*
 * plan.h: what `thresh INPUT...` does with several pages.
 *
 * The first pages are looked at together: those of one template that hold one record each get a
 * wrapper, learnt on the spot; the rest, and pages that are like none, are searched for lists, each
 * for itself. Later pages go where they belong.
 */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "sample.h"

typedef struct cli_plan {
    cli_sample sample;
    th_wrapper **wrappers; /* by cluster; NULL: lists */
} cli_plan;

enum {
    CLI_PLAN_PAGES = 256 /* looked at before the first is printed */
};

/* Takes the sample over, also when it fails. NULL without memory. */
cli_plan *cli_plan_new(cli_run *run, cli_sample *sample, th_error *err);
void cli_plan_free(cli_plan *plan);
/* The records of a page of a cluster with a wrapper; *out is NULL where there is none. In any
 * thread. */
th_status cli_plan_extract(const cli_plan *plan, size_t cluster, const th_page *page, th_str name,
                           th_records **out, th_error *err);

#endif
