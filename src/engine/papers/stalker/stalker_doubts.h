/* stalker_doubts.h: co-testing: where the views disagree on a page. */
#ifndef TH_STALKER_DOUBTS_H
#define TH_STALKER_DOUBTS_H

#include "engine/papers/stalker/stalker_run.h"
#include "wrapper/doubts.h"

th_status th__stalker_doubts(const void *rules, const th_schema *schema, const th_page *page,
                             th_doubts *out, th_error *err);

#endif
