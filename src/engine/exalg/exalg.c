/*
 * exalg.c: Arasu, Garcia-Molina, "Extracting Structured Data from Web Pages" (SIGMOD 2003).
 */
#include "engine/exalg/exalg.h"

void th__exalg_options_init(th__exalg_options *options)
{
    th__exalg_options_paper(options);
    options->roles = true;
}

void th__exalg_options_paper(th__exalg_options *options)
{
    *options = (th__exalg_options){.size_threshold = 3, .support = 0.25};
}
