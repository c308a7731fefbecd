/*
 * tables.h: the data tables of a page, as a browser shows them.
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
#ifndef TH_TABLES_H
#define TH_TABLES_H

#include "index/view.h"

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

/* Finds those in some elements: *out is NULL where there are none. In the arena. Linear in the
 * nodes; a cell that spans rows counts in each, and there are no more such than others. False if
 * out of memory. */
bool th__tables_find(th__arena *arena, const th__view *view, th__tops tops, th__tables **out);

/* The row that an element is, or NULL. */
const th__table_row *th__table_row_of(const th__view *view, uint32_t node);
/* The cell that holds an element, or is it; or NULL. */
const th__table_cell *th__table_cell_of(const th__view *view, uint32_t node);
/* The key of a cell's column, and of an element in the cell, seen from the row. */
uint64_t th__table_cell_key(const th__view *view, const th__table_cell *cell);
uint64_t th__table_key(const th__view *view, const th__table_cell *cell, uint32_t node);
/* Appends the step by which the column of a cell is known. False if out of memory. */
bool th__table_step_write(const th__view *view, const th__table_cell *cell, th__buf *out);
/* Appends the texts of the header cells above a cell, a blank between them; nothing where there are
 * none. False if out of memory. */
bool th__table_header_write(const th__view *view, const th__table_cell *cell, th__buf *out);

#endif
