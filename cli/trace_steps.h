/* trace_steps.h: --trace of `regions` and `show`: the inner steps of an engine, as text or JSON. */
#ifndef CLI_TRACE_STEPS_H
#define CLI_TRACE_STEPS_H

#include "run.h"
#include "show_views.h"

/* The steps of finding lists on each page. The exit code. */
int trace_regions(cli_run *run, const th_regions_options *options);
/* The steps of learning from all pages together; `labels` is a file or NULL. The exit code. */
int trace_learning(cli_run *run, const th_learn_options *options, const char *labels,
                   show_format format);

#endif
