/*
 * fields.h: the fields of lists, as all engines for lists share them: how aligned columns become
 * records, and rules that say where the fields of a record are.
 *
 * A field rule names a place inside records by a path (see index/view.h) and, where several items
 * are at one place, distinguishes it from the others by the label before it, by its own text, or by
 * its position (see table/items.h). Several rules may feed one member of the schema; a rule without
 * a name is for texts that are no values ("Price:"). A rule may name a part of the text at that
 * place (see table/column_parts.h), or a part of a part: such texts are cut. From these the keys
 * follow by which the items of a record find their member. A text with a key that no rule has goes
 * to the rest, when there is a rule for that, so that what is new on a page is seen and not lost;
 * else it is left out, as are links and images.
 */
#ifndef TH_FIELDS_H
#define TH_FIELDS_H

#include "base/intern.h"
#include "base/json_out.h"
#include "base/key_map.h"
#include "data/record.h"
#include "table/column_names.h"
#include "table/column_parts.h"
#include "wrapper/rule_table.h"

/* ---- aligned columns become records ---------------------------------------------------------- */

#define TH__NO_MEMBER UINT32_MAX

/* A column in the schema. */
typedef struct th__list_field {
    th_str name;
    th_note note;
    bool list, optional;
    bool attribute; /* a link or an image: comes after the texts */
    bool hidden;    /* nothing but the label of another: not in the schema */
    bool rest;      /* for texts that go to `other` */
    th__column_use use;
    uint32_t member; /* its place in the record's tuple: make_schema fills it in */
} th__list_field;

/* The columns of a list, with names and notes found. */
typedef struct th__list {
    th__columns columns;
    th__list_field *fields; /* by column; and one more, for `other`, where some go there */
    uint32_t field_count;
} th__list;

/* Finds the names and notes of aligned columns, and which of them are shown. False if out of
 * memory.
 */
bool th__list_name(th__arena *arena, th__arena *scratch, const th__view *view,
                   const th__extents *records, th__columns_wanted wanted, th__list *list);

/* The parts of an item that are needed to read it. */
typedef struct th__list_item {
    uint64_t key;
    th_span span;
    uint32_t node;
    uint32_t member;       /* or TH__NO_MEMBER */
    uint32_t kind : 4;     /* th__item_kind */
    uint32_t is_part : 1;  /* of a text: see table/column_parts.h */
    uint32_t by_looks : 1; /* see th__item */
    uint32_t ruled : 1;    /* the same */
} th__list_item;

/* The parts needed to read items that know their member, item->column: the items themselves may be
 * freed. NULL if out of memory. Caller frees. */
th__list_item *th__list_items_of(const th__item *items, size_t count);

typedef struct th__list_items {
    th__extents records;
    const th__list_item *items;
    const uint32_t *first; /* by record, and one more: its first item */
    uint32_t rest;         /* the member for texts too many for theirs, or TH__NO_MEMBER */
} th__list_items;

/* Reads the values off the page. Caller frees. */
th_status th__list_fill(const th__view *view, const th__list_items *list, const th_schema *schema,
                        const th_records_source *source, th_records **out, th_error *err);

/* All of it: the records of a list, by a schema of its own, with `all` columns or those worth
 * showing; *out is NULL when nothing is in them. Caller frees. */
th_status th__list_records(const th__view *view, const th__extents *records, bool all,
                           const th_records_source *source, th_records **out, th_error *err);

/* ---- rules ----------------------------------------------------------------------------------- */

enum { TH__FIELD_REST = TH__ITEM_ATTRIBUTE + 1 }; /* takes what no other rule takes */

/* Which part of a text a rule takes, and how it is distinguished from others. */
typedef struct th__part_rule {
    th_str step;     /* of its element; of the one before it, when it is between elements: empty
                        for what comes first */
    uint8_t between; /* TH__PART_..., see table/column_parts.h; of a part between signs the step is
                        the sign */
    uint8_t told;    /* th__told, with `text` and `telling` as in a rule */
    uint32_t position;
    th_str text;
    uint64_t telling;
} th__part_rule;

typedef struct th__field_rule {
    th_str name;       /* of the member; absent for texts that are not values */
    uint32_t member;   /* in the record's tuple, or TH__NO_MEMBER */
    th_str path;       /* from the record down to the element */
    uint32_t part;     /* of a record in several pieces, from 0 */
    uint32_t position; /* or TH__NO_POSITION */
    uint8_t kind;      /* th__item_kind, or TH__FIELD_REST */
    th_str attribute;  /* of TH__ITEM_ATTRIBUTE: its name */
    uint8_t told;      /* th__told */
    bool list;         /* several values in a record */
    bool core;         /* is in at least half of the records */
    th_str text;       /* that distinguishes it, as a reader sees it */
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
    th__key_map told;       /* base keys that labels distinguish */
    th__key_map labels;     /* hashes of texts that distinguish fields */
    th__key_map cells;      /* by the key of a cell and the kind of an item: 1 + the only rule
                               for what is there; UINT32_MAX: there are several */
    th__key_map positions;  /* by key without position: how many positions there are */
    th__key_vec core;       /* base keys of texts of the core, rising; in the arena */
    th__key_map core_parts; /* base keys of parts that may be alone: 1 + which of the core they
                               are parts of */
} th__fields;

enum { TH__FIELDS_MAX = 65536, TH__FIELDS_MAX_POSITION = 1 << 20 };

/* The place of its items. */
static inline th__item_place_of th__field_place(const th__field_rule *rule, bool several)
{
    return (th__item_place_of){rule->path, several, rule->part, rule->attribute};
}

/* The kinds of headings (see table/items.h) that rules are for: TH__SECTIONS_LIMIT at most.
 * Returns how many there are. */
uint32_t th__fields_kinds(const th__field_rule *rules, size_t count, uint64_t *keys);

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

/* ---- learning: field rules from the columns of lists
 * ---------------------------------------------
 *
 * The first list gives the rules. Further lists of the same kind add what they have besides: new
 * fields, values that turn out to be several, fields that may be missing. The list that had a place
 * first settles how fields at that place are told apart. */

typedef struct th__fields_learner {
    th__arena arena;         /* the texts of the rules */
    bool several;            /* records have several elements */
    bool whole_lines;        /* see th_learn_options */
    bool all;                /* columns: the same */
    const th_span *headings; /* the same */
    size_t heading_count;
    th__attribute_names attributes; /* that become fields, besides those that always do */
    TH__VEC(th__field_rule) rules;  /* in step with fields */
    TH__VEC(th__list_field) fields;
    th__intern keys, names; /* ids of keys are the numbers of rules */
    uint32_t lists;         /* learnt from so far */
    th__buf text;
} th__fields_learner;

/* Takes the names of attributes, with commas between; NULL: none. False if out of memory. */
bool th__fields_learner_take(th__fields_learner *learner, const char *attributes);
void th__fields_learner_init(th__fields_learner *learner);
void th__fields_learner_release(th__fields_learner *learner);

/* Learns from the records of a list. `core` are the base keys of the texts that half of them have,
 * rising. False if out of memory. */
bool th__fields_learn(th__fields_learner *learner, const th__view *view, const th__extents *records,
                      const th__key_vec *core);
/* The schema, and the rules with their members, ready to run. Rules live in the arena. */
th_status th__fields_learnt(th__fields_learner *learner, th__arena *arena, th__fields *out,
                            th_schema **schema, th_error *err);

#endif
