/*
 * view.h: a page as the engines for lists look at it: leaves, signatures of elements, keys of
 * leaves.
 *
 * A signature is what elements of one kind share: the tag and the first class name, digits aside
 * ("item-3" is "item-#"). The key of a leaf inside a record is the chain of signatures between the
 * two: leaves with the same key in different records are the same field. Keys are hashes that need
 * no walk:
 *
 *     sum(n) = sum(parent) + signature(n) * B^depth(n)            (modulo 2^64, B odd)
 *     key(leaf in record) = (sum(leaf's node) - sum(record)) * B^-depth(record)
 *
 * Cells of a table row differ by little but their place. So in a key, not in a signature, the
 * second cell of a signature in its row is another one than the first.
 */
#ifndef TH_VIEW_H
#define TH_VIEW_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "page/page.h"
#include "page/text.h"

/*
 * Leaves are the pieces of text that may be values.
 *
 * A leaf is what a reader takes for one value: a run of text inside one element that nothing but
 * phrasing (a, span, b, ...) interrupts. Where phrasing is among text of its parent, it is part
 * of the parent's text; where it is by itself it is a leaf of its own:
 *
 *     <p>by <a>Mary</a> and <a>Percy</a></p>          one leaf, of p
 *     <p><a>Mary</a> <a>Percy</a></p>                 two, of a and a
 *     <li><b>The</b> <i>old</i> man <br> in stock     two, of li: bold and italic are never leaves
 *     <li><span>12 High St.<br>Bath</span>            one, of span: text and breaks alone
 *
 * Hidden content (script, style, noscript, svg, ...) and pieces without a letter or digit give
 * none.
 */
typedef struct th__leaf {
    uint64_t hash;             /* of its bytes but blanks: equal texts have equal hashes */
    uint32_t node;             /* the element whose text it is */
    uint32_t token, token_end; /* from its first text token to one past its last */
    uint32_t len : 31;         /* bytes, blanks not counted */
    uint32_t linked : 1;       /* begins inside an a element */
} th__leaf;

typedef struct th__leaves {
    th__leaf *data;
    uint32_t count;
    uint32_t *before; /* by token, and one more: how many leaves begin before it */
} th__leaves;

/* Elements of a page, rising, none of them inside another; 0 is the whole page. */
typedef struct th__tops {
    const uint32_t *nodes;
    size_t count;
} th__tops;

/* The leaves of a part of the page alone, for those who look for texts there: what is outside does
 * not count, at its borders leaves may be cut, `before` is not made, and leaves are plain. */
bool th__leaves_within(th__arena *arena, const th_page *page, th_span part, th__leaves *out);

/* The element that a reader sees as a line or a box: the node, or the nearest above it that is not
 * phrasing. */
uint32_t th__leaf_block(const th_page *page, uint32_t node);

/* The hash of a text as leaves have it, whatever its blanks; 0 if it has no letter or digit. */
static inline uint64_t th__leaf_hash(th_str text)
{
    uint64_t hash = 0;
    uint32_t len = 0;
    return th__text_measure(text, &hash, &len) ? (hash ? hash : 1) : 0;
}

/* A leaf with its hash and length, which plain leaves of a single text do not have yet. */
th__leaf th__leaf_measured(const th_page *page, const th__leaf *leaf);

/* The bytes of a leaf, tags inside it included. */
static inline th_span th__leaf_span(const th_page *page, const th__leaf *leaf)
{
    return (th_span){page->tokens[leaf->token].start, page->tokens[leaf->token_end].start};
}

/* ---- the view -------------------------------------------------------------------------------- */

typedef struct th__tables th__tables;

typedef struct th__view {
    const th_page *page;
    th__leaves leaves;
    float *weight;       /* by leaf: log2(1 + len), how much a leaf of that length says; or NULL */
    uint32_t *signature; /* by node */
    uint64_t *sum;       /* by node */
    uint64_t *inverse;   /* by depth: B^-depth */
    th__tables *tables;  /* tables of data; NULL: none */
} th__view;

/* Where a record is: neighbouring elements under one parent, most often a single one. */
typedef struct th__extent {
    uint32_t first, last;      /* nodes */
    uint32_t token, token_end; /* from the first's start tag to the last's end */
    uint32_t run : 1;          /* 1: records of this list have several elements, else 0 */
    uint32_t part : 31;        /* of records whose parts are apart: which it is, from 0; else 0 */
} th__extent;

/* The base of keys: odd, so that it has an inverse modulo 2^64. */
#define TH__KEY_BASE UINT64_C(0x9E3779B97F4A7C15)

/* The view of a copy is made once and kept with it; that of another page, or of a huge one, is in
 * the arena. False if out of memory. */
bool th__view_make(th__arena *arena, const th_page *page, th__view *out);
/* The same for running rules, which look at some elements and what is in them alone. Leaves,
 * signatures and tables elsewhere need not be there, but for the signatures of elements around
 * those. Leaves have no weights and may not be measured, see th__leaf_measured. */
bool th__view_make_within(th__arena *arena, const th_page *page, th__tops nodes, th__view *out);

/* How many views were made so far, by all threads. */
uint64_t th__view_work(void);

static inline uint32_t th__view_depth(const th__view *view, uint32_t node)
{
    return view->page->paths[view->page->nodes[node].path].depth;
}

/* How many leaves begin in an element. */
static inline uint32_t th__leaves_in(const th__view *view, uint32_t node)
{
    const th_node *n = &view->page->nodes[node];
    return view->leaves.before[n->token_end] - view->leaves.before[n->token];
}

/* The key of any node seen from `root`, also of one above in whose text root flows: that is kept
 * apart from root's own text, as scoring wants it. */
static inline uint64_t th__view_key_apart(const th__view *view, uint32_t root, uint32_t node)
{
    return (view->sum[node] - view->sum[root]) * view->inverse[th__view_depth(view, root)];
}

/* The key of what is at `node` inside the element `root`. Text of an element above, in which
 * root flows, counts as root's. */
static inline uint64_t th__view_key(const th__view *view, uint32_t root, uint32_t node)
{
    return node < root ? 0 : th__view_key_apart(view, root, node);
}

/* ---- tables of data -------------------------------------------------------------------------- */

/*
 * The data tables of a page, as a browser shows them.
 *
 *     <tr><th rowspan=2>River <th colspan=2>Length         River   Length
 *     <tr>                    <th>km  <th>mi                        km     mi      header rows
 *     <tr><td>Rhine <td>1,233 <td>766 <td rowspan=2>DE     Rhine   1,233  766  DE
 *     <tr><td>Elbe  <td>1,094 <td>680                      Elbe    1,094  680  DE  spans from above
 *
 * A data table is a grid: four in five of its rows have the same number of columns, two or more.
 * Tables that hold other tables, and those in which more than a third of the rows have cells across
 * several columns, are layout (a record may be three rows of them), and none of this applies.
 *
 * In a row of a data table the column says what a cell is, not its class or tag and not the number
 * of cells before it. Each column has one key, seen from the row: that of most of its cells.
 */
typedef struct th__table_cell {
    uint32_t node;
    uint32_t table;
    uint32_t column, end; /* the columns that it covers, from 0; one past the last */
} th__table_cell;

typedef struct th__table_row {
    uint32_t node, table;
    uint32_t first, end; /* its cells from left to right, those that span from above among them */
    bool header;         /* names the columns */
    bool section;        /* a single cell across all columns: a heading of what follows */
} th__table_row;

typedef struct th__table_column {
    uint64_t key;  /* of its cells, seen from their row */
    uint32_t like; /* a cell with this key; 0: the number of the column identifies it */
} th__table_column;

typedef struct th__table {
    uint32_t first, end;      /* rows */
    uint32_t columns, column; /* how many, and its first */
    bool header;              /* it has header rows */
} th__table;

struct th__tables {
    th__table *tables;
    th__table_row *rows;
    th__table_cell *cells;
    th__table_column *columns;
    uint32_t *number; /* by node: 1 + the row of a tr, 1 + the cell of what is in one; else 0 */
};

/* The row that an element is, or NULL. */
const th__table_row *th__table_row_of(const th__view *view, uint32_t node);
/* The cell that holds an element, or is it; or NULL. */
const th__table_cell *th__table_cell_of(const th__view *view, uint32_t node);
/* The key of a cell's column, seen from the row. */
uint64_t th__table_cell_key(const th__view *view, const th__table_cell *cell);
/* Appends the step by which the column of a cell is known. False if out of memory. */
bool th__table_step_write(const th__view *view, const th__table_cell *cell, th__buf *out);

/* ---- paths as people read them -----------------------------------------------------------------
 *
 * A step names an element by its signature: "div.hit", "tr", "li.item-#". The tag is in lower case,
 * with a backslash before a dot or backslash of its own; a cell of a table row has its number
 * behind it when it is not the first of its signature: "td[2]". A path is steps from an element
 * down to another: "div.hit > h3 > a". What is hashed on a page can be hashed from steps too, so
 * that a rule written down for one page meets the elements of the next. */

/* The hash behind a signature, from tag and class attribute: digits of its first name aside. */
uint64_t th__element_hash(uint16_t tag, th_str classes);

/* Returns true if a signature is that of elements of a tag without a class. */
static inline bool th__is_bare(uint16_t tag, uint32_t signature)
{
    return signature == (uint32_t)th__hash_mix(tag, 0);
}

/* Appends the name of a tag as steps have it: a backslash is before signs that mean something
 * in a step. False if out of memory. */
bool th__tag_write(const th_page *page, uint32_t token, th__buf *out);
/* Appends the step of an element. False if out of memory. */
bool th__step_write(const th_page *page, uint32_t node, th__buf *out);
/* The same without the number of a cell. */
bool th__class_step_write(const th_page *page, uint32_t node, th__buf *out);
/* The hash behind an element's signature; and from its step, with its tag. */
uint64_t th__node_hash(const th_page *page, uint32_t node);
uint64_t th__step_hash(th_str step, uint16_t *tag);
static inline uint32_t th__step_signature(uint64_t hash)
{
    return (uint32_t)hash;
}

/* Appends the path from below `top` (0: from the root) down to `node`, which is in it; nothing
 * when they are the same, or when top flows in the text of node: see th__view_key. False if out of
 * memory. */
bool th__path_write(const th_page *page, uint32_t top, uint32_t node, th__buf *out);
/* The same without numbers of cells; by `tags` alone as if no element had a class either. */
bool th__plain_path_write(const th_page *page, uint32_t top, uint32_t node, bool tags,
                          th__buf *out);
/* Walks the steps of a path. False at its end, or, with *bad set, where it is not one. */
bool th__path_next(th_str *rest, th_str *step, bool *bad);
/* What th__view_key gives for elements with that path between them, and the hash of its tags as in
 * th_path. False if it is not a path. */
bool th__path_keys(th_str path, uint64_t *key, uint64_t *tags);

/* ---- addresses: where elements are, for all rules that go by the tree -------------------------
 *
 * An address is a path from an origin down to an element, in one of three alphabets:
 *
 *     <div id=facts><p class=row><b>          #facts > p.row > b      from an id, by classes
 *                                             div > p > b             from the root, by tags
 *                                             div:1 > p:1 > b:1       from the root, by positions
 *
 * The origin is the root, the nearest element with an id, a property or a mark, or some steps up. A
 * mark is what an element calls itself: its itemprop, or its id with each run of digits as one
 * sign. The key of an address is a hash that needs no walk (see th__view_key), and comes out the
 * same from a page and from a path that a person can read. */

typedef enum th__alphabet {
    TH__STEPS_CLASSES,
    TH__STEPS_TAGS,
    TH__STEPS_POSITIONS, /* tags and positions among siblings of one tag, from 1 */
    TH__STEPS_CELLS,     /* classes, and the positions of cells and of phrasing elements */
    TH__ALPHABETS
} th__alphabet;

typedef struct th__addresses {
    const th_page *page;
    th__arena *arena;
    uint64_t *sum[TH__ALPHABETS]; /* by node: of steps; with positions: made when asked for */
    uint64_t *hashes;             /* by node: of its tag and class */
    uint64_t *power, *inverse;    /* by depth */
    uint64_t *mark;               /* by node: the hash of its own mark, or 0 */
    uint32_t *marked;     /* by node: the nearest element, itself or above, that has a mark; or 0 */
    uint64_t *id;         /* by node: the hash of the first name of its id, or 0 */
    uint32_t *identified; /* by node: the nearest element, itself or above, with an id; or 0 */
    uint64_t *property;   /* by node: the hash of its itemprop or property, or 0 */
    uint32_t *propertied; /* by node: the nearest element, itself or above, with one; or 0 */
    uint32_t *ordinals;   /* by node: its position */
    uint8_t *holds;       /* by node: th__content; made when asked for */
} th__addresses;

/* What is in an element. One with a class, an id or a mark is something of its own:
 *
 *     <h2>The <b>Storm</b></h2>          h2: emphasis; it is one text
 *     <p>by <a>Mary</a></p>              p: phrasing
 *     <p>by <a class=by>Mary</a></p>     p: phrasing with a name
 *     <td>9 <p>a day</p></td>            td: more
 */
typedef enum th__content {
    TH__HOLDS_EMPHASIS, /* text and what only says how it looks, or nothing */
    TH__HOLDS_PHRASING,
    TH__HOLDS_NAMED, /* phrasing with a class, an id or a mark */
    TH__HOLDS_MORE
} th__content;

/* What is in each element, by node. NULL if out of memory. */
const uint8_t *th__contents_of(th__addresses *a);

/* Its own mark, the nearest element, itself or above, that has one, and that has a property; or 0.
 */
static inline uint64_t th__mark_of(const th__addresses *a, uint32_t node)
{
    return a->mark ? a->mark[node] : 0;
}

static inline uint32_t th__mark_above(const th__addresses *a, uint32_t node)
{
    return a->marked ? a->marked[node] : 0;
}

static inline uint32_t th__property_above(const th__addresses *a, uint32_t node)
{
    return a->propertied ? a->propertied[node] : 0;
}

/* Returns true if an element has a class, an id or a mark. */
static inline bool th__address_is_named(const th__addresses *a, uint32_t node)
{
    const uint64_t *classes = a->sum[TH__STEPS_CLASSES], *tags = a->sum[TH__STEPS_TAGS];
    uint32_t parent = a->page->nodes[node].parent;
    return a->id[node] || th__mark_of(a, node) ||
           classes[node] - classes[parent] != tags[node] - tags[parent];
}

/* Looks at the elements of a page. In the arena. False if out of memory. */
bool th__addresses_make(th__arena *arena, const th_page *page, th__addresses *out);

/* The key of the path from an element down to one in it. Positions must have been asked for. */
static inline uint64_t th__address_key(const th__addresses *a, th__alphabet steps, uint32_t top,
                                       uint32_t node)
{
    const uint64_t *sum = a->sum[steps];
    return (sum[node] - sum[top]) * a->inverse[a->page->paths[a->page->nodes[top].path].depth];
}

/* What a key is multiplied by in the sums of the elements at a path below an element. */
static inline uint64_t th__address_unit(const th__addresses *a, uint32_t top)
{
    return a->power[a->page->paths[a->page->nodes[top].path].depth];
}

/* The hash of a mark, "id=price" or "itemprop=name", and the mark of a node as text. False if out
 * of memory. */
uint64_t th__mark_hash(th_str name, th_str value);
bool th__mark_write(const th_page *page, uint32_t node, th__buf *out);

/* ---- kinds of addresses ---------------------------------------------------------------------- */

typedef enum th__address {
    TH__BY_CLASSES,      /* tags and classes from the root */
    TH__BY_ID,           /* tags and classes from the next element with an id */
    TH__BY_END,          /* tags and classes of the last three elements */
    TH__BY_PROPERTY,     /* the same from the next element with an itemprop or a property */
    TH__BY_CELLS,        /* tags and classes from the root, and positions of cells and phrasing */
    TH__BY_ELEMENT,      /* its own tag and class */
    TH__BY_TAGS,         /* tags from the root */
    TH__BY_ID_POSITIONS, /* tags and positions among equal tags, from the next id */
    TH__BY_POSITIONS,    /* the same from the root */
    TH__ANYWHERE,        /* for what a text near by alone finds */
    TH__ADDRESSES
} th__address;

/* The key of an element's address. False if out of memory. */
bool th__address_of(th__addresses *a, th__address address, uint32_t node, uint64_t *key);
/* The address as people read it, once its key was asked for. False if out of memory. */
bool th__address_write(const th__addresses *a, th__address address, uint32_t node, th__buf *out);
/* The key of an address as written. False if it is not one. */
bool th__address_read(th__address address, th_str path, uint64_t *key);

/* Sets of keys, for comparing what elements hold. */
typedef TH__VEC(uint64_t) th__key_vec;

/* Puts keys in order. */
void th__keys_sort(uint64_t *keys, size_t count);
/* Makes a set of it: in order, none twice. */
void th__key_vec_sort(th__key_vec *keys);
/* Where a key is in a set, or SIZE_MAX. */
size_t th__key_vec_find(const th__key_vec *keys, uint64_t key);
/* How many keys two sets have in common. */
size_t th__key_vec_common(const th__key_vec *a, const th__key_vec *b);

static inline th__extent th__extent_of(const th_page *page, uint32_t first, uint32_t last)
{
    return (th__extent){first, last, page->nodes[first].token, page->nodes[last].token_end, 0, 0};
}

#endif
