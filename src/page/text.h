/*
 * text.h: what a reader sees of a span: references decoded, white space folded, markup gone.
 *
 * The rules
 *  - Every run of white space is one blank, with none at either end. Unicode's blanks count,
 * above all the no-break space; characters without width (U+200B, U+00AD) are left as they are.
 *  - Inline tags leave no trace: <b>A</b>cme is "Acme". Block tags, <br>, images and form fields
 *    separate words, and so do custom elements (a name with "-") and everything in svg and math:
 * two of them side by side are two things, and glued words are the worse mistake.
 *  - The content of script, style, template, iframe, noframes, noembed and noscript is left out: a
 *    browser that runs scripts shows none of it. The content of title, textarea, select and xmp is
 *    text. Comments and doctypes are left out. NUL bytes are dropped.
 *  - An element is left out only when the span holds its start tag. Who points at something inside
 *    it (a price in a script, a field in a noscript) gets its text.
 *  - A span inside one tag is an attribute's value and is read as such; a span inside one comment
 * is read as it is. A tag or comment that the span cuts is otherwise left out.
 */
#ifndef TH_TEXT_H
#define TH_TEXT_H

#include "base/str.h"
#include "page/page.h"
#include "page/tags.h"

/* The token that holds the byte; offset may be the end of the text, which the last token holds. */
uint32_t th__token_at(const th_page *page, uint32_t offset);

/* Appends the text of a span that is likely near the beginning of an element, which saves a search.
 * False if out of memory. */
bool th__node_span_text(const th_page *page, uint32_t node, th_span span, th__buf *out);

/* Appends the text of a span. False if out of memory. */
static inline bool th__span_text(const th_page *page, th_span span, th__buf *out)
{
    return th__node_span_text(page, 0, span, out);
}

/* Appends a value: the text of a span; or, where it is the value of an attribute that is an
 * address, that address, absolute where the page's URL is known. An absent name means no attribute.
 * False if out of memory. */
bool th__page_value(const th_page *page, th_str attribute, th_span span, th__buf *out);

/* Appends the title that the page says that it has, if it does. False if out of memory. */
bool th__page_title(const th_page *page, th__buf *out);

/* The same text with, for each byte of it, where its character begins and ends in the source. A
 * blank covers all from the first blank or tag to the next character. */
typedef struct th__folded {
    th__buf text;
    uint32_t *start, *end; /* text.len of each */
    size_t cap;            /* of both */
} th__folded;

/* Replaces what is in out, which starts as {0} and keeps its memory from use to use. False if out
 * of memory. */
bool th__page_fold(const th_page *page, th_span span, th__folded *out);
void th__folded_release(th__folded *folded);

/* Returns true if a text, decoded or as the source has it, means that a value is missing:
 * "n/a", a dash, signs alone. */
bool th__says_nothing(th_str text);

/* Elements of such a tag may have text that is not shown; of all others none is hidden. */
static inline bool th__tag_hides(uint16_t tag)
{
    return th__tag_flags(tag) & TH_TAG_IS_HIDDEN || tag == TH_TAG_NOSCRIPT;
}

static inline bool th__is_tag(const th_token *t)
{
    return t->kind == TH_TOKEN_START || t->kind == TH_TOKEN_END;
}

/* Returns true if a token is a text that a reader sees something of. */
static inline bool th__is_text(const th_token *t)
{
    return (t->kind == TH_TOKEN_TEXT || t->kind == TH_TOKEN_RCDATA) && !(t->flags & TH_TOKEN_BLANK);
}

/* The same, but for the texts of title, textarea and the like: a text of the page's body. */
static inline bool th__is_body_text(const th_token *t)
{
    return t->kind == TH_TOKEN_TEXT && !(t->flags & TH_TOKEN_BLANK);
}

/* What element hides what follows its start tag: one past its last token, or token + 1. */
uint32_t th__hidden_end(const th_page *page, uint32_t token);

/* ---- blanks -----------------------------------------------------------------------------------
 *
 * The only definitions of a blank: th__is_blank (str.h) for a byte, these for a character and for a
 * source, in which a no-break space may be a reference. */

/* Returns true if a character is a blank: white space of HTML, a vertical tab, Unicode's blanks. */
static inline bool th__is_blank_char(uint32_t code)
{
    if (code < 0x80)
        return th__is_blank((unsigned char)code) || code == '\v';
    return code == 0xA0 || code == 0x85 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) ||
           code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

/* How many bytes of a no-break space, as a character or a reference, are at a place of a source. */
size_t th__no_break_at(th_str source, size_t at);
/* Returns true if one is anywhere in it. */
bool th__has_no_break(th_str source);
/* How many bytes of any blank are at a place. */
static inline size_t th__blank_at(th_str source, size_t at)
{
    return th__is_blank((unsigned char)source.ptr[at]) ? 1 : th__no_break_at(source, at);
}
/* A source, and a span of one, without blanks at either end. */
th_str th__blank_trim(th_str source);
th_span th__span_trim(const th_page *page, th_span span);

/* Returns true if a text, white space aside, ends with a colon: it says of itself that it is a
 * label. One with a no-break space behind its colon is often laid out as a part of its value; who
 * takes it for a label trims it first. */
bool th__ends_with_colon(th_str source);

/* ---- the same text ----------------------------------------------------------------------------
 *
 * Two texts are the same if they have the same bytes but for blanks: their keys are equal. A key
 * needs no copy of the text: it is made of its source. */

/* Adds the bytes of a text, blanks not counted, to a hash and a length, both 0 at first. Returns
 * true if it has a letter, a digit or a picture: something to read. */
bool th__text_measure(th_str source, uint64_t *hash, uint32_t *len);
/* The same answer alone. */
bool th__text_is_readable(th_str source);
/* The key of a text, never 0. */
static inline uint64_t th__text_key(th_str source)
{
    uint64_t hash = 0;
    uint32_t len = 0;
    th__text_measure(source, &hash, &len);
    return hash ? hash : 1;
}
/* The key of a text but for its numbers, each run of digits as one sign: references are decoded,
 * into `scratch`, which is overwritten, unless the text has been decoded already. 0 if it has no
 * letter, or is too long to identify others. */
enum { TH__ANCHOR_LONGEST = 160 };
uint64_t th__anchor_key(th_str source, bool references, th__buf *scratch);

#endif
