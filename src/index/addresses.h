/*
 * addresses.h: where elements are: one model of addresses for all rules that go by the tree.
 *
 * An address is a path from an origin down to an element, in one of three alphabets:
 *
 *     <div id=facts><p class=row><b>          #facts > p.row > b      from an id, by classes
 *                                             div > p > b             from the root, by tags
 *                                             div:1 > p:1 > b:1       from the root, by positions
 *
 * The origin is the root, the nearest element with an id, a property or a mark, or some steps up. A
 * mark is what an element calls itself: its itemprop, or its id with each run of digits as one
 * sign. The key of an address is a hash that needs no walk (view.h draws it), and comes out the
 * same from a page and from a path that a person can read.
 */
#ifndef TH_ADDRESSES_H
#define TH_ADDRESSES_H

#include "base/arena.h"
#include "base/str.h"
#include "page/page.h"

typedef enum th__alphabet {
    TH__STEPS_CLASSES,
    TH__STEPS_TAGS,
    TH__STEPS_POSITIONS, /* tags and positions among siblings of one tag, from 1 */
    TH__STEPS_CELLS,     /* classes, and the positions of cells and of phrasing elements */
    TH__ALPHABETS
} th__alphabet;

typedef struct th__addresses {
    const th_page *page;
    th__arena *arena;
    uint64_t *sum[TH__ALPHABETS]; /* by node: of steps; with positions: made when asked for */
    uint64_t *hashes;             /* by node: of its tag and class */
    uint64_t *power, *inverse;    /* by depth */
    uint64_t *mark;               /* by node: the hash of its own mark, or 0 */
    uint32_t *marked;     /* by node: the nearest element, itself or above, that has a mark; or 0 */
    uint64_t *id;         /* by node: the hash of the first name of its id, or 0 */
    uint32_t *identified; /* by node: the nearest element, itself or above, with an id; or 0 */
    uint64_t *property;   /* by node: the hash of its itemprop or property, or 0 */
    uint32_t *propertied; /* by node: the nearest element, itself or above, with one; or 0 */
    uint32_t *ordinals;   /* by node: its position */
} th__addresses;

/* Its own mark, the nearest element, itself or above, that has one, and that has a property; or 0.
 */
static inline uint64_t th__mark_of(const th__addresses *a, uint32_t node)
{
    return a->mark ? a->mark[node] : 0;
}

static inline uint32_t th__mark_above(const th__addresses *a, uint32_t node)
{
    return a->marked ? a->marked[node] : 0;
}

static inline uint32_t th__property_above(const th__addresses *a, uint32_t node)
{
    return a->propertied ? a->propertied[node] : 0;
}

/* Looks at the elements of a page. In the arena. False if out of memory. */
bool th__addresses_make(th__arena *arena, const th_page *page, th__addresses *out);

/* The key of the path from an element down to one in it. Positions must have been asked for. */
static inline uint64_t th__address_key(const th__addresses *a, th__alphabet steps, uint32_t top,
                                       uint32_t node)
{
    const uint64_t *sum = a->sum[steps];
    return (sum[node] - sum[top]) * a->inverse[a->page->paths[a->page->nodes[top].path].depth];
}

/* The hash of a mark, "id=price" or "itemprop=name", and the mark of a node as text. False if out
 * of memory. */
uint64_t th__mark_hash(th_str name, th_str value);
bool th__mark_write(const th_page *page, uint32_t node, th__buf *out);

/* ---- kinds of addresses ---------------------------------------------------------------------- */

typedef enum th__address {
    TH__BY_CLASSES,      /* tags and classes from the root */
    TH__BY_ID,           /* tags and classes from the next element with an id */
    TH__BY_END,          /* tags and classes of the last three elements */
    TH__BY_PROPERTY,     /* the same from the next element with an itemprop or a property */
    TH__BY_CELLS,        /* tags and classes from the root, and positions of cells and phrasing */
    TH__BY_ELEMENT,      /* its own tag and class */
    TH__BY_TAGS,         /* tags from the root */
    TH__BY_ID_POSITIONS, /* tags and positions among equal tags, from the next id */
    TH__BY_POSITIONS,    /* the same from the root */
    TH__ANYWHERE,        /* for what a text near by alone finds */
    TH__ADDRESSES
} th__address;

/* The key of an element's address. False if out of memory. */
bool th__address_of(th__addresses *a, th__address address, uint32_t node, uint64_t *key);
/* The address as people read it, once its key was asked for. False if out of memory. */
bool th__address_write(const th__addresses *a, th__address address, uint32_t node, th__buf *out);
/* The key of an address as written. False if it is not one. */
bool th__address_read(th__address address, th_str path, uint64_t *key);

#endif
