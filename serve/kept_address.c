/* kept_address.c: the port and the token of a project's server, kept beside the project. */
#include "kept_address.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINE = 256, TOKEN_LEN = 64 };

static bool path_of(const char *project, const char *ending, char *out, size_t size)
{
    int len = snprintf(out, size, "%s.address%s", project, ending);
    return len > 0 && (size_t)len < size;
}

/* Only tokens that a server made are kept: 64 hexadecimal digits. */
static bool parse(const char *line, serve_kept_address *out)
{
    unsigned port = 0;
    int end = 0;
    if (sscanf(line, "http://127.0.0.1:%5u/#token=%64[0-9a-f]%n", &port, out->token, &end) != 2 ||
        strlen(out->token) != TOKEN_LEN || (line[end] && strcmp(line + end, "\n")) || !port ||
        port > UINT16_MAX)
        return false;
    out->port = (uint16_t)port;
    return true;
}

bool serve_read_address(const char *project, serve_kept_address *out)
{
    char path[4096], line[MAX_LINE + 1];
    struct stat is;
    int fd = path_of(project, "", path, sizeof path)
                 ? open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
                 : -1;
    if (fd < 0)
        return false;
    bool ours = !fstat(fd, &is) && S_ISREG(is.st_mode) && is.st_uid == geteuid() &&
                !(is.st_mode & 077) && is.st_nlink == 1;
    ssize_t got = ours ? read(fd, line, MAX_LINE) : -1;
    close(fd);
    if (got <= 0)
        return false;
    line[got] = '\0';
    return parse(line, out);
}

void serve_keep_address(const char *project, const serve_kept_address *address)
{
    char path[4096], fresh[4096];
    if (!path_of(project, "", path, sizeof path) ||
        !path_of(project, ".XXXXXX", fresh, sizeof fresh))
        return;
    int fd = mkstemp(fresh); /* mode 600 */
    if (fd < 0)
        return;
    bool good = dprintf(fd, "http://127.0.0.1:%u/#token=%s\n", address->port, address->token) > 0;
    good = !close(fd) && good;
    if (!good || rename(fresh, path))
        unlink(fresh);
}
