/* robots.h: what a site's robots.txt allows us to fetch (RFC 9309). */
#ifndef TH_ROBOTS_H
#define TH_ROBOTS_H

#include "base/str.h"

/* Read no more than this of a robots.txt. */
enum { TH__ROBOTS_MAX_BYTES = 500 << 10 };

typedef struct th__robots {
    th__buf rules; /* one a line: '+' or '-' and the pattern, normalised */
    uint32_t
        delay_ms; /* Crawl-delay, which RFC 9309 does not know but many sites use; 0 for none */
} th__robots;

/* Keeps the rules that hold for the agent (its product token: the letters, '-' and '_' that its
 * name begins with). */
th_status th__robots_parse(th_str text, th_str agent, th__robots *out, th_error *err);
void th__robots_release(th__robots *robots);
/* Tells in *yes if a path (with its query) may be fetched: the longest matching rule decides, Allow
 * wins a tie, no match allows. */
th_status th__robots_allows(const th__robots *robots, th_str path, bool *yes, th_error *err);

#endif
