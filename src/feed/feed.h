/* feed.h: pages as a feed gives them, and the options of feeds. */
#ifndef TH_FEED_H
#define TH_FEED_H

#include "base/arena.h"
#include "base/str.h"
#include "feed/fetch.h"

/* Options as a feed or a fetcher uses them: the defaults for what is not given, and copies of all
 * texts in the arena. False if out of memory. */
bool th__feed_options_copy(const th_feed_options *given, th__arena *arena, th_feed_options *own);

struct th_input {
    char *data;   /* owns the bytes */
    char *note;   /* heap, or NULL */
    th_str bytes; /* inside data, or empty */
    th_str name, origin, url, charset;
    size_t file_len; /* the file's name begins the origin */
    uint64_t offset, offset_inside;
    char text[]; /* the bytes of the four strings */
};

/* Makes an input with copies of the four strings; absent ones stay absent. */
th_status th__input_new(th_str name, th_str origin, th_str url, th_str charset, th_input **out,
                        th_error *err);

/* Hands the bytes of buf, from `start` on, to the input; buf is empty afterwards. */
void th__input_give(th_input *input, th__buf *buf, size_t start);

/* What fetches the pages of a feed, made on first use. Borrowed. */
th_status th__feed_fetcher(th_feed *feed, th__fetcher **out, th_error *err);

/* Returns true if an input names a web address. */
bool th__is_url(const char *input);

#endif
