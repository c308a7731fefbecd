/*
 * fetch_cache.h: a folder that keeps what was fetched.
 *
 * An answer is a file, named by a hash of its URL and of what was sent with it, in one of 256
 * folders:
 *
 *     thresh-cache 1 6c62272e07bb0142         a checksum of all that follows
 *     url http://shop.example/lamps
 *     variant 9ae16a3b2f90404f                what was sent, as a hash: other headers, another page
 *     status 200
 *     stored 1763318000000000                 microseconds since 1970
 *     fresh 1763318600000000                  until then the server need not be asked
 *     address 192.0.2.1
 *     sizes 120 300 5000                      of the three parts below
 *                                             (blank)
 *     the header of the request, that of the answer, the body
 *
 * Files are replaced whole, so that neither a kill nor another process leaves half of one; one that
 * is damaged all the same is as good as none, and is fetched again.
 */
#ifndef TH_FETCH_CACHE_H
#define TH_FETCH_CACHE_H

#include "base/str.h"

typedef struct th__fetch_cache {
    const char *folder;  /* NULL: there is none; borrowed */
    uint64_t begun;      /* when this run began: what was stored since is used as it is */
    uint64_t max_age_us; /* and so is what is younger than this, whatever the server says */
} th__fetch_cache;

typedef struct th__cached {
    th__buf file; /* owns what the views show */
    th_str url, address, request, response;
    th_str body;      /* of a redirect: the URL it leads to */
    th_str tag, date; /* its ETag and Last-Modified, to ask the server with; may be absent */
    uint64_t variant, stored, fresh;
    int status;
    bool is_fresh; /* the server need not be asked */
} th__cached;

/* Makes the folder if needed. Borrows its name. */
th_status th__fetch_cache_open(th__fetch_cache *cache, const char *folder, uint64_t max_age_s,
                               th_error *err);

/* The answer for a URL; false if there is none, or only a damaged one. The caller releases
 * out->file. */
bool th__fetch_cache_find(const th__fetch_cache *cache, th_str url, uint64_t variant,
                          uint64_t max_bytes, th__cached *out);
/* Keeps an answer: sets `stored` and, unless the header says nothing, `fresh`. */
th_status th__fetch_cache_store(const th__fetch_cache *cache, th__cached *answer, th_str header,
                                th_error *err);

/* Reads the text of a file, whose views then borrow it; false if it is damaged. */
bool th__cached_parse(th_str text, th__cached *out);

#endif
