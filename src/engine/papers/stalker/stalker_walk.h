/*
 * stalker_walk.h: going down the rules over a page, field by field.
 *
 * Extraction makes records as it goes; those who only look at the rules (which are in doubt, what
 * do they hit) go down the same tree with the extents of all items of a list at once.
 */
#ifndef TH_STALKER_WALK_H
#define TH_STALKER_WALK_H

#include "engine/papers/stalker/stalker_run.h"

typedef struct th__stalker_walk {
    void *context;
    /* A field, over all places in which it is looked for. */
    void (*on_field)(void *context, const th__stalker_field *field, const th__extent_vec *extents);
    /* The items that a list has in one extent: those of the vector from `from` on. May be NULL. */
    void (*on_items)(void *context, const th__stalker_list *list, const th__stalker_extent *extent,
                     const th__extent_vec *items, size_t from);
    /* After all fields. May be NULL. */
    void (*on_end)(void *context, const th__stalker_rules *rules);
    /* Of the walk's making: */
    th__stalker_page page;
    th__arena arena;
    th__buf name; /* of the field or list at hand, with dots between levels */
    bool single;  /* the field at hand is a list that had one text at most */
    bool failed;  /* no memory; a callback that finds none sets it, too */
} th__stalker_walk;

/* Walks all rules over a page. What the walk made is gone when it returns. */
th_status th__stalker_walk_run(th__stalker_walk *walk, const th__stalker_rules *rules,
                               const th_schema *schema, const th_page *page, th_error *err);

#endif
