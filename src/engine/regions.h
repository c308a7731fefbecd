/* regions.h: the engines by name, and what they need to tell the lists of a page. */
#ifndef TH_REGIONS_H
#define TH_REGIONS_H

#include "data/record.h"
#include "wrapper/engine.h"

/* engines.c: the engine of that name (NULL: "lists"); of those that look for lists alone when
 * `lists`. Says which there are when there is none. */
th_status th__engine_find(const char *name, bool lists, const th__engine **out, th_error *err);
/* Refuses options that the engine does not have. */
th_status th__engine_check(const th__engine *engine, const th_paper_options *paper, th_error *err);

/* The tables of engines that have no header of their own. */
extern const th__engine th__seams_engine;

/* Appends a region and takes its records over, also when it fails. */
th_status th__region_add(th__region_vec *out, const char *engine, double score, th_records *records,
                         th_error *err);

#endif
