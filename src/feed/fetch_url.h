/* fetch_url.h: the parts of a URL that is to be fetched, as libcurl splits it. */
#ifndef TH_FETCH_URL_H
#define TH_FETCH_URL_H

#include "base/str.h"

typedef struct th__url_parts {
    char *scheme, *host, *port, *path;
    char *query;           /* or NULL */
    char *user, *password; /* or NULL */
    char *url;             /* all of it, escaped, without fragment, user and password */
} th__url_parts;

/* False if it is not a URL, or out of memory. Release in any case. */
bool th__url_split(const char *url, th__url_parts *out);
void th__url_parts_release(th__url_parts *parts);

/* Appends the site: scheme, host and port, in lower case: "https://shop.example:443". */
void th__url_add_site(const th__url_parts *parts, th__buf *out);

#endif
