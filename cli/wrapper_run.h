/* wrapper_run.h: the records that a wrapper gives for the pages of a run. */
#ifndef CLI_WRAPPER_RUN_H
#define CLI_WRAPPER_RUN_H

#include "run.h"

/* Takes the records of a page, in the main thread and in the order of the inputs, and frees them.
 * An error stops the run. */
typedef th_status (*cli_take_records)(cli_run *run, const th_page *page, const th_input *input,
                                      th_records *records, void *context, th_error *err);

/* Runs a wrapper on the pages of the inputs, in many threads; all else as cli_run_pages. */
th_status cli_run_wrapper(cli_run *run, const char *const *inputs, size_t count,
                          const th_wrapper *wrapper, cli_take_records take, void *context);

#endif
