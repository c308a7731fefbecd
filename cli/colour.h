/* colour.h: when to use colours, and which. */
#ifndef CLI_COLOUR_H
#define CLI_COLOUR_H

#include "growing_text.h"

typedef enum cli_paint {
    CLI_PLAIN,
    CLI_HEAD,  /* names of pages */
    CLI_PLACE, /* byte offsets */
    CLI_TAG,   /* names of elements, kinds of tokens */
    CLI_WORDS, /* text of the page */
    CLI_BAD,   /* errors */
} cli_paint;

/* Returns true if to colour what goes to a descriptor. `when` is an enum cli_when: auto means on a
 * terminal that is not dumb, and never where NO_COLOR is set. */
bool cli_use_colour(int when, int fd);

/* Begins a colour; CLI_PLAIN ends it. Nothing when `on` is false. */
void cli_put_paint(cli_text *text, bool on, cli_paint paint);

#endif
