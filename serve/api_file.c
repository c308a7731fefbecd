/*
 * api_file.c: what a wrapper gives for the pages of a site, as a file in any form of output.
 *
 * It is the library's writers that make it: the file is the one that `thresh extract` writes. It is
 * written to a folder of its own first, since some forms (SQLite) need a file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "api.h"
#include "asked.h"

typedef struct writing {
    th_wrapper *wrapper;
    th_writer *writer;
} writing;

static th_status write_page(void *context, int64_t id, const serve_page *page, th_error *err)
{
    const writing *w = context;
    th_records_source source = serve_page_source(page);
    th_records *records = NULL;
    th_status status = th_wrapper_extract(w->wrapper, page->page, &source, &records, err);
    if (!status)
        status = th_writer_add(w->writer, records, err);
    th_records_free(records);
    return status;
}

static th_status read_file(const char *path, serve_text *out, th_error *err)
{
    char block[65536];
    size_t len;
    FILE *file = fopen(path, "rb");
    if (!file)
        return serve_error(err, TH_ERR_IO, "the file that was written cannot be read");
    while ((len = fread(block, 1, sizeof block, file)) > 0)
        serve_put(out, block, len);
    bool failed = ferror(file) || fclose(file);
    return failed ? serve_error(err, TH_ERR_IO, "the file that was written cannot be read") : TH_OK;
}

static th_status make_file(const serve_request *request, th_format format, const char *path,
                           serve_text *out, th_error *err)
{
    writing w = {0};
    serve_page_ids pages = {0};
    th_writer_options options;
    th_writer_options_init(&options);
    th_status status = serve_request_wrapper(request, &w.wrapper, err);
    if (!status)
        status = serve_asked_pages(request, &pages, err);
    if (!status) {
        options.path = path;
        options.schema = th_wrapper_schema(w.wrapper);
        options.replace = true;
        status = th_writer_new(format, &options, &w.writer, err);
    }
    if (!status)
        status = serve_each_page(request->project, &pages, NULL, 0, write_page, &w, err);
    if (!status)
        status = th_writer_finish(w.writer, err);
    th_writer_free(w.writer);
    if (!status)
        status = read_file(path, out, err);
    free(pages.ids);
    th_wrapper_free(w.wrapper);
    return status;
}

void api_file(const serve_request *request, serve_answer *answer)
{
    const char *named = serve_member(request, "format"), *temporary = getenv("TMPDIR");
    char folder[4096], path[4120];
    th_format format;
    th_error err;
    if (!named || !th_format_find(th_str_from(named), &format)) {
        serve_refuse(
            answer, MHD_HTTP_BAD_REQUEST,
            "\"format\" must be csv, html, json, markdown, ndjson, pages, sqlite, table, tsv or "
            "xlsx");
        return;
    }
    snprintf(folder, sizeof folder, "%s/thresh-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        serve_refuse(answer, MHD_HTTP_INTERNAL_SERVER_ERROR, "cannot create a file in %s", folder);
        return;
    }
    snprintf(path, sizeof path, "%s/records", folder);
    answer->type = "application/octet-stream";
    th_status status = make_file(request, format, path, &answer->text, &err);
    if (status)
        serve_fail(answer, status, &err);
    unlink(path);
    rmdir(folder);
}
