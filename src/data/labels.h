/* labels.h: labels as a tree, and where they are on a page. */
#ifndef TH_LABELS_H
#define TH_LABELS_H

#include <thresh.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"

typedef struct th__label_pick {
    th_str field;    /* absent: any */
    uint32_t number; /* from 1; 0: see the span */
    th_span span;
} th__label_pick;

typedef TH__VEC(th__label_pick) th__label_picks;

typedef enum th__label_kind {
    TH__LABEL_NULL,
    TH__LABEL_TEXT,
    TH__LABEL_SPAN,
    TH__LABEL_LIST,
    TH__LABEL_TUPLE
} th__label_kind;

typedef struct th__label {
    uint8_t kind; /* th__label_kind */
    th_str name;  /* of a member of a tuple */
    th_str text;  /* of a text, blanks folded; of a span when it was given with its value */
    th_span span; /* of a span; of a list where it is, {0, 0}: not given */
    struct th__label *first, *last, *next; /* children of a list or tuple; next sibling */
} th__label;

typedef struct th__label_page {
    th_str page;
    size_t line;        /* in the file, from 1; 0 for examples */
    bool single;        /* given as one "record" */
    bool told_missing;  /* an example marks a field as missing: others not given are, too */
    uint32_t count;     /* of records */
    th__label *records; /* a list */
    th_span body;       /* the part of the page that contains the records; {0, 0}: not given */
    th_span *nothing;   /* parts without records */
    uint32_t nothing_count;
} th__label_page;

struct th_labels {
    th__arena arena;
    th_str name;      /* of the file */
    th__intern names; /* of the pages; ids are indexes of pages */
    TH__VEC(th__label_page) pages;
    th__label_picks picks;
};

/* Appends a text with its white space folded as in the text of a page; a blank that is due comes
 * before its first character, but not at byte `first` of `out`. */
void th__fold_blanks(th_str text, size_t first, bool *blank, th__buf *out);

/* ---- labels that were located on a page: locate.c -------------------------------------------- */

/* Finds the part of a text most like `value`, in whole words; false if nothing is even half like
 * it. Time: the length of the text, whatever the value. */
bool th__nearest(th_str text, th_str value, size_t *start, size_t *end);

/* Removes values that are not on the page from the findings and records. They are then unknown:
 * neither present nor missing (th_value.unknown; of a list: it may have more items). A record
 * without any other value is removed, too. */
void th__located_leave_out(th_located *located);

/* The text of a finding in the records; NULL if the schema has no place for it. */
th_value *th__located_value(const th_located *located, size_t finding);

/* To which record and which of its members each finding belongs; UINT32_MAX: to none. */
typedef struct th__finding_map {
    uint32_t *record, *member; /* by finding */
} th__finding_map;

/* Everything lives in the arena. False if out of memory. */
bool th__finding_map_make(const th_located *located, th__arena *arena, th__finding_map *out);

#endif
