/*
 * paths.h: rules of the paths engine: where the fields of a page of one record are.
 *
 *     title    h1 of #main
 *     price    2nd text of td, after "Price:"
 *     authors  all a of #by, told by the caption "Authors"
 *
 * A rule names units by an address, keeps those that its teller identifies, picks one of them or
 * all, and cuts a part out if the value is not a whole text. A field has several rules: what one
 * finds joins what those before it found, or counts only when they found nothing.
 */
#ifndef TH_PATHS_H
#define TH_PATHS_H

#include "base/str.h"
#include "base/vec.h"
#include "index/view.h"
#include "page/page.h"
#include "page/text.h"
#include "wrapper/cut.h"
#include "wrapper/engine.h"

/* ---- units: paths_units.c ----------------------------------------------------------------------
 *
 * What may be a value on a page, and by what it can be found again. A unit is one text between
 * tags, the value of an attribute, or the text of a small element. It has addresses (view.h),
 * which say where it is, and tellers: texts around it that identify it among others at the same
 * address. All are hashes that come out the same from a page and from a rule that a person can
 * read. Texts are compared without blanks, so that indentation does not count.
 *
 *     <div id=facts><p><b>Born:</b> 1899</p>      unit     1899
 *     <p><b>Died:</b> 1972</p></div>              address  #facts > p, 1st text
 *                                                 teller   before: Born:
 */

typedef enum th__unit_kind {
    TH__UNIT_TEXT,      /* a text between two tags */
    TH__UNIT_ELEMENT,   /* all texts of an element that holds several, and little else */
    TH__UNIT_ATTRIBUTE, /* the value of an attribute */
    TH__UNIT_WHOLE /* all text of an element in which nothing but phrasing is; of one that holds
                    * more, the first text right inside it */
} th__unit_kind;

/* What a text is to its element, for units of the kind WHOLE. */
typedef enum th__unit_share {
    TH__SHARE_FIRST, /* a text in an element that holds more than phrasing */
    TH__SHARE_ALL,   /* all text of its element: it is a unit of the kind WHOLE too */
    TH__SHARE_PART   /* there is a unit of the kind WHOLE that it is a part of */
} th__unit_share;

/* What identifies a unit among others at its address. */
typedef enum th__teller {
    TH__TOLD_BY_NOTHING,
    TH__TOLD_BY_BEFORE,  /* the text before it that has a letter or digit */
    TH__TOLD_BY_CAPTION, /* the last text that ended with a colon or was in b, dt, th, ... */
    TH__TOLD_BY_HEADING, /* the last text in h1 to h6, caption or legend */
    TH__TOLD_BY_AFTER,   /* the text after it */
    TH__TOLD_BY_START,   /* its own beginning, up to a colon */
    TH__TELLERS
} th__teller;

#define TH__NO_UNIT UINT32_MAX

/* Units are looked up by each address, and by each text that identifies them. */
enum { TH__UNIT_LOOKUPS = TH__ADDRESSES + TH__TELLERS - 1 };

typedef struct th__unit {
    uint64_t text;                     /* hash of its text */
    uint64_t tellers[TH__TELLERS - 1]; /* see th__unit_telling */
    th_span span;                      /* in the source, blanks at the ends left out */
    uint32_t node;
    uint32_t slot;         /* which of the texts right inside its element, from 0; of another
                            * attribute: th__unit_name_slot */
    uint32_t len, digits;  /* bytes of text, blanks not counted, and digits among them */
    uint32_t teller_at[2]; /* unit of the caption and of the heading, or TH__NO_UNIT */
    uint8_t kind;          /* th__unit_kind */
    uint8_t attribute;     /* which of th__unit_attributes, or TH__UNIT_OTHER */
    uint8_t in_title;      /* the text of <title> */
    uint8_t readable;      /* has a letter or digit */
    uint8_t share;         /* th__unit_share */
    uint8_t caption;       /* ends with a colon, or is in b, dt, th, ... */
} th__unit;

/* The text of a unit as th__folded has it. */
typedef struct th__unit_fold {
    th_str text;
    const uint32_t *start, *end;
} th__unit_fold;

typedef struct th__units {
    const th_page *page;
    th__unit *data; /* in the order of the page */
    uint32_t count;
    unsigned kinds;                   /* of units */
    uint32_t *keys[TH__UNIT_LOOKUPS]; /* by unit: half of its key; made when asked for */
    uint32_t *heads[TH__UNIT_LOOKUPS], *next[TH__UNIT_LOOKUPS]; /* units with one key, in order */
    uint32_t mask;
    th__addresses at;            /* of elements */
    const th__unit_fold **folds; /* by unit; made when asked for */
    th__arena *arena;
} th__units;

/* The hash of the text by which a teller identifies a unit, or 0. */
static inline uint64_t th__unit_telling(const th__unit *unit, th__teller teller)
{
    return teller ? unit->tellers[teller - 1] : 0;
}

/* Attributes that are units where any is; NULL at the end; links are first. */
enum { TH__UNIT_LAST_LINK = 1, TH__UNIT_OTHER = 6 };
extern const char *const th__unit_attributes[];

/* All attributes are units rather than those of th__unit_attributes. */
#define TH__UNITS_ALL_ATTRIBUTES (1u << 8)

/* Finds the units of a page: texts, and those of other kinds whose bits (1 << kind) are in `kinds`.
 * Learning asks again and again: the units of a copy are kept with it. For others there may be more
 * kinds than they ask for. Everything lives in the arena. False if out of memory. */
bool th__units_find(th__arena *arena, const th_page *page, unsigned kinds, bool learn,
                    th__units *out);
/* Returns true if a unit is of a kind. A text that is all of its element is of two. */
static inline bool th__unit_is(const th__unit *unit, th__unit_kind kind)
{
    if (kind == TH__UNIT_WHOLE && unit->kind == TH__UNIT_TEXT)
        return unit->share != TH__SHARE_PART && !unit->slot;
    return unit->kind == kind;
}
/* The key of a unit: what rules look it up by. False if out of memory. */
bool th__units_key(th__units *units, th__address address, uint32_t unit, uint64_t *key);
/* The unit whose text a teller is, or TH__NO_UNIT. */
uint32_t th__unit_teller(const th__units *units, uint32_t unit, th__teller teller);
/* The text by which a teller identifies a unit, as people read it. False if out of memory. */
bool th__unit_teller_text(const th__units *units, uint32_t unit, th__teller teller, th__buf *out);

/* ---- rules ----------------------------------------------------------------------------------- */

typedef struct th__path_rule {
    uint8_t address;   /* th__address */
    uint8_t teller;    /* th__teller */
    uint8_t kind;      /* th__unit_kind */
    uint8_t attribute; /* of th__unit_attributes, or TH__UNIT_OTHER */
    th_str name;       /* of another attribute */
    bool otherwise;    /* counts only when the rules before it found nothing */
    uint32_t slot;     /* which of the texts of its element, from 0; as of a unit */
    int32_t pick;      /* 0: all; n: the n-th; -n: the n-th from the end */
    bool alone;        /* of a field with one value: found nothing else on any labelled page */
    th_str path;       /* the address as written */
    th_str told;       /* the text of the teller */
    th__cut cut;       /* which part of the text is the value */
    /* What follows from these: */
    uint64_t key, telling;
} th__path_rule;

/* Another rule that is as right on labelled pages as one of the field's own and finds something
 * else on others: where it does, one of the two is wrong. For questions alone: th__paths_doubts. */
typedef struct th__path_view {
    th__path_rule rule;
    uint32_t of;   /* the rule of the field whose place it takes */
    double weight; /* how likely it is that it would have been the better one, 0 to 1 */
} th__path_view;

/* What the labelled pages had of a field. */
typedef struct th__path_seen {
    uint32_t pages;       /* labelled; 0: nothing is known */
    uint32_t least, most; /* different values on a page */
    uint32_t beside;      /* texts right inside the element of a value, at most */
} th__path_seen;

typedef struct th__path_field {
    th_str name;
    uint32_t member; /* of the record's tuple */
    bool list;
    th__path_rule *rules;
    uint32_t count;
    th__path_view *views;
    uint32_t view_count;
    th__path_seen seen;
} th__path_field;

typedef struct th__path_rules {
    th__path_field *fields;
    uint32_t count;
} th__path_rules;

enum {
    TH__PATHS_MAX_FIELDS = 4096,
    TH__PATHS_MAX_RULES = 64,
    TH__PATHS_MAX_VIEWS = 64,
    TH__PATHS_MAX_PICK = 1 << 20
};

/* A value that a rule found. */
typedef struct th__path_value {
    uint32_t unit;
    th_span span;
} th__path_value;

typedef TH__VEC(th__path_value) th__path_values;

/* ---- running: paths_units.c ------------------------------------------------------------------ */

/* Fills in what follows from the texts of a rule. False if its path is not an address. */
bool th__path_rule_prepare(th__path_rule *rule);
/* What a rule finds, appended in the order of the page. `scratch` is for cutting. The units'
 * addresses are indexed as they are needed. False if out of memory, as all below. */
bool th__path_find(const th__path_rule *rule, th__units *units, th__folded *scratch,
                   th__path_values *out);
/* How many texts are right inside the element of a unit. */
uint32_t th__path_beside(const th__units *units, uint32_t unit);

/* ---- learning: paths_learn.c -------------------------------------------------------------------
 *
 * Values are in one place or in several. The same search settles which place of a value is meant:
 * it is the one that a rule finds which is correct on all labelled pages and makes most sense on
 * the others. */

/* A labelled value. */
typedef struct th__path_sample {
    uint32_t page, field;
    th_str value; /* blanks folded */
    const th_place *places;
    uint32_t count;
    uint32_t chosen; /* TH__NO_UNIT; out: the place that the rules find, or the likeliest */
} th__path_sample;

typedef struct th__paths_input {
    const th_page *const *pages;
    /* By page and field (page * field_count + field): what is labelled there is known, and may be
     * a part of the values of a list. */
    const bool *labelled, *sample;
    uint32_t page_count;
    th__path_sample *samples; /* in order of field, then page */
    size_t sample_count;
    uint32_t field_count;
    const th_cancel *cancel; /* or NULL */
    /* Labelled pages, and for each the rules that are learnt without its labels: name, member and
     * list of their fields are filled in. */
    const uint32_t *held_out;
    uint32_t held_out_count;
    th__path_rules *without;
} th__paths_input;

/* Returns true if labels of a schema can be learnt: one record per page, texts and lists of texts.
 */
bool th__paths_fit_schema(const th_schema *schema);
/* Fills in name, member and list of the fields of such a schema. False if out of memory. */
bool th__paths_fields(const th_schema *schema, th__arena *arena, th__path_rules *out);

/* Says of each field of such a schema whether the label of a page is known, and whether its list
 * may have more. `sample`: all lists may. */
void th__paths_known(const th_records *labels, bool sample, bool *labelled, bool *part);

/* How well the rules of a field do. */
typedef struct th__path_fit {
    uint32_t pages, right; /* labelled pages, and those on which the rules give what is labelled */
    uint32_t wrong_page;   /* the first of the others, or TH__NO_UNIT */
    double agreement;      /* of rules that fit, over pages without labels: 0 to 1; 1 without any */
} th__path_fit;

/* Learns the rules of out->fields, whose name, member and list are filled in. Rules live in the
 * arena. `fits` has room for each field. False if out of memory. */
bool th__paths_learn(const th__paths_input *input, th__arena *arena, th__path_rules *out,
                     th__path_fit *fits);

extern const th__engine th__paths_engine;

#endif
