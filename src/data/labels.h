/* labels.h: labels as a tree, for the schema and for the search. */
#ifndef TH_LABELS_H
#define TH_LABELS_H

#include <thresh.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/vec.h"

typedef struct th__label_pick {
    th_str field;    /* absent: any */
    uint32_t number; /* from 1; 0: the span tells */
    th_span span;
} th__label_pick;

typedef TH__VEC(th__label_pick) th__label_picks;

/* Leaves the places of a finding that are picked; all of them when nothing is said of it. A number
 * that is too high fails. */
th_status th__label_picks_apply(const th__label_picks *picks, th_finding *finding, th_error *err);

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
    th_span span; /* of a span; of a list where it stands, {0, 0}: not told */
    struct th__label *first, *last, *next; /* children of a list or tuple; next sibling */
} th__label;

typedef struct th__label_page {
    th_str page;
    size_t line;       /* in the file, from 1; 0 for examples */
    bool single;       /* given as one "record" */
    bool told_missing; /* an example says that a field is missing: what is not given is not there */
    uint32_t count;    /* of records */
    th__label *records; /* a list */
    th_span body;       /* the part of the page that holds the records; {0, 0}: not told */
    th_span *nothing;   /* parts that hold none */
    uint32_t nothing_count;
} th__label_page;

struct th_labels {
    th__arena arena;
    th_str name;      /* of the file */
    th__intern names; /* of the pages; ids are indexes of pages */
    TH__VEC(th__label_page) pages;
    th__label_picks picks;
};

/* White space folded as in the text of a page. False if out of memory. */
bool th__fold_blanks(th_str text, th__arena *arena, th_str *out);

/* "labels.jsonl:3", for messages. */
void th__label_where(const th_labels *labels, const th__label_page *page, char *out, size_t size);

#endif
