/*
 * mcp_session.h: the Model Context Protocol with one client: JSON-RPC 2.0, a message per line.
 *
 *     bytes ──feed──▶ lines ──▶ requests ──┬── answered at once: initialize, tools/list, ping, ...
 *                                          └── tools/call: a queue ──▶ one worker ──▶ answers
 *
 * The worker does one call after the other, while requests are still read: a ping is answered, and
 * a call that is cancelled ends, or leaves the queue, without an answer.
 *
 * Versions of the protocol up to 2025-11-25 begin with `initialize`; 2026-07-28 has no beginning:
 * each request says its version in `_meta`, and `server/discover` lists the versions.
 */
#ifndef CLI_MCP_SESSION_H
#define CLI_MCP_SESSION_H

#include "mcp_tools.h"

enum { MCP_MESSAGE_MOST = 16 << 20 /* bytes of a message */ };

typedef struct mcp_session mcp_session;

/* Answers go to `out` as whole lines, from any thread but one at a time. `alone`: there is no
 * worker, and calls are done while they are read. The settings must outlive it. Caller frees. */
th_status mcp_session_new(const mcp_settings *settings, th_sink out, bool alone, mcp_session **made,
                          th_error *err);
/* Takes the next bytes from the client, as they come. False: out of memory, or the client takes no
 * more answers, and the session should end. */
bool mcp_session_feed(mcp_session *session, const char *bytes, size_t len);
/* The input has ended: takes a last line without an end, and waits for the calls. */
void mcp_session_finish(mcp_session *session);
/* Cancels what is left, and frees. */
void mcp_session_free(mcp_session *session);

#endif
