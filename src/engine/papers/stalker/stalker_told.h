/*
 * stalker_told.h: labels: the text that stands right before a member of a tuple on every page.
 *
 *     <dt>Type</dt><dd>Full time</dd>  <dt>Place</dt><dd>Berlin, Bern</dd>
 *
 * A reader who looks for a place takes nothing that is labelled as a type, and no label either. So
 * each field knows the labels of all members of its tuple, and which of them is its own.
 */
#ifndef TH_STALKER_TOLD_H
#define TH_STALKER_TOLD_H

#include "engine/papers/stalker/stalker_map.h"

/* The labels of the members of a tuple: see th__stalker_text_hash. */
typedef struct th__label_set {
    const uint64_t *hashes;
    uint32_t count;
} th__label_set;

/* What is known of labels where a field is sought. */
typedef struct th__told {
    const th__label_set *labels; /* NULL: nothing */
    uint64_t own;                /* 0: it has none, or several */
} th__told;

/* Whether a text is none of a field's: it is a label, or stands behind that of another member. */
bool th__told_refuses(const th__told *told, const th__stalker_map *map,
                      const th__stalker_extent *extent, uint32_t unit);

#endif
