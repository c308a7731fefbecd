/* outfile.c: output that is there whole or not at all. */
#include "base/outfile.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#if THRESH_STORE
#include <sqlite3.h>
#endif

#include "base/error.h"
#include "base/mem.h"

const char *th__errno_text(int number, char *space, size_t size)
{
    const char *text = strerror_r(number, space, size);
    if (text != space)
        snprintf(space, size, "%s", text);
    if (isupper((unsigned char)space[0]) && islower((unsigned char)space[1]))
        space[0] = (char)tolower((unsigned char)space[0]);
    return space;
}

static th_status cannot_write(const th__replacement *file, int number, th_error *err)
{
    char space[128];
    return th__fail(err, TH_ERR_IO, "cannot write %s: %s%s", file->name,
                    th__errno_text(number, space, sizeof space),
                    file->temp ? "; nothing was changed" : "");
}

/* The path with its links followed where it exists; the caller frees. */
static char *resolve(const char *path)
{
    char *real = realpath(path, NULL);
    char *copy = th__mem_copy(real ? real : path, strlen(real ? real : path));
    free(real);
    return copy;
}

/* The names of temporary files: ".", the target's name, ".", 8 digits in base 16, ".tmp". The
 * target's name is cut so that the whole stays within what file systems take. */
enum { LONGEST_BASE = 200, TEMP_DIGITS = 8 };

static size_t base_length(const char *base)
{
    return strnlen(base, LONGEST_BASE);
}

static bool is_temp_of(const char *name, const char *base)
{
    size_t len = base_length(base);
    if (name[0] != '.' || strncmp(name + 1, base, len) || name[1 + len] != '.')
        return false;
    const char *digits = name + 2 + len;
    return strspn(digits, "0123456789abcdef") == TEMP_DIGITS &&
           !strcmp(digits + TEMP_DIGITS, ".tmp");
}

/* Removes a temporary file of ours if no process holds its lock. */
static void remove_if_stale(int folder, const char *name)
{
    struct stat st;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
    close(fd);
}

/* Removes what killed processes left of this target. Failures do not matter: the next one tries
 * again. One pass over the folder for each file that is written. */
static void remove_stale(char *target, size_t folder_len)
{
    char first = target[folder_len];
    target[folder_len] = '\0';
    DIR *folder = opendir(folder_len ? target : ".");
    target[folder_len] = first;
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (is_temp_of(entry->d_name, target + folder_len))
            remove_if_stale(dirfd(folder), entry->d_name);
    closedir(folder);
}

/* Locks a new temporary file. False if another process took it for a stale one in the moment
 * between its creation and its lock. A file system without locks has no stale files either. */
static bool lock_temp(int fd)
{
    struct stat st;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        return errno != EWOULDBLOCK;
    return fstat(fd, &st) != 0 || st.st_nlink > 0;
}

/* Opens a file that did not exist, in the folder of the target. */
static th_status open_temp(th__replacement *file, th_error *err)
{
    const char *slash = strrchr(file->target, '/');
    size_t folder = slash ? (size_t)(slash - file->target) + 1 : 0;
    const char *base = file->target + folder;
    int shown = (int)base_length(base);
    remove_stale(file->target, folder);
    for (int attempt = 0; attempt < 100; attempt++) {
        uint32_t random = (uint32_t)attempt;
        if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
            random = (uint32_t)getpid() * 2654435761u + (uint32_t)attempt;
        th__buf name = {0};
        th__buf_add(&name, file->target, folder);
        th__buf_printf(&name, ".%.*s.%08x.tmp", shown, base, random);
        th__buf_add_byte(&name, '\0');
        if (name.failed) {
            th__buf_release(&name);
            return th__fail_memory(err);
        }
        file->fd = open(name.data, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file->fd >= 0 && lock_temp(file->fd)) {
            file->temp = name.data;
            return TH_OK;
        }
        int number = file->fd >= 0 ? EEXIST : errno;
        if (file->fd >= 0)
            close(file->fd);
        file->fd = -1;
        th__buf_release(&name);
        errno = number;
        if (number != EEXIST)
            break;
    }
    return cannot_write(file, errno, err);
}

th_status th__replacement_open(th__replacement *file, const char *path, th_error *err)
{
    *file = (th__replacement){.fd = -1};
    file->name = th__mem_copy(path, strlen(path));
    file->target = resolve(path);
    if (!file->name || !file->target)
        return th__fail_memory(err);
    struct stat st;
    bool exists = stat(file->target, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return cannot_write(file, EISDIR, err);
    if (exists && !S_ISREG(st.st_mode)) {
        file->fd = open(file->target, O_WRONLY | O_CLOEXEC);
        return file->fd < 0 ? cannot_write(file, errno, err) : TH_OK;
    }
    /* A file that we may not write to is not replaced behind its owner's back. */
    if (exists && access(file->target, W_OK) != 0)
        return cannot_write(file, errno, err);
    th_status status = open_temp(file, err);
    if (status || !exists)
        return status;
    /* Owner first, since changing it clears mode bits. Only root can; others keep their own. */
    if (fchown(file->fd, st.st_uid, st.st_gid) != 0)
        st.st_mode &= 0777;
    return fchmod(file->fd, st.st_mode & 07777) == 0 ? TH_OK : cannot_write(file, errno, err);
}

/* Makes a rename last: the folder is what holds the name. Cuts `path` down to its folder. */
static int sync_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        slash[slash == path] = '\0';
    int fd = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int number = fd < 0 || fsync(fd) == 0 ? 0 : errno;
    if (fd >= 0)
        close(fd);
    return number == EINVAL ? 0 : number; /* some file systems do not sync folders */
}

th_status th__replacement_commit(th__replacement *file, th_error *err)
{
    int fd = file->fd;
    if (file->temp && (fsync(fd) != 0 || rename(file->temp, file->target) != 0))
        return cannot_write(file, errno, err);
    /* Not before it has its name: without its lock it would be taken for a stale one. */
    file->fd = -1;
    if (close(fd) != 0 && !file->temp)
        return cannot_write(file, errno, err);
    if (!file->temp)
        return TH_OK;
    int number = sync_folder(file->temp); /* it is beside its target */
    th__mem_free(file->temp);
    file->temp = NULL;
    if (number) {
        char space[128];
        return th__fail(err, TH_ERR_IO, "%s was written, but its folder could not be synced: %s",
                        file->name, th__errno_text(number, space, sizeof space));
    }
    return TH_OK;
}

void th__replacement_release(th__replacement *file)
{
    if (file->target && file->fd >= 0)
        close(file->fd);
    if (file->temp)
        unlink(file->temp);
    th__mem_free(file->temp);
    th__mem_free(file->target);
    th__mem_free(file->name);
    *file = (th__replacement){.fd = -1};
}

#if THRESH_STORE
th_status th__sqlite_fail(sqlite3 *db, const char *path, th_error *err)
{
    int code = sqlite3_errcode(db) & 0xFF, number = sqlite3_system_errno(db);
    const char *unchanged = "; nothing was changed";
    char space[128];
    switch (code) {
    case SQLITE_NOMEM:
        return th__fail_memory(err);
    case SQLITE_FULL:
        return th__fail(err, TH_ERR_IO, "cannot write %s: no space left on device%s", path,
                        unchanged);
    case SQLITE_NOTADB:
        return th__fail(err, TH_ERR_FORMAT,
                        "%s exists and is not an SQLite file: choose another name, or replace it",
                        path);
    case SQLITE_CORRUPT:
        return th__fail(err, TH_ERR_FORMAT, "%s is damaged (%s)%s: take it from a backup", path,
                        sqlite3_errmsg(db), unchanged);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return th__fail(err, TH_ERR_IO, "cannot write %s: another program is writing to it%s", path,
                        unchanged);
    case SQLITE_TOOBIG:
        return th__fail(err, TH_ERR_LIMIT, "cannot write %s: a text is too long for SQLite%s", path,
                        unchanged);
    case SQLITE_READONLY:
        return th__fail(err, TH_ERR_IO, "cannot write %s: it is read-only", path);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        if (number)
            return th__fail(err, TH_ERR_IO, "cannot write %s: %s%s", path,
                            th__errno_text(number, space, sizeof space), unchanged);
    }
    return th__fail(err, TH_ERR_IO, "cannot write %s: %s%s", path, sqlite3_errmsg(db), unchanged);
}
#endif

/* ---- for callers of the library who write something else than records ------------------------ */

struct th_file {
    th__replacement file;
};

th_status th_file_new(const char *path, th_file **out, th_error *err)
{
    *out = NULL;
    if (!path || !*path)
        return th__fail(err, TH_ERR_ARGUMENT, "the name of the output file is empty");
    th_file *file = TH__NEW(th_file);
    if (!file)
        return th__fail_memory(err);
    th_status status = th__replacement_open(&file->file, path, err);
    if (status)
        th_file_free(file);
    else
        *out = file;
    return status;
}

static th_status file_write(void *context, const char *bytes, size_t len, th_error *err)
{
    th_file *file = context;
    while (len) {
        ssize_t wrote = write(file->file.fd, bytes, len);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return cannot_write(&file->file, errno, err);
        bytes += wrote;
        len -= (size_t)wrote;
    }
    return TH_OK;
}

th_sink th_file_sink(th_file *file)
{
    return (th_sink){file_write, file};
}

th_status th_file_finish(th_file *file, th_error *err)
{
    return th__replacement_commit(&file->file, err);
}

void th_file_free(th_file *file)
{
    if (!file)
        return;
    th__replacement_release(&file->file);
    th__mem_free(file);
}

th_status th__file_write(const char *path, th_str bytes, th_error *err)
{
    th_file *file;
    th_status status = th_file_new(path, &file, err);
    if (!status)
        status = file_write(file, bytes.ptr, bytes.len, err);
    if (!status)
        status = th_file_finish(file, err);
    th_file_free(file);
    return status;
}
