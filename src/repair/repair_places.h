/*
 * repair_places.h: where the values of fields are on changed pages: in each record, which is a
 * whole page or a part of one.
 */
#ifndef TH_REPAIR_PLACES_H
#define TH_REPAIR_PLACES_H

#include "check/neighbours.h"
#include "index/view.h"
#include "page/text.h"
#include "repair/repair.h"

/* Where a record is. */
typedef struct th__record_extent {
    uint32_t page;
    th_span span;
} th__record_extent;

typedef TH__VEC(th__record_extent) th__record_extents;

/* A value of a field, in one of the extents. */
typedef struct th__spot {
    uint32_t field, extent;
    th_span span;
} th__spot;

/* What was chosen: by field, extent and place. */
typedef struct th__spots {
    TH__VEC(th__spot) data;
    bool *chosen; /* by field of the profile; in the repair's arena */
} th__spots;

/* Chooses places in the extents, which are in the order of the pages, for the fields with
 * wanted[field]; nothing where `kept` is. `many`: each has several values in an extent, as pages of
 * many records have. Caller releases data. */
th_status th__spots_choose(th_repair *repair, const th__record_extent *extents, uint32_t count,
                           bool many, const bool *wanted, const th__spots *kept, th__spots *out,
                           th_error *err);

/* Records of pages, each from a value of a field that all records have; none where no field tells
 * them: repair_relabel.c. Caller releases the extents. */
th_status th__anchored_extents(th_repair *repair, uint32_t pages, th__record_extents *out,
                               th_error *err);

/* ---- pieces of pages that may be values, and the places that they can be told by ----------------
 */

/* A piece of text, or a target, that may be a value. */
typedef struct th__piece {
    uint32_t extent;
    th_span span;
    bool target;
    bool part;         /* of a text, or of several */
    bool headed;       /* the title of its page says it */
    bool common;       /* most records have its text: it is the template's, whatever it says */
    th__sample sample; /* text in the arena */
} th__piece;

/* A piece in one of the places that it can be told by. */
typedef struct th__piece_place {
    uint64_t place;
    uint32_t piece;
} th__piece_place;

/* A span that is some field's. */
typedef struct th__used {
    th_span span;
    uint32_t next; /* of the same extent, counted from 1; 0: none */
} th__used;

/* From the first value of a field in an extent to the last. */
typedef struct th__area {
    uint32_t from, to, count;
} th__area;

/* A word of the texts of a path; with key 0 one of these texts. */
typedef struct th__path_word {
    uint64_t path, key;
} th__path_word;

typedef struct th__finder {
    th_repair *repair;
    th__arena arena;
    const th__record_extent *extents;
    uint32_t extent_count;
    uint32_t depth; /* of the elements that paths begin at: 0 for whole pages */
    bool lists;     /* some field is a list of texts */
    bool many;      /* all fields have several values in an extent */
    bool *target;   /* by field: it holds targets */
    TH__VEC(th__piece) pieces;
    TH__VEC(th__piece_place) places;
    size_t placed; /* places of pieces, in order; then those of known values */
    th__buf title; /* of the page at hand */
    th_text text;
    th__folded folded;
    double *likeness; /* by piece, of the field at hand */
    double *near;     /* by piece: how many of the field's neighbours are around it, 0 to 1 */
    bool there[TH__ENDS][TH__NEIGHBOURS_MAX]; /* neighbours of that field: on the pages */
    bool nearby;                              /* some of these are still on the pages */
    th__flow flows[TH__REPAIR_LEARN];         /* by page, those that have extents */
    const bool *done;    /* by extent: it has a value of this field; NULL while none has */
    double left;         /* values of it that there should be besides */
    th__key_vec affixes; /* words that most texts of a path have, or several begin or end with */
    TH__VEC(th__path_word) words;
    bool noting; /* these are being gathered */
    bool failed; /* there was no memory, or the repair was cancelled */
    TH__VEC(th__used) used;
    th__area *around;  /* room for one of each extent */
    th__area **areas;  /* by field of a list of tuples that was found, by extent; or NULL */
    uint32_t *used_of; /* by extent: the last of its spans in use, counted from 1 */
} th__finder;

/* Gathers the pieces of all extents, one extent after the other, and their places. `targets`: of
 * links and images too. False if out of memory. */
bool th__pieces_gather(th__finder *f, bool targets);

#endif
