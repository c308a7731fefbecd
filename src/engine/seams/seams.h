/*
 * seams.h: the seams engine: a record as values and what is between them.
 *
 * No published system, but the view of somebody who reads the source of a labelled page: a template
 * writes a piece of its own, a value, the next piece. Each slot (a field of the schema) is led in
 * by the same few pieces on all pages, whatever is before it:
 *
 *     <br><b>Tel:</b> 555-1212 &middot; $20<br>- Acme<br>Events<blockquote>Fair &middot; 2024
 *     └────seam─────┘ └value─┘ └seam──┘     └seam┘     └──────seam───────┘
 *      of tel                   of price     of offers.shop   of offers.events.event
 *
 * So a page is read as a whole: of all ways to cut the record's region into seams and values that
 * the schema allows, the likeliest is taken. What speaks for a value is its seam, which slot came
 * before, and what the slot's other values look like; what speaks against it is all that it would
 * leave unexplained. Fields that are missing, that change places, or that are empty between their
 * seams need no rule of their own.
 *
 * Words
 *   slot      a text field of the schema, wherever it is nested
 *   seam      the tokens before a value, up to the value before it; end tags that close what came
 *             before are not counted, since they belong to that
 *   kind      what a seam begins: see th__seam_kind
 *   sample    the region of a labelled record, with its values. The wrapper keeps samples; all
 *             else is counted anew when it is read
 *   region    the element that holds all values of a record, by its path
 *   aside     text between values that nobody asked for and that varies from place to place, with
 *             the tokens before it: a reading may pass it
 *
 * The files, in the order of the work
 *
 *     seams_model.c  a region as words, signs and tags
 *     seams.c         slots, the region, samples from labels, records from readings; the table
 *     seams_model.c   what is counted over samples: seams, values, moves, asides
 *     seams_parse.c   what a value costs, and the likeliest reading
 *     seams.c    samples in wrapper files
 *
 * Cost: learning is linear in the samples. Running is linear in the tokens of the region, times the
 * readings that are kept at each token (KEPT), times the length of the values.
 */
#ifndef TH_SEAMS_H
#define TH_SEAMS_H

#include "base/key_map.h"
#include "wrapper/engine.h"

enum {
    TH__SEAMS_MAX_SLOTS = 64,       /* what fits the bits of a number */
    TH__SEAMS_MAX_DEPTH = 8,        /* lists in lists */
    TH__SEAMS_MAX_STEPS = 24,       /* from the record to a field */
    TH__SEAMS_MAX_SAMPLES = 64,     /* the first ones count: the wrapper keeps them */
    TH__SEAMS_MAX_BYTES = 1 << 17,  /* of one sample */
    TH__SEAMS_MAX_TOKENS = 1 << 20, /* of a region: what is longer is not read */
    TH__SEAMS_MAX_SEAM = 48,        /* tokens of one; a longer one is known by its last */
    TH__SEAM_TAIL = 3,              /* tokens by which the end of a record is known */
    TH__SEAM_LOGS = 16              /* counts whose costs are kept; those of others are made anew */
};

extern const th__engine th__seams_engine;

/* ---- slots ----------------------------------------------------------------------------------- */

/* What a seam begins. */
typedef enum th__seam_kind {
    TH__SEAM_TOP,   /* a field of the record itself */
    TH__SEAM_IN,    /* one more field of the item at hand */
    TH__SEAM_NEXT,  /* the next item of the list at hand */
    TH__SEAM_FIRST, /* the first item of a list */
    TH__SEAM_SKIP,  /* an item that begins with a field of an inner list */
    TH__SEAM_KINDS
} th__seam_kind;

#define TH__SEAMS_ITEM (-1)
#define TH__SEAMS_NONE UINT32_MAX

/* What a slot's tokens, ends and elements cost, by how often samples have them. */
typedef enum th__seam_cost {
    TH__COST_WORD,
    TH__COST_SIGN,
    TH__COST_SHAPE,
    TH__COST_EDGE, /* the shape of a first or last token */
    TH__COST_PATH,
    TH__COSTS
} th__seam_cost;

typedef struct th__seam_logs {
    double costs[TH__COSTS][TH__SEAM_LOGS];
    double new_form;
} th__seam_logs;

typedef struct th__seam_slot {
    th_str name;                        /* "events.branches.street" */
    int32_t steps[TH__SEAMS_MAX_STEPS]; /* from the record: members, TH__SEAMS_ITEM for an item */
    uint32_t step_count;
    uint32_t lists[TH__SEAMS_MAX_DEPTH]; /* around it, the outermost first */
    uint32_t depth;                      /* how many */
    bool item;                           /* it is the item of its list */
    th_str attribute;                    /* values are those of an attribute of a tag; or absent */
    uint32_t tag;                        /* the key of that tag */
    bool literal;                        /* "n/a" and the like are values: one is labelled */
    /* Of its values in the samples: */
    uint32_t values, tokens; /* how many, and of how many tokens together */
    uint32_t longest;        /* tokens */
    uint32_t wholes, shapes; /* different ones */
    uint32_t seams[TH__SEAM_KINDS];
    const th__seam_logs *logs;
    const float
        *ends[TH__SEAM_KINDS]; /* what is closed before its seams: costs by how often seen */
} th__seam_slot;

typedef struct th__seam_slots {
    th__seam_slot *data;
    uint32_t count, lists;
    uint8_t *common; /* by slot and slot: th__seam_common; the last row is 0 */
    uint64_t in_list[TH__SEAMS_MAX_SLOTS]; /* by list: the slots in it, a bit each */
    uint64_t later[TH__SEAMS_MAX_SLOTS];   /* by slot: those that samples have behind it in the same
                                              item */
} th__seam_slots;

/* How many lists two slots have in common; `from` may be TH__SEAMS_NONE. */
static inline uint32_t th__seam_common(const th__seam_slots *slots, uint32_t from, uint32_t to)
{
    return slots->common[(size_t)(from < slots->count ? from : slots->count) * slots->count + to];
}

/* The kind of the seam between two values of which `open` lists go on with the same item. */
static inline th__seam_kind th__seam_kind_of(const th__seam_slots *slots, uint32_t from,
                                             uint32_t to, uint32_t open)
{
    uint32_t depth = slots->data[to].depth;
    if (!depth)
        return TH__SEAM_TOP;
    if (open >= depth)
        return TH__SEAM_IN;
    if (open + 1 < depth)
        return TH__SEAM_SKIP;
    return th__seam_common(slots, from, to) == depth ? TH__SEAM_NEXT : TH__SEAM_FIRST;
}

/* The slots that the items at hand have, of which were `used` before this one. */
static inline uint64_t th__seam_use(const th__seam_slots *slots, uint64_t used, uint32_t slot,
                                    uint32_t open)
{
    if (open < slots->data[slot].depth)
        used &= ~slots->in_list[slots->data[slot].lists[open]];
    return used | UINT64_C(1) << slot;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

typedef enum th__seam_what {
    TH__SEAM_WORD,
    TH__SEAM_SIGN,
    TH__SEAM_GAP,    /* several no-break spaces */
    TH__SEAM_BREAK,  /* br */
    TH__SEAM_PHRASE, /* a start tag of markup inside a line */
    TH__SEAM_BLOCK,  /* any other start tag */
    TH__SEAM_END     /* an end tag */
} th__seam_what;

typedef struct th__seam_token {
    uint32_t start, end; /* bytes of the page */
    uint32_t key;        /* what it is */
    uint32_t shape;      /* what it is like: of a word its class, a number's with its length */
    uint32_t path; /* the elements around it from the region on, markup inside a line left out */
    uint16_t tag;
    uint8_t what; /* th__seam_what */
} th__seam_token;

typedef struct th__seam_tokens {
    th__seam_token *data;
    uint32_t count;
} th__seam_tokens;

static inline bool th__seam_is_text(const th__seam_token *token)
{
    return token->what <= TH__SEAM_SIGN;
}

/* One past the text that goes on at a token. */
static inline uint32_t th__seam_text_end(const th__seam_tokens *tokens, uint32_t at)
{
    while (at < tokens->count && th__seam_is_text(&tokens->data[at]))
        at++;
    return at;
}

/* Behind the end tags at a token, `to` at most. */
static inline uint32_t th__seam_skip_ends(const th__seam_tokens *tokens, uint32_t at, uint32_t to)
{
    while (at < to && tokens->data[at].what == TH__SEAM_END)
        at++;
    return at;
}

/* Where text goes on behind the ends of markup inside a line; or `at` when it does not. */
uint32_t th__seam_text_on(const th__seam_tokens *tokens, uint32_t at);

/* The tokens of an element, 0 for all of the page. In the arena. False if out of memory. */
bool th__seam_tokens_make(th__arena *arena, const th_page *page, uint32_t node,
                          th__seam_tokens *out);

/* ---- the model ------------------------------------------------------------------------------- */

typedef struct th__seam_place {
    uint32_t slot;
    uint32_t open;       /* how many of the lists around it go on with the same item */
    uint32_t start, end; /* bytes of the sample */
} th__seam_place;

typedef struct th__seam_sample {
    th_str html;
    th__seam_place *places; /* in order */
    uint32_t count;
} th__seam_sample;

/* How often a seam leads to a slot. */
typedef struct th__seam_lead {
    uint32_t slot, next; /* the next slot of the same seam, or TH__SEAMS_NONE */
    uint32_t counts[TH__SEAM_KINDS];
    float costs[TH__SEAM_KINDS];
} th__seam_lead;

/* What of a slot is counted under a key. */
typedef enum th__seam_count {
    TH__COUNT_WHOLE, /* values, whole */
    TH__COUNT_FORM,  /* shapes of whole values */
    TH__COUNT_SHAPE, /* shapes of their tokens */
    TH__COUNT_WORD,  /* their tokens */
    TH__COUNT_FIRST, /* shapes of their first tokens */
    TH__COUNT_LAST,  /* and of their last */
    TH__COUNT_PATH,  /* the elements that hold them */
    TH__COUNT_ENDS,  /* what is closed before their seams: end tags of blocks */
    TH__COUNT_TAIL   /* of no slot: what is behind the last value, its first tokens (0) and all
                        (1) */
} th__seam_count;

typedef struct th__seam_rules {
    th__seam_slots slots;
    th_str region;          /* the path to it; empty: all of the page */
    uint64_t *region_steps; /* their hashes, the last first */
    uint32_t region_depth;
    th__seam_sample *samples;
    uint32_t sample_count;
    /* Counted: */
    th__key_map counts; /* see th__seam_count_key */
    th__key_map seams;  /* the hash of a seam: 1 + its first lead */
    th__seam_lead *leads;
    uint32_t lead_count;
    bool lengths[TH__SEAMS_MAX_SEAM + 1]; /* which lengths seams have */
    th__key_map first;  /* the key of the first token of a seam or an aside: the longest that begins
                           with it */
    th__key_map asides; /* the hash of what is before their text */
    bool any_asides;
    uint32_t *moves; /* how often slot follows slot by kind; the row of the beginning is the last,
                        and so is the column of the end */
    uint32_t *moves_from;
    float *move_costs; /* of the same */
    bool breaks;       /* some seam has a br */
    bool head;         /* text is before the first value of some sample */
} th__seam_rules;

/* Counts all over the samples. */
th_status th__seam_model_make(th__seam_rules *rules, th__arena *arena, th_error *err);

static inline uint64_t th__seam_count_key(th__seam_count what, uint32_t slot, uint64_t key)
{
    return th__hash_mix((uint64_t)what << 32 | slot, key);
}
/* What is behind a position: the hash of its first tokens, and of all. End tags do not count.
 */
typedef struct th__seam_tail {
    uint64_t first, whole;
} th__seam_tail;
/* By position; in the arena. NULL if out of memory. */
th__seam_tail *th__seam_tails_make(const th__seam_tokens *tokens, th__arena *arena);
/* Goes over an end tag before a seam: one of a block goes into the hash. Markup inside a line may
 * end with any value. */
uint64_t th__seam_end_tag(uint64_t hash, const th__seam_token *token);
/* The key of what is closed before a seam of a kind. */
static inline uint64_t th__seam_ends_key(uint64_t hash, th__seam_kind kind)
{
    return th__hash_mix(hash, kind);
}
static inline uint32_t th__seam_counted(const th__seam_rules *rules, th__seam_count what,
                                        uint32_t slot, uint64_t key)
{
    return th__key_map_get(&rules->counts, th__seam_count_key(what, slot, key));
}
/* Returns true if the tokens from..text, of which `hash` is the hash, are before the text of an
 * aside. */
static inline bool th__seam_is_aside(const th__seam_rules *rules, const th__seam_tokens *tokens,
                                     uint32_t from, uint32_t text, uint64_t hash)
{
    return rules->any_asides && text > from && text < tokens->count &&
           th__seam_is_text(&tokens->data[text]) && !th__seam_is_text(&tokens->data[text - 1]) &&
           th__key_map_get(&rules->asides, hash);
}
/* The number of a move in `moves`. */
static inline size_t th__seam_move(const th__seam_rules *rules, uint32_t from, uint32_t to,
                                   th__seam_kind kind)
{
    uint32_t n = rules->slots.count;
    size_t row = from < n ? from : n, column = to < n ? to : n;
    return (row * (n + 1) + column) * TH__SEAM_KINDS + kind;
}

/* ---- the region -------------------------------------------------------------------------------
 */

/* ---- costs: natural logarithms of how unlikely something is -----------------------------------
 */

#define TH__SEAM_NEVER 1e9f

/* ---- running --------------------------------------------------------------------------------- */

/* A value of a reading: no tokens when it is empty. */
typedef struct th__seam_step {
    uint32_t slot, open;
    uint32_t start, end; /* tokens */
    uint32_t before;     /* the step before it, or TH__SEAMS_NONE */
} th__seam_step;

typedef struct th__seam_reading {
    th__seam_step *steps;   /* in order */
    uint32_t count, values; /* values: those that are not empty */
    double cost;
} th__seam_reading;

/* Makes the costs that leads and slots keep, once all is counted. False if out of memory. */
bool th__seam_weigh(th__seam_rules *rules, th__arena *arena);
/* The likeliest reading of a region; in the arena. False if out of memory. */
bool th__seam_parse(const th__seam_rules *rules, const th__seam_tokens *tokens, th__arena *arena,
                    th__seam_reading *out);

#endif
