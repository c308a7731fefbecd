/* byte_source.c: raw bytes in order, from a file, a pipe, memory or a reader. */
#include "feed/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/str.h"

static bool exists_with(const char *path, size_t len, const char *ending)
{
    char name[PATH_MAX];
    int made = snprintf(name, sizeof name, "%.*s%s", (int)len, path, ending);
    return made > 0 && (size_t)made < sizeof name && !access(name, F_OK);
}

bool th__is_open_database(const char *path)
{
    th_str name = th_str_from(path);
    if (th__str_ends_nocase(name, TH_STR("-wal")) || th__str_ends_nocase(name, TH_STR("-shm")))
        return exists_with(path, name.len - 4, "");
    return exists_with(path, name.len, "-wal");
}

th_status th__source_open_file(th__source *source, const char *path, bool files_only, th_error *err)
{
    *source = (th__source){.name = path, .fd = -1};
    if (th__is_open_database(path))
        return th__fail(err, TH_ERR_FORMAT, "%s: is a SQLite database, not a web page", path);
    /* Without O_NONBLOCK, opening a pipe waits for somebody who writes to it. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (files_only ? O_NONBLOCK : 0));
    if (fd < 0)
        return th__fail(err, TH_ERR_IO, "%s: cannot be opened: %s%s", path, strerror(errno),
                        strstr(path, "://") ? "; of URLs only http and https are fetched" : "");
    struct stat info;
    if (fstat(fd, &info) != 0) {
        int why = errno;
        close(fd);
        return th__fail(err, TH_ERR_IO, "%s: cannot be read: %s", path, strerror(why));
    }
    if (files_only && !S_ISREG(info.st_mode)) {
        close(fd);
        return th__fail(err, TH_ERR_ARGUMENT, "%s: is not a regular file", path);
    }
    source->fd = fd;
    source->close_fd = true;
    source->seekable = S_ISREG(info.st_mode);
    source->size = source->seekable ? (uint64_t)info.st_size : 0;
    if (source->seekable)
        posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return TH_OK;
}

void th__source_open_stdin(th__source *source, const char *name)
{
    *source = (th__source){.name = name, .fd = STDIN_FILENO};
}

void th__source_open_memory(th__source *source, const char *name, th_str bytes)
{
    *source =
        (th__source){.name = name, .fd = -1, .seekable = true, .memory = bytes, .size = bytes.len};
}

void th__source_open_reader(th__source *source, const char *name, const th_reader *reader,
                            uint64_t want_end)
{
    *source = (th__source){.name = name,
                           .fd = -1,
                           .seekable = true,
                           .reader = reader,
                           .size = reader->size,
                           .want_end = want_end};
}

/* Asks a reader, which may be a network away: for the bytes of the part, and few behind it. */
static th_status ask_reader(th__source *source, void *into, size_t len, size_t *got, th_error *err)
{
    enum { BEHIND = 64 << 10 };
    const th_reader *reader = source->reader;
    uint64_t left = source->want_end > source->at ? source->want_end - source->at : 0;
    left = left > BEHIND ? left : BEHIND;
    len = left < len ? (size_t)left : len;
    left = source->size > source->at ? source->size - source->at : 0;
    len = left < len ? (size_t)left : len;
    *got = 0;
    th_status status = len ? reader->read(reader->context, source->at, into, len, got, err) : TH_OK;
    if (status == TH_OK && *got > len)
        status = th__fail_at(err, TH_ERR_ARGUMENT, source->at,
                             "%s: the reader gave %zu bytes where %zu were asked for", source->name,
                             *got, len);
    return status;
}

void th__source_release(th__source *source)
{
    if (source->close_fd)
        close(source->fd);
    *source = (th__source){.fd = -1};
}

static void count(th__source *source)
{
    if (!source->counter || source->at <= source->counted)
        return;
    atomic_fetch_add_explicit(source->counter, source->at - source->counted, memory_order_relaxed);
    source->counted = source->at;
}

th_status th__source_read(th__source *source, void *into, size_t len, size_t *got, th_error *err)
{
    th_status status = th__cancel_check(source->cancel, err);
    if (status)
        return status;
    if (source->reader) {
        status = ask_reader(source, into, len, got, err);
        if (status)
            return status;
    } else if (source->fd < 0) {
        size_t left = source->at < source->size ? (size_t)(source->size - source->at) : 0;
        *got = left < len ? left : len;
        if (*got)
            memcpy(into, source->memory.ptr + source->at, *got);
    } else {
        ssize_t n;
        do
            n = read(source->fd, into, len);
        while (n < 0 && errno == EINTR);
        if (n < 0)
            return th__fail_at(err, TH_ERR_IO, source->at, "%s: reading failed at byte %llu: %s",
                               source->name, (unsigned long long)source->at, strerror(errno));
        *got = (size_t)n;
    }
    source->at += *got;
    count(source);
    return TH_OK;
}

th_status th__source_seek(th__source *source, uint64_t offset, th_error *err)
{
    if (source->fd >= 0 && lseek(source->fd, (off_t)offset, SEEK_SET) < 0)
        return th__fail_at(err, TH_ERR_IO, offset, "%s: cannot go to byte %llu: %s", source->name,
                           (unsigned long long)offset, strerror(errno));
    source->at = offset;
    count(source);
    return TH_OK;
}

th_status th__read_file(const char *path, size_t limit, th__buf *out, th_error *err)
{
    th__source source;
    size_t start = out->len, got = 1;
    char space[4096];
    th_status status = th__source_open_file(&source, path, false, err);
    while (status == TH_OK && got) {
        status = th__source_read(&source, space, sizeof space, &got, err);
        if (status == TH_OK && got > limit - (out->len - start))
            status = th__fail(err, TH_ERR_LIMIT, "%s: is larger than %zu bytes", path, limit);
        if (status == TH_OK && !th__buf_add(out, space, got))
            status = th__fail_memory(err);
    }
    th__source_release(&source);
    return status;
}
