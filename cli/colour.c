/* colour.c: when to use colours, and which. */
#include "colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"

bool cli_use_colour(int when, int fd)
{
    if (when != CLI_AUTO)
        return when == CLI_ALWAYS;
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(none && *none) && term && strcmp(term, "dumb") && isatty(fd);
}

void cli_put_paint(cli_text *text, bool on, cli_paint paint)
{
    static const char *const codes[] = {
        [CLI_PLAIN] = "\033[0m", [CLI_HEAD] = "\033[1m",   [CLI_PLACE] = "\033[2m",
        [CLI_TAG] = "\033[36m",  [CLI_WORDS] = "\033[32m", [CLI_BAD] = "\033[1;31m",
    };
    if (on)
        cli_puts(text, codes[paint]);
}
