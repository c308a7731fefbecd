/* fetch_transfer.h: one HTTP request: what libcurl is told, and what its end means. */
#ifndef TH_FETCH_TRANSFER_H
#define TH_FETCH_TRANSFER_H

#include <curl/curl.h>

#include "feed/session.h"

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
    TH__STOP_TYPE,   /* no web page, by its Content-Type */
    TH__STOP_ENOUGH, /* the rest is not wanted: a long error page, or a long robots.txt */
    TH__STOP_MEMORY
} th__transfer_stop;

typedef struct th__transfer {
    const th_feed_options *options; /* borrowed, and so is the session */
    const th__session *session;
    th__transfer_kind kind;
    CURL *easy;
    struct curl_slist *headers;
    bool proxied;    /* it goes through a proxy that the user named */
    bool begun;      /* the body has begun: status and type are known */
    bool wanted;     /* the body is kept */
    bool got_cookie; /* the server has set one */
    th__buf body;
    size_t dropped; /* bytes of a body that is not wanted */
    th__transfer_stop stop;
    char refused[64];         /* the private address that was refused, or "" */
    const char *refused_kind; /* static */
    char message[CURL_ERROR_SIZE];
    th__buf request, response; /* the first line and the headers, without those that hold secrets */
} th__transfer;

typedef struct th__request {
    const char *url;
    th_str site;            /* of the URL: what th__session_dress wants */
    uint32_t timeout_ms;    /* 0 for none */
    const char *form;       /* is posted, or NULL */
    CURLSH *cookies;        /* or NULL */
    const char *conditions; /* headers for a page that is known already, one a line, or NULL */
    void *owner;            /* of the transfer: CURLINFO_PRIVATE */
} th__request;

/* What holds for everything that is sent: http and https only, no redirect that libcurl follows by
 * itself, no signals, the timeouts. False if out of memory. */
bool th__transfer_set_limits(CURL *easy, const char *url, const th_feed_options *options,
                             uint32_t timeout_ms);
/* Sets the transfer up; curl_multi_add_handle runs it. */
th_status th__transfer_start(th__transfer *transfer, const th__request *request, th_error *err);
/* Frees what the transfer holds; its options, session and kind stay, so that it can be started
 * again. */
void th__transfer_release(th__transfer *transfer);

/* Of a transfer that is over: the status of HTTP, 0 without an answer; the Content-Type, or absent
 * (borrowed); libcurl's reason for a failure, without the URL (borrowed). */
long th__transfer_status(const th__transfer *transfer);
th_str th__transfer_type(const th__transfer *transfer);
const char *th__transfer_reason(const th__transfer *transfer, CURLcode code);
/* What the transfer came to: TH_OK (with any HTTP status) or an error that names the URL. */
th_status th__transfer_result(const th__transfer *transfer, CURLcode code, const char *url,
                              th_error *err);

#endif
