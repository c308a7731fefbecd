/* stream_file.c: a page that is read piece by piece. */
#include "stream_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE = 256 << 10, LARGEST = 256 << 20 /* a page, unless --max-bytes says otherwise */ };

/* Archives are known by how they begin; their pages are never that large. */
static bool is_archive(const char *path)
{
    static const char *const begins[] = {"\x1F\x8B", "WARC/", "filedesc:"};
    char head[16];
    FILE *file = fopen(path, "rb");
    size_t len = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (len >= strlen(begins[i]) && !memcmp(head, begins[i], strlen(begins[i])))
            return true;
    return false;
}

bool cli_wants_stream(const cli_run *run, const char *path)
{
    struct stat status;
    uint64_t most = run->set.max_bytes ? run->set.max_bytes : LARGEST;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && (uint64_t)status.st_size > most &&
           !is_archive(path);
}

static th_status write_out(cli_run *run, th_writer *writer, th_records *records, uint64_t *count,
                           th_error *err)
{
    if (!records)
        return TH_OK;
    *count += th_records_count(records);
    th_status status = cli_add_records(run, writer, records, err);
    th_records_free(records);
    return status;
}

/* Reads to the end. *read_err tells what went wrong with the page, err what with the output. */
static th_status pump(cli_run *run, FILE *file, th_stream *stream, th_writer *writer,
                      uint64_t *count, th_status *read_status, th_error *read_err, th_error *err)
{
    th_status status = TH_OK;
    char *piece = malloc(PIECE);
    bool last = piece == NULL;
    if (!piece) {
        *read_err = (th_error){TH_ERR_MEMORY, TH_NO_OFFSET, "out of memory"};
        *read_status = TH_ERR_MEMORY;
    }
    while (!status && !*read_status && !last && !cli_stopped()) {
        th_records *records = NULL;
        size_t len = fread(piece, 1, PIECE, file);
        last = len < PIECE;
        if (ferror(file)) {
            *read_status = TH_ERR_IO;
            snprintf(read_err->message, sizeof read_err->message, "cannot be read: %s",
                     strerror(errno));
            break;
        }
        *read_status = th_stream_feed(stream, (th_str){piece, len}, &records, read_err);
        status = write_out(run, writer, records, count, err);
        if (!status && !*read_status && last) {
            *read_status = th_stream_finish(stream, &records, read_err);
            status = write_out(run, writer, records, count, err);
        }
    }
    free(piece);
    return cli_stopped() ? TH_ERR_CANCELLED : status;
}

th_status cli_stream_file(cli_run *run, const th_wrapper *wrapper, const char *path,
                          th_writer *writer, th_error *err)
{
    th_str name = th_str_from(path);
    th_records_source source = {name, th_str_from(run->set.url)};
    th_stream *stream = NULL;
    th_error problem = {0};
    uint64_t count = 0;
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    if (!file) {
        cli_error(run, name, "cannot be read: %s", strerror(errno));
        return TH_OK;
    }
    cli_catch_signals(run);
    th_status failed = th_stream_new(wrapper, &source, &stream, &problem), status = TH_OK;
    if (!failed)
        status = pump(run, file, stream, writer, &count, &failed, &problem, err);
    if (failed)
        cli_error(run, name, "%s", problem.message);
    else if (!status && !count)
        cli_note_empty(run, NULL, name, "no records: this wrapper finds none on this page");
    run->pages += !failed;
    th_stream_free(stream);
    if (file != stdin)
        fclose(file);
    return status;
}
