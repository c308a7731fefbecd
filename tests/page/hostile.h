/* hostile.h: inputs that a careless parser takes quadratic time for. */
#ifndef TH_HOSTILE_H
#define TH_HOSTILE_H

#include "base/str.h"

/* `unit` again and again between `first` and `last`. "%" in the unit stands for a number that
 * counts up; with `turns` the unit stands that many times, then `back` that many times, and so on.
 */
struct hostile {
    const char *name;
    const char *first, *unit, *back, *last;
    unsigned turns;
};

extern const struct hostile hostile_inputs[];
extern const size_t hostile_count;

/* Replaces *out by an input of at least `size` bytes. False without memory. */
bool hostile_make(const struct hostile *input, size_t size, th__buf *out);

#endif
