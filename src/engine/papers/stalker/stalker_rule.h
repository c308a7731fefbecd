/*
 * stalker_rule.h: the rules of a wrapper: an embedded catalog tree, as the schema is one.
 *
 *     page                                    tuple
 *      ├─ name           start, end           field
 *      └─ restaurants    list rule, item rule list
 *          └─ restaurant                      tuple
 *              ├─ address                     field
 *              └─ phones                      list of fields
 *
 * Every node is sought in the extent of its parent. A field has up to three views of its place:
 * forward rules, backward rules, and the structural one. Each finds it by itself; where they
 * disagree the one with most support decides.
 */
#ifndef TH_STALKER_RULE_H
#define TH_STALKER_RULE_H

#include "data/schema.h"
#include "engine/papers/stalker/stalker_landmark.h"
#include "engine/papers/stalker/stalker_place.h"

typedef enum th__stalker_view {
    TH__VIEW_STRUCTURE,
    TH__VIEW_FORWARD,
    TH__VIEW_BACKWARD,
    TH__VIEWS
} th__stalker_view;

/* Start and end by landmarks. Forward, the end is sought from the start on; backward, both are
 * sought from the end of the extent. */
typedef struct th__landmark_view {
    th__landmark_rule start, end;
    uint32_t weight; /* 0: not learnt */
} th__landmark_view;

typedef struct th__stalker_field {
    bool whole;       /* the value is all of the extent: an item of a list */
    bool always;      /* it was missing nowhere where it was learnt */
    bool apart;       /* no other member of its tuple was ever inside it, or it inside one */
    bool simple;      /* labelled values are one line each, without a sign that parts texts */
    bool literal;     /* "n/a" and the like are values: a labelled one is */
    th_str attribute; /* the value is that of an attribute; absent: it is text */
    th__told told;    /* labels of its tuple */
    /* The structural view. */
    uint8_t thing; /* th__thing_kind */
    th__place_rule *places;
    uint32_t place_count;
    uint32_t weight;
    bool full; /* of units: the value is all of its element, whatever markup parts it */
    bool from_start, to_end; /* of units: the value is all from the beginning, or to the end, of its
                                line, whatever markup parts it */
    bool cut; /* the value is part of the thing's text: from cut_start on, up to cut_end */
    th__landmark_rule cut_start, cut_end;
    /* The paper's. */
    th__landmark_view forward, backward;
} th__stalker_field;

typedef enum th__list_kind {
    TH__LIST_LANDMARKS, /* items are found by landmarks alone */
    TH__LIST_SIGNS,     /* texts with a sign between them */
    TH__LIST_LINES,     /* an item is a line of text, with the lines below it */
    TH__LIST_SINGLE,    /* one text at most, found as a field is */
    TH__LIST_PARTS,     /* texts of several kinds of places: what all parts find */
    TH__LIST_ELEMENTS,  /* an item is an element */
    TH__LIST_UNITS,     /* an item is a unit of text */
    TH__LIST_RUNS       /* an item reaches from one element or unit to the next such */
} th__list_kind;

typedef struct th__stalker_list {
    uint8_t kind;         /* th__list_kind */
    bool texts;           /* items are texts: an element without text is none */
    bool start_is_unit;   /* of runs: what they begin with */
    bool together;        /* only items under the same parent as the first */
    th__told told;        /* of texts: labels of the tuple that the list is in */
    th__path_spec at;     /* of items, or of what runs begin with */
    th_str after, before; /* texts between which items stand, or absent */
    uint64_t after_hash, before_hash;
    th__stalker_field
        *span; /* of landmarks, signs and lines: where the list is, as a field; NULL: anywhere */
    bool with_tags; /* of landmarks: the tags around the list's text belong to its items */
    bool indented;  /* of lines: items begin further in than other lines */
    th_str sign;    /* between texts; a blank at either end stands for any blanks */
    struct th__stalker_node *parts; /* lists or single texts, none with parts of its own */
    uint32_t part_count;
    th__landmark_view item; /* where the next item begins after the beginning of one, and where one
                               ends */
} th__stalker_list;

typedef struct th__stalker_node {
    const th_type *type; /* optionals looked through */
    bool own_lines;      /* of a tuple: its texts stand before the lines that begin further in */
    th_str label;        /* the text right before it on every labelled page; or absent */
    uint64_t label_hash;
    th__stalker_field *field;
    th__stalker_list *list;
    struct th__stalker_node *children; /* members, alternatives, the item */
    uint32_t count;
} th__stalker_node;

/* A place where no labelled page has text, or a text at a place of labels that none of them has. */
typedef struct th__stalker_unshown {
    th__path_spec at;
    th_str text; /* absent: any */
    uint64_t hash;
} th__stalker_unshown;

typedef struct th__stalker_rules {
    th__stalker_node root; /* of the schema's root */
    th__stalker_unshown *unshown;
    uint32_t unshown_count;
    bool unparted; /* signs such as | are parts of values: they do not part texts */
    bool paper;    /* landmark rules only */
} th__stalker_rules;

enum { TH__STALKER_MAX_PARTS = 32, TH__STALKER_MAX_UNSHOWN = 32 };

/* An empty node for a type, with all below it. False without memory. */
bool th__stalker_node_make(th__arena *arena, const th_type *type, th__stalker_node *out);
/* The labels of a tuple's members; NULL without memory. */
const th__label_set *th__stalker_labels(th__arena *arena, const th__stalker_node *tuple);
/* Lets the fields of the members know them. False without memory. */
bool th__stalker_tell(th__arena *arena, th__stalker_node *tuple);
/* An empty tree for a schema. False without memory. */
bool th__stalker_rules_make(th__arena *arena, const th_schema *schema, th__stalker_rules *out);

#endif
