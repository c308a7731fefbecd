/* scratch.h: a folder for the files of one input, and reading and writing them. For the fuzz
 * targets of what is in files. */
#ifndef TH_SCRATCH_H
#define TH_SCRATCH_H

#include "fuzz.h"

#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A fresh folder, in memory where that is possible. */
static inline void scratch_make(char path[64])
{
    snprintf(path, 64, "%s/thresh-fuzz-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    CHECK(mkdtemp(path));
}

static inline int scratch_unlink(const char *path, const struct stat *info, int kind,
                                 struct FTW *at)
{
    return remove(path);
}

static inline void scratch_remove(const char *path)
{
    CHECK(nftw(path, scratch_unlink, 8, FTW_DEPTH | FTW_PHYS) == 0);
}

static inline void scratch_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size);
    CHECK(fclose(file) == 0);
}

/* All of a file; the caller frees. */
static inline uint8_t *scratch_read(const char *path, size_t *size)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    CHECK(file && fstat(fileno(file), &info) == 0);
    uint8_t *bytes = malloc((size_t)info.st_size + 1);
    *size = (size_t)info.st_size;
    CHECK(bytes && fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

#endif
