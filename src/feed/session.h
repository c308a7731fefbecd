/*
 * session.h: what is sent to a server besides the URL: headers, passwords, a login, cookies; and
 * the proxy it is sent through.
 *
 * Headers and a proxy come with the options. The rest comes from the site file, which has an
 * account for each site. A site is a scheme, a host and a port, and what an account holds is sent
 * to its sites alone: a redirect to another host, or from https to http, leaves it behind.
 *
 * What is read from the environment or a file is secret, and so are passwords: neither messages nor
 * what is kept of a request contain it.
 */
#ifndef TH_SESSION_H
#define TH_SESSION_H

#include <curl/curl.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"

typedef struct th__header {
    const char *line; /* "Name: value" */
    size_t name_len;
    bool secret;
} th__header;

typedef TH__VEC(th__header) th__headers;

typedef struct th__proxy {
    const char *url; /* without user and password; NULL for none */
    const char *user, *password;
} th__proxy;

typedef struct th__form_field {
    const char *name, *value;
} th__form_field;

typedef struct th__login {
    const char *url;  /* where the form is sent; NULL: there is no login */
    const char *page; /* the page with the form, whose hidden fields are sent too, or NULL */
    TH__VEC(th__form_field) form;
    const char *ok; /* a cookie or a text that proves success, or NULL */
} th__login;

typedef struct th__account {
    TH__VEC(const char *) sites; /* "https://shop.example:443" */
    th__headers headers;
    const char *user_agent; /* or NULL */
    th__proxy proxy;
    const char *user, *password; /* of Basic authentication, or NULL */
    const char *netrc;           /* the file that has them, or NULL */
    bool has_delay;
    uint32_t delay_ms;
    th__login login;
} th__account;

typedef struct th__session {
    th__arena arena;     /* all texts */
    th__headers headers; /* of the options; secret ones are for the first site alone */
    th__proxy proxy;
    const char *first_site; /* of the first URL; NULL until then */
    TH__VEC(th__account) accounts;
    TH__VEC(th_str) secrets;
} th__session;

/* Reads the options and their site file. Release also after a failure. */
th_status th__session_init(th__session *session, const th_feed_options *options, th_error *err);
void th__session_release(th__session *session);

/* Adds the accounts of a site file. Its name is for messages; files that it names are in `folder`.
 * With folder NULL, secrets are not looked up: any text is taken for them. */
th_status th__session_read(th__session *session, th_str text, const char *name, const char *folder,
                           th_error *err);

/* Takes the site of the first URL, later ones are ignored. False if out of memory. */
bool th__session_begin(th__session *session, th_str site);
/* The account for a site, or NULL. */
const th__account *th__session_account(const th__session *session, th_str site);

/* Tells libcurl what to send to a site. The headers are the caller's, to free after the transfer.
 * *proxied is set if the request goes through a proxy that the user named. */
th_status th__session_dress(const th__session *session, th_str site, CURL *easy,
                            struct curl_slist **headers, bool *proxied, th_error *err);

/* A hash of what is sent to a site and may make a difference to its pages; secrets are not in it.
 */
uint64_t th__session_variant(const th__session *session, th_str site, const char *user_agent);

/* Appends the form of a login, as it is sent, with a NUL. `page`, which may be absent, is the page
 * that has the form: its hidden fields are sent too. */
th_status th__login_add_form(const th__login *login, th_str page, th__buf *out, th_error *err);

/* Returns true if a header line of a request or an answer is not to be kept. */
bool th__session_hides(const th__session *session, th_str line);
/* Returns true if a secret is in a text. */
bool th__session_reveals(const th__session *session, th_str text);
/* Puts *** in place of each secret in a text. */
void th__session_scrub(const th__session *session, char *text);

/*
 * Cookies, in memory and in a file.
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
