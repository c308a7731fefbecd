/*
 * proof.h: a server shows that it knows the token, without showing the token.
 *
 * A window whose server has gone asks whoever answers at the address then. Another program, of
 * another user of the machine, may listen there: it must not be given the token. So the window
 * sends a random text first, and only who answers with the HMAC-SHA-256 of it (RFC 2104, FIPS
 * 180-4) is its server.
 */
#ifndef SERVE_PROOF_H
#define SERVE_PROOF_H

enum { SERVE_PROOF_LEN = 64 };

/* The HMAC-SHA-256 of a text, in hexadecimal digits. A key has at most 64 bytes. */
void serve_prove(const char *key, const char *text, char out[SERVE_PROOF_LEN + 1]);

#endif
