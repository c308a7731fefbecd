/*
 * write_markup.c: rows as a Markdown table, and as a page of HTML.
 *
 *     | title        | price |
 *
 * Text of pages from outside must not become markup here: each character that means something in
 * the form is escaped. A cell that is an http or https address becomes a link.
 */
#include "data/writer.h"

#include <string.h>

#include "base/error.h"

/* Returns true if the whole cell is an address that can stand in a link as it is. */
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

/* ---- Markdown ---- */

static void add_markdown(th__buf *buf, th_str cell)
{
    if (is_address(cell)) {
        th__buf_printf(buf, "<%.*s>", TH_STR_ARG(cell));
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
    th__buf *buf = &writer->out.buf;
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
        th__buf_add_str(&writer->out.buf, TH_STR("|---"));
    th__buf_add_str(&writer->out.buf, TH_STR("|\n"));
    return TH_OK;
}

static const th__row_ops markdown = {.begin = markdown_begin, .row = markdown_row};

const th__format_ops th__form_markdown = {TH__ROWS_FORM, .rows = &markdown};

/* ---- HTML ---- */

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
    th__buf *buf = &writer->out.buf;
    th__buf_add_str(buf, TH_STR("<tr>"));
    for (size_t i = 0; i < count; i++)
        add_html_cell(buf, cells[i], "td");
    th__buf_add_str(buf, TH_STR("</tr>\n"));
    return TH_OK;
}

/* No script and nothing from the network runs in it, whatever a page has put into its values. */
static th_status html_begin(th_writer *writer, const th_str *names, size_t count, th_error *err)
{
    th__buf *buf = &writer->out.buf;
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
    th__buf_add_str(&writer->out.buf, TH_STR("</tbody>\n</table>\n</body></html>\n"));
    return TH_OK;
}

static const th__row_ops html = {.begin = html_begin, .row = html_row, .end = html_end};

const th__format_ops th__form_html = {TH__ROWS_FORM, .rows = &html};
