/*
 * write_rows.c: records as rows under one header, for the forms that are tables: csv, tsv,
 * markdown and html, which are here, and xlsx. Each of them says how a header and a row look
 * (th__row_ops).
 *
 * With a schema known beforehand the header is its columns, rows stream, and a value of a later
 * page that has no column there is an error: a row must not lose it. Without one the header is the
 * union of the columns of all pages, in order of appearance, so that rows wait in memory for the
 * end. They also wait when rows are added to a file: its own rows are read first, and the file is
 * written anew with the union of both headers, so that a new column has a place and a failure
 * leaves the file as it was.
 */
#include "data/writer.h"

#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"

/* A row that waits: cells in the columns of its layout. */
typedef struct waiting_row {
    const uint32_t *ids; /* its layout's columns as columns of the file */
    th_str *cells;
    uint32_t count;
} waiting_row;

typedef struct rows_state {
    th__arena layouts, rows, scratch;
    th__layout layout; /* of the current schema */
    bool has_layout;
    th__intern columns;  /* of the file, in order */
    const uint32_t *ids; /* of the layout's columns, the page's last */
    bool streaming;
    th_str *line; /* cells by column of the file */
    TH__VEC(waiting_row) waiting;
    const uint32_t *old_ids; /* of the columns of the file that is added to */
    size_t old_count;
    th__intern keys;            /* with upsert: the keys of waiting rows */
    TH__VEC(size_t) row_of_key; /* by the key's number */
    bool key_seen;              /* some page has the column of the key */
} rows_state;

/* The rows of the file that is added to. A file that is missing or empty has none. */
static th_status read_old(th_writer *writer, th_error *err)
{
    enum { AT_ONCE = 1 << 16 };
    const char *path = writer->options.path;
    th__buf bytes = {0};
    char space[128];
    FILE *file = fopen(path, "rb");
    if (!file && errno == ENOENT)
        return TH_OK;
    for (size_t got = 1; file && got && th__buf_reserve(&bytes, AT_ONCE);) {
        got = fread(bytes.data + bytes.len, 1, AT_ONCE, file);
        bytes.len += got;
    }
    th_status status = TH_OK;
    if (!file || ferror(file))
        status = th__fail(err, TH_ERR_IO, "cannot add to %s: %s", path,
                          th__errno_text(errno, space, sizeof space));
    else if (bytes.failed)
        status = th__fail_memory(err);
    else if (bytes.len)
        status = writer->form->rows->read(writer, th__buf_str(&bytes), err);
    if (file)
        fclose(file);
    th__buf_release(&bytes);
    return status;
}

th_status th__rows_open(th_writer *writer, th_error *err)
{
    rows_state *state = TH__NEW(rows_state);
    if (!state)
        return th__fail_memory(err);
    th__arena_init(&state->layouts);
    th__arena_init(&state->rows);
    th__arena_init(&state->scratch);
    th__intern_init(&state->columns);
    th__intern_init(&state->keys);
    writer->state = state;
    return writer->options.append || writer->options.upsert ? read_old(writer, err) : TH_OK;
}

void th__rows_release(th_writer *writer)
{
    rows_state *state = writer->state;
    if (!state)
        return;
    if (state->has_layout)
        th__layout_release(&state->layout);
    if (writer->form->rows->release)
        writer->form->rows->release(writer);
    th__intern_release(&state->columns);
    th__intern_release(&state->keys);
    th__vec_release(&state->waiting);
    th__vec_release(&state->row_of_key);
    th__arena_release(&state->layouts);
    th__arena_release(&state->rows);
    th__arena_release(&state->scratch);
    th__mem_free(state);
}

static th_status write_header(th_writer *writer, rows_state *state, th_error *err)
{
    state->line = th__arena_zero(&state->rows, state->columns.len + 1, sizeof *state->line);
    if (!state->line)
        return th__fail_memory(err);
    return writer->form->rows->begin(writer, state->columns.names, state->columns.len, err);
}

/* Writes a row whose cells are in the columns `ids` of the file. */
static th_status write_row(th_writer *writer, rows_state *state, const uint32_t *ids,
                           const th_str *cells, size_t count, th_error *err)
{
    if (!state->columns.len)
        return TH_OK;
    memset(state->line, 0, state->columns.len * sizeof *state->line);
    for (size_t i = 0; i < count; i++)
        if (ids[i] != TH__INTERN_NONE)
            state->line[ids[i]] = cells[i];
    th_status status = writer->form->rows->row(writer, state->line, state->columns.len, err);
    return status ? status : th__writer_flush(writer, err);
}

/* ---- schema ---------------------------------------------------------------------------------- */

/* Which of a row's cells is the key, or `count`. */
static size_t find_key(const rows_state *state, const th_writer *writer, const uint32_t *ids,
                       size_t count)
{
    uint32_t key = th__intern_find(&state->columns, th_str_from(writer->options.upsert));
    size_t at = 0;
    while (at < count && (key == TH__INTERN_NONE || ids[at] != key))
        at++;
    return at;
}

/* The columns of the layout and the page's as columns of the file; once streaming, no new ones. */
static bool number_columns(th_writer *writer, rows_state *state)
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
    if (writer->options.upsert)
        state->key_seen |= find_key(state, writer, ids, count) < count;
    return true;
}

th_status th__rows_schema(th_writer *writer, const th_schema *schema, th_error *err)
{
    rows_state *state = writer->state;
    if (state->has_layout)
        th__layout_release(&state->layout);
    if (state->streaming)
        th__arena_clear(&state->layouts); /* no waiting row refers to it */
    state->has_layout = true;
    /* The page's column has its name for itself whatever the record's columns are called. */
    if (writer->options.page_key)
        writer->page_key = th_str_from(writer->options.page_key);
    if (!th__layout_init(&state->layout, &state->layouts, th_schema_record_type(schema),
                         (th_str){0}, &writer->page_key, writer->options.page_key != NULL) ||
        !number_columns(writer, state))
        return th__fail_memory(err);
    if (writer->options.schema && !writer->options.append && !writer->options.upsert &&
        !state->streaming) {
        state->streaming = true;
        return write_header(writer, state, err);
    }
    return TH_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static th_status stream_row(th_writer *writer, rows_state *state, const th_str *cells, size_t count,
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
    return write_row(writer, state, state->ids, cells, count, err);
}

/* Puts the cells of an older row that the newer one has no column for behind those of the newer. */
static bool join_rows(rows_state *state, const waiting_row *older, waiting_row *newer)
{
    bool *taken = th__arena_zero(&state->scratch, state->columns.len, sizeof *taken);
    size_t most = (size_t)older->count + newer->count, count = newer->count;
    uint32_t *ids = th__arena_zero(&state->rows, most, sizeof *ids);
    th_str *cells = th__arena_zero(&state->rows, most, sizeof *cells);
    if (!taken || !ids || !cells)
        return false;
    for (size_t i = 0; i < newer->count; i++) {
        ids[i] = newer->ids[i];
        cells[i] = newer->cells[i];
        taken[ids[i]] = true;
    }
    for (size_t i = 0; i < older->count; i++) {
        if (taken[older->ids[i]])
            continue;
        ids[count] = older->ids[i];
        cells[count++] = older->cells[i];
    }
    *newer = (waiting_row){.ids = ids, .cells = cells, .count = (uint32_t)count};
    return true;
}

/* Puts a row in the place of the one with the same key, if there is one. Returns false if out of
 * memory. */
static bool push_row(th_writer *writer, rows_state *state, waiting_row row)
{
    size_t key = writer->options.upsert ? find_key(state, writer, row.ids, row.count) : row.count;
    if (key == row.count || !row.cells[key].ptr)
        return th__vec_push(&state->waiting, row);
    size_t known = state->keys.len;
    uint32_t number = th__intern_add(&state->keys, row.cells[key]);
    if (number == TH__INTERN_NONE)
        return false;
    if (number == known)
        return th__vec_push(&state->row_of_key, state->waiting.len) &&
               th__vec_push(&state->waiting, row);
    waiting_row *older = &state->waiting.data[state->row_of_key.data[number]];
    if (!join_rows(state, older, &row))
        return false;
    *older = row;
    return true;
}

/* Copies the cells: records are gone by the time they are written. */
static th_status keep_row(th_writer *writer, const uint32_t *ids, const th_str *cells, size_t count,
                          th_error *err)
{
    rows_state *state = writer->state;
    waiting_row row = {.ids = ids, .count = (uint32_t)count};
    row.cells = th__arena_zero(&state->rows, count, sizeof *row.cells);
    for (size_t i = 0; row.cells && i < count; i++) {
        if (!cells[i].ptr)
            continue;
        row.cells[i] = th__arena_copy(&state->rows, cells[i]);
        if (!row.cells[i].ptr)
            return th__fail_memory(err);
    }
    return row.cells && push_row(writer, state, row) ? TH_OK : th__fail_memory(err);
}

static th_status take_header(th_writer *writer, const th_str *cells, size_t count, th_error *err)
{
    rows_state *state = writer->state;
    uint32_t *ids = th__arena_zero(&state->rows, count, sizeof *ids);
    for (size_t i = 0; ids && i < count; i++) {
        if (th__intern_find(&state->columns, cells[i]) != TH__INTERN_NONE)
            return th__fail(err, TH_ERR_FORMAT,
                            "cannot add to %s: its header has \"%.*s\" twice. Rename one of them, "
                            "or choose another file",
                            writer->options.path, TH_STR_ARG(cells[i]));
        ids[i] = th__intern_add(&state->columns, cells[i]);
        if (ids[i] == TH__INTERN_NONE)
            ids = NULL;
    }
    state->old_ids = ids;
    state->old_count = count;
    return ids ? TH_OK : th__fail_memory(err);
}

/* Takes a line of the file that is added to: its header first, then its rows. `number` is the
 * line's in the file. */
static th_status take_line_of_file(th_writer *writer, const th_str *cells, size_t count,
                                   size_t number, th_error *err)
{
    rows_state *state = writer->state;
    if (!state->old_ids)
        return take_header(writer, cells, count, err);
    if (count != state->old_count)
        return th__fail(err, TH_ERR_FORMAT,
                        "cannot add to %s: line %zu has %zu cells and the header has %zu. Mend the "
                        "file, or choose another one",
                        writer->options.path, number, count, state->old_count);
    return keep_row(writer, state->old_ids, cells, count, err);
}

th_status th__rows_add(th_writer *writer, const th_records *records, th_error *err)
{
    rows_state *state = writer->state;
    size_t columns = state->layout.columns.len,
           count = columns + (writer->options.page_key != NULL);
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < records->values.len; i++) {
        th__arena_clear(&state->scratch);
        th_str *cells = th__arena_zero(&state->scratch, columns + 1, sizeof *cells);
        if (!cells ||
            !th__layout_fill(&state->layout, state->layout.root, records->values.data[i],
                             th_str_from(writer->options.separator), &state->scratch, cells))
            return th__fail_memory(err);
        cells[columns] = records->page;
        status = state->streaming ? stream_row(writer, state, cells, count, err)
                                  : keep_row(writer, state->ids, cells, count, err);
    }
    return status;
}

th_status th__rows_finish(th_writer *writer, th_error *err)
{
    rows_state *state = writer->state;
    const char *key = writer->options.upsert;
    th_status status = TH_OK;
    if (key && !state->key_seen)
        return th__fail(err, TH_ERR_ARGUMENT, TH__NO_KEY_COLUMN, key);
    if (!state->streaming)
        status = write_header(writer, state, err);
    for (size_t i = 0; !status && i < state->waiting.len; i++) {
        const waiting_row *row = &state->waiting.data[i];
        status = write_row(writer, state, row->ids, row->cells, row->count, err);
    }
    return status || !writer->form->rows->end ? status : writer->form->rows->end(writer, err);
}

/* ---- csv and tsv -------------------------------------------------------------------------------
 *
 * Comma-separated values after RFC 4180 (CRLF, quotes where needed, one header), and tab-separated
 * values: LF, no quotes, a tab or line end inside a value becomes a blank. Both are read again when
 * rows are added to a file.
 *
 * A missing value is an empty cell; in csv an empty text is "" in quotes, which careful readers
 * keep apart. With `excel`, csv begins with a byte order mark, without which Excel reads the file
 * as the machine's old charset, and a cell that a spreadsheet would run as a formula gets a ' in
 * front.
 */

static const th_str byte_order_mark = {"\xEF\xBB\xBF", 3};

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

static th_status write_line(th_writer *writer, const th_str *cells, size_t count, th_error *err)
{
    th__buf *buf = &writer->buf;
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
        return TH_OK;
    }
    /* One empty cell alone would be an empty line, which readers skip. */
    if (count == 1 && !cells[0].len && !cells[0].ptr)
        th__buf_add(buf, "\"\"", 2);
    th__buf_add(buf, "\r\n", 2);
    return TH_OK;
}

static th_status begin(th_writer *writer, const th_str *names, size_t count, th_error *err)
{
    if (!count || writer->options.no_header)
        return TH_OK;
    if (writer->marked || (writer->options.excel && writer->form == &th__form_csv))
        th__buf_add_str(&writer->buf, byte_order_mark);
    return write_line(writer, names, count, err);
}

/* Reads a cell at *at and steps behind it. Returns false if a quote is never closed. */
static bool read_cell(const char **at, const char *end, bool tabs, th__buf *cell, bool *present)
{
    const char *p = *at;
    bool quoted = !tabs && p < end && *p == '"';
    th__buf_clear(cell);
    *present = quoted;
    while (quoted) {
        const char *quote = memchr(p + 1, '"', (size_t)(end - p - 1));
        if (!quote)
            return false;
        th__buf_add(cell, p + 1, (size_t)(quote - p - 1));
        p = quote + 1;
        quoted = p < end && *p == '"';
        if (quoted)
            th__buf_add_byte(cell, '"');
    }
    const char *rest = p;
    while (p < end && *p != (tabs ? '\t' : ',') && *p != '\n' &&
           !(*p == '\r' && (p + 1 == end || p[1] == '\n')))
        p++;
    th__buf_add(cell, rest, (size_t)(p - rest));
    *present |= cell->len > 0;
    *at = p;
    return true;
}

/* Cells stay in `text` one behind the other until their line is complete. */
typedef struct cells_line {
    th__buf text;
    TH__VEC(size_t) ends;
    TH__VEC(bool) present;
    TH__VEC(th_str) cells;
} cells_line;

static th_status take_line(th_writer *writer, cells_line *line, size_t number, th_error *err)
{
    size_t start = 0;
    line->cells.len = 0;
    for (size_t i = 0; i < line->ends.len; i++) {
        th_str cell = {line->present.data[i] ? line->text.data + start : NULL,
                       line->ends.data[i] - start};
        if (!th__vec_push(&line->cells, cell))
            return th__fail_memory(err);
        start = line->ends.data[i];
    }
    th_status status = take_line_of_file(writer, line->cells.data, line->cells.len, number, err);
    th__buf_clear(&line->text);
    line->ends.len = line->present.len = 0;
    return status;
}

/* The name of a column is a text even if it is empty. Empty lines are skipped. */
static th_status read_lines(th_writer *writer, th_str bytes, cells_line *line, th__buf *cell,
                            th_error *err)
{
    bool tabs = writer->form == &th__form_tsv, present;
    const char *at = bytes.ptr, *end = at + bytes.len;
    size_t number = 1;
    th_status status = TH_OK;
    for (bool header = true; !status && at < end; header = false) {
        size_t first = number;
        for (bool more = true; more;) {
            const char *from = at;
            if (!read_cell(&at, end, tabs, cell, &present))
                return th__fail(err, TH_ERR_FORMAT,
                                "cannot add to %s: the quote in line %zu is never closed. Mend "
                                "the file, or choose another one",
                                writer->options.path, number);
            for (; from < at; from++)
                number += *from == '\n';
            if (!th__buf_reserve(&line->text, cell->len + 1) || cell->failed ||
                !th__buf_add_str(&line->text, th__buf_str(cell)) ||
                !th__vec_push(&line->ends, line->text.len) ||
                !th__vec_push(&line->present, present || header))
                return th__fail_memory(err);
            more = at < end && *at == (tabs ? '\t' : ',');
            at += more;
        }
        at += at < end && *at == '\r';
        at += at < end;
        number++;
        bool blank = line->ends.len == 1 && !present && !header;
        line->ends.len -= blank;
        line->present.len -= blank;
        if (!blank)
            status = take_line(writer, line, first, err);
    }
    return status;
}

/* A byte order mark that is there stays there. */
static th_status read_rows(th_writer *writer, th_str bytes, th_error *err)
{
    cells_line line = {0};
    th__buf cell = {0};
    if (bytes.len >= 3 && !memcmp(bytes.ptr, byte_order_mark.ptr, 3)) {
        writer->marked = true;
        bytes = (th_str){bytes.ptr + 3, bytes.len - 3};
    }
    th_status status = read_lines(writer, bytes, &line, &cell, err);
    th__buf_release(&line.text);
    th__buf_release(&cell);
    th__vec_release(&line.ends);
    th__vec_release(&line.present);
    th__vec_release(&line.cells);
    return status;
}

static const th__row_ops lines = {.begin = begin, .row = write_line, .read = read_rows};

const th__format_ops th__form_csv = {TH__ROWS_FORM, .rows = &lines};
const th__format_ops th__form_tsv = {TH__ROWS_FORM, .rows = &lines};

/* ---- Markdown and HTML -------------------------------------------------------------------------
 *
 * Text of pages from outside must not become markup here: each character that means something in
 * the form is escaped. A cell that is an http or https address becomes a link.
 */

/* Returns true if the whole cell is an address that a link can take as it is. */
static bool is_address(th_str cell)
{
    static const th_str schemes[] = {{"http://", 7}, {"https://", 8}};
    for (size_t i = 0; i < cell.len; i++)
        if ((unsigned char)cell.ptr[i] <= ' ' || strchr("<>\"|\\`", cell.ptr[i]))
            return false;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (cell.len > schemes[i].len && !memcmp(cell.ptr, schemes[i].ptr, schemes[i].len))
            return true;
    return false;
}

static void add_markdown(th__buf *buf, th_str cell)
{
    if (is_address(cell)) {
        th__buf_add_byte(buf, '<');
        th__buf_add_str(buf, cell);
        th__buf_add_byte(buf, '>');
        return;
    }
    for (size_t i = 0; i < cell.len; i++) {
        char c = cell.ptr[i];
        if (c && strchr("\\|`*_[]<>~#&", c))
            th__buf_add_byte(buf, '\\');
        th__buf_add_byte(buf, (unsigned char)c < ' ' ? ' ' : c);
    }
}

static th_status markdown_row(th_writer *writer, const th_str *cells, size_t count, th_error *err)
{
    th__buf *buf = &writer->buf;
    for (size_t i = 0; i < count; i++) {
        th__buf_add_str(buf, TH_STR("| "));
        add_markdown(buf, cells[i]);
        th__buf_add_byte(buf, ' ');
    }
    th__buf_add_str(buf, TH_STR("|\n"));
    return TH_OK;
}

static th_status markdown_begin(th_writer *writer, const th_str *names, size_t count, th_error *err)
{
    if (!count)
        return TH_OK;
    markdown_row(writer, names, count, err);
    for (size_t i = 0; i < count; i++)
        th__buf_add_str(&writer->buf, TH_STR("|---"));
    th__buf_add_str(&writer->buf, TH_STR("|\n"));
    return TH_OK;
}

static const th__row_ops markdown = {.begin = markdown_begin, .row = markdown_row};

const th__format_ops th__form_markdown = {TH__ROWS_FORM, .rows = &markdown};

static void add_html(th__buf *buf, th_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        th_str instead = c == '&'   ? TH_STR("&amp;")
                         : c == '<' ? TH_STR("&lt;")
                         : c == '>' ? TH_STR("&gt;")
                         : c == '"' ? TH_STR("&quot;")
                         : c == 0   ? TH_STR("\uFFFD")
                                    : (th_str){text.ptr + i, 1};
        th__buf_add_str(buf, instead);
    }
}

static void add_html_cell(th__buf *buf, th_str cell, const char *tag)
{
    bool link = *tag == 't' && tag[1] == 'd' && is_address(cell);
    th__buf_printf(buf, "<%s>", tag);
    if (link) {
        th__buf_add_str(buf, TH_STR("<a rel=\"noopener noreferrer\" href=\""));
        add_html(buf, cell);
        th__buf_add_str(buf, TH_STR("\">"));
    }
    add_html(buf, cell);
    th__buf_printf(buf, "%s</%s>", link ? "</a>" : "", tag);
}

static th_status html_row(th_writer *writer, const th_str *cells, size_t count, th_error *err)
{
    th__buf *buf = &writer->buf;
    th__buf_add_str(buf, TH_STR("<tr>"));
    for (size_t i = 0; i < count; i++)
        add_html_cell(buf, cells[i], "td");
    th__buf_add_str(buf, TH_STR("</tr>\n"));
    return TH_OK;
}

/* No script and nothing from the network runs in it, whatever a page has put into its values. */
static th_status html_begin(th_writer *writer, const th_str *names, size_t count, th_error *err)
{
    th__buf *buf = &writer->buf;
    th__buf_add_str(buf,
                    TH_STR("<!DOCTYPE html>\n"
                           "<html lang=\"\"><head><meta charset=\"utf-8\">\n"
                           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                           "'none'; style-src 'unsafe-inline'\">\n"
                           "<title>Records</title>\n"
                           "<style>body{font:14px sans-serif}table{border-collapse:collapse}"
                           "th,td{border:1px solid #999;padding:3px 6px;text-align:start;"
                           "vertical-align:top}th{position:sticky;top:0;background:#eee}"
                           "</style></head><body>\n<table>\n<thead><tr>"));
    for (size_t i = 0; i < count; i++)
        add_html_cell(buf, names[i], "th");
    th__buf_add_str(buf, TH_STR("</tr></thead>\n<tbody>\n"));
    return TH_OK;
}

static th_status html_end(th_writer *writer, th_error *err)
{
    th__buf_add_str(&writer->buf, TH_STR("</tbody>\n</table>\n</body></html>\n"));
    return TH_OK;
}

static const th__row_ops html = {.begin = html_begin, .row = html_row, .end = html_end};

const th__format_ops th__form_html = {TH__ROWS_FORM, .rows = &html};
