/*
 * scan.h: UTF-8 text becomes coarse tokens.
 *
 * The scanner follows the tokenizer of the HTML standard (section 13.2.5) but emits whole tokens
 * only: where a tag begins and ends, not what stands in it. Attributes, references, comment and
 * doctype contents are read when somebody asks (attrs.c, markup.c, charref.c).
 */
#ifndef TH_SCAN_H
#define TH_SCAN_H

#include <thresh.h>

#include "base/str.h"

/* Where the tokenizer begins: always in data, but for tests and for fragments. */
typedef enum th__scan_state {
    TH__SCAN_DATA,
    TH__SCAN_RCDATA,
    TH__SCAN_RAWTEXT,
    TH__SCAN_SCRIPT,
    TH__SCAN_PLAINTEXT,
    TH__SCAN_CDATA
} th__scan_state;

/* The tokens of a text. Kept by a parser from page to page. */
typedef struct th__scan {
    th_token *tokens; /* `count` tokens and one that starts at the end */
    uint32_t count, cap;
    uint32_t start_tags; /* how many of them are start tags, or may become rows: the tree's size */
    bool other_tags;     /* some have names that are no standard ones */
} th__scan;

void th__scan_release(th__scan *scan);

/* Scans text, whose length fits 32 bits. `last_start_tag` is the name that ends RCDATA, RAWTEXT and
 * SCRIPT when the scan begins there. False when there is no memory. */
bool th__scan_text(th__scan *scan, th_str text, th__scan_state state, th_str last_start_tag);

/* Returns true if a byte ends a tag's name. */
static inline bool th__ends_tag_name(unsigned char c)
{
    return (c < 64) & ((TH__BLANK_BITS | UINT64_C(1) << '/' | UINT64_C(1) << '>') >> (c & 63));
}

#endif
