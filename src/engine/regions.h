/* regions.h: what an engine is to those who ask for the lists of a page: one function. */
#ifndef TH_REGIONS_H
#define TH_REGIONS_H

#include "base/vec.h"
#include "data/record.h"

typedef TH__VEC(th_region) th__region_vec;

/* Appends the regions of a page, best first, at most options->most. The caller frees their records,
 * also when it fails. */
typedef th_status th__regions_find(const th_page *page, const th_records_source *source,
                                   const th_regions_options *options, th__region_vec *out,
                                   th_error *err);

th__regions_find th__auto_regions;
th__regions_find th__mdr_regions;   /* mdr_lists.c */
th__regions_find th__iepad_regions; /* iepad_lists.c */

/* Appends a region and takes its records over, also when it fails. */
th_status th__region_add(th__region_vec *out, const char *engine, double score, th_records *records,
                         th_error *err);

#endif
