/* show_template.h: `thresh show --template`: a wrapper's template, with values of pages beside it.
 */
#ifndef CLI_SHOW_TEMPLATE_H
#define CLI_SHOW_TEMPLATE_H

#include "run.h"

/* The first operand is the wrapper, the others are pages. Gives the exit code. */
int show_template(cli_run *run);

#endif
