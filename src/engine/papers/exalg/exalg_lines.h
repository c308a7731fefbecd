/*
 * exalg_lines.h: values that stand in lines of text, with little or no markup of their own.
 *
 *     <b>Year:</b> 1984<br>
 *     1:04 | 2.6 out of 5 | Acme Corp.<br>
 *     - Stonebridge | $20<br>
 *     - Weber | $35
 *
 * A part is what stands between two line ends or gaps (see exalg_pieces.h). Lines that begin with a
 * bullet are rows of a set. Which part is which is not told by counting, since any of them may be
 * missing: the template is a sequence of slots, each with the traits of the values that it had on
 * the pages learnt from, and the parts of a page are aligned with it so that they fit best. A slot
 * without a part stays empty, and the values behind it do not shift.
 *
 * The fit of a part and a slot is the log of how much likelier its traits are in that slot than
 * anywhere in the lines; labels must be the same. Aligning costs parts times slots, both of which
 * have limits; it is linear in a page.
 */
#ifndef TH_EXALG_LINES_H
#define TH_EXALG_LINES_H

#include "engine/papers/exalg/exalg_outline.h"

#define TH__EXALG_NO_SLOT UINT32_MAX

enum { TH__EXALG_MAX_PARTS = 256, TH__EXALG_MAX_SLOTS = 160, TH__EXALG_MAX_TRAITS = 24 };

typedef enum th__exalg_trait_kind {
    TH__EXALG_TRAIT_LINE,   /* "line" or "gap": what is before it */
    TH__EXALG_TRAIT_MARKUP, /* the tag around all of it */
    TH__EXALG_TRAIT_AFTER,  /* the last element before it that is no part of the lines */
    TH__EXALG_TRAIT_SHAPE,  /* classes of its words and numbers, and its signs: "0 a" */
    TH__EXALG_TRAIT_FIRST,  /* its first word */
    TH__EXALG_TRAIT_LAST,   /* its last word */
    TH__EXALG_TRAIT_SIZE,   /* how many words, how many digits */
    TH__EXALG_TRAIT_WHOLE,  /* all of it */
    TH__EXALG_TRAITS
} th__exalg_trait_kind;

extern const char *const th__exalg_trait_names[TH__EXALG_TRAITS + 1];

typedef struct th__exalg_trait {
    uint64_t hash;
    th_str text;
    uint32_t count;
} th__exalg_trait;

/* What is known of a slot. */
typedef struct th__exalg_slot {
    uint64_t label;          /* the hash of its label, or 0 */
    bool set;                /* rows */
    uint32_t present, total; /* runs of lines that have it, of how many */
    struct {
        th__exalg_trait *items;
        uint32_t count, types; /* items; different ones, those that are not kept too */
        uint32_t sum;          /* values */
    } traits[TH__EXALG_TRAITS];
} th__exalg_slot;

/* How common traits are, whatever the slot. */
typedef struct th__exalg_background {
    th__key_map counts; /* by th__exalg_trait_key */
    uint32_t totals[TH__EXALG_TRAITS];
} th__exalg_background;

static inline uint64_t th__exalg_trait_key(unsigned kind, uint64_t hash)
{
    return th__hash_mix(hash, kind + 1);
}

typedef struct th__exalg_part {
    th_span span;  /* of the value, without its label; nothing in it: empty */
    uint32_t unit; /* the first text in it, label included; or UINT32_MAX */
    uint32_t last; /* the last text */
    uint32_t row;  /* its line */
    bool line;     /* begins a line, else behind a gap */
    bool bullet;   /* of a line that begins with a bullet */
    bool joined;   /* of several lines */
    bool set;      /* stands for rows: parts `from` to `to` of what was read */
    uint32_t from, to;
    /* What may be a label, and the hash of one that is: */
    th_span maybe; /* source of its text */
    uint64_t maybe_hash, label;
    uint16_t maybe_tag;   /* of the element around it; 0 for a text up to a colon */
    uint32_t behind;      /* where the value behind it begins */
    bool followed;        /* something stands behind it */
    uint32_t elements[4]; /* start and end of the first two elements in it, or 0 */
    uint16_t tags[2];
    uint16_t markup;
    uint64_t after; /* the step of the element before it */
    uint32_t after_node;
    uint64_t hashes[TH__EXALG_TRAITS]; /* 0: an empty value has none */
    th_str *texts;                     /* of the traits, when they are kept */
} th__exalg_part;

/* How lines are read. */
typedef struct th__exalg_lines {
    th_str gap;         /* the sign between parts; empty for none */
    th_str tail;        /* what stands behind a gap and is part of the value: "5" of "4.1 / 5" */
    bool rows;          /* every line is a row of a set */
    bool items;         /* no lines: each element of the role is a part */
    th__key_map inside; /* steps of elements that are no part of the lines */
    th__key_map labels; /* hashes of labels */
} th__exalg_lines;

/* Whether an element may be part of a line: phrasing. */
bool th__exalg_is_phrasing(uint16_t tag);

/* The parts of an element's lines, in its order, TH__EXALG_MAX_PARTS at most. Labels are not told
 * yet. False without memory. */
bool th__exalg_lines_read(const th__exalg_lines *lines, const th__exalg_outline *o, uint32_t node,
                          th__arena *arena, th__exalg_part **out, uint32_t *count);
/* Tells labels by lines->labels, joins sentences that go on, reads traits; with `keep` their texts
 * too. */
bool th__exalg_lines_tell(const th__exalg_lines *lines, const th__exalg_outline *o,
                          th__exalg_part *parts, uint32_t *count, th__arena *arena, bool keep);
/* Rows as one part for all of them. *out has room for all parts. */
uint32_t th__exalg_lines_fold(const th__exalg_lines *lines, const th__exalg_part *parts,
                              uint32_t count, th__exalg_part *out);

/* An element whose text is a part of its own. */
bool th__exalg_item_part(const th__exalg_outline *o, uint32_t node, th__arena *arena, bool keep,
                         th__exalg_part *out);

/* The gaps in a text: how often a sign stands in it as one. */
uint32_t th__exalg_count_gaps(th_str text, th_str gap);

/* ---- exalg_slots.c ---- */

typedef enum th__exalg_way {
    TH__EXALG_STRICTLY, /* only what fits well, to find slots */
    TH__EXALG_IN_ORDER,
    TH__EXALG_FREELY /* what has no slot then may take a free one, whatever the order */
} th__exalg_way;

/* For every part the number of its slot, or TH__EXALG_NO_SLOT; *score: how well all fits. False
 * without memory. */
bool th__exalg_align(const th__exalg_background *background, th__exalg_slot *const *slots,
                     uint32_t slot_count, const th__exalg_part *parts, uint32_t count,
                     th__exalg_way how, th__arena *scratch, uint32_t *out, double *score);

#endif
