/*
 * kept_address.h: the port and the token of a project's server, kept beside the project.
 *
 * A server that is started again has the same address: windows that are open go on, and what they
 * keep in the browser, which keeps it by address, is found. The file (PROJECT.address) is readable
 * for its owner alone, as the project should be; one that others could have read or written, or
 * that is a link, is not used.
 */
#ifndef SERVE_KEPT_ADDRESS_H
#define SERVE_KEPT_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct serve_kept_address {
    uint16_t port;
    char token[65];
} serve_kept_address;

/* Returns false if there is none that can be used. */
bool serve_read_address(const char *project, serve_kept_address *out);
/* Replaces it. Where the folder cannot be written to, nothing is kept, which is not an error. */
void serve_keep_address(const char *project, const serve_kept_address *address);

#endif
