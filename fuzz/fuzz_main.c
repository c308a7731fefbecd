/*
 * fuzz_main.c: runs files through a fuzz target without libFuzzer.
 *
 *     fuzz_NAME FILE-OR-FOLDER...
 *
 * So what a fuzzer once found stays a test on every machine, whatever its compiler. A missing
 * folder is fine: a target without findings has none. The empty input is always tried.
 */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static size_t run_count;

static void stop(const char *path)
{
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    exit(1);
}

/* The block has exactly the size of the file, so that a sanitizer sees a read past its end. */
static void run_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(size ? size : 1);
    if (!file || !data || fread(data, 1, size, file) != size)
        stop(path);
    fclose(file);
    printf("%s\n", path);
    fflush(stdout); /* so that a crash comes after the name of its cause */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    run_count++;
}

static void run_folder(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0)
        stop(path);
    for (int i = 0; i < count; i++) {
        char name[4096];
        struct stat info;
        int len = snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (len < 0 || (size_t)len >= sizeof name || stat(name, &info) != 0)
            stop(name);
        if (S_ISREG(info.st_mode))
            run_file(name, (size_t)info.st_size);
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv)
{
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++) {
        struct stat info;
        if (stat(argv[i], &info) != 0) {
            if (errno != ENOENT)
                stop(argv[i]);
            printf("%s: not there\n", argv[i]);
        } else if (S_ISDIR(info.st_mode)) {
            run_folder(argv[i]);
        } else {
            run_file(argv[i], (size_t)info.st_size);
        }
    }
    printf("%zu inputs\n", run_count);
    return 0;
}
