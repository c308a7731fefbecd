/*
 * repair_compare.h: what the old wrapper and a repaired one give, held against each other: counts
 * of what is lost, gained and cut otherwise, over all pages. repair_guard.c judges by them.
 */
#ifndef TH_REPAIR_COMPARE_H
#define TH_REPAIR_COMPARE_H

#include "repair/repair_signs.h"

enum {
    TH__MAKE_UP = 2 /* what is lost is made up for by so many that are gained */
};

typedef TH__VEC(uint64_t) th__hash_list;

typedef struct th__comparison {
    th_repair *repair;
    th__side old, now;
    th__signs old_signs, now_signs;
    th__buf text;     /* of the new records */
    uint64_t *lost;   /* values, by field of the profile */
    uint64_t *added;  /* the same: values that the old wrapper does not give */
    uint64_t *given;  /* the same: values that the old wrapper gives */
    uint64_t *gained; /* the same: values like those of the field that it does not give */
    uint64_t *again;  /* the same: values that the new one gives and that are like the field */
    uint64_t *missed; /* the same: of broken fields of labels, values that are gone */
    th__hash_list lost_texts, gained_texts; /* of all pages */
    TH__VEC(th_span) places;                /* of old values on the page at hand */
    uint64_t parted, torn;
    uint64_t strange; /* texts in columns that nobody knew that the old wrapper does not give */
    size_t searched;
} th__comparison;

/* `tally` is of the new wrapper. Caller releases, also after a failure. False without memory. */
bool th__compare_init(th__comparison *comparison, th_repair *repair, const th_wrapper *now,
                      const th__tally *tally);
void th__compare_release(th__comparison *comparison);
th_status th__compare_page(th__comparison *comparison, const th__repair_page *page, th_error *err);
/* What the guard says of it all: repair_guard.c. */
bool th__compare_is_worse(th__comparison *comparison);

/* Whether the wrapper was learnt from labels: fields are what somebody has named, and nothing that
 * is gained makes up for what one of them loses. */
static inline bool th__compare_has_labels(const th__comparison *c)
{
    return c->repair->wrapper->engine->needs_labels;
}
/* How many texts of a list there are. Those that are on many pages count once: these are labels. */
uint64_t th__count_distinct(th__hash_list *all);

#endif
