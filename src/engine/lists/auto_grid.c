/*
 * auto_grid.c: records side by side whose parts stand in rows of their own.
 *
 * A table of data has rows of cells as well. In a grid the cells of a row are alike and those of
 * the next row are others: each row has its own core of keys, seen from the cell, which most of its
 * cells have and the cells of the other rows do not. In a table of data the columns differ and the
 * rows are alike.
 *
 * Cost: linear in the leaves for each level of nesting at which rows of cells stand.
 */
#include "engine/lists/auto_grid.h"

#include <stdlib.h>

#include "engine/lists/auto_rule.h"
#include "page/tags.h"
#include "table/items.h"

enum {
    LEAST_RECORDS = 3, /* two of a kind are no list */
    MOST_PARTS = TH__AUTO_MAX_PARTS,
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
static uint32_t count_cells(const th_page *page, uint32_t row)
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
        uint32_t cells = count_cells(page, row);
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
    for (uint32_t cells = 3; cells <= MOST_CELLS; cells++)
        usual = counts[cells] > counts[usual] ? cells : usual;
    if (rows->len > counts[usual])
        for (size_t i = 0; i < rows->len; i++)
            if (count_cells(page, rows->data[i]) == usual)
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

static bool has_text(const th__view *view, const th__extent *extent)
{
    return view->leaves.before[extent->token] < view->leaves.before[extent->token_end];
}

/* Appends the records of rows that belong together. */
static bool cut_rows(const th__view *view, const uint32_t *rows, uint32_t parts,
                     th__extent_vec *extents)
{
    const th_page *page = view->page;
    uint32_t cells[MOST_PARTS];
    for (uint32_t p = 0; p < parts; p++)
        cells[p] = first_cell(page, rows[p]);
    while (cells[0] < page->nodes[rows[0]].end) {
        bool text = false;
        size_t before = extents->len;
        for (uint32_t p = 0; p < parts && cells[p] < page->nodes[rows[p]].end; p++) {
            th__extent extent = th__extent_of(page, cells[p], cells[p]);
            extent.part = p;
            text |= has_text(view, &extent);
            if (!th__vec_push(extents, extent))
                return false;
            cells[p] = next_cell(page, cells[p], rows[p]);
        }
        if (!text || extents->len - before < parts)
            extents->len = before;
    }
    return true;
}

bool th__auto_grid_cut(const th__view *view, uint32_t parent, uint32_t parts,
                       th__extent_vec *extents)
{
    row_vec rows = {0};
    bool ok = parts && parts <= MOST_PARTS && find_rows(view->page, parent, &rows);
    for (size_t i = 0; ok && i + parts <= rows.len; i += parts)
        ok = cut_rows(view, rows.data + i, parts, extents);
    th__vec_release(&rows);
    return ok;
}

#define TAG_SALT UINT64_C(0x7A65) /* keeps tags apart from keys */

/* ---- grid or table --------------------------------------------------------------------------- */

/* What a cell is made of: the keys of its texts, the second of a kind apart from the first, and the
 * tags of what stands in it. */
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

static int by_key(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

/* What at least half of the cells of a part have, and how much of it they have on average. */
static bool part_core(const th__view *view, const th__extent_vec *extents, uint32_t part,
                      th__key_vec *core, double *share)
{
    enum { SAMPLE = 64 }; /* cells looked at */
    th__key_vec all = {0}, keys = {0};
    uint32_t filled = 0;
    bool ok = true;
    for (int round = 0; ok && round < 2; round++) {
        uint32_t looked = 0;
        size_t common = 0;
        for (size_t i = 0; ok && i < extents->len && looked < SAMPLE; i++) {
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
        if (round == 0 && all.len)
            qsort(all.data, all.len, sizeof *all.data, by_key);
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
            if (page->nodes[c].end == c + 1 && !has_text(view, &cell))
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

/* Whether the cells of each part are alike, and those of any two parts are not. */
static bool is_grid(const th__view *view, const row_vec *rows, const th__extent_vec *extents,
                    uint32_t parts, bool *failed)
{
    th__key_vec cores[MOST_PARTS] = {0};
    uint32_t cells = count_cells(view->page, rows->data[0]);
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

static bool add_grid(th__arena *arena, const th__extent_vec *extents, uint32_t parts,
                     uint32_t parent, th__auto_group_vec *groups)
{
    uint32_t count = (uint32_t)(extents->len / parts);
    th__auto_group group = {.count = count, .parts = parts, .head = parent};
    group.nodes = th__arena_alloc(arena, count * sizeof *group.nodes);
    group.runs = th__arena_alloc(arena, extents->len * sizeof *group.runs);
    if (!group.nodes || !group.runs)
        return false;
    for (size_t i = 0; i < extents->len; i++)
        group.runs[i] = extents->data[i];
    for (uint32_t i = 0; i < count; i++)
        group.nodes[i] = extents->data[(size_t)i * parts].first;
    return th__vec_push(groups, group);
}

static bool is_header(const th_page *page, const row_vec *rows)
{
    return page->tags[rows->data[0] + 1] == TH_TAG_TH;
}

static bool try_parent(th__arena *arena, const th__view *view, uint32_t parent,
                       th__auto_group_vec *groups)
{
    row_vec rows = {0};
    th__extent_vec extents = {0};
    bool ok = find_rows(view->page, parent, &rows), failed = false, found = false;
    for (uint32_t parts = 2; ok && !found && parts <= MOST_PARTS; parts++) {
        if (rows.len < parts || rows.len % parts || is_header(view->page, &rows))
            continue;
        extents.len = 0;
        ok = th__auto_grid_cut(view, parent, parts, &extents);
        found = ok && extents.len >= (size_t)LEAST_RECORDS * parts &&
                is_grid(view, &rows, &extents, parts, &failed);
        ok = ok && !failed && (!found || add_grid(arena, &extents, parts, parent, groups));
    }
    th__vec_release(&rows);
    th__vec_release(&extents);
    return ok;
}

bool th__auto_grids_find(th__arena *arena, const th__view *view, th__auto_group_vec *groups)
{
    const th_page *page = view->page;
    bool ok = true;
    for (uint32_t n = 1; ok && n < page->node_count; n++) {
        const th_node *node = &page->nodes[n];
        uint32_t leaves = view->leaves.before[node->token_end] - view->leaves.before[node->token];
        /* Two rows of two cells at least. */
        if (leaves >= 2 * LEAST_RECORDS && node->end - n > 2 * LEAST_RECORDS && node->end > n + 1 &&
            page->nodes[n + 1].end < node->end)
            ok = try_parent(arena, view, n, groups);
    }
    return ok;
}
