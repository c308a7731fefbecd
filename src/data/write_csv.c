/*
 * write_csv.c: comma-separated values after RFC 4180 (CRLF, quotes where needed, one header), and
 * tab-separated values: LF, no quotes, a tab or line end inside a value becomes a blank.
 *
 * With a schema known beforehand the header is its columns, rows stream, and a value of a later
 * page that has no column there is an error: a row must not lose it. Without one the header is the
 * union of the columns of all pages, in order of appearance, so that rows wait in memory for the
 * end.
 *
 * A missing value is an empty cell; in csv an empty text is "" in quotes, which readers that care
 * can tell apart.
 *
 * With `excel`, csv begins with a byte order mark, without which Excel reads the file as the
 * machine's old charset, and a cell that a spreadsheet would run as a formula gets a ' in front.
 */
#include "data/writer.h"

#include "base/error.h"
#include "base/mem.h"

/* A row that waits: cells in the columns of its layout. */
typedef struct waiting_row {
    const uint32_t *ids; /* its layout's columns as columns of the file */
    th_str *cells;
    uint32_t count;
} waiting_row;

typedef struct csv {
    th__arena layouts, rows, scratch;
    th__layout layout; /* of the current schema */
    bool has_layout;
    th__intern columns;  /* of the file, in order */
    const uint32_t *ids; /* of the layout's columns, the page's last */
    bool streaming;
    th_str *line; /* cells by column of the file */
    TH__VEC(waiting_row) waiting;
} csv;

static th_status csv_open(th_writer *writer, th_error *err)
{
    csv *state = TH__NEW(csv);
    if (!state)
        return th__fail_memory(err);
    th__arena_init(&state->layouts);
    th__arena_init(&state->rows);
    th__arena_init(&state->scratch);
    th__intern_init(&state->columns);
    writer->state = state;
    return TH_OK;
}

static void csv_release(th_writer *writer)
{
    csv *state = writer->state;
    if (!state)
        return;
    if (state->has_layout)
        th__layout_release(&state->layout);
    th__intern_release(&state->columns);
    th__vec_release(&state->waiting);
    th__arena_release(&state->layouts);
    th__arena_release(&state->rows);
    th__arena_release(&state->scratch);
    th__mem_free(state);
}

/* ---- cells and lines ---- */

static bool needs_quotes(th_str cell)
{
    if (cell.ptr && cell.len == 0)
        return true;
    for (size_t i = 0; i < cell.len; i++) {
        char c = cell.ptr[i];
        if (c == ',' || c == '"' || c == '\n' || c == '\r')
            return true;
    }
    /* Blanks at the ends are part of the cell, but some readers trim unquoted ones. */
    return cell.len && (cell.ptr[0] == ' ' || cell.ptr[cell.len - 1] == ' ');
}

static void write_tsv_cell(th__buf *buf, th_str cell)
{
    for (size_t i = 0; i < cell.len; i++) {
        char c = cell.ptr[i];
        th__buf_add_byte(buf, c == '\t' || c == '\n' || c == '\r' ? ' ' : c);
    }
}

/* Returns true if a spreadsheet may run the cell: pages from outside must not reach into it. */
static bool is_formula(th_str cell)
{
    return cell.len && memchr("=+-@\t\r\n", cell.ptr[0], 7);
}

static void write_cell(th__buf *buf, th_str cell, bool excel)
{
    bool guard = excel && is_formula(cell);
    if (!needs_quotes(cell)) {
        if (guard)
            th__buf_add_byte(buf, '\'');
        th__buf_add_str(buf, cell);
        return;
    }
    th__buf_add(buf, "\"'", guard ? 2 : 1);
    const char *at = cell.ptr, *end = at + cell.len;
    for (const char *quote; at < end && (quote = memchr(at, '"', (size_t)(end - at)));) {
        th__buf_add(buf, at, (size_t)(quote - at) + 1);
        th__buf_add_byte(buf, '"');
        at = quote + 1;
    }
    th__buf_add(buf, at, (size_t)(end - at));
    th__buf_add_byte(buf, '"');
}

static void write_line(th_writer *writer, const th_str *cells, size_t count)
{
    th__buf *buf = &writer->out.buf;
    bool tabs = writer->form == &th__form_tsv;
    for (size_t i = 0; i < count; i++) {
        if (i)
            th__buf_add_byte(buf, tabs ? '\t' : ',');
        if (tabs)
            write_tsv_cell(buf, cells[i]);
        else
            write_cell(buf, cells[i], writer->options.excel);
    }
    if (tabs) {
        th__buf_add_byte(buf, '\n');
        return;
    }
    /* One empty cell alone would be an empty line, which readers skip. */
    if (count == 1 && !cells[0].len && !cells[0].ptr)
        th__buf_add(buf, "\"\"", 2);
    th__buf_add(buf, "\r\n", 2);
}

static bool write_header(th_writer *writer, csv *state)
{
    if (!state->columns.len)
        return true;
    if (!writer->options.append && writer->options.excel && writer->form == &th__form_csv)
        th__buf_add_str(&writer->out.buf, TH_STR("\xEF\xBB\xBF"));
    if (!writer->options.append)
        write_line(writer, state->columns.names, state->columns.len);
    state->line = th__arena_zero(&state->rows, state->columns.len, sizeof *state->line);
    return state->line != NULL;
}

/* Writes a row whose cells are in the columns `ids` of the file. */
static void write_row(th_writer *writer, csv *state, const uint32_t *ids, const th_str *cells,
                      size_t count)
{
    if (!state->columns.len)
        return;
    memset(state->line, 0, state->columns.len * sizeof *state->line);
    for (size_t i = 0; i < count; i++)
        if (ids[i] != TH__INTERN_NONE)
            state->line[ids[i]] = cells[i];
    write_line(writer, state->line, state->columns.len);
}

/* ---- schema ---- */

/* The columns of the layout and the page's as columns of the file; once streaming, no new ones. */
static bool number_columns(th_writer *writer, csv *state)
{
    size_t count = state->layout.columns.len;
    uint32_t *ids = th__arena_zero(&state->layouts, count + 1, sizeof *ids);
    if (!ids)
        return false;
    for (size_t i = 0; i <= count; i++) {
        /* The page comes first in the file: it is numbered first. */
        size_t at = i ? i - 1 : count;
        if (at == count && !writer->options.page_key)
            continue;
        th_str name = at == count ? writer->page_key : state->layout.columns.data[at];
        ids[at] = state->streaming ? th__intern_find(&state->columns, name)
                                   : th__intern_add(&state->columns, name);
        if (!state->streaming && ids[at] == TH__INTERN_NONE)
            return false;
    }
    state->ids = ids;
    return true;
}

static th_status csv_schema(th_writer *writer, const th_schema *schema, th_error *err)
{
    csv *state = writer->state;
    if (state->has_layout)
        th__layout_release(&state->layout);
    if (state->streaming)
        th__arena_clear(&state->layouts); /* no waiting row refers to it */
    state->has_layout = true;
    /* The page's column has its name for itself whatever the record's columns are called. */
    if (writer->options.page_key)
        writer->page_key = th_str_from(writer->options.page_key);
    if (!th__layout_init(&state->layout, &state->layouts, th_schema_record_type(schema), false,
                         &writer->page_key, writer->options.page_key != NULL) ||
        !number_columns(writer, state))
        return th__fail_memory(err);
    if (writer->options.schema && !state->streaming) {
        state->streaming = true;
        if (!write_header(writer, state))
            return th__fail_memory(err);
    }
    return TH_OK;
}

/* ---- rows ---- */

static th_status stream_row(th_writer *writer, csv *state, const th_str *cells, size_t count,
                            th_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (!cells[i].ptr || state->ids[i] != TH__INTERN_NONE)
            continue;
        th_str name = state->layout.columns.data[i];
        return th__fail(err, TH_ERR_ARGUMENT,
                        "a record has a value in column \"%.*s\", which is not in the header: the "
                        "schema given for the output lacks it",
                        TH_STR_ARG(name));
    }
    write_row(writer, state, state->ids, cells, count);
    return th__out_flush(&writer->out, TH__OUT_CHUNK, err);
}

/* Copies the cells: records are gone by the time they are written. */
static th_status keep_row(csv *state, const th_str *cells, size_t count, th_error *err)
{
    waiting_row row = {.ids = state->ids, .count = (uint32_t)count};
    row.cells = th__arena_zero(&state->rows, count, sizeof *row.cells);
    for (size_t i = 0; row.cells && i < count; i++) {
        if (!cells[i].ptr)
            continue;
        row.cells[i] = th__arena_copy(&state->rows, cells[i]);
        if (!row.cells[i].ptr)
            return th__fail_memory(err);
    }
    return row.cells && th__vec_push(&state->waiting, row) ? TH_OK : th__fail_memory(err);
}

static th_status csv_add(th_writer *writer, const th_records *records, th_error *err)
{
    csv *state = writer->state;
    size_t columns = state->layout.columns.len,
           count = columns + (writer->options.page_key != NULL);
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < records->values.len; i++) {
        th__arena_clear(&state->scratch);
        th_str *cells = th__arena_zero(&state->scratch, columns + 1, sizeof *cells);
        if (!cells ||
            !th__layout_fill(&state->layout, records->values.data[i],
                             th_str_from(writer->options.separator), &state->scratch, cells))
            return th__fail_memory(err);
        cells[columns] = records->page;
        status = state->streaming ? stream_row(writer, state, cells, count, err)
                                  : keep_row(state, cells, count, err);
    }
    return status;
}

static th_status csv_finish(th_writer *writer, th_error *err)
{
    csv *state = writer->state;
    if (state->streaming)
        return TH_OK;
    if (!write_header(writer, state))
        return th__fail_memory(err);
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < state->waiting.len; i++) {
        const waiting_row *row = &state->waiting.data[i];
        write_row(writer, state, row->ids, row->cells, row->count);
        status = th__out_flush(&writer->out, TH__OUT_CHUNK, err);
    }
    return status;
}

const th__format_ops th__form_csv = {.open = csv_open,
                                     .schema = csv_schema,
                                     .add = csv_add,
                                     .finish = csv_finish,
                                     .release = csv_release};

const th__format_ops th__form_tsv = {.open = csv_open,
                                     .schema = csv_schema,
                                     .add = csv_add,
                                     .finish = csv_finish,
                                     .release = csv_release};
