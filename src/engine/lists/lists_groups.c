/*
 * lists_groups.c: finding groups of alike elements, and those that may be lists of records.
 *
 * The score asks how much a reader would learn from the group taken as a table. For each field (key
 * and how often the key came before in the record) over the filled records:
 *
 *     tells = mean log2(1 + length) * (share of records that have it)^2 * sqrt(share that differ)
 *
 * and half as much for each repetition of the key in a record: many values under one key speak of a
 * container of records rather than of one. The square tells whole records from pieces of different
 * kinds (a row with the title, a row with the price), which have each field half of the time. Then
 *
 *     score = sum of tells * log2(1 + records)
 *             * (1 - linked / 2)     text in links is navigation more often than not
 *             * filled / records     empty elements are layout
 *
 * The score picks the groups that are looked at closely: see lists_model.h for what ranks them.
 *
 * Cost: each leaf is visited once for each group it lies in, at most four at each level above it.
 */
#include "engine/lists/lists_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/key_map.h"
#include "base/str.h"
#include "base/vec.h"
#include "page/tags.h"
#include "table/items.h"

/* ==== records of several elements: runs of neighbours, and grids ====
 *
 *     <dt>Walden <dd>Thoreau <dd>$7.50 <dt>Emma <dd>Austen <dd>$6.00
 *
 * Where the children of an element are of different shapes and one shape comes again and again, it
 * may be the head of records. What a run is worth is left to the scoring of groups, where the right
 * head gives the table that tells most.
 *
 *     <tr> <td>Walden   <td>Emma     <td>Ulysses
 *     <tr> <td>$7.50    <td>$6.00    <td>$9.25
 *
 * A table of data has rows of cells as well. In a grid the cells of a row are alike and those of
 * the next row are others: each row has its own core of keys, seen from the cell, which most of its
 * cells have and the cells of the other rows do not. In a table of data the columns differ and the
 * rows are alike.
 *
 * Cost: for each element, its children times HEADS; for grids linear in the leaves for each level
 * of nesting at which there are rows of cells.
 */

/* ---- the children of an element cut into runs -------------------------------------------------
 */

/* Returns true if an element is a br with nothing but blanks between it and another. */
static bool is_empty_line(const th_page *page, uint32_t node)
{
    uint32_t next = page->nodes[node].end, end = page->nodes[page->nodes[node].parent].end;
    if (page->tags[node] != TH_TAG_BR || next >= end || page->tags[next] != TH_TAG_BR)
        return false;
    for (uint32_t t = page->nodes[node].token_end; t < page->nodes[next].token; t++)
        if (page->tokens[t].kind == TH_TOKEN_TEXT && !(page->tokens[t].flags & TH_TOKEN_BLANK))
            return false;
    return true;
}

/* How many cells a table row has; rows of different kinds differ by little else. */
static uint32_t count_cells(const th_page *page, uint32_t node)
{
    uint32_t cells = 0;
    if (page->tags[node] == TH_TAG_TR)
        for (uint32_t c = node + 1; c < page->nodes[node].end; c = page->nodes[c].end)
            cells++;
    return cells;
}

/* The tag of the phrasing that a leaf of an element begins in, or 0. The leaf may flow in the text
 * of the element's parent: the element itself is the phrasing then. */
static uint16_t first_tag(const th_page *page, uint32_t node, const th__leaf *leaf)
{
    uint32_t n = leaf->node < node ? node : leaf->node + 1, end = page->nodes[leaf->node].end;
    while (n < end && page->nodes[n].token_end <= leaf->token)
        n = page->nodes[n].end;
    return n < end && page->nodes[n].token < leaf->token ? page->tags[n] : 0;
}

static bool has_picture(const th_page *page, uint32_t node)
{
    for (uint32_t n = node; n < page->nodes[node].end; n++)
        if (page->tags[n] == TH_TAG_IMG || page->tags[n] == TH_TAG_SVG)
            return true;
    return false;
}

void th__lists_look(const th__view *view, uint32_t node, th__lists_look_of *out)
{
    const th_page *page = view->page;
    uint32_t leaf = view->leaves.before[page->nodes[node].token];
    uint32_t leaf_end = view->leaves.before[page->nodes[node].token_end];
    *out = (th__lists_look_of){.node = node,
                               .signature = view->signature[node],
                               .is_break = page->tags[node] == TH_TAG_BR,
                               .first = leaf < leaf_end ? view->leaves.data[leaf].node : 0,
                               .cells = count_cells(page, node)};
    out->twice = is_empty_line(page, node);
    out->first_key = out->first ? th__view_key(view, node, out->first) : TH__LISTS_NO_TEXT;
    out->first_tag = out->first ? first_tag(page, node, &view->leaves.data[leaf]) : 0;
    out->alone = leaf_end == leaf + 1;
    /* The text of phrasing may have begun before it. */
    out->empty = !out->first && (th__tag_flags(page->tags[node]) & TH_TAG_IS_BLOCK) &&
                 !out->is_break && !has_picture(page, node);
}

/* Equal on all pages for children of one shape. A br counts by whether another follows: an empty
 * line is another thing than a new one. */
static uint64_t shape_of(const th__lists_look_of *look, uint8_t fine)
{
    if (look->is_break)
        return th__hash_mix(look->twice, TH_TAG_BR);
    uint64_t first = look->first_key;
    if (fine == TH__LISTS_COARSE)
        first = first == TH__LISTS_NO_TEXT;
    uint64_t shape = th__hash_mix(first, (uint64_t)look->cells << 32 | look->signature);
    return fine == TH__LISTS_FINE
               ? th__hash_mix(shape, (uint64_t)look->first_tag << 1 | look->alone)
               : shape;
}

struct child {
    uint64_t shape;
    uint32_t node;
    uint32_t count; /* children of its shape */
};

typedef TH__VEC(struct child) child_vec;

enum { HEADS = 6 }; /* shapes tried as heads, the most frequent */

/* The children of an element, looked at in one way. */
struct family {
    TH__VEC(th__lists_look_of) looks;
    child_vec children, shapes; /* shapes: one child of each, the most frequent HEADS first */
    th__key_map numbers;        /* of shapes */
};

static void release_family(struct family *f)
{
    th__vec_release(&f->looks);
    th__vec_release(&f->children);
    th__vec_release(&f->shapes);
    th__key_map_release(&f->numbers);
}

/* Looks at the children of an element that are not hidden. False if out of memory. */
static bool look_at_children(struct family *f, const th__view *view, uint32_t parent)
{
    const th_page *page = view->page;
    uint32_t end = page->nodes[parent].end;
    f->looks.len = 0;
    for (uint32_t node = parent + 1; node < end; node = page->nodes[node].end) {
        if (th__tag_flags(page->tags[node]) & TH_TAG_IS_HIDDEN)
            continue;
        if (!th__vec_reserve(&f->looks, 1))
            return false;
        th__lists_look(view, node, &f->looks.data[f->looks.len++]);
    }
    return true;
}

/* Finds the shapes of the children, and how many have each. False if out of memory. */
static bool count_shapes(struct family *f, uint8_t fine)
{
    f->shapes.len = f->children.len = 0;
    th__key_map_clear(&f->numbers);
    if (!th__vec_reserve(&f->children, f->looks.len))
        return false;
    for (size_t i = 0; i < f->looks.len; i++) {
        struct child child = {shape_of(&f->looks.data[i], fine), f->looks.data[i].node, 0};
        uint32_t number = th__key_map_number(&f->numbers, child.shape);
        if (!number || (number > f->shapes.len && !th__vec_push(&f->shapes, child)))
            return false;
        f->shapes.data[number - 1].count++;
        child.count = number;
        f->children.data[f->children.len++] = child;
    }
    for (size_t i = 0; i < f->children.len; i++)
        f->children.data[i].count = f->shapes.data[f->children.data[i].count - 1].count;
    bool sorted = true; /* as it is where all children are alike */
    for (size_t i = 1; i < f->shapes.len && sorted; i++)
        sorted = f->shapes.data[i].count <= f->shapes.data[i - 1].count;
    for (size_t i = 0; !sorted && i < HEADS && i + 1 < f->shapes.len; i++) {
        size_t most = i;
        for (size_t k = i + 1; k < f->shapes.len; k++)
            most = f->shapes.data[k].count > f->shapes.data[most].count ? k : most;
        struct child next = f->shapes.data[most];
        memmove(&f->shapes.data[i + 1], &f->shapes.data[i], (most - i) * sizeof next);
        f->shapes.data[i] = next;
    }
    return true;
}

/* The child after which a run from `start` ends, given that it may not reach `limit`: trailing
 * children of shapes that few records could have do not belong to it. */
static size_t trim(const child_vec *children, size_t start, size_t limit, uint32_t heads)
{
    while (limit > start + 1 && 5 * children->data[limit - 1].count < heads)
        limit--;
    return limit;
}

/* Returns true if a child before the first separator is above the list rather than in its first
 * record: its shape is rare, or it is a title or a line that comes once. */
static bool is_above(const th_page *page, const struct child *child, uint32_t heads)
{
    uint16_t tag = page->tags[child->node];
    bool title = tag == TH_TAG_HR || th__tag_flags(tag) & TH_TAG_IS_HEADING;
    return 5 * child->count < heads || (title && child->count == 1);
}

static bool has_text_in(const th__view *view, uint32_t token, uint32_t end)
{
    return view->leaves.before[token] < view->leaves.before[end];
}

/* Appends runs that end with a separator, from the first one at `start` on: lines of text that a br
 * ends. */
static bool cut_lines(const th__view *view, uint32_t parent, const child_vec *children,
                      size_t start, uint64_t head, th__extent_vec *runs)
{
    const th_page *page = view->page;
    uint32_t token = start ? page->nodes[children->data[start - 1].node].token_end
                           : page->nodes[parent].token + (parent > 0);
    for (size_t next = start; start < children->len; start = ++next) {
        while (next + 1 < children->len && children->data[next].shape != head)
            next++;
        th__extent run = th__extent_of(page, children->data[start].node, children->data[next].node);
        run.run = 1;
        run.token = token;
        token = run.token_end;
        if (!th__vec_push(runs, run))
            return false;
    }
    return true;
}

/* Appends the runs of an element, its children counted. */
static bool cut_children(const th__view *view, uint32_t parent, const child_vec *children,
                         uint64_t head, bool separator, th__extent_vec *runs)
{
    const th_page *page = view->page;
    size_t start = 0, total = children->len, longest = 1, before = runs->len;
    uint32_t heads = 0;
    for (size_t i = 0; i < total && !heads; i++)
        heads = children->data[i].shape == head ? children->data[i].count : 0;
    while (start < total && children->data[start].shape != head &&
           (!separator || is_above(page, &children->data[start], heads)))
        start++;
    uint32_t above = start ? page->nodes[children->data[start - 1].node].token_end
                           : page->nodes[parent].token + (parent > 0);
    if (separator && start < total && children->data[start].shape == head &&
        has_text_in(view, above, page->nodes[children->data[start].node].token))
        return cut_lines(view, parent, children, start, head, runs);
    for (size_t first = start; start < total;) {
        size_t next = start + 1;
        while (next < total && children->data[next].shape != head)
            next++;
        bool last = next == total;
        size_t limit =
            last && runs->len > before && next - start > longest ? start + longest : next;
        size_t end = trim(children, start, limit, heads);
        longest = end - start > longest ? end - start : longest;
        th__extent run =
            th__extent_of(page, children->data[start].node, children->data[end - 1].node);
        run.run = 1;
        if (separator && start == first && children->data[start].shape != head)
            run.token = above; /* a line before it */
        /* Text behind the last child belongs to the run. */
        run.token_end = end < total ? page->nodes[children->data[end].node].token
                                    : page->nodes[parent].token_end;
        if (!th__vec_push(runs, run))
            return false;
        start = next;
    }
    return true;
}

/* ---- which runs there may be --------------------------------------------------------------------
 */

enum { LEAST_HEADS = 3 /* two of a kind are no list */, LOOKED_AT = 8 };

struct run_finder {
    const th__view *view;
    th__arena *arena;
    th__lists_group_vec *groups;
    struct family of; /* the element at hand */
    child_vec plain;  /* its children, with the plain shape */
};

/* Appends the keys of the texts in an element. A cell that has a link in some rows counts by that,
 * although in a table it is the same column. */
static bool add_own_keys(const th__view *view, uint32_t node, th__key_vec *keys)
{
    const th_node *at = &view->page->nodes[node];
    uint32_t leaf = view->leaves.before[at->token], end = view->leaves.before[at->token_end];
    bool ok = true;
    for (; ok && leaf < end; leaf++)
        if (view->leaves.data[leaf].node >= node)
            ok = th__vec_push(keys, th__view_key(view, node, view->leaves.data[leaf].node));
    return ok;
}

/* Returns true if heads and others have most of their fields in common: then each child is a record
 * of its own, and the shapes differ by what is missing. */
static bool heads_are_like_others(struct run_finder *f, uint64_t head, bool *failed)
{
    th__key_vec heads = {0}, others = {0};
    uint32_t looked_heads = 0, looked_others = 0;
    for (size_t i = 0; i < f->of.children.len; i++) {
        bool is_head = f->of.children.data[i].shape == head;
        uint32_t *looked = is_head ? &looked_heads : &looked_others;
        if (f->of.children.data[i].count < LEAST_HEADS || *looked == LOOKED_AT)
            continue;
        ++*looked;
        if (!add_own_keys(f->view, f->of.children.data[i].node, is_head ? &heads : &others))
            *failed = true;
    }
    th__key_vec_sort(&heads);
    th__key_vec_sort(&others);
    size_t common = th__key_vec_common(&heads, &others);
    size_t fewer = heads.len < others.len ? heads.len : others.len;
    bool alike = heads.len >= 2 && 2 * common > fewer;
    th__vec_release(&heads);
    th__vec_release(&others);
    return alike;
}

/* Returns true if texts before the first head are part of the list: then the head is one of the
 * later elements of a record, and the runs are out of step. What is above a heading that comes
 * seldom is not part of it. */
static bool is_out_of_step(const struct run_finder *f, const struct child *head)
{
    const th_page *page = f->view->page;
    bool out = false;
    for (size_t i = 0; f->of.children.data[i].shape != head->shape; i++) {
        const struct child *child = &f->of.children.data[i];
        bool text = th__leaves_in(f->view, child->node);
        bool heading = th__tag_flags(page->tags[child->node]) & TH_TAG_IS_HEADING;
        if (heading && 2 * child->count <= head->count)
            out = false;
        out |= text && child->count >= LEAST_HEADS && 2 * child->count >= head->count;
    }
    return out;
}

/* How many lines of an element's own text begin between two tokens. */
static uint32_t count_lines(const th__view *view, uint32_t parent, uint32_t token, uint32_t end)
{
    uint32_t lines = 0;
    for (uint32_t l = view->leaves.before[token]; l < view->leaves.before[end]; l++)
        lines += view->leaves.data[l].node <= parent;
    return lines;
}

/* Returns true if lines of text show the same: some are before the first head, and the last run
 * has fewer of them than the others, which all have as many.
 *
 *     Built 1910<br><a>Amber</a><br>East dock<br> Built 1911<br><a>Birch</a><br>West dock<br>
 */
static bool is_late_in_lines(const th__view *view, uint32_t parent, const th__extent_vec *runs)
{
    const th__extent *run = runs->data, *last = run + runs->len - 1;
    uint32_t before = count_lines(view, parent, view->page->nodes[parent].token, run->token);
    uint32_t lines = count_lines(view, parent, last->token, last->token_end);
    uint32_t usual = before && run < last ? count_lines(view, parent, run->token, run[1].token) : 0;
    if (lines >= usual || before + lines < usual)
        return false;
    while (++run < last)
        if (count_lines(view, parent, run->token, run[1].token) != usual)
            return false;
    return true;
}

/* Returns true if at least four in five runs have the same number of elements, and not many. */
static bool is_regular(const th_page *page, const th__extent_vec *runs)
{
    enum { MANY = 8 }; /* more is a section rather than a record */
    uint32_t counts[MANY + 1] = {0}, most = 0;
    for (size_t i = 0; i < runs->len; i++) {
        uint32_t elements = 1;
        for (uint32_t n = runs->data[i].first; n < runs->data[i].last && elements < MANY + 1;
             n = page->nodes[n].end)
            elements++;
        if (elements <= MANY)
            counts[elements]++;
    }
    for (uint32_t i = 2; i <= MANY; i++)
        most = counts[i] > most ? counts[i] : most;
    return 5 * (size_t)most >= 4 * runs->len;
}

/* Returns true if each run is an element and nothing else. */
static bool are_elements(const th__view *view, const th__extent_vec *runs)
{
    for (size_t i = 0; i < runs->len; i++) {
        const th__extent *run = &runs->data[i];
        if (run->first != run->last ||
            has_text_in(view, view->page->nodes[run->last].token_end, run->token_end))
            return false;
    }
    return true;
}

/* Adds a group whose records are extents, as many for each as it has parts. */
static bool add_extents(th__arena *arena, const th__extent_vec *extents, th__lists_group group,
                        th__lists_group_vec *groups)
{
    size_t parts = group.parts ? group.parts : 1;
    group.count = (uint32_t)(extents->len / parts);
    group.nodes = th__arena_alloc(arena, group.count * sizeof *group.nodes);
    group.runs = th__arena_keep(arena, extents->data, extents->len, sizeof *group.runs);
    for (uint32_t i = 0; group.nodes && i < group.count; i++)
        group.nodes[i] = extents->data[i * parts].first;
    return group.nodes && group.runs && th__vec_push(groups, group);
}

static bool add_runs(struct run_finder *f, uint32_t parent, const struct child *head, uint8_t fine)
{
    th__extent_vec runs = {0};
    th__lists_look_of look;
    th__lists_look(f->view, head->node, &look);
    bool separator = th__lists_is_separator(&look);
    if (!separator && is_out_of_step(f, head))
        return true;
    bool ok = cut_children(f->view, parent, &f->of.children, head->shape, separator, &runs);
    th__lists_group group = {.head = head->node, .fine = fine};
    group.regular = ok && is_regular(f->view->page, &runs);
    bool bad = ok && !separator &&
               (is_late_in_lines(f->view, parent, &runs) || are_elements(f->view, &runs));
    if (ok && fine == TH__LISTS_FINE && !group.regular)
        bad = true; /* values that differ rather than kinds of elements */
    ok = ok && (bad || add_extents(f->arena, &runs, group, f->groups));
    th__vec_release(&runs);
    return ok;
}

/* Returns true if nearly all children have the class of a head, and the others have about as many
 * texts: they differ inside, but each is a record. */
static bool have_one_class(const struct run_finder *f, const struct child *head)
{
    const th__view *view = f->view;
    uint32_t signature = view->signature[head->node];
    uint64_t same = 0, texts = 0, other_texts = 0, total = f->of.children.len;
    if (th__is_bare(view->page->tags[head->node], signature))
        return false;
    for (size_t i = 0; i < total; i++) {
        const struct child *child = &f->of.children.data[i];
        uint32_t count = th__leaves_in(view, child->node);
        same += view->signature[child->node] == signature;
        *(child->shape == head->shape ? &texts : &other_texts) += count;
    }
    return 10 * same >= 9 * total && 2 * other_texts * head->count >= texts * (total - head->count);
}

/* Returns true if a coarse shape is a plain one too. */
static bool is_known(const struct run_finder *f, const struct child *head)
{
    size_t i = 0;
    while (f->of.children.data[i].node != head->node)
        i++;
    return f->plain.data[i].count == head->count;
}

static bool try_shapes(struct run_finder *f, uint32_t parent, uint8_t fine)
{
    size_t tried = f->of.shapes.len < HEADS ? f->of.shapes.len : HEADS;
    for (size_t i = 0; i < tried && f->of.shapes.data[i].count >= LEAST_HEADS; i++) {
        const struct child *head = &f->of.shapes.data[i];
        bool failed = false;
        if (fine == TH__LISTS_COARSE && is_known(f, head))
            continue;
        /* A list of nearly nothing but heads has its records in single elements. */
        if (f->view->page->tags[head->node] != TH_TAG_BR &&
            5 * (size_t)head->count > (have_one_class(f, head) ? 3 : 4) * f->of.children.len)
            continue;
        if (heads_are_like_others(f, head->shape, &failed) || failed) {
            if (failed)
                return false;
            continue;
        }
        if (!add_runs(f, parent, head, fine))
            return false;
    }
    return true;
}

/* Looks at the children again, in another way. */
static bool try_again(struct run_finder *f, uint32_t parent, uint8_t fine)
{
    size_t known = f->of.shapes.len;
    if (!count_shapes(&f->of, fine))
        return false;
    return f->of.shapes.len == known || try_shapes(f, parent, fine);
}

static bool try_runs(struct run_finder *f, uint32_t parent)
{
    const th_node *nodes = f->view->page->nodes;
    uint32_t count = 0;
    for (uint32_t n = parent + 1; n < nodes[parent].end && count < LEAST_HEADS; n = nodes[n].end)
        count++;
    if (count < LEAST_HEADS)
        return true;
    struct family *of = &f->of;
    if (!look_at_children(of, f->view, parent))
        return false;
    if (of->looks.len < LEAST_HEADS || (of->looks.len == LEAST_HEADS && !of->looks.data->is_break))
        return true; /* nothing but heads: see try_shapes */
    if (!count_shapes(of, TH__LISTS_PLAIN) || !try_shapes(f, parent, TH__LISTS_PLAIN))
        return false;
    /* Where one shape has half of the children it may be several that look alike. */
    if (2 * (size_t)of->shapes.data[0].count >= of->children.len)
        return try_again(f, parent, TH__LISTS_FINE);
    /* Otherwise several shapes may be one whose first text is missing here and there. */
    child_vec plain = f->plain;
    f->plain = of->children;
    of->children = plain;
    return of->shapes.len < LEAST_HEADS || try_again(f, parent, TH__LISTS_COARSE);
}

static bool find_runs(th__arena *arena, const th__view *view, th__lists_group_vec *groups)
{
    const th_page *page = view->page;
    struct run_finder f = {.view = view, .arena = arena, .groups = groups};
    bool ok = true;
    for (uint32_t n = 0; ok && n < page->node_count; n++)
        if (page->nodes[n].end - n > LEAST_HEADS && th__leaves_in(view, n) >= LEAST_HEADS &&
            page->tags[n] != TH_TAG_SELECT)
            ok = try_runs(&f, n);
    th__vec_release(&f.plain);
    release_family(&f.of);
    return ok;
}

/* ---- the rows of an element cut into records ----------------------------------------------------
 */

enum {
    MOST_CELLS = 64, /* in a row of records */
    REPEATS = 4,     /* of a key in a cell that are told apart */
    LONG = 128       /* texts and elements of a cell that are looked at */
};

typedef TH__VEC(uint32_t) row_vec;

static bool is_hidden(const th_page *page, uint32_t node)
{
    return th__tag_flags(page->tags[node]) & TH_TAG_IS_HIDDEN;
}

/* The cells of a row, when they are of one tag; else 0. */
static uint32_t count_grid_cells(const th_page *page, uint32_t row)
{
    uint32_t cells = 0;
    for (uint32_t c = row + 1; c < page->nodes[row].end; c = page->nodes[c].end) {
        if (is_hidden(page, c))
            continue;
        if (page->tags[c] != page->tags[row + 1] || ++cells > MOST_CELLS)
            return 0;
    }
    return cells;
}

/* The rows of the grid in an element: those with the most frequent number of cells. */
static bool find_rows(const th_page *page, uint32_t parent, row_vec *rows)
{
    uint32_t counts[MOST_CELLS + 1] = {0}, usual = 2, kept = 0;
    rows->len = 0;
    for (uint32_t row = parent + 1; row < page->nodes[parent].end; row = page->nodes[row].end) {
        uint32_t cells = count_grid_cells(page, row);
        if (cells < 2)
            continue;
        if (rows->len && (page->tags[row] != page->tags[rows->data[0]] ||
                          page->tags[row + 1] != page->tags[rows->data[0] + 1])) {
            rows->len = 0; /* different things, not rows */
            return true;
        }
        counts[cells]++;
        if (!th__vec_push(rows, row))
            return false;
    }
    if (rows->len < 2)
        return true;
    for (uint32_t cells = 3; cells <= MOST_CELLS; cells++)
        usual = counts[cells] > counts[usual] ? cells : usual;
    if (rows->len > counts[usual])
        for (size_t i = 0; i < rows->len; i++)
            if (count_grid_cells(page, rows->data[i]) == usual)
                rows->data[kept++] = rows->data[i];
    rows->len = counts[usual];
    return true;
}

static uint32_t next_cell(const th_page *page, uint32_t cell, uint32_t row)
{
    do
        cell = cell < page->nodes[row].end ? page->nodes[cell].end : cell;
    while (cell < page->nodes[row].end && is_hidden(page, cell));
    return cell;
}

static uint32_t first_cell(const th_page *page, uint32_t row)
{
    return is_hidden(page, row + 1) ? next_cell(page, row + 1, row) : row + 1;
}

/* Appends the records of rows that belong together. */
static bool cut_rows(const th__view *view, const uint32_t *rows, uint32_t parts,
                     th__extent_vec *extents)
{
    const th_page *page = view->page;
    uint32_t cells[TH__LISTS_MAX_PARTS];
    for (uint32_t p = 0; p < parts; p++)
        cells[p] = first_cell(page, rows[p]);
    while (cells[0] < page->nodes[rows[0]].end) {
        bool text = false;
        size_t before = extents->len;
        for (uint32_t p = 0; p < parts && cells[p] < page->nodes[rows[p]].end; p++) {
            th__extent extent = th__extent_of(page, cells[p], cells[p]);
            extent.part = p;
            text |= has_text_in(view, extent.token, extent.token_end);
            if (!th__vec_push(extents, extent))
                return false;
            cells[p] = next_cell(page, cells[p], rows[p]);
        }
        if (!text || extents->len - before < parts)
            extents->len = before;
    }
    return true;
}

static bool cut_grid(const th__view *view, uint32_t parent, uint32_t parts, th__extent_vec *extents)
{
    row_vec rows = {0};
    bool ok = parts && parts <= TH__LISTS_MAX_PARTS && find_rows(view->page, parent, &rows);
    for (size_t i = 0; ok && i + parts <= rows.len; i += parts)
        ok = cut_rows(view, rows.data + i, parts, extents);
    th__vec_release(&rows);
    return ok;
}

bool th__lists_cut(const th__view *view, uint32_t parent, uint32_t parts,
                   const th__lists_look_of *head, uint8_t fine, th__extent_vec *extents)
{
    struct family f = {0};
    if (parts)
        return cut_grid(view, parent, parts, extents);
    bool ok = look_at_children(&f, view, parent) && count_shapes(&f, fine) &&
              cut_children(view, parent, &f.children, shape_of(head, fine),
                           th__lists_is_separator(head), extents);
    release_family(&f);
    return ok;
}

#define TAG_SALT UINT64_C(0x7A65) /* keeps tags apart from keys */

/* ---- grid or table --------------------------------------------------------------------------- */

/* What a cell is made of: the keys of its texts, the second of a kind apart from the first, and the
 * tags of what is in it. */
static bool cell_keys(const th__view *view, const th__extent *cell, th__key_vec *keys)
{
    const th_page *page = view->page;
    th__extent plain = *cell;
    plain.part = 0;
    keys->len = 0;
    if (!th__extent_add_keys(view, &plain, keys))
        return false;
    uint32_t end = page->nodes[cell->first].end;
    for (uint32_t c = cell->first + 1; c < end && keys->len < LONG; c = page->nodes[c].end)
        if (!th__vec_push(keys, th__hash_mix(TAG_SALT, page->tags[c])))
            return false;
    keys->len = keys->len < LONG ? keys->len : LONG;
    for (size_t i = keys->len; i-- > 0;) {
        uint32_t repeats = 0;
        for (size_t j = 0; j < i && repeats < REPEATS; j++)
            repeats += keys->data[j] == keys->data[i];
        if (repeats)
            keys->data[i] = th__hash_mix(keys->data[i], repeats);
    }
    th__key_vec_sort(keys);
    return true;
}

/* What at least half of the cells of a part have, and how much of it they have on average. */
static bool part_core(const th__view *view, const th__extent_vec *extents, uint32_t part,
                      th__key_vec *core, double *share)
{
    enum { CELLS = 64 }; /* looked at */
    th__key_vec all = {0}, keys = {0};
    uint32_t filled = 0;
    bool ok = true;
    for (int round = 0; ok && round < 2; round++) {
        uint32_t looked = 0;
        size_t common = 0;
        for (size_t i = 0; ok && i < extents->len && looked < CELLS; i++) {
            const th__extent *cell = &extents->data[i];
            uint32_t texts =
                view->leaves.before[cell->token_end] - view->leaves.before[cell->token];
            if (cell->part != part || !texts || texts > LONG)
                continue;
            looked++;
            ok = cell_keys(view, cell, &keys) && th__vec_reserve(&all, keys.len);
            for (size_t k = 0; ok && round == 0 && k < keys.len; k++)
                all.data[all.len++] = keys.data[k];
            common += th__key_vec_common(core, &keys);
        }
        th__keys_sort(all.data, all.len);
        for (size_t i = 0, end; ok && round == 0 && i < all.len; i = end) {
            for (end = i + 1; end < all.len && all.data[end] == all.data[i];)
                end++;
            if (2 * (end - i) >= looked)
                ok = th__vec_push(core, all.data[i]);
        }
        filled = looked;
        *share = core->len && filled ? (double)common / ((double)core->len * filled) : 0;
    }
    th__vec_release(&all);
    th__vec_release(&keys);
    return ok;
}

/* How many columns have next to nothing of a part's core: pictures before titles, say. In a grid
 * all columns are alike. */
static bool count_odd_columns(const th__view *view, const row_vec *rows, uint32_t part,
                              uint32_t parts, const th__key_vec *core, uint32_t *odd)
{
    const th_page *page = view->page;
    size_t common[MOST_CELLS + 1] = {0}, looked[MOST_CELLS + 1] = {0};
    th__key_vec keys = {0};
    bool ok = true;
    for (size_t i = part; ok && i < rows->len; i += parts) {
        uint32_t row = rows->data[i], column = 0;
        for (uint32_t c = first_cell(page, row); ok && c < page->nodes[row].end;
             c = next_cell(page, c, row), column++) {
            th__extent cell = th__extent_of(page, c, c);
            if (page->nodes[c].end == c + 1 && !has_text_in(view, cell.token, cell.token_end))
                continue; /* behind the last record */
            ok = cell_keys(view, &cell, &keys);
            common[column] += th__key_vec_common(core, &keys);
            looked[column]++;
        }
    }
    *odd = 0;
    for (uint32_t c = 0; c <= MOST_CELLS; c++)
        *odd += looked[c] >= 2 && 3 * common[c] < looked[c] * core->len;
    th__vec_release(&keys);
    return ok;
}

/* Returns true if the cells of each part are alike, and those of any two parts are not. */
static bool is_grid(const th__view *view, const row_vec *rows, const th__extent_vec *extents,
                    uint32_t parts, bool *failed)
{
    th__key_vec cores[TH__LISTS_MAX_PARTS] = {0};
    uint32_t cells = count_grid_cells(view->page, rows->data[0]);
    bool grid = true;
    for (uint32_t p = 0; p < parts && grid; p++) {
        double share = 0;
        uint32_t odd = 0;
        *failed |= !part_core(view, extents, p, &cores[p], &share) ||
                   !count_odd_columns(view, rows, p, parts, &cores[p], &odd);
        grid = !*failed && cores[p].len && share >= 0.7 && 4 * odd <= cells;
        for (uint32_t q = 0; q < p && grid; q++) {
            size_t common = th__key_vec_common(&cores[p], &cores[q]);
            grid = 2 * common < cores[p].len + cores[q].len - common;
        }
    }
    for (uint32_t p = 0; p < parts; p++)
        th__vec_release(&cores[p]);
    return grid;
}

static bool is_header(const th_page *page, const row_vec *rows)
{
    return page->tags[rows->data[0] + 1] == TH_TAG_TH;
}

static bool try_grid(th__arena *arena, const th__view *view, uint32_t parent,
                     th__lists_group_vec *groups)
{
    row_vec rows = {0};
    th__extent_vec extents = {0};
    bool ok = find_rows(view->page, parent, &rows), failed = false, found = false;
    for (uint32_t parts = 2; ok && !found && parts <= TH__LISTS_MAX_PARTS; parts++) {
        if (rows.len < parts || rows.len % parts || is_header(view->page, &rows))
            continue;
        extents.len = 0;
        ok = cut_grid(view, parent, parts, &extents);
        found = ok && extents.len >= (size_t)LEAST_HEADS * parts &&
                is_grid(view, &rows, &extents, parts, &failed);
        th__lists_group group = {.parts = parts, .head = parent};
        ok = ok && !failed && (!found || add_extents(arena, &extents, group, groups));
    }
    th__vec_release(&rows);
    th__vec_release(&extents);
    return ok;
}

static bool find_grids(th__arena *arena, const th__view *view, th__lists_group_vec *groups)
{
    const th_page *page = view->page;
    bool ok = true;
    for (uint32_t n = 1; ok && n < page->node_count; n++) {
        const th_node *node = &page->nodes[n];
        /* Two rows of two cells at least. */
        if (node->end - n > 2 * LEAST_HEADS && page->nodes[n + 1].end < node->end &&
            th__leaves_in(view, n) >= 2 * LEAST_HEADS)
            ok = try_grid(arena, view, n, groups);
    }
    return ok;
}

/* ==== groups of alike elements ==== */

enum { MAX_REPEATS = 3 };
#define ALIKE 0.01

/* ---- putting elements together --------------------------------------------------------------- */

/* Elements that are no records, whatever they hold. */
static bool is_ruled_out(uint16_t tag)
{
    return th__tag_flags(tag) & (TH_TAG_IS_VOID | TH_TAG_IS_HIDDEN | TH_TAG_IS_INLINE) ||
           tag == TH_TAG_HEAD || tag == TH_TAG_BODY || tag == TH_TAG_TITLE ||
           tag == TH_TAG_OPTION || tag == TH_TAG_OPTGROUP || tag == TH_TAG_LABEL ||
           tag == TH_TAG_BUTTON;
}

/*
 * Each way of putting elements together is a cut of another one, so that elements are looked up
 * once. Those with a path of signatures are in the order of the page, and all of them are at one
 * depth: siblings among them are side by side. So are siblings with a path of tags. Elements with a
 * path of tags and a signature are those of some paths of signatures.
 */
struct collector {
    const th__view *view;
    th__arena *arena;         /* of the groups */
    uint64_t *signature_path; /* by node */
    th__key_map table;        /* numbers of paths of signatures */
    uint32_t *tried;          /* the elements that may be records */
    uint32_t tried_count;
    uint32_t *number;              /* by place in `tried`: of the path of signatures, from 1 */
    uint32_t *start;               /* by number: where its nodes begin */
    uint32_t *nodes;               /* path after path */
    uint32_t *spare, *spare_start; /* the same for other paths */
    th__key_map seen;              /* hashes of groups */
    th__lists_group_vec groups;
    bool failed;
};

static uint32_t number_of(struct collector *c, uint64_t key)
{
    uint32_t number = th__key_map_number(&c->table, key);
    c->failed |= !number;
    return number;
}

static uint64_t hash_nodes(const uint32_t *nodes, uint32_t count)
{
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash = th__hash_mix(hash, nodes[i]);
    return hash;
}

/* Adds a group unless there is the same one, or less than two elements have text. */
static void add_group(struct collector *c, const uint32_t *nodes, uint32_t count)
{
    uint32_t before = c->seen.count, filled = 0;
    for (uint32_t i = 0; i < count && filled < 2; i++)
        filled += th__leaves_in(c->view, nodes[i]) > 0;
    if (filled < 2)
        return;
    uint64_t hash = hash_nodes(nodes, count);
    uint32_t number = th__key_map_number(&c->seen, hash);
    if (number && number <= before)
        return;
    uint32_t *kept = th__arena_keep(c->arena, nodes, count, sizeof *kept);
    if (!kept || !number ||
        !th__vec_push(&c->groups, (th__lists_group){.nodes = kept, .count = count}))
        c->failed = true;
}

/* One past the last of the nodes from `at` on that have the same parent. */
static uint32_t siblings_end(const th_page *page, const uint32_t *nodes, uint32_t at, uint32_t end)
{
    uint32_t parent = page->nodes[nodes[at]].parent;
    while (at < end && page->nodes[nodes[at]].parent == parent)
        at++;
    return at;
}

/* Two groups of siblings of one kind, one of them a level deeper: where they begin, and the paths
 * that they are of. */
struct nested {
    uint32_t outer, inner, outer_path, inner_path;
};

static int by_outer(const void *a, const void *b)
{
    const struct nested *left = a, *right = b;
    return th__order(left->outer, right->outer) ?: th__order(left->inner, right->inner);
}

/* The path of the siblings of an element's parent that are of its kind, or 0. Elements without a
 * class say too little, but for those that are parts of lists and tables. */
static uint32_t path_above(const struct collector *c, uint32_t node)
{
    const th_page *page = c->view->page;
    uint32_t signature = c->view->signature[node], parent = page->nodes[node].parent;
    uint16_t tag = page->tags[node];
    if (!parent || (tag != TH_TAG_LI && tag != TH_TAG_TR && th__is_bare(tag, signature)))
        return 0;
    return th__key_map_get(&c->table,
                           th__hash_mix(c->signature_path[page->nodes[parent].parent], signature));
}

/* Where the children of an element begin among the nodes of a path; UINT32_MAX: there are none. */
static uint32_t children_at(const struct collector *c, uint32_t path, uint32_t parent)
{
    const uint32_t *nodes = c->nodes + c->start[path - 1];
    uint32_t count = c->start[path] - c->start[path - 1];
    uint32_t at = (uint32_t)th__count_first(i, count, nodes[i] <= parent);
    return at < count && c->view->page->nodes[nodes[at]].parent == parent ? c->start[path - 1] + at
                                                                          : UINT32_MAX;
}

/* Drops elements that hold the next one: all later items are in one that was never closed. */
static size_t drop_outer(const th_page *page, uint32_t *nodes, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (i + 1 == count || nodes[i + 1] >= page->nodes[nodes[i]].end)
            nodes[kept++] = nodes[i];
    return kept;
}

/* Appends the siblings that begin at a place, of a path. False if out of memory. */
static bool add_siblings(const struct collector *c, uint32_t at, uint32_t path,
                         th__lists_nodes *nodes)
{
    uint32_t end = siblings_end(c->view->page, c->nodes, at, c->start[path]);
    bool ok = th__vec_reserve(nodes, end - at);
    for (; ok && at < end; at++)
        nodes->data[nodes->len++] = c->nodes[at];
    return ok;
}

/*
 * A record may be beside the element that holds the others, as where the first one is shown apart
 * or a shop loads the rest into a container of its own:
 *
 *     <div class=results><div class=hit>..</div> <div class=more><div class=hit>..<div class=hit>..
 *
 * Puts the groups of both levels together. The siblings of one signature are laid out.
 */
static bool join_levels(struct collector *c)
{
    const th_page *page = c->view->page;
    TH__VEC(struct nested) found = {0};
    th__lists_nodes nodes = {0};
    bool ok = true;
    for (uint32_t g = 0; ok && g < c->table.count; g++) {
        uint32_t at = c->start[g], end, above = path_above(c, c->nodes[at]);
        for (; ok && above && at < c->start[g + 1]; at = end) {
            end = siblings_end(page, c->nodes, at, c->start[g + 1]);
            uint32_t parent = page->nodes[c->nodes[at]].parent;
            uint32_t outer = children_at(c, above, page->nodes[parent].parent);
            if (outer != UINT32_MAX)
                ok = th__vec_push(&found, (struct nested){outer, at, above, g + 1});
        }
    }
    if (ok && found.len)
        qsort(found.data, found.len, sizeof *found.data, by_outer);
    for (size_t i = 0, end; ok && i < found.len; i = end) {
        uint32_t outer = found.data[i].outer;
        nodes.len = 0;
        ok = add_siblings(c, outer, found.data[i].outer_path, &nodes);
        for (end = i; ok && end < found.len && found.data[end].outer == outer; end++)
            ok = add_siblings(c, found.data[end].inner, found.data[end].inner_path, &nodes);
        if (ok && nodes.len > 2) {
            qsort(nodes.data, nodes.len, sizeof *nodes.data, th__by_node);
            nodes.len = drop_outer(page, nodes.data, nodes.len);
            add_group(c, nodes.data, (uint32_t)nodes.len);
        }
    }
    th__vec_release(&found);
    th__vec_release(&nodes);
    return ok;
}

/* Puts elements with the same path of signatures together, all over the page. */
static bool group_by_path(struct collector *c)
{
    uint32_t *start = c->start, paths = 0;
    start[0] = start[1] = 0;
    for (uint32_t i = 0; i < c->tried_count; i++) {
        uint32_t number = number_of(c, c->signature_path[c->tried[i]]);
        if (!number)
            return false;
        if (number > paths)
            start[++paths + 1] = 0;
        c->number[i] = number;
        start[number + 1]++;
    }
    /* start[g + 1] runs from the beginning of path g to its end while nodes are laid out. */
    for (uint32_t g = 2; g <= paths + 1; g++)
        start[g] += start[g - 1];
    for (uint32_t i = 0; i < c->tried_count; i++)
        c->nodes[start[c->number[i]]++] = c->tried[i];
    for (uint32_t g = 0; g < paths; g++)
        if (start[g + 1] - start[g] >= 2)
            add_group(c, c->nodes + start[g], start[g + 1] - start[g]);
    return true;
}

/* Puts siblings of one signature together, where there are others of their path. */
static void group_by_parent(struct collector *c)
{
    for (uint32_t g = 0; g < c->table.count; g++)
        for (uint32_t at = c->start[g], last = c->start[g + 1], end; at < last; at = end) {
            end = siblings_end(c->view->page, c->nodes, at, last);
            if (end - at >= 2 && end - at < last - c->start[g])
                add_group(c, c->nodes + at, end - at);
        }
}

/* Puts elements of one signature and path of tags together, where classes above differ. */
static bool group_by_tags(struct collector *c, th__arena *scratch)
{
    uint32_t *of = th__arena_alloc(scratch, (c->table.count + (size_t)1) * sizeof *of);
    uint32_t *start = c->spare_start, paths = c->table.count, kinds = 0;
    if (!of)
        return false;
    th__key_map_clear(&c->table);
    start[0] = start[1] = 0;
    for (uint32_t g = 0; g < paths; g++) {
        uint32_t node = c->nodes[c->start[g]];
        uint64_t path = c->view->page->nodes[node].path;
        if (!(of[g] = number_of(c, th__hash_mix(~path, c->view->signature[node]))))
            return false;
        if (of[g] > kinds)
            start[++kinds + 1] = 0;
        start[of[g] + 1] += c->start[g + 1] - c->start[g];
    }
    for (uint32_t k = 2; k <= kinds + 1; k++)
        start[k] += start[k - 1];
    for (uint32_t i = 0; i < c->tried_count; i++)
        c->spare[start[of[c->number[i] - 1]]++] = c->tried[i];
    for (uint32_t g = 0; g < paths; g++) /* those of one path of signatures are known */
        if (start[of[g]] - start[of[g] - 1] > c->start[g + 1] - c->start[g])
            add_group(c, c->spare + start[of[g] - 1], start[of[g]] - start[of[g] - 1]);
    return true;
}

static bool have_one_signature(const th__view *view, const uint32_t *nodes, uint32_t count)
{
    uint32_t i = 1;
    while (i < count && view->signature[nodes[i]] == view->signature[nodes[0]])
        i++;
    return i >= count;
}

/* Puts siblings of one tag together whose signatures differ. */
static void group_by_tag(struct collector *c)
{
    const th_page *page = c->view->page;
    uint32_t *start = c->spare_start;
    memset(start, 0, ((size_t)page->path_count + 2) * sizeof *start);
    for (uint32_t i = 0; i < c->tried_count; i++)
        start[page->nodes[c->tried[i]].path + 2]++;
    for (uint32_t p = 2; p < page->path_count + 2; p++)
        start[p] += start[p - 1];
    for (uint32_t i = 0; i < c->tried_count; i++)
        c->spare[start[page->nodes[c->tried[i]].path + 1]++] = c->tried[i];
    for (uint32_t at = 0, end; at < c->tried_count; at = end) {
        const uint32_t *nodes = c->spare + at;
        uint32_t path = page->nodes[nodes[0]].path;
        end = siblings_end(page, c->spare, at, start[path + 1]);
        if (!have_one_signature(c->view, nodes, end - at))
            add_group(c, nodes, end - at);
    }
}

/* ---- labels and values ----------------------------------------------------------------------- */

/* Returns true if an element has two texts, of which the first may be a label: no link, no digit.
 */
static bool is_pair(const th__view *view, uint32_t node, uint64_t *label, uint64_t *value)
{
    const th_page *page = view->page;
    uint32_t first = view->leaves.before[page->nodes[node].token];
    const th__leaf *leaf = &view->leaves.data[first];
    if (view->leaves.before[page->nodes[node].token_end] - first != 2 || leaf->linked)
        return false;
    th_span span = th__leaf_span(page, leaf);
    for (uint32_t at = span.start; at < span.end; at++)
        if (th__is_digit((unsigned char)page->text.ptr[at]))
            return false;
    *label = leaf->hash;
    *value = leaf[1].hash;
    return true;
}

/*
 * Returns true if a group is labels and values of records, which are the elements around them:
 *
 *     <div class=box><p><b>Member</b><i>13000</i> <p><b>Name</b><i>Ito</i></div> <div class=box>..
 *
 * Nearly all elements have two texts, the first is the same in most parents, never twice in one,
 * and the values differ.
 */
static bool are_pairs(struct collector *c, const th__lists_group *group)
{
    enum { LEAST = 3 }; /* records, and so is half of a parent's elements */
    const th_node *nodes = c->view->page->nodes;
    uint32_t parents = 0, last = UINT32_MAX, pairs = 0, labels = 0, values = 0;
    if (group->count < 2 * LEAST)
        return false;
    th__key_map_clear(&c->table);
    for (uint32_t i = 0; i < group->count; i++) {
        uint64_t label, value;
        uint32_t parent = nodes[group->nodes[i]].parent, known = c->table.count;
        parents += parent != last;
        last = parent;
        if (!is_pair(c->view, group->nodes[i], &label, &value)) {
            if (5 * (i + 1 - pairs) > group->count)
                return false;
            continue;
        }
        pairs++;
        if (number_of(c, th__hash_mix(label, parent)) <= known)
            return false; /* twice in one */
        known = c->table.count;
        labels += number_of(c, label) > known;
        known = c->table.count;
        values += number_of(c, ~value) > known;
    }
    return parents >= LEAST && group->count >= 2 * parents && 2 * labels * parents <= 3 * pairs &&
           2 * values > pairs;
}

/* Takes out groups of labels and values, and those that are part of one. */
static bool drop_pairs(struct collector *c, th__arena *scratch)
{
    uint8_t *pair = NULL;
    size_t kept = 0;
    for (size_t g = 0; g < c->groups.len; g++) {
        const th__lists_group *group = &c->groups.data[g];
        if (group->runs || !are_pairs(c, group))
            continue;
        if (!pair && !(pair = th__arena_zero(scratch, c->view->page->node_count, sizeof *pair)))
            return false;
        for (uint32_t i = 0; i < group->count; i++)
            pair[group->nodes[i]] = 1;
    }
    for (size_t g = 0; pair && g < c->groups.len; g++) {
        const th__lists_group *group = &c->groups.data[g];
        uint32_t pairs = 0;
        for (uint32_t i = 0; i < group->count; i++)
            pairs += pair[group->nodes[i]];
        if (pairs < group->count)
            c->groups.data[kept++] = *group;
    }
    c->groups.len = pair ? kept : c->groups.len;
    return true;
}

/* Returns true if all text of an element's parent is its own. */
static bool has_all_text(const th__view *view, uint32_t node)
{
    const th_node *n = &view->page->nodes[node];
    uint32_t leaf = view->leaves.before[n->token], end = view->leaves.before[n->token_end];
    if (th__leaves_in(view, n->parent) != end - leaf)
        return false;
    while (leaf < end && view->leaves.data[leaf].node >= node)
        leaf++;
    return leaf == end;
}

/*
 * Takes out groups of elements around those of another group that add no text:
 *
 *     <li><a><b>..</b></a></li> <li><a><b>..</b></a></li>
 *
 * Both become the same list of records.
 */
static void drop_wrapped(struct collector *c)
{
    const th_node *nodes = c->view->page->nodes;
    size_t kept = 0;
    for (size_t g = 0; g < c->groups.len; g++) {
        const th__lists_group *group = &c->groups.data[g];
        uint32_t i = 0, last = 0;
        for (; i < group->count; i++) {
            uint32_t parent = nodes[group->nodes[i]].parent;
            if (parent <= last || !has_all_text(c->view, group->nodes[i]))
                break;
            c->nodes[i] = last = parent;
        }
        uint32_t number =
            i == group->count ? th__key_map_get(&c->seen, hash_nodes(c->nodes, i)) : 0;
        if (number)
            c->groups.data[number - 1].score = -1;
    }
    for (size_t g = 0; g < c->groups.len; g++)
        if (c->groups.data[g].score == 0)
            c->groups.data[kept++] = c->groups.data[g];
    c->groups.len = kept;
}

static bool collect(struct collector *c, th__arena *scratch)
{
    const th_page *page = c->view->page;
    c->signature_path = th__arena_alloc(scratch, page->node_count * sizeof *c->signature_path);
    c->tried = th__arena_alloc(scratch, page->node_count * sizeof *c->tried);
    c->number = th__arena_alloc(scratch, page->node_count * sizeof *c->number);
    c->start = th__arena_alloc(scratch, ((size_t)page->node_count + 2) * sizeof *c->start);
    c->nodes = th__arena_alloc(scratch, page->node_count * sizeof *c->nodes);
    size_t most = page->node_count > page->path_count ? page->node_count : page->path_count;
    c->spare_start = th__arena_alloc(scratch, (most + 2) * sizeof *c->spare_start);
    c->spare = th__arena_alloc(scratch, page->node_count * sizeof *c->spare);
    if (!c->signature_path || !c->tried || !c->number || !c->start || !c->nodes || !c->spare ||
        !c->spare_start)
        return false;
    c->signature_path[0] = 1;
    for (uint32_t n = 1; n < page->node_count; n++) {
        c->signature_path[n] =
            th__hash_mix(c->signature_path[page->nodes[n].parent], c->view->signature[n]);
        if (!is_ruled_out(page->tags[n]))
            c->tried[c->tried_count++] = n;
    }
    if (!group_by_path(c))
        return false;
    group_by_parent(c);
    if (!join_levels(c) || !group_by_tags(c, scratch))
        return false;
    group_by_tag(c);
    drop_wrapped(c);
    return find_runs(c->arena, c->view, &c->groups) && find_grids(c->arena, c->view, &c->groups) &&
           drop_pairs(c, scratch);
}

/* ---- which may be lists -----------------------------------------------------------------------
 */

/* One field of the group that is scored. */
struct field {
    uint64_t key;
    uint64_t value;     /* the last one */
    struct field *next; /* that of the text behind its last one */
    uint32_t count, distinct;
    uint32_t record;  /* of a key without repeats: the record it was in last, */
    uint32_t repeats; /* and how often */
    float weight;     /* sum */
};

/* What of a text counts, side by side: each is looked at once for each group that it is in. */
struct scored {
    uint64_t sum, hash; /* sum: of the view, for the element that it is in */
    float weight;
    uint32_t node;
    uint32_t bytes, linked; /* of all texts before it; linked: bytes in links */
};

struct scorer {
    const th__view *view;
    const struct scored *texts; /* by leaf */
    struct field *fields; /* of the group, in the order of arrival; before them one that is none */
    uint32_t count;
    struct field *last;  /* that of the last text */
    th__key_map numbers; /* of fields, from 1 */
    th__key_map values;  /* of field and value */
    uint32_t linked;     /* bytes of text in links in the group */
    bool failed;
};

static struct field *field_of(struct scorer *s, uint64_t key)
{
    uint32_t number = th__key_map_number(&s->numbers, key);
    s->failed |= !number; /* then it is the one that is none */
    if (number > s->count)
        s->fields[s->count = number] =
            (struct field){.key = key, .record = UINT32_MAX, .next = s->fields};
    return &s->fields[number];
}

/* The same for the next text of a record. Records are alike: its field is most often the one that
 * came next in the record before. */
static inline struct field *next_field(struct scorer *s, uint64_t key)
{
    struct field *field = s->last->next;
    if (field == s->fields || field->key != key)
        s->last->next = field = field_of(s, key);
    return s->last = field;
}

/* Returns true if the value is new to its field. */
static bool is_new_value(struct scorer *s, const struct field *field, uint64_t hash)
{
    uint32_t before = s->values.count;
    return (!field->count || field->value != hash) &&
           th__key_map_number(&s->values, th__hash_mix(field->key, hash)) > before;
}

static inline void add_text(struct scorer *s, uint32_t index, uint64_t key,
                            const struct scored *text)
{
    struct field *field = next_field(s, key);
    float weight = text->weight;
    if (field->record != index) {
        field->record = index;
        field->repeats = 0;
    }
    uint32_t repeat = field->repeats++;
    if (repeat >= MAX_REPEATS)
        return;
    if (repeat) {
        field = field_of(s, th__hash_mix(key, repeat));
        weight /= (float)(1U << repeat);
    }
    field->weight += weight;
    field->distinct += is_new_value(s, field, text->hash);
    field->value = text->hash;
    field->count++;
}

/* Adds the texts of a record, or of a part of it. Keys are seen from `root`. */
static void add_extent(struct scorer *s, th__lists_group *group, uint32_t record, uint32_t root,
                       const th__extent *at)
{
    const uint32_t *before = s->view->leaves.before;
    const struct scored *text = s->texts + before[at->token],
                        *end = s->texts + before[at->token_end];
    uint32_t top = at->first, part = at->part;
    bool regular = group->regular;
    group->bytes += end->bytes - text->bytes;
    s->linked += end->linked - text->linked;
    uint64_t sum = s->view->sum[root], inverse = s->view->inverse[th__view_depth(s->view, root)];
    for (; text < end; text++) {
        if (text->node < root) { /* text of an element around it that begins here */
            group->bytes -= text[1].bytes - text->bytes;
            s->linked -= text[1].linked - text->linked;
            continue;
        }
        while (regular && top < at->last && text->node >= s->view->page->nodes[top].end) {
            top = s->view->page->nodes[top].end;
            part++; /* each of the elements has fields of its own */
        }
        uint64_t key = (text->sum - sum) * inverse; /* th__view_key */
        add_text(s, record, part ? th__hash_mix(key, ~(uint64_t)part) : key, text);
    }
}

static void add_record(struct scorer *s, th__lists_group *group, uint32_t index)
{
    const th_page *page = s->view->page;
    uint32_t node = group->nodes[index];
    if (!group->runs) {
        th__extent at = th__extent_of(page, node, node);
        add_extent(s, group, index, node, &at);
    } else if (!group->parts) {
        add_extent(s, group, index, page->nodes[node].parent, &group->runs[index]);
    }
    for (uint32_t p = 0; p < group->parts; p++) {
        const th__extent *at = &group->runs[(size_t)index * group->parts + p];
        add_extent(s, group, index, at->first, at);
    }
}

static void score_group(struct scorer *s, th__lists_group *group)
{
    th__key_map_clear(&s->numbers);
    th__key_map_clear(&s->values);
    s->last = s->fields;
    s->count = s->linked = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t bytes = group->bytes;
        add_record(s, group, i);
        group->filled += group->bytes > bytes;
    }
    if (group->filled < 2)
        return;
    double sum = 0, alike = 0, filled = group->filled;
    for (size_t i = 1; i <= s->count; i++) {
        const struct field *field = &s->fields[i];
        if (field->count < 2)
            continue;
        double share = field->count / filled;
        double differ = (double)(field->distinct - 1) / (field->count - 1);
        double tells = field->weight / filled * share * sqrt(differ);
        sum += tells;
        alike += field->weight / filled * share;
    }
    if (sum == 0)
        sum = ALIKE *
              alike; /* the same record again and again is a list all the same, but a poor one */
    group->score =
        sum * log2(1 + filled) * (1 - 0.5 * s->linked / group->bytes) * filled / group->count;
}

/* The texts of a page, and one more behind them. NULL if out of memory. */
static const struct scored *list_texts(th__arena *arena, const th__view *view)
{
    uint32_t count = view->leaves.count, bytes = 0, linked = 0;
    struct scored *texts = th__arena_alloc(arena, (count + (size_t)1) * sizeof *texts);
    for (uint32_t i = 0; texts && i < count; i++) {
        const th__leaf *leaf = &view->leaves.data[i];
        texts[i] = (struct scored){.sum = view->sum[leaf->node],
                                   .hash = leaf->hash,
                                   .weight = view->weight[i],
                                   .node = leaf->node,
                                   .bytes = bytes,
                                   .linked = linked};
        bytes += leaf->len;
        linked += leaf->linked ? leaf->len : 0;
    }
    if (texts)
        texts[count] = (struct scored){.bytes = bytes, .linked = linked};
    return texts;
}

static bool score_all(struct collector *c, th__arena *scratch)
{
    struct scorer s = {.view = c->view, .texts = list_texts(scratch, c->view)};
    size_t most = c->view->leaves.count; /* each text is in one record of a group */
    s.fields = th__arena_alloc(scratch, (most + 1) * sizeof *s.fields);
    s.failed = !s.texts || !s.fields || !th__key_map_init(&s.values, scratch, most);
    for (size_t i = 0; !s.failed && i < c->groups.len; i++) {
        s.fields[0] = (struct field){.next = s.fields};
        score_group(&s, &c->groups.data[i]);
    }
    th__key_map_release(&s.numbers);
    return !s.failed;
}

bool th__lists_groups_find(th__arena *arena, const th__view *view, th__lists_group **out,
                           uint32_t *count)
{
    struct collector c = {.view = view, .arena = arena};
    th__arena scratch;
    th__arena_init(&scratch);
    bool ok = collect(&c, &scratch) && !c.failed && score_all(&c, &scratch);
    th__arena_release(&scratch);
    th__key_map_release(&c.table);
    th__key_map_release(&c.seen);
    *count = 0;
    if (ok) {
        size_t kept = 0;
        for (size_t i = 0; i < c.groups.len; i++)
            if (c.groups.data[i].score > 0)
                c.groups.data[kept++] = c.groups.data[i];
        *out = th__arena_keep(arena, c.groups.data, kept, sizeof **out);
        *count = (uint32_t)kept;
        ok = *out;
    }
    th__vec_release(&c.groups);
    return ok;
}
