/*
 * url.h: relative links become absolute.
 *
 * Resolution is that of RFC 3986, section 5, with what the URL Standard forgives, because pages are
 * written against browsers: blanks around a link, tabs and line ends inside it, backslashes for
 * slashes and any number of slashes after "http:", "http:x" for "x", "%2e" for ".". What may not
 * be in a URL (blanks, quotes, angle brackets, controls) is escaped; letters beyond ASCII are
 * kept, as people read them; host names keep their case.
 */
#ifndef TH_URL_H
#define TH_URL_H

#include "base/str.h"
#include "page/page.h"

/* Appends the URL that `link` means when it is on a page at `base` (which may be absent).
 * False if out of memory. */
bool th__url_resolve(th_str base, th_str link, th__buf *out);

/* The host of an http or https URL without port and "www.", and its path without a slash at the
 * end: what says whether two URLs are the same place. False for other URLs. */
bool th__url_place(th_str url, th_str *host, th_str *path);

/*
 * Appends what says whether two URLs are one page to a crawler: scheme and host in lower case,
 * without the scheme's own port, fragment and parameters that only say where a visitor comes from
 * (utm_source, gclid, ...). URLs of other schemes than http and https have none: false, as when out
 * of memory.
 */
bool th__url_address(th_str url, th__buf *out);

/* Sets page->base from the first <base href>, resolved against page->url; called once, when the
 * page is made. False if out of memory. */
bool th__page_find_base(th_page *page);

#endif
