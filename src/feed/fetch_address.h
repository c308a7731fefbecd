/* fetch_address.h: which addresses are not of the public internet. */
#ifndef TH_FETCH_ADDRESS_H
#define TH_FETCH_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

/* "loopback", "private", ... or NULL for a public address. An address of an unknown family is not
 * public. Static. */
const char *th__address_kind(const struct sockaddr *address);

#endif
