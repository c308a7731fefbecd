/*
 * repair_pieces.h: pieces of pages that may be values, and the places that they can be told by.
 */
#ifndef TH_REPAIR_PIECES_H
#define TH_REPAIR_PIECES_H

#include "repair/repair_places.h"
#include "page/text.h"
#include "index/view.h"

/* A piece of text, or a target, that may be a value. */
typedef struct th__piece {
    uint32_t unit;
    th_span span;
    bool target, piece;
    bool headed;       /* the title of its page says it */
    bool common;       /* its text stands on most pages: it is the template's, whatever it says */
    th__sample sample; /* text in the arena */
} th__piece;

/* A piece in one of the places that it can be told by. */
typedef struct th__spot {
    uint64_t place;
    uint32_t candidate;
} th__spot;

/* A span that is some field's. */
typedef struct th__used {
    th_span span;
    uint32_t next; /* of the same unit, counted from 1; 0: none */
} th__used;

typedef struct th__area th__area; /* see repair_areas.h */

/* A word of the texts of a path; with key 0 one of these texts. */
typedef struct th__path_word {
    uint64_t path, key;
} th__path_word;

typedef struct th__finder {
    th_repair *repair;
    th__arena arena;
    const th__unit *units;
    uint32_t pages; /* units: mostly whole pages */
    uint32_t depth; /* of the elements that paths begin at: 0 for whole pages */
    bool lists;     /* some field is a list of texts */
    bool many;      /* all fields have several values in a unit */
    bool *target;   /* by field: it holds targets */
    TH__VEC(th__piece) candidates;
    TH__VEC(th__spot) spots;
    size_t placed; /* spots by place; then those of known values */
    th__buf title; /* of the page at hand */
    th_text text;
    th__folded folded;
    double *likeness;    /* by candidate, of the field at hand */
    const bool *done;    /* by unit: it has a value of this field; NULL while none has */
    double left;         /* values of it that there should be besides */
    th__key_vec affixes; /* words that most texts of a path have, or several begin or end with */
    TH__VEC(th__path_word) words;
    bool noting; /* these are being gathered */
    TH__VEC(th__used) used;
    th__area *around;  /* room for one of each unit */
    th__area **areas;  /* by field of a list of tuples that was found, by unit; or NULL */
    uint32_t *used_of; /* by unit: the last of its spans in use, counted from 1 */
} th__finder;

/* Gathers the pieces of all units, with their places: candidates and spots. Those of a unit stand
 * together. `targets`: of links and images too. False without memory. */
bool th__pieces_gather(th__finder *f, bool targets);

#endif
