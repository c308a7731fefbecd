/*
 * template_page.h: a page as the template engine reads it: elements with the names that tell them
 * apart, texts, and the parts of texts.
 *
 * A text is what is between two tags, if it has a letter or a digit. The names of an element are
 * its first class and its id (or itemprop, property, name), digits folded ("item-3" is "item-#").
 * Only names that several pages share distinguish elements: an id made of an article's number
 * does not.
 *
 * Values may be parts of texts, with little or no markup of their own:
 *
 *     <b>Year:</b> 1984<br>                    a label and its value
 *     1:04 | 2.6 out of 5 | Acme Corp.<br>     parts between gaps: signs with blanks around them
 *     - Stonebridge | $20<br>                  lines that begin with a bullet are rows of a set
 *     - Weber | $35
 *
 * Where all texts of a role have the same parts, each part is a piece of its text. In lines any
 * part may be missing, so counting does not tell which is which: the template is a sequence of
 * slots, each with the traits of the values that it had on the pages learnt from, and the parts of
 * a page are aligned with the slots so that they fit best. A slot without a part stays empty, and
 * the values behind it do not shift. The fit of a part and a slot is the log of how much likelier
 * its traits are in that slot than anywhere in the lines; labels must be the same. To align costs
 * parts times slots, both of which have limits; it is linear in a page.
 */
#ifndef TH_TEMPLATE_PAGE_H
#define TH_TEMPLATE_PAGE_H

#include "base/arena.h"
#include "base/key_map.h"
#include "base/str.h"
#include "base/vec.h"
#include "index/tag_memo.h"
#include "page/page.h"
#include "page/signs.h"

/* ---- elements and texts ---------------------------------------------------------------------- */

typedef struct th__template_unit {
    uint64_t hash; /* of its text, without blanks around it */
    uint32_t token;
    uint32_t node;  /* the element around it */
    uint32_t block; /* the innermost element around it that is not phrasing */
} th__template_unit;

typedef struct th__template_outline {
    const th_page *page;
    uint64_t *cls, *id;       /* by node: the hash of a name, or 0; see th__template_node_step */
    th__tag_memo *memo;       /* of elements whose names have been read */
    const th__key_map *known; /* names that identify elements; NULL: all do */
    th__template_unit *units;
    uint32_t unit_count;
    uint64_t *sums;       /* by unit, and one more: hashes of the texts before it, added up */
    uint32_t *first_unit; /* by node: the first text at or after its start tag */
    uint32_t *end_unit;   /* by node: the first text after it */
} th__template_outline;

#define TH__NAME_UNREAD UINT64_MAX

/* Allocates everything in the arena. With `known`, the names of an element are read when its step
 * is needed, otherwise all at once. False if out of memory. */
bool th__template_outline_make(th__arena *arena, const th_page *page, const th__key_map *known,
                               th__template_outline *out);
/* Reads the names of an element. */
void th__template_read_names(const th__template_outline *o, uint32_t node);

/* The next character of a name, each run of digits as one '#'; 0 at its end. */
static inline unsigned char th__template_name_sign(th_str name, size_t *at)
{
    if (*at >= name.len)
        return 0;
    unsigned char c = (unsigned char)name.ptr[(*at)++];
    if (!th__is_digit(c))
        return c;
    while (*at < name.len && th__is_digit((unsigned char)name.ptr[*at]))
        ++*at;
    return '#';
}

static inline uint64_t th__template_name_hash(th_str name)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    size_t at = 0;
    for (unsigned char c; (c = th__template_name_sign(name, &at));)
        hash = (hash ^ c) * UINT64_C(0x100000001B3);
    return name.len ? hash | 1 : 0;
}

/* The first class or else the id of an element. */
bool th__template_name_get(const th_page *page, uint32_t node, bool id, th_str *name);
/* The hash of a text in source form. Sets *readable if it has a letter or digit. */
uint64_t th__template_text_hash(th_str text, bool *readable);

/* The label that a text begins with, including its colon, as in "Engine: 3.6 l"; or absent. */
th_str th__template_prefix(th_str text);

/* The element whose attributes count for another: itself or its first descendant of a tag; 0 for
 * none. */
uint32_t th__template_attribute_node(const th_page *page, uint32_t node, uint16_t tag);

/* Distinguishes children of one element without looking at their text; 0 is for texts. */
static inline uint64_t th__template_step(uint16_t tag, uint64_t cls, uint64_t id)
{
    return th__hash_mix(th__hash_mix(tag + 1, cls), id);
}

static inline uint64_t th__template_node_step(const th__template_outline *o, uint32_t node)
{
    if (o->cls[node] == TH__NAME_UNREAD)
        th__template_read_names(o, node);
    return th__template_step(o->page->tags[node], o->cls[node], o->id[node]);
}

/* The set of its children's steps, as a small filter. */
uint64_t th__template_shape(const th__template_outline *o, uint32_t node);

static inline th_str th__template_unit_text(const th__template_outline *o, uint32_t unit)
{
    return th__str_trim(th__token_text(o->page, o->units[unit].token));
}

/* Returns true if a text continues after an element: a line that ends with a comma does. */
bool th__template_goes_on(const th__template_outline *o, uint32_t unit, uint16_t tag);

static inline uint32_t th__template_units_in(const th__template_outline *o, uint32_t node)
{
    return o->end_unit[node] - o->first_unit[node];
}

/* The hash of texts `first` to `last`; for a single text, its own. */
static inline uint64_t th__template_texts_hash(const th__template_outline *o, uint32_t first,
                                               uint32_t last)
{
    return first == last ? o->units[first].hash : o->sums[last + 1] - o->sums[first];
}

/* The same for all texts of an element; 0 if it has none. */
static inline uint64_t th__template_whole(const th__template_outline *o, uint32_t node)
{
    uint32_t first = o->first_unit[node], end = o->end_unit[node];
    return first == end ? 0 : th__template_texts_hash(o, first, end - 1);
}

/* The text right before a text, with the block around it: identifies a row of label and value
 * wherever it is. 0 for none. */
static inline uint64_t th__template_anchor(const th__template_outline *o, uint32_t unit)
{
    if (!unit)
        return 0;
    return th__hash_mix(o->units[unit - 1].hash, th__template_node_step(o, o->units[unit].block)) |
           1;
}

/* The name of the element around a text, if it has a name and holds nothing else: it identifies a
 * value wherever it is. 0 for none. */
static inline uint64_t th__template_name_anchor(const th__template_outline *o, uint32_t unit)
{
    uint32_t node = o->units[unit].node;
    if (th__template_units_in(o, node) != 1 ||
        !(o->page->tokens[o->page->nodes[node].token].flags & TH_TOKEN_HAS_ATTRS))
        return 0;
    uint64_t step = th__template_node_step(o, node);
    return o->cls[node] || o->id[node] ? th__hash_mix(0, step) | 1 : 0;
}

/* Walks the children of an element, elements and texts, in the order of the page. */
typedef struct th__template_child {
    uint32_t node, unit; /* one of them is valid, the other is TH__NO_CHILD */
} th__template_child;

#define TH__NO_CHILD UINT32_MAX

typedef struct th__template_walk {
    const th__template_outline *o;
    uint32_t node, node_end, unit, unit_end;
} th__template_walk;

static inline th__template_walk th__template_children(const th__template_outline *o, uint32_t node)
{
    return (th__template_walk){o, node + 1, o->page->nodes[node].end, o->first_unit[node],
                               o->end_unit[node]};
}

bool th__template_next(th__template_walk *w, th__template_child *out);

/* Descends into the element returned last, as if its children were in its place. */
static inline void th__template_enter(th__template_walk *w, uint32_t node)
{
    w->node = node + 1;
    w->unit = w->o->first_unit[node];
}

/* ---- pieces of a text ------------------------------------------------------------------------ */

/* Returns true if a sign is a gap between fields: "|", "/", ... */
bool th__template_is_field_gap(const th__sign *sign);

/* Takes the next piece off a span; false if nothing is left. Tags are skipped. */
bool th__template_next_piece(const th_page *page, th_span *rest, th_str gap, th_span *piece);

/* Where the text after a label begins; the end of the span if the label is not there. */
uint32_t th__template_behind_label(const th_page *page, th_span span, th_str label);

/* ---- parts of lines -------------------------------------------------------------------------- */

enum { TH__MAX_PARTS = 256, TH__MAX_SLOTS = 160, TH__MAX_TRAITS = 24 };

typedef enum th__template_trait_kind {
    TH__TRAIT_LINE,   /* "line" or "gap": what precedes it */
    TH__TRAIT_MARKUP, /* the tag around all of it */
    TH__TRAIT_AFTER,  /* the last element before it that is not part of the lines */
    TH__TRAIT_SHAPE,  /* classes of its words and numbers, and its signs: "0 a" */
    TH__TRAIT_FIRST,  /* its first word */
    TH__TRAIT_LAST,   /* its last word */
    TH__TRAIT_SIZE,   /* how many words, how many digits */
    TH__TRAIT_WHOLE,  /* all of it */
    TH__TRAITS
} th__template_trait_kind;

extern const char *const th__template_trait_names[TH__TRAITS + 1];

typedef struct th__template_part {
    th_span span;  /* of the value, without its label; empty if there is none */
    uint32_t unit; /* the first text in it, label included; or UINT32_MAX */
    uint32_t last; /* the last text */
    uint32_t row;  /* its line */
    bool line;     /* begins a line, else behind a gap */
    bool bullet;   /* of a line that begins with a bullet */
    bool joined;   /* of several lines */
    bool set;      /* represents rows: parts `from` to `to` of those read */
    uint32_t from, to;
    /* A possible label, and its hash if it is one: */
    th_span maybe; /* source of its text */
    uint64_t maybe_hash, label;
    uint16_t maybe_tag;   /* of the element around it; 0 for a text up to a colon */
    uint32_t behind;      /* where the value behind it begins */
    bool followed;        /* something follows it */
    uint32_t elements[4]; /* start and end of the first two elements in it, or 0 */
    uint16_t tags[2];
    uint16_t markup;
    uint32_t after_node;         /* the element before it, or 0 */
    uint64_t hashes[TH__TRAITS]; /* 0: an empty value has none */
    th_str *texts;               /* of the traits, when they are kept */
} th__template_part;

static inline bool th__template_part_is_empty(const th__template_part *part)
{
    return !part->set && !part->label && part->span.start >= part->span.end;
}

/* How lines are read. */
typedef struct th__template_lines {
    th_str gap;         /* the sign between parts; empty for none */
    th_str tail;        /* text after a gap that belongs to the value: "5" of "4.1 / 5" */
    bool rows;          /* every line is a row of a set */
    bool items;         /* not lines: each element of the role is a part */
    th__key_map inside; /* steps of elements that are not part of the lines */
    th__key_map labels; /* hashes of labels */
} th__template_lines;

/* Reads the parts of an element's lines in order, TH__MAX_PARTS at most. Labels are not identified
 * yet. False if out of memory. */
bool th__template_lines_read(const th__template_lines *lines, const th__template_outline *o,
                             uint32_t node, th__arena *arena, th__template_part **out,
                             uint32_t *count);
/* Identifies labels by lines->labels, joins continued sentences, reads traits; with `keep`, their
 * texts too. */
bool th__template_lines_tell(const th__template_lines *lines, const th__template_outline *o,
                             th__template_part *parts, uint32_t *count, th__arena *arena,
                             bool keep);
/* Replaces all rows by one part. *out has room for all parts. */
uint32_t th__template_lines_fold(const th__template_lines *lines, const th__template_part *parts,
                                 uint32_t count, th__template_part *out);
/* Returns where the row ends that begins at a part. */
uint32_t th__template_row_end(const th__template_part *parts, uint32_t from, uint32_t to);

/* Reads an element whose text is one part. */
bool th__template_item_part(const th__template_outline *o, uint32_t node, th__arena *arena,
                            bool keep, th__template_part *out);

/* Returns true if a text contains the sign as a gap. */
bool th__template_has_gap(th_str text, th_str gap);

/* ---- slots ----------------------------------------------------------------------------------- */

#define TH__NO_SLOT UINT32_MAX

typedef struct th__template_trait {
    uint64_t hash;
    th_str text;
    uint32_t count;
} th__template_trait;

/* What is known of a slot. */
typedef struct th__template_slot {
    uint64_t label;          /* the hash of its label, or 0 */
    bool set;                /* rows */
    uint32_t present, total; /* runs of lines that have it, and all runs */
    struct {
        th__template_trait *items;
        uint32_t count, types; /* kept items; all different ones */
        uint32_t sum;          /* values */
    } traits[TH__TRAITS];
} th__template_slot;

/* The slots of some lines, in order. */
typedef struct th__template_slots {
    th__template_slot **list;
    uint32_t count;
    double score; /* fit of the lines they were learnt from, minus the cost of the slots */
    /* How common traits are in any slot: by th__template_trait_key, and in total for each kind. */
    th__key_map common;
    uint32_t totals[TH__TRAITS];
} th__template_slots;

static inline uint64_t th__template_trait_key(unsigned kind, uint64_t hash)
{
    return th__hash_mix(hash, kind + 1);
}

typedef enum th__template_way {
    TH__ALIGN_STRICTLY, /* only parts that fit well, to find slots */
    TH__ALIGN_IN_ORDER,
    TH__ALIGN_FREELY /* then a part without a slot may take a free one, in any order */
} th__template_way;

/* Finds the slot of every part, or TH__NO_SLOT; *score is the fit of the whole. `scratch` and
 * `score` may be NULL. False if out of memory. */
bool th__template_align(const th__template_slots *slots, const th__template_part *parts,
                        uint32_t count, th__template_way how, th__arena *scratch, uint32_t *out,
                        double *score);

#endif
