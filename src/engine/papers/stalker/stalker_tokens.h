/*
 * stalker_tokens.h: a page as STALKER sees it: a sequence of words, numbers, signs and tags.
 *
 * Blanks are no tokens: a rule that held in one page must not fail in the next because somebody
 * indented it. Only several no-break spaces are one, which is written &nbsp; in rules. A position
 * is the number of tokens before it, 0 to count.
 */
#ifndef TH_STALKER_TOKENS_H
#define TH_STALKER_TOKENS_H

#include <thresh.h>

#include "base/arena.h"

#define TH__STALKER_GAP "&nbsp;"

typedef struct th__stalker_token {
    uint32_t start, end; /* source bytes */
    uint32_t sym;        /* hash of its text; of a tag: of its name */
    uint32_t step;       /* of a start tag with a class: hash of both; else 0 */
    uint16_t tag;        /* tag id of a tag, else 0 */
    uint8_t cls;         /* th_class, a leaf of the tree of classes */
} th__stalker_token;

typedef struct th__stalker_seq {
    const th_page *page;
    th__stalker_token *tokens;
    uint32_t count;
} th__stalker_seq;

/* The tokens of a span. In the arena. False without memory. */
bool th__stalker_seq_make(th__arena *arena, const th_page *page, th_span span,
                          th__stalker_seq *out);

/* How many tokens begin before a byte. */
uint32_t th__stalker_seq_at(const th__stalker_seq *seq, uint32_t offset);

/* Where a position is on the page: the start of the token behind it, or the end of the one before
 * it. */
uint32_t th__stalker_start_of(const th__stalker_seq *seq, uint32_t position);
uint32_t th__stalker_end_of(const th__stalker_seq *seq, uint32_t position);

/* The position before the start tags that stand right before one, and behind the end tags right
 * behind one: what begins or ends there has the same text. */
uint32_t th__stalker_before_tags(const th__stalker_seq *seq, uint32_t position);
uint32_t th__stalker_behind_tags(const th__stalker_seq *seq, uint32_t position);

/* The hashes that tokens are compared by. */
uint32_t th__stalker_text_sym(th_str text);
uint32_t th__stalker_tag_sym(uint16_t tag, bool end);
uint32_t th__stalker_step_sym(uint64_t step_hash);

#endif
