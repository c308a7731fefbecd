/*
 * fields.h: where the fields of a record stand: the part of a rule that all engines for lists
 * share.
 *
 * A field rule names a place inside records by a path (see index/view.h) and, where several items
 * stand at one place, tells it from the others by the label before it, by its own text, or by its
 * position (see table/items.h). Several rules may feed one member of the schema; a rule without a
 * name is for texts that are no values ("Price:"). A rule may name a part of the text at that place
 * (see table/column_parts.h), or a part of a part: such texts are cut. From these the keys follow
 * by which the items of a record find their member. A text with a key that no rule has goes to the
 * rest, when there is a rule for that, so that what is new on a page is seen and not lost; else it
 * is left out, as are links and images.
 */
#ifndef TH_FIELDS_H
#define TH_FIELDS_H

#include "base/json_out.h"
#include "base/key_map.h"
#include "data/schema.h"
#include "table/column_parts.h"
#include "wrapper/rule_table.h"

enum { TH__FIELD_REST = TH__ITEM_ATTRIBUTE + 1 }; /* what no other rule takes */

/* Which part of a text is meant, and what tells it from others. */
typedef struct th__part_rule {
    th_str step;     /* of its element; of the one before it, when it stands between elements: empty
                        for what comes first */
    uint8_t between; /* TH__PART_..., see table/column_parts.h; of a part between signs the step is
                        the sign */
    uint8_t told;    /* th__told, with `text` and `telling` as in a rule */
    uint32_t position;
    th_str text;
    uint64_t telling;
} th__part_rule;

typedef struct th__field_rule {
    th_str name;       /* of the member; absent for texts that are no values */
    uint32_t member;   /* in the record's tuple, or TH__NO_MEMBER */
    th_str path;       /* from the record down to the element */
    uint32_t part;     /* of a record whose parts stand apart, from 0 */
    uint32_t position; /* or TH__NO_POSITION */
    uint8_t kind;      /* th__item_kind, or TH__FIELD_REST */
    th_str attribute;  /* of TH__ITEM_ATTRIBUTE: its name */
    uint8_t told;      /* th__told */
    bool list;         /* several values in a record */
    bool core;         /* stands in at least half of the records */
    th_str text;       /* that tells it apart, as a reader sees it */
    uint64_t telling;  /* the hash of that text in the source, blanks aside */
    th__part_rule inside[TH__PARTS_DEEPEST]; /* from the text at the place down */
    uint8_t depth;                           /* of these; 0: all of the text */
    int8_t joins;                            /* see th__item */
    uint64_t base, key;
    uint64_t wholes[TH__PARTS_DEEPEST]; /* the keys of what is cut for it */
} th__field_rule;

typedef struct th__fields {
    th__field_rule *rules;
    uint32_t count;
    bool several; /* records have several elements, and paths begin with one of them */
    /* What follows from the rules: */
    th__attribute_names attributes; /* that rules read */
    uint32_t rest;                  /* the member for texts that no rule takes, or TH__NO_MEMBER */
    th__key_map members;            /* by key: member + 2; 1 for no value */
    th__key_map wholes;             /* keys of texts that are cut */
    th__key_map joins;      /* by key of a part: 1 when it goes with the next, 2 with the last */
    bool cuts;              /* there are such */
    th__key_map told;       /* base keys that labels tell apart */
    th__key_map labels;     /* hashes of texts that tell fields apart */
    th__key_map cells;      /* by the key of a cell and the kind of an item: 1 + the only rule
                               for what is there; UINT32_MAX: there are several */
    th__key_map positions;  /* by key without position: how many positions there are */
    th__key_vec core;       /* base keys of texts of the core, rising; in the arena */
    th__key_map core_parts; /* base keys of parts that may stand alone: 1 + which of the core they
                               are parts of */
} th__fields;

/* The sign that a part is cut at; 0: it is none between signs. */
uint32_t th__part_rule_sign(const th__part_rule *part);

enum { TH__FIELDS_MAX = 65536, TH__FIELDS_MAX_POSITION = 1 << 20 };

/* Where its items stand. */
static inline th__item_place_of th__field_place(const th__field_rule *rule, bool several)
{
    return (th__item_place_of){rule->path, several, rule->part, rule->attribute};
}

/* The kinds of headings (see table/sections.h) that rules are for: TH__SECTIONS_LIMIT at most.
 * Returns how many there are. */
uint32_t th__fields_kinds(const th__field_rule *rules, size_t count, uint64_t *keys);

/* What is settled about the texts of some rules: for th__columns_cut. In the arena. False if out of
 * memory. */
bool th__fields_settled(const th__field_rule *rules, size_t count, th__arena *arena,
                        th__key_map *out);

/* The key by which a rule knows its items; `path` is scratch. False if out of memory, or when a
 * path is none. */
bool th__field_key(const th__field_rule *rule, bool several, th__buf *path, uint64_t *key);

/* The rules by the cells of table rows that they are in: see th__fields.cells. In the arena. False
 * if out of memory. */
bool th__fields_cells(const th__field_rule *rules, size_t count, th__arena *arena,
                      th__key_map *out);
/* The only rule for the kind of an item in its cell, 1 + its number; or 0. */
uint32_t th__fields_cell_rule(const th__key_map *cells, const th__view *view, const th__item *item);

/* Fills in what follows from the rules. Everything in the arena. False if out of memory; a path
 * must be one, which reading and learning see to. */
bool th__fields_prepare(th__fields *fields, th__arena *arena);

/* Gathers the items of records and gives each its member in item->column, or TH__NO_MEMBER. `first`
 * (by record, and one more) lives in the arena; the caller releases the items. Linear in the page.
 * False if out of memory. */
bool th__fields_assign(const th__fields *fields, const th__view *view, const th__extents *records,
                       th__arena *arena, th__item_vec *items, uint32_t **first);

/* The member "fields" of an object: rules that fit the reader's schema. `several` is known before;
 * reading prepares them. */
extern const th__rule_shape th__fields_shape;
/* The rules for people to read. */
void th__fields_explain(const th__fields *fields, th__buf *out);

#endif
