/* auto.h: the lists of a page, found without labels and without options. */
#ifndef TH_AUTO_H
#define TH_AUTO_H

#include "base/vec.h"
#include "data/record.h"

typedef TH__VEC(th_region) th__region_vec;

/* Appends the regions of a page, best first, at most `most`. The caller frees their records. */
th_status th__auto_regions(const th_page *page, const th_records_source *source, uint32_t most,
                           th__region_vec *out, th_error *err);

#endif
