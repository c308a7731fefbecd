/* marked_span.h: a span written into a page: what stands between "[" and "]". */
#ifndef TH_MARKED_SPAN_H
#define TH_MARKED_SPAN_H

#include "test.h"

struct marked_span {
    char html[500]; /* without the marks */
    size_t len;
    th_span span;
};

static inline struct marked_span read_marked(const char *marked)
{
    struct marked_span out = {.len = 0};
    for (const char *c = marked; *c; c++) {
        assert_true(out.len < sizeof out.html);
        if (*c == '[')
            out.span.start = (uint32_t)out.len;
        else if (*c == ']')
            out.span.end = (uint32_t)out.len;
        else
            out.html[out.len++] = *c;
    }
    return out;
}

#endif
