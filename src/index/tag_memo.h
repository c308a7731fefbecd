/*
 * tag_memo.h: start tags that a page repeats are read once.
 *
 * About half of the start tags of a page have stood on it before, byte by byte. What an engine
 * reads from the attributes of an element it can then take from the element before.
 */
#ifndef TH_TAG_MEMO_H
#define TH_TAG_MEMO_H

#include "base/str.h"
#include "page/page.h"

enum {
    TH__TAG_MEMO = 256,         /* places: more than the tags that a page repeats much */
    TH__TAG_MEMO_SHORTEST = 8,  /* bytes of a tag, whose last 8 give its place */
    TH__TAG_MEMO_LONGEST = 128, /* a longer one is likely the only one of its kind */
};

/* All zeros at first. */
typedef struct th__tag_memo {
    uint32_t nodes[TH__TAG_MEMO];
} th__tag_memo;

/* An element before this one that has the same start tag; 0 when none is known, and this one is
 * from then on. */
static inline uint32_t th__tag_memo_find(th__tag_memo *memo, const th_page *page, uint32_t node)
{
    uint64_t word;
    th_str tag = th__token_text(page, page->nodes[node].token);
    if (tag.len < TH__TAG_MEMO_SHORTEST || tag.len > TH__TAG_MEMO_LONGEST)
        return 0;
    memcpy(&word, tag.ptr + tag.len - sizeof word, sizeof word);
    uint32_t *known = &memo->nodes[th__hash_mix(word, tag.len) % TH__TAG_MEMO];
    if (*known && th__str_eq(tag, th__token_text(page, page->nodes[*known].token)))
        return *known;
    *known = node;
    return 0;
}

#endif
