/* file.c: outfile.h for those who write something else than records. */
#include "base/error.h"
#include "base/mem.h"
#include "data/outfile.h"

struct th_file {
    th__out out;
};

th_status th_file_new(const char *path, th_file **out, th_error *err)
{
    *out = NULL;
    if (!path || !*path)
        return th__fail(err, TH_ERR_ARGUMENT, "the name of the output file is empty");
    th_file *file = TH__NEW(th_file);
    if (!file)
        return th__fail_memory(err);
    th_status status = th__out_open(&file->out, path, (th_sink){0}, err);
    if (status)
        th_file_free(file);
    else
        *out = file;
    return status;
}

static th_status file_write(void *context, const char *bytes, size_t len, th_error *err)
{
    th_file *file = context;
    th__buf_add(&file->out.buf, bytes, len);
    return th__out_flush(&file->out, TH__OUT_CHUNK, err);
}

th_sink th_file_sink(th_file *file)
{
    return (th_sink){file_write, file};
}

th_status th_file_finish(th_file *file, th_error *err)
{
    return th__out_commit(&file->out, err);
}

void th_file_free(th_file *file)
{
    if (!file)
        return;
    th__out_release(&file->out);
    th__mem_free(file);
}
