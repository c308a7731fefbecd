/*
 * sketch.h: what a page is built of, in a few kilobytes: which shapes of markup stand on it.
 *
 * A shape is an element with the three above it, each by its signature (see view.h):
 *
 *     ul.cards > li.card > h3 > a
 *
 * Pages of one template have most of their shapes in common whatever they say, pages of different
 * sites hardly any. Four levels tell sites apart (two do not), and stay the same where something
 * further up changes, an element around the page or a class of its body, which would make all
 * longer paths different.
 *
 * Shapes are hashes. Of a page with very many the smallest are kept, those up to a bound: the same
 * ones on all pages, so that any two sketches can be compared below the lower of their bounds, and
 * shares that are counted there are fair estimates.
 */
#ifndef TH_SKETCH_H
#define TH_SKETCH_H

#include "base/arena.h"
#include "page/page.h"

enum {
    TH__SKETCH_LEVELS = 4,
    /* Most pages have 100 to 450 shapes and are kept whole. Of larger ones 512 tell a share to
     * within 0.02. */
    TH__SKETCH_MOST = 512
};

typedef struct th__sketch {
    const uint64_t *shapes; /* rising, none twice, none above the bound */
    uint32_t count;
    uint64_t bound; /* UINT64_MAX: all shapes are there */
} th__sketch;

/* The shapes live in the arena. Linear in the page. False if out of memory. */
bool th__sketch_make(th__arena *arena, const th_page *page, th__sketch *out);

#endif
