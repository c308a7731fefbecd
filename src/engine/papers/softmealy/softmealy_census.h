/*
 * softmealy_census.h: what is data, and what is template.
 *
 * A word, or an attribute of a tag, that stands on one page alone is data; without other pages, one
 * that stands once on the page is. What is data must not be ground in a rule.
 */
#ifndef TH_SOFTMEALY_CENSUS_H
#define TH_SOFTMEALY_CENSUS_H

#include "engine/papers/softmealy/softmealy_learn.h"

/* How often what stands around labelled separators is met. All zero is empty. */
typedef struct th__sm_census {
    struct th__sm_seen *slots;
    size_t mask, len;
} th__sm_census;

void th__sm_census_release(th__sm_census *census);
/* Asks for everything up to `reach` tokens around a separator. False without memory. */
bool th__sm_census_ask(th__sm_census *census, const th__sm_samples *samples,
                       const th__sm_separator *separator, uint32_t reach);
/* Counts on all pages what was asked for. */
void th__sm_census_take(const th__sm_census *census, const th__sm_samples *samples);
/* Makes an item of what is template in it. */
void th__sm_census_keep(const th__sm_census *census, const th__sm_samples *samples,
                        th__sm_item *item);

/* How many tokens there are on one side of a separator, `most` at most, and which. */
static inline uint32_t th__sm_beside(const th__sm_samples *s, const th__sm_separator *sep,
                                     bool left, uint32_t most)
{
    uint32_t len = (uint32_t)s->pages[sep->page].tokens.len;
    uint32_t count = left ? sep->at : len - sep->at;
    return count < most ? count : most;
}

static inline uint32_t th__sm_beside_token(const th__sm_separator *sep, bool left, uint32_t i)
{
    return left ? sep->at - 1 - i : sep->at + i;
}

#endif
