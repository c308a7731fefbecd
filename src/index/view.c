/* view.c: what engines ask of a page: its leaves, signatures and keys, its tables of data, paths
 * and addresses. */
#include "index/view.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/key_map.h"
#include "base/mem.h"
#include "index/tag_memo.h"
#include "page/attrs.h"
#include "page/signs.h"
#include "page/tags.h"

/* ==== leaves: one pass over tokens and nodes, and one over texts ==== */

/* What the passes find out about a node. */
enum {
    HAS_TEXT = 1,    /* text that is not blank is directly in it */
    HAS_BLOCK = 2,   /* something that is not phrasing is in it */
    LINKED = 4,      /* it is a link, or inside one */
    HAS_ELEMENT = 8, /* an element other than a line break is in it */
    HAS_BREAK = 16   /* a line break is in it */
};

/* What is between a text and the one before it. */
enum {
    BLOCK_BEFORE = 1, /* a tag that is not phrasing */
    BREAK_BEFORE = 2  /* a line break */
};

struct leaf_finder {
    const th_page *page;
    uint8_t *marks; /* by node */
    th__leaf *leaves;
    uint32_t count;
    uint32_t token, token_end; /* what is looked at: tokens, */
    uint32_t first, last;      /* and the nodes that begin there, first <= n < last */
    bool plain;                /* leaves of a single text are not measured */
    uint32_t node;             /* the innermost element open at the current token */
    uint32_t next;             /* the next node in preorder */
    bool readable;             /* the last leaf has a letter or digit */
};

uint32_t th__leaf_block(const th_page *page, uint32_t node)
{
    while (node && th__tag_is_phrasing(page->tags[node]))
        node = page->nodes[node].parent;
    return node;
}

/* Goes to the first token that is looked at. */
static void begin(struct leaf_finder *f)
{
    const th_page *page = f->page;
    f->next = f->first;
    f->node = f->first - 1;
    while (f->node && page->nodes[f->node].token_end <= f->token)
        f->node = page->nodes[f->node].parent;
    for (uint32_t n = f->node; n && !(f->marks[f->node] & LINKED); n = page->nodes[n].parent)
        f->marks[f->node] |= page->tags[n] == TH_TAG_A ? LINKED : 0;
}

/* Says of the elements around a node what is in them. A break is soft in phrasing without elements;
 * what flows with something in it that does not is itself such a thing to those around it. */
static inline void mark_around(struct leaf_finder *f, uint32_t node, uint16_t tag)
{
    const th_page *page = f->page;
    uint32_t parent = page->nodes[node].parent;
    uint8_t add = tag == TH_TAG_BR           ? HAS_BREAK
                  : th__tag_is_phrasing(tag) ? HAS_ELEMENT
                                             : HAS_ELEMENT | HAS_BLOCK;
    for (;;) {
        uint8_t before = f->marks[parent], after = before | add;
        if ((after & HAS_BREAK) && (after & HAS_ELEMENT))
            after |= HAS_BLOCK;
        f->marks[parent] = after;
        if (!(after & ~before & HAS_BLOCK) || parent < f->first ||
            !th__tag_is_phrasing(page->tags[parent]))
            return;
        parent = page->nodes[parent].parent;
        add = HAS_ELEMENT | HAS_BLOCK;
    }
}

/* Goes over the nodes that begin before a token. */
static inline void pass_nodes(struct leaf_finder *f, uint32_t token)
{
    const th_page *page = f->page;
    uint32_t n = f->next;
    for (; n < f->last && page->nodes[n].token < token; n++) {
        uint16_t tag = page->tags[n];
        f->marks[n] |= tag == TH_TAG_A ? LINKED : f->marks[page->nodes[n].parent] & LINKED;
        mark_around(f, n, tag);
    }
    if (n > f->next)
        f->node = n - 1;
    f->next = n;
}

/* Steps out of the elements that end before a token, and into the one that begins at it. */
static inline void follow(struct leaf_finder *f, uint32_t token)
{
    const th_node *nodes = f->page->nodes;
    pass_nodes(f, token + 1);
    while (f->node && nodes[f->node].token_end <= token)
        f->node = nodes[f->node].parent;
}

/* One past the last token that a start tag hides, or 0. */
static uint32_t hidden_by(struct leaf_finder *f, uint32_t token)
{
    if (!(f->page->tokens[token].flags & TH_TOKEN_FOREIGN))
        return th__hidden_end(f->page, token);
    follow(f, token);
    return f->page->nodes[f->node].token_end;
}

/* Marks the nodes. Notes the texts that are shown as leaves: the innermost element, and as
 * `token_end` what is before; returns how many there are. */
static uint32_t note_texts(struct leaf_finder *f)
{
    uint32_t count = f->count, before = BLOCK_BEFORE, hidden = 0;
    begin(f);
    for (uint32_t token = f->token; token < f->token_end; token++) {
        const th_token *t = &f->page->tokens[token];
        if (th__is_tag(t)) {
            uint32_t flags = th__tag_flags(t->tag);
            if ((flags & TH_TAG_IS_BLOCK) && t->tag != TH_TAG_IMG)
                before |= t->tag == TH_TAG_BR ? BREAK_BEFORE : BLOCK_BEFORE;
            if (t->kind == TH_TOKEN_START && token >= hidden &&
                ((t->flags & TH_TOKEN_FOREIGN) || th__tag_hides(t->tag)))
                hidden = hidden_by(f, token);
        } else if (th__is_body_text(t)) {
            follow(f, token);
            f->marks[f->node] |= HAS_TEXT;
            if (token < hidden)
                continue;
            f->leaves[count++] = (th__leaf){.node = f->node, .token = token, .token_end = before};
            before = 0;
        }
    }
    pass_nodes(f, f->token_end);
    return count - f->count;
}

/* The element whose text the text in a node is. Phrasing among text, or of a kind that is never a
 * leaf, is part of its parent, and so is all phrasing in it. */
static uint32_t holder_of(const struct leaf_finder *f, uint32_t node)
{
    const th_page *page = f->page;
    uint32_t holder = node;
    for (uint32_t n = node, parent; n >= f->first; n = parent) {
        uint32_t flags = th__tag_flags(page->tags[n]);
        if (!th__tag_is_phrasing(page->tags[n]) || (f->marks[n] & HAS_BLOCK))
            break;
        parent = page->nodes[n].parent;
        if ((f->marks[parent] & HAS_TEXT) || (flags & TH_TAG_IS_INLINE))
            holder = parent;
    }
    return holder;
}

/* Returns true if all line breaks between two texts are in phrasing of nothing but text, such as an
 * address in a span: that is one value on several lines. */
static bool are_soft_breaks(const struct leaf_finder *f, uint32_t token, uint32_t end)
{
    const th_page *page = f->page;
    for (; token < end; token++) {
        if (page->tokens[token].tag != TH_TAG_BR)
            continue;
        uint32_t node = th__page_node_until(page, token), parent = page->nodes[node].parent;
        if (page->nodes[node].token != token || page->tags[node] != TH_TAG_BR ||
            !th__tag_is_phrasing(page->tags[parent]) || (f->marks[parent] & HAS_ELEMENT))
            return false;
    }
    return true;
}

/* Returns true if signs are a value: "-", "$$" or "***", not "|", ":", an arrow or a drawn line. */
static bool are_value(th_str text)
{
    uint32_t dashes = 0, others = 0;
    for (size_t at = 0; at < text.len;) {
        uint32_t code;
        at += th__char_next(text, at, &code);
        dashes += code == '-' || (code >= 0x2010 && code <= 0x2015);
        others += code == '$' || code == '*' || code == '+' || code == '?' ||
                  (code >= 0x20A0 && code < 0x20D0);
    }
    return others || dashes == 1 || dashes == 2;
}

/* Takes out the last leaf when it is nothing but signs, unless it is a value and alone in a cell
 * of a table. `token` is the next text. */
static void drop_signs(struct leaf_finder *f, uint32_t token)
{
    const th_page *page = f->page;
    if (!f->count || f->readable)
        return;
    const th__leaf *leaf = &f->leaves[f->count - 1];
    uint32_t cell = th__leaf_block(page, leaf->node);
    bool alone = th__tag_is_cell(page->tags[cell]) && page->nodes[cell].token_end <= token &&
                 (f->count < 2 || leaf[-1].token < page->nodes[cell].token);
    if (!alone || !are_value(th__page_slice(page, page->tokens[leaf->token].start,
                                            page->tokens[leaf->token_end].start)))
        f->count--;
}

th__leaf th__leaf_measured(const th_page *page, const th__leaf *leaf)
{
    th__leaf measured = *leaf;
    uint32_t len = 0;
    if (leaf->len || leaf->token_end > leaf->token + 1)
        return measured;
    th__text_measure(th__token_text(page, leaf->token), &measured.hash, &len);
    measured.len = len;
    return measured;
}

/* A text joins the last leaf where nothing but phrasing is between, or begins another. */
static void add_text(struct leaf_finder *f, const th__leaf *note)
{
    uint32_t token = note->token, node = holder_of(f, note->node);
    th__leaf *leaf = f->leaves + f->count - !!f->count;
    bool joins = !(note->token_end & BLOCK_BEFORE) && leaf->node == node &&
                 (!(note->token_end & BREAK_BEFORE) || are_soft_breaks(f, leaf->token_end, token));
    if (!joins) {
        drop_signs(f, token);
        leaf = &f->leaves[f->count++];
        *leaf =
            (th__leaf){.node = node, .token = token, .linked = !!(f->marks[note->node] & LINKED)};
        f->readable = false;
    }
    th_str text = th__token_text(f->page, token);
    if (f->plain && !joins) {
        f->readable = th__text_is_readable(text);
    } else {
        if (joins)
            *leaf = th__leaf_measured(f->page, leaf);
        uint32_t len = leaf->len;
        f->readable |= th__text_measure(text, &leaf->hash, &len);
        leaf->len = len;
    }
    leaf->token_end = token + 1;
}

/* How many texts a part of the page has at most. */
static uint32_t count_texts(const th_page *page, uint32_t token, uint32_t token_end)
{
    uint32_t texts = 0;
    for (; token < token_end; token++)
        texts += th__is_body_text(&page->tokens[token]);
    return texts;
}

static bool make_room(struct leaf_finder *f, th__arena *arena, size_t texts)
{
    f->marks = th__arena_zero(arena, f->page->node_count, sizeof *f->marks);
    f->leaves = th__arena_alloc(arena, (texts + 1) * sizeof *f->leaves);
    return f->marks && f->leaves;
}

/* Appends the leaves of what is looked at. */
static void find_leaves(struct leaf_finder *f)
{
    uint32_t from = f->count, texts = note_texts(f);
    for (uint32_t i = from; i < from + texts; i++) {
        th__leaf note = f->leaves[i]; /* which a leaf may take the place of */
        add_text(f, &note);
    }
    drop_signs(f, f->token_end);
    f->readable = true;
}

/* Looks at an element, or at the whole page. */
static void look_at(struct leaf_finder *f, uint32_t top)
{
    const th_page *page = f->page;
    f->token = top ? page->nodes[top].token : 0;
    f->token_end = top ? page->nodes[top].token_end : page->token_count;
    f->first = top ? top : 1;
    f->last = top ? page->nodes[top].end : page->node_count;
}

/* The leaves in some elements, which are not phrasing, as they are among those of the whole page.
 * All of it lives in the arena. `plain`: leaves need not be measured. False if out of memory. */
static bool find_all_leaves(th__arena *arena, const th_page *page, th__tops tops, bool plain,
                            th__leaves *out)
{
    struct leaf_finder f = {.page = page, .plain = plain};
    uint32_t *before = th__arena_alloc(arena, ((size_t)page->token_count + 1) * sizeof *before);
    size_t texts = 0;
    for (size_t i = 0; i < tops.count; i++) {
        look_at(&f, tops.nodes[i]);
        texts += count_texts(page, f.token, f.token_end);
    }
    if (!before || !make_room(&f, arena, texts))
        return false;
    for (size_t i = 0; i < tops.count; i++) {
        look_at(&f, tops.nodes[i]);
        find_leaves(&f);
    }
    for (uint32_t token = 0, leaf = 0; token <= page->token_count; leaf++) {
        uint32_t end = leaf < f.count ? f.leaves[leaf].token : page->token_count;
        while (token <= end)
            before[token++] = leaf;
    }
    *out = (th__leaves){f.leaves, f.count, before};
    return true;
}

bool th__leaves_within(th__arena *arena, const th_page *page, th_span part, th__leaves *out)
{
    struct leaf_finder f = {.page = page, .plain = true};
    if (part.start < page->text.len)
        f.token = th__token_at(page, part.start);
    f.token_end = part.end < page->text.len ? th__token_at(page, part.end) + 1 : page->token_count;
    f.first = th__page_node_from(page, f.token);
    f.last = th__page_node_from(page, f.token_end);
    if (!make_room(&f, arena, count_texts(page, f.token, f.token_end)))
        return false;
    find_leaves(&f);
    *out = (th__leaves){.data = f.leaves, .count = f.count};
    return true;
}

/* ==== signatures and keys ==== */

/* Newton's iteration: each step doubles the number of right bits. */
static uint64_t inverse_of(uint64_t odd)
{
    uint64_t inverse = odd;
    for (int i = 0; i < 6; i++)
        inverse *= 2 - odd * inverse;
    return inverse;
}

/* The next sign of a class name, each run of digits as one '#': siblings are often numbered. 0 at
 * the end of the name. */
static inline unsigned char class_sign(th_str classes, size_t *at)
{
    while (*at < classes.len) {
        size_t i = (*at)++;
        unsigned char c = (unsigned char)classes.ptr[i];
        if (th__is_blank(c) || !c)
            break;
        if (!th__is_digit(c))
            return c;
        if (i == 0 || !th__is_digit((unsigned char)classes.ptr[i - 1]))
            return '#';
    }
    return 0;
}

/* Returns true if none of eight bytes is a digit or the "#" for some, a blank or a control
 * character. */
static inline bool is_plain8(uint64_t eight)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t digit = eight ^ ones * '0'; /* 0 to 9 */
    uint64_t sign = eight ^ ones * '#';
    uint64_t digits = ~(((digit & ~tops) + ones * (0x80 - 10)) | digit);
    return !((((eight - ones * 0x21) & ~eight) | ((sign - ones) & ~sign) | digits) & tops);
}

/* The hash of the first name of a class or id attribute, digits aside: 0 when there is none. */
static uint64_t class_hash(th_str classes)
{
    uint64_t hash = 0, eight;
    size_t at = 0;
    while (classes.len && th__is_blank((unsigned char)classes.ptr[0]))
        classes.ptr++, classes.len--;
    for (; classes.len - at >= 8; at += 8) {
        memcpy(&eight, classes.ptr + at, 8);
        if (!is_plain8(eight))
            break;
        hash = th__hash_mix(hash, eight);
    }
    for (unsigned char c; (c = class_sign(classes, &at));)
        hash = (hash ^ c) * UINT64_C(0x100000001B3);
    return hash;
}

uint64_t th__element_hash(uint16_t tag, th_str classes)
{
    return th__hash_mix(tag, class_hash(classes));
}

uint64_t th__node_hash(const th_page *page, uint32_t node)
{
    th_str classes = {0};
    th__attr_get(page, page->nodes[node].token, TH_STR("class"), &classes);
    return th__element_hash(page->tags[node], classes);
}

/* The hash of the second cell of a row differs from that of the first. */
static uint64_t cell_hash(uint64_t hash, uint32_t cell)
{
    return cell > 1 ? th__hash_mix(hash, cell) : hash;
}

/* What a step adds to a key, from its hash. */
static uint64_t step_term(uint64_t hash)
{
    return hash | 1;
}

/* Numbers the cells of a row among those of their signature, since they differ by nothing else.
 * `sum` has the hashes of their steps. */
static void number_cells(const th__view *view, uint32_t row)
{
    enum { KINDS = 16 }; /* cells of further kinds differ by their class */
    struct {
        uint32_t signature, count;
    } kinds[KINDS];
    const th_page *page = view->page;
    uint32_t known = 0;
    for (uint32_t n = row + 1; n < page->nodes[row].end; n = page->nodes[n].end) {
        uint32_t kind = 0;
        while (kind < known && kinds[kind].signature != view->signature[n])
            kind++;
        if (kind == KINDS)
            continue;
        if (kind == known) {
            kinds[known].signature = view->signature[n];
            kinds[known++].count = 0;
        }
        view->sum[n] = cell_hash(view->sum[n], ++kinds[kind].count);
    }
}

/* The number of a cell in its row, as number_cells has it. */
static uint32_t cell_number(const th_page *page, uint32_t node)
{
    uint32_t row = page->nodes[node].parent, number = 1;
    if (page->tags[row] != TH_TAG_TR)
        return 1;
    uint64_t kind = th__node_hash(page, node);
    for (uint32_t n = row + 1; n < node; n = page->nodes[n].end)
        number += th__node_hash(page, n) == kind;
    return number;
}

static void add_up(th__view *view, const uint64_t *power, uint32_t node, uint64_t hash)
{
    view->sum[node] = view->sum[view->page->nodes[node].parent] +
                      step_term(hash) * power[th__view_depth(view, node)];
}

/* Signs an element and those around it. Recursion is as deep as the tree, which has a limit. */
static void look_around(th__view *view, const uint64_t *power, uint32_t node)
{
    const th_page *page = view->page;
    if (!node || view->sum[node])
        return;
    look_around(view, power, page->nodes[node].parent);
    uint64_t hash = th__node_hash(page, node);
    view->signature[node] = th__step_signature(hash);
    add_up(view, power, node, cell_hash(hash, cell_number(page, node)));
}

/* The nodes in an element, itself included; or those of the whole page. */
static uint32_t top_first(uint32_t top)
{
    return top ? top : 1;
}

static void look_at_nodes(th__view *view, const uint64_t *power, th__tops tops)
{
    const th_page *page = view->page;
    th__tag_memo memo = {0};
    for (size_t i = 0; i < tops.count; i++) {
        look_around(view, power, page->nodes[tops.nodes[i]].parent);
        for (uint32_t n = top_first(tops.nodes[i]); n < page->nodes[tops.nodes[i]].end; n++) {
            uint32_t like = th__tag_memo_find(&memo, page, n);
            view->sum[n] = like ? view->sum[like] : th__node_hash(page, n);
            view->signature[n] = th__step_signature(view->sum[n]);
        }
    }
    for (size_t i = 0; i < tops.count; i++)
        for (uint32_t n = top_first(tops.nodes[i]); n < page->nodes[tops.nodes[i]].end; n++) {
            if (page->tags[n] == TH_TAG_TR)
                number_cells(view, n);
            add_up(view, power, n, view->sum[n]);
        }
}

/* The powers of the base of keys, and their inverses, by depth of the page's elements. In the
 * arena. False if out of memory. */
static bool find_powers(th__arena *arena, const th_page *page, uint64_t **power, uint64_t **inverse)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < page->path_count; i++)
        deepest = page->paths[i].depth > deepest ? page->paths[i].depth : deepest;
    *power = th__arena_alloc(arena, (deepest + 1) * sizeof **power);
    *inverse = th__arena_alloc(arena, (deepest + 1) * sizeof **inverse);
    if (!*power || !*inverse)
        return false;
    uint64_t base_inverse = inverse_of(TH__KEY_BASE);
    (*power)[0] = (*inverse)[0] = 1;
    for (uint32_t d = 1; d <= deepest; d++) {
        (*power)[d] = (*power)[d - 1] * TH__KEY_BASE;
        (*inverse)[d] = (*inverse)[d - 1] * base_inverse;
    }
    return true;
}

/* ==== tables of data: rows, cells and columns ==== */

enum {
    MOST_COLUMNS = 64, /* wider tables are not looked at */
    HEADER_BYTES = 48, /* of the text of a header cell made of td */
    REPEATED = 2       /* cells that span rows are repeated up to so many times the page's size */
};

struct table_finder {
    const th__view *view;
    TH__VEC(th__table) tables;
    TH__VEC(th__table_row) rows;
    TH__VEC(th__table_cell) cells;
    TH__VEC(th__table_column) columns;
    uint32_t *number;
    /* By column: the cell that spans the next rows, and how many of them. */
    struct {
        th__table_cell cell;
        uint32_t rows;
    } above[MOST_COLUMNS];
    uint32_t spanning; /* cells from above in the table at hand */
    uint64_t repeated; /* bytes of all of them */
    bool failed;
};

/* ---- the grid -------------------------------------------------------------------------------- */

static uint32_t span_of(const th_page *page, uint32_t cell, const char *name)
{
    th_str value;
    uint32_t number = 0;
    if (!th_attr_get(page, page->nodes[cell].token, name, &value))
        return 1;
    value = th__str_trim(value);
    for (size_t i = 0; i < value.len && th__is_digit((unsigned char)value.ptr[i]); i++)
        number = number < 100000 ? 10 * number + (uint32_t)(value.ptr[i] - '0') : number;
    return number;
}

/* Takes the cells that span this row at a column and behind it. A cell of many links beside
 * thousands of rows would make the page many times as large: past a limit it is in its own row
 * alone. */
static uint32_t take_above(struct table_finder *f, uint32_t column)
{
    const th_page *page = f->view->page;
    while (column < MOST_COLUMNS && f->above[column].rows) {
        th_span span = th_page_node_span(page, f->above[column].cell.node);
        if (f->repeated + (span.end - span.start) <= REPEATED * (uint64_t)page->text.len) {
            f->failed |= !th__vec_push(&f->cells, f->above[column].cell);
            f->repeated += span.end - span.start;
        }
        f->spanning++;
        f->above[column].rows--;
        column = f->above[column].cell.end;
    }
    return column;
}

/* Adds a row; its width, or 0 when it is too wide. */
static uint32_t add_row(struct table_finder *f, uint32_t node)
{
    const th_page *page = f->view->page;
    uint32_t column = 0, width = 0;
    th__table_row row = {.node = node, .table = (uint32_t)f->tables.len};
    row.first = (uint32_t)f->cells.len;
    for (uint32_t c = node + 1; c < page->nodes[node].end; c = page->nodes[c].end) {
        if (!th__tag_is_cell(page->tags[c]))
            continue;
        column = take_above(f, column);
        uint32_t columns = span_of(page, c, "colspan"), rows = span_of(page, c, "rowspan");
        columns = columns ? columns : 1;
        if (column + columns > MOST_COLUMNS && columns > 1)
            columns = 1; /* as if without: "all the rest" */
        if (column >= MOST_COLUMNS)
            return 0;
        th__table_cell cell = {c, row.table, column, column + columns};
        f->failed |= !th__vec_push(&f->cells, cell);
        for (uint32_t i = column; i < cell.end; i++)
            f->above[i].rows = 0;
        f->above[column].cell = cell;
        f->above[column].rows = rows ? rows - 1 : UINT32_MAX;
        column = cell.end;
    }
    for (uint32_t i = column; i < MOST_COLUMNS; i++)
        if (f->above[i].rows)
            i = take_above(f, i) - 1;
    row.end = (uint32_t)f->cells.len;
    for (uint32_t i = row.first; i < row.end; i++)
        width = f->cells.data[i].end > width ? f->cells.data[i].end : width;
    f->failed |= !th__vec_push(&f->rows, row);
    return width;
}

static bool is_own(const th_page *page, const th__table_row *row, const th__table_cell *cell)
{
    return page->nodes[cell->node].parent == row->node;
}

/* Adds the rows of a table, group by group: cells span no further. The number of columns that most
 * rows have; 0 if it is not a grid. */
static uint32_t add_rows(struct table_finder *f, uint32_t table)
{
    const th_page *page = f->view->page;
    uint32_t widths[MOST_COLUMNS + 1] = {0}, most = 0, total = 0, single = 0, group = 0;
    uint32_t full = 0; /* rows without cells across several columns */
    for (uint32_t n = table + 1; n < page->nodes[table].end && !f->failed;) {
        uint16_t tag = page->tags[n];
        if (tag != TH_TAG_TR) {
            bool rows = tag == TH_TAG_TBODY || tag == TH_TAG_THEAD || tag == TH_TAG_TFOOT;
            n = rows ? n + 1 : page->nodes[n].end;
            continue;
        }
        if (page->nodes[n].parent != group)
            for (uint32_t i = 0; i < MOST_COLUMNS; i++)
                f->above[i].rows = 0;
        group = page->nodes[n].parent;
        uint32_t width = add_row(f, n);
        if (f->failed || (!width && page->nodes[n].end > n + 1))
            return 0;
        const th__table_row *row = &f->rows.data[f->rows.len - 1];
        if (row->end - row->first > 1) {
            widths[width]++;
            full += row->end - row->first == width;
            total++;
        } else {
            single += row->end > row->first;
        }
        n = page->nodes[n].end;
    }
    for (uint32_t w = 2; w <= MOST_COLUMNS; w++)
        most = widths[w] > widths[most] ? w : most;
    bool grid = 5 * widths[most] >= 4 * total && 3 * full >= 2 * total && 2 * single <= total;
    return most >= 2 && grid ? most : 0;
}

/* ---- header rows ----------------------------------------------------------------------------- */

/* What the text of a cell looks like. */
struct looks {
    bool any, digit, link, bold;
    uint32_t bytes;
};

static struct looks looks_of(const th__view *view, uint32_t cell)
{
    const th_page *page = view->page;
    struct looks looks = {0};
    uint32_t leaf = view->leaves.before[page->nodes[cell].token];
    uint32_t end = view->leaves.before[page->nodes[cell].token_end];
    if (leaf < end) {
        uint32_t node = th__page_node_until(page, view->leaves.data[leaf].token);
        looks.bold = page->tags[node] == TH_TAG_B || page->tags[node] == TH_TAG_STRONG;
    }
    for (; leaf < end; leaf++) {
        const th__leaf *l = &view->leaves.data[leaf];
        th_span span = th__leaf_span(page, l);
        looks.any = true;
        looks.link |= l->linked;
        looks.bytes += l->len;
        for (uint32_t i = span.start; i < span.end && !looks.digit; i++)
            looks.digit = th__is_digit((unsigned char)page->text.ptr[i]);
    }
    return looks;
}

/* Returns true if all cells of a row that begin in it are header cells. */
static bool is_th_row(const struct table_finder *f, const th__table_row *row)
{
    const th_page *page = f->view->page;
    bool any = false;
    for (uint32_t c = row->first; c < row->end; c++) {
        if (!is_own(page, row, &f->cells.data[c]))
            continue;
        if (page->tags[f->cells.data[c].node] != TH_TAG_TH)
            return false;
        any = true;
    }
    return any;
}

/* The first row that has a cell for each column. */
static uint32_t first_row(const struct table_finder *f, const th__table *table)
{
    uint32_t r = table->first;
    while (r + 1 < table->end && f->rows.data[r].end - f->rows.data[r].first != table->columns)
        r++;
    return r;
}

/* Returns true if a row, the first with all columns and made of td, names the columns: short words
 * in most cells, neither a link nor a digit among them, over columns half of which have links or
 * digits throughout; or bold texts over others. Old pages write their headers so: Day | Berth |
 * Boat. */
static bool is_td_header(const struct table_finder *f, const th__table *table, uint32_t row_number)
{
    const th_page *page = f->view->page;
    const th__table_row *head = &f->rows.data[row_number];
    uint32_t other[MOST_COLUMNS] = {0}, bold[MOST_COLUMNS] = {0}, rows = 0, others = 0, bolds = 0;
    uint32_t named = 0;
    bool all_bold = true;
    if (head->end - head->first != table->columns)
        return false;
    for (uint32_t c = head->first; c < head->end; c++) {
        struct looks looks = looks_of(f->view, f->cells.data[c].node);
        if (looks.digit || looks.link || looks.bytes > HEADER_BYTES)
            return false;
        named += looks.any;
        all_bold &= looks.bold || !looks.any;
    }
    for (const th__table_row *row = head + 1; row < f->rows.data + table->end; row++) {
        bool several = row->end - row->first > 1;
        rows += several;
        for (uint32_t c = row->first; c < row->end && several; c++) {
            const th__table_cell *cell = &f->cells.data[c];
            struct looks looks = {0};
            if (is_own(page, row, cell))
                looks = looks_of(f->view, cell->node);
            other[cell->column] += looks.digit || looks.link;
            bold[cell->column] += looks.bold;
        }
    }
    for (uint32_t c = 0; c < table->columns; c++) {
        others += 5 * other[c] >= 4 * rows;
        bolds += 5 * bold[c] >= rows;
    }
    return rows > 1 && 3 * named >= 2 * table->columns &&
           (2 * others >= named || (all_bold && !bolds));
}

static uint64_t node_hash(const struct table_finder *f, uint32_t node)
{
    const th__view *view = f->view;
    uint32_t leaf = view->leaves.before[view->page->nodes[node].token];
    uint32_t end = view->leaves.before[view->page->nodes[node].token_end];
    uint64_t hash = 0;
    for (; leaf < end; leaf++)
        hash = th__hash_mix(hash, th__leaf_measured(view->page, &view->leaves.data[leaf]).hash);
    return hash;
}

/* Returns true if a row below a section names the columns again, some of them by other words:
 * Title, Author, Due of the loans, and Title, Author, Place of the reservations. */
static bool is_next_header(const struct table_finder *f, const th__table_row *head,
                           const th__table_row *row)
{
    uint32_t same = 0, count = head->end - head->first;
    if (row->end - row->first != count || !row[-1].section)
        return false;
    for (uint32_t c = 0; c < count; c++) {
        uint32_t node = f->cells.data[row->first + c].node;
        struct looks looks = looks_of(f->view, node);
        if (looks.digit || looks.link || looks.bytes > HEADER_BYTES)
            return false;
        uint32_t first = f->cells.data[head->first + c].node;
        same += node_hash(f, node) == node_hash(f, first);
    }
    return 2 * same >= count;
}

/* Marks the rows that name columns, and those that are headings of what follows. */
static void mark_rows(struct table_finder *f, th__table *table)
{
    const th_page *page = f->view->page;
    uint32_t first = first_row(f, table);
    bool header = is_td_header(f, table, first);
    const th__table_row *head = &f->rows.data[first];
    uint64_t hash = header ? node_hash(f, head->node) : 0;
    for (uint32_t at = table->first; at < table->end; at++) {
        th__table_row *row = &f->rows.data[at];
        const th__table_cell *cell = &f->cells.data[row->first];
        row->section =
            row->end - row->first == 1 && is_own(page, row, cell) && cell->end >= table->columns;
        row->header = !row->section && (is_th_row(f, row) ||
                                        (header && (node_hash(f, row->node) == hash || /* again */
                                                    (row > head && is_next_header(f, head, row)))));
        table->header |= row->header;
    }
}

/* ---- columns --------------------------------------------------------------------------------- */

/* "td" and "td[2]": what an only class of cells is known by. */
static bool write_number(uint32_t column, th__buf *out)
{
    return column ? th__buf_printf(out, "td[%u]", column + 1) : th__buf_add_str(out, TH_STR("td"));
}

static bool keys_differ(const th__table_column *columns, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (!columns[i].like || columns[i].key == columns[j].key)
                return false;
    return true;
}

static bool number_columns(th__table_column *columns, uint32_t count)
{
    th__buf step = {0};
    uint64_t tags;
    bool ok = true;
    for (uint32_t c = 0; ok && c < count; c++) {
        th__buf_clear(&step);
        columns[c].like = 0;
        ok = write_number(c, &step) && th__path_keys(th__buf_str(&step), &columns[c].key, &tags);
    }
    th__buf_release(&step);
    return ok;
}

/* Finds the key that most cells of each column have. Where two columns share one (below cells that
 * span rows, the cells of a row move up), the columns are known by their numbers. */
static bool find_keys(struct table_finder *f, th__table *table)
{
    const th_page *page = f->view->page;
    uint32_t votes[MOST_COLUMNS] = {0};
    bool ok = true;
    table->column = (uint32_t)f->columns.len;
    for (uint32_t c = 0; ok && c < table->columns; c++)
        ok = th__vec_push(&f->columns, (th__table_column){0});
    th__table_column *columns = f->columns.data + table->column;
    for (uint32_t r = table->first; ok && r < table->end; r++) {
        const th__table_row *row = &f->rows.data[r];
        for (uint32_t c = row->first; c < row->end && !row->header && !row->section; c++) {
            const th__table_cell *cell = &f->cells.data[c];
            uint32_t k = cell->column;
            if (k >= table->columns || !is_own(page, row, cell))
                continue;
            uint64_t key = th__view_key_apart(f->view, row->node, cell->node);
            if (!votes[k])
                columns[k] = (th__table_column){key, cell->node};
            votes[k] += !votes[k] || key == columns[k].key ? 1 : (uint32_t)-1;
        }
    }
    return ok && (keys_differ(columns, table->columns) || number_columns(columns, table->columns));
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Notes which row or cell the nodes of a table belong to. */
static void number_nodes(struct table_finder *f, const th__table *table)
{
    const th_page *page = f->view->page;
    for (uint32_t r = table->first; r < table->end; r++) {
        const th__table_row *row = &f->rows.data[r];
        f->number[row->node] = r + 1;
        for (uint32_t c = row->first; c < row->end; c++) {
            uint32_t node = f->cells.data[c].node;
            if (f->cells.data[c].column >= table->columns || !is_own(page, row, &f->cells.data[c]))
                continue;
            for (uint32_t n = node; n < page->nodes[node].end; n++)
                f->number[n] = c + 1;
        }
    }
}

/* Adds a table if it is one of data. */
static void add_table(struct table_finder *f, uint32_t node, bool *is)
{
    size_t rows = f->rows.len, cells = f->cells.len;
    th__table table = {.first = (uint32_t)rows};
    f->spanning = 0;
    table.columns = add_rows(f, node);
    table.end = (uint32_t)f->rows.len;
    *is = table.columns && !f->failed && 2 * f->spanning <= f->cells.len - cells;
    if (!*is) {
        f->rows.len = rows;
        f->cells.len = cells;
        return;
    }
    mark_rows(f, &table);
    f->failed |= !find_keys(f, &table) || !th__vec_push(&f->tables, table);
}

static bool find_tables(struct table_finder *f, th__tops tops, th__arena *arena)
{
    const th_page *page = f->view->page;
    uint32_t *next = NULL, last = page->node_count;
    size_t top = 0;
    for (uint32_t n = page->node_count; n-- > 1;) {
        if (page->tags[n] != TH_TAG_TABLE)
            continue;
        if (!next && !(next = th__arena_zero(arena, page->node_count, sizeof *next)))
            return false;
        next[n] = last;
        last = n;
    }
    if (!next)
        return true; /* no tables */
    f->number = th__arena_zero(arena, page->node_count, sizeof *f->number);
    for (uint32_t n = last; f->number && n < page->node_count && !f->failed; n = next[n]) {
        bool is = false, holds_table = next[n] < page->nodes[n].end;
        while (top < tops.count && page->nodes[tops.nodes[top]].end <= n)
            top++;
        if (top < tops.count && tops.nodes[top] <= n && !holds_table)
            add_table(f, n, &is);
        if (!is || f->failed)
            continue;
        number_nodes(f, &f->tables.data[f->tables.len - 1]);
    }
    return f->number && !f->failed;
}

/* Finds those in some elements: *out is NULL where there are none. In the arena. Linear in the
 * nodes; a cell that spans rows counts in each, and there are no more such than others. False if
 * out of memory. */
static bool find_all_tables(th__arena *arena, const th__view *view, th__tops tops, th__tables **out)
{
    struct table_finder f = {.view = view};
    th__tables *t = NULL;
    bool ok = find_tables(&f, tops, arena);
    if (ok && f.tables.len) {
        t = th__arena_zero(arena, 1, sizeof *t);
        ok = t;
    }
    if (t) {
        t->tables = th__arena_keep(arena, f.tables.data, f.tables.len, sizeof *t->tables);
        t->rows = th__arena_keep(arena, f.rows.data, f.rows.len, sizeof *t->rows);
        t->cells = th__arena_keep(arena, f.cells.data, f.cells.len, sizeof *t->cells);
        t->columns = th__arena_keep(arena, f.columns.data, f.columns.len, sizeof *t->columns);
        t->number = f.number;
        ok = t->tables && t->rows && t->cells && t->columns;
    }
    th__vec_release(&f.tables);
    th__vec_release(&f.rows);
    th__vec_release(&f.cells);
    th__vec_release(&f.columns);
    *out = t;
    return ok;
}

/* ---- asking ---------------------------------------------------------------------------------- */

const th__table_row *th__table_row_of(const th__view *view, uint32_t node)
{
    const th__tables *t = view->tables;
    return t && view->page->tags[node] == TH_TAG_TR && t->number[node]
               ? &t->rows[t->number[node] - 1]
               : NULL;
}

const th__table_cell *th__table_cell_of(const th__view *view, uint32_t node)
{
    const th__tables *t = view->tables;
    return t && view->page->tags[node] != TH_TAG_TR && t->number[node]
               ? &t->cells[t->number[node] - 1]
               : NULL;
}

static const th__table_column *column_of(const th__view *view, const th__table_cell *cell)
{
    const th__tables *t = view->tables;
    return &t->columns[t->tables[cell->table].column + cell->column];
}

uint64_t th__table_cell_key(const th__view *view, const th__table_cell *cell)
{
    return column_of(view, cell)->key;
}

bool th__table_step_write(const th__view *view, const th__table_cell *cell, th__buf *out)
{
    uint32_t like = column_of(view, cell)->like;
    return like ? th__step_write(view->page, like, out) : write_number(cell->column, out);
}

/* ==== the view ==== */

/* How much work was done on pages: for tests that hold how often a job may do it. */
static atomic_ullong views;

uint64_t th__view_work(void)
{
    return atomic_load_explicit(&views, memory_order_relaxed);
}

static bool make_view(th__arena *arena, const th_page *page, th__tops tops, bool plain,
                      th__view *out)
{
    uint64_t *power;
    atomic_fetch_add_explicit(&views, 1, memory_order_relaxed);
    *out = (th__view){.page = page};
    if (!find_all_leaves(arena, page, tops, plain, &out->leaves) ||
        !find_powers(arena, page, &power, &out->inverse))
        return false;
    out->signature = th__arena_zero(arena, page->node_count, sizeof *out->signature);
    out->sum = th__arena_zero(arena, page->node_count, sizeof *out->sum);
    if (!out->signature || !out->sum)
        return false;
    look_at_nodes(out, power, tops);
    if (!plain)
        out->weight = th__arena_alloc(arena, (out->leaves.count + 1) * sizeof *out->weight);
    if (!plain && !out->weight)
        return false;
    for (uint32_t i = 0; !plain && i < out->leaves.count; i++)
        out->weight[i] = log2f(1.0f + (float)out->leaves.data[i].len);
    return find_all_tables(arena, out, tops, &out->tables);
}

static const th__tops whole_page = {(const uint32_t[]){0}, 1};

static void *make_kept(th__arena *arena, const th_page *page, const void *context)
{
    th__view *view = th__arena_zero(arena, 1, sizeof *view);
    return view && make_view(arena, page, whole_page, false, view) ? view : NULL;
}

bool th__view_make(th__arena *arena, const th_page *page, th__view *out)
{
    if (!th__page_keeps(page))
        return make_view(arena, page, whole_page, false, out);
    const th__view *kept = th__page_keep(page, TH__KEPT_VIEW, make_kept, NULL);
    if (kept)
        *out = *kept;
    return kept != NULL;
}

/* Returns true if an element is in one whose text is not shown. */
static bool is_hidden(const th_page *page, uint32_t node)
{
    for (; node; node = page->nodes[node].parent)
        if (th__tag_hides(page->tags[node]) ||
            page->tokens[page->nodes[node].token].flags & TH_TOKEN_FOREIGN)
            return true;
    return false;
}

/* The element to look at for all that there is to see of another one: its text may flow in an
 * element around it, and its cells may be those of a table. */
static uint32_t top_around(const th_page *page, uint32_t node)
{
    uint32_t table = node;
    while (table && page->tags[table] != TH_TAG_TABLE)
        table = page->nodes[table].parent;
    return table ? table : th__leaf_block(page, node);
}

bool th__view_make_within(th__arena *arena, const th_page *page, th__tops nodes, th__view *out)
{
    if (th__page_keeps(page))
        return th__view_make(arena, page, out);
    uint32_t *tops = th__arena_alloc(arena, (nodes.count + 1) * sizeof *tops);
    size_t count = 0;
    for (size_t i = 0; tops && i < nodes.count; i++) {
        uint32_t top = top_around(page, nodes.nodes[i]);
        if (is_hidden(page, top))
            top = 0; /* what is shown of it takes a look at all that is before */
        while (count && tops[count - 1] >= top)
            count--;
        if (!count || page->nodes[tops[count - 1]].end <= top)
            tops[count++] = top;
    }
    return tops && make_view(arena, page, (th__tops){tops, count}, true, out);
}

/* ==== paths as people read them ==== */

/* Appends the first name of a class or id attribute, digits aside. False if out of memory. */
static bool write_class(th_str classes, th__buf *out)
{
    size_t at = 0;
    classes = th__str_trim(classes);
    for (unsigned char c; (c = class_sign(classes, &at));)
        th__buf_add_byte(out, (char)c);
    return !out->failed;
}

bool th__tag_write(const th_page *page, uint32_t token, th__buf *out)
{
    th_str name = th__tag_counted(th_token_name(page, token));
    for (size_t i = 0; i < name.len; i++) {
        /* A point begins the class, and a bracket ends the number of a cell. */
        if (name.ptr[i] == '.' || name.ptr[i] == '\\' || name.ptr[i] == ']')
            th__buf_add_byte(out, '\\');
        th__buf_add_byte(out, (char)th__lower((unsigned char)name.ptr[i]));
    }
    return !out->failed;
}

static bool write_tag(const th_page *page, uint32_t node, th__buf *out)
{
    return th__tag_write(page, page->nodes[node].token, out);
}

bool th__class_step_write(const th_page *page, uint32_t node, th__buf *out)
{
    uint32_t token = page->nodes[node].token;
    th_str classes = {0};
    write_tag(page, node, out);
    th_attr_get(page, token, "class", &classes);
    size_t dot = out->len;
    th__buf_add_byte(out, '.');
    if (write_class(classes, out) && out->len == dot + 1)
        out->len = dot;
    return !out->failed;
}

bool th__step_write(const th_page *page, uint32_t node, th__buf *out)
{
    th__class_step_write(page, node, out);
    uint32_t number = cell_number(page, node);
    if (number > 1)
        th__buf_printf(out, "[%u]", number);
    return !out->failed;
}

/* Takes the number off a step: "td[2]" becomes "td", 2. No class ends so: digits in it are '#'. */
static uint32_t cut_number(th_str *step)
{
    size_t at = step->len;
    uint32_t number = 0;
    if (at < 4 || step->ptr[--at] != ']')
        return 0;
    while (at && th__is_digit((unsigned char)step->ptr[at - 1]))
        at--;
    if (at + 1 == step->len || !at || step->ptr[at - 1] != '[' || step->len - at > 9)
        return 0;
    for (size_t i = at; i + 1 < step->len; i++)
        number = 10 * number + (uint32_t)(step->ptr[i] - '0');
    step->len = at - 1;
    return number;
}

uint64_t th__step_hash(th_str step, uint16_t *tag)
{
    char name[TH__TAG_LONGEST + 1]; /* and the byte that shows whether a character ends there */
    size_t len = 0, at = 0;
    cut_number(&step);
    for (; at < step.len && step.ptr[at] != '.'; at++) {
        if (step.ptr[at] == '\\' && at + 1 < step.len)
            at++;
        if (len < sizeof name)
            name[len++] = step.ptr[at];
    }
    *tag = th_tag_id((th_str){name, len});
    at += at < step.len;
    return th__element_hash(*tag, (th_str){step.ptr + at, step.len - at});
}

static bool write_path(const th_page *page, uint32_t top, uint32_t node, th__buf *out,
                       bool (*write)(const th_page *page, uint32_t node, th__buf *out))
{
    TH__VEC(uint32_t) steps = {0};
    bool ok = true;
    for (; ok && node > top; node = page->nodes[node].parent)
        ok = th__vec_push(&steps, node);
    while (ok && steps.len--) {
        ok = write(page, steps.data[steps.len], out);
        if (steps.len)
            th__buf_add_str(out, TH_STR(" > "));
    }
    th__vec_release(&steps);
    return ok && !out->failed;
}

bool th__path_write(const th_page *page, uint32_t top, uint32_t node, th__buf *out)
{
    return write_path(page, top, node, out, th__step_write);
}

bool th__plain_path_write(const th_page *page, uint32_t top, uint32_t node, bool tags, th__buf *out)
{
    return write_path(page, top, node, out, tags ? write_tag : th__class_step_write);
}

bool th__path_next(th_str *rest, th_str *step, bool *bad)
{
    size_t len = 0;
    *bad = false;
    if (!rest->len)
        return false;
    while (len < rest->len && rest->ptr[len] != ' ')
        len++;
    *step = (th_str){rest->ptr, len};
    bool last = len == rest->len;
    /* Tag names begin with a letter; a path does not end with a separator. */
    *bad = !len || !th__is_alpha((unsigned char)rest->ptr[0]) ||
           (!last && (rest->len < len + 4 || memcmp(rest->ptr + len, " > ", 3)));
    size_t used = *bad || last ? rest->len : len + 3;
    *rest = (th_str){rest->ptr + used, rest->len - used};
    return !*bad;
}

bool th__path_keys(th_str path, uint64_t *key, uint64_t *tags)
{
    uint64_t power = 1;
    th_str step;
    bool bad;
    *key = 0;
    *tags = 0;
    while (th__path_next(&path, &step, &bad)) {
        uint16_t tag;
        power *= TH__KEY_BASE;
        uint32_t number = cut_number(&step);
        *key += step_term(cell_hash(th__step_hash(step, &tag), number)) * power;
        *tags = th__hash_mix(*tags, tag);
    }
    return !bad;
}

/* ==== addresses ==== */

/* ---- what elements call themselves ----------------------------------------------------------- */

/* Which attributes mark an element, the better first. */
static const th_str mark_names[] = {{"itemprop", 8}, {"id", 2}};
enum { MARKS = sizeof mark_names / sizeof *mark_names, LONGEST_MARK = 100 };

/* Those of microdata and RDFa. */
static const th_str property_names[] = {{"itemprop", 8}, {"property", 8}};
enum { PROPERTIES = sizeof property_names / sizeof *property_names };

static uint64_t property_hash(size_t which, th_str value)
{
    uint64_t hash = class_hash(value);
    return hash ? th__hash_mix(hash, which + 1) | 1 : 0;
}

uint64_t th__mark_hash(th_str name, th_str value)
{
    uint64_t hash = th__hash(name.ptr, name.len);
    value = th__str_trim(value);
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        if (th__is_digit(c)) {
            if (i && th__is_digit((unsigned char)value.ptr[i - 1]))
                continue;
            c = '#';
        }
        hash = (hash ^ c) * UINT64_C(0x100000001B3);
    }
    return hash | 1;
}

/* The attributes of an element that count. */
struct element {
    th_str classes, id;
    th_str properties[PROPERTIES];
    th_str marks[MARKS];
};

static struct element read_element(const th_page *page, uint32_t token)
{
    struct element out = {0};
    th_attr attr;
    if (!(page->tokens[token].flags & TH_TOKEN_HAS_ATTRS))
        return out;
    for (th__attr_walk it = th__attrs(page, token); th__attr_next(&it, &attr);) {
        if (!out.classes.ptr && th__str_eq_nocase(attr.name, TH_STR("class")))
            out.classes = attr.value;
        if (!out.id.ptr && th__str_eq_nocase(attr.name, TH_STR("id")))
            out.id = attr.value;
        for (size_t i = 0; i < PROPERTIES; i++)
            if (!out.properties[i].ptr && th__str_eq_nocase(attr.name, property_names[i]))
                out.properties[i] = attr.value;
        for (size_t i = 0; i < MARKS; i++)
            if (th__str_eq_nocase(attr.name, mark_names[i]) && !out.marks[i].ptr &&
                attr.value.len && attr.value.len <= LONGEST_MARK)
                out.marks[i] = attr.value;
    }
    return out;
}

bool th__mark_write(const th_page *page, uint32_t node, th__buf *out)
{
    struct element element = read_element(page, page->nodes[node].token);
    size_t which = 0;
    while (which < MARKS && !element.marks[which].ptr)
        which++;
    if (which == MARKS)
        return !out->failed;
    th_str value = th__str_trim(element.marks[which]);
    th__buf_add_str(out, mark_names[which]);
    th__buf_add_byte(out, '=');
    for (size_t c = 0; c < value.len; c++)
        if (!th__is_digit((unsigned char)value.ptr[c]))
            th__buf_add_byte(out, value.ptr[c]);
        else if (!c || !th__is_digit((unsigned char)value.ptr[c - 1]))
            th__buf_add_byte(out, '#');
    return !out->failed;
}

/* ---- sums of steps --------------------------------------------------------------------------- */

enum { TAGS_KEPT = 256 }; /* whose hashes are kept: standard ones */

struct hashes {
    bool failed;
    uint64_t bare[TAGS_KEPT]; /* by tag, 0 when it has not been met */
    uint64_t *full;           /* by node */
    th__tag_memo memo;
};

/* The hash of an element without a class. */
static uint64_t bare_hash(struct hashes *h, uint16_t tag)
{
    if (tag >= TAGS_KEPT)
        return th__element_hash(tag, (th_str){0});
    if (!h->bare[tag])
        h->bare[tag] = th__element_hash(tag, (th_str){0});
    return h->bare[tag];
}

/* Few pages have any of these: room for them is made when the first comes. */
static void put_hash(struct hashes *h, const th__addresses *a, uint64_t **hashes, uint32_t node,
                     uint64_t hash)
{
    if (hash && !*hashes)
        *hashes = th__arena_zero(a->arena, a->page->node_count, sizeof **hashes);
    if (hash && *hashes)
        (*hashes)[node] = hash;
    h->failed |= hash && !*hashes;
}

/* The hash of an element with its class, and those of its mark and id. */
static void hash_element(struct hashes *h, th__addresses *a, uint32_t node, uint64_t bare)
{
    uint32_t token = a->page->nodes[node].token;
    h->full[node] = bare;
    if (!(a->page->tokens[token].flags & TH_TOKEN_HAS_ATTRS))
        return;
    uint32_t like = th__tag_memo_find(&h->memo, a->page, node);
    if (like) {
        h->full[node] = h->full[like];
        if (a->mark)
            a->mark[node] = a->mark[like];
        a->id[node] = a->id[like];
        if (a->property)
            a->property[node] = a->property[like];
        return;
    }
    struct element element = read_element(a->page, token);
    if (element.classes.len)
        h->full[node] = th__element_hash(a->page->tags[node], element.classes);
    if (element.id.len)
        a->id[node] = class_hash(element.id);
    uint64_t property = 0;
    for (size_t i = 0; i < PROPERTIES && !property; i++)
        property = property_hash(i, element.properties[i]);
    put_hash(h, a, &a->property, node, property);
    uint64_t mark = 0;
    for (size_t i = 0; i < MARKS && !mark; i++)
        if (element.marks[i].ptr)
            mark = th__mark_hash(mark_names[i], element.marks[i]);
    put_hash(h, a, &a->mark, node, mark);
}

/* The nearest element, itself or above, that has a hash. False if out of memory. */
static bool find_nearest(th__addresses *a, const uint64_t *hash, uint32_t **out)
{
    size_t count = a->page->node_count;
    if (!hash)
        return true;
    *out = th__arena_zero(a->arena, count, sizeof **out);
    for (uint32_t n = 1; *out && n < count; n++)
        (*out)[n] = hash[n] ? n : (*out)[a->page->nodes[n].parent];
    return *out != NULL;
}

static uint64_t power_of(const th__addresses *a, uint32_t node)
{
    return a->power[a->page->paths[a->page->nodes[node].path].depth];
}

bool th__addresses_make(th__arena *arena, const th_page *page, th__addresses *out)
{
    size_t count = page->node_count;
    struct hashes hashes = {.full = th__arena_alloc(arena, count * sizeof *hashes.full)};
    *out = (th__addresses){.page = page, .arena = arena};
    uint64_t *sum = th__arena_alloc(arena, count * sizeof *sum);
    uint64_t *tags = th__arena_alloc(arena, count * sizeof *tags);
    out->id = th__arena_zero(arena, count, sizeof *out->id);
    out->identified = th__arena_zero(arena, count, sizeof *out->identified);
    if (!hashes.full || !sum || !tags || !out->id || !out->identified ||
        !find_powers(arena, page, &out->power, &out->inverse))
        return false;
    sum[0] = tags[0] = 0;
    for (uint32_t n = 1; n < count; n++) {
        uint32_t parent = page->nodes[n].parent;
        uint64_t place = power_of(out, n), bare = bare_hash(&hashes, page->tags[n]);
        hash_element(&hashes, out, n, bare);
        sum[n] = sum[parent] + (hashes.full[n] | 1) * place;
        tags[n] = tags[parent] + (bare | 1) * place;
        out->identified[n] = out->id[n] ? n : out->identified[parent];
    }
    if (hashes.failed || !find_nearest(out, out->property, &out->propertied) ||
        !find_nearest(out, out->mark, &out->marked))
        return false;
    out->hashes = hashes.full;
    out->sum[TH__STEPS_CLASSES] = sum;
    out->sum[TH__STEPS_TAGS] = tags;
    return true;
}

/* Returns true if an element only says how a part of a text looks. */
static bool is_emphasis(uint16_t tag)
{
    return tag == TH_TAG_B || tag == TH_TAG_I || tag == TH_TAG_EM || tag == TH_TAG_STRONG ||
           tag == TH_TAG_U || tag == TH_TAG_FONT || tag == TH_TAG_MARK || tag == TH_TAG_SUP ||
           tag == TH_TAG_SUB;
}

/* What an element is inside of another. */
static th__content content_of(const th__addresses *a, uint32_t node)
{
    uint16_t tag = a->page->tags[node];
    return !th__tag_flows(tag)             ? TH__HOLDS_MORE
           : th__address_is_named(a, node) ? TH__HOLDS_NAMED
           : is_emphasis(tag)              ? TH__HOLDS_EMPHASIS
                                           : TH__HOLDS_PHRASING;
}

const uint8_t *th__contents_of(th__addresses *a)
{
    const th_page *page = a->page;
    if (a->holds)
        return a->holds;
    a->holds = th__arena_zero(a->arena, page->node_count, sizeof *a->holds);
    for (uint32_t n = page->node_count; a->holds && n-- > 1;) {
        uint8_t *parent = &a->holds[page->nodes[n].parent], level = (uint8_t)content_of(a, n);
        level = a->holds[n] > level ? a->holds[n] : level;
        *parent = level > *parent ? level : *parent;
    }
    return a->holds;
}

/* Returns true if the steps of cells have the position of an element: the cells of a row and the
 * parts of a line are there even when they are empty. */
static bool is_counted(uint16_t tag)
{
    return th__tag_is_cell(tag) || th__tag_is_phrasing(tag);
}

/* Positions among siblings of one tag. */
static bool sum_positions(th__addresses *a)
{
    const th_page *page = a->page;
    th__key_map counts = {0};
    uint64_t *sum = th__arena_zero(a->arena, page->node_count, sizeof *sum);
    uint64_t *cells = th__arena_zero(a->arena, page->node_count, sizeof *cells);
    a->ordinals = th__arena_zero(a->arena, page->node_count, sizeof *a->ordinals);
    bool ok = sum && cells && a->ordinals;
    for (uint32_t n = 1; ok && n < page->node_count; n++) {
        uint32_t parent = page->nodes[n].parent;
        uint64_t key = th__hash_mix(parent, page->tags[n]);
        a->ordinals[n] = th__key_map_get(&counts, key) + 1;
        ok = th__key_map_put(&counts, key, a->ordinals[n]);
        sum[n] = sum[parent] + (th__hash_mix(page->tags[n], a->ordinals[n]) | 1) * power_of(a, n);
        uint64_t step = a->hashes[n];
        if (is_counted(page->tags[n]))
            step = th__hash_mix(step, a->ordinals[n]);
        cells[n] = cells[parent] + (step | 1) * power_of(a, n);
    }
    th__key_map_release(&counts);
    a->sum[TH__STEPS_POSITIONS] = ok ? sum : NULL;
    a->sum[TH__STEPS_CELLS] = ok ? cells : NULL;
    return ok;
}

/* ---- kinds of addresses ---------------------------------------------------------------------- */

enum { END_STEPS = 3, FROM_ROOT = -1, FROM_ID = -2, FROM_PROPERTY = -3 };

static const struct {
    int from; /* so many steps up, or FROM_... */
    th__alphabet steps;
} ways[TH__ADDRESSES] = {
    [TH__BY_CLASSES] = {FROM_ROOT, TH__STEPS_CLASSES},
    [TH__BY_ID] = {FROM_ID, TH__STEPS_CLASSES},
    [TH__BY_END] = {END_STEPS, TH__STEPS_CLASSES},
    [TH__BY_PROPERTY] = {FROM_PROPERTY, TH__STEPS_CLASSES},
    [TH__BY_CELLS] = {FROM_ROOT, TH__STEPS_CELLS},
    [TH__BY_ELEMENT] = {1, TH__STEPS_CLASSES},
    [TH__BY_TAGS] = {FROM_ROOT, TH__STEPS_TAGS},
    [TH__BY_ID_POSITIONS] = {FROM_ID, TH__STEPS_POSITIONS},
    [TH__BY_POSITIONS] = {FROM_ROOT, TH__STEPS_POSITIONS},
    [TH__ANYWHERE] = {0, TH__STEPS_CLASSES},
};

/* The element from which the path of an address begins. */
static uint32_t top_of(const th__addresses *a, th__address address, uint32_t node)
{
    if (ways[address].from == FROM_ID)
        return a->identified[node];
    if (ways[address].from == FROM_PROPERTY)
        return th__property_above(a, node);
    uint32_t top = ways[address].from == FROM_ROOT ? 0 : node;
    for (int up = ways[address].from; up > 0; up--)
        top = a->page->nodes[top].parent;
    return top;
}

bool th__address_of(th__addresses *a, th__address address, uint32_t node, uint64_t *key)
{
    if (!a->sum[ways[address].steps] && !sum_positions(a))
        return false;
    uint32_t top = top_of(a, address, node);
    uint64_t id = ways[address].from == FROM_ID                ? a->id[top]
                  : ways[address].from == FROM_PROPERTY && top ? a->property[top]
                                                               : 0;
    *key = th__hash_mix(id, th__address_key(a, ways[address].steps, top, node));
    return true;
}

/* Recursion no deeper than the page, whose depth has a limit. */
static void write_positions(const th__addresses *a, bool cells, uint32_t top, uint32_t node,
                            th__buf *out)
{
    uint32_t parent = a->page->nodes[node].parent;
    if (node <= top)
        return;
    write_positions(a, cells, top, parent, out);
    th_str name = th_token_name(a->page, a->page->nodes[node].token);
    th__buf_add_str(out, parent > top ? TH_STR(" > ") : TH_STR(""));
    if (cells)
        th__class_step_write(a->page, node, out);
    for (size_t i = 0; !cells && i < name.len; i++)
        th__buf_add_byte(out, (char)th__lower((unsigned char)name.ptr[i]));
    if (!cells || is_counted(a->page->tags[node]))
        th__buf_printf(out, ":%u", a->ordinals[node]);
}

bool th__address_write(const th__addresses *a, th__address address, uint32_t node, th__buf *out)
{
    uint32_t top = top_of(a, address, node);
    if (ways[address].from == FROM_ID && top) {
        th_str id = {0};
        th_attr_get(a->page, a->page->nodes[top].token, "id", &id);
        th__buf_add_byte(out, '#');
        write_class(id, out);
        th__buf_add_str(out, node > top ? TH_STR(" > ") : TH_STR(""));
    }
    if (ways[address].from == FROM_PROPERTY && top) {
        struct element element = read_element(a->page, a->page->nodes[top].token);
        size_t which = 0;
        while (property_hash(which, element.properties[which]) != a->property[top])
            which++;
        th__buf_add_byte(out, '[');
        th__buf_add_str(out, property_names[which]);
        th__buf_add_byte(out, '=');
        write_class(element.properties[which], out);
        th__buf_add_str(out, node > top ? TH_STR("] > ") : TH_STR("]"));
    }
    if (ways[address].steps == TH__STEPS_CLASSES)
        return th__path_write(a->page, top, node, out);
    if (ways[address].steps == TH__STEPS_TAGS)
        return th__plain_path_write(a->page, top, node, true, out);
    write_positions(a, ways[address].steps == TH__STEPS_CELLS, top, node, out);
    return !out->failed;
}

/* Takes ":2" off the end of "td:2". False if it is not there. */
static bool read_position(th_str *step, uint64_t *number)
{
    size_t at = step->len;
    while (at && step->ptr[at - 1] != ':')
        at--;
    if (!at || at == step->len || step->len - at > 9)
        return false;
    *number = 0;
    for (size_t i = at; i < step->len; i++) {
        if (!th__is_digit((unsigned char)step->ptr[i]))
            return false;
        *number = 10 * *number + (uint64_t)(step->ptr[i] - '0');
    }
    step->len = at - 1;
    return true;
}

/* The hash of a step as written. False if it is not one. */
static bool read_step(th__alphabet steps, th_str step, uint64_t *hash)
{
    uint64_t number = 0;
    uint16_t tag;
    bool numbered = steps >= TH__STEPS_POSITIONS && read_position(&step, &number);
    if (steps == TH__STEPS_POSITIONS) {
        *hash = th__hash_mix(th_tag_id(step), number);
        return numbered;
    }
    *hash = th__step_hash(step, &tag);
    if (steps == TH__STEPS_TAGS)
        *hash = th__element_hash(tag, (th_str){0});
    if (numbered)
        *hash = th__hash_mix(*hash, number);
    return true;
}

/* Takes "#name" or "[itemprop=name]" off the beginning of a path. False if it is not a path. */
static bool read_origin(th_str *path, int from, uint64_t *id)
{
    size_t at = th__str_find(*path, TH_STR(" > "));
    th_str name = {path->ptr, at == SIZE_MAX ? path->len : at};
    size_t used = at == SIZE_MAX ? path->len : at + 3;
    if (!name.len || name.ptr[0] != (from == FROM_ID ? '#' : '['))
        return true;
    *id = from == FROM_ID ? class_hash((th_str){name.ptr + 1, name.len - 1}) : 0;
    for (size_t i = 0; from == FROM_PROPERTY && i < PROPERTIES && !*id; i++) {
        size_t at_value = property_names[i].len + 2; /* behind "[itemprop=" */
        if (name.len > at_value && name.ptr[at_value - 1] == '=' && name.ptr[name.len - 1] == ']' &&
            !memcmp(name.ptr + 1, property_names[i].ptr, property_names[i].len))
            *id = property_hash(i, (th_str){name.ptr + at_value, name.len - at_value - 1});
    }
    *path = (th_str){path->ptr + used, path->len - used};
    return *id;
}

bool th__address_read(th__address address, th_str path, uint64_t *key)
{
    uint64_t id = 0, power = 1, sum = 0, hash;
    int count = 0;
    bool bad = false;
    th_str step;
    if (ways[address].from < FROM_ROOT && !read_origin(&path, ways[address].from, &id))
        return false;
    while (address != TH__ANYWHERE && th__path_next(&path, &step, &bad)) {
        if (ways[address].from >= 0 && ++count > ways[address].from)
            return false;
        if (!read_step(ways[address].steps, step, &hash))
            return false;
        power *= TH__KEY_BASE;
        sum += (hash | 1) * power;
    }
    *key = th__hash_mix(id, sum);
    return !bad;
}

/* ==== sets of keys ==== */

enum { FEW_KEYS = 24 }; /* most records have fewer */

static void sort_few(uint64_t *keys, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        size_t at = i;
        for (; at > 0 && keys[at - 1] > key; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/* Quicksort by the median of three, without the call for each comparison that qsort makes. Keys are
 * hashes, so halves are halves; where they are not, `depth` runs out and qsort does the rest. */
static void sort_halves(uint64_t *keys, size_t count, unsigned depth)
{
    while (count > FEW_KEYS && depth--) {
        uint64_t a = keys[0], b = keys[count / 2], c = keys[count - 1];
        uint64_t pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        size_t low = 0, high = count - 1;
        for (;;) { /* the keys before low are at most the pivot, those behind high at least */
            while (keys[low] < pivot)
                low++;
            while (keys[high] > pivot)
                high--;
            if (low >= high)
                break;
            uint64_t swapped = keys[low];
            keys[low++] = keys[high];
            keys[high--] = swapped;
        }
        size_t left = high + 1;
        sort_halves(keys + left, count - left, depth);
        count = left;
    }
    if (count > FEW_KEYS)
        qsort(keys, count, sizeof *keys, th__by_number);
    else
        sort_few(keys, count);
}

void th__keys_sort(uint64_t *keys, size_t count)
{
    sort_halves(keys, count, 64);
}

void th__key_vec_sort(th__key_vec *keys)
{
    size_t kept = 0;
    th__keys_sort(keys->data, keys->len);
    for (size_t i = 0; i < keys->len; i++)
        if (i == 0 || keys->data[i] != keys->data[i - 1])
            keys->data[kept++] = keys->data[i];
    keys->len = kept;
}

size_t th__key_vec_find(const th__key_vec *keys, uint64_t key)
{
    size_t at = th__count_first(i, keys->len, keys->data[i] < key);
    return at < keys->len && keys->data[at] == key ? at : SIZE_MAX;
}

size_t th__key_vec_common(const th__key_vec *a, const th__key_vec *b)
{
    size_t i = 0, j = 0, common = 0;
    while (i < a->len && j < b->len) {
        common += a->data[i] == b->data[j];
        if (a->data[i] <= b->data[j])
            i++;
        else
            j++;
    }
    return common;
}
