/*
 * drifting_pages.h: on which pages a drift or a change is to be seen.
 *
 * A verdict is about all pages together, since one page alone says little. Each page is
 * held against the profile by itself, and is one of those that drift or have changed when what is
 * seen there is what the verdict is about.
 */
#ifndef SERVE_DRIFTING_PAGES_H
#define SERVE_DRIFTING_PAGES_H

#include <jansson.h>

#include "pages.h"

/* Appends what is to be seen on one page: nothing when it looks as it should. */
th_status serve_page_evidence(const th_wrapper *wrapper, const serve_page *page,
                              const th_records *records, json_t *pages, th_error *err);
/* [{"page", "fields": [PATH], "words"}] of the pages on which a verdict is to be seen; the records
 * as a whole are null among the fields. */
json_t *serve_drifting_pages(const th_verdict *verdict, const json_t *pages);

#endif
