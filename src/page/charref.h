/*
 * charref.h: character references (&amp; &#233; &eacute) become characters.
 *
 * This is also the one place where source text turns into character data: line ends (CRLF and CR
 * become LF) and NUL bytes are settled here, because the page keeps its source as it came so that
 * offsets stay true.
 */
#ifndef TH_CHARREF_H
#define TH_CHARREF_H

#include "base/str.h"

#define TH__CHARREF_MAX 8 /* bytes of UTF-8 that a reference gives at most */

/*
 * Decodes the reference that starts with the "&" at `at`. Returns how many source bytes it takes
 * and its characters in out; 0 when the "&" is just an "&". In an attribute a name without ";"
 * before
 * "=", a letter or a digit is not a reference: `?a=1&copy=2` is a query, not a copyright sign.
 */
size_t th__charref(const char *at, const char *end, bool in_attribute, char out[TH__CHARREF_MAX],
                   size_t *out_len);

enum {
    TH__CHARS_REFS = 1,      /* decode references */
    TH__CHARS_ATTRIBUTE = 2, /* by the rule for attributes */
    TH__CHARS_NUL = 4        /* NUL becomes U+FFFD, as everywhere but in plain text */
};

/* Returns true if the semicolon at a place of a source ends a reference: "&hellip;". */
bool th__ends_reference(th_str source, size_t at);

/* Appends source text as the characters it means. False if out of memory. */
bool th__decode_chars(th_str raw, unsigned flags, th__buf *out);

/* The usual two: references in text, and in an attribute's value. */
static inline bool th__decode_refs(th_str raw, bool in_attribute, th__buf *out)
{
    return th__decode_chars(
        raw, in_attribute ? TH__CHARS_REFS | TH__CHARS_ATTRIBUTE | TH__CHARS_NUL : TH__CHARS_REFS,
        out);
}

#endif
