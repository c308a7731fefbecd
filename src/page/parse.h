/*
 * parse.h: the stages of th_parser_parse, for those who need one of them.
 *
 * The scanner follows the tokenizer of the HTML standard (section 13.2.5) but emits whole tokens
 * only: where a tag begins and ends, not what is inside it. Attributes, references, comment and
 * doctype contents are read when somebody asks (attrs.c, charref.c, th__comment_text).
 */
#ifndef TH_PARSE_H
#define TH_PARSE_H

#include <thresh.h>

#include "base/str.h"
#include "page/page.h"

/* ---- tokens ---------------------------------------------------------------------------------- */

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
    bool other_tags;     /* some have names that are not standard */
} th__scan;

void th__scan_release(th__scan *scan);

/* Scans text, whose length fits 32 bits. `last_start_tag` is the name that ends RCDATA, RAWTEXT and
 * SCRIPT when the scan begins there. False if out of memory. */
bool th__scan_text(th__scan *scan, th_str text, th__scan_state state, th_str last_start_tag);

/* Returns true if a byte ends a tag's name. */
static inline bool th__ends_tag_name(unsigned char c)
{
    return (c < 64) & ((TH__BLANK_BITS | UINT64_C(1) << '/' | UINT64_C(1) << '>') >> (c & 63));
}

/* The inside of a doctype. Views of the source as written: names keep their case. Absent parts are
 * {NULL, 0}. */
typedef struct th__doctype {
    th_str name, public_id, system_id;
    bool force_quirks; /* the standard calls it incorrect */
} th__doctype;

/* Each takes the whole token. */
th__doctype th__doctype_read(th_str token);
th_str th__comment_text(th_str token);
th_str th__cdata_text(th_str token);

/* Returns true if a page with this doctype is laid out in quirks mode, where a table does not close
 * a p. */
bool th__doctype_is_quirky(th_str token);

/* ---- the tree -------------------------------------------------------------------------------- */

typedef struct th__tree th__tree;

/* The working memory of tree building, kept by a parser from page to page. */
th__tree *th__tree_new(uint32_t max_depth);
void th__tree_free(th__tree *tree);

/* Fills page->nodes and page->tags, which hold one more than the start tags among the tokens, sets
 * node_count and flattened, then path_count and the nodes' path ids. `other_tags`: some are
 * not standard. False if out of memory. */
bool th__tree_build(th__tree *tree, th_page *page, bool other_tags);

#endif
