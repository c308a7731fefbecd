/* invariants.h: what page/page.h promises of every page, checked. */
#ifndef TH_INVARIANTS_H
#define TH_INVARIANTS_H

#include <thresh.h>

/* What does not hold of a page that was parsed with this limit of depth; NULL when all holds. */
const char *page_flaw(const th_page *page, uint32_t max_depth);

/* The same for tokens alone. */
const char *token_flaw(const th_token *tokens, uint32_t count, size_t text_len);

#endif
