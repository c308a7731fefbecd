/*
 * template_learn.h: roles in the making: what learning works with.
 *
 * The children of all instances of a role are items. Items with one step are a group; items that
 * share one role, or several numbered ones, are a cell.
 */

#ifndef TH_TEMPLATE_LEARN_H
#define TH_TEMPLATE_LEARN_H

#include "base/cancel.h"
#include "engine/template/template_roles.h"

/* An element or text of a page that has a role. */
typedef struct th__template_instance {
    uint32_t page, at; /* node, or first unit of a text */
    uint32_t last;     /* its last unit */
} th__template_instance;

typedef struct th__template_draft {
    th__template_role role;
    th__template_instance *instances;
    uint32_t count, pages;
    uint32_t same;  /* the draft whose field it shares, or itself */
    th_span *spans; /* of a slot: where its values are, by instance */
} th__template_draft;

/* A child of an instance. */
typedef struct th__template_item {
    uint64_t step;    /* 0: a text */
    uint64_t first;   /* the hash of its first text, 0 for none */
    uint64_t whole;   /* the hash of all its texts */
    uint64_t prefix;  /* the hash of the label in its first text, or 0 */
    uint64_t shape;   /* of an element */
    uint64_t cell;    /* the key of its cell */
    uint64_t hash;    /* of what distinguishes it */
    uint64_t section; /* if identified by what is before it: the template's text before it */
    uint64_t after;   /* the step of the last element before it that every parent has once, or 0 */
    uint32_t before;  /* that element, or 0 */
    uint32_t parent, page, at, units;
    uint32_t last; /* unit of a text that has inner markup */
    bool gap;      /* a sign between fields is right before it */
    uint32_t group;
    uint32_t index;  /* among the items of its group in its parent */
    uint32_t number; /* among the items of its cell in its parent */
    uint8_t told;
} th__template_item;

/* How often something is below the instances of a role. */
typedef struct th__template_tally {
    uint32_t total, parents, pages; /* items; parents and pages that have any */
    uint32_t most, full;            /* items of one parent; parents that have as many */
    uint32_t last, last_page, in_last;
} th__template_tally;

#define TH__TALLY_NONE                                                                             \
    {                                                                                              \
        .last = UINT32_MAX, .last_page = UINT32_MAX                                                \
    }

/* Children with the same step. */
typedef struct th__template_group {
    th__template_tally n;
    uint32_t sample;          /* the first item */
    uint32_t texts, frequent; /* items with texts; items whose texts are frequent */
    uint32_t rows, labelled;  /* items with several texts; those with a frequent first one */
    uint32_t moved;           /* frequent texts outside their usual place */
    uint32_t followed;        /* items before one of another group */
    uint32_t again;           /* items of a shape that their parent already has */
    uint32_t names;           /* items whose first child has a name */
    uint32_t beside;          /* items right beside a text */
    uint32_t valued;          /* items right after a label */
    uint64_t shape;           /* of the first */
    uint64_t common;          /* what all shapes share */
    bool mixed;               /* the shapes differ */
    bool labels;              /* template texts, each before a value */
    bool named;               /* the same, identified by class names */
    uint32_t crowded;         /* items after an element that already has one after it */
    bool spread;              /* distinguished by the element before them */
    bool shaped;              /* distinguished by what they contain */
    bool inner;               /* markup inside of texts */
    bool steady;              /* same number and same order everywhere */
} th__template_group;

/* A text, and its place among those of its group. */
typedef struct th__template_word {
    th__template_tally n;
    uint32_t index, moved;
} th__template_word;

/* How often a parent repeats a text. */
static inline uint32_t th__template_again(const th__template_word *word)
{
    return word->n.total - word->n.parents;
}

/* Items that get one role, or several by number. */
typedef struct th__template_cell {
    th__template_tally n;
    uint32_t first; /* the first item */
    uint32_t gaps;  /* items, except the first of a parent, that follow a sign between fields */
    uint32_t role;  /* the first of its roles */
    bool ordinal;
    bool alone; /* a list with one item on all pages */
} th__template_cell;

typedef struct th__template_learner {
    double support;
    const th_cancel *cancel; /* or NULL */
    th__template_outline *pages;
    uint32_t page_count;
    th__arena *arena;  /* of the rules */
    th__arena scratch; /* instances */
    th__arena level;   /* of one expansion */
    uint32_t parents;  /* instances of the role that is expanded */
    TH__VEC(th__template_draft) drafts;
    TH__VEC(th__template_item) items;
    TH__VEC(th__template_group) groups;
    TH__VEC(th__template_word) words;
    TH__VEC(th__template_cell) cells;
    th__key_map word_ids, cell_ids, group_ids;
    th__key_map parts; /* attributes and pieces, by their owner: draft + 1 */
} th__template_learner;

/* ---- template_learn.c ---- */

/* Learns roles from pages of one template. Roles live in the arena and refer to nothing in the
 * pages; the outlines that it makes of these live in the other one. `support`: the share of a
 * role's elements that must have a text for it to be the template's. False if out of memory, or
 * when cancelled. */
bool th__template_roles_learn(double support, const th_cancel *cancel, const th_page *const *pages,
                              uint32_t page_count, th__arena *outlines_arena,
                              th__template_outline **outlines, th__arena *arena,
                              th__template_roles *out);

static inline uint16_t th__template_item_tag(const th__template_learner *l,
                                             const th__template_item *it)
{
    return it->step ? l->pages[it->page].page->tags[it->at] : 0;
}

/* ---- template_lines.c ---- */

/* Finds slots for the lines of a role if its parts cannot be identified otherwise, and adds their
 * drafts. *found: the lines' items were removed from l->items. */
bool th__template_find_lines(th__template_learner *l, uint32_t index, bool *found);
/* Distinguishes elements that look alike but are not a set, and adds their slots. */
bool th__template_sort_items(th__template_learner *l);

#endif
