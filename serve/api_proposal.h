/* api_proposal.h: of which wrapper and pages a proposed repair is. */
#ifndef SERVE_API_PROPOSAL_H
#define SERVE_API_PROPOSAL_H

#include "routes.h"

/* A mark of a wrapper (version 0: the latest) and of the pages that a repair of it looks at, as
 * text of 16 digits: another when either is another. */
enum { SERVE_MARK_SIZE = 17 };
th_status serve_proposal_mark(th_project *project, th_str site, th_str wrapper, uint32_t version,
                              char mark[SERVE_MARK_SIZE], th_error *err);

#endif
