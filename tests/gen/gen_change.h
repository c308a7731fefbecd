/*
 * gen_change.h: what happens to sites. A change works on the strings of a built template; the
 * values stay what they were, but for content drift, where the template stays.
 */
#ifndef GEN_CHANGE_H
#define GEN_CHANGE_H

#include "gen_site.h"

/* What was done, for mapping.jsonl. */
typedef struct gen_change_note {
    gen_change asked, done;   /* done differs where a template has nothing to change */
    const char *deleted;      /* paths of the deleted leaves, quoted, commas between; or NULL */
    const char *family_after; /* of restyle and redesign: the lender, the new family */
} gen_change_note;

/* Changes the site in place. `index` is the site's number: redesign builds it anew. */
void gen_change_apply(gen_site *site, gen_change change, uint32_t index, gen_change_note *note);
/* One line of mapping.jsonl. */
void gen_change_json(th__buf *to, const gen_site *before, const gen_site *after,
                     const gen_change_note *note);

/* Calls `edit` for every string of the record template and its layout, which may replace it. */
void gen_strings_each(gen_site *site, const char *(*edit)(gen_site *site, const char *text));

#endif
