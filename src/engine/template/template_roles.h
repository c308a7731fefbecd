/*
 * template_roles.h: the template of a kind of page as a tree of roles.
 *
 * The children of an element that has a role get roles of their own:
 *
 *     by place      the only one of its step (tag, class, id) below its parent
 *     by itself     text of the template: "Mileage:"
 *     by section    the text of the template before it: what is behind "Mileage:"
 *     by inside     the text of the template that it begins with: the row of "Mileage:"
 *     by prefix     the label that its text begins with: "Engine: 3.6 l"
 *     by shape      what it is made of
 *     by after      the last element before it that every parent has once, in the section in which
 *                   it is
 *
 * and, if several would have the same role, by their number if there are always as many, else
 * they are items of a set. What is optional, or comes in another order, keeps its role.
 *
 * A page is read from the top: the role of an element and the step and texts of a child give the
 * role of the child. An element without a role is looked through when it may be nothing but a
 * wrapper, else it is left out with all that is in it: a surprise stays local.
 */

#ifndef TH_TEMPLATE_ROLES_H
#define TH_TEMPLATE_ROLES_H

#include "base/json_out.h"
#include "engine/template/template_page.h"
#include "wrapper/engine.h"
#include "wrapper/rule_table.h"

#define TH__NO_ROLE   UINT32_MAX
#define TH__ROLE_PART (UINT32_MAX - 1) /* a further text of the previous value */
/* Between the texts of an element in a label: the unit separator, which no text has. */
#define TH__LABEL_BETWEEN '\x1F'

enum { TH__MAX_ROLES = 60000, TH__MAX_ORDINAL = 4096 };

typedef enum th__template_role_kind {
    TH__ROLE_ELEMENT,
    TH__ROLE_TEXT,
    TH__ROLE_ATTRIBUTE,
    TH__ROLE_PIECE, /* a piece of its parent's text: after a label, between gaps */
    TH__ROLE_OTHER, /* texts of the page that have no role */
    TH__ROLE_SLOT,  /* a value in the lines of its parent, or rows of values; see template_page.h */
    TH__ROLE_WHOLE  /* all values of its parent, an element that is one line */
} th__template_role_kind;

typedef enum th__template_told {
    TH__ROLE_BY_PLACE,
    TH__ROLE_BY_ITSELF,
    TH__ROLE_BY_SECTION,
    TH__ROLE_BY_INSIDE,
    TH__ROLE_BY_SHAPE,
    TH__ROLE_BY_PREFIX,
    TH__ROLE_BY_AFTER
} th__template_told;

typedef enum th__template_use {
    TH__USE_STRUCTURE, /* holds others */
    TH__USE_TEMPLATE,  /* its text is the template's */
    TH__USE_DATA
} th__template_use;

typedef struct th__template_role {
    uint32_t parent;         /* role, smaller than its own number; the first has none */
    uint8_t kind, told, use; /* see above */
    bool list;               /* may occur several times: an item of a set */
    bool leaf;               /* an element whose one text is its value */
    bool heading;            /* by itself: any text in such an element is a label */
    bool inner;              /* markup within texts below the parent */
    bool many;               /* data: the field has several values */
    uint32_t ordinal;        /* among those of the same role, or TH__NO_ROLE */
    th_str tag, cls, id;     /* the step of an element; for an attribute, its name is the tag */
    th_str label;            /* source of the text that identifies it, or absent */
    th_str gap;     /* of a piece: the sign between pieces, or absent; see template_page.h */
    uint64_t shape; /* if identified by shape */
    th__template_slot *slot;   /* of a slot */
    th__template_lines *lines; /* if it holds slots; of a slot, if it has rows */
    th_str text;               /* source of a template's text */
    th_str name;               /* of a field or a set; absent if not in the schema */
    /* By after: the element before it; no tag if there is none. */
    th_str after_tag, after_cls, after_id;
    /* Data after a label is identified by it wherever the row is: the label's source and the block
     * around the value. An empty label: the name of its own element, described here, identifies it.
     * Absent: nothing does. */
    th_str beside, beside_tag, beside_cls, beside_id;
    uint32_t support; /* pages learnt from that have it */
    /* Computed from the above: */
    uint64_t step;
    uint64_t label_hash, text_hash, anchor;
    uint64_t after;      /* the step of the element before it, or 0 */
    uint32_t set;        /* the role of the set whose item it is part of, or TH__NO_ROLE */
    uint32_t same;       /* the first role with the same field, possibly itself */
    uint32_t member;     /* its place in the tuple of that set, or of the page */
    bool has_items;      /* elements below it are distinguished by what they hold */
    bool has_sections;   /* below it, texts of the template identify what follows them */
    bool has_attributes; /* that are data */
    uint32_t whole;      /* the role of all its values together, or 0 */
    /* For a role with slots: their roles, and what they have in common. */
    uint32_t *slots;
    th__template_slots held;
} th__template_role;

/* Returns true if an item of a set begins with each instance of a role. */
static inline bool th__template_begins_item(const th__template_role *role)
{
    return role->list && role->use == TH__USE_STRUCTURE;
}

typedef struct th__template_roles {
    th__template_role *roles; /* parents before children, in the order of the template */
    uint32_t count;
    th_str *names; /* classes and ids that identify elements */
    uint32_t name_count;
    uint32_t pages;    /* learnt from */
    bool placeholders; /* "n/a" is not a value */
    /* Computed from the above: */
    th__key_map known;   /* hashes of names */
    th__key_map cells;   /* by key of parent, step and what identifies it: cell + 1 */
    uint32_t *only;      /* by cell: the role + 1 that has no ordinal, or 0 */
    th__key_map places;  /* by cell and ordinal: role + 1 */
    th__key_map ways;    /* by parent and step: the ways to distinguish roles there */
    th__key_map labels;  /* by parent and text: begins a section */
    th__key_map texts;   /* hashes of labels, which are not values */
    th__key_map anchors; /* by anchor: role + 1 */
    bool has_names;      /* some are identified by the name of their element */
    uint32_t cell_count;
    uint32_t other;  /* the role of texts that have none, or TH__NO_ROLE */
    double expected; /* how much of the template a page usually has */
} th__template_roles;

/* Computes the remaining members. False if out of memory. */
bool th__template_roles_prepare(th__template_roles *roles, th__arena *arena);
/* The key of what is below a parent. */
static inline uint64_t th__template_cell_key(uint32_t parent, uint64_t step, unsigned told,
                                             uint64_t hash)
{
    return th__hash_mix(th__hash_mix(((uint64_t)parent << 8) + told + 1, step), hash);
}

/* The hash of the section and the element before. */
static inline uint64_t th__template_after_hash(uint64_t section, uint64_t after)
{
    return th__hash_mix(section + 1, after);
}

/* A value in a line. */
typedef struct th__template_hit {
    uint32_t role, unit;
    uint32_t row; /* the role of the set whose item begins here, or TH__NO_ROLE */
    th_span span;
} th__template_hit;

/* The role of everything on a page, by node and by text; TH__NO_ROLE for none. Items of sets come
 * with their number. */
typedef struct th__template_reading {
    uint32_t *node_role;
    uint32_t *unit_role;    /* by the first text of a value; TH__ROLE_PART for the others */
    uint32_t *unit_last;    /* by the first text of a value: its last text */
    th__template_hit *hits; /* values in lines, in the order of the page; NULL: there are none */
    uint32_t hit_count;
    uint32_t *unit_hit; /* by text: the first value that begins in it + 1, or 0 */
    double explained;
} th__template_reading;

bool th__template_roles_apply(const th__template_roles *roles, const th__template_outline *o,
                              th__arena *arena, th__template_reading *out);

/* An attribute that may be data, its tag, and the name of its field: appended to that of its
 * element, or alone. */
typedef struct th__template_attribute {
    uint16_t tag;
    bool url; /* given as an absolute URL */
    const char *name, *behind, *alone;
} th__template_attribute;

extern const th__template_attribute th__template_attributes[]; /* ends without a name */

/* template.c: the engine. */
extern const th__engine th__template_engine;

#endif
