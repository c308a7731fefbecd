/*
 * lists_rule.h: a list as a rule.
 *
 * Where records are is said by paths of signatures from the root of the page: those of the
 * records themselves; or, for records of several elements, that of their parent and the shape that
 * heads each; or, for records in a grid, that of its element and the number of rows that a record
 * is spread over. What is in a record is said by field rules (wrapper/fields.h).
 */
#ifndef TH_LISTS_RULE_H
#define TH_LISTS_RULE_H

#include "engine/lists/lists_groups.h"
#include "wrapper/engine.h"
#include "wrapper/fields_adapt.h"

/* The shape that heads records of several elements, as people read it. */
typedef struct th__lists_head {
    th_str element;         /* a step */
    th_str first;           /* the path to its first text; absent when it has none */
    uint32_t cells;         /* of a table row */
    bool twice;             /* a br that another follows */
    bool between;           /* shows nothing */
    bool any;               /* whatever its first text is */
    bool fine;              /* these count too: */
    th_str inside;          /* the tag of the phrasing that its first text begins in; or absent */
    bool alone;             /* it has a single text */
    th__lists_look_of look; /* follows from the others */
} th__lists_head;

/* What a path names: records, the element around runs of elements that are records, or a grid. */
enum { TH__LISTS_OF_RECORDS, TH__LISTS_OF_RUNS, TH__LISTS_OF_GRID };

typedef struct th__lists_place {
    th_str path;
    uint8_t of;          /* what it names; the same for all places of a rule */
    th__lists_head head; /* when records have several elements */
    /* What follows from the path: */
    uint64_t key, tags;
    uint32_t signature; /* of its last step */
} th__lists_place;

typedef struct th__lists_rule {
    th__lists_place *places;
    uint32_t count;
    uint32_t parts; /* of records of a grid; else 0 */
    bool together;  /* records have one parent: elements at the same path elsewhere are others */
    th__fields fields;
} th__lists_rule;

enum { TH__LISTS_MAX_PLACES = 1000 };

static inline uint8_t th__lists_head_fine(const th__lists_head *head)
{
    return head->any ? TH__LISTS_COARSE : head->fine ? TH__LISTS_FINE : TH__LISTS_PLAIN;
}

extern const th__engine th__lists_engine;

#endif
