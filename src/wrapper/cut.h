/* cut.h: a part of a text, by the texts on either side of it. */
#ifndef TH_CUT_H
#define TH_CUT_H

#include "base/str.h"

typedef struct th__cut {
    th_str after;  /* the part begins after the first of these; absent: at the beginning */
    bool last;     /* after the last of these instead */
    th_str before; /* and ends before this: at the text's end if it ends with it, else at its first
                    * occurrence after the beginning, else at the end; absent: at the end */
} th__cut;

/* In wrapper files: "after" or "after_last", and "before". */
extern const struct th__rule_shape th__cut_shape;

static inline bool th__cut_is_whole(const th__cut *cut)
{
    return !cut->after.len && !cut->before.len;
}

/* Finds the part, without blanks at its ends. False if there is none. */
static inline bool th__cut_find(const th__cut *cut, th_str text, size_t *from, size_t *to)
{
    *from = 0;
    *to = text.len;
    if (cut->after.len) {
        size_t at = th__str_find(text, cut->after), next = at;
        if (at == SIZE_MAX)
            return false;
        *from = at + cut->after.len;
        while (cut->last && next != SIZE_MAX) {
            next = th__str_find((th_str){text.ptr + *from, text.len - *from}, cut->after);
            *from += next == SIZE_MAX ? 0 : next + cut->after.len;
        }
    }
    if (cut->before.len && text.len - *from > cut->before.len &&
        !memcmp(text.ptr + text.len - cut->before.len, cut->before.ptr, cut->before.len)) {
        *to = text.len - cut->before.len;
    } else if (cut->before.len) {
        size_t len = th__str_find((th_str){text.ptr + *from, text.len - *from}, cut->before);
        if (len != SIZE_MAX)
            *to = *from + len;
    }
    while (*from < *to && text.ptr[*from] == ' ')
        ++*from;
    while (*to > *from && text.ptr[*to - 1] == ' ')
        --*to;
    return *from < *to;
}

enum { TH__CUTS = 12 };

typedef struct th__cuts {
    th__cut data[TH__CUTS];
    uint32_t count;
} th__cuts;

/* The cuts that give back the part of a text from `from` to `to`, plainest first; none when no cut
 * does. They borrow from the text. */
void th__cuts_of(th_str text, size_t from, size_t to, th__cuts *out);

#endif
