/*
 * exalg_draft.h: roles in the making: what learning works with.
 *
 * The children of all instances of a role are items. Items with one step are a group; items that
 * get one role, or several by number, are a cell.
 */
#ifndef TH_EXALG_DRAFT_H
#define TH_EXALG_DRAFT_H

#include "base/str.h"
#include "base/vec.h"
#include "engine/papers/exalg/exalg.h"
#include "engine/papers/exalg/exalg_roles.h"

/* An element or text of a page that has a role. */
typedef struct th__exalg_instance {
    uint32_t page, at; /* node, or first unit of a text */
    uint32_t last;     /* its last unit */
} th__exalg_instance;

typedef struct th__exalg_draft {
    th__exalg_role role;
    th__exalg_instance *instances;
    uint32_t count, pages;
    uint32_t same;  /* the draft whose field it shares: itself, when there is none */
    th_span *spans; /* of a slot: where its values stand, by instance */
} th__exalg_draft;

/* A child of an instance. */
typedef struct th__exalg_item {
    uint64_t step;    /* 0: a text */
    uint64_t first;   /* the hash of its first text, 0 for none */
    uint64_t whole;   /* the hash of all its texts */
    uint64_t prefix;  /* the hash of the label in its one text, or 0 */
    uint64_t shape;   /* of an element */
    uint64_t cell;    /* the key of its cell */
    uint64_t hash;    /* of what tells it apart */
    uint64_t section; /* of one told by what is before it: the text of the template before it */
    uint64_t after;   /* the step of the last element before it that every parent has once, or 0 */
    uint32_t before;  /* that element, or 0 */
    uint32_t parent, page, at, units;
    uint32_t last; /* unit of a text that has inner markup */
    bool gap;      /* a sign between fields stands right before it */
    uint32_t group;
    uint32_t index;  /* among those of its group in its parent */
    uint32_t number; /* among those of its cell in its parent */
    uint8_t told;
} th__exalg_item;

/* Children with the same step. */
typedef struct th__exalg_group {
    uint32_t total, parents, last, most, full; /* items; parents that have any, that have most */
    uint32_t in_last;
    uint32_t sample;          /* the first item */
    uint32_t texts, frequent; /* items with texts, and those whose texts are frequent */
    uint32_t rows, labelled;  /* with several texts, and those with a frequent first one */
    uint32_t moved;           /* frequent texts that are not at their usual place */
    uint32_t followed;        /* items before one of another group */
    uint32_t again;           /* items of a shape that their parent had before */
    uint32_t names;           /* items whose first child has a name */
    uint32_t beside;          /* items right beside a text */
    uint32_t valued;          /* items right behind a label */
    uint64_t shape;           /* of the first */
    uint64_t common;          /* what all shapes share */
    bool mixed;               /* of several shapes */
    bool labels;              /* texts of the template, each before a value */
    bool named;               /* and that by names of classes */
    uint32_t crowded; /* items behind an element behind which their parent has one already */
    bool spread;      /* told apart by the element before them */
    bool shaped;      /* told apart by what they are made of */
    bool inner;       /* markup inside of texts */
    bool steady;      /* always as many, and always in one order */
} th__exalg_group;

/* A text and how often it stands below the role. */
typedef struct th__exalg_word {
    uint32_t parents, last, pages, last_page;
    uint32_t again;               /* times that a parent has it once more */
    uint32_t total, index, moved; /* its place among those of its group */
} th__exalg_word;

/* What gets one role, or several by number. */
typedef struct th__exalg_cell {
    uint32_t first; /* the first item */
    uint32_t parents, most, last, in_last, pages, last_page, total;
    uint32_t full; /* parents that have `most` */
    uint32_t gaps; /* items, but the first of a parent, that stand behind a sign between fields */
    uint32_t role; /* the first of its roles */
    bool ordinal;
    bool alone; /* a list of one item on all pages */
} th__exalg_cell;

typedef struct th__exalg_learner {
    const th__exalg_options *options;
    th__exalg_outline *pages;
    uint32_t page_count;
    th__arena *arena;  /* of the rules */
    th__arena scratch; /* instances */
    th__arena level;   /* of one expansion */
    TH__VEC(th__exalg_draft) drafts;
    TH__VEC(th__exalg_item) items;
    TH__VEC(th__exalg_group) groups;
    TH__VEC(th__exalg_word) words;
    TH__VEC(th__exalg_cell) cells;
    th__key_map word_ids, cell_ids, group_ids;
    th__key_map parts; /* attributes and pieces, by what they belong to: draft + 1 */
} th__exalg_learner;

/* Which text of an item. */
typedef enum th__exalg_which {
    TH__EXALG_WHOLE,
    TH__EXALG_FIRST,
    TH__EXALG_PREFIX,
    TH__EXALG_SHAPE,
    TH__EXALG_AFTER
} th__exalg_which;

static inline th_str th__exalg_unit_text(const th__exalg_outline *o, uint32_t unit)
{
    return th__str_trim(th__token_text(o->page, o->units[unit].token));
}

/* ---- exalg_children.c: items, groups, texts ---- */

/* Counts a text below a parent, and finds it again. False without memory; NULL when it was never
 * counted. */
bool th__exalg_count_word(th__exalg_learner *l, uint64_t key, const th__exalg_item *it);
const th__exalg_word *th__exalg_find_word(const th__exalg_learner *l, uint64_t key);

/* Gathers the children of a role into l->items and l->groups. *joined: texts had inner markup, and
 * were joined with it. */
bool th__exalg_find_items(th__exalg_learner *l, const th__exalg_draft *d);
bool th__exalg_find_groups(th__exalg_learner *l, const th__exalg_draft *d);
bool th__exalg_find_inner(th__exalg_learner *l, const th__exalg_draft *d);
bool th__exalg_join_texts(th__exalg_learner *l, const th__exalg_draft *d);
/* Whether all that there is is one text. */
bool th__exalg_is_one_text(const th__exalg_learner *l);
uint16_t th__exalg_item_tag(const th__exalg_learner *l, const th__exalg_item *it);

/* What an item is by its texts: a text of the template, a row with a label, a heading. */
bool th__exalg_is_label(const th__exalg_learner *l, const th__exalg_draft *d,
                        const th__exalg_item *it);
bool th__exalg_is_row(const th__exalg_learner *l, const th__exalg_draft *d,
                      const th__exalg_item *it);
bool th__exalg_is_heading(const th__exalg_learner *l, const th__exalg_draft *d,
                          const th__exalg_item *it);
/* Whether a label in its one text tells an item apart. */
bool th__exalg_has_prefix(const th__exalg_learner *l, const th__exalg_draft *d,
                          const th__exalg_item *it);

/* ---- exalg_cells.c: roles of the children of a role ---- */

/* Adds the drafts of the children of a draft. False without memory. */
bool th__exalg_expand(th__exalg_learner *l, uint32_t index);
/* Copies for the rules; absent without memory. */
th_str th__exalg_copy_name(th__exalg_learner *l, const th_page *page, uint32_t node, bool id,
                           uint64_t hash);
th_str th__exalg_copy_tag(th__exalg_learner *l, const th_page *page, uint32_t node);
th_str th__exalg_copy_unit(th__exalg_learner *l, uint32_t page, uint32_t unit);

/* ---- exalg_lines_learn.c: values in lines of text ---- */

/* Finds slots for the lines of a role, when it has lines whose parts nothing else tells apart, and
 * adds their drafts. *found: what is part of the lines is gone from l->items. */
bool th__exalg_find_lines(th__exalg_learner *l, uint32_t index, bool *found);

/* ---- exalg_lines_slots.c ---- */

/* A draft of a slot in another role, with room for values, and a value of it. */
bool th__exalg_add_slot(th__exalg_learner *l, uint32_t parent, const th__exalg_slot *slot,
                        uint32_t room);
bool th__exalg_add_slot_value(th__exalg_learner *l, uint32_t draft, uint32_t page,
                              const th__exalg_part *part, th_span span);

/* ---- exalg_items_learn.c: elements that look alike and hold different things ---- */

/* Tells apart what is no set, and adds its slots. */
bool th__exalg_sort_items(th__exalg_learner *l);

/* ---- exalg_fields.c: what is data, and what of it is one field ---- */

bool th__exalg_find_fields(th__exalg_learner *l);
/* The first text of an instance, or UINT32_MAX. */
uint32_t th__exalg_value_unit(const th__exalg_learner *l, const th__exalg_draft *d, uint32_t i);
/* The row that a role stands in, or 0. */
uint32_t th__exalg_row_of(const th__exalg_learner *l, uint32_t index);
/* Adds a field that belongs to another's: an attribute or a piece. What belongs to roles of one
 * field, in the same way, is one field too. */
bool th__exalg_add_part(th__exalg_learner *l, uint32_t parent, th__exalg_role role, uint64_t kind);

/* ---- exalg_pieces_learn.c: fields inside of texts ---- */

bool th__exalg_find_pieces(th__exalg_learner *l);

#endif
