/*
 * stalker_inducer.h: what the parts of stalker_induce.h share: a learner of one disjunct at work.
 *
 * Everything here looks at examples in the direction of the rule: of a backward rule, position 0 is
 * the end of the range.
 */
#ifndef TH_STALKER_INDUCER_H
#define TH_STALKER_INDUCER_H

#include "base/vec.h"
#include "engine/papers/stalker/stalker_induce.h"

enum {
    ENDS = 8,     /* tokens at which an item may begin that are tried as ends of landmarks */
    LONGEST = 6,  /* tokens of a landmark that is learnt */
    DEEPEST = 4,  /* landmarks of a disjunct that is learnt */
    SLOTS = 4096, /* of the table of symbols: at least four a symbol */
    SYMBOLS = SLOTS / 4,
    NO_SYMBOL = 0,
    TOKEN_SYMBOLS = TH__WILDCARDS + 2 /* that a token can be */
};

/* A token that a landmark may be made of. Wildcards come first. */
struct symbol {
    th__mark mark;
    bool outside; /* stands in the seed outside of the item */
};

struct places {
    const uint32_t *at;
    uint32_t count;
};

/* A landmark, its marks in the direction of the rule. */
struct candidate_mark {
    uint16_t ids[LONGEST];
    uint8_t count;
    bool until;
    const struct places *places; /* by example: where it begins */
};

struct candidate {
    struct candidate_mark marks[DEEPEST];
    uint8_t count;
    bool refined;
    uint8_t wildcards, last_len;
    bool inner; /* goes by what the item itself begins with */
    uint32_t correct, early, failed, wrong;
    uint32_t skipped; /* tokens of the seed between the landmarks */
    double worth;     /* what the judge says */
    uint32_t order;   /* of making: the last word between equals */
};

struct inducer {
    const th__stalker_task *task;
    th__arena *arena;  /* of the result */
    th__arena scratch; /* of a disjunct */
    bool *covered;     /* by example */
    uint32_t seed;
    struct symbol *symbols;
    uint32_t symbol_count;
    uint32_t *table;        /* from hash to symbol, SLOTS of them */
    struct places **places; /* by symbol, by example */
    TH__VEC(struct candidate) candidates;
    uint32_t wilds[TH_CLASS_COUNT]
                  [TH__WILDCARDS]; /* by class of a token: the wildcards that it is */
    uint32_t wild_counts[TH_CLASS_COUNT];
    uint32_t made; /* candidates so far */
    bool failed;   /* no memory */
};

/* ---- examples in the direction of the rule --------------------------------------------------- */

static inline uint32_t length_of(const th__stalker_example *e)
{
    return e->last - e->first;
}

static inline const th__stalker_token *token_of(const struct inducer *in,
                                                const th__stalker_example *e, uint32_t at)
{
    return &e->seq->tokens[in->task->backward ? e->last - 1 - at : e->first + at];
}

static inline uint32_t low_of(const struct inducer *in, const th__stalker_example *e)
{
    return in->task->backward ? e->last - e->high : e->low - e->first;
}

static inline uint32_t high_of(const struct inducer *in, const th__stalker_example *e)
{
    return in->task->backward ? e->last - e->low : e->high - e->first;
}

/* Whether a token is one of the item. */
static inline bool is_content(const struct inducer *in, const th__stalker_example *e, uint32_t at)
{
    uint32_t token = in->task->backward ? e->last - 1 - at : e->first + at;
    return token >= e->item_first && token < e->item_last;
}

/* Whether an item reaches to the end of its range: what no disjunct may match. */
static inline bool is_at_end(const struct inducer *in, const th__stalker_example *e)
{
    return in->task->to_end && !e->none && high_of(in, e) >= length_of(e);
}

/* Whether a disjunct must not match. */
static inline bool must_fail(const struct inducer *in, const th__stalker_example *e)
{
    return e->none || is_at_end(in, e);
}

/* stalker_symbols.c: the tokens around the seed's item that landmarks may be made of, nearest last,
 * and where each of them stands in the examples that are not covered. False without memory. `open`:
 * how many examples there are; words of the item itself tell nothing when it is one. */
void th__inducer_find_wilds(struct inducer *in);
void th__inducer_gather(struct inducer *in, uint32_t open);
bool th__inducer_index(struct inducer *in);
/* The symbols that a token is: wildcards, its text or name, its class. Gives how many. */
uint32_t th__inducer_symbols_of(const struct inducer *in, const th__stalker_token *token,
                                uint32_t ids[TOKEN_SYMBOLS]);

#endif
