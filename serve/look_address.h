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
/* The assets of a site by their addresses, read once: a page may refer to thousands of images, and
 * a query for each would take most of the time. Start with {0}. */
typedef struct serve_asset_index {
    struct serve_asset_entry {
        uint64_t hash; /* of the address */
        int64_t id;
    } * data;
    size_t count, cap;
    bool loaded;
} serve_asset_index;

th_status serve_asset_index_load(serve_asset_index *index, th_project *project, th_str site,
                                 th_error *err);
void serve_asset_index_release(serve_asset_index *index);

/* The asset of a site that a reference means; false when there is none. */
bool serve_look_find(const serve_asset_index *index, const serve_look_base *base, th_str reference,
                     int64_t *id);

#endif
