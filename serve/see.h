/*
 * see.h: pages as they look, and what belongs to them: /see/KEY/ID and /see/KEY/ID/NUMBER.
 *
 * These are loaded by frames, which send no token. The policy that each answer has lets a page load
 * what is below /see/KEY/ and nothing else, and run nothing.
 */
#ifndef SERVE_SEE_H
#define SERVE_SEE_H

#include "server.h"

enum { SERVE_POLICY_SIZE = 800 };

/* The Content-Security-Policy of what is seen; `host` is ours. */
void serve_see_policy(const serve_server *server, const char *host, char policy[SERVE_POLICY_SIZE]);
/* Answers "/ID" and "/ID/NUMBER". */
void serve_see(const serve_request *request, const char *path, serve_answer *answer);

#endif
