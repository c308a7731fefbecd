/* learn.h: what the parts of `thresh learn` share. */
#ifndef CLI_LEARN_H
#define CLI_LEARN_H

#include "run.h"

/* Writes a wrapper to a file, or to standard output where path is NULL, and keeps it in the project
 * when --save asks for it. */
th_status cli_keep_wrapper(cli_run *run, const th_wrapper *wrapper, const char *path,
                           th_error *err);
/* What the learner has to tell, and what it learnt from. */
void cli_tell_notes(cli_run *run, const th_learner *learner);
void cli_tell_learnt(cli_run *run, uint64_t records, uint64_t pages);

/* Learns from one cluster of the pages, the largest being number 1, or from each. The exit code. */
int cli_learn_clusters(cli_run *run, const th_learn_options *options, uint64_t cluster, bool all);

#endif
