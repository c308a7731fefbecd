/*
 * writer.h: what the forms of output share. thresh.h has the interface.
 *
 *     th_writer_new ──▶ open ──▶ [ schema ──▶ add ]* ──▶ finish ──▶ th_writer_free ──▶ release
 *
 * `schema` is called before the first page and whenever a page's schema differs from the last
 * one's: there a form fixes its columns. A form writes into writer->buf.
 */
#ifndef TH_WRITER_H
#define TH_WRITER_H

#include <thresh.h>

#include "base/outfile.h"
#include "data/layout.h"
#include "data/record.h"

/* One form of output. Functions that a form does not need are NULL. */
typedef struct th__format_ops {
    bool own_file; /* opens its file itself */
    th_status (*open)(th_writer *writer, th_error *err);
    th_status (*schema)(th_writer *writer, const th_schema *schema, th_error *err);
    th_status (*add)(th_writer *writer, const th_records *records, th_error *err);
    /* The regions of a page, if the form can have several lists. Numbers are from 1. */
    th_status (*begin_regions)(th_writer *writer, th_str page, th_error *err);
    th_status (*region)(th_writer *writer, th_str page, const th_region *region, size_t number,
                        th_error *err);
    th_status (*end_regions)(th_writer *writer, th_error *err);
    th_status (*finish)(th_writer *writer, th_error *err);
    void (*release)(th_writer *writer);
    const struct th__row_ops *rows; /* of a form that is rows under a header */
} th__format_ops;

/* Of forms that can replace rows by a key. */
#define TH__NO_KEY_COLUMN                                                                          \
    "there is no column \"%s\" to find the rows to replace: name a column of the records"

/* How a form writes rows under a header. Functions that it does not need are NULL. */
typedef struct th__row_ops {
    th_status (*begin)(th_writer *writer, const th_str *names, size_t count, th_error *err);
    th_status (*row)(th_writer *writer, const th_str *cells, size_t count, th_error *err);
    th_status (*end)(th_writer *writer, th_error *err);
    void (*release)(th_writer *writer);
    /* Reads the rows of the file that is added to. NULL: the form cannot be added to. */
    th_status (*read)(th_writer *writer, th_str bytes, th_error *err);
} th__row_ops;

/* The members of such a form in its th__format_ops. */
#define TH__ROWS_FORM                                                                              \
    .open = th__rows_open, .schema = th__rows_schema, .add = th__rows_add,                         \
    .finish = th__rows_finish, .release = th__rows_release
th_status th__rows_open(th_writer *writer, th_error *err);
th_status th__rows_schema(th_writer *writer, const th_schema *schema, th_error *err);
th_status th__rows_add(th_writer *writer, const th_records *records, th_error *err);
th_status th__rows_finish(th_writer *writer, th_error *err);
void th__rows_release(th_writer *writer);

extern const th__format_ops th__form_table, th__form_csv, th__form_tsv, th__form_ndjson,
    th__form_json, th__form_pages, th__form_sqlite, th__form_markdown, th__form_html, th__form_xlsx;

struct th_writer {
    th_format format;
    const th__format_ops *form;
    th__arena arena;           /* the strings of the options */
    th_writer_options options; /* copied; schema held */
    th_schema *current;        /* of the last page; held */
    th_str page_key;           /* the key of the page in records of the current schema, or absent */
    th__buf buf;               /* what is not written yet */
    th_file *file;             /* NULL: there is only a sink */
    th_sink sink;              /* that of the file, too */
    void *state;               /* of the form */
    void *sheet;               /* of the rows' form */
    bool marked;               /* csv: the file that is added to begins with a byte order mark */
    bool finished;
    th_error failure; /* the first; status TH_OK when there is none */
};

/* Writes the buffer if there is much in it. */
th_status th__writer_flush(th_writer *writer, th_error *err);

#endif
