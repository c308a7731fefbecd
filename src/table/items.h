/*
 * items.h: what a record holds: its leaves, the targets of its links, the sources of its images.
 *
 * An item has a base key, which is where it is in its record (see view.h), with the kind of an
 * attribute mixed in. In records of several elements the element at the top counts as well. Where
 * several items share a base key, the text before them, their own text or their position is mixed
 * in: the outcome is the key of the field.
 */
#ifndef TH_ITEMS_H
#define TH_ITEMS_H

#include "index/view.h"
#include "page/tags.h"

#define TH__NO_ITEM     UINT32_MAX
#define TH__NO_POSITION UINT32_MAX

typedef enum th__item_kind {
    TH__ITEM_TEXT,
    TH__ITEM_LINK,     /* the href of an a */
    TH__ITEM_IMAGE,    /* the address of an img: see th__image_span */
    TH__ITEM_ATTRIBUTE /* the value of another attribute */
} th__item_kind;

/* Names of attributes whose values are items beside links, images and those of
 * th__known_attribute. */
typedef struct th__attribute_names {
    const th_str *data;
    uint32_t count;
} th__attribute_names;

/* What distinguishes an item from others at the same place. */
typedef enum th__told {
    TH__TOLD_BY_PLACE, /* there are none, or it is one of a list */
    TH__TOLD_BY_LABEL, /* the label before it */
    TH__TOLD_BY_ITSELF /* its own text: it is a label */
} th__told;

typedef struct th__item {
    uint64_t base, key, hash;
    uint64_t telling; /* the hash of the text that distinguishes it, or 0 */
    uint32_t record;
    uint32_t extent;   /* which of the list's: that of its record, or one of them */
    uint32_t node;     /* the element of a leaf, link or image */
    uint32_t ref;      /* leaf of a text; start tag token of a link or image */
    uint32_t column;   /* filled in by alignment */
    uint32_t label;    /* the item that is its label, or TH__NO_ITEM */
    uint32_t position; /* among items told apart by nothing else, or TH__NO_POSITION */
    uint32_t whole;    /* of what it is a part: see column_parts.h; 0: of nothing */
    th_span span;      /* where a text, an address or the value of an attribute is */
    uint32_t cell;     /* of a row of a data table: the element of its cell; else 0 */
    uint32_t after;    /* of a part between elements: the element before it, or 0 */
    /* Pages may have an item for every few bytes, so an item is small. */
    uint8_t kind : 4;    /* th__item_kind */
    uint8_t told : 4;    /* th__told */
    uint8_t sign;        /* of a part between signs: which, see column_parts.c; else 0 */
    uint8_t apart : 4;   /* of such a part: signs around it, TH__APART_BEFORE and TH__APART_AFTER */
    bool by_path : 1;    /* its base key follows from its path alone: not so for all parts */
    bool between : 1;    /* a part that is text between elements: see column_parts.h */
    bool whole_cell : 1; /* it is all the text of its cell, or the one link: known by the column */
    bool heading : 1;    /* a heading above the record: see items.h */
    bool glued : 1;      /* a part right behind the one before it, as in one word */
    bool by_looks : 1;   /* its column is not what the rules say: see wrapper/fields_adapt.h */
    bool ruled : 1;      /* a rule says where it goes: see wrapper/fields.h */
    int8_t joins; /* of such a part: it goes with the next (1) or last (-1) part; 0: with none */
} th__item;

typedef TH__VEC(th__item) th__item_vec;

/* Where the records of a list are. */
typedef struct th__extents {
    const th__extent *data;
    const uint32_t *first; /* by record, and one more: its first extent; NULL: one extent each */
    uint32_t count;        /* of records */
    const th__attribute_names *attributes; /* NULL: none */
    bool unhashed;                         /* nobody asks for the hashes of items: they may be 0 */
} th__extents;

static inline uint32_t th__extents_first(const th__extents *list, uint32_t record)
{
    return list->first ? list->first[record] : record;
}

/* The attribute of an element that holds data whatever the page: the date of a time, and what is
 * said for programs alone. NULL: there is none. */
static inline const char *th__known_attribute(uint16_t tag)
{
    return tag == TH_TAG_TIME   ? "datetime"
           : tag == TH_TAG_META ? "content"
           : tag == TH_TAG_DATA ? "value"
                                : NULL;
}

/* As many items as all records have, or somewhat more. */
size_t th__items_most(const th__view *view, const th__extents *list);
/* Appends the items of a record, extent by extent. False if out of memory. */
bool th__items_add(const th__view *view, const th__extents *list, uint32_t record,
                   th__item_vec *items);

/* The path of a field that is a heading above its record begins so; then comes its kind: see
 * below. */
#define TH__HEADING_SIGN '^'

static inline bool th__path_is_heading(th_str path)
{
    return path.len && path.ptr[0] == TH__HEADING_SIGN;
}

/* Makes an item all that is in its cell: the key of its column is its own. */
void th__item_be_cell(const th__view *view, th__item *item);
/* One past the last item of the cell of an item, among the items before `end`. */
uint32_t th__items_of_cell(const th__item *items, uint32_t at, uint32_t end);
/* Makes one text of those in a cell: the first reaches to the last, and the others go. The items
 * of the cell are from `at` to before `end`; returns how many are left. */
uint32_t th__items_join(th__item *items, uint32_t at, uint32_t end);

/* Appends the path from a record down to an item. False if out of memory. */
bool th__item_path_write(const th__view *view, const th__extent *record, const th__item *item,
                         th__buf *out);

/* Reads the text of a span, or the absolute URL that is there, into `text`, replacing its content.
 * `link` is scratch. False if out of memory. */
bool th__item_read(const th_page *page, th__item_kind kind, uint32_t node, th_span span,
                   th__buf *text, th__buf *link);

/* Moves *top on to the element of a record, among several, that holds a node: begin with the
 * record's first and ask for nodes in the order of the page. */
static inline void th__extent_follow(const th_page *page, const th__extent *record, uint32_t node,
                                     uint32_t *top)
{
    while (*top < record->last && node >= page->nodes[*top].end)
        *top = page->nodes[*top].end;
}

/* The key of a node inside a record, which is the base key of a text there. */
uint64_t th__extent_key(const th__view *view, const th__extent *record, uint32_t node,
                        uint32_t *top);

/* Appends the keys of the texts of a record. False if out of memory. */
bool th__extent_add_keys(const th__view *view, const th__extent *record, th__key_vec *keys);

/* Where an item is in its record, as a rule says it. */
typedef struct th__item_place_of {
    th_str path;
    bool several;     /* records have several elements: the path begins with the one at the top, and
                       * an empty one is for text between them */
    uint32_t part;    /* see th__extent */
    th_str attribute; /* of TH__ITEM_ATTRIBUTE: its name */
} th__item_place_of;

/* The base key of an item from its place. False when the path is none. */
bool th__item_base(const th__item_place_of *place, th__item_kind kind, uint64_t *base);

/* The keys that follow from a base. */
uint64_t th__key_told(uint64_t key, th__told told, uint64_t hash);
uint64_t th__key_placed(uint64_t key, uint32_t position);

static inline void th__item_tell(th__item *item, th__told told, uint64_t hash)
{
    item->told = (uint8_t)told;
    item->telling = hash;
    item->key = th__key_told(item->key, told, hash);
}

static inline void th__item_place(th__item *item, uint32_t position)
{
    item->position = position;
    item->key = th__key_placed(item->key, position);
}

/* Returns true if a text says of itself that it is a label. */
bool th__item_ends_with_colon(const th__view *view, const th__item *item);

/*
 * Headings above groups of records.
 *
 *     <h4>Friday 3 May</h4>   <ul><li>Hall 1 <li>Hall 2</ul>
 *     <h4>Saturday 4 May</h4> <ul><li>Hall 3</ul>
 *
 * A heading is a text outside of all records. It speaks of the records behind it that are in the
 * same element (its scope), up to the next heading of its kind. Its kind is the path from that
 * element down to its line or box, and whether it is bold: "h4", "p > b", "caption", "tr > td",
 * "div.head > h3". The path is all that a rule needs: on another page, the last heading of that
 * kind before a record is its field.
 *
 * Without a rule, a kind is taken when its texts are above several groups, differ from group to
 * group, and are above nearly all records. There may be several kinds: the year and the day.
 */
enum {
    TH__SECTIONS_MOST = 3,  /* kinds of headings above one list */
    TH__SECTIONS_LIMIT = 64 /* that rules may ask for */
};

/* The path of rules that were made before kinds had paths: the heading that th__sections_find finds
 * nearest to the records. */
#define TH__HEADING_ANY "^heading"

typedef struct th__heading {
    uint64_t key; /* of its kind, seen from its scope */
    uint32_t leaf;
    uint32_t node;  /* its line or box */
    uint32_t scope; /* the innermost element around it and the next record */
    uint32_t next;  /* that record */
    uint32_t end;   /* one past the last record that it speaks of */
} th__heading;

typedef struct th__sections {
    const th__heading *headings;
    uint32_t kinds;
    uint64_t keys[TH__SECTIONS_LIMIT]; /* by kind: the base key of its items */
    uint32_t *at;                      /* by record, and by kind: 1 + its heading, or 0 */
} th__sections;

/* Which kinds of headings are wanted. */
typedef struct th__sections_wanted {
    const uint64_t *keys; /* base keys of items, see th__item_base */
    uint32_t key_count;   /* TH__SECTIONS_LIMIT at most */
    const th_span *texts; /* places of the page: the kinds of headings that are there */
    size_t text_count;
    bool no_others; /* else also the kinds that speak for themselves */
} th__sections_wanted;

/* Finds the headings above records; `wanted` may be NULL. All of it lives in the arena. Linear in
 * the page. False if out of memory. */
bool th__sections_find(th__arena *arena, const th__view *view, const th__extents *records,
                       const th__sections_wanted *wanted, th__sections *out);
/* Describes a leaf before a record as its heading. Returns false if it is too far away to be one.
 */
bool th__heading_make(const th__view *view, uint32_t leaf, const th__extent *record,
                      th__heading *out);
/* The heading of one kind above a record, as an item; false when there is none. */
bool th__section_item(const th__view *view, const th__sections *sections,
                      const th__extents *records, uint32_t record, uint32_t kind, th__item *item);

#endif
