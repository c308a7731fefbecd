/*
 * look_address.h: under which addresses what a page refers to may be stored.
 *
 * A reference is resolved against the URL of the page (with its <base>) or sheet. Pages that were
 * saved or dropped have none: what they refer to lies beside them, by its name.
 */
#ifndef SERVE_LOOK_ADDRESS_H
#define SERVE_LOOK_ADDRESS_H

#include <thresh.h>

#include "answer_text.h"

/* What references are of. */
typedef struct serve_look_base {
    const th_page *page; /* NULL: a sheet */
    th_str name;         /* of the page, or the sheet's address */
} serve_look_base;

/* The URL that a reference means; false when it is of no http. */
bool serve_look_url(const serve_look_base *base, th_str reference, th_text *out);
/* The name of the file that a reference means, as seen from the base's own name; false when it has
 * a host. */
bool serve_look_file(const serve_look_base *base, th_str reference, bool decoded, serve_text *out);
/* The asset of a site that a reference means; false when there is none. */
bool serve_look_find(th_project *project, th_str site, const serve_look_base *base,
                     th_str reference, int64_t *id);

#endif
