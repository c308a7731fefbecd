/*
 * tally.h: what the records of some pages are like: the raw material of profiles and verdicts.
 *
 * Every record is counted. Of the values a sample is looked at: the first few of a field on a page
 * and then some of the others; when a field has too many, every second is dropped and fewer are
 * taken from then on. A light tally, for verification, takes fewer the more fields there are, so
 * that checking costs a tenth of extracting. Where they are very many, as in templates of whole
 * pages, it looks at the values of the most telling ones; all are counted.
 */
#ifndef TH_TALLY_H
#define TH_TALLY_H

#include "base/key_map.h"
#include "base/vec.h"
#include "data/record.h"
#include "wrapper/value_forms.h"
#include "wrapper/wrapper.h"

enum {
    TH__TALLY_AGREED = 91,  /* nine in ten: see th_value */
    TH__TALLY_FIRST = 24,   /* values of a field on a page that are looked at in any case, */
    TH__TALLY_STEP = 8,     /* then every eighth, */
    TH__TALLY_PAGE = 48,    /* and so many at most */
    TH__TALLY_SAMPLE = 512, /* values of a field in all */
    TH__TALLY_LIGHT = 64,   /* light: the first values of all fields on a page, about, */
    TH__TALLY_LEAST = 4,    /* of a field at least, */
    TH__TALLY_MANY = 8,     /* and at most; */
    TH__TALLY_CLOSE = 24,   /* fields whose values it looks at */
    TH__TALLY_FEW = 49      /* values of before are few: see verify.c */
};

typedef struct th__flow th__flow; /* neighbours.h */

typedef struct th__field_tally {
    th_str path;
    bool target;               /* of a link or image */
    bool list;                 /* inside one */
    bool close;                /* its values are looked at, and not only counted */
    bool compared, usual, few; /* of what is known: it had values; half of the records did; few are
                                  known */
    bool placed_known;         /* the same: its values had a place of their own */
    uint64_t chances, values, pages;
    uint64_t bytes;        /* of all values */
    uint64_t by_looks;     /* values that no rule found */
    uint64_t told, agreed; /* values whose engine tells how far its rules agree on them; and those
                              that nearly all agree on */
    uint64_t headed; /* values that the title of their page says; counted by a thorough tally */
    const th__field_profile *known; /* what the field is held against, or NULL */
    union {
        TH__VEC(th__sample) sample; /* of a thorough tally */
        struct {
            th__glance *glances;               /* of a light one. What was given away does not */
            uint32_t glance_count, glance_cap; /* change: more are added behind it */
        };
    };
    uint64_t seen, stride; /* of would-be samples every stride-th is taken */
    uint32_t on_page;      /* values on the page at hand */
    /* See tally.c: on how many pages it was searched for, how many records these had, what was
     * found there; and records of pages where it was missing that were not searched. */
    uint32_t looks;
    uint64_t looked, strays, passed;
    uint64_t placed_of, placed; /* values of a field with a place of its own that were looked at,
                                   and those that were there: see neighbours.h */
    uint32_t place_looks, place_stays; /* pages where that place was looked for, and was */
    uint64_t left; /* texts like its values that are in no record: see tally.c */
} th__field_tally;

typedef struct th__tally {
    th__arena arena; /* texts, paths */
    th__field_tally *fields;
    uint32_t count;
    uint64_t pages, empty_pages, records, least, most;
    bool light;
    bool unsearched;  /* missing values are not looked for: nobody verifies it */
    bool placing;     /* whether values are where they were is looked at */
    bool neighbourly; /* the texts around sampled values are noted */
    bool named; /* its fields are what somebody has named: the wrapper was learnt from labels */
    const th__profile *profile; /* what is tallied is held against; or NULL */
    uint32_t first;             /* values of a field on a page that are looked at in any case */
    th_str title;               /* of the page at hand; empty when that does not matter */
    const th_page *page;        /* at hand, or NULL */
    const th__flow *flow;       /* of the page at hand, if neighbourly; or NULL */
    th__key_map near_texts;     /* texts around values, by hash: number + 1 in: */
    TH__VEC(th_str) near;
    uint64_t inside;                   /* bytes of texts in values of the page at hand */
    double explained, explained_least; /* sum over pages with records, and the least */
    uint64_t explained_pages;
    uint64_t searched;      /* pages that were, for missing fields: see tally.c */
    uint64_t left_searched; /* the same, for records that are left out */
    uint64_t short_records; /* of pages that give much less than pages did: see tally.c */
    /* Pages on which the link to the next page was looked for; where the wrapper's rule found it,
     * and where it did not but there is one. */
    uint64_t next_pages, next_found, next_elsewhere;
    bool failed;
} th__tally;

/* For records of a schema. False if out of memory. */
bool th__tally_init(th__tally *tally, const th_schema *schema);
/* Says what it is held against, which outlives it; and makes it a light one. Before the first page.
 */
void th__tally_hold(th__tally *tally, const th__profile *profile);
void th__tally_lighten(th__tally *tally, const th__profile *profile);
void th__tally_release(th__tally *tally);
/* The field of a path, lists or not, or NULL. */
const th__field_tally *th__tally_find(const th__tally *tally, th_str path);

/* Tells `see` each field that a value of a type has, lists and alternatives through, and with NULL
 * those that are missing. `at` is the number of the first; gives that of the one behind the last.
 */
typedef void (*th__see_value)(void *context, uint32_t at, const th_value *value);
uint32_t th__each_value(const th_type *type, const th_value *value, uint32_t at, th__see_value see,
                        void *context);

/* The page may be NULL. False if out of memory. */
bool th__tally_add(th__tally *tally, const th_page *page, const th_records *records);

/* How many records' values are outside of all records on pages that give much less than pages did,
 * by most of the fields that tell records apart: 0 when these are fewer than the records. */
uint64_t th__left_out(const th__tally *tally);

/* In how many of its places a field was there, and is there. The items of a list on a page that is
 * one record come and go together: where they are all there or none, a page is a place; where not,
 * a page still counts as one chance. */
typedef struct th__presence {
    uint64_t was, was_all, is, is_all;
    uint64_t chances; /* that do not hang together, at most is_all */
} th__presence;

/* verify.c */
th__presence th__presence_of(const th__profile *profile, const th__field_profile *old,
                             const th__tally *tally, const th__field_tally *now);
/* How often a field is there: Jeffreys' estimate; one page in twenty may lack anything. */
double th__usual_share(uint64_t values, uint64_t chances);
/* How likely it is that no more than so many of its places, `there` of is_all, have it. */
double th__missing_chance(const th__presence *presence, uint64_t there);

#endif
