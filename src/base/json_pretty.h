/* json_pretty.h: JSON laid out for people: what fits on a line stays on one. */
#ifndef TH_JSON_PRETTY_H
#define TH_JSON_PRETTY_H

#include "base/str.h"

/* Appends JSON without blanks between its parts (as json_out.h writes it), indented by two blanks a
 * level; arrays and objects of up to about a hundred bytes stay on one line. A newline ends it.
 * Time is linear; levels deeper than 64 stay on one line. False without memory. */
bool th__json_pretty(th_str json, th__buf *out);

#endif
