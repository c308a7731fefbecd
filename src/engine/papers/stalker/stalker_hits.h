/* stalker_hits.h: which tokens and texts of a page the rules hit. */
#ifndef TH_STALKER_HITS_H
#define TH_STALKER_HITS_H

#include "engine/papers/stalker/stalker_run.h"
#include "wrapper/hits.h"

th_status th__stalker_hits(const void *rules, const th_schema *schema, const th_page *page,
                           th_hits *out, th_error *err);

#endif
