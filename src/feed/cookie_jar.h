/*
 * cookie_jar.h: the cookies of a session, in memory and in a file.
 *
 * libcurl knows what a cookie is for: its domain, path and time. We keep two sets, one for http and
 * one for https, so that what came over https is never sent over http, whether it says "secure" or
 * not. The file has the format of Netscape that browsers' tools and other programs use:
 *
 *     domain  with-subdomains  path  secure  expires  name  value        (tabs between)
 *
 * Cookies that are not "secure" in the file go into both sets. What came over https is written as
 * "secure".
 */
#ifndef TH_COOKIE_JAR_H
#define TH_COOKIE_JAR_H

#include <curl/curl.h>

#include "base/str.h"

typedef struct th__cookie_jar {
    CURLSH *sets[2]; /* http, https */
    CURL *easy[2];   /* to read and fill them with */
    char *path;      /* of the file, or NULL */
    uint64_t saved;  /* hash of the text that was read or written last */
} th__cookie_jar;

/* Reads the file, or makes it if it is not there; without a path cookies are kept in memory.
 * Release also after a failure. */
th_status th__cookie_jar_init(th__cookie_jar *jar, const char *path, th_error *err);
/* Cookies that were not saved are forgotten. */
void th__cookie_jar_release(th__cookie_jar *jar);

/* Adds the cookies of a file's text. */
th_status th__cookie_jar_read(th__cookie_jar *jar, th_str text, const char *name, th_error *err);
/* Writes the file, if there is one and if it would change. */
th_status th__cookie_jar_save(th__cookie_jar *jar, th_error *err);

/* Returns true if there is a cookie of that name that would be sent to a host. */
bool th__cookie_jar_has(const th__cookie_jar *jar, bool https, th_str host, const char *name);

#endif
