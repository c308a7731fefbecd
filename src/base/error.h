/* error.h: filling a th_error. */
#ifndef TH_ERROR_H
#define TH_ERROR_H

#include <thresh.h>

/* Fills err (which may be NULL) and returns status, so that a caller can `return th__fail(...)`.
 * A message too long is cut at a character boundary. */
th_status th__fail(th_error *err, th_status status, const char *format, ...) TH_PRINTF(3, 4);
th_status th__fail_at(th_error *err, th_status status, uint64_t offset, const char *format, ...)
    TH_PRINTF(4, 5);
th_status th__fail_memory(th_error *err);
/* Adds to an error that was just filled where in a JSON text it is: the line (0: not known), the
 * path, and the field, which is the last name of the path. err may be NULL. Returns its status. */
th_status th__fail_in(th_error *err, th_status status, size_t line, th_str path);

/* Copies options of a caller that may know fewer members than we do over the defaults in `own`.
 * Both structs begin with their size. */
void th__options_take(void *own, size_t size, const void *given);
/* The same the other way: the defaults for a caller whose struct has that size. */
void th__options_give(void *out, size_t size, const void *defaults, size_t known);

/* For printf's "%.*s". */
#define TH_STR_ARG(s) ((s).len > 4096 ? 4096 : (int)(s).len), ((s).ptr ? (s).ptr : "")

#endif
