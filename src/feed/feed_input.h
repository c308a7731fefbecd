/* feed_input.h: one page's bytes and what is known of them. */
#ifndef TH_FEED_INPUT_H
#define TH_FEED_INPUT_H

#include "base/str.h"

struct th_input {
    char *data;   /* owns the bytes */
    th_str bytes; /* inside data, or empty */
    th_str name, origin, url, charset;
    char text[]; /* the bytes of the four strings */
};

/* Makes an input with copies of the four strings; absent ones stay absent. */
th_status th__input_new(th_str name, th_str origin, th_str url, th_str charset, th_input **out,
                        th_error *err);
/* Hands the bytes of buf, from `start` on, to the input; buf is empty afterwards. */
void th__input_give(th_input *input, th__buf *buf, size_t start);

#endif
