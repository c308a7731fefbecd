/*
 * warc_write.h: keeps what was fetched in a WARC archive.
 *
 *     warcinfo | response | request | response | request | ...       one gzip member each
 *
 * WARC/1.1 (ISO 28500:2017) with SHA-1 digests of blocks and payloads. A response and its request
 * are appended by one write, so that a process that dies leaves at most a torn tail. The next one
 * to open the archive cuts that off and goes on behind the last whole record. Two processes cannot
 * write to one archive at once.
 */
#ifndef TH_WARC_WRITE_H
#define TH_WARC_WRITE_H

#include <time.h>

#include "base/str.h"

typedef struct th__warc_writer th__warc_writer;

/* What was said over the network. */
typedef struct th__warc_exchange {
    const char *url;
    const char *address;      /* of the server; "" if not known */
    th_str request, response; /* first line and headers, with the blank line */
    th_str body;              /* without transfer and content encoding, whole */
    time_t when;              /* 0: now */
} th__warc_exchange;

/* Opens an archive to add to, or makes it. `agent` is written into it. Caller closes. */
th_status th__warc_open(const char *path, const char *agent, th__warc_writer **out, th_error *err);
/* Adds an exchange. After a failure the archive is as it was before it. */
th_status th__warc_add(th__warc_writer *warc, const th__warc_exchange *exchange, th_error *err);
/* Frees; may be NULL. */
void th__warc_close(th__warc_writer *warc);

#endif
