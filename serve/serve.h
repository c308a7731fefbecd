/*
 * serve.h: the workbench's server: the one door to this folder.
 *
 *     browser ──HTTP on loopback──▶ http.c (who may ask) ──▶ routes.c ──▶ api_*.c ──▶ thresh.h
 *                                                               └──▶ jobs.c (long work) ──▶ events
 *
 * All that it does, the library does; docs/API.md describes the requests.
 */
#ifndef SERVE_H
#define SERVE_H

#include <stdbool.h>
#include <stdint.h>
#include <thresh.h>

typedef struct serve_options {
    const char *project;             /* made when it is not there */
    uint16_t port;                   /* 0: that of the last time if it is free, or any free one */
    const char *token;               /* NULL: that of the last time, or a random one */
    bool new_address;                /* do not use the port and the token of the last time */
    const th_feed_options *fetching; /* how URLs are fetched; NULL: the defaults. Borrowed until the
                                        server stops */
    uint64_t max_upload;             /* bytes of a request's body: 64 MiB when 0 */
    bool allow_commands;             /* an alarm may be handed to a command: whoever has the token
                                        can run programs then */
    bool no_looks;                   /* do not bring along what pages look with */
} serve_options;

typedef struct serve_server serve_server;

/* Starts the server in threads of its own. Caller frees. */
th_status serve_start(const serve_options *options, serve_server **out, th_error *err);
/* The address with its token: "http://127.0.0.1:8123/#token=...". Borrowed. */
const char *serve_address(const serve_server *server);
/* Stops: running jobs are cancelled and waited for. */
void serve_stop(serve_server *server);

/*
 * What pages look with: their style sheets, images and fonts, which are fetched, read from the
 * archives of the pages, or from files beside them (looks.c). For pages that are added to a site:
 *
 *     looks = serve_looks_new(...); for each page: serve_looks_add; then serve_looks_finish
 *
 * Files are added at once, all else at the end. What cannot be read is left out: none of these
 * fails. NULL looks do nothing.
 */
typedef struct serve_looks serve_looks;

/* `inputs` are those that the pages come from; files of a page must be below its own. NULL if out
 * of memory. Project and the texts of `fetching` are borrowed; caller frees. */
serve_looks *serve_looks_new(th_project *project, th_str site, const th_feed_options *fetching,
                             const char *const *inputs, size_t count);
/* Archives are not files but what this reads; it must outlive the looks. */
void serve_looks_set_archive(serve_looks *looks, const th_reader *reader);
/* Notes what a page refers to; `read` parses it first. */
void serve_looks_add(serve_looks *looks, const th_page *page, const th_input *input);
void serve_looks_read(serve_looks *looks, const th_input *input);
/* Brings the rest, within seconds; gives how many files were added in all. */
uint64_t serve_looks_finish(serve_looks *looks);
void serve_looks_free(serve_looks *looks);
/* Removes what no page of its site looks with, earlier versions of pages included; says how much.
 */
th_status serve_looks_tidy(th_project *project, uint64_t *count, th_error *err);

#endif
