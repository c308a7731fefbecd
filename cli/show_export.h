/* show_export.h: `thresh show --as`: a wrapper as selectors or as a program. */
#ifndef CLI_SHOW_EXPORT_H
#define CLI_SHOW_EXPORT_H

#include "run.h"

/* Words of --as, NULL at the end. */
extern const char *const show_targets[];

/* The first operand is the wrapper, the others are the pages that the export is checked on; without
 * any, those that it was learnt from. `target` is an index of the words. Gives the exit code. */
int show_export(cli_run *run, size_t target, bool partial);

#endif
