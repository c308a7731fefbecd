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

/* For printf's "%.*s". */
#define TH_STR_ARG(s) ((s).len > 4096 ? 4096 : (int)(s).len), ((s).ptr ? (s).ptr : "")

#endif
