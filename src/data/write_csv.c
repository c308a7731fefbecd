/*
 * write_csv.c: comma-separated values after RFC 4180 (CRLF, quotes where needed, one header), and
 * tab-separated values: LF, no quotes, a tab or line end inside a value becomes a blank. And both
 * read again, when rows are added to a file.
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
#include "base/vec.h"

static const th_str byte_order_mark = {"\xEF\xBB\xBF", 3};

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

static th_status write_line(th_writer *writer, const th_str *cells, size_t count, th_error *err)
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
        th__buf_add_str(&writer->out.buf, byte_order_mark);
    return write_line(writer, names, count, err);
}

/* ---- and back ---- */

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
    th_status status = th__rows_take(writer, line->cells.data, line->cells.len, number, err);
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
