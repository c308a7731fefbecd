/* softmealy_finder.h: what the parts of softmealy_free.c share: a finder of rules for any order at
 * work. */
#ifndef TH_SOFTMEALY_FINDER_H
#define TH_SOFTMEALY_FINDER_H

#include "engine/papers/softmealy/softmealy_census.h"

enum {
    OUTER = 24, /* tokens of context away from the value: enough for a label and its cell */
};

/* A row: what some separators have in common. */
struct row {
    th__sm_item left[OUTER], right[OUTER];
    uint32_t left_count, right_count;
    uint32_t l, r; /* chosen */
    bool chosen;
};

/* A place where a row fires. */
struct fire {
    uint32_t at;
    uint8_t left, right; /* how many items fit */
};

struct finder {
    th__sm_samples *samples;
    th__sm_census census;
    uint32_t **places; /* by page: its tokens, bucket by bucket, each in the order of the page */
    uint32_t **first;  /* by page: where the places of each bucket begin; one more: where all end */
    TH__VEC(struct fire) found;
    bool start; /* s<*,k>; else s<k,*> */
    bool last;  /* a last resort: stronger rules of other attributes keep it from its mistakes */
    uint32_t attribute;
    TH__VEC(struct row) rows;   /* that have a size */
    TH__VEC(uint64_t) hopeless; /* hashes of rows that have none */
    bool left_out;              /* a separator is in no row */
    TH__VEC(th__sm_edge) edges;
    /* By attribute: the right side of s<*,k> where one rule with such a side covers all of them */
    const th__sm_context *told[TH__SM_MAX_ATTRIBUTES];
    bool whole[TH__SM_MAX_ATTRIBUTES]; /* s<*,k> covers all labelled separators */
};

/* softmealy_choose.c */

/* Makes the tokens of all pages ready to be found. False without memory. */
bool th__sm_finder_index(struct finder *f);
/* Takes the size with the most agreement; of those, where a page is a record, one that tells the
 * place; of those the shortest. False without memory; none may be left. */
bool th__sm_row_choose(struct finder *f, struct row *row);
/* How strong a rule is where several fit: as softmealy_rules.c has it. 0: there is none. */
uint32_t th__sm_row_strength(const struct row *row, uint32_t l, uint32_t r);
uint32_t th__sm_group_strength(const th__sm_group *group);

#endif
