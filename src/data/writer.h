/*
 * writer.h: what the forms of output share. thresh.h tells the interface.
 *
 *     th_writer_new ──▶ open ──▶ [ schema ──▶ add ]* ──▶ finish ──▶ th_writer_free ──▶ release
 *
 * `schema` is called before the first page and whenever a page's schema differs from the last
 * one's: there a form fixes its columns. A form writes into out.buf and need not flush.
 */
#ifndef TH_WRITER_H
#define TH_WRITER_H

#include <thresh.h>

#include "data/layout.h"
#include "data/outfile.h"
#include "data/record.h"

/* One form of output. Functions that a form does not need are NULL. */
typedef struct th__format_ops {
    bool own_file; /* opens its file itself */
    th_status (*open)(th_writer *writer, th_error *err);
    th_status (*schema)(th_writer *writer, const th_schema *schema, th_error *err);
    th_status (*add)(th_writer *writer, const th_records *records, th_error *err);
    th_status (*add_regions)(th_writer *writer, th_str page, const th_region *regions, size_t count,
                             th_error *err);
    th_status (*finish)(th_writer *writer, th_error *err);
    void (*release)(th_writer *writer);
} th__format_ops;

extern const th__format_ops th__form_table, th__form_csv, th__form_tsv, th__form_ndjson, th__form_json,
    th__form_pages, th__form_sqlite;

struct th_writer {
    const th__format_ops *form;
    th__arena arena;           /* the strings of the options */
    th_writer_options options; /* copied; schema held */
    th_schema *current;        /* of the last page; held */
    th_str page_key;           /* the key of the page in records of the current schema, or absent */
    th__out out;
    void *state; /* of the form */
    bool finished;
    th_error failure; /* the first; status TH_OK when there is none */
};

/* Makes records' schema the current one, calling the form's `schema` when it differs. */
th_status th__writer_set_schema(th_writer *writer, const th_schema *schema, th_error *err);

#endif
