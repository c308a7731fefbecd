/* mdr_learn.h: makes a rule of a region. */
#ifndef TH_MDR_LEARN_H
#define TH_MDR_LEARN_H

#include "engine/papers/mdr/mdr_rule.h"

/* The rule of a region that th__mdr_find found on the page with these options (NULL: the defaults).
 * Caller frees. */
th_status th__mdr_learn(const th_page *page, const th__mdr_region *region,
                        const th__mdr_options *options, th__mdr_rule **out, th_error *err);

#endif
