/* exalg_show.h: values of pages beside a template. */
#ifndef TH_EXALG_SHOW_H
#define TH_EXALG_SHOW_H

#include <thresh.h>

#include "base/str.h"

/* Appends what a text is on each page: " = one | two", cut where it is long. `way` leads from the
 * record to the value: the number of a member, alternative or item, by depth; the items of sets are
 * given one after the other. */
void th__exalg_show_values(const th_records *const *pages, size_t count, const uint32_t *way,
                           size_t depth, th__buf *out);

#endif
