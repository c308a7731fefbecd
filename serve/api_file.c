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
#include "pages.h"

static th_status write_pages(const serve_request *request, const th_wrapper *wrapper,
                             const serve_page_ids *pages, th_writer *writer, th_error *err)
{
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < pages->count; i++) {
        serve_page page;
        th_records *records = NULL;
        status = serve_page_open(request->project, pages->ids[i], &page, err);
        if (status)
            break;
        th_records_source source = serve_page_source(&page);
        status = th_wrapper_extract(wrapper, page.page, &source, &records, err);
        if (!status)
            status = th_writer_add(writer, records, err);
        th_records_free(records);
        serve_page_close(&page);
    }
    return status ? status : th_writer_finish(writer, err);
}

static th_status fail_io(th_error *err, const char *message)
{
    *err = (th_error){.status = TH_ERR_IO, .offset = TH_NO_OFFSET};
    snprintf(err->message, sizeof err->message, "%s", message);
    return TH_ERR_IO;
}

static th_status read_file(const char *path, serve_text *out, th_error *err)
{
    char block[65536];
    size_t len;
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail_io(err, "the file that was written cannot be read");
    while ((len = fread(block, 1, sizeof block, file)) > 0)
        serve_put(out, block, len);
    bool failed = ferror(file) || fclose(file);
    return failed ? fail_io(err, "the file that was written cannot be read") : TH_OK;
}

static th_status make_file(const serve_request *request, th_format format, const char *path,
                           serve_text *out, th_error *err)
{
    th_wrapper *wrapper = NULL;
    th_writer *writer = NULL;
    serve_page_ids pages = {0};
    th_writer_options options;
    uint32_t version;
    th_writer_options_init(&options);
    th_status status = serve_asked_wrapper(request->project, th_str_from(request->parts[0]),
                                           request->json, &wrapper, &version, err);
    if (!status)
        status = serve_asked_pages(request, &pages, err);
    if (!status) {
        options.path = path;
        options.schema = th_wrapper_schema(wrapper);
        options.replace = true;
        status = th_writer_new(format, &options, &writer, err);
    }
    if (!status)
        status = write_pages(request, wrapper, &pages, writer, err);
    th_writer_free(writer);
    if (!status)
        status = read_file(path, out, err);
    free(pages.ids);
    th_wrapper_free(wrapper);
    return status;
}

void api_file(const serve_request *request, serve_answer *answer)
{
    const char *named = serve_member(request, "format"), *temporary = getenv("TMPDIR");
    char folder[4096], path[4120];
    th_format format;
    th_error err;
    if (!named || !th_format_find(th_str_from(named), &format)) {
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST,
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
