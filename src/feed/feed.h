/*
 * feed.h: the feed's own state.
 *
 *     inputs ──walk──▶ leaves ──▶ ahead (a short queue; URLs in it are being fetched)
 *                                   │ first one
 *                                   ▼
 *                      file or stdin ──sniff──▶ page | archive ──▶ page, page, ...
 */
#ifndef TH_FEED_H
#define TH_FEED_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/str.h"
#include "feed/archive.h"
#include "feed/feed_walk.h"
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

/* A leaf in the queue. */
typedef struct th__ahead {
    th__walk_entry leaf; /* leaf.name is NULL for an error */
    th__fetch *fetch;    /* of a URL, or NULL */
    th_status status;    /* of the walk, when it failed here */
    th_error *problem;   /* heap; may be NULL for lack of memory */
} th__ahead;

struct th_feed {
    th_feed_options options;
    th__arena arena;     /* the options' strings */
    th_feed_source from; /* pages from elsewhere, when from.next is there: all else is unused */
    th__walk walk;
    bool walked;
    uint64_t leaves;     /* that the walk gave so far: they are dealt out to splits in turn */
    th_feed_part *parts; /* are read in place of inputs; the names are in the arena */
    size_t part_at, part_count;

    th__ahead *ahead; /* a ring */
    size_t ahead_at, ahead_len, ahead_cap;
    th__fetcher *fetcher; /* NULL until a URL is met */

    th__source source; /* of the file being read */
    th__stream stream;
    th__archive archive;
    char *archive_name; /* while an archive is open */

    _Atomic uint64_t bytes_read, records_skipped;
    uint64_t bytes_total;
};

#endif
