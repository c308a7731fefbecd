/*
 * plan.h: what `thresh INPUT...` does with several pages.
 *
 * Pages are held back and looked at together: those of one template that hold one record each get a
 * wrapper, learnt on the spot; the rest, and pages that are like none, are searched for lists, each
 * for itself. Nothing is read twice, so that standard input and archives are as good as files.
 * Where the inputs take more memory than CLI_PLAN_MEMORY, the pages so far make a plan and are
 * printed. Later pages go where they belong by it; those that belong nowhere are held back in their
 * turn and make the next plan, so that later templates are found too.
 */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include <stdatomic.h>

#include "sample.h"

typedef struct cli_plan cli_plan;
struct cli_plan {
    cli_sample sample;
    th_wrapper **wrappers;    /* by cluster; NULL: lists */
    _Atomic(cli_plan *) next; /* of pages that this one has no place for */
};

enum {
    CLI_PLAN_MEMORY = 512 << 20, /* of the pages that are held back */
    CLI_PLAN_PAGES = 256         /* of a template that are learnt from */
};

/* Takes the sample over, also when it fails. NULL without memory. */
cli_plan *cli_plan_new(cli_run *run, cli_sample *sample, th_error *err);
/* Frees the later plans too. */
void cli_plan_free(cli_plan *plan);
/* The records of a page of a cluster with a wrapper; *out is NULL where there is none. In any
 * thread. */
th_status cli_plan_extract(const cli_plan *plan, size_t cluster, const th_page *page, th_str name,
                           th_records **out, th_error *err);

#endif
