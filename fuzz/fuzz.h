/* fuzz.h: what the fuzz targets share. */
#ifndef TH_FUZZ_H
#define TH_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* What libFuzzer, or fuzz_main.c, calls with each input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An assert that stays in release builds. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);         \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* The same of a call that fills an error, which it shows. */
#define CHECK_OK(call, error)                                                                      \
    do {                                                                                           \
        if (call) {                                                                                \
            fprintf(stderr, "%s:%d: fails: %s: %s\n", __FILE__, __LINE__, #call, (error).message); \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
