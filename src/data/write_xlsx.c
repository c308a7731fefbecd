/*
 * write_xlsx.c: rows as a workbook for Excel and LibreOffice, by libxlsxwriter.
 *
 * All cells are text: `007` and `1.50` keep their zeros, and nothing is run as a formula. More rows
 * than a sheet holds go on in a second sheet. The library writes rows to temporary files as they
 * come, so that memory does not grow with them.
 */
#include "data/writer.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "data/xlsxwriter_library.h"

enum { MOST_ROWS = LXW_ROW_MAX, MOST_COLUMNS = LXW_COL_MAX, MOST_CHARS = 32767 };

typedef struct workbook {
    th__replacement file;
    lxw_workbook *book;
    lxw_worksheet *sheet;
    lxw_format *bold;
    th_str *names; /* the header, for further sheets */
    size_t count;
    th__arena arena;
    th__buf cell;
    size_t row;     /* of the sheet: the next one */
    uint64_t total; /* rows so far */
} workbook;

static th_status xlsx_fail(const th_writer *writer, lxw_error code, th_error *err)
{
    return code == LXW_ERROR_MEMORY_MALLOC_FAILED
               ? th__fail_memory(err)
               : th__fail(err, TH_ERR_IO, "cannot write %s: %s", writer->options.path,
                          lxw_strerror(code));
}

/* How many characters Excel counts: code units of UTF-16. */
static size_t count_chars(th_str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
    for (size_t i = 0; i < text.len; i++)
        count += (unsigned char)text.ptr[i] >= 0xF0;
    return count;
}

static th_status write_cells(th_writer *writer, const th_str *cells, lxw_format *format,
                             th_error *err)
{
    workbook *book = writer->sheet;
    for (size_t i = 0; i < book->count; i++) {
        if (!cells[i].ptr)
            continue;
        size_t chars = cells[i].len > MOST_CHARS ? count_chars(cells[i]) : 0;
        if (chars > MOST_CHARS)
            return th__fail(err, TH_ERR_LIMIT,
                            "record %llu has %zu characters in \"%.*s\", and a cell of a workbook "
                            "holds %d: write csv or another format",
                            (unsigned long long)book->total, chars, TH_STR_ARG(book->names[i]),
                            MOST_CHARS);
        /* The library takes C strings: a NUL would end the text. */
        th__buf_clear(&book->cell);
        for (size_t k = 0; k < cells[i].len; k++)
            if (cells[i].ptr[k])
                th__buf_add_byte(&book->cell, cells[i].ptr[k]);
        th__buf_add_byte(&book->cell, '\0');
        if (book->cell.failed)
            return th__fail_memory(err);
        lxw_error code = worksheet_write_string(book->sheet, (lxw_row_t)book->row, (lxw_col_t)i,
                                                book->cell.data, format);
        if (code)
            return xlsx_fail(writer, code, err);
    }
    book->row++;
    return TH_OK;
}

/* A further sheet, with the header in its first row, which stays in view. */
static th_status add_sheet(th_writer *writer, th_error *err)
{
    workbook *book = writer->sheet;
    book->sheet = workbook_add_worksheet(book->book, NULL);
    book->row = 0;
    if (!book->sheet)
        return th__fail_memory(err);
    if (!book->count)
        return TH_OK;
    worksheet_freeze_panes(book->sheet, 1, 0);
    worksheet_set_column(book->sheet, 0, (lxw_col_t)(book->count - 1), 20, NULL);
    return write_cells(writer, book->names, book->bold, err);
}

static th_status xlsx_begin(th_writer *writer, const th_str *names, size_t count, th_error *err)
{
    workbook *book = TH__NEW(workbook);
    if (!book)
        return th__fail_memory(err);
    writer->sheet = book;
    book->file.fd = -1;
    th__arena_init(&book->arena);
    if (count > MOST_COLUMNS)
        return th__fail(err, TH_ERR_LIMIT,
                        "the records have %zu columns, and a workbook holds %d: write csv or "
                        "another format",
                        count, MOST_COLUMNS);
    const char *wrong = th__xlsxwriter_load();
    if (wrong)
        return th__fail(err, TH_ERR_IO, "writing xlsx needs %s", wrong);
    th_status status = th__replacement_open(&book->file, writer->options.path, err);
    if (!status && !book->file.temp)
        status = th__fail(err, TH_ERR_ARGUMENT, "xlsx needs a plain file, and %s is not one",
                          writer->options.path);
    if (status)
        return status;
    book->names = th__arena_zero(&book->arena, count + 1, sizeof *book->names);
    book->count = count;
    bool ok = book->names;
    for (size_t i = 0; ok && i < count; i++) {
        book->names[i] = th__arena_copy(&book->arena, names[i]);
        ok = book->names[i].ptr || !names[i].len;
    }
    lxw_workbook_options options = {.constant_memory = LXW_TRUE};
    book->book = ok ? workbook_new_opt(book->file.temp, &options) : NULL;
    if (!book->book)
        return th__fail_memory(err);
    /* The same records give the same bytes. */
    lxw_doc_properties about = {.title = "Records", .created = 1};
    workbook_set_properties(book->book, &about);
    book->bold = workbook_add_format(book->book);
    if (!book->bold)
        return th__fail_memory(err);
    format_set_bold(book->bold);
    return add_sheet(writer, err);
}

static th_status xlsx_row(th_writer *writer, const th_str *cells, size_t count, th_error *err)
{
    workbook *book = writer->sheet;
    th_status status = book->row == MOST_ROWS ? add_sheet(writer, err) : TH_OK;
    book->total++;
    return status ? status : write_cells(writer, cells, NULL, err);
}

static th_status xlsx_end(th_writer *writer, th_error *err)
{
    workbook *book = writer->sheet;
    lxw_error code = workbook_close(book->book);
    book->book = NULL;
    return code ? xlsx_fail(writer, code, err) : th__replacement_commit(&book->file, err);
}

static void xlsx_release(th_writer *writer)
{
    workbook *book = writer->sheet;
    if (!book)
        return;
    if (book->book)
        lxw_workbook_free(book->book);
    th__replacement_release(&book->file);
    th__arena_release(&book->arena);
    th__buf_release(&book->cell);
    th__mem_free(book);
}

static const th__row_ops sheets = {
    .begin = xlsx_begin, .row = xlsx_row, .end = xlsx_end, .release = xlsx_release};

const th__format_ops th__form_xlsx = {TH__ROWS_FORM, .own_file = true, .rows = &sheets};
