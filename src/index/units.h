/*
 * units.h: what may be a value on a page of one record, and by what it can be found again.
 *
 * A unit is one text between tags, the value of an attribute, or the text of a small element. It
 * has addresses (addresses.h), which say where it is, and tellers: texts around it that tell it
 * from others at the same address. All are hashes that come out the same from a page and from a
 * rule that a person can read.
 *
 *     <div id=facts><p><b>Born:</b> 1899</p>      unit     1899
 *     <p><b>Died:</b> 1972</p></div>              address  #facts > p, 1st text
 *                                                 teller   before: Born:
 *
 * Texts are compared without blanks, so that indentation does not count.
 */
#ifndef TH_UNITS_H
#define TH_UNITS_H

#include "base/str.h"
#include "base/vec.h"
#include "index/addresses.h"
#include "page/page.h"
#include "page/text.h"

typedef enum th__unit_kind {
    TH__UNIT_TEXT,     /* a text between two tags */
    TH__UNIT_ELEMENT,  /* all texts of an element that holds several, and little else */
    TH__UNIT_ATTRIBUTE /* the value of one of th__unit_attributes */
} th__unit_kind;

/* What tells a unit from others at its address. */
typedef enum th__teller {
    TH__TOLD_BY_NOTHING,
    TH__TOLD_BY_BEFORE,  /* the text before it that has a letter or digit */
    TH__TOLD_BY_CAPTION, /* the last text that ended with a colon or stood in b, dt, th, ... */
    TH__TOLD_BY_HEADING, /* the last text in h1 to h6, caption or legend */
    TH__TOLD_BY_AFTER,   /* the text after it */
    TH__TOLD_BY_START,   /* its own beginning, up to a colon */
    TH__TELLERS
} th__teller;

#define TH__NO_UNIT UINT32_MAX

typedef struct th__unit {
    uint64_t text;                     /* hash of its text */
    uint64_t tellers[TH__TELLERS - 1]; /* see th__unit_telling */
    th_span span;                      /* in the source, blanks at the ends left out */
    uint32_t node;
    uint32_t slot;         /* which of the texts right inside its element, from 0 */
    uint32_t len, digits;  /* bytes of text, blanks not counted, and digits among them */
    uint32_t teller_at[2]; /* unit of the caption and of the heading, or TH__NO_UNIT */
    uint8_t kind;          /* th__unit_kind */
    uint8_t attribute;     /* which of th__unit_attributes */
    uint8_t in_title;      /* the text of <title> */
    uint8_t readable;      /* has a letter or digit */
} th__unit;

typedef struct th__units {
    const th_page *page;
    th__unit *data; /* in the order of the page */
    uint32_t count;
    uint32_t *keys[TH__ADDRESSES]; /* by unit: half of its key; made when asked for */
    uint32_t *heads[TH__ADDRESSES], *next[TH__ADDRESSES]; /* units with one key, in order */
    uint32_t mask;
    th__addresses at; /* of elements */
    th__arena *arena;
} th__units;

/* The hash of the text by which a teller tells a unit, or 0. */
static inline uint64_t th__unit_telling(const th__unit *unit, th__teller teller)
{
    return teller ? unit->tellers[teller - 1] : 0;
}

/* NULL at the end; links stand first. */
enum { TH__UNIT_LAST_LINK = 1 };
extern const char *const th__unit_attributes[];

/* Finds the units of a page, attributes and elements only when asked for. Everything lives in the
 * arena. False without memory. */
bool th__units_make(th__arena *arena, const th_page *page, bool attributes, bool elements,
                    th__units *out);
/* Makes one kind of address ready to be looked up, unless it is. False without memory. */
bool th__units_index(th__units *units, th__address address);

/* The key of a unit. The address must have been indexed. */
uint64_t th__units_key(const th__units *units, th__address address, uint32_t unit);
/* The first unit with a key, and the next after one; TH__NO_UNIT at the end. The address must have
 * been indexed. */
uint32_t th__units_first(const th__units *units, th__address address, uint64_t key);
uint32_t th__units_next(const th__units *units, th__address address, uint32_t unit);

/* The key of the units at an address as written. False if it is not an address. */
bool th__unit_key_read(th__address address, th_str path, th__unit_kind kind, uint8_t attribute,
                       uint32_t slot, uint64_t *key);

/* Hash of a text, blanks aside. */
uint64_t th__text_hash(th_str text);
/* The text up to its colon, or an absent one. */
th_str th__text_start(th_str text);
/* The text of a unit as people read it. False without memory. */
bool th__unit_text(const th__units *units, uint32_t unit, th__buf *out);
/* The unit whose text a teller is, or TH__NO_UNIT. */
uint32_t th__unit_teller(const th__units *units, uint32_t unit, th__teller teller);
/* The text by which a teller tells a unit, as people read it. False without memory. */
bool th__unit_teller_text(const th__units *units, uint32_t unit, th__teller teller, th__buf *out);

#endif
