/* plain_doubts.h: where a wrapper without views may be wrong. */
#ifndef TH_PLAIN_DOUBTS_H
#define TH_PLAIN_DOUBTS_H

#include "wrapper/doubts.h"

/* Adds to `out` what is missing on a page. */
th_status th__plain_doubts(const th_wrapper *wrapper, const th_page *page, th_doubts *out,
                           th_error *err);

#endif
