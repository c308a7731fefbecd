/* tables.c: rows, cells and columns of data tables. */
#include "index/tables.h"

#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "page/tags.h"
#include "page/text.h"

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

static bool is_cell(uint16_t tag)
{
    return tag == TH_TAG_TD || tag == TH_TAG_TH;
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
        if (!is_cell(page->tags[c]))
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

static struct looks look_at(const th__view *view, uint32_t cell)
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
        struct looks looks = look_at(f->view, f->cells.data[c].node);
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
                looks = look_at(f->view, cell->node);
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
        struct looks looks = look_at(f->view, node);
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

/* By node: 1 when another table is inside of it. */
static bool holds_table(const th_page *page, const uint32_t *next, uint32_t node)
{
    return next[node] < page->nodes[node].end;
}

static bool find(struct table_finder *f, th__tops tops, th__arena *arena)
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
        bool is = false;
        while (top < tops.count && page->nodes[tops.nodes[top]].end <= n)
            top++;
        if (top < tops.count && tops.nodes[top] <= n && !holds_table(page, next, n))
            add_table(f, n, &is);
        if (!is || f->failed)
            continue;
        number_nodes(f, &f->tables.data[f->tables.len - 1]);
    }
    return f->number && !f->failed;
}

/* Copies an array into the arena; NULL if out of memory. */
static void *copied(th__arena *arena, const void *data, size_t size)
{
    void *copy = th__arena_alloc(arena, size + 1);
    if (copy && size)
        memcpy(copy, data, size);
    return copy;
}

bool th__tables_find(th__arena *arena, const th__view *view, th__tops tops, th__tables **out)
{
    struct table_finder f = {.view = view};
    th__tables *t = NULL;
    bool ok = find(&f, tops, arena);
    if (ok && f.tables.len) {
        t = th__arena_zero(arena, 1, sizeof *t);
        ok = t;
    }
    if (t) {
        t->tables = copied(arena, f.tables.data, f.tables.len * sizeof *t->tables);
        t->rows = copied(arena, f.rows.data, f.rows.len * sizeof *t->rows);
        t->cells = copied(arena, f.cells.data, f.cells.len * sizeof *t->cells);
        t->columns = copied(arena, f.columns.data, f.columns.len * sizeof *t->columns);
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

uint64_t th__table_key(const th__view *view, const th__table_cell *cell, uint32_t node)
{
    uint32_t row = view->page->nodes[cell->node].parent;
    return th__view_key_apart(view, row, node) - th__view_key_apart(view, row, cell->node) +
           th__table_cell_key(view, cell);
}

bool th__table_step_write(const th__view *view, const th__table_cell *cell, th__buf *out)
{
    uint32_t like = column_of(view, cell)->like;
    return like ? th__step_write(view->page, like, out) : write_number(cell->column, out);
}

bool th__table_header_write(const th__view *view, const th__table_cell *cell, th__buf *out)
{
    const th__tables *t = view->tables;
    const th__table *table = &t->tables[cell->table];
    uint32_t last = 0, r = table->first;
    while (r < table->end && !t->rows[r].header)
        r++; /* a row with a pager may be the first */
    for (; r < table->end && t->rows[r].header && t->rows[r].node < cell->node; r++)
        for (uint32_t c = t->rows[r].first; c < t->rows[r].end; c++) {
            const th__table_cell *head = &t->cells[c];
            if (cell->column < head->column || cell->column >= head->end || head->node == last)
                continue;
            last = head->node;
            if (out->len)
                th__buf_add_byte(out, ' ');
            if (!th__span_text(view->page, th_page_node_span(view->page, head->node), out))
                return false;
        }
    return !out->failed;
}
