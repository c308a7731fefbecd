/*
 * session.h: one HTTP request, and what is sent with it besides the URL: headers, passwords, a
 * login, cookies; and the proxy it is sent through.
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

#include <time.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "feed/curl_library.h"

/* Before any function of libcurl is called. Fails if it is not installed. */
static inline th_status th__need_curl(th_error *err)
{
    const char *wrong = th__curl_load();
    return wrong ? th__fail(err, TH_ERR_IO, "fetching needs %s", wrong) : TH_OK;
}

/* Milliseconds of a clock that nobody sets. */
static inline uint64_t th__clock_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* ---- URLs ------------------------------------------------------------------------------------ */

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

/* ---- what is sent ---------------------------------------------------------------------------- */

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

typedef struct th__session {
    th__arena arena;     /* all texts */
    th__headers headers; /* of the options; secret ones are for the first site alone */
    th__proxy proxy;
    const char *first_site; /* of the first URL, in the arena; NULL until it is known */
    TH__VEC(th__account) accounts;
    TH__VEC(th_str) secrets;
    bool keeps_cookies; /* there is a jar or a login */
    th__cookie_jar jar;
} th__session;

/* Reads the options and their site file. Release also after a failure. */
th_status th__session_init(th__session *session, const th_feed_options *options, th_error *err);
void th__session_release(th__session *session);

/* Adds the accounts of a site file. Its name is for messages; files that it names are in `folder`.
 * With folder NULL, secrets are not looked up: any text is taken for them. */
th_status th__session_read(th__session *session, th_str text, const char *name, const char *folder,
                           th_error *err);

/* What a session has for a site. */
typedef struct th__site_view {
    const th__account *account; /* or NULL */
    bool first;                 /* it gets the secrets of the options */
} th__site_view;

th__site_view th__session_look(const th__session *session, th_str site);

/* Prepares libcurl to send to a site what the session has for it, and header lines `more` (may be
 * absent) of other names. The headers are the caller's, to free after the transfer. *proxied is set
 * if the request goes through a proxy that the user named. */
th_status th__session_dress(const th__session *session, th_str site, th_str more, CURL *easy,
                            struct curl_slist **headers, bool *proxied, th_error *err);

/* Returns true if a cookie proves that the account of a login is logged in. */
bool th__session_is_logged_in(const th__session *session, const th__login *login);

/* Returns true if a header line of a request or an answer is not to be kept. */
bool th__session_hides(const th__session *session, th_str line);
/* Puts *** in place of each secret in a text. */
void th__session_scrub(const th__session *session, char *text);

/* The fields of a line of the file. */
enum {
    TH__COOKIE_DOMAIN,
    TH__COOKIE_SUBDOMAINS,
    TH__COOKIE_PATH,
    TH__COOKIE_SECURE,
    TH__COOKIE_EXPIRES,
    TH__COOKIE_NAME,
    TH__COOKIE_VALUE,
    TH__COOKIE_FIELDS
};
/* Splits a line at its tabs; an empty value may be left out. False if it is not a cookie. */
static inline bool th__cookie_split(th_str line, th_str fields[TH__COOKIE_FIELDS])
{
    for (size_t i = 0; i < TH__COOKIE_FIELDS; i++) {
        size_t left = line.len;
        fields[i] = th__str_take(&line, '\t');
        if (fields[i].len == left && i < TH__COOKIE_NAME)
            return false;
    }
    return !line.len && fields[TH__COOKIE_DOMAIN].len && fields[TH__COOKIE_NAME].len;
}

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

/* ---- transfers ------------------------------------------------------------------------------- */

/* Read no more than this of a robots.txt. */
enum { TH__ROBOTS_MAX_BYTES = 500 << 10 };

/* What is asked for. */
typedef enum th__transfer_kind {
    TH__GET_PAGE,
    TH__GET_ROBOTS, /* any type, cut at its own limit */
    TH__LOG_IN      /* any type and status */
} th__transfer_kind;

/* Why we ourselves broke a transfer off. */
typedef enum th__transfer_stop {
    TH__STOP_NONE,
    TH__STOP_LARGE,  /* more than max_bytes */
    TH__STOP_TYPE,   /* not a web page, by its Content-Type */
    TH__STOP_ENOUGH, /* the rest is not wanted: a long error page, or a long robots.txt */
    TH__STOP_MEMORY
} th__transfer_stop;

typedef struct th__transfer {
    const th_feed_options *options; /* borrowed, and so is the session */
    th__session *session;
    th__transfer_kind kind;
    CURL *easy;
    struct curl_slist *headers;
    bool proxied;       /* it goes through a proxy that the user named */
    bool begun;         /* the body has begun: status and type are known */
    bool wanted;        /* the body is kept */
    bool keeps_cookies; /* those of the session are sent and kept */
    bool got_cookie;    /* the server has set one */
    th__buf body;
    size_t dropped; /* bytes of a body that is not wanted */
    th__transfer_stop stop;
    char refused[64];         /* the private address that was refused, or "" */
    const char *refused_kind; /* static */
    char message[CURL_ERROR_SIZE];
    th__buf request, response; /* the first line and the headers, without those that hold secrets */
    void (*done)(void *owner, CURLcode code);
    void *owner;
    /* when it is over; the texts are borrowed from libcurl */
    CURLcode code;
    int status;          /* of HTTP; 0 without an answer */
    th_str type;         /* Content-Type, or absent */
    const char *to;      /* where a redirect leads, or NULL */
    const char *address; /* of the server or the proxy, or "" */
    th_status unsaved;   /* why its headers or cookies could not be kept; TH_OK: they are */
    bool reveals;        /* a secret came back in the headers of the answer or in the URL */
} th__transfer;

typedef struct th__request {
    const char *url;
    th_str site;         /* of the URL: what th__session_dress wants */
    uint32_t timeout_ms; /* 0 for none */
    const char *form;    /* is posted, or NULL */
    bool cookies;        /* those of the session are sent and kept */
    th_str headers;      /* further ones, one per line; those of the session win but for Accept */
    void (*done)(void *owner, CURLcode code); /* is called when it is over */
    void *owner;
} th__request;

/* Sets the transfer up; curl_multi_add_handle runs it, and CURLINFO_PRIVATE is the transfer. */
th_status th__transfer_start(th__transfer *transfer, const th__request *request, th_error *err);
/* Frees what the transfer holds; its options, session and kind stay, so that it can be started
 * again. */
void th__transfer_release(th__transfer *transfer);

/* The transfer is over: sets what came of it, saves cookies, and takes secrets out of what is kept.
 * TH_OK (with any HTTP status) or an error that names the URL. */
th_status th__transfer_end(th__transfer *transfer, CURLcode code, const char *url, th_error *err);

/* "loopback", "private", ... or NULL for a public address. An address of an unknown family is not
 * public. Static. */
const char *th__address_kind(const struct sockaddr *address);

#endif
