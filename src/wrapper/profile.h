/*
 * profile.h: describes the values of a wrapper's fields when it was learnt: the part of a wrapper
 * file that verification and repair use. src/check/ learns it and uses it.
 */
#ifndef TH_PROFILE_H
#define TH_PROFILE_H

#include <thresh.h>

#include "base/arena.h"
#include "base/json_out.h"
#include "wrapper/rule_table.h"

enum {
    TH__FORM_DEPTH = 4, /* items of a pattern at most */
    TH__FORMS_MAX = 40, /* of a field, at each end */
    TH__PROFILE_MAX_FIELDS = 65536,
    TH__WORDS_MAX = 12,         /* of a field that most values have */
    TH__EXAMPLES_MAX = 12,      /* of a field */
    TH__EXAMPLE_MAX_BYTES = 96, /* longer values are not examples */
    TH__NEIGHBOURS_MAX = 5      /* texts on each side of a field's values */
};

/* The advice for a wrapper without one. */
#define TH__NO_PROFILE                                                                             \
    "has no profile: learn it again, or add one from pages that it reads correctly with "          \
    "`thresh verify --profile W.json -w W.json PAGES`"

/* A form is how values begin or end: DataPro calls it a pattern. Its item: a token, or a class when
 * hash is 0. */
typedef struct th__form_item {
    uint64_t hash;
    th_str text; /* of a token */
    uint8_t cls; /* of a token: the class that it has */
} th__form_item;

typedef struct th__form {
    th__form_item items[TH__FORM_DEPTH]; /* of an ending: from the end backwards */
    uint32_t len;
    uint32_t count; /* values that have it, and none before it */
} th__form;

/* A form of at most two items, in little: an item is a token when it has a text. */
typedef struct th__brief {
    const char *text[2];
    uint32_t text_len[2];
    uint8_t cls[2], len;
    double usual; /* how usual it is, against the most usual one */
} th__brief;

typedef struct th__forms {
    th__form *data;
    uint32_t count;
    const th__brief *brief; /* the same in little, and behind them one for values that have none;
                               NULL when a form is longer, or not made */
} th__forms;

/* The two ends of a value. */
enum { TH__START, TH__END, TH__ENDS };

/* A text that most values of a field had near them: a caption, a heading, a unit. */
typedef struct th__neighbour {
    th_str text;
    uint64_t hash;  /* as texts around a value are hashed: see check/neighbours.h */
    uint32_t at;    /* how far it was in most cases: 1 is next to the value */
    uint32_t count; /* values that had it there */
} th__neighbour;

typedef struct th__neighbours {
    th__neighbour *data; /* the nearest first */
    uint32_t count;
} th__neighbours;

typedef struct th__field_profile {
    th_str path;       /* title, authors[], reviews[].comment */
    uint64_t chances;  /* places where a value might have been */
    uint64_t values;   /* that were there */
    uint64_t pages;    /* that had one */
    uint64_t told;     /* values whose engine reports how far its rules agree */
    uint64_t agreed;   /* of these: nearly all rules did */
    uint64_t headed;   /* values that the title of their page says */
    uint64_t sampled;  /* values that the rest of this is about */
    uint64_t distinct; /* texts among them */
    th_str *examples;  /* values as they were: some of those that differ */
    uint32_t example_count;
    const uint64_t *example_hashes; /* NULL: not made */
    th_str *words;                  /* that most values have somewhere: "Posted", "by" */
    uint32_t word_count;
    th_str element;                  /* that contains only a value, as in a path; absent: none */
    th__neighbours around[TH__ENDS]; /* before its values, and after them */
    double position, position_sd;    /* the share of the page's texts before them; 0: not known */
    double length, length_sd;        /* of ln(1 + bytes) */
    th__forms patterns[TH__ENDS];    /* DataPro's, most frequent first */
    uint64_t worded[TH__ENDS];  /* values with a word of these that pages early and late have */
    th__forms shapes[TH__ENDS]; /* the same without words, in order of matching: for verification */
} th__field_profile;

typedef struct th__profile {
    uint64_t pages, empty_pages;   /* empty: without records */
    uint64_t records, least, most; /* in all; a page, empty ones aside */
    double explained;              /* share of the pages' text that is in values */
    double explained_least;        /* of a page with records */
    th__field_profile *fields;     /* in the order of the schema */
    uint32_t count;
} th__profile;

/* The pattern as people write it: Blvd . and _Number_ _Capitalized_; endings forwards. */
void th__form_print(const th__form *pattern, bool ending, th__buf *out);

/* In wrapper files; reading prepares it. */
extern const th__rule_shape th__profile_shape;
/* Writes the evidence of a verdict as an object, for verdicts that are printed and that are stored.
 * `pages`, JSON, becomes a member if it is not empty. */
void th__evidence_write(const th_evidence *evidence, th_str pages, th__json *json);

#endif
