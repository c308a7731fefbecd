/*
 * sections.h: headings above groups of records.
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
#ifndef TH_SECTIONS_H
#define TH_SECTIONS_H

#include "table/items.h"

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

/* Appends the path of a heading's kind, seen from a record: see th__item_path_write. */
bool th__section_path_write(const th__view *view, const th__extent *record, const th__item *item,
                            th__buf *out);

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
/* The heading of one kind above a record, as an item; false when there is none. */
bool th__section_item(const th__view *view, const th__sections *sections,
                      const th__extents *records, uint32_t record, uint32_t kind, th__item *item);

/* Takes headings out of a list of elements: those with a single text and no link, when the first
 * one is so and nearly all others have several texts, most of them a link. */
void th__sections_drop_headings(const th__view *view, uint32_t *nodes, size_t *count);
/* Takes out those with a single text that is a heading of the next one, of a kind that rules know.
 */
void th__sections_drop_known(const th__view *view, const uint64_t *keys, uint32_t count,
                             uint32_t *nodes, size_t *node_count);
/* Records of several elements reach up to the next one. Takes headings of the next ones off their
 * ends: a single text without a link behind the usual number of elements, of the kind that is
 * before the first record. */
void th__sections_trim_runs(const th__view *view, th__extent *runs, uint32_t count);

#endif
