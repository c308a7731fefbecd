/*
 * gen_site.h: a site = a schema, a template for it, and the page around them.
 *
 * The template is EXALG's (section 2.2): strings attached to the schema's constructors. A family is
 * code that samples those strings; after that everything is data, so one encoder writes all
 * families and a layout change is an operation on strings.
 *
 *     tuple     C1 x1 C2 x2 ... Cn+1     each kid carries the strings around it (before, after)
 *     set       x1 S x2 S x3             `between` is S
 *     optional  x or nothing             `absent` is written instead
 *     choice    one of the kids          a branch has its own strings
 *     leaf      before in VALUE out tail after
 *
 * `in` and `out` are inline dressing (b, font, span), which can be exchanged without breaking the
 * structure; `before` and `after` are structure (td, li, labels).
 */
#ifndef GEN_SITE_H
#define GEN_SITE_H

#include "gen_options.h"
#include "gen_random.h"
#include "gen_schema.h"

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"

typedef struct gen_tpl gen_tpl;
struct gen_tpl {
    const gen_node *node;
    gen_tpl *parent;
    const char *before, *after, *in, *out;
    const char *absent; /* optional or set: written when there is nothing; leaf: when it is empty */
    const char *between; /* set: between two elements */
    const char *lead;    /* kid of a tuple: written before it even when it is absent or deleted */
    const char *head;    /* column heading, written once above the list */
    const char *tail;    /* between out and after, if the tuple's kid `tail_slot` is present */
    uint32_t tail_slot;
    uint32_t slot;  /* which kid of the schema tuple this is */
    uint32_t level; /* sets of tuples above: 0 in the record itself */
    uint32_t part;  /* of a record in several parts: which one holds this kid */
    uint32_t zone;  /* kids change places only within a zone */
    bool glue;      /* keeps its place before the next kid: they share an element */
    bool loose;     /* tuple: kids may change places from record to record */
    bool dropped;   /* deleted by a change: neither written nor in the truth */
    gen_tpl **kids; /* tuple: in page order */
    uint32_t count;
};

#define GEN_PARTS 3

typedef struct gen_layout {
    const char *open, *close;           /* around the list; may hold live marks */
    const char *head_open, *head_close; /* around the kids' headings, or NULL */
    const char *record_before[3], *record_after[3];
    uint32_t cycle;      /* how many of those take turns (zebra rows) */
    const char *between; /* two records */
    /* Records side by side: a group of `across` records is written part by part, a row each. */
    uint32_t across, parts;
    const char *row_open[GEN_PARTS], *row_close[GEN_PARTS];
    const char *cell_open[GEN_PARTS], *cell_close[GEN_PARTS], *cell_void[GEN_PARTS];
    const char *adverts[4];
    uint32_t advert_count;
} gen_layout;

/* A piece of the page around the list. Fixed pieces are expanded once, live ones on every page. */
typedef struct gen_piece {
    const char *text;
    uint32_t min, max; /* repetitions */
    bool live;
} gen_piece;

typedef TH__VEC(gen_piece) gen_pieces;

/* How a site names its classes. */
typedef enum gen_naming {
    GEN_NAME_PLAIN,   /* price */
    GEN_NAME_PREFIX,  /* shop-price */
    GEN_NAME_BEM,     /* card__price */
    GEN_NAME_CAMEL,   /* itemPrice */
    GEN_NAME_HASHED,  /* css-1k2x9a */
    GEN_NAME_SHORT,   /* prc */
    GEN_NAME_UTILITY, /* text-sm font-bold mt-2 */
    GEN_NAME_NUMBER   /* c7 */
} gen_naming;

typedef struct gen_site gen_site;

enum { GEN_MAKES_LIST = 1, GEN_MAKES_DETAIL = 2, GEN_MAKES_FACULTY = 4 };

typedef struct gen_family {
    const char *name;
    const char *about;
    unsigned makes;
    /* Samples the site's template, layout and surroundings from site->rng. */
    void (*build)(gen_site *site);
    /* The inline dressing of a leaf; also lent to other families' sites by the change "restyle". */
    void (*dress)(gen_site *site, gen_tpl *leaf);
} gen_family;

extern const gen_family gen_family_table, gen_family_dl, gen_family_br, gen_family_utility,
    gen_family_cards, gen_family_microdata, gen_family_rows, gen_family_columns, gen_family_search,
    gen_family_blog, gen_family_detail, gen_family_faculty;
extern const gen_family *const gen_families[];
extern const uint32_t gen_family_count;

/* Faculty pages: which attributes a tuple shows, in which order, how often each. */
typedef struct gen_pattern {
    uint8_t slots[16], copies[16];
    uint8_t count;
} gen_pattern;

struct gen_site {
    const gen_options *options;
    const gen_family *family;
    th__arena arena;
    char name[48];
    uint64_t layout_seed, value_seed;
    gen_rng rng; /* the layout's stream */
    gen_page_kind kind;
    gen_schema *schema;
    gen_tpl *root;
    gen_layout layout;
    gen_pieces top, bottom;
    gen_naming naming;
    const char *prefix; /* of class names */
    gen_entity_style entities;
    uint32_t pages;
    gen_range records;
    gen_pattern *patterns, *last_patterns; /* of the last page, when it differs */
    uint32_t pattern_count, last_pattern_count;
    gen_range last_records;
    bool ramp;                /* each page has one record more than the page before */
    const gen_family *lender; /* of a restyle */
    uint32_t edits;           /* strings that a change has altered */
    bool upper;               /* tags and attribute names in capitals */
    bool omit;                /* end tags of cells, rows and list items left out */
};

/* ---- what families build with: mechanics only, no markup of its own ---- */

/* The template tree of the schema, all strings empty. Families then fill it in. */
gen_tpl *gen_tpl_new(gen_site *site, const gen_node *node);
/* Calls visit for every node below root, parents first. */
void gen_tpl_each(gen_site *site, gen_tpl *tpl, void (*visit)(gen_site *site, gen_tpl *tpl));
/* The tuple's kid of that role (looked for inside optionals), or NULL; and its leaf. */
gen_tpl *gen_tpl_role(const gen_tpl *tuple, gen_role role);
gen_tpl *gen_tpl_leaf(gen_tpl *kid);
bool gen_tpl_is_attr(const gen_tpl *leaf);
/* The link (may be NULL) and the key as one element: open <a LINK mid KEY a_close close. Without a
 * link: open KEY close. */
void gen_tpl_anchor(gen_site *site, gen_tpl *tuple, const char *open, const char *a_open,
                    const char *a_mid, const char *a_close, const char *close);
/* The kids that may change places, by index into tuple->kids: the largest zone's. */
uint32_t gen_tpl_movable(const gen_tpl *const *kids, uint32_t count, uint32_t *indices,
                         uint32_t cap);
/* Moves a kid of the tuple to a place among its kids; glued neighbours are the caller's care. */
void gen_tpl_move(gen_tpl *tuple, gen_tpl *kid, uint32_t place);

/* printf into the site's memory. */
#define GEN_S(site, ...) gen_str(&(site)->arena, __VA_ARGS__)
/* pattern with every '@' replaced by text; absent text counts as empty. */
const char *gen_fill(gen_site *site, const char *pattern, const char *text);
/* The site's class name for a meaning, by its naming. */
const char *gen_class(gen_site *site, const char *meaning);
/* Chance and choice from the layout's stream. */
#define GEN_MAYBE(site, p)   gen_chance(&(site)->rng, (p))
#define GEN_ONE(site, ...)   GEN_PICK(&(site)->rng, __VA_ARGS__)
#define GEN_MANY(site, a, b) gen_between(&(site)->rng, (a), (b))
/* True when the site has this piece of furniture; scaled by --chrome. */
bool gen_wants(gen_site *site, double p);

/*
 * Text with marks, see gen_text.c: $T title, $P person, $C category, $M price, $D date, $N number,
 * $S sentence, $W word, $U slug, $V verb, $Q the page's subject, $I page number, $R records on it,
 * $X hex number, $Y year, $L city, $[meaning] class, $$ a dollar.
 * A fixed piece is the same on all pages; a live one is drawn anew.
 */
void gen_add(gen_site *site, gen_pieces *to, bool live, uint32_t min, uint32_t max,
             const char *text);
#define GEN_FIXED(site, where, text) gen_add((site), &(site)->where, false, 1, 1, (text))
#define GEN_LIVE(site, where, text)  gen_add((site), &(site)->where, true, 1, 1, (text))
#define GEN_REPEAT(site, where, live, min, max, text)                                              \
    gen_add((site), &(site)->where, (live), (min), (max), (text))

typedef struct gen_live {
    uint32_t page, records;
    const char *subject;
} gen_live;

/* Expands the marks. */
void gen_expand(th__buf *to, gen_site *site, gen_rng *rng, const gen_live *live, const char *text);

/* Surroundings of three ages; `top` before and `bottom` after the list. */
void gen_chrome_nineties(gen_site *site);
void gen_chrome_noughties(gen_site *site);
void gen_chrome_modern(gen_site *site);

/* Makes site number `index`; twice the same for the same options. Caller releases. */
void gen_site_init(gen_site *site, const gen_options *options, uint32_t index);
/* Builds the template anew in another family; schema and values stay. */
void gen_site_rebuild(gen_site *site, const gen_family *family);
void gen_site_release(gen_site *site);

#endif
