/*
 * tally.h: describes the records of some pages: the raw material of profiles and verdicts.
 *
 * Every record is counted, and a sample of the values is examined: the first few of a field on a
 * page and then some of the others; if a field has too many, every other one is dropped and fewer
 * are taken from then on. A light tally, for verification, takes fewer the more fields there are,
 * so that checking costs a tenth of extracting. If there are very many, as in templates of whole
 * pages, it examines only the most informative fields; all are counted.
 */
#ifndef TH_TALLY_H
#define TH_TALLY_H

#include <math.h>

#include "base/key_map.h"
#include "base/stats.h"
#include "base/vec.h"
#include "data/record.h"
#include "wrapper/value_forms.h"
#include "wrapper/wrapper.h"

enum {
    TH__TALLY_AGREED = 91,  /* nine in ten: see th_value */
    TH__TALLY_FIRST = 24,   /* values of a field on a page that are always examined, */
    TH__TALLY_STEP = 8,     /* then every eighth, */
    TH__TALLY_PAGE = 48,    /* and so many at most */
    TH__TALLY_SAMPLE = 512, /* values of a field in total */
    TH__TALLY_LIGHT = 64,   /* light: the first values of all fields on a page, roughly, */
    TH__TALLY_LEAST = 4,    /* of a field at least, */
    TH__TALLY_MANY = 8,     /* and at most; */
    TH__TALLY_CLOSE = 24,   /* fields whose values it examines */
    TH__TALLY_FEW = 49      /* fewer earlier values are few: see verify.c */
};

typedef struct th__flow th__flow; /* neighbours.h */

typedef struct th__field_tally {
    th_str path;
    bool target;               /* of a link or image */
    bool list;                 /* inside one */
    bool close;                /* its values are examined, not only counted */
    bool compared, usual, few; /* in the profile: it had values; half of the records did; few are
                                * known */
    bool placed_known;         /* in the profile: its values had a place of their own */
    uint64_t chances, values, pages;
    uint64_t bytes;        /* of all values */
    uint64_t by_looks;     /* values that no rule found */
    uint64_t told, agreed; /* values whose engine reports how far its rules agree; and those on
                            * which nearly all agree */
    uint64_t headed; /* values that the title of their page contains; counted by a thorough tally */
    const th__field_profile *known; /* the profile to compare with, or NULL */
    union {
        TH__VEC(th__sample) sample; /* of a thorough tally */
        struct {
            th__glance *glances;               /* of a light one. Entries given away do not */
            uint32_t glance_count, glance_cap; /* change: new ones are added behind them */
        };
    };
    uint64_t seen, stride; /* every stride-th candidate is sampled */
    uint32_t on_page;      /* values on the current page */
    /* Searches, see tally.c: pages searched for this field, their records, and the strays found;
     * and records of pages that lacked it and were not searched. */
    uint32_t looks;
    uint64_t looked, strays, passed;
    uint64_t placed_of, placed; /* examined values of a field with a place of its own, and those
                                 * found there: see neighbours.h */
    uint32_t place_looks, place_stays; /* pages searched for that place, and pages that have it */
    uint64_t left; /* texts like its values outside of all records: see tally.c */
} th__field_tally;

typedef struct th__tally {
    th__arena arena; /* texts, paths */
    th__field_tally *fields;
    uint32_t count;
    uint64_t pages, empty_pages, records, least, most;
    bool light;
    bool unsearched;  /* missing values are not searched for: the tally is not for verification */
    bool placing;     /* check that values are where they were */
    bool neighbourly; /* the texts around sampled values are noted */
    bool named;       /* fields have names from a user: the wrapper was learnt from labels */
    const th__profile *profile; /* to compare with; or NULL */
    uint32_t first;             /* values of a field on a page that are always examined */
    th_str title;               /* of the current page; empty if it does not matter */
    const th_page *page;        /* the current one, or NULL */
    const th__flow *flow;       /* of the current page, if neighbourly; or NULL */
    th__key_map near_texts;     /* texts around values, by hash: index + 1 in: */
    TH__VEC(th_str) near;
    uint64_t inside;                   /* bytes of texts in values of the current page */
    double explained, explained_least; /* sum over pages with records, and the least */
    uint64_t explained_pages;
    uint64_t searched;      /* pages searched for missing fields: see tally.c */
    uint64_t left_searched; /* pages searched for records that are left out */
    uint64_t short_records; /* of pages with much less than earlier pages: see tally.c */
    /* Pages searched for the link to the next page; pages where the wrapper's rule found it, and
     * where only another link was found. */
    uint64_t next_pages, next_found, next_elsewhere;
    bool failed;
} th__tally;

/* For records of a schema. False if out of memory. */
bool th__tally_init(th__tally *tally, const th_schema *schema);
/* Sets the profile to compare with, which must outlive the tally, and makes the tally light. Call
 * before the first page. */
void th__tally_hold(th__tally *tally, const th__profile *profile);
void th__tally_lighten(th__tally *tally, const th__profile *profile);
void th__tally_release(th__tally *tally);
/* The field with this path, list or not, or NULL; `at` is its most likely index. */
const th__field_tally *th__tally_find(const th__tally *tally, uint32_t at, th_str path);

/* The page may be NULL. False if out of memory. */
bool th__tally_add(th__tally *tally, const th_page *page, const th_records *records);

/* Estimates how many records are outside of all extracted ones, on pages with much less than
 * earlier pages, by most of the fields that identify records; 0 if fewer than the records. */
uint64_t th__left_out(const th__tally *tally);

/* How many examples of a field are on the pages (there[i]), and how many of these are in a column
 * whose values were all sampled. */
typedef struct th__shown {
    uint32_t on_pages, given;
} th__shown;

th__shown th__examples_shown(const th__field_profile *field, const uint8_t *there,
                             const th__field_tally *column);
/* Returns true if so many examples are on the pages that the column should contain some, and it
 * does not. */
static inline bool th__is_elsewhere(th__shown shown)
{
    enum { ENOUGH = 4 };
    return shown.on_pages >= ENOUGH && 4 * shown.given < shown.on_pages;
}

/* In how many of its places a field was present, and is now. The items of a list on a page that is
 * one record come and go together: if all are present or none, a page is one place; if not, a page
 * still counts as one chance. */
typedef struct th__presence {
    uint64_t was, was_all, is, is_all;
    uint64_t chances; /* independent ones, at most is_all */
} th__presence;

static inline th__presence th__presence_of(const th__profile *profile, const th__field_profile *old,
                                           const th__tally *tally, const th__field_tally *now)
{
    bool single = profile->records <= profile->pages && old->pages <= profile->pages;
    bool whole = now->pages <= tally->pages && now->values <= now->chances &&
                 now->chances - now->values <= tally->pages - now->pages;
    uint64_t was = old->values < old->chances ? old->values : old->chances;
    th__presence each = {was, old->chances, now->values, now->chances, now->chances};
    if (!single || !now->list)
        return each;
    if (whole)
        return (th__presence){old->pages, profile->pages, now->pages, tally->pages, tally->pages};
    each.chances = tally->pages < each.chances ? tally->pages : each.chances;
    return each;
}

/* How often a field is present: Jeffreys' estimate; one page in twenty may lack anything. */
static inline double th__usual_share(uint64_t values, uint64_t chances)
{
    return fmin(0.95, ((double)values + 0.5) / ((double)chances + 1));
}

/* The probability that at most `there` of is_all places have the field. */
static inline double th__missing_chance(const th__presence *in, uint64_t there)
{
    double usual = th__usual_share(in->was, in->was_all);
    if (in->chances < in->is_all)
        there = (uint64_t)((double)there / (double)in->is_all * (double)in->chances);
    return there ? th__binomial_lower(there, in->chances, usual)
                 : pow(1 - usual, (double)in->chances);
}

#endif
